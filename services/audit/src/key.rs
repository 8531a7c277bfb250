//! The key that signs a log's checkpoints, in a file of its own outside the log's folder.

use crate::checkpoint::SigningKey;
use crate::config::Config;
use crate::error::{Error, KeyError};
use crate::segment::LogId;
use disk::private::{self, Durability};
use std::fs::OpenOptions;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Longest key file that is read, bytes.
const KEY_BYTES: u64 = 1_024;

/// The key file of a log.
pub(crate) fn path(keys: &Path, log: LogId) -> PathBuf {
    keys.join(format!("audit-{}.key", log.text()))
}

/// Reads the key of a log.
///
/// # Errors
/// [`Error::Key`] when it is missing or damaged.
pub(crate) fn read(keys: &Path, log: LogId) -> Result<SigningKey, Error> {
    let path = path(keys, log);
    let fail = |source| Error::Key {
        path: path.clone(),
        source,
    };
    let file = private::open(&path, OpenOptions::new().read(true)).map_err(|error| {
        fail(match error.kind() {
            std::io::ErrorKind::NotFound => KeyError::Missing,
            _ => KeyError::Io(error),
        })
    })?;
    let mut text = Zeroizing::new(String::new());
    file.take(KEY_BYTES)
        .read_to_string(&mut text)
        .map_err(|e| fail(e.into()))?;
    let key = SigningKey::parse(&text).map_err(|e| fail(e.into()))?;
    if key.public().name() == log.origin() {
        Ok(key)
    } else {
        let other = crate::checkpoint::NoteError::Form("it is the key of another log");
        Err(fail(other.into()))
    }
}

/// Makes the key of a log that has none yet.
///
/// # Errors
/// [`Error::Key`] when it cannot be written.
pub(crate) fn make(config: &Config, log: LogId) -> Result<SigningKey, Error> {
    let path = path(&config.keys, log);
    let fail = |source: std::io::Error| Error::Key {
        path: path.clone(),
        source: source.into(),
    };
    private_folder(&config.keys)?;
    let seed = Zeroizing::new(random().map_err(fail)?);
    let key = SigningKey::new(&log.origin(), &seed);
    private::replace(&path, key.text().as_bytes(), Durability::Durable).map_err(fail)?;
    Ok(key)
}

/// How many other logs' keys lie there: logs that were there once and were not closed.
pub(crate) fn others(keys: &Path, log: LogId) -> usize {
    let Ok(entries) = std::fs::read_dir(keys) else {
        return 0;
    };
    let own = format!("audit-{}.key", log.text());
    let names = entries.flatten().map(|entry| entry.file_name());
    names
        .filter(|name| {
            let name = name.to_string_lossy();
            name.starts_with("audit-") && name.ends_with(".key") && name != own
        })
        .count()
}

/// Random bytes of the operating system.
pub(crate) fn random<const N: usize>() -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let mut filled = 0;
    while filled < N {
        let flags = rustix::rand::GetRandomFlags::empty();
        filled += rustix::rand::getrandom(&mut bytes[filled..], flags)?;
    }
    Ok(bytes)
}

/// Makes a folder for the user alone.
///
/// # Errors
/// [`Error::Io`] when that does not work.
pub(crate) fn private_folder(folder: &Path) -> Result<(), Error> {
    private::folder(folder).map_err(|source| Error::io(folder, "made", source))
}
