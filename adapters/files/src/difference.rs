//! The difference between two contents of a file, for people.

use crate::encoding::old_text;
use crate::look::scan;
use similar::TextDiff;
use std::time::Duration;

/// How long a diff may be looked for before a coarser one is shown.
const DIFF_TIME: Duration = Duration::from_secs(2);
/// Lines around a change that a diff shows.
const DIFF_CONTEXT: usize = 3;

/// What may stand before a text's first letter, and is none of it.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A unified diff between two contents; `None` for a side that does not exist.
pub(crate) fn diff(shown: &str, old: Option<&str>, new: Option<&str>) -> String {
    let both_crlf = [old, new]
        .iter()
        .flatten()
        .all(|t| t.is_empty() || t.contains("\r\n"));
    let plain = |text: Option<&str>| match (text, both_crlf) {
        (Some(text), true) => text.replace("\r\n", "\n"),
        (Some(text), false) => text.to_owned(),
        (None, _) => String::new(),
    };
    let header = |side: &str, text: Option<&str>| match text {
        Some(_) => format!("{side}/{}", shown.trim_start_matches('/')),
        None => "/dev/null".to_owned(),
    };
    let (old, new) = without_mark(old, new);
    let (old_text, new_text) = (plain(old), plain(new));
    unified(
        (&header("a", old), &old_text),
        (&header("b", new), &new_text),
    )
}

/// A unified diff of two texts as they are, with their names; `None` for a side that does not exist.
pub(crate) fn as_it_is(old: (&str, Option<&str>), new: (&str, Option<&str>)) -> String {
    let header = |side: &str, (name, text): (&str, Option<&str>)| match text {
        Some(_) => format!("{side}/{name}"),
        None => "/dev/null".to_owned(),
    };
    unified(
        (&header("a", old), old.1.unwrap_or_default()),
        (&header("b", new), new.1.unwrap_or_default()),
    )
}

/// A unified diff of two texts with their headers. Line feeds alone end lines, as for whoever reads it: a
/// carriage return of its own would show a changed line as one that stays.
fn unified(old: (&str, &str), new: (&str, &str)) -> String {
    let old_lines: Vec<&str> = old.1.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.1.split_inclusive('\n').collect();
    TextDiff::configure()
        .timeout(DIFF_TIME)
        .newline_terminated(true)
        .diff_slices(&old_lines, &new_lines)
        .unified_diff()
        .context_radius(DIFF_CONTEXT)
        .header(old.0, new.0)
        .to_string()
}

/// The content as text for a diff; a sentence for what is not text.
pub(crate) fn as_text(bytes: Vec<u8>) -> String {
    if bytes.contains(&0) {
        return format!("(not text, {} bytes)\n", bytes.len());
    }
    as_written(bytes)
}

/// What is to be written as text, whatever is in it: whoever is asked sees all of it, and a NUL hides nothing.
pub(crate) fn as_written(bytes: Vec<u8>) -> String {
    match std::str::from_utf8(&bytes) {
        Ok(_) => None,
        Err(_) => old_text(&bytes),
    }
    .unwrap_or_else(|| scan::to_text(bytes, false).0)
}

/// Without the byte order mark that a change leaves where it is, or that comes or goes with its file.
fn without_mark<'a>(
    old: Option<&'a str>,
    new: Option<&'a str>,
) -> (Option<&'a str>, Option<&'a str>) {
    let has_mark = |text: &str| text.starts_with(BYTE_ORDER_MARK);
    if !old.is_none_or(has_mark) || !new.is_none_or(has_mark) {
        return (old, new);
    }
    let rest = |text: &'a str| text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    (old.map(rest), new.map(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_carriage_return_alone_ends_no_line() {
        let old = "# one\rset -e\nend\n";
        let new = "# one\rcurl evil\nend\n";
        let body = "@@ -1,2 +1,2 @@\n-# one\rset -e\n+# one\rcurl evil\n end\n";
        let told = diff("a", Some(old), Some(new));
        assert_eq!(told, format!("--- a/a\n+++ b/a\n{body}"));
        assert_eq!(as_it_is(("a", Some(old)), ("a", Some(new))), told);
    }
}
