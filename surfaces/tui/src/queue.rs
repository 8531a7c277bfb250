//! The messages of this window that wait, to change one or take it out.

use crate::lines::{cut, faint, safe, strong, wrapped};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::id::QueryId;
use ratatui::style::Modifier;
use ratatui::text::Line;
use rendering::agents::gist;
use text::escape::{prose, visible_line};

/// A message that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// Its request.
    pub query_id: QueryId,
    /// How many are worked on before it, itself among them; those of other windows count.
    pub place: usize,
    /// It.
    pub text: String,
}

/// What a key asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// Nothing but what the list did.
    None,
    /// Close the list.
    Close,
    /// Take this one out and put it into the input.
    Edit(Waits),
    /// Take this one out.
    Remove(QueryId),
    /// Have this one worked on before the one above it.
    Up(QueryId),
    /// Have this one worked on after the one below it.
    Down(QueryId),
}

/// The place of a message that was taken out to be edited.
#[derive(Debug, Default)]
pub struct Edited {
    /// What waited behind it, of every window, while it is being taken out.
    leaving: Vec<QueryId>,
    /// The same once its text is in the input.
    behind: Vec<QueryId>,
}

impl Edited {
    /// A message is taken out, behind which these wait.
    pub fn leaves(&mut self, behind: Vec<QueryId>) {
        self.leaving = behind;
    }

    /// Its text is in the input.
    pub fn came(&mut self) {
        self.behind = std::mem::take(&mut self.leaving);
    }

    /// The input is empty again, or it is sent: what it is to be put before, the first that still waits.
    pub fn take(&mut self) -> Vec<QueryId> {
        std::mem::take(&mut self.behind)
    }
}

/// Which of them is marked. They come from the session each time: one may begin or end meanwhile.
#[derive(Debug)]
pub struct Queue {
    marked: Option<QueryId>,
    /// Why something cannot be done.
    pub refusal: &'static str,
}

impl Queue {
    /// A list in which the first one is marked.
    #[must_use]
    pub fn of(waiting: &[Waits]) -> Self {
        Self {
            marked: waiting.first().map(|one| one.query_id),
            refusal: "",
        }
    }

    /// The place of the marked one; `None` once it waits no more, so that no key means another.
    fn at(&self, waiting: &[Waits]) -> Option<usize> {
        let mut waiting = waiting.iter();
        waiting.position(|one| Some(one.query_id) == self.marked)
    }

    /// A key was pressed.
    pub fn pressed(&mut self, key: KeyEvent, waiting: &[Waits]) -> Wish {
        self.refusal = "";
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        let is_alt = key.modifiers.contains(KeyModifiers::ALT);
        let at = self.at(waiting);
        let marked = at.and_then(|at| waiting.get(at));
        match key.code {
            KeyCode::Esc | KeyCode::F(6) => return Wish::Close,
            KeyCode::Char('c' | 'd' | 'g') if is_ctrl => return Wish::Close,
            KeyCode::Char('q') if !is_ctrl => return Wish::Close,
            KeyCode::Enter => return marked.cloned().map_or(Wish::None, Wish::Edit),
            KeyCode::Delete | KeyCode::Backspace => {
                return marked.map_or(Wish::None, |one| Wish::Remove(one.query_id));
            }
            KeyCode::Char('d') if !is_ctrl => {
                return marked.map_or(Wish::None, |one| Wish::Remove(one.query_id));
            }
            KeyCode::Up if is_alt => {
                return marked.map_or(Wish::None, |one| Wish::Up(one.query_id));
            }
            KeyCode::Down if is_alt => {
                return marked.map_or(Wish::None, |one| Wish::Down(one.query_id));
            }
            KeyCode::Char('K') => return marked.map_or(Wish::None, |one| Wish::Up(one.query_id)),
            KeyCode::Char('J') => {
                return marked.map_or(Wish::None, |one| Wish::Down(one.query_id));
            }
            KeyCode::Up | KeyCode::Char('k') => self.mark(at.unwrap_or(1).checked_sub(1), waiting),
            KeyCode::Down | KeyCode::Char('j') => {
                self.mark(Some(at.map_or(0, |at| at + 1)), waiting);
            }
            _ => {}
        }
        Wish::None
    }

