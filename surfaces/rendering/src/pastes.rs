//! What is pasted, where the terminal marks it (xterm's bracketed paste), and what keys leave in a line
//! that the terminal edits itself.

use crate::foreground;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{LocalModes, OptionalActions, tcsetattr};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// Has the terminal mark what is pasted, and no longer.
const MARKED: &str = "\x1b[?2004h";
const UNMARKED: &str = "\x1b[?2004l";
/// The marks around what is pasted.
pub(crate) const BEGINS: &str = "\x1b[200~";
pub(crate) const ENDS: &str = "\x1b[201~";

/// How long what follows within one paste may take to come.
const AT_ONCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 100_000_000,
};
/// After how long nothing more comes of a paste without an end.
const SILENCE: Timespec = Timespec {
    tv_sec: 0,
    tv_nsec: 300_000_000,
};

/// Whether a paste was left whose end had not come.
static IS_LEFT_OPEN: AtomicBool = AtomicBool::new(false);

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

/// Whether a paste is open after these bytes, where it was so before them or not.
#[must_use]
pub fn is_open_after(was_open: bool, bytes: &[u8]) -> bool {
    let last = |mark: &str| {
        let mark = mark.as_bytes();
        bytes.windows(mark.len()).rposition(|part| part == mark)
    };
    match (last(BEGINS), last(ENDS)) {
        (None, None) => was_open,
        (begins, ends) => begins > ends,
    }
}

/// Whether the paste that was read last had not ended when nothing more came of it.
#[must_use]
pub fn is_left_open() -> bool {
    IS_LEFT_OPEN.load(Ordering::SeqCst)
}

/// Says whether a paste is open where nobody reads it further.
pub(crate) fn leave(is_open: bool) {
    IS_LEFT_OPEN.store(is_open, Ordering::SeqCst);
}

/// What is left of a paste that has begun: up to its end, or until nothing more comes of it. What is
/// beyond so many bytes is read and left out: it is no answer to anything either.
///
/// # Errors
/// When the terminal cannot be read.
pub fn rest(most: usize) -> io::Result<Vec<u8>> {
    let (mut rest, mut latest) = (Vec::new(), Vec::new());
    let mut is_open = true;
    by_letters(|| {
        while is_open && waits(&SILENCE)? {
            // A mark may come in two parts.
            let seen = latest.len().saturating_sub(ENDS.len());
            latest.drain(..seen);
            let before = latest.len();
            if take(&mut latest)? == 0 {
                break;
            }
            is_open = is_open_after(true, &latest);
            let room = most.saturating_sub(rest.len());
            rest.extend(latest[before..].iter().take(room));
        }
        Ok(())
    })?;
    leave(is_open);
    // Whether Enter came behind it is to be seen.
    if !is_open && rest.len() >= most {
        let end = latest
            .windows(ENDS.len())
            .rposition(|part| part == ENDS.as_bytes());
        rest.extend_from_slice(&latest[end.unwrap_or(latest.len())..]);
    }
    Ok(rest)
}

/// What comes at once behind a line, which may be the rest of a paste whose mark the terminal took out
/// of its line, as it does with what is mended by a pasted Ctrl-U. At most so many bytes.
///
/// # Errors
/// When the terminal cannot be read.
pub fn behind(most: usize) -> io::Result<Vec<u8>> {
    let mut behind = Vec::new();
    by_letters(|| {
        while behind.len() < most && waits(&AT_ONCE)? && take(&mut behind)? > 0 {}
        Ok(())
    })?;
    Ok(behind)
}

/// Whether a paste ends in what stands behind a line, although none has begun.
#[must_use]
pub fn ends_unbegun(line: &[u8], behind: &[u8]) -> bool {
    let count = |mark: &str| {
        let marks = |bytes: &[u8]| {
            bytes
                .windows(mark.len())
                .filter(|w| *w == mark.as_bytes())
                .count()
        };
        marks(line) + marks(behind)
    };
    count(ENDS) > count(BEGINS)
}

/// The mark with which a paste begins.
#[must_use]
pub const fn beginning() -> &'static [u8] {
    BEGINS.as_bytes()
}

/// Whether more stands or comes behind the line that was read, as behind one of a paste: also after a
/// pause, which a slow connection makes in the midst of one.
///
/// # Errors
/// When the terminal cannot be read.
pub(crate) fn is_followed() -> io::Result<bool> {
    by_letters(|| waits(&SILENCE))
}

/// Whether a line ends behind the paste that this is the rest of.
pub(crate) fn is_entered(rest: &str) -> bool {
    let behind = rest.split_once(ENDS);
    behind.is_some_and(|(_, typed)| typed.contains('\n'))
}

/// All that waits in the terminal, lines without an end as well.
///
/// # Errors
/// When the terminal cannot be read.
pub(crate) fn waiting() -> io::Result<Vec<u8>> {
    let mut all = Vec::new();
    by_letters(|| {
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        while waits(&now)? && take(&mut all)? > 0 {}
        Ok(())
    })?;
    Ok(all)
}

/// Does something while the terminal hands out single characters: else it keeps a line until its end.
fn by_letters<T>(work: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let stdin = io::stdin();
    let by_lines = foreground::settings(&stdin)?;
    let mut by_letters = by_lines.clone();
    by_letters.local_modes.remove(LocalModes::ICANON);
    tcsetattr(&stdin, OptionalActions::Now, &by_letters)?;
    let done = work();
    tcsetattr(&stdin, OptionalActions::Now, &by_lines)?;
    done
}

fn waits(time: &Timespec) -> io::Result<bool> {
    let stdin = io::stdin();
    match poll(&mut [PollFd::new(&stdin, PollFlags::IN)], Some(time)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads what is there, past any buffer; how much it was.
fn take(into: &mut Vec<u8>) -> io::Result<usize> {
    let mut bytes = [0; 4_096];
    let count = rustix::io::read(io::stdin(), &mut bytes)?;
    into.extend_from_slice(&bytes[..count]);
    Ok(count)
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
