//! One request in the hands of an agent: what is asked, who works on it, and the services that it
//! is done with. What is done for it stands in files of their own: asking a model in
//! `ask_model.rs`, calling a tool in `call.rs`, the modes in [`loop_mode`] and [`pipeline`].

pub(crate) mod adaptive;
pub(crate) mod ask;
mod ask_model;
pub(crate) mod budget;
mod call;
mod changes;
mod checks;
pub(crate) mod command;
pub(crate) mod compaction;
pub(crate) mod input;
mod known;
mod lock;
pub(crate) mod loop_mode;
mod mentioned;
mod named;
mod own_tools;
pub(crate) mod permit;
pub(crate) mod pictures;
pub(crate) mod pipeline;
pub(crate) mod recall;
mod reroute;
pub(crate) mod resources;
pub(crate) mod routing;
pub(crate) mod running;
mod small_talk;

use crate::history::{AgentState, Emitter};
use crate::work::resources::AgentResources;
use crate::work::routing::Routed;
use api::CallContext;
use api::audit::Audit;
use api::broker::{AgentListing, Broker};
use api::executor::{ReportSink, ToolFailure};
use api::models::{ModelFacts, Models};
use api::planner::Planner;
use api::routing::Router;
use api::signals::Watcher;
use async_trait::async_trait;
use domain::event::EventBody;
use domain::fault::{Coded, Fault};
use domain::id::{AgentId, CallId, QueryId, SessionId};
use domain::label::Label;
use domain::lineage::{AgentType, Lineage};
use domain::model::ModelChoice;
use domain::settings::{Mode, SessionProfile};
use domain::tool::{EffectClass, ToolName, ToolOutput};
use orchestration::{Limits, Roster, Types};
use serde_json::Value;
use session_log::{Clock, Durability, Scope, path_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// One request in the hands of one agent. A clone is the same request in the same hands.
#[derive(Clone)]
pub(crate) struct Work {
    /// What is asked.
    pub(crate) request: Request,
    /// Who works on it.
    pub(crate) agent: AgentContext,
    /// What it is done with.
    pub(crate) services: Services,
    /// Fires when the user interrupts, the session closes or its log cannot be written.
    pub(crate) cancel: CancellationToken,
    pub(crate) log_failure: Arc<OnceLock<Fault>>,
}

/// What is asked, and how it is to be worked on.
#[derive(Clone)]
pub(crate) struct Request {
    pub(crate) session_id: SessionId,
    pub(crate) query_id: QueryId,
    /// The user's words; for an agent at work for another, its brief.
    pub(crate) text: String,
    pub(crate) mode: Mode,
    /// What the session is opened with now.
    pub(crate) profile: SessionProfile,
    /// Whether memories may be recalled for the request, as far as the agent's type and
    /// configuration go.
    pub(crate) may_recall: bool,
}

/// The agent that works on a request.
#[derive(Clone)]
pub(crate) struct AgentContext {
    pub(crate) id: AgentId,
    /// Its lineage as the broker gave it, root first; for audit records only.
    pub(crate) lineage: Lineage,
    /// Who calls, for the broker and the models.
    pub(crate) caller: CallContext,
    /// The model to ask: the session's, one that was chosen by its answers, else the agent type's role.
    pub(crate) model: ModelChoice,
    /// What was chosen by its answers.
    pub(crate) route: Option<Routed>,
    /// What is known of the model.
    pub(crate) facts: ModelFacts,
    /// Context size to ask for, tokens.
    pub(crate) context_tokens: u32,
    /// What it may use and has used, among agents.
    pub(crate) resources: AgentResources,
}

/// What every request of a session is worked on with.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) models: Arc<dyn Models>,
    pub(crate) broker: Arc<dyn Broker>,
    /// Where model calls are recorded.
    pub(crate) audit: Arc<dyn Audit>,
    pub(crate) clock: Clock,
    /// The session's log.
    pub(crate) events: Emitter,
    /// Agents' own tools.
    pub(crate) own_tools: Arc<dyn OwnTools>,
    /// What tells of changes of files, if anything does.
    pub(crate) watcher: Option<Arc<dyn Watcher>>,
    /// Every agent type there is.
    pub(crate) agents: Arc<BTreeMap<AgentType, AgentListing>>,
    /// What each known tool does to the world. A tool that is not here may do anything.
    pub(crate) effects: Arc<BTreeMap<String, EffectClass>>,
    /// Most model calls with tools in one turn.
    pub(crate) tool_iterations: u32,
    /// Whether the rules are asked before any model, and not before the one that comes along alone.
    pub(crate) rules_first: bool,
    /// The external planner, if one is configured.
    pub(crate) planner: Option<Arc<dyn Planner>>,
    /// What chooses among several models of a role, if any role has them.
    pub(crate) router: Option<Arc<dyn Router>>,
    /// Longest a request waits for memories.
    pub(crate) recall_wait: Duration,
    pub(crate) sessions_folder: Arc<Path>,
}

