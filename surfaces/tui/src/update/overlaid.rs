//! Keys and news while something stands on the alternate screen. None of them reaches a question.

use super::answering;
use super::outcome::refused;
use crate::message::Command;
use crate::overlay::{Overlay, room};
use crate::page::{Next, Page, Turn};
use crate::picker::{Picker, Wish};
use crate::state::State;
use crate::subject::Subject;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::text::Line;
use text::escape::visible_line;

/// Shows a page that is being read.
pub(super) fn inspect(state: &mut State, subject: Subject) -> Vec<Command> {
    let mut page = Page::new(room(state.size));
    page.fill(vec![Line::styled("reading…", crate::lines::faint())]);
    state.overlay = Some(Overlay::Page(subject, page));
    vec![Command::Inspect(subject)]
}

/// Shows the sessions, which are being read.
pub(super) fn sessions(state: &mut State) -> Vec<Command> {
    state.overlay = Some(Overlay::Sessions(Picker::default()));
    vec![Command::ListSessions]
}

/// Back to the normal screen. A question that came meanwhile is put only now, and one that stood there
/// is put anew: nothing typed elsewhere counts for it.
fn close(state: &mut State) {
    state.overlay = None;
    let now = state.now;
    let is_draft_begun = !state.input.is_empty();
    if let Some(dialog) = &mut state.dialog {
        dialog.stand_again(now, is_draft_begun);
    }
    answering::put_waiting(state);
}

/// A key for what stands there.
pub(super) fn pressed(state: &mut State, key: KeyEvent) -> Vec<Command> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        match key.code {
            KeyCode::Char('z') => return vec![Command::Suspend],
            KeyCode::Char('l') => return vec![Command::Redraw],
            _ => {}
        }
    }
    match &mut state.overlay {
        None => Vec::new(),
        Some(Overlay::Page(_, page)) => {
            if in_page(page, key) == Stay::No {
                close(state);
            }
            Vec::new()
        }
        Some(Overlay::Sessions(picker)) => {
            let wish = picker.pressed(key);
            let preview = picker.next_preview().map(Command::Preview);
            let mut done = granted(state, wish);
            done.extend(preview);
            done
        }
    }
}

fn granted(state: &mut State, wish: Wish) -> Vec<Command> {
    let is_busy = state.shown_request.is_some();
    match wish {
        Wish::None => Vec::new(),
        Wish::Close => {
            close(state);
            Vec::new()
        }
        Wish::Resume(id) if id == state.session.session_id => {
            close(state);
            Vec::new()
        }
        Wish::Resume(_) | Wish::Fork(_) if is_busy => {
            say(
                state,
                "a request still runs in this session: stop it with Esc first",
            );
            Vec::new()
        }
        Wish::Resume(id) => vec![Command::GoTo(id)],
        Wish::Fork(id) => vec![Command::Fork(id)],
        Wish::Export(id) => vec![Command::Export(id)],
    }
}

/// Says something where the sessions are, or in the scrollback.
pub(super) fn say(state: &mut State, text: &str) -> Option<Command> {
    match &mut state.overlay {
        Some(Overlay::Sessions(picker)) => {
            picker.say(visible_line(text));
            None
        }
        _ => Some(state.note(&visible_line(text))),
    }
}

/// Whether what is shown stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stay {
    Yes,
    No,
}

fn in_page(page: &mut Page, key: KeyEvent) -> Stay {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    if page.typed().is_some() {
        match key.code {
            KeyCode::Esc => page.drop_search(),
            KeyCode::Char('c') if is_ctrl => page.drop_search(),
            KeyCode::Enter => page.search(),
            KeyCode::Backspace => page.pop(),
            KeyCode::Char(letter) if !is_ctrl => page.push_letter(letter),
            _ => {}
        }
        return Stay::Yes;
    }
    match key.code {
        KeyCode::Esc | KeyCode::Char('q') => return Stay::No,
        KeyCode::Char('c' | 'd') if is_ctrl => return Stay::No,
        KeyCode::Up | KeyCode::Char('k') => page.turn(Turn::Up),
        KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => page.turn(Turn::Down),
        KeyCode::PageUp | KeyCode::Char('b') => page.turn(Turn::PageUp),
        KeyCode::PageDown | KeyCode::Char(' ') => page.turn(Turn::PageDown),
        KeyCode::Home | KeyCode::Char('g') => page.turn(Turn::Top),
        KeyCode::End | KeyCode::Char('G') => page.turn(Turn::End),
        KeyCode::Char('/') => page.begin_search(),
        KeyCode::Char('n') => page.next(Next::After),
        KeyCode::Char('N') => page.next(Next::Before),
        KeyCode::Char('w') => page.turn_long(),
        _ => {}
    }
    Stay::Yes
}

/// A paste is typed where something can be typed, and else nothing.
pub(super) fn pasted(state: &mut State, text: &str) -> Vec<Command> {
    let letters = text.lines().next().unwrap_or_default().chars();
    match &mut state.overlay {
        Some(Overlay::Page(_, page)) => letters.for_each(|letter| page.push_letter(letter)),
        Some(Overlay::Sessions(picker)) => {
            letters.for_each(|letter| picker.push(letter));
            return picker
                .next_preview()
                .map(Command::Preview)
                .into_iter()
                .collect();
        }
        None => {}
    }
    Vec::new()
}

/// The terminal has another size.
pub(super) fn resized(state: &mut State) {
    let room = room(state.size);
    if let Some(Overlay::Page(_, page)) = &mut state.overlay {
        page.lay(room);
    }
}

/// A page was read.
pub(super) fn filled(state: &mut State, subject: Subject, lines: Vec<Line<'static>>) {
    if let Some(Overlay::Page(shown, page)) = &mut state.overlay
        && *shown == subject
    {
        page.fill(lines);
    }
}

/// The picker, where it is open.
pub(super) fn picker(state: &mut State) -> Option<&mut Picker> {
    match &mut state.overlay {
        Some(Overlay::Sessions(picker)) => Some(picker),
        _ => None,
    }
}

/// What `/inspect NAME` asks for.
pub(super) fn named(state: &mut State, name: &str) -> Vec<Command> {
    let found = Subject::ALL.into_iter().find(|one| one.name() == name);
    match found {
        Some(subject) => inspect(state, subject),
        None => {
            let names = Subject::ALL.map(Subject::name).join(", ");
            vec![refused(
                state,
                "which of them is to be shown?",
                &format!("Type /inspect and one of {names}."),
            )]
        }
    }
}
