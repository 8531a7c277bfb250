//! What a program changes in the working folder, put into the undo history: the folder is looked
//! through before it begins and after it has ended, as git sees it, and what differs is a change like
//! any other.
//!
//! The content of before is held in a file without a name until then, so a process that is killed
//! meanwhile leaves nothing behind, and that program's changes without an undo.

use crate::atomic;
use crate::attributes::{self, Rights};
use crate::beneath::{Found, Place, Spelling};
use crate::context::{Leash, StopFlag};
use crate::job::Workshop;
use crate::journal::{Change, Journal, Kept, Open};
use crate::walk::{End, Entry, Ignore, Step, Walk};
use api::authority::JudgedCall;
use api::checkpoints::{Checkpoint, ProgramChanges};
use api::executor::ToolFailure;
use async_trait::async_trait;
use disk::private;
use domain::hash::Digest;
use domain::limits::{CHECKPOINT_BYTES, CHECKPOINT_FILES, CHECKPOINT_TIME, WALK_DEPTH};
use paths::real_path;
use rustix::fs::FileType;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What marks a folder that a tool can make again (bford.info/cachedir).
const CACHE_MARK: &str = "CACHEDIR.TAG";
/// Folders of what was downloaded or made, also where git is not told to ignore them.
const MADE_AGAIN: [&str; 3] = ["node_modules", ".venv", "__pycache__"];
/// The file that tells git what to ignore.
const IGNORE_FILE: &str = ".gitignore";
/// The name that changes of programs go by in the history.
const TOOL: &str = "run_command";

/// A file as it was.
#[derive(Debug)]
struct Noted {
    digest: Digest,
    rights: Rights,
    bytes: u64,
    /// Where its content begins among all that is held.
    at: u64,
}

/// A folder as it was.
#[derive(Debug, Default)]
struct Survey {
    files: BTreeMap<PathBuf, Noted>,
    /// With their modes.
    folders: BTreeMap<PathBuf, u32>,
    bytes: u64,
}

/// What a folder held before a program ran.
pub(crate) struct Held {
    workshop: Arc<Workshop>,
    call: JudgedCall,
    /// The content too; else why there is none.
    before: Result<(Survey, File), String>,
}

impl Held {
    /// Looks through the working folder of a call, if its program may change it.
    pub(crate) fn of(workshop: Arc<Workshop>, call: JudgedCall) -> Self {
        let before = hold(&workshop, &call);
        Self {
            workshop,
            call,
            before,
        }
    }

    fn end(self) -> ProgramChanges {
        let mut changes = ProgramChanges::default();
        let done = self.before.and_then(|(before, content)| {
            let after = look_through(&self.workshop, &self.call, &mut io::sink())?;
            let _lane = self.workshop.lane(self.call.session_id);
            Difference {
                journal: journal(&self.workshop, &self.call),
                call: &self.call,
                before,
                after,
                content,
            }
            .record(&mut changes.files)
        });
        changes.left_out = done.err();
        changes
    }
}

#[async_trait]
impl Checkpoint for Held {
    async fn end(self: Box<Self>) -> ProgramChanges {
        let broke_off = |error| ProgramChanges {
            files: Vec::new(),
            left_out: Some(format!("Looking for what it changed broke off: {error}.")),
        };
        let done = tokio::task::spawn_blocking(move || (*self).end()).await;
        done.unwrap_or_else(broke_off)
    }
}

/// A folder of which nothing is held, and why.
pub(crate) struct Unheld(pub(crate) String);

#[async_trait]
impl Checkpoint for Unheld {
    async fn end(self: Box<Self>) -> ProgramChanges {
        ProgramChanges {
            files: Vec::new(),
            left_out: Some(self.0),
        }
    }
}

fn journal(workshop: &Workshop, call: &JudgedCall) -> Journal {
    let folder = workshop.undo_folder.join(call.session_id.to_string());
    Journal::new(folder, workshop.undo_bytes)
}

fn hold(workshop: &Workshop, call: &JudgedCall) -> Result<(Survey, File), String> {
    let place = workshop
        .undo_folder
        .join(format!("held-{}", uuid::Uuid::now_v7().simple()));
    let mut options = OpenOptions::new();
    let opened = private::open(&place, options.read(true).write(true).create_new(true));
    let content = opened.and_then(|file| std::fs::remove_file(&place).map(|()| file));
    let mut content = content.map_err(|e| format!("Nothing can be kept of it: {e}."))?;
    let survey = look_through(workshop, call, &mut content)?;
    Ok((survey, content))
}

