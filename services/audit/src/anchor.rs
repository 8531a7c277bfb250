//! A checkpoint on demand, to be kept elsewhere; and setting a log aside.

use crate::checkpoint::PublicKey;
use crate::config::{self, Config};
use crate::error::Error;
use crate::{disk, key, segment, service, tail};
use std::path::PathBuf;

/// Signs a checkpoint of all records that are whole at this moment, also while a writer is
/// appending, after making them durable. `None` when there is no log.
///
/// # Errors
/// [`Error`] when the log's end or its key cannot be read, or the log has lost records.
pub fn sign(config: &Config) -> Result<Option<String>, Error> {
    let Some(tail) = tail::survey(&config.folder)? else {
        return Ok(None);
    };
    let key = key::read(&config.keys, tail.segment.header.log)?;
    tail.segment
        .file
        .sync_data()
        .map_err(|source| Error::io(&tail.segment.path, "made durable", source))?;
    Ok(Some(key.sign(tail.frontier.size(), tail.frontier.root())))
}

/// The key that checks this log's checkpoints. `None` when there is no log.
///
/// # Errors
/// [`Error`] when the log's newest segment or its key cannot be read.
pub fn public_key(config: &Config) -> Result<Option<PublicKey>, Error> {
    let Some(first) = segment::list(&config.folder)?.pop() else {
        return Ok(None);
    };
    let log = segment::Segment::open(&config.folder, first)?.header.log;
    Ok(Some(key::read(&config.keys, log)?.public()))
}

/// Sets the log aside as it is, so that the next start begins a fresh one, and says where it is
/// now. Its private key is destroyed, so that nothing more can be signed in its name; the public
/// half is put beside it. `None` when there is no log.
///
/// # Errors
/// [`Error`] when a writer has it, or it cannot be moved.
pub fn archive(config: &Config, name: &str) -> Result<Option<PathBuf>, Error> {
    let firsts = segment::list(&config.folder)?;
    if firsts.is_empty() {
        return Ok(None);
    }
    let _lock = service::lock(&config.folder)?;
    let log = firsts.iter().find_map(|first| {
        segment::Segment::open(&config.folder, *first)
            .ok()
            .map(|segment| segment.header.log)
    });
    let key_file = log
        .map(|log| key::path(&config.keys, log))
        .filter(|path| path.exists());
    if let Some(key) = log.and_then(|log| key::read(&config.keys, log).ok()) {
        let path = config::public_key(&config.folder);
        disk::place(&path, format!("{}\n", key.public()).as_bytes())
            .map_err(|source| Error::io(&path, "written", source))?;
    }
    let aside = config.folder.with_file_name(name);
    let moved = |source| Error::io(&config.folder, "moved", source);
    if aside.exists() {
        return Err(moved(std::io::ErrorKind::AlreadyExists.into()));
    }
    std::fs::rename(&config.folder, &aside).map_err(moved)?;
    if let Some(path) = key_file {
        std::fs::remove_file(&path).map_err(|source| Error::io(&path, "removed", source))?;
    }
    Ok(Some(aside))
}
