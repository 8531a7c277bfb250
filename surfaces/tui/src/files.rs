//! The names below the working folder, for completion: read on a thread of its own, as far as its bounds
//! allow, and never through a link.

use ignore::{DirEntry, WalkBuilder};
use rendering::completion::{Named, can_be_typed};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

/// Most names that are read.
pub const FILES: usize = 10_000;
/// Longest time that they are read for.
const TIME: Duration = Duration::from_millis(500);
/// How many folders deep they are read.
const DEPTH: usize = 24;
/// Longest name with its folders, bytes.
const PATH_BYTES: usize = 512;

/// What begins with a dot.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Hidden {
    /// Is left out.
    #[default]
    LeftOut,
    /// Is read as well.
    Read,
}

/// A file or folder, as it is named from the working folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its name with its folders.
    pub path: String,
    /// What it is. A link is taken for a file, wherever it leads.
    pub named: Named,
}

/// Reads the names below a folder, those that are the least deep first. A folder that cannot be read has
/// none.
pub async fn below(folder: PathBuf, hidden: Hidden) -> Vec<Entry> {
    let (sender, read) = oneshot::channel();
    // Not on the runtime, which would wait for a folder that hangs before it ends.
    std::thread::spawn(move || {
        let until = Instant::now() + TIME;
        sender.send(read_below(&folder, hidden, until)).is_ok()
    });
    read.await.unwrap_or_default()
}

fn read_below(folder: &Path, hidden: Hidden, until: Instant) -> Vec<Entry> {
    let walk = WalkBuilder::new(folder)
        .follow_links(false)
        .hidden(hidden == Hidden::LeftOut)
        .require_git(false)
        .max_depth(Some(DEPTH))
        .filter_entry(|entry| entry.file_name() != ".git")
        .build();
    let in_time = walk.take_while(|_| Instant::now() < until);
    // The first is the folder itself.
    let entries = in_time.flatten().filter(|entry| entry.depth() > 0);
    let found = entries.filter_map(|entry| named(folder, &entry));
    let mut found: Vec<Entry> = found.take(FILES).collect();
    found.sort_by(|one, other| {
        let depth = |entry: &Entry| entry.path.matches('/').count();
        (depth(one), &one.path).cmp(&(depth(other), &other.path))
    });
    found
}

/// An entry by its name, where that can be typed.
fn named(folder: &Path, entry: &DirEntry) -> Option<Entry> {
    let path = entry.path().strip_prefix(folder).ok()?.to_str()?;
    let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
    let named = if is_folder {
        Named::Folder
    } else {
        Named::File
    };
    (path.len() <= PATH_BYTES && can_be_typed(path)).then(|| Entry {
        path: path.to_owned(),
        named,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(folder: &Path, hidden: Hidden) -> Vec<String> {
        let found = read_below(folder, hidden, Instant::now() + Duration::from_secs(60));
        found.into_iter().map(|one| one.path).collect()
    }

    #[test]
    fn names_are_read_without_following_links() {
        let (home, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let folder = home.path();
        std::fs::write(outside.path().join("secret"), "").unwrap();
        std::fs::create_dir_all(folder.join("src/deep")).unwrap();
        std::fs::create_dir_all(folder.join(".git/objects")).unwrap();
        for name in ["src/deep/a.rs", "b.md", ".env", "left.log", "no\u{1b}w"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        std::fs::write(folder.join(".gitignore"), "*.log\n").unwrap();
        symlink(outside.path(), folder.join("out")).unwrap();
        symlink(folder, folder.join("src/again")).unwrap();
        let shown = [
            "b.md",
            "out",
            "src",
            "src/again",
            "src/deep",
            "src/deep/a.rs",
        ];
        assert_eq!(names(folder, Hidden::LeftOut), shown);
        let all = names(folder, Hidden::Read);
        assert!(all.contains(&".env".to_owned()), "{all:?}");
        assert!(!all.iter().any(|name| name.starts_with(".git/")), "{all:?}");
        let found = read_below(folder, Hidden::LeftOut, Instant::now() + TIME);
        let link = found.iter().find(|one| one.path == "out");
        assert_eq!(link.map(|one| one.named), Some(Named::File));
    }

    #[test]
    fn no_more_names_are_read_than_the_bound() {
        let home = tempfile::tempdir().unwrap();
        for number in 0..=FILES {
            std::fs::write(home.path().join(format!("f{number}")), "").unwrap();
        }
        assert_eq!(names(home.path(), Hidden::LeftOut).len(), FILES);
        let over = read_below(home.path(), Hidden::LeftOut, Instant::now());
        assert!(over.is_empty(), "no time is left");
        assert!(names(&home.path().join("absent"), Hidden::LeftOut).is_empty());
    }
}
