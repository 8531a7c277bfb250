//! What a session changed altogether: each file as it was before the session beside what it is now.

use crate::changes::{Change, Kept};
use crate::difference::{as_text, diff};
use crate::journal::{Journal, fault};
use api::executor::ToolFailure;
use disk::read::{Links, bytes};
use domain::hash::Digest;
use domain::limits::FILE_READ_BYTES;
use std::io::Read;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// What a session did to one file or folder, all its changes taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetChange {
    /// Where it is now, or where it was, if it is gone.
    pub path: PathBuf,
    /// The same for people: relative to the folder that was asked for, where it lies beneath it.
    pub name: String,
    /// What was changed, as a unified diff with git's headers, paths relative to the folder that was
    /// asked for where they lie beneath it. As it stands in the file: not made safe for a terminal.
    pub diff: String,
    /// Whether somebody or something else changed it after the session did. The diff shows both.
    pub is_changed_since: bool,
}

/// What a session changed and did not take back, in the order of the first change of each, by the
/// folder of its undo history. What is now as it was before is left out.
///
/// # Errors
/// What stands in the way of reading the history or what it kept.
pub fn net_changes(history: &Path, folder: &Path) -> Result<Vec<NetChange>, ToolFailure> {
    let journal = Journal::new(history.to_owned(), 0);
    let mut courses = Courses::default();
    for one in journal.open_changes()? {
        courses.take(one.change);
    }
    let files = courses.files.iter();
    let mut changes: Vec<NetChange> = files
        .filter_map(|course| course.told(&journal, folder))
        .collect();
    for (verb, path) in &courses.others {
        let is_told = changes.iter().any(|one| one.path.starts_with(path));
        if !is_told && path.symlink_metadata().is_ok() == (*verb == MADE) {
            changes.push(NetChange {
                path: path.clone(),
                name: shown(path, folder),
                diff: format!("{verb} {}\n", shown(path, folder)),
                is_changed_since: false,
            });
        }
    }
    Ok(changes)
}

/// How a folder that was made is told.
const MADE: &str = "new folder";

/// What a file held before the session.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Before {
    /// It was not there.
    Nothing,
    /// What undo kept of it.
    Kept(Kept),
    /// What it holds now: it was renamed and nothing else.
    Same,
}

/// One file's way through the session.
#[derive(Debug)]
struct Course {
    before: Before,
    /// Its path before the session.
    was: PathBuf,
    /// Its path now; `None` once it is deleted.
    now: Option<PathBuf>,
    /// What the session left in it, where it wrote it.
    left: Option<Digest>,
}

/// The ways of all files.
#[derive(Debug, Default)]
struct Courses {
    files: Vec<Course>,
    /// Renames of what was no file of these by then, oldest first: what lies beneath came along.
    moved: Vec<(PathBuf, PathBuf)>,
    /// Folders and links that were made or deleted.
    others: Vec<(&'static str, PathBuf)>,
}

impl Courses {
    fn take(&mut self, change: Change) {
        match change {
            Change::Put {
                path,
                before,
                after,
                ..
            } => self.written(path, before, after),
            Change::DeletedFile { path, before } => self.deleted(&path, before),
            Change::Moved { from, to, .. } => self.moved(from, to),
            Change::Made { paths } => {
                let made = paths.into_iter().map(|path| (MADE, path));
                self.others.extend(made);
            }
            Change::DeletedFolder { path, .. } => self.others.push(("deleted folder", path)),
            Change::DeletedLink { path, .. } => self.others.push(("deleted link", path)),
        }
    }

    fn written(&mut self, path: PathBuf, kept: Option<Kept>, after: Digest) {
        let is_it = |one: &&mut Course| match &one.now {
            Some(now) => *now == path,
            // Written anew where it was deleted.
            None => one.was == path,
        };
        if let Some(course) = self.files.iter_mut().find(is_it) {
            course.settle(kept);
            course.now = Some(path);
            course.left = Some(after);
            return;
        }
        self.files.push(Course {
            was: self.before_moves(&path),
            before: kept.map_or(Before::Nothing, Before::Kept),
            now: Some(path),
            left: Some(after),
        });
    }

    fn deleted(&mut self, path: &Path, kept: Kept) {
        let is_it = |one: &Course| one.now.as_deref() == Some(path);
        match self.files.iter().position(is_it) {
            Some(at) if self.files[at].before == Before::Nothing => {
                self.files.remove(at);
            }
            Some(at) => {
                self.files[at].settle(Some(kept));
                self.files[at].now = None;
            }
            None => self.files.push(Course {
                was: self.before_moves(path),
                before: Before::Kept(kept),
                now: None,
                left: None,
            }),
        }
    }

