//! Checking a log: whether what is there is whole, and whether all of it is there.
//!
//! These are two questions. **Integrity**: every record is as it was written and stands where it
//! was written. **Completeness**: no record is missing that was once there. The files alone can
//! answer the first; the second needs a checkpoint that was kept elsewhere, an anchor.

use crate::checkpoint::{Checkpoint, Note, NoteError, PublicKey};
use crate::error::{Damage, Error, Wrong};
use crate::left::Left;
use crate::notes::{Kept, Notes};
use crate::segment::{self, Header, LogId, Segment, Step, Walk};
use crate::tree::Frontier;
use crate::{config, key};
use domain::hash::Digest;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Debug)]
pub struct Report {
    /// The log's name.
    pub origin: String,
    /// Records that are whole and in their place, from the first.
    pub records: u64,
    /// Segments that were read.
    pub segments: u64,
    /// Bytes that were read.
    pub bytes: u64,
    /// What ends the whole part, if anything does.
    pub problem: Option<Problem>,
    /// Bytes of a last record that is not finished: still being written, or left by a crash.
    pub unfinished_bytes: u64,
    /// The log's own checkpoints.
    pub checkpoints: Checkpoints,
    /// The key that they were checked with, and where it is from.
    pub key: Option<(PublicKey, KeySource)>,
    /// What the anchor says.
    pub anchor: Option<Anchor>,
}

/// The first thing that is wrong with the records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A record.
    Record(Damage),
    /// A segment's header, or its place among the others.
    Segment {
        /// The segment's file.
        path: PathBuf,
        /// The record that it should begin with.
        sequence: u64,
        /// What is wrong.
        what: String,
    },
}

/// Where a public key is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySource {
    /// The caller gave it.
    Given,
    /// It is the public half of the log's private key on this machine.
    Own,
    /// It lies beside the log, where whoever can change the log can change it as well.
    Beside,
}

/// What became of the log's own checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Checkpoints {
    /// How many fit the records.
    pub good: u64,
    /// Records that the newest of these covers.
    pub covered: u64,
    /// The largest number of records that any of them covers.
    pub claimed: u64,
    /// The first one that is wrong, by its place in the file, bytes.
    pub wrong: Option<(u64, String)>,
    /// The last one is not finished.
    pub is_unfinished: bool,
    /// There is no key to check their signatures with: who can write the files can write them.
    pub are_unsigned: bool,
}

/// What an anchor says of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchor {
    /// The first `size` records are those that it vouches for.
    Holds {
        /// Records.
        size: u64,
    },
    /// It vouches for more records than there are whole ones.
    Missing {
        /// Records that it vouches for.
        size: u64,
    },
    /// It vouches for other records than those that are there.
    Other {
        /// Records that it vouches for.
        size: u64,
    },
    /// It is of another log: this one was put in its place, or the anchor is somebody else's.
    OtherLog {
        /// The anchor's log.
        origin: String,
    },
    /// It proves nothing: nobody known signed it, or it was changed.
    Unproven {
        /// Why.
        why: NoteError,
    },
}

impl Report {
    /// Whether every record there is whole and in its place, and fits the log's own checkpoints
    /// and the anchor.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.problem.is_none()
            && self.checkpoints.wrong.is_none()
            && !matches!(self.anchor, Some(Anchor::Other { .. }))
    }

    /// Whether records are known to be missing: every segment is gone, the log's own checkpoints or
    /// the anchor cover more than there are, or the anchor is of a log that this one has replaced.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.is_gone()
            || self.checkpoints.claimed > self.records
            || matches!(
                self.anchor,
                Some(Anchor::Missing { .. } | Anchor::OtherLog { .. })
            )
    }

    /// Whether every segment is gone and only checkpoints say that there was a log: there is no
    /// record of which [`Self::is_whole`] could say anything.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        self.records == 0 && self.segments == 0 && self.problem.is_none()
    }

    /// Records that the anchor vouches for.
    #[must_use]
    pub fn anchored(&self) -> u64 {
        match self.anchor {
            Some(Anchor::Holds { size }) => size,
            _ => 0,
        }
    }
}

/// What to check with, beside the log itself.
#[derive(Debug, Clone, Default)]
pub struct Against {
    /// A checkpoint that was kept elsewhere.
    pub anchor: Option<Note>,
    /// The key that signed it; otherwise the log's own.
    pub key: Option<PublicKey>,
}

