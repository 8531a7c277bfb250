//! Opening the log, and appending to it.

use crate::config::{self, Config};
use crate::disk::{self, Files};
use crate::error::Error;
use crate::key;
use crate::left::Left;
use crate::notes::Notes;
use crate::record::Record;
use crate::segment::{self, Header, LogId, Times};
use crate::tail::{self, Tail};
use crate::tree::Frontier;
use crate::writer::{Job, Pending, Place, Writer};
use api::audit::{self, Ack, Action, Audit, Durability, Entry};
use async_trait::async_trait;
use domain::Timestamp;
use domain::hash::Digest;
use domain::limits::{AUDIT_BATCH, AUDIT_RECORD_BYTES};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use tokio::sync::{mpsc, oneshot};

/// Records that may wait for the writer; more callers wait for room.
const QUEUE: usize = AUDIT_BATCH;

/// The audit log. Cheap to clone: every clone is the same log. When the last one is dropped,
/// everything queued is written, made durable and signed, and the lock is let go.
#[derive(Debug, Clone)]
pub struct Service {
    line: Arc<Line>,
}

/// The line to the writer.
#[derive(Debug)]
struct Line {
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

impl Drop for Line {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(writer) = self.writer.take()
            && writer.join().is_err()
        {
            tracing::error!("the audit log's writer ended in a panic");
        }
    }
}

/// What is told first by a log that was just opened.
struct News {
    action: Action,
    detail: String,
}

impl Service {
    /// Opens the log, makes it when there is none, and cuts off what a crash left half-written,
    /// which is put on record.
    ///
    /// # Errors
    /// [`Error`] when it cannot be opened or written, is in use, is damaged, or has fewer records
    /// than its newest checkpoint covers. Then nothing is made or changed.
    pub fn open(config: Config) -> Result<Self, Error> {
        key::private_folder(&config.folder)?;
        let lock = lock(&config.folder)?;
        let notes = Notes::last(&config.folder)?;
        let (tail, begun) = match tail::survey(&config)? {
            Some(tail) => (tail, None),
            None => {
                Left::nothing(&config.folder)?;
                let begun = begin(&config)?;
                let tail = tail::survey(&config)?.ok_or_else(|| {
                    Error::io(&config.folder, "read", std::io::ErrorKind::NotFound.into())
                })?;
                (tail, begun)
            }
        };
        let log = tail.segment.header.log;
        let key = match key::read(&config.keys, log) {
            // A log without a record may lose its key: its making was interrupted.
            Err(Error::Key { .. }) if tail.frontier.size() == 0 => key::make(&config, log)?,
            other => other?,
        };
        let signed = tail::newest_checkpoint(notes, &key.public(), &tail)?;
        cut(&config, &tail, signed.file_bytes)?;
        let news = begun.or_else(|| recovery(&tail));
        let files = Files::open(&config.folder, tail.segment.header.first(), lock)
            .map_err(|source| Error::io(&config.folder, "opened", source))?;
        let writer = Writer {
            disk: files,
            log,
            key,
            path: config.folder.clone(),
            monotonic,
            wall,
            segment: tail.segment.header.first(),
            offset: tail.offset,
            times: tail.times,
            chain: tail.chain,
            signed: signed.size,
            before: Place::of(&tail),
            pending: Pending::after_start(tail.frontier.size() > signed.size),
            frontier: tail.frontier,
            poison: None,
            config,
        };
        Self::start(writer, news)
    }

    fn start(writer: Writer<Files>, news: Option<News>) -> Result<Self, Error> {
        let folder = writer.path.clone();
        let io = |source| Error::io(&folder, "given a writer", source);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .map_err(io)?;
        let (jobs, queue) = mpsc::channel(QUEUE);
        let thread = std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || writer.run(queue, runtime))
            .map_err(io)?;
        let line = Line {
            jobs: Some(jobs),
            writer: Some(thread),
        };
        let service = Self {
            line: Arc::new(line),
        };
        if let Some(news) = news {
            service.announce(news);
        }
        Ok(service)
    }

    /// Queues the first record of this process.
    fn announce(&self, news: News) {
        let mut entry = Entry::new(Timestamp::now(), news.action);
        entry.detail = news.detail;
        let (done, _) = oneshot::channel();
        if let (Some(jobs), Ok(job)) = (&self.line.jobs, job(entry, Durability::Durable, done)) {
            // The queue is empty and open here; a write that fails poisons the log for the next append.
            let _ = jobs.try_send(job);
        }
    }
}

