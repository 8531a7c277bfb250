//! `carl undo`: takes back a session's last file change, through the guard like any other change.

use super::changed::{newest_changed, target};
use super::{Setting, run};
use crate::cli::{RunArgs, SessionFlags, UndoArgs};
use crate::wiring::House;
use anyhow::{Context as _, Result};
use domain::hash::Digest;
use domain::tool::UNDO;
use files::LeftFile;
use std::io::{BufRead as _, ErrorKind, IsTerminal as _, Write as _};
use std::path::Path;
use terminal::exit::{Exit, Failure};
use terminal::render::{print, print_error};
use terminal::sessions;
use text::escape::{visible, visible_line};

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
    let setting = Setting::read(&flags)?;
    let history = setting.paths.undo().join(session_id.to_string());
    for file in &args.skip {
        pass_over(&history, &std::path::absolute(file)?)?;
    }
    pass_over_asked(&history)?;
    run::run(RunArgs {
        input: None,
        task: vec![UNDO.to_owned()],
        json: false,
        events: false,
        session_named: None,
        session_id: Some(session_id),
        session: flags,
    })
    .await
}

/// Has undos of a session leave a file as it is.
fn pass_over(history: &Path, file: &Path) -> Result<()> {
    let real = std::fs::canonicalize(file).ok();
    let mut names = [Some(file.to_owned()), real].into_iter().flatten();
    let passed = names.find_map(|name| match files::pass_over(history, &name) {
        Ok(0) => None,
        told => Some(told),
    });
    match passed {
        Some(Ok(_count)) => Ok(print_error(&format!(
            "{} stays as it is.\n",
            visible_line(&file.to_string_lossy())
        ))?),
        Some(Err(failure)) => Err(anyhow::anyhow!(failure.message)),
        None => Err(Failure::usage(
            format!(
                "--skip: the session has no change of {} to undo",
                visible_line(&file.to_string_lossy())
            ),
            "The refused undo names the file.",
        )
        .into()),
    }
}

/// While somebody changed the file that would be put back next, asks whether to leave it as it is.
/// Without anybody to ask, the undo itself says what can be done.
fn pass_over_asked(history: &Path) -> Result<()> {
    let stdin = std::io::stdin();
    while stdin.is_terminal()
        && let Ok(Some(next)) = files::next_undone(history)
        && let Some(why) = why_not_undone(&next)
    {
        print_error(&format!(
            "{} {why}\n\
             Leave it as it is, and take back the older change of another file? [y/N] ",
            visible_line(&next.path.to_string_lossy()),
        ))?;
        let mut line = String::new();
        stdin
            .lock()
            .read_line(&mut line)
            .context("the answer cannot be read")?;
        if !matches!(line.trim(), "y" | "Y" | "yes") {
            return Ok(());
        }
        pass_over(history, &next.path)?;
    }
    Ok(())
}

/// What is said of a file that holds neither what the change left nor what was there before, or that
/// a link leads away from. One that cannot be read is for the undo to tell.
fn why_not_undone(file: &LeftFile) -> Option<String> {
    let tool = visible_line(&file.tool);
    if std::fs::canonicalize(&file.path).is_ok_and(|real| real != file.path) {
        return Some(format!(
            "leads through a link to another place than {tool} changed."
        ));
    }
    let is_other = |facts: std::fs::Metadata| !facts.is_file();
    let has_changed = std::fs::symlink_metadata(&file.path).is_ok_and(is_other)
        || match std::fs::read(&file.path) {
            Ok(bytes) => {
                let now = Digest::of(&bytes);
                now != file.after && Some(now) != file.before
            }
            Err(error) => error.kind() == ErrorKind::NotFound && file.before.is_some(),
        };
    has_changed
        .then(|| format!("has changed since {tool} changed it; undo would lose that newer change."))
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
        visible_line(&path.to_string_lossy())
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
