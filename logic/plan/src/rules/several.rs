//! Orders of several files, as one step for each: `show a.txt and b.txt`, `move a.txt and b.txt to docs`,
//! `add milk to a.txt and eggs to b.txt`, `make a folder docs and move a.txt into it`.

use super::words::{Request, Step, is_file, is_wildcard, pattern, trim_word};
use crate::orders;
use crate::quoted::in_quotes;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// A word or the mark of a quoted text.
const WORD: &str = r"[^\s,]+";
/// Orders whose files stand at the end, each of which can be done for one alone.
const AT_END: [&str; 33] = [
    "show",
    "read",
    "cat",
    "open",
    "print",
    "display",
    "view",
    "see",
    "get",
    "give",
    "head",
    "tail",
    "count",
    "how",
    "what",
    "what's",
    "search",
    "find",
    "grep",
    "look",
    "first",
    "last",
    "delete",
    "remove",
    "erase",
    "trash",
    "replace",
    "substitute",
    "change",
    "append",
    "add",
    "create",
    "touch",
];
/// Orders of a text in files that stand at the end behind `in`.
const IN_FILES: [&str; 3] = ["rename", "fix", "correct"];
/// Orders whose files stand before a place.
const BEFORE_A_PLACE: [&str; 3] = ["move", "put", "shift"];
/// Words of what is said of two files together.
const TOGETHER: [&str; 11] = [
    "between",
    "compare",
    "compared",
    "diff",
    "differ",
    "differs",
    "different",
    "difference",
    "differences",
    "same",
    "common",
];

static BACK: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?:it|its|that|this|them)\b"));
static ADDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^(?:append|add) (?P<a>.+?) (?:to|onto|into) (?P<f>{WORD}),? and (?:(?:append|add) )?(?:(?P<b>.+?) )?(?:to|onto|into) (?P<g>{WORD})$"
    ))
});
static INTO_MADE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^(?P<make>(?:make|create|add)(?: a| an| the)?(?: new| empty)* (?:folder|directory) (?:called |named )?(?P<name>{WORD})),? and (?:move|put) (?P<what>.+) (?:(?:to|into|in|inside) (?:it|that folder|the folder)|(?:in )?there)$"
    ))
});
static INTO_NEW: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)^(?:move|put|shift) (?P<what>.+) (?:to|into|in) a new (?:folder|directory) (?:called |named )?(?P<name>{WORD})$"
    ))
});

/// Takes a request apart, with a step for each of several files where that is what it says.
pub(super) fn read(text: &str) -> Request {
    let mut request = Request::read(text);
    let steps = std::mem::take(&mut request.steps);
    let mut made = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        // What `it` is after several files is not clear.
        let is_last = !steps[at + 1..].iter().any(|later| hits(&BACK, &later.text));
        let texts = match is_last {
            true => split(&request, &step.text),
            false => vec![step.text.clone()],
        };
        made.extend(texts.into_iter().map(|text| Step {
            text,
            ..step.clone()
        }));
    }
    request.steps = made;
    request
}

fn hits(constant: &LazyLock<Option<Regex>>, text: &str) -> bool {
    constant.as_ref().is_some_and(|regex| regex.is_match(text))
}

fn split(request: &Request, text: &str) -> Vec<String> {
    let bare = text.trim_end_matches(['.', '!']);
    into_a_folder(bare)
        .map(|(made, moved)| {
            let moved = split(request, &moved);
            std::iter::once(made).chain(moved).collect()
        })
        .or_else(|| additions(request, bare))
        .or_else(|| one_by_one(request, bare))
        .unwrap_or_else(|| vec![text.to_owned()])
}

/// A folder that is made, and what goes into it.
fn into_a_folder(text: &str) -> Option<(String, String)> {
    let forms = [&INTO_MADE, &INTO_NEW];
    let found = forms
        .into_iter()
        .find_map(|form| form.as_ref()?.captures(text))?;
    let moved = format!("move {} into the folder {}", &found["what"], &found["name"]);
    let made = found.name("make").map(|made| made.as_str().to_owned());
    let made = made.unwrap_or_else(|| format!("make a folder {}", &found["name"]));
    Some((made, moved))
}

/// Two texts, or one, that go to two files.
fn additions(request: &Request, text: &str) -> Option<Vec<String>> {
    let found = ADDS.as_ref()?.captures(text)?;
    let first = &found["a"];
    let second = found.name("b").map_or(first, |second| second.as_str());
    let begins = second.split_whitespace().next().unwrap_or_default();
    let are_files = is_name(request, &found["f"]) && is_name(request, &found["g"]);
    let is_one = |text: &str| !names_a_place(request, text);
    let is_clear = are_files && !orders::is_verb(begins) && is_one(first) && is_one(second);
    let add = |text: &str, file: &str| format!("add {text} to {file}");
    is_clear.then(|| vec![add(first, &found["f"]), add(second, &found["g"])])
}

/// Whether bare words name a file that something goes to: `milk to notes.txt and eggs`.
pub(super) fn names_a_place(request: &Request, text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_place = |pair: &[&str]| {
        let to = pair[0].to_lowercase();
        ["to", "onto", "into"].contains(&to.as_str()) && is_name(request, pair[1])
    };
    words.windows(2).any(is_place)
}

