//! Whether a request orders something other than to look, decided from its words alone.
//!
//! A small model answers an order that it cannot do by showing a file, which looks like an answer.

use crate::question;

/// Verbs of orders that are more than a look.
pub(crate) const ACTING: [&str; 146] = [
    "activate",
    "add",
    "adjust",
    "alphabetise",
    "alphabetize",
    "append",
    "apply",
    "archive",
    "back",
    "backup",
    "bold",
    "build",
    "bump",
    "cancel",
    "capitalise",
    "capitalize",
    "change",
    "chmod",
    "clean",
    "clear",
    "clone",
    "close",
    "combine",
    "comment",
    "commit",
    "compile",
    "compress",
    "convert",
    "copy",
    "correct",
    "cp",
    "create",
    "cross",
    "cut",
    "deactivate",
    "debug",
    "decrease",
    "dedupe",
    "deduplicate",
    "delete",
    "deploy",
    "disable",
    "double",
    "download",
    "drop",
    "duplicate",
    "edit",
    "email",
    "empty",
    "enable",
    "encrypt",
    "erase",
    "execute",
    "export",
    "extract",
    "fetch",
    "fill",
    "fix",
    "flip",
    "format",
    "generate",
    "halve",
    "highlight",
    "import",
    "improve",
    "increase",
    "indent",
    "insert",
    "install",
    "join",
    "keep",
    "kill",
    "launch",
    "lock",
    "lowercase",
    "mail",
    "make",
    "mark",
    "merge",
    "move",
    "mv",
    "note",
    "number",
    "overwrite",
    "pause",
    "pin",
    "place",
    "prepend",
    "purge",
    "push",
    "put",
    "reduce",
    "refactor",
    "remind",
    "remove",
    "rename",
    "renumber",
    "reorder",
    "replace",
    "reset",
    "restart",
    "restore",
    "resume",
    "reverse",
    "revert",
    "rewrite",
    "rm",
    "round",
    "run",
    "save",
    "schedule",
    "send",
    "set",
    "shift",
    "shorten",
    "shuffle",
    "sort",
    "split",
    "start",
    "store",
    "strip",
    "swap",
    "switch",
    "tag",
    "test",
    "tick",
    "tidy",
    "toggle",
    "touch",
    "translate",
    "transpose",
    "trim",
    "truncate",
    "turn",
    "uncomment",
    "underline",
    "undo",
    "unlock",
    "unzip",
    "update",
    "upload",
    "uppercase",
    "wipe",
    "wrap",
    "write",
    "zip",
];
/// Programs that are called by their names.
const PROGRAMS: [&str; 11] = [
    "git", "cargo", "npm", "npx", "pip", "make", "python", "python3", "node", "docker", "pytest",
];
/// Verbs of orders to look, and what stands where a verb may.
const LOOKING: [&str; 52] = [
    "show",
    "read",
    "list",
    "find",
    "count",
    "summarise",
    "summarize",
    "display",
    "print",
    "give",
    "view",
    "see",
    "get",
    "open",
    "output",
    "tell",
    "cat",
    "look",
    "search",
    "grep",
    "locate",
    "compare",
    "diff",
    "check",
    "explain",
    "describe",
    "outline",
    "say",
    "answer",
    "examine",
    "inspect",
    "review",
    "analyse",
    "analyze",
    "study",
    "research",
    "scan",
    "peek",
    "glance",
    "head",
    "tail",
    "have",
    "recall",
    "remember",
    "quote",
    "zeige",
    "zeig",
    "lies",
    "suche",
    "finde",
    "muestra",
    "busca",
];
/// Verbs of orders to judge or to count: a text that is shown is no answer to them.
const JUDGING: [&str; 9] = [
    "check", "count", "review", "examine", "inspect", "analyse", "analyze", "study", "scan",
];
/// Verbs of looks that can be forbidden.
pub(crate) const SHOWING: [&str; 17] = [
    "show",
    "read",
    "list",
    "find",
    "count",
    "open",
    "print",
    "display",
    "view",
    "cat",
    "look",
    "search",
    "grep",
    "summarise",
    "summarize",
    "check",
    "explain",
];
/// What stands behind a verb, and seldom behind a noun.
const BEHIND_VERBS: [&str; 22] = [
    "the",
    "a",
    "an",
    "my",
    "this",
    "that",
    "these",
    "those",
    "all",
    "every",
    "everything",
    "each",
    "it",
    "them",
    "your",
    "our",
    "up",
    "over",
    "off",
    "out",
    "down",
    "on",
];
/// Words before a verb.
const BEFORE: [&str; 44] = [
    "please", "pls", "plz", "kindly", "just", "now", "then", "and", "also", "so", "ok", "okay",
    "hey", "hi", "hello", "carl", "can", "could", "would", "will", "you", "i", "i'd", "want",
    "need", "like", "to", "let's", "let", "us", "me", "go", "ahead", "try", "help", "first",
    "next", "finally", "yes", "thanks", "if", "maybe", "quickly", "again",
];

