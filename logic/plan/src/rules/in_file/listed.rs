//! Exact changes of sections and lists: a text at the end of a section, a new task, all boxes, two lines swapped.

use super::items::Item;
use super::lines::{Lines, applied};
use super::set_in::{headings, item_mark};
use crate::rules::refusal::Refusal;
use domain::plan::Action;
use std::ops::Range;

/// Signs that end a sentence: a line that ends so is a paragraph, and another begins behind an empty line.
const ENDS: [char; 4] = ['.', '!', '?', ':'];

/// A task without the sign and the open box that it was given with: the list has its own.
fn without_box(task: &str) -> &str {
    let item = item_mark(task).map_or(task, |mark| task[mark.len()..].trim_start());
    item.strip_prefix("[ ] ").map_or(item, str::trim_start)
}

impl Lines<'_> {
    /// The change that puts a text at the end of what stands under a heading.
    pub(super) fn insert_in_section(&self, text: &str, heading: &str) -> Result<Action, Refusal> {
        let heading = self.only_heading(heading)?;
        let next = headings(self)
            .into_iter()
            .find(|next| next.start > heading.start);
        let next = next.map_or(self.text.len(), |next| next.start);
        let within = |line: &Range<usize>| heading.start < line.start && line.start < next;
        let lines = self.lines().filter(within);
        let last = lines
            .filter(|line| !self.text[line.clone()].trim().is_empty())
            .last();
        let end = self.line_end();
        let Some(last) = last else {
            return self.replace(heading.end..heading.end, &format!("{end}{end}{text}"));
        };
        let line = &self.text[last.clone()];
        let text = match item_mark(line) {
            Some(mark) if item_mark(text).is_none() => format!("{end}{mark}{text}"),
            None if line.trim_end().ends_with(ENDS) => format!("{end}{end}{text}"),
            _ => format!("{end}{text}"),
        };
        self.replace(last.end..last.end, &text)
    }

    /// The change that adds a task to a list: with a box where the others have one, behind the last of them.
    pub(super) fn add_task(&self, text: &str) -> Result<Action, Refusal> {
        let items = self.boxed_items();
        let text = without_box(text.trim());
        let same = |item: &&Item| item.says.eq_ignore_ascii_case(text);
        if let Some(item) = items.iter().find(same) {
            let why = format!("{} has the task `{}` already.", self.path, item.says);
            return Err(Refusal::ambiguous(
                why,
                vec![format!("show {}", self.shown_path())],
            ));
        }
        let end = self.line_end();
        if let Some(last) = items.last() {
            let before = &self.text[last.line.start..last.sign.start];
            // A number is the next one, which is not counted here.
            let mark = match before
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit())
            {
                true => "- [",
                false => before,
            };
            return self.replace(
                last.line.end..last.line.end,
                &format!("{end}{mark} ] {text}"),
            );
        }
        let last = self
            .lines()
            .filter(|line| !self.text[line.clone()].trim().is_empty())
            .last();
        let mark = last.and_then(|line| item_mark(&self.text[line]));
        Ok(Action::AppendText {
            path: self.path.to_owned(),
            content: format!("{}{text}", mark.unwrap_or_default()),
        })
    }

    /// The change that ticks all items, or takes all their ticks away.
    pub(super) fn tick_all(&self, is_done: bool) -> Result<Action, Refusal> {
        let items = self.boxed_items();
        let (Some(first), Some(last)) = (items.first(), items.last()) else {
            return Err(self.absent("no items with a box, `- [ ] …`"));
        };
        let place = first.line.start..last.line.end;
        let sign = if is_done { "x" } else { " " };
        let mut text = self.text[place.clone()].to_owned();
        let mut is_changed = false;
        for item in &items {
            let at = item.sign.start - place.start..item.sign.end - place.start;
            is_changed |= (self.text[item.sign.clone()] == *" ") == is_done;
            text.replace_range(at, sign);
        }
        match is_changed {
            true => self.replace(place, &text),
            false => {
                let state = if is_done { "ticked" } else { "open" };
                let why = format!(
                    "All {} items of {} are {state} already.",
                    items.len(),
                    self.path
                );
                Err(Refusal::ambiguous(
                    why,
                    vec![format!("show {}", self.shown_path())],
                ))
            }
        }
    }

    /// The changes that give two lines each the text of the other.
    pub(super) fn swap(&self, one: usize, other: usize) -> Result<Vec<Action>, Refusal> {
        let (first, second) = (one.min(other), one.max(other));
        let lines: Vec<Range<usize>> = self.lines().collect();
        let line = |number: usize| number.checked_sub(1).and_then(|at| lines.get(at).cloned());
        let (Some(above), Some(below)) = (line(first), line(second)) else {
            let has = match lines.len() {
                1 => "one line".to_owned(),
                count => format!("{count} lines"),
            };
            return Err(self.absent(&has));
        };
        let (upper, lower) = (&self.text[above.clone()], &self.text[below.clone()]);
        if upper == lower {
            let why = format!("Lines {first} and {second} of {} say the same.", self.path);
            return Err(Refusal::ambiguous(
                why,
                vec![format!("show {}", self.shown_path())],
            ));
        }
        if first + 1 == second {
            let between = &self.text[above.end..below.start];
            let swapped = format!("{lower}{between}{upper}");
            return Ok(vec![self.replace(above.start..below.end, &swapped)?]);
        }
        let changed = self.replace(below, upper)?;
        let text = applied(self.text, &changed);
        let after = Lines {
            path: self.path,
            text: &text,
        };
        Ok(vec![changed, after.replace(above, lower)?])
    }
}
