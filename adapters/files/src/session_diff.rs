//! What a session changed altogether: each file as it was before the session beside what it is now.

use crate::changes::{Change, Kept};
use crate::difference::{as_it_is, as_text, diff};
use crate::journal::{Journal, fault};
use api::executor::ToolFailure;
use disk::read::{Links, bytes};
use domain::hash::Digest;
use domain::limits::FILE_READ_BYTES;
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// What a session did to one file or folder, all its changes taken together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetChange {
    /// Where it is now, or where it was, if it is gone.
    pub path: PathBuf,
    /// The same for people: relative to the folder that was asked for, where it lies beneath it.
    pub name: String,
    /// What was changed, for people: a unified diff without byte order marks and line ends of Windows. Not
    /// made safe for a terminal.
    pub diff: String,
    /// The same as git reads it, byte for byte; empty where no patch can say it.
    pub patch: String,
    /// Whether somebody or something else changed it after the session did. The diff shows both.
    pub is_changed_since: bool,
    /// Why what it held before cannot be told.
    pub problem: Option<String>,
}

/// What a session changed and did not take back, in the order of the first change of each, by the
/// folder of its undo history. What is now as it was before is left out.
///
/// # Errors
/// What stands in the way of reading the history.
pub fn net_changes(history: &Path, folder: &Path) -> Result<Vec<NetChange>, ToolFailure> {
    let journal = Journal::new(history.to_owned(), 0);
    let mut courses = Courses::default();
    for one in journal.open_changes()? {
        courses.take(one.change);
    }
    courses.join();
    let files = courses.files.iter();
    let mut changes: Vec<NetChange> = files
        .filter_map(|course| course.told(&journal, folder))
        .collect();
    for (verb, path) in &courses.others {
        let is_told = changes.iter().any(|one| one.path.starts_with(path));
        if !is_told && path.symlink_metadata().is_ok() == [MADE, MADE_LINK].contains(verb) {
            let name = shown(path, folder);
            let diff = format!("{verb} {name}\n");
            changes.push(NetChange::told(path, name, diff));
        }
    }
    for (path, before) in &courses.rights {
        let name = shown(path, folder);
        let Some(diff) = other_rights(path, *before, &name) else {
            continue;
        };
        match changes.iter_mut().find(|one| one.path == *path) {
            Some(change) => change.diff.push_str(&diff),
            None => changes.push(NetChange::told(path, name, diff)),
        }
    }
    Ok(changes)
}

impl NetChange {
    /// One that is no text's.
    fn told(path: &Path, name: String, diff: String) -> Self {
        Self {
            path: path.to_owned(),
            name,
            diff,
            patch: String::new(),
            is_changed_since: false,
            problem: None,
        }
    }
}

/// That a file has other permission bits than before.
fn other_rights(path: &Path, before: u32, name: &str) -> Option<String> {
    let now = path.symlink_metadata().ok()?.permissions().mode() & 0o777;
    (now != before).then(|| format!("permissions of {name}: {now:o}, before {before:o}\n"))
}

/// How a folder that was made is told.
const MADE: &str = "new folder";
/// How a link that was made is told.
const MADE_LINK: &str = "new link";

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
    /// What the session left in it, where it wrote it and did not delete it since.
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
    /// The permission bits that files had before the session.
    rights: BTreeMap<PathBuf, u32>,
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
            Change::DeletedFolder { path, .. } => self.gone("deleted folder", &path),
            Change::DeletedLink { path, .. } => self.gone("deleted link", &path),
            Change::MadeLink { path, .. } => self.others.push((MADE_LINK, path)),
            Change::Rights { path, before, .. } => {
                let _first = self.rights.entry(path).or_insert(before);
            }
        }
    }

    /// A folder or link is deleted. One that the session made itself came and went.
    fn gone(&mut self, verb: &'static str, path: &Path) {
        let was = self.before_moves(path);
        let is_made = |one: &(&str, PathBuf)| [MADE, MADE_LINK].contains(&one.0) && one.1 == was;
        let made = self.others.iter().position(is_made);
        match made {
            Some(at) => drop(self.others.remove(at)),
            None => self.others.push((verb, was)),
        }
    }

    /// A file that was deleted and another that came to its place are one file that changed.
    fn join(&mut self) {
        let is_gone = |one: &Course| one.now.is_none();
        while let Some((gone, new)) = self.files.iter().enumerate().find_map(|(at, gone)| {
            let came =
                |one: &Course| one.before == Before::Nothing && one.now.as_ref() == Some(&gone.was);
            let new = self.files.iter().position(came)?;
            is_gone(gone).then_some((at, new))
        }) {
            let new = self.files[new].now.take().map(|now| (new, now));
            if let Some((at, now)) = new {
                self.files[gone].left = self.files[at].left;
                self.files[gone].now = Some(now);
                self.files.remove(at);
            }
        }
    }

    fn written(&mut self, path: PathBuf, kept: Option<Kept>, after: Digest) {
        let is_it = |one: &&mut Course| one.now.as_ref() == Some(&path);
        if let Some(course) = self.files.iter_mut().find(is_it) {
            course.settle(kept);
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
                self.files[at].left = None;
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
        let name = now.clone().unwrap_or_else(|| was.clone());
        let content = self.now.as_deref().and_then(present);
        let is_changed_since = match (&self.left, &content) {
            (Some(left), Some(Content::Bytes(bytes))) => *left != Digest::of(bytes),
            (Some(_), _) => true,
            (None, _) => self.now.is_none() && self.was.symlink_metadata().is_ok(),
        };
        let mut problem = None;
        let old = match (&self.before, &content) {
            (Before::Nothing, _) => None,
            (Before::Kept(kept), _) => match kept_bytes(journal, kept, &was) {
                Ok(bytes) => Some(bytes),
                Err(failure) => {
                    problem = Some(failure.message);
                    None
                }
            },
            (Before::Same, Some(Content::Bytes(bytes))) => Some(bytes.clone()),
            // Renamed, and gone since: nothing is left to be told of it.
            (Before::Same, None) => return None,
            (Before::Same, Some(Content::Other(_))) => None,
        };
        let is_moved = self.before != Before::Nothing && now.as_ref().is_some_and(|n| *n != was);
        let is_same = match (&old, &content) {
            (Some(old), Some(Content::Bytes(now))) => old == now,
            (None, None) => problem.is_none(),
            _ => self.before == Before::Same,
        };
        if is_same && !is_moved {
            return None;
        }
        let sides = Sides {
            was: (self.before != Before::Nothing).then_some(was.as_str()),
            now: content.as_ref().and(now.as_deref()),
            old: old.as_deref(),
            new: content.as_ref(),
        };
        let (diff, patch) = match &problem {
            Some(_) => (String::new(), String::new()),
            None => (
                sides.diff(is_moved, is_same),
                sides.patch(is_moved, is_same),
            ),
        };
        Some(NetChange {
            path: self.now.clone().unwrap_or_else(|| self.was.clone()),
            name,
            diff,
            patch,
            is_changed_since,
            problem,
        })
    }
}

