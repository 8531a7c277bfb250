//! What a program changes in the working folder, put into the undo history: the folder is looked
//! through before it begins and after it has ended, as git sees it, and what differs is a change like
//! any other.
//!
//! The content of before is held in a file without a name until then, so a process that is killed
//! meanwhile leaves nothing behind, and that program's changes without an undo.

use crate::atomic;
use crate::attributes::{self, Rights};
use crate::beneath::{Found, LastLink, Place, Spelling};
use crate::context::{Leash, StopFlag};
use crate::job::Workshop;
use crate::journal::{Change, Journal, Kept, Open};
use crate::walk::{End, Entry, Ignore, Step, Walk};
use api::authority::JudgedCall;
use api::checkpoints::{Checkpoint, ProgramChanges};
use api::executor::ToolFailure;
use api::failure::broken;
use async_trait::async_trait;
use disk::private;
use domain::hash::Digest;
use domain::limits::{
    CHECKPOINT_BYTES, CHECKPOINT_CHANGES, CHECKPOINT_FILES, CHECKPOINT_TIME, WALK_DEPTH,
};
use paths::real_path;
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, StatxFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use text::escape::visible_line;

/// What marks a folder that a tool can make again (bford.info/cachedir).
const CACHE_MARK: &str = "CACHEDIR.TAG";
/// Folders of what was downloaded or made, also where git is not told to ignore them.
const MADE_AGAIN: [&str; 3] = ["node_modules", ".venv", "__pycache__"];
/// The file that says what git ignores.
const GIT_IGNORE: &str = ".gitignore";
/// How the names begin that the guard gives to what a program should not have made.
const SET_ASIDE: &str = "set-aside-";
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
    /// When it was made, seconds and nanoseconds; `None` where the file system does not keep that.
    born: Option<(i64, u32)>,
}

/// A folder as it was.
#[derive(Debug, Default)]
struct Survey {
    files: BTreeMap<PathBuf, Noted>,
    /// With their modes.
    folders: BTreeMap<PathBuf, u32>,
    bytes: u64,
}

/// A folder as it was, with the content of its files.
struct Before {
    survey: Survey,
    content: File,
    /// When the look began.
    began: (i64, u32),
    /// The number that the next change of the history would have had.
    next: u64,
}

/// What a folder held before a program ran.
pub(crate) struct Held {
    workshop: Arc<Workshop>,
    call: JudgedCall,
    /// Else why there is none.
    before: Result<Before, String>,
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
        let mut not_all = None;
        let done = self.before.and_then(|before| {
            let mut after = look_through(
                &self.workshop,
                &self.call,
                (Some(&before.survey), &mut io::sink()),
            )?;
            if after.ignores_otherwise(&before.survey) {
                let place = (&*self.workshop, &self.call);
                not_all = add_new_files(&mut after, place, before.began).err();
            }
            let _lane = self.workshop.lane(self.call.session_id);
            Difference {
                journal: journal(&self.workshop, &self.call),
                call: &self.call,
                before,
                after,
            }
            .record(&mut changes.files)
        });
        changes.left_out = done.err().or(not_all);
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

fn hold(workshop: &Workshop, call: &JudgedCall) -> Result<Before, String> {
    let place = workshop
        .undo_folder
        .join(format!("held-{}", uuid::Uuid::now_v7().simple()));
    let mut options = OpenOptions::new();
    let opened = private::open(&place, options.read(true).write(true).create_new(true));
    let content = opened.and_then(|file| std::fs::remove_file(&place).map(|()| file));
    let mut content = content.map_err(|e| format!("Nothing can be kept of it: {e}."))?;
    let began = born(&content).ok_or("This file system does not keep when files were made.")?;
    let next = journal(workshop, call).next_number();
    let survey = look_through(workshop, call, (None, &mut content))?;
    Ok(Before {
        survey,
        content,
        began,
        next: next.map_err(|failure| failure.message)?,
    })
}

/// When a file was made.
fn born(file: impl AsFd) -> Option<(i64, u32)> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW;
    let told = rustix::fs::statx(file, "", flags, StatxFlags::BTIME).ok()?;
    let is_known = StatxFlags::from_bits_retain(told.stx_mask).contains(StatxFlags::BTIME);
    is_known.then_some((told.stx_btime.tv_sec, told.stx_btime.tv_nsec))
}

