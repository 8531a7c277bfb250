//! `carl diff`: what a session changed in files and did not take back.

use super::Setting;
use super::changed::{history_of, newest_changed};
use crate::wiring::House;
use anyhow::Result;
use command_line::{DiffArgs, SessionFlags};
use rendering::{Paint, print, print_error};
use std::io::IsTerminal as _;
use terminal::exit::Exit;
use terminal::session_changes::{FileChange, lines_of, stat_of};
use terminal::sessions;

/// Prints the difference: on a terminal painted and harmless to it, else as a patch, byte for byte. Ends
/// with [`Exit::Partial`] where of some file it cannot be told what it held before.
///
/// # Errors
/// When there is no such session, or none that changed a file, or its history cannot be read.
pub async fn diff(args: DiffArgs) -> Result<Exit> {
    let setting = Setting::read(&SessionFlags::default())?;
    let house = House::look(&setting).await?;
    let sessions = house.sessions.as_ref();
    let chosen = match args.session.as_deref() {
        Some(part) => sessions::find(sessions, part, &setting.workspace).await?,
        None => newest_changed(sessions, &setting).await?.0,
    };
    let history = history_of(&setting, chosen.session_id);
    let changes = of_history(&history, &chosen.workspace)?;
    if changes.is_empty() {
        print_error("This session changed no file, or took it all back.\n")?;
        return Ok(Exit::Success);
    }
    for said in changes.iter().flat_map(|change| change.said()) {
        print_error(&format!("{said}\n"))?;
    }
    let stdout = std::io::stdout();
    match (args.stat, stdout.is_terminal()) {
        (true, _) => print(&stat_of(&changes))?,
        (false, true) => print(&lines_of(&changes, Paint::for_stream(&stdout)))?,
        (false, false) => print_patch(&changes)?,
    }
    Ok(
        match changes.iter().any(|change| change.problem.is_some()) {
            true => Exit::Partial,
            false => Exit::Success,
        },
    )
}

/// What git can apply, and the names of what it cannot.
fn print_patch(changes: &[FileChange]) -> Result<()> {
    for change in changes {
        print(&change.patch)?;
        if change.patch.is_empty() && change.problem.is_none() {
            let words = "cannot stand in a patch; a terminal shows it";
            print_error(&format!("note: {} {words}\n", change.name))?;
        }
    }
    Ok(())
}

/// What stands in a session's undo history, by its folder, as a surface shows it.
///
/// # Errors
/// When the history cannot be read.
pub(super) fn of_history(
    history: &std::path::Path,
    folder: &std::path::Path,
) -> Result<Vec<FileChange>> {
    let changes = files::net_changes(history, folder);
    let changes = changes.map_err(|failure| anyhow::anyhow!(failure.message))?;
    let shown = changes.into_iter().map(|change| FileChange {
        name: change.name,
        diff: change.diff,
        patch: change.patch,
        problem: change.problem,
        is_changed_since: change.is_changed_since,
    });
    Ok(shown.collect())
}
