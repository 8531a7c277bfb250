//! `carl run`: what a task needs, for the terminal to work on it.

use super::host::CommandHost;
use super::{Setting, changed, named};
use crate::profile;
use anyhow::Result;
use command_line::RunArgs;
use domain::settings::Mode;
use rendering::print_error;
use settings::By;
use terminal::exit::{Exit, describe};
use terminal::run::{RunForm, RunRequest, TaskSource, attendance, print_failure};
use terminal::undo::is_asked_by;

/// Runs the task. With `--json` even a failure to begin is one JSON object.
///
/// # Errors
/// When it could not begin and there is no JSON to say so.
pub async fn run(args: RunArgs) -> Result<Exit> {
    let as_json = args.json;
    match Box::pin(attempt(args)).await {
        Err(error) if as_json => {
            let (exit, fault) = describe(&error);
            print_failure(fault)?;
            Ok(exit)
        }
        other => other,
    }
}

/// Whether a task is the order to take the last change back, which the rules do.
fn is_undo(mode: Mode, task: &str) -> bool {
    matches!(mode, Mode::Deterministic | Mode::Adaptive) && is_asked_by(task)
}

async fn attempt(mut args: RunArgs) -> Result<Exit> {
    let source = TaskSource {
        words: args.task.clone(),
        input: args.input.clone(),
        folder: args.session.ceiling.workspace.clone(),
    };
    let text = source.task()?;
    let input = source.input()?;
    let mut setting = Setting::read(&args.session)?;
    let mode = args.session.mode.map(Mode::from);
    let mode = mode.unwrap_or(setting.loaded.config.chat.default_mode);
    if let Some(typed) = &args.session_named {
        args.session_id = Some(match typed.parse() {
            Ok(whole) => whole,
            Err(_part) => named::named(&setting, typed).await?.session_id,
        });
    }
    // A session of its own has nothing to take back: the folder's last change is meant.
    if args.session_id.is_none() && is_undo(mode, &text) {
        let target = changed::target(args.session, None).await?;
        print_error(&format!("undo in session {}\n", target.session_id))?;
        args.session_id = Some(target.session_id);
        args.session = target.flags;
    }
    let mut flags = args.session.clone();
    if let Some(session_id) = args
        .session_id
        .filter(|_| flags.ceiling.workspace.is_none())
    {
        flags.ceiling.workspace = Some(named::folder_of(&setting, session_id).await?);
        setting = setting.again(&flags)?;
    }
    if let Some(session_id) = args.session_id {
        let provider = named::provider_of(&setting, session_id, &flags).await?;
        if provider != flags.provider {
            flags.provider = provider;
            flags.is_provider_of_session = true;
            setting = setting.again(&flags)?;
        }
    }
    let pictures = source.pictures(&text, &setting.workspace)?;
    let form = form(&args);
    let attendance = attendance(&source, form);
    let profile = setting.profile(&args.session, attendance)?;
    let request = RunRequest {
        source,
        text,
        input,
        pictures,
        profile: profile::requested(profile, &args.session),
        session_id: args.session_id,
        form,
        typed: std::env::args_os()
            .skip(1)
            .map(|word| word.to_string_lossy().into_owned())
            .collect(),
    };
    let mut host = CommandHost::open(setting, flags, (By::Command, attendance)).await?;
    // A session that goes on keeps its own.
    let checked = match request.session_id {
        Some(_) => Ok(()),
        None => host.check_agent().await,
    };
    let outcome = match checked {
        Ok(()) => terminal::run::run(&mut host, request).await,
        Err(error) => Err(error),
    };
    host.close(outcome).await
}

const fn form(args: &RunArgs) -> RunForm {
    match (args.json, args.events) {
        (true, _) => RunForm::Json,
        (false, true) => RunForm::Events,
        (false, false) => RunForm::Text,
    }
}
