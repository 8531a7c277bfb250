//! Keeps an agent's view within its budget: performs what [`context`] decides.
//!
//! Whatever happens to the view happens by an event, which the fold applies: a session that is
//! taken up again sees what the live one saw.

use crate::history::AgentState;
use crate::work::Work;
use crate::work::ask::{Ask, Visibility};
use api::broker::AgentListing;
use context::{Budget, JOURNAL_NUDGE, Plan, Pressure, Shape, Thresholds, Why, summary};
use domain::context::Summary;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::limits::{ROLLING_SUMMARY_TOKENS, SUMMARY_TIME, SUMMARY_TOKENS};
use domain::model::{Think, Usage};
use domain::tool::{JOURNAL, ToolDefinition};

/// What makes room in a context.
const ROOM: &str = "Room comes of a new session, of fewer pins (`/context` shows them), or of a larger \
                    context: --context-tokens NUMBER, or `context_tokens` of its provider in \
                    config.toml.";
/// Of the model's whole context, what a prompt may be estimated at and still be sent, thousandths.
/// More than all of it: the estimate may be too high, and the server counts.
const OVERSIZED_PERMILLE: u64 = 1_500;

/// Before a model is asked: rebuilds the view at the hard mark, and at the soft mark tells the agent,
/// once, to write its journal. What that cost.
pub(crate) async fn before_call(work: &Work, budget: Budget, tools: &[ToolDefinition]) -> Usage {
    let mut spent = Usage::default();
    if shape_of(work) == Shape::Child {
        leave_steps_behind(work, budget).await;
    }
    let full_at = work.with_state(|state| state.conversation.full_at);
    if pressure(work, budget) == Pressure::Hard && has_grown(work, full_at) {
        let (shrunk, cost) = rebuild(work, budget.prompt_tokens, Why::Mark).await;
        spent = cost;
        if !shrunk && !work.cancel.is_cancelled() {
            work.with_state(|state| {
                state.conversation.full_at = Some(state.conversation.view.estimate())
            });
            let may_be_sent =
                work.with_state(|state| state.conversation.view.may_be_sent(budget.prompt_tokens));
            // One that is not sent at all is told of where it is refused.
            if full_at.is_none() && !may_be_sent && oversized(work, budget).is_none() {
                work.emit(EventBody::Error(full()), None).await;
            }
        }
    }
    let may_write = tools.iter().any(|tool| tool.name.as_str() == JOURNAL);
    // A brief is one turn, which no journal bridges.
    let is_due = may_write
        && shape_of(work) != Shape::Child
        && pressure(work, budget) == Pressure::Soft
        && work.with_state(|state| state.conversation.view.may_nudge());
    if is_due {
        let text = JOURNAL_NUDGE.to_owned();
        work.emit(EventBody::ModelNudged { text }, None).await;
    }
    spent
}

/// Shows results of an agent at work for another in one line once it has gone on, several steps at a
/// time and where that takes away a fifth.
async fn leave_steps_behind(work: &Work, budget: Budget) {
    let done = work.with_state(|state| {
        let plan = state
            .conversation
            .view
            .plan(budget.prompt_tokens, Why::Step)?;
        let done = state.conversation.view.carry_out(&plan, None);
        done.shrank.then_some(done)
    });
    if let Some(done) = done {
        work.emit(done.event(), None).await;
    }
}

/// Why a prompt is not sent at all: it is far over everything that the model can see.
pub(crate) fn oversized(work: &Work, budget: Budget) -> Option<Fault> {
    let tokens = work.with_state(|state| state.conversation.view.estimate());
    let most = budget.context_tokens * OVERSIZED_PERMILLE / 1_000;
    (tokens > most).then(|| Fault {
        code: "agents.context_full".to_owned(),
        message: format!(
            "The prompt would have about {tokens} tokens, the model's context has {}. It was not \
             sent.",
            budget.context_tokens
        ),
        hint: format!("Say it in fewer words or name a file instead of its text. {ROOM}"),
    })
}

/// Whether there is enough more than when nothing could go to try once more.
fn has_grown(work: &Work, full_at: Option<u64>) -> bool {
    let tokens = work.with_state(|state| state.conversation.view.estimate());
    full_at.is_none_or(|full| tokens > full + full / 8)
}

/// After a server said that a prompt does not fit: makes the view smaller at once. Whether it is,
/// and what that cost.
pub(crate) async fn overflowed(work: &Work, budget: Budget) -> (bool, Usage) {
    // The estimate was too low, nobody knows by how much.
    let half = work.with_state(|state| state.conversation.view.estimate()) / 2;
    rebuild(work, half.min(budget.prompt_tokens), Why::Overflow).await
}

