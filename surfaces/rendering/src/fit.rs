//! Text that fits a terminal: long lines are wrapped. Where nobody reads along, nothing is.

use rustix::termios::tcgetwinsize;
use std::io::{self, IsTerminal};
use std::os::fd::AsFd;
use text::escape::BAR;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Least width of a text that is wrapped beside something, columns.
const LEAST: usize = 20;
/// Most columns before the last one of a table, as a share of the width: a third is left for that.
const SHARE: (usize, usize) = (2, 3);

/// How wide a terminal is, columns; one that does not say is as wide as `COLUMNS`. `None` for what
/// is no terminal.
pub fn width(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let told = tcgetwinsize(stream).map_or(0, |size| usize::from(size.ws_col));
    let named = || std::env::var("COLUMNS").ok()?.parse().ok();
    Some(told).filter(|columns| *columns > 0).or_else(named)
}

/// How high a terminal is, lines; one that does not say is as high as `LINES`. `None` for what is no
/// terminal.
pub fn height(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    if !stream.is_terminal() {
        return None;
    }
    let told = tcgetwinsize(stream).map_or(0, |size| usize::from(size.ws_row));
    let named = || std::env::var("LINES").ok()?.parse().ok();
    Some(told).filter(|lines| *lines > 0).or_else(named)
}

/// A table for standard output: its last column is wrapped to the width of a terminal.
#[must_use]
pub fn table(rows: &[Vec<String>]) -> String {
    table_within(rows, width(&io::stdout()))
}

/// A table whose last column is wrapped; where the others leave it too little, the widest of them is
/// cut.
pub fn table_within(rows: &[Vec<String>], width: Option<usize>) -> String {
    let Some(width) = width else {
        return whole_table(rows);
    };
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let room = (width * SHARE.0 / SHARE.1).min(width.saturating_sub(LEAST));
    let mut rows = rows.to_vec();
    let widest = |rows: &[Vec<String>], column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.width()).max().unwrap_or(0)
    };
    let last = columns.saturating_sub(1);
    loop {
        let widths: Vec<usize> = (0..last).map(|column| widest(&rows, column)).collect();
        let used: usize = widths.iter().map(|one| one + 2).sum();
        let longest = widths.iter().enumerate().max_by_key(|(_, one)| **one);
        let Some((column, size)) = longest.filter(|(_, size)| used > room && **size > 4) else {
            break;
        };
        let size = size.saturating_sub(used - room).max(4);
        for row in &mut rows {
            if let Some(cell) = row.get_mut(column) {
                *cell = cut(cell, size);
            }
        }
    }
    let indent: usize = (0..last).map(|column| widest(&rows, column) + 2).sum();
    let text = whole_table(&rows);
    text.lines()
        .map(|line| wrapped(line, indent, Some(width)))
        .collect()
}

/// The beginning of a text, with an ellipsis where it is cut; of an id the end, since those of one day
/// begin alike.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    if is_id(text) {
        let end = text.len().saturating_sub(width.saturating_sub(1));
        return format!("…{}", &text[end..]);
    }
    let mut kept = String::new();
    for one in text.chars() {
        if kept.width() + one.width().unwrap_or(0) + 1 > width {
            break;
        }
        kept.push(one);
    }
    format!("{kept}…")
}

/// Whether a text is an id of ours: hexadecimal digits in five groups.
fn is_id(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_hexdigit() || c == '-';
    text.len() == 36 && text.matches('-').count() == 4 && text.chars().all(is_digit)
}

/// Widest a line of prose gets, columns: longer ones are hard to read.
const PROSE: usize = 100;
/// What a line of prose goes on behind, columns. Lines of ours begin before it, and what begins behind
/// it is laid out already.
const GOES_ON: usize = 4;

/// Messages in lines of a width. They are broken at spaces alone, and no command in backticks is: what
/// is longer than a line stays whole, so that it can be copied, and so does what is indented as an
/// example.
#[must_use]
pub fn prose(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| *width > 0) else {
        return text.to_owned();
    };
    let lines = text.split_inclusive('\n');
    lines.map(|line| prose_line(line, width)).collect()
}

