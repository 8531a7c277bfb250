//! A page to read: lines that scroll, break and can be searched. What stands on it comes from others.

pub mod keys;
pub mod marking;

use crate::lines::{cut, faint, own, wrapped};
use crate::markdown::{Break, DocumentLine};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use std::collections::VecDeque;

/// Most lines that a page keeps; the oldest give way.
pub const LINES: usize = 10_000;
/// Longest line, columns; the rest of it is cut off.
const LINE_COLUMNS: usize = 8_000;
/// Longest text that is searched for, characters.
const SEARCH_CHARS: usize = 200;
/// What lines go on behind, columns.
const GOES_ON: usize = 4;
/// What code goes on behind, columns.
const CODE_GOES_ON: usize = 2;

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
    /// Half as many rows up.
    HalfUp,
    /// Half as many rows down.
    HalfDown,
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

/// Who has a say in a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Others: it has no mark.
    Others,
    /// The UI: each of its rows has its mark.
    Own,
}

/// A line of a page.
#[derive(Debug, Clone)]
pub struct PageLine {
    line: Line<'static>,
    indent: usize,
    whose: Whose,
}

impl PageLine {
    /// A line that is broken at words.
    #[must_use]
    pub const fn new(line: Line<'static>) -> Self {
        Self {
            line,
            indent: GOES_ON,
            whose: Whose::Others,
        }
    }

    /// A line of a document.
    #[must_use]
    pub fn of(one: DocumentLine) -> Self {
        let indent = match one.may_break {
            Break::Words(indent) => indent,
            Break::Never => CODE_GOES_ON,
        };
        Self {
            indent,
            ..Self::new(one.line)
        }
    }

    /// The same as a line of the UI's own.
    #[must_use]
    pub fn own(self) -> Self {
        Self {
            whose: Whose::Own,
            ..self
        }
    }

    /// Whether nothing stands on it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.line.width() == 0
    }

    fn rows(&self, width: usize, long: Long) -> Vec<Line<'static>> {
        let is_over = self.line.width() > LINE_COLUMNS;
        let line = match is_over {
            true => Line::styled(cut(&self.line.to_string(), LINE_COLUMNS), self.line.style),
            false => self.line.clone(),
        };
        let width = match long {
            Long::Cut if !is_over => LINE_COLUMNS + GOES_ON,
            Long::Break | Long::Cut => width,
        };
        match self.whose {
            Whose::Others => wrapped(&line, self.indent, width),
            Whose::Own => own(&line, self.indent, width),
        }
    }
}

/// Which end of a page is in sight while more comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// Nothing comes: it was filled once.
    Fixed,
    /// Its end.
    End,
    /// Where somebody reads; so many rows came below since.
    Reading(usize),
}

/// Lines, and what of them is in sight.
#[derive(Debug)]
pub struct Page {
    lines: VecDeque<PageLine>,
    /// How many lines were left out before the first.
    left_out: usize,
    /// The rows, each with the number of its line, those that were left out counted.
    rows: VecDeque<(usize, Line<'static>)>,
    /// 0 until it is shown for the first time: it has no rows before.
    width: usize,
    height: usize,
    top: usize,
    long: Long,
    search: String,
    /// What is typed to be searched for, while it is.
    typed: Option<String>,
    /// The number of the line that was found last.
    found: Option<usize>,
    /// Whether the last search found nothing.
    is_missing: bool,
    sight: Sight,
    /// Most lines.
    most: usize,
    /// The lines that are marked, while they are.
    marking: Option<Marking>,
    /// What is said in place of the keys.
    said: Option<String>,
}

/// Lines that are marked, by their numbers.
#[derive(Debug, Clone, Copy)]
struct Marking {
    /// Where it began.
    from: usize,
    /// The line that was gone to.
    at: usize,
    /// Whether the end of a live page was in sight before.
    was_at_end: bool,
}

impl Page {
    /// A page of a size, without lines.
    #[must_use]
    pub fn new(size: (usize, usize)) -> Self {
        Self {
            lines: VecDeque::new(),
            left_out: 0,
            rows: VecDeque::new(),
            width: size.0.max(1),
            height: size.1.max(1),
            top: 0,
            long: Long::Break,
            search: String::new(),
            typed: None,
            found: None,
            is_missing: false,
            sight: Sight::Fixed,
            most: LINES,
            marking: None,
            said: None,
        }
    }

