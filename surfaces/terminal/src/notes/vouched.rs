//! What the user said of versions of project notes: each is known by the digest of its place and its
//! content, so that whatever changes is asked about again.
//!
//! Written by the user's side of the command line alone, after an answer on a terminal or a command,
//! in Housecarl's own state folder, where no tool may write. Read when a session gathers its prompt.

use crate::exit::Failure;
use anyhow::{Context, Result};
use disk::private;
use disk::read::{self, Links};
use domain::hash::Digest;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The form of the file.
const VERSION: u64 = 1;
/// Largest file, bytes.
const FILE_BYTES: u64 = 4 << 20;
/// Most versions of one file that are remembered; the oldest make room.
const VERSIONS: usize = 20;
/// Most versions of all files together; the oldest make room.
const ALL_VERSIONS: usize = 5_000;

/// What the user said of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// What it says counts like the user's own standing instructions.
    Trust,
    /// Agents may read it as content from outside.
    Untrusted,
    /// No agent is to be shown it.
    Ignore,
}

impl Word {
    /// As it is written and shown.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trust => "trusted",
            Self::Untrusted => "untrusted",
            Self::Ignore => "ignored",
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let all = [Self::Trust, Self::Untrusted, Self::Ignore];
        all.into_iter().find(|word| word.as_str() == text)
    }
}

/// What was said of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    /// Where the file is.
    pub path: PathBuf,
    /// Which version of it.
    pub version: Digest,
    /// What.
    pub word: Word,
}

/// The list on disk, oldest first.
#[derive(Debug, Clone)]
pub struct Vouched {
    file: PathBuf,
}

impl Vouched {
    /// The list in a state folder.
    #[must_use]
    pub fn below(state: &Path) -> Self {
        Self::at(state.join("project_notes.json"))
    }

    /// The list in this file.
    #[must_use]
    pub const fn at(file: PathBuf) -> Self {
        Self { file }
    }

    /// Everything that was said.
    ///
    /// # Errors
    /// A usage failure when the file is not what this program wrote.
    pub fn read(&self) -> Result<Vec<Said>> {
        let Some(text) = read::text(&self.file, FILE_BYTES, Links::Refused)? else {
            return Ok(Vec::new());
        };
        parse(&text).map_err(|problem| {
            Failure::usage(
                format!("{}: {problem}", self.file.display()),
                "Delete the file; Housecarl then asks about project notes again.",
            )
            .into()
        })
    }

    /// Whether the user said of a version that it is to be trusted, or that it is not to be used;
    /// `None` where nothing was said.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn trusts(&self, version: Digest) -> Result<Option<bool>> {
        let word = Self::of_version(&self.read()?, version);
        Ok(word.map(|word| word == Word::Trust))
    }

    /// What was said of a version.
    #[must_use]
    pub fn of_version(said: &[Said], version: Digest) -> Option<Word> {
        let found = said.iter().rfind(|one| one.version == version);
        found.map(|one| one.word)
    }

    /// Keeps what the user said of a version, in place of what was said of it before.
    ///
    /// # Errors
    /// When the file cannot be read or written, or the path is no text.
    pub fn say(&self, path: &Path, version: Digest, word: Word) -> Result<()> {
        path.to_str()
            .with_context(|| format!("{} is no text and cannot be kept", path.display()))?;
        let mut said = self.read()?;
        said.retain(|one| one.version != version);
        said.push(Said {
            path: path.to_owned(),
            version,
            word,
        });
        let of_file = said.iter().filter(|one| one.path == path).count();
        if of_file > VERSIONS
            && let Some(oldest) = said.iter().position(|one| one.path == path)
        {
            said.remove(oldest);
        }
        let over = said.len().saturating_sub(ALL_VERSIONS);
        said.drain(..over);
        self.write(&said)
    }

    /// Forgets what was said of every version of a file; false when nothing was.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn forget(&self, path: &Path) -> Result<bool> {
        let mut said = self.read()?;
        let before = said.len();
        said.retain(|one| one.path != path);
        let has_changed = said.len() < before;
        if has_changed {
            self.write(&said)?;
        }
        Ok(has_changed)
    }

    fn write(&self, said: &[Said]) -> Result<()> {
        let parent = self.file.parent().context("the list lies in no folder")?;
        private::folder(parent)?;
        let notes: Vec<Value> = said
            .iter()
            .filter_map(|one| {
                let path = one.path.to_str()?;
                let version = one.version.to_string();
                Some(json!({"path": path, "version": version, "word": one.word.as_str()}))
            })
            .collect();
        let text = format!("{:#}\n", json!({"version": VERSION, "notes": notes}));
        private::replace(&self.file, text.as_bytes(), private::Durability::Durable)
            .with_context(|| format!("{} cannot be written", self.file.display()))
    }
}

