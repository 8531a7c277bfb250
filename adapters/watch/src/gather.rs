//! Changes as they come from the kernel, gathered into signals.

use crate::tree::Tree;
use api::signals::Error;
use domain::drive::Signal;
use rustix::fs::inotify::{ReadFlags, Reader};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::unix::AsyncFd;
use tokio::time::{Instant, timeout_at};

/// How long nothing must happen before what happened is told.
pub const PAUSE: Duration = Duration::from_millis(300);
/// How long changes are gathered at most.
pub const PAUSE_MOST: Duration = Duration::from_secs(2);
/// Most paths that one signal names; of more only the number is told.
pub const NAMED: usize = 20;
/// Most paths of one signal that are told apart; what comes beyond them is counted once each time.
const TOLD_APART: usize = 1_000;
/// Room for the kernel's events, bytes.
const EVENT_BYTES: usize = 32 << 10;

/// Changes of watched files.
pub(crate) struct Changes {
    tree: Tree,
    ready: AsyncFd<OwnedFd>,
    changed: BTreeSet<PathBuf>,
    beyond: u32,
}

/// One event, out of the kernel's buffer.
struct Raw {
    number: i32,
    flags: ReadFlags,
    name: Vec<u8>,
}

impl Changes {
    pub(crate) fn of(tree: Tree) -> Result<Self, Error> {
        let failed = |error: std::io::Error| {
            Error::new("Files cannot be watched: the runtime takes no descriptor.")
                .with_source(error)
        };
        let descriptor = tree.kernel.as_fd().try_clone_to_owned().map_err(failed)?;
        #[expect(
            deprecated,
            reason = "what takes its place is unsafe; an owned descriptor keeps what it asks for"
        )]
        let ready = AsyncFd::new(descriptor).map_err(failed)?;
        Ok(Self {
            tree,
            ready,
            changed: BTreeSet::new(),
            beyond: 0,
        })
    }

    /// The next changes; `None` when there will be no more.
    pub(crate) async fn next(&mut self) -> Option<Signal> {
        while self.is_empty() {
            self.take().await?;
        }
        let end = Instant::now() + PAUSE_MOST;
        loop {
            let calm = end.min(Instant::now() + PAUSE);
            match timeout_at(calm, self.take()).await {
                Ok(taken) => taken?,
                Err(_) => break,
            }
            if Instant::now() >= end {
                break;
            }
        }
        let count = self.changed.len() + self.beyond as usize;
        let named = std::mem::take(&mut self.changed).into_iter().take(NAMED);
        self.beyond = 0;
        Some(Signal::FilesChanged {
            paths: named.map(|path| path.display().to_string()).collect(),
            count: u32::try_from(count).unwrap_or(u32::MAX),
        })
    }

    fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.beyond == 0
    }

    /// Waits for events and takes what is there.
    async fn take(&mut self) -> Option<()> {
        let mut guard = match self.ready.readable().await {
            Ok(guard) => guard,
            Err(error) => {
                tracing::warn!(%error, "files are watched no longer");
                return None;
            }
        };
        let mut taken = Vec::new();
        let read = read_all(self.tree.kernel.as_fd(), &mut taken);
        guard.clear_ready();
        drop(guard);
        if let Err(error) = read {
            tracing::warn!(%error, "files are watched no longer");
            return None;
        }
        for raw in taken {
            self.note(&raw);
        }
        Some(())
    }

    fn note(&mut self, raw: &Raw) {
        if raw.flags.contains(ReadFlags::QUEUE_OVERFLOW) {
            // What was lost is not known; that something was is worth a look.
            self.changed.extend(self.tree.roots().iter().cloned());
            return;
        }
        if raw.flags.contains(ReadFlags::IGNORED) {
            self.tree.forget(raw.number);
            return;
        }
        let is_folder = raw.flags.contains(ReadFlags::ISDIR);
        let name = OsStr::from_bytes(&raw.name);
        let Some(path) = self.tree.path_of(raw.number, name, is_folder) else {
            return;
        };
        let is_new = raw
            .flags
            .intersects(ReadFlags::CREATE | ReadFlags::MOVED_TO);
        if is_folder
            && is_new
            && let Err(error) = self.tree.grow(&path)
        {
            tracing::warn!(%error, "a folder that is new is not watched");
        }
        if self.changed.len() < TOLD_APART {
            self.changed.insert(path);
        } else {
            self.beyond = self.beyond.saturating_add(1);
        }
    }
}

/// Everything that can be read without waiting.
fn read_all(kernel: BorrowedFd<'_>, taken: &mut Vec<Raw>) -> rustix::io::Result<()> {
    let mut room = [MaybeUninit::uninit(); EVENT_BYTES];
    let mut reader = Reader::new(kernel, &mut room);
    loop {
        match reader.next() {
            Ok(event) => taken.push(Raw {
                number: event.wd(),
                flags: event.events(),
                name: event
                    .file_name()
                    .map(|name| name.to_bytes().to_vec())
                    .unwrap_or_default(),
            }),
            Err(rustix::io::Errno::AGAIN) => return Ok(()),
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}
