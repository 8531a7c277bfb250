//! What is said of an order that the rules do not know and that no plan of a small model is of.
//!
//! Which lines do what it may want is told with the file that it names, and no other file is spoken of.

use crate::quoted::typed_path;
use crate::{named, orders, question};
use domain::fault::Fault;
use text::escape::visible_line;

/// Longest part of a request that is shown, characters.
const SHOWN_CHARS: usize = 120;
/// Endings of files that are tables.
const TABLES: [&str; 2] = [".csv", ".tsv"];
/// Endings of files of sentences.
const TEXTS: [&str; 4] = [".md", ".txt", ".rst", ".log"];
/// Verbs of orders that make something, which may be called whatever stands beside these words.
const MAKES: [&str; 8] = [
    "create", "make", "write", "save", "store", "add", "start", "mkdir",
];
const NAMES: [&str; 7] = [
    "called",
    "named",
    "folder",
    "directory",
    "dir",
    "file",
    "mkdir",
];
/// Verbs of git.
const OF_GIT: [&str; 7] = [
    "commit", "push", "pull", "merge", "rebase", "checkout", "stash",
];

/// The beginning of a request, as it is shown.
pub(crate) fn shortened(part: &str) -> String {
    let part: String = part.trim().chars().take(SHOWN_CHARS).collect();
    visible_line(part.trim()).to_string()
}

/// Words before the name of a file.
const LEADS: [&str; 14] = [
    "in", "of", "from", "to", "into", "at", "on", "for", "and", "the", "file", "with", "en", "de",
];

/// Whether a name is no more than the end of one with spaces: `Tom.txt` of `letters/Reply Tom.txt`.
fn is_whole(request: &str, file: &str) -> bool {
    let words: Vec<&str> = request.split_whitespace().collect();
    let at = words
        .iter()
        .position(|word| word.contains(file))
        .unwrap_or_default();
    let before = at
        .checked_sub(1)
        .map_or("in", |at| words[at])
        .to_lowercase();
    LEADS.contains(&before.as_str()) || before.ends_with(',') || orders::is_verb(&before)
}

/// The lines that are known for the file that an order names, or for any where it names none.
pub(crate) fn advice(request: &str) -> String {
    let files = named::files_of(request);
    let file = files.first().filter(|file| is_whole(request, file));
    let Some(file) = file else {
        return "An order names its file: `set NAME to VALUE in FILE`, `replace \"OLD\" with \"NEW\" in FILE`, \
                `append \"TEXT\" to FILE`; `search for \"WORD\"` shows which files have a word."
            .to_owned();
    };
    let lower = file.to_lowercase();
    if lower.rsplit('/').next() == Some(".env") {
        return format!(
            "{} is protected: change it in an editor.",
            visible_line(file)
        );
    }
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    let file = visible_line(&typed_path(file)).to_string();
    let insert = format!("`insert \"TEXT\" after the line about \"WORD\" in {file}`");
    let replace = format!("`replace \"OLD\" with \"NEW\" in {file}`");
    let first = match (ends(&TABLES), ends(&TEXTS)) {
        _ if lower.contains("crontab") => format!("`replace line 3 of {file} with \"TEXT\"`"),
        (true, _) => format!("`set the COLUMN of NAME to VALUE in {file}`"),
        (_, true) => format!("`append \"TEXT\" to {file}`"),
        _ => format!("`set NAME to VALUE in {file}`"),
    };
    format!("Lines that I know of {file}: {first}, {replace}, {insert}.")
}

/// The fault of an order that names no file and no folder, of which every change that a small model plans is one
/// that nobody asked for. `listing` is what is here.
#[must_use]
pub fn names_nothing(request: &str, listing: &[String]) -> Option<Fault> {
    if !orders::acts(request) || question::wants_telling(request) {
        return None;
    }
    let lower = request.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let says = |list: &[&str]| words.iter().any(|word| list.contains(word));
    let may_make = says(&MAKES) && (says(&NAMES) || lower.contains(['"', '\'', '„', '“']));
    let is_of_git = OF_GIT.contains(&orders::verb(request).as_str());
    let names_one = !named::files_of(request).is_empty()
        || !named::folders_of(request).is_empty()
        || listing.iter().any(|path| named::is_named(&lower, path));
    if may_make || names_one {
        return None;
    }
    let hint = match is_of_git {
        true => "What git does is ordered in a shell of your own.".to_owned(),
        false => advice(request),
    };
    // `chapter 2` may name one all the same.
    let names_some = listing.iter().any(|path| named::is_named_so(&lower, path));
    let why = match names_some {
        true => "",
        false => ", and it names no file that is here",
    };
    Some(Fault {
        code: "plan.not_requested".to_owned(),
        message: format!(
            "`{}` is no order that I know{why}. Nothing was done.",
            shortened(request)
        ),
        hint,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> Vec<String> {
        ["tasks.md", "letters/", "letters/Reply Tom.txt", "app.ini"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn a_file_that_is_named_by_its_number_is_not_denied() {
        let here = ["c/chapter2.md".to_owned()];
        let said = |request: &str| names_nothing(request, &here).unwrap().message;
        assert!(said("make chapter 3 shorter").contains("names no file"));
        assert!(!said("make chapter 2 shorter").contains("names no file"));
    }

    #[test]
    fn an_order_without_a_file_is_not_planned() {
        for says in [
            "bump retries to 5",
            "oops, put mail back to false",
            "make it a bit more friendly",
        ] {
            let fault = names_nothing(says, &here()).unwrap_or_else(|| panic!("{says}"));
            assert!(fault.hint.contains("search for"), "{says}: {fault:?}");
        }
        let commit = names_nothing("commit this", &here()).unwrap();
        assert!(commit.hint.contains("a shell of your own"), "{commit:?}");
        for says in [
            "make a folder called drafts",
            "create \"poem\"",
            "bump retries to 5 in b.json",
            "move the reply tom to the end",
            "sort app.ini",
            "what is the port?",
            "show the letter",
            "move all letters/ away",
        ] {
            assert_eq!(names_nothing(says, &here()), None, "{says}");
        }
    }

    #[test]
    fn the_lines_that_are_told_are_of_the_file_that_is_named() {
        for (says, told) in [
            ("fix b.csv", "set the COLUMN of NAME to VALUE in b.csv"),
            ("fix the end of n.md", "append \"TEXT\" to n.md"),
            ("fix sshd_config", "set NAME to VALUE in sshd_config"),
            ("fix it", "set NAME to VALUE in FILE"),
            ("fix x in Reply Tom.txt", "set NAME to VALUE in FILE"),
            ("fix .env", "in an editor"),
        ] {
            assert!(advice(says).contains(told), "{says}: {}", advice(says));
        }
    }
}
