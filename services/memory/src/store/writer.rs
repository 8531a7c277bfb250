//! The one thread that writes: what waits together is written in one transaction and made durable
//! at once.

use super::change::{self, Point};
use crate::error::{broken, sqlite};
use api::memory::Error;
use domain::Timestamp;
use rusqlite::{Connection, TransactionBehavior};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// Most writes that share a transaction.
const TOGETHER: usize = 256;
/// How long a recall may wait to be counted.
const TOUCH_AFTER: Duration = Duration::from_secs(5);
/// Most recalled entries that wait to be counted.
const TOUCHED: usize = 10_000;

/// Tells a caller how its write ended, once the transaction has.
type Finish = Box<dyn FnOnce(Result<(), String>) + Send>;

/// A write, given a transaction; or none, where it is only to be told that it was not done.
type Work = Box<dyn FnOnce(Option<&Connection>) -> Finish + Send>;

enum Job {
    /// Done with others in one transaction.
    Write(Work),
    /// Done by itself, outside of a transaction.
    Alone(Box<dyn FnOnce(&mut Connection) -> Finish + Send>),
    /// Counted with the next transaction.
    Touch(Vec<u64>, Timestamp),
}

/// The way to the thread. Dropping it waits until all is written.
#[derive(Debug)]
pub(crate) struct Writer {
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
    file: PathBuf,
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

impl Writer {
    /// Starts the thread; it tells `newest` of every state before whoever led to it is answered.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when no thread can be started.
    pub(crate) fn start(
        connection: Connection,
        file: PathBuf,
        newest: watch::Sender<Point>,
    ) -> Result<Self, Error> {
        let (jobs, work) = channel();
        let mut desk = Desk {
            connection,
            newest,
            touched: BTreeMap::new(),
        };
        let thread = std::thread::Builder::new()
            .name("memory-writer".to_owned())
            .spawn(move || desk.run(&work))
            .map_err(|e| crate::error::unavailable("the writer cannot start", e))?;
        Ok(Self {
            jobs: Some(jobs),
            thread: Some(thread),
            file,
        })
    }

    /// Does the work in a transaction, perhaps with others'. It is durable when this returns; when
    /// it fails, nothing of it is kept.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, told) = oneshot::channel();
        self.send(Job::Write(Box::new(move |to| match to {
            Some(to) => finish(in_savepoint(to, work), answer),
            None => finish(Err(rusqlite::Error::InvalidQuery), answer),
        })))?;
        self.told(told).await
    }

    /// Does the work by itself, outside of a transaction.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn alone<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let (answer, told) = oneshot::channel();
        self.send(Job::Alone(Box::new(move |to| finish(work(to), answer))))?;
        self.told(told).await
    }

    /// Counts a recall of these. It is not waited for, and the last few are lost in a crash.
    pub(crate) fn touch(&self, numbers: Vec<u64>, now: Timestamp) {
        // A writer that is gone is told of by the next write.
        let _gone = self.send(Job::Touch(numbers, now));
    }

    fn send(&self, job: Job) -> Result<(), Error> {
        let sent = self.jobs.as_ref().map(|jobs| jobs.send(job));
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(broken("the writer has stopped")),
        }
    }

    async fn told<T>(
        &self,
        told: oneshot::Receiver<Result<rusqlite::Result<T>, String>>,
    ) -> Result<T, Error> {
        match told.await {
            Ok(Ok(Ok(value))) => Ok(value),
            Ok(Ok(Err(error))) => Err(sqlite(&self.file, error)),
            Ok(Err(detail)) => Err(broken(detail)),
            Err(_gone) => Err(broken("the writer has stopped")),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take() {
            // It has told its callers; there is nobody left to tell.
            let _ended = thread.join();
        }
    }
}

fn finish<T: Send + 'static>(
    result: rusqlite::Result<T>,
    answer: oneshot::Sender<Result<rusqlite::Result<T>, String>>,
) -> Finish {
    Box::new(move |committed| {
        // A caller that went away wants no answer.
        let _gone = answer.send(committed.map(|()| result));
    })
}

