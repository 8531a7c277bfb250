//! The programs of agents that run now, and the folders that they may change.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Which programs run, known to those that start them and to those that change files beside them.
/// Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct AtWork(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    folders: BTreeMap<u64, Vec<PathBuf>>,
    next: u64,
}

/// A program's entry, until this is dropped.
#[derive(Debug)]
pub struct Entry {
    all: AtWork,
    number: u64,
}

impl AtWork {
    /// Counts a program among those that run, with the folders that it may change, by their real
    /// paths.
    #[must_use]
    pub fn enter(&self, folders: Vec<PathBuf>) -> Entry {
        let number = self.change(|running| {
            running.next += 1;
            running.folders.insert(running.next, folders);
            running.next
        });
        Entry {
            all: self.clone(),
            number,
        }
    }

    /// Whether a folder stays where it is for now: a program that runs may have made what is in it,
    /// and is looked after only where it may write. `holds_protected`: whether anything in it is
    /// run or trusted by others.
    #[must_use]
    pub fn keeps(&self, from: &Path, to: &Path, holds_protected: bool) -> bool {
        let is_in = |path: &Path, folders: &[PathBuf]| {
            let mut folders = folders.iter();
            folders.any(|folder| path.starts_with(folder))
        };
        self.change(|running| {
            let mut all = running.folders.values();
            all.any(|folders| is_in(from, folders) && (holds_protected || !is_in(to, folders)))
        })
    }

    fn change<T>(&self, change: impl FnOnce(&mut Running) -> T) -> T {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.all
            .change(|running| running.folders.remove(&self.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_leaves_no_program_that_may_write_there() {
        let all = AtWork::default();
        let keeps = |from: &str, to: &str, holds| all.keeps(Path::new(from), Path::new(to), holds);
        assert!(!keeps("/w/a", "/x/a", true));
        let entry = all.enter(vec![PathBuf::from("/w")]);
        let other = all.enter(vec![PathBuf::from("/y")]);
        assert!(keeps("/w/a", "/x/a", false) && keeps("/w/a", "/w/b", true));
        assert!(!keeps("/w/a", "/w/b", false) && !keeps("/x/a", "/w/a", true));
        drop(entry);
        assert!(!keeps("/w/a", "/x/a", true));
        drop(other);
    }
}
