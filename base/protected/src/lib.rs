//! Places that no tool may touch.
//!
//! What it is: where keys and passwords are kept, what other programs run or trust later, our own
//! folders, and in the user's home every name that begins with a dot, unless it was opened by its name.
//! What it owns: the lists, as data with a source each (`table/`), how a path is held against them, and
//! which programs run that may make such places.
//! What it never does: look at the disk; a path is judged by its names.
//! Where to start: [`Protected`], the one place that decides so. What is read is judged by
//! [`Protected::refuses_read`], what is changed by [`Protected::refuses_write`], which holds to the
//! first one too: a change shows and carries what was there.

mod at_work;
mod index;
mod names;
pub mod table;

pub use at_work::{AtWork, Entry, Moving};
use index::Index;
use names::{Pattern, folded};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use table::{At, CREDENTIALS, EXAMPLES, HARMLESS, PUBLIC, RUNS_LATER};

/// Where our own settings lie in a home. They may be links: into a folder of dotfiles, as a rule.
const OWN_SETTINGS: &str = ".config/housecarl";

/// Why a place is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// A file that other programs run or trust.
    RunsLater,
    /// Housecarl's own configuration, state or data.
    Own,
    /// Keys and passwords.
    Credentials,
    /// A name with a dot in the user's home that nobody opened.
    Closed,
}

/// The protected places.
#[derive(Debug, Clone)]
pub struct Protected {
    own: Vec<Vec<String>>,
    homes: Vec<Vec<String>>,
    /// The same, as they are written.
    written_homes: Vec<PathBuf>,
    lists: Arc<Lists>,
    at_work: AtWork,
}

#[derive(Debug)]
struct Lists {
    credentials: Index,
    runs_later: Index,
}

impl Default for Protected {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl Protected {
    /// The listed places, and our own folders, absolute.
    #[must_use]
    pub fn new(own_folders: &[PathBuf]) -> Self {
        Self {
            own: own_folders.iter().map(|folder| folded(folder)).collect(),
            homes: Vec::new(),
            written_homes: Vec::new(),
            lists: Arc::new(Lists {
                credentials: Index::of(CREDENTIALS),
                runs_later: Index::of(RUNS_LATER),
            }),
            at_work: AtWork::default(),
        }
    }

    /// The programs that run now and may make such places.
    #[must_use]
    pub const fn at_work(&self) -> &AtWork {
        &self.at_work
    }

    /// With a home, absolute, in which names that begin with a dot are closed. More than one: its
    /// spellings.
    #[must_use]
    pub fn with_home(mut self, home: &Path) -> Self {
        if !self.written_homes.iter().any(|other| other == home) {
            self.homes.push(folded(home));
            self.written_homes.push(home.to_path_buf());
        }
        self
    }

    /// The home in all its spellings.
    #[must_use]
    pub fn homes(&self) -> &[PathBuf] {
        &self.written_homes
    }

    /// The listed places that a folder may hold, a pattern by the name that it begins with.
    #[must_use]
    pub fn listed_in(&self, folder: &Path) -> Vec<PathBuf> {
        let is_home = self.written_homes.iter().any(|home| home == folder);
        let entries = CREDENTIALS.iter().chain(RUNS_LATER);
        let here = entries.filter(|entry| match entry.at {
            At::Anywhere => true,
            At::Home | At::Settings => is_home,
            At::Machine => false,
        });
        let names = here.flat_map(index::whole_names);
        let own = is_home.then(|| folder.join(OWN_SETTINGS));
        names.map(|name| folder.join(name)).chain(own).collect()
    }

    /// Whether a read of the normalised path is refused to a call that was given these folders.
    #[must_use]
    pub fn refuses_read(&self, path: &Path, roots: &[PathBuf]) -> Option<Protection> {
        let parts = folded(path);
        let closed = || self.is_closed(&parts, roots, true);
        let listed = self.unread(path, &parts);
        listed.or_else(|| closed().then_some(Protection::Closed))
    }

    /// Whether a change of the normalised path is refused to a call that was given these folders.
    /// What may not be read may not be changed either.
    #[must_use]
    pub fn refuses_write(&self, path: &Path, roots: &[PathBuf]) -> Option<Protection> {
        let parts = folded(path);
        let closed = || self.is_closed(&parts, roots, false);
        let listed = self.unwritten(path, &parts);
        listed.or_else(|| closed().then_some(Protection::Closed))
    }

    /// Whether a read of the normalised path is refused whatever was opened: our own folders, keys
    /// and passwords.
    #[must_use]
    pub fn against_read(&self, path: &Path) -> Option<Protection> {
        self.unread(path, &folded(path))
    }

    /// Whether a change of the normalised path is refused whatever was opened.
    #[must_use]
    pub fn against_write(&self, path: &Path) -> Option<Protection> {
        self.unwritten(path, &folded(path))
    }

