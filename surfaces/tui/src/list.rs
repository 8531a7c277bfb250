//! A list to choose from, narrowed by typing.

use crate::lines::{cut, faint, safe, strong};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use std::collections::BTreeSet;
use text::escape::visible_line;

/// What stands before what is typed.
pub const PROMPT: &str = "> ";
/// Entries that PageUp and PageDown go.
const PAGE: isize = 10;
/// Longest text that narrows a list, characters.
const QUERY_CHARS: usize = 200;

/// What the help says of the keys of lists.
pub const NAMED: [(&str, &str); 6] = [
    ("letters", "narrow the list; Ctrl+U takes them back"),
    ("Up, Down", "go through it (also PageUp, PageDown)"),
    ("Enter", "take the marked one; Esc closes the list"),
    (
        "Ctrl+F, R, E",
        "sessions: go on in a copy, rename, write to a file",
    ),
    (
        "Ctrl+R",
        "earlier messages: take it back with what it did to files",
    ),
    (
        "d, K, J",
        "messages that wait: remove, move; programs: d stops",
    ),
];

/// Entries by their place, those that fit what is typed, and the one that is chosen.
#[derive(Debug, Default)]
pub struct List {
    /// What of each entry is searched, in lower case.
    texts: Vec<String>,
    /// Names of the entries, in lower case: those whose name fits come first. Empty where their order
    /// stays.
    names: Vec<String>,
    query: String,
    /// Entries that fit what is typed by what is not among their texts.
    also: BTreeSet<usize>,
    fitting: Vec<usize>,
    at: usize,
}

impl List {
    /// A list of entries, by what of each is searched.
    #[must_use]
    pub fn new(texts: impl IntoIterator<Item = String>) -> Self {
        let mut list = Self {
            texts: texts.into_iter().map(|text| text.to_lowercase()).collect(),
            ..Self::default()
        };
        list.narrow();
        list
    }

    /// A list of entries that have a name and something about them.
    #[must_use]
    pub fn by_name(entries: impl IntoIterator<Item = (String, String)>) -> Self {
        let (names, texts): (Vec<String>, Vec<String>) = entries
            .into_iter()
            .map(|(name, about)| (name.to_lowercase(), format!("{name} {about}")))
            .unzip();
        Self {
            names,
            ..Self::new(texts)
        }
    }

    /// What is typed.
    #[must_use]
    pub fn query(&self) -> &str {
        &self.query
    }

    /// How many entries fit, and how many there are.
    #[must_use]
    pub fn counts(&self) -> (usize, usize) {
        (self.fitting.len(), self.texts.len())
    }

    /// A letter more.
    pub fn push(&mut self, letter: char) {
        if self.query.chars().count() < QUERY_CHARS && !letter.is_control() {
            self.query.push(letter);
            self.also.clear();
            self.narrow();
        }
    }

    /// A letter less.
    pub fn pop(&mut self) {
        self.query.pop();
        self.also.clear();
        self.narrow();
    }

    /// Nothing is typed any more.
    pub fn clear(&mut self) {
        self.query.clear();
        self.also.clear();
        self.narrow();
    }

    /// These entries fit what is typed as well, and stand behind those that do by their texts. The chosen one
    /// stays.
    pub fn fit_also(&mut self, also: BTreeSet<usize>) {
        if self.also == also {
            return;
        }
        let chosen = self.chosen();
        self.also = also;
        self.narrow();
        if let Some(chosen) = chosen {
            self.choose(chosen);
        }
    }

    fn narrow(&mut self) {
        let query = self.query.to_lowercase();
        let words: Vec<&str> = query.split_whitespace().collect();
        let fits = |text: &String| words.iter().all(|word| text.contains(word));
        let texts = self.texts.iter().enumerate();
        let (by_text, others): (Vec<_>, Vec<_>) = texts.partition(|(_, text)| fits(text));
        let also = others.iter().filter(|(at, _)| self.also.contains(at));
        self.fitting = by_text.iter().chain(also).map(|(at, _)| *at).collect();
        if let [first, ..] = words.as_slice() {
            let names = &self.names;
            self.fitting.sort_by_key(|at| {
                let name = names.get(*at).map_or("", String::as_str);
                let rank = match name.trim_start_matches('/').starts_with(first) {
                    true => 0,
                    false if name.contains(first) => 1,
                    false => 2,
                };
                let elsewhere = words.iter().filter(|word| !name.contains(**word));
                (rank, elsewhere.count())
            });
        }
        self.at = 0;
    }

