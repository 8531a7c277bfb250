//! Marks that only a model's input has: chat templates, turns of a conversation, images that carry
//! data away, characters that hide.

use super::fold::{View, fold};
use super::report::{Finding, Flag, Kind, THRESHOLD};
use super::rules::RULES;
use aho_corasick::AhoCorasick;
use std::sync::LazyLock;

/// Marks of chat templates and of tool calls, folded; whoever writes them in a document wants them
/// read as such.
const MARKS: &[(&str, u32)] = &[
    ("<|im start|>", 12),
    ("<|im end|>", 12),
    ("<|system|>", 12),
    ("<|user|>", 12),
    ("<|assistant|>", 12),
    ("<|endoftext|>", 8),
    ("<|end of text|>", 8),
    ("<|eot id|>", 12),
    ("<|start header id|>", 12),
    ("<|begin of text|>", 12),
    ("<start of turn>", 12),
    ("<end of turn>", 12),
    ("[inst]", 12),
    ("[/inst]", 12),
    ("<<sys>>", 12),
    ("<</sys>>", 12),
    ("[cls]", 5),
    ("[tool result:", 12),
    ("[/tool result", 12),
    ("<tool call>", 8),
    ("</tool call>", 8),
    ("<function calls>", 8),
    ("<system>", 8),
    ("</system>", 8),
    ("[system]", 8),
    ("<system prompt>", 8),
    ("</user input>", 8),
    ("</document>", 4),
    ("### system", 8),
    ("### instruction", 8),
    ("begin system", 8),
    ("<thinking>", 6),
    ("$system", 6),
    ("userquery", 8),
    ("responseformat", 8),
    ("reasoning (assistant)", 8),
    ("reasoning trace", 5),
    ("stop everything", 8),
    ("[prompt]", 6),
    ("[your prompt", 6),
    ("prompt here]", 6),
    ("[insert prompt", 6),
    ("[insert your", 4),
    ("[start output]", 8),
];

/// Speakers of a chat with a model, at the beginning of a line and in front of a colon.
const TURNS: &[(&str, u32)] = &[
    ("assistant", 6),
    ("user", 4),
    ("human", 4),
    ("system", 5),
    ("chatgpt", 6),
    ("ai", 4),
];

/// From this weight on a mark is a token of a chat template.
const TEMPLATE: u32 = 12;

/// How many rules and marks there are, each with a number of its own.
pub(super) const NUMBERS: usize = RULES.len() + MARKS.len() + TURNS.len() + 1;

/// Every mark in a folded text.
pub(super) fn find(view: &View) -> Vec<Finding> {
    let mut findings = tokens(&view.text);
    findings.extend(turns(view));
    findings.extend(image_leaks(&view.text));
    findings
}

static MARK_FINDER: LazyLock<Option<AhoCorasick>> =
    LazyLock::new(|| AhoCorasick::new(MARKS.iter().map(|(mark, _)| mark)).ok());

/// Chat templates and what else stands in the table.
fn tokens(folded: &str) -> Vec<Finding> {
    let Some(finder) = MARK_FINDER.as_ref() else {
        return Vec::new();
    };
    let found = finder.find_iter(folded).map(|found| {
        let index = found.pattern().as_usize();
        Finding {
            id: RULES.len() + index,
            weight: MARKS[index].1,
            kind: Kind::Mark,
            range: found.range(),
        }
    });
    found.collect()
}

/// The text with the first character of each chat-template token shown as `\u{…}`: no tokenizer
/// that looks for such tokens in text finds them.
pub(super) fn take_apart(text: &str) -> String {
    let view = fold(text);
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for token in tokens(&view.text).iter().filter(|t| t.weight >= TEMPLATE) {
        let at = view.source(token.range.clone()).start;
        let Some(first) = text.get(at..).and_then(|rest| rest.chars().next()) else {
            continue;
        };
        if at < copied {
            continue;
        }
        out.push_str(&text[copied..at]);
        out.push_str(&format!("\\u{{{:x}}}", u32::from(first)));
        copied = at + first.len_utf8();
    }
    out.push_str(&text[copied..]);
    out
}

/// Longest address of an image that is looked at, bytes.
const IMAGE_BYTES: usize = 300;

/// Images whose address has a place to fill in: loading one sends away what stands there.
fn image_leaks(folded: &str) -> impl Iterator<Item = Finding> {
    folded.match_indices("](http").filter_map(|(at, _)| {
        let before = folded.get(..at)?.rfind('[')?;
        let is_image = folded.get(..before)?.ends_with('!');
        let end = folded.len().min(at + IMAGE_BYTES);
        let address = folded.get(at + 2..folded.floor_char_boundary(end))?;
        let address = address.split(')').next().unwrap_or(address);
        let (_, query) = address.split_once('?')?;
        let has_place = ["=[", "={", "=<", "=$", "=%7b"]
            .iter()
            .any(|mark| query.contains(mark));
        let id = RULES.len() + MARKS.len() + TURNS.len();
        (is_image && has_place).then(|| Finding {
            id,
            weight: THRESHOLD,
            kind: Kind::Leak,
            range: before..at + 2 + address.len(),
        })
    })
}

/// Lines that begin like a turn of a chat: a document that holds a conversation with a model.
fn turns(view: &View) -> impl Iterator<Item = Finding> {
    let starts = std::iter::once(0).chain(view.line_starts.iter().copied());
    starts.filter_map(|start| {
        let line = view.text.get(start..)?.trim_start();
        let start = view.text.len() - line.len();
        let line = line.trim_start_matches(['*', '#', '[', '>', ' ', '"']);
        let index = TURNS.iter().position(|(name, _)| {
            let after = line
                .strip_prefix(name)
                .map(|rest| rest.trim_start_matches([']', '*', ' ']));
            after.is_some_and(|rest| rest.starts_with(':'))
        })?;
        let (name, weight) = TURNS[index];
        let end = view.text.len() - line.len() + name.len();
        let id = RULES.len() + MARKS.len() + index;
        Some(Finding {
            id,
            weight,
            kind: Kind::Mark,
            range: start..end,
        })
    })
}

/// Characters that hide, as flags: what nobody writes by accident weighs more.
pub(super) fn hidden(text: &str) -> Vec<Flag> {
    let is_tag = |c| matches!(c, '\u{e0020}'..='\u{e007e}');
    let turns_around = |c| matches!(c, '\u{202d}' | '\u{202e}');
    let is_unseen = |c| {
        matches!(c, '\u{200b}' | '\u{2060}'..='\u{2064}'
            | '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}')
    };
    let flags = [
        spread(text, 8, 12, is_tag),
        spread(text, 1, 8, turns_around),
        spread(text, 6, 6, is_unseen),
    ];
    flags.into_iter().flatten().collect()
}

/// One flag from the first to the last of `at_least` characters.
fn spread(
    text: &str,
    at_least: usize,
    weight: u32,
    is_kind: impl Fn(char) -> bool,
) -> Option<Flag> {
    let mut places = text.char_indices().filter(|(_, c)| is_kind(*c));
    let (start, first) = places.next()?;
    let (mut count, mut end) = (1, start + first.len_utf8());
    for (at, c) in places {
        count += 1;
        end = at + c.len_utf8();
    }
    (count >= at_least).then_some(Flag {
        range: start..end,
        kind: Kind::Hidden,
        weight,
    })
}