    /// A page that more lines come to, whether it is shown or not. Its end is in sight unless it is scrolled.
    #[must_use]
    pub fn live() -> Self {
        Self {
            sight: Sight::End,
            width: 0,
            ..Self::new((1, 1))
        }
    }

    /// The same for so many lines at most.
    #[cfg(test)]
    pub fn live_of(most: usize) -> Self {
        Self {
            most,
            ..Self::live()
        }
    }

    /// Puts lines in place of those that were there. Its end stays in sight where it was, and else the line
    /// at its top.
    pub fn fill(&mut self, lines: Vec<Line<'static>>) {
        let (at_top, was_at_end) = (self.at_top(), self.top > 0 && self.is_at_end());
        let over = lines.len().saturating_sub(self.most);
        self.lines = lines.into_iter().skip(over).map(PageLine::new).collect();
        self.left_out = over;
        self.found = self.found.filter(|line| self.has_searched(*line));
        self.lay_rows();
        match was_at_end {
            true => self.top = self.last_top(self.height, 0),
            false => self.go_to_line(at_top),
        }
    }

    /// The same, where the end stays in sight also of what was shorter than the page.
    pub fn fill_on(&mut self, lines: Vec<Line<'static>>) {
        let was_at_end = self.is_at_end();
        self.fill(lines);
        if was_at_end {
            self.top = self.last_top(self.height, 0);
        }
    }

    /// Whether the end of a page that was filled is in sight.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.top == self.last_top(self.height, 0)
    }

    /// Whether the line of this number has what is searched for.
    fn has_searched(&self, number: usize) -> bool {
        let place = number.checked_sub(self.left_out);
        let line = place.and_then(|place| self.lines.get(place));
        line.is_some_and(|one| one.line.to_string().to_lowercase().contains(&self.search))
    }

    /// Adds lines at the end. What is read stays where it is.
    pub fn push(&mut self, lines: impl IntoIterator<Item = PageLine>) {
        let before = self.rows.len();
        for line in lines {
            let number = self.left_out + self.lines.len();
            if self.width > 0 {
                let rows = line.rows(self.width, self.long).into_iter();
                self.rows.extend(rows.map(|row| (number, row)));
            }
            self.lines.push_back(line);
        }
        if let Sight::Reading(new) = &mut self.sight {
            *new += self.rows.len() - before;
        }
        let over = self.lines.len().saturating_sub(self.most);
        if over == 0 {
            return;
        }
        let head = self.head();
        self.lines.drain(..over);
        self.left_out += over;
        let gone = self.rows.partition_point(|(line, _)| *line < self.left_out);
        self.rows.drain(..gone);
        self.top = (self.top + self.head() - head).saturating_sub(gone);
        self.found = self.found.filter(|line| *line >= self.left_out);
    }

    /// Puts lines before those that are there.
    pub fn put_before(&mut self, lines: Vec<PageLine>) {
        let (rows, head) = (self.rows.len(), self.head());
        let over = (lines.len() + self.lines.len()).saturating_sub(self.most);
        let all = lines.into_iter().chain(self.lines.drain(..));
        self.lines = all.skip(over).collect();
        self.left_out += over;
        self.found = None;
        self.end_marking();
        self.lay_rows();
        self.top = (self.top + self.head() + self.rows.len()).saturating_sub(head + rows);
    }

