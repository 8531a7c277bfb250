//! The three planners: a model under a schema, the rules, and a program outside.

use super::stage::{Planned, Stop, call_tool, interrupted};
use super::{elsewhere, rules};
use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use crate::work::recall;
use api::{models, planner};
use context::Budget;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::fault::{Coded, Fault};
use domain::model::Reach;
use domain::plan::Plan;
use domain::settings::Mode;
use domain::tool::LIST_FILES;
use plan::compile::{self, Call};
use plan::{
    asked_for, by_rules, endings, looked_at, named, names, orders, prompt, question, schema, typed,
    unknown_order, validate, whole_paths,
};
use serde_json::json;
use std::ops::RangeInclusive;
use std::path::{Component, Path};
use text::escape::visible_line;
use turn::Outcome;

/// Levels of the workspace a planner is told about.
const LISTING_DEPTH: u32 = 3;
/// Most tokens of a plan where the model's context is small, and where it is not: more than the narrow
/// schema can need for text in words, with the steps of a small model and with all that a plan may
/// have.
const PLAN_TOKENS: RangeInclusive<u64> = 3_000..=6_000;
/// Most tokens of a small model's plan beside those of its request.
const SMALL_PLAN_TOKENS: u64 = 400;
/// Most files that are read for lines which a plan writes elsewhere.
const READ_FILES: usize = 3;

/// Makes a plan in the way of the request's mode, and passes it through the validator.
/// `task` is the request, with what the user corrected in plans before.
pub(super) async fn plan(work: &Work, task: &str, outcome: &mut Outcome) -> Result<Planned, Stop> {
    match work.request.mode {
        Mode::Deterministic => rules::plan(work, outcome).await,
        Mode::Bridge => by_bridge(work, outcome).await,
        // A command is planned by nobody, and none comes here.
        Mode::Plan | Mode::Loop | Mode::Auto | Mode::Adaptive | Mode::Command => {
            by_model(work, task, outcome).await
        }
    }
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
    Ok(Planned::new(plan, Reach::of(work.agent.facts.class)))
}

async fn by_model(work: &Work, task: &str, outcome: &mut Outcome) -> Result<Planned, Stop> {
    let listing = listing(work, outcome).await?;
    let reach = Reach::of(work.agent.facts.class);
    let (task, text) = match reach {
        // It knows English alone.
        Reach::Small => (
            by_rules::in_english(task),
            by_rules::in_english(&work.request.text),
        ),
        Reach::Any => (task.to_owned(), work.request.text.clone()),
    };
    let task = task.as_str();
    let paths = whole_paths_here(work, &listing, (task, reach)).await?;
    let is_meant = |plan: &Plan| whole_paths::of_another(plan, &paths).map_or(Ok(()), Err);
    if reach == Reach::Small
        && let Some(plan) = settled_for_small(work, &listing, task)?
    {
        is_meant(&plan).map_err(Stop::failed)?;
        return Ok(planned(plan, reach, &listing));
    }
    let likely = schema::likely_first(&listing, task);
    let likely: Vec<String> = likely.iter().map(|path| visible_line(path)).collect();
    let schema = schema::for_request(&listing, task, reach);
    let most_actions = schema::most_actions(&schema);
    let room = Budget::of(work.agent.context_tokens).output_tokens;
    let max_tokens = match reach {
        Reach::Any => room.clamp(*PLAN_TOKENS.start(), *PLAN_TOKENS.end()),
        Reach::Small => room.min(small_plan_tokens(task)),
    };
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
        error => Stop::failed(of_planning(&error, reach, most_actions)),
    })?;
    outcome.note_reply(&reply);
    let plan = read(&reply.text, reach)?;
    if reach == Reach::Small {
        is_meant(&plan).map_err(Stop::failed)?;
        is_asked_for(work, outcome, &plan, (task, &listing)).await?;
        if let Some(fault) = looked_at::unnamed(&plan, &work.request.text, &listing) {
            return Err(Stop::Fault(QueryStatus::Denied, fault));
        }
    }
    if plan.actions.iter().any(schema::fills_its_content) {
        work.emit(EventBody::Notice(schema::content_cut()), None)
            .await;
    }
    let plan = match reach {
        Reach::Small => schema::with_all_named(plan, &listing, task),
        Reach::Any => plan,
    };
    let plan = question::with_answer(plan, &text);
    Ok(planned(plan, reach, &listing))
}

/// The plan that a model wrote.
fn read(text: &str, reach: Reach) -> Result<Plan, Stop> {
    let kinds = all_kinds();
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    validate::text(text, &kinds).map_err(|invalid| {
        Stop::failed(match reach {
            Reach::Any => invalid.fault(),
            Reach::Small => no_plan(invalid.fault()),
        })
    })
}

/// The paths with a folder that a request names, as they stand in the workspace.
///
/// # Errors
/// Where one is outside of it, or not there: another file of that name is no answer.
async fn whole_paths_here(
    work: &Work,
    listing: &[String],
    (task, reach): (&str, Reach),
) -> Result<Vec<String>, Stop> {
    if reach != Reach::Small {
        return Ok(Vec::new());
    }
    let root = &work.request.profile.settings.workspace;
    let mut paths = Vec::new();
    for named in whole_paths::of(task) {
        let typed = named.path.trim_start_matches("./");
        let place = Path::new(typed);
        let inside = place.strip_prefix(root).unwrap_or(place);
        let is_outside = inside.is_absolute()
            || typed.starts_with('~')
            || inside.components().any(|part| part == Component::ParentDir);
        let is_there = rules::found(work, typed).await.is_some();
        // An address, such as `/api/users`, is no file.
        let may_be_file = named.is_file || is_there || whole_paths::has_same_name(listing, typed);
        if !may_be_file {
            continue;
        }
        if is_outside || !is_there {
            let same = elsewhere::files_called(work, typed).await;
            return Err(Stop::failed(whole_paths::not_here(
                &named.path,
                is_outside,
                &same,
            )));
        }
        paths.push(inside.to_string_lossy().into_owned());
    }
    Ok(paths)
}

