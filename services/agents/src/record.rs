//! The session log on disk: one file a session, one event a line, in the JSON form of
//! [`domain::event::Event`].
//!
//! A line is appended with one `write` to a descriptor opened for appending, and an advisory lock
//! on the file keeps a second process from writing. A process killed between two writes loses
//! nothing; a machine that loses power may lose what was not yet synchronised, and then at most
//! the last line is torn.

use api::sessions::{Error, ErrorKind};
use domain::event::Event;
use domain::id::SessionId;
use domain::limits::LOG_LINE_BYTES;
use rustix::fs::OFlags;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{BufRead, BufReader, ErrorKind as IoErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How the names of log files end.
pub const EXTENSION: &str = "jsonl";
/// How much of a log's beginning and end a listing reads at first, bytes.
const LISTING_WINDOW: u64 = 64 << 10;

/// How much of a log is read in a row to find an event, bytes.
const SEEK_WINDOW: u64 = 16 << 10;
/// How a line begins: with the number of its event.
const SEQ_PREFIX: &[u8] = b"{\"seq\":";
/// The longest such beginning, bytes.
const SEQ_BYTES: u64 = 32;
/// What stands before the kind of an event. Only its number, time and ids are before that, so that no
/// text of anybody's can look like it.
const KIND_PREFIX: &[u8] = b"\"type\":\"";
/// The kinds of events that are pieces of an answer.
const PIECES: [&[u8]; 2] = [b"text_delta\"", b"thinking_delta\""];
/// Where the kind of an event ends at the latest, bytes.
const KIND_BYTES: usize = 512;

/// Where a session's log is.
#[must_use]
pub fn path_of(folder: &Path, session_id: SessionId) -> PathBuf {
    folder.join(format!("{session_id}.{EXTENSION}"))
}

/// Makes the folder for logs, readable by its owner only.
///
/// # Errors
/// Whatever the file system says.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// A log open for appending.
#[derive(Debug)]
pub struct SessionLog {
    file: Arc<File>,
    path: PathBuf,
    last_seq: u64,
    /// Where the last whole line ends, bytes.
    length: u64,
    /// A failed write left bytes that could not be taken back.
    poisoned: bool,
}

impl SessionLog {
    /// A log for a fresh session.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`] when the file exists or cannot be made.
    pub fn create(folder: &Path, session_id: SessionId) -> Result<Self, Error> {
        let path = path_of(folder, session_id);
        let file = OpenOptions::new()
            .append(true)
            .read(true)
            .create_new(true)
            .mode(0o600)
            .open(&path)
            .map_err(|source| unwritable(&path, source))?;
        lock(&file, &path)?;
        // A log whose name is lost with the power is lost.
        File::open(folder)
            .and_then(|folder| folder.sync_all())
            .map_err(|source| unwritable(&path, source))?;
        Ok(Self {
            file: Arc::new(file),
            path,
            last_seq: 0,
            length: 0,
            poisoned: false,
        })
    }

    /// The log of an earlier session, with everything in it but the pieces of answers. A torn last
    /// line is cut off, and [`Reopened::cut_bytes`] says how much that was.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::Locked`], [`ErrorKind::Corrupt`] for a line that is
    /// no event before the last, [`ErrorKind::Unwritable`] when the tail cannot be cut.
    pub fn reopen(
        folder: &Path,
        session_id: SessionId,
        mut each: impl FnMut(Event),
    ) -> Result<Reopened, Error> {
        let path = path_of(folder, session_id);
        let file = open_regular(OpenOptions::new().append(true).read(true), &path)
            .map_err(|source| unreadable(&path, source))?;
        lock(&file, &path)?;
        let mut lines = Lines::open(&path)?.in_outline();
        while let Some(event) = lines.next_event()? {
            each(event);
        }
        let last_seq = lines.good_seq;
        if last_seq == 0 {
            return Err(never_begun(&path));
        }
        let length = lines.good_bytes;
        let cut_bytes = lines.total_bytes()?.saturating_sub(length);
        if cut_bytes > 0 {
            file.set_len(length)
                .and_then(|()| file.sync_data())
                .map_err(|source| unwritable(&path, source))?;
        }
        let log = Self {
            file: Arc::new(file),
            path,
            last_seq,
            length,
            poisoned: false,
        };
        Ok(Reopened { log, cut_bytes })
    }

    /// The number of the last event; 0 when there is none.
    #[must_use]
    pub const fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one event, whose number must be the next. Not yet synchronised to disk.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`]; the log is then as it was before.
    pub fn append(&mut self, event: &Event) -> Result<(), Error> {
        if self.poisoned {
            return Err(Error::new(
                ErrorKind::Unwritable,
                format!(
                    "The session log {} has an unfinished line after a failed write.",
                    self.path.display()
                ),
            )
            .with_hint("Free disk space, then open the session again."));
        }
        let mut line = serde_json::to_vec(event).map_err(|source| {
            Error::new(ErrorKind::Unwritable, "An event cannot be written as JSON.")
                .with_source(source)
        })?;
        line.push(b'\n');
        if line.len() > LOG_LINE_BYTES {
            return Err(Error::new(
                ErrorKind::Unwritable,
                format!(
                    "An event of {} bytes is larger than a line of the session log may be ({LOG_LINE_BYTES}).",
                    line.len()
                ),
            ));
        }
        if let Err(source) = (&*self.file).write_all(&line) {
            self.poisoned = self.file.set_len(self.length).is_err();
            return Err(unwritable(&self.path, source));
        }
        self.length += line.len() as u64;
        self.last_seq = event.seq;
        Ok(())
    }

    /// Waits until the disk has everything, away from the async threads.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`].
    pub async fn synchronise(&self) -> Result<(), Error> {
        let file = Arc::clone(&self.file);
        let synced = tokio::task::spawn_blocking(move || file.sync_data()).await;
        synced
            .map_err(std::io::Error::other)
            .flatten()
            .map_err(|source| unwritable(&self.path, source))
    }

    /// The same, on this thread.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`].
    pub fn synchronise_here(&self) -> Result<(), Error> {
        let synced = self.file.sync_data();
        synced.map_err(|source| unwritable(&self.path, source))
    }
}

