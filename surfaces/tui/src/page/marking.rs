//! Marking lines of a page and taking their text.

use super::{Marking, Page, Sight, Turn};
use crate::lines::TAB;

/// Longest text that is copied, bytes: what most terminals take at once.
pub const COPY_BYTES: usize = 100_000;
/// What is said of the keys while lines are marked.
const KEYS: &str = "Enter copies, Esc ends, j k move, Space: from here";

/// Lines that are to be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copied {
    /// How many.
    pub lines: usize,
    /// Their text: no control character but line feeds, and no mark of the UI's.
    pub text: String,
}

impl Page {
    /// Marks the first line in sight; a live page stays where it is meanwhile.
    pub fn begin_marking(&mut self) {
        self.said = None;
        if self.lines.is_empty() {
            return;
        }
        let line = self.at_top();
        let was_at_end = self.sight == Sight::End;
        if was_at_end {
            self.top = self.first_shown(self.height, 0);
            self.sight = Sight::Reading(0);
        }
        self.marking = Some(Marking {
            from: line,
            at: line,
            was_at_end,
        });
    }

    /// Whether lines are marked.
    #[must_use]
    pub const fn is_marking(&self) -> bool {
        self.marking.is_some()
    }

    /// No line is marked any more.
    pub fn end_marking(&mut self) {
        if self
            .marking
            .take()
            .is_some_and(|marking| marking.was_at_end)
        {
            self.sight = Sight::End;
        }
    }

    /// What is marked begins at the line that was gone to last.
    pub const fn mark_from_here(&mut self) {
        if let Some(marking) = &mut self.marking {
            marking.from = marking.at;
        }
    }

    /// Goes to another line, which is the other end of what is marked.
    pub fn mark_to(&mut self, turn: Turn) {
        let Some(Marking { at, .. }) = self.marking else {
            return;
        };
        let last = (self.left_out + self.lines.len()).saturating_sub(1);
        let row = self.rows.partition_point(|(line, _)| *line < at);
        let line_of = |row: usize| {
            let row = row.min(self.rows.len().saturating_sub(1));
            self.rows.get(row).map_or(at, |(line, _)| *line)
        };
        let to = match turn {
            Turn::Up => at.saturating_sub(1),
            Turn::Down => at + 1,
            // One line at least, however many rows it has.
            Turn::PageUp => line_of(row.saturating_sub(self.height)).min(at.saturating_sub(1)),
            Turn::PageDown => line_of(row + self.height).max(at + 1),
            Turn::HalfUp => line_of(row.saturating_sub(self.half())).min(at.saturating_sub(1)),
            Turn::HalfDown => line_of(row + self.half()).max(at + 1),
            Turn::Top => 0,
            Turn::End => last,
        };
        let to = to.clamp(self.left_out.min(last), last);
        if let Some(marking) = &mut self.marking {
            marking.at = to;
        }
        self.show_line(to);
    }

    /// Scrolls as little as it takes for a line to be in sight.
    fn show_line(&mut self, line: usize) {
        let head = self.head();
        let first = head + self.rows.partition_point(|(at, _)| *at < line);
        let end = head + self.rows.partition_point(|(at, _)| *at <= line);
        let top = self.first_shown(self.height, 0);
        let lowest = end.saturating_sub(self.height).min(first);
        self.top = top.clamp(lowest, first.max(lowest));
    }

    /// The numbers of the marked lines that are still there, from the first to the last.
    fn marked_lines(&self) -> Option<(usize, usize)> {
        let marking = self.marking.as_ref()?;
        let ends = (marking.from.min(marking.at), marking.from.max(marking.at));
        Some((ends.0.max(self.left_out), ends.1.max(self.left_out)))
    }

    /// Whether a line is marked.
    pub(super) fn is_marked(&self, line: usize) -> bool {
        let marked = self.marked_lines();
        marked.is_some_and(|(from, to)| (from..=to).contains(&line))
    }

    /// The marked lines, if they are not too much; else what is said of them.
    ///
    /// # Errors
    /// Where nothing is marked, or more than [`COPY_BYTES`].
    pub fn marked(&self) -> Result<Copied, String> {
        let Some((from, to)) = self.marked_lines() else {
            return Err("nothing is marked".to_owned());
        };
        let lines = self.lines.iter().skip(from - self.left_out);
        let mut text = String::new();
        let mut count = 0;
        for line in lines.take(to + 1 - from) {
            if count > 0 {
                text.push('\n');
            }
            let plain = line.line.to_string().replace(TAB, "    ");
            text.extend(plain.trim_end().chars().filter(|one| !one.is_control()));
            count += 1;
            if text.len() > COPY_BYTES {
                return Err(format!(
                    "more than {} kB are marked: mark fewer lines",
                    COPY_BYTES / 1_000
                ));
            }
        }
        Ok(Copied { lines: count, text })
    }

