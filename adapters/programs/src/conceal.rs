//! What a program may not see of the folders that it may read: keys and passwords at any depth, names
//! with a dot in the home that nobody opened, named pipes, and folders that could not be looked through.
//!
//! A home can be larger than anybody wants to wait for. The look is bounded, shallow folders come
//! first, and what it did not come to is hidden whole: nothing is shown that was not looked at.

use crate::guard::FOLDER_BYTES;
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::limits::{HIDDEN_PLACES, HIDE_ENTRIES, HIDE_TIME};
use paths::is_inside;
use protected::{Protected, Protection};
use rustix::fs::{Access, access};
use std::collections::{BTreeSet, VecDeque};
use std::fs::{self, DirEntry};
use std::io::ErrorKind;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Most folders that a note names.
const NAMED_FOLDERS: usize = 3;

/// What is hidden, and what there is to say about it.
#[derive(Debug, Default)]
pub(crate) struct Concealed {
    pub(crate) hidden: BTreeSet<PathBuf>,
    pub(crate) note: Option<String>,
}

/// How far is looked.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    entries: usize,
    time: Duration,
    places: usize,
}

const BOUNDS: Bounds = Bounds {
    entries: HIDE_ENTRIES,
    time: HIDE_TIME,
    places: HIDDEN_PLACES,
};

/// Looks through the folders that a program may read, but for those that it may write, which were
/// looked through before.
pub(crate) fn conceal(
    protected: &Protected,
    readable: &[PathBuf],
    writable: &[PathBuf],
) -> Result<Concealed, ToolFailure> {
    conceal_within(protected, readable, writable, BOUNDS)
}

fn conceal_within(
    protected: &Protected,
    readable: &[PathBuf],
    writable: &[PathBuf],
    bounds: Bounds,
) -> Result<Concealed, ToolFailure> {
    let roots: Vec<PathBuf> = readable.iter().chain(writable).cloned().collect();
    let mut look = Look {
        protected,
        roots: &roots,
        left: bounds.entries,
        until: Instant::now() + bounds.time,
        hidden: BTreeSet::new(),
        unseen: BTreeSet::new(),
    };
    for root in readable {
        if !writable.iter().any(|looked_at| root.starts_with(looked_at)) {
            look.through(root);
        }
    }
    let Look { hidden, unseen, .. } = look;
    let note = unseen.first().map(|_| unseen_note(&unseen));
    let all = hidden.into_iter().chain(unseen).collect();
    match cover(all, &roots, bounds.places) {
        Some(hidden) => Ok(Concealed { hidden, note }),
        None => Err(too_many()),
    }
}

/// A look for what is to be hidden.
struct Look<'a> {
    protected: &'a Protected,
    roots: &'a [PathBuf],
    left: usize,
    until: Instant,
    hidden: BTreeSet<PathBuf>,
    /// Folders that were not looked through.
    unseen: BTreeSet<PathBuf>,
}

impl Look<'_> {
    /// Level by level, so that what is left out lies deep. A folder that was given by itself has its
    /// own turn, and is listed however long the others took: it cannot be hidden.
    fn through(&mut self, root: &Path) {
        let mut waiting = VecDeque::from([root.to_path_buf()]);
        while let Some(folder) = waiting.pop_front() {
            let is_another = folder != root && self.roots.contains(&folder);
            let is_long = folder.as_os_str().len() > FOLDER_BYTES;
            let is_out = folder != root && (is_long || Instant::now() > self.until);
            if !is_another && (is_out || !self.list(&folder, &mut waiting)) {
                self.unseen.insert(folder);
            }
        }
    }

    /// Whether everything in a folder was looked at. One that cannot be listed may still show files
    /// whose names are known.
    fn list(&mut self, folder: &Path, waiting: &mut VecDeque<PathBuf>) -> bool {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => return shows_nothing(folder, &error),
        };
        // In a folder that is closed and leads to an open one, any name may be closed.
        let is_open = self.protected.refuses_read(folder, self.roots).is_none();
        let mut below = Vec::new();
        for entry in entries {
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            match entry.and_then(|entry| self.look(&entry, is_open)) {
                Ok(found) => below.extend(found),
                Err(_) => return false,
            }
        }
        waiting.extend(below);
        true
    }

    /// Takes up one entry; a folder that is to be looked through comes back.
    fn look(&mut self, entry: &DirEntry, is_open: bool) -> std::io::Result<Option<PathBuf>> {
        let kind = entry.file_type()?;
        if kind.is_fifo() {
            // It could be written to although nothing in the folder may be changed.
            self.hidden.insert(entry.path());
            return Ok(None);
        }
        if is_open && !self.protected.may_refuse(&entry.file_name()) {
            return Ok(kind.is_dir().then(|| entry.path()));
        }
        let path = entry.path();
        match self.protected.refuses_read(&path, self.roots) {
            None => return Ok(kind.is_dir().then_some(path)),
            // What was opened beneath it stays to be seen, all else does not.
            Some(Protection::Closed) if self.protected.leads_to_opened(&path, self.roots) => {
                return Ok(kind.is_dir().then_some(path));
            }
            // Where a closed link leads is open or closed by itself.
            Some(Protection::Closed) if kind.is_symlink() => {}
            // A link to keys hides what it leads to.
            Some(_) if kind.is_symlink() => {
                let goal = path.canonicalize().ok();
                self.hidden
                    .extend(goal.filter(|goal| is_inside(goal, self.roots)));
            }
            Some(_) => {
                self.hidden.insert(path);
            }
        }
        Ok(None)
    }
}