/// What [`SessionLog::reopen`] found.
#[derive(Debug)]
pub struct Reopened {
    /// The log, ready to be continued.
    pub log: SessionLog,
    /// Bytes of a torn last line that were cut off; usually 0.
    pub cut_bytes: u64,
}

/// Reads a log line by line.
#[derive(Debug)]
pub struct Lines {
    reader: BufReader<File>,
    path: PathBuf,
    number: u64,
    /// Where the last line that was an event ends, bytes.
    good_bytes: u64,
    /// The number of that event; 0 before the first.
    good_seq: u64,
    /// Whether pieces of answers are passed over.
    is_outline: bool,
    line: Vec<u8>,
}

impl Lines {
    /// Opens a log for reading; the lock of a writer does not matter.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`] or [`ErrorKind::Corrupt`] when it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let file = open_regular(OpenOptions::new().read(true), path)
            .map_err(|source| unreadable(path, source))?;
        Ok(Self {
            reader: BufReader::new(file),
            path: path.to_owned(),
            number: 0,
            good_bytes: 0,
            good_seq: 0,
            is_outline: false,
            line: Vec::new(),
        })
    }

    /// Passes over the pieces in which answers and thinking came, which are nearly all of a long log.
    /// They are not parsed.
    #[must_use]
    pub fn in_outline(self) -> Self {
        Self {
            is_outline: true,
            ..self
        }
    }

    /// The same, from the event `seq` or from not far before it. The place is found by halving the
    /// file, so what stands before it is not read.
    ///
    /// # Errors
    /// As [`Lines::open`].
    pub fn open_at(path: &Path, seq: u64) -> Result<Self, Error> {
        let mut lines = Self::open(path)?;
        if seq > 1 {
            lines
                .go_to(seq)
                .map_err(|source| unreadable(path, source))?;
        }
        Ok(lines)
    }

    fn go_to(&mut self, wanted: u64) -> std::io::Result<()> {
        let (mut low, mut before_low) = (0, 0);
        let mut high = self.reader.get_ref().metadata()?.len();
        while high - low > SEEK_WINDOW {
            let middle = low + (high - low) / 2;
            match self.line_after(middle)? {
                Some((offset, seq)) if offset < high && (1..=wanted).contains(&seq) => {
                    (low, before_low) = (offset, seq - 1);
                }
                // Later, or nothing that tells: then it is looked for before.
                _ => high = middle,
            }
        }
        self.reader.seek(SeekFrom::Start(low))?;
        (self.number, self.good_seq, self.good_bytes) = (before_low, before_low, low);
        Ok(())
    }

    /// The first line that begins behind an offset, and the number of the event in it.
    fn line_after(&mut self, offset: u64) -> std::io::Result<Option<(u64, u64)>> {
        self.reader.seek(SeekFrom::Start(offset))?;
        let limit = LOG_LINE_BYTES as u64 + 1;
        let rest = (&mut self.reader).take(limit).skip_until(b'\n')?;
        let mut head = Vec::new();
        (&mut self.reader).take(SEQ_BYTES).read_to_end(&mut head)?;
        let digits = head.strip_prefix(SEQ_PREFIX).unwrap_or_default();
        let end = digits.iter().position(|byte| !byte.is_ascii_digit());
        let seq = end.and_then(|end| std::str::from_utf8(&digits[..end]).ok()?.parse().ok());
        Ok(seq.map(|seq| (offset + rest as u64, seq)))
    }

    /// The next event; `None` at the end and at a torn last line.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] for a line that is no event, or out of order, with its number.
    pub fn next_event(&mut self) -> Result<Option<Event>, Error> {
        loop {
            self.line.clear();
            let read = (&mut self.reader)
                .take(LOG_LINE_BYTES as u64 + 1)
                .read_until(b'\n', &mut self.line)
                .map_err(|source| unreadable(&self.path, source))?;
            if read == 0 {
                return Ok(None);
            }
            self.number += 1;
            // The last line may be one that the machine did not finish.
            let is_passed_over =
                self.is_outline && piece(&self.line) == Some(self.number) && !self.at_end()?;
            if !is_passed_over {
                return self.event(read);
            }
            self.good(read);
        }
    }

    fn good(&mut self, bytes: usize) {
        self.good_bytes += bytes as u64;
        self.good_seq = self.number;
    }

    /// The event of the line that was read.
    fn event(&mut self, read: usize) -> Result<Option<Event>, Error> {
        let mut line = std::mem::take(&mut self.line);
        if line.pop_if(|last| *last == b'\n').is_none() {
            return if read > LOG_LINE_BYTES {
                Err(corrupt(&self.path, self.number, "the line is too long"))
            } else {
                Ok(None)
            };
        }
        match serde_json::from_slice::<Event>(&line) {
            Ok(event) if event.seq == self.number => {
                self.good(read);
                self.line = line;
                Ok(Some(event))
            }
            Ok(event) => Err(corrupt(
                &self.path,
                self.number,
                &format!("it holds event {} where {} belongs", event.seq, self.number),
            )),
            // A last line of bytes that are not even JSON is a write the machine did not finish.
            // JSON of an unknown shape may come from a later version and is not ours to cut.
            Err(_)
                if serde_json::from_slice::<serde_json::Value>(&line).is_err()
                    && self.at_end()? =>
            {
                Ok(None)
            }
            Err(source) => {
                Err(corrupt(&self.path, self.number, &source.to_string()).with_source(source))
            }
        }
    }

    fn at_end(&mut self) -> Result<bool, Error> {
        let rest = self
            .reader
            .fill_buf()
            .map_err(|source| unreadable(&self.path, source))?;
        Ok(rest.is_empty())
    }

    fn total_bytes(&self) -> Result<u64, Error> {
        let metadata = self
            .reader
            .get_ref()
            .metadata()
            .map_err(|source| unreadable(&self.path, source))?;
        Ok(metadata.len())
    }
}

