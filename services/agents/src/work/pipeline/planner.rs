//! The three planners: a model under a schema, the rules, and a program outside.

use super::stage::{Planned, Stop, call_tool, interrupted};
use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use crate::work::recall;
use api::{models, planner};
use context::Budget;
use disk::stored::as_stored;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::fault::{Coded, Fault};
use domain::model::Reach;
use domain::plan::{Action, Plan};
use domain::settings::Mode;
use plan::by_rules::{self, ByRules, Unplanned};
use plan::compile::{self, Call};
use plan::{asked_for, longer, names, prompt, question, schema, validate};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::RangeInclusive;
use text::escape::visible_line;
use turn::Outcome;

/// The tool that lists the workspace.
const LIST_FILES: &str = "list_files";
/// Levels of the workspace a planner is told about.
const LISTING_DEPTH: u32 = 3;
/// Most tokens of a plan where the model's context is small, and where it is not: more than the narrow
/// schema can need for text in words, with the steps of a small model and with all that a plan may
/// have.
const PLAN_TOKENS: RangeInclusive<u64> = 3_000..=6_000;

/// Makes a plan in the way of the request's mode, and passes it through the validator.
/// `task` is the request, with what the user corrected in plans before.
pub(super) async fn plan(work: &Work, task: &str, outcome: &mut Outcome) -> Result<Planned, Stop> {
    match work.request.mode {
        Mode::Deterministic => by_rules(work, outcome).await,
        Mode::Bridge => by_bridge(work, outcome).await,
        Mode::Plan | Mode::Loop | Mode::Auto | Mode::Adaptive => {
            by_model(work, task, outcome).await
        }
    }
}

async fn by_rules(work: &Work, outcome: &mut Outcome) -> Result<Planned, Stop> {
    let text = &work.request.text;
    let ready = match by_rules::plan(text).map_err(unplanned)? {
        ByRules::Plan(plan) => {
            names_no_longer(work, &plan).await?;
            let mut texts = BTreeMap::new();
            for path in by_rules::words_to_read(text, &plan) {
                let content = read_text(work, outcome, &path).await?;
                texts.insert(path, content);
            }
            by_rules::of_whole_words(text, plan, texts)
        }
        ByRules::AfterReading(asked, literal) => {
            if let Some(plan) = &literal {
                names_no_longer(work, plan).await?;
            }
            let read = read(work, outcome, &asked.path).await?;
            if asked.is_copy() && !read.is_copied_as_it_is() {
                return Err(no_exact_copy(&asked.path));
            }
            let content = read.content;
            by_rules::after_reading(text, &asked, literal, &content)
        }
    };
    let ready = ready.map_err(unplanned)?;
    if let Some(note) = ready.note {
        work.emit(EventBody::Notice(note), None).await;
    }
    Ok(Planned {
        plan: ready.plan,
        reach: Reach::Any,
    })
}

/// Stops where a longer name than the one that the rules read is that of a file.
async fn names_no_longer(work: &Work, plan: &Plan) -> Result<(), Stop> {
    for longer in longer::names(&work.request.text, plan) {
        let path = as_stored(&work.request.profile.settings.workspace.join(&longer.whole));
        // Looked up without a call: a name that the user typed is no reading, and marks no session.
        let found = tokio::fs::symlink_metadata(path).await;
        if !found.is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return Err(Stop::failed(longer.fault()));
        }
    }
    Ok(())
}

fn unplanned(unplanned: Unplanned) -> Stop {
    match unplanned {
        Unplanned::Help(text) => Stop::Said(text),
        Unplanned::Refused(fault) => Stop::failed(fault),
    }
}

/// The whole text of a file, which is read through the broker like any other.
/// A file as it was read.
struct Read {
    content: String,
    /// Its size, bytes: more or less than the content has where it is in another encoding.
    total_bytes: u64,
}

impl Read {
    /// Whether a text that is written from it has the same bytes: what is written is UTF-8, and its last
    /// line has an end.
    fn is_copied_as_it_is(&self) -> bool {
        let is_whole = self.content.is_empty() || self.content.ends_with('\n');
        is_whole && self.content.len() as u64 == self.total_bytes
    }
}

