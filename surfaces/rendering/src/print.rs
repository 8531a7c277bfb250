//! Writing to standard output and standard error.

use super::fit;
use super::paint::CODES;
use std::borrow::Cow;
use std::io::{self, ErrorKind, IsTerminal, Write};
use text::escape::prose;

/// Writes a whole text to standard output. A reader that went away is not an error worth a
/// message: `carl session list | head` ends quietly.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: &str) -> io::Result<()> {
    quiet_on_broken_pipe(io::stdout().lock(), text).map_err(|error| unwritten(&error))
}

/// Writes a whole text to standard output, for a reader without whom there is nothing to go on for.
///
/// # Errors
/// Any failure to write; a closed pipe is one.
pub fn hand_out(text: &str) -> io::Result<()> {
    let mut stream = io::stdout().lock();
    let written = stream.write_all(for_stream(&stream, text).as_bytes());
    let written = written.and_then(|()| stream.flush());
    written.map_err(|error| unwritten(&error))
}

/// An error that says what could not be written: the user may have opened several files.
fn unwritten(error: &io::Error) -> io::Error {
    let told = format!("standard output cannot be written: {error}");
    io::Error::new(error.kind(), told)
}

/// The same as [`print()`] for messages on standard error, which are broken at words where that is a
/// terminal. A file that takes nothing more is none either: what is said there beside an answer is not
/// worth the answer. Questions are put at terminals alone.
///
/// # Errors
/// Any failure to write but a closed pipe and a disk without room.
pub fn print_error(text: &str) -> io::Result<()> {
    print_error_as_it_is(&fit::prose(text, fit::width(&io::stderr())))
}

/// The same for what is laid out already, or comes in pieces.
///
/// # Errors
/// As [`print_error`].
pub fn print_error_as_it_is(text: &str) -> io::Result<()> {
    match quiet_on_broken_pipe(io::stderr().lock(), text) {
        Err(error) if has_no_room(error.kind()) => Ok(()),
        other => other,
    }
}

fn has_no_room(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// A text for a terminal: colours are ours, and whatever else would move it is spelled out, whoever
/// forgot to.
#[must_use]
pub fn for_terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let codes = rest.match_indices('\u{1b}').find_map(|(at, _)| {
            let code = CODES.iter().find(|code| rest[at..].starts_with(**code))?;
            Some((at, *code))
        });
        let (at, code) = codes.unwrap_or((rest.len(), ""));
        out.push_str(&prose(&rest[..at]));
        out.push_str(code);
        rest = &rest[at + code.len()..];
    }
    out
}

fn for_stream<'a>(stream: &impl IsTerminal, text: &'a str) -> Cow<'a, str> {
    match stream.is_terminal() {
        true => Cow::Owned(for_terminal(text)),
        false => Cow::Borrowed(text),
    }
}

fn quiet_on_broken_pipe(mut stream: impl Write + IsTerminal, text: &str) -> io::Result<()> {
    match stream
        .write_all(for_stream(&stream, text).as_bytes())
        .and_then(|()| stream.flush())
    {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Paint;

    #[test]
    fn a_terminal_gets_our_colours_and_nothing_else_that_moves_it() {
        let ours = format!(
            "{}\t{}\n",
            Paint::Colour.good("é ✓"),
            Paint::Colour.strong("b")
        );
        assert_eq!(for_terminal(&ours), ours);
        let theirs = "a\u{1b}]0;x\u{7}\u{1b}[2J\u{9b}31m\u{202e}\r";
        let shown = "a\\u{1b}]0;x\\u{7}\\u{1b}[2J\\u{9b}31m\\u{202e}\\u{d}";
        assert_eq!(for_terminal(theirs), shown);
    }
}
