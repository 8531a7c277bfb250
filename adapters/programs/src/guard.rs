//! Protected places while a program may write: those that are there cannot be changed, and those
//! that are new are taken away before anybody else runs them.
//!
//! A mount can freeze what exists and cannot forbid a name that does not. So what exists is frozen,
//! and what is new gets a name that nothing acts on as soon as the program and all it started have
//! ended. It is never removed: nothing tells what the program made from what the user made meanwhile.

mod aside;
mod cover;
mod expendable;
mod known;
mod places;
#[cfg(test)]
mod tests;

use crate::notes::Note;
use api::executor::ToolFailure;
use api::failure::mendable;
use cover::{above, awaited, crowd, frozen, pipes, with_goals};
use expendable::Reasons;
use known::Known;
pub(crate) use known::is_doubtful;
use paths::{Lead, opened_path};
pub(crate) use places::FOLDER_BYTES;
use places::{Found, Limits, Sight, search};
use protected::{Protected, Protection};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, fchmod, fstat, open, openat2, stat, statat};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A folder or file is opened without waiting: a program may have put a pipe in its place.
const AT_ONCE: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// Most repositories that a note names.
const NAMED_REPOSITORIES: usize = 3;

/// A folder that is guarded, held open, so that nothing that is put in its place is taken for it.
#[derive(Debug)]
struct Root {
    path: PathBuf,
    /// `None` for one that cannot be opened, and in which nothing was found.
    folder: Option<OwnedFd>,
}

impl Root {
    /// Whether its path still leads to what was opened.
    fn is_in_its_place(&self) -> bool {
        let Some(folder) = &self.folder else {
            return true;
        };
        let now = stat(&self.path).map(|now| (now.st_dev, now.st_ino));
        fstat(folder).is_ok_and(|then| now == Ok((then.st_dev, then.st_ino)))
    }
}

/// The protected places before a program runs.
#[derive(Debug)]
pub(crate) struct Watch {
    roots: Vec<Root>,
    known: Known,
    /// Where protected links lead, and nothing is.
    awaited: BTreeSet<PathBuf>,
    /// Links that lie where protected places lead. No mount freezes a link.
    links: Vec<Found>,
    /// Folders that nobody looked through, hidden as a whole.
    deep: Vec<PathBuf>,
    /// What could not be looked at before either.
    unseen: BTreeSet<PathBuf>,
    /// Work trees that are frozen whole: what git is configured to do in their repositories was not
    /// read to its end.
    unread: Vec<Lead>,
    /// What must be frozen.
    pub(crate) frozen: Vec<PathBuf>,
    /// What must not even be seen: keys and passwords, however deep, and named pipes in frozen places.
    pub(crate) hidden: Vec<PathBuf>,
    /// Folders above those and above protected places that are known by their names, too, which
    /// must keep them: elsewhere, what is in them would be known to no list.
    pub(crate) held: Vec<PathBuf>,
    /// Those of all these that a program which still runs may have made.
    pub(crate) expendable: Vec<PathBuf>,
}