fn parse(text: &str) -> Result<Vec<Said>, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let version = value.get("version").unwrap_or(&Value::Null);
    if version.as_u64() != Some(VERSION) {
        return Err(format!(
            "its version is {version}, and this program knows {VERSION}"
        ));
    }
    let notes = value.get("notes").and_then(Value::as_array);
    let notes = notes.ok_or_else(|| "it has no list of notes".to_owned())?;
    let one = |entry: &Value| {
        let text = |key: &str| entry.get(key).and_then(Value::as_str);
        let path = PathBuf::from(text("path")?);
        Some(Said {
            path: Some(path).filter(|path| path.is_absolute())?,
            version: text("version")?.parse().ok()?,
            word: Word::parse(text("word")?)?,
        })
    };
    notes
        .iter()
        .map(|entry| one(entry).ok_or_else(|| format!("{entry} says nothing of a version")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn version(text: &str) -> Digest {
        Digest::of(text.as_bytes())
    }

    #[test]
    fn the_last_word_on_a_version_counts_until_it_is_forgotten() {
        let scratch = tempfile::tempdir().unwrap();
        let list = Vouched::at(scratch.path().join("state/notes.json"));
        let path = Path::new("/w/AGENTS.md");
        let word = |list: &Vouched, text| Vouched::of_version(&list.read().unwrap(), version(text));
        list.say(path, version("a"), Word::Trust).unwrap();
        list.say(path, version("b"), Word::Untrusted).unwrap();
        list.say(path, version("a"), Word::Ignore).unwrap();
        assert_eq!(word(&list, "a"), Some(Word::Ignore));
        assert_eq!(word(&list, "b"), Some(Word::Untrusted));
        assert_eq!(word(&list, "c"), None);
        let mode = fs::metadata(&list.file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(list.forget(path).unwrap());
        assert!(!list.forget(path).unwrap());
        assert_eq!(word(&list, "a"), None);
    }

    #[test]
    fn of_one_file_the_newest_versions_are_kept() {
        let scratch = tempfile::tempdir().unwrap();
        let list = Vouched::at(scratch.path().join("notes.json"));
        let other = Path::new("/other/AGENTS.md");
        list.say(other, version("other"), Word::Trust).unwrap();
        for number in 0..=VERSIONS {
            let text = number.to_string();
            list.say(Path::new("/w/AGENTS.md"), version(&text), Word::Trust)
                .unwrap();
        }
        let said = list.read().unwrap();
        assert_eq!(said.len(), VERSIONS + 1);
        assert_eq!(Vouched::of_version(&said, version("0")), None);
        assert_eq!(Vouched::of_version(&said, version("1")), Some(Word::Trust));
        let others = Vouched::of_version(&said, version("other"));
        assert_eq!(others, Some(Word::Trust));
    }

    #[test]
    fn a_file_of_another_making_is_refused() {
        let scratch = tempfile::tempdir().unwrap();
        let list = Vouched::at(scratch.path().join("notes.json"));
        for text in [
            "",
            "{}",
            r#"{"version": 2, "notes": []}"#,
            r#"{"version": 1, "notes": [{"path": "/a", "version": "1", "word": "trusted"}]}"#,
        ] {
            fs::write(&list.file, text).unwrap();
            assert!(list.read().is_err(), "{text}");
            let saying = list.say(Path::new("/a"), version("a"), Word::Trust);
            assert!(saying.is_err(), "{text}");
        }
    }
}
