//! Finds in outside text what speaks to an AI instead of a person, and takes its disguises away.
//!
//! It is a set of rules over word classes, without a model and without chance: the same text gives
//! the same report, in time linear in its length. It flags; it never decides.

mod decode;
mod fold;
mod lexicon;
mod marks;
mod report;
mod rules;

pub use report::{Flag, Kind, Report, THRESHOLD};

use fold::View;
use lexicon::{Classes, Hit};
use report::Finding;
use rules::RULES;
use std::collections::VecDeque;
use std::ops::Range;

/// How much text is looked at together, folded bytes: about a screen.
const WINDOW_BYTES: usize = 1_500;
/// Most passages that are told.
const FLAGS: usize = 256;
/// Longest stretch taken as one sentence, words.
const SENTENCE_WORDS: u32 = 60;

/// Looks at a text in every reading that it suggests.
#[must_use]
pub fn inspect(text: &str) -> Report {
    let plain = scan(&fold::fold(text), marks::hidden(text));
    let mut best = plain;
    for (view, factor) in decode::views(text) {
        let mut report = scan(&view, Vec::new());
        report.score *= factor;
        if report.score <= best.score {
            continue;
        }
        for flag in &mut report.flags {
            flag.kind = Kind::Encoded;
            flag.weight *= factor;
        }
        best = report;
    }
    if !best.is_suspicious() {
        best.flags.clear();
    }
    best
}

/// A text without its disguises, and what was found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defused {
    /// The text without hidden characters; marks of chat templates have lost their first character,
    /// which is shown as `\u{…}`. The words are all there.
    pub text: String,
    /// What was found in the text as it was given.
    pub report: Report,
    /// How many characters and sequences are left out that hide or turn text, or command a terminal.
    pub left_out: usize,
}

/// Inspects a text and takes its disguises away. Nothing a person could read is removed, so a file
/// stays what it is.
#[must_use]
pub fn defuse(text: &str) -> Defused {
    let report = inspect(text);
    let (visible, left_out) = crate::defuse::strip_hidden(text);
    Defused {
        left_out,
        text: marks::take_apart(&visible),
        report,
    }
}

/// The text without the sentences that speak to an AI, and how many were left out; what is not
/// suspicious stays whole. For text that will be summarised or remembered, where the wording does
/// not matter.
#[must_use]
pub fn without_orders(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let (mut copied, mut left_out) = (0, 0);
    for flag in inspect(text).flags {
        let (start, end) = sentence_around(text, &flag.range);
        if end <= copied {
            continue;
        }
        out.push_str(text.get(copied..start).unwrap_or(""));
        out.push_str(LEFT_OUT);
        left_out += 1;
        copied = end;
    }
    out.push_str(text.get(copied..).unwrap_or(""));
    (out, left_out)
}

/// What stands where a sentence was left out.
const LEFT_OUT: &str = "[…]";

/// The sentences that a passage is part of: from the end of one to the end of another.
fn sentence_around(text: &str, range: &Range<usize>) -> (usize, usize) {
    let before = text.get(..range.start).unwrap_or("");
    let ends = before.char_indices().rev();
    let mut ends = ends.filter(|(at, c)| ends_a_sentence(text, *at, *c));
    let start = ends.next().map_or(0, |(at, c)| at + c.len_utf8());
    let after = text.get(range.end..).unwrap_or("");
    let ends = after.char_indices().map(|(at, c)| (range.end + at, c));
    let mut ends = ends.filter(|(at, c)| ends_a_sentence(text, *at, *c));
    let end = ends.next().map_or(text.len(), |(at, c)| at + c.len_utf8());
    (start, end)
}

/// Whether a sentence ends with the character at a place. A full stop inside a word does not end
/// one: what is left of an order after `~/.` would still be half an order.
fn ends_a_sentence(text: &str, at: usize, c: char) -> bool {
    match c {
        '\n' | '。' | '！' | '？' => true,
        '.' | '!' | '?' => {
            let next = text
                .get(at + c.len_utf8()..)
                .and_then(|rest| rest.chars().next());
            next.is_none_or(char::is_whitespace)
        }
        _ => false,
    }
}

fn scan(view: &View, hidden: Vec<Flag>) -> Report {
    let mut findings = marks::find(view);
    let hits = lexicon::find(&view.text);
    let words = word_numbers(&view.text);
    for sentence in sentences(&view.text, &hits, &words) {
        for (id, rule) in RULES.iter().enumerate() {
            if let Some(range) = first_match(rule.all, rule.within, sentence, &words) {
                findings.push(Finding {
                    id,
                    weight: rule.weight,
                    kind: rule.kind,
                    range,
                });
            }
        }
    }
    findings.sort_by_key(|finding| finding.range.start);
    let extra: u32 = hidden.iter().map(|flag| flag.weight).sum();
    let (score, heavy) = heavy_windows(&findings, extra);
    let mut flags: Vec<Flag> = heavy
        .map(|finding| Flag {
            range: view.source(finding.range.clone()),
            kind: finding.kind,
            weight: finding.weight,
        })
        .chain(hidden)
        .take(FLAGS)
        .collect();
    flags.sort_by_key(|flag| (flag.range.start, flag.range.end));
    Report {
        flags,
        score: score + extra,
    }
}

