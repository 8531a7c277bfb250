//! What git's configuration names: every word of it that may be a file that git runs or reads.
//!
//! Which keys run a program is not decided here: there are too many, and every version of git has
//! more. All are taken but a few that are written often and run nothing.

mod budget;
mod syntax;
mod words;

pub(crate) use budget::{Budget, Share};
use rustix::fs::{Mode, OFlags, open};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use syntax::parsed;
use words::{Kind, Word, words};

/// Most of a file that says in a line where a repository lies, bytes; git's own bound.
const LINE_BYTES: u64 = 1 << 20;
/// How deep configuration may include configuration; git's own bound.
const INCLUDES: usize = 10;
/// Most files of configuration that are read for one repository.
const FILES: usize = 100;
/// Sections that run nothing.
const PLAIN_SECTIONS: [&str; 15] = [
    "advice",
    "author",
    "branch",
    "color",
    "column",
    "committer",
    "extensions",
    "ghq",
    "gui",
    "maintenance",
    "pull",
    "push",
    "safe",
    "scalar",
    "user",
];
/// Keys that run nothing, each in its section: an alias may have any name.
const PLAIN_KEYS: [(&str, &[&str]); 11] = [
    ("blame", &["ignorerevsfile"]),
    ("clone", &["defaultremotename"]),
    ("commit", &["template"]),
    ("core", &["attributesfile", "excludesfile", "worktree"]),
    ("init", &["defaultbranch"]),
    ("lfs", &PLAIN_OF_LFS),
    ("remote", &["fetch", "push", "pushurl", "url"]),
    (
        "submodule",
        &["active", "branch", "fetch", "ignore", "path", "url"],
    ),
    ("svn-remote", &["branches", "fetch", "tags", "url"]),
    ("url", &["base", "insteadof", "pushinsteadof"]),
    ("worktree", &["guessremote"]),
];
/// Of git-lfs, whose extensions and transfers are programs (git-lfs-config(5)).
const PLAIN_OF_LFS: [&str; 9] = [
    "access",
    "batch",
    "concurrenttransfers",
    "fetchexclude",
    "fetchinclude",
    "locksverify",
    "pushurl",
    "repositoryformatversion",
    "url",
];
/// What git runs or obeys in the folder of a repository (gitrepository-layout(5)).
const PARTS: [&str; 7] = [
    "commondir",
    "config",
    "config.worktree",
    "hooks",
    "info",
    "modules",
    "worktrees",
];
/// A value of a configuration.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    /// Section and key in small letters, without the subsection.
    key: String,
    value: String,
    /// The file that holds it.
    file: PathBuf,
    /// The file by which that one is read.
    origin: PathBuf,
}

/// What `.git` stands for.
#[derive(Debug)]
pub(crate) struct Repository {
    pub(crate) work: PathBuf,
    /// The folder of the repository, or of one of its work trees.
    pub(crate) folder: PathBuf,
    /// What its work trees share.
    pub(crate) common: PathBuf,
}

impl Repository {
    /// Whether a place has the name of one.
    pub(crate) fn is_at(place: &Path) -> bool {
        let name = place.file_name();
        name.is_some_and(|name| name.eq_ignore_ascii_case(".git"))
    }

    /// What is at a place called `.git`, if it is one, or around one called `HEAD`.
    pub(crate) fn at(place: &Path) -> Option<Self> {
        if place.file_name().is_some_and(|name| name == "HEAD") {
            let folder = place.parent()?.to_path_buf();
            let is_one = ["objects", "refs"].map(|name| folder.join(name).is_dir());
            return (is_one == [true; 2]).then(|| Self {
                work: folder.clone(),
                folder: folder.clone(),
                common: folder,
            });
        }
        let work = place.parent().filter(|_| Self::is_at(place))?.to_path_buf();
        let named = line(place);
        let named = named
            .as_deref()
            .and_then(|text| text.strip_prefix("gitdir:"));
        let folder = match named {
            Some(folder) => work.join(folder.trim()),
            None => place.to_path_buf(),
        };
        let common = match line(&folder.join("commondir")) {
            Some(common) => folder.join(common.trim()),
            None => folder.clone(),
        };
        Some(Self {
            work,
            folder,
            common,
        })
    }

    /// What git runs or obeys in a repository that has no folder of its own in a work tree.
    pub(crate) fn parts(&self) -> Vec<PathBuf> {
        match self.work == self.folder {
            true => PARTS.map(|part| self.folder.join(part)).to_vec(),
            false => Vec::new(),
        }
    }

