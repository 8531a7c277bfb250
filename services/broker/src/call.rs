//! One call from request to result: judge, record, ask, judge again, permit, run, record, show.

use crate::approvals::in_truth;
use crate::batch::Seat;
use crate::foreseen::{Foreseen, differs_from_shown};
use crate::inner::Inner;
use crate::judging::{Counting, out_of_reach};
use crate::ledger::{self, CallRecord};
use crate::state::{Caller, lock};
use api::audit::{Action, Durability};
use api::authority::JudgedCall;
use api::broker::{CallRequest, Error, ToolEvent, ToolResult};
use api::executor::{FailureKind, ToolFailure, Words};
use api::failure::{mendable, panicked, timeout};
use domain::decision::{Decision, Finding, Layer, Verdict};
use domain::event::CallStatus;
use domain::id::ConfirmationId;
use domain::label::Label;
use domain::tool::{EffectClass, ToolOutput};
use policy::{Bound, Cover, Judgement};
use serde_json::Value;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Where a call's events go. A closed channel stops nothing by itself: dropping the stream cancels.
pub(crate) type Events<T> = mpsc::Sender<Result<T, Error>>;

/// One call under way.
pub(crate) struct Call {
    pub(crate) inner: Arc<Inner>,
    pub(crate) caller: Caller,
    pub(crate) request: CallRequest,
    pub(crate) cancel: CancellationToken,
    pub(crate) events: Events<ToolEvent>,
    /// Its place among calls that were handed in together.
    pub(crate) seat: Option<Seat>,
    /// A folder that is not open for writing, which the user is asked about with this call: it counts
    /// as open for this call alone.
    pub(crate) lent: OnceLock<PathBuf>,
    /// The same for a step of an approved plan, as long as it is one.
    pub(crate) planned: OnceLock<PathBuf>,
    /// How often its agent had been shown something from outside this machine when it was handed in:
    /// that may have chosen it.
    pub(crate) outside: u64,
    /// Set where it comes to something else than the user said yes to.
    pub(crate) differs_from_shown: OnceLock<()>,
}

/// How a call ended before it ran.
pub(crate) enum Stop {
    /// Refused; what the model is told.
    Denied(String),
    /// The user said no, and what to do instead.
    Advised(String),
    /// It would fail if it ran.
    WouldFail(ToolFailure),
    /// Withdrawn while the user was asked.
    Cancelled,
}

/// How a tool's run ended.
#[derive(Debug)]
pub(crate) enum Ran {
    /// By itself.
    Done(Result<ToolOutput, ToolFailure>),
    /// It broke down.
    Panicked,
    /// It took too long.
    TimedOut,
    /// It was stopped, and told what it came to by then.
    Stopped(ToolOutput),
    /// It was stopped.
    Cancelled,
}

/// A call that has passed every check.
pub(crate) struct Cleared {
    pub(crate) call: JudgedCall,
    pub(crate) bound: Bound,
}

impl Call {
    /// Runs the whole of it; the last event is always `Finished`.
    pub(crate) async fn run(self) {
        let record = self.record_head();
        let result = match self.clear(&record).await {
            Ok(cleared) => self.perform(&record, cleared).await,
            Err(Stop::Denied(text) | Stop::Advised(text)) => {
                nothing_ran(CallStatus::Denied, format!("[DENIED] {text}"))
            }
            Err(Stop::Cancelled) => nothing_ran(
                CallStatus::Cancelled,
                "[CANCELLED] The call was withdrawn.".to_owned(),
            ),
            Err(Stop::WouldFail(failure)) => self.failed(&failure, 0),
        };
        self.emit(ToolEvent::Finished(result)).await;
    }

    pub(crate) async fn emit(&self, event: ToolEvent) {
        // A receiver that is gone has cancelled the call; there is no one left to tell.
        let _ = self.events.send(Ok(event)).await;
    }

