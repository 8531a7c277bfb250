//! Mistakes in YAML files, in words for whoever writes the file.

use serde_saphyr::{MessageFormatter, UserMessageFormatter};
use std::borrow::Cow;

/// Why a file cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// The line, from 1; 0 when unknown.
    pub line: u64,
    /// What is wrong, without the place.
    pub problem: String,
}

/// What the YAML reader says, without the place: whoever shows it names that once.
#[must_use]
pub fn trouble(error: &serde_saphyr::Error) -> Trouble {
    let told = error.without_snippet().render_with_formatter(&OwnWords);
    let Some(location) = error.location() else {
        return Trouble {
            line: 0,
            problem: told,
        };
    };
    let place = format!("line {}, column {}", location.line(), location.column());
    let problem = told.replace(&format!(" at {place}"), "");
    let problem = problem.replace(&format!("{place}: "), "");
    Trouble {
        line: location.line(),
        problem,
    }
}

/// What the reader's mistakes are called: it speaks to programmers, who writes the file is none.
struct OwnWords;

impl MessageFormatter for OwnWords {
    fn format_message<'a>(&self, error: &'a serde_saphyr::Error) -> Cow<'a, str> {
        match error {
            serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => {
                Cow::Owned(format!("`{key}` is there twice; keep one of them"))
            }
            serde_saphyr::Error::DuplicateMappingKey { key: None, .. } => {
                Cow::Borrowed("a key is there twice; keep one of them")
            }
            serde_saphyr::Error::MultipleDocuments { .. } => Cow::Borrowed(
                "a second document begins with `---`; a file is one document here, so split it",
            ),
            serde_saphyr::Error::Budget { .. } => {
                Cow::Borrowed("the file is nested too deeply or is too large to read")
            }
            other => UserMessageFormatter.format_message(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn mistakes_are_told_without_the_readers_own_words() {
        let deep = "[".repeat(5_000);
        for (text, line, words) in [
            ("a: 1\na: 2\n", 2, "`a` is there twice"),
            ("a: 1\n---\nb: 1\n", 3, "one document"),
            (deep.as_str(), 1, "limit"),
        ] {
            let error = serde_saphyr::from_str::<Value>(text).unwrap_err();
            let trouble = trouble(&error);
            assert!(trouble.problem.contains(words), "{trouble:?}");
            assert!(!trouble.problem.contains("line "), "{trouble:?}");
            assert_eq!(trouble.line, line, "{trouble:?}");
        }
    }
}
