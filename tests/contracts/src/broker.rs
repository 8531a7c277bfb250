//! A broker in memory: scripted tools, true tokens, true questions.

mod control;
mod state;

use super::{DropCount, fresh_uuid};
use api::broker::{
    Broker, CallRequest, Error, ErrorKind, GrantListing, OfferBound, OwnCall, PlanEvent,
    PlanRequest, Registered, ToolEvent, ToolResult,
};
use api::executor::ToolFailure;
use api::programs::Program;
use api::{CallContext, Streaming};
use async_trait::async_trait;
use domain::Timestamp;
use domain::decision::{Decision, Layer, Verdict};
use domain::event::{Batch, CallStatus, ConfirmationAnswer, ConfirmationKind, ConfirmationRequest};
use domain::hash::Digest;
use domain::id::{AgentId, BatchId, CallId, ConfirmationId, PlanId, SessionId, ValueId};
use domain::label::Label;
use domain::limits::CONFIRMATION_WAIT;
use domain::lineage::AgentType;
use domain::settings::Attendance;
use domain::token::TokenName;
use domain::tool::{EffectClass, ToolDefinition, ToolName, ToolOutput};
use futures::StreamExt;
use futures::stream::unfold;
use serde_json::{Value, json};
use state::{AGENT_TYPES, Question, State, binding, decide};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;

pub use state::BrokerTool;

/// How a question and its answer become events of a stream.
type Wrap<T> = (
    fn(ConfirmationRequest) -> T,
    fn(ConfirmationId, ConfirmationAnswer, String, Option<TokenName>) -> T,
);

/// A broker whose tools are scripted. Agents, tokens, questions, plans and sessions are real;
/// policy is one verdict a tool. It implements the user's side too.
#[derive(Debug, Clone)]
pub struct FakeBroker {
    state: Arc<Mutex<State>>,
    /// Calls of batches that are over.
    ended: Arc<watch::Sender<BTreeSet<(BatchId, u32)>>>,
    stopped: DropCount,
}

/// A call's place in its batch; dropping it lets the next one begin.
struct Place {
    batch: Batch,
    ended: Arc<watch::Sender<BTreeSet<(BatchId, u32)>>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let place = (self.batch.batch_id, self.batch.position);
        self.ended.send_modify(|ended| {
            ended.insert(place);
        });
    }
}

impl Default for FakeBroker {
    fn default() -> Self {
        Self::new()
    }
}

impl FakeBroker {
    /// With `read_file` (allowed), `write_file` and `delete_file` (asked for) and agent types
    /// `assistant`, which may spawn `helper`, which may spawn `helper`.
    #[must_use]
    pub fn new() -> Self {
        let fake = Self::without_tools();
        fake.add_tool(BrokerTool::new(
            "read_file",
            Verdict::Allow,
            EffectClass::Read,
        ));
        fake.add_tool(BrokerTool::new(
            "write_file",
            Verdict::Confirm,
            EffectClass::SharedWrite,
        ));
        fake.add_tool(BrokerTool::new(
            "delete_file",
            Verdict::Confirm,
            EffectClass::Destructive,
        ));
        fake
    }

    /// With no tools.
    #[must_use]
    pub fn without_tools() -> Self {
        Self {
            state: Arc::new(Mutex::new(State::default())),
            ended: Arc::new(watch::Sender::default()),
            stopped: DropCount::default(),
        }
    }

    /// Every session has these programs.
    pub fn set_programs(&self, programs: Vec<Program>) {
        self.state.lock().unwrap().programs = programs;
    }

    /// Adds or replaces a tool.
    pub fn add_tool(&self, tool: BrokerTool) {
        let mut state = self.state.lock().unwrap();
        state
            .tools
            .insert(tool.definition.name.as_str().to_owned(), tool);
    }

    /// Every call that was to be executed, oldest first, refused ones too.
    #[must_use]
    pub fn calls(&self) -> Vec<CallRequest> {
        self.state.lock().unwrap().calls.clone()
    }

