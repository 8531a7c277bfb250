//! Something typed that nobody else may see, or read from standard input.

use crate::exit::{Exit, Failure};
use anyhow::{Context, Result};
use api::secrets::{SECRET_VALUE_BYTES, SecretValue};
use domain::fault::Fault;
use rendering::print_error;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use std::io::{IsTerminal, Read, Stdin};
use zeroize::Zeroizing;

/// Bytes that end, cancel or edit a line in a terminal.
const ENTER: [u8; 2] = [b'\r', b'\n'];
const CANCEL: [u8; 2] = [0x03, 0x04];
const ERASE: [u8; 2] = [0x08, 0x7f];
const ERASE_ALL: u8 = 0x15;

/// Asks at the terminal, without showing what is typed; a second time where it must not be
/// mistyped. Without a terminal it is standard input, less one line end, and that is said.
///
/// # Errors
/// When it is empty, too long, cancelled, or the two do not match.
pub fn ask(what: &str, twice: Twice) -> Result<SecretValue> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return piped(&stdin);
    }
    let first = typed(&stdin, &format!("{what}: "))?;
    if twice == Twice::Yes {
        let again = typed(&stdin, &format!("{what}, once more: "))?;
        if !first.matches(again.expose()) {
            return Err(
                Failure::usage("the two do not match", "Nothing was stored. Try again.").into(),
            );
        }
    }
    Ok(first)
}

/// Whether something is typed a second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twice {
    /// It is.
    Yes,
    /// It is not.
    No,
}

fn piped(stdin: &Stdin) -> Result<SecretValue> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(SECRET_VALUE_BYTES + 2));
    let limit = SECRET_VALUE_BYTES as u64 + 2;
    stdin
        .lock()
        .take(limit)
        .read_to_end(&mut bytes)
        .context("standard input cannot be read")?;
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
        if bytes.last() == Some(&b'\r') {
            bytes.pop();
        }
        print_error("note: the line end was left out\n")?;
    }
    checked(&bytes)
}

/// One line from the terminal.
fn typed(stdin: &Stdin, prompt: &str) -> Result<SecretValue> {
    let _quiet = Quiet::begin(stdin)?;
    print_error(prompt)?;
    let mut line = Zeroizing::new(Vec::with_capacity(SECRET_VALUE_BYTES + 1));
    let mut byte = [0];
    loop {
        let read = rustix::io::read(stdin, &mut byte).context("the terminal cannot be read")?;
        match byte[0] {
            _ if read == 0 => return Err(cancelled()),
            end if ENTER.contains(&end) => break,
            end if CANCEL.contains(&end) => return Err(cancelled()),
            back if ERASE.contains(&back) => erase(&mut line),
            ERASE_ALL => line.clear(),
            _ if line.len() > SECRET_VALUE_BYTES => {}
            typed => line.push(typed),
        }
    }
    print_error("\n")?;
    checked(&line)
}

/// Takes back one character, which may have several bytes.
fn erase(line: &mut Vec<u8>) {
    while let Some(byte) = line.pop() {
        if byte & 0xc0 != 0x80 {
            break;
        }
    }
}

fn checked(bytes: &[u8]) -> Result<SecretValue> {
    let value = SecretValue::new(bytes.to_vec());
    match api::secrets::check_value(&value) {
        Ok(()) => Ok(value),
        Err(error) => Err(Failure::usage(error.to_string(), "Nothing was stored.").into()),
    }
}

fn cancelled() -> anyhow::Error {
    let fault = Fault {
        code: "carl.usage".to_owned(),
        message: "cancelled; nothing was changed".to_owned(),
        hint: String::new(),
    };
    Failure {
        exit: Exit::Interrupted,
        fault,
    }
    .into()
}

/// A terminal that shows nothing of what is typed and gives every byte at once. Ctrl-C is a byte,
/// too: a signal would end the process and leave the terminal mute.
struct Quiet<'a> {
    stdin: &'a Stdin,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn begin(stdin: &'a Stdin) -> Result<Self> {
        let before = tcgetattr(stdin).context("the terminal cannot be set up")?;
        let mut quiet = before.clone();
        quiet
            .local_modes
            .remove(LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG);
        quiet.special_codes[SpecialCodeIndex::VMIN] = 1;
        quiet.special_codes[SpecialCodeIndex::VTIME] = 0;
        // What was typed before the question is thrown away: it was meant for something else.
        tcsetattr(stdin, OptionalActions::Flush, &quiet)
            .context("the terminal cannot be set up")?;
        Ok(Self { stdin, before })
    }
}

impl Drop for Quiet<'_> {
    fn drop(&mut self) {
        // A terminal that is gone cannot be set back.
        let _gone = tcsetattr(self.stdin, OptionalActions::Now, &self.before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_character_is_erased_whole() {
        let mut line = "aä€".as_bytes().to_vec();
        erase(&mut line);
        assert_eq!(line, "aä".as_bytes());
        erase(&mut line);
        assert_eq!(line, b"a");
        erase(&mut line);
        erase(&mut line);
        assert!(line.is_empty());
    }
}
