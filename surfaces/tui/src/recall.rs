//! What was typed before, in this session and others, to find a line of it.

use crate::lines::{cut, faint, safe, wrapped};
use crate::list::List;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::Line;
use rendering::agents::gist;
use std::collections::BTreeSet;
use text::escape::{prose, visible_line};

/// Most of a line that is searched, bytes: its beginning.
const SEARCHED_BYTES: usize = 16 << 10;

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing but what the list did.
    None,
    /// Close the list.
    Close,
    /// Put this line into the input.
    Take(String),
}

/// The list of them, newest first, each once.
#[derive(Debug)]
pub struct Recall {
    typed: Vec<String>,
    list: List,
    /// Why something cannot be done.
    pub refusal: &'static str,
}

impl Recall {
    /// A list of what was typed, which comes oldest first.
    #[must_use]
    pub fn of(history: &[String]) -> Self {
        let mut seen = BTreeSet::new();
        let newest = history.iter().rev().filter(|text| seen.insert(*text));
        let typed: Vec<String> = newest.cloned().collect();
        let searched = |text: &String| {
            let end = text.floor_char_boundary(SEARCHED_BYTES);
            text[..end].to_owned()
        };
        Self {
            list: List::new(typed.iter().map(searched)),
            typed,
            refusal: "",
        }
    }

    /// What is typed to search.
    #[must_use]
    pub fn query(&self) -> &str {
        self.list.query()
    }

    /// A letter to search for.
    pub fn push(&mut self, letter: char) {
        self.list.push(letter);
    }

    fn chosen(&self) -> Option<&String> {
        self.typed.get(self.list.chosen()?)
    }

    /// A key was pressed.
    pub fn pressed(&mut self, key: KeyEvent) -> Wish {
        self.refusal = "";
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => return Wish::Close,
            KeyCode::Char('c' | 'd' | 'g') if is_ctrl => return Wish::Close,
            KeyCode::Enter => return self.chosen().cloned().map_or(Wish::None, Wish::Take),
            // As in shells: once more for the one before.
            KeyCode::Char('r') if is_ctrl => self.list.step(1),
            _ => self.list.pressed(key),
        }
        Wish::None
    }

    /// The rows for a width and height: the list, and below it all of the marked line.
    #[must_use]
    pub fn rows(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        let (fitting, all) = self.list.counts();
        let preview_rows = if height >= 12 { height / 3 } else { 0 };
        let entry = |at: usize| {
            let text = safe(&visible_line(&gist(self.typed.get(at)?)));
            Some(format!(" {text}"))
        };
        let list_rows = height.saturating_sub(preview_rows);
        let count = format!("{fitting} of {all}");
        let mut rows = self.list.rows((width, list_rows), &count, entry);
        rows.resize(list_rows, Line::default());
        rows.extend(self.preview(width, preview_rows));
        rows
    }

    fn preview(&self, width: usize, height: usize) -> Vec<Line<'static>> {
        if height == 0 {
            return Vec::new();
        }
        let mut rows = vec![Line::styled(cut("── the line", width), faint())];
        let text = self.chosen().map(|text| {
            let lines: Vec<&str> = text.trim_end().lines().take(height).collect();
            prose(&lines.join("\n"))
        });
        let text = text.unwrap_or_default();
        let broken = text
            .lines()
            .flat_map(|line| wrapped(&Line::raw(safe(line)), 2, width));
        rows.extend(broken.take(height - 1));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stand_newest_first_and_each_once() {
        let typed = ["one", "two\u{1b}[2J\nlines", "one"].map(str::to_owned);
        let mut recall = Recall::of(&typed);
        let press =
            |recall: &mut Recall, code, modifiers| recall.pressed(KeyEvent::new(code, modifiers));
        let enter = |recall: &mut Recall| press(recall, KeyCode::Enter, KeyModifiers::NONE);
        assert_eq!(enter(&mut recall), Wish::Take("one".to_owned()));
        press(&mut recall, KeyCode::Char('r'), KeyModifiers::CONTROL);
        assert_eq!(enter(&mut recall), Wish::Take(typed[1].clone()));
        let rows = recall.rows(60, 20);
        let all: Vec<String> = rows.iter().map(ToString::to_string).collect();
        assert!(all[0].contains("2 of 2") && rows.len() <= 20, "{all:?}");
        assert!(!all.concat().contains('\u{1b}'), "{all:?}");
        "nothing".chars().for_each(|letter| recall.push(letter));
        assert_eq!(enter(&mut recall), Wish::None);
    }
}
