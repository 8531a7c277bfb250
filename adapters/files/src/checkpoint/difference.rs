//! What lies between two looks at a folder, as changes of the undo history.

use super::survey::{Before, Born, Object, Survey};
use crate::context::{Leash, StopFlag};
use crate::journal::{Change, Journal, Kept, Open, fault};
use api::authority::JudgedCall;
use api::executor::ToolFailure;
use api::failure::broken;
use domain::limits::{CHECKPOINT_CHANGES, CHECKPOINT_TIME};
use std::collections::BTreeSet;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use text::escape::visible_line;

/// How the names begin that the guard gives to what a program should not have made.
const SET_ASIDE: &str = "set-aside-";
/// The name that changes of programs go by in the history.
const TOOL: &str = "run_command";

/// Two looks at a folder, and the history that what lies between goes to.
pub(super) struct Difference<'a> {
    journal: Journal,
    call: &'a JudgedCall,
    before: Before,
    after: Survey,
    /// What was written down meanwhile, by another program at the same time or by a file tool.
    meanwhile: Vec<Open>,
    /// What is gone from its place, and comes back there by a change of its own.
    back: BTreeSet<Object>,
}

/// The paths that differ, by what is to be done about them.
#[derive(Default)]
struct Paths {
    gone: Vec<PathBuf>,
    gone_links: Vec<PathBuf>,
    put: Vec<PathBuf>,
    links: Vec<PathBuf>,
    rights: Vec<PathBuf>,
    /// What stays as it is, and why.
    left: Vec<PathBuf>,
}