/// Whether nothing in a folder that cannot be listed can be read either.
fn shows_nothing(folder: &Path, error: &std::io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => true,
        ErrorKind::PermissionDenied => access(folder, Access::EXEC_OK).is_err(),
        _ => false,
    }
}

/// At most so many places that cover all of these, the deep ones by the folders above them. `None`
/// when a folder that was given would be covered.
fn cover(
    mut places: BTreeSet<PathBuf>,
    roots: &[PathBuf],
    most: usize,
) -> Option<BTreeSet<PathBuf>> {
    let depth = |place: &Path| place.components().count();
    let deepest = places.iter().map(|place| depth(place)).max().unwrap_or(0);
    for level in (1..=deepest).rev() {
        if places.len() <= most {
            break;
        }
        let lifted = places.into_iter().map(|place| match place.parent() {
            Some(above) if depth(&place) == level && is_inside(above, roots) => above.to_path_buf(),
            _ => place,
        });
        places = lifted.collect();
    }
    let is_covered = |place: &PathBuf| roots.iter().any(|root| root.starts_with(place));
    (places.len() <= most && !places.iter().any(is_covered)).then_some(places)
}

/// The note that folders are hidden which may be harmless.
fn unseen_note(unseen: &BTreeSet<PathBuf>) -> String {
    let first = unseen.iter().take(NAMED_FOLDERS);
    let names: Vec<String> = first.map(|folder| folder.display().to_string()).collect();
    let more = match unseen.len().saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "the program could not see {}{more}: there is more in the readable folders than is looked \
         through for keys and passwords, and what is not looked through is hidden. Ask the user to \
         open the folder that is needed, or to start carl in it",
        names.join(", ")
    )
}

fn too_many() -> ToolFailure {
    mendable(
        "too_many_files",
        format!(
            "There are more than {HIDE_ENTRIES} files in the folders that may be read, and they \
             cannot be looked through for keys and passwords. Ask the user to open a narrower folder."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for file in files {
            let file = root.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "x").unwrap();
        }
        (folder, root)
    }

    fn told(found: &Concealed, root: &Path) -> Vec<String> {
        let inside = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
        found.hidden.iter().map(inside).collect()
    }

    #[test]
    fn keys_are_hidden_at_any_depth_and_nothing_else() {
        let (_folder, home) = tree(&[
            "other/sub/.netrc",
            "other/deep/er/.docker/config.json",
            "other/deep/er/.docker/plain",
            "backup/home/.aws/credentials",
            ".settings/x",
            ".opened/x",
            ".half/opened/x",
            ".half/closed",
            "work/.ssh/id_rsa",
            "notes/mine",
        ]);
        std::os::unix::fs::symlink("mine", home.join("notes/.netrc")).unwrap();
        std::os::unix::fs::symlink("/etc/hosts", home.join("other/.netrc")).unwrap();
        let protected = Protected::default().with_home(&home);
        let readable = [
            home.clone(),
            home.join(".opened"),
            home.join(".half/opened"),
        ];
        let found = conceal(&protected, &readable, &[home.join("work")]).unwrap();
        let wanted = [
            ".half/closed",
            ".settings",
            "backup/home/.aws",
            "notes/mine",
            "other/deep/er/.docker/config.json",
            "other/sub/.netrc",
        ];
        assert_eq!(told(&found, &home), wanted);
        assert_eq!(found.note, None);
    }

    #[test]
    fn what_was_not_looked_at_is_hidden_whole() {
        let (_folder, home) = tree(&[
            "a/b/c/.netrc",
            "a/b/plain",
            "a/x/y/z",
            "project/src/deep/main",
            "top",
        ]);
        let protected = Protected::default();
        let bounds = |entries, places| Bounds {
            entries,
            places,
            ..BOUNDS
        };
        let look = |bounds| {
            let readable = [home.join("project"), home.clone()];
            conceal_within(&protected, &readable, &[], bounds)
        };
        // The project has three entries, and the home three.
        for (entries, hidden) in [
            (100, &["a/b/c/.netrc"][..]),
            (8, &["a/b", "a/x"]),
            (7, &["a"]),
            (6, &["a"]),
        ] {
            let found = look(bounds(entries, 10)).unwrap();
            assert_eq!(told(&found, &home), hidden, "{entries}");
            assert_eq!(found.note.is_some(), entries < 100);
        }
        // What would cover a folder that was given is not hidden but refused.
        for entries in [1, 5] {
            let refused = look(bounds(entries, 10)).unwrap_err();
            assert_eq!(refused.rule, "too_many_files", "{entries}");
        }
        let in_no_time = Bounds {
            time: Duration::ZERO,
            ..BOUNDS
        };
        let found = look(in_no_time).unwrap();
        assert_eq!(told(&found, &home), ["a", "project/src"]);
    }

    #[test]
    fn many_places_are_hidden_by_the_folders_above_them() {
        let files: Vec<String> = (0..20).map(|n| format!("a/b/{n}/.netrc")).collect();
        let mut files: Vec<&str> = files.iter().map(String::as_str).collect();
        files.extend(["c/.netrc", "d/plain"]);
        let (_folder, root) = tree(&files);
        let within = |places| {
            let bounds = Bounds { places, ..BOUNDS };
            conceal_within(
                &Protected::default(),
                std::slice::from_ref(&root),
                &[],
                bounds,
            )
        };
        assert_eq!(told(&within(21).unwrap(), &root).len(), 21);
        assert_eq!(told(&within(20).unwrap(), &root), ["a/b", "c/.netrc"]);
        assert_eq!(told(&within(2).unwrap(), &root), ["a/b", "c/.netrc"]);
        assert_eq!(within(1).unwrap_err().rule, "too_many_files");
    }
}
