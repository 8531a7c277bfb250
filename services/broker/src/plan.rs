//! Pinning a plan: every call judged first, the whole shown in one question, which is made here, and
//! then exactly that may run.

mod diffs;
mod earlier;
mod refusal;
pub(crate) mod typed;

use crate::approvals::{Places, in_truth};
use crate::call::Events;
use crate::foreseen::Foreseen;
use crate::inner::Inner;
use crate::judging::{broken_finding, changes_unnamed};
use crate::ledger;
use crate::pinned::{Pinned, Step};
use crate::question::Answered;
use crate::render;
use crate::running::paths_of;
use crate::state::{About, Caller, lock};
use api::audit::{Action, Durability};
use api::authority::JudgedCall;
use api::broker::{CallRequest, PlanApproval, PlanEvent, PlanRequest, PlannedCall};
use domain::decision::{Decision, Layer, Verdict};
use domain::event::{ConfirmationAnswer, ConfirmationKind, ConfirmationRequest, StepChange};
use domain::hash::Digest;
use domain::id::{CallId, ConfirmationId, PlanId};
use domain::label::Label;
use domain::limits::PLAN_ACTIONS;
use domain::settings::{Attendance, OverrideLevel, SessionSettings};
use domain::tool::EffectClass;
use policy::Judgement;
use policy::history::TaskHistory;
use refusal::{
    bad_size, flow_reasons, nobody_to_ask, on_record, refused_step, said_no, sentence,
    without_text, words,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Who approved a plan by its hash.
const BY_HASH: &str = "approved_hash";
/// Most calls a plan comes to: an action of a plan may take a few.
const PLAN_CALLS: usize = PLAN_ACTIONS * 4;

/// A plan being judged.
pub(crate) struct Pin {
    pub(crate) inner: Arc<Inner>,
    pub(crate) caller: Caller,
    pub(crate) request: PlanRequest,
    pub(crate) cancel: CancellationToken,
    pub(crate) events: Events<PlanEvent>,
}

/// A plan whose every call may run once someone says yes.
struct Draft {
    /// Whether the user typed it.
    is_typed: bool,
    judgements: Vec<Judgement>,
    hash: Digest,
    /// Folders to open for writing.
    opens: Vec<PathBuf>,
    /// For each call that changes files and names none, such as `undo`, what it comes to now.
    unnamed: Vec<Option<String>>,
    /// For each call, where its paths really lie.
    places: Vec<Places>,
}

/// A plan that may run.
struct Settled {
    hash: Digest,
    /// Who said so.
    by: &'static str,
    /// What of each step was shown.
    shown: Vec<Option<Foreseen>>,
    /// The folder that each step may write in although it is not open.
    opens: Vec<Option<PathBuf>>,
    /// Whether the user typed it.
    is_typed: bool,
}

impl Pin {
    /// Runs the whole of it; the last event is always `Pinned` or `Refused`.
    pub(crate) async fn run(self) {
        let last = match self.settle().await {
            Ok(settled) => self.pinned(settled).await,
            Err(decision) => {
                let now = (self.inner.clock)();
                let entry = ledger::agent_entry(&self.caller, now, Action::PlanApproval);
                if let Some(entry) = on_record(entry, &decision)
                    && let Err(error) = self.inner.record(entry, Durability::Grouped).await
                {
                    tracing::warn!("a refused plan is not on record: {error}");
                }
                PlanEvent::Refused { decision }
            }
        };
        self.emit(last).await;
    }

    async fn emit(&self, event: PlanEvent) {
        // A receiver that is gone has cancelled the plan; there is no one left to tell.
        let _ = self.events.send(Ok(event)).await;
    }

    async fn settle(&self) -> Result<Settled, Decision> {
        let draft = self.draft().await?;
        let decisions: Vec<Decision> = draft.judgements.iter().map(Judgement::decision).collect();
        let denied = decisions.iter().position(|d| d.verdict == Verdict::Deny);
        self.emit(PlanEvent::Proposed {
            hash: draft.hash,
            decisions: decisions.clone(),
        })
        .await;
        if let (Some(index), Some(call)) = (denied, denied.and_then(|i| self.request.calls.get(i)))
        {
            return Err(refused_step(&decisions[index], index, call));
        }
        let hash = draft.hash;
        if let Some(by) = self.approved_in_advance(&draft) {
            // A yes by the hash is one to what was shown with it; any other is one to kinds of effects.
            let shown = match by {
                BY_HASH => self.landings(&draft).await?,
                _ => vec![None; self.request.calls.len()],
            };
            // What opens a folder is never approved in advance.
            let opens = vec![None; shown.len()];
            return Ok(Settled {
                hash,
                by,
                shown,
                opens,
                is_typed: draft.is_typed,
            });
        }
        let (changes, shown) = self.changes(&draft).await?;
        let settings = lock(&self.caller.session).settings.clone();
        if settings.attendance == Attendance::Unattended {
            let started = self.effects_started(&settings);
            let mut decision =
                nobody_to_ask((&draft.hash, &draft.judgements, &draft.unnamed), &started);
            // What a yes given later stands for is what the calls say. What is in the files is left out: it may
            // be passwords, and what is printed here goes to a mail or a log.
            let needles = self.inner.secrets.needles();
            let diffs: String = changes
                .iter()
                .map(|step| without_text(&step.diff))
                .collect();
            let all = format!("{}{diffs}", self.rendering(&draft));
            decision.user_reason = format!(
                "{}\nAll of it:\n{}",
                decision.user_reason,
                needles.scrub(all.trim_end())
            );
            return Err(decision);
        }
        self.ask(&draft, changes).await?;
        let folders = draft.judgements.into_iter();
        Ok(Settled {
            hash,
            by: "user",
            shown,
            is_typed: draft.is_typed,
            opens: folders.map(|judgement| judgement.write_root).collect(),
        })
    }

    async fn draft(&self) -> Result<Draft, Decision> {
        let calls = &self.request.calls;
        if calls.is_empty() || calls.len() > PLAN_CALLS {
            return Err(bad_size(calls.len(), PLAN_CALLS));
        }
        let released = || {
            let why = "The agent was released while its plan was judged.";
            Decision::strictest(vec![broken_finding("released", why)])
        };
        let (standing, context, mut history): (_, Label, TaskHistory) = {
            let mut session = lock(&self.caller.session);
            let agent = session
                .agents
                .get(&self.caller.agent_id)
                .ok_or_else(released)?;
            let standing = agent.standing.clone();
            let context = agent.label.clone();
            (
                standing,
                context,
                session
                    .task(self.request.context.trace_id)
                    .as_seen_by(self.caller.agent_id),
            )
        };
        let is_typed = self.is_typed();
        let mut judgements = Vec::with_capacity(calls.len());
        let mut opens = Vec::new();
        let mut unnamed = Vec::with_capacity(calls.len());
        let mut places = Vec::with_capacity(calls.len());
        let mut earlier = Vec::new();
        for call in calls {
            let what = (call.tool.as_str(), &call.arguments, is_typed);
            let session = &self.caller.session;
            let mut judgement = self
                .inner
                .judge_draft((&standing, &context), session, what, &mut history)
                .await;
            let request = self.as_request(call);
            self.inner
                .ask_for_workspace(&self.caller, &request, &mut judgement, &earlier)
                .await;
            if let Some(folder) = &judgement.write_root
                && !opens.contains(folder)
            {
                opens.push(folder.clone());
            }
            unnamed.push(self.unnamed(call, &judgement, &opens, &earlier).await);
            earlier.extend(self.as_judged(call, &judgement, &opens));
            places.push(match &judgement.bound {
                Some(bound) => {
                    let opens = judgement.write_root.as_deref();
                    self.inner.places_of(bound, opens).await
                }
                None => Places::new(),
            });
            judgements.push(judgement);
        }
        let hash = self.hash(&judgements, &unnamed, &places);
        Ok(Draft {
            is_typed,
            judgements,
            hash,
            opens,
            unnamed,
            places,
        })
    }

    /// What a call that changes files and names none comes to with the files as they are, or why it
    /// would fail then, after the calls before it; `None` for any other.
    async fn unnamed(
        &self,
        call: &PlannedCall,
        judgement: &Judgement,
        opens: &[PathBuf],
        earlier: &[JudgedCall],
    ) -> Option<String> {
        let bound = judgement.bound.as_ref()?;
        if !changes_unnamed(bound) {
            return None;
        }
        let judged = self.as_judged(call, judgement, opens)?;
        match self.inner.preview_step(&judged, earlier).await {
            Ok(change) => change,
            Err(failure) => Some(format!("would fail: {}", failure.message)),
        }
    }

    /// A step as the call that would run, with the folders that the plan's yes opens; `None` where the
    /// rules refuse it.
    fn as_judged(
        &self,
        call: &PlannedCall,
        judgement: &Judgement,
        opens: &[PathBuf],
    ) -> Option<JudgedCall> {
        let bound = judgement.bound.as_ref()?;
        let request = self.as_request(call);
        let label = Label::nothing();
        let judged = self
            .inner
            .judged_call(&self.caller, &request, bound, &label);
        let mut judged = judged?;
        judged.write_roots.extend(opens.iter().cloned());
        Some(judged)
    }

    /// A step as a call of its own.
    fn as_request(&self, call: &PlannedCall) -> CallRequest {
        CallRequest {
            context: self.request.context.clone(),
            call_id: CallId::from_uuid(Uuid::now_v7()),
            tool: call.tool.clone(),
            arguments: call.arguments.clone(),
            plan_id: None,
            batch: None,
            recovered: false,
        }
    }

    /// A digest over the intent and, for each call, tool, version, arguments and the paths they
    /// come to, by name and in truth, so that it stands for the same effects wherever it is repeated. A call that names no
    /// path stands for the change that it comes to now, in these files and with this content.
    fn hash(
        &self,
        judgements: &[Judgement],
        unnamed: &[Option<String>],
        places: &[Places],
    ) -> Digest {
        let calls: Vec<Value> = self
            .request
            .calls
            .iter()
            .zip(judgements.iter().zip(unnamed).zip(places))
            .map(|(call, ((judgement, comes_to), places))| {
                let known = self.inner.policy.table().find(&call.tool);
                json!({
                    "tool": call.tool,
                    "version": known.map(|(_, tool)| tool.spec.version.as_str()),
                    "arguments": call.arguments,
                    "targets": judgement.bound.as_ref().map(paths_of),
                    "comes_to": comes_to,
                    "places": in_truth(places).to_string(),
                })
            })
            .collect();
        Digest::of_json(&json!({"intent": self.request.intent, "calls": calls}))
    }

    /// Who has approved it already, if anyone has.
    fn approved_in_advance(&self, draft: &Draft) -> Option<&'static str> {
        if !draft.opens.is_empty() {
            return None;
        }
        let settings = lock(&self.caller.session).settings.clone();
        let is_confirmed = |j: &Judgement| j.verdict() == Verdict::Allow;
        let is_flow_clear = |j: &Judgement| {
            let mut findings = j.findings.iter();
            findings.all(|f| f.layer != Layer::InformationFlow || f.verdict == Verdict::Allow)
        };
        if !draft.judgements.iter().all(is_flow_clear) {
            // No flag that approves kinds of effects covers what untrusted content may have chosen.
            return settings
                .approved_plans
                .contains(&draft.hash)
                .then_some(BY_HASH);
        }
        let bounds = || draft.judgements.iter().filter_map(|j| j.bound.as_ref());
        let reads_only =
            bounds().all(|b| matches!(b.effect, EffectClass::Read | EffectClass::SelfWrite));
        let is_always_asked = self.request.approval == PlanApproval::Always;
        if reads_only && !is_always_asked {
            return Some("read_only");
        }
        if settings.override_level != OverrideLevel::None {
            return Some("override");
        }
        // What a plan only starts is approved in advance when all that it could come to is.
        let is_covered = || {
            let effects = self.effects_started(&settings);
            !settings.auto_approve.is_empty() && effects.is_subset(&settings.auto_approve)
        };
        if draft.judgements.iter().all(is_confirmed) && (!is_always_asked || is_covered()) {
            return Some("yes_flag");
        }
        settings
            .approved_plans
            .contains(&draft.hash)
            .then_some(BY_HASH)
    }

    /// Whether every call of it, and all that its agents could do, is looking.
    fn only_looks(&self, draft: &Draft) -> bool {
        draft.judgements.iter().all(Judgement::only_looks)
    }

    fn effects_started(&self, settings: &SessionSettings) -> BTreeSet<EffectClass> {
        let calls = &self.request.calls;
        self.inner.effects_started(&self.caller, calls, settings)
    }

    /// The strictest effect that its calls, or the agents that they start, could have.
    fn effect(&self, draft: &Draft) -> EffectClass {
        let settings = lock(&self.caller.session).settings.clone();
        let started = self.effects_started(&settings);
        let own = strictest_effect(&draft.judgements);
        started.last().map_or(own, |strictest| own.max(*strictest))
    }

    async fn ask(&self, draft: &Draft, steps: Vec<StepChange>) -> Result<(), Decision> {
        let settings = lock(&self.caller.session).settings.clone();
        let started = self.effects_started(&settings);
        let why = match started.is_empty() {
            true if self.only_looks(draft) => {
                "Nothing of it changes anything; it begins with your yes.".to_owned()
            }
            true => "The plan changes something.".to_owned(),
            false => format!(
                "The plan starts agents that could have these effects: {}. What they do is judged \
                 call by call.",
                words(&started)
            ),
        };
        let rendering = self.rendering(draft);
        let mut request = ConfirmationRequest {
            confirmation_id: ConfirmationId::from_uuid(Uuid::now_v7()),
            kind: ConfirmationKind::Plan,
            agent_type: self.caller.agent_type.clone(),
            lineage: self.caller.lineage.clone(),
            batch: None,
            effect: self.effect(draft),
            reason: format!(
                "{why} Approved as a whole; in advance: `--approve {}`.",
                draft.hash
            ),
            rendering,
            diff: None,
            steps,
            binding: draft.hash,
            expires: self.inner.expiry(),
        };
        let id = request.confirmation_id;
        let now = (self.inner.clock)();
        let about = About {
            entry: ledger::agent_entry(&self.caller, now, Action::Confirmation),
            layer: Layer::SafetyGate,
        };
        let Some(asked) = self.inner.open_question(&self.caller, &mut request, about) else {
            return Err(said_no("Too many questions wait for the user."));
        };
        self.emit(PlanEvent::ConfirmationAsked(request)).await;
        // No yes for the session covers a plan.
        let answered = asked.wait(&self.cancel, std::future::pending()).await;
        let Some(Answered { answer, by, token }) = answered else {
            return Err(said_no("The plan was withdrawn."));
        };
        self.emit(PlanEvent::ConfirmationAnswered {
            confirmation_id: id,
            answer: answer.clone(),
            by: by.to_owned(),
            token,
        })
        .await;
        match answer {
            ConfirmationAnswer::Once | ConfirmationAnswer::Session => Ok(()),
            ConfirmationAnswer::Deny { message } if message.is_empty() => {
                Err(said_no("The user said no to the plan."))
            }
            ConfirmationAnswer::Deny { message } => Err(said_no(&format!(
                "The user said no to the plan, and says: {}",
                sentence(&message)
            ))),
        }
    }

    /// The plan's calls, a line each, and the strictest of what they do.
    fn in_short(&self, draft: &Draft) -> String {
        let judged = draft.judgements.iter().zip(&draft.unnamed);
        let judged = judged.zip(&draft.places);
        let calls = self.request.calls.iter().zip(judged);
        let lines: Vec<String> = calls
            .map(
                |(call, ((judgement, comes_to), places))| match &judgement.bound {
                    Some(bound) => {
                        let line = self.inner.call_line(&call.tool, &call.arguments, bound);
                        render::told(line, comes_to.as_deref()) + &render::led_to(places)
                    }
                    None => render::one_line(&call.tool),
                },
            )
            .collect();
        let effect = self.effect(draft).as_str();
        let count = match lines.len() {
            1 => "1 call".to_owned(),
            count => format!("{count} calls"),
        };
        let about = format!("a plan of {count} (strictest effect: {effect}):");
        render::in_short(&about, &lines)
    }

    fn rendering(&self, draft: &Draft) -> String {
        let mut out = format!("Plan: {}\n", render::one_line(&self.request.intent));
        for folder in &draft.opens {
            let folder = render::one_line(&folder.to_string_lossy());
            // Writing to a String cannot fail.
            let _ = writeln!(
                out,
                "Writes in {folder}, which is opened for this plan alone."
            );
        }
        let judged = draft.judgements.iter().zip(&draft.unnamed);
        let steps = self.request.calls.iter().zip(judged);
        for (index, (call, (judgement, comes_to))) in steps.enumerate() {
            let shown = match &judgement.bound {
                Some(bound) => self.inner.render(&call.tool, &call.arguments, bound),
                None => render::one_line(&call.tool),
            };
            let _ = write!(out, "{}. {shown}", index + 1);
            // A step that names no file says here which one it changes.
            if let Some(first) = comes_to.as_deref().and_then(|all| all.lines().next()) {
                let _ = writeln!(out, "  {}", render::one_line(first));
            }
            for reason in flow_reasons(judgement) {
                let _ = writeln!(out, "   Careful: {}", render::one_line(reason));
            }
        }
        out.push_str(&self.in_short(draft));
        out
    }

    async fn pinned(&self, settled: Settled) -> PlanEvent {
        let Settled {
            hash,
            by,
            shown,
            opens,
            is_typed,
        } = settled;
        let plan_id = PlanId::from_uuid(Uuid::now_v7());
        let mut entry =
            ledger::agent_entry(&self.caller, (self.inner.clock)(), Action::PlanApproval);
        entry.params_hash = Some(hash);
        entry.detail = format!("approved by {by}");
        if let Err(error) = self.inner.record(entry, Durability::Grouped).await {
            let decision = Decision::strictest(vec![ledger::unwritable(&error)]);
            return PlanEvent::Refused { decision };
        }
        let steps = self.request.calls.iter();
        let plan = Pinned {
            agent_id: self.caller.agent_id,
            steps: steps
                .zip(shown.into_iter().zip(opens))
                .map(|(call, (shown, opens))| Step {
                    key: self.inner.step_key(&call.tool, &call.arguments),
                    shown,
                    opens,
                    is_typed: is_typed && self.stands_in_words(call),
                })
                .collect(),
            next: 0,
        };
        lock(&self.caller.session).plans.pin(plan_id, plan);
        PlanEvent::Pinned {
            plan_id,
            hash,
            by: by.to_owned(),
        }
    }
}

fn strictest_effect(judgements: &[Judgement]) -> EffectClass {
    let effects = judgements
        .iter()
        .filter_map(|j| j.bound.as_ref().map(|b| b.effect));
    effects.max().unwrap_or(EffectClass::Read)
}
