//! Something typed that nobody else may see, or read from standard input.

use crate::exit::{Exit, Failure};
use anyhow::{Context, Result};
use api::secrets::{Error, SECRET_VALUE_BYTES, SecretValue};
use domain::fault::Fault;
use rendering::{foreground, print_error};
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcsetattr};
use std::io::{IsTerminal, Read, Stdin};
use zeroize::Zeroizing;

/// Bytes that end, cancel or edit a line in a terminal.
const ENTER: [u8; 2] = [b'\r', b'\n'];
const CANCEL: [u8; 2] = [0x03, 0x04];
const ERASE: [u8; 2] = [0x08, 0x7f];
const ERASE_ALL: u8 = 0x15;

/// What is typed unseen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// A secret, which must not be mistyped.
    Secret,
    /// The passphrase of a file that is there: a mistyped one does not open it.
    Passphrase,
    /// The passphrase of a file to be made, which must not be mistyped.
    NewPassphrase {
        /// How many characters it has at the least.
        least_chars: usize,
    },
}

impl Hidden {
    const fn prompt(self) -> &'static str {
        match self {
            Self::Secret => "The secret (it is not shown)",
            Self::Passphrase | Self::NewPassphrase { .. } => {
                "The passphrase of the encrypted file (it is not shown)"
            }
        }
    }

    /// What is certain where it is left.
    const fn left(self) -> &'static str {
        match self {
            Self::Secret => "The secret was not stored.",
            Self::Passphrase => "Nothing was unlocked.",
            Self::NewPassphrase { .. } => "No file was made.",
        }
    }

    /// Refuses what cannot be kept, or cannot be a passphrase.
    fn check(self, value: &SecretValue) -> Result<()> {
        let Err(error) = api::secrets::check_value(value) else {
            return Ok(());
        };
        let failure = match (self, error) {
            (Self::Secret, error) => Failure::usage(error.to_string(), "Nothing was stored."),
            (_, Error::InvalidValue { problem }) => unusable(problem),
            (_, error) => unusable(&error.to_string()),
        };
        Err(failure.into())
    }

    /// What a new passphrase is refused with.
    fn too_short(self, value: &SecretValue) -> Option<String> {
        let Self::NewPassphrase { least_chars } = self else {
            return None;
        };
        let text = Zeroizing::new(String::from_utf8_lossy(value.expose()).into_owned());
        let is_short = text.chars().count() < least_chars;
        is_short.then(|| format!("that is too short: {least_chars} characters or more"))
    }
}

fn unusable(problem: &str) -> Failure {
    let message = format!("the passphrase cannot be used: {problem}");
    Failure::usage(message, "Nothing was changed.")
}

/// Asks at the terminal, without showing what is typed; a second time where it must not be
/// mistyped. Without a terminal it is standard input, less one line end.
///
/// # Errors
/// When it is empty or too long, or left with Ctrl-C; without a terminal, when it is too short, too.
pub fn ask(what: Hidden) -> Result<SecretValue> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        let value = piped(&stdin)?;
        what.check(&value)?;
        return match what.too_short(&value) {
            Some(why) => Err(unusable(&why).into()),
            None => Ok(value),
        };
    }
    loop {
        let value = typed(&stdin, what, ": ")?;
        what.check(&value)?;
        // Before it is typed again in vain.
        if let Some(why) = what.too_short(&value) {
            print_error(&format!("{why}\n"))?;
            continue;
        }
        if what == Hidden::Passphrase
            || typed(&stdin, what, ", once more: ")?.matches(value.expose())
        {
            return Ok(value);
        }
        print_error("the two do not match; type it again, or Ctrl-C to leave it\n")?;
    }
}

/// All of standard input, less the one line end that `echo`, editors and password programs put
/// there. That is not said: it is so each time, and a secret with a line end of its own can be given
/// one more.
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
    }
    Ok(SecretValue::new(bytes.to_vec()))
}

/// One line from the terminal.
fn typed(stdin: &Stdin, what: Hidden, end: &str) -> Result<SecretValue> {
    let _quiet = Quiet::begin(stdin)?;
    print_error(&format!("{}{end}", what.prompt()))?;
    let mut line = Zeroizing::new(Vec::with_capacity(SECRET_VALUE_BYTES + 1));
    let mut byte = [0];
    loop {
        let read = rustix::io::read(stdin, &mut byte).context("the terminal cannot be read")?;
        match byte[0] {
            _ if read == 0 => return cancelled(what),
            end if ENTER.contains(&end) => break,
            end if CANCEL.contains(&end) => return cancelled(what),
            back if ERASE.contains(&back) => erase(&mut line),
            ERASE_ALL => line.clear(),
            _ if line.len() > SECRET_VALUE_BYTES => {}
            typed => line.push(typed),
        }
    }
    print_error("\n")?;
    Ok(SecretValue::new(line.to_vec()))
}

/// Takes back one character, which may have several bytes.
fn erase(line: &mut Vec<u8>) {
    while let Some(byte) = line.pop() {
        if byte & 0xc0 != 0x80 {
            break;
        }
    }
}

fn cancelled(what: Hidden) -> Result<SecretValue> {
    // What comes of it does not stand on the question's own line.
    print_error("\n")?;
    let fault = Fault {
        code: "carl.usage".to_owned(),
        message: "cancelled".to_owned(),
        hint: what.left().to_owned(),
    };
    let failure = Failure {
        exit: Exit::Interrupted,
        fault,
    };
    Err(failure.into())
}

/// A terminal that shows nothing of what is typed and gives every byte at once. Ctrl-C is a byte,
/// too: a signal would end the process and leave the terminal mute.
struct Quiet<'a> {
    stdin: &'a Stdin,
    before: Termios,
}

impl<'a> Quiet<'a> {
    fn begin(stdin: &'a Stdin) -> Result<Self> {
        let before = foreground::settings(stdin).context("the terminal cannot be set up")?;
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
