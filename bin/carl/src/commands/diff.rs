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

/// Prints the difference: on a terminal painted and harmless to it, else as it stands in the files.
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
    for change in changes.iter().filter(|change| change.is_changed_since) {
        print_error(&format!("{}\n", change.said_since()))?;
    }
    let stdout = std::io::stdout();
    match (args.stat, stdout.is_terminal()) {
        (true, _) => print(&stat_of(&changes))?,
        (false, true) => print(&lines_of(&changes, Paint::for_stream(&stdout)))?,
        (false, false) => changes.iter().try_for_each(|change| print(&change.diff))?,
    }
    Ok(Exit::Success)
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
        is_changed_since: change.is_changed_since,
    });
    Ok(shown.collect())
}