impl Watch {
    /// Looks for the protected places beneath the roots.
    pub(crate) fn begin(protected: &Protected, roots: &[PathBuf]) -> Result<Self, ToolFailure> {
        let mut sight = look_through(protected, roots)?;
        let held = roots.iter().map(|path| Root {
            path: path.clone(),
            folder: open(path, AT_ONCE, Mode::empty()).ok(),
        });
        let found = std::mem::take(&mut sight.found);
        let mut hidden = std::mem::take(&mut sight.hidden);
        let deep = std::mem::take(&mut sight.deep);
        hidden.extend_from_slice(&deep);
        let mut kept_names = above(&hidden, roots);
        kept_names.extend(above(&sight.anchored, roots));
        let places = found.iter().filter(|place| place.link.is_none());
        let places: Vec<PathBuf> = places.map(|place| place.path.clone()).collect();
        let leading = above(&places, roots).into_iter();
        kept_names.extend(leading.filter(|folder| protected.leads_to_listed(folder)));
        let reasons = Reasons::of(&found, &deep, &sight.led);
        let known = Known::begin(found.iter().chain(&reasons.deep), roots);
        let reasons = reasons.doubted_by(&known, &found);
        let awaited = awaited(&found, roots);
        let (there, missing): (Vec<_>, Vec<_>) = std::mem::take(&mut sight.goals)
            .into_iter()
            .partition(|goal| goal.symlink_metadata().is_ok());
        let (links, there): (Vec<_>, Vec<_>) =
            there.into_iter().partition(|goal| goal.is_symlink());
        let frozen = with_goals(frozen(found, roots), &there);
        // Beneath another name of its folder, what a place leads to would be another file. In a
        // frozen folder every name is kept, and a folder that is held is one that may be written.
        let covered: BTreeSet<&Path> = frozen.iter().map(PathBuf::as_path).collect();
        let is_outermost = |goal: &&PathBuf| {
            let mut above = goal.ancestors().skip(1);
            !above.any(|folder| covered.contains(folder))
        };
        let goals: Vec<PathBuf> = there
            .iter()
            .chain(&missing)
            .chain(&links)
            .filter(is_outermost)
            .cloned()
            .collect();
        kept_names.extend(above(&goals, roots));
        // Nothing holds a name that is not there.
        kept_names.retain(|folder| folder.exists());
        // What is frozen keeps its name, and so does what is in it.
        hidden.extend(pipes(&frozen));
        hidden.extend(std::mem::take(&mut sight.pipes));
        let held_names: Vec<PathBuf> = kept_names.into_iter().collect();
        let covered = frozen.iter().chain(&hidden);
        let mut watch = Self {
            expendable: reasons.expendable(covered, &held_names),
            held: held_names,
            awaited: awaited.into_iter().chain(missing).collect(),
            links: Vec::new(),
            deep,
            hidden,
            unseen: std::mem::take(&mut sight.unseen),
            unread: std::mem::take(&mut sight.unread),
            roots: held.collect(),
            known,
            frozen,
        };
        watch.links = links.iter().filter_map(|link| watch.at(link)).collect();
        Ok(watch)
    }

    /// What there is to say of work trees that are frozen whole.
    pub(crate) fn unread(&self) -> Option<Note> {
        let trees: BTreeSet<&Path> = self.unread.iter().map(|lead| lead.goal.as_path()).collect();
        let repositories: BTreeSet<&Path> =
            self.unread.iter().map(|lead| lead.name.as_path()).collect();
        let first = trees.first()?;
        let named = repositories.iter().take(NAMED_REPOSITORIES);
        let names: Vec<String> = named.map(|folder| folder.display().to_string()).collect();
        let more = match repositories.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(Note::Hint(format!(
            "nothing can be changed in {} work trees, the first is {}: what git is configured to do \
             in {}{more} is too long to be read to its end, alone or with all other repositories \
             here, so nothing tells which files git runs there",
            trees.len(),
            first.display(),
            names.join(", ")
        )))
    }

    /// Sets aside the protected places that were not there before, and says which, and also when
    /// not everything could be looked at.
    pub(crate) fn end(&self, protected: &Protected) -> Vec<Note> {
        self.end_within(protected, Limits::AFTER)
    }

