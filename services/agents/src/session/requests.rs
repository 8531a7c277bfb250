//! Working on the requests of a session: what each is worked on with, and how it ends.

use crate::config::Config;
use crate::delegation::orchestrated;
use crate::prompts;
use crate::session::shared::Shared;
use crate::session::{Pending, Session};
use session_log::Durability;

use crate::work::adaptive;
use crate::work::command;
use crate::work::compaction;
use crate::work::input;
use crate::work::loop_mode;
use crate::work::pictures;
use crate::work::pipeline;
use crate::work::recall;
use crate::work::resources::AgentResources;
use crate::work::routing::{Routed, routed};
use crate::work::{AgentContext, Request, Services, Work};
use api::models::ModelFacts;
use api::sessions::Error;
use domain::Timestamp;
use domain::event::{EventBody, QueryStatus};
use domain::fault::{Coded, Fault};
use domain::id::QueryId;
use domain::model::ModelChoice;
use domain::settings::{Mode, SessionProfile};
use futures::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use turn::Outcome;

/// The model that works on a request.
#[derive(Default)]
struct Chosen {
    /// `None`: nothing was chosen, since no model is asked.
    model: Option<ModelChoice>,
    facts: ModelFacts,
    /// Where it was chosen by its answers.
    route: Option<Routed>,
}

impl Session {
    /// Gathers the standing text anew: at the start and when settings change, never in between.
    pub(crate) async fn refresh_prompts(&self, config: &Config) {
        let Some(profile) = self.profile() else {
            return;
        };
        let (prompts, about) = (config.prompts.clone(), self.root.about.clone());
        let tokens = self.context_of(&profile);
        let settings = profile.settings.clone();
        let reading =
            tokio::task::spawn_blocking(move || prompts::standing(&prompts, &profile, &about));
        let mut standing = match reading.await {
            Ok(standing) => standing,
            Err(error) => {
                tracing::error!(session = %self.id, %error, "the prompt layers could not be read");
                return;
            }
        };
        standing.fit_to_type(self.root.agent_type(), &self.root.agents);
        let budget = context::Budget::of(tokens);
        let mut history = self.emitter.history();
        let root = self.root.agent_type();
        let listing = root.and_then(|agent_type| self.root.agents.get(agent_type));
        let shape = compaction::shape_of_root(listing);
        history.set_standing(&settings, standing, (budget, shape));
    }

    pub(super) async fn answer(&self, shared: &Shared, pending: Pending) {
        let query_id = pending.query_id;
        let (text, received) = (pending.text.clone(), pending.received);
        let (outcome, log_failure) = match self.begin(shared, pending).await {
            Ok(Some(work)) => {
                let mut outcome = run(&work).await;
                adaptive::tell_of_rules(&work, &mut outcome);
                // Agents that were stopped are shut down before the request's last event.
                work.agent.resources.children.close();
                work.agent.resources.children.wait().await;
                (outcome, work.log_failure())
            }
            Ok(None) => (Outcome::of(QueryStatus::Interrupted), None),
            Err(error) => (Outcome::failed(error.fault()), None),
        };
        if let Some(fault) = log_failure {
            tracing::warn!(session = %self.id, fault = fault.message, "a request ended unlogged");
        }
        self.finish(shared, query_id, text, received, outcome).await;
    }

    /// The closing events of a request. The request leaves the queue before its last event is
    /// shown, so that who reacts to that event finds the session free.
    async fn finish(
        &self,
        shared: &Shared,
        query_id: QueryId,
        text: String,
        received: Timestamp,
        outcome: Outcome,
    ) {
        let ended = (shared.clock)().duration_since(received);
        if let Some(fault) = &outcome.error {
            // The code alone: a message may hold what the user wrote.
            tracing::info!(session = %self.id, code = fault.code, "a request ended with an error");
        }
        let duration_ms = u64::try_from(ended.as_millis()).unwrap_or(0);
        let mut bodies = vec![EventBody::GenerationFinished {
            answer: outcome.answer.clone(),
            thinking: outcome.thinking,
            tool_calls: outcome.tool_calls,
            usage: outcome.usage,
            model: outcome.model,
            label: Some(self.emitter.history().shown_label()),
        }];
        if !outcome.answer.is_empty() {
            bodies.push(EventBody::DialogTurn {
                query: text,
                answer: outcome.answer,
            });
        }
        bodies.extend(outcome.error.clone().map(EventBody::Error));
        let scope = self.scope(query_id);
        for body in bodies {
            if let Err(error) = self.emitter.emit(scope, body, Durability::Written).await {
                tracing::warn!(session = %self.id, %error, "the end of a request could not be logged");
            }
        }
        self.give_back(shared).await;
        let mut queue = self.queue.lock().await;
        queue.pop_front();
        let finished = EventBody::QueryFinished {
            status: outcome.status,
            artifacts: outcome.artifacts,
            duration_ms,
            error: outcome.error,
        };
        self.end(query_id, finished).await;
    }

    /// Logs the last event of a request, now or before the next one is worked on.
    pub(super) async fn end(&self, query_id: QueryId, finished: EventBody) {
        self.unended.lock().await.push((query_id, finished));
        if let Err(error) = self.log_ends().await {
            tracing::warn!(session = %self.id, %error, "the last event of a request could not be logged yet");
        }
    }

