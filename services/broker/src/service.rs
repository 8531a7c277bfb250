//! The broker as a service: the two contracts over the parts beside this file.

use crate::batch::Seat;
use crate::call::Call;
use crate::config::{Clock, Config};
use crate::credentials::KnownSecrets;
use crate::discovery::Room;
use crate::error;
use crate::inner::Inner;
use crate::judging::{Counting, is_check};
use crate::ledger;
use crate::manifest;
use crate::plan::Pin;
use crate::state::{Caller, State, lock};
use crate::values::Stored;
use api::audit::{Action, Audit, Durability};
use api::authority::Authority;
use api::broker::{
    Broker, CallRequest, Error, ErrorKind, OfferBound, PlanEvent, PlanRequest, Registered,
    ToolEvent,
};
use api::executor::{Executor, ToolFailure};
use api::{CallContext, Streaming};
use async_trait::async_trait;
use domain::decision::Decision;
use domain::event::CallStatus;
use domain::id::{CallId, SessionId, ValueId};
use domain::label::Label;
use domain::limits::SPAWN_DEPTH;
use domain::lineage::AgentType;
use domain::tool::{ToolDefinition, ToolOutput};
use futures::StreamExt;
use policy::table::ToolTable;
use policy::{Cover, Parts, Policy};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::{OnceCell, mpsc};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

/// Events of one call that may wait for a slow reader.
const CALL_EVENTS: usize = 64;

/// The broker. Cheap to clone: every clone is the same broker.
#[derive(Clone)]
pub struct Service {
    pub(crate) inner: Arc<Inner>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").finish_non_exhaustive()
    }
}

impl Service {
    /// Compiles the tool table of `executor` and the manifest, and takes no call before that is
    /// done. `clock` tells the time in UTC.
    ///
    /// # Errors
    /// [`error::Error`] when the manifest or the tool table cannot be used.
    pub fn new(
        config: Config,
        audit: Arc<dyn Audit>,
        executor: Arc<dyn Executor>,
        clock: Clock,
    ) -> Result<Self, error::Error> {
        Self::with_secrets(config, audit, executor, KnownSecrets::none(), clock)
    }

    /// As [`Service::new`], with a store for the secrets that tools are filled with, and what was read
    /// from it, which is taken out of results. Without one, a tool that needs a secret does not run.
    ///
    /// # Errors
    /// As [`Service::new`].
    pub fn with_secrets(
        config: Config,
        audit: Arc<dyn Audit>,
        executor: Arc<dyn Executor>,
        secrets: KnownSecrets,
        clock: Clock,
    ) -> Result<Self, error::Error> {
        let mut specs = executor.table();
        specs.extend(config.caller_tools.iter().cloned());
        specs.push(crate::discovery::finder());
        let table = ToolTable::new(specs)?;
        let manifest = manifest::load(&config, &table)?;
        let policy = Policy::new(Parts {
            manifest,
            table,
            home: config.home.clone(),
            own_folders: config.own_folders.clone(),
            egress_hosts: config.egress_hosts.clone(),
        });
        Ok(Self {
            inner: Arc::new(Inner {
                policy,
                config,
                executor,
                clock,
                authority: Authority::establish(),
                state: State::default(),
                audit,
                secrets,
                params_key: rand::random(),
                started: OnceCell::new(),
            }),
        })
    }

    /// The folders that an agent of some type may change, whatever the user opens.
    pub fn changeable_folders(&self) -> Vec<PathBuf> {
        let agents = self.inner.policy.manifest().agents.values();
        let stated = agents.filter_map(|agent| agent.allowed_paths.write.as_ref());
        stated.flat_map(|paths| paths.roots().to_vec()).collect()
    }

    /// A value an agent of the session was shown, while it is kept; for the user's eyes.
    #[must_use]
    pub fn stored(&self, session_id: SessionId, value_id: ValueId) -> Option<Stored> {
        let session = self.inner.state.session(session_id).ok()?;
        let session = lock(&session);
        session.values.get(&value_id).cloned()
    }
}

