//! `carl policy`: what the policy says, and the policy as a guard for other programs.

use super::Setting;
use super::explained::explained;
use super::serve::{Role, listen, locked, until_stopped};
use crate::profile;
use crate::wiring::House;
use anyhow::{Context, Result};
use api::broker::ErrorKind;
use command_line::{
    ExplainArgs, ForgetArgs, GrantsArgs, GuardArgs, NotesArgs, PolicyCommand, SessionFlags,
};
use config::Project;
use domain::Timestamp;
use domain::decision::Verdict;
use domain::lineage::AgentType;
use domain::settings::Attendance;
use grpc::server::Builder;
use guard::Rules;
use rendering::fit::width;
use rendering::{Paint, print};
use serde_json::Value;
use std::io::{self, BufReader};
use std::sync::Arc;
use terminal::exit::{Exit, Failure, OrFail};
use terminal::folders;
use terminal::notes::{self, Vouched};
use terminal::rights;
use terminal::sessions::find;
use terminal::tool_tables::read_table;
use text::escape::{quoted_argv, visible_json, visible_line};

/// Runs a command of the policy.
///
/// # Errors
/// As each command says.
pub async fn policy(command: PolicyCommand) -> Result<Exit> {
    match command {
        PolicyCommand::Explain(args) => explain(args).await,
        PolicyCommand::Replay(args) => super::replay::replay(args).await,
        PolicyCommand::Grants(args) => grants(&args).await,
        PolicyCommand::Serve(args) => serve(args).await,
        PolicyCommand::Folders(args) => folders::list(&Setting::plain()?.open_folders(), args.json),
        PolicyCommand::Forget(args) => forget(&args).await,
        PolicyCommand::Trust(args) => trust(&args).await,
        PolicyCommand::Distrust(args) => distrust(&args).await,
        PolicyCommand::Trusted(args) => {
            notes::list(&vouched(&Setting::plain()?), args.json)?;
            Ok(Exit::Success)
        }
    }
}

/// Lists what the user allowed for the rest of a session.
///
/// # Errors
/// When no house that can be reached holds the session.
async fn grants(args: &GrantsArgs) -> Result<Exit> {
    let setting = Setting::plain()?;
    folders::show_remembered(&setting.open_folders())?;
    let house = House::open_for_upkeep(&setting).await?;
    let listed = list_grants(&house, args, &setting).await;
    house.close(listed).await
}

async fn list_grants(house: &House, args: &GrantsArgs, setting: &Setting) -> Result<Exit> {
    let sessions = house.sessions.as_ref();
    let found = find(sessions, &args.session, &setting.workspace).await?;
    let id = found.session_id;
    let grants = match house.guard.control.list_grants(id).await {
        Err(error) if error.kind == ErrorKind::UnknownSession => {
            print(&format!(
                "Session {id} is not open: what was allowed for it ended with it.\n"
            ))?;
            return Ok(Exit::Success);
        }
        grants => grants.or_fail()?,
    };
    rights::grants(&grants)?;
    Ok(Exit::Success)
}

/// Takes a folder from those that are open for writing for good.
///
/// # Errors
/// A usage failure when it is not among them.
async fn forget(args: &ForgetArgs) -> Result<Exit> {
    let setting = Setting::plain()?;
    let list = setting.open_folders();
    let folder = folders::remembered(&list, &args.folder)?;
    let house = House::open_for_upkeep(&setting).await?;
    let forgotten = folders::forget(&list, house.audit.as_ref(), &folder).await;
    house.close(forgotten).await?;
    Ok(Exit::Success)
}

fn vouched(setting: &Setting) -> Vouched {
    Vouched::below(&setting.paths.state)
}