    fn record_head(&self) -> CallRecord {
        let known = self.inner.policy.table().find(&self.request.tool);
        CallRecord {
            caller: self.caller.clone(),
            call_id: self.request.call_id,
            tool: known.map(|(_, tool)| tool.spec.definition.name.clone()),
            params_hash: self.inner.params_hash(&self.request.arguments),
        }
    }

    /// Judges, asks where needed, and judges again.
    async fn clear(&self, record: &CallRecord) -> Result<Cleared, Stop> {
        if let Some(seat) = &self.seat {
            self.unless_cancelled(seat.turn_to_look()).await?;
            if !self.would_ask().await {
                self.turn_to_run(Some(None)).await?;
            }
        }
        let label = self.label();
        let (cover, misfit, shown) = self.cover();
        let mut judgement = self.judge(cover, Counting::Count).await;
        if let Some(finding) = misfit {
            judgement.add(finding);
        }
        if let Some(shown) = shown
            && !self.is_as_shown_in_plan(&judgement, &label, shown).await
        {
            self.differs_from_shown.get_or_init(|| ());
            judgement = self.judge(Cover::Nothing, Counting::Counted).await;
        }
        if self.is_typed() && judgement.verdict() == Verdict::Confirm {
            judgement = self.judge_typed(&judgement).await;
        }
        let foreseen = self.foresee(&judgement, &label).await;
        if let Err(failure) = &foreseen
            && failure.kind == FailureKind::Refused
        {
            judgement.add(out_of_reach(failure));
        }
        let confirmation_id = ConfirmationId::from_uuid(Uuid::now_v7());
        self.decide(record, &mut judgement, confirmation_id).await?;
        match judgement.verdict() {
            Verdict::Deny => Err(Stop::Denied(judgement.decision().model_reason)),
            Verdict::Allow => self.cleared(&judgement, &label),
            Verdict::Confirm => {
                if let Err(failure) = foreseen {
                    return Err(Stop::WouldFail(self.told_early(failure, &judgement).await));
                }
                self.ask(record, judgement, confirmation_id, &label).await
            }
        }
    }

    /// Whether it is the call that the user typed and said yes to by that; the yes is used up. The agent
    /// that the user speaks to makes such a call, by itself.
    fn is_typed(&self) -> bool {
        let is_by_itself =
            self.request.plan_id.is_none() && self.seat.is_none() && !self.request.recovered;
        if !is_by_itself || self.caller.lineage.len() > 1 {
            return false;
        }
        let (tool, arguments) = (&self.request.tool, &self.request.arguments);
        let call = self.inner.step_key(tool, arguments);
        lock(&self.caller.session).claim_approval(self.request.context.trace_id, &call)
    }

    /// Judges it with that yes, which opens for this call what a question about it would have opened.
    async fn judge_typed(&self, asked: &Judgement) -> Judgement {
        if let Some(folder) = &asked.write_root {
            self.lent.get_or_init(|| folder.clone());
        }
        self.judge(Cover::Typed, Counting::Counted).await
    }

    /// Records and tells what a judgement came to, with the id that a question because of it goes
    /// by. A deny ends the call.
    async fn decide(
        &self,
        record: &CallRecord,
        judgement: &mut Judgement,
        confirmation_id: ConfirmationId,
    ) -> Result<(), Stop> {
        let mut decision = judgement.decision();
        let entry = record.decided((self.inner.clock)(), Action::Decide, &decision);
        if let Err(error) = self.inner.record(entry, Durability::Grouped).await {
            judgement.add(ledger::unwritable(&error));
            decision = judgement.decision();
        }
        if decision.verdict == Verdict::Confirm {
            decision.confirmation_id = Some(confirmation_id);
        }
        let refusal = (decision.verdict == Verdict::Deny).then(|| {
            record.log_refusal(&decision);
            decision.model_reason.clone()
        });
        self.emit(ToolEvent::Decided(decision)).await;
        refusal.map_or(Ok(()), |reason| Err(Stop::Denied(reason)))
    }

