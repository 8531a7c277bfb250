//! A page to read: lines that scroll, break and can be searched. What stands on it comes from others.

use crate::lines::{cut, wrapped};
use ratatui::style::Modifier;
use ratatui::text::Line;

/// Most lines that a page keeps; the oldest give way.
pub const LINES: usize = 10_000;
/// Longest line, columns; the rest of it is cut off.
const LINE_COLUMNS: usize = 8_000;
/// Longest text that is searched for, characters.
const SEARCH_CHARS: usize = 200;
/// What lines go on behind, columns.
const GOES_ON: usize = 4;

/// A move on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// As many rows up as are shown.
    PageUp,
    /// As many rows down.
    PageDown,
    /// To the first row.
    Top,
    /// To the last row.
    End,
}

/// Where a search goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// To the next line that has it.
    After,
    /// To the one before.
    Before,
}

/// What becomes of lines that are wider than the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Long {
    /// They go on in the next row.
    Break,
    /// Their end is cut off.
    Cut,
}

/// Lines, and what of them is in sight.
#[derive(Debug)]
pub struct Page {
    lines: Vec<Line<'static>>,
    /// How many lines were left out before the first.
    left_out: usize,
    /// The rows, each with the place of its line.
    rows: Vec<(usize, Line<'static>)>,
    width: usize,
    height: usize,
    top: usize,
    long: Long,
    search: String,
    /// What is typed behind the slash, while it is.
    typed: Option<String>,
    /// The line that was found last.
    found: Option<usize>,
    /// Whether the last search found nothing.
    is_missing: bool,
}

impl Page {
    /// A page of a size, without lines.
    #[must_use]
    pub fn new(size: (usize, usize)) -> Self {
        Self {
            lines: Vec::new(),
            left_out: 0,
            rows: Vec::new(),
            width: size.0.max(1),
            height: size.1.max(1),
            top: 0,
            long: Long::Break,
            search: String::new(),
            typed: None,
            found: None,
            is_missing: false,
        }
    }

    /// Puts lines in place of those that were there.
    pub fn fill(&mut self, mut lines: Vec<Line<'static>>) {
        let over = lines.len().saturating_sub(LINES);
        lines.drain(..over);
        (self.lines, self.left_out, self.top, self.found) = (lines, over, 0, None);
        self.lay_rows();
    }

    /// The page has another size now. The line at its top stays there.
    pub fn lay(&mut self, size: (usize, usize)) {
        let at_top = self.rows.get(self.top).map_or(0, |(line, _)| *line);
        (self.width, self.height) = (size.0.max(1), size.1.max(1));
        self.lay_rows();
        self.go_to_line(at_top);
    }

    fn lay_rows(&mut self) {
        let (width, long) = (self.width, self.long);
        let rows = self.lines.iter().enumerate().flat_map(|(at, line)| {
            let broken = match (line.width() > LINE_COLUMNS, long) {
                (true, _) => wrapped(
                    &Line::styled(cut(&line.to_string(), LINE_COLUMNS), line.style),
                    GOES_ON,
                    width,
                ),
                (false, Long::Break) => wrapped(line, GOES_ON, width),
                (false, Long::Cut) => vec![line.clone()],
            };
            broken.into_iter().map(move |row| (at, row))
        });
        self.rows = rows.collect();
        self.top = self.top.min(self.last_top());
    }

    fn last_top(&self) -> usize {
        self.rows.len().saturating_sub(self.height)
    }

    fn go_to_line(&mut self, line: usize) {
        let row = self.rows.partition_point(|(at, _)| *at < line);
        self.top = row.min(self.last_top());
    }

    /// Scrolls.
    pub fn turn(&mut self, turn: Turn) {
        let to = match turn {
            Turn::Up => self.top.saturating_sub(1),
            Turn::Down => self.top.saturating_add(1),
            Turn::PageUp => self.top.saturating_sub(self.height),
            Turn::PageDown => self.top.saturating_add(self.height),
            Turn::Top => 0,
            Turn::End => usize::MAX,
        };
        self.top = to.min(self.last_top());
    }

    /// Breaks long lines, or cuts them off.
    pub fn turn_long(&mut self) {
        let at_top = self.rows.get(self.top).map_or(0, |(line, _)| *line);
        self.long = match self.long {
            Long::Break => Long::Cut,
            Long::Cut => Long::Break,
        };
        self.lay_rows();
        self.go_to_line(at_top);
    }

    /// What to search for is typed from now on.
    pub fn begin_search(&mut self) {
        self.typed = Some(String::new());
    }

    /// What is typed to be searched for, while it is.
    #[must_use]
    pub fn typed(&self) -> Option<&str> {
        self.typed.as_deref()
    }

    /// A letter of what is searched for.
    pub fn push(&mut self, letter: char) {
        if let Some(typed) = &mut self.typed
            && typed.chars().count() < SEARCH_CHARS
            && !letter.is_control()
        {
            typed.push(letter);
        }
    }

