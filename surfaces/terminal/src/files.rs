//! Reading files that someone else may have put there, and writing the user's own.

use crate::exit::Failure;
use anyhow::{Context, Result, ensure};
use rustix::fs::{Mode, OFlags, open};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Whether a symbolic link may stand in a file's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    /// It may: the file is the user's own.
    Followed,
    /// It may not: the file is someone else's, and could show what only the user may read.
    Refused,
}

/// The text of a regular file; `None` when there is no such file. Never waits on a pipe and never
/// reads more than `limit` bytes.
///
/// # Errors
/// When it is no regular file, too large, not UTF-8 or cannot be read.
pub fn text(path: &Path, limit: u64, links: Links) -> Result<Option<String>> {
    let Some(bytes) = bytes(path, limit, links)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes)
        .with_context(|| format!("{} cannot be read as UTF-8 text", path.display()))?;
    Ok(Some(text))
}

/// The same, whatever is in it.
///
/// # Errors
/// When it is no regular file, too large or cannot be read.
pub fn bytes(path: &Path, limit: u64, links: Links) -> Result<Option<Vec<u8>>> {
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    let name = path.display();
    let file = match open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => {
            anyhow::bail!("{name} is a symbolic link, which is not followed here")
        }
        Err(error) => return Err(error).with_context(|| format!("{name} cannot be read")),
    };
    let facts = file
        .metadata()
        .with_context(|| format!("{name} cannot be looked at"))?;
    ensure!(facts.is_file(), "{name} is not a regular file");
    ensure!(facts.len() <= limit, "{name} is larger than {limit} bytes");
    let mut bytes = Vec::new();
    file.take(limit)
        .read_to_end(&mut bytes)
        .with_context(|| format!("{name} cannot be read"))?;
    Ok(Some(bytes))
}

/// Replaces a file as a whole, so that a reader sees the old text or the new one. It is readable by
/// the user alone.
///
/// # Errors
/// When it cannot be written; the old text stands then.
pub fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let draft = path.with_extension(format!("{}.draft", std::process::id()));
    let written = write_draft(&draft, text)
        .and_then(|()| fs::rename(&draft, path))
        .and_then(|()| match path.parent() {
            Some(parent) => File::open(parent)?.sync_all(),
            None => Ok(()),
        });
    if written.is_err() {
        // What went wrong is what is returned; a draft left behind does no harm.
        let _gone = fs::remove_file(&draft);
    }
    written
}

fn write_draft(path: &Path, text: &str) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Writes a file that is not there yet; `how` is what to type to name another.
///
/// # Errors
/// A usage failure when it is there or cannot be made.
pub fn write_new(file: &Path, text: &str, how: &str) -> Result<()> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).open(file);
    let refused = |error: io::Error| {
        let file = file.display();
        match error.kind() {
            io::ErrorKind::AlreadyExists => Failure::usage(
                format!("{file} exists already, and is not written over"),
                format!("Give another name: {how}"),
            ),
            _ => Failure::usage(
                format!("{file}: {error}"),
                format!("Give a file that can be written: {how}"),
            ),
        }
    };
    let mut opened = opened.map_err(refused)?;
    let written = opened
        .write_all(text.as_bytes())
        .and_then(|()| opened.sync_all());
    if written.is_err() {
        // Half a text must not look like a whole one; what went wrong is what is told.
        let _gone = fs::remove_file(file);
    }
    written.with_context(|| {
        let file = file.display();
        format!("{file} cannot be written; what there was of it was removed again")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_regular_files_within_the_limit_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "12345").unwrap();
        symlink(at("a"), at("link")).unwrap();
        assert_eq!(
            text(&at("a"), 5, Links::Refused).unwrap().as_deref(),
            Some("12345")
        );
        assert!(text(&at("a"), 4, Links::Refused).is_err());
        assert!(text(&at("none"), 5, Links::Refused).unwrap().is_none());
        assert!(text(&at("link"), 5, Links::Refused).is_err());
        assert_eq!(
            text(&at("link"), 5, Links::Followed).unwrap().as_deref(),
            Some("12345")
        );
        assert!(text(Path::new("/dev/zero"), 5, Links::Followed).is_err());
        assert!(text(folder.path(), 5, Links::Followed).is_err());
    }
}
