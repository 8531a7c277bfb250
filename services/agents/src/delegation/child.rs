//! Sub-agents: one agent hands a task to another and gets a report back, never a transcript.
//!
//! A child is an agent like any other: registered with the broker by its parent's token, with its
//! own conversation, budget and events. It works in a task of its own, so that however its parent's
//! call ends, the child is shut down: its own agents first, then its release at the broker, then the
//! event that says how it ended, which frees its conversation.

use crate::delegation::orchestrated;
use crate::delegation::report;
use crate::prompts;
use crate::work::Work;
use crate::work::compaction;
use crate::work::loop_mode;
use crate::work::permit::ConcurrencyPermit;
use crate::work::pictures;
use crate::work::routing::routed;
use api::CallContext;
use api::broker::AgentListing;
use context::prompt::LayerKind;
use domain::event::{EventBody, QueryStatus};
use domain::fault::Coded;
use domain::id::CallId;
use domain::lineage::AgentType;
use domain::model::ModelChoice;
use domain::report::Report;
use domain::settings::Mode;
use domain::tool::EffectClass;
use futures::FutureExt;
use orchestration::{Checked, DelegationResult, Refusal, failed_report};
use session_log::Durability;
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use turn::Outcome;

/// A task for another agent.
#[derive(Debug, Clone)]
pub(crate) struct Delegation {
    /// The type of agent.
    pub(crate) agent_type: AgentType,
    /// All it is told.
    pub(crate) brief: String,
    /// Which of a request's tasks it is, when it is one.
    pub(crate) task_id: Option<String>,
    /// Files it is to leave behind.
    pub(crate) expected: Vec<String>,
}

/// Has another agent do something, and waits for its report. Dropping the future stops the agent.
/// It never fails: an agent that cannot be started, dies or gives no report has failed.
pub(crate) async fn delegate(
    work: &Work,
    delegation: Delegation,
    call_id: CallId,
) -> DelegationResult {
    let agent_type = delegation.agent_type.clone();
    let Some(listing) = work.services.agents.get(&agent_type) else {
        return DelegationResult::not_begun(
            agent_type,
            "there is no such agent type",
            Refusal::Passing,
        );
    };
    let Some(permit) = work.agent.resources.permit_for_child(&work.cancel).await else {
        return DelegationResult::not_begun(
            agent_type,
            "interrupted before it was begun",
            Refusal::Nothing,
        );
    };
    let registered = work
        .services
        .broker
        .register_agent(work.agent.caller.clone(), agent_type.clone());
    let registered = match registered.await {
        Ok(registered) => registered,
        Err(error) => {
            let reason = format!("it could not be started: {}", error.message());
            return DelegationResult::not_begun(agent_type, &reason, Refusal::Passing);
        }
    };
    let child = child_of(work, listing, registered, (permit, &delegation.brief));
    // Stops the child when this future is dropped before the child has reported.
    let stop = child.cancel.clone().drop_guard();
    let (parent, listing) = (work.clone(), listing.clone());
    let running = work.agent.resources.children.track_future(async move {
        Box::pin(
            ChildRun {
                parent,
                child,
                delegation,
                listing,
                call_id,
            }
            .run(),
        )
        .await
    });
    let returned = match tokio::spawn(running).await {
        Ok(returned) => returned,
        Err(error) => {
            tracing::error!(%error, "an agent broke down while it was shut down");
            DelegationResult::not_begun(agent_type, "an internal error ended it", Refusal::Nothing)
        }
    };
    drop(stop.disarm());
    returned
}

/// The work of an agent that `work` starts: the same session, everything else its own.
fn child_of(
    work: &Work,
    listing: &AgentListing,
    registered: api::broker::Registered,
    (permit, brief): (ConcurrencyPermit, &str),
) -> Work {
    let mut child = work.clone();
    child.agent.id = registered.agent_id;
    child.agent.lineage = registered.lineage;
    child.agent.caller = CallContext {
        agent_token: registered.token,
        ..work.agent.caller.clone()
    };
    child.request.text = brief.to_owned();
    child.request.mode = Mode::Loop;
    child.request.profile.agent_type = listing.agent_type.clone();
    let chosen = work.request.profile.model.clone();
    child.agent.model = chosen.unwrap_or(ModelChoice::Role(listing.model_role));
    child.request.may_recall = false;
    child.cancel = work.cancel.child_token();
    child.agent.resources = work.agent.resources.of_child(listing.tokens, permit);
    child
}

/// One child from its beginning to its end.
struct ChildRun {
    parent: Work,
    child: Work,
    delegation: Delegation,
    listing: AgentListing,
    call_id: CallId,
}

impl ChildRun {
    async fn run(mut self) -> DelegationResult {
        let begun = (self.parent.services.clock)();
        let router = self.child.services.router.as_ref();
        let task = (
            self.child.request.text.as_str(),
            self.child.request.query_id,
        );
        let choice = self.child.agent.model.clone();
        let (model, route) = routed(router, choice, task).await;
        (self.child.agent.model, self.child.agent.route) = (model, route);
        self.child.agent.facts =
            pictures::facts_of(&*self.child.services.models, self.child.agent.model.clone()).await;
        self.announce().await;
        let report = self.report().await;
        let expected = &self.delegation.expected;
        let (checked, record) = report::check(&self.child, report, expected, self.earlier()).await;
        self.child.agent.resources.children.close();
        self.child.agent.resources.children.wait().await;
        self.release().await;
        let returned = self.returned(checked, record);
        let lasted = (self.parent.services.clock)().duration_since(begun);
        let finished = EventBody::AgentFinished {
            child: self.child.agent.id,
            report: returned.report.clone(),
            corrections: returned.corrections.clone(),
            usage: returned.usage,
            duration_ms: u64::try_from(lasted.as_millis()).unwrap_or(0),
        };
        // What is done must not be done again after a crash.
        self.parent
            .emit_with(finished, Some(self.call_id), Durability::Synchronised)
            .await;
        returned
    }

