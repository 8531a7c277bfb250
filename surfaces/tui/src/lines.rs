//! Text that others wrote, as styled lines in which nothing moves the terminal.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use text::escape::prose;
use unicode_width::UnicodeWidthStr;

/// How a tab is shown: as a mark of a known width.
pub const TAB: &str = "→   ";

/// A faint style: thinking, details.
#[must_use]
pub fn faint() -> Style {
    Style::new().add_modifier(Modifier::DIM)
}

/// A strong style: headings.
#[must_use]
pub fn strong() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

/// The style that a colour code of `rendering::Paint` begins, and the code.
const CODES: [(&str, Option<Color>, Modifier); 6] = [
    ("\u{1b}[0m", None, Modifier::empty()),
    ("\u{1b}[1m", None, Modifier::BOLD),
    ("\u{1b}[2m", None, Modifier::DIM),
    ("\u{1b}[31m", Some(Color::Red), Modifier::empty()),
    ("\u{1b}[32m", Some(Color::Green), Modifier::empty()),
    ("\u{1b}[33m", Some(Color::Yellow), Modifier::empty()),
];

/// A line of `rendering`, whose colours become styles; everything else that would move a terminal is
/// spelled out.
#[must_use]
pub fn painted(text: &str) -> Line<'static> {
    let mut spans = Vec::new();
    let mut style = Style::new();
    let mut rest = text;
    while !rest.is_empty() {
        let found = CODES
            .iter()
            .filter_map(|code| Some((rest.find(code.0)?, code)))
            .min_by_key(|(at, _)| *at);
        let (at, next, length) = match found {
            Some((at, (code, colour, modifier))) => {
                let begun = match *code {
                    "\u{1b}[0m" => Style::new(),
                    _ => match colour {
                        Some(colour) => style.fg(*colour),
                        None => style.add_modifier(*modifier),
                    },
                };
                (at, begun, code.len())
            }
            None => (rest.len(), style, 0),
        };
        if at > 0 {
            spans.push(Span::styled(safe(&rest[..at]), style));
        }
        style = next;
        rest = &rest[at + length..];
    }
    Line::from(spans)
}

/// What each row of a question begins with. Nothing that others wrote has it: it is spelled out.
pub const BAR: &str = "┃ ";

/// What each row begins with that is the UI's own and no answer: what was asked, what tools did, notes,
/// errors. Nothing that others wrote has it: it is spelled out.
pub const OWN: &str = "▎ ";

/// Whether most fonts draw a character like the mark of [`BAR`] or of [`OWN`], which these are as well: heavy
/// vertical lines, and blocks of a half and less at a side.
const fn is_like_mark(letter: char) -> bool {
    matches!(letter,
        '▌' | '▍' | '▎' | '▏' | '▐' | '┃' | '┇' | '┋' | '╏' | '╹' | '╻' | '╽' | '╿' | '┠' | '┨'
        | '❘' | '❙' | '❚' | '⎢' | '⎥' | '⏐' | '｜'
        // Strips of an eighth, and the blocks at the right side.
        | '\u{1fb70}'..='\u{1fb75}' | '\u{1fb87}'..='\u{1fb8a}')
}

/// Text on one line in which nothing hides or moves, and nothing looks like a mark of the UI's.
#[must_use]
pub fn safe(text: &str) -> String {
    let text = prose(text).replace('\t', TAB).replace('\n', " ");
    if !text.contains(is_like_mark) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match is_like_mark(letter) {
            true => out.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
            false => out.push(letter),
        }
    }
    out
}