    /// What its own configuration says, that of a work tree and what is included too.
    pub(crate) fn configuration(&self, homes: &[PathBuf], left: &mut Share) -> Configuration {
        let folders = BTreeSet::from([&self.folder, &self.common]);
        let files = folders
            .into_iter()
            .flat_map(|folder| ["config", "config.worktree"].map(|name| folder.join(name)));
        read(files.collect(), homes, left)
    }

    /// The folders that it may have for its work tree: the one that it lies in, and those that its
    /// configuration names.
    pub(crate) fn trees(&self, own: &Configuration) -> Vec<PathBuf> {
        let named = own.settings.iter();
        let named = named.filter(|setting| setting.key == "core.worktree");
        let named = named.flat_map(|setting| {
            [&self.folder, &self.common].map(|folder| folder.join(&setting.value))
        });
        let mut trees: Vec<PathBuf> = [self.work.clone()].into_iter().chain(named).collect();
        trees.dedup();
        trees
    }

    /// Where a relative name may begin.
    pub(crate) fn bases(&self, trees: &[PathBuf]) -> Vec<PathBuf> {
        let folders = [self.folder.clone(), self.common.clone()];
        trees.iter().cloned().chain(folders).collect()
    }
}

/// What configuration says.
#[derive(Debug, Default)]
pub(crate) struct Configuration {
    pub(crate) settings: Vec<Setting>,
    /// Whether there is more of it than is read.
    pub(crate) is_cut: bool,
}

/// What the user's own configuration says.
pub(crate) fn configuration_of(homes: &[PathBuf]) -> Configuration {
    let files = homes
        .iter()
        .flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    read(
        files.chain([PathBuf::from("/etc/gitconfig")]).collect(),
        homes,
        &mut Budget::default().share(),
    )
}

impl Setting {
    /// Whether it is read because of this place.
    pub(crate) fn is_of(&self, place: &Path) -> bool {
        self.origin.starts_with(place)
    }

    /// Whether the value is the path of a file or folder, as it stands.
    fn is_path(&self) -> bool {
        self.is_include()
            || ["core.hookspath", "init.templatedir", "http.sslcapath"].contains(&self.key.as_str())
    }

    fn is_include(&self) -> bool {
        ["include.path", "includeif.path"].contains(&self.key.as_str())
    }

    fn is_plain(&self) -> bool {
        let (section, key) = self.key.split_once('.').unwrap_or((&self.key, ""));
        let is_listed = |(of, keys): &(&str, &[&str])| *of == section && keys.contains(&key);
        let is_plain = PLAIN_SECTIONS.contains(&section) || PLAIN_KEYS.iter().any(is_listed);
        is_plain && !self.is_by_helper()
    }

    /// Whether the value is an address that a program of its own is started for, such as
    /// `ext::COMMAND` (gitremote-helpers(7)).
    fn is_by_helper(&self) -> bool {
        let helper = self.value.split_once("::").map(|(helper, _)| helper);
        let is_name = |c: char| c.is_ascii_alphanumeric() || ['-', '+', '.', '_'].contains(&c);
        helper.is_some_and(|name| !name.is_empty() && name.chars().all(is_name))
    }

    /// The paths that the value may name, those from one of the bases or from the folder of its
    /// file apart from those that say where they lie: `relative`, `fixed`. `None` where that takes
    /// more looks than are left.
    pub(crate) fn paths(
        &self,
        bases: &[PathBuf],
        homes: &[PathBuf],
        left: &mut Share,
    ) -> Option<Named> {
        let mut named = Named::default();
        if self.is_plain() {
            return Some(named);
        }
        let whole = self.value.trim_start_matches('!').trim();
        let mut bases: BTreeSet<PathBuf> = bases.iter().cloned().collect();
        bases.extend(self.file.parent().map(Path::to_path_buf));
        // Taking apart what is left unread anyway would take its time.
        left.holds(whole.split_whitespace().count())?;
        let words = words(whole, self.kind());
        left.spend(words.len() * bases.len())?;
        // A command may first go into a folder that it names.
        let folders: Vec<PathBuf> = bases
            .iter()
            .filter(|_| words.len() > 1)
            .flat_map(|base| words.keys().map(|word| base.join(word)))
            .filter(|path| path.is_dir())
            .collect();
        bases.extend(folders);
        left.spend(words.len() * (bases.len() + homes.len()))?;
        for (word, about) in &words {
            let is_whole = *word == whole;
            for path in fixed(word, homes) {
                let fitting = about.fitting(Path::new("/"), &path.to_string_lossy(), left)?;
                named.fixed.extend(fitting);
                named
                    .fixed
                    .extend(self.found(*about, is_whole, path, left)?);
            }
            let rests = [Some(word.trim_start_matches('/')), after_variable(word)];
            for rest in rests.into_iter().flatten() {
                for path in joins(&bases, rest) {
                    named
                        .relative
                        .extend(self.found(*about, is_whole, path, left)?);
                }
                for base in &bases {
                    named.relative.extend(about.fitting(base, rest, left)?);
                }
            }
        }
        Some(named)
    }