/// Both sides of a change: names and contents, as far as there are any.
struct Sides<'a> {
    was: Option<&'a str>,
    now: Option<&'a str>,
    old: Option<&'a [u8]>,
    new: Option<&'a Content>,
}

impl Sides<'_> {
    fn name(&self) -> &str {
        self.now.or(self.was).unwrap_or_default()
    }

    fn moved(&self) -> String {
        let (was, now) = (self.was.unwrap_or_default(), self.now.unwrap_or_default());
        format!("rename from {was}\nrename to {now}\n")
    }

    /// For people.
    fn diff(&self, is_moved: bool, is_same: bool) -> String {
        let moved = if is_moved {
            self.moved()
        } else {
            String::new()
        };
        if is_same {
            return moved;
        }
        let old = self.old.map(|old| as_text(old.to_vec()));
        let new = self.new.map(Content::as_words);
        let change = diff(self.name(), old.as_deref(), new.as_deref());
        match change.is_empty() && !is_moved {
            true if old.is_none() => format!("new empty file {}\n", self.name()),
            true if new.is_none() => format!("deleted empty file {}\n", self.name()),
            _ => format!("{moved}{change}"),
        }
    }

    /// For git; nothing where a side is no text in UTF-8.
    fn patch(&self, is_moved: bool, is_same: bool) -> String {
        let side = |bytes: Option<&[u8]>| match bytes {
            None => Some(None),
            Some(bytes) if bytes.contains(&0) => None,
            Some(bytes) => std::str::from_utf8(bytes)
                .ok()
                .map(|text| Some(text.to_owned())),
        };
        let new = match self.new {
            None => Some(None),
            Some(Content::Bytes(bytes)) => side(Some(bytes)),
            Some(Content::Other(_)) if is_same => Some(None),
            Some(Content::Other(_)) => None,
        };
        let (Some(old), Some(new)) = (side(self.old), new) else {
            return String::new();
        };
        let (was, now) = (
            self.was.unwrap_or(self.name()),
            self.now.unwrap_or(self.name()),
        );
        let head = format!("diff --git a/{was} b/{now}\n");
        let what = match (&old, &new) {
            _ if is_moved => self.moved(),
            (None, Some(_)) => "new file mode 100644\n".to_owned(),
            (Some(_), None) => "deleted file mode 100644\n".to_owned(),
            _ => String::new(),
        };
        let change = match is_same {
            true => String::new(),
            false => as_it_is((was, old.as_deref()), (now, new.as_deref())),
        };
        format!("{head}{what}{change}")
    }
}

/// What stands in a file's place.
enum Content {
    Bytes(Vec<u8>),
    /// A folder, a link, a file too large: what cannot be compared, in words.
    Other(String),
}

impl Content {
    fn as_words(&self) -> String {
        match self {
            Self::Bytes(bytes) => as_text(bytes.clone()),
            Self::Other(words) => format!("({words})\n"),
        }
    }
}

/// What is there now; `None` where nothing is.
fn present(path: &Path) -> Option<Content> {
    // The history holds real paths: where a folder above is a link now, another file is meant.
    let leads_elsewhere = path
        .parent()
        .is_some_and(|above| above.canonicalize().is_ok_and(|real| real != above));
    if leads_elsewhere {
        let words = "a link leads to another place from here".to_owned();
        return Some(Content::Other(words));
    }
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

/// What a file held.
fn kept_bytes(journal: &Journal, kept: &Kept, shown: &str) -> Result<Vec<u8>, ToolFailure> {
    let mut bytes = Vec::new();
    let mut file = journal.read(kept, shown)?;
    file.read_to_end(&mut bytes).map_err(fault)?;
    Ok(bytes)
}

fn shown(path: &Path, folder: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    visible_line(&path.to_string_lossy())
}
