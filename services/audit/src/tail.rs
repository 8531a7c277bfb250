//! The end of an existing log: where it goes on, and whether it may.

use crate::checkpoint::{Checkpoint, PublicKey};
use crate::config::{self, Config};
use crate::error::{Damage, Error, Wrong};
use crate::key;
use crate::notes::{Kept, Notes};
use crate::place::Place;
use crate::record::{Mark, Record};
use crate::segment::{self, Header, Segment, Step, Times, Walk};
use crate::tree::Frontier;
use disk::private;
use domain::hash::Digest;
use std::fs::OpenOptions;
use std::io::Read as _;

/// Where a log goes on.
#[derive(Debug)]
pub(crate) struct Tail {
    /// The newest segment.
    pub(crate) segment: Segment,
    /// The end of its last whole record, bytes.
    pub(crate) offset: u64,
    /// Bytes after it: the beginning of a record that was never finished.
    pub(crate) torn: u64,
    /// The chain hash of the last record.
    pub(crate) chain: Digest,
    /// The tree over all records.
    pub(crate) frontier: Frontier,
    /// Wall times of the newest segment's records.
    pub(crate) times: Times,
}

impl Tail {
    /// The end of the log.
    pub(crate) fn place(&self) -> Place {
        Place {
            offset: self.offset,
            chain: self.chain,
            times: self.times,
            frontier: self.frontier.clone(),
        }
    }
}

/// Looks for the last whole record, from the mark or else from the newest segment's start. Changes
/// nothing. `None` for a folder without a log.
///
/// # Errors
/// [`Error`] when it cannot be read, or a record is damaged and not the unfinished last one.
pub(crate) fn survey(config: &Config) -> Result<Option<Tail>, Error> {
    let folder = &config.folder;
    let Some(first) = segment::list(folder)?.pop() else {
        return Ok(None);
    };
    let segment = Segment::open(folder, first)?;
    let mark = read_mark(config, &segment);
    let mut tail = begin(segment, mark);
    let mut walk = Walk::new(tail.offset, tail.segment.length);
    loop {
        let sequence = tail.frontier.size() + 1;
        let damage = |what, walk: &Walk, segment: &Segment| Error::Damaged {
            damage: Damage {
                segment: segment.path.clone(),
                sequence,
                offset: walk.offset(),
                what,
            },
        };
        let io = |source| Error::io(&segment::path(folder, first), "read", source);
        let at = walk.offset();
        let what = match walk.next(&tail.segment.file).map_err(io)? {
            Step::Whole(frame) => {
                let wrong = if frame.sequence != sequence {
                    Some(Wrong::Sequence(frame.sequence))
                } else if frame.previous != tail.chain {
                    Some(Wrong::Chain)
                } else {
                    None
                };
                match (wrong, serde_json::from_slice::<Record>(frame.body)) {
                    (None, Ok(record)) => {
                        tail.times.add(nanoseconds(&record));
                        tail.chain = frame.hash;
                        tail.frontier.push(frame.hash);
                        continue;
                    }
                    (wrong, _) => {
                        let start = Walk::new(at, at);
                        return Err(damage(wrong.unwrap_or(Wrong::Body), &start, &tail.segment));
                    }
                }
            }
            Step::End => {
                tail.offset = walk.offset();
                return Ok(Some(tail));
            }
            Step::Unfinished => Wrong::CutShort,
            Step::Damaged(flaw) => Wrong::Frame(flaw),
        };
        if segment::follower(&tail.segment, at, sequence)
            .map_err(io)?
            .is_some()
        {
            return Err(damage(what, &walk, &tail.segment));
        }
        tail.offset = at;
        tail.torn = tail.segment.length - at;
        return Ok(Some(tail));
    }
}

/// A record's wall time.
pub(crate) fn nanoseconds(record: &Record) -> i64 {
    let time = record.time.as_nanosecond();
    i64::try_from(time).unwrap_or(if time < 0 { i64::MIN } else { i64::MAX })
}

fn begin(segment: Segment, mark: Option<(Mark, Frontier)>) -> Tail {
    let Header {
        previous, frontier, ..
    } = segment.header.clone();
    match mark {
        Some((mark, frontier)) => Tail {
            offset: mark.offset,
            torn: 0,
            chain: mark.chain,
            frontier,
            times: Times {
                earliest: mark.times.0,
                latest: mark.times.1,
            },
            segment,
        },
        None => Tail {
            offset: segment.header.len(),
            torn: 0,
            chain: previous,
            frontier,
            times: Times::NONE,
            segment,
        },
    }
}

/// The mark, if it is one of this segment and within it, and sealed with the log's key.
fn read_mark(config: &Config, segment: &Segment) -> Option<(Mark, Frontier)> {
    let key = key::read(&config.keys, segment.header.log).ok()?;
    let path = config::mark(&config.folder);
    let file = private::open(&path, OpenOptions::new().read(true)).ok()?;
    let mut text = String::new();
    if let Err(error) = file
        .take(crate::checkpoint::NOTE_BYTES as u64)
        .read_to_string(&mut text)
    {
        tracing::debug!(%error, "the audit log's mark cannot be read");
        return None;
    }
    let (mark, frontier) = Mark::from_text(&text, segment.header.log, &key)?;
    let fits = mark.segment == segment.header.first()
        && (segment.header.len()..=segment.length).contains(&mark.offset);
    fits.then_some((mark, frontier))
}

/// What the log's own checkpoints came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signed {
    /// Records that the newest one covers.
    pub(crate) size: u64,
    /// Bytes of the file without an unfinished last entry.
    pub(crate) file_bytes: u64,
}

/// Checks the records against the log's own newest checkpoint, of notes that were opened before the
/// records were surveyed: a writer that goes on meanwhile signs only what it has written before.
///
/// # Errors
/// [`Error::Checkpoints`] when the newest is damaged or another's, [`Error::Incomplete`] when it
/// covers more records than there are, or as many and others.
pub(crate) fn newest_checkpoint(
    mut notes: Notes,
    key: &PublicKey,
    tail: &Tail,
) -> Result<Signed, Error> {
    let mut newest: Option<Checkpoint> = None;
    loop {
        let source = match notes.next()? {
            Some(Kept::Note(note)) => match key.open(&note) {
                Ok(checkpoint) => {
                    newest = Some(checkpoint);
                    continue;
                }
                Err(source) => source,
            },
            Some(Kept::Damaged(source)) => source,
            Some(Kept::Unfinished) | None => break,
        };
        return Err(Error::Checkpoints {
            path: notes.path().to_path_buf(),
            source,
        });
    }
    let have = tail.frontier.size();
    let detail = match newest {
        Some(Checkpoint { size, .. }) if size > have => {
            format!(
                "its newest checkpoint covers {size} records, and {have} are there: a segment is \
                 gone, or records were cut off its end"
            )
        }
        Some(Checkpoint { size, root, .. }) if size == have && root != tail.frontier.root() => {
            format!("its newest checkpoint covers other {size} records than those that are there")
        }
        newest => {
            return Ok(Signed {
                size: newest.map_or(0, |checkpoint| checkpoint.size),
                file_bytes: notes.offset(),
            });
        }
    };
    Err(Error::Incomplete { detail })
}