    /// The call judged as if for the first time, because what it is judged by has changed since: a
    /// decision of its own.
    pub(crate) async fn judge_anew(
        &self,
        record: &CallRecord,
        confirmation_id: ConfirmationId,
    ) -> Result<Judgement, Stop> {
        let mut judgement = self.judge(Cover::Nothing, Counting::Counted).await;
        self.decide(record, &mut judgement, confirmation_id).await?;
        Ok(judgement)
    }

    /// The same for a call that a yes for the session covers: no folder counts as open for it alone.
    pub(crate) async fn judge_covered(
        &self,
        record: &CallRecord,
        confirmation_id: ConfirmationId,
    ) -> Result<Judgement, Stop> {
        let mut judgement = self.judge_unlent(Counting::Counted).await;
        self.decide(record, &mut judgement, confirmation_id).await?;
        Ok(judgement)
    }

    /// Whether the user would be asked about the call as things stand.
    async fn would_ask(&self) -> bool {
        let judgement = self.judge(Cover::Nothing, Counting::Look).await;
        let label = self.label();
        judgement.verdict() == Verdict::Confirm && self.foresee(&judgement, &label).await.is_ok()
    }

    /// Looks whether a call can run at all, before anyone is asked or it starts. Where the call
    /// names its paths and nobody is asked, they have been located already.
    async fn foresee(&self, judgement: &Judgement, label: &Label) -> Result<(), ToolFailure> {
        let Some(bound) = &judgement.bound else {
            return Ok(());
        };
        let changes = !matches!(bound.effect, EffectClass::Read | EffectClass::SelfWrite);
        let is_looked_at = match judgement.verdict() {
            Verdict::Confirm => true,
            Verdict::Allow => changes && bound.targets.is_empty(),
            Verdict::Deny => false,
        };
        if !is_looked_at {
            return Ok(());
        }
        let judged = self
            .inner
            .judged_call(&self.caller, &self.request, bound, label);
        let Some(mut call) = judged else {
            return Ok(());
        };
        call.write_roots.extend(judgement.write_root.clone());
        self.inner.preview(&call).await.map(drop)
    }

    /// What a model may be told of a call that would fail and that nobody has allowed yet. The
    /// failure may quote what the tool met, and only what the agent may read is quoted to it.
    pub(crate) async fn told_early(
        &self,
        failure: ToolFailure,
        judgement: &Judgement,
    ) -> ToolFailure {
        let is_own = failure.words == Words::Own;
        let Some(bound) = judgement.bound.as_ref().filter(|_| !is_own) else {
            return failure;
        };
        match self.inner.may_read_targets(bound).await {
            true => failure,
            // Nothing is told of it but that it is a failure.
            false => mendable(
                "would_fail",
                "The call would fail as it stands. Read what it is about first, or leave it.",
            ),
        }
    }

    async fn judge(&self, cover: Cover, counting: Counting) -> Judgement {
        let lent = match cover {
            Cover::PlanStep => self.planned.get(),
            _ => self.lent.get(),
        };
        self.judge_with(cover, counting, lent).await
    }

    /// The call as it stands, without a folder that counts as open for it alone.
    pub(crate) async fn judge_unlent(&self, counting: Counting) -> Judgement {
        self.judge_with(Cover::Nothing, counting, None).await
    }

    async fn judge_with(
        &self,
        cover: Cover,
        counting: Counting,
        lent: Option<&PathBuf>,
    ) -> Judgement {
        let mut judgement = self
            .inner
            .judge_call(&self.caller, &self.request, cover, counting, lent)
            .await;
        self.inner
            .ask_for_workspace(&self.caller, &self.request, &mut judgement, &[])
            .await;
        let differs = self.differs_from_shown.get().is_some();
        if differs && cover == Cover::Nothing && judgement.verdict() == Verdict::Confirm {
            judgement.add(differs_from_shown());
        }
        judgement
    }

