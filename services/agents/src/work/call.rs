//! Calling a tool: through the broker, with every event from the request to the result.

use crate::work::running::RunningCall;
use crate::work::{Work, pictures};
use api::Streaming;
use api::broker::{CallRequest, Error, ToolEvent, ToolResult};
use domain::decision::{Decision, Layer, Verdict};
use domain::event::{Batch, CallStatus, ConfirmationAnswer, EventBody, ToolCallSummary};
use domain::fault::Coded;
use domain::id::{CallId, PlanId};
use domain::message::ToolCall;
use domain::tool::{APPLY_PATCH, EDIT_FILE, Edited, EffectClass};
use futures::future::Fuse;
use futures::{FutureExt, StreamExt};
use serde_json::Value;
use session::YesEnded;
use session_log::Durability;
use std::pin::pin;
use std::time::Duration;
use turn::{CallRecord, nothing_ran};

/// Longest that the end of a call is waited for that the user stopped. The broker takes less.
const STOPPING: Duration = Duration::from_secs(15);

/// Where the built-in edit replaced text, by the line of each place in its result.
fn edited(tool: &str, result: &ToolResult) -> Option<Edited> {
    if tool != EDIT_FILE || result.status != CallStatus::Ok {
        return None;
    }
    let lines = result.data.get("lines")?.as_array()?;
    let line = |line: &Value| line.as_u64();
    Some(Edited {
        places: lines.len() as u64,
        first_line: lines.first().and_then(line)?,
        last_line: lines.last().and_then(line)?,
    })
}

/// A patch with the files that it names beside it, where the model left them out: the broker judges each
/// of them, and reads no patches. The tool refuses a patch that names others.
fn with_named_files(mut call: ToolCall) -> ToolCall {
    let is_left_out = match call.arguments.get("files") {
        None | Some(Value::Null) => true,
        Some(files) => files.as_array().is_some_and(Vec::is_empty),
    };
    let is_bare = call.name == APPLY_PATCH && is_left_out;
    let text = call.arguments.get("patch").and_then(Value::as_str);
    let named = text.filter(|_| is_bare).and_then(|text| {
        let files = patch::parse(text).ok()?;
        Some(files.iter().map(|file| Value::from(file.path)).collect())
    });
    if let (Some(files), Some(arguments)) = (named, call.arguments.as_object_mut()) {
        arguments.insert("files".to_owned(), files);
    }
    call
}

/// A call that looked at something, and that nobody was told of yet.
pub(crate) struct Look {
    call: ToolCall,
    decision: Decision,
    pub(crate) result: ToolResult,
}

/// What the broker decided about a call.
struct Judged {
    verdict: Verdict,
    layer: Layer,
    /// For the user.
    reason: String,
    /// Whether the user was asked and said no.
    declined: bool,
    /// Whether a question about it waits for its answer.
    is_asking: bool,
    /// Whether it runs, or has run.
    has_begun: bool,
}

impl Judged {
    fn of(decision: &Decision) -> Self {
        Self {
            verdict: decision.verdict,
            layer: decision.layer,
            reason: decision.user_reason.clone(),
            declined: false,
            is_asking: false,
            has_begun: false,
        }
    }

    /// Takes what happened to a call before its end into account.
    fn note(&mut self, event: &ToolEvent, is_decided: &mut bool) {
        if let ToolEvent::Decided(decision) = event {
            // Of several, the strictest is what the call came to.
            if !*is_decided || decision.verdict >= self.verdict {
                *self = Self::of(decision);
            }
            *is_decided = true;
        }
        self.declined |= is_no_of_user(event);
        self.is_asking = matches!(event, ToolEvent::ConfirmationAsked(_));
    }

    fn refusal(self) -> Option<String> {
        // What the model is told of a no is of the user, and not to the user.
        if self.declined {
            return Some("you said no to it.".to_owned());
        }
        (self.verdict == Verdict::Deny && !self.reason.is_empty()).then_some(self.reason)
    }
}

