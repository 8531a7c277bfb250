//! What git's configuration names: every word of it that may be a file that git runs or reads.
//!
//! Which keys run a program is not decided here: there are too many, and every version of git has
//! more. All are taken but a few that are written often and run nothing.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Most of a file that is read, bytes.
const FILE_BYTES: u64 = 1 << 20;
/// How deep configuration may include configuration; git's own bound.
const INCLUDES: usize = 10;
/// Most files of configuration that are read for one repository.
const FILES: usize = 100;
/// Sections that run nothing.
const PLAIN_SECTIONS: [&str; 16] = [
    "advice",
    "author",
    "branch",
    "color",
    "column",
    "committer",
    "extensions",
    "ghq",
    "gui",
    "lfs",
    "maintenance",
    "pull",
    "push",
    "safe",
    "scalar",
    "user",
];
/// Keys that run nothing, in whatever section.
const PLAIN_KEYS: [&str; 14] = [
    "active",
    "attributesfile",
    "defaultbranch",
    "excludesfile",
    "fetch",
    "ignorerevsfile",
    "insteadof",
    "merge",
    "push",
    "pushinsteadof",
    "pushurl",
    "template",
    "url",
    "worktree",
];
/// Marks of a shell, at which a command is taken apart.
const MARKS: &[char] = &[
    '|', ';', '&', '(', ')', '{', '}', '<', '>', '$', '`', '"', '\'', '=', ',', ':', '!',
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

    /// What is at a place called `.git`, if it is one.
    pub(crate) fn at(place: &Path) -> Option<Self> {
        let work = place.parent().filter(|_| Self::is_at(place))?.to_path_buf();
        let named = text(place);
        let named = named
            .as_deref()
            .and_then(|text| text.strip_prefix("gitdir:"));
        let folder = match named {
            Some(folder) => work.join(folder.trim()),
            None => place.to_path_buf(),
        };
        let common = match text(&folder.join("commondir")) {
            Some(common) => folder.join(common.trim()),
            None => folder.clone(),
        };
        Some(Self {
            work,
            folder,
            common,
        })
    }

    /// What its own configuration says, that of a work tree and what is included too.
    pub(crate) fn settings(&self, homes: &[PathBuf]) -> Vec<Setting> {
        let folders = BTreeSet::from([&self.folder, &self.common]);
        let files = folders
            .into_iter()
            .flat_map(|folder| ["config", "config.worktree"].map(|name| folder.join(name)));
        read(files.collect(), homes)
    }

    /// Where a relative name may begin.
    pub(crate) fn bases(&self) -> [&Path; 3] {
        [&self.work, &self.folder, &self.common]
    }
}