/// Whether any sentence or part of a request begins like an order to do something.
#[must_use]
pub fn acts(request: &str) -> bool {
    if question::wants_telling(request) {
        return false;
    }
    // It goes on with an order, whatever its verb was.
    let first = request.trim_start().to_lowercase();
    let goes_on = ["and ", "or "].iter().any(|joint| first.starts_with(joint));
    goes_on || acting_parts(request) > 0
}

/// Whether a request is more than one order to do something. A small model does one of them.
#[must_use]
pub fn are_several(request: &str) -> bool {
    let lower = request.to_lowercase();
    // A folder and what goes there are one thing; that all of it is planned is looked at later.
    let goes_there = [" there", " into it", " in it"]
        .iter()
        .any(|place| lower.contains(place));
    acting_parts(request) > 1 && !(lower.contains("folder") && goes_there)
}

/// How many parts of a request begin like an order to do something.
fn acting_parts(request: &str) -> usize {
    let parts = parts(request);
    let parts = parts.iter().enumerate();
    parts.filter(|(at, part)| begins(part, *at == 0)).count()
}

/// The part of an order to do something that orders to show what comes of it: `… and show the last rows`.
pub(crate) fn look_behind(request: &str) -> Option<String> {
    let parts = parts(request);
    let (_, rest) = parts
        .split_first()
        .filter(|(first, _)| begins(first, true))?;
    let shows = |part: &&String| {
        let mut words = part.split_whitespace();
        let verb = words.find(|word| !BEFORE.contains(word));
        verb.is_some_and(|verb| SHOWING.contains(&verb))
    };
    rest.iter().find(shows).cloned()
}

/// The parts of a request in small letters, each of which may be an order.
fn parts(request: &str) -> Vec<String> {
    let mut request = without_quotes(request).to_lowercase();
    for filler in ["by the way", "while you are at it"] {
        request = request.replace(filler, " ");
    }
    let joined = [" and then ", " then ", " and "];
    let mut parts = vec![request.as_str()];
    for joint in [". ", "; ", "! ", ", ", "\n"].iter().chain(&joined) {
        parts = parts.iter().flat_map(|part| part.split(joint)).collect();
    }
    parts.into_iter().map(str::to_owned).collect()
}

/// Whether a request begins like an order to look.
pub(crate) fn looks(request: &str) -> bool {
    LOOKING.contains(&verb(request).as_str())
}

/// Whether a request orders to judge or to count something.
pub(crate) fn judges(request: &str) -> bool {
    JUDGING.contains(&verb(request).as_str()) && !question::wants_telling(request)
}

/// The first word of a request that may be a verb, in small letters.
pub(crate) fn verb(request: &str) -> String {
    let request = without_quotes(request).to_lowercase();
    let words = request.split_whitespace();
    let mut words = words.map(|word| word.trim_matches([',', ':', '!', '?', '"', '\'']));
    let first = words.find(|word| !BEFORE.contains(word));
    first.unwrap_or_default().to_owned()
}