impl Work {
    /// Runs one call through the broker and emits everything that happens, from `ToolRequested` to
    /// `ToolResult`. It never fails: a refused, failed, broken or interrupted call is a record too.
    pub(crate) async fn call_tool(
        &self,
        call: ToolCall,
        recovered: bool,
        plan_id: Option<PlanId>,
    ) -> CallRecord {
        self.place_call(call, recovered, (plan_id, None)).await
    }

    /// As [`Work::call_tool`], for a call among others that run one after the other.
    pub(crate) async fn call_in_row(
        &self,
        call: ToolCall,
        recovered: bool,
        batch: Option<Batch>,
    ) -> CallRecord {
        self.place_call(call, recovered, (None, batch)).await
    }

    /// Whether its type of agent has a tool.
    pub(crate) fn may_call(&self, tool: &str) -> bool {
        let own = self.agent.lineage.last();
        let own = own.and_then(|own| self.services.agents.get(&own.agent_type));
        own.is_some_and(|own| own.tools.iter().any(|one| one.as_str() == tool))
    }

    /// Makes a call that only looks, before a model is asked for one. `None`, and nothing is told, where
    /// the guard does not simply allow it or it does not find what it is for.
    pub(crate) async fn look(&self, call: ToolCall) -> Option<Look> {
        let request = CallRequest {
            context: self.agent.caller.clone(),
            call_id: call.call_id,
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            plan_id: None,
            batch: None,
            recovered: false,
        };
        let mut stream = self.services.broker.execute(request).await.ok()?;
        let mut allowed = None;
        loop {
            let next = tokio::select! {
                biased;
                () = self.cancel.cancelled() => return None,
                next = stream.next() => next,
            };
            match next?.ok()? {
                ToolEvent::Decided(decision) if decision.verdict != Verdict::Allow => return None,
                ToolEvent::Decided(decision) => allowed = Some(decision),
                ToolEvent::Finished(result) => {
                    return (result.status == CallStatus::Ok).then_some(Look {
                        call,
                        decision: allowed?,
                        result,
                    });
                }
                _ => {}
            }
        }
    }

    /// Tells of such a call, from its request to its result.
    pub(crate) async fn tell_look(&self, look: Look) -> CallRecord {
        let Look {
            call,
            decision,
            result,
        } = look;
        let mut requested = Some(EventBody::ToolRequested {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            recovered: false,
        });
        self.announce(&mut requested, &call).await;
        let judged = Judged::of(&decision);
        if let Some(body) = told(ToolEvent::Decided(decision)) {
            self.emit(body, Some(call.call_id)).await;
        }
        self.recorded(call, result, judged).await
    }

    async fn place_call(
        &self,
        call: ToolCall,
        recovered: bool,
        place: (Option<PlanId>, Option<Batch>),
    ) -> CallRecord {
        let call = with_named_files(call);
        let mut request = Some(EventBody::ToolRequested {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            recovered,
        });
        if place.1.is_none_or(|batch| batch.position == 0) {
            self.announce(&mut request, &call).await;
        }
        let mut judged = Judged {
            verdict: Verdict::Deny,
            layer: Layer::Integrity,
            reason: String::new(),
            declined: false,
            is_asking: false,
            has_begun: false,
        };
        let result = match self.cancel.is_cancelled() {
            true => None,
            false => {
                let telling = (&mut request, &mut judged);
                self.execute((&call, recovered), place, telling).await
            }
        };
        let result = result.unwrap_or_else(|| {
            let text = match (judged.has_begun, judged.is_asking) {
                (false, false) => "The user interrupted before this call was run.",
                (false, true) => "The user interrupted instead of answering whether this call may run. It was not run.",
                (true, _) => "The user interrupted this call. Whether it took effect is not known.",
            };
            nothing_ran(CallStatus::Cancelled, text.to_owned())
        });
        self.announce(&mut request, &call).await;
        if let Some(shown) = pictures::of_call(self, &call.name, &result) {
            self.emit(shown, Some(call.call_id)).await;
        }
        self.recorded(call, result, judged).await
    }

