//! Files that an order names without their endings: `replace Piet with Pieter in chapter2 and notes`.
//!
//! What a name may be is told by where it stands: behind the last words of an order that lead to a file, and
//! nowhere else, so that a word of a text is never taken for a file.

use crate::orders;
use crate::quoted::typed_path;
use crate::rules::words::{is_path, trim_word};
use domain::fault::Fault;
use regex::Regex;
use std::sync::LazyLock;
use text::escape::visible_line;

/// Words that lead to a file, whatever is done with it.
const LEAD: [&str; 16] = [
    "in",
    "from",
    "of",
    "inside",
    "within",
    "throughout",
    "below",
    "above",
    "for",
    "aus",
    "von",
    "en",
    "de",
    "both",
    "file",
    "files",
];
/// Words that lead to a file where a text is added, and to another name or a folder where a file is moved.
const LEAD_TO: [&str; 5] = ["to", "into", "onto", "zu", "a"];
/// Verbs of an order that adds a text.
const ADDS: [&str; 9] = [
    "add", "append", "insert", "füge", "hänge", "añade", "agrega", "inserta", "prepend",
];
/// Verbs of an order that makes a file or gives it a place: what is named may be new, or a folder.
const MAKES: [&str; 15] = [
    "create",
    "make",
    "mkdir",
    "touch",
    "save",
    "store",
    "move",
    "copy",
    "put",
    "export",
    "write",
    "erstelle",
    "verschiebe",
    "crea",
    "mueve",
];
/// Words before a name that are none of it.
const ARTICLES: [&str; 12] = [
    "the ", "my ", "our ", "both ", "files ", "file ", "der ", "die ", "den ", "el ", "la ", "los ",
];
/// Words behind all names that are none.
const AFTERWARDS: [&str; 8] = [
    "now", "please", "too", "again", "thanks", "today", "bitte", "ahora",
];
/// Shortest name that is taken for one without its ending, letters.
const SHORTEST: usize = 3;

/// A word at the end of an order that may name a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Named {
    /// One file that is here.
    File(String),
    /// Several, of which each may be meant.
    Several(Vec<String>),
    /// None that is here.
    Nothing(String),
}

/// A request with the whole names of the files that it names without their endings, where they are all that
/// stands at its end; `None` where there is no such name, or not all of them are of one file here.
#[must_use]
pub fn written_out(listing: &[String], request: &str) -> Option<String> {
    let (at, names) = tails(listing, request).find(|(_, names)| {
        let is_file = |named: &Named| matches!(named, Named::File(_));
        names.iter().all(is_file)
    })?;
    let names: Vec<String> = names
        .into_iter()
        .filter_map(|named| match named {
            Named::File(path) => Some(typed_path(&path)),
            Named::Several(_) | Named::Nothing(_) => None,
        })
        .collect();
    let files = match names.split_last()? {
        (only, []) => only.clone(),
        (last, before) => format!("{} and {last}", before.join(", ")),
    };
    let whole = format!("{}{files}", &request[..at]);
    (whole.trim_end() != request.trim_end()).then_some(whole)
}

/// Most words of a name before the verb of an order.
const LEADING_WORDS: usize = 5;

/// A request that begins with the file that it is of, with its whole name: `in chapter 1 change …`. `None` where the
/// words between `in` and a verb are not the name of one file here.
#[must_use]
pub fn led_by(listing: &[String], request: &str) -> Option<String> {
    let (lead, rest) = request.trim_start().split_once(' ')?;
    if !lead.eq_ignore_ascii_case("in") {
        return None;
    }
    let spaces = rest.match_indices(' ').map(|(at, _)| at);
    let name = spaces.take(LEADING_WORDS).find_map(|at| {
        let order = rest[at..].trim_start();
        let verb = order.split_whitespace().next()?;
        let name = rest[..at].trim_end_matches(',');
        match named(listing, name) {
            Named::File(path) if orders::is_verb(verb) && !is_path(name) => Some((path, order)),
            _ => None,
        }
    });
    name.map(|(path, order)| format!("in {}, {order}", typed_path(&path)))
}