/// What fails inside takes nothing of the others with it.
fn in_savepoint<T>(
    to: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    to.execute_batch("SAVEPOINT one")?;
    let result = work(to);
    match &result {
        Ok(_) => to.execute_batch("RELEASE one")?,
        Err(_) => to.execute_batch("ROLLBACK TO one; RELEASE one")?,
    }
    result
}

/// The thread's own things.
struct Desk {
    connection: Connection,
    newest: watch::Sender<Point>,
    touched: BTreeMap<u64, (u64, Timestamp)>,
}

impl Desk {
    fn run(&mut self, work: &Receiver<Job>) {
        loop {
            let job = if self.touched.is_empty() {
                work.recv().map_err(|_gone| RecvTimeoutError::Disconnected)
            } else {
                work.recv_timeout(TOUCH_AFTER)
            };
            match job {
                Ok(job) => self.take(job, work),
                Err(RecvTimeoutError::Timeout) => self.together(Vec::new()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        if !self.touched.is_empty() {
            self.together(Vec::new());
        }
    }

    /// Does a job and what waits behind it.
    fn take(&mut self, first: Job, work: &Receiver<Job>) {
        let mut writes = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next.take() {
            match job {
                Job::Write(write) => writes.push(write),
                Job::Touch(numbers, now) => self.count(&numbers, now),
                Job::Alone(alone) => {
                    self.together(std::mem::take(&mut writes));
                    let finish = alone(&mut self.connection);
                    self.announce();
                    finish(Ok(()));
                }
            }
            if writes.len() < TOGETHER {
                next = work.try_iter().next();
            }
        }
        if !writes.is_empty() || self.touched.len() >= TOUCHED {
            self.together(writes);
        }
    }

    fn count(&mut self, numbers: &[u64], now: Timestamp) {
        for number in numbers {
            let entry = self.touched.entry(*number).or_insert((0, now));
            *entry = (entry.0.saturating_add(1), entry.1.max(now));
        }
    }

    /// One transaction for all of these, and the recalls that wait to be counted.
    fn together(&mut self, writes: Vec<Work>) {
        if writes.is_empty() && self.touched.is_empty() {
            return;
        }
        let mut finishes = Vec::with_capacity(writes.len());
        let ended = transaction(
            &mut self.connection,
            writes,
            &mut finishes,
            &mut self.touched,
        );
        let file = self.connection.path().map(PathBuf::from);
        let ended = ended.map_err(|error| match sqlite(&file.unwrap_or_default(), error) {
            Error::Unavailable { detail, .. } => detail,
            other => other.to_string(),
        });
        if let Err(detail) = &ended
            && finishes.is_empty()
        {
            // Nobody waits for it who would say so.
            tracing::warn!(detail, "recalls of memory were not counted");
        }
        self.announce();
        for finish in finishes {
            finish(ended.clone());
        }
    }

    fn announce(&self) {
        match change::newest(&self.connection) {
            Ok(point) => {
                self.newest.send_if_modified(|known| {
                    let is_other = *known != point;
                    *known = point;
                    is_other
                });
            }
            Err(error) => tracing::error!(%error, "the log of memory's changes cannot be read"),
        }
    }
}

fn transaction(
    connection: &mut Connection,
    writes: Vec<Work>,
    finishes: &mut Vec<Finish>,
    touched: &mut BTreeMap<u64, (u64, Timestamp)>,
) -> rusqlite::Result<()> {
    let all = match connection.transaction_with_behavior(TransactionBehavior::Immediate) {
        Ok(all) => all,
        Err(error) => {
            finishes.extend(writes.into_iter().map(|write| write(None)));
            return Err(error);
        }
    };
    for write in writes {
        // A full disk ends the whole transaction; what came after would be kept one by one.
        let is_open = !all.is_autocommit();
        finishes.push(write(is_open.then_some(&*all)));
    }
    for (number, (times, last)) in std::mem::take(touched) {
        all.prepare_cached(
            "UPDATE entries SET access_count = access_count + ?2, last_accessed = ?3 \
             WHERE number = ?1",
        )?
        .execute((number, times, last.as_microsecond()))?;
    }
    all.commit()
}