    /// What agents were shown besides their tools' results, oldest first.
    #[must_use]
    pub fn shown(&self) -> Vec<(AgentId, Label)> {
        self.state.lock().unwrap().shown.clone()
    }

    /// The audit log cannot be written, or can again.
    pub fn set_audit_broken(&self, is_broken: bool) {
        self.state.lock().unwrap().is_audit_broken = is_broken;
    }

    /// Counts tools that were stopped because their stream was dropped.
    #[must_use]
    pub fn stopped(&self) -> &DropCount {
        &self.stopped
    }

    /// Puts a question and waits for the answer; events go out through `asked` and `answered`.
    async fn ask<T>(
        &self,
        session_id: SessionId,
        request: ConfirmationRequest,
        events: &mpsc::Sender<T>,
        wrap: Wrap<T>,
    ) -> ConfirmationAnswer {
        let confirmation_id = request.confirmation_id;
        let (reply, answer) = oneshot::channel();
        let is_attended = {
            let mut state = self.state.lock().unwrap();
            let settings = state.sessions.get(&session_id);
            let is_attended = settings.is_some_and(|s| s.attendance == Attendance::Attended);
            let binding = request.binding;
            let question = Question {
                session_id,
                binding,
                reply,
            };
            if is_attended {
                state.questions.insert(confirmation_id, question);
            }
            is_attended
        };
        send(events, wrap.0(request)).await;
        let deny = |message: &str| ConfirmationAnswer::Deny {
            message: message.to_owned(),
        };
        let mut token = None;
        let (answer, by) = if is_attended {
            match tokio::time::timeout(CONFIRMATION_WAIT, answer).await {
                Ok(Ok((answer, by))) => {
                    token = by.token().cloned();
                    (answer, "user")
                }
                Ok(Err(_)) => (deny("the session was closed"), "unattended"),
                Err(_) => (deny("no answer came"), "timeout"),
            }
        } else {
            (deny("no one is there to answer"), "unattended")
        };
        self.state
            .lock()
            .unwrap()
            .questions
            .remove(&confirmation_id);
        send(
            events,
            wrap.1(confirmation_id, answer.clone(), by.to_owned(), token),
        )
        .await;
        answer
    }

    /// Waits until the calls before this one in its batch are over.
    async fn turn(&self, batch: Option<Batch>) -> Option<Place> {
        let batch = batch?;
        let ended = Arc::clone(&self.ended);
        let place = Place { batch, ended };
        let mut ended = self.ended.subscribe();
        let before = |ended: &BTreeSet<(BatchId, u32)>| {
            (0..batch.position).all(|position| ended.contains(&(batch.batch_id, position)))
        };
        // The sender lives as long as this broker.
        let _ = ended.wait_for(before).await;
        Some(place)
    }

    async fn perform(
        self,
        request: CallRequest,
        decision: Decision,
        events: mpsc::Sender<ToolEvent>,
    ) {
        let _place = self.turn(request.batch).await;
        send(&events, ToolEvent::Decided(decision.clone())).await;
        let agent_type = {
            let state = self.state.lock().unwrap();
            state
                .agent(&request.context)
                .map(|agent| agent.agent_type.clone())
        };
        let is_go = match (decision.verdict, agent_type) {
            (Verdict::Allow, Ok(_)) => true,
            (Verdict::Confirm, Ok(agent_type)) => {
                self.confirm_call(&request, agent_type, &decision, &events)
                    .await
            }
            _ => false,
        };
        if !is_go {
            let text = decision.model_reason;
            send(&events, finished(CallStatus::Denied, text, Value::Null)).await;
            return;
        }
        let tool = {
            let mut state = self.state.lock().unwrap();
            state.use_plan(&request);
            state.tools.get(&request.tool).cloned()
        };
        let Some(tool) = tool else { return };
        let mut guard = self.stopped.watch();
        let (stop, stopped) = oneshot::channel();
        let key = (request.context.agent_token.clone(), request.call_id);
        self.state.lock().unwrap().running.insert(key.clone(), stop);
        send(&events, ToolEvent::Started).await;
        for progress in tool.progress.clone() {
            let (message, percent) = (progress.message, progress.percent);
            send(&events, ToolEvent::Progress { message, percent }).await;
        }
        let mut is_stopped = false;
        if let Some(gate) = tool.gate.as_ref().filter(|_| !tool.is_own) {
            tokio::select! {
                () = gate.pass() => {}
                Ok(()) = stopped => is_stopped = true,
            }
        }
        let mut ended = match (tool.is_own, is_stopped) {
            (true, _) => self.run_by_caller(&request, &tool, &events).await,
            (false, true) => finished(CallStatus::Cancelled, tool.text, Value::Null),
            (false, false) => finished(tool.status, tool.text, tool.data),
        };
        self.state.lock().unwrap().running.remove(&key);
        if !is_stopped {
            guard.done();
        }
        if let ToolEvent::Finished(result) = &mut ended {
            result.label = result.label.take().map(|_| tool.label);
        }
        send(&events, ended).await;
    }

