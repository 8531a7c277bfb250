//! The names that users give sessions: each in a small file beside the session's log, which says nothing
//! of it. So a session can be renamed while any process has its log open, and a listing of many sessions
//! reads no log for it.

use crate::file_error::{unreadable, unwritable};
use crate::lines::open_regular;
use crate::place::{NAME, path_of};
use api::sessions::{Error, ErrorKind};
use disk::private::{self, Durability};
use domain::id::SessionId;
use domain::limits::SESSION_NAME_CHARACTERS;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Read;
use std::path::Path;

/// Most bytes that are read of one: a character has at most four.
const BYTES: u64 = SESSION_NAME_CHARACTERS as u64 * 4;

/// Gives a session another name, or with an empty one none.
///
/// # Errors
/// [`ErrorKind::NotFound`] without such a session, [`ErrorKind::InvalidRequest`] for a name that is longer
/// than [`SESSION_NAME_CHARACTERS`] or has control characters, [`ErrorKind::Unwritable`].
pub fn rename(folder: &Path, session_id: SessionId, name: &str) -> Result<(), Error> {
    let log = path_of(folder, session_id);
    log.metadata().map_err(|source| unreadable(&log, source))?;
    let name = name.trim();
    if let Some(what) = unfit(name) {
        let hint = format!("Give one line of at most {SESSION_NAME_CHARACTERS} characters.");
        return Err(Error::new(ErrorKind::InvalidRequest, what).with_hint(hint));
    }
    let path = log.with_extension(NAME);
    let written = match name {
        "" => match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        },
        name => private::replace(&path, name.as_bytes(), Durability::Durable),
    };
    written.map_err(|source| unwritable(&path, source))
}

/// What is wrong with a name.
fn unfit(name: &str) -> Option<String> {
    let count = name.chars().count();
    if count > SESSION_NAME_CHARACTERS {
        return Some(format!("The name has {count} characters."));
    }
    let has_control = name.chars().any(char::is_control);
    has_control.then(|| "The name has a line break or another control character.".to_owned())
}

/// The name that a session was given; `None` for none, and for a file that holds no name.
#[must_use]
pub fn name_of(folder: &Path, session_id: SessionId) -> Option<String> {
    read(&path_of(folder, session_id).with_extension(NAME))
}

fn read(path: &Path) -> Option<String> {
    let file = open_regular(OpenOptions::new().read(true), path).ok()?;
    let mut bytes = Vec::new();
    file.take(BYTES + 1).read_to_end(&mut bytes).ok()?;
    let name = String::from_utf8(bytes).ok()?;
    let name = name.trim();
    let is_name = !name.is_empty() && unfit(name).is_none();
    is_name.then(|| name.to_owned())
}

/// The names of all sessions that have one.
///
/// # Errors
/// Whatever the file system says of the folder.
pub(crate) fn names(folder: &Path) -> std::io::Result<BTreeMap<SessionId, String>> {
    let mut names = BTreeMap::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let is_name = path.extension().is_some_and(|ending| ending == NAME);
        let id = path.file_stem().and_then(|stem| stem.to_str());
        let id = id.filter(|_| is_name).and_then(|id| id.parse().ok());
        if let Some((id, name)) = id.zip(read(&path)) {
            names.insert(id, name);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::SessionLog;

    #[test]
    fn a_name_lasts_until_another_is_given_or_the_log_is_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let (at, id) = (folder.path(), SessionId::from_uuid(uuid::Uuid::nil()));
        let kind = |name: &str| rename(at, id, name).err().map(|error| error.kind);
        assert_eq!(kind("one"), Some(ErrorKind::NotFound));
        drop(SessionLog::create(at, id).unwrap());
        assert_eq!(name_of(at, id), None);
        assert_eq!(kind("  Züge und 日本 "), None);
        assert_eq!(name_of(at, id).as_deref(), Some("Züge und 日本"));
        for bad in ["two\nlines", "\u{1b}[2J", &"x".repeat(121)] {
            assert_eq!(kind(bad), Some(ErrorKind::InvalidRequest), "{bad:?}");
        }
        assert_eq!(names(at).unwrap().len(), 1, "a bad one changes nothing");
        assert_eq!(kind(""), None);
        assert_eq!((kind(""), name_of(at, id)), (None, None));
        assert_eq!(kind(&"ü".repeat(120)), None);
        SessionLog::delete(at, id).unwrap();
        assert!(names(at).unwrap().is_empty());
    }

    #[test]
    fn a_file_that_holds_no_name_gives_none() {
        let folder = tempfile::tempdir().unwrap();
        let (at, id) = (folder.path(), SessionId::from_uuid(uuid::Uuid::nil()));
        drop(SessionLog::create(at, id).unwrap());
        let path = path_of(at, id).with_extension(NAME);
        for bad in [
            b"\xff\xfe".as_slice(),
            b"two\nlines",
            b" ",
            &[b'x'; 100_000],
        ] {
            std::fs::write(&path, bad).unwrap();
            assert_eq!(name_of(at, id), None);
            assert!(names(at).unwrap().is_empty());
        }
    }
}
