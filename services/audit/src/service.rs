//! The audit log as a service.

use crate::config::Config;
use crate::error::Error;
use crate::tail;
use crate::writer::{Job, Writer};
use api::audit::{self, Ack, Action, Audit, Durability, Entry};
use async_trait::async_trait;
use domain::Timestamp;
use std::fs::{DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;
use tokio::sync::{mpsc, oneshot};

/// Entries that may wait for the writer; more callers wait for room.
const QUEUE: usize = 1_024;

/// The audit log. Cheap to clone: every clone is the same log. The file stays locked until the
/// last one is gone and everything queued is written.
#[derive(Debug, Clone)]
pub struct Service {
    jobs: mpsc::Sender<Job>,
}

impl Service {
    /// Opens the log, makes it when there is none, and cuts off what a crash left half-written,
    /// which is put on record.
    ///
    /// # Errors
    /// [`Error`] when it cannot be opened or written, is in use, or its last record is damaged.
    pub fn open(config: Config) -> Result<Self, Error> {
        let path = config.file();
        let io = |path: &Path, doing| {
            let path = path.to_path_buf();
            move |source| Error::Io {
                path,
                doing,
                source,
            }
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&config.folder)
            .map_err(io(&config.folder, "made"))?;
        std::fs::set_permissions(&config.folder, Permissions::from_mode(0o700))
            .map_err(io(&config.folder, "closed to others"))?;
        let mut file = open_file(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(Error::Locked { path }),
            Err(TryLockError::Error(source)) => return Err(io(&path, "locked")(source)),
        }
        let tail = tail::recover(&mut file, &path)?;
        // The file's name must survive a power cut as its content does.
        File::open(&config.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(io(&config.folder, "made durable"))?;
        let writer = Writer {
            sink: file,
            path: path.clone(),
            monotonic,
            sequence: tail.sequence,
            last: tail.last,
            poison: None,
        };
        let (jobs, queue) = mpsc::channel(QUEUE);
        let service = Self { jobs };
        if tail.cut > 0 {
            service.announce(tail.cut);
        }
        std::thread::Builder::new()
            .name("audit".to_owned())
            .spawn(move || writer.run(queue))
            .map_err(io(&path, "given a writer"))?;
        Ok(service)
    }

    /// Queues the record of a recovery, first of this process.
    fn announce(&self, cut: u64) {
        let mut entry = Entry::new(Timestamp::now(), Action::Start);
        entry.detail = format!("recovered: cut {cut} bytes of an unfinished record");
        let (done, _) = oneshot::channel();
        // The queue is empty and open here; a write that fails poisons the log for the next append.
        let _ = self.jobs.try_send(Job {
            entry,
            durability: Durability::Durable,
            done,
        });
    }
}

/// Opens for reading and appending, for the user alone, and never through a symbolic link.
fn open_file(path: &Path) -> Result<File, Error> {
    let io = |doing| {
        move |source| Error::Io {
            path: path.to_path_buf(),
            doing,
            source,
        }
    };
    let no_follow = rustix::fs::OFlags::NOFOLLOW.bits().cast_signed();
    let file = OpenOptions::new()
        .read(true)
        .append(true)
        .create(true)
        .mode(0o600)
        .custom_flags(no_follow)
        .open(path)
        .map_err(io("opened"))?;
    file.set_permissions(Permissions::from_mode(0o600))
        .map_err(io("closed to others"))?;
    Ok(file)
}

fn monotonic() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds
        .saturating_mul(1_000_000_000)
        .saturating_add(nanoseconds)
}

#[async_trait]
impl Audit for Service {
    async fn append(&self, entry: Entry, durability: Durability) -> Result<Ack, audit::Error> {
        let (done, acknowledged) = oneshot::channel();
        let job = Job {
            entry,
            durability,
            done,
        };
        let gone = || audit::Error::Poisoned {
            detail: "the writer has stopped".to_owned(),
        };
        if self.jobs.send(job).await.is_err() {
            return Err(gone());
        }
        acknowledged.await.unwrap_or_else(|_| Err(gone()))
    }
}
