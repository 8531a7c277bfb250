//! Keys while lines of a page or a pane are marked.

use crate::message::Command;
use crate::page::{Page, Turn};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key while lines are marked: moves, copies or ends it. A search ends it as well.
pub(super) fn pressed(page: &mut Page, key: KeyEvent) -> Vec<Command> {
    let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c') if is_ctrl => page.end_marking(),
        // As in the copy mode of tmux with the keys of vi.
        KeyCode::Char('d') if is_ctrl => page.mark_to(Turn::HalfDown),
        KeyCode::Char('u') if is_ctrl => page.mark_to(Turn::HalfUp),
        KeyCode::Char('f') if is_ctrl => page.mark_to(Turn::PageDown),
        KeyCode::Char('b') if is_ctrl => page.mark_to(Turn::PageUp),
        KeyCode::Char(_) if is_ctrl => {}
        KeyCode::Esc | KeyCode::F(_) | KeyCode::Char('q') => page.end_marking(),
        KeyCode::Up | KeyCode::Char('k') => page.mark_to(Turn::Up),
        KeyCode::Down | KeyCode::Char('j') => page.mark_to(Turn::Down),
        KeyCode::PageUp | KeyCode::Char('b') => page.mark_to(Turn::PageUp),
        KeyCode::PageDown => page.mark_to(Turn::PageDown),
        KeyCode::Home | KeyCode::Char('g') => page.mark_to(Turn::Top),
        KeyCode::End | KeyCode::Char('G') => page.mark_to(Turn::End),
        KeyCode::Char(' ' | 'v') => page.mark_from_here(),
        KeyCode::Char('/') => {
            page.end_marking();
            page.begin_search();
        }
        KeyCode::Enter | KeyCode::Char('y') => return copied(page),
        _ => {}
    }
    Vec::new()
}

fn copied(page: &mut Page) -> Vec<Command> {
    match page.marked() {
        Ok(copied) => {
            page.end_marking();
            let lines = if copied.lines == 1 { "line" } else { "lines" };
            page.say(format!("copied {} {lines}", copied.lines));
            vec![Command::Copy(copied.text)]
        }
        Err(said) => {
            page.say(said);
            Vec::new()
        }
    }
}