    /// Takes its last letter back; without one the search ends.
    pub fn pop(&mut self) {
        if self
            .typed
            .as_mut()
            .is_some_and(|typed| typed.pop().is_none())
        {
            self.typed = None;
        }
    }

    /// The search is not wanted.
    pub fn drop_search(&mut self) {
        self.typed = None;
    }

    /// Searches for what was typed, from the top of what is shown on.
    pub fn search(&mut self) {
        let Some(typed) = self.typed.take().filter(|typed| !typed.is_empty()) else {
            return;
        };
        self.search = typed.to_lowercase();
        self.found = None;
        self.next(Next::After);
    }

    /// Goes to another line that has what was searched for last; behind the last to the first.
    pub fn next(&mut self, next: Next) {
        if self.search.is_empty() {
            return;
        }
        let count = self.lines.len();
        let at_top = self.rows.get(self.top).map_or(0, |(line, _)| *line);
        let begin = match (self.found, next) {
            (None, _) => at_top,
            (Some(found), Next::After) => found + 1,
            (Some(found), Next::Before) => found + count.saturating_sub(1),
        };
        let has = |at: &usize| {
            self.lines[*at]
                .to_string()
                .to_lowercase()
                .contains(&self.search)
        };
        let place = |step: usize| match next {
            Next::After => (begin + step) % count.max(1),
            Next::Before => (begin + count - step) % count.max(1),
        };
        let found = (0..count).map(place).find(has);
        self.is_missing = found.is_none();
        if let Some(line) = found {
            self.found = Some(line);
            self.go_to_line(line);
        }
    }

    /// The rows in sight; of what was found, in reverse.
    #[must_use]
    pub fn shown(&self) -> Vec<Line<'static>> {
        let rows = self.rows.iter().skip(self.top).take(self.height);
        rows.map(|(line, row)| {
            let mut row = row.clone();
            if self.found == Some(*line) {
                for span in &mut row.spans {
                    span.style = span.style.add_modifier(Modifier::REVERSED);
                }
            }
            row
        })
        .collect()
    }

    /// Which rows are in sight, in words.
    #[must_use]
    pub fn place(&self) -> String {
        let last = (self.top + self.height).min(self.rows.len());
        let first = (self.top + 1).min(last);
        let mut text = format!("{first}–{last} of {}", self.rows.len());
        if self.left_out > 0 {
            text.push_str(&format!("; {} lines before are left out", self.left_out));
        }
        if self.is_missing {
            text.push_str("; not found");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> Page {
        let mut page = Page::new((20, 5));
        page.fill((0..count).map(|n| Line::raw(format!("line {n}"))).collect());
        page
    }

    fn first(page: &Page) -> String {
        page.shown()[0].to_string()
    }

    #[test]
    fn a_page_scrolls_and_stays_within_its_lines() {
        let mut page = numbered(12);
        page.turn(Turn::PageDown);
        assert_eq!(first(&page), "line 5");
        page.turn(Turn::End);
        assert_eq!(first(&page), "line 7");
        page.turn(Turn::Down);
        assert_eq!(first(&page), "line 7");
        page.turn(Turn::PageUp);
        page.turn(Turn::PageUp);
        page.turn(Turn::Up);
        assert_eq!(
            (first(&page).as_str(), page.place().as_str()),
            ("line 0", "1–5 of 12")
        );
    }

    #[test]
    fn a_search_goes_around_and_says_what_is_missing() {
        let mut page = numbered(30);
        let search = |page: &mut Page, text: &str| {
            page.begin_search();
            text.chars().for_each(|letter| page.push(letter));
            page.search();
        };
        search(&mut page, "LINE 1");
        assert_eq!(first(&page), "line 1");
        page.next(Next::After);
        assert_eq!(first(&page), "line 10");
        page.next(Next::Before);
        page.next(Next::Before);
        assert_eq!(first(&page), "line 19");
        page.next(Next::After);
        assert_eq!(first(&page), "line 1");
        search(&mut page, "nowhere");
        assert!(page.place().ends_with("; not found"));
        assert_eq!(first(&page), "line 1");
    }

    #[test]
    fn a_page_keeps_its_newest_lines() {
        let page = numbered(LINES + 3);
        assert_eq!(first(&page), "line 3");
        assert!(page.place().contains("3 lines before are left out"));
    }

    #[test]
    fn another_width_keeps_the_line_at_the_top() {
        let mut page = Page::new((40, 3));
        page.fill(
            (0..20)
                .map(|n| Line::raw(format!("{n} {}", "word ".repeat(6))))
                .collect(),
        );
        page.turn(Turn::PageDown);
        page.lay((12, 3));
        assert!(first(&page).starts_with("3 word"));
        page.turn_long();
        assert!(first(&page).starts_with("3 word") && first(&page).len() > 12);
        page.fill(vec![Line::raw("a".repeat(100_000))]);
        assert!(page.place().len() < 20);
        for size in [(0, 0), (1, 1)] {
            page.lay(size);
            assert_eq!(page.shown().len(), 1);
        }
    }
}
