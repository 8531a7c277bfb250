//! What the mouse does: its wheel scrolls what is below it, and a press chooses a pane. It answers nothing.

use crate::message::{Command, Pointed};
use crate::page::{Page, Turn};
use crate::state::State;
use crate::view;

/// Rows that a turn of the wheel scrolls by.
const WHEEL_ROWS: usize = 3;

/// The mouse did something at a column and row.
pub(super) fn pointed(state: &mut State, what: Pointed, at: (u16, u16)) -> Vec<Command> {
    let turn = match what {
        Pointed::WheelUp => Some(Turn::Up),
        Pointed::WheelDown => Some(Turn::Down),
        Pointed::Pressed => None,
    };
    done(state, turn, at);
    Vec::new()
}

/// Turns what is there, or chooses it.
fn done(state: &mut State, turn: Option<Turn>, at: (u16, u16)) {
    if let Some(overlay) = &mut state.overlay {
        if let (Some(page), Some(turn)) = (overlay.page_mut(), turn) {
            scroll(page, turn);
        }
        return;
    }
    // Whoever searches or marks lines is not taken from them.
    if !state.panes.is_open() || state.panes.has_keys() {
        return;
    }
    let Some(pane) = view::pane_at(state, at) else {
        return;
    };
    match (turn, view::pane_size(state, pane)) {
        (None, _) => state.panes.focus_on(pane),
        (Some(turn), Some(size)) => {
            for _ in 0..WHEEL_ROWS {
                state.panes.turn_pane(pane, turn, size);
            }
        }
        (Some(_), None) => {}
    }
}

fn scroll(page: &mut Page, turn: Turn) {
    if !page.is_marking() {
        for _ in 0..WHEEL_ROWS {
            page.turn(turn);
        }
    }
}
