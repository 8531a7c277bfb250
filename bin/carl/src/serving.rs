//! Which processes are at work for a state folder: a file for each role that one serves and for each
//! chat or run, which is locked for as long as that lasts and says by whom and where.

use crate::lock;
use anyhow::{Context, Result};
use disk::private;
use disk::read::{Links, text};
use rendering::print_error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use text::escape::visible_line;

/// What a file is called and says in place of a role, of a chat or a run.
const COMMAND: &str = "command";
/// Most roles that are told of at once, and processes that serve the same one.
const ROLES: usize = 64;
/// Most that is read of a file, bytes.
const FILE_BYTES: u64 = 4_096;

/// A role is served, or a command at work, for as long as this is held. The kernel lets go of it however the process ends.
#[derive(Debug)]
pub struct Announced {
    _file: File,
}

impl Announced {
    /// Says in a state folder that this process serves a role at an address.
    ///
    /// # Errors
    /// When the file cannot be written, or too many serve the same role.
    pub fn role(state: &Path, role: &str, address: &str) -> Result<Self> {
        let folder = folder(state);
        private::folder(&folder)
            .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
        for number in 1..=ROLES {
            let path = folder.join(format!("{role}-{number}"));
            let cannot = || format!("{} cannot be written", path.display());
            let Some(mut file) = private::lock(&path).with_context(cannot)? else {
                continue;
            };
            file.set_len(0)
                .and_then(|()| write!(file, "{}\n{role}\n{address}", std::process::id()))
                .with_context(cannot)?;
            return Ok(Self { _file: file });
        }
        anyhow::bail!("{ROLES} processes serve {role} already")
    }

    /// Says in a state folder that this process is a chat or a run: one that another process serves
    /// has no lock that would show it.
    ///
    /// # Errors
    /// As [`Announced::role`].
    pub fn command(state: &Path) -> Result<Self> {
        Self::role(state, COMMAND, "")
    }
}

/// A role that a process serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedRole {
    /// The number of the process.
    pub process: u32,
    /// The role.
    pub role: String,
    /// Where.
    pub address: String,
}

/// The roles that are served for a state folder, by name.
#[must_use]
pub fn served_roles(state: &Path) -> Vec<ServedRole> {
    let mut all = announced(state);
    all.retain(|one| one.role != COMMAND);
    all
}

/// The roles at these addresses whose process is stopped: it answers nobody until it is told to go on.
#[must_use]
pub fn stopped_roles(state: &Path, addresses: &[String]) -> Vec<ServedRole> {
    let mut all = served_roles(state);
    all.retain(|one| addresses.contains(&one.address) && lock::is_stopped(one.process));
    all
}

/// What is said of a role at these addresses whose process is stopped, and what to do.
fn stopped_role(state: &Path, addresses: &[String]) -> Option<(String, String)> {
    let role = stopped_roles(state, addresses).into_iter().next()?;
    let message = format!(
        "another carl (process {}), which serves {} at {}, does not answer: it is stopped, as by \
         Ctrl-Z",
        role.process, role.role, role.address
    );
    Some((message, lock::wake(role.process)))
}

/// What is said where a role at these addresses, or who has the lock of the state folder, is stopped,
/// and what to do.
#[must_use]
pub fn stopped(state: &Path, addresses: &[String]) -> Option<(String, String)> {
    stopped_role(state, addresses)
        .or_else(|| lock::stopped(state).map(|id| lock::told_of(id, state)))
}

/// Waits a while for roles at these addresses that are stopped, and says for whom.
///
/// # Errors
/// When one still is.
pub async fn wait_for_stopped(state: &Path, addresses: &[String]) -> Result<()> {
    let began = Instant::now();
    let mut is_told = false;
    while let Some((message, hint)) = stopped_role(state, addresses) {
        if began.elapsed() >= lock::PATIENCE {
            return Err(lock::locked(message, hint));
        }
        if !is_told {
            is_told = true;
            let seconds = lock::PATIENCE.as_secs();
            print_error(&format!("{message}; waiting up to {seconds} s\n  {hint}\n"))?;
        }
        tokio::time::sleep(lock::LOOK).await;
    }
    Ok(())
}

/// The numbers of the processes whose chat or run is at work for a state folder.
#[must_use]
pub fn commands(state: &Path) -> Vec<u32> {
    let all = announced(state).into_iter();
    all.filter(|one| one.role == COMMAND)
        .map(|one| one.process)
        .collect()
}

fn announced(state: &Path) -> Vec<ServedRole> {
    let Ok(entries) = std::fs::read_dir(folder(state)) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let held = paths
        .iter()
        .filter(|path| matches!(private::lock(path), Ok(None)));
    held.filter_map(|path| read(path)).take(2 * ROLES).collect()
}

fn read(path: &Path) -> Option<ServedRole> {
    let text = text(path, FILE_BYTES, Links::Refused).ok()??;
    let mut lines = text.splitn(3, '\n');
    Some(ServedRole {
        process: lines.next()?.parse().ok()?,
        role: visible_line(lines.next()?),
        address: visible_line(lines.next()?),
    })
}

fn folder(state: &Path) -> PathBuf {
    state.join("serving")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_told_of_while_they_are_served() {
        let state = tempfile::tempdir().unwrap();
        assert_eq!(served_roles(state.path()), []);
        let first = Announced::role(state.path(), "models", "unix:/one").unwrap();
        let second = Announced::role(state.path(), "models", "unix:/another").unwrap();
        let addresses = || {
            let roles = served_roles(state.path()).into_iter();
            roles.map(|one| one.address).collect::<Vec<_>>()
        };
        assert_eq!(addresses(), ["unix:/one", "unix:/another"]);
        drop(first);
        assert_eq!(addresses(), ["unix:/another"]);
        drop(second);
        let _shorter = Announced::role(state.path(), "models", "unix:/1").unwrap();
        assert_eq!(addresses(), ["unix:/1"]);
    }

    #[test]
    fn commands_are_told_of_while_they_are_at_work() {
        let state = tempfile::tempdir().unwrap();
        let held = Announced::command(state.path()).unwrap();
        assert_eq!(commands(state.path()), [std::process::id()]);
        assert_eq!(served_roles(state.path()), []);
        drop(held);
        assert!(commands(state.path()).is_empty());
    }

    #[test]
    fn no_more_than_a_limit_serve_one_role() {
        let state = tempfile::tempdir().unwrap();
        let all: Vec<_> = (0..ROLES)
            .map(|_| Announced::role(state.path(), "audit", "unix:/a").unwrap())
            .collect();
        assert!(Announced::role(state.path(), "audit", "unix:/a").is_err());
        drop(all);
    }
}