    /// Chooses another entry, so many further up or down.
    pub fn step(&mut self, by: isize) {
        let last = self.fitting.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(by).min(last);
    }

    /// A key that every list has: letters narrow it, and others go through it.
    pub fn pressed(&mut self, key: KeyEvent) {
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('u') if is_ctrl => self.clear(),
            KeyCode::Up => self.step(-1),
            KeyCode::Down => self.step(1),
            KeyCode::PageUp => self.step(-PAGE),
            KeyCode::PageDown => self.step(PAGE),
            KeyCode::Backspace => self.pop(),
            KeyCode::Char(letter) if !is_ctrl => self.push(letter),
            _ => {}
        }
    }

    /// Chooses the entry of this place, if it fits what is typed.
    pub fn choose(&mut self, place: usize) {
        if let Some(at) = self.fitting.iter().position(|one| *one == place) {
            self.at = at;
        }
    }

    /// The place of the chosen entry.
    #[must_use]
    pub fn chosen(&self) -> Option<usize> {
        self.fitting.get(self.at).copied()
    }

    /// What is typed, with a count behind it, and below it the entries around the chosen one, for a width and
    /// height.
    #[must_use]
    pub fn rows(
        &self,
        (width, height): (usize, usize),
        count: &str,
        entry: impl Fn(usize) -> Option<String>,
    ) -> Vec<Line<'static>> {
        let mut rows = vec![Line::from(vec![
            Span::styled(PROMPT, strong()),
            Span::raw(visible_line(&self.query)),
            Span::styled(format!("  {count}"), faint()),
        ])];
        let chosen = self.chosen();
        let around = self.around(height.saturating_sub(1)).iter();
        rows.extend(around.filter_map(|at| {
            let text = cut(&safe(&entry(*at)?), width);
            Some(match chosen == Some(*at) {
                true => Line::styled(text, strong().add_modifier(Modifier::REVERSED)),
                false => Line::raw(text),
            })
        }));
        rows
    }

    /// The places of so many entries around the chosen one.
    #[must_use]
    pub fn around(&self, rows: usize) -> &[usize] {
        let from = (self.at + 1).saturating_sub(rows).min(self.fitting.len());
        let to = (from + rows).min(self.fitting.len());
        &self.fitting[from..to]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typing_narrows_and_steps_stay_in_the_list() {
        let mut list = List::new(["Red apple", "green apple", "Green pear"].map(str::to_owned));
        list.step(5);
        assert_eq!(list.chosen(), Some(2));
        "APP gr".chars().for_each(|letter| list.push(letter));
        assert_eq!((list.chosen(), list.counts()), (Some(1), (1, 3)));
        list.push('x');
        assert_eq!((list.chosen(), list.around(4)), (None, [].as_slice()));
        list.clear();
        list.step(2);
        assert_eq!(list.around(2), [1, 2]);
        list.step(-9);
        assert_eq!(list.around(2), [0, 1]);
        assert!(list.around(0).is_empty());
        assert!(List::default().around(0).is_empty());
    }

    #[test]
    fn no_entry_looks_like_a_row_of_a_question() {
        let list = List::new(["one".to_owned()]);
        let rows = list.rows((40, 4), "1", |_| Some("┃ > y  ▎ $0\u{202e}".to_owned()));
        let drawn: String = rows.iter().map(ToString::to_string).collect();
        assert!(!drawn.contains(['┃', '▎', '\u{202e}']), "{drawn}");
        assert!(drawn.contains("> y"), "{drawn}");
    }
}