    /// Marks the one at a place, if there is one.
    fn mark(&mut self, at: Option<usize>, waiting: &[Waits]) {
        if let Some(one) = at.and_then(|at| waiting.get(at)) {
            self.marked = Some(one.query_id);
        }
    }

    /// The rows for a width and height: the list, and below it all of the marked message.
    #[must_use]
    pub fn rows(&self, waiting: &[Waits], (width, height): (usize, usize)) -> Vec<Line<'static>> {
        if waiting.is_empty() {
            let text = "no message of this window waits";
            return vec![Line::styled(cut(text, width), faint())];
        }
        let at = self.at(waiting);
        let preview_rows = if height >= 8 { height / 2 } else { 0 };
        let list_rows = height.saturating_sub(preview_rows);
        let from = at.map_or(0, |at| (at + 1).saturating_sub(list_rows));
        let shown = waiting.iter().enumerate().skip(from).take(list_rows);
        let mut rows: Vec<Line<'static>> = shown
            .map(|(number, one)| {
                let text = safe(&visible_line(&gist(&one.text)));
                let (mark, style) = match at == Some(number) {
                    true => ("*", strong().add_modifier(Modifier::REVERSED)),
                    false => (" ", ratatui::style::Style::new()),
                };
                let row = format!("{mark} {}. {text}", one.place);
                Line::styled(cut(&row, width), style)
            })
            .collect();
        rows.resize(list_rows, Line::default());
        let marked = at.and_then(|at| waiting.get(at));
        rows.extend(preview(marked, width, preview_rows));
        rows
    }
}

/// All of a message, as far as there is room.
fn preview(marked: Option<&Waits>, width: usize, height: usize) -> Vec<Line<'static>> {
    let Some(one) = marked.filter(|_| height > 0) else {
        return Vec::new();
    };
    let mut rows = vec![Line::styled(cut("── the message", width), faint())];
    let lines: Vec<&str> = one.text.trim_end().lines().take(height).collect();
    let text = prose(&lines.join("\n"));
    let broken = text
        .lines()
        .flat_map(|line| wrapped(&Line::raw(safe(line)), 2, width));
    rows.extend(broken.take(height - 1));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::id;

    fn waits(number: u128) -> Waits {
        Waits {
            query_id: QueryId::from_uuid(id(number)),
            place: 1,
            text: format!("message {number}\u{1b}[2J"),
        }
    }

    #[test]
    fn no_key_means_another_than_the_marked_one() {
        let both = [waits(10), waits(11)];
        let mut queue = Queue::of(&both);
        let press = |queue: &mut Queue, code, waiting: &[Waits]| {
            queue.pressed(KeyEvent::new(code, KeyModifiers::NONE), waiting)
        };
        let enter = |queue: &mut Queue, waiting: &[Waits]| press(queue, KeyCode::Enter, waiting);
        assert_eq!(enter(&mut queue, &both), Wish::Edit(waits(10)));
        // It has begun meanwhile.
        assert_eq!(enter(&mut queue, &both[1..]), Wish::None);
        assert_eq!(press(&mut queue, KeyCode::Delete, &both[1..]), Wish::None);
        press(&mut queue, KeyCode::Down, &both[1..]);
        let removed = Wish::Remove(both[1].query_id);
        assert_eq!(press(&mut queue, KeyCode::Char('d'), &both[1..]), removed);
        press(&mut queue, KeyCode::Down, &both[1..]);
        press(&mut queue, KeyCode::Up, &both[1..]);
        assert_eq!(enter(&mut queue, &both[1..]), Wish::Edit(waits(11)));
        assert_eq!(press(&mut queue, KeyCode::Esc, &[]), Wish::Close);
    }

    #[test]
    fn its_rows_fit_and_nothing_moves_in_them() {
        let all: Vec<Waits> = (0..30).map(waits).collect();
        let queue = Queue::of(&all);
        for height in 1..20 {
            let rows = queue.rows(&all, (40, height));
            assert!(rows.len() <= height);
            assert!(rows.iter().all(|row| row.width() <= 40));
            assert!(!rows.iter().any(|row| row.to_string().contains('\u{1b}')));
        }
    }
}
