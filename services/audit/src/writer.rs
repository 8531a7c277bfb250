//! The one writer: takes records from a queue, chains them, writes many at once, and answers when
//! each is as safe as was asked. After the first failure it writes nothing more: what a failed
//! write or a failed wait for the disk has left there, only a restart can find out.

use crate::checkpoint::SigningKey;
use crate::config::Config;
use crate::disk::Disk;
use crate::frame;
use crate::notes;
use crate::place::Place;
use crate::record::Mark;
use crate::segment::{Header, LogId, Times};
use crate::tree::Frontier;
use api::audit::{Ack, Durability, Error};
use domain::hash::Digest;
use domain::limits::AUDIT_BATCH;
use std::io;
use std::path::PathBuf;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};

/// A record on its way to the log.
#[derive(Debug)]
pub(crate) struct Job {
    /// The body's bytes.
    pub(crate) body: Vec<u8>,
    /// Its wall time, nanoseconds since 1970.
    pub(crate) time: i64,
    pub(crate) durability: Durability,
    pub(crate) done: Reply,
}

type Reply = oneshot::Sender<Result<Ack, Error>>;

/// The writer's state.
pub(crate) struct Writer<D> {
    pub(crate) disk: D,
    pub(crate) config: Config,
    pub(crate) log: LogId,
    pub(crate) key: SigningKey,
    /// The log's place, for messages.
    pub(crate) path: PathBuf,
    /// Nanoseconds since the machine started.
    pub(crate) monotonic: fn() -> u64,
    /// Nanoseconds since 1970.
    pub(crate) wall: fn() -> i64,
    /// First record of the newest segment.
    pub(crate) segment: u64,
    /// Bytes of the newest segment.
    pub(crate) offset: u64,
    pub(crate) times: Times,
    pub(crate) chain: Digest,
    pub(crate) frontier: Frontier,
    /// Records that the newest checkpoint covers.
    pub(crate) signed: u64,
    /// Where the newest batch begins: what a start looks at anew.
    pub(crate) before: Place,
    pub(crate) pending: Pending,
    /// The first failure, after which nothing is written.
    pub(crate) poison: Option<String>,
}

/// What has to happen by when.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// Records wait for the disk since.
    unsynced: Option<Instant>,
    /// Records wait for a checkpoint since.
    unsigned: Option<Instant>,
}

impl Pending {
    /// At a start; whether there are records that no checkpoint covers.
    pub(crate) fn after_start(is_unsigned: bool) -> Self {
        Self {
            unsynced: None,
            unsigned: is_unsigned.then(Instant::now),
        }
    }
}

impl<D: Disk> Writer<D> {
    /// Works until every sender is gone, then signs and lets go.
    pub(crate) fn run(mut self, mut jobs: mpsc::Receiver<Job>, runtime: Runtime) {
        let mut batch = Vec::with_capacity(AUDIT_BATCH);
        loop {
            let due = self.due();
            let taken = runtime.block_on(async {
                let more = jobs.recv_many(&mut batch, AUDIT_BATCH);
                match due {
                    None => Some(more.await),
                    Some(due) => tokio::time::timeout_at(due.into(), more).await.ok(),
                }
            });
            match taken {
                Some(0) => break,
                Some(_) => self.write(batch.drain(..)),
                None => {}
            }
            self.keep_time(Instant::now());
        }
        self.close();
    }

    /// When something has to happen without a record coming.
    fn due(&self) -> Option<Instant> {
        if self.poison.is_some() {
            return None;
        }
        let sync = self
            .pending
            .unsynced
            .map(|since| since + self.config.group_commit);
        let sign = self
            .pending
            .unsigned
            .map(|since| since + self.config.checkpoint_every);
        sync.into_iter().chain(sign).min()
    }