/// What is said of a copy that would not be one.
fn no_exact_copy(path: &str) -> Stop {
    let path = visible_line(path);
    Stop::failed(Fault {
        code: "plan.other_encoding".to_owned(),
        message: format!(
            "{path} is not plain UTF-8 with an end to its last line, as what I write is: the copy would have \
             other bytes. Nothing was done."
        ),
        hint: "Copy it with a program, such as `cp`.".to_owned(),
    })
}

async fn read_text(work: &Work, outcome: &mut Outcome, path: &str) -> Result<String, Stop> {
    read(work, outcome, path).await.map(|read| read.content)
}

async fn read(work: &Work, outcome: &mut Outcome, path: &str) -> Result<Read, Stop> {
    let reading = Action::ReadFile {
        path: path.to_owned(),
    };
    let mut content = String::new();
    let mut total_bytes = 0;
    for call in compile::action(&reading) {
        let record = call_tool(work, outcome, &call, None).await;
        let (status, code) = match record.result.status {
            CallStatus::Ok => {
                let data = &record.result.data;
                content.push_str(data["content"].as_str().unwrap_or_default());
                total_bytes = data["total_bytes"].as_u64().unwrap_or_default();
                if data["truncated"] != true {
                    continue;
                }
                (QueryStatus::Failed, "plan.too_long")
            }
            CallStatus::Cancelled => return Err(interrupted()),
            CallStatus::Denied => (QueryStatus::Denied, "plan.step_refused"),
            CallStatus::Failed => (QueryStatus::Failed, "plan.step_failed"),
        };
        let path = visible_line(path);
        let message = match code {
            "plan.too_long" => format!("{path} is too long to be read whole. Nothing was done."),
            _ => format!("{path} was not read: {} Nothing was done.", record.plain()),
        };
        return Err(Stop::Fault(
            status,
            Fault {
                code: code.to_owned(),
                message,
                hint: String::new(),
            },
        ));
    }
    Ok(Read {
        content,
        total_bytes,
    })
}

async fn by_bridge(work: &Work, outcome: &mut Outcome) -> Result<Planned, Stop> {
    let Some(planner) = &work.services.planner else {
        return Err(Stop::failed(planner::Error::NotConfigured.fault()));
    };
    let listing = listing(work, outcome).await?;
    let memory = work.with_state(|state| state.conversation.view.given().trim_end().to_owned());
    let request = planner::Request {
        input: work.request.text.clone(),
        memory,
        workspace: work.request.profile.settings.workspace.clone(),
        listing,
    };
    let asked = tokio::select! {
        biased;
        () = work.cancel.cancelled() => return Err(interrupted()),
        asked = planner.plan(request) => asked,
    };
    let answer = asked.map_err(|error| {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the planner bridge failed"
        );
        Stop::failed(error.fault())
    })?;
    let kinds = all_kinds();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let plan = validate::value(&answer, &kinds).map_err(|invalid| Stop::failed(invalid.fault()))?;
    Ok(Planned {
        plan,
        reach: Reach::of(work.agent.facts.class),
    })
}

