//! Where Housecarl keeps things and looks for its configuration: the XDG folders. A different HOME is a different Housecarl.

use anyhow::{Context, Result};
use std::env;
use std::path::{Path, PathBuf};
use terminal::exit::Failure;

/// Every folder, absolute.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The user's home.
    pub home: PathBuf,
    /// `config.toml`, `agents.yaml`.
    pub config: PathBuf,
    /// Model weights.
    pub data: PathBuf,
    /// Session logs, audit log, undo copies, locks.
    pub state: PathBuf,
    /// Sockets.
    pub runtime: PathBuf,
}

impl Paths {
    /// Reads the environment.
    ///
    /// # Errors
    /// When neither HOME nor the XDG variables say where things belong, or one is not absolute.
    pub fn from_environment() -> Result<Self> {
        let home = env::var_os("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute())
            .ok_or_else(|| {
                Failure::usage(
                    "HOME is not set to an absolute path, so there is no place for configuration \
                     and sessions",
                    "Set HOME and try again.",
                )
            })?;
        let state = folder("XDG_STATE_HOME", &home, ".local/state")?;
        let runtime = match env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
            Some(folder) if folder.is_absolute() => folder.join("housecarl"),
            Some(folder) if !folder.as_os_str().is_empty() => {
                return Err(not_absolute("XDG_RUNTIME_DIR", &folder));
            }
            _ => state.join("run"),
        };
        Ok(Self {
            config: folder("XDG_CONFIG_HOME", &home, ".config")?,
            data: folder("XDG_DATA_HOME", &home, ".local/share")?,
            home,
            state,
            runtime,
        })
    }

    /// The configuration file.
    #[must_use]
    pub fn config_file(&self) -> PathBuf {
        self.config.join("config.toml")
    }

    /// The user's agent types.
    #[must_use]
    pub fn agents_file(&self) -> PathBuf {
        self.config.join("agents.yaml")
    }

    /// Session logs.
    #[must_use]
    pub fn sessions(&self) -> PathBuf {
        self.state.join("sessions")
    }

    /// The audit log.
    #[must_use]
    pub fn audit(&self) -> PathBuf {
        self.state.join("audit")
    }

    /// Keys of our own that sign and never encrypt: each log's private key.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.state.join("keys")
    }

    /// What is typed in the terminal UI and not sent, a file for each session.
    #[must_use]
    pub fn drafts(&self) -> PathBuf {
        self.state.join("drafts")
    }

    /// Copies for undo.
    #[must_use]
    pub fn undo(&self) -> PathBuf {
        self.state.join("undo")
    }

    /// Memories, and the indexes by which they are found.
    #[must_use]
    pub fn memory(&self) -> PathBuf {
        self.state.join("memory")
    }

    /// Model weights.
    #[must_use]
    pub fn models(&self) -> PathBuf {
        self.data.join("models")
    }

    /// Web pages that were read, to be read again without asking their sites.
    #[must_use]
    pub fn pages(&self) -> PathBuf {
        self.state.join("pages")
    }

    /// Notes of sessions with an answer that is not remembered yet.
    #[must_use]
    pub fn capture(&self) -> PathBuf {
        self.state.join("capture")
    }

    /// What answers were found to be worth, and notes of sessions with an answer that is not graded yet.
    #[must_use]
    pub fn quality(&self) -> PathBuf {
        self.state.join("quality")
    }

    /// What the user wants a judge to look for.
    #[must_use]
    pub fn rubrics(&self) -> PathBuf {
        self.config.join("rubrics")
    }

    /// The encrypted file that the kernel's keyring is filled from.
    #[must_use]
    pub fn secrets(&self) -> PathBuf {
        self.data.join("secrets.sealed")
    }

    /// The daemon's socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.runtime.join("carl.sock")
    }

    /// Our own folders, which no tool may look into or change.
    #[must_use]
    pub fn own(&self) -> Vec<PathBuf> {
        vec![
            self.config.clone(),
            self.data.clone(),
            self.state.clone(),
            self.runtime.clone(),
        ]
    }
}

fn not_absolute(variable: &str, folder: &Path) -> anyhow::Error {
    let message = format!(
        "{variable} is `{}`, which is not absolute",
        folder.display()
    );
    Failure::usage(message, "Unset it, or give a full path.").into()
}

fn folder(variable: &str, home: &Path, fallback: &str) -> Result<PathBuf> {
    match env::var_os(variable).map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => Ok(folder.join("housecarl")),
        Some(folder) if !folder.as_os_str().is_empty() => Err(not_absolute(variable, &folder)),
        _ => Ok(home.join(fallback).join("housecarl")),
    }
}

/// Makes a folder that only its owner may enter.
///
/// # Errors
/// When it cannot be made or its mode cannot be set.
pub fn private_folder(folder: &Path) -> Result<()> {
    disk::private::folder(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))
}
