//! Opening the log, and appending to it.

use crate::config::{self, Config};
use crate::disk::Files;
use crate::error::Error;
use crate::key;
use crate::left::Left;
use crate::notes::Notes;
use crate::record::Record;
use crate::segment::{self, Header, LogId, Times};
use crate::tail::{self, Tail};
use crate::tree::Frontier;
use crate::writer::{Job, Pending, Writer};
use api::audit::{self, Ack, Action, Audit, Durability, Entry};
use async_trait::async_trait;
use disk::private;
use domain::Timestamp;
use domain::hash::Digest;
use domain::limits::{AUDIT_BATCH, AUDIT_RECORD_BYTES, AUDIT_REOPEN};
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Records that may wait for the writer; more callers wait for room.
const QUEUE: usize = AUDIT_BATCH;
/// What is on record where a log goes on after a failure.
const AGAIN: &str = "opened again after a failed write";

/// How often it is looked whether a writer has ended.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The audit log. Cheap to clone: every clone is the same log. When the last one is dropped,
/// everything queued is written, made durable and signed, and the lock is let go.
///
/// After a failed write the log is opened again, as a start would, when the next record comes: not
/// more than once in [`AUDIT_REOPEN`].
#[derive(Debug, Clone)]
pub struct Service {
    config: Config,
    log: Arc<Mutex<OpenLog>>,
}

/// The writer that records go to now.
#[derive(Debug)]
struct OpenLog {
    /// Why the last one failed, until the log could be opened again.
    line: Result<Arc<Line>, String>,
    /// When it was last tried to open the log again.
    tried: Option<Instant>,
}

/// The line to the writer.
#[derive(Debug)]
struct Line {
    jobs: Option<mpsc::Sender<Job>>,
    writer: Option<JoinHandle<()>>,
}

impl Line {
    async fn append(&self, record: Prepared) -> Result<Ack, audit::Error> {
        let (done, acknowledged) = oneshot::channel();
        let Some(jobs) = &self.jobs else {
            return Err(stopped());
        };
        if jobs.send(record.job(done)).await.is_err() {
            return Err(stopped());
        }
        acknowledged.await.unwrap_or_else(|_| Err(stopped()))
    }
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
        let line = Line::open(config.clone(), None)?;
        let log = OpenLog {
            line: Ok(Arc::new(line)),
            tried: None,
        };
        Ok(Self {
            config,
            log: Arc::new(Mutex::new(log)),
        })
    }

    /// The writer that records go to now; after a failure, why it failed.
    fn line(&self) -> Result<Arc<Line>, String> {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        log.line.clone()
    }

    /// Notes that this writer failed and why, unless another took its place.
    fn failed(&self, failed: &Arc<Line>, why: String) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if matches!(&log.line, Ok(line) if Arc::ptr_eq(failed, line)) {
            log.line = Err(why);
        }
    }

    /// Opens the log again when the last writer failed and it is time to try. Blocks while the files
    /// are read.
    ///
    /// # Errors
    /// [`audit::Error::Poisoned`] with why the last writer failed, when it cannot be opened, or was
    /// tried a moment ago.
    fn reopened(&self) -> Result<Arc<Line>, audit::Error> {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let why = match &log.line {
            Ok(line) => return Ok(Arc::clone(line)),
            Err(why) => audit::Error::Poisoned {
                detail: why.clone(),
            },
        };
        let now = Instant::now();
        let is_early = |tried: Instant| now.duration_since(tried) < AUDIT_REOPEN;
        if log.tried.is_some_and(is_early) {
            return Err(why);
        }
        log.tried = Some(now);
        let opened = Line::open(self.config.clone(), Some(AGAIN));
        let line = Arc::new(opened.map_err(|error| {
            tracing::warn!(%error, "the audit log cannot be opened again");
            why
        })?);
        log.line = Ok(Arc::clone(&line));
        Ok(line)
    }
}

