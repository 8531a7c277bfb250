//! An entry of an agent's journal, as it is written.

use crate::elided::heading;
use domain::Timestamp;
use domain::limits::JOURNAL_ENTRY_CHARS;
use text::markdown::{Place, disarmed};

/// Longest title taken from the first line, characters.
const TITLE_CHARACTERS: usize = 120;

/// What an agent wants to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// From its first line.
    pub title: String,
    /// The rest, or the only line.
    pub text: String,
}

/// Why a text is no entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// There is nothing in it.
    #[error("An entry needs words.")]
    Empty,
    /// It has so many characters.
    #[error("An entry has at most {JOURNAL_ENTRY_CHARS} characters, not {0}: keep what matters.")]
    TooLong(usize),
}

/// Title and text of an entry, from what an agent wrote. One line alone is both.
///
/// # Errors
/// When there are no words, or more than an entry may have.
pub fn parts(text: &str) -> Result<Entry, Unfit> {
    if text.is_empty() {
        return Err(Unfit::Empty);
    }
    let characters = text.chars().count();
    if characters > JOURNAL_ENTRY_CHARS {
        return Err(Unfit::TooLong(characters));
    }
    let (first, rest) = text.split_once('\n').unwrap_or((text, text));
    let title: String = first
        .trim()
        .trim_start_matches('#')
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(TITLE_CHARACTERS)
        .collect();
    let rest = rest.trim();
    let rest = if rest.is_empty() { first } else { rest };
    Ok(Entry {
        title,
        text: rest.to_owned(),
    })
}

impl Entry {
    /// As it stands in the file.
    #[must_use]
    pub fn in_file(&self, time: Timestamp) -> String {
        in_file(&heading(time, &self.title), &self.text)
    }
}

/// An entry as it stands in the file: what cannot be seen is written out, and no line of the text
/// is a heading, so that nobody mistakes it for an entry of its own; and whoever opens the file in a
/// viewer loads nothing.
fn in_file(heading: &str, text: &str) -> String {
    let heading = text::escape::visible_line(heading);
    let body = text::escape::visible(&text.replace("\r\n", "\n"));
    let heading = disarmed(&heading, Place::Within, |_| false);
    let body = disarmed(&body, Place::Within, |_| false);
    let lines: Vec<String> = body.lines().map(plain_line).collect();
    format!("{heading}\n\n{}\n\n", lines.join("\n"))
}

/// The line, escaped when Markdown makes a heading of it or of the one before.
fn plain_line(line: &str) -> String {
    let words = line.trim_start();
    let ruled = |c| !words.is_empty() && words.trim_end().chars().all(|other| other == c);
    if words.starts_with('#') || ruled('-') || ruled('=') {
        let indent = &line[..line.len() - words.len()];
        return format!("{indent}\\{words}");
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_is_the_title_and_too_long_is_refused_at_the_limit() {
        let Entry { title, text } = parts("## Plan\n\nport 8443").unwrap();
        assert_eq!((title.as_str(), text.as_str()), ("Plan", "port 8443"));
        let Entry { title, text } = parts("port 8443").unwrap();
        assert_eq!((title.as_str(), text.as_str()), ("port 8443", "port 8443"));
        assert!(parts("").is_err());
        assert!(parts(&"x".repeat(JOURNAL_ENTRY_CHARS)).is_ok());
        assert!(parts(&"x".repeat(JOURNAL_ENTRY_CHARS + 1)).is_err());
    }

    #[test]
    fn no_text_hides_in_the_file_or_looks_like_another_entry() {
        let text =
            "a\u{1b}[31m\u{0}\u{202e}b\rc\r\nd\n## 2020-01-01T00:00 — x\n  # y\nz\n---\n- #1";
        let entry = in_file("## 2026-01-01T00:00 — t\u{202e}", text);
        assert_eq!(
            entry,
            "## 2026-01-01T00:00 — t\\u{202e}\n\n\
             a\\u{1b}[31m\\u{0}\\u{202e}b\\u{d}c\nd\n\\## 2020-01-01T00:00 — x\n  \\# y\nz\n\\---\n- \
             #1\n\n"
        );
    }
}