    /// Whether a step of an approved plan comes to what the user was shown.
    async fn is_as_shown_in_plan(
        &self,
        judgement: &Judgement,
        label: &Label,
        shown: Foreseen,
    ) -> bool {
        if judgement.verdict() == Verdict::Deny {
            return true;
        }
        match self.cleared(judgement, label) {
            Ok(cleared) if let Foreseen::Lands(_) = shown => {
                let places = self.inner.places_of(&cleared.bound, None).await;
                shown.is_still(Foreseen::Lands(in_truth(&places)))
            }
            Ok(cleared) => {
                let now = Foreseen::of(&self.inner.preview(&cleared.call).await);
                shown.is_still(now)
            }
            Err(_unjudged) => false,
        }
    }

    /// What a plan says about the call, and what the user was shown of it. A call that names a plan
    /// must be its next step.
    fn cover(&self) -> (Cover, Option<Finding>, Option<Foreseen>) {
        let Some(plan_id) = self.request.plan_id else {
            return (Cover::Nothing, None, None);
        };
        let step = self
            .inner
            .step_key(&self.request.tool, &self.request.arguments);
        let mut session = lock(&self.caller.session);
        match session
            .plans
            .claim_step(plan_id, self.caller.agent_id, &step)
        {
            Some(step) => {
                if let Some(folder) = step.opens {
                    self.planned.get_or_init(|| folder);
                }
                (Cover::PlanStep, None, step.shown)
            }
            None => (Cover::Nothing, Some(outside_plan()), None),
        }
    }

    fn label(&self) -> Label {
        let session = lock(&self.caller.session);
        let agent = session.agents.get(&self.caller.agent_id);
        agent.map_or_else(|| Label::untrusted("released agent"), |a| a.label.clone())
    }

    pub(crate) fn cleared(&self, judgement: &Judgement, label: &Label) -> Result<Cleared, Stop> {
        let bound = judgement.bound.clone();
        let cleared = bound.and_then(|bound| {
            let call = self
                .inner
                .judged_call(&self.caller, &self.request, &bound, label)?;
            Some(Cleared { call, bound })
        });
        cleared.ok_or_else(|| Stop::Denied("The call could not be judged.".to_owned()))
    }

    /// The same call judged once more, now that the user has answered. A deny ends it.
    pub(crate) async fn judge_again(
        &self,
        record: &CallRecord,
        cover: Cover,
    ) -> Result<Judgement, Stop> {
        let judgement = self.judge(cover, Counting::Counted).await;
        if judgement.verdict() == Verdict::Deny {
            let decision = judgement.decision();
            self.record_refusal(record, &decision).await;
            return Err(Stop::Denied(decision.model_reason));
        }
        Ok(judgement)
    }

    pub(crate) async fn record_refusal(&self, record: &CallRecord, decision: &Decision) {
        record.log_refusal(decision);
        let entry = record.decided((self.inner.clock)(), Action::Decide, decision);
        if let Err(error) = self.inner.record(entry, Durability::Grouped).await {
            tracing::warn!(%error, "a refusal could not be recorded");
        }
        self.emit(ToolEvent::Decided(decision.clone())).await;
    }

    /// Records the intent, permits, runs, records the outcome, and makes the result.
    async fn perform(&self, record: &CallRecord, cleared: Cleared) -> ToolResult {
        let Cleared { call, bound } = cleared;
        let intent = record.intent((self.inner.clock)(), &call.label);
        if let Err(error) = self
            .inner
            .record(intent, ledger::durability(bound.effect))
            .await
        {
            let finding = ledger::unwritable(&error);
            tracing::warn!(%error, "a call was refused because its intent could not be recorded");
            return nothing_ran(
                CallStatus::Denied,
                format!("[DENIED] {}", finding.model_reason),
            );
        }
        if self.cancel.is_cancelled() {
            self.record_outcome(record, CallStatus::Cancelled, 0, None, "before_start")
                .await;
            return nothing_ran(
                CallStatus::Cancelled,
                "[CANCELLED] Nothing was run.".to_owned(),
            );
        }
        let secrets = match self.credentials().await {
            Ok(secrets) => secrets,
            Err(failure) => {
                self.record_outcome(record, CallStatus::Failed, 0, None, &failure.rule)
                    .await;
                return self.failed(&failure, 0);
            }
        };
        self.note_change(&bound, &call.arguments);
        let (agent_id, call_id) = (self.caller.agent_id, call.call_id);
        let stop = lock(&self.caller.session).running.enter(agent_id, call_id);
        self.emit(ToolEvent::Started).await;
        let started = tokio::time::Instant::now();
        let own = self.found(&call.arguments);
        let permission = self
            .inner
            .authority
            .authorise_with(call, secrets, (self.inner.clock)());
        let ran = match own {
            // The broker answers this one itself.
            Some(output) => Ran::Done(Ok(output)),
            None => self.drive(permission, (&stop, bound.effect)).await,
        };
        lock(&self.caller.session).running.leave(agent_id, call_id);
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let (result, detail) = self.finish(ran, duration_ms);
        let label = result.label.clone();
        self.record_outcome(record, result.status, duration_ms, label, &detail)
            .await;
        result
    }