/// A stream over a call's events. Dropping it cancels the call.
fn streamed<T: Send + 'static>(
    receiver: mpsc::Receiver<Result<T, Error>>,
    cancel: CancellationToken,
) -> Streaming<T, Error> {
    let guard = cancel.drop_guard();
    ReceiverStream::new(receiver)
        .map(move |event| {
            let _ = &guard;
            event
        })
        .boxed()
}

#[async_trait]
impl Broker for Service {
    async fn register_agent(
        &self,
        parent: CallContext,
        agent_type: AgentType,
    ) -> Result<Registered, Error> {
        let inner = &self.inner;
        let caller = inner.state.caller(&parent)?;
        let manifest = inner.policy.manifest();
        let may_spawn = manifest
            .agents
            .get(&caller.agent_type)
            .is_some_and(|rule| rule.can_spawn.contains(&agent_type));
        if !may_spawn {
            return Err(Error::new(
                ErrorKind::UnknownAgentType,
                format!(
                    "`{}` may not start an agent of type `{agent_type}`.",
                    caller.agent_type
                ),
            ));
        }
        if caller.lineage.len() >= SPAWN_DEPTH {
            return Err(Error::new(
                ErrorKind::LimitReached,
                format!("A chain of agents is at most {SPAWN_DEPTH} long."),
            ));
        }
        let label = {
            let mut session = lock(&caller.session);
            session.task(parent.trace_id).count_agent()?;
            let agent = session.agents.get(&caller.agent_id);
            agent.map_or_else(|| Label::untrusted("released agent"), |a| a.label.clone())
        };
        let inherited = (label, caller.ended.child_token());
        let Caller {
            session_id,
            session,
            lineage,
            ..
        } = &caller;
        let registered = inner
            .register(*session_id, session, lineage.clone(), agent_type, inherited)
            .await?;
        lock(session)
            .task(parent.trace_id)
            .hand_down(caller.agent_id, registered.agent_id);
        Ok(registered)
    }

    async fn discover_tools(
        &self,
        context: CallContext,
        task: String,
        bound: OfferBound,
    ) -> Result<Vec<ToolDefinition>, Error> {
        let caller = self.inner.state.caller(&context)?;
        self.inner.worth_offering(&caller, &task, Room::Of(bound))
    }

    async fn validate(&self, request: CallRequest) -> Result<Decision, Error> {
        let inner = &self.inner;
        let caller = inner.state.caller(&request.context)?;
        let step = inner.step_key(&request.tool, &request.arguments);
        let is_step = request.plan_id.is_some_and(|plan| {
            lock(&caller.session)
                .plans
                .is_next_step(plan, caller.agent_id, &step)
        });
        let cover = if is_step {
            Cover::PlanStep
        } else {
            Cover::Nothing
        };
        let mut judgement = inner
            .judge_call(&caller, &request, cover, Counting::Look, None)
            .await;
        if request.plan_id.is_some() && !is_step {
            judgement.add(crate::call::outside_plan());
        }
        let known = inner.policy.table().find(&request.tool);
        let record = ledger::CallRecord {
            caller,
            call_id: request.call_id,
            tool: known.map(|(_, tool)| tool.spec.definition.name.clone()),
            params_hash: inner.params_hash(&request.arguments),
        };
        let entry = record.decided((inner.clock)(), Action::Validate, &judgement.decision());
        if let Err(error) = inner.record(entry, Durability::Grouped).await {
            judgement.add(ledger::unwritable(&error));
        }
        Ok(judgement.decision())
    }

