//! `carl undo`: takes back a session's last file change, through the guard like any other change.

use super::changed::{newest_changed, target};
use super::{Setting, run};
use crate::cli::{RunArgs, SessionFlags, UndoArgs};
use crate::wiring::House;
use anyhow::Result;
use std::io::{IsTerminal as _, Write as _};
use terminal::exit::{Exit, Failure};
use terminal::render::{print, print_error};
use terminal::sessions;
use text::escape::visible;

/// Has a session undo.
///
/// # Errors
/// When there is no such session, or none that has something to take back.
pub async fn undo(args: UndoArgs) -> Result<Exit> {
    let flags = SessionFlags {
        ceiling: args.ceiling,
        approve: args.approve,
        ..SessionFlags::default()
    };
    if args.print {
        return print_before(&flags, args.session.as_deref()).await;
    }
    let (session_id, flags) = target(flags, args.session.as_deref()).await?;
    run::run(RunArgs {
        input: None,
        task: vec![terminal::undo::UNDO.to_owned()],
        json: false,
        events: false,
        session_named: None,
        session_id: Some(session_id),
        session: flags,
    })
    .await
}

/// Prints what a file held before the last change to it, for who changed it by hand since.
async fn print_before(flags: &SessionFlags, session: Option<&str>) -> Result<Exit> {
    let setting = Setting::read(flags)?;
    let house = House::look(&setting).await?;
    let sessions = house.sessions.as_ref();
    let session_id = match session {
        Some(part) => {
            let found = sessions::find(sessions, part, &setting.workspace).await?;
            found.session_id
        }
        None => newest_changed(sessions, &setting).await?.0.session_id,
    };
    let history = setting.paths.undo().join(session_id.to_string());
    let before = files::before_last_change(&history);
    let before = before.map_err(|failure| anyhow::anyhow!(failure.message))?;
    let Some((path, bytes)) = before else {
        return Err(Failure::usage(
            "the last change replaced and deleted no file, so there is no text before it",
            "`carl undo` takes it back; `carl undo ID --print` looks at another session.",
        )
        .into());
    };
    print_error(&format!(
        "{} as it was:\n",
        visible(&path.to_string_lossy())
    ))?;
    let mut stdout = std::io::stdout();
    if stdout.is_terminal() {
        // What is in a file must not control the terminal.
        print(&visible(&String::from_utf8_lossy(&bytes)))?;
    } else {
        stdout.write_all(&bytes).and_then(|()| stdout.flush())?;
    }
    Ok(Exit::Success)
}
