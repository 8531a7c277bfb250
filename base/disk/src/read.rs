//! Reading files that someone else may have put there.

use crate::Error;
use rustix::fs::{Mode, OFlags, open};
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

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
pub fn text(path: &Path, limit: u64, links: Links) -> Result<Option<String>, Error> {
    let Some(bytes) = bytes(path, limit, links)? else {
        return Ok(None);
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(Error::of(
            format!("{} cannot be read as UTF-8 text", path.display()),
            io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()),
        )),
    }
}

/// The same, whatever is in it.
///
/// # Errors
/// When it is no regular file, too large or cannot be read.
pub fn bytes(path: &Path, limit: u64, links: Links) -> Result<Option<Vec<u8>>, Error> {
    let found = placed_bytes(path, limit, links)?;
    Ok(found.map(|(bytes, _)| bytes))
}

/// The same, with where the file really is that was read, whatever its name leads to by then; an empty
/// path where that is not known.
///
/// # Errors
/// When it is no regular file, too large or cannot be read.
pub fn placed_bytes(
    path: &Path,
    limit: u64,
    links: Links,
) -> Result<Option<(Vec<u8>, PathBuf)>, Error> {
    let Some(file) = regular(path, links)? else {
        return Ok(None);
    };
    let place = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
    let name = path.display();
    let length = file.metadata().map(|facts| facts.len());
    if length.is_ok_and(|length| length > limit) {
        return Err(Error::new(format!("{name} is larger than {limit} bytes")));
    }
    let mut bytes = Vec::new();
    file.take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| Error::of(format!("{name} cannot be read"), error))?;
    Ok(Some((bytes, place.unwrap_or_default())))
}

/// A regular file, open for reading; `None` when there is none. What is opened is looked at, and not
/// the name before: whoever exchanges files would put a pipe there in between, which waits for ever,
/// and a lease on a file may hold up whoever opens it.
fn regular(path: &Path, links: Links) -> Result<Option<File>, Error> {
    let mut flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    let name = path.display();
    let file = match open(path, flags, Mode::empty()) {
        Ok(descriptor) => File::from(descriptor),
        Err(rustix::io::Errno::NOENT) => return Ok(None),
        Err(rustix::io::Errno::LOOP) => {
            let what = format!("{name} is a symbolic link, which is not followed here");
            return Err(Error::new(what));
        }
        Err(error) => return Err(Error::of(format!("{name} cannot be read"), error)),
    };
    let facts = file
        .metadata()
        .map_err(|error| Error::of(format!("{name} cannot be looked at"), error))?;
    match facts.is_file() {
        true => Ok(Some(file)),
        false => Err(Error::new(format!("{name} is not a regular file"))),
    }
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
        std::fs::write(at("bytes"), [0xff]).unwrap();
        let error = text(&at("bytes"), 5, Links::Refused).unwrap_err();
        let shown = format!("{} cannot be read as UTF-8 text", at("bytes").display());
        assert_eq!(error.to_string(), shown);
        assert!(format!("{error:#}").starts_with(&format!("{shown}: ")));
    }
}