async fn by_model(work: &Work, task: &str, outcome: &mut Outcome) -> Result<Planned, Stop> {
    let listing = listing(work, outcome).await?;
    let reach = Reach::of(work.agent.facts.class);
    if reach == Reach::Small
        && let Some(fault) = names::ambiguous(&listing, task)
    {
        return Err(Stop::failed(fault));
    }
    if reach == Reach::Small && question::orders_too(task) {
        return Err(Stop::failed(question::one_by_one()));
    }
    if reach == Reach::Small
        && let Some(plan) = schema::settled(&listing, task)
    {
        let plan = question::with_answer(plan, task);
        return Ok(Planned { plan, reach });
    }
    let likely = schema::likely_first(&listing, task);
    let likely: Vec<String> = likely.iter().map(|path| visible_line(path)).collect();
    let schema = schema::for_request(&listing, task, reach);
    let most_actions = schema::most_actions(&schema);
    let room = Budget::of(work.agent.context_tokens).output_tokens;
    let max_tokens = room.clamp(*PLAN_TOKENS.start(), *PLAN_TOKENS.end());
    let ask = Ask {
        response_schema: Some(schema),
        max_tokens: u32::try_from(max_tokens).ok(),
        temperature: Some(0.0),
        visibility: Visibility::Hidden,
        ..Ask::new(recall::shown_in(
            work,
            prompt::planner(&likely, task, reach),
        ))
    };
    let reply = work.ask_model(ask).await.map_err(|error| match error {
        AskError::Interrupted => interrupted(),
        error => Stop::failed(of_planning(&error, most_actions)),
    })?;
    outcome.note_reply(&reply);
    let kinds = all_kinds();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let plan =
        validate::text(&reply.text, &kinds).map_err(|invalid| Stop::failed(invalid.fault()))?;
    if reach == Reach::Small {
        is_asked_for(work, outcome, &plan, task).await?;
    }
    if plan.actions.iter().any(schema::fills_its_content) {
        work.emit(EventBody::Notice(schema::content_cut()), None)
            .await;
    }
    Ok(Planned {
        plan: question::with_answer(plan, &work.request.text),
        reach,
    })
}

/// Stops where a small model planned what nobody asked for, or what would spoil a file.
async fn is_asked_for(
    work: &Work,
    outcome: &mut Outcome,
    plan: &Plan,
    task: &str,
) -> Result<(), Stop> {
    let denied = |fault| Err(Stop::Fault(QueryStatus::Denied, fault));
    let fault = asked_for::not_requested(plan, task);
    if let Some(fault) = fault.or_else(|| asked_for::not_understood(plan, &work.request.text)) {
        return denied(fault);
    }
    for path in asked_for::data_to_read(plan) {
        let content = read_text(work, outcome, &path).await?;
        if let Some(fault) = asked_for::spoils(plan, &path, &content) {
            return denied(fault);
        }
    }
    Ok(())
}

/// What people are told when a model gave no plan. Where its answer did not fit, a larger model is not
/// all that helps.
fn of_planning(error: &AskError, most_actions: u64) -> Fault {
    let is_unmet =
        matches!(error, AskError::Model(model) if model.kind == models::ErrorKind::SchemaUnmet);
    let mut fault = error.fault();
    if is_unmet {
        fault.hint = format!(
            "A plan has at most {most_actions} {} here: ask in parts, or in loop mode \
             (`/mode loop`, `--mode loop`), or use a larger model.",
            if most_actions == 1 { "step" } else { "steps" }
        );
    }
    fault
}

/// Every kind of action, each of which the pipeline can run.
fn all_kinds() -> Vec<String> {
    schema::actions()
        .into_iter()
        .map(|(kind, _)| kind)
        .collect()
}

/// The workspace's paths, files as `a/b.md` and folders as `a/`, through the broker like any call.
/// A workspace that may not be listed is planned for without a list; a type of agent that has no
/// such tool is not asked about.
async fn listing(work: &Work, outcome: &mut Outcome) -> Result<Vec<String>, Stop> {
    let own = work.services.agents.get(&work.request.profile.agent_type);
    if own.is_some_and(|own| own.tools.iter().all(|tool| tool.as_str() != LIST_FILES)) {
        return Ok(Vec::new());
    }
    let call = Call {
        tool: LIST_FILES,
        arguments: json!({ "path": ".", "depth": LISTING_DEPTH }),
    };
    let record = call_tool(work, outcome, &call, None).await;
    match record.result.status {
        CallStatus::Ok => Ok(schema::listed(&record.result.data)),
        CallStatus::Cancelled => Err(interrupted()),
        CallStatus::Denied | CallStatus::Failed => {
            let fault = Fault {
                code: "plan.no_listing".to_owned(),
                message: format!(
                    "The folder could not be listed ({}); the plan is made without a list.",
                    record.plain()
                ),
                hint: String::new(),
            };
            work.emit(EventBody::Notice(fault), None).await;
            Ok(Vec::new())
        }
    }
}