/// What is in the working folder now, its content written to `content` one file after the other.
fn look_through(
    workshop: &Workshop,
    call: &JudgedCall,
    content: &mut dyn Write,
) -> Result<Survey, String> {
    let workspace = call.read_roots.first();
    let given = workspace.and_then(|folder| real_path(folder));
    let root = given.ok_or("The working folder cannot be looked through.")?;
    let roots: Vec<PathBuf> = call
        .write_roots
        .iter()
        .filter_map(|root| real_path(root))
        .collect();
    let mut survey = Survey::default();
    if !roots.iter().any(|open| root.starts_with(open)) {
        return Ok(survey);
    }
    let place = Place {
        ground: &workshop.ground,
        shown: ".".to_owned(),
        target: &root,
        spelling: Spelling::Stored,
        roots: &roots,
    };
    let leash = Leash::new(StopFlag::default(), CHECKPOINT_TIME, None);
    let walk = Walk {
        place: &place,
        leash: &leash,
        depth: WALK_DEPTH,
        ignore: Ignore::AsGit,
    };
    let mut is_full = false;
    let seen = place.reach_folder().and_then(|folder| {
        walk.run(&folder, &mut |entry| {
            let step = survey.note(entry, (&place, &root), &leash, content)?;
            is_full |= step == Step::Stop;
            Ok(step)
        })
    });
    match seen {
        Ok(End::Whole) => Ok(survey),
        Ok(End::Part) if is_full => Err(format!(
            "The folder holds more than {CHECKPOINT_FILES} files or {} MiB that git does not ignore.",
            CHECKPOINT_BYTES >> 20
        )),
        Ok(End::Part) => Err("Not all of the folder could be looked through.".to_owned()),
        Err(failure) => Err(failure.message),
    }
}

impl Survey {
    fn note(
        &mut self,
        entry: &Entry<'_>,
        (place, root): (&Place<'_>, &Path),
        leash: &Leash,
        content: &mut dyn Write,
    ) -> Result<Step, ToolFailure> {
        let path = root.join(entry.path);
        let Some(found) = entry.look() else {
            return Ok(Step::Go);
        };
        match entry.kind {
            FileType::Directory if is_made_again(entry.name, &found) => Ok(Step::Over),
            FileType::Directory => {
                self.folders.insert(path, found.stat.st_mode & 0o7777);
                Ok(Step::Go)
            }
            FileType::RegularFile => self.note_file(path, &found, (place, leash), content),
            // Links, pipes and the like are not kept.
            _ => Ok(Step::Go),
        }
    }

    fn note_file(
        &mut self,
        path: PathBuf,
        found: &Found,
        (place, leash): (&Place<'_>, &Leash),
        content: &mut dyn Write,
    ) -> Result<Step, ToolFailure> {
        let is_full = self.files.len() >= CHECKPOINT_FILES
            || self.bytes.saturating_add(found.bytes()) > CHECKPOINT_BYTES;
        if is_full {
            return Ok(Step::Stop);
        }
        // What is closed to the agent is closed to its programs as well.
        let Ok(file) = place.open(found) else {
            return Ok(Step::Go);
        };
        let mut bounded = file.take(CHECKPOINT_BYTES);
        let written = atomic::copy(&mut bounded, content, leash, &place.shown)?;
        let noted = Noted {
            digest: written.digest,
            bytes: written.bytes,
            rights: Rights {
                mode: attributes::mode_alone(&found.fd, found.stat.st_mode) & 0o7777,
                owner: Some((found.stat.st_uid, found.stat.st_gid)),
            },
            at: self.bytes,
        };
        self.bytes += written.bytes;
        self.files.insert(path, noted);
        Ok(Step::Go)
    }

    /// What git is told to ignore, by the files that say so.
    fn ignoring(&self) -> Vec<(&PathBuf, Digest)> {
        let is_ignore_file = |path: &PathBuf| path.file_name() == Some(OsStr::new(IGNORE_FILE));
        let files = self.files.iter().filter(|(path, _)| is_ignore_file(path));
        files.map(|(path, noted)| (path, noted.digest)).collect()
    }
}

/// Whether what is in a folder is made by tools, and made again when it is gone.
fn is_made_again(name: &OsStr, folder: &Found) -> bool {
    MADE_AGAIN.iter().any(|known| name == *known)
        || crate::beneath::look_into(&folder.fd, OsStr::new(CACHE_MARK)).is_ok()
}

/// Two looks at a folder, and the history that what lies between goes to.
struct Difference<'a> {
    journal: Journal,
    call: &'a JudgedCall,
    before: Survey,
    after: Survey,
    content: File,
}

impl Difference<'_> {
    /// Writes down what differs; `files` are those that undo brings back. The order lets undo, newest
    /// first, make a folder again before the files in it.
    fn record(mut self, files: &mut Vec<PathBuf>) -> Result<(), String> {
        if self.before.ignoring() != self.after.ignoring() {
            return Err("It changed what git ignores (.gitignore).".to_owned());
        }
        let told = |failure: ToolFailure| failure.message;
        let known = self.journal.open_changes().map_err(told)?;
        let mut made: BTreeSet<PathBuf> = BTreeSet::new();
        let after = std::mem::take(&mut self.after);
        for (path, now) in &after.files {
            if let Some(change) = self.put(path, now, (&known, &mut made)).map_err(told)? {
                self.begin(change).map_err(told)?;
                files.push(path.clone());
            }
        }
        let before = std::mem::take(&mut self.before);
        let is_gone = |path: &Path| path.symlink_metadata().is_err();
        for (path, then) in &before.files {
            if after.files.contains_key(path) || !is_gone(path) || is_known_deleted(&known, path) {
                continue;
            }
            let change = Change::DeletedFile {
                path: path.clone(),
                before: self.keep(then).map_err(told)?,
            };
            self.begin(change).map_err(told)?;
            files.push(path.clone());
        }
        for (path, mode) in before.folders.iter().rev() {
            if !after.folders.contains_key(path) && is_gone(path) {
                let (path, mode) = (path.clone(), *mode);
                self.begin(Change::DeletedFolder { path, mode })
                    .map_err(told)?;
            }
        }
        Ok(())
    }