impl<'a> Difference<'a> {
    pub(super) fn new(
        (journal, call): (Journal, &'a JudgedCall),
        before: Before,
        after: Survey,
    ) -> Self {
        Self {
            journal,
            call,
            before,
            after,
            meanwhile: Vec::new(),
            back: BTreeSet::new(),
        }
    }

    /// Writes down what differs; `told` are the files that undo brings back. What is gone comes first,
    /// so that undo, newest first, takes away what stands in its place, and makes a folder again before
    /// the files in it.
    pub(super) fn record(mut self, told: &mut Vec<PathBuf>) -> Result<(), String> {
        let message = |failure: ToolFailure| failure.message;
        self.meanwhile = self.journal.open_changes().map_err(message)?;
        self.meanwhile
            .retain(|open| open.number >= self.before.next);
        let mut paths = self.paths();
        let count = paths.gone.len() + paths.put.len() + paths.links.len() + paths.rights.len();
        if count > CHECKPOINT_CHANGES {
            return Err(format!("It changed more than {CHECKPOINT_CHANGES} files."));
        }
        self.back = self.comes_back(&paths);
        self.record_gone(&paths, told).map_err(message)?;
        self.record_new(&mut paths, told).map_err(message)?;
        let mut seen = BTreeSet::new();
        told.retain(|path| seen.insert(path.clone()));
        let others = self.after.others.difference(&self.before.survey.others);
        paths.left.extend(others.cloned());
        match paths.left.first() {
            None => Ok(()),
            Some(first) => Err(format!(
                "{} of what it changed was there before under another name, cannot be read, or is a \
                 pipe or the like ({}{}); undo leaves that as it is.",
                paths.left.len(),
                visible_line(&first.to_string_lossy()),
                if paths.left.len() > 1 { " first" } else { "" },
            )),
        }
    }

    fn paths(&self) -> Paths {
        let (then, now) = (&self.before.survey, &self.after);
        let is_ours = |path: &&PathBuf| !is_aside(path) && !self.is_known(path);
        let gone = then.files.keys();
        let gone = gone.filter(|path| !now.files.contains_key(*path) && !self.is_known(path));
        let (left, gone) = gone.cloned().partition(|path| is_unreadable_file(path));
        let put = now.files.iter().filter(|(path, file)| {
            let then = then.files.get(*path);
            then.map(|then| then.digest) != Some(file.digest)
        });
        let rights = now.files.iter().filter(|(path, file)| {
            let then = then.files.get(*path);
            then.is_some_and(|then| then.mode != file.mode)
        });
        let target =
            |links: &Survey, path: &PathBuf| links.links.get(path).map(|l| l.target.clone());
        let gone_links = then.links.keys();
        let gone_links = gone_links.filter(|path| target(now, path) != target(then, path));
        let links = now.links.keys();
        let links = links.filter(|path| target(now, path) != target(then, path));
        Paths {
            gone,
            gone_links: gone_links.filter(is_ours).cloned().collect(),
            put: put.map(|(path, _)| path).filter(is_ours).cloned().collect(),
            links: links.filter(is_ours).cloned().collect(),
            rights: rights
                .map(|(path, _)| path)
                .filter(is_ours)
                .cloned()
                .collect(),
            left,
        }
    }

    fn is_known(&self, path: &Path) -> bool {
        let mut known = self.meanwhile.iter();
        known.any(|open| open.change.touches(path))
    }

    /// What undo puts back where it was: what holds its content under another name may go.
    fn comes_back(&self, paths: &Paths) -> BTreeSet<Object> {
        let then = &self.before.survey;
        let files = paths.gone.iter().filter_map(|path| then.files.get(path));
        let links = paths
            .gone_links
            .iter()
            .filter_map(|path| then.links.get(path));
        let folders = then.folders.iter().filter(|(path, _)| is_gone(path));
        files
            .map(|file| file.object)
            .chain(links.map(|link| link.object))
            .chain(folders.map(|(_, folder)| folder.object))
            .collect()
    }

    fn record_gone(&self, paths: &Paths, told: &mut Vec<PathBuf>) -> Result<(), ToolFailure> {
        for path in &paths.gone {
            self.begin(Change::DeletedFile {
                path: path.clone(),
                before: self.keep(path)?,
            })?;
            told.push(path.clone());
        }
        for path in &paths.gone_links {
            if let Some(link) = self.before.survey.links.get(path) {
                self.begin(Change::DeletedLink {
                    path: path.clone(),
                    link: link.target.clone(),
                })?;
                told.push(path.clone());
            }
        }
        for (path, folder) in self.before.survey.folders.iter().rev() {
            if is_gone(path) {
                let (path, mode) = (path.clone(), folder.mode);
                self.begin(Change::DeletedFolder { path, mode })?;
            }
        }
        Ok(())
    }

    fn record_new(&self, paths: &mut Paths, told: &mut Vec<PathBuf>) -> Result<(), ToolFailure> {
        let mut made: BTreeSet<PathBuf> = BTreeSet::new();
        for path in &paths.put {
            match self.put(path, &mut made)? {
                Some(change) => {
                    self.begin(change)?;
                    told.push(path.clone());
                }
                None => paths.left.push(path.clone()),
            }
        }
        for folder in self.after.folders.keys().filter(|path| is_empty(path)) {
            let new = self.new_folders(folder, &mut made);
            if new.last() == Some(folder) && !is_aside(folder) && !self.is_known(folder) {
                self.begin(Change::Made { paths: new })?;
                told.push(folder.clone());
            }
        }
        for path in &paths.links {
            let Some(link) = self.after.links.get(path) else {
                continue;
            };
            if !self.may_go(link.object) {
                paths.left.push(path.clone());
                continue;
            }
            let above = path
                .parent()
                .map(|above| self.new_folders(above, &mut made));
            self.begin(Change::MadeLink {
                path: path.clone(),
                link: link.target.clone(),
                made: above.unwrap_or_default(),
            })?;
            told.push(path.clone());
        }
        for path in &paths.rights {
            let modes = (
                self.before.survey.files.get(path),
                self.after.files.get(path),
            );
            if let (Some(then), Some(now)) = modes {
                self.begin(Change::Rights {
                    path: path.clone(),
                    before: then.mode,
                    after: now.mode,
                })?;
                told.push(path.clone());
            }
        }
        Ok(())
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
        let before = match self.before.survey.files.contains_key(path) {
            true => Some(self.keep(path)?),
            false if !self.may_go(now.object) => return Ok(None),
            false => None,
        };
        let above = path.parent().map(|above| self.new_folders(above, made));
        Ok(Some(Change::Put {
            path: path.to_path_buf(),
            before,
            after: now.digest,
            made: above.unwrap_or_default(),
        }))
    }

    /// A folder and those above it that are new and in no change yet, outermost first.
    fn new_folders(&self, folder: &Path, made: &mut BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let above = folder.ancestors();
        let new = above.take_while(|above| self.is_new_folder(above) && !made.contains(*above));
        let mut new: Vec<PathBuf> = new.map(Path::to_path_buf).collect();
        new.reverse();
        made.extend(new.iter().cloned());
        new
    }

    fn is_new_folder(&self, folder: &Path) -> bool {
        let was_there = self.before.survey.folders.contains_key(folder);
        let now = self.after.folders.get(folder);
        !was_there && now.is_some_and(|now| self.may_go(now.object))
    }

    /// Whether it was made since, or undo puts it back where it was.
    fn may_go(&self, object: Object) -> bool {
        let is_new = |born: Born| born >= self.before.began;
        object.born.is_some_and(is_new) || self.back.contains(&object)
    }

    /// Keeps the content of before in the history.
    fn keep(&self, path: &Path) -> Result<Kept, ToolFailure> {
        let Some(then) = self.before.survey.files.get(path) else {
            return Err(broken("not_held", "The content of before is not held."));
        };
        let mut content = &self.before.content;
        content.seek(SeekFrom::Start(then.at)).map_err(fault)?;
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

/// Whether the guard has set it aside, which is nothing to take back.
fn is_aside(path: &Path) -> bool {
    path.components().any(|part| {
        let name = part.as_os_str().to_string_lossy();
        name.starts_with(SET_ASIDE)
    })
}

fn is_gone(path: &Path) -> bool {
    path.symlink_metadata().is_err()
}

/// Whether nothing at all is in a folder, also of what git ignores.
fn is_empty(folder: &Path) -> bool {
    folder
        .read_dir()
        .is_ok_and(|mut entries| entries.next().is_none())
}

/// Whether a file that was there is still one, and could not be looked at again.
fn is_unreadable_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|now| now.is_file())
}
