//! What is typed: an editor of several lines, and the lines of before.

use crate::chips::{Chips, is_long};
use crate::lines::{TAB, cut};
use crate::vi::{Editing, Mode, Vi};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui_textarea::{CursorMove, TextArea};
use text::escape::visible_line;
use unicode_width::UnicodeWidthChar;

/// Longest draft, bytes: what a request may have.
pub const DRAFT_BYTES: usize = domain::limits::USER_TEXT_BYTES;

/// The editor and the history.
#[derive(Debug)]
pub struct Input {
    area: TextArea<'static>,
    /// What some characters in it stand for.
    chips: Chips,
    /// Vi's keys, where they are chosen.
    vi: Option<Vi>,
    history: Vec<String>,
    /// Which entry of the history stands in the editor.
    at: Option<usize>,
}

/// A change or a move in the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// A letter.
    Insert(char),
    /// A line feed.
    NewLine,
    /// The character before the cursor goes.
    Backspace,
    /// The character at the cursor goes.
    Delete,
    /// The word before the cursor goes.
    DeleteWord,
    /// All before the cursor in its line goes.
    DeleteToHead,
    /// All behind the cursor in its line goes.
    DeleteToEnd,
    /// One character to the left.
    Left,
    /// One character to the right.
    Right,
    /// One word to the left.
    WordLeft,
    /// One word to the right.
    WordRight,
    /// To the beginning of the line.
    Head,
    /// To the end of the line.
    End,
    /// One line up; from an empty input to the entry before.
    Up,
    /// One line down; from an entry of the history to the next.
    Down,
}

impl Input {
    /// Which keys edit it.
    #[must_use]
    pub const fn editing(&self) -> Editing {
        match self.vi {
            Some(_) => Editing::Vi,
            None => Editing::Emacs,
        }
    }

    /// An empty one with these lines of before.
    #[must_use]
    pub fn new(history: Vec<String>) -> Self {
        Self {
            area: TextArea::default(),
            chips: Chips::default(),
            vi: None,
            history,
            at: None,
        }
    }

    /// Whether nothing is typed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// What is typed and pasted, whole.
    #[must_use]
    pub fn text(&self) -> String {
        self.chips.spelled_out(&self.area.lines().join("\n"))
    }

    /// Whether the first thing in it is a long paste, of which nobody sees what it begins with.
    #[must_use]
    pub fn begins_with_paste(&self) -> bool {
        let mut letters = self.area.lines().iter().flat_map(|line| line.chars());
        let first = letters.find(|letter| !letter.is_whitespace());
        first.is_some_and(|letter| self.chips.text_of(letter).is_some())
    }

    /// Takes what is typed.
    pub fn take(&mut self) -> String {
        let text = self.text();
        self.set("");
        text
    }

    /// Puts a text in place of what is typed.
    pub fn set(&mut self, text: &str) {
        let lines = text.split('\n').map(str::to_owned).collect();
        self.area = TextArea::new(lines);
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
        self.chips = Chips::beside(text);
        if let Some(vi) = &mut self.vi {
            vi.begin(&self.area);
        }
        self.at = None;
    }

    /// Has vi's keys edit from now on.
    pub fn edit_by_vi(&mut self) {
        self.vi = Some(Vi::at(&self.area));
    }

    /// What a letter does by vi's keys; `None` where those are not chosen.
    #[must_use]
    pub fn mode(&self) -> Option<Mode> {
        self.vi.as_ref().map(Vi::mode)
    }

    /// Letters are commands from now on, where vi's keys are chosen.
    pub fn leave_insert(&mut self) {
        if let Some(vi) = &mut self.vi {
            vi.leave_insert(&mut self.area);
        }
    }

    /// Whether a command of vi's had begun, which is forgotten.
    pub fn forget_command(&mut self) -> bool {
        self.vi.as_mut().is_some_and(Vi::forget)
    }

    /// A letter in vi's normal mode.
    pub fn command(&mut self, letter: char) {
        // Where nothing is typed, they lead through what was.
        let is_in_history = self.is_empty() || self.at.is_some();
        match letter {
            'j' if is_in_history => return self.up_or_down(Edit::Down),
            'k' if is_in_history => return self.up_or_down(Edit::Up),
            _ => {}
        }
        let before = self.area.lines().to_vec();
        if let Some(vi) = &mut self.vi {
            vi.command(letter, &mut self.area);
        }
        if self.bytes() > DRAFT_BYTES
            && let Some(vi) = &mut self.vi
        {
            vi.take_back(&mut self.area);
        }
        if before != self.area.lines() {
            self.at = None;
        }
    }