    /// What the value is to git: of an alias only what a shell runs is a command.
    fn kind(&self) -> Kind {
        let is_alias = self.key.starts_with("alias.");
        match self.is_path() || (is_alias && !self.value.starts_with('!')) {
            true => Kind::Plain,
            false => Kind::Command,
        }
    }

    /// What a word may mean by a path: itself, and what is there under longer names.
    fn found(
        &self,
        word: Word,
        is_whole: bool,
        path: PathBuf,
        left: &mut Share,
    ) -> Option<Vec<PathBuf>> {
        let mut found = word.longer(&path, left)?;
        if self.counts(word, is_whole, &path) {
            found.push(path);
        }
        Some(found)
    }

    /// Whether a path may be meant: what is there, or would be if the word is clearly a path. A
    /// folder runs nothing unless the key asks for one: programs keep their roots there, too.
    fn counts(&self, word: Word, is_whole: bool, path: &Path) -> bool {
        let is_path = self.is_path() && is_whole;
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => is_path,
            Ok(_) => true,
            Err(_) => is_path || word.is_clear,
        }
    }
}

/// Paths that a value names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    /// Those that lie elsewhere when the repository does.
    pub(crate) relative: BTreeSet<PathBuf>,
    pub(crate) fixed: BTreeSet<PathBuf>,
}

impl Named {
    pub(crate) fn all(self) -> BTreeSet<PathBuf> {
        self.relative.into_iter().chain(self.fixed).collect()
    }
}

/// Where a word lies that says so itself.
fn fixed(word: &str, homes: &[PathBuf]) -> Vec<PathBuf> {
    let in_home = word.strip_prefix('~').and_then(|rest| rest.split_once('/'));
    match in_home
        .map(|(_, rest)| rest)
        .or_else(|| after_variable(word))
    {
        Some(rest) => homes.iter().map(|home| home.join(rest)).collect(),
        None if word.starts_with('/') => vec![PathBuf::from(word)],
        None => Vec::new(),
    }
}

/// What follows a variable of a shell, such as `HOME/x` once the mark is gone.
fn after_variable(word: &str) -> Option<&str> {
    let (name, rest) = word.trim_start_matches(['$', '{']).split_once('/')?;
    let is_variable = |c: char| c.is_ascii_uppercase() || c == '_' || c == '}';
    (!name.is_empty() && name.chars().all(is_variable)).then_some(rest)
}

fn joins(bases: &BTreeSet<PathBuf>, rest: &str) -> Vec<PathBuf> {
    let is_one = !rest.is_empty() && !rest.starts_with('~');
    let bases = bases.iter().filter(|_| is_one);
    bases.map(|base| base.join(rest)).collect()
}

/// The settings in these files and in what they include.
fn read(files: Vec<PathBuf>, homes: &[PathBuf], left: &mut Share) -> Configuration {
    let first = files.into_iter().map(|file| (file.clone(), file, 0));
    let mut waiting: Vec<(PathBuf, PathBuf, usize)> = first.collect();
    let mut seen = BTreeSet::new();
    let mut found = Configuration::default();
    while let Some((file, origin, depth)) = waiting.pop() {
        if seen.contains(&file) {
            continue;
        }
        // One byte more tells that there is more.
        let Some(text) = text(&file, left.bytes + 1) else {
            continue;
        };
        let length = text.len() as u64;
        if length > left.bytes || seen.len() >= FILES {
            found.is_cut = true;
            break;
        }
        left.bytes -= length;
        seen.insert(file.clone());
        for (key, value) in parsed(&String::from_utf8_lossy(&text)) {
            let setting = Setting {
                key,
                value,
                file: file.clone(),
                origin: origin.clone(),
            };
            if setting.is_include() && depth < INCLUDES {
                let named = setting.paths(&[], homes, left);
                found.is_cut |= named.is_none();
                let paths = named.unwrap_or_default().all().into_iter();
                waiting.extend(paths.map(|path| (path, origin.clone(), depth + 1)));
            }
            found.settings.push(setting);
        }
    }
    found
}