fn prose_line(line: &str, width: usize) -> String {
    let said = line.trim_end_matches('\n');
    let lead = said.len() - said.trim_start_matches(' ').len();
    let width = width.min(PROSE);
    if lead >= GOES_ON || shown_width(said) <= width {
        return line.to_owned();
    }
    let mut page = Page::new(GOES_ON, width);
    page.put(&said[..lead]);
    for word in words(&said[lead..], &[' ']) {
        page.put(word);
        // The terminal itself goes on in the next line with what is longer than one.
        if page.column > width + 1 {
            page.column %= width;
        }
    }
    page.text.push_str(&line[said.len()..]);
    match said.starts_with(BAR) {
        true => page.text.replace("\n    ", &format!("\n{BAR}")),
        false => page.text,
    }
}

/// The words of a line, each with what separates it from the next. What stands in backticks is one,
/// and so is a quoted path.
fn words<'a>(line: &'a str, separators: &[char]) -> Vec<&'a str> {
    let mut words = Vec::new();
    let (mut begin, mut whole) = (0, 0);
    for (at, one) in line.char_indices() {
        if at < whole {
            continue;
        }
        let is_begin = !line[begin..at].contains(char::is_alphanumeric);
        if is_begin && let Some(length) = quoted(&line[at..]) {
            whole = at + length;
        }
        if separators.contains(&one) {
            words.push(&line[begin..at + one.len_utf8()]);
            begin = at + one.len_utf8();
        }
    }
    words.push(&line[begin..]);
    words
}

/// How much of a text is in the quotes that it begins with, where those hold something to be copied.
fn quoted(text: &str) -> Option<usize> {
    let mark = text.chars().next()?;
    let inside = &text[mark.len_utf8()..];
    let length = inside.find(mark)?;
    let is_whole = match mark {
        '`' => true,
        '\'' | '"' => inside[..length].contains('/'),
        _ => false,
    };
    is_whole.then_some(length + 2 * mark.len_utf8())
}

/// A line with its end, in lines of a width, all but the first behind an indent, which gets smaller
/// where it would leave too little. It is broken at spaces and after commas; a word that is longer
/// than a line after a slash, and within where nothing else is left.
pub fn wrapped(line: &str, indent: usize, width: Option<usize>) -> String {
    let Some(width) = width.filter(|width| *width > 0) else {
        return format!("{line}\n");
    };
    let mut page = Page::new(indent, width);
    for word in words(line, SEPARATORS) {
        match page.has_line_for(word) {
            true => page.put(word),
            false => page.put_parts(word),
        }
    }
    page.text.truncate(page.text.trim_end_matches(' ').len());
    page.text.push('\n');
    page.text
}

/// What a line may be broken behind.
const SEPARATORS: &[char] = &[' ', ','];

/// Text that is wrapped.
struct Page {
    text: String,
    /// How much of the last line is used.
    column: usize,
    indent: usize,
    width: usize,
}

impl Page {
    fn new(indent: usize, width: usize) -> Self {
        Self {
            text: String::new(),
            column: 0,
            indent: match width >= indent + LEAST {
                true => indent,
                false => indent.min(width / 2),
            },
            width,
        }
    }

    /// Whether a word fits into a line of its own.
    fn has_line_for(&self, word: &str) -> bool {
        shown_width(word.trim_end_matches(' ')) <= self.width - self.indent
    }

    /// A word, in the next line where this one has no room for it.
    fn put(&mut self, word: &str) {
        let size = shown_width(word.trim_end_matches(' '));
        if self.column + size > self.width && self.column > self.indent {
            self.next();
        }
        self.text.push_str(word);
        self.column += shown_width(word);
    }

    /// Goes on in a line of its own.
    fn begin_line(&mut self) {
        if self.column > self.indent {
            self.next();
        }
    }

    /// What fits into no line as a whole: several words in quotes, or a long one.
    fn put_parts(&mut self, word: &str) {
        for part in word.split_inclusive(SEPARATORS) {
            if self.has_line_for(part) {
                self.put(part);
                continue;
            }
            self.begin_line();
            for piece in part.split_inclusive('/') {
                match self.has_line_for(piece) {
                    true => self.put(piece),
                    false => self.put_in_pieces(piece),
                }
            }
        }
    }