/// Whether a word is a verb of an order that is more than a look.
pub(crate) fn is_change(word: &str) -> bool {
    ACTING.contains(&word.to_lowercase().as_str())
}

/// Whether a word is a verb of an order.
pub(crate) fn is_verb(word: &str) -> bool {
    is_change(word) || LOOKING.contains(&word.to_lowercase().as_str())
}

/// Whether words begin with a verb that acts. Of the first words any verb counts that is not known to
/// look, by what stands behind it.
fn begins(part: &str, is_first: bool) -> bool {
    let words: Vec<&str> = part
        .split_whitespace()
        .map(|word| word.trim_matches([',', ':', '!', '?', '"', '\'']))
        .skip_while(|word| BEFORE.contains(word))
        .collect();
    let Some((verb, rest)) = words.split_first() else {
        return false;
    };
    let of_git = rest.iter().take(3).any(|word| *word == "git");
    let checks_off = *verb == "check" && rest.contains(&"off");
    if LOOKING.contains(verb) {
        return of_git || checks_off;
    }
    let next = rest.first().copied();
    if PROGRAMS.contains(verb) {
        return next.is_some();
    }
    let is_path = |word: &str| word.trim_end_matches('.').contains(['.', '/']);
    let is_word = verb.chars().all(char::is_alphabetic);
    let has_object = next.is_some_and(|next| BEHIND_VERBS.contains(&next) || is_path(next));
    let is_of_it = next.is_some_and(|next| ["it", "them"].contains(&next));
    ACTING.contains(verb) && next.is_some()
        || (is_first && is_word && has_object)
        || (is_word && is_of_it)
}

/// A request without what stands in double quotes.
pub(crate) fn without_quotes(request: &str) -> String {
    let parts = request.split('"').enumerate();
    let outside = parts.filter(|(at, _)| at % 2 == 0);
    outside.map(|(_, part)| part).collect::<Vec<_>>().join("it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_orders_are_told_from_one() {
        for says in [
            "replace stood with sat in novel.md and polish it",
            "tick off dentist in todo.md and then rename the file to week12.md",
            "move a.txt to docs, then sort b.txt",
        ] {
            assert!(are_several(says), "{says}");
        }
        for says in [
            "write squares.py, which prints the squares of 1 to 5, one a line.",
            "greet.py fails with a NameError. Fix it.",
            "turn birthdays.csv into a table and leave the csv as it is",
            "what is in a.txt and b.txt?",
            "make a folder called archive and move notes.md there, and be quick",
        ] {
            assert!(!are_several(says), "{says}");
        }
    }

    #[test]
    fn a_look_behind_an_order_is_found() {
        let found = look_behind("set a to b in t.csv and show the rows where a is b");
        assert_eq!(found.as_deref(), Some("show the rows where a is b"));
        for says in [
            "show a.txt and delete b.txt",
            "add \"x and show y\" to a.txt",
            "delete a.txt, please",
        ] {
            assert_eq!(look_behind(says), None, "{says}");
        }
    }

    #[test]
    fn orders_to_do_something_are_told_from_orders_to_look() {
        for says in [
            "delete the last line of days.txt",
            "translate brief.txt to English",
            "run the tests",
            "please run cargo build",
            "git status",
            "show the git log",
            "replace stood with sat in c.txt and show it",
            "Read the README and then run the tests as it says.",
            "could you polish the text in a.txt",
            "old.txt is done, delete it",
            "disable ssl in settings.toml",
            "tick off buy milk in todo.txt",
            "check off \"buy milk\" in todo.txt",
            "note in t.txt that Ann called",
            "and the theme to dark",
            "show a.txt and by the way, fix it",
        ] {
            assert!(acts(says), "{says}");
        }
        for says in [
            "show me the notes",
            "list everything here",
            "the licence of this project",
            "notes.md",
            "what is in a.txt?",
            "summarise notes.md",
            "search for \"delete it\" in a.txt",
            "have a look at a.txt",
            "how do I run the tests?",
            "budget",
        ] {
            assert!(!acts(says), "{says}");
        }
    }
}