    /// Emits a call's result, and what the turn is told of the call.
    async fn recorded(&self, call: ToolCall, result: ToolResult, judged: Judged) -> CallRecord {
        let seq = self.emit_result(&call, &result).await;
        self.agent.resources.note(&call, &result, seq);
        CallRecord {
            summary: ToolCallSummary {
                call_id: call.call_id,
                exit_code: result.exit_code(&call.name),
                tool: call.name,
                args: call.arguments,
                decision: judged.verdict,
                layer: judged.layer,
                status: result.status,
                duration_ms: result.duration_ms,
            },
            result,
            declined: judged.declined,
            refusal: judged.refusal(),
        }
    }

    /// Emits what was asked for, once. A call that waits for others is announced when something
    /// happens to it, so that events of different calls are not shuffled without need.
    async fn announce(&self, request: &mut Option<EventBody>, call: &ToolCall) {
        if let Some(request) = request.take() {
            self.emit(request, Some(call.call_id)).await;
        }
    }

    /// Answers a call without asking the broker to run it: `status` is `Denied` where it was
    /// refused, `Failed` where it never was a whole call.
    pub(crate) async fn turn_away(
        &self,
        (call, recovered): (ToolCall, bool),
        status: CallStatus,
        why: &str,
    ) -> CallRecord {
        let requested = EventBody::ToolRequested {
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            recovered,
        };
        self.emit(requested, Some(call.call_id)).await;
        let result = nothing_ran(status, why.to_owned());
        self.emit_result(&call, &result).await;
        CallRecord {
            summary: ToolCallSummary {
                call_id: call.call_id,
                tool: call.name,
                args: call.arguments,
                decision: Verdict::Deny,
                layer: Layer::Limits,
                status,
                duration_ms: 0,
                exit_code: None,
            },
            result,
            declined: false,
            refusal: None,
        }
    }

    /// What an unknown tool did is as important as what a writing one did.
    async fn emit_result(&self, call: &ToolCall, result: &ToolResult) -> Option<u64> {
        let durability = match self.services.effects.get(&call.name) {
            Some(EffectClass::Read) => Durability::Written,
            _ => Durability::Synchronised,
        };
        let finished = EventBody::ToolResult {
            tool: call.name.clone(),
            status: result.status,
            value_id: result.value_id,
            label: result.label.clone(),
            text: result.text.clone(),
            truncated: result.truncated,
            duration_ms: result.duration_ms,
            artifacts: result.artifacts.clone(),
            edited: edited(&call.name, result),
        };
        self.emit_with(finished, Some(call.call_id), durability)
            .await
    }

    /// Has the broker judge and run a call. `None` where the user interrupted, and the call did not run or
    /// tells nothing of what it did.
    async fn execute(
        &self,
        (call, recovered): (&ToolCall, bool),
        (plan_id, batch): (Option<PlanId>, Option<Batch>),
        (announcement, judged): (&mut Option<EventBody>, &mut Judged),
    ) -> Option<ToolResult> {
        let id = Some(call.call_id);
        let request = CallRequest {
            context: self.agent.caller.clone(),
            call_id: call.call_id,
            tool: call.name.clone(),
            arguments: call.arguments.clone(),
            plan_id,
            batch,
            recovered,
        };
        let mut stream = match self.services.broker.execute(request).await {
            Ok(stream) => stream,
            Err(error) => return Some(self.broker_failed(&error, id).await),
        };
        let mut is_decided = false;
        let mut own = pin!(Fuse::terminated());
        let mut running = None;
        loop {
            let next = tokio::select! {
                biased;
                () = self.cancel.cancelled() => {
                    running.as_ref()?;
                    return self.stopped(call.call_id, stream).await;
                }
                () = RunningCall::stopped(running.as_ref()) => {
                    let text = "The user stopped this call. Whether it took effect is not known.";
                    let stopped = self.stopped(call.call_id, stream).await;
                    let unknown = || nothing_ran(CallStatus::Cancelled, text.to_owned());
                    return Some(stopped.unwrap_or_else(unknown));
                }
                next = stream.next() => next,
                () = &mut own => continue,
            };
            let Some(next) = next else { break };
            self.announce(announcement, call).await;
            match next {
                Ok(ToolEvent::Started) => {
                    judged.has_begun = true;
                    running = Some(self.agent.resources.shared.calls.enter(call.call_id));
                }
                Ok(ToolEvent::CallerRuns(permitted)) => {
                    judged.has_begun = true;
                    running = None;
                    own.set(self.run_own(call.call_id, permitted).fuse());
                }
                Ok(ToolEvent::Finished(result)) => return Some(result),
                Ok(event) => {
                    judged.note(&event, &mut is_decided);
                    if let Some(body) = told(self.with_ended_yes(event)) {
                        self.emit(body, id).await;
                    }
                }
                Err(error) => return Some(self.broker_failed(&error, id).await),
            }
        }
        let text = "The call ended without a result. Whether it took effect is not known.";
        Some(nothing_ran(CallStatus::Failed, text.to_owned()))
    }

