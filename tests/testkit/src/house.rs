//! A home and a working folder of their own, thrown away at the end.

use crate::program::{Carl, MODEL_PATIENCE, PATIENCE};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// A temporary HOME with its XDG folders, and a folder to work in.
pub struct House {
    root: TempDir,
    /// Whether a real model works here, which takes its time.
    is_slow: AtomicBool,
}

impl House {
    /// An empty house.
    ///
    /// # Panics
    /// When the temporary folder cannot be made.
    #[must_use]
    pub fn new() -> Self {
        let root = tempfile::Builder::new().prefix("house").tempdir().unwrap();
        for folder in ["home", "work", "run"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self {
            root,
            is_slow: AtomicBool::new(false),
        }
    }

    /// The user's home.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// The folder `carl` is started in.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.root.path().join("work")
    }

    /// The runtime folder, short enough for socket paths.
    #[must_use]
    pub fn run_dir(&self) -> PathBuf {
        self.root.path().join("run")
    }

    /// Where `carl` keeps sessions and audit records.
    #[must_use]
    pub fn state(&self) -> PathBuf {
        self.home().join(".local/state/housecarl")
    }

    /// Writes a file below the working folder and returns its path.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.work().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// A file's content.
    ///
    /// # Panics
    /// When it cannot be read.
    #[must_use]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.work().join(name)).unwrap()
    }

    /// Whether something of this name is in the working folder.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.work().join(name)).is_ok()
    }

    /// What was set aside in a folder of the working folder and was called so, without dots: its path
    /// from the working folder.
    ///
    /// # Panics
    /// When there is not just one.
    #[must_use]
    pub fn set_aside(&self, folder: &str, name: &str) -> String {
        let entries = fs::read_dir(self.work().join(folder)).expect("the folder can be listed");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        let is_it = |found: &String| {
            let rest = found.strip_prefix("set-aside-");
            rest.and_then(|rest| rest.split_once('-'))
                .is_some_and(|(_, rest)| rest == name)
        };
        let found: Vec<String> = names.filter(is_it).collect();
        let [found] = &found[..] else {
            panic!("not one {name} was set aside in {folder}: {found:?}");
        };
        Path::new(folder).join(found).to_string_lossy().into_owned()
    }

    /// Writes the user's configuration.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn configure(&self, toml: &str) {
        self.write_config("config.toml", toml);
    }

    /// Writes a file into the configuration folder.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write_config(&self, name: &str, content: &str) {
        let path = self.home().join(".config/housecarl").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Makes the embedded engine the only provider, from `HOUSE_ENGINE` (the program) and
    /// `HOUSE_MODELS` (the folder of its models). False where they are not set.
    ///
    /// # Panics
    /// When the configuration cannot be written.
    #[must_use]
    pub fn use_engine(&self) -> bool {
        self.use_engine_beside("[models.discovery]\nenabled = false\n")
    }

    /// Puts the embedded engine beside what a configuration says; false as for [`Self::use_engine`].
    ///
    /// # Panics
    /// When the configuration cannot be written.
    #[must_use]
    pub fn use_engine_beside(&self, config: &str) -> bool {
        let variable = |name: &str| std::env::var(name).ok();
        let (Some(program), Some(models)) = (variable("HOUSE_ENGINE"), variable("HOUSE_MODELS"))
        else {
            return false;
        };
        self.configure(&format!(
            "{config}\n[engine]\nprogram = {program:?}\nmodels = {models:?}\n"
        ));
        self.is_slow.store(true, Ordering::Relaxed);
        true
    }

    /// Longest a run of `carl` may take here.
    pub(crate) fn patience(&self) -> Duration {
        if self.is_slow.load(Ordering::Relaxed) {
            MODEL_PATIENCE
        } else {
            PATIENCE
        }
    }

    /// `carl` in this house.
    #[must_use]
    pub fn carl(&self) -> Carl {
        Carl::new(&self.home(), &self.run_dir(), &self.work(), self.patience())
    }

    /// `carl` in this house, asked for one thing.
    #[must_use]
    pub fn ask<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Carl {
        self.carl().args(args)
    }

    /// The events of a session as they stand on disk. A last line that was cut off is left out.
    ///
    /// # Panics
    /// When no log of that session exists, or any line but the last is not JSON.
    #[must_use]
    pub fn session_log(&self, session_id: &str) -> Vec<Value> {
        let name = format!("{session_id}.jsonl");
        let path = find(&self.state(), &|path| path.ends_with(&name))
            .unwrap_or_else(|| panic!("no {name} below {}", self.state().display()));
        json_lines(&path)
    }

    /// Every session log on disk.
    #[must_use]
    pub fn session_logs(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        walk(&self.state().join("sessions"), &mut |path| {
            if path.extension().is_some_and(|e| e == "jsonl") {
                found.push(path.to_path_buf());
            }
        });
        found
    }

    /// The audit records, as `carl audit query` reads them.
    ///
    /// # Panics
    /// When it fails, or a line is not JSON.
    #[must_use]
    pub fn audit(&self) -> Vec<Value> {
        let told = self.ask(["audit", "query", "--json"]).run().expect(0);
        let lines = told.stdout.lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// Every byte under the state folder, as text, to search for what must not be there.
    #[must_use]
    pub fn everything_kept(&self) -> String {
        let mut all = String::new();
        walk(&self.state(), &mut |path| {
            if let Ok(bytes) = fs::read(path) {
                all.push_str(&String::from_utf8_lossy(&bytes));
            }
        });
        all
    }
}

impl Default for House {
    fn default() -> Self {
        Self::new()
    }
}

/// The JSON values of a file's lines. A last line without its line end was never acknowledged and
/// is left out.
///
/// # Panics
/// When a complete line is not JSON.
#[must_use]
pub fn json_lines(path: &Path) -> Vec<Value> {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let complete = text
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    complete
        .map(|line| {
            serde_json::from_str(line)
                .unwrap_or_else(|error| panic!("{}: {error}: {line}", path.display()))
        })
        .collect()
}

fn walk(folder: &Path, visit: &mut dyn FnMut(&Path)) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, visit);
        } else if path.is_file() {
            visit(&path);
        }
    }
}

fn find(folder: &Path, fits: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    let mut found = None;
    walk(folder, &mut |path| {
        if fits(path) {
            found = Some(path.to_path_buf());
        }
    });
    found
}