/// The number of the event in a line, if it is a piece of an answer.
fn piece(line: &[u8]) -> Option<u64> {
    let digits = line.strip_prefix(SEQ_PREFIX)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit())?;
    let head = &line[..line.len().min(KIND_BYTES)];
    let mut places = head.windows(KIND_PREFIX.len());
    let kind = places.position(|place| place == KIND_PREFIX)? + KIND_PREFIX.len();
    let is_piece = PIECES.iter().any(|name| head[kind..].starts_with(name));
    let seq = std::str::from_utf8(&digits[..end]).ok()?.parse().ok()?;
    is_piece.then_some(seq)
}

/// The beginning and the end of a log, for listings: the cost does not depend on what is between.
#[derive(Debug)]
pub struct Ends {
    /// Events from the first on, as far as a listing looks.
    pub head: Vec<Event>,
    /// The last whole event.
    pub last: Event,
}

/// Reads the ends of a log; `None` when it holds no whole event.
///
/// # Errors
/// Whatever the file system says.
pub fn read_ends(path: &Path) -> std::io::Result<Option<Ends>> {
    let mut file = open_regular(OpenOptions::new().read(true), path)?;
    let length = file.metadata()?.len();
    let mut head = Vec::new();
    let mut window = LISTING_WINDOW;
    while head.is_empty() {
        head = events_in(&read_range(&mut file, 0, window.min(length))?);
        if window >= length.min(LOG_LINE_BYTES as u64) {
            break;
        }
        window *= 2;
    }
    if head.is_empty() {
        return Ok(None);
    }
    let mut window = LISTING_WINDOW;
    loop {
        let start = length.saturating_sub(window);
        let bytes = read_range(&mut file, start, length - start)?;
        // Unless it starts the file, the first line of the window is cut and fails to parse.
        if let Some(last) = events_in(&bytes).pop() {
            return Ok(Some(Ends { head, last }));
        }
        if start == 0 || window > LOG_LINE_BYTES as u64 {
            return Ok(None);
        }
        window *= 2;
    }
}

