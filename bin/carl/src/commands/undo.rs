//! `carl undo`: takes back a session's last file change, through the guard like any other change.

use super::{Setting, run, session};
use crate::cli::{ModeArg, RunArgs, UndoArgs};
use crate::exit::{Exit, OrFail};
use crate::wiring::House;
use anyhow::Result;

/// Finds the session and has it undo.
///
/// # Errors
/// When there is no such session.
pub async fn undo(args: UndoArgs) -> Result<Exit> {
    let setting = Setting::read(&args.flags)?;
    let known = House::look(&setting)
        .await?
        .sessions
        .list()
        .await
        .or_fail()?;
    let prefix = args.session.unwrap_or_default();
    let session_id = session::find(&known, &prefix, &setting.workspace)?.session_id;
    let mut flags = args.flags;
    flags.mode = Some(ModeArg::Deterministic);
    run::run(RunArgs {
        task: vec!["undo".to_owned()],
        json: false,
        events: false,
        session_id: Some(session_id),
        session: flags,
    })
    .await
}
