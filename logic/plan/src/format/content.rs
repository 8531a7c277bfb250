//! What is said of a file that was read.

use super::data::{bytes, count, is_cut, number, text};
use serde_json::Value;

/// Most of a file's content shown for one step, bytes.
pub const SHOWN_BYTES: usize = 64 << 10;

/// How much of a file was asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wording {
    Whole,
    Part,
    /// The last lines.
    End,
}

/// A text without the ends of its last lines, those of Windows among them.
fn without_end(mut text: &str) -> &str {
    while let Some(line) = text.strip_suffix('\n') {
        text = line.strip_suffix('\r').unwrap_or(line);
    }
    text
}

pub(super) fn content(path: &str, data: &Value, wording: Wording) -> String {
    let (total, first, lines) = (
        number(data, "total_lines"),
        number(data, "from_line"),
        number(data, "line_count"),
    );
    if number(data, "total_bytes") == 0 {
        return format!("{path} is empty.");
    }
    let last = (first + lines).saturating_sub(1);
    let heading = match wording {
        Wording::Part | Wording::End if lines < total => {
            format!("{path}, lines {first} to {last} of {total}:")
        }
        _ => format!("{path} ({}):", count(total, "line")),
    };
    let whole = text(data, "content");
    if wording == Wording::End && !is_cut(data) && whole.len() > SHOWN_BYTES {
        let shown = &whole[whole.ceil_char_boundary(whole.len() - SHOWN_BYTES)..];
        return format!(
            "{heading}\n(The last {} of {} are shown.)\n…{}",
            bytes(shown.len() as u64),
            bytes(number(data, "total_bytes")),
            without_end(shown)
        );
    }
    let shown = &whole[..whole.floor_char_boundary(SHOWN_BYTES)];
    let mut out = format!("{heading}\n{}", without_end(shown));
    if shown.len() < whole.len() || is_cut(data) {
        // What is left out of a single line are not the last lines.
        let rest = match total {
            0..=1 => "A search shows the words around what it finds.",
            _ => "Ask for the last lines, or search the file.",
        };
        out.push_str(&format!(
            "\n({} of {} are shown. {rest})",
            bytes(shown.len() as u64),
            bytes(number(data, "total_bytes")),
        ));
    }
    out
}

/// Lines of a file from one on, of which there may be none.
pub(super) fn excerpt(path: &str, from_line: u32, data: &Value) -> String {
    let total = number(data, "total_lines");
    match u64::from(from_line) > total {
        true => format!(
            "{path} has {}, and none from line {from_line} on.",
            count(total, "line")
        ),
        false => content(path, data, Wording::Part),
    }
}

/// How many lines, words and bytes there are.
pub(super) fn counted([lines, words, size]: [u64; 3]) -> String {
    format!(
        "{}, {}, {}",
        count(lines, "line"),
        count(words, "word"),
        bytes(size)
    )
}

pub(super) fn counts(path: &str, data: &Value) -> String {
    let total = number(data, "total_bytes");
    // A letter may have several bytes: then both are said, where all of the text was read.
    let content = text(data, "content");
    let more = (content.len() - content.chars().count()) as u64;
    let characters = match more > 0 && more < total && !is_cut(data) {
        true => format!("{}, ", count(total - more, "character")),
        false => String::new(),
    };
    let lines = number(data, "total_lines");
    let is_table = path.ends_with(".csv") || path.ends_with(".tsv");
    let rows = content.lines().filter(|line| !line.trim().is_empty());
    let rows = (rows.count() as u64).saturating_sub(1);
    // A cell in quotes may go on on the next line.
    let is_known = is_table && !is_cut(data) && !content.contains('"') && rows > 0;
    let of_table = match is_known {
        true => format!(" (a header and {})", count(rows, "row")),
        false => String::new(),
    };
    format!(
        "{path}: {}{of_table}, {}, {characters}{}",
        count(lines, "line"),
        count(number(data, "total_words"), "word"),
        bytes(total),
    )
}