/// Takes the lock of the one writer.
pub(crate) fn lock(folder: &Path) -> Result<File, Error> {
    let path = config::lock(folder);
    let mut options = OpenOptions::new();
    let file = disk::private(&path, options.write(true).create(true).truncate(false))
        .map_err(|source| Error::io(&path, "opened", source))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Error::Locked {
            path: folder.to_path_buf(),
        }),
        Err(TryLockError::Error(source)) => Err(Error::io(&path, "locked", source)),
    }
}

/// Begins a log where none is, and says what a reader should know about that, if anything.
fn begin(config: &Config) -> Result<Option<News>, Error> {
    let first = segment::path(&config.folder, 1);
    let made = |source| Error::io(&first, "made", source);
    let log = LogId(key::random().map_err(made)?);
    let header = Header {
        log,
        previous: Digest::from_bytes([0; 32]),
        begun: wall(),
        times_before: Times::NONE,
        frontier: Frontier::default(),
    };
    disk::place(&first, &header.encode()).map_err(made)?;
    let mut details = Vec::new();
    let gone = key::others(&config.keys, log);
    if gone > 0 {
        let (logs, were) = match gone {
            1 => ("1 log".to_owned(), "it was"),
            _ => (format!("{gone} logs"), "they were"),
        };
        let lost = format!("{logs} before this one left a key and no records");
        details.push(format!("{lost}: {were} deleted, not archived"));
    }
    if config.folder.join("audit.jsonl").exists() {
        details.push("audit.jsonl beside this log is older and no part of it".to_owned());
    }
    Ok((!details.is_empty()).then(|| News {
        action: Action::Recovery,
        detail: details.join("; "),
    }))
}

fn recovery(tail: &Tail) -> Option<News> {
    (tail.torn > 0).then(|| News {
        action: Action::Recovery,
        detail: format!("cut {} bytes of an unfinished record", tail.torn),
    })
}

/// Cuts off unfinished ends.
fn cut(config: &Config, tail: &Tail, notes: u64) -> Result<(), Error> {
    let shorten = |path: &Path, to: u64| {
        let file = match disk::private(path, OpenOptions::new().write(true)) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        if file.metadata()?.len() > to {
            file.set_len(to)?;
            file.sync_all()?;
        }
        Ok(())
    };
    let notes_path = config::checkpoints(&config.folder);
    shorten(&tail.segment.path, tail.offset)
        .map_err(|source| Error::io(&tail.segment.path, "cut", source))?;
    shorten(&notes_path, notes).map_err(|source| Error::io(&notes_path, "cut", source))
}

fn monotonic() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds)
}

fn wall() -> i64 {
    i64::try_from(Timestamp::now().as_nanosecond()).unwrap_or(i64::MAX)
}

/// The record of an entry, ready to be framed.
fn job(
    entry: Entry,
    durability: Durability,
    done: oneshot::Sender<Result<Ack, audit::Error>>,
) -> Result<Job, audit::Error> {
    let record = Record::from(entry);
    let unwritable = |detail| audit::Error::Unwritable { detail };
    let body = serde_json::to_vec(&record).map_err(|error| unwritable(error.to_string()))?;
    if body.len() > AUDIT_RECORD_BYTES {
        return Err(unwritable(format!(
            "a record of {} bytes is too large",
            body.len()
        )));
    }
    Ok(Job {
        body,
        time: tail::nanoseconds(&record),
        durability,
        done,
    })
}

#[async_trait]
impl Audit for Service {
    async fn append(&self, entry: Entry, durability: Durability) -> Result<Ack, audit::Error> {
        let (done, acknowledged) = oneshot::channel();
        let job = job(entry, durability, done)?;
        let gone = || audit::Error::Poisoned {
            detail: "the writer has stopped".to_owned(),
        };
        let Some(jobs) = &self.line.jobs else {
            return Err(gone());
        };
        if jobs.send(job).await.is_err() {
            return Err(gone());
        }
        acknowledged.await.unwrap_or_else(|_| Err(gone()))
    }
}
