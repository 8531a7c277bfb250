//! How a text file is stored: its encoding and its line ends, which a change of its text keeps.

use crate::encoding::{old_bytes, old_text};
use api::executor::ToolFailure;
use api::failure::mendable;

/// How a file is stored, as far as new text can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    is_old_encoding: bool,
    is_crlf: bool,
}

/// The bytes of a new text, and in what they are not stored as the file was.
pub(crate) struct Stored {
    pub(crate) bytes: Vec<u8>,
    /// A letter that the file's encoding does not have, for which the text is in UTF-8.
    pub(crate) converted_for: Option<char>,
}

impl Stored {
    /// What is stored as it was given.
    pub(crate) const fn new_file(bytes: Vec<u8>) -> Self {
        let converted_for = None;
        Self {
            bytes,
            converted_for,
        }
    }
}

impl Form {
    /// The form of a file with this content. What is no text has that of new files.
    pub(crate) fn of(content: &[u8]) -> Self {
        let is_old_encoding = std::str::from_utf8(content).is_err() && old_text(content).is_some();
        Self {
            is_old_encoding,
            is_crlf: ends_lines_with_crlf(content),
        }
    }

    /// Text that is added to what is there, stored as that is.
    pub(crate) fn added(self, text: &str, shown: &str) -> Result<Vec<u8>, ToolFailure> {
        let text = self.with_line_ends(text);
        match self.is_old_encoding {
            true => old_bytes(&text).map_err(|letter| no_letter(shown, letter)),
            false => Ok(text.into_bytes()),
        }
    }

    /// Text that takes the place of what is there: in its encoding where that has every letter.
    pub(crate) fn whole(self, text: &str) -> Stored {
        let text = self.with_line_ends(text);
        let old = match self.is_old_encoding {
            true => old_bytes(&text).map(Some),
            false => Ok(None),
        };
        let (bytes, converted_for) = match old {
            Ok(old) => (old.unwrap_or_else(|| text.into_bytes()), None),
            Err(letter) => (text.into_bytes(), Some(letter)),
        };
        Stored {
            bytes,
            converted_for,
        }
    }

    pub(crate) const fn line_end(self) -> &'static str {
        match self.is_crlf {
            true => "\r\n",
            false => "\n",
        }
    }

    pub(crate) fn with_line_ends(self, text: &str) -> String {
        match self.is_crlf {
            true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
            false => text.to_owned(),
        }
    }
}

/// Text for a file whose every line ends with `\r\n` ends its lines so, too.
pub(crate) fn with_line_ends_of(content: &str, text: &str) -> String {
    let form = Form {
        is_old_encoding: false,
        is_crlf: ends_lines_with_crlf(content.as_bytes()),
    };
    form.with_line_ends(text)
}

fn ends_lines_with_crlf(content: &[u8]) -> bool {
    let mut ends = memchr::memchr_iter(b'\n', content).peekable();
    ends.peek().is_some() && ends.all(|at| at > 0 && content[at - 1] == b'\r')
}

/// Why a text cannot be written in a file's encoding.
pub(crate) fn no_letter(shown: &str, letter: char) -> ToolFailure {
    mendable(
        "not_in_encoding",
        format!(
            "`{shown}` is in windows-1252, which has no `{letter}`. Write it in other letters. The user can \
             convert the file: `iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW`."
        ),
    )
}
