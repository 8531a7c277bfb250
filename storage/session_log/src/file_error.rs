//! What can be wrong with the file of a session log.

use api::sessions::{Error, ErrorKind};
use std::path::Path;

pub(super) fn unwritable(path: &Path, source: std::io::Error) -> Error {
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

pub(super) fn unreadable(path: &Path, source: std::io::Error) -> Error {
    if source.kind() == std::io::ErrorKind::NotFound {
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
pub(super) fn never_begun(path: &Path) -> Error {
    let id = path.file_stem().unwrap_or_default().to_string_lossy();
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "The session log {} has no whole line: the session was never put on record, as happens when \
             a disk is full, or the file was emptied since. Nothing in it can be shown or continued.",
            path.display()
        ),
    )
    .with_hint(format!(
        "Put the file back from a backup if there is one. `carl undo {id} --print` prints what the file \
         that the session changed last held before, if it changed any; `carl session delete {id}` \
         deletes what is left."
    ))
}

/// A log that cannot be deleted.
pub(super) fn undeletable(path: &Path, source: std::io::Error) -> Error {
    if source.kind() == std::io::ErrorKind::NotFound {
        return unreadable(path, source);
    }
    Error::new(
        ErrorKind::Unwritable,
        format!(
            "The session log {} cannot be deleted: {source}.",
            path.display()
        ),
    )
    .with_hint("Check the permissions of that folder, and that its disk is mounted for writing.")
    .with_source(source)
}

/// A whole event of a kind that this version does not know.
pub(super) fn newer(path: &Path, line: u64, kind: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "This carl, version {}, does not know `{kind}`, which stands in line {line} of the session \
             log {}. It was written by a newer carl, or that line is damaged.",
            env!("CARGO_PKG_VERSION"),
            path.display(),
        ),
    )
    .with_hint("Use the version that wrote it, or a later one. Other sessions are not affected.")
}

/// A line that is no event; `begin`: where it begins, bytes.
pub(super) fn corrupt(path: &Path, line: u64, begin: u64, what: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "Line {line} of the session log {}, from byte {begin} on, is damaged: {what}.",
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
