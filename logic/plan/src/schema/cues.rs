//! Words of a request that tell which kinds of action it may need.

/// Kinds with the beginnings of words that speak of them. Kinds that only look come up for many
/// requests, so they count only where no other kind does.
const CUES: [(&str, &[&str]); 17] = [
    ("remember", &["remember", "memori"]),
    ("recall", &["recall", "remember"]),
    (
        "web_search",
        &["web", "internet", "online", "google", "wikipedia"],
    ),
    (
        "replace_text",
        &[
            "replac",
            "chang",
            "edit",
            "fix",
            "correct",
            "substitut",
            "updat",
            "swap",
        ],
    ),
    ("append_text", &["append", "add", "insert", "put"]),
    ("create_file", &["creat", "writ", "new", "save", "generat"]),
    ("make_dir", &["folder", "directory", "mkdir"]),
    ("move_file", &["move", "renam"]),
    ("delete_file", &["delet", "remov", "eras", "trash", "rid"]),
    ("undo", &["undo", "revert", "back"]),
    ("compare_files", &["compar", "diff"]),
    ("head", &["first", "top", "beginning", "head", "start"]),
    ("tail", &["last", "bottom", "tail", "end"]),
    ("count_lines", &["count", "many", "long"]),
    ("file_sizes", &["size", "big", "larg", "small", "space"]),
    ("tree", &["tree", "structur", "recursiv", "everything"]),
    (
        "search_text",
        &["search", "grep", "contain", "mention", "occur"],
    ),
];
/// Kinds that only look, with their cues.
const LOOKS: [(&str, &[&str]); 3] = [
    ("find_files", &["find", "locat", "where", "named", "called"]),
    ("list_files", &["list", "files", "folder"]),
    (
        "read_file",
        &[
            "show", "read", "open", "print", "display", "see", "view", "who", "what", "when",
            "which", "why", "how", "where", "summar", "explain", "tell", "describ", "content",
            "is", "does",
        ],
    ),
];
/// What `count_lines` counts, by how the words begin.
const UNITS: [&str; 6] = ["line", "word", "char", "byte", "letter", "longe"];
/// All words beside the name of a file with which `how long` is of its text: what else is long lasts.
const OF_LENGTH: [&str; 18] = [
    "how", "long", "is", "are", "it", "the", "my", "our", "this", "that", "file", "files", "text",
    "document", "chapter", "and", "tell", "me",
];
/// Words that speak of files beyond those that are named.
const OTHERS: [&str; 9] = [
    "other",
    "others",
    "all",
    "every",
    "each",
    "any",
    "files",
    "everything",
    "rest",
];