fn one_by_one(request: &Request, text: &str) -> Option<Vec<String>> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (place, names) = listed(request, &words)?;
    let (before, after) = (&words[..place.start], &words[place.end..]);
    // What is done after that would be done to each.
    if after.iter().any(|word| word.eq_ignore_ascii_case("and")) {
        return None;
    }
    let said: Vec<String> = before.iter().map(|word| word.to_lowercase()).collect();
    let verb = said.first()?.as_str();
    let is_in = said
        .last()
        .is_some_and(|word| ["in", "within", "throughout"].contains(&word.as_str()));
    let is_of_one = match after.first().map(|word| word.to_lowercase()) {
        None if is_in && IN_FILES.contains(&verb) => true,
        None => AT_END.contains(&verb) && !is_said_together(&said),
        Some(next) => {
            let is_to = ["to", "into", "in"].contains(&next.as_str());
            // Two files do not become one.
            let is_one = after.last().is_some_and(|to| is_name(request, to));
            (BEFORE_A_PLACE.contains(&verb) && is_to && !is_one)
                || (verb == "in" && before.len() == 1 && orders::is_verb(&next))
        }
    };
    let before = before.iter().filter(|word| **word != "both");
    let mut before: Vec<&str> = before.copied().collect();
    if let Some(noun) = before.last_mut().filter(|word| **word == "files") {
        *noun = "file";
    }
    let one = |name: &&str| {
        let words: Vec<&str> = before.iter().chain([name]).chain(after).copied().collect();
        words.join(" ")
    };
    is_of_one.then(|| names.iter().map(one).collect())
}

/// Whether files are compared, or their names are no more than words that are looked for.
fn is_said_together(words: &[String]) -> bool {
    let is_topic = words
        .last()
        .is_some_and(|word| ["about", "for", "with", "on", "like"].contains(&word.as_str()));
    is_topic || words.iter().any(|word| TOGETHER.contains(&word.as_str()))
}

/// The first list of files among words, such as `a.txt, b.txt and c.txt`.
pub(super) fn listed<'a>(
    request: &Request,
    words: &[&'a str],
) -> Option<(Range<usize>, Vec<&'a str>)> {
    (0..words.len()).find_map(|start| {
        let mut names = Vec::new();
        let mut at = start;
        loop {
            let word = *words.get(at)?;
            let name = trim_word(word);
            if !is_name(request, name) {
                return None;
            }
            names.push(name);
            at += 1;
            let is_and = words
                .get(at)
                .is_some_and(|next| ["and", "und", "y"].contains(&next.to_lowercase().as_str()));
            let is_next =
                word.ends_with(',') && words.get(at).is_some_and(|next| is_name(request, next));
            if !(is_and || is_next) {
                break;
            }
            at += usize::from(is_and);
        }
        (names.len() > 1).then_some((start..at, names))
    })
}

/// Whether a word or a quoted text names one file.
fn is_name(request: &Request, word: &str) -> bool {
    let piece = request.piece(trim_word(word));
    piece
        .is_some_and(|piece| is_file(&piece.text) && (piece.is_quoted || !is_wildcard(&piece.text)))
}

/// The orders that add each of several paths to a list of paths that are ignored, of one that would add them as one
/// line: `node_modules/ and dist/`.
pub(super) fn each_ignored(text: &str, orders: &[String]) -> Option<String> {
    let [order] = orders else { return None };
    let parts = text.split(" and ").flat_map(|part| part.split(','));
    let parts: Vec<&str> = parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let is_list = order.trim_end_matches(['.', '!']).ends_with("ignore");
    let are_paths = parts.iter().all(|part| !part.contains(char::is_whitespace));
    let each = parts
        .iter()
        .map(|part| order.replacen(&in_quotes(text), &in_quotes(part), 1));
    let each: Vec<String> = each.collect();
    (is_list && are_paths && parts.len() > 1).then(|| each.join(" then "))
}

/// The orders that add each of several words to a text that may be a list: `eggs and bread`.
pub(super) fn each_word(text: &str, orders: &[String]) -> Option<String> {
    let [order] = orders else { return None };
    let parts: Vec<&str> = text
        .split(" and ")
        .flat_map(|part| part.split(','))
        .map(str::trim)
        .collect();
    let are_words = parts
        .iter()
        .all(|part| !part.is_empty() && !part.contains(char::is_whitespace));
    // Of a place in the file each order would move those behind it.
    let begin = format!("add {} to ", in_quotes(text));
    let place = order.trim_end_matches(['.', '!']).strip_prefix(&begin);
    let is_list = place.is_some_and(|place| place.ends_with(".txt") && !place.contains(' '));
    let each = parts
        .iter()
        .map(|part| order.replacen(&in_quotes(text), &in_quotes(part), 1));
    let each: Vec<String> = each.collect();
    (is_list && are_words && parts.len() > 1).then(|| each.join(" then "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constant_pattern_compiles() {
        for constant in [&BACK, &ADDS, &INTO_MADE, &INTO_NEW] {
            assert!(constant.is_some());
        }
    }

    #[test]
    fn what_is_said_of_two_files_together_stays_one_step() {
        for says in [
            "compare a.txt and b.txt",
            "search the web for node.js and vue.js",
            "show the difference between a.txt and b.txt",
            "add milk to a.txt and move eggs to b.txt",
            "show a.txt and delete b.txt",
            "merge a.txt and b.txt into c.txt",
            "move a.txt and everything to docs",
            "move a.txt and b.txt to c.txt",
            "move a.txt and b.txt to new and delete it",
        ] {
            assert_eq!(read(says).steps.len(), 1, "{says}");
        }
        let says = "move a.txt and b.txt to docs then delete it";
        assert_eq!(read(says).steps.len(), 2);
    }
}
