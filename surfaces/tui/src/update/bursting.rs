//! Keys that come as a paste does, from a terminal that does not mark what is pasted: a line end among
//! them is one of the draft, and sends nothing.

use super::typing;
use crate::burst::{Burst, LineEnd};
use crate::input::Edit;
use crate::keys::Action;
use crate::message::Command;
use crate::state::State;
use crate::vi::Mode;
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::Instant;

/// A key was pressed.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> Vec<Command> {
    if key.kind == KeyEventKind::Release {
        return Vec::new();
    }
    let mut done = go_on(state);
    let is_plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    let is_taken = match key.code {
        KeyCode::Char(_) if is_plain && is_typing(state) => {
            if state.burst.letter(state.now) && state.burst.take_open().is_some() {
                done.extend(typing::edit(state, Edit::NewLine));
            }
            false
        }
        KeyCode::Tab if is_plain && is_typing(state) && state.burst.letter(state.now) => {
            if state.burst.take_open().is_some() {
                done.extend(typing::edit(state, Edit::NewLine));
            }
            done.extend(typing::pasted(state, "\t"));
            true
        }
        KeyCode::Enter if key.modifiers.is_empty() && is_typing(state) => {
            match state.burst.line_end(state.now) {
                LineEnd::Alone => false,
                LineEnd::Open => true,
                LineEnd::Pasted => {
                    if state.burst.take_open().is_some() {
                        done.extend(typing::edit(state, Edit::NewLine));
                    }
                    done.extend(typing::edit(state, Edit::NewLine));
                    true
                }
            }
        }
        _ => {
            let open = state.burst.take_open();
            done.extend(enters(state, open));
            false
        }
    };
    if !is_taken {
        done.extend(typing::pressed(state, key));
    }
    done
}

/// The letter of a key, or its line end, where it goes on with a paste that is typed into the draft: of many
/// each by itself would have all of the draft looked at again.
pub fn gathers(state: &mut State, key: &KeyEvent, at: Instant) -> Option<char> {
    let is_plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty();
    if key.kind == KeyEventKind::Release || !is_plain || !is_typing(state) {
        return None;
    }
    let letter = match key.code {
        KeyCode::Char(letter) => letter,
        // With Shift it is a line end that was typed, whatever came before.
        KeyCode::Enter if key.modifiers.is_empty() => '\n',
        KeyCode::Tab => '\t',
        _ => return None,
    };
    state.burst.goes_on(at).then_some(letter)
}

/// What was taken together.
pub(super) fn gathered(state: &mut State, text: &str) -> Vec<Command> {
    state.completion.close();
    state.input.type_in(text);
    Vec::new()
}

/// A text was pasted that the terminal marked: what stands there then was told to be pasted.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Command> {
    state.burst = Burst::default();
    typing::pasted(state, text)
}

/// Takes a line end for Enter behind which nothing came.
pub(super) fn go_on(state: &mut State) -> Vec<Command> {
    let due = state.burst.take_due(state.now);
    enters(state, due)
}

/// Enter was pressed at a time.
fn enters(state: &mut State, at: Option<Instant>) -> Vec<Command> {
    let Some(at) = at else {
        return Vec::new();
    };
    // A line for the shell has to stand there before.
    let now = std::mem::replace(&mut state.now, at);
    let done = typing::act(state, Action::Enter);
    state.now = now;
    done
}

/// Whether keys change the draft.
fn is_typing(state: &State) -> bool {
    let is_covered = state.help.is_some() || state.overlay.is_some() || state.panes.has_keys();
    !is_covered && typing::is_draft(state) && state.input.mode() != Some(Mode::Normal)
}