fn words(request: &str) -> Vec<String> {
    let lower = request.to_lowercase();
    lower
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// What is within a file, and is deleted or renamed without it.
const PARTS: [&str; 15] = [
    "line",
    "lines",
    "row",
    "rows",
    "word",
    "words",
    "sentence",
    "paragraph",
    "function",
    "method",
    "class",
    "variable",
    "constant",
    "key",
    "field",
];

/// The same kinds, where a request to delete or rename speaks of a part of a file: then no file goes.
pub(super) fn of_parts(mut kinds: Vec<&'static str>, request: &str) -> Vec<&'static str> {
    let is_part = |word: &String| PARTS.contains(&word.as_str());
    if words(request).iter().any(is_part) {
        for kind in &mut kinds {
            if matches!(*kind, "delete_file" | "move_file") {
                *kind = "replace_text";
            }
        }
        kinds.sort_unstable();
        kinds.dedup();
    }
    kinds
}

/// Whether a word is meant by a cue: short cues are whole words, longer ones beginnings.
fn is_cue(word: &str, cue: &str) -> bool {
    // `backup` and `background` take nothing back.
    if cue.len() <= 3 || cue == "back" {
        word == cue
    } else {
        word.starts_with(cue)
    }
}

/// The kinds that a request speaks of; `None` when its words say nothing.
pub(crate) fn kinds(request: &str) -> Option<Vec<&'static str>> {
    let words: Vec<String> = words(request)
        .into_iter()
        .filter(|word| !word.contains('.'))
        .collect();
    if words
        .first()
        .is_some_and(|word| ["undo", "revert"].contains(&word.as_str()))
    {
        return Some(vec!["undo"]);
    }
    let spoken = |table: &[(&'static str, &'static [&'static str])]| -> Vec<&'static str> {
        let hits = |cues: &[&str]| {
            words
                .iter()
                .any(|word| cues.iter().any(|cue| is_cue(word, cue)))
        };
        table
            .iter()
            .filter(|(_, cues)| hits(cues))
            .map(|(kind, _)| *kind)
            .collect()
    };
    let mut found = spoken(&CUES);
    // `how many` is of lines and words only where it says so.
    let counts_units = words
        .iter()
        .any(|word| UNITS.iter().any(|unit| word.starts_with(unit)))
        || is_of_length(&words);
    if !counts_units {
        found.retain(|kind| *kind != "count_lines");
    }
    // A folder may be called `web`: what only looks stays possible.
    let may_only_look = found.is_empty() || found == ["web_search"];
    if may_only_look || parts(request) > 1 {
        found.extend(spoken(&LOOKS));
    }
    (!found.is_empty()).then_some(found)
}

/// Whether words beside the name of a file ask how long it is.
fn is_of_length(words: &[String]) -> bool {
    let is_known =
        |word: &String| OF_LENGTH.contains(&word.as_str()) || word.parse::<u32>().is_ok();
    words.iter().all(is_known)
}

/// Whether a request speaks of files that it does not name.
pub(super) fn speaks_of_others(request: &str) -> bool {
    words(request)
        .iter()
        .any(|word| OTHERS.contains(&word.as_str()))
}

/// How many steps a request may need: one more than it has joining words. `and` joins steps only
/// where a word of action follows.
pub(super) fn parts(request: &str) -> usize {
    let words = words(request);
    let acts = |word: &String| {
        CUES.iter()
            .chain(&LOOKS)
            .any(|(_, cues)| cues.iter().any(|cue| is_cue(word, cue)))
    };
    let joins = words
        .iter()
        .enumerate()
        .filter(|(at, word)| match word.as_str() {
            "then" => true,
            "and" => words
                .get(at + 1)
                .is_some_and(|next| next != "then" && acts(next)),
            _ => false,
        })
        .count();
    1 + joins + request.matches(';').count()
}

/// Texts that a request gives word for word.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts {
    /// What may be the text to find. Empty: anything.
    pub old: Vec<String>,
    /// What may be the text to put in its place. Empty: anything.
    pub new: Vec<String>,
    /// The one quoted text. Empty: there is none, or there are several.
    pub only: Vec<String>,
}

/// Longest text taken from unquoted words, in words.
const SPAN_WORDS: usize = 8;

/// Finds the texts: two quoted ones are old and new; without quotes, old ends and new begins at the
/// one word that joins them.
pub(super) fn texts(request: &str) -> Texts {
    let quotes: Vec<String> = crate::rules::quotes(request)
        .into_iter()
        .filter(|text| !text.is_empty() && !super::paths::is_path(text))
        .collect();
    match quotes.as_slice() {
        [old, new] => Texts {
            old: vec![old.clone()],
            new: vec![new.clone()],
            only: Vec::new(),
        },
        [one] => Texts {
            only: vec![one.clone()],
            ..Texts::default()
        },
        [] => between(request),
        _ => Texts::default(),
    }
}

fn between(request: &str) -> Texts {
    let words: Vec<&str> = request.split_whitespace().collect();
    let joins = |word: &&str| ["with", "to", "by", "into"].contains(&word.to_lowercase().as_str());
    let mut places = words
        .iter()
        .enumerate()
        .filter(|(_, word)| joins(word))
        .map(|(at, _)| at);
    let (Some(at), None) = (places.next(), places.next()) else {
        return Texts::default();
    };
    let span = |words: &[&str]| {
        words
            .join(" ")
            .trim_matches(['.', ',', '!', '?', ':'])
            .to_owned()
    };
    let old = (1..=at.min(SPAN_WORDS)).map(|length| span(&words[at - length..at]));
    let after = &words[at + 1..];
    let new = (1..=after.len().min(SPAN_WORDS)).map(|length| span(&after[..length]));
    let whole = |texts: Vec<String>| texts.into_iter().filter(|text| !text.is_empty()).collect();
    Texts {
        old: whole(old.collect()),
        new: whole(new.collect()),
        only: Vec::new(),
    }
}

/// Words that say nothing about what a request is about.
const EMPTY_WORDS: &str = " what who whom whose when where which why how is are was were do does did the a an any some of in on at to for from and or we i you it its his her their there be has have had with by as this that these those my our your me us say says about tell many much can could would will should please file files text something anything somewhere please thanks happen happens happened summarise summarize explain describe outline answer contents content ";

/// Whether a word, in lower case, says what a request is about.
pub(crate) fn is_telling(word: &str) -> bool {
    !word.is_empty() && !EMPTY_WORDS.contains(&format!(" {word} "))
}

/// The words that say what a request is about, as they are written, each once.
pub(super) fn telling_words(request: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in request.split(|c: char| !c.is_alphanumeric()) {
        if word.chars().count() > 2
            && is_telling(&word.to_lowercase())
            && !found.iter().any(|one| one == word)
        {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_is_of_a_text_where_nothing_else_is_said() {
        for asks in [
            "how long is",
            "how long is the file",
            "how long are and",
            "how long is chapter 3",
        ] {
            assert_eq!(kinds(asks), Some(vec!["count_lines"]), "{asks}");
        }
        for asks in [
            "how long are logs kept",
            "how long is the rent",
            "how long did the backup take on 2026-12-02 in",
            "how long do static files get cached",
        ] {
            let found = kinds(asks).unwrap_or_default();
            assert!(!found.contains(&"count_lines"), "{asks}: {found:?}");
        }
    }
}