/// What is in the working folder now, its content written to `content` one file after the other. Files
/// of an earlier look are looked at whatever is ignored by now.
fn look_through(
    workshop: &Workshop,
    call: &JudgedCall,
    looked: (Option<&Survey>, &mut dyn Write),
) -> Result<Survey, String> {
    walked(workshop, call, looked, Ignore::AsGit)
}

/// The same, but for what is passed over.
fn walked(
    workshop: &Workshop,
    call: &JudgedCall,
    (earlier, content): (Option<&Survey>, &mut dyn Write),
    ignore: Ignore,
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
        ignore,
    };
    let mut is_full = false;
    let seen = place.reach_folder().and_then(|folder| {
        let end = walk.run(&folder, &mut |entry| {
            let step = survey.note(entry, (&place, &root), &leash, content)?;
            is_full |= step == Step::Stop;
            Ok(step)
        })?;
        for path in earlier.iter().flat_map(|earlier| earlier.files.keys()) {
            survey.note_again(path, &place, &leash, content)?;
        }
        // A file that ignores itself is looked at all the same: it says what else is.
        let folders: Vec<PathBuf> = survey.folders.keys().cloned().collect();
        for folder in folders.iter().chain([&root]) {
            let rules = folder.join(GIT_IGNORE);
            // To look whether anything leads there takes long: only where there is something.
            if !survey.files.contains_key(&rules) && rules.symlink_metadata().is_ok() {
                survey.note_again(&rules, &place, &leash, content)?;
            }
        }
        Ok(end)
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

/// Adds files that were made since a time and are ignored by now, where the rules for that are others: the
/// one who made them may have chosen these.
fn add_new_files(
    survey: &mut Survey,
    (workshop, call): (&Workshop, &JudgedCall),
    began: (i64, u32),
) -> Result<(), String> {
    let all = walked(workshop, call, (None, &mut io::sink()), Ignore::GitFolders)?;
    let is_new = |noted: &Noted| noted.born.is_some_and(|born| born >= began);
    for (path, noted) in all.files {
        if is_new(&noted) {
            survey.files.entry(path).or_insert(noted);
        }
    }
    for (path, mode) in all.folders {
        survey.folders.entry(path).or_insert(mode);
    }
    Ok(())
}

impl Survey {
    /// Whether other things are ignored than at an earlier look.
    fn ignores_otherwise(&self, earlier: &Self) -> bool {
        let rules = |survey: &Self| -> Vec<(PathBuf, Digest)> {
            let all = survey.files.iter();
            let rules = all.filter(|(path, _)| path.ends_with(GIT_IGNORE));
            let rules = rules.map(|(path, noted)| (path.clone(), noted.digest));
            rules.collect()
        };
        rules(self) != rules(earlier)
    }

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

    /// Looks at a file of an earlier look that the walk did not meet, if it is still a file.
    fn note_again(
        &mut self,
        path: &Path,
        place: &Place<'_>,
        leash: &Leash,
        content: &mut dyn Write,
    ) -> Result<(), ToolFailure> {
        if self.files.contains_key(path) {
            return Ok(());
        }
        let here = Place {
            target: path,
            shown: place.shown.clone(),
            ..*place
        };
        let found = here.spot(LastLink::Keep).and_then(|spot| spot.look("."));
        match found {
            Ok(Some(found)) if found.kind == FileType::RegularFile => self
                .note_file(path.to_path_buf(), &found, (&here, leash), content)
                .map(|_step| ()),
            _ => Ok(()),
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
            born: born(&found.fd),
        };
        self.bytes += written.bytes;
        self.files.insert(path, noted);
        Ok(Step::Go)
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
    before: Before,
    after: Survey,
}

impl Difference<'_> {
    /// Writes down what differs; `files` are those that undo brings back. What is gone comes first, so
    /// that undo, newest first, takes away what stands in its place, and makes a folder again before
    /// the files in it.
    fn record(self, files: &mut Vec<PathBuf>) -> Result<(), String> {
        let told = |failure: ToolFailure| failure.message;
        let known: Vec<Open> = self.journal.open_changes().map_err(told)?;
        // Another program at the same time, or a file tool, wrote these down.
        let (known, next) = (&known[..], self.before.next);
        let meanwhile = |path: &Path| {
            let mut newer = known.iter().filter(|open| open.number >= next);
            newer.any(|open| open.change.touches(path))
        };
        let gone: Vec<PathBuf> = self.before.survey.files.keys().cloned().collect();
        let gone = gone
            .into_iter()
            .filter(|path| !self.after.files.contains_key(path) && !meanwhile(path));
        let gone: Vec<PathBuf> = gone.collect();
        let put: Vec<PathBuf> = self.after.files.keys().cloned().collect();
        let put: Vec<PathBuf> = put
            .into_iter()
            .filter(|path| self.differs(path) && !meanwhile(path))
            .collect();
        if gone.len() + put.len() > CHECKPOINT_CHANGES {
            return Err(format!("It changed more than {CHECKPOINT_CHANGES} files."));
        }
        let mut left = Vec::new();
        for path in gone {
            if is_unreadable_file(&path) {
                left.push(path);
                continue;
            }
            let before = self.keep(&path).map_err(told)?;
            let change = Change::DeletedFile {
                path: path.clone(),
                before,
            };
            self.begin(change).map_err(told)?;
            files.push(path);
        }
        self.record_folders().map_err(told)?;
        let mut made: BTreeSet<PathBuf> = BTreeSet::new();
        for path in put {
            match self.put(&path, &mut made).map_err(told)? {
                Some(change) => {
                    self.begin(change).map_err(told)?;
                    files.push(path);
                }
                None => left.push(path),
            }
        }
        match left.first() {
            None => Ok(()),
            Some(first) => Err(format!(
                "{} of its files were there before under another name, or cannot be read ({} first); \
                 they stay as they are.",
                left.len(),
                visible_line(&first.to_string_lossy())
            )),
        }
    }

    /// Whether a file that is there now is another one than before. What the guard has set aside is
    /// nothing to take back.
    fn differs(&self, path: &Path) -> bool {
        let is_aside = path.components().any(|part| {
            let name = part.as_os_str().to_string_lossy();
            name.starts_with(SET_ASIDE)
        });
        let then = self.before.survey.files.get(path);
        let now = self.after.files.get(path);
        !is_aside && then.map(|then| then.digest) != now.map(|now| now.digest)
    }

    /// The change of a file that is there now; `None` where it was there before, and what it held was
    /// not looked at: to remove it would lose that.
    fn put(
        &self,
        path: &Path,
        made: &mut BTreeSet<PathBuf>,
    ) -> Result<Option<Change>, ToolFailure> {
        let Some(now) = self.after.files.get(path) else {
            return Ok(None);
        };
        let is_old = now.born.is_none_or(|born| born < self.before.began);
        let before = match self.before.survey.files.contains_key(path) {
            true => Some(self.keep(path)?),
            false if is_old => return Ok(None),
            false => None,
        };
        let above = path.ancestors().skip(1);
        let new = above.take_while(|above| self.is_new_folder(above) && !made.contains(*above));
        let new: Vec<PathBuf> = new.map(Path::to_path_buf).collect();
        made.extend(new.iter().cloned());
        Ok(Some(Change::Put {
            path: path.to_path_buf(),
            before,
            after: now.digest,
            made: new.into_iter().rev().collect(),
        }))
    }

    fn record_folders(&self) -> Result<(), ToolFailure> {
        for (path, mode) in self.before.survey.folders.iter().rev() {
            if path.symlink_metadata().is_err() {
                let (path, mode) = (path.clone(), *mode);
                self.begin(Change::DeletedFolder { path, mode })?;
            }
        }
        Ok(())
    }

    fn is_new_folder(&self, folder: &Path) -> bool {
        self.after.folders.contains_key(folder)
            && !self.before.survey.folders.contains_key(folder)
            && born_at(folder).is_some_and(|born| born >= self.before.began)
    }

    /// Keeps the content of before in the history.
    fn keep(&self, path: &Path) -> Result<Kept, ToolFailure> {
        let Some(then) = self.before.survey.files.get(path) else {
            return Err(broken("not_held", "The content of before is not held."));
        };
        let mut content = &self.before.content;
        let at = content.seek(SeekFrom::Start(then.at));
        at.map_err(crate::journal::fault)?;
        let leash = Leash::new(StopFlag::default(), CHECKPOINT_TIME, None);
        let mut content = content.take(then.bytes);
        self.journal
            .keep(&mut content, then.bytes, then.rights, &leash)
    }

    fn begin(&self, change: Change) -> Result<(), ToolFailure> {
        let begun = self.journal.begin(TOOL, self.call.call_id, change);
        begun.map(|_number| ())
    }
}

/// When a folder was made.
fn born_at(folder: &Path) -> Option<(i64, u32)> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    born(rustix::fs::open(folder, flags, Mode::empty()).ok()?)
}

/// Whether a file that was there is still one, and could not be looked at again.
fn is_unreadable_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|now| now.is_file())
}