/// Reads the whole log once and checks everything that can be checked. Memory does not grow with
/// the log. `None` when there is no log, and no checkpoint that says that there was one.
///
/// # Errors
/// [`Error`] when a file cannot be read. What is wrong with the log is in the report.
pub fn verify(folder: &Path, keys: &Path, against: &Against) -> Result<Option<Report>, Error> {
    // Checkpoints first: a writer that goes on meanwhile signs only what it has written before.
    let notes = Notes::open(folder)?;
    let firsts = segment::list(folder)?;
    let left = match firsts.last() {
        Some(_) => Left::default(),
        None => Left::of(folder)?,
    };
    if firsts.is_empty() && !left.is_something {
        return Ok(None);
    }
    // Any header tells the log's name; a damaged one is found on the way.
    let log = firsts
        .iter()
        .find_map(|first| match Segment::open(folder, *first) {
            Ok(segment) => Some(segment.header.log),
            Err(_) => None,
        });
    let log = log.or(left.logs.last().copied());
    let log = log.unwrap_or(LogId([0; 16]));
    let key = find_key(folder, keys, log, against);
    let mut pass = Pass::new(folder, notes, log, key, against)?;
    for first in &firsts {
        if !pass.segment(*first, Some(first) == firsts.last())? {
            break;
        }
    }
    pass.finish().map(Some)
}

fn find_key(
    folder: &Path,
    keys: &Path,
    log: LogId,
    against: &Against,
) -> Option<(PublicKey, KeySource)> {
    if let Some(key) = &against.key {
        return Some((key.clone(), KeySource::Given));
    }
    match key::read(keys, log) {
        Ok(key) => Some((key.public(), KeySource::Own)),
        Err(_) => {
            let text = std::fs::read_to_string(config::public_key(folder)).ok()?;
            let mut keys: Vec<PublicKey> = text.lines().flat_map(str::parse).collect();
            // The log's own stands first, so that any other key tells at once that it is another's.
            keys.sort_by_key(|key| key.name() != log.origin());
            Some((keys.into_iter().next()?, KeySource::Beside))
        }
    }
}

/// One pass over the records.
struct Pass {
    folder: PathBuf,
    log: LogId,
    key: Option<(PublicKey, KeySource)>,
    chain: Digest,
    frontier: Frontier,
    notes: Notes,
    /// The next of the log's own checkpoints, and where it stands.
    next_note: Option<(Checkpoint, u64)>,
    /// The anchor, once it is known to be this log's.
    awaited: Option<Checkpoint>,
    report: Report,
}

impl Pass {
    fn new(
        folder: &Path,
        notes: Notes,
        log: LogId,
        key: Option<(PublicKey, KeySource)>,
        against: &Against,
    ) -> Result<Self, Error> {
        let mut pass = Self {
            folder: folder.to_path_buf(),
            log,
            chain: Digest::from_bytes([0; 32]),
            frontier: Frontier::default(),
            notes,
            next_note: None,
            awaited: None,
            report: Report {
                origin: log.origin(),
                records: 0,
                segments: 0,
                bytes: 0,
                problem: None,
                unfinished_bytes: 0,
                checkpoints: Checkpoints::default(),
                key: key.clone(),
                anchor: None,
            },
            key,
        };
        if let Some(note) = &against.anchor {
            pass.open_anchor(note);
        }
        pass.take_note()?;
        pass.meet_checkpoints()?;
        Ok(pass)
    }

    fn open_anchor(&mut self, note: &Note) {
        let opened = match (&self.key, note.checkpoint()) {
            (_, Err(why)) => Err(why),
            (_, Ok(stated)) if stated.origin != self.log.origin() => {
                self.report.anchor = Some(Anchor::OtherLog {
                    origin: stated.origin,
                });
                return;
            }
            (None, Ok(_)) => Err(NoteError::Form(
                "no key is there to check its signature with",
            )),
            (Some((key, _)), Ok(_)) => key.open(note),
        };
        match opened {
            Ok(checkpoint) => {
                self.report.anchor = Some(Anchor::Missing {
                    size: checkpoint.size,
                });
                self.awaited = Some(checkpoint);
            }
            Err(why) => self.report.anchor = Some(Anchor::Unproven { why }),
        }
    }

    /// Reads the next of the log's own checkpoints that is one.
    fn take_note(&mut self) -> Result<(), Error> {
        self.next_note = loop {
            let at = self.notes.offset();
            let note = match self.notes.next()? {
                None => break None,
                Some(Kept::Unfinished) => {
                    self.report.checkpoints.is_unfinished = true;
                    break None;
                }
                Some(Kept::Damaged(why)) => {
                    self.wrong_checkpoint(at, why.to_string());
                    break None;
                }
                Some(Kept::Note(note)) => note,
            };
            let opened = match &self.key {
                Some((key, _)) if key.name() == self.log.origin() => key.open(&note),
                _ => {
                    self.report.checkpoints.are_unsigned = true;
                    note.checkpoint()
                }
            };
            match opened {
                Ok(checkpoint) => {
                    let claimed = &mut self.report.checkpoints.claimed;
                    *claimed = (*claimed).max(checkpoint.size);
                    break Some((checkpoint, at));
                }
                Err(why) => self.wrong_checkpoint(at, why.to_string()),
            }
        };
        Ok(())
    }