    /// The number of the cursor's line, from 0, and what stands in it before the cursor.
    #[must_use]
    pub fn before_cursor(&self) -> (usize, String) {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0);
        let before = line.map(|line| line.chars().take(cursor.1).collect());
        (cursor.0, before.unwrap_or_default())
    }

    /// Puts a text in place of so many characters before the cursor.
    pub fn replace_before(&mut self, characters: usize, text: &str) {
        for _ in 0..characters {
            self.edit(Edit::Backspace);
        }
        self.insert(without_controls(text));
    }

    /// Puts a space at the cursor, or steps over one that stands there.
    pub fn space(&mut self) {
        let cursor = self.area.cursor();
        let line = self.area.lines().get(cursor.0);
        match line.and_then(|line| line.chars().nth(cursor.1)) {
            Some(' ') => self.edit(Edit::Right),
            _ => self.edit(Edit::Insert(' ')),
        }
    }

    /// What was typed before, oldest first.
    #[must_use]
    pub fn history(&self) -> &[String] {
        &self.history
    }

    /// Keeps a text for the arrow keys.
    pub fn keep(&mut self, text: &str) {
        if self.history.last().is_none_or(|last| last != text) {
            self.history.push(text.to_owned());
        }
    }

    /// Inserts what was pasted, without control characters: a long text as one character, for which its
    /// name stands on the screen. False where it is too long.
    pub fn paste(&mut self, text: &str) -> bool {
        let text = without_controls(text);
        if self.bytes() + text.len() > DRAFT_BYTES {
            return false;
        }
        let text = match is_long(&text) {
            true => self.chips.keep(text).map_or_else(|text| text, String::from),
            false => text,
        };
        self.insert(text);
        true
    }

    /// Inserts letters and line ends that were typed, as far as there is room for more.
    pub fn type_in(&mut self, text: &str) {
        if self.bytes() < DRAFT_BYTES {
            self.insert(without_controls(text));
        }
    }

    fn insert(&mut self, text: String) {
        self.at = None;
        self.area.insert_str(text);
    }

    /// How long all of it is, bytes.
    fn bytes(&self) -> usize {
        match self.chips.is_empty() {
            true => self.area.lines().iter().map(String::len).sum(),
            false => self.text().len(),
        }
    }

    /// Puts what an editor wrote in place of what is typed, without control characters.
    pub fn replace(&mut self, text: &str) {
        let text = without_controls(text);
        if text != self.text() {
            self.set(&text);
        }
    }

    /// Changes what is typed, or moves in it.
    pub fn edit(&mut self, edit: Edit) {
        let is_room = self.bytes() < DRAFT_BYTES;
        let area = &mut self.area;
        match edit {
            Edit::Insert(letter) => {
                if is_room && !letter.is_control() {
                    area.insert_char(letter);
                }
            }
            Edit::NewLine => area.insert_newline(),
            Edit::Backspace => drop(area.delete_char()),
            Edit::Delete => drop(area.delete_next_char()),
            Edit::DeleteWord => drop(area.delete_word()),
            Edit::DeleteToHead => drop(area.delete_line_by_head()),
            Edit::DeleteToEnd => drop(area.delete_line_by_end()),
            Edit::Left => area.move_cursor(CursorMove::Back),
            Edit::Right => area.move_cursor(CursorMove::Forward),
            Edit::WordLeft => area.move_cursor(CursorMove::WordBack),
            Edit::WordRight => area.move_cursor(CursorMove::WordForward),
            Edit::Head => area.move_cursor(CursorMove::Head),
            Edit::End => area.move_cursor(CursorMove::End),
            Edit::Up | Edit::Down => return self.up_or_down(edit),
        }
        // What was changed is no entry of the history any more; moving in it leaves it one.
        let moves = matches!(
            edit,
            Edit::Left | Edit::Right | Edit::WordLeft | Edit::WordRight | Edit::Head | Edit::End
        );
        if !moves {
            self.at = None;
        }
    }

    fn up_or_down(&mut self, edit: Edit) {
        if !self.is_empty() && self.at.is_none() {
            let to = match edit {
                Edit::Up => CursorMove::Up,
                _ => CursorMove::Down,
            };
            return self.area.move_cursor(to);
        }
        let next = match (edit, self.at) {
            (Edit::Up, None) => self.history.len().checked_sub(1),
            (Edit::Up, Some(at)) => Some(at.saturating_sub(1)),
            (_, Some(at)) if at + 1 < self.history.len() => Some(at + 1),
            _ => None,
        };
        let entry = next.and_then(|at| self.history.get(at)).cloned();
        let mode = self.mode();
        self.set(&entry.unwrap_or_default());
        if mode == Some(Mode::Normal) {
            self.leave_insert();
        }
        self.at = next;
    }

    /// What is typed in rows of a width, and where the cursor stands among them: column and row.
    #[must_use]
    pub fn rows(&self, width: usize) -> (Vec<Line<'static>>, (usize, usize)) {
        let width = width.max(2);
        let cursor = self.area.cursor();
        let mut rows = Vec::new();
        let mut place = (0, 0);
        for (number, line) in self.area.lines().iter().enumerate() {
            let mut row = Line::default();
            let mut used = 0;
            for (at, letter) in line.chars().enumerate() {
                let (shown, style) = self.shown(letter, width);
                let size: usize = shown.chars().filter_map(UnicodeWidthChar::width).sum();
                if used + size > width {
                    rows.push(std::mem::take(&mut row));
                    used = 0;
                }
                if (number, at) == (cursor.0, cursor.1) {
                    place = (used, rows.len());
                }
                push(&mut row, &shown, style);
                used += size;
            }
            if number == cursor.0 && cursor.1 >= line.chars().count() {
                if used >= width {
                    rows.push(std::mem::take(&mut row));
                    used = 0;
                }
                place = (used, rows.len());
            }
            rows.push(row);
        }
        (rows, place)
    }

    /// A character as it is shown, and how: a long paste by its name, which looks like no typed text.
    fn shown(&self, letter: char, width: usize) -> (String, Style) {
        match self.chips.label_of(letter) {
            Some(label) => {
                let style = Style::new().add_modifier(Modifier::REVERSED);
                (cut(&label, width), style)
            }
            None => (shown(letter), Style::new()),
        }
    }
}

