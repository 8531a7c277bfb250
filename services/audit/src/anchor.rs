//! A checkpoint on demand, to be kept elsewhere; and setting a log aside.

use crate::checkpoint::{Note, NoteError, PublicKey};
use crate::config::{self, Config};
use crate::error::Error;
use crate::left::Left;
use crate::notes::Notes;
use crate::segment::{LogId, Segment};
use crate::{key, segment, service, tail};
use disk::private::{self, Durability};
use std::path::PathBuf;

/// Signs a checkpoint of all records that are whole at this moment, also while a writer is
/// appending, after making them durable. `None` when there is no log.
///
/// # Errors
/// [`Error`] when the log's end or its key cannot be read, or it has fewer records than its newest
/// checkpoint covers, or others: what is left is not signed as if it were all.
pub fn sign(config: &Config) -> Result<Option<String>, Error> {
    let notes = Notes::last(&config.folder)?;
    let Some(tail) = tail::survey(config)? else {
        Left::nothing(&config.folder)?;
        return Ok(None);
    };
    let key = key::read(&config.keys, tail.segment.header.log)?;
    tail::newest_checkpoint(notes, &key.public(), &tail)?;
    tail.segment
        .file
        .sync_data()
        .map_err(|source| Error::io(&tail.segment.path, "made durable", source))?;
    Ok(Some(key.sign(tail.frontier.size(), tail.frontier.root())))
}

/// The key that checks this log's checkpoints, also when only these are left of it. `None` when
/// there is no log.
///
/// # Errors
/// [`Error`] when the log's newest segment, its checkpoints or its key cannot be read.
pub fn public_key(config: &Config) -> Result<Option<PublicKey>, Error> {
    let log = match segment::list(&config.folder)?.pop() {
        Some(first) => Some(Segment::open(&config.folder, first)?.header.log),
        None => Left::of(&config.folder)?.logs.pop(),
    };
    let key = log.map(|log| key::read(&config.keys, log)).transpose()?;
    Ok(key.map(|key| key.public()))
}

/// Whether there is anything that [`archive`] would set aside.
///
/// # Errors
/// When the folder cannot be read.
pub fn is_there(config: &Config) -> Result<bool, Error> {
    Ok(!segment::list(&config.folder)?.is_empty() || Left::of(&config.folder)?.is_something)
}

/// Sets the log aside as it is, be it only its checkpoints, so that the next start begins a fresh
/// one, and says where it is now. The private key of every log that its segments and checkpoints
/// name is destroyed, so that nothing more can be signed in that name; the public halves are put
/// beside it. `None` when there is no log.
///
/// # Errors
/// [`Error`] when a writer has it, or it cannot be moved.
pub fn archive(config: &Config, name: &str) -> Result<Option<PathBuf>, Error> {
    let firsts = segment::list(&config.folder)?;
    let left = Left::of(&config.folder)?;
    if firsts.is_empty() && !left.is_something {
        return Ok(None);
    }
    let _lock = service::lock(&config.folder)?;
    let logs = named(config, &firsts, left);
    let mut public = String::new();
    for key in logs
        .iter()
        .filter_map(|log| key::read(&config.keys, *log).ok())
    {
        public.push_str(&format!("{}\n", key.public()));
    }
    if !public.is_empty() {
        let path = config::public_key(&config.folder);
        private::replace(&path, public.as_bytes(), Durability::Durable)
            .map_err(|source| Error::io(&path, "written", source))?;
    }
    let aside = config.folder.with_file_name(name);
    let moved = |source| Error::io(&config.folder, "moved", source);
    if aside.exists() {
        return Err(moved(std::io::ErrorKind::AlreadyExists.into()));
    }
    std::fs::rename(&config.folder, &aside).map_err(moved)?;
    for path in logs.iter().map(|log| key::path(&config.keys, *log)) {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            other => other.map_err(|source| Error::io(&path, "removed", source))?,
        }
    }
    Ok(Some(aside))
}

/// The logs that segments and checkpoints of a folder name: more than one where something was put
/// in the place of another.
fn named(config: &Config, firsts: &[u64], left: Left) -> Vec<LogId> {
    let mut logs: Vec<LogId> = Vec::new();
    let headers = firsts
        .iter()
        .filter_map(|first| Segment::open(&config.folder, *first).ok())
        .map(|segment| segment.header.log);
    for log in headers.chain(left.logs) {
        if !logs.contains(&log) {
            logs.push(log);
        }
    }
    logs
}

/// The checkpoint over most records, of those that were put into a file one after the other. The
/// newer ones vouch for what the older ones do.
///
/// # Errors
/// When one of them is none.
pub fn newest(text: &str) -> Result<Note, NoteError> {
    let mut newest: Option<(u64, Note)> = None;
    for one in notes(text) {
        let note: Note = one.parse()?;
        let size = note.checkpoint()?.size;
        if newest.as_ref().is_none_or(|(known, _)| size > *known) {
            newest = Some((size, note));
        }
    }
    newest.map_or_else(|| text.parse(), |(_, note)| Ok(note))
}

/// The notes of a text: each ends with its last signature.
fn notes(text: &str) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    let mut is_ended = true;
    for line in text.split_inclusive('\n') {
        let is_signature = line.starts_with("\u{2014} ");
        if is_ended && !is_signature {
            if line.trim().is_empty() {
                continue;
            }
            notes.push(String::new());
        }
        if let Some(note) = notes.last_mut() {
            note.push_str(line);
        }
        is_ended = is_signature;
    }
    notes
}