/// The event of a compaction that the user asks for while no agent works; `None` when nothing can
/// go. No model is asked.
pub(crate) fn by_rule(agent: &AgentState, budget: Budget) -> Option<EventBody> {
    let plan = agent
        .conversation
        .view
        .plan(budget.prompt_tokens, Why::Asked)?;
    let done = agent.conversation.view.carry_out(&plan, None);
    (done.after_tokens < done.before_tokens).then(|| done.event())
}

/// What the agent does, as far as its context depends on it.
pub(crate) fn shape_of(work: &Work) -> Shape {
    let listing = work.services.agents.get(&work.request.profile.agent_type);
    match (listing, work.is_root()) {
        (Some(listing), _) if listing.orchestrates => Shape::Orchestrator,
        (_, true) => Shape::Root,
        (_, false) => Shape::Child,
    }
}

/// The same for the agent that the user talks with.
pub(crate) fn shape_of_root(listing: Option<&AgentListing>) -> Shape {
    match listing {
        Some(listing) if listing.orchestrates => Shape::Orchestrator,
        _ => Shape::Root,
    }
}

/// Before a request is worked on: an agent that hands work out carries a rolling summary, where its
/// tasks stand and the last reports, and nothing else of what came before. No model is asked.
pub(crate) async fn begin_request(work: &Work) {
    if shape_of(work) != Shape::Orchestrator {
        return;
    }
    let budget = Budget::of(work.agent.context_tokens);
    let done = work.with_state(|state| {
        let plan = state
            .conversation
            .view
            .plan(budget.prompt_tokens, Why::Request)?;
        Some(state.conversation.view.carry_out(&plan, None))
    });
    if let Some(done) = done {
        work.emit(done.event(), None).await;
    }
}

fn pressure(work: &Work, budget: Budget) -> Pressure {
    let marks = Thresholds::of(budget, shape_of(work));
    work.with_state(|state| {
        let tokens = state.conversation.view.estimate();
        marks.judge(tokens, state.conversation.burn.rate(tokens))
    })
}

async fn rebuild(work: &Work, budget_tokens: u64, why: Why) -> (bool, Usage) {
    let planned = work.with_state(|state| {
        let plan = state.conversation.view.plan(budget_tokens, why)?;
        let room = state.conversation.view.characters_in(budget_tokens);
        Some((plan, room))
    });
    let rolling = shape_of(work) == Shape::Orchestrator;
    let Some((plan, room)) = planned else {
        return (false, Usage::default());
    };
    let plan = if rolling {
        plan.within(ROLLING_SUMMARY_TOKENS)
    } else {
        plan
    };
    let (answer, spent) = summarised(work, &plan, room).await;
    if work.cancel.is_cancelled() {
        return (false, spent);
    }
    let done = work.with_state(|state| state.conversation.view.carry_out(&plan, answer));
    if !done.shrank {
        return (false, spent);
    }
    work.emit(done.event(), None).await;
    (true, spent)
}

/// A model's summary of what leaves, if one is wanted and it gives one. What it says is checked
/// later; that it says nothing is no failure, because there are rules that need no model.
async fn summarised(work: &Work, plan: &Plan, room: u64) -> (Option<Summary>, Usage) {
    let Some(messages) = plan.request(room) else {
        return (None, Usage::default());
    };
    let output = Budget::of(work.agent.context_tokens).output_tokens;
    let max_tokens = u32::try_from(output).map_or(SUMMARY_TOKENS, |most| most.min(SUMMARY_TOKENS));
    let ask = Ask {
        response_schema: Some(summary::schema(max_tokens)),
        think: Think::Off,
        temperature: Some(0.0),
        max_tokens: Some(max_tokens),
        visibility: Visibility::Hidden,
        deadline: Some(SUMMARY_TIME),
        ..Ask::new(messages)
    };
    match work.ask_model(ask).await {
        Ok(reply) => {
            let answer = serde_json::from_str(&reply.text);
            if let Err(error) = &answer {
                tracing::warn!(session = %work.request.session_id, %error, "a summary was no summary");
            }
            (answer.ok(), reply.usage)
        }
        Err(error) => {
            let fault = error.fault();
            tracing::warn!(session = %work.request.session_id, code = fault.code, "no summary: {}", fault.message);
            (None, Usage::default())
        }
    }
}

fn full() -> Fault {
    Fault {
        code: "agents.context_full".to_owned(),
        message: "The context is nearly full and could not be made smaller by a fifth.".to_owned(),
        hint: ROOM.to_owned(),
    }
}
