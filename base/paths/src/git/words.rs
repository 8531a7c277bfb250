//! The words of a value, in every spelling by which a shell, an option or an interpreter may take
//! them for a file.

use super::budget::Share;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Marks of a shell, at which a command is taken apart.
const MARKS: &[char] = &[
    '|', ';', '&', '(', ')', '{', '}', '<', '>', '$', '`', '"', '\'', '=', ',', ':', '!',
];
/// What begins a part of a pattern.
const PATTERNS: [char; 4] = ['*', '?', '[', '{'];
/// Most letters of short options in one word, the last of them with a path after it.
const SHORT_OPTIONS: usize = 4;
/// Programs that find a file by less than its name, whatever number stands after theirs.
const INTERPRETERS: [&str; 18] = [
    "bun", "deno", "java", "julia", "lua", "luajit", "node", "nodejs", "perl", "php", "poetry",
    "pypy", "python", "ruby", "ts-node", "tsx", "uv", "wish",
];
/// What they put after a name.
const ENDINGS: [&str; 18] = [
    "cjs", "class", "el", "elc", "jl", "js", "json", "jsx", "lua", "mjs", "node", "pl", "pm", "py",
    "pyc", "rb", "so", "ts",
];
/// What they run of a folder.
const ENTRIES: [&str; 6] = [
    "__init__.py",
    "__main__.py",
    "index.js",
    "index.ts",
    "init.lua",
    "package.json",
];

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A path, or words for git itself.
    Plain,
    /// A command.
    Command,
}

/// A word that may be a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Word {
    /// Whether it is a path by its look: what is missing there counts as well.
    pub(super) is_clear: bool,
    /// Whether an interpreter may find a file by it that has a longer name.
    is_stem: bool,
    /// Whether it may run what lies in a folder by that name.
    is_entered: bool,
    is_pattern: bool,
}

/// The words of a value by what they say.
pub(super) type Words = BTreeMap<String, Word>;

/// A value as a path, and everything in it that may be taken for one.
pub(super) fn words(value: &str, kind: Kind) -> Words {
    let quoted = value.split(['"', '\'']);
    let spaced = || value.split_whitespace();
    let marked = value.split(|c: char| c.is_whitespace() || MARKS.contains(&c));
    let plain = spaced().map(|word| word.replace(['"', '\'', '\\'], ""));
    let all = [value].into_iter().chain(quoted).chain(spaced());
    let all = all.chain(marked).map(str::to_owned).chain(plain);
    let mut found = Words::new();
    for word in all {
        let word = word.trim();
        let is_path = word.contains('/') && !word.contains(char::is_whitespace);
        add(&mut found, word, is_path, kind);
    }
    for (word, after) in glued(&found) {
        // Of several letters nobody knows which is the last option: only what is there tells.
        let is_path = after == 1 && word.contains('/');
        add(&mut found, &word, is_path, kind);
    }
    if kind == Kind::Command && found.keys().any(|word| is_interpreter(word)) {
        for word in found.keys().cloned().collect::<Vec<_>>() {
            add_module(&mut found, &word);
        }
        for word in found.values_mut() {
            word.is_entered = word.is_stem;
        }
    }
    found
}

fn add(found: &mut Words, word: &str, is_clear: bool, kind: Kind) {
    if ["", ".", "..", "/", "true", "false"].contains(&word) {
        return;
    }
    let is_command = kind == Kind::Command;
    let is_name = word.contains('/') && !word.contains(char::is_whitespace) && is_command;
    let known = found.entry(word.to_owned()).or_insert(Word {
        is_clear,
        is_stem: is_name,
        is_entered: false,
        is_pattern: is_name && word.contains(PATTERNS) && !word.starts_with(PATTERNS),
    });
    known.is_clear |= is_clear;
}

/// What stands behind the letters of short options, with how many there are: `-ftools/x`.
fn glued(words: &Words) -> Vec<(String, usize)> {
    let options = words.keys().filter_map(|word| word.strip_prefix('-'));
    let rests = options.filter(|word| !word.contains(char::is_whitespace));
    let rests = rests.flat_map(|word| {
        let letters = word.chars().take_while(char::is_ascii_alphabetic).count();
        let most = letters.min(SHORT_OPTIONS);
        (1..=most).filter_map(move |after| Some((word.get(after..)?.to_owned(), after)))
    });
    rests.collect()
}

/// Whether a word is an interpreter, as `/usr/bin/python3.12` is one.
fn is_interpreter(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    INTERPRETERS.contains(&name)
}