/// A request with the whole name of a file that stands before the colon of its text, or before what it is to be:
/// `add to notes: …`, `change the title of chapter 2 to …`. `None` where no name of one file here stands there.
#[must_use]
pub fn amid(listing: &[String], request: &str) -> Option<String> {
    let verb = first_word(request);
    let colon = request
        .find(':')
        .filter(|_| ADDS.contains(&verb.as_str()) || verb == "note");
    let changes = ["change", "rename", "replace", "set", "update"].contains(&verb.as_str());
    let to = [" to ", " with ", " by "]
        .iter()
        .find_map(|to| request.find(to));
    let end = colon.or(to.filter(|_| changes))?;
    let head = &request[..end];
    let leads = [
        " to the end of ",
        " to ",
        " into ",
        " in ",
        " of ",
        " from ",
    ];
    let at = leads
        .iter()
        .filter_map(|lead| Some(head.rfind(lead)? + lead.len()))
        .max()?;
    match named(listing, &head[at..]) {
        Named::File(path) if !is_path(&head[at..]) && !head.contains('"') => Some(format!(
            "{}{}{}",
            &head[..at],
            typed_path(&path),
            &request[end..]
        )),
        _ => None,
    }
}

/// Most files that are counted out.
const COUNTED: usize = 8;

/// A request with each file that it names by its number from one to another: `in chapters 1 to 3`. `None` where one
/// of them is not here, or they are more than eight.
#[must_use]
pub fn counted_out(listing: &[String], request: &str) -> Option<String> {
    static RANGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)(?P<lead>^| )(?P<the>the )?(?P<name>[a-z]{3,}?)s? ?(?P<from>\d{1,3}) ?(?:to|-|–|through|until) ?(?P<to>\d{1,3})(?P<end>[.!? ]*)$",
        )
        .ok()
    });
    let found = RANGE.as_ref()?.captures(request)?;
    let whole = found.get(0)?;
    let is_quoted = !request[..whole.start()]
        .matches('"')
        .count()
        .is_multiple_of(2);
    let (from, to): (usize, usize) = (found["from"].parse().ok()?, found["to"].parse().ok()?);
    if is_quoted || from >= to || to - from >= COUNTED {
        return None;
    }
    let name = &found["name"];
    let each = (from..=to).map(
        |number| match called(listing, &format!("{name} {number}")) {
            Named::File(path) => Some(typed_path(&path)),
            Named::Several(_) | Named::Nothing(_) => None,
        },
    );
    let files: Vec<String> = each.collect::<Option<_>>()?;
    let (last, before) = files.split_last()?;
    let (request, lead, end) = (
        &request[..whole.start()],
        &found["lead"],
        found["end"].trim(),
    );
    Some(format!(
        "{request}{lead}{} and {last}{end}",
        before.join(", ")
    ))
}

/// Why an order on several files is not done of which some are here, and one is not or may be another.
#[must_use]
pub fn unknown(listing: &[String], request: &str) -> Option<Fault> {
    let (_, names) = tails(listing, request).find(|(_, names)| {
        names.len() > 1 && names.iter().any(|named| is_without_ending(named, request))
    })?;
    let unclear = names
        .iter()
        .find(|named| !matches!(named, Named::File(_)))?;
    let (message, hint) = match unclear {
        Named::Several(files) => {
            let files: Vec<String> = files.iter().map(|file| shown(file)).collect();
            (
                format!("Either of {} may be meant.", files.join(" and ")),
                "Name each file with its ending.",
            )
        }
        Named::Nothing(name) => (
            format!("There is no file `{}` here.", shown(name)),
            "Name each file as `list the files` shows it.",
        ),
        Named::File(_) => return None,
    };
    Some(Fault {
        code: "plan.step_failed".to_owned(),
        message: format!("{message} Nothing was done."),
        hint: hint.to_owned(),
    })
}