    fn end_within(&self, protected: &Protected, limits: Limits) -> Vec<Note> {
        let roots = self.roots.iter().map(|root| &root.path);
        let sight = search(protected, roots, limits);
        let mut notes = Vec::new();
        for root in self.roots.iter().filter(|root| !root.is_in_its_place()) {
            let why = format!(
                "{} was moved away or exchanged while it ran, and it may have changed the folder where \
                 that is now",
                root.path.display()
            );
            notes.push(Note::Incomplete { why });
        }
        if sight.is_cut {
            let why = format!("there are more than {} files", limits.entries);
            notes.push(Note::Incomplete { why });
        }
        let unseen: Vec<_> = sight.unseen.difference(&self.unseen).collect();
        if let Some(first) = unseen.first() {
            let many = unseen.len();
            let why = format!(
                "{many} folders cannot be read, the first is {}",
                first.display()
            );
            notes.push(Note::Incomplete { why });
        }
        let fresh = sight
            .found
            .iter()
            .filter(|place| !self.known.holds(place) && !self.known.leaves(place))
            // What a command beside this one has set aside is so already.
            .filter(|place| !aside::holds(&place.path))
            // Keys and passwords run nothing, and their readers want them by their names. A folder of
            // such a name may hold anything.
            .filter(|place| place.is_folder || !is_key(protected, &place.path))
            // What was hidden is as it was.
            .filter(|place| !self.deep.iter().any(|deep| place.path.starts_with(deep)));
        let awaited = self.awaited.iter().filter_map(|path| self.arrived(path));
        let mut arrived: Vec<Found> = awaited.collect();
        let links = self.links.iter().filter_map(|before| {
            let now = self.at(&before.path)?;
            (now.mark() != before.mark()).then_some(now)
        });
        arrived.extend(links);
        for place in fresh.chain(&arrived) {
            let path = place.path.clone();
            match self.set_aside(place, is_key(protected, &place.path)) {
                Ok(aside) => notes.push(Note::SetAside { place: path, aside }),
                // Somebody else was faster.
                Err(Errno::NOENT) => {}
                Err(error) => notes.push(Note::Left {
                    why: match is_closed(&path) {
                        true => format!("{error}; every right to it was taken away"),
                        false => error.to_string(),
                    },
                    place: path,
                }),
            }
        }
        notes
    }

    /// What there is now on the way to a place where nothing was: the place, or a link by which it is
    /// reached.
    fn arrived(&self, path: &Path) -> Option<Found> {
        let root = self
            .roots
            .iter()
            .find(|root| path.starts_with(&root.path))?;
        let below = path.strip_prefix(&root.path).ok()?;
        let mut here = root.path.clone();
        for name in below.components() {
            here.push(name);
            if here.symlink_metadata().ok()?.is_symlink() {
                break;
            }
        }
        // A link that leads nowhere may lead there yet, when something is put where it points.
        self.at(&here)
    }

    /// What is at a place where nothing was.
    fn at(&self, path: &Path) -> Option<Found> {
        let root = self
            .roots
            .iter()
            .position(|root| path.starts_with(&root.path))?;
        Found::at(path, root).ok()
    }

    /// Gives one another name, beneath the folder that was open from the beginning and through no
    /// link: another program may be at work in it.
    fn set_aside(&self, place: &Found, holds_keys: bool) -> Result<String, Errno> {
        let root = self.roots.get(place.root).ok_or(Errno::NOENT)?;
        let folder = root.folder.as_ref().ok_or(Errno::NOENT)?;
        let inside = place.path.strip_prefix(&root.path);
        let inside = inside.map_err(outside)?;
        let name = inside.file_name().ok_or(Errno::INVAL)?;
        let above = match inside.parent() {
            Some(above) if above != Path::new("") => above,
            _ => Path::new("."),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let above = openat2(folder, above, flags, Mode::empty(), resolve)?;
        let about = statat(&above, name, AtFlags::SYMLINK_NOFOLLOW)?;
        if (about.st_dev, about.st_ino) != place.identity {
            return Err(Errno::AGAIN);
        }
        let _writable = Writable::new(&above);
        let renamed = aside::rename(&above, name, (place.identity, holds_keys));
        if renamed.is_err() {
            // On a full disk, say. What it told is in the note.
            let _closed = aside::close(&above, name, place.identity);
        }
        renamed
    }
}

/// Looks through folders that a program may write.
///
/// # Errors
/// When what is protected there cannot be kept from it.
fn look_through(protected: &Protected, roots: &[PathBuf]) -> Result<Sight, ToolFailure> {
    for root in roots {
        if let Some(why) = protected.refuses_write(root, roots) {
            return Err(not_a_root(root, why));
        }
    }
    let sight = search(protected, roots.iter(), Limits::BEFORE);
    if sight.is_cut {
        return Err(too_many());
    }
    let is_shut = |unread: &&Lead| roots.iter().any(|root| root.starts_with(&unread.goal));
    if let Some(unread) = sight.unread.iter().find(is_shut) {
        return Err(unread_root(unread));
    }
    let leads_to = |root: &&PathBuf| sight.goals.iter().any(|goal| root.starts_with(goal));
    if let Some(root) = roots.iter().find(leads_to) {
        return Err(not_a_root(root, Protection::RunsLater));
    }
    match crowd(&sight) {
        Some(crowd) => Err(crowd),
        None => Ok(sight),
    }
}

/// Whether nobody has a right to a place.
fn is_closed(place: &Path) -> bool {
    let about = fs::symlink_metadata(place);
    about.is_ok_and(|about| about.mode() & 0o777 == 0)
}

/// Places by where they lie.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(crate) real: Vec<PathBuf>,
    /// The links that gave some another name.
    pub(crate) links: Vec<(PathBuf, PathBuf)>,
    /// What is said of those that are left out: found by way of a link that an agent may have made, or
    /// elsewhere than before.
    pub(crate) left_out: Vec<Note>,
}