    /// Stops a call whose tool runs, and waits for what it came to by then; `None` where nothing is
    /// told of it in time.
    async fn stopped(
        &self,
        call_id: CallId,
        mut stream: Streaming<ToolEvent, Error>,
    ) -> Option<ToolResult> {
        let caller = self.agent.caller.clone();
        // One that has just ended says what it came to all the same.
        let _gone = self.services.broker.stop_call(caller, call_id).await;
        let ending = async {
            loop {
                match stream.next().await?.ok()? {
                    ToolEvent::Finished(result) => return Some(result),
                    ToolEvent::Notice(fault) => {
                        self.emit(EventBody::Notice(fault), Some(call_id)).await;
                    }
                    _ => {}
                }
            }
        };
        tokio::time::timeout(STOPPING, ending).await.ok().flatten()
    }

    /// A question says what ended the yes for the session that would have answered it.
    fn with_ended_yes(&self, mut event: ToolEvent) -> ToolEvent {
        if let ToolEvent::ConfirmationAsked(request) = &mut event
            && let Some(why) = self.services.events.history().view.ended_yes(request)
        {
            request.reason = format!("{} {}", request.reason, asked_again(why));
        }
        event
    }

    async fn broker_failed(&self, error: &Error, id: Option<CallId>) -> ToolResult {
        let fault = error.fault();
        let text = format!("The call could not be run: {}", fault.message);
        self.emit(EventBody::Error(fault), id).await;
        nothing_ran(CallStatus::Failed, text)
    }
}

/// Why the user is asked again.
const fn asked_again(why: YesEnded) -> &'static str {
    match why {
        YesEnded::Process => {
            "Your yes for the session ended with the carl that served the session then."
        }
        YesEnded::Settings => {
            "Your yes for the session ended when other settings came into force, as another command \
             brings them along."
        }
        YesEnded::Files => "Your yes for the session ended when files changed.",
    }
}

/// Whether the user was asked and said no. Nobody's answer in time is none of theirs.
fn is_no_of_user(event: &ToolEvent) -> bool {
    match event {
        ToolEvent::ConfirmationAnswered { answer, by, .. } => {
            by == "user" && matches!(answer, ConfirmationAnswer::Deny { .. })
        }
        _ => false,
    }
}

/// What the session log tells of a step of a call; the call and its result are told by themselves.
fn told(event: ToolEvent) -> Option<EventBody> {
    match event {
        ToolEvent::Decided(decision) => Some(EventBody::BrokerDecision {
            verdict: decision.verdict,
            layer: decision.layer,
            rule: decision.rule,
            reason: decision.user_reason,
        }),
        ToolEvent::ConfirmationAsked(request) => Some(EventBody::ConfirmationAsked(request)),
        ToolEvent::ConfirmationAnswered {
            confirmation_id,
            answer,
            by,
            token,
        } => Some(EventBody::ConfirmationAnswered {
            confirmation_id,
            answer,
            by,
            token,
        }),
        ToolEvent::Progress { message, percent } => {
            Some(EventBody::ToolProgress { message, percent })
        }
        ToolEvent::Notice(fault) => Some(EventBody::Notice(fault)),
        ToolEvent::Started | ToolEvent::CallerRuns(_) | ToolEvent::Finished(_) => None,
    }
}
