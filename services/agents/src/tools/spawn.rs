//! `spawn_agent` and `spawn_agents`: handing tasks to other agents. What comes back is their
//! reports.

use super::tool::{AgentTool, VERSION, failed};
use crate::delegation::child::{Delegation, delegate};
use crate::work::{PermittedCall, Work};
use api::executor::{FailureKind, Progress, Report, ReportSink, ToolFailure};
use async_trait::async_trait;
use domain::label::Label;
use domain::limits::{AGENTS_PER_CALL, SPAWN_DEPTH, TASK_GOAL_CHARS};
use domain::lineage::AgentType;
use domain::tool::{
    ArgumentRole, Audience, BuiltInArgument, BuiltInTool, EffectClass, ResultSource, ToolOutput,
    ToolSpec, closed_object,
};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use orchestration::{DelegationResult, SPAWN};
use serde_json::{Value, json};

/// Starts one agent.
pub(super) struct SpawnAgent;

/// Starts several at the same time.
pub(super) struct SpawnAgents;

/// What the broker knows of a tool that starts agents. It looks like reading: what the agents do is
/// judged call by call, so several may be started at the same time.
pub(super) fn spec(
    name: &str,
    description: &str,
    parameters: Value,
    arguments: &[BuiltInArgument<'_>],
) -> ToolSpec {
    BuiltInTool {
        name,
        version: VERSION,
        description,
        capability: SPAWN,
        effect: EffectClass::Read,
        parameters,
        arguments,
        audience: Audience::User,
        result_label: Label::untrusted("agents"),
        result_source: ResultSource::Agents,
        names_pages: &[],
        is_wait: false,
        calls_per_minute: None,
    }
    .spec()
}

fn delegation_schema() -> Value {
    let properties = json!({
        "type": {"type": "string", "maxLength": 64, "description": "The type of agent."},
        "task": {
            "type": "string", "minLength": 1, "maxLength": TASK_GOAL_CHARS * 2,
            "description": "All that it is told: what to do, with every path and fact it needs.",
        },
    });
    closed_object(properties, &["type", "task"])
}

#[async_trait]
impl AgentTool for SpawnAgent {
    fn spec(&self) -> ToolSpec {
        spec(
            "spawn_agent",
            "Hand a task to another agent and get its report. It sees nothing but the task.",
            delegation_schema(),
            &[("task", ArgumentRole::Payload, None)],
        )
    }

    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let delegation = delegation(work, &call.arguments)?;
        Ok(output(
            run_all(work, &call, vec![delegation], progress).await,
        ))
    }
}

#[async_trait]
impl AgentTool for SpawnAgents {
    fn spec(&self) -> ToolSpec {
        spec(
            "spawn_agents",
            "Hand several independent tasks to other agents at the same time and get their reports.",
            closed_object(
                json!({"agents": {
                    "type": "array", "minItems": 1, "maxItems": AGENTS_PER_CALL,
                    "items": delegation_schema(),
                }}),
                &["agents"],
            ),
            &[("agents", ArgumentRole::Payload, None)],
        )
    }

    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let asked = call.arguments["agents"].as_array();
        let asked = asked.map_or(&[][..], Vec::as_slice);
        if asked.is_empty() || asked.len() > AGENTS_PER_CALL {
            return Err(mendable(format!(
                "`agents` must name 1 to {AGENTS_PER_CALL} agents; start the others with another \
                 call."
            )));
        }
        // All or none: half of what was asked for would be somebody's guess.
        let delegations: Vec<Delegation> = asked
            .iter()
            .map(|one| delegation(work, one))
            .collect::<Result<_, _>>()?;
        Ok(output(run_all(work, &call, delegations, progress).await))
    }
}

/// Reads one delegation, or says what can be asked for.
fn delegation(work: &Work, asked: &Value) -> Result<Delegation, ToolFailure> {
    let types = work.types().startable(&work.request.profile.agent_type);
    let names: Vec<&str> = types.iter().map(AgentType::as_str).collect();
    if work.agent.lineage.len() >= SPAWN_DEPTH {
        return Err(mendable(format!(
            "A chain of agents is at most {SPAWN_DEPTH} long, and you are its last: do it yourself, \
             or report what you could not do."
        )));
    }
    let wanted = asked["type"].as_str().unwrap_or_default();
    let Some(agent_type) = types.iter().find(|t| t.as_str() == wanted) else {
        let known = if names.is_empty() {
            "You can start none: do it yourself.".to_owned()
        } else {
            format!("You can start: {}.", names.join(", "))
        };
        return Err(mendable(format!(
            "You cannot start an agent of type `{}`. {known}",
            wanted.chars().take(64).collect::<String>()
        )));
    };
    let task = asked["task"].as_str().unwrap_or_default().trim();
    if task.is_empty() {
        return Err(mendable(
            "`task` is empty: say what is to be done.".to_owned(),
        ));
    }
    Ok(Delegation {
        agent_type: agent_type.clone(),
        brief: task.to_owned(),
        task_id: None,
        expected: Vec::new(),
    })
}

pub(super) fn mendable(message: String) -> ToolFailure {
    failed(FailureKind::Mendable, "cannot_start", message)
}

/// Runs all at the same time, as far as there are seats; the reports come in the order asked.
async fn run_all(
    work: &Work,
    call: &PermittedCall,
    delegations: Vec<Delegation>,
    progress: ReportSink,
) -> Vec<DelegationResult> {
    let count = delegations.len();
    work.agent.resources.permit.release();
    let mut running: FuturesUnordered<_> = delegations
        .into_iter()
        .enumerate()
        .map(|(place, delegation)| async move {
            (place, delegate(work, delegation, call.call_id).await)
        })
        .collect();
    let mut all = Vec::with_capacity(count);
    while let Some(returned) = running.next().await {
        all.push(returned);
        let report = Progress {
            message: format!("{} of {count} agents have reported", all.len()),
            percent: u8::try_from(all.len() * 100 / count.max(1)).ok(),
        };
        // A reader too slow for progress still gets the reports.
        let _ = progress.try_send(Report::Progress(report));
    }
    work.agent.resources.permit.reacquire().await;
    all.sort_by_key(|(place, _)| *place);
    all.into_iter().map(|(_, returned)| returned).collect()
}

fn output(all: Vec<DelegationResult>) -> ToolOutput {
    let named: Vec<(String, &DelegationResult)> = all
        .iter()
        .enumerate()
        .map(|(place, one)| match all.len() {
            1 => (one.agent_type.to_string(), one),
            _ => (format!("{}. {}", place + 1, one.agent_type), one),
        })
        .collect();
    orchestration::output(&named, String::new(), None)
}
