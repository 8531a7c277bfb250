//! What covers protected places while a program runs, and whether it still does.

use super::view::{self, Mounted};
use rustix::event::{PollFd, PollFlags};
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// The mounts of this namespace, watched for one that goes. When a file is replaced by another one
/// outside (an editor's save), the kernel drops what was mounted on it here, and nothing covers the
/// new one.
pub(super) struct Covers {
    table: File,
    /// By number; empty where the table cannot be read in the view.
    before: BTreeMap<Vec<u8>, PathBuf>,
    expendable: Vec<PathBuf>,
}

impl Covers {
    /// Opens the table, while it can be reached. `None` where there is no /proc.
    pub(super) fn watch() -> io::Result<Option<Self>> {
        match File::open("/proc/self/mountinfo") {
            Ok(table) => Ok(Some(Self {
                table,
                before: BTreeMap::new(),
                expendable: Vec::new(),
            })),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Once the view is built: what may go is what another program may have made.
    pub(super) fn in_place(self, expendable: &[PathBuf]) -> Self {
        Self {
            before: now().unwrap_or_default(),
            expendable: expendable.to_vec(),
            ..self
        }
    }

    /// What says that the table has changed since it was last asked; the program itself cannot.
    pub(super) fn poll(&self) -> PollFd<'_> {
        PollFd::new(&self.table, PollFlags::PRI)
    }

    /// Whether everything is covered still that must be.
    pub(super) fn hold(&mut self) -> bool {
        let Ok(now) = now() else {
            return false;
        };
        let mut gone = self
            .before
            .iter()
            .filter(|(number, _)| !now.contains_key(*number));
        // Where nothing was known before, nothing tells what went.
        let holds = !self.before.is_empty() && gone.all(|(_, path)| self.expendable.contains(path));
        self.before.retain(|number, _| now.contains_key(number));
        holds
    }
}

fn now() -> io::Result<BTreeMap<Vec<u8>, PathBuf>> {
    let mounts = view::mounts()?.into_iter();
    Ok(mounts
        .map(|Mounted { number, path, .. }| (number, path))
        .collect())
}