    /// Has the caller run a call, and waits for what it reports.
    async fn run_by_caller(
        &self,
        request: &CallRequest,
        tool: &BrokerTool,
        events: &mpsc::Sender<ToolEvent>,
    ) -> ToolEvent {
        let (report, outcome) = oneshot::channel();
        let key = (request.context.agent_token.clone(), request.call_id);
        self.state.lock().unwrap().own_calls.insert(key, report);
        let own = OwnCall {
            tool: tool.definition.name.clone(),
            arguments: request.arguments.clone(),
            targets: BTreeMap::new(),
        };
        send(events, ToolEvent::CallerRuns(own)).await;
        match outcome.await {
            Ok(Ok(output)) => finished(CallStatus::Ok, output.text, output.data),
            Ok(Err(failure)) => finished(CallStatus::Failed, failure.message, Value::Null),
            Err(_) => finished(CallStatus::Cancelled, String::new(), Value::Null),
        }
    }

    async fn confirm_call(
        &self,
        request: &CallRequest,
        agent_type: AgentType,
        decision: &Decision,
        events: &mpsc::Sender<ToolEvent>,
    ) -> bool {
        let session_id = request.context.session_id;
        let bound = binding(&request.tool, &request.arguments);
        let effect = {
            let state = self.state.lock().unwrap();
            state
                .tools
                .get(&request.tool)
                .map_or(EffectClass::Destructive, |tool| tool.effect)
        };
        let question = ConfirmationRequest {
            confirmation_id: ConfirmationId::from_uuid(fresh_uuid()),
            kind: ConfirmationKind::Call,
            agent_type,
            lineage: Vec::new(),
            batch: None,
            effect,
            reason: decision.user_reason.clone(),
            rendering: format!("{} {}", request.tool, request.arguments),
            diff: None,
            steps: Vec::new(),
            binding: bound,
            expires: Timestamp::now() + CONFIRMATION_WAIT,
        };
        let wrap = (
            ToolEvent::ConfirmationAsked as fn(_) -> _,
            (|confirmation_id, answer, by, token| ToolEvent::ConfirmationAnswered {
                confirmation_id,
                answer,
                by,
                token,
            }) as fn(_, _, _, _) -> _,
        );
        match self.ask(session_id, question, events, wrap).await {
            ConfirmationAnswer::Once => true,
            ConfirmationAnswer::Session => {
                let mut state = self.state.lock().unwrap();
                state.always.insert((session_id, bound));
                let grant = GrantListing {
                    tool: ToolName::nearest(&request.tool),
                    scope: format!("{} {}", request.tool, request.arguments),
                    given: Timestamp::now(),
                };
                state.grants.push((session_id, grant));
                true
            }
            ConfirmationAnswer::Deny { .. } => false,
        }
    }