/// A call of an agent's own tool that the broker permits.
#[derive(Debug, Clone)]
pub(crate) struct PermittedCall {
    /// The call.
    pub(crate) call_id: CallId,
    /// The tool.
    pub(crate) tool: ToolName,
    /// The arguments, an object that fits the tool's schema.
    pub(crate) arguments: Value,
    /// Arguments that name paths, absolute and normalised, by argument name.
    pub(crate) targets: BTreeMap<String, PathBuf>,
}

/// Agents' own tools.
#[async_trait]
pub(crate) trait OwnTools: Send + Sync {
    /// Runs a permitted call of the agent that is at work. Dropping the future stops it.
    ///
    /// # Errors
    /// [`ToolFailure`], for the model to read.
    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure>;
}

impl Work {
    /// Appends an event of this request to the session log, then shows it. When the log cannot be
    /// written nothing is shown and [`Work::cancel`] fires: what is not in the log must not happen.
    pub(crate) async fn emit(&self, body: EventBody, call_id: Option<CallId>) {
        self.emit_with(body, call_id, Durability::Written).await;
    }

    /// As [`Work::emit`]; the event's number, when it is in the log.
    pub(crate) async fn emit_with(
        &self,
        body: EventBody,
        call_id: Option<CallId>,
        durability: Durability,
    ) -> Option<u64> {
        let scope = Scope {
            query_id: Some(self.request.query_id),
            agent_id: Some(self.agent.id),
            call_id,
        };
        match self.services.events.emit(scope, body, durability).await {
            Ok(event) => Some(event.seq),
            Err(error) => {
                tracing::debug!(session = %self.request.session_id, %error, "an event could not be logged");
                let _ = self.log_failure.set(error.fault());
                self.cancel.cancel();
                None
            }
        }
    }

    /// Tells the broker, then the log, of what a model is about to be shown that no tool returned.
    ///
    /// # Errors
    /// When the broker does not take it: the model must then not be asked.
    pub(crate) async fn tell_shown(&self, due: Vec<EventBody>) -> Result<(), Fault> {
        if let Some(label) = self.with_state(|state| state.own_label()) {
            self.note_shown(label).await?;
        }
        for body in due {
            if let EventBody::NotesShown { label, .. } = &body {
                self.note_shown(label.clone()).await?;
            }
            self.emit(body, None).await;
        }
        Ok(())
    }

    /// Joins a label to the agent's at the broker.
    ///
    /// # Errors
    /// When the broker does not take it.
    pub(crate) async fn note_shown(&self, label: Label) -> Result<(), Fault> {
        let noting = self
            .services
            .broker
            .note_shown(self.agent.caller.clone(), label);
        noting.await.map_err(|error| error.fault())
    }

    /// Looks at, or changes, the agent's own conversation. Nothing may be awaited in there.
    pub(crate) fn with_state<T>(&self, look: impl FnOnce(&mut AgentState) -> T) -> T {
        look(
            self.services
                .events
                .history()
                .agent_mut(Some(self.agent.id)),
        )
    }

    /// What the types of agents say of who may hand what to whom.
    pub(crate) fn types(&self) -> Types<'_> {
        Types {
            agents: &self.services.agents,
            effects: &self.services.effects,
        }
    }

    /// Whom this agent may hand tasks to.
    pub(crate) fn roster(&self) -> Roster {
        let own = &self.request.profile.agent_type;
        self.types().roster(own, self.agent.lineage.len())
    }

    /// What the tasks that it hands out may use.
    pub(crate) fn task_limits(&self) -> Limits {
        let (own, types) = (&self.request.profile.agent_type, self.types());
        Limits {
            at_once: self.agent.resources.shared.at_work,
            tokens: self.agent.resources.budget.left(),
            checker: types.checker(own),
            stand_ins: types.stand_ins(own),
        }
    }

    /// Whether the user's requests go to this agent, and no other agent started it.
    #[must_use]
    pub(crate) fn is_root(&self) -> bool {
        self.agent.lineage.len() <= 1
    }

    /// The session's log.
    pub(crate) fn log_path(&self) -> PathBuf {
        path_of(&self.services.sessions_folder, self.request.session_id)
    }

    /// What is wrong with the session log; `None` when nothing is.
    #[must_use]
    pub(crate) fn log_failure(&self) -> Option<Fault> {
        self.log_failure.get().cloned()
    }
}