/// Opens a regular file and nothing else; a pipe in its place is not waited for.
pub(crate) fn open_regular(options: &mut OpenOptions, path: &Path) -> std::io::Result<File> {
    let without_waiting = OFlags::NONBLOCK.bits().cast_signed();
    let file = options.custom_flags(without_waiting).open(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(std::io::Error::other("it is no regular file"))
    }
}

fn read_range(file: &mut File, start: u64, length: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn events_in(bytes: &[u8]) -> Vec<Event> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| line.ends_with(b"\n"))
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

fn lock(file: &File, path: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::new(
            ErrorKind::Locked,
            format!(
                "Another process is writing the session log {}.",
                path.display()
            ),
        )
        .with_hint("Leave the session there first, or fork it with `carl session fork`.")),
        Err(TryLockError::Error(source)) => Err(unwritable(path, source)),
    }
}

fn unwritable(path: &Path, source: std::io::Error) -> Error {
    Error::new(
        ErrorKind::Unwritable,
        format!(
            "The session log {} cannot be written: {source}.",
            path.display()
        ),
    )
    .with_hint("Check free space and permissions of that folder.")
    .with_source(source)
}

pub(crate) fn unreadable(path: &Path, source: std::io::Error) -> Error {
    if source.kind() == IoErrorKind::NotFound {
        return Error::new(
            ErrorKind::NotFound,
            format!("There is no session log {}.", path.display()),
        )
        .with_hint("`carl session list` shows the sessions there are.");
    }
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "The session log {} cannot be read: {source}.",
            path.display()
        ),
    )
    .with_hint("Check the permissions of that file.")
    .with_source(source)
}

/// A log in which not even the opening of the session stands.
fn never_begun(path: &Path) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "The session log {} is empty: the session was never put on record, as happens when a \
             disk is full. There is nothing in it to continue or to lose.",
            path.display()
        ),
    )
    .with_hint(
        "Make room on the disk if there is none, and begin a new session; the file may be deleted.",
    )
}

fn corrupt(path: &Path, line: u64, what: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "Line {line} of the session log {} is damaged: {what}.",
            path.display()
        ),
    )
    .with_hint(match (line, path.file_stem().and_then(|id| id.to_str())) {
        (2.., Some(id)) => format!(
            "Other sessions are not affected. What came before the damage goes on in a session of \
             its own: carl session fork {id} --at {}",
            line - 1
        ),
        _ => "Other sessions are not affected. Nothing stands before the damage; mend the line by \
              hand."
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    fn event(session_id: SessionId, seq: u64, text: String) -> Event {
        Event {
            seq,
            time: domain::Timestamp::UNIX_EPOCH,
            session_id,
            query_id: None,
            agent_id: None,
            respondent_id: None,
            call_id: None,
            body: domain::event::EventBody::TextDelta { text },
        }
    }

    #[test]
    fn any_event_is_found_without_what_stands_before() {
        let folder = tempfile::tempdir().unwrap();
        let session_id = SessionId::from_uuid(uuid::Uuid::from_u128(1));
        let mut log = SessionLog::create(folder.path(), session_id).unwrap();
        for seq in 1..=2_000_u64 {
            // Some lines are longer than the window.
            let length = if seq % 97 == 0 { 40_000 } else { 200 };
            let text = "x".repeat(length);
            log.append(&event(session_id, seq, text)).unwrap();
        }
        let path = path_of(folder.path(), session_id);
        for wanted in (1..=2_001).step_by(13) {
            let mut lines = Lines::open_at(&path, wanted).unwrap();
            let mut skipped = 0;
            while let Some(event) = lines.next_event().unwrap() {
                if event.seq >= wanted {
                    assert_eq!(event.seq, wanted);
                    break;
                }
                skipped += 1;
            }
            assert!(skipped < 200, "{skipped} before {wanted}");
        }
        // What is not read may be damaged.
        let mut bytes = std::fs::read(&path).unwrap();
        let tenth = bytes.len() / 10;
        bytes[..tenth].fill(b'?');
        std::fs::write(&path, bytes).unwrap();
        let mut lines = Lines::open_at(&path, 1_999).unwrap();
        while let Some(event) = lines.next_event().unwrap() {
            assert!(event.seq > 1_700);
        }
        assert!(Lines::open_at(&path, 1).unwrap().next_event().is_err());
    }

    #[test]
    fn a_pipe_in_place_of_a_log_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let session_id = SessionId::from_uuid(uuid::Uuid::from_u128(1));
        let path = path_of(folder.path(), session_id);
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert!(read_ends(&path).is_err());
        let refused = Lines::open(&path).unwrap_err();
        assert!(refused.to_string().contains("no regular file"), "{refused}");
        assert!(SessionLog::reopen(folder.path(), session_id, |_| {}).is_err());
    }
}
