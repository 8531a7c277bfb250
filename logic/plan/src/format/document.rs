//! What is said of a document (PDF, docx, odt), which is read as text.

use super::content::{Wording, content, counts, excerpt};
use super::data::{is_cut, text};

use domain::plan::Action;
use regex::Regex;
use serde_json::{Value, json};
use std::ops::Range;

/// Longest line of a document that a search shows whole, characters.
const LINE_CHARS: usize = 300;

/// Whether a result is that of a document.
pub(crate) fn is_one(data: &Value) -> bool {
    data.get("format").is_some()
}

/// The lines of a document with a text in them, as `grep` tells those of a file.
pub(crate) fn found_in(query: &str, path: &str, data: &Value) -> Value {
    let Ok(wanted) = Regex::new(&format!("(?i){}", regex::escape(query))) else {
        return json!({ "matches": [] });
    };
    let lines = text(data, "content").lines().enumerate();
    let matches: Vec<Value> = lines
        .filter_map(|(index, line)| {
            let place = wanted.find(line)?.range();
            Some(json!({ "path": path, "line": index + 1, "text": around(line, place) }))
        })
        .collect();
    json!({ "matches": matches, "truncated": false })
}

/// A line, or of a long one the words around a place.
fn around(line: &str, place: Range<usize>) -> String {
    if line.chars().count() <= LINE_CHARS {
        return line.to_owned();
    }
    let side = LINE_CHARS / 2;
    let (before, rest) = line.split_at(place.start);
    let from = before
        .char_indices()
        .rev()
        .nth(side)
        .map_or(0, |(at, _)| at);
    let to = rest
        .char_indices()
        .nth(place.len() + side)
        .map(|(at, _)| at);
    let (start, end) = (if from > 0 { "… " } else { "" }, to.map_or("", |_| " …"));
    let shown = &rest[..to.unwrap_or(rest.len())];
    format!("{start}{}{shown}{end}", &before[from..])
}

/// The text for an action that read a document; `None` for any other result.
pub(super) fn step(action: &Action, data: &Value) -> Option<String> {
    let whole = text(data, "content");
    data.get("format")?;
    let total = whole.lines().count();
    let (path, from, most) = match action {
        Action::ReadFile { path } | Action::CountLines { path } => (path, 0, total),
        Action::Head { path, lines } => (path, 0, as_count(*lines)),
        Action::Excerpt {
            path,
            from_line,
            lines,
        } => (
            path,
            as_count(from_line.saturating_sub(1)),
            as_count(*lines),
        ),
        Action::Tail { path, lines } => {
            let most = as_count(*lines);
            (path, total.saturating_sub(most), most)
        }
        _ => return None,
    };
    if whole.trim().is_empty() {
        return Some(without_text(path, data));
    }
    let lines: Vec<&str> = whole.split_inclusive('\n').skip(from).take(most).collect();
    // As `read_file` tells a file.
    let shown = json!({
        "content": lines.concat(),
        "from_line": from + 1,
        "line_count": lines.len(),
        "total_lines": total,
        "total_words": whole.split_ascii_whitespace().count(),
        "total_bytes": whole.len(),
        "truncated": is_cut(data),
    });
    Some(match action {
        Action::CountLines { .. } => counts(path, &shown),
        Action::ReadFile { .. } => content(path, &shown, Wording::Whole),
        Action::Tail { .. } => content(path, &shown, Wording::End),
        Action::Excerpt { from_line, .. } => excerpt(path, *from_line, &shown),
        _ => content(path, &shown, Wording::Part),
    })
}

pub(super) fn without_text(path: &str, data: &Value) -> String {
    let pictures = match text(data, "format") {
        "pdf" => " Its pages may be pictures, as those of a scan are; they were not read.",
        _ => "",
    };
    format!("{path} holds no text that can be read.{pictures}")
}

fn as_count(lines: u32) -> usize {
    usize::try_from(lines).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(action: &Action, format: &str, content: &str) -> String {
        let data =
            json!({"path": "a.docx", "format": format, "content": content, "truncated": false});
        step(action, &data).unwrap()
    }

    fn path() -> String {
        "a.docx".to_owned()
    }

    #[test]
    fn a_document_is_shown_counted_and_shown_in_part() {
        let text = "# One\ntwo words\nthree\n";
        let read = Action::ReadFile { path: path() };
        assert_eq!(
            told(&read, "docx", text),
            "a.docx (3 lines):\n# One\ntwo words\nthree"
        );
        let head = Action::Head {
            path: path(),
            lines: 2,
        };
        assert_eq!(
            told(&head, "docx", text),
            "a.docx, lines 1 to 2 of 3:\n# One\ntwo words"
        );
        let tail = Action::Tail {
            path: path(),
            lines: 1,
        };
        assert_eq!(
            told(&tail, "docx", text),
            "a.docx, lines 3 to 3 of 3:\nthree"
        );
        let counted = told(&Action::CountLines { path: path() }, "docx", text);
        assert!(
            counted.contains("3 lines") && counted.contains("5 words"),
            "{counted}"
        );
    }

    #[test]
    fn a_document_without_text_is_not_called_empty() {
        let read = Action::ReadFile { path: path() };
        assert!(told(&read, "pdf", " \n").contains("may be pictures"));
        assert_eq!(
            told(&read, "odt", ""),
            "a.docx holds no text that can be read."
        );
        assert_eq!(step(&read, &json!({"content": "x"})), None);
    }
}