    fn moved(&mut self, from: PathBuf, to: PathBuf) {
        let mut is_known = false;
        for now in self.files.iter_mut().filter_map(|one| one.now.as_mut()) {
            if let Ok(rest) = now.strip_prefix(&from) {
                is_known |= rest.as_os_str().is_empty();
                *now = beneath(&to, rest);
            }
        }
        if !is_known {
            self.files.push(Course {
                was: self.before_moves(&from),
                before: Before::Same,
                now: Some(to.clone()),
                left: None,
            });
            self.moved.push((from, to));
        }
    }

    /// The path that what is here now had before the session.
    fn before_moves(&self, path: &Path) -> PathBuf {
        let renames = self.moved.iter().rev();
        renames.fold(path.to_owned(), |path, (from, to)| {
            match path.strip_prefix(to) {
                Ok(rest) => beneath(from, rest),
                Err(_) => path,
            }
        })
    }
}

/// A path beneath another; the other itself where nothing is left.
fn beneath(folder: &Path, rest: &Path) -> PathBuf {
    match rest.as_os_str().is_empty() {
        true => folder.to_owned(),
        false => folder.join(rest),
    }
}

impl Course {
    /// What a file that was only renamed until now held, is what was kept of it.
    fn settle(&mut self, kept: Option<Kept>) {
        if let (Before::Same, Some(kept)) = (&self.before, kept) {
            self.before = Before::Kept(kept);
        }
    }

    /// The difference, if there is one.
    fn told(&self, journal: &Journal, folder: &Path) -> Option<NetChange> {
        let was = shown(&self.was, folder);
        let now = self.now.as_deref().map(|now| shown(now, folder));
        let content = self.now.as_deref().and_then(present);
        let is_changed_since = match (&self.left, &content) {
            (Some(left), Some(Content::Bytes(bytes))) => *left != Digest::of(bytes),
            (_, content) => self.now.is_some() && content.is_none(),
        };
        let old = match &self.before {
            Before::Nothing => None,
            Before::Kept(kept) => Some(kept_bytes(journal, kept, &was)),
            Before::Same => match &content {
                Some(Content::Bytes(bytes)) => Some(bytes.clone()),
                _ => None,
            },
        };
        let is_moved = self.before != Before::Nothing && now.as_ref().is_some_and(|n| *n != was);
        let is_same = match (&old, &content) {
            (Some(old), Some(Content::Bytes(now))) => old == now,
            (None, None) => true,
            _ => self.before == Before::Same,
        };
        if is_same && !is_moved {
            return None;
        }
        let name = now.clone().unwrap_or_else(|| was.clone());
        let mut told = String::new();
        if let (true, Some(now)) = (is_moved, &now) {
            told = format!("rename from {was}\nrename to {now}\n");
        }
        if !is_same {
            let new = content.map(Content::into_text);
            told.push_str(&diff(&name, old.map(as_text).as_deref(), new.as_deref()));
        }
        Some(NetChange {
            path: self.now.clone().unwrap_or_else(|| self.was.clone()),
            name,
            diff: told,
            is_changed_since,
        })
    }
}

/// What stands in a file's place.
enum Content {
    Bytes(Vec<u8>),
    /// A folder, a link, a file too large: what cannot be compared, in words.
    Other(String),
}

impl Content {
    fn into_text(self) -> String {
        match self {
            Self::Bytes(bytes) => as_text(bytes),
            Self::Other(words) => format!("({words})\n"),
        }
    }
}

/// What is there now; `None` where nothing is.
fn present(path: &Path) -> Option<Content> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Ok(facts) if facts.is_dir() => return Some(Content::Other("a folder".to_owned())),
        _ => {}
    }
    match bytes(path, FILE_READ_BYTES, Links::Refused) {
        Ok(bytes) => bytes.map(Content::Bytes),
        Err(error) => Some(Content::Other(format!("cannot be shown: {error}"))),
    }
}

/// What a file held, or why that cannot be told: the rest of the session can.
fn kept_bytes(journal: &Journal, kept: &Kept, shown: &str) -> Vec<u8> {
    let read = journal.read(kept, shown).and_then(|mut file| {
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(fault)?;
        Ok(bytes)
    });
    read.unwrap_or_else(|failure| format!("({})\n", failure.message).into_bytes())
}

fn shown(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    visible_line(&path.to_string_lossy())
}
