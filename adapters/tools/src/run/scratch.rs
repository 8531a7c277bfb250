//! A folder that a program has to itself, and the environment that goes with it.

use crate::failure::broken;
use api::executor::ToolFailure;
use api::sandbox::Scratch;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use uuid::Uuid;

/// Where programs are looked for.
const PROGRAMS: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// An empty folder; gone when this is dropped.
#[derive(Debug)]
pub(super) struct Desk {
    pub(super) folder: PathBuf,
}

impl Desk {
    pub(super) fn new() -> Result<Self, ToolFailure> {
        let folder = std::env::temp_dir().join(format!("carl-run-{}", Uuid::now_v7()));
        fs::DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|e| broken("no_scratch", format!("No scratch folder can be made: {e}.")))?;
        Ok(Self { folder })
    }

    /// The folder with these files in it.
    pub(super) fn with(&self, files: BTreeMap<PathBuf, Vec<u8>>) -> Option<Scratch> {
        Some(Scratch {
            folder: self.folder.clone(),
            files,
        })
    }

    /// The whole environment: nothing of the user's own, and nothing that makes a program load or
    /// trust something else.
    pub(super) fn environment(&self, programs: &[PathBuf]) -> BTreeMap<String, String> {
        let mut path: Vec<String> = programs.iter().map(|p| text_of(p)).collect();
        path.push(PROGRAMS.to_owned());
        let own = text_of(&self.folder);
        let list = [
            ("PATH", path.join(":")),
            ("HOME", own.clone()),
            ("TMPDIR", own),
            ("LANG", "C.UTF-8".to_owned()),
            ("TERM", "dumb".to_owned()),
        ];
        list.into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }
}

fn text_of(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

impl Drop for Desk {
    fn drop(&mut self) {
        // What cannot be removed lies in the machine's own folder for such things.
        let _removed = fs::remove_dir_all(&self.folder);
    }
}
