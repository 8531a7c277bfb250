//! A folder and those above it, each by its own descriptor, and the files in them that are the
//! user's. Whoever else can write there must not speak to agents, or stop the program.
//!
//! Every folder is opened from the one above it and no link is followed, so that what was looked at
//! is what is read, whatever is renamed meanwhile.

use crate::Error;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

/// Most folders of a path that is looked at.
const FOLDERS: usize = 256;
/// May be written by the group.
const GROUP_WRITES: u32 = 0o020;
/// May be written by everyone.
const OTHERS_WRITE: u32 = 0o002;

/// Who else can change a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// Another user: it is theirs.
    Owner,
    /// Others, who may write it.
    Writers,
}

impl Foreign {
    /// Why it is not the user's, as the end of a sentence.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Owner => "belongs to another user",
            Self::Writers => "can be written by other users",
        }
    }
}

/// Whose files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Writers {
    User,
    Anyone,
}

/// One folder.
#[derive(Debug)]
pub struct Folder {
    /// Where it is, without links.
    pub path: PathBuf,
    /// Who else can change what is in it; `None`: it is the user's, or the system's.
    pub foreign: Option<Foreign>,
    descriptor: OwnedFd,
}

/// A name in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// There is none.
    Absent,
    /// A regular file of the user's, or of the system's.
    Text(Vec<u8>),
    /// Something that is not read, and why: the end of a sentence that begins with its name.
    Refused {
        /// The reason.
        why: String,
        /// Whether it is somebody else's.
        is_foreign: bool,
    },
}

/// A folder, without links in its path, and those above it; nearest first.
///
/// # Errors
/// When one of them cannot be opened.
pub fn of(folder: &Path) -> Result<Vec<Folder>, Error> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut path = PathBuf::new();
    let mut all: Vec<Folder> = Vec::new();
    for part in folder.components() {
        if all.len() >= FOLDERS {
            let shown = folder.display();
            let what = format!("{shown} lies more than {FOLDERS} folders deep");
            return Err(Error::new(what));
        }
        path.push(part);
        let opened = match (part, all.last()) {
            (Component::RootDir, None) => openat(CWD, "/", flags, Mode::empty()),
            (Component::Normal(name), Some(above)) => {
                openat(&above.descriptor, name, flags, Mode::empty())
            }
            _ => {
                let what = format!("{} is no plain path", folder.display());
                return Err(Error::new(what));
            }
        };
        let cannot = |error| Error::of(format!("{} cannot be looked at", path.display()), error);
        let descriptor = opened.map_err(cannot)?;
        let facts = fstat(&descriptor).map_err(cannot)?;
        all.push(Folder {
            path: path.clone(),
            foreign: foreign(&facts),
            descriptor,
        });
    }
    all.reverse();
    Ok(all)
}

impl Folder {
    /// Whether something of this name is there, whoever made it.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// The file of this name, if it is a regular file, the user's and no larger than `limit`, bytes.
    /// Never waits on a pipe.
    #[must_use]
    pub fn read(&self, name: &str, limit: u64) -> Entry {
        self.read_by(name, limit, Writers::User)
    }

    /// The same, whoever can write it: for what can only forbid.
    #[must_use]
    pub fn read_of_anyone(&self, name: &str, limit: u64) -> Entry {
        self.read_by(name, limit, Writers::Anyone)
    }