    async fn execute(&self, request: CallRequest) -> Result<Streaming<ToolEvent, Error>, Error> {
        let caller = self.inner.state.caller(&request.context)?;
        let cancel = caller.ended.child_token();
        let (events, receiver) = mpsc::channel(CALL_EVENTS);
        let batch = request.batch.filter(|_| request.plan_id.is_none());
        let (seat, outside) = {
            let mut session = lock(&caller.session);
            let agent = session.agents.get(&caller.agent_id);
            let outside = agent.map_or(0, |agent| agent.outside);
            let who = (caller.agent_id, outside);
            let seat = batch.and_then(|batch| session.rows.sit(who, batch));
            let outside = seat.as_ref().map_or(outside, Seat::outside);
            (seat, outside)
        };
        let lent = OnceLock::new();
        if is_check(&caller, &request) {
            let workspace = lock(&caller.session).settings.workspace.clone();
            lent.get_or_init(|| workspace);
        }
        let call = Call {
            seat,
            outside,
            lent,
            planned: OnceLock::new(),
            differs_from_shown: OnceLock::new(),
            inner: self.inner.clone(),
            caller,
            request,
            cancel: cancel.clone(),
            events: events.clone(),
        };
        tokio::spawn(async move {
            // The call runs in a task of its own so that a fault in the broker itself ends as a
            // result, too.
            if let Err(error) = tokio::spawn(call.run()).await {
                tracing::error!(%error, "a call broke down");
                let text = "[DENIED] The call could not be judged, so it was refused.".to_owned();
                let result = crate::call::nothing_ran(CallStatus::Denied, text);
                let _ = events.send(Ok(ToolEvent::Finished(result))).await;
            }
        });
        Ok(streamed(receiver, cancel))
    }

    async fn stop_call(&self, context: CallContext, call_id: CallId) -> Result<(), Error> {
        let caller = self.inner.state.caller(&context)?;
        match lock(&caller.session).running.stop(caller.agent_id, call_id) {
            true => Ok(()),
            false => {
                let detail = format!("No tool runs for a call {call_id} of this agent.");
                Err(Error::new(ErrorKind::UnknownCall, detail))
            }
        }
    }

    async fn report_call(
        &self,
        context: CallContext,
        call_id: CallId,
        outcome: Result<ToolOutput, ToolFailure>,
    ) -> Result<(), Error> {
        let caller = self.inner.state.caller(&context)?;
        let calls = &mut lock(&caller.session).own_calls;
        match calls.report(caller.agent_id, call_id, outcome) {
            true => Ok(()),
            false => {
                let detail = format!("No call {call_id} of this agent waits for its result.");
                Err(Error::new(ErrorKind::UnknownCall, detail))
            }
        }
    }

    async fn pin_plan(&self, request: PlanRequest) -> Result<Streaming<PlanEvent, Error>, Error> {
        let caller = self.inner.state.caller(&request.context)?;
        let cancel = caller.ended.child_token();
        let (events, receiver) = mpsc::channel(CALL_EVENTS);
        let pin = Pin {
            inner: self.inner.clone(),
            caller,
            request,
            cancel: cancel.clone(),
            events: events.clone(),
        };
        tokio::spawn(async move {
            if let Err(error) = tokio::spawn(pin.run()).await {
                tracing::error!(%error, "judging a plan broke down");
                let why = "Judging the plan broke down.";
                let finding = crate::judging::broken_finding("check_panicked", why);
                let decision = Decision::strictest(vec![finding]);
                let _ = events.send(Ok(PlanEvent::Refused { decision })).await;
            }
        });
        Ok(streamed(receiver, cancel))
    }

    async fn note_shown(&self, context: CallContext, label: Label) -> Result<(), Error> {
        let caller = self.inner.state.caller(&context)?;
        let mut session = lock(&caller.session);
        let agent = session.agents.get_mut(&caller.agent_id);
        let agent = agent.ok_or_else(|| {
            let detail = "The agent has ended.".to_owned();
            Error::new(ErrorKind::UnknownAgent, detail)
        })?;
        agent.takes_in(&label);
        Ok(())
    }

    async fn release(&self, context: CallContext) -> Result<(), Error> {
        let inner = &self.inner;
        let caller = inner.state.caller(&context)?;
        lock(&caller.session).hand_back(caller.agent_id);
        inner.state.remove_agents(&caller.session, caller.agent_id);
        let entry = ledger::agent_entry(&caller, (inner.clock)(), Action::ReleaseAgent);
        inner
            .record(entry, Durability::Grouped)
            .await
            .map_err(ledger::refused)
    }
}
