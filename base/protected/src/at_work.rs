//! The programs of agents that run now, the folders that they may change, and the folders that are
//! moved meanwhile.

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
    /// How many folders are being moved.
    moves: usize,
}

/// A program's entry, until this is dropped.
#[derive(Debug)]
pub struct Entry {
    all: AtWork,
    number: u64,
}

/// A folder that is being moved, until this is dropped.
#[derive(Debug)]
pub struct Moving(AtWork);

impl AtWork {
    /// Counts a program among those that run, with the folders that it may change, by their real
    /// paths. `None` while a folder is being moved: its folders are looked through from now on, and
    /// what is moved meanwhile would be found nowhere.
    #[must_use]
    pub fn enter(&self, folders: &[PathBuf]) -> Option<Entry> {
        let number = self.change(|running| {
            (running.moves == 0).then(|| {
                running.next += 1;
                running.folders.insert(running.next, folders.to_vec());
                running.next
            })
        });
        number.map(|number| Entry {
            all: self.clone(),
            number,
        })
    }

    /// Counts a folder among those that are moved. `None` where it stays for now: a program that runs
    /// may have made what is in it, and is looked after only where it may write; and what comes to it
    /// from elsewhere is covered by nothing. `holds_protected`: whether anything in the folder is run
    /// or trusted by others.
    #[must_use]
    pub fn moves(&self, from: &Path, to: &Path, holds_protected: bool) -> Option<Moving> {
        let is_in = |path: &Path, folders: &[PathBuf]| {
            let mut folders = folders.iter();
            folders.any(|folder| path.starts_with(folder))
        };
        let is_free = self.change(|running| {
            let mut all = running.folders.values();
            let is_kept = all.any(|folders| {
                let (leaves, comes) = (is_in(from, folders), is_in(to, folders));
                match holds_protected {
                    true => leaves || comes,
                    false => leaves && !comes,
                }
            });
            running.moves += usize::from(!is_kept);
            !is_kept
        });
        is_free.then(|| Moving(self.clone()))
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

impl Drop for Moving {
    fn drop(&mut self) {
        self.0.change(|running| running.moves -= 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_leaves_no_program_that_may_write_there() {
        let all = AtWork::default();
        let keeps = |from: &str, to: &str, holds| {
            let moving = all.moves(Path::new(from), Path::new(to), holds);
            moving.is_none()
        };
        assert!(!keeps("/w/a", "/x/a", true));
        let entry = all.enter(&[PathBuf::from("/w")]);
        let other = all.enter(&[PathBuf::from("/y")]);
        assert!(entry.is_some() && other.is_some());
        assert!(keeps("/w/a", "/x/a", false) && keeps("/w/a", "/w/b", true));
        assert!(!keeps("/w/a", "/w/b", false) && !keeps("/x/a", "/w/a", false));
        assert!(keeps("/x/a", "/w/a", true) && !keeps("/x/a", "/x/b", true));
        drop(entry);
        assert!(!keeps("/w/a", "/x/a", true));
        drop(other);
    }

    #[test]
    fn no_program_begins_while_a_folder_is_moved() {
        let all = AtWork::default();
        let moving = all.moves(Path::new("/w/a"), Path::new("/w/b"), true);
        assert!(moving.is_some() && all.enter(&[PathBuf::from("/w")]).is_none());
        drop(moving);
        assert!(all.enter(&[PathBuf::from("/w")]).is_some());
    }
}