/// Whether a file is here and named without its ending. One that is named whole may be followed by any words.
fn is_without_ending(named: &Named, request: &str) -> bool {
    let request = request.to_lowercase();
    let is_whole = |path: &String| {
        let path = path.to_lowercase();
        let name = path.rsplit('/').next().unwrap_or(&path);
        request.contains(name)
    };
    match named {
        Named::File(path) => !is_whole(path),
        Named::Several(paths) => !paths.iter().any(is_whole),
        Named::Nothing(_) => false,
    }
}

/// The files that stand in one list with another name of a file, wherever that is in a request: whoever changes
/// one of them is to change all.
pub(crate) fn listed_together(listing: &[String], request: &str) -> Vec<String> {
    let plain = crate::orders::without_quotes(request);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let file = |word: &str| match named(listing, trim_word(word).trim_matches(',')) {
        Named::File(path) => Some(path),
        Named::Several(_) | Named::Nothing(_) => None,
    };
    let mut together: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let next = match words.get(at + 1) {
            Some(joint) if ["and", "und", "y", "&"].contains(joint) => words.get(at + 2),
            next if word.ends_with(',') => next,
            _ => None,
        };
        if let (Some(one), Some(other)) = (file(word), next.and_then(|next| file(next))) {
            together.extend([one, other]);
        }
    }
    together
}

fn shown(name: &str) -> String {
    visible_line(name).to_string()
}

/// The ends of an order that may be names of files, the longest first, each with where it begins.
fn tails<'a>(
    listing: &'a [String],
    request: &'a str,
) -> impl Iterator<Item = (usize, Vec<Named>)> + 'a {
    let verb = first_word(request);
    let leads = move |word: &str| {
        LEAD.contains(&word) || (ADDS.contains(&verb.as_str()) && LEAD_TO.contains(&word))
    };
    let may_be_new = MAKES.contains(&first_word(request).as_str());
    // A quote that is open where the end begins would have the end within a text.
    let is_outside = |at: usize| request[..at].matches('"').count().is_multiple_of(2);
    let spaces = request.match_indices(' ').map(|(at, _)| at);
    let ends = spaces.filter(move |at| {
        let before = request[..*at].split_whitespace().next_back();
        let word = before.unwrap_or_default().to_lowercase();
        !may_be_new && leads(&word) && is_outside(*at)
    });
    ends.filter_map(move |at| Some((at + 1, names(listing, &request[at + 1..])?)))
}

fn first_word(request: &str) -> String {
    let mut words = request.split_whitespace();
    let polite = ["please", "bitte", "now", "also", "and", "then"];
    let first = words.find(|word| !polite.contains(&word.to_lowercase().as_str()));
    first.unwrap_or_default().to_lowercase()
}

/// What the end of an order names, where it is a list of names and nothing else.
fn names(listing: &[String], end: &str) -> Option<Vec<Named>> {
    let end = end.trim_end_matches(['.', '!', ' ']).trim();
    let joined = [" and ", " und ", " y ", " & "];
    let mut parts = vec![end];
    for joint in joined {
        parts = parts.iter().flat_map(|part| part.split(joint)).collect();
    }
    let parts = parts.iter().flat_map(|part| part.split(','));
    let parts: Vec<&str> = parts
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect();
    let parts = match parts.split_last() {
        Some((last, before)) if AFTERWARDS.contains(&last.to_lowercase().as_str()) => before,
        _ => &parts[..],
    };
    let is_one = parts.len() == 1;
    let named: Vec<Named> = parts.iter().map(|part| named(listing, part)).collect();
    // Words that are no name are of a text or of another order.
    let is_word = |named: &Named| match named {
        Named::Nothing(name) => !is_one && !name.contains(char::is_whitespace),
        Named::File(_) | Named::Several(_) => true,
    };
    (!named.is_empty() && named.iter().all(is_word)).then_some(named)
}