    /// The change of a file that is there now; `None` where it is as it was, or the history has it.
    fn put(
        &mut self,
        path: &Path,
        now: &Noted,
        (known, made): (&[Open], &mut BTreeSet<PathBuf>),
    ) -> Result<Option<Change>, ToolFailure> {
        let then = self.before.files.get(path);
        let is_same = then.is_some_and(|then| then.digest == now.digest);
        if is_same || is_known_as(known, path, now.digest) {
            return Ok(None);
        }
        let before = match self.before.files.remove(path) {
            Some(then) => Some(self.keep(&then)?),
            None => None,
        };
        let new: Vec<PathBuf> = path
            .ancestors()
            .skip(1)
            .take_while(|above| self.after_folder_is_new(above) && !made.contains(*above))
            .map(Path::to_path_buf)
            .collect();
        made.extend(new.iter().cloned());
        Ok(Some(Change::Put {
            path: path.to_path_buf(),
            before,
            after: now.digest,
            made: new.into_iter().rev().collect(),
        }))
    }

    fn after_folder_is_new(&self, folder: &Path) -> bool {
        let root = self
            .call
            .read_roots
            .first()
            .and_then(|root| real_path(root));
        root.is_some_and(|root| folder != root && folder.starts_with(&root))
            && !self.before.folders.contains_key(folder)
    }

    /// Keeps the content of before in the history.
    fn keep(&mut self, then: &Noted) -> Result<Kept, ToolFailure> {
        let bytes = then.bytes;
        self.content
            .seek(SeekFrom::Start(then.at))
            .map_err(crate::journal::fault)?;
        let mut content = (&self.content).take(bytes);
        let leash = Leash::new(StopFlag::default(), CHECKPOINT_TIME, None);
        self.journal.keep(&mut content, bytes, then.rights, &leash)
    }

    fn begin(&self, change: Change) -> Result<(), ToolFailure> {
        let begun = self.journal.begin(TOOL, self.call.call_id, change);
        begun.map(|_number| ())
    }
}

/// Whether the newest change of a file left it like this: another call, or another program that ran at
/// the same time, wrote it down.
fn is_known_as(known: &[Open], path: &Path, now: Digest) -> bool {
    let newest = known.iter().rev().find(|open| open.change.touches(path));
    newest.is_some_and(|open| matches!(&open.change, Change::Put { after, .. } if *after == now))
}

fn is_known_deleted(known: &[Open], path: &Path) -> bool {
    let newest = known.iter().rev().find(|open| open.change.touches(path));
    newest.is_some_and(|open| {
        matches!(open.change, Change::DeletedFile { .. })
            || matches!(&open.change, Change::Moved { from, .. } if from == path)
    })
}