    /// The page has another size now. The line at its top stays there.
    pub fn lay(&mut self, size: (usize, usize)) {
        let (width, height) = (size.0.max(1), size.1.max(1));
        self.height = height;
        if self.width == width {
            self.keep_in();
            return;
        }
        let at_top = self.at_top();
        self.width = width;
        self.lay_rows();
        self.go_to_line(at_top);
    }

    /// Another width alone, where the height is told when the page is shown.
    pub fn lay_width(&mut self, width: usize) {
        self.lay((width, self.height));
    }

    fn lay_rows(&mut self) {
        if self.width == 0 {
            return;
        }
        let (width, long, first) = (self.width, self.long, self.left_out);
        let lines = self.lines.iter().enumerate();
        let rows = lines.flat_map(|(at, line)| {
            let rows = line.rows(width, long).into_iter();
            rows.map(move |row| (first + at, row))
        });
        self.rows = rows.collect();
        self.keep_in();
    }

    /// Rows of our own before the first, which say that lines are left out.
    fn head(&self) -> usize {
        usize::from(self.left_out > 0 && self.sight != Sight::Fixed)
    }

    fn keep_in(&mut self) {
        if self.sight == Sight::Fixed {
            self.top = self.top.min(self.last_top(self.height, 0));
        }
    }

    /// The last row that can stand at the top, where so many rows follow those of the page.
    fn last_top(&self, height: usize, below: usize) -> usize {
        (self.head() + self.rows.len() + below).saturating_sub(height)
    }

    /// The row at the top of so many.
    fn first_shown(&self, height: usize, below: usize) -> usize {
        let last = self.last_top(height, below);
        match self.sight {
            Sight::End => last,
            Sight::Fixed | Sight::Reading(_) => self.top.min(last),
        }
    }

    /// The number of the line at the top.
    fn at_top(&self) -> usize {
        let row = self.first_shown(self.height, 0).saturating_sub(self.head());
        self.rows.get(row).map_or(self.left_out, |(line, _)| *line)
    }

    fn go_to_line(&mut self, line: usize) {
        let row = self.rows.partition_point(|(at, _)| *at < line);
        self.top = (self.head() + row).min(self.last_top(self.height, 0));
    }

    /// Scrolls.
    pub fn turn(&mut self, turn: Turn) {
        self.turn_before(turn, 0);
    }

    /// Scrolls where so many rows follow those of the page. At the end of a live page it goes on with
    /// what comes.
    pub fn turn_before(&mut self, turn: Turn, below: usize) {
        self.said = None;
        let last = self.last_top(self.height, below);
        let from = self.first_shown(self.height, below);
        let to = match turn {
            Turn::Up => from.saturating_sub(1),
            Turn::Down => from.saturating_add(1),
            Turn::PageUp => from.saturating_sub(self.height),
            Turn::PageDown => from.saturating_add(self.height),
            Turn::HalfUp => from.saturating_sub(self.half()),
            Turn::HalfDown => from.saturating_add(self.half()),
            Turn::Top => 0,
            Turn::End => usize::MAX,
        };
        self.top = to.min(last);
        self.sight = match self.sight {
            Sight::Fixed => Sight::Fixed,
            Sight::End | Sight::Reading(_) if self.top == last => Sight::End,
            Sight::End => Sight::Reading(0),
            Sight::Reading(new) => Sight::Reading(new),
        };
    }

    /// Half of the rows that are shown, one at least.
    fn half(&self) -> usize {
        (self.height / 2).max(1)
    }

    /// Breaks long lines, or cuts them off.
    pub fn turn_long(&mut self) {
        let at_top = self.at_top();
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
        self.said = None;
    }

    /// What is typed to be searched for, while it is.
    #[must_use]
    pub fn typed(&self) -> Option<&str> {
        self.typed.as_deref()
    }