/// What a file says that holds one line.
fn line(path: &Path) -> Option<String> {
    let bytes = text(path, LINE_BYTES)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// What a file says, or so much of its beginning.
fn text(path: &Path, most: u64) -> Option<Vec<u8>> {
    // What is opened is looked at, and not the name before: a pipe that is put there in between would
    // wait for somebody who writes, and a lease on a file may hold up whoever opens it.
    let at_once = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(open(path, at_once, Mode::empty()).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::syntax::BASE;
    use super::*;

    /// A key with a value, and what it names.
    type Row = (&'static str, &'static str, &'static [&'static str]);

    fn assert_named(table: &[Row]) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for folder in ["tools/hooks", "tools/Deep", "package", "src"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let modules = ["tools/mod.py", "top.py", "package/__main__.py"];
        let files = ["tools/x", "watch", "tools/hook.js", "tools/Deep/Mod.pm"];
        for file in files.iter().chain(&modules) {
            fs::write(root.join(file), "").unwrap();
        }
        for (key, value, wanted) in table {
            let setting = Setting {
                key: (*key).to_owned(),
                value: (*value).to_owned(),
                file: root.join("nowhere/config"),
                origin: root.join("nowhere/config"),
            };
            let mut left = Budget::default().share();
            let bases = std::slice::from_ref(&root);
            let named = setting.paths(bases, &[root.join("h")], &mut left);
            let inside = named.unwrap().all().into_iter().filter_map(|path| {
                let inner = path.strip_prefix(&root).ok()?;
                let plain: PathBuf = inner.components().collect();
                (!inner.starts_with("nowhere")).then(|| plain.display().to_string())
            });
            let named: Vec<String> = inside.collect();
            let is_named = |path: &&str| named.contains(&(*path).to_owned());
            assert!(wanted.iter().all(is_named), "{value}: {named:?}");
            assert_eq!(named.is_empty(), wanted.is_empty(), "{value}: {named:?}");
        }
    }

    #[test]
    fn every_word_that_may_be_a_file_is_named() {
        assert_named(&[
            ("core.hookspath", "tools/hooks", &["tools/hooks"]),
            ("core.hookspath", "hooks", &["hooks"]),
            ("core.fsmonitor", "sh tools/x -q", &["tools/x"]),
            ("core.fsmonitor", "sh watch", &["watch"]),
            ("alias.st", "!tools/x", &["tools/x"]),
            ("alias.st", "!cd tools && ./x", &["tools/x"]),
            ("alias.st", "!\"$PWD/tools/x\" a", &["tools/x"]),
            ("alias.lg", "log --stat src", &[]),
            ("diff.textconv", "~/w/x", &["h/w/x"]),
            ("credential.helper", "!f() { $HOME/x; }; f", &["x", "h/x"]),
            ("filter.clean", "later/x %f", &["later/x"]),
            ("alias.url", "!tools/x", &["tools/x"]),
            ("alias.template", "!tools/x", &["tools/x"]),
            ("lfs.path", "tools/x", &["tools/x"]),
            ("lfs.clean", "tools/x %f", &["tools/x"]),
            ("lfs.fetchexclude", "tools/x", &[]),
            ("remote.url", "ext::tools/x %S", &["tools/x"]),
            (BASE, "ext::tools/x ", &["tools/x"]),
            (BASE, "https://[::1]/tools/x", &[]),
            ("remote.url", "../other/x", &[]),
            ("branch.merge", "refs/heads/main", &[]),
            ("core.bare", "false", &[]),
        ]);
    }

    #[test]
    fn a_file_is_named_by_part_of_its_name() {
        assert_named(&[
            ("filter.clean", "sed -ftools/x", &["tools/x"]),
            ("filter.clean", "sed -nftools/x", &["tools/x"]),
            ("core.pager", "t\\ools/x", &["tools/x"]),
            ("core.pager", "to\"ol\"s/x", &["tools/x"]),
            ("core.editor", "node ./tools/hook", &["tools/hook.js"]),
            ("core.editor", "ruby -r./tools/hook", &["tools/hook.js"]),
            (
                "core.fsmonitor",
                "python3 -m tools.mod",
                &["tools/mod.py", "tools/__init__.py"],
            ),
            ("core.fsmonitor", "python3 -m top", &["top.py"]),
            (
                "core.fsmonitor",
                "python3 -m package",
                &["package/__main__.py"],
            ),
            (
                "alias.u",
                "!PYTHONPATH=tools python3 -c 'import mod'",
                &["tools/mod.py"],
            ),
            (
                "alias.u",
                "!perl -Itools -MDeep::Mod -e1",
                &["tools/Deep/Mod.pm"],
            ),
            ("merge.driver", "tools/h*k.js %O", &["tools/hook.js"]),
            ("alias.u", "!git add -A && git commit -m top", &[]),
            ("alias.u", "log -m top", &[]),
            ("alias.u", "!git diff -- '*.py'", &[]),
            ("core.editor", "top", &[]),
            ("tool.run", "python3 ./package", &["package/__main__.py"]),
            ("tool.root", "./package", &[]),
        ]);
    }
}
