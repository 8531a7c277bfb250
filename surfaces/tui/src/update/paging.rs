//! Keys for a page.

use crate::page::Page;
use crate::page::keys::{OnPage, on_page};
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
    if is_ctrl && matches!(key.code, KeyCode::Char('c' | 'd')) {
        return Stay::No;
    }
    match on_page(key.code) {
        Some(OnPage::Close) => return Stay::No,
        Some(OnPage::Turn(turn)) => page.turn(turn),
        Some(OnPage::Search) => page.begin_search(),
        Some(OnPage::Next(next)) => page.next(next),
        Some(OnPage::Width) => page.turn_long(),
        Some(OnPage::Mark) => page.begin_marking(),
        None => {}
    }
    Stay::Yes
}