    pub(crate) fn write(&mut self, batch: impl Iterator<Item = Job>) {
        if let Some(detail) = &self.poison {
            for job in batch {
                // A caller that no longer waits has already taken silence for a refusal.
                let _ = job.done.send(Err(Error::Poisoned {
                    detail: detail.clone(),
                }));
            }
            return;
        }
        self.before = self.place();
        let mut bytes = Vec::new();
        let mut grouped: Vec<(u64, Reply)> = Vec::new();
        let mut durable: Vec<(u64, Reply)> = Vec::new();
        for job in batch {
            let sequence = self.frontier.size() + 1;
            let now = (self.monotonic)();
            self.chain = frame::encode(&mut bytes, sequence, now, self.chain, &job.body);
            self.frontier.push(self.chain);
            self.times.add(job.time);
            match job.durability {
                Durability::Durable => durable.push((sequence, job.done)),
                Durability::Grouped => grouped.push((sequence, job.done)),
            }
        }
        let now = Instant::now();
        self.offset += bytes.len() as u64;
        self.pending.unsynced.get_or_insert(now);
        self.pending.unsigned.get_or_insert(now);
        let written = self.disk.write(&bytes);
        let is_written = written.is_ok();
        self.settle(grouped, written);
        if durable.is_empty() {
            return;
        }
        let synced = if is_written { self.sync() } else { Ok(()) };
        self.settle(durable, synced);
    }

    /// Answers, and after a failure takes no more.
    fn settle(&mut self, waiting: Vec<(u64, Reply)>, result: io::Result<()>) {
        if let Err(error) = result {
            self.poison(&error);
        }
        for (sequence, done) in waiting {
            let answer = match &self.poison {
                None => Ok(Ack { sequence }),
                Some(detail) => Err(Error::Unwritable {
                    detail: detail.clone(),
                }),
            };
            let _ = done.send(answer);
        }
    }

    fn poison(&mut self, error: &io::Error) {
        let detail = format!("{}: {error}", self.path.display());
        // Whoever appends is told, so it is no error that only the process log has.
        tracing::warn!(%detail, "the audit log stops");
        self.poison.get_or_insert(detail);
    }

    fn sync(&mut self) -> io::Result<()> {
        self.disk.sync()?;
        self.pending.unsynced = None;
        Ok(())
    }

    /// Does what is due: makes records durable, signs a checkpoint, begins a segment.
    pub(crate) fn keep_time(&mut self, now: Instant) {
        if self.poison.is_some() {
            return;
        }
        let is_due =
            |since: Option<Instant>, after| since.is_some_and(|since| now >= since + after);
        let is_full = self.offset >= self.config.segment_bytes;
        let many = self.frontier.size() - self.signed >= self.config.checkpoint_records;
        let result = if is_full {
            self.checkpoint().and_then(|()| self.begin_segment())
        } else if many || is_due(self.pending.unsigned, self.config.checkpoint_every) {
            self.checkpoint()
        } else if is_due(self.pending.unsynced, self.config.group_commit) {
            self.sync()
        } else {
            Ok(())
        };
        if let Err(error) = result {
            self.poison(&error);
        }
    }

    /// Signs what is durable, and marks where the next start may begin.
    fn checkpoint(&mut self) -> io::Result<()> {
        // First the records: a checkpoint of records that a power cut takes away would be a false
        // alarm for ever.
        self.sync()?;
        if self.frontier.size() > self.signed {
            let note = self.key.sign(self.frontier.size(), self.frontier.root());
            self.disk.note(notes::framed(&note).as_bytes())?;
            self.signed = self.frontier.size();
        }
        self.pending.unsigned = None;
        let mark = Mark::new(self.log, self.segment, &self.before);
        let marked = mark.to_text(&self.key).map_err(io::Error::from);
        if let Err(error) = marked.and_then(|text| self.disk.mark(text.as_bytes())) {
            tracing::warn!(%error, "the audit log's mark cannot be written; the next start takes longer");
        }
        Ok(())
    }

    fn place(&self) -> Place {
        Place {
            offset: self.offset,
            chain: self.chain,
            times: self.times,
            frontier: self.frontier.clone(),
        }
    }

    fn begin_segment(&mut self) -> io::Result<()> {
        let header = Header {
            log: self.log,
            previous: self.chain,
            begun: (self.wall)(),
            times_before: self.times,
            frontier: self.frontier.clone(),
        };
        self.disk.sync_notes()?;
        self.disk.begin(header.first(), &header.encode())?;
        self.segment = header.first();
        self.offset = header.len();
        self.times = Times::NONE;
        self.before = self.place();
        Ok(())
    }

    /// The end of a clean stop.
    pub(crate) fn close(&mut self) {
        if self.poison.is_some() || self.pending.unsigned.is_none() {
            return;
        }
        if let Err(error) = self.checkpoint().and_then(|()| self.disk.sync_notes()) {
            self.poison(&error);
        }
    }
}

#[cfg(test)]
mod tests;