/// Where places lie that a program may reach. `changeable`: folders that programs may change.
pub(crate) fn real_places(named: Vec<PathBuf>, changeable: &[PathBuf]) -> Places {
    let mut places = Places::default();
    for place in named {
        match opened_path(&place, changeable) {
            Ok(real) if real == place => places.real.push(real),
            Ok(real) => {
                places.links.push((place, real.clone()));
                places.real.push(real);
            }
            Err(link) => places.left_out.push(Note::Hint(format!(
                "{} was left out: it lies behind {}, a link that was not there before or that an \
                 agent may have made. The user can start carl again, or open the folder that it \
                 leads to.",
                place.display(),
                link.display()
            ))),
        }
    }
    places
}

/// Whether a place holds keys or passwords.
fn is_key(protected: &Protected, place: &Path) -> bool {
    protected.refuses_write(place, &[]) == Some(Protection::Credentials)
}

/// A folder of our own user that is writable to it until this is dropped.
struct Writable<'a>(&'a OwnedFd, Option<Mode>);

impl<'a> Writable<'a> {
    fn new(folder: &'a OwnedFd) -> Self {
        let mode = fstat(folder).map(|about| Mode::from_raw_mode(about.st_mode));
        let closed = mode.ok().filter(|mode| !mode.contains(Mode::RWXU));
        let opened = closed.filter(|mode| fchmod(folder, *mode | Mode::RWXU).is_ok());
        Self(folder, opened)
    }
}

impl Drop for Writable<'_> {
    fn drop(&mut self) {
        if let Some(mode) = self.1 {
            // What cannot be closed again is open to its own user only.
            let _closed = fchmod(self.0, mode);
        }
    }
}

/// A place that is not where it was found is nowhere.
fn outside(_: std::path::StripPrefixError) -> Errno {
    Errno::NOENT
}

fn not_a_root(root: &Path, why: Protection) -> ToolFailure {
    let what = match why {
        Protection::Own => "holds Housecarl's own folders",
        Protection::RunsLater | Protection::Credentials | Protection::Closed => {
            "is a protected place"
        }
    };
    mendable(
        "root_too_wide",
        format!(
            "{} {what}, so no program may write there. Ask the user to open a narrower folder.",
            root.display()
        ),
    )
}

fn unread_root(unread: &Lead) -> ToolFailure {
    mendable(
        "root_too_wide",
        format!(
            "No program may write in {}: what git is configured to do in {} is too long to be read to \
             its end, alone or with all other repositories here, so nothing tells which files git \
             runs. Ask the user to look at that repository.",
            unread.goal.display(),
            unread.name.display()
        ),
    )
}

fn too_many() -> ToolFailure {
    let entries = Limits::BEFORE.entries;
    mendable(
        "too_many_files",
        format!(
            "There are more than {entries} files in the folders that may be written: their protected \
             places cannot be guarded. Ask the user to open a narrower folder."
        ),
    )
}