/// Adds a text to a row.
fn push(row: &mut Line<'static>, text: &str, style: Style) {
    match row.spans.last_mut().filter(|last| last.style == style) {
        Some(last) => last.content.to_mut().push_str(text),
        None => row.spans.push(Span::styled(text.to_owned(), style)),
    }
}

/// Text from elsewhere with line feeds and tabs, and no other control character.
fn without_controls(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_kept = |one: &char| !one.is_control() || matches!(one, '\n' | '\t');
    text.chars().filter(is_kept).collect()
}

/// A letter of a draft as it is shown.
fn shown(letter: char) -> String {
    match letter {
        '\t' => TAB.to_owned(),
        // It stands behind a letter, or by itself at the beginning.
        letter if letter.width() == Some(0) && letter.is_alphanumeric() => letter.to_string(),
        letter if letter.width() == Some(0) && is_mark(letter) => letter.to_string(),
        letter => visible_line(&letter.to_string()),
    }
}

/// Whether a character without a width is an accent or the like, and hides nothing.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{fe0f}' | '\u{20d0}'..='\u{20ff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(input: &mut Input, text: &str) {
        for letter in text.chars() {
            match letter {
                '\n' => input.edit(Edit::NewLine),
                letter => input.edit(Edit::Insert(letter)),
            }
        }
    }

    fn plain(rows: &[Line<'static>]) -> Vec<String> {
        rows.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn arrows_reach_the_history_from_an_empty_input_alone() {
        let mut input = Input::new(vec!["one".to_owned(), "two\nlines".to_owned()]);
        input.edit(Edit::Up);
        assert_eq!(input.text(), "two\nlines");
        input.edit(Edit::Up);
        input.edit(Edit::Up);
        assert_eq!(input.text(), "one");
        input.edit(Edit::Down);
        input.edit(Edit::Down);
        assert_eq!(input.text(), "");
        typed(&mut input, "draft\nof two");
        input.edit(Edit::Up);
        assert_eq!(input.text(), "draft\nof two");
        typed(&mut input, "!");
        assert_eq!(input.take(), "draft!\nof two");
        // An entry that was changed is a draft.
        input.edit(Edit::Up);
        typed(&mut input, "!");
        input.edit(Edit::Up);
        assert_eq!(input.text(), "two\nlines!");
    }

    #[test]
    fn words_and_lines_are_deleted_and_moved_over() {
        let mut input = Input::new(Vec::new());
        typed(&mut input, "one two three");
        input.edit(Edit::DeleteWord);
        input.edit(Edit::WordLeft);
        input.edit(Edit::DeleteToEnd);
        assert_eq!(input.text(), "one ");
        input.edit(Edit::Head);
        input.edit(Edit::Delete);
        input.edit(Edit::End);
        input.edit(Edit::Left);
        input.edit(Edit::Backspace);
        assert_eq!(input.text(), "n ");
        input.edit(Edit::DeleteToHead);
        input.edit(Edit::Right);
        input.edit(Edit::WordRight);
        assert_eq!(input.take(), " ");
    }

    #[test]
    fn rows_fit_and_the_cursor_stands_in_them() {
        let mut input = Input::new(Vec::new());
        typed(&mut input, "abcdef\n日本語x");
        let (rows, place) = input.rows(4);
        assert_eq!(plain(&rows), ["abcd", "ef", "日本", "語x"]);
        assert_eq!(place, (3, 3));
        input.edit(Edit::Head);
        assert_eq!(input.rows(4).1, (0, 2));
        input.set("abcd");
        let (rows, place) = input.rows(4);
        assert_eq!(
            (plain(&rows), place),
            (["abcd", ""].map(str::to_owned).to_vec(), (0, 1))
        );
    }

    #[test]
    fn what_is_pasted_moves_nothing() {
        let mut input = Input::new(Vec::new());
        assert!(input.paste("a\r\nb\u{1b}[2J\u{7}\tc\u{202e}"));
        assert_eq!(input.text(), "a\nb[2J\tc\u{202e}");
        let (rows, _) = input.rows(40);
        assert_eq!(plain(&rows), ["a", "b[2J→   c\\u{202e}"]);
        assert!(!input.paste(&"x".repeat(DRAFT_BYTES)));
    }

    #[test]
    fn a_long_paste_is_one_character_of_the_draft() {
        let long: String = (1..=48).map(|n| format!("line {n}\n")).collect();
        let mut input = Input::new(Vec::new());
        typed(&mut input, "see ");
        assert!(input.paste(&long) && input.paste(&"x".repeat(700)));
        typed(&mut input, ".");
        assert_eq!(
            plain(&input.rows(60).0),
            ["see [pasted #1: 48 lines][pasted #2: 700 characters]."]
        );
        assert_eq!(input.text(), format!("see {long}{}.", "x".repeat(700)));
        input.edit(Edit::Left);
        input.edit(Edit::Backspace);
        assert_eq!(input.text(), format!("see {long}."));
        input.edit(Edit::Left);
        assert_eq!(input.rows(60).1, (4, 0));
        input.edit(Edit::Delete);
        assert_eq!(input.text(), "see .");
        // A name is cut where there is no room for it.
        input.paste(&long);
        for width in 2..30 {
            let (rows, (column, row)) = input.rows(width);
            assert!(rows.iter().all(|row| row.width() <= width));
            assert!(column < width && row < rows.len());
        }
    }

    #[test]
    fn nothing_typed_or_pasted_passes_for_a_long_paste() {
        let long = "y\n".repeat(20);
        let mut input = Input::new(Vec::new());
        assert!(input.paste(&long));
        input.edit(Edit::Insert('\u{86}'));
        assert!(input.paste("[pasted #1: 20 lines]\u{86}"));
        typed(&mut input, "[pasted #1: 20 lines]");
        let words = "[pasted #1: 20 lines]".repeat(2);
        assert_eq!(input.text(), format!("{long}{words}"));
        // Neither does a text that came from elsewhere.
        input.set("\u{86}");
        assert!(input.paste(&long));
        assert_eq!(input.text(), format!("\u{86}{long}"));
        input.set(" ");
        assert!(input.paste(&long) && input.begins_with_paste());
    }

    #[test]
    fn vi_keys_bring_no_paste_into_another_draft() {
        let mut input = Input::new(Vec::new());
        input.edit_by_vi();
        let long = "w\n".repeat(20);
        assert!(input.paste(&long));
        input.leave_insert();
        "yyp".chars().for_each(|letter| input.command(letter));
        assert_eq!(input.text(), format!("{long}\n{long}"));
        input.set("");
        assert!(input.paste(&"other\n".repeat(20)));
        input.leave_insert();
        input.command('p');
        assert_eq!(input.text(), "other\n".repeat(20));
        // Nor is a draft made longer than it may be.
        input.set("");
        assert!(input.paste(&"x\n".repeat(DRAFT_BYTES / 3)));
        input.leave_insert();
        "yyp".chars().for_each(|letter| input.command(letter));
        assert_eq!(input.text().len(), DRAFT_BYTES / 3 * 2);
    }

    #[test]
    fn an_editor_that_changes_nothing_leaves_the_pastes() {
        let long = "z\n".repeat(20);
        let mut input = Input::new(Vec::new());
        assert!(input.paste(&long));
        input.replace(&long);
        assert!(input.begins_with_paste());
        input.replace(&format!("{long}more"));
        assert!(!input.begins_with_paste());
        assert_eq!(input.text(), format!("{long}more"));
        assert!(!input.paste(&"x\n".repeat(DRAFT_BYTES)));
    }
}
