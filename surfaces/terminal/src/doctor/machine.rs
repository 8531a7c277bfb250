//! What the machine has to offer: room, a clock, and what file tools cannot do without.

use super::check::{Check, State};
use anyhow::{Context, Result};
use disk::private;
use jiff::tz::TimeZone;
use rendering::moments;
use rendering::values::bytes;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Free space under which the logs are in danger, bytes.
const LOW_SPACE: u64 = 256 << 20;

/// Whether the state folder can be written, and how much room there is.
pub fn state_folder(folder: &Path) -> Check {
    match probe(folder) {
        Ok(free) if free < LOW_SPACE => Check::note(
            "state folder",
            format!("{} has only {} free", folder.display(), bytes(free)),
            "Tools stop when the audit log cannot be written. Make room.",
        ),
        Ok(free) => Check::ok(
            "state folder",
            format!("{}, {} free", folder.display(), bytes(free)),
        ),
        Err(error) => {
            let otherwise = "Make it a folder of yours that can be written, or name another in \
                             XDG_STATE_HOME.";
            unwritable("state folder", &error, otherwise)
        }
    }
}

/// A folder that something is written in, told of only where that fails. `otherwise`: what to do
/// where the disk has room.
pub fn folder(name: &'static str, folder: &Path, otherwise: &str) -> Option<Check> {
    let error = probe(folder).err()?;
    Some(unwritable(name, &error, otherwise))
}

/// Most that is looked at below a folder for its owner.
const LOOKED_AT: usize = 20_000;

/// What below a folder belongs to another than this user: the first path, and how many there are. Links
/// are not followed.
pub fn foreign(folder: &Path, user: u32) -> Option<(PathBuf, usize)> {
    let mut folders = vec![folder.to_owned()];
    let (mut found, mut count, mut seen) = (None, 0, 0);
    while let Some(folder) = folders.pop() {
        // One that may not be listed is itself another's.
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries.take(LOOKED_AT - seen) {
            seen += 1;
            let Ok(is) = entry.metadata() else { continue };
            if is.uid() != user {
                count += 1;
                found.get_or_insert_with(|| entry.path());
            }
            if is.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    found.map(|first| (first, count))
}

fn unwritable(name: &'static str, error: &anyhow::Error, otherwise: &str) -> Check {
    let is_full = |cause: &std::io::Error| cause.kind() == std::io::ErrorKind::StorageFull;
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    let hint = match causes.any(is_full) {
        true => "The disk is full. Make room on it.",
        false => otherwise,
    };
    let mut check = Check::bad(name, error);
    check.hint = hint.to_owned();
    check
}

/// Writes in a folder for real. How much room there is, bytes.
fn probe(folder: &Path) -> Result<u64> {
    private::folder(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    let file = folder.join(format!(".probe-{}", std::process::id()));
    let written = std::fs::write(&file, b"probe");
    // A full disk takes the name and not the text.
    let removed = match file.exists() {
        true => std::fs::remove_file(&file),
        false => Ok(()),
    };
    written.with_context(|| format!("{} cannot be written", folder.display()))?;
    removed.with_context(|| format!("{} cannot be removed", file.display()))?;
    free_space(folder)
}

fn free_space(folder: &Path) -> Result<u64> {
    let space = rustix::fs::statvfs(folder)
        .with_context(|| format!("the free space of {} is unknown", folder.display()))?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// The kernel feature that file tools cannot do without.
pub fn kernel(workspace: &Path) -> Check {
    use rustix::fs::{Mode as FileMode, OFlags, ResolveFlags, open, openat2};
    let attempt = open(
        workspace,
        OFlags::PATH | OFlags::DIRECTORY,
        FileMode::empty(),
    )
    .and_then(|root| {
        openat2(
            root,
            ".",
            OFlags::PATH,
            FileMode::empty(),
            ResolveFlags::BENEATH,
        )
    });
    match attempt {
        Ok(_opened) => Check::ok("kernel", "openat2 resolves paths beneath a folder"),
        Err(error) => Check {
            name: "kernel",
            state: State::Bad,
            detail: format!("openat2 is not available: {error}"),
            hint: "File tools need Linux 5.6 or later, and a sandbox that allows openat2."
                .to_owned(),
        },
    }
}

/// Whether the clock can be right.
pub fn clock() -> Check {
    let now = jiff::Timestamp::now();
    // Ids and records carry the time; a clock before this release is certainly wrong.
    match now.as_second() > 1_760_000_000 {
        true => Check::ok("clock", moments::second(now, &TimeZone::system())),
        false => Check::note(
            "clock",
            format!("it says {}", moments::second(now, &TimeZone::system())),
            "Set the clock; records carry it.",
        ),
    }
}