impl Line {
    /// Opens the log for its one writer. `cause`: why it is opened again.
    fn open(config: Config, cause: Option<&str>) -> Result<Self, Error> {
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
        let news = begun.or_else(|| recovery(&tail, cause));
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
            before: tail.place(),
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
        let line = Self {
            jobs: Some(jobs),
            writer: Some(thread),
        };
        if let Some(news) = news {
            line.announce(news);
        }
        Ok(line)
    }

    /// Queues the first record of this process.
    fn announce(&self, news: News) {
        let mut entry = Entry::new(Timestamp::now(), news.action);
        entry.detail = news.detail;
        let (done, _) = oneshot::channel();
        if let (Some(jobs), Ok(record)) = (&self.jobs, Prepared::new(entry, Durability::Durable)) {
            // The queue is empty and open here; a write that fails poisons the log for the next append.
            let _ = jobs.try_send(record.job(done));
        }
    }
}

/// Waits until nobody writes this log, at most so long; whether that is so.
pub async fn is_let_go(folder: &Path, within: Duration) -> bool {
    let is_free = async {
        while matches!(lock(folder), Err(Error::Locked { .. })) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
    };
    tokio::time::timeout(within, is_free).await.is_ok()
}

/// Takes the lock of the one writer.
pub(crate) fn lock(folder: &Path) -> Result<File, Error> {
    let path = config::lock(folder);
    match private::lock(&path) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err(Error::Locked {
            path: folder.to_path_buf(),
        }),
        Err(source) => Err(Error::io(&path, "locked", source)),
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
    private::replace(&first, &header.encode(), private::Durability::Durable).map_err(made)?;
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

fn recovery(tail: &Tail, cause: Option<&str>) -> Option<News> {
    let cut = (tail.torn > 0).then(|| format!("cut {} bytes of an unfinished record", tail.torn));
    let details: Vec<String> = cause.map(str::to_owned).into_iter().chain(cut).collect();
    (!details.is_empty()).then(|| News {
        action: Action::Recovery,
        detail: details.join("; "),
    })
}

/// Cuts off unfinished ends.
fn cut(config: &Config, tail: &Tail, notes: u64) -> Result<(), Error> {
    let shorten = |path: &Path, to: u64| {
        let file = match private::open(path, OpenOptions::new().write(true)) {
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
#[derive(Clone)]
struct Prepared {
    body: Vec<u8>,
    time: i64,
    durability: Durability,
}

impl Prepared {
    fn new(entry: Entry, durability: Durability) -> Result<Self, audit::Error> {
        let record = Record::from(entry);
        let unwritable = |detail| audit::Error::Unwritable { detail };
        let body = serde_json::to_vec(&record).map_err(|error| unwritable(error.to_string()))?;
        if body.len() > AUDIT_RECORD_BYTES {
            return Err(unwritable(format!(
                "a record of {} bytes is too large",
                body.len()
            )));
        }
        Ok(Self {
            body,
            time: tail::nanoseconds(&record),
            durability,
        })
    }

    fn job(self, done: oneshot::Sender<Result<Ack, audit::Error>>) -> Job {
        Job {
            body: self.body,
            time: self.time,
            durability: self.durability,
            done,
        }
    }
}

fn stopped() -> audit::Error {
    audit::Error::Poisoned {
        detail: "the writer has stopped".to_owned(),
    }
}

#[async_trait]
impl Audit for Service {
    async fn append(&self, entry: Entry, durability: Durability) -> Result<Ack, audit::Error> {
        let record = Prepared::new(entry, durability)?;
        if let Ok(line) = self.line() {
            match line.append(record.clone()).await {
                // The writer failed at an earlier record: this one was not written.
                Err(audit::Error::Poisoned { detail }) => self.failed(&line, detail),
                answered => return answered,
            }
        }
        let service = self.clone();
        let opening = tokio::task::spawn_blocking(move || service.reopened());
        match opening.await {
            Ok(opened) => opened?.append(record).await,
            Err(_) => Err(stopped()),
        }
    }
}

#[cfg(test)]
mod tests;