/// Says that the version of a file that is there now is to be trusted.
///
/// # Errors
/// A usage failure when it is no file of project notes that can be used.
async fn trust(args: &NotesArgs) -> Result<Exit> {
    let file = notes::usable(&args.file)?;
    let checks = match file.name == notes::PROJECT_FILE {
        true => Project::parse(&file.path, file.text.as_bytes())?.checks(&file.path)?,
        false => Vec::new(),
    };
    if !checks.is_empty() {
        let lines = checks
            .iter()
            .map(|argv| format!("  {}\n", visible_line(&quoted_argv(argv))));
        let lines: String = lines.collect();
        print(&format!(
            "After each batch of changes that an agent makes, these run in the sandbox without a \
             question, with the folder open for writing:\n{lines}"
        ))?;
    }
    let setting = Setting::plain()?;
    let house = House::open_for_upkeep(&setting).await?;
    let trusted = notes::trust(&vouched(&setting), house.audit.as_ref(), &file).await;
    house.close(trusted).await?;
    Ok(Exit::Success)
}

/// Takes back what was said of every version of a file.
///
/// # Errors
/// A usage failure when nothing was.
async fn distrust(args: &NotesArgs) -> Result<Exit> {
    let setting = Setting::plain()?;
    let path = notes::spoken_of(&vouched(&setting), &args.file)?;
    let house = House::open_for_upkeep(&setting).await?;
    let forgotten = notes::distrust(&vouched(&setting), house.audit.as_ref(), &path).await;
    house.close(forgotten).await?;
    Ok(Exit::Success)
}

/// Guards other programs: one until its output ends, or at an address any number until Ctrl-C.
///
/// # Errors
/// When a table or the address cannot be used, or input or output fails.
async fn serve(args: GuardArgs) -> Result<Exit> {
    let mut rules = Rules {
        auto_approve: args.yes.iter().map(|effect| (*effect).into()).collect(),
        calls_per_task: args.calls,
        ..Rules::default()
    };
    for path in &args.tables {
        rules.table.overlay(read_table(path)?);
    }
    if let Some(address) = &args.listen {
        let address = listen(address)?;
        locked(&address, args.trust_network)?;
        let service = guard::Service::new(rules, Timestamp::now);
        let offer = Builder::new().guard(Arc::new(service));
        // It has nothing of the state folder.
        let role = Role {
            what: "the guard",
            state: None,
            announce: |_: &str| None,
        };
        return until_stopped(offer, &address, role).await;
    }
    tokio::task::spawn_blocking(move || lines(&rules))
        .await
        .context("the guard broke down")?
}

fn lines(rules: &Rules) -> Result<Exit> {
    let input = BufReader::new(io::stdin().lock());
    guard::serve(rules, input, io::stdout().lock(), Timestamp::now)
        .context("the conversation with the guarded program ended")?;
    Ok(Exit::Success)
}

/// Prints what every layer says to a call.
///
/// # Errors
/// When the arguments are not a JSON object or the agent type is unknown.
async fn explain(args: ExplainArgs) -> Result<Exit> {
    let ExplainArgs {
        agent_type,
        tool,
        arguments,
        attended,
        json: as_json,
        ceiling,
    } = args;
    let setting = Setting::read(&SessionFlags {
        ceiling: ceiling.clone(),
        ..SessionFlags::default()
    })?;
    let arguments: Value = serde_json::from_str(&arguments).map_err(|error| {
        Failure::usage(
            format!("the arguments are not JSON: {error}"),
            r#"Write, for example: carl policy explain coder read_file '{"path": "notes.md"}'"#,
        )
    })?;
    let mut settings = profile::settings(&ceiling, &setting.loaded.config, &setting.workspace)?;
    settings.attendance = if attended {
        Attendance::Attended
    } else {
        Attendance::Unattended
    };
    let agent_type = AgentType::new(agent_type).map_err(|error| {
        Failure::usage(error.to_string(), "`carl agents` lists the agent types.")
    })?;
    let house = House::look(&setting).await?;
    let control = house.guard.control.as_ref();
    let decision = explained(control, agent_type, (&tool, arguments), settings).await?;
    if as_json {
        print(&visible_json(&format!(
            "{}\n",
            serde_json::to_string_pretty(&decision)?
        )))?;
    } else {
        let stdout = std::io::stdout();
        let paint = Paint::for_stream(&stdout);
        print(&rights::explained(&decision, paint, width(&stdout)))?;
    }
    Ok(if decision.verdict == Verdict::Deny {
        Exit::Denied
    } else {
        Exit::Success
    })
}
