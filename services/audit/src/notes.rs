//! The file of checkpoints: text, each note after a line `@ LENGTH CRC32C` that keeps it whole.

use crate::checkpoint::{NOTE_BYTES, Note, NoteError};
use crate::config;
use crate::error::Error;
use disk::private;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// A note as it stands in the file.
pub(crate) fn framed(note: &str) -> String {
    format!(
        "@ {} {:08x}\n{note}",
        note.len(),
        crc32c::crc32c(note.as_bytes())
    )
}

/// What stands next in the file.
#[derive(Debug)]
pub(crate) enum Kept {
    /// A note.
    Note(Note),
    /// Something else.
    Damaged(NoteError),
    /// The beginning of a note at the file's end: a crash cut it off.
    Unfinished,
}

/// Reads the notes one after the other, holding one.
#[derive(Debug)]
pub(crate) struct Notes {
    file: Option<BufReader<File>>,
    path: PathBuf,
    /// Where the next entry begins, bytes.
    offset: u64,
    /// Bytes of the file when it was opened: what is added later is not read.
    end: u64,
}

impl Notes {
    /// From the start of the file; empty where there is none.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be opened.
    pub(crate) fn open(folder: &Path) -> Result<Self, Error> {
        let path = config::checkpoints(folder);
        let io = |error| Error::io(&path, "read", error);
        let (file, end) = match private::open(&path, OpenOptions::new().read(true)) {
            Ok(file) => {
                let end = file.metadata().map_err(io)?.len();
                (Some(BufReader::new(file)), end)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => (None, 0),
            Err(error) => return Err(io(error)),
        };
        Ok(Self {
            file,
            path,
            offset: 0,
            end,
        })
    }

    /// From the last entry on, without reading the ones before.
    ///
    /// # Errors
    /// [`Error::Io`] when it cannot be read.
    pub(crate) fn last(folder: &Path) -> Result<Self, Error> {
        let mut notes = Self::open(folder)?;
        let path = notes.path.clone();
        let io = |error| Error::io(&path, "read", error);
        let Some(reader) = &mut notes.file else {
            return Ok(notes);
        };
        // An unfinished entry may follow the last whole one.
        let from = notes.end.saturating_sub(2 * NOTE_BYTES as u64);
        reader.seek(SeekFrom::Start(from)).map_err(io)?;
        let mut end = Vec::new();
        reader
            .take(notes.end - from)
            .read_to_end(&mut end)
            .map_err(io)?;
        let mut starts: Vec<usize> = end
            .windows(3)
            .enumerate()
            .filter(|(_, window)| *window == b"\n@ ")
            .map(|(at, _)| at + 1)
            .collect();
        if end.starts_with(b"@ ") && from == 0 {
            starts.insert(0, 0);
        }
        // The last two: the last may be unfinished.
        let start = starts
            .iter()
            .rev()
            .nth(1)
            .or(starts.last())
            .copied()
            .unwrap_or(0);
        notes.offset = from + start as u64;
        reader.seek(SeekFrom::Start(notes.offset)).map_err(io)?;
        Ok(notes)
    }

    /// Where the next entry begins, bytes.
    pub(crate) const fn offset(&self) -> u64 {
        self.offset
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The next entry; `None` at the end. After damage there is nothing more.
    ///
    /// # Errors
    /// [`Error::Io`] when the file cannot be read.
    pub(crate) fn next(&mut self) -> Result<Option<Kept>, Error> {
        let path = self.path.clone();
        let io = |error| Error::io(&path, "read", error);
        let rest = self.end.saturating_sub(self.offset);
        let Some(reader) = self.file.as_mut().filter(|_| rest > 0) else {
            return Ok(None);
        };
        let mut line = Vec::new();
        reader.take(64).read_until(b'\n', &mut line).map_err(io)?;
        if line.is_empty() {
            return Ok(None);
        }
        let Some((length, sum)) = opening(&line) else {
            let is_end = line.last() != Some(&b'\n') && line.len() < 64;
            self.file = None;
            let broken = NoteError::Form("an entry does not open with its length and checksum");
            return Ok(Some(if is_end {
                Kept::Unfinished
            } else {
                Kept::Damaged(broken)
            }));
        };
        let mut bytes = Vec::new();
        reader
            .take(length as u64)
            .read_to_end(&mut bytes)
            .map_err(io)?;
        if bytes.len() < length || rest < (line.len() + length) as u64 {
            self.file = None;
            return Ok(Some(Kept::Unfinished));
        }
        if crc32c::crc32c(&bytes) != sum {
            self.file = None;
            return Ok(Some(Kept::Damaged(NoteError::Form(
                "its checksum does not fit",
            ))));
        }
        self.offset += (line.len() + length) as u64;
        let note = String::from_utf8_lossy(&bytes).parse();
        Ok(Some(note.map_or_else(Kept::Damaged, Kept::Note)))
    }
}

/// Length and checksum of an opening line.
fn opening(line: &[u8]) -> Option<(usize, u32)> {
    let text = std::str::from_utf8(line)
        .ok()
        .and_then(|t| t.strip_suffix('\n'))?;
    let (length, sum) = text
        .strip_prefix("@ ")
        .and_then(|rest| rest.split_once(' '))?;
    let length = length
        .parse()
        .ok()
        .filter(|n| (1..=NOTE_BYTES).contains(n))?;
    let sum = u32::from_str_radix(sum, 16)
        .ok()
        .filter(|_| sum.len() == 8)?;
    Some((length, sum))
}
