//! The page of what was said and done, a piece at a time.

use crate::lines::faint;
use crate::message::Command;
use crate::overlay::{Overlay, room};
use crate::page::Page;
use crate::refresh::Refresh;
use crate::state::State;
use crate::subject::Subject;
use crate::transcript::pieces;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::text::Line;

/// Shows the newest piece, which is being read.
pub(super) fn newest(state: &mut State) -> Vec<Command> {
    show(state, 0)
}

/// Shows a piece, which is being read.
fn show(state: &mut State, at: usize) -> Vec<Command> {
    let Some(piece) = pieces(&state.view).into_iter().nth(at) else {
        return vec![state.note("nothing was said yet")];
    };
    state.piece = at;
    let mut page = Page::new(room(state.size));
    page.fill(vec![Line::styled("reading…", faint())]);
    state.overlay = Some(Overlay::Page(Subject::History, page));
    state.refresh = Refresh::reading(state.now);
    vec![Command::ReadHistory(Box::new(piece))]
}

/// A key that leads to another piece; `None` for any other.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> Option<Vec<Command>> {
    let Some(Overlay::Page(Subject::History, page)) = &state.overlay else {
        return None;
    };
    if page.typed().is_some() || page.is_marking() {
        return None;
    }
    let count = pieces(&state.view).len();
    let to = match key.code {
        KeyCode::Char('<') => (state.piece + 1).min(count.saturating_sub(1)),
        KeyCode::Char('>') => state.piece.saturating_sub(1),
        _ => return None,
    };
    match to == state.piece {
        true => Some(Vec::new()),
        false => Some(show(state, to)),
    }
}