/// The most points of any window, each rule counted once, and what stands in a window that is
/// suspicious with `extra` points from elsewhere.
fn heavy_windows(findings: &[Finding], extra: u32) -> (u32, impl Iterator<Item = &Finding>) {
    let mut counts = vec![0_usize; marks::NUMBERS];
    let mut open: VecDeque<usize> = VecDeque::new();
    let mut is_heavy = vec![false; findings.len()];
    let (mut score, mut most, mut marked) = (0, 0, 0);
    for (index, finding) in findings.iter().enumerate() {
        while let Some(&oldest) = open.front() {
            let old = &findings[oldest];
            if old.range.start + WINDOW_BYTES >= finding.range.start {
                break;
            }
            open.pop_front();
            counts[old.id] -= 1;
            score -= if counts[old.id] == 0 { old.weight } else { 0 };
        }
        open.push_back(index);
        counts[finding.id] += 1;
        score += if counts[finding.id] == 1 {
            finding.weight
        } else {
            0
        };
        most = most.max(score);
        if score + extra >= THRESHOLD {
            let first = open.front().copied().unwrap_or(index).max(marked);
            is_heavy[first..=index].fill(true);
            marked = index + 1;
        }
    }
    let kept = findings.iter().zip(is_heavy);
    (most, kept.filter(|(_, heavy)| *heavy).map(|(f, _)| f))
}

/// For each byte, how many words began before or at it.
fn word_numbers(folded: &str) -> Vec<u32> {
    let (mut number, mut inside) = (0, false);
    let mut numbers = Vec::with_capacity(folded.len());
    for c in folded.chars() {
        let wide = matches!(c, '\u{2e80}'..='\u{9fff}');
        let starts = c.is_alphanumeric() && (!inside || wide);
        number += u32::from(starts);
        inside = c.is_alphanumeric() || (inside && c == '\'');
        numbers.extend(std::iter::repeat_n(number, c.len_utf8()));
    }
    numbers
}

/// The hits of each sentence.
fn sentences<'a>(folded: &str, hits: &'a [Hit], words: &[u32]) -> Vec<&'a [Hit]> {
    let mut ends: Vec<usize> = Vec::new();
    let mut last_word = 0;
    let bytes = folded.as_bytes();
    for (at, c) in folded.char_indices() {
        let followed = bytes
            .get(at + c.len_utf8())
            .is_none_or(u8::is_ascii_whitespace);
        let ends_here = match c {
            '.' | '!' | '?' => followed,
            '。' | '！' | '？' | '\n' => true,
            _ => false,
        };
        let too_long = words[at] > last_word + SENTENCE_WORDS;
        if ends_here || too_long {
            ends.push(at);
            last_word = words[at];
        }
    }
    ends.push(folded.len());
    let mut parts = Vec::new();
    let mut from = 0;
    for end in ends {
        let to = from + hits[from..].partition_point(|hit| hit.start < end);
        if to > from {
            parts.push(&hits[from..to]);
        }
        from = to;
    }
    parts
}

/// The first stretch of at most `within` words that has a word of each set.
fn first_match(
    all: &[Classes],
    within: usize,
    sentence: &[Hit],
    words: &[u32],
) -> Option<Range<usize>> {
    let wanted = all.iter().fold(0, |sum, set| sum | set);
    let number = |at: usize| words.get(at).copied().unwrap_or(0) as usize;
    for (index, first) in sentence.iter().enumerate() {
        if first.classes & wanted == 0 {
            continue;
        }
        let reach = number(first.start) + within;
        let near = sentence[index..]
            .iter()
            .take_while(|hit| number(hit.start) < reach);
        if let Some(end) = covered(all, near) {
            return Some(first.start..end);
        }
    }
    None
}

/// Where the last of the sets is met, each by a hit of its own.
fn covered<'a>(all: &[Classes], hits: impl Iterator<Item = &'a Hit>) -> Option<usize> {
    let mut open: Vec<Classes> = all.to_vec();
    let mut end = 0;
    for hit in hits {
        if hit.start < end {
            continue;
        }
        let Some(at) = open.iter().position(|set| set & hit.classes != 0) else {
            continue;
        };
        open.swap_remove(at);
        end = end.max(hit.end);
        if open.is_empty() {
            return Some(end);
        }
    }
    None
}

#[cfg(test)]
mod tests;