/// A line in rows of the UI's own. One that is empty stays so.
#[must_use]
pub fn own(line: &Line<'static>, indent: usize, width: usize) -> Vec<Line<'static>> {
    if line.width() == 0 {
        return vec![Line::default()];
    }
    let rows = wrapped(line, indent, width.saturating_sub(OWN.width()).max(1));
    let marked = rows.into_iter().map(|row| {
        let mut spans = vec![Span::styled(OWN, faint())];
        let styled = row.spans.into_iter();
        spans.extend(styled.map(|span| Span::styled(span.content, row.style.patch(span.style))));
        Line::from(spans)
    });
    marked.collect()
}

/// The columns that a text takes where it is drawn: those of its letters one by one, as a cell has one
/// letter. In one text the same letters may count less, as of Arabic, which joins them.
#[must_use]
pub fn columns(text: &str) -> usize {
    match text.is_ascii() {
        true => text.len(),
        false => letters(text).map(|(_, size)| size).sum(),
    }
}

/// The letters of a text with what belongs to each, and their columns.
fn letters(text: &str) -> impl Iterator<Item = (String, usize)> {
    let span = Span::raw(text.to_owned());
    let all: Vec<(String, usize)> = span
        .styled_graphemes(Style::new())
        .map(|one| (one.symbol.to_owned(), one.symbol.width()))
        .collect();
    all.into_iter()
}

/// The same of a line.
#[must_use]
pub fn line_columns(line: &Line<'_>) -> usize {
    let spans = line.spans.iter();
    spans.map(|span| columns(&span.content)).sum()
}

/// Styled text in lines of a width, broken at spaces where that can be; what goes on stands behind an
/// indent, so that nothing in a long line can look like the beginning of one.
#[must_use]
pub fn wrapped(line: &Line<'static>, indent: usize, width: usize) -> Vec<Line<'static>> {
    let width = width.max(1);
    let indent = if indent * 2 < width { indent } else { 0 };
    if line_columns(line) <= width {
        return vec![line.clone()];
    }
    let mut page = Page {
        done: Vec::new(),
        spans: Vec::new(),
        column: 0,
        is_empty: true,
        indent,
        width,
    };
    for span in &line.spans {
        for word in span.content.split_inclusive(' ') {
            page.put(word, line.style.patch(span.style));
        }
    }
    page.done.push(Line::from(page.spans));
    page.done
}

struct Page {
    done: Vec<Line<'static>>,
    spans: Vec<Span<'static>>,
    column: usize,
    /// Whether nothing but the indent stands on the line.
    is_empty: bool,
    indent: usize,
    width: usize,
}

impl Page {
    fn put(&mut self, word: &str, style: Style) {
        let text = word.trim_end_matches(' ');
        let size = columns(text);
        if self.column + size > self.width && !self.is_empty {
            self.end_line();
        }
        if self.column + size <= self.width {
            // The space at the edge is the line's end.
            let fits = self.column + columns(word) <= self.width;
            self.push(if fits { word } else { text }, style);
            return;
        }
        let mut part = String::new();
        let mut used = self.column;
        for (one, size) in letters(word) {
            if used + size > self.width && used > self.indent {
                self.push(&part, style);
                part.clear();
                self.end_line();
                used = self.column;
            }
            used += size;
            part.push_str(&one);
        }
        self.push(&part, style);
    }

    fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        self.column += columns(text);
        // The indent stays a part of its own: others put a mark in its place.
        let begins = std::mem::replace(&mut self.is_empty, false);
        let same = |last: &&mut Span<'_>| !begins && last.style == style;
        match self.spans.last_mut().filter(same) {
            Some(last) => last.content.to_mut().push_str(text),
            None => self.spans.push(Span::styled(text.to_owned(), style)),
        }
    }

    fn end_line(&mut self) {
        if let Some(last) = self.spans.last_mut().filter(|_| !self.is_empty) {
            last.content = last.content.trim_end_matches(' ').to_owned().into();
        }
        let spans = std::mem::take(&mut self.spans);
        self.done.push(Line::from(spans));
        self.column = self.indent;
        self.is_empty = true;
        if self.indent > 0 {
            self.spans.push(Span::raw(" ".repeat(self.indent)));
        }
    }
}

/// The beginning of a text that fits so many columns.
#[must_use]
pub fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for (one, size) in letters(text) {
        if used + size + 1 > width {
            break;
        }
        used += size;
        out.push_str(&one);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: &[Line<'static>]) -> Vec<String> {
        lines.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn colours_become_styles_and_everything_else_is_spelled_out() {
        let line = painted("\u{1b}[31mno\u{1b}[0m \u{1b}]0;t\u{7}\u{9b}31m\u{202e}x\u{200b}");
        assert_eq!(line.spans[0].style.fg, Some(Color::Red));
        let text = line.to_string();
        assert_eq!(text, "no \\u{1b}]0;t\\u{7}\\u{9b}31m\\u{202e}x\\u{200b}");
    }

    #[test]
    fn long_lines_break_at_words_behind_an_indent() {
        let line = Line::raw("one two three four");
        assert_eq!(
            plain(&wrapped(&line, 2, 9)),
            ["one two", "  three", "  four"]
        );
        let long = Line::raw("a".repeat(10));
        assert_eq!(plain(&wrapped(&long, 0, 4)), ["aaaa", "aaaa", "aa"]);
        let wide = Line::raw("日本語日本語");
        for row in wrapped(&wide, 0, 5) {
            assert!(row.width() <= 5, "{row}");
        }
    }

    #[test]
    fn a_row_has_a_part_for_each_style_and_not_for_each_word() {
        let styled = Span::styled("three four five", strong());
        let line = Line::from(vec![Span::raw("one two "), styled]);
        let rows = wrapped(&line, 0, 14);
        assert_eq!(plain(&rows), ["one two three", "four five"]);
        let parts: Vec<usize> = rows.iter().map(|row| row.spans.len()).collect();
        assert_eq!(parts, [2, 1]);
        // The indent is a part of its own.
        assert_eq!(wrapped(&Line::raw("one two three"), 2, 9)[1].spans.len(), 2);
    }

    #[test]
    fn letters_that_join_take_the_columns_that_they_are_drawn_in() {
        // Lam and alef are one column in a text, and two where each has a cell.
        let joined = "لا".repeat(20);
        assert_eq!((joined.width(), columns(&joined)), (20, 40));
        let rows = wrapped(&Line::raw(format!("{joined}; rm")), 0, 30);
        assert_eq!(plain(&rows).len(), 2, "{rows:?}");
        assert!(rows.iter().all(|row| line_columns(row) <= 30), "{rows:?}");
        assert_eq!(columns(&cut(&joined, 10)), 10);
    }

    #[test]
    fn no_width_is_too_small() {
        let line = Line::raw("word 日本 word");
        for width in 0..12 {
            let rows = wrapped(&line, 4, width);
            let all: String = rows.iter().map(ToString::to_string).collect();
            assert_eq!(all.replace(' ', ""), "word日本word");
        }
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("日本語", 4), "日…");
    }
}
