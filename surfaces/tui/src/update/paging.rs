//! Keys for a page.

use crate::page::{Next, Page, Turn};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// Whether what is shown stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stay {
    Yes,
    No,
}

/// A key for a page.
pub(super) fn in_page(page: &mut Page, key: KeyEvent) -> Stay {
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
        KeyCode::Char('v') => page.begin_marking(),
        _ => {}
    }
    Stay::Yes
}