    async fn judge_plan(
        self,
        request: PlanRequest,
        agent_type: AgentType,
        events: mpsc::Sender<PlanEvent>,
    ) {
        let session_id = request.context.session_id;
        let calls = request.calls.iter();
        let calls: Vec<Value> = calls
            .map(|call| json!({"tool": call.tool, "arguments": call.arguments}))
            .collect();
        let hash = Digest::of_json(&json!({"intent": request.intent, "calls": calls}));
        let (decisions, is_approved) = {
            let state = self.state.lock().unwrap();
            let Ok(settings) = state.settings(session_id) else {
                return;
            };
            let judge = |call: &api::broker::PlannedCall| {
                state.judge(settings, &call.tool, &call.arguments)
            };
            let decisions: Vec<Decision> = request.calls.iter().map(judge).collect();
            (decisions, settings.approved_plans.contains(&hash))
        };
        let strictest = decisions
            .iter()
            .max_by_key(|decision| decision.verdict)
            .cloned();
        send(&events, PlanEvent::Proposed { hash, decisions }).await;
        let by = match strictest {
            None => Err(decide(Verdict::Deny, Layer::Schema, "empty_plan")),
            Some(decision) if decision.verdict == Verdict::Deny => Err(decision),
            Some(_) if is_approved => Ok("approved_hash"),
            Some(decision) if decision.verdict == Verdict::Allow => Ok("read_only"),
            Some(decision) => {
                let question = ConfirmationRequest {
                    confirmation_id: ConfirmationId::from_uuid(fresh_uuid()),
                    kind: ConfirmationKind::Plan,
                    agent_type,
                    lineage: Vec::new(),
                    batch: None,
                    effect: EffectClass::SharedWrite,
                    reason: decision.user_reason,
                    rendering: format!("{}: {calls:?}", request.intent),
                    diff: None,
                    steps: Vec::new(),
                    binding: hash,
                    expires: Timestamp::now() + CONFIRMATION_WAIT,
                };
                self.confirm_plan(session_id, question, &events).await
            }
        };
        let last = match by {
            Ok(by) => {
                let plan_id = PlanId::from_uuid(fresh_uuid());
                let mut state = self.state.lock().unwrap();
                state.plans.insert(plan_id, (session_id, request.calls));
                let by = by.to_owned();
                PlanEvent::Pinned { plan_id, hash, by }
            }
            Err(decision) => PlanEvent::Refused { decision },
        };
        send(&events, last).await;
    }

    async fn confirm_plan(
        &self,
        session_id: SessionId,
        question: ConfirmationRequest,
        events: &mpsc::Sender<PlanEvent>,
    ) -> Result<&'static str, Decision> {
        let wrap = (
            PlanEvent::ConfirmationAsked as fn(_) -> _,
            (|confirmation_id, answer, by, token| PlanEvent::ConfirmationAnswered {
                confirmation_id,
                answer,
                by,
                token,
            }) as fn(_, _, _, _) -> _,
        );
        match self.ask(session_id, question, events, wrap).await {
            ConfirmationAnswer::Once | ConfirmationAnswer::Session => Ok("user"),
            ConfirmationAnswer::Deny { .. } => {
                Err(decide(Verdict::Deny, Layer::SafetyGate, "refused_by_user"))
            }
        }
    }
}

/// A reader that went away is no reason to stop here: its guard aborts the task.
async fn send<T>(events: &mpsc::Sender<T>, event: T) {
    let _ = events.send(event).await;
}

fn finished(status: CallStatus, text: String, data: Value) -> ToolEvent {
    let has_run = status != CallStatus::Denied;
    ToolEvent::Finished(ToolResult {
        status,
        value_id: has_run.then(|| ValueId::from_uuid(fresh_uuid())),
        label: has_run.then(|| Label::untrusted("fake")),
        text,
        data,
        truncated: false,
        duration_ms: 0,
        artifacts: Vec::new(),
    })
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A stream fed by a task that stops when the stream is dropped.
fn streaming<T, F>(work: impl FnOnce(mpsc::Sender<T>) -> F) -> Streaming<T, Error>
where
    T: Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(16);
    let guard = AbortOnDrop(tokio::spawn(work(sender)).abort_handle());
    let step = |(mut receiver, guard): (mpsc::Receiver<T>, AbortOnDrop)| async move {
        let event = receiver.recv().await?;
        Some((Ok(event), (receiver, guard)))
    };
    unfold((receiver, guard), step).boxed()
}

