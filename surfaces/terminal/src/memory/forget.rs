//! `carl memory forget`: what goes, what was searched for it, and what is not memory's to remove.

use super::Memories;
use crate::exit::{Exit, not_remembered};
use crate::yes_or_no::{is_yes, needs_somebody};
use anyhow::Result;
use api::memory::{Stored, WriteEntry};
use domain::id::MemoryId;
use rendering::memory as render;
use rendering::{Paint, print, print_error};
use std::path::Path;

/// Asks, forgets, and tells. `logs`: the folder of the logs of sessions.
///
/// # Errors
/// When nobody is there to ask, or a trace is left.
pub async fn forget(memories: &Memories, id: MemoryId, is_sure: bool, logs: &Path) -> Result<Exit> {
    let stored = memories.curator.show(id).await;
    let stored = stored.map_err(|error| not_remembered(&error))?;
    if !is_sure && !asked(&stored)? {
        print_error("Nothing was forgotten.\n")?;
        return Ok(Exit::Denied);
    }
    let forgotten = memories.curator.forget(id).await;
    let forgotten = forgotten.map_err(|error| not_remembered(&error))?;
    let entries = match forgotten.entries {
        1 => "1 entry".to_owned(),
        more => format!("{more} entries (it, and what it corrected)"),
    };
    let searched = format!(
        "Forgotten: {entries}. {} files of memory ({}) were searched",
        forgotten.files,
        render::bytes(forgotten.bytes),
    );
    print(&match &forgotten.held_by {
        Some(held_by) if held_by.entries == 0 => {
            format!("{searched}, and nothing of the text is left in them.\n")
        }
        Some(held_by) => format!(
            "{searched}: what is left of the text is in other entries.\n{}",
            render::holding(held_by)
        ),
        None => format!(
            "{searched}: what is left of the text is in other entries, if there are such; which \
             say the same could not be looked up.\n"
        ),
    })?;
    print_error(&elsewhere(logs, &stored))?;
    Ok(Exit::Success)
}

fn asked(stored: &Stored) -> Result<bool> {
    needs_somebody("forgetting")?;
    let paint = Paint::for_stream(&std::io::stderr());
    print_error(&render::entry(stored, paint))?;
    is_yes("It cannot be undone. Forget this, with what it corrected?")
}

/// Where the same words may stand that are no memory: what was said stays said.
fn elsewhere(sessions: &Path, stored: &Stored) -> String {
    match &stored.entry {
        WriteEntry::Engram { session_id, .. } => {
            format!(
                "  What was said is still in the log of session {session_id}, and in the logs of \
                 sessions in which it was recalled, under {}.\n",
                sessions.display()
            )
        }
        WriteEntry::Memory { .. } => format!(
            "  Logs of sessions in which it was saved or recalled are under {}; they are no memory \
             and stay.\n",
            sessions.display()
        ),
    }
}
