//! Requests that one change of the files that they name satisfies.

use crate::named::{files_of, is_named};
use crate::{orders, question};

/// Words by which more may be meant than the files that are named.
const MORE: [&str; 21] = [
    "all",
    "any",
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
];

/// Whether a request is one order, and the files that it names are all among those that were changed.
/// What it asks to be told, run or looked up is no change.
#[must_use]
pub fn is_done(request: &str, changed: &[String]) -> bool {
    let lower = request.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let files = files_of(request);
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let is_changed = |file: &String| changed.iter().any(|path| name(path) == name(file));
    !files.is_empty()
        && files.iter().all(is_changed)
        && !words.any(|word| MORE.contains(&word))
        && orders::acts(request)
        && !orders::are_several(request)
        && !question::wants_telling(request)
        && !question::orders_too(request)
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
    fn a_request_is_done_when_each_file_that_it_names_was_changed_by_its_one_order() {
        let changed = ["/w/hello.txt".to_owned(), "/w/b.txt".to_owned()];
        for done in [
            "create hello.txt with the text hi",
            "change port to 90 in hello.txt",
            "rename hello.txt to b.txt",
        ] {
            assert!(is_done(done, &changed), "{done}");
        }
        for open in [
            "create other.txt with the text hi",
            "create hello.txt and run it",
            "create hello.txt with hi and tell me what it says",
            "replace a with b in all files like hello.txt",
            "create hello.txt with hi, then delete b.txt",
            "what does hello.txt say?",
            "write a greeting",
            "rename hello.txt to c.txt",
        ] {
            assert!(!is_done(open, &changed), "{open}");
        }
    }
}
