//! `carl undo`: takes back what a session's last request changed in files, through the guard like any other change.

use super::changed::{self, newest_changed, target};
use super::{Setting, run};
use crate::wiring::House;
use anyhow::{Context, Result};
use command_line::{RunArgs, SessionFlags, UndoArgs};
use disk::read::{Links, bytes};
use domain::hash::Digest;
use domain::id::{CallId, SessionId};
use domain::limits::{FILE_READ_BYTES, PLAN_ACTIONS};
use domain::tool::UNDO;
use files::{Left, LeftFile, UndoStep};
use rendering::{print, print_error};
use std::collections::BTreeSet;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use terminal::exit::{Exit, Failure};
use terminal::sessions;
use terminal::yes_or_no::is_yes;
use text::escape::{quoted_argv, visible, visible_line};

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
    let setting = Setting::read(&flags)?;
    let named = args.session.as_deref();
    let histories = changed::histories(&setting, named).await?;
    let skipped: Vec<PathBuf> = args
        .skip
        .iter()
        .map(std::path::absolute)
        .collect::<Result<_, _>>()?;
    if !skipped.is_empty() && !has_change_beside(&histories, &skipped)? {
        let is_any = has_change_beside(&histories, &[])?;
        return Err(nothing_beside(is_any).into());
    }
    for file in &skipped {
        pass_over(&histories, file)?;
    }
    let target = loop {
        let target = target(flags.clone(), named).await?;
        let next = files::next_undone(&changed::history_of(&setting, target.session_id));
        let next = next.unwrap_or_default();
        let is_of_many = next.len() > 1;
        let Some((next, why)) = next.into_iter().find_map(|next| {
            let why = why_not_undone(&next)?;
            Some((next, why))
        }) else {
            break target;
        };
        refuse_overtaken(&setting, &next, target.session_id).await?;
        let rest = match (
            is_of_many,
            has_change_beside(&histories, std::slice::from_ref(&next.path))?,
        ) {
            (true, _) => Rest::OfStep,
            (false, true) => Rest::Older,
            (false, false) => Rest::Nothing,
        };
        match choice(&next, &why, rest)? {
            Choice::Leave => {}
            Choice::Stop => return stopped(&next, named),
            Choice::Unasked => break target,
        }
        // The next may be an older session's.
        pass_over(&histories, &next.path)?;
    };
    let steps = steps(
        &changed::history_of(&setting, target.session_id),
        &target.calls,
    )?;
    run::run(RunArgs {
        input: None,
        task: vec![vec![UNDO; steps].join("; ")],
        json: false,
        events: false,
        session_named: None,
        session_id: Some(target.session_id),
        session: target.flags,
    })
    .await
}

/// What one command takes back of a request.
struct Reach {
    /// How many undos: as many as one plan has and as can be taken back together, and at least one, which
    /// says itself what stands in its way.
    steps: usize,
    /// The file that stands in the way of more.
    stops_at: Option<String>,
}

/// How many undos the command asks for. What stands in the way of more is said.
fn steps(history: &Path, calls: &BTreeSet<CallId>) -> Result<usize> {
    let Reach { steps, stops_at } = reach(history, calls);
    if let Some(why) = stops_at.filter(|_| steps > 0) {
        print_error(&format!(
            "note: {why} What the request changed before that stays.\n"
        ))?;
    }
    Ok(steps.max(1))
}

/// How much of what a request changed is taken back together.
fn reach(history: &Path, calls: &BTreeSet<CallId>) -> Reach {
    let mut known: BTreeSet<PathBuf> = BTreeSet::new();
    let mut reach = Reach {
        steps: 0,
        stops_at: None,
    };
    let steps = files::undo_steps(history).unwrap_or_default();
    let is_of_request = |step: &&UndoStep| step.call.is_some_and(|call| calls.contains(&call));
    for step in steps.iter().take_while(is_of_request).take(PLAN_ACTIONS) {
        // What the disk says of a file or a folder that a later change is of comes back with that.
        let is_known = |file: &LeftFile| match file.after {
            Left::File(_) => known.contains(&file.path),
            Left::Folder => known.iter().any(|path| path.starts_with(&file.path)),
        };
        let blocked = step.files.iter().filter(|file| !is_known(file));
        let mut blocked = blocked.filter_map(|file| Some((file, why_not_undone(file)?)));
        if let Some((file, why)) = blocked.next() {
            let shown = visible_line(&file.path.to_string_lossy());
            reach.stops_at = Some(format!("{shown} {why}"));
            break;
        }
        known.extend(step.paths.iter().cloned());
        reach.steps += 1;
    }
    reach
}