    /// Says something in place of the keys, until something else is done.
    pub fn say(&mut self, text: String) {
        self.said = Some(text);
    }

    /// What is said of the marks, or of what was copied.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        let marked = self.marked_lines().map(|(from, to)| {
            let count = to + 1 - from;
            let lines = if count == 1 { "line" } else { "lines" };
            format!("{count} {lines} marked; {KEYS}")
        });
        self.said.clone().or(marked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::painted;
    use crate::page::PageLine;
    use ratatui::style::Modifier;
    use ratatui::text::Line;

    fn page(lines: usize) -> Page {
        let mut page = Page::new((20, 4));
        page.fill(
            (0..lines)
                .map(|at| Line::raw(format!("line {at}")))
                .collect(),
        );
        page
    }

    fn text(page: &Page) -> String {
        page.marked().unwrap().text
    }

    #[test]
    fn marks_go_from_a_line_to_another() {
        let mut page = page(20);
        assert!(page.marked().is_err());
        page.turn(Turn::Down);
        page.begin_marking();
        assert_eq!(text(&page), "line 1");
        page.mark_to(Turn::Down);
        page.mark_to(Turn::Down);
        assert_eq!(page.marked().unwrap().lines, 3);
        assert_eq!(text(&page), "line 1\nline 2\nline 3");
        page.mark_from_here();
        page.mark_to(Turn::Up);
        assert_eq!(text(&page), "line 2\nline 3");
        page.mark_to(Turn::End);
        assert_eq!(page.marked().unwrap().lines, 17);
        assert_eq!(page.place(), "17–20 of 20");
        page.mark_to(Turn::PageUp);
        page.mark_to(Turn::Top);
        assert_eq!(text(&page), "line 0\nline 1\nline 2\nline 3");
        // Half of the four rows that are shown.
        page.mark_to(Turn::HalfDown);
        assert_eq!(text(&page), "line 2\nline 3");
        page.mark_to(Turn::HalfUp);
        assert_eq!(text(&page), "line 0\nline 1\nline 2\nline 3");
        let is_marked = |line: &Line<'static>| {
            let mut spans = line.spans.iter();
            spans.all(|span| span.style.add_modifier.contains(Modifier::REVERSED))
        };
        assert!(page.shown().iter().all(is_marked));
        page.end_marking();
        assert!(!page.shown().iter().any(is_marked));
    }

    #[test]
    fn copied_text_is_whole_plain_and_bounded() {
        let mut page = Page::new((20, 4));
        let long = "word ".repeat(20);
        let line = painted(&format!(
            "\u{1b}[31m{long}\u{1b}[0m\t\u{1b}]52;c;x\u{7}end  "
        ));
        page.push([PageLine::new(line).own()]);
        page.begin_marking();
        let copied = text(&page);
        // A line that is broken on the screen is one line, and without the mark of its rows.
        assert_eq!(copied, format!("{long}    \\u{{1b}}]52;c;x\\u{{7}}end"));
        let mut page = Page::new((20, 4));
        let lines = vec![Line::raw("x".repeat(999)); COPY_BYTES / 1_000];
        page.fill(lines.clone());
        page.begin_marking();
        page.mark_to(Turn::End);
        assert_eq!(text(&page).len(), COPY_BYTES - 1);
        page.end_marking();
        page.turn(Turn::Top);
        page.fill([lines, vec![Line::raw("yy")]].concat());
        page.begin_marking();
        page.mark_to(Turn::End);
        assert!(page.marked().unwrap_err().contains("100 kB"));
    }

    #[test]
    fn marks_stay_at_their_lines_while_more_comes() {
        let mut page = Page::live_of(10);
        page.lay((20, 4));
        let line = |at: usize| PageLine::new(Line::raw(format!("line {at}")));
        page.push((0..10).map(line));
        page.begin_marking();
        page.mark_to(Turn::Down);
        assert_eq!(text(&page), "line 6\nline 7");
        page.push((10..13).map(line));
        assert_eq!(text(&page), "line 6\nline 7");
        page.lay((5, 4));
        assert_eq!(text(&page), "line 6\nline 7");
        // What is left out meanwhile is not copied.
        page.push((13..17).map(line));
        assert_eq!(text(&page), "line 7");
        page.push((17..40).map(line));
        assert_eq!(page.marked().unwrap().lines, 1);
        page.end_marking();
        assert_eq!(page.rest(0, 4), None);
        assert!(Page::live().marked().is_err());
    }
}
