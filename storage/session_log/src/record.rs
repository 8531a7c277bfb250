//! The session log on disk: one file a session, one event a line, in the JSON form of
//! [`domain::event::Event`].
//!
//! A line is appended with one `write` to a descriptor opened for appending, and an advisory lock
//! on the file keeps a second process from writing. A process killed between two writes loses
//! nothing; a machine that loses power may lose what was not yet synchronised, and then at most
//! the last line is torn.

use crate::file_error::{undeletable, unreadable, unwritable};
use crate::lines::{Lines, open_regular};
use crate::outline::Outlines;
use crate::place::{CUT, NAME, path_of};
use api::sessions::{Error, ErrorKind};
use disk::private;
use domain::event::Event;
use domain::id::SessionId;
use domain::limits::LOG_LINE_BYTES;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Makes the folder for logs, readable by its owner only.
///
/// # Errors
/// Whatever the file system says.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    private::folder(folder)
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
        let mut options = OpenOptions::new();
        let file = private::open(&path, options.append(true).read(true).create_new(true))
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
    /// line is cut off, and kept in a file beside the log: [`Reopened::cut`].
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::Locked`], [`ErrorKind::Corrupt`] for a line that is
    /// no event before the last, [`ErrorKind::Unwritable`] when the tail cannot be cut.
    pub(crate) fn reopen(
        folder: &Path,
        session_id: SessionId,
        outlines: &Outlines,
        mut each: impl FnMut(Event),
    ) -> Result<Reopened, Error> {
        let path = path_of(folder, session_id);
        let file = open_regular(OpenOptions::new().append(true).read(true), &path)
            .map_err(|source| unreadable(&path, source))?;
        lock(&file, &path)?;
        let mut lines = Lines::open(&path)?.in_outline(outlines);
        while let Some(event) = lines.next_event()? {
            each(event);
        }
        let last_seq = lines.good_seq();
        let length = lines.good_bytes();
        let cut_bytes = lines.total_bytes()?.saturating_sub(length);
        let cut = match cut_bytes {
            0 => None,
            bytes => Some(keep(&file, &path, length, bytes)?),
        };
        if cut.is_some() {
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
        Ok(Reopened { log, cut })
    }

    /// Deletes the log of a session that nobody has open, with what was cut off it and its name. All are gone
    /// from the folder for good once this returns; the listing forgets it the next time.
    ///
    /// # Errors
    /// [`ErrorKind::NotFound`], [`ErrorKind::Locked`] while a process has it open,
    /// [`ErrorKind::Unwritable`].
    pub fn delete(folder: &Path, session_id: SessionId) -> Result<(), Error> {
        let path = path_of(folder, session_id);
        let file = open_regular(OpenOptions::new().append(true).read(true), &path)
            .map_err(|source| undeletable(&path, source))?;
        // Held until the name is gone, so that nobody goes on in a log without one.
        lock(&file, &path)?;
        let aside = [CUT, NAME].map(|ending| path.with_extension(ending));
        let mut removed = aside.iter().map(|path| match std::fs::remove_file(path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(source),
            _ => Ok(()),
        });
        removed
            .try_for_each(|one| one)
            .and_then(|()| std::fs::remove_file(&path))
            .and_then(|()| File::open(folder))
            .and_then(|folder| folder.sync_all())
            .map_err(|source| undeletable(&path, source))
    }

    /// The number of the last event; 0 when there is none.
    #[must_use]
    pub(crate) const fn last_seq(&self) -> u64 {
        self.last_seq
    }

    /// Where it is.
    #[must_use]
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Appends one event, whose number must be the next. Not yet synchronised to disk.
    ///
    /// # Errors
    /// [`ErrorKind::Unwritable`]; the log is then as it was before.
    pub(crate) fn append(&mut self, event: &Event) -> Result<(), Error> {
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
    pub(crate) async fn synchronise(&self) -> Result<(), Error> {
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
    pub(crate) fn synchronise_here(&self) -> Result<(), Error> {
        let synced = self.file.sync_data();
        synced.map_err(|source| unwritable(&self.path, source))
    }
}

/// What [`SessionLog::reopen`] found.
#[derive(Debug)]
pub(crate) struct Reopened {
    /// The log, ready to be continued.
    pub(crate) log: SessionLog,
    /// A torn last line that was cut off; usually none.
    pub(crate) cut: Option<Cut>,
}

/// A torn last line that was cut off a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Its length, bytes.
    pub bytes: u64,
    /// The file that holds it, behind whatever was cut off the same log before.
    pub kept_in: PathBuf,
}

/// Copies the end of a log from an offset on to the file beside it, on disk before the log changes.
fn keep(file: &File, path: &Path, offset: u64, bytes: u64) -> Result<Cut, Error> {
    let kept_in = path.with_extension(CUT);
    let copied = || {
        let mut torn = vec![0; usize::try_from(bytes).unwrap_or(usize::MAX)];
        file.read_exact_at(&mut torn, offset)?;
        let mut copy = private::open(&kept_in, OpenOptions::new().append(true).create(true))?;
        copy.write_all(&torn)?;
        copy.sync_all()
    };
    copied().map_err(|source| unwritable(&kept_in, source))?;
    Ok(Cut { bytes, kept_in })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lines::read_ends;
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

    /// The numbers of the events of a log without the pieces of answers.
    fn outline(path: &Path, known: &Outlines) -> Vec<u64> {
        let mut lines = Lines::open(path).unwrap().in_outline(known);
        let next = || lines.next_event().unwrap().map(|event| event.seq);
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn pieces_of_answers_are_passed_over_unread_the_second_time() {
        let folder = tempfile::tempdir().unwrap();
        let session_id = SessionId::from_uuid(uuid::Uuid::from_u128(1));
        let mut log = SessionLog::create(folder.path(), session_id).unwrap();
        let mut append = |numbers: std::ops::RangeInclusive<u64>| {
            for seq in numbers {
                let mut event = event(session_id, seq, "word ".to_owned());
                if seq % 500 == 0 {
                    event.body = domain::event::EventBody::Pinned { seq, pinned: true };
                }
                log.append(&event).unwrap();
            }
        };
        append(1..=1_200);
        let (path, known) = (path_of(folder.path(), session_id), Outlines::default());
        // The last line may be unfinished, so it is never passed over.
        assert_eq!(outline(&path, &known), [500, 1_000, 1_200]);
        let whole = std::fs::read(&path).unwrap();
        let tenth = whole.len() / 10;
        let mut damaged = whole.clone();
        damaged[tenth..2 * tenth].fill(b'?');
        std::fs::write(&path, damaged).unwrap();
        assert_eq!(outline(&path, &known), [500, 1_000, 1_200], "unread");
        assert!(Lines::open(&path).unwrap().next_event().unwrap().is_some());
        // What comes later is seen.
        std::fs::write(&path, &whole).unwrap();
        append(1_201..=1_700);
        assert_eq!(outline(&path, &known), [500, 1_000, 1_500, 1_700]);
        // In a file that somebody has changed nothing is taken for known.
        let mut text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
        text = text.replacen("word ", "many more words ", 40);
        std::fs::write(&path, text).unwrap();
        assert_eq!(outline(&path, &known), [500, 1_000, 1_500, 1_700]);
        let mut later = Lines::open_at(&path, 1_400).unwrap().in_outline(&known);
        assert_eq!(later.next_event().unwrap().unwrap().seq, 1_500);
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
        let known = Outlines::default();
        assert!(SessionLog::reopen(folder.path(), session_id, &known, |_| {}).is_err());
    }
}