    /// A letter of what is searched for.
    pub fn push_letter(&mut self, letter: char) {
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
            self.drop_search();
        }
    }

    /// The search is not wanted.
    pub fn drop_search(&mut self) {
        self.typed = None;
        self.is_missing = false;
        if self.sight != Sight::Fixed {
            self.found = None;
        }
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

    /// Searches for what is typed so far, and goes on from what was found.
    pub fn find(&mut self, next: Next) {
        let Some(typed) = self.typed.as_ref().filter(|typed| !typed.is_empty()) else {
            return;
        };
        let typed = typed.to_lowercase();
        if typed != self.search {
            (self.search, self.found) = (typed, None);
        }
        self.next(next);
    }

    /// Goes to another line that has what was searched for last; behind the last to the first.
    pub fn next(&mut self, next: Next) {
        if self.search.is_empty() {
            return;
        }
        let count = self.lines.len();
        let found = self.found.map(|line| line - self.left_out);
        let begin = match (found, next) {
            (None, Next::Before) if self.sight == Sight::End => count.saturating_sub(1),
            (None, _) => self.at_top() - self.left_out,
            (Some(found), Next::After) => found + 1,
            (Some(found), Next::Before) => found + count.saturating_sub(1),
        };
        let has = |at: &usize| self.has_searched(self.left_out + *at);
        let place = |step: usize| match next {
            Next::After => (begin + step) % count.max(1),
            Next::Before => (begin + count - step) % count.max(1),
        };
        let found = (0..count).map(place).find(has);
        self.is_missing = found.is_none();
        if let Some(line) = found.map(|at| self.left_out + at) {
            self.found = Some(line);
            self.go_to_line(line);
            if self.sight == Sight::End {
                self.sight = Sight::Reading(0);
            }
        }
    }

    /// Whether the last search found nothing.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        self.is_missing
    }

    /// The rows in sight; of what was found, in reverse.
    #[must_use]
    pub fn shown(&self) -> Vec<Line<'static>> {
        self.shown_before(&[], self.height)
    }

    /// So many rows in sight, where these follow those of the page.
    #[must_use]
    pub fn shown_before(&self, below: &[Line<'static>], height: usize) -> Vec<Line<'static>> {
        let first = self.first_shown(height, below.len());
        let head = (self.head() > 0).then(|| {
            let text = format!("· {} lines before are left out", self.left_out);
            own(&Line::styled(text, faint()), 0, self.width).swap_remove(0)
        });
        let kept = self.rows.iter().skip(first.saturating_sub(self.head()));
        let kept = kept.map(|(line, row)| {
            let mut row = row.clone();
            if self.found == Some(*line) || self.is_marked(*line) {
                if row.spans.is_empty() {
                    // An empty line that is marked is seen to be.
                    row.spans.push(Span::raw(" "));
                }
                for span in &mut row.spans {
                    span.style = span.style.add_modifier(Modifier::REVERSED);
                }
            }
            row
        });
        let passed = first.saturating_sub(self.head() + self.rows.len());
        let below = below.iter().skip(passed).cloned();
        head.into_iter()
            .filter(|_| first == 0)
            .chain(kept)
            .chain(below)
            .take(height)
            .collect()
    }

    /// These lines in rows of the page's width.
    #[must_use]
    pub fn in_rows(&self, lines: impl IntoIterator<Item = PageLine>) -> Vec<Line<'static>> {
        let rows = lines.into_iter();
        rows.flat_map(|line| line.rows(self.width, self.long))
            .collect()
    }

    /// How many rows stand below those in sight, and how many came since somebody reads here; `None`
    /// at the end.
    #[must_use]
    pub fn rest(&self, below: usize, height: usize) -> Option<(usize, usize)> {
        let Sight::Reading(new) = self.sight else {
            return None;
        };
        let first = self.first_shown(height, below);
        let rest = self.last_top(height, below) - first;
        (rest > 0).then_some((rest, new))
    }

    /// Whether nothing stands there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
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
mod tests;