/// A plan that was made with a list of the workspace.
fn planned(plan: Plan, reach: Reach, listing: &[String]) -> Planned {
    let documents = listing.iter().filter(|path| compile::is_document(path));
    Planned {
        documents: documents.cloned().collect(),
        ..Planned::new(plan, reach)
    }
}

/// The plan of a request that leaves a small model nothing to choose, and the refusal of one that is too
/// much for it.
fn settled_for_small(work: &Work, listing: &[String], task: &str) -> Result<Option<Plan>, Stop> {
    if let Some(fault) = names::ambiguous(listing, task) {
        return Err(Stop::failed(fault));
    }
    if orders::acts(task)
        && let Some(fault) = endings::unknown(listing, task)
    {
        return Err(Stop::failed(fault));
    }
    if question::orders_too(task) {
        return Err(Stop::failed(question::one_by_one()));
    }
    if orders::are_several(task) {
        return Err(Stop::failed(question::order_by_order()));
    }
    // What is asked of data is not asked of some file beside it.
    let has_data = work.with_state(|state| state.conversation.is_given_input());
    if has_data && !names::any(listing, task) {
        return Ok(Some(question::only_answer(task)));
    }
    // A model of this size is not shown what was recalled, and would answer from files alone.
    let names_a_file = names::any(listing, task) || !named::files_of(task).is_empty();
    // What `we` do is of files as often as of memory, which is told where it has all that is asked.
    let is_known = || match question::is_of_one(task) {
        true => recall::holds_a_memory(work),
        false => recall::told(work, task).is_some(),
    };
    let is_of_memory =
        question::is_of_a_person(task) || (question::is_of_the_user(task) && is_known());
    if !names_a_file && is_of_memory {
        return Ok(Some(question::recalling(task)));
    }
    let plan = schema::settled(listing, task);
    if plan.is_none()
        && let Some(fault) = unknown_order::names_nothing(task, listing)
    {
        return Err(Stop::Fault(QueryStatus::Denied, fault));
    }
    Ok(plan.map(|plan| question::with_answer(plan, task)))
}

/// Stops where a small model planned what nobody asked for, or what would spoil a file.
async fn is_asked_for(
    work: &Work,
    outcome: &mut Outcome,
    plan: &Plan,
    (task, listing): (&str, &[String]),
) -> Result<(), Stop> {
    let denied = |fault| Err(Stop::Fault(QueryStatus::Denied, fault));
    let fault = asked_for::not_requested(plan, task);
    let fault = fault.or_else(|| asked_for::not_of_its_files(plan, task, listing));
    if let Some(fault) = fault.or_else(|| asked_for::not_understood(plan, &work.request.text)) {
        return denied(fault);
    }
    if let Some(fault) = made_up(work, outcome, plan, task).await {
        return denied(fault);
    }
    for path in asked_for::data_to_read(plan) {
        let content = rules::read_text(work, outcome, &path).await?;
        if let Some(fault) = asked_for::spoils(plan, &path, &content) {
            return denied(fault);
        }
    }
    Ok(())
}

/// What is said of a text that a small model would write, and that neither the request gives nor a file that it
/// names has as lines.
async fn made_up(work: &Work, outcome: &mut Outcome, plan: &Plan, task: &str) -> Option<Fault> {
    let mut left = typed::not_given(plan, task);
    for path in named::files_of(task).into_iter().take(READ_FILES) {
        if left.is_empty() {
            break;
        }
        // What cannot be read has no lines that are known.
        let Ok(text) = rules::read_text(work, outcome, &path).await else {
            continue;
        };
        left.retain(|written| !written.is_of_lines(&text));
    }
    left.first().map(typed::Written::fault)
}

/// What people are told when a model gave no plan. Where its answer did not fit, a larger model is not
/// all that helps.
fn of_planning(error: &AskError, reach: Reach, most_actions: u64) -> Fault {
    let is_unmet =
        matches!(error, AskError::Model(model) if model.kind == models::ErrorKind::SchemaUnmet);
    let mut fault = error.fault();
    if is_unmet && reach == Reach::Small {
        return no_plan(fault);
    }
    if is_unmet {
        fault.hint = format!(
            "A plan has at most {most_actions} {} here: ask in parts, or in loop mode \
             (`/mode loop`, `--mode loop`), or use a larger model.",
            if most_actions == 1 { "step" } else { "steps" }
        );
    }
    fault
}

/// Most tokens of a small model's plan: the request is in it once as the intent, and once more at most as what is
/// written. What is longer has no end.
fn small_plan_tokens(task: &str) -> u64 {
    SMALL_PLAN_TOKENS + task.chars().count() as u64
}

/// What people are told where what a small model wrote is no plan.
fn no_plan(fault: Fault) -> Fault {
    Fault {
        message: "The model gave no plan: what it wrote came to no end, or is none. Nothing was done.".to_owned(),
        hint: "Say it in other words (the task `help` lists what works), or use a larger model (`carl models`)."
            .to_owned(),
        ..fault
    }
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
