//! `list_files`.

use crate::arguments::{self, SortOrder};
use crate::failure::NOT_FOUND;
use crate::job::Job;
use crate::look::{entry_kind, joined, lines_or};
use crate::record::{EntryKind, ListFiles, ListedEntry};
use crate::walk::{End, Entry, Ignore, Step, Walk};
use api::executor::ToolFailure;
use api::failure::mendable;
use domain::limits::{LISTING_ENTRIES, WALK_DEPTH};
use domain::tool::ToolOutput;
use rustix::fs::{AtFlags, FileType};
use std::cmp::Reverse;

pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let wanted: arguments::ListFiles = job.call.parse_arguments()?;
    let place = job.read_place("path")?;
    let typed = job.typed("path");
    let folder = place.reach_folder();
    let folder = folder.map_err(|failure| without_folder(failure, &typed))?;
    let depth = match (wanted.recursive, wanted.depth) {
        (_, Some(depth)) => depth.clamp(1, WALK_DEPTH),
        (true, None) => WALK_DEPTH,
        (false, None) => 1,
    };
    let walk = Walk {
        place: &place,
        leash: job.leash,
        depth,
        ignore: if depth > 1 {
            Ignore::AsGit
        } else {
            Ignore::Nothing
        },
    };
    let mut entries = Vec::new();
    let end = walk.run(&folder, &mut |entry| {
        if wanted.sort == SortOrder::Name && entries.len() >= LISTING_ENTRIES {
            return Ok(Step::Stop);
        }
        job.leash
            .tell(|| format!("{} entries so far", entries.len()));
        entries.push(listed(entry, &typed));
        Ok(Step::Go)
    })?;
    let mut truncated = end == End::Part;
    if wanted.sort == SortOrder::Size {
        entries.sort_by_key(|entry| Reverse(entry.bytes));
        truncated |= entries.len() > LISTING_ENTRIES;
        entries.truncate(LISTING_ENTRIES);
    }
    let text = lines_or(entries.iter().map(line), "The folder is empty.", truncated);
    let data = ListFiles {
        path: typed.clone(),
        entries,
        truncated,
    };
    job.output(&data, text, &typed)
}

/// What helps here is not to list files.
fn without_folder(failure: ToolFailure, typed: &str) -> ToolFailure {
    if failure.rule != NOT_FOUND {
        return failure;
    }
    mendable(
        NOT_FOUND,
        format!(
            "There is no folder `{typed}` here. Name one that is here, or none at all to list this one."
        ),
    )
}

fn listed(entry: &Entry<'_>, typed: &str) -> ListedEntry {
    let stat = rustix::fs::statat(entry.folder, entry.name, AtFlags::SYMLINK_NOFOLLOW).ok();
    let modified = stat.as_ref().and_then(|stat| {
        let nanos = i32::try_from(stat.st_mtime_nsec).unwrap_or(0);
        jiff::Timestamp::new(stat.st_mtime, nanos).ok()
    });
    let bytes = stat
        .as_ref()
        .map_or(0, |stat| u64::try_from(stat.st_size).unwrap_or(0));
    ListedEntry {
        name: entry.name.to_string_lossy().into_owned(),
        path: joined(typed, entry.path),
        kind: entry_kind(entry.kind),
        bytes: if entry.kind == FileType::RegularFile {
            bytes
        } else {
            0
        },
        modified: modified.map(|time| time.to_string()),
    }
}

fn line(entry: &ListedEntry) -> String {
    match entry.kind {
        EntryKind::File => format!("{} ({} bytes)", entry.path, entry.bytes),
        EntryKind::Folder => format!("{}/", entry.path),
        EntryKind::Link => format!("{} (link)", entry.path),
        EntryKind::Other => format!("{} (neither file nor folder)", entry.path),
    }
}