    /// Logs the ends that are not logged yet. Until that is done the conversation is at the first of
    /// them, so that no other request may begin. How many were logged.
    pub(super) async fn log_ends(&self) -> Result<usize, Error> {
        let mut unended = self.unended.lock().await;
        let count = unended.len();
        while let Some((query_id, finished)) = unended.first() {
            let (scope, finished) = (self.scope(*query_id), finished.clone());
            let ended = self.emitter.emit(scope, finished, Durability::Synchronised);
            ended.await?;
            unended.remove(0);
        }
        Ok(count)
    }

    /// `None` when the request was stopped before it began.
    async fn begin(&self, shared: &Shared, pending: Pending) -> Result<Option<Work>, Error> {
        if pending.cancel.is_cancelled() {
            return Ok(None);
        }
        self.log_ends().await?;
        let own = pending.own.as_ref().map(|(_, profile)| profile.clone());
        self.borrow(shared, own).await?;
        let chosen = match pending.mode {
            Mode::Deterministic | Mode::Command => Chosen::default(),
            _ => self.choose_model(shared, &pending).await,
        };
        let Some(mut work) = self.work_for(shared, pending, chosen) else {
            return Ok(None);
        };
        // Who hands work out does so under a schema of its own, with a model of any class.
        if !orchestrated::is_for(&work) {
            adaptive::choose(&mut work).await;
        }
        Ok(Some(work))
    }

    /// The model that is about to be asked: the session's, one that the router chooses for the role, else the
    /// role's. A context that is not known stays as it was.
    async fn choose_model(&self, shared: &Shared, pending: &Pending) -> Chosen {
        let Some(profile) = self.profile() else {
            return Chosen::default();
        };
        let choice = profile.model.unwrap_or(ModelChoice::Role(self.root.role));
        let task = (pending.text.as_str(), pending.query_id);
        let (model, route) = routed(shared.config.router.as_ref(), choice, task).await;
        let facts = pictures::facts_of(&*shared.models, model.clone()).await;
        if profile.context_tokens.is_none()
            && let Some(tokens) = facts.context_tokens
            && self.context_tokens.swap(tokens, Ordering::Relaxed) != tokens
        {
            self.refresh_prompts(&shared.config).await;
        }
        Chosen {
            model: Some(model),
            facts,
            route,
        }
    }

    /// The context that requests are worked on in, tokens.
    pub(crate) fn context_of(&self, profile: &SessionProfile) -> u32 {
        let known = || self.context_tokens.load(Ordering::Relaxed);
        profile.context_tokens.unwrap_or_else(known)
    }

    fn work_for(&self, shared: &Shared, pending: Pending, chosen: Chosen) -> Option<Work> {
        let profile = self.profile()?;
        let root = &self.root;
        Some(Work {
            agent: AgentContext {
                id: root.registered.agent_id,
                lineage: root.registered.lineage.clone(),
                caller: self.caller(pending.trace_id),
                model: chosen.model.unwrap_or(ModelChoice::Role(root.role)),
                route: chosen.route,
                facts: chosen.facts,
                context_tokens: self.context_of(&profile),
                resources: AgentResources::of_root(&root.shared),
            },
            request: Request {
                session_id: self.id,
                query_id: pending.query_id,
                text: pending.text,
                mode: pending.mode,
                profile,
                may_recall: root.may_recall,
            },
            services: self.services(shared),
            cancel: pending.cancel,
            log_failure: Arc::default(),
        })
    }

    /// What its requests are worked on with.
    fn services(&self, shared: &Shared) -> Services {
        let tools = Arc::clone(&shared.tools);
        Services {
            models: Arc::clone(&shared.models),
            broker: Arc::clone(&shared.broker),
            audit: Arc::clone(&shared.audit),
            clock: Arc::clone(&shared.clock),
            events: self.emitter.clone(),
            watcher: tools.senses().watcher.clone(),
            own_tools: tools,
            agents: Arc::clone(&self.root.agents),
            effects: Arc::clone(&self.root.effects),
            tool_iterations: shared.config.tool_iterations,
            rules_first: shared.config.rules_first,
            planner: shared.config.planner.clone(),
            router: shared.config.router.clone(),
            recall_wait: shared.config.recall_wait,
            sessions_folder: Arc::clone(&shared.sessions_folder),
        }
    }
}

/// Works on a request in its mode. A panic in there ends the request, not the session.
async fn run(work: &Work) -> Outcome {
    let working = async {
        if work.request.mode == Mode::Command {
            return command::run(work).await;
        }
        pictures::set(work);
        if let Err(fault) = pictures::before(work).await {
            return Outcome::failed(fault);
        }
        compaction::begin_request(work).await;
        if let Err(fault) = input::before(work).await {
            return Outcome::failed(fault);
        }
        recall::before(work).await;
        match work.request.mode {
            _ if orchestrated::is_for(work) => Box::pin(orchestrated::run(work)).await,
            Mode::Loop | Mode::Auto | Mode::Adaptive => Box::pin(loop_mode::run(work)).await,
            Mode::Plan | Mode::Deterministic | Mode::Bridge | Mode::Command => {
                Box::pin(pipeline::run(work)).await
            }
        }
    };
    let mut outcome = match AssertUnwindSafe(working).catch_unwind().await {
        Ok(outcome) => outcome,
        Err(_) => Outcome::failed(Fault {
            code: "agents.internal".to_owned(),
            message: "An internal error ended this request.".to_owned(),
            hint: "The session can go on. The log of the process has the details.".to_owned(),
        }),
    };
    if let Some(fault) = work.log_failure() {
        outcome.status = QueryStatus::Failed;
        outcome.error = Some(fault);
    }
    outcome
}