    fn wrong_checkpoint(&mut self, at: u64, why: String) {
        self.report.checkpoints.wrong.get_or_insert((at, why));
    }

    /// Compares the tree with what is said of it at this size.
    fn meet_checkpoints(&mut self) -> Result<(), Error> {
        let size = self.frontier.size();
        if let Some(anchor) = self.awaited.take_if(|anchor| anchor.size == size) {
            let holds = anchor.root == self.frontier.root();
            self.report.anchor = Some(if holds {
                Anchor::Holds { size }
            } else {
                Anchor::Other { size }
            });
        }
        while let Some((checkpoint, at)) = self.next_note.take_if(|(note, _)| note.size <= size) {
            let checkpoints = &mut self.report.checkpoints;
            if checkpoint.size < size {
                self.wrong_checkpoint(
                    at,
                    "it stands after one that covers more records".to_owned(),
                );
            } else if checkpoint.root != self.frontier.root() {
                let why = format!("it covers other {size} records than those that are there");
                self.wrong_checkpoint(at, why);
            } else {
                checkpoints.good += 1;
                checkpoints.covered = size;
            }
            self.take_note()?;
        }
        Ok(())
    }

    /// Whether something is said of the tree at its present size.
    fn is_awaited(&self) -> bool {
        let size = self.frontier.size();
        self.next_note
            .as_ref()
            .is_some_and(|(note, _)| note.size <= size)
            || self
                .awaited
                .as_ref()
                .is_some_and(|anchor| anchor.size == size)
    }

    /// Checks a segment; false when what follows cannot be checked.
    fn segment(&mut self, first: u64, is_last: bool) -> Result<bool, Error> {
        let sequence = self.frontier.size() + 1;
        let path = segment::path(&self.folder, first);
        let segment = match Segment::open(&self.folder, first) {
            Ok(segment) => segment,
            Err(Error::Segment { path, what }) => {
                self.report.problem = Some(Problem::Segment {
                    path,
                    sequence,
                    what: what.to_owned(),
                });
                return Ok(false);
            }
            Err(other) => return Err(other),
        };
        if let Some(what) = self.misplaced(&segment.header) {
            self.report.problem = Some(Problem::Segment {
                path,
                sequence,
                what,
            });
            return Ok(false);
        }
        self.report.segments += 1;
        self.report.bytes += segment.length;
        let problem = self.frames(&segment, is_last)?;
        let is_good = problem.is_none();
        self.report.problem = problem.map(Problem::Record);
        Ok(is_good)
    }

    /// Why a segment does not continue what was read so far.
    fn misplaced(&self, header: &Header) -> Option<String> {
        let expected = self.frontier.size() + 1;
        if header.first() != expected {
            Some(format!(
                "it begins with record {}: the records before it are missing",
                header.first()
            ))
        } else if header.log != self.log {
            Some("it belongs to another log".to_owned())
        } else if header.previous != self.chain || header.frontier != self.frontier {
            Some("it continues other records than those before it".to_owned())
        } else {
            None
        }
    }

    fn frames(&mut self, segment: &Segment, is_last: bool) -> Result<Option<Damage>, Error> {
        let io = |source| Error::io(&segment.path, "read", source);
        let mut walk = Walk::new(segment.header.len(), segment.length);
        loop {
            let sequence = self.frontier.size() + 1;
            let offset = walk.offset();
            let wrong = match walk.next(&segment.file).map_err(io)? {
                Step::Whole(frame) if frame.sequence != sequence => Wrong::Sequence(frame.sequence),
                Step::Whole(frame) if frame.previous != self.chain => Wrong::Chain,
                Step::Whole(frame) => {
                    self.chain = frame.hash;
                    self.frontier.push(frame.hash);
                    if self.is_awaited() {
                        self.meet_checkpoints()?;
                    }
                    continue;
                }
                Step::End => return Ok(None),
                Step::Unfinished => {
                    let rest = segment::follower(segment, offset, sequence).map_err(io)?;
                    if is_last && rest.is_none() {
                        self.report.unfinished_bytes = segment.length - offset;
                        return Ok(None);
                    }
                    Wrong::CutShort
                }
                Step::Damaged(flaw) => Wrong::Frame(flaw),
            };
            return Ok(Some(Damage {
                segment: segment.path.clone(),
                sequence,
                offset,
                what: wrong,
            }));
        }
    }

    fn finish(mut self) -> Result<Report, Error> {
        // What the checkpoints claim beyond the records that are there.
        while let Some((checkpoint, _)) = self.next_note.take() {
            let claimed = &mut self.report.checkpoints.claimed;
            *claimed = (*claimed).max(checkpoint.size);
            self.take_note()?;
        }
        self.report.records = self.frontier.size();
        Ok(self.report)
    }
}