/// What a name is of: a file that is here by its whole name, or the only one of that name without its ending.
///
/// An article may be a part of the name: `my notes.md`.
fn named(listing: &[String], name: &str) -> Named {
    let whole = name.trim_matches(['"', '\'', '`']);
    let mut bare = whole;
    for article in ARTICLES {
        bare = bare.strip_prefix(article).unwrap_or(bare);
    }
    let found = called(listing, bare);
    if bare == whole {
        return found;
    }
    match (called(listing, whole), found) {
        (Named::File(with), Named::File(without)) => Named::Several(vec![with, without]),
        (Named::Nothing(_), found) => found,
        (with, _) => with,
    }
}

/// The files that are called so.
fn called(listing: &[String], name: &str) -> Named {
    let typed = name.trim_start_matches("./").to_lowercase();
    let files = || listing.iter().filter(|path| !path.ends_with('/'));
    if let Some(whole) = files().find(|path| path.to_lowercase() == typed) {
        return Named::File(whole.clone());
    }
    let is_folder = listing
        .iter()
        .any(|path| path.to_lowercase().starts_with(&format!("{typed}/")));
    if is_folder || is_path(name) || typed.chars().count() < SHORTEST {
        return Named::Nothing(name.to_owned());
    }
    let bare = |text: &str| text.replace(char::is_whitespace, "");
    let is_called = |path: &&String| {
        let path = path.to_lowercase();
        let last = path.rsplit('/').next().unwrap_or(&path);
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        stem == typed || bare(stem) == bare(&typed)
    };
    let called: Vec<&String> = files().filter(is_called).collect();
    let here: Vec<&String> = called
        .iter()
        .filter(|path| !path.contains('/'))
        .copied()
        .collect();
    match (here.as_slice(), called.as_slice()) {
        ([only], _) | ([], [only]) => Named::File((*only).clone()),
        ([], []) => Named::Nothing(name.to_owned()),
        _ => Named::Several(called.into_iter().cloned().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Vec<String> {
        let files = [
            "chapter2.md",
            "chapter3.md",
            "notes.md",
            "letter clara.md",
            "log.txt",
            "log.md",
            "docs/plan.md",
            "archive/old.md",
            "archive.md",
        ];
        files.map(str::to_owned).to_vec()
    }

    #[test]
    fn an_order_may_begin_with_the_name_of_its_file() {
        for (says, whole) in [
            (
                "in chapter 2 change \"a\" to \"b\"",
                Some("in chapter2.md, change \"a\" to \"b\""),
            ),
            (
                "in the letter clara replace Monday with Friday",
                Some("in \"letter clara.md\", replace Monday with Friday"),
            ),
            ("in log replace a with b", None),
            ("in chapter2.md replace a with b", None),
            ("in chapter 2 the rain falls", None),
            ("in the evening show notes", None),
        ] {
            assert_eq!(led_by(&here(), says).as_deref(), whole, "{says}");
        }
    }

    #[test]
    fn a_name_may_stand_before_a_colon_or_a_new_value() {
        for (says, whole) in [
            (
                "add to notes: Ann: call",
                Some("add to notes.md: Ann: call"),
            ),
            (
                "add this to the end of chapter 2:\n\nOne.",
                Some("add this to the end of chapter2.md:\n\nOne."),
            ),
            (
                "change the title of chapter 2 to The Diary",
                Some("change the title of chapter2.md to The Diary"),
            ),
            ("add to my list: milk", None),
            ("change Tom in the evening to Tim", None),
            ("show notes: all", None),
        ] {
            assert_eq!(amid(&here(), says).as_deref(), whole, "{says}");
        }
    }

    #[test]
    fn files_are_counted_from_one_number_to_another() {
        let here = [
            "chapter1.md",
            "chapter 2.md",
            "x/chapter3.md",
            "line1.md",
            "line2.md",
        ];
        let here = here.map(str::to_owned);
        let told = |says: &str| counted_out(&here, says);
        assert_eq!(
            told("replace a with b in chapters 1 to 3").as_deref(),
            Some("replace a with b in chapter1.md, \"chapter 2.md\" and x/chapter3.md")
        );
        assert_eq!(
            told("show the chapters 1-2").as_deref(),
            Some("show chapter1.md and \"chapter 2.md\"")
        );
        for says in [
            "replace a with b in chapters 1 to 4",
            "replace a with b in chapters 3 to 1",
            "add \"see chapters 1 to 2",
            "show scenes 1 to 2",
        ] {
            assert_eq!(told(says), None, "{says}");
        }
    }

    #[test]
    fn an_article_that_may_be_part_of_a_name_is_asked_back() {
        let mut here = here();
        assert!(written_out(&here, "add \"x\" to my notes").is_some());
        here.push("my notes.md".to_owned());
        for says in ["add \"x\" to my notes.md", "add \"x\" to my notes"] {
            assert_eq!(written_out(&here, says), None, "{says}");
        }
    }

    #[test]
    fn a_word_behind_the_names_is_no_file() {
        let here = here();
        for says in [
            "add a line about the theme to notes.md, now",
            "add \"x\" to chapter2, chapter3 and notes, please",
            "replace a with b in notes.md, gladly",
        ] {
            assert!(unknown(&here, says).is_none(), "{says}");
        }
        let whole = written_out(&here, "add \"x\" to chapter2 and notes, now");
        assert_eq!(
            whole.as_deref(),
            Some("add \"x\" to chapter2.md and notes.md")
        );
        assert!(unknown(&here, "add \"x\" to chapter2 and chaptr3").is_some());
    }

    #[test]
    fn names_without_endings_are_written_out() {
        for (says, whole) in [
            (
                "replace Piet with Pieter in chapter2, chapter3, notes and plan",
                "replace Piet with Pieter in chapter2.md, chapter3.md, notes.md and docs/plan.md",
            ),
            (
                "append \"Ende.\" to chapter 2 and chapter3.md",
                "append \"Ende.\" to chapter2.md and chapter3.md",
            ),
            (
                "append \"x in y\" to letter clara",
                "append \"x in y\" to \"letter clara.md\"",
            ),
            (
                "add \"x\" to the end of the notes and chapter3.",
                "add \"x\" to the end of notes.md and chapter3.md",
            ),
        ] {
            assert_eq!(written_out(&here(), says).as_deref(), Some(whole), "{says}");
        }
        for says in [
            // What is there whole, what may be a text, a folder or another file.
            "replace a with b in notes.md",
            "replace notes with chapter2 in plan.md",
            "move notes to archive",
            "add \"x\" to archive",
            "add \"x\" to log",
            "add \"x in notes",
            "write \"x\" in notes",
            "replace a with b in notes and show it",
            "replace a with b in notes and diary",
        ] {
            assert_eq!(written_out(&here(), says), None, "{says}");
        }
    }

    #[test]
    fn a_name_that_is_not_here_is_told_by_itself() {
        let told = |says: &str| unknown(&here(), says).map(|fault| fault.message);
        let says = "replace a with b in notes, chaptr3 and chapter2";
        assert!(told(says).is_some_and(|told| told.contains("`chaptr3`")));
        assert!(told("add \"x\" to notes and log").is_some_and(|told| told.contains("log.txt")));
        for says in [
            "add \"x\" to notes and chapter2",
            "add \"x\" to diary",
            "show diary and plan",
        ] {
            assert_eq!(told(says), None, "{says}");
        }
    }

    #[test]
    fn files_in_one_list_belong_together() {
        let together = |says: &str| listed_together(&here(), says);
        assert_eq!(
            together("add x to notes and chapter3"),
            ["notes.md", "chapter3.md"]
        );
        assert!(together("replace notes with chapter3 in plan.md").is_empty());
        assert!(together("add \"notes and chapter3\" to plan").is_empty());
    }
}