/// Whether one of these histories has a change to take back that is of none of these files.
fn has_change_beside(histories: &[PathBuf], files: &[PathBuf]) -> Result<bool> {
    let real = files
        .iter()
        .filter_map(|file| std::fs::canonicalize(file).ok());
    let files: Vec<PathBuf> = files.iter().cloned().chain(real).collect();
    for history in histories {
        let has = files::has_change_beside(history, &files);
        if has.map_err(|failure| anyhow::anyhow!(failure.message))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What is said where only what is to be left could be taken back, or nothing at all: all of it stays
/// as it was.
fn nothing_beside(is_any: bool) -> Failure {
    match is_any {
        true => Failure::usage(
            "--skip: there is no other change to take back, so nothing was done",
            "`carl undo` without --skip says what stands in the way of this one; `carl undo --print` \
             prints what the file held before.",
        ),
        false => Failure::usage(
            "--skip: there is no change to take back, so nothing was done",
            "`carl session list` shows all sessions; `carl undo ID` names one.",
        ),
    }
}

/// Has undos leave a file as it is.
fn pass_over(histories: &[PathBuf], file: &Path) -> Result<()> {
    let shown = visible_line(&file.to_string_lossy());
    let real = std::fs::canonicalize(file).ok();
    let mut count = 0;
    for name in [Some(file.to_owned()), real].into_iter().flatten() {
        for history in histories {
            let passed = files::pass_over(history, &name);
            count += passed.map_err(|failure| anyhow::anyhow!(failure.message))?;
        }
    }
    if count == 0 {
        return Err(Failure::usage(
            format!("--skip: there is no change of {shown} to undo"),
            "The refused undo names the file.",
        )
        .into());
    }
    Ok(print_error(&format!("{shown} stays as it is.\n"))?)
}

/// Where another session changed the file since, that change is the one to take back first.
async fn refuse_overtaken(setting: &Setting, next: &LeftFile, session_id: SessionId) -> Result<()> {
    let Ok(Some(now)) = bytes(&next.path, FILE_READ_BYTES, Links::Followed) else {
        return Ok(());
    };
    let now = Digest::of(&now);
    let is_later = |id: &SessionId| {
        *id != session_id && files::left_so(&changed::history_of(setting, *id), &next.path, now)
    };
    let Some(later) = changed::here(setting).await?.into_iter().find(is_later) else {
        return Ok(());
    };
    Err(Failure::usage(
        format!(
            "{} was changed since by session {later}",
            visible_line(&next.path.to_string_lossy())
        ),
        format!("`carl undo {later}` takes that change back; the older one can be undone then."),
    )
    .into())
}

/// What is to be done about a file that undo cannot take back.
enum Choice {
    /// It stays as it is, and an older change is taken back.
    Leave,
    /// Nothing is taken back.
    Stop,
    /// Nobody is here to be asked: the undo itself says what can be done.
    Unasked,
}

/// What could be taken back beside a file that cannot.
#[derive(Clone, Copy)]
enum Rest {
    Nothing,
    /// An older change.
    Older,
    /// The other files of the same change.
    OfStep,
}

/// Asks whether to leave a file that somebody changed as it is, where there is another change.
fn choice(next: &LeftFile, why: &str, rest: Rest) -> Result<Choice> {
    if !std::io::stdin().is_terminal() {
        return Ok(Choice::Unasked);
    }
    let file = visible_line(&next.path.to_string_lossy());
    let what = match rest {
        Rest::Nothing => {
            print_error(&format!("{file} {why}\n"))?;
            return Ok(Choice::Stop);
        }
        Rest::Older => "the change before that one",
        Rest::OfStep => "the other files of that change",
    };
    let question = format!("{file} {why}\nLeave it as it is, and take back {what}?");
    Ok(match is_yes(&question)? {
        true => Choice::Leave,
        false => Choice::Stop,
    })
}

/// Says that nothing was taken back, and how to come by the earlier text.
fn stopped(next: &LeftFile, session: Option<&str>) -> Result<Exit> {
    print_error("Nothing was taken back.\n")?;
    if next.before.is_some() {
        let undo = ["carl", "undo"].into_iter().chain(session);
        let line: Vec<&str> = undo.chain(["--print"]).collect();
        print_error(&format!(
            "  `{}` prints what the file held before.\n",
            quoted_argv(&line)
        ))?;
    }
    Ok(Exit::Denied)
}

/// What is said of a folder that is not empty, and of a file that is gone, holds neither what the
/// change left nor what was there before, or that a link leads away from. One that cannot be read is
/// for the undo to tell.
fn why_not_undone(file: &LeftFile) -> Option<String> {
    let tool = visible_line(&file.tool);
    if std::fs::canonicalize(&file.path).is_ok_and(|real| real != file.path) {
        return Some(format!(
            "leads through a link to another place than {tool} changed, so that change cannot be \
             taken back."
        ));
    }
    let Left::File(after) = file.after else {
        let mut entries = std::fs::read_dir(&file.path).ok()?;
        let is_empty = entries.next().is_none();
        return (!is_empty)
            .then(|| format!("is not empty, so what {tool} made cannot be removed."));
    };
    let facts = std::fs::symlink_metadata(&file.path);
    let is_gone = facts.is_err_and(|error| error.kind() == ErrorKind::NotFound);
    if is_gone && file.before.is_some() {
        return Some(format!(
            "was removed since {tool} changed it, so that change cannot be taken back."
        ));
    }
    let is_other = |facts: std::fs::Metadata| !facts.is_file();
    let has_changed = std::fs::symlink_metadata(&file.path).is_ok_and(is_other)
        || match bytes(&file.path, FILE_READ_BYTES, Links::Followed) {
            Ok(Some(bytes)) => {
                let now = Digest::of(&bytes);
                now != after && Some(now) != file.before
            }
            Ok(None) | Err(_) => false,
        };
    has_changed.then(|| {
        format!("has changed since {tool} changed it: to undo that would lose what is newer.")
    })
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
    let history = changed::history_of(&setting, session_id);
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
        stdout
            .write_all(&bytes)
            .and_then(|()| stdout.flush())
            .context("standard output cannot be written")?;
    }
    Ok(Exit::Success)
}
