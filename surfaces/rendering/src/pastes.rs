//! What is pasted, where the terminal marks it (xterm's bracketed paste), and what keys leave in a line
//! that the terminal edits itself.

use std::io::{self, IsTerminal as _, Write as _};

/// Has the terminal mark what is pasted, and no longer.
const MARKED: &str = "\x1b[?2004h";
const UNMARKED: &str = "\x1b[?2004l";
/// The marks around what is pasted.
pub(crate) const BEGINS: &str = "\x1b[200~";
pub(crate) const ENDS: &str = "\x1b[201~";

/// Has pastes marked from now on, where this is a terminal; whether that is so.
///
/// # Errors
/// When the terminal cannot be written.
pub fn mark() -> io::Result<bool> {
    tell(MARKED)
}

/// Has pastes marked no more.
///
/// # Errors
/// When the terminal cannot be written.
pub fn unmark() -> io::Result<()> {
    tell(UNMARKED).map(drop)
}

/// Tells the terminal something that is not shown.
fn tell(code: &str) -> io::Result<bool> {
    // A file would keep the codes as text, and so would a terminal that knows none.
    let knows_codes = std::env::var_os("TERM").is_none_or(|kind| kind != "dumb");
    if !knows_codes || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(false);
    }
    let mut terminal = io::stderr().lock();
    terminal.write_all(code.as_bytes())?;
    terminal.flush().map(|()| true)
}

/// Whether a paste has begun in this text and has not ended.
#[must_use]
pub fn is_open(text: &[u8]) -> bool {
    last(text, BEGINS.as_bytes()) > last(text, ENDS.as_bytes())
}

/// Where a mark stands last.
fn last(text: &[u8], mark: &[u8]) -> Option<usize> {
    text.windows(mark.len()).rposition(|part| part == mark)
}

/// The text without the marks of pastes and the codes that keys such as the arrows send.
#[must_use]
pub fn typed_text(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut kept = String::with_capacity(text.len());
    let mut left = text.chars();
    while let Some(character) = left.next() {
        match character {
            '\u{1b}' => skip_code(&mut left),
            other => kept.push(other),
        }
    }
    kept
}

/// Skips the rest of a code, after ESC: `[`, parameters and a last character (ECMA-48 5.4), `O` and one
/// character, or one character alone.
fn skip_code(left: &mut std::str::Chars<'_>) {
    match left.next() {
        Some('[') => {
            let is_last = |character: &char| ('@'..='~').contains(character);
            let _last = left.find(is_last);
        }
        Some('O') => {
            let _key = left.next();
        }
        _ => {}
    }
}