    fn read_by(&self, name: &str, limit: u64, writers: Writers) -> Entry {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&self.descriptor, name, flags, Mode::empty()) {
            Ok(opened) => self.read_open(&File::from(opened), limit, writers),
            Err(Errno::NOENT) => Entry::Absent,
            Err(error) => {
                let facts = statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW);
                let its = facts.ok().and_then(|facts| match error {
                    // Everyone may write a link's mode bits; its owner made it.
                    Errno::LOOP => (!is_mine(facts.st_uid)).then_some(Foreign::Owner),
                    _ => foreign(&facts),
                });
                let why = match error {
                    Errno::LOOP => "is a symbolic link, which is not followed here".to_owned(),
                    error => format!("cannot be read: {error}"),
                };
                self.refused(why, its)
            }
        }
    }

    fn read_open(&self, file: &File, limit: u64, writers: Writers) -> Entry {
        let facts = match fstat(file) {
            Ok(facts) => facts,
            Err(error) => return self.refused(format!("cannot be looked at: {error}"), None),
        };
        if let Some(foreign) = foreign(&facts).filter(|_| writers == Writers::User) {
            return self.refused(foreign.reason().to_owned(), Some(foreign));
        }
        if let Some(foreign) = self.foreign.filter(|_| writers == Writers::User) {
            let why = format!("lies in a folder that {}", foreign.reason());
            return self.refused(why, Some(foreign));
        }
        if !rustix::fs::FileType::from_raw_mode(facts.st_mode).is_file() {
            return self.refused("is not a regular file".to_owned(), None);
        }
        let mut bytes = Vec::new();
        match file.take(limit + 1).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > limit => {
                self.refused(format!("is larger than {limit} bytes"), None)
            }
            Ok(_) => Entry::Text(bytes),
            Err(error) => self.refused(format!("cannot be read: {error}"), None),
        }
    }

    fn refused(&self, why: String, foreign: Option<Foreign>) -> Entry {
        Entry::Refused {
            why,
            is_foreign: foreign.or(self.foreign).is_some(),
        }
    }
}

fn foreign(facts: &Stat) -> Option<Foreign> {
    if !is_mine(facts.st_uid) {
        return Some(Foreign::Owner);
    }
    let others = facts.st_mode & OTHERS_WRITE != 0;
    // Where each user has a group of their own, files are the group's to write by default.
    let is_own_group = facts.st_gid == facts.st_uid;
    let group = facts.st_mode & GROUP_WRITES != 0 && !is_own_group;
    (others || group).then_some(Foreign::Writers)
}

/// The system's files are as good as the user's: who is root can do anything.
fn is_mine(uid: u32) -> bool {
    uid == geteuid().as_raw() || uid == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt, symlink};

    const LIMIT: u64 = 5;

    fn nearest(folder: &Path) -> Folder {
        of(&folder.canonicalize().unwrap()).unwrap().remove(0)
    }

    fn why(entry: &Entry) -> &str {
        match entry {
            Entry::Refused { why, .. } => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_the_users_regular_files_are_read() {
        let scratch = tempfile::tempdir().unwrap();
        let at = |name: &str| scratch.path().join(name);
        fs::write(at("a"), "12345").unwrap();
        fs::write(at("large"), "123456").unwrap();
        fs::write(at("open"), "x").unwrap();
        fs::set_permissions(at("open"), Permissions::from_mode(0o666)).unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink(at("a"), at("link")).unwrap();
        let folder = nearest(scratch.path());
        assert_eq!(folder.foreign, None);
        assert_eq!(folder.read("a", LIMIT), Entry::Text(b"12345".to_vec()));
        assert_eq!(folder.read("none", LIMIT), Entry::Absent);
        for (name, part) in [
            ("large", "larger"),
            ("open", "other users"),
            ("link", "symbolic link"),
            ("folder", "not a regular file"),
        ] {
            assert!(why(&folder.read(name, LIMIT)).contains(part), "{name}");
        }
        assert!(folder.has("link") && !folder.has("none"));
    }

    #[test]
    fn a_folder_that_others_write_in_holds_nothing_of_the_users() {
        let scratch = tempfile::tempdir().unwrap();
        let shared = scratch.path().join("shared");
        fs::create_dir(&shared).unwrap();
        fs::write(shared.join("a"), "1").unwrap();
        for mode in [0o777, 0o1777] {
            fs::set_permissions(&shared, Permissions::from_mode(mode)).unwrap();
            let folder = nearest(&shared);
            assert_eq!(folder.foreign, Some(Foreign::Writers));
            let entry = folder.read("a", LIMIT);
            assert!(matches!(
                &entry,
                Entry::Refused {
                    is_foreign: true,
                    ..
                }
            ));
        }
    }

    #[test]
    fn no_link_is_followed_on_the_way() {
        let scratch = tempfile::tempdir().unwrap();
        let base = scratch.path().canonicalize().unwrap();
        fs::create_dir(base.join("real")).unwrap();
        symlink(base.join("real"), base.join("alias")).unwrap();
        assert!(of(&base.join("real")).is_ok());
        assert!(of(&base.join("alias")).is_err());
        assert!(of(Path::new("relative")).is_err());
    }
}