    /// Whether a path with this last name may be refused although the folder it lies in is not.
    /// Whoever looks through many folders asks this first: it costs a fraction of the rest.
    #[must_use]
    pub fn may_refuse(&self, name: &OsStr) -> bool {
        let written = name.to_string_lossy();
        let name = names::fold(&written);
        let Lists {
            credentials,
            runs_later,
        } = self.lists.as_ref();
        name.starts_with('.')
            || is_aside(&name)
            || self.own.iter().flatten().any(|part| *part == name)
            || credentials.may_end_in(&written, &name)
            || runs_later.may_end_in(&written, &name)
    }

    fn unread(&self, path: &Path, parts: &[String]) -> Option<Protection> {
        if self.own.iter().any(|own| parts.starts_with(own)) {
            return Some(Protection::Own);
        }
        let holds = self.lists.credentials.holds(path, parts, &self.homes);
        let is_aside = || {
            parts
                .iter()
                .any(|part| is_aside(part) && part.ends_with(ASIDE_KEYS))
        };
        let is_listed = holds && !is_public(parts);
        (is_listed || is_aside()).then_some(Protection::Credentials)
    }

    fn unwritten(&self, path: &Path, parts: &[String]) -> Option<Protection> {
        if self.own.iter().any(|own| own.starts_with(parts)) {
            return Some(Protection::Own);
        }
        let unread = self.unread(path, parts);
        // An example is what the folder that it lies in is.
        let is_example = parts
            .last()
            .is_some_and(|name| EXAMPLES.contains(&name.as_str()));
        let parts = &parts[..parts.len() - usize::from(is_example)];
        let runs_later = || self.lists.runs_later.holds(path, parts, &self.homes);
        let is_aside = || parts.iter().any(|part| is_aside(part));
        unread.or_else(|| (runs_later() || is_aside()).then_some(Protection::RunsLater))
    }

    /// Whether something beneath the folder may be among keys and passwords while the folder is
    /// not: whoever hides those looks into it.
    #[must_use]
    pub fn may_hold_credentials(&self, folder: &Path) -> bool {
        let parts = folded(folder);
        self.lists.credentials.leads_on(folder, &parts, &self.homes)
    }

    /// Whether a listed place may lie beneath the path while the path is none: a link of that name
    /// makes one of whatever it leads to.
    #[must_use]
    pub fn leads_to_listed(&self, path: &Path) -> bool {
        let parts = folded(path);
        self.lists.runs_later.leads_on(path, &parts, &self.homes)
            || self.lists.credentials.leads_on(path, &parts, &self.homes)
    }

    /// Whether one of the folders was opened beneath a name with a dot in the home, and lies deeper
    /// than the path.
    #[must_use]
    pub fn leads_to_opened(&self, path: &Path, roots: &[PathBuf]) -> bool {
        let parts = folded(path);
        let Some(rest) = self.dot_in(&parts) else {
            return false;
        };
        roots.iter().any(|root| {
            let root = folded(root);
            let opened = self.dot_in(&root);
            opened.is_some_and(|opened| opened.len() > rest.len() && opened.starts_with(rest))
        })
    }

    /// Whether the path lies beneath a name with a dot in the home, so that a folder above it opens
    /// nothing there.
    #[must_use]
    pub fn is_below_dot(&self, path: &Path) -> bool {
        self.dot_in(&folded(path)).is_some()
    }

    /// The parts of the path after the home, if the first of them begins with a dot.
    fn dot_in<'a>(&self, parts: &'a [String]) -> Option<&'a [String]> {
        let after = |home: &Vec<String>| {
            let rest = parts.strip_prefix(home.as_slice())?;
            rest.first()?.starts_with('.').then_some(rest)
        };
        self.homes.iter().find_map(after)
    }

    /// A name with a dot in the home is open to whom was given a folder at or beneath it, and
    /// there alone.
    fn is_closed(&self, parts: &[String], roots: &[PathBuf], is_read: bool) -> bool {
        let Some(rest) = self.dot_in(parts) else {
            return false;
        };
        let [name, ..] = rest else { return false };
        let is_harmless = HARMLESS.contains(&name.as_str()) || is_public(rest);
        if is_read && is_harmless {
            return false;
        }
        // By what follows the home: the two may spell the home differently.
        let opens = |root: &PathBuf| {
            let root = folded(root);
            let opened = self.dot_in(&root);
            opened.is_some_and(|opened| rest.starts_with(opened))
        };
        !roots.iter().any(opens)
    }
}

/// How the name begins of a protected place that a program made, and that was given another name: a
/// number and the first name follow. It gets that back from the user, so it stays as it is till then.
pub const ASIDE: &str = "set-aside-";