    /// Notes what the call changes: what was said yes to before may mean something else now.
    fn note_change(&self, bound: &Bound, arguments: &Value) {
        let mut session = lock(&self.caller.session);
        if let Some((_, tool)) = self.inner.policy.table().find(&self.request.tool) {
            session.provenance.change(&tool.spec, arguments);
        }
        match bound.effect {
            EffectClass::SharedWrite | EffectClass::Destructive => session.approvals.files_change(),
            EffectClass::Exec => session.approvals.program_runs(bound),
            _ => {}
        }
    }

    async fn record_outcome(
        &self,
        record: &CallRecord,
        status: CallStatus,
        duration_ms: u64,
        label: Option<Label>,
        detail: &str,
    ) {
        let now = (self.inner.clock)();
        let entry = record.outcome(now, status, duration_ms, label, detail);
        // The effect has happened; what cannot be recorded now stops the next call.
        if let Err(error) = self.inner.record(entry, Durability::Grouped).await {
            tracing::warn!(%error, "a call's outcome could not be recorded");
        }
    }

    fn finish(&self, ran: Ran, duration_ms: u64) -> (ToolResult, Cow<'static, str>) {
        match ran {
            Ran::Done(Ok(output)) => {
                let output = self.scrubbed_output(output);
                (self.show(output, duration_ms), "".into())
            }
            Ran::Done(Err(failure)) => (self.failed(&failure, duration_ms), failure.rule),
            Ran::Panicked => {
                let failure = panicked();
                (self.failed(&failure, duration_ms), failure.rule)
            }
            Ran::TimedOut => {
                let text = "The tool took too long and was stopped. Ask for less at once.";
                let failure = timeout("timeout", text);
                (self.failed(&failure, duration_ms), failure.rule)
            }
            Ran::Stopped(output) => {
                let output = self.scrubbed_output(output);
                let mut result = self.show(output, duration_ms);
                let ran_to_its_end = result.exit_code(&self.request.tool).is_some();
                if !ran_to_its_end {
                    result.status = CallStatus::Cancelled;
                }
                (result, if ran_to_its_end { "" } else { "cancelled" }.into())
            }
            Ran::Cancelled => {
                let text = "[CANCELLED] The tool was stopped; part of it may have been done.";
                let mut result = nothing_ran(CallStatus::Cancelled, text.to_owned());
                result.duration_ms = duration_ms;
                (result, "cancelled".into())
            }
        }
    }
}

pub(crate) fn outside_plan() -> Finding {
    Finding {
        layer: Layer::InformationFlow,
        verdict: Verdict::Deny,
        rule: "outside_plan".to_owned(),
        model_reason: "This call is not the next step of the approved plan. Make a new plan."
            .to_owned(),
        user_reason: "The call names an approved plan but is not its next step: the plan was \
                      changed, repeated or forgotten. Nothing but the plan runs."
            .to_owned(),
    }
}

/// A result of a call that did not run.
pub(crate) fn nothing_ran(status: CallStatus, text: String) -> ToolResult {
    ToolResult {
        status,
        value_id: None,
        label: None,
        text,
        data: Value::Null,
        truncated: false,
        duration_ms: 0,
        artifacts: Vec::new(),
    }
}
