//! Requests that one new file satisfies, and files that a request does not name.

use crate::named::{files_of, is_named};
use crate::{orders, question};
use std::path::Path;

/// How a request for a new file begins.
const MAKING: [&str; 9] = [
    "create", "make", "write", "generate", "save", "erstelle", "schreibe", "crea", "escribe",
];
/// Words by which more may be meant than the file that is named.
const MORE: [&str; 25] = [
    "all",
    "any",
    "and",
    "both",
    "each",
    "every",
    "everywhere",
    "files",
    "folders",
    "lines",
    "then",
    "also",
    "after",
    "until",
    "while",
    "tell",
    "show",
    "explain",
    "say",
    "run",
    "test",
    "check",
    "und",
    "y",
    "if",
];

/// Whether a request is one order for a new file, which is the one that was created. `workspace`: where
/// its names begin.
#[must_use]
pub fn is_made(request: &str, created: &Path, workspace: &Path) -> bool {
    let lower = request.to_lowercase();
    let mut words = lower
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && *word != "please");
    let files = files_of(request);
    let [file] = files.as_slice() else {
        return false;
    };
    let named = workspace.join(file.strip_prefix("./").unwrap_or(file));
    named == created
        && words.next().is_some_and(|first| MAKING.contains(&first))
        && !words.any(|word| MORE.contains(&word))
        && !orders::are_several(request)
}

/// Words by which a file that is named is not to be looked at.
const FORBIDDING: [&str; 9] = [
    "not", "no", "never", "don't", "dont", "without", "ignore", "nicht", "kein",
];

/// Whether a request asks about the files that it names and orders nothing, so that they may be read
/// before it is worked on.
#[must_use]
pub fn is_about_its_files(request: &str) -> bool {
    let lower = request.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric() && c != '\'');
    question::wants_telling(request)
        && !orders::acts(request)
        && !question::orders_too(request)
        && !words.any(|word| FORBIDDING.contains(&word))
}

/// Whether a request names files, and this one is none of them.
#[must_use]
pub fn names_another(request: &str, path: &str) -> bool {
    !files_of(request).is_empty() && !is_named(&request.to_lowercase(), path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_another_where_the_request_names_files_and_not_it() {
        assert!(names_another("create hi.txt with hi", "hello.txt"));
        for own in ["hi.txt", "./Hi.txt", "/w/hi.txt"] {
            assert!(!names_another("create hi.txt with hi", own), "{own}");
        }
        assert!(!names_another("fix the greeting", "hello.txt"));
        assert!(!names_another("fix a.rs and the hello file", "hello.txt"));
    }

    #[test]
    fn a_request_is_done_when_the_one_file_that_it_asks_for_was_created() {
        let is = |request: &str, created: &str| is_made(request, created.as_ref(), "/w".as_ref());
        assert!(is("create hello.txt with the text hi", "/w/hello.txt"));
        assert!(is(
            "Please write ./notes/a.md with a greeting",
            "/w/notes/a.md"
        ));
        for (open, created) in [
            ("create other.txt with the text hi", "/w/hello.txt"),
            ("create hello.txt with the text hi", "/w/sub/hello.txt"),
            ("create hello.txt and run it", "/w/hello.txt"),
            (
                "create hello.txt with hi and tell me what it says",
                "/w/hello.txt",
            ),
            ("create hello.txt from b.txt", "/w/hello.txt"),
            ("change port to 90 in hello.txt", "/w/hello.txt"),
            ("delete hello.txt", "/w/hello.txt"),
            ("what does hello.txt say?", "/w/hello.txt"),
            ("write a greeting", "/w/hello.txt"),
        ] {
            assert!(!is(open, created), "{open}");
        }
    }
}
