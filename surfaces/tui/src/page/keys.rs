//! The keys of a page: what each does, and what the help says of it.

use super::{Next, Turn};
use crossterm::event::KeyCode;

/// What a key does on a page.
#[derive(Debug, Clone, Copy)]
pub enum OnPage {
    /// Closes it.
    Close,
    /// Scrolls it.
    Turn(Turn),
    /// Begins a search.
    Search,
    /// Goes on to another match.
    Next(Next),
    /// Breaks long lines or cuts them off.
    Width,
    /// Marks lines.
    Mark,
}

/// Keys of a page, what they do, and how the help names them; those of one line of it follow one another.
type Row = (&'static [KeyCode], OnPage, &'static str, &'static str);

const TABLE: [Row; 12] = [
    (
        &[KeyCode::Esc, KeyCode::Char('q')],
        OnPage::Close,
        "Esc, q",
        "close it",
    ),
    (
        &[KeyCode::Up, KeyCode::Char('k')],
        OnPage::Turn(Turn::Up),
        "Up, Down, k, j",
        "scroll by a row",
    ),
    (
        &[KeyCode::Down, KeyCode::Char('j'), KeyCode::Enter],
        OnPage::Turn(Turn::Down),
        "",
        "",
    ),
    (
        &[KeyCode::PageUp, KeyCode::Char('b')],
        OnPage::Turn(Turn::PageUp),
        "PageUp, PageDown",
        "by a page (also b, Space)",
    ),
    (
        &[KeyCode::PageDown, KeyCode::Char(' ')],
        OnPage::Turn(Turn::PageDown),
        "",
        "",
    ),
    (
        &[KeyCode::Home, KeyCode::Char('g')],
        OnPage::Turn(Turn::Top),
        "Home, End, g, G",
        "to its beginning or end",
    ),
    (
        &[KeyCode::End, KeyCode::Char('G')],
        OnPage::Turn(Turn::End),
        "",
        "",
    ),
    (
        &[KeyCode::Char('/')],
        OnPage::Search,
        "/, n, N",
        "search; the next match; the one before",
    ),
    (&[KeyCode::Char('n')], OnPage::Next(Next::After), "", ""),
    (&[KeyCode::Char('N')], OnPage::Next(Next::Before), "", ""),
    (
        &[KeyCode::Char('w')],
        OnPage::Width,
        "w",
        "break long lines, or cut them off",
    ),
    (
        &[KeyCode::Char('v')],
        OnPage::Mark,
        "v",
        "mark lines to copy",
    ),
];

/// What the help says of the keys of a page.
pub fn named() -> impl Iterator<Item = (&'static str, &'static str)> {
    let all = TABLE.iter().map(|(.., name, about)| (*name, *about));
    all.filter(|(name, _)| !name.is_empty())
}

/// What the help says of the keys while lines are marked.
pub const OF_MARKS: [(&str, &str); 3] = [
    ("Enter, y", "copy them; Esc ends it"),
    ("Space, v", "begin at the line that was gone to"),
    (
        "Ctrl+U, Ctrl+D",
        "half a page (a page: Ctrl+B, Ctrl+F); the others as on pages",
    ),
];

/// What this key does.
#[must_use]
pub fn on_page(key: KeyCode) -> Option<OnPage> {
    let found = TABLE.iter().find(|(keys, ..)| keys.contains(&key));
    found.map(|(_, does, ..)| *does)
}
