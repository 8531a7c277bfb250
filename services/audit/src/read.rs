//! Reading records, for the user's own commands: in order, one at a time, also while a writer is
//! appending. What is still being written is left out.

use crate::error::{Damage, Error, Wrong};
use crate::left::Left;
use crate::record::Record;
use crate::segment::{self, Header, Segment, Step, Walk};
use domain::Timestamp;
use domain::decision::Verdict;
use domain::hash::Digest;
use domain::id::AgentId;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// A record in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// From 1, without gaps.
    pub sequence: u64,
    /// Time since the machine started, nanoseconds; shows a wall clock that was turned back.
    pub monotonic_ns: u64,
    /// This record's chain hash.
    pub hash: Digest,
    /// The chain hash of the record before; zeros for the first.
    pub previous: Digest,
    /// The segment's file.
    pub segment: PathBuf,
    /// Where in it the record's frame begins, bytes.
    pub offset: u64,
    /// The record.
    pub record: Record,
    /// The record as it stands on disk: one JSON object.
    pub body: String,
}

impl Placed {
    /// One line of JSON, without a line feed: place first, then the record's own fields.
    #[must_use]
    pub fn json_line(&self) -> String {
        let Self {
            sequence,
            monotonic_ns,
            hash,
            previous,
            ..
        } = self;
        let fields = self.body.strip_prefix('{').unwrap_or("}");
        format!(
            "{{\"sequence\":{sequence},\"monotonic_ns\":{monotonic_ns},\"hash\":\"{hash}\",\
             \"previous\":\"{previous}\",{fields}"
        )
    }
}

/// Which records are asked for. An absent part asks for any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Of the session whose id begins or ends so.
    pub session: Option<String>,
    /// Of the agent whose id begins so and of those below it, or of agents of this type.
    pub agent: Option<String>,
    /// Of this tool.
    pub tool: Option<String>,
    /// With this action, a word of [`api::audit::Action::as_str`].
    pub action: Option<String>,
    /// With this verdict.
    pub decision: Option<Verdict>,
    /// Not before this wall time.
    pub since: Option<Timestamp>,
    /// Not after this wall time.
    pub until: Option<Timestamp>,
}

impl Query {
    /// Whether a record is asked for.
    #[must_use]
    pub fn wants(&self, record: &Record) -> bool {
        let session = |part: &String| {
            let id = record.session_id.map(|id| id.to_string());
            id.is_some_and(|id| id.starts_with(part.as_str()) || id.ends_with(part.as_str()))
        };
        let agent = |wanted: &String| {
            let begins = |id: AgentId| id.to_string().starts_with(wanted.as_str());
            record
                .agent_type
                .as_ref()
                .is_some_and(|kind| kind.as_str() == wanted)
                || record.agent_id.is_some_and(begins)
                || record
                    .lineage
                    .iter()
                    .any(|ancestor| begins(ancestor.agent_id))
        };
        let tool = |name: &String| record.tool.as_ref().is_some_and(|t| t.as_str() == name);
        self.session.as_ref().is_none_or(session)
            && self.agent.as_ref().is_none_or(agent)
            && self.tool.as_ref().is_none_or(tool)
            && self
                .action
                .as_ref()
                .is_none_or(|action| record.action == *action)
            && self
                .decision
                .is_none_or(|verdict| record.verdict == Some(verdict))
            && self.since.is_none_or(|since| record.time >= since)
            && self.until.is_none_or(|until| record.time <= until)
    }

    /// Whether a segment can hold such a record, going by the header of the one after it.
    fn may_hold(&self, next: &Header) -> bool {
        let times = next.times_before;
        let is_after = |since: Timestamp| i128::from(times.latest) >= since.as_nanosecond();
        let is_before = |until: Timestamp| i128::from(times.earliest) <= until.as_nanosecond();
        self.since.is_none_or(is_after) && self.until.is_none_or(is_before)
    }
}

/// A log, opened to be read.
#[derive(Debug)]
pub struct Log {
    folder: PathBuf,
    /// First sequences of the segments.
    segments: Vec<u64>,
}

impl Log {
    /// Opens the log of a folder; `None` when there is none.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder cannot be read, [`Error::Incomplete`] when there are only
    /// checkpoints of a log in it.
    pub fn open(folder: &Path) -> Result<Option<Self>, Error> {
        let segments = segment::list(folder)?;
        if segments.is_empty() {
            Left::nothing(folder)?;
            return Ok(None);
        }
        Ok(Some(Self {
            folder: folder.to_path_buf(),
            segments,
        }))
    }

    /// Every record that is asked for, oldest first. Segments that can hold none are not read.
    #[must_use]
    pub fn records(&self, query: Query) -> Records {
        Records::new(self.folder.clone(), self.segments.clone().into(), query)
    }

