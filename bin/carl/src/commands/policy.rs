//! `carl policy`: what the policy says, and the policy as a guard for other programs.

use super::Setting;
use super::serve::{listen, locked, until_stopped};
use super::tools::read_table;
use crate::cli::{ExplainArgs, GrantsArgs, GuardArgs, PolicyCommand, SessionFlags};
use crate::profile;
use crate::wiring::House;
use anyhow::{Context, Result};
use api::broker::ErrorKind;
use domain::Timestamp;
use domain::decision::{Decision, Verdict};
use domain::lineage::AgentType;
use domain::settings::Attendance;
use grpc::server::Builder;
use guard::Rules;
use serde_json::Value;
use std::io::{self, BufReader};
use std::sync::Arc;
use terminal::exit::{Exit, Failure, OrFail, not_explained};
use terminal::render::{Paint, print};
use terminal::sessions::find;

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
        PolicyCommand::Folders(args) => super::folders::list(&args),
        PolicyCommand::Forget(args) => super::folders::forget(&args).await,
        PolicyCommand::Trust(args) => super::notes::trust(&args).await,
        PolicyCommand::Distrust(args) => super::notes::distrust(&args).await,
        PolicyCommand::Trusted(args) => super::notes::list(&args),
    }
}

/// Lists what the user allowed for the rest of a session.
///
/// # Errors
/// When no house that can be reached holds the session.
async fn grants(args: &GrantsArgs) -> Result<Exit> {
    let setting = Setting::plain()?;
    super::folders::show_remembered(&setting)?;
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
    if grants.is_empty() {
        print("Nothing was allowed for the rest of this session.\n")?;
    }
    for grant in grants {
        print(&format!(
            "{} since {}: {}\n",
            grant.tool,
            grant.given.strftime("%Y-%m-%d %H:%M:%S UTC"),
            grant.scope
        ))?;
    }
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
        return until_stopped(Builder::new().guard(Arc::new(service)), &address).await;
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
    let tools = house.guard.control.list_tools().await.or_fail()?;
    if !tools
        .iter()
        .any(|known| known.definition.name.as_str() == tool)
    {
        return Err(Failure::usage(
            format!("no tool is named `{tool}`"),
            "`carl tools` lists the tools.",
        )
        .into());
    }
    let decision = house
        .guard
        .control
        .explain(agent_type, tool, arguments, settings)
        .await
        .map_err(|error| not_explained(&error))?;
    if as_json {
        print(&format!("{}\n", serde_json::to_string_pretty(&decision)?))?;
    } else {
        print(&explained(&decision, Paint::for_stream(&std::io::stdout())))?;
    }
    Ok(if decision.verdict == Verdict::Deny {
        Exit::Denied
    } else {
        Exit::Success
    })
}

fn explained(decision: &Decision, paint: Paint) -> String {
    let word = |verdict: Verdict| match verdict {
        Verdict::Allow => paint.good("allow"),
        Verdict::Confirm => paint.warn("confirm"),
        Verdict::Deny => paint.bad("deny"),
    };
    let head = format!(
        "{} by {} ({})",
        word(decision.verdict),
        decision.layer,
        decision.rule
    );
    let mut text = format!("{head}\n  {}\n\n", decision.user_reason);
    for finding in &decision.findings {
        let layer = format!("{:<17}", finding.layer.as_str());
        let verdict = word(finding.verdict);
        // The reason that decided stands above.
        let reason = match finding.user_reason == decision.user_reason {
            true => String::new(),
            false => format!(": {}", finding.user_reason),
        };
        text.push_str(&format!("{layer} {verdict}  {}{reason}\n", finding.rule));
    }
    text
}
