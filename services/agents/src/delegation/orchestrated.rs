//! A request in the hands of an orchestrating agent: taken apart under a schema, handed out, and
//! answered from task state and reports alone.
//!
//! What the model makes of a request becomes one call of `delegate_tasks`, which goes through the
//! broker like any other; its result is what the ordinary loop answers from. A request that needs no
//! other agent goes to the ordinary loop at once.

use crate::delegation::handout::{close_tasks, not_whole, tasks_call};
use crate::delegation::planned;
use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use crate::work::loop_mode;
use crate::work::pipeline;
use crate::work::resources::delegation_data;
use api::models::ErrorKind;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::id::CallId;
use domain::limits::{SCHEMA_REPAIRS, TASKS_PER_REQUEST};
use domain::message::{Message, ToolCall};
use domain::model::{FinishReason, Reach, Usage};
use domain::report::ReportStatus;
use domain::settings::Mode;
use domain::task::Task;
use domain::tool::SAVE_MEMORY;
use orchestration::{
    TaskLog, TasksEnding, candidates, decomposition_schema, keep_question, keep_schema, no_plan,
    not_taken_apart, question, read_kept, read_tasks, whole_schema,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use turn::{CallRecord, Outcome};
use uuid::Uuid;

/// Most tokens of a decomposition.
const TASKS_TOKENS: u32 = 1_500;
/// Most tokens of what is worth keeping.
const KEEP_TOKENS: u32 = 200;

/// Whether a request goes this way: its agent's type says so, and it can hand work out.
pub(crate) fn is_for(work: &Work) -> bool {
    let takes_apart = match work.request.mode {
        Mode::Loop | Mode::Auto | Mode::Adaptive | Mode::Plan => true,
        Mode::Deterministic | Mode::Bridge | Mode::Command => false,
    };
    let listing = work.services.agents.get(&work.request.profile.agent_type);
    let hands_out = listing.is_some_and(|l| l.orchestrates && !l.can_spawn.is_empty());
    takes_apart && hands_out && work.agent.lineage.len() < domain::limits::SPAWN_DEPTH
}

/// Works on one request until it is answered, refused, failed or stopped. One that needs no other
/// agent is worked on like any other of its mode.
pub(crate) async fn run(work: &Work) -> Outcome {
    let mut outcome = Outcome::of(QueryStatus::Failed);
    let tasks = match Box::pin(tasks(work, &mut outcome)).await {
        Ok(tasks) => tasks,
        Err(ended) => return ended,
    };
    match (work.request.mode, tasks.is_empty()) {
        (Mode::Plan, true) => outcome.then(Box::pin(pipeline::run(work)).await),
        (Mode::Plan, false) => Box::pin(planned::run(work, &tasks, outcome)).await,
        (_, true) => outcome.then(Box::pin(loop_mode::run(work)).await),
        (_, false) => Box::pin(handed_out(work, &tasks, outcome)).await,
    }
}

/// Hands the tasks out at once, and answers from what comes back.
async fn handed_out(work: &Work, tasks: &[Task], mut outcome: Outcome) -> Outcome {
    let call = tasks_call(tasks);
    // From here on it is a call that the model made: the conversation has it with its result.
    let asked = EventBody::ModelAnswered {
        text: String::new(),
        thinking: None,
        tool_calls: vec![call.clone()],
        usage: Usage::default(),
        finish: FinishReason::ToolCalls,
        aside: false,
    };
    work.emit(asked, None).await;
    let record = work.call_tool(call, false, None).await;
    outcome.note_call(&record);
    if work.cancel.is_cancelled() {
        Box::pin(close_tasks(work)).await;
        outcome.status = QueryStatus::Interrupted;
        return outcome;
    }
    remember(work, &record, &mut outcome).await;
    let mut rest = Box::pin(loop_mode::run(work)).await;
    judge(&mut rest, &record.result.data);
    outcome.then(rest)
}

/// How the request ends by what its tasks came to: of that the answering agent's own calls say
/// nothing. What the agents did stands, whatever it was refused afterwards.
fn judge(rest: &mut Outcome, data: &Value) {
    let has_done = delegation_data(data)
        .tasks
        .is_some_and(|tasks| tasks.ending != TasksEnding::Nothing);
    let fault = not_whole(data);
    match rest.status {
        QueryStatus::Denied if has_done => rest.status = QueryStatus::Partial,
        QueryStatus::Success if fault.is_some() => rest.status = QueryStatus::Partial,
        QueryStatus::Denied | QueryStatus::Success | QueryStatus::Partial => {}
        QueryStatus::Failed | QueryStatus::Interrupted => return,
    }
    rest.error = fault.or(rest.error.take());
}

/// The tasks of a request: those of the log when it was begun before, else what the model makes of
/// it. `Err` when the request has ended.
async fn tasks(work: &Work, outcome: &mut Outcome) -> Result<Vec<Task>, Outcome> {
    let planned = work.with_state(|state| state.tasks.open().map(TaskLog::tasks));
    if let Some(tasks) = planned {
        return Ok(tasks);
    }
    let roster = work.roster();
    let reach = Reach::of(work.agent.facts.class);
    let mut messages = work.with_state(|state| state.conversation.view.messages());
    messages.push(user(question(&work.services.agents, &roster, reach)));
    let mut mistake = String::new();
    for repair in 0..=SCHEMA_REPAIRS {
        // A model that cannot say how parts hang together may still say who does the whole.
        let schema = match (reach, repair) {
            (Reach::Small, _) | (_, SCHEMA_REPAIRS) => whole_schema(&roster, &work.request.text),
            (Reach::Any, _) => decomposition_schema(&roster, TASKS_PER_REQUEST),
        };
        let ask = Ask {
            response_schema: Some(schema),
            max_tokens: Some(TASKS_TOKENS),
            temperature: Some(0.0),
            visibility: Visibility::Hidden,
            ..Ask::new(messages.clone())
        };
        let reply = match work.ask_model(ask).await {
            Ok(reply) => reply,
            // Taking it apart was too much for the model; answering may not be.
            Err(AskError::Model(error)) if is_of_the_answer(error.kind) => {
                mistake = error.detail;
                break;
            }
            Err(error) => {
                let mut ended = outcome.clone();
                ended.status = match error {
                    AskError::Interrupted => QueryStatus::Interrupted,
                    _ => QueryStatus::Failed,
                };
                ended.error = Some(error.fault());
                return Err(ended);
            }
        };
        outcome.note_reply(&reply);
        mistake = match read_tasks(&reply.text, &roster) {
            Ok(tasks) => return Ok(tasks),
            Err(mistake) => mistake,
        };
        messages.push(Message::Assistant {
            text: reply.text,
            thinking: None,
            tool_calls: Vec::new(),
        });
        let again = match repair + 1 {
            SCHEMA_REPAIRS => {
                "Answer again, with one task for one agent whose goal is the request as it stands, or none."
            }
            _ => "Answer again.",
        };
        messages.push(user(format!("That cannot be done: {mistake} {again}")));
    }
    if !work.request.mode.is_loop() {
        // Nothing stands in for a planner that fails.
        let mut ended = outcome.clone();
        ended.error = Some(no_plan(&mistake));
        return Err(ended);
    }
    let notice = EventBody::Notice(not_taken_apart(&mistake));
    work.emit(notice, None).await;
    Ok(Vec::new())
}

/// Whether a model was there and its answer failed, so that a lighter question may do better. One
/// that cannot be had at all, or that was stopped, fails the request as it would anyway.
const fn is_of_the_answer(kind: ErrorKind) -> bool {
    match kind {
        ErrorKind::Timeout
        | ErrorKind::ContextOverflow
        | ErrorKind::Interrupted
        | ErrorKind::Protocol
        | ErrorKind::TooLarge
        | ErrorKind::SchemaUnmet
        | ErrorKind::Server
        | ErrorKind::Rejected => true,
        ErrorKind::NotConfigured
        | ErrorKind::UnknownModel
        | ErrorKind::Unreachable
        | ErrorKind::Blocked
        | ErrorKind::Unauthorised
        | ErrorKind::KeyMissing
        | ErrorKind::KeyLocked
        | ErrorKind::KeyUnavailable
        | ErrorKind::Busy
        | ErrorKind::CircuitOpen
        | ErrorKind::Cancelled => false,
    }
}

fn user(text: String) -> Message {
    Message::User { text }
}

/// Judges what the agents nominated for memory, and has what is worth it kept: by the broker's tool,
/// as this agent, so that label and origin are the broker's to say.
async fn remember(work: &Work, record: &CallRecord, outcome: &mut Outcome) {
    let can_save = work
        .services
        .agents
        .get(&work.request.profile.agent_type)
        .is_some_and(|own| {
            let mut tools = own.tools.iter();
            tools.any(|tool| tool.as_str() == SAVE_MEMORY)
        });
    if !can_save || record.result.status != CallStatus::Ok {
        return;
    }
    let reports = delegation_data(&record.result.data).reports;
    let used = reports
        .iter()
        .filter(|one| one.report.status != ReportStatus::Failed);
    let used = used.map(|one| (one.name.as_str(), &one.report));
    let is_secret = |text: &str| text::secrets::has_shape(text);
    let is_order = |text: &str| text::firewall::inspect(text).is_suspicious();
    let passed = candidates(used, &[], &is_secret, &is_order);
    if passed.ask.is_empty() {
        return;
    }
    let texts: Vec<&str> = passed.ask.iter().map(|one| one.text.as_str()).collect();
    for index in Box::pin(worth_keeping(work, &texts, outcome)).await {
        let Some(text) = texts.get(index) else {
            continue;
        };
        let call = ToolCall {
            call_id: CallId::from_uuid(Uuid::now_v7()),
            name: SAVE_MEMORY.to_owned(),
            arguments: memory(text),
        };
        let record = work.call_tool(call, false, None).await;
        outcome.note_call(&record);
    }
}

fn memory(text: &str) -> Value {
    let name: String = text.chars().take(80).collect();
    json!({ "name": name, "content": text })
}

/// Asks which facts are new and will be useful later. Silence keeps nothing.
async fn worth_keeping(work: &Work, texts: &[&str], outcome: &mut Outcome) -> BTreeSet<usize> {
    let nonce = format!("{:016x}", Uuid::now_v7().as_u64_pair().1);
    let question = keep_question(texts, &nonce);
    let ask = Ask {
        response_schema: Some(keep_schema(texts.len())),
        max_tokens: Some(KEEP_TOKENS),
        temperature: Some(0.0),
        visibility: Visibility::Hidden,
        ..Ask::new(vec![user(question)])
    };
    let Ok(reply) = work.ask_model(ask).await else {
        return BTreeSet::new();
    };
    outcome.note_reply(&reply);
    read_kept(&reply.text, texts.len())
}
