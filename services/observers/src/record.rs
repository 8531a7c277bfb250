//! The notes of open requests on disk: one file a session, named by its id, with the number of the
//! session's oldest event that may belong to an answer nobody captured. It is there from the moment
//! a request comes in until every answer of the session is captured, so that what a crash leaves
//! behind is found at the next start, and nothing else is looked at.
//!
//! The session log is the truth; a lost note loses an engram and nothing more. Notes are therefore
//! not synchronised to the disk.

use disk::private::{self, Durability};
use domain::id::SessionId;
use std::io::{ErrorKind, Read, Result};
use std::path::{Path, PathBuf};

/// Longest note that is read, bytes.
const NOTE_BYTES: u64 = 64;

/// One note.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// The session.
    pub session_id: SessionId,
    /// Its oldest event that may belong to an answer nobody captured.
    pub from_seq: u64,
}

fn path_of(folder: &Path, session_id: SessionId) -> PathBuf {
    folder.join(session_id.to_string())
}

/// Makes or replaces a session's note.
///
/// # Errors
/// Whatever the file system says.
pub fn write(folder: &Path, note: Note) -> Result<()> {
    private::folder(folder)?;
    let text = format!("{}\n", note.from_seq);
    let path = path_of(folder, note.session_id);
    private::replace(&path, text.as_bytes(), Durability::Lossy)
}

/// Takes a session's note away; one that is not there is no error.
///
/// # Errors
/// Whatever else the file system says.
pub fn remove(folder: &Path, session_id: SessionId) -> Result<()> {
    match std::fs::remove_file(path_of(folder, session_id)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Every note, the newest session first. A note without a number (a crash cut it off) counts from
/// the session's beginning; other files are not ours.
///
/// # Errors
/// Whatever the file system says; a folder that is not there holds no notes.
pub fn read(folder: &Path) -> Result<Vec<Note>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut notes = Vec::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(Ok(session_id)) = name.to_str().map(str::parse::<SessionId>) else {
            continue;
        };
        let mut text = String::new();
        let file = std::fs::File::open(entry.path())?;
        file.take(NOTE_BYTES).read_to_string(&mut text)?;
        notes.push(Note {
            session_id,
            from_seq: text.trim().parse().unwrap_or(0),
        });
    }
    // Ids of sessions sort by their time.
    notes.sort_by(|a, b| b.cmp(a));
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn notes_are_read_back_newest_first_and_what_is_no_note_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("capture");
        assert_eq!(read(&folder).unwrap(), []);
        let note = |id, from_seq| Note {
            session_id: SessionId::from_uuid(Uuid::from_u128(id)),
            from_seq,
        };
        write(&folder, note(1, 7)).unwrap();
        write(&folder, note(2, 9)).unwrap();
        write(&folder, note(1, 12)).unwrap();
        std::fs::write(folder.join("notes.txt"), "x").unwrap();
        assert_eq!(read(&folder).unwrap(), [note(2, 9), note(1, 12)]);
        std::fs::write(path_of(&folder, note(2, 0).session_id), "").unwrap();
        remove(&folder, note(1, 0).session_id).unwrap();
        remove(&folder, note(1, 0).session_id).unwrap();
        assert_eq!(read(&folder).unwrap(), [note(2, 0)]);
        assert!(folder.join("notes.txt").exists());
    }
}