    /// The newest records that are asked for, at most so many, oldest first, and where to go on
    /// from. Holds so many. A record that cannot be read ends the search: what stands after it, and
    /// before it in its own segment, is found all the same, and its error takes the second place.
    pub fn newest(&self, query: &Query, count: usize) -> (Vec<Placed>, Result<Records, Error>) {
        let mut found: Vec<Placed> = Vec::new();
        let mut end = None;
        for first in self.segments.iter().rev() {
            let mut own = Records::new(self.folder.clone(), [*first].into(), query.clone());
            let mut newest = VecDeque::new();
            let mut unreadable = None;
            for placed in own.by_ref() {
                match placed {
                    Ok(placed) => newest.push_back(placed),
                    Err(error) => unreadable = Some(error),
                }
                if newest.len() > count - found.len().min(count) {
                    newest.pop_front();
                }
            }
            newest.extend(found);
            found = newest.into();
            if let Some(error) = unreadable {
                return (found, Err(error));
            }
            end.get_or_insert(own);
            if found.len() >= count {
                break;
            }
        }
        (
            found,
            Ok(end.unwrap_or_else(|| self.records(query.clone()))),
        )
    }

    /// The record of this sequence, if it is there.
    ///
    /// # Errors
    /// [`Error`] when the segment it is in cannot be read.
    pub fn record(&self, sequence: u64) -> Result<Option<Placed>, Error> {
        let after = self.segments.partition_point(|first| *first <= sequence);
        let Some(first) = after.checked_sub(1).and_then(|at| self.segments.get(at)) else {
            return Ok(None);
        };
        let records = Records::new(self.folder.clone(), [*first].into(), Query::default());
        for placed in records {
            let placed = placed?;
            if placed.sequence == sequence {
                return Ok(Some(placed));
            }
        }
        Ok(None)
    }
}

/// Records, one after the other. Ends at the last whole one; asked again later, it goes on with
/// what was written meanwhile.
#[derive(Debug)]
pub struct Records {
    folder: PathBuf,
    waiting: VecDeque<u64>,
    query: Query,
    current: Option<(Segment, Walk)>,
    next: u64,
    is_broken: bool,
}

impl Records {
    const fn new(folder: PathBuf, waiting: VecDeque<u64>, query: Query) -> Self {
        Self {
            folder,
            waiting,
            query,
            current: None,
            next: 0,
            is_broken: false,
        }
    }

    /// Looks whether more was written since it ended.
    ///
    /// # Errors
    /// [`Error::Io`] when the folder or the segment cannot be read.
    pub fn refresh(&mut self) -> Result<(), Error> {
        if let Some((segment, walk)) = &mut self.current {
            let path = &segment.path;
            let length = segment
                .file
                .metadata()
                .map_err(|e| Error::io(path, "read", e))?
                .len();
            segment.length = length;
            walk.extend(length);
        }
        let known = self.waiting.back().copied();
        let current = self
            .current
            .as_ref()
            .map(|(segment, _)| segment.header.first());
        let newest = known.or(current).unwrap_or(0);
        let more = segment::list(&self.folder)?
            .into_iter()
            .filter(|first| *first > newest);
        self.waiting.extend(more);
        Ok(())
    }

    fn advance(&mut self) -> Result<Option<Placed>, Error> {
        loop {
            if self.current.is_none() && !self.open_next()? {
                return Ok(None);
            }
            match self.step()? {
                Some(placed) if self.query.wants(&placed.record) => return Ok(Some(placed)),
                Some(_) => {}
                // The newest segment stays open: more may come.
                None if self.waiting.is_empty() => return Ok(None),
                None => self.current = None,
            }
        }
    }

    /// Opens the next segment that can hold what is asked for.
    fn open_next(&mut self) -> Result<bool, Error> {
        while let Some(first) = self.waiting.pop_front() {
            if let Some(next) = self.waiting.front() {
                let next = Segment::open(&self.folder, *next)?;
                if !self.query.may_hold(&next.header) {
                    continue;
                }
            }
            let segment = Segment::open(&self.folder, first)?;
            let walk = Walk::new(segment.header.len(), segment.length);
            self.next = first;
            self.current = Some((segment, walk));
            return Ok(true);
        }
        Ok(false)
    }

    /// The next record of the current segment.
    fn step(&mut self) -> Result<Option<Placed>, Error> {
        let Some((segment, walk)) = &mut self.current else {
            return Ok(None);
        };
        let offset = walk.offset();
        let damage = |what| Error::Damaged {
            damage: Damage {
                segment: segment.path.clone(),
                sequence: self.next,
                offset,
                what,
            },
        };
        let step = walk
            .next(&segment.file)
            .map_err(|e| Error::io(&segment.path, "read", e))?;
        let frame = match step {
            Step::Whole(frame) => frame,
            Step::End => return Ok(None),
            Step::Unfinished if self.waiting.is_empty() => return Ok(None),
            Step::Unfinished => return Err(damage(Wrong::CutShort)),
            Step::Damaged(flaw) => return Err(damage(Wrong::Frame(flaw))),
        };
        if frame.sequence != self.next {
            return Err(damage(Wrong::Sequence(frame.sequence)));
        }
        let body = std::str::from_utf8(frame.body).ok();
        let record = body.and_then(|body| serde_json::from_str(body).ok());
        let (Some(body), Some(record)) = (body, record) else {
            return Err(damage(Wrong::Body));
        };
        self.next += 1;
        Ok(Some(Placed {
            sequence: frame.sequence,
            monotonic_ns: frame.monotonic_ns,
            hash: frame.hash,
            previous: frame.previous,
            segment: segment.path.clone(),
            offset,
            record,
            body: body.to_owned(),
        }))
    }
}

impl Iterator for Records {
    type Item = Result<Placed, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_broken {
            return None;
        }
        let next = self.advance();
        self.is_broken = next.is_err();
        next.transpose()
    }
}
