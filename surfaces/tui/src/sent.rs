//! How a message of the user stands in the scrollback: a long one by its first lines.

use crate::lines::faint;
use crate::markdown::{Break, DocumentLine, request};
use ratatui::text::Line;
use rendering::values::grouped;

/// Most lines of a message that is shown whole.
const LINES: usize = 10;
/// The same, characters.
const CHARS: usize = 1_000;
/// What is shown of a longer one from its beginning on, lines; with its last one, which may be the question
/// about what was pasted before it.
const HEAD_LINES: usize = 4;
/// The same, characters.
const HEAD_CHARS: usize = 400;
/// Most of the last line, characters.
const LAST_CHARS: usize = 400;
/// Most lines that are shown of one whose whole is asked for.
const WHOLE_LINES: usize = 1_000;

/// A message, folded where it is long; this key shows it whole.
#[must_use]
pub fn folded(text: &str, key: &str) -> Vec<DocumentLine> {
    let text = text.trim_end();
    if !is_long(text) {
        return request(text);
    }
    let lines: Vec<&str> = text.lines().take(HEAD_LINES).collect();
    let head: String = lines.join("\n").chars().take(HEAD_CHARS).collect();
    let shown = head.lines().count();
    let left = text.lines().count().saturating_sub(shown);
    let (note, last) = match (left, text.lines().next_back()) {
        (2.., Some(last)) if last.chars().count() <= LAST_CHARS => {
            let note = match left - 1 {
                1 => "1 more line".to_owned(),
                left => format!("{} more lines", grouped(count(left))),
            };
            (note, Some(last))
        }
        (0, _) => {
            let left = text.chars().count() - head.chars().count();
            (format!("{} more characters", grouped(count(left))), None)
        }
        (1, _) => ("1 more line".to_owned(), None),
        (left, _) => (format!("{} more lines", grouped(count(left))), None),
    };
    let note = format!("· {note} ({key} shows them)");
    match last {
        Some(last) => noted(&format!("{head}\n{last}"), (&note, 1)),
        None => noted(&head, (&note, 0)),
    }
}

/// Whether a message is shown by its first lines.
#[must_use]
pub fn is_long(text: &str) -> bool {
    let text = text.trim_end();
    text.lines().count() > LINES || text.chars().nth(CHARS).is_some()
}

/// All of a message, as far as there is a use in that.
#[must_use]
pub fn whole(text: &str) -> Vec<DocumentLine> {
    let left = text.trim_end().lines().count().saturating_sub(WHOLE_LINES);
    if left == 0 {
        return request(text);
    }
    let lines: Vec<&str> = text.lines().take(WHOLE_LINES).collect();
    let note = format!("· {} more lines: carl session show", grouped(count(left)));
    noted(&lines.join("\n"), (&note, 0))
}

/// A text with a note below it, or above so many of its last lines.
fn noted(text: &str, (note, above): (&str, usize)) -> Vec<DocumentLine> {
    let mut rows = request(text);
    let line = Line::styled(note.to_owned(), faint());
    let note = DocumentLine {
        line,
        may_break: Break::Words(2),
    };
    rows.insert(rows.len().saturating_sub(1 + above), note);
    rows
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(lines: &[DocumentLine]) -> Vec<String> {
        lines.iter().map(|one| one.line.to_string()).collect()
    }

    #[test]
    fn a_long_message_is_folded_to_its_first_lines() {
        let text: String = (1..=LINES).map(|n| format!("line {n}\n")).collect();
        assert_eq!(folded(&text, "Ctrl+O"), request(&text));
        let text = format!("{text}one more\n");
        let shown = rows(&folded(&text, "Ctrl+O"));
        assert_eq!(shown[1], "> line 1");
        assert_eq!(shown[HEAD_LINES], "  line 4");
        assert_eq!(shown[5], "· 6 more lines (Ctrl+O shows them)");
        // What is said of a paste stands behind it.
        assert_eq!(shown[6], "  one more");
        assert_eq!(whole(&text), request(&text));
        let wide = "x".repeat(CHARS);
        assert_eq!(folded(&wide, "Ctrl+O"), request(&wide));
        let shown = rows(&folded(&format!("{wide}y"), "Ctrl+O"));
        assert_eq!(shown[2], "· 601 more characters (Ctrl+O shows them)");
        assert!(!shown[1].contains('y'));
    }

    #[test]
    fn the_whole_of_a_message_has_a_limit() {
        let text = "x\n".repeat(WHOLE_LINES + 7);
        let shown = rows(&whole(&text));
        assert_eq!(shown.len(), WHOLE_LINES + 3);
        assert_eq!(shown[WHOLE_LINES + 1], "· 7 more lines: carl session show");
    }
}