/// Takes a word for the name of a module: `tools.watch`, `Tools::Watch`, `watch`.
fn add_module(found: &mut Words, word: &str) {
    let parts: Vec<&str> = word.split('.').flat_map(|part| part.split("::")).collect();
    let is_name = |part: &&str| {
        let is_letter = |c: char| c.is_alphanumeric() || c == '_';
        !part.is_empty() && part.chars().all(is_letter)
    };
    if !parts.iter().all(is_name) {
        return;
    }
    let mut note = |path: String, is_clear: bool, is_stem: bool| {
        let known = found.entry(path).or_insert(Word {
            is_clear,
            is_stem,
            is_entered: false,
            is_pattern: false,
        });
        known.is_clear |= is_clear;
        known.is_stem |= is_stem;
    };
    // What stands above a module runs before it, and in its place.
    for end in 1..parts.len() {
        let above = parts.get(..end).unwrap_or_default().join("/");
        note(format!("{above}/__init__.py"), true, false);
        note(format!("{above}.py"), true, false);
    }
    note(parts.join("/"), parts.len() > 1, true);
}

impl Word {
    /// The files that are there under longer names than the one that is written. `None` where that
    /// takes more looks than are left.
    pub(super) fn longer(self, path: &Path, left: &mut Share) -> Option<Vec<PathBuf>> {
        let mut found = Vec::new();
        let folder = path
            .parent()
            .filter(|folder| self.is_stem && folder.is_dir());
        if let (Some(_), Some(name)) = (folder, path.file_name()) {
            left.spend(ENDINGS.len())?;
            found.extend(ENDINGS.iter().map(|ending| {
                let mut whole = name.to_os_string();
                whole.push(".");
                whole.push(ending);
                path.with_file_name(whole)
            }));
        }
        if self.is_entered && path.is_dir() {
            left.spend(ENTRIES.len())?;
            found.extend(ENTRIES.iter().map(|entry| path.join(entry)));
        }
        found.retain(|path| path.is_file());
        Some(found)
    }

    /// What is there that fits the pattern `rest` in a folder. `None` where that takes more looks
    /// than are left.
    pub(super) fn fitting(
        self,
        folder: &Path,
        rest: &str,
        left: &mut Share,
    ) -> Option<Vec<PathBuf>> {
        if !self.is_pattern {
            return Some(Vec::new());
        }
        let mut found = vec![folder.to_path_buf()];
        for part in rest.split('/').filter(|part| !["", "."].contains(part)) {
            if !part.contains(PATTERNS) {
                found.iter_mut().for_each(|path| path.push(part));
                continue;
            }
            let pattern = simple(part);
            let mut fitting = Vec::new();
            for entry in found.iter().flat_map(fs::read_dir).flatten().flatten() {
                left.spend(1)?;
                if fits(&pattern, &entry.file_name().to_string_lossy()) {
                    fitting.push(entry.path());
                }
            }
            found = fitting;
        }
        found.retain(|path| path.is_file());
        Some(found)
    }
}

/// A pattern in which only `*` and `?` are left: it fits more than before.
fn simple(pattern: &str) -> Vec<char> {
    let mut left = pattern.chars();
    let mut found = Vec::new();
    while let Some(c) = left.next() {
        let end = match c {
            '[' => ']',
            '{' => '}',
            _ => {
                found.push(c);
                continue;
            }
        };
        // Without its end it stands for itself, or for what a longer pattern says.
        found.push('*');
        left.by_ref().find(|c| *c == end);
    }
    found
}

/// Whether a name fits such a pattern.
fn fits(pattern: &[char], name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    // Where the last `*` stands, and up to where it reaches.
    let (mut at, mut to, mut star) = (0, 0, None);
    while let Some(c) = name.get(to) {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, to));
                at += 1;
            }
            Some(p) if *p == '?' || p == c => {
                at += 1;
                to += 1;
            }
            _ => match &mut star {
                Some((stands, reaches)) => {
                    *reaches += 1;
                    (at, to) = (*stands + 1, *reaches);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(at).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_fit_as_a_shell_reads_them() {
        let table = [
            ("dr*ver.sh", "driver.sh", true),
            ("dr*ver.sh", "drive.sh", false),
            ("d[qr]iver.?h", "driver.sh", true),
            ("{driver,x}.sh", "driver.sh", true),
            ("*a*b", "xaybab", true),
            ("*a*b", "xayba", false),
            ("a", "ab", false),
        ];
        for (pattern, name, wanted) in table {
            assert_eq!(fits(&simple(pattern), name), wanted, "{pattern} {name}");
        }
    }

    #[test]
    fn interpreters_are_known_with_their_numbers() {
        for word in ["python3.12", "/usr/bin/python3", "node", "lua5.4"] {
            assert!(is_interpreter(word), "{word}");
        }
        for word in ["git", "vim", "nodes", "node/x", "3"] {
            assert!(!is_interpreter(word), "{word}");
        }
    }
}