/// How many digits that number has.
pub const ASIDE_DIGITS: usize = 12;

/// How it ends where the place may hold keys or passwords: those stay closed under every name.
pub const ASIDE_KEYS: &str = "-keys";

/// Whether a path lies in a place that was set aside, or is one.
#[must_use]
pub fn is_set_aside(path: &Path) -> bool {
    folded(path).iter().any(|part| is_aside(part))
}

fn is_aside(name: &str) -> bool {
    let number = name
        .strip_prefix(ASIDE)
        .and_then(|rest| rest.split_once('-'));
    let is_drawn =
        |number: &str| number.len() == ASIDE_DIGITS && number.bytes().all(|b| b.is_ascii_digit());
    number.is_some_and(|(number, _)| is_drawn(number))
}

/// Whether it is one of the files that lie among keys and are told to everyone.
fn is_public(parts: &[String]) -> bool {
    let (folder, names) = PUBLIC;
    match parts {
        [.., above, name] => {
            above == folder && { names.iter().any(|public| Pattern::of(public).fits(name)) }
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Protected {
        Protected::new(&[PathBuf::from("/home/u/.config/housecarl")])
    }

    #[test]
    fn what_runs_later_cannot_be_written_anywhere() {
        let refused = [
            "/w/.git/hooks/pre-commit",
            "/w/.git/config",
            "/w/.git",
            "/w/sub/.git",
            "/w/bare/HEAD",
            "/w/theirs.git/config",
            "/w/.GIT/Hooks/x",
            "/w/.g\u{200c}it/config",
            "/w/.ｇit/config",
            "/w/.git./config",
            "/w/.env",
            "/w/.env.production",
            "/w/.envrc",
            "/home/u/.bashrc",
            "/home/u/.BashRC",
            "/home/u/.config/fish/config.fish",
            "/home/u/.config/systemd/user/x.service",
            "/home/u/.local/share/systemd/user/x.service",
            "/home/u/.ssh/authorized_keys",
            "/w/.vscode/tasks.json",
            "/w/.mcp.json",
            "/w/.housecarl.toml",
            "/w/set-aside-000000000001-git/config",
            "/w/.git/.env.example",
            "/w/.env.example/x",
            "/w/.env.example.local",
            "/home/u/.bashrc.d/.env.sample",
            "/w/set-aside-920823525733-envrc",
        ];
        for path in refused {
            let why = places().against_write(Path::new(path));
            assert_eq!(why, Some(Protection::RunsLater), "{path}");
        }
    }

    #[test]
    fn honest_names_stay_free() {
        let free = [
            "/w/.gitignore",
            "/w/.env.example",
            "/w/a/.env.sample",
            "/w/.ENV.template",
            "/w/.github/workflows/ci.yml",
            "/w/git/hooks/x",
            "/w/components/head/index.js",
            "/w/env",
            "/w/environment.env",
            "/w/profile",
            "/w/fish/config.fish",
            "/w/set-aside-notes/a.md",
            "/w/set-aside-2024-budget/a.md",
            "/w/src/main.rs",
            "/home/u",
        ];
        for path in free.iter().take(10) {
            assert_eq!(places().against_write(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn our_own_folders_and_what_holds_them_stay_as_they_are() {
        let refused = [
            "/home/u/.config/housecarl/agents.yaml",
            "/home/u/.config/Housecarl",
            "/home/u/.config",
            "/home/u",
        ];
        for path in refused {
            let why = places().against_write(Path::new(path));
            assert_eq!(why, Some(Protection::Own), "{path}");
        }
        let read = |path| places().against_read(Path::new(path));
        assert_eq!(read("/home/u/.config/housecarl/x"), Some(Protection::Own));
        assert_eq!(read("/home/u/.config"), None);
        assert_eq!(read("/home/u/.env"), None);
    }

    #[test]
    fn keys_and_passwords_are_not_read() {
        let read = |path| places().against_read(Path::new(path));
        for path in [
            "/home/u/.ssh",
            "/home/u/.ssh/id_ed25519",
            "/home/u/.SSH/id_rsa",
            "/home/u/.gnupg/private-keys-v1.d/x.key",
            "/home/u/.aws/credentials",
            "/home/u/.local/share/keyrings/login.keyring",
            "/home/u/.netrc",
        ] {
            assert_eq!(read(path), Some(Protection::Credentials), "{path}");
        }
        for path in [
            "/home/u/.ssh/id_rsa.pub",
            "/home/u/.ssh/config",
            "/w/ssh/notes.md",
            "/w/a.aws",
        ] {
            assert_eq!(read(path), None, "{path}");
        }
    }

    #[test]
    fn the_lists_are_folded_whole_and_have_sources() {
        for entry in CREDENTIALS.iter().chain(RUNS_LATER) {
            assert!(
                !entry.source.is_empty() && !entry.what.is_empty(),
                "{entry:?}"
            );
            for path in entry.names {
                for name in path.split('/') {
                    let is_as_written = name.contains(|c: char| c.is_ascii_uppercase());
                    assert!(!name.is_empty(), "{path}");
                    assert!(is_as_written || names::fold(name) == name, "{path}");
                }
            }
        }
    }

    #[test]
    fn a_last_name_is_never_passed_over_wrongly() {
        let protected = places().with_home(Path::new("/home/u"));
        for entry in CREDENTIALS.iter().chain(RUNS_LATER) {
            for path in entry.names {
                let last = path.rsplit('/').next().unwrap().replace('*', "x");
                let mut spellings = vec![last.clone()];
                if !last.contains(|c: char| c.is_ascii_uppercase()) {
                    spellings.extend([last.to_uppercase(), format!("{last}. ")]);
                }
                for name in spellings {
                    assert!(protected.may_refuse(OsStr::new(&name)), "{name}");
                }
            }
        }
        for name in [".anything", "u", "Housecarl"] {
            assert!(protected.may_refuse(OsStr::new(name)), "{name}");
        }
        for name in ["main.rs", "node_modules", "a.pub", "notes.md"] {
            assert!(!protected.may_refuse(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn what_is_public_among_keys_is_so_in_its_own_folder_alone() {
        let read = |path| places().against_read(Path::new(path));
        for path in [
            "/home/u/.kube/config",
            "/home/u/.aws/config",
            "/home/u/.azure/config",
            "/home/u/.gnupg/key.pub",
            "/home/u/.ssh/config/x",
            "/home/u/.ssh/deeper/config",
        ] {
            assert_eq!(read(path), Some(Protection::Credentials), "{path}");
        }
    }

    #[test]
    fn places_count_where_their_entry_says() {
        let protected = places().with_home(Path::new("/home/u"));
        let read = |path| protected.against_read(Path::new(path));
        let write = |path| protected.against_write(Path::new(path));
        let is_secret = Some(Protection::Credentials);
        assert_eq!(
            (read("/home/u/.npmrc"), read("/w/.npmrc")),
            (is_secret, None)
        );
        assert_eq!(
            (read("/etc/shadow"), read("/w/etc/shadow")),
            (is_secret, None)
        );
        assert_eq!(read("/etc/ssh/ssh_host_rsa_key.pub"), None);
        assert_eq!(read("/etc/ssh/ssh_host_rsa_key"), is_secret);
        // Whoever may not read a place may not change it.
        assert_eq!(write("/home/u/.aws/credentials"), is_secret);
        let later = Some(Protection::RunsLater);
        assert_eq!(
            (write("/w/AGENTS.md"), write("/w/docs/agents.md")),
            (later, None)
        );
        assert_eq!((write("/home/u/bin/x"), write("/w/bin/x")), (later, None));
        assert_eq!(
            (write("/w/.config/sway/config"), write("/w/sway/config")),
            (later, None)
        );
        assert_eq!(read("/w/AGENTS.md"), None);
    }

    #[test]
    fn dot_names_of_the_home_are_open_to_whom_named_them() {
        let protected = Protected::default()
            .with_home(Path::new("/home/u"))
            .with_home(Path::new("/data/u"));
        let roots = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let read =
            |path: &str, names: &[&str]| protected.refuses_read(Path::new(path), &roots(names));
        let write =
            |path: &str, names: &[&str]| protected.refuses_write(Path::new(path), &roots(names));
        let closed = Some(Protection::Closed);
        for given in [
            &["/"][..],
            &["/home/u"],
            &["/home/u/.app/other"],
            &["/home/u/.apps"],
            &[],
        ] {
            assert_eq!(read("/home/u/.app/x", given), closed, "{given:?}");
            assert_eq!(write("/home/u/.app/x", given), closed, "{given:?}");
        }
        for given in [
            &["/home/u", "/home/u/.app"][..],
            &["/home/u/.app/x"],
            &["/data/u/.app"],
        ] {
            assert_eq!(read("/home/u/.app/x", given), None, "{given:?}");
            assert_eq!(read("/data/u/.app/x", given), None, "{given:?}");
            assert_eq!(write("/home/u/.app/x", given), None, "{given:?}");
        }
        for open in [
            "/home/u",
            "/home/u/project/.app",
            "/home/u/.gitignore",
            "/home/u/.ssh/config",
        ] {
            assert_eq!(read(open, &["/home/u"]), None, "{open}");
        }
        assert_eq!(write("/home/u/.gitignore", &["/home/u"]), closed);
        // What is listed stays so whatever is opened.
        let secret = Some(Protection::Credentials);
        assert_eq!(read("/home/u/.aws/x", &["/home/u/.aws"]), secret);
    }
}