/// What the user's own configuration says.
pub(crate) fn settings_of(homes: &[PathBuf]) -> Vec<Setting> {
    let files = homes
        .iter()
        .flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]);
    read(
        files.chain([PathBuf::from("/etc/gitconfig")]).collect(),
        homes,
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
        PLAIN_SECTIONS.contains(&section)
            || PLAIN_KEYS.contains(&key)
            || (section == "submodule" && ["path", "branch", "ignore"].contains(&key))
    }

    /// The paths that the value may name, those from one of the bases or from the folder of its
    /// file apart from those that say where they lie: `relative`, `fixed`.
    pub(crate) fn paths(&self, bases: &[&Path], homes: &[PathBuf]) -> Named {
        let mut named = Named::default();
        if self.is_plain() {
            return named;
        }
        let whole = self.value.trim_start_matches('!').trim();
        let mut bases: BTreeSet<PathBuf> = bases.iter().map(|base| base.to_path_buf()).collect();
        bases.extend(self.file.parent().map(Path::to_path_buf));
        let words = words(whole);
        // A command may first go into a folder that it names.
        let folders: Vec<PathBuf> = bases
            .iter()
            .filter(|_| words.len() > 1)
            .flat_map(|base| words.iter().map(|word| base.join(word)))
            .filter(|path| path.is_dir())
            .collect();
        bases.extend(folders);
        for word in &words {
            let is_whole = *word == whole;
            for path in fixed(word, homes) {
                if self.counts(word, is_whole, &path) {
                    named.fixed.insert(path);
                }
            }
            let rests = [Some(word.trim_start_matches('/')), after_variable(word)];
            for path in rests
                .into_iter()
                .flatten()
                .flat_map(|rest| joins(&bases, rest))
            {
                if self.counts(word, is_whole, &path) {
                    named.relative.insert(path);
                }
            }
        }
        named
    }

    /// Whether a path may be meant: what is there, or would be if the word is clearly a path. A
    /// folder runs nothing unless the key asks for one: programs keep their roots there, too.
    fn counts(&self, word: &str, is_whole: bool, path: &Path) -> bool {
        let is_path = self.is_path() && is_whole;
        let is_clear = is_path || (word.contains('/') && !word.contains(char::is_whitespace));
        match fs::metadata(path) {
            Ok(about) if about.is_dir() => is_path,
            Ok(_) => true,
            Err(_) => is_clear,
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

/// A value as a path, and everything in it that a shell might take for one.
fn words(value: &str) -> BTreeSet<&str> {
    let quoted = value.split(['"', '\'']);
    let spaced = value.split_whitespace();
    let marked = value.split(|c: char| c.is_whitespace() || MARKS.contains(&c));
    let all = [value]
        .into_iter()
        .chain(quoted)
        .chain(spaced)
        .chain(marked);
    let all = all.map(str::trim);
    all.filter(|word| !["", ".", "..", "/", "true", "false"].contains(word))
        .collect()
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
fn read(files: Vec<PathBuf>, homes: &[PathBuf]) -> Vec<Setting> {
    let first = files.into_iter().map(|file| (file.clone(), file, 0));
    let mut waiting: Vec<(PathBuf, PathBuf, usize)> = first.collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    while let Some((file, origin, depth)) = waiting.pop() {
        if seen.len() >= FILES || !seen.insert(file.clone()) {
            continue;
        }
        for (key, value) in text(&file).map(|text| parsed(&text)).unwrap_or_default() {
            let setting = Setting {
                key,
                value,
                file: file.clone(),
                origin: origin.clone(),
            };
            if setting.is_include() && depth < INCLUDES {
                let paths = setting.paths(&[], homes).all().into_iter();
                waiting.extend(paths.map(|path| (path, origin.clone(), depth + 1)));
            }
            found.push(setting);
        }
    }
    found
}

/// What a file says, or its beginning.
fn text(path: &Path) -> Option<String> {
    // Opening a pipe would wait for somebody who writes.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    let file = File::open(path).ok()?;
    file.take(FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The settings of a configuration: `section.key` in small letters, and the value as git reads it
/// (git-config(1), Syntax). What git would refuse is read as far as it makes sense.
fn parsed(text: &str) -> Vec<(String, String)> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut left = text.chars().peekable();
    let mut section = String::new();
    let mut found = Vec::new();
    while let Some(c) = left.next() {
        match c {
            '[' => section = header(&mut left),
            '#' | ';' => while left.next_if(|c| *c != '\n').is_some() {},
            _ if c.is_whitespace() => {}
            _ => {
                let mut key = c.to_string();
                while let Some(c) = left.next_if(|c| !['=', '\n'].contains(c)) {
                    key.push(c);
                }
                let value = match left.next_if_eq(&'=') {
                    Some(_) => value(&mut left),
                    None => String::new(),
                };
                found.push((
                    format!("{section}.{}", key.trim().to_ascii_lowercase()),
                    value,
                ));
            }
        }
    }
    found
}

type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// The name of a section, behind its bracket; a subsection does not count.
fn header(left: &mut Characters<'_>) -> String {
    let (mut whole, mut is_quoted) = (String::new(), false);
    while let Some(c) = left.next_if(|c| *c != '\n') {
        match c {
            '\\' if is_quoted => {
                left.next();
            }
            '"' => is_quoted = !is_quoted,
            ']' if !is_quoted => break,
            _ => {}
        }
        whole.push(c);
    }
    let name = whole.trim().split([' ', '\t', '"', '.']).next();
    name.unwrap_or_default().to_ascii_lowercase()
}

/// A value, behind its `=`: over the end of a line that is continued, without comments and quotes.
fn value(left: &mut Characters<'_>) -> String {
    let (mut whole, mut is_quoted) = (String::new(), false);
    // How much is left when the blanks at the end go.
    let mut kept = 0;
    while let Some(c) = left.next_if(|c| *c != '\n') {
        match c {
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => {
                while left.next_if(|c| *c != '\n').is_some() {}
                break;
            }
            '\\' => match left.next() {
                Some('\n') | None => continue,
                Some('n') => whole.push('\n'),
                Some('t') => whole.push('\t'),
                Some('b') => whole.push('\u{8}'),
                Some(other) => whole.push(other),
            },
            ' ' | '\t' if !is_quoted => {
                if !whole.is_empty() {
                    whole.push(c);
                }
                continue;
            }
            _ => whole.push(c),
        }
        kept = whole.len();
    }
    whole.truncate(kept);
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        let table = [
            (
                "[core]\n\thooksPath = tools # ours\n",
                "core.hookspath",
                "tools",
            ),
            (
                "[core]\nhooksPath = tools ; ours",
                "core.hookspath",
                "tools",
            ),
            (
                "[CORE] HooksPath=\"to\"ols  \r\n",
                "core.hookspath",
                "tools",
            ),
            ("[core]\n a = to\\\nols\n", "core.a", "tools"),
            ("[core]\n a = \"x # y\" ; z\n", "core.a", "x # y"),
            (
                "[alias]\n st = \"!tools/x \\\"a b\\\"\"\n",
                "alias.st",
                "!tools/x \"a b\"",
            ),
            ("[filter \"a ] b\"]\n clean = x\n", "filter.clean", "x"),
            ("[filter \"a\\\"] b\"]\n clean = x\n", "filter.clean", "x"),
            ("[core.sub] a = b", "core.a", "b"),
            ("# c\n[a]\n; [b]\n x\n", "a.x", ""),
        ];
        for (text, key, value) in table {
            let wanted = vec![(key.to_owned(), value.to_owned())];
            assert_eq!(parsed(text), wanted, "{text}");
        }
    }

    #[test]
    fn every_word_that_may_be_a_file_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("tools/hooks")).unwrap();
        fs::create_dir_all(root.join("src")).unwrap();
        for file in ["tools/x", "watch"] {
            fs::write(root.join(file), "").unwrap();
        }
        let named = |key: &str, value: &str| -> Vec<String> {
            let setting = Setting {
                key: key.to_owned(),
                value: value.to_owned(),
                file: root.join("nowhere/config"),
                origin: root.join("nowhere/config"),
            };
            let Named { relative, fixed } = setting.paths(&[&root], &[root.join("h")]);
            let all = relative.into_iter().chain(fixed);
            let inside = all.filter_map(|path| {
                let inner = path.strip_prefix(&root).ok()?;
                let plain: PathBuf = inner.components().collect();
                (!inner.starts_with("nowhere")).then(|| plain.display().to_string())
            });
            inside.collect()
        };
        let table: [(&str, &str, &[&str]); 14] = [
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
            ("remote.url", "../other/x", &[]),
            ("branch.merge", "refs/heads/main", &[]),
            ("core.bare", "false", &[]),
        ];
        for (key, value, wanted) in table {
            let named = named(key, value);
            let is_named = |path: &&str| named.contains(&(*path).to_owned());
            assert!(wanted.iter().all(is_named), "{value}: {named:?}");
            assert_eq!(named.is_empty(), wanted.is_empty(), "{value}: {named:?}");
        }
    }
}
