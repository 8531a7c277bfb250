//! Folders the user opened for writing and wants to keep open: asked once, remembered for that
//! folder.
//!
//! Written by the user's side of the command line alone, after a yes on a terminal, in Housecarl's
//! own state folder, where no tool may write. Read when a session begins that the user attends.
//! Every single change is still judged and, where the rules say so, confirmed.

use crate::exit::Failure;
use anyhow::{Context, Result, ensure};
use disk::private;
use disk::read::{self, Links};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The form of the file.
const VERSION: u64 = 1;
/// Largest file, bytes.
const FILE_BYTES: u64 = 1 << 20;
/// Most folders.
const FOLDERS: usize = 1_000;

/// The list on disk.
#[derive(Debug, Clone)]
pub struct OpenFolders {
    file: PathBuf,
    home: PathBuf,
}

impl OpenFolders {
    /// The list in a state folder, of the user with this home.
    #[must_use]
    pub fn below(state: &Path, home: &Path) -> Self {
        Self {
            file: state.join("open_folders.json"),
            // Compared with folders without symbolic links; a home that is not there is above none.
            home: home
                .canonicalize()
                .unwrap_or_else(|_missing| home.to_owned()),
        }
    }

    /// Whether a folder may be remembered: neither the home nor a folder above it, such as `/`. To
    /// open so much is decided each time.
    #[must_use]
    pub fn may_hold(&self, folder: &Path) -> bool {
        folder.is_absolute() && !self.home.starts_with(folder) && folder.to_str().is_some()
    }

    /// Every folder on the list. One that may no longer be held is left out.
    ///
    /// # Errors
    /// A usage failure when the file is not what this program wrote.
    pub fn read(&self) -> Result<BTreeSet<PathBuf>> {
        let Some(text) = read::text(&self.file, FILE_BYTES, Links::Refused)? else {
            return Ok(BTreeSet::new());
        };
        let folders = parse(&text).map_err(|problem| {
            Failure::usage(
                format!("{}: {problem}", self.file.display()),
                "Delete the file; Housecarl then asks again before it writes in a folder.",
            )
        })?;
        Ok(folders
            .into_iter()
            .filter(|folder| self.may_hold(folder))
            .collect())
    }

    /// Adds a folder.
    ///
    /// # Errors
    /// When it may not be held, the list is full, or the file cannot be read or written.
    pub fn add(&self, folder: &Path) -> Result<()> {
        ensure!(
            self.may_hold(folder),
            "{} is not a folder to remember",
            folder.display()
        );
        let mut folders = self.read()?;
        folders.insert(folder.to_owned());
        ensure!(
            folders.len() <= FOLDERS,
            "more than {FOLDERS} folders are remembered; `carl policy forget` makes room"
        );
        self.write(&folders)
    }

    /// Takes a folder from the list; false when it was not on it.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn remove(&self, folder: &Path) -> Result<bool> {
        let mut folders = self.read()?;
        let was_there = folders.remove(folder);
        if was_there {
            self.write(&folders)?;
        }
        Ok(was_there)
    }

    /// Replaces the file as a whole, so that a reader sees the old list or the new one.
    fn write(&self, folders: &BTreeSet<PathBuf>) -> Result<()> {
        let parent = self.file.parent().context("the list lies in no folder")?;
        private::folder(parent)?;
        let names: Vec<&str> = folders.iter().filter_map(|one| one.to_str()).collect();
        let text = format!("{:#}\n", json!({"version": VERSION, "folders": names}));
        private::replace(&self.file, text.as_bytes(), private::Durability::Durable)
            .with_context(|| format!("{} cannot be written", self.file.display()))
    }
}

fn parse(text: &str) -> Result<BTreeSet<PathBuf>, String> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| format!("it is not JSON: {error}"))?;
    let version = value.get("version").and_then(Value::as_u64);
    if version != Some(VERSION) {
        return Err(format!(
            "its version is {}, and this program knows {VERSION}",
            value.get("version").unwrap_or(&Value::Null)
        ));
    }
    let folders = value.get("folders").and_then(Value::as_array);
    let folders = folders.ok_or_else(|| "it has no list of folders".to_owned())?;
    folders
        .iter()
        .map(|folder| match folder.as_str() {
            Some(name) if Path::new(name).is_absolute() => Ok(PathBuf::from(name)),
            _ => Err(format!("{folder} is no absolute path")),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    fn list(folder: &Path) -> OpenFolders {
        OpenFolders {
            file: folder.join("state/open_folders.json"),
            home: PathBuf::from("/home/ada"),
        }
    }

    #[test]
    fn what_was_added_is_read_until_it_is_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let list = list(scratch.path());
        let (work, other) = (Path::new("/home/ada/work"), Path::new("/srv/other"));
        assert!(list.read().unwrap().is_empty());
        list.add(work).unwrap();
        list.add(other).unwrap();
        list.add(work).unwrap();
        assert_eq!(list.read().unwrap().len(), 2);
        assert!(list.remove(work).unwrap());
        assert!(!list.remove(work).unwrap());
        assert_eq!(
            list.read().unwrap(),
            BTreeSet::from([other.to_owned()]),
            "the other one stays"
        );
        let mode = fs::metadata(&list.file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let left = fs::read_dir(list.file.parent().unwrap()).unwrap().count();
        assert_eq!(left, 1, "no draft stays behind");
    }

    #[test]
    fn the_home_and_what_is_above_it_are_never_remembered() {
        let scratch = tempfile::tempdir().unwrap();
        let list = list(scratch.path());
        for folder in ["/", "/home", "/home/ada", "relative"] {
            assert!(!list.may_hold(Path::new(folder)), "{folder}");
            assert!(list.add(Path::new(folder)).is_err(), "{folder}");
        }
        assert!(list.may_hold(Path::new("/home/ada/x")));
        assert!(list.may_hold(Path::new("/home/adam")));
        fs::create_dir(scratch.path().join("state")).unwrap();
        let written = r#"{"version": 1, "folders": ["/", "/home/ada", "/srv/x"]}"#;
        fs::write(&list.file, written).unwrap();
        assert_eq!(
            list.read().unwrap(),
            BTreeSet::from([PathBuf::from("/srv/x")]),
            "not even when the file says so"
        );
    }

    #[test]
    fn a_file_of_another_making_is_refused_and_left_alone() {
        let scratch = tempfile::tempdir().unwrap();
        let list = list(scratch.path());
        fs::create_dir(scratch.path().join("state")).unwrap();
        for text in [
            "",
            "{}",
            r#"{"version": 2, "folders": []}"#,
            r#"{"version": 1, "folders": ["work"]}"#,
        ] {
            fs::write(&list.file, text).unwrap();
            assert!(list.read().is_err(), "{text}");
            assert!(list.add(Path::new("/srv/x")).is_err(), "{text}");
            assert_eq!(fs::read_to_string(&list.file).unwrap(), text);
        }
    }

    #[test]
    fn the_list_has_an_end() {
        let scratch = tempfile::tempdir().unwrap();
        let list = list(scratch.path());
        let folders = (0..FOLDERS).map(|number| PathBuf::from(format!("/srv/{number}")));
        list.write(&folders.collect()).unwrap();
        assert!(list.add(Path::new("/srv/0")).is_ok());
        assert!(list.add(Path::new("/srv/more")).is_err());
    }
}
