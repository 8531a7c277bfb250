//! Keys and news of the panes.

use super::{answering, marking};
use crate::message::Command;
use crate::page::{Next, Turn};
use crate::panes::{Layout, Pane};
use crate::state::State;
use crate::vi::Mode;
use crate::view;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::event::Event;
use domain::id::SessionId;

/// What every message may change: how wide the panes are, and whether their past is to be read.
pub(super) fn follow(state: &mut State) -> Option<Command> {
    if !state.panes.is_open() {
        return None;
    }
    for pane in Pane::ALL {
        if let Some(columns) = view::pane_width(state, pane) {
            state.panes.lay_width(pane, columns);
        }
    }
    state.panes.wants_past().map(Command::ReadPast)
}

/// The past was read, of the session that is held or of one before.
pub(super) fn past(state: &mut State, id: SessionId, events: &[Event]) {
    if id == state.session.session_id {
        state.panes.put_past(events);
    }
}

/// Shows the session in panes, or on the normal screen again. A question is put anew: nothing typed
/// before counts for it.
pub(super) fn turn_layout(state: &mut State) {
    let layout = match state.panes.layout() {
        Layout::Focus => Layout::Panes,
        Layout::Panes => Layout::Focus,
    };
    state.panes.show(layout);
    put_anew(state);
}

/// Gives the pane in focus the whole room, or its own again.
pub(super) fn zoom(state: &mut State) {
    if state.panes.is_open() {
        state.panes.zoom();
    }
}

/// Whether keys that move in a text move in the pane in focus: nothing else takes them.
pub(super) fn has_keys(state: &State) -> bool {
    state.panes.is_open() && state.dialog.is_none() && state.help.is_none()
}

/// Scrolls the pane in focus.
pub(super) fn turn(state: &mut State, turn: Turn) {
    if let Some(size) = size(state) {
        state.panes.turn(turn, size);
    }
}

fn size(state: &State) -> Option<(usize, usize)> {
    view::pane_size(state, state.panes.focus())
}

/// Whether a key begins a search in the pane in focus: `/` in vi's normal mode, where no text is typed.
pub(super) fn begins_search(state: &State, key: KeyEvent) -> bool {
    let is_held = key
        .modifiers
        .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
    let is_slash = key.code == KeyCode::Char('/') && !is_held;
    is_slash && state.input.mode() == Some(Mode::Normal) && has_keys(state)
}

/// What to search for is typed from now on. While a question stands keys are for it.
pub(super) fn begin_search(state: &mut State) {
    if has_keys(state) {
        state.panes.begin_search();
    }
}

/// Lines of the pane in focus are marked from now on. While a question stands keys are for it.
pub(super) fn begin_marking(state: &mut State) {
    if let Some(size) = size(state).filter(|_| has_keys(state)) {
        state.panes.page_in_focus(size).begin_marking();
    }
}

/// A key while lines are marked. None of them reaches a question or the input.
pub(super) fn marked(state: &mut State, key: KeyEvent) -> Vec<Command> {
    if let Some(command) = of_terminal(key) {
        return vec![command];
    }
    let Some(size) = size(state) else {
        state.panes.end_search();
        return Vec::new();
    };
    let done = marking::pressed(state.panes.page_in_focus(size), key);
    if !state.panes.has_keys() {
        put_anew(state);
    }
    done
}

/// What keys do wherever keys are for something of their own.
fn of_terminal(key: KeyEvent) -> Option<Command> {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('z') if is_ctrl => Some(Command::Suspend),
        KeyCode::Char('l') if is_ctrl => Some(Command::Redraw),
        _ => None,
    }
}

/// A key while a search is typed. None of them reaches a question or the input.
pub(super) fn searched(state: &mut State, key: KeyEvent) -> Vec<Command> {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let on = |state: &mut State, next| {
        if let Some(size) = size(state) {
            state.panes.search_on(next, size);
        }
    };
    if let Some(command) = of_terminal(key) {
        return vec![command];
    }
    match key.code {
        KeyCode::Esc | KeyCode::F(_) => state.panes.end_search(),
        KeyCode::Char('c' | 'd' | 'f') if is_ctrl => state.panes.end_search(),
        KeyCode::Enter | KeyCode::Up => on(state, Next::Before),
        KeyCode::Down => on(state, Next::After),
        KeyCode::PageUp => turn(state, Turn::PageUp),
        KeyCode::PageDown => turn(state, Turn::PageDown),
        KeyCode::Backspace => state.panes.search_pop(),
        KeyCode::Char(letter) if !is_ctrl => state.panes.search_push(letter),
        _ => {}
    }
    if !state.panes.is_searching() {
        put_anew(state);
    }
    Vec::new()
}

/// A paste while a search is typed.
pub(super) fn pasted(state: &mut State, text: &str) {
    let letters = text.lines().next().unwrap_or_default().chars();
    letters.for_each(|letter| state.panes.search_push(letter));
}

/// A question that stands is put anew, and one that came meanwhile is put now.
fn put_anew(state: &mut State) {
    state.stand_again();
    answering::put_waiting(state);
}