    /// Files that agents made which tried the same task before.
    fn earlier(&self) -> BTreeSet<String> {
        let Some(label) = &self.delegation.task_id else {
            return BTreeSet::new();
        };
        let child = self.child.agent.id;
        self.parent
            .with_state(|state| state.tasks.earlier_files(label, child))
    }

    fn refusal(&self) -> Refusal {
        let child = self.child.agent.id;
        self.parent.with_state(|state| state.tasks.refusal(child))
    }

    fn returned(&self, checked: Checked, record: String) -> DelegationResult {
        DelegationResult {
            agent_type: self.delegation.agent_type.clone(),
            report: checked.report,
            corrections: checked.corrections,
            record,
            usage: self.child.agent.resources.budget.used(),
            refused: self.refusal(),
        }
    }

    async fn announce(&self) {
        let spawned = EventBody::AgentSpawned {
            child: self.child.agent.id,
            agent_type: self.delegation.agent_type.clone(),
            task: self.delegation.brief.clone(),
            task_id: self.delegation.task_id.clone(),
            budget_tokens: self.child.agent.resources.budget.limit(),
        };
        self.parent.emit(spawned, Some(self.call_id)).await;
        Box::pin(set_standing(&self.child, &self.listing)).await;
    }

    /// Its report, or that it gave none and why.
    async fn report(&self) -> Report {
        let child = &self.child;
        let working = AssertUnwindSafe(worked(child)).catch_unwind();
        tokio::pin!(working);
        let (ended, is_late) = tokio::select! {
            ended = &mut working => (ended, false),
            () = tokio::time::sleep(self.listing.time) => {
                child.cancel.cancel();
                (working.await, true)
            }
        };
        match ended {
            _ if is_late => failed_report(&format!(
                "timed out after {}",
                format_duration(self.listing.time)
            )),
            Ok(report) => report,
            Err(_) => failed_report("an internal error ended it"),
        }
    }

    /// Gives its token back. What it was shown now speaks from its parent.
    async fn release(&self) {
        if let Err(error) = self
            .child
            .services
            .broker
            .release(self.child.agent.caller.clone())
            .await
        {
            tracing::warn!(agent = %self.child.agent.id, %error, "an agent could not be released");
        }
    }
}

/// Puts before the child who it is, and for who changes files how the project works; nothing of the
/// conversation that it was started from.
async fn set_standing(child: &Work, listing: &AgentListing) {
    let shared = child.agent.resources.shared.clone();
    let (profile, about) = (child.request.profile.clone(), listing.description.clone());
    let settings = profile.settings.clone();
    let reading =
        tokio::task::spawn_blocking(move || prompts::standing(&shared.prompts, &profile, &about));
    let mut standing = match reading.await {
        Ok(standing) => standing,
        Err(error) => {
            tracing::error!(%error, "the prompt layers of an agent could not be read");
            return;
        }
    };
    let writes = |tool: &domain::tool::ToolName| {
        child.services.effects.get(tool.as_str()) == Some(&EffectClass::SharedWrite)
    };
    let has_notes = !listing.orchestrates && listing.tools.iter().any(writes);
    standing.retain(|kind| match kind {
        LayerKind::Identity | LayerKind::AgentCard => true,
        LayerKind::UserText | LayerKind::GlobalNotes | LayerKind::ProjectNotes => has_notes,
    });
    standing.fit_to_type(Some(&listing.agent_type), &child.services.agents);
    let budget = context::Budget::of(child.agent.context_tokens);
    pictures::set(child);
    child.with_state(|state| {
        let characters = state
            .conversation
            .view
            .characters_in(budget.preamble_tokens);
        state
            .conversation
            .view
            .set_layers(&standing.layers, characters);
        let shape = compaction::shape_of(child);
        let reports = budget.reports_characters();
        state.set_notes(standing.notes);
        state.conversation.view.set_shape(shape, reports);
        state
            .conversation
            .view
            .set_system(context::prompt::system(&settings));
    });
}

/// Works on the brief, then reports on it.
async fn worked(child: &Work) -> Report {
    let outcome = if orchestrated::is_for(child) {
        Box::pin(orchestrated::run(child)).await
    } else {
        Box::pin(loop_mode::run(child)).await
    };
    match no_report(child, &outcome) {
        Some(reason) => failed_report(&reason),
        None => Box::pin(report::ask(child)).await,
    }
}

/// Why an agent whose turn ended like this has nothing to report.
fn no_report(child: &Work, outcome: &Outcome) -> Option<String> {
    if child.cancel.is_cancelled() {
        return Some("interrupted".to_owned());
    }
    let said = outcome.error.as_ref().map(|fault| fault.message.clone());
    match outcome.status {
        QueryStatus::Success | QueryStatus::Partial => None,
        QueryStatus::Denied => {
            let refused = "the guard or the user refused what it needed".to_owned();
            Some(said.map_or(refused.clone(), |said| format!("{refused}: {said}")))
        }
        QueryStatus::Failed => Some(said.unwrap_or_else(|| "it gave no answer".to_owned())),
        QueryStatus::Interrupted => Some("interrupted".to_owned()),
    }
}

fn format_duration(time: Duration) -> String {
    match time.as_secs() {
        seconds if seconds >= 120 => format!("{} minutes", seconds / 60),
        seconds => format!("{seconds} seconds"),
    }
}