#[async_trait]
impl Broker for FakeBroker {
    async fn register_agent(
        &self,
        parent: CallContext,
        agent_type: AgentType,
    ) -> Result<Registered, Error> {
        let mut state = self.state.lock().unwrap();
        state.check_audit()?;
        let caller = state.agent(&parent)?.clone();
        state::known_type(&agent_type)?;
        let may_spawn = AGENT_TYPES.iter().any(|(name, spawns)| {
            *name == caller.agent_type.as_str() && spawns.contains(&agent_type.as_str())
        });
        if !may_spawn {
            let detail = format!("{} may not spawn {agent_type}", caller.agent_type);
            return Err(Error::new(ErrorKind::UnknownAgentType, detail));
        }
        Ok(state.register(caller.session_id, caller.lineage, agent_type, fresh_uuid()))
    }

    async fn discover_tools(
        &self,
        context: CallContext,
        _: String,
        bound: OfferBound,
    ) -> Result<Vec<ToolDefinition>, Error> {
        let state = self.state.lock().unwrap();
        state.agent(&context)?;
        let disabled = &state.settings(context.session_id)?.disabled_tools;
        let offered = |tool: &&BrokerTool| {
            let name = &tool.definition.name;
            let is_out = disabled.contains(name) || bound.without.contains(name.as_str());
            tool.verdict != Verdict::Deny && !is_out
        };
        let tools = state.tools.values().filter(offered);
        Ok(tools.map(|tool| tool.definition.clone()).collect())
    }

    async fn validate(&self, request: CallRequest) -> Result<Decision, Error> {
        self.state.lock().unwrap().judge_request(&request)
    }

    async fn execute(&self, request: CallRequest) -> Result<Streaming<ToolEvent, Error>, Error> {
        let decision = {
            let mut state = self.state.lock().unwrap();
            state.check_audit()?;
            let mut decision = state.judge_request(&request)?;
            state.calls.push(request.clone());
            if state.use_approval(&request) && decision.verdict == Verdict::Confirm {
                decision = decide(Verdict::Allow, Layer::SafetyGate, "typed");
            }
            decision
        };
        let this = self.clone();
        Ok(streaming(|events| this.perform(request, decision, events)))
    }

    async fn stop_call(&self, context: CallContext, call_id: CallId) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        state.agent(&context)?;
        let running = state.running.remove(&(context.agent_token, call_id));
        running
            .and_then(|stop| stop.send(()).ok())
            .ok_or_else(|| Error::new(ErrorKind::UnknownCall, "no such call runs"))
    }

    async fn report_call(
        &self,
        context: CallContext,
        call_id: CallId,
        outcome: Result<ToolOutput, ToolFailure>,
    ) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        state.agent(&context)?;
        let report = state.own_calls.remove(&(context.agent_token, call_id));
        report
            .and_then(|report| report.send(outcome).ok())
            .ok_or_else(|| Error::new(ErrorKind::UnknownCall, "no such call waits"))
    }

    async fn pin_plan(&self, request: PlanRequest) -> Result<Streaming<PlanEvent, Error>, Error> {
        let agent_type = {
            let state = self.state.lock().unwrap();
            state.check_audit()?;
            state.agent(&request.context)?.agent_type.clone()
        };
        let this = self.clone();
        Ok(streaming(|events| {
            this.judge_plan(request, agent_type, events)
        }))
    }

    async fn note_shown(&self, context: CallContext, label: Label) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        let last = state.agent(&context)?.lineage.last();
        if let Some(agent_id) = last.map(|agent| agent.agent_id) {
            state.shown.push((agent_id, label));
        }
        Ok(())
    }

    async fn release(&self, context: CallContext) -> Result<(), Error> {
        let mut state = self.state.lock().unwrap();
        let released = state.agent(&context)?.lineage.clone();
        state
            .agents
            .retain(|agent| !agent.lineage.starts_with(&released));
        Ok(())
    }
}
