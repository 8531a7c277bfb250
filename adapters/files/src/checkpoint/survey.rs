//! What is in the working folder at a time, as git sees it.

use crate::atomic;
use crate::attributes::{self, Rights};
use crate::beneath::{Found, LastLink, Place, Spelling};
use crate::context::{Leash, StopFlag};
use crate::job::Workshop;
use crate::walk::{End, Entry, Ignore, Step, Walk};
use api::authority::JudgedCall;
use api::executor::ToolFailure;
use domain::hash::Digest;
use domain::limits::{CHECKPOINT_BYTES, CHECKPOINT_FILES, CHECKPOINT_TIME, WALK_DEPTH};
use paths::real_path;
use rustix::fd::AsFd;
use rustix::fs::{AtFlags, FileType, StatxFlags};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _, Write};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// What marks a folder that a tool can make again (bford.info/cachedir).
const CACHE_MARK: &str = "CACHEDIR.TAG";
/// Folders of what was downloaded or made, also where git is not told to ignore them.
const MADE_AGAIN: [&str; 3] = ["node_modules", ".venv", "__pycache__"];
/// The file that says what git ignores.
const GIT_IGNORE: &str = ".gitignore";

/// When something was made, seconds and nanoseconds.
pub(super) type Born = (i64, u32);

/// What tells something from another that has its name later, or had it before. The number alone is given
/// again once it is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Object {
    inode: u64,
    /// `None` where the file system does not keep that.
    pub(super) born: Option<Born>,
}

impl Object {
    fn of(found: &Found) -> Self {
        Self {
            inode: found.stat.st_ino,
            born: born(&found.fd),
        }
    }
}

/// A file as it was.
#[derive(Debug)]
pub(super) struct Noted {
    pub(super) digest: Digest,
    pub(super) rights: Rights,
    /// Its permission bits, as they are told.
    pub(super) mode: u32,
    pub(super) bytes: u64,
    /// Where its content begins among all that is held.
    pub(super) at: u64,
    pub(super) object: Object,
}

/// A folder as it was.
#[derive(Debug)]
pub(super) struct NotedFolder {
    pub(super) mode: u32,
    pub(super) object: Object,
}

/// A symbolic link as it was.
#[derive(Debug)]
pub(super) struct NotedLink {
    pub(super) target: PathBuf,
    pub(super) object: Object,
}

/// What is in the working folder.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) files: BTreeMap<PathBuf, Noted>,
    pub(super) folders: BTreeMap<PathBuf, NotedFolder>,
    pub(super) links: BTreeMap<PathBuf, NotedLink>,
    /// Pipes, sockets and devices.
    pub(super) others: BTreeSet<PathBuf>,
    bytes: u64,
}

/// A folder as it was, with the content of its files.
pub(super) struct Before {
    pub(super) survey: Survey,
    pub(super) content: File,
    /// When the look began.
    pub(super) began: Born,
    /// The number that the next change of the history would have had.
    pub(super) next: u64,
}

/// When a file was made.
pub(super) fn born(file: impl AsFd) -> Option<Born> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::SYMLINK_NOFOLLOW;
    let told = rustix::fs::statx(file, "", flags, StatxFlags::BTIME).ok()?;
    let is_known = StatxFlags::from_bits_retain(told.stx_mask).contains(StatxFlags::BTIME);
    is_known.then_some((told.stx_btime.tv_sec, told.stx_btime.tv_nsec))
}

/// What is in the working folder now, its content written to `content` one file after the other. Files
/// of an earlier look are looked at whatever is ignored by now.
pub(super) fn look_through(
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
pub(super) fn add_new_files(
    survey: &mut Survey,
    (workshop, call): (&Workshop, &JudgedCall),
    began: Born,
) -> Result<(), String> {
    let all = walked(workshop, call, (None, &mut io::sink()), Ignore::GitFolders)?;
    let is_new = |object: &Object| object.born.is_some_and(|born| born >= began);
    for (path, noted) in all.files {
        if is_new(&noted.object) {
            survey.files.entry(path).or_insert(noted);
        }
    }
    for (path, noted) in all.links {
        if is_new(&noted.object) {
            survey.links.entry(path).or_insert(noted);
        }
    }
    for (path, noted) in all.folders {
        survey.folders.entry(path).or_insert(noted);
    }
    Ok(())
}

impl Survey {
    /// Whether other things are ignored than at an earlier look.
    pub(super) fn ignores_otherwise(&self, earlier: &Self) -> bool {
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
        let Some(found) = entry.look_at() else {
            return Ok(Step::Go);
        };
        match entry.kind {
            FileType::Directory if is_made_again(entry.name, &found) => Ok(Step::Over),
            FileType::Directory => {
                let noted = NotedFolder {
                    mode: found.stat.st_mode & 0o7777,
                    object: Object::of(&found),
                };
                self.folders.insert(path, noted);
                Ok(Step::Go)
            }
            FileType::RegularFile => self.note_file(path, &found, (place, leash), content),
            FileType::Symlink => {
                if let Ok(target) = rustix::fs::readlinkat(&found.fd, "", Vec::new()) {
                    let noted = NotedLink {
                        target: PathBuf::from(OsString::from_vec(target.into_bytes())),
                        object: Object::of(&found),
                    };
                    self.links.insert(path, noted);
                }
                Ok(Step::Go)
            }
            _ => {
                self.others.insert(path);
                Ok(Step::Go)
            }
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
            mode: found.stat.st_mode & 0o777,
            at: self.bytes,
            object: Object::of(found),
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