    /// What is longer than a line.
    fn put_in_pieces(&mut self, word: &str) {
        let mut is_code = false;
        for one in word.chars() {
            // What colours a text takes no room, and is none when it is cut.
            is_code |= one == '\u{1b}';
            let size = if is_code { 0 } else { one.width().unwrap_or(0) };
            is_code &= one != 'm';
            if self.column + size > self.width {
                self.next();
            }
            self.text.push(one);
            self.column += size;
        }
    }

    fn next(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n(' ', self.indent));
        self.column = self.indent;
    }
}

/// The columns of a text, without the escapes that colour it.
pub(crate) fn shown_width(text: &str) -> usize {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().map_or(0, UnicodeWidthStr::width);
    let rest = parts.map(|part| match part.split_once('m') {
        Some((_, shown)) => shown.width(),
        None => 0,
    });
    first + rest.sum::<usize>()
}

/// A table with columns as wide as their widest cell; the last one is not padded.
fn whole_table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_pads_all_but_the_last_column() {
        let rows = vec![
            vec!["a".to_owned(), "long".to_owned()],
            vec!["grün".to_owned(), "b".to_owned()],
        ];
        assert_eq!(whole_table(&rows), "a     long\ngrün  b\n");
        let id = "01a21650-8b3f-7000-8000-0000deadbeef";
        assert_eq!(cut(id, 9), "…deadbeef");
        assert_eq!(cut("a long sentence", 7), "a long…");
    }

    #[test]
    fn a_line_is_wrapped_behind_its_indent() {
        let line = "name  one two three four five six";
        assert_eq!(wrapped(line, 6, None), format!("{line}\n"));
        let text = wrapped(line, 6, Some(26));
        assert_eq!(text, "name  one two three four\n      five six\n");
        let narrow = wrapped(line, 20, Some(14));
        assert!(narrow.lines().all(|line| line.width() <= 14), "{narrow}");
        assert!(narrow.ends_with("      six\n"), "{narrow}");
        let path = "in /a-long-folder/another-folder/file.txt";
        let text = wrapped(path, 2, Some(24));
        assert_eq!(
            text,
            "in\n  /a-long-folder/\n  another-folder/\n  file.txt\n"
        );
        let painted = "\u{1b}[2ma-word-of-more-columns\u{1b}[0m";
        let text = "\u{1b}[2ma-word-of-more-colu\nmns\u{1b}[0m\n";
        assert_eq!(wrapped(painted, 0, Some(19)), text);
        let painted = "\u{1b}[2mone two\u{1b}[0m";
        assert_eq!(wrapped(painted, 0, Some(20)), format!("{painted}\n"));
    }

    #[test]
    fn prose_is_broken_at_spaces_and_what_is_copied_stays_whole() {
        let shown = |text: &str| prose(text, Some(30));
        assert_eq!(prose("one two three\n", None), "one two three\n");
        assert_eq!(
            shown(
                "error: there is nothing here, so far\n  Write it as `carl run \"a task\"` says\n"
            ),
            "error: there is nothing here,\n    so far\n  Write it as\n    `carl run \"a task\"` says\n"
        );
        let path = "/a/path/that/is/longer/than/any/line";
        assert_eq!(
            shown(&format!("there is no {path} to be read")),
            format!("there is no\n    {path} to be read")
        );
        let kept = format!("    an = \"example that is longer than a line\"\n{path}\n");
        assert_eq!(shown(&kept), kept);
        assert_eq!(
            shown("  │ said by others, in a line that is long"),
            "  │ said by others, in a line\n  │ that is long"
        );
        let wide = prose(&"word ".repeat(40), Some(300));
        assert!(wide.lines().all(|line| line.width() <= PROSE), "{wide}");
    }

    #[test]
    fn a_table_is_no_wider_than_its_terminal() {
        let row = |word: &str| {
            vec![
                word.repeat(4),
                word.repeat(30),
                format!("{word},").repeat(40),
            ]
        };
        let rows = [row("a"), row("grün")];
        for width in [60, 80, 200] {
            let text = table_within(&rows, Some(width));
            assert!(text.lines().all(|line| line.width() <= width), "{text}");
        }
        assert!(table_within(&rows, None).lines().count() == 2);
    }
}
