//! Running a permitted tool: progress, time limit, cancellation, and the form of its result.

use crate::call::{Call, Ran, nothing_ran};
use crate::inner::Inner;
use crate::judging::OUT_OF_REACH;
use crate::origins;
use crate::state::{Session, lock};
use crate::values::Stored;
use api::authority::{Authorized, JudgedCall};
use api::broker::{CallRequest, OwnCall, ToolEvent, ToolResult};
use api::executor::{FailureKind, Progress, Report, ToolFailure, Words};
use api::programs::awaits_a_program;
use domain::event::CallStatus;
use domain::fault::Fault;
use domain::hash::Digest;
use domain::id::ValueId;
use domain::label::{Integrity, Label};
use domain::limits::TOOL_RESULT_BYTES;
use domain::tool::{EffectClass, ResultField, ResultSource, ToolOutput, ToolSpec};
use futures::FutureExt;
use futures::future::{Fuse, FusedFuture};
use policy::Bound;
use policy::flow::{Knowledge, made_of};
use policy::request::Requested;
use policy::table::Tool;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use uuid::Uuid;

/// Reports that may wait for a slow reader; more are left out.
const REPORT_BACKLOG: usize = 32;
/// How long a stopped tool may take to let go before it is no longer waited for.
const LETTING_GO: Duration = Duration::from_secs(2);
/// How long a program that was stopped may take to be gone and to have what it left looked through.
const ENDING: Duration = Duration::from_secs(10);

impl Call {
    /// Runs the tool in a task of its own, so that a panic in it stays there. `stop`: that its agent
    /// wants it stopped; a program may then still tell what it came to.
    pub(crate) async fn drive(
        &self,
        permission: Authorized,
        (stop, effect): (&CancellationToken, EffectClass),
    ) -> Ran {
        if self.inner.is_run_by_caller(&self.request.tool) {
            return self.hand_over(permission, stop).await;
        }
        let (sink, mut reports) = mpsc::channel::<Report>(REPORT_BACKLOG);
        let executor = self.inner.executor.clone();
        let task = tokio::spawn(async move { executor.run(permission, sink).await });
        let mut task = AbortOnDropHandle::new(task);
        let deadline = self.deadline();
        tokio::pin!(deadline);
        let mut is_open = true;
        let mut ending = pin!(Fuse::terminated());
        let stopped = loop {
            tokio::select! {
                biased;
                () = self.cancel.cancelled() => break Ran::Cancelled,
                ended = &mut task => {
                    // What it said last is told as well.
                    while let Ok(report) = reports.try_recv() {
                        self.tell(report).await;
                    }
                    return match ended_as(ended) {
                        Ran::Done(Ok(output)) if stop.is_cancelled() => Ran::Stopped(output),
                        ran => ran,
                    };
                }
                () = stop.cancelled(), if ending.is_terminated() => match effect {
                    EffectClass::Exec => {
                        reports.close();
                        ending.set(tokio::time::sleep(ENDING).fuse());
                    }
                    _ => break Ran::Cancelled,
                },
                () = &mut ending => break Ran::Cancelled,
                report = reports.recv(), if is_open => match report {
                    Some(report) => self.tell(report).await,
                    None => is_open = false,
                },
                () = &mut deadline => break Ran::TimedOut,
            }
        };
        task.abort();
        match tokio::time::timeout(LETTING_GO, &mut task).await {
            // It ended in the same moment: its effect is done, and that is the truth to tell.
            Ok(Ok(result)) => Ran::Done(result),
            Ok(Err(_)) | Err(_) => stopped,
        }
    }

    /// Has the caller run the call, and waits until it says what came of it.
    async fn hand_over(&self, permission: Authorized, stop: &CancellationToken) -> Ran {
        let call = match permission.redeem((self.inner.clock)()) {
            Ok(call) => call,
            Err(expired) => return Ran::Done(Err(expired.into())),
        };
        let (agent_id, call_id) = (self.caller.agent_id, call.call_id);
        let session = &self.caller.session;
        let outcome = lock(session).own_calls.expect(agent_id, call_id);
        let own = OwnCall {
            tool: call.tool,
            arguments: call.arguments,
            targets: call.targets,
        };
        let reported = async {
            self.emit(ToolEvent::CallerRuns(own)).await;
            outcome.await
        };
        let ran = tokio::select! {
            biased;
            () = self.cancel.cancelled() => Ran::Cancelled,
            () = stop.cancelled() => Ran::Cancelled,
            reported = reported => reported.map_or(Ran::Cancelled, Ran::Done),
            () = self.deadline() => Ran::TimedOut,
        };
        lock(session).own_calls.forget(agent_id, call_id);
        ran
    }

    /// Waits until the tool has run too long. Agents have limits of their own.
    async fn deadline(&self) {
        let known = self.inner.policy.table().find(&self.request.tool);
        match known {
            Some((_, tool)) if tool.spec.result_source == ResultSource::Agents => {
                std::future::pending().await
            }
            _ => tokio::time::sleep(self.inner.config.tool_time).await,
        }
    }

    async fn tell(&self, report: Report) {
        let clean = |text: &str| text::escape::visible(&self.scrubbed(text));
        match report {
            Report::Progress(progress) => self.report(progress),
            Report::Notice(fault) => {
                let fault = Fault {
                    message: clean(&fault.message),
                    hint: clean(&fault.hint),
                    code: fault.code,
                };
                self.emit(ToolEvent::Notice(fault)).await;
            }
        }
    }

    fn report(&self, report: Progress) {
        let event = ToolEvent::Progress {
            message: text::escape::visible(&self.scrubbed(&report.message)),
            percent: report.percent,
        };
        // A reader too slow for progress still gets the result.
        let _ = self.events.try_send(Ok(event));
    }

    /// The tool as its results are labelled this time: what is made of the arguments alone has
    /// their label, and what was stored has the label it was stored with.
    fn labelled<'t>(
        &self,
        tool: &'t Tool,
        stored: Vec<ResultField>,
        session: &Session,
    ) -> Cow<'t, ToolSpec> {
        let mut spec = match tool.spec.result_source {
            ResultSource::World => return Cow::Borrowed(&tool.spec),
            ResultSource::Stored => {
                let mut spec = tool.spec.clone();
                // Where nothing of the store was found, nothing came from there.
                if stored.iter().all(|field| field.label == Label::nothing()) {
                    spec.result_label.origins.clear();
                }
                spec.result_fields = stored;
                // The names of the result's own parts are the tool's, and nobody's content.
                spec.result_fields.push(ResultField {
                    path: "/~".to_owned(),
                    label: Label::nothing(),
                    format: None,
                });
                return Cow::Owned(spec);
            }
            ResultSource::Agents => {
                let mut spec = tool.spec.clone();
                spec.result_fields.clear();
                spec.result_label = session.shown_below(self.caller.agent_id);
                return Cow::Owned(spec);
            }
            ResultSource::Arguments | ResultSource::Private => tool.spec.clone(),
        };
        spec.result_fields.clear();
        // What cannot be traced any more keeps the table's label.
        if let Some(label) = self.of_arguments(tool, session) {
            spec.result_label = match tool.spec.result_source {
                ResultSource::Private => label.join(&Label::private()),
                _ => label,
            };
        }
        Cow::Owned(spec)
    }

    /// The label of what is made of the call's arguments alone; `None` when they cannot be traced
    /// any more.
    fn of_arguments(&self, tool: &Tool, session: &Session) -> Option<Label> {
        let agent = session.agents.get(&self.caller.agent_id)?;
        let Ok(resolved) = session.provenance.resolve(&self.request.arguments) else {
            return None;
        };
        let secrets = self.inner.secrets.needles();
        let known = Knowledge {
            provenance: &session.provenance,
            context: &agent.label,
            company: &agent.label.readers,
            is_secret: &|text| secrets.may_be_in(text),
            referenced: &resolved.labels,
            refused_choices: &HashSet::new(),
            requested: &Requested::default(),
            now: (self.inner.clock)(),
            is_recovered: false,
            is_typed: false,
        };
        Some(made_of(tool, &resolved.arguments, known))
    }

    /// The label of an error in a tool's own words: what the call said, known to whoever may know
    /// the tool's results, since that something is not there is a thing to know, too.
    fn own_words(&self, tool: &Tool, session: &Session) -> Option<Label> {
        let said = self.of_arguments(tool, session)?;
        Some(said.join(&Label {
            readers: tool.spec.result_label.readers.clone(),
            ..Label::nothing()
        }))
    }

    /// The result of a tool that did not do its work. What the agent reads of it counts as seen:
    /// in a tool's own words that is no more than the call said, else it is from where the tool's
    /// results are.
    pub(crate) fn failed(&self, failure: &ToolFailure, duration_ms: u64) -> ToolResult {
        let mut result = if failure.kind == FailureKind::Refused {
            nothing_ran(CallStatus::Denied, format!("[DENIED] {OUT_OF_REACH}"))
        } else {
            let mut session = lock(&self.caller.session);
            let known = self.inner.policy.table().find(&self.request.tool);
            let own = match (failure.words, known) {
                (Words::Own, Some((_, tool))) => self.own_words(tool, &session),
                (Words::Own | Words::Met, _) => None,
            };
            let met = known.map(|(_, tool)| met_by(tool));
            let label = own.or(met);
            let label = label.unwrap_or_else(|| Label::untrusted("tool error"));
            if let Some(agent) = session.agents.get_mut(&self.caller.agent_id) {
                agent.takes_in(&label);
            }
            drop(session);
            let text =
                Body::of(&self.scrubbed(&failure.message)).fenced(&self.request.tool, &label);
            let mut result = nothing_ran(CallStatus::Failed, format!("[FAILED]\n{text}"));
            result.label = Some(label);
            result
        };
        result.duration_ms = duration_ms;
        result
    }

    /// Stores a result as a value and makes what the model reads.
    pub(crate) fn show(&self, output: ToolOutput, duration_ms: u64) -> ToolResult {
        let body = Body::of(&output.text);
        let known = self.inner.policy.table().find(&self.request.tool);
        let value_id = ValueId::from_uuid(Uuid::now_v7());
        let mut session = lock(&self.caller.session);
        let label = match known {
            Some((_, tool)) => {
                let data = match &output.data {
                    Value::Null => Value::from(output.text.as_str()),
                    data => data.clone(),
                };
                let spec = self.labelled(tool, output.labels, &session);
                let settings = session.settings.clone();
                let origin = origins::seen_from(&settings.workspace, &output.origin);
                session.provenance.show(value_id, &spec, &origin, data)
            }
            None => Label::untrusted("unknown tool"),
        };
        let text = body.fenced(&self.request.tool, &label);
        // What was made of the call tells the agent nothing new.
        let is_of_call = known.is_some_and(|(_, tool)| is_made_of_call(tool));
        let is_outside = !is_of_call && origins::are_outside(&label);
        let parents = match session.agents.get_mut(&self.caller.agent_id) {
            Some(agent) => {
                let parents = agent.shown.iter().copied().collect();
                agent.show(value_id, &label);
                agent.outside += u64::from(is_outside);
                parents
            }
            None => Vec::new(),
        };
        let stored = Stored {
            label: label.clone(),
            parents,
            hash: Digest::of(output.text.as_bytes()),
            text: output.text,
        };
        session.values.keep(value_id, stored);
        drop(session);
        if label.integrity != Integrity::Trusted && !body.note.is_empty() {
            tracing::warn!(tool = %self.request.tool, score = body.score, "suspicious result");
            self.report(Progress {
                message: format!("{}: {}", self.request.tool, body.note),
                percent: None,
            });
        }
        ToolResult {
            status: CallStatus::Ok,
            value_id: Some(value_id),
            label: Some(label),
            text,
            data: output.data,
            truncated: body.truncated,
            duration_ms,
            artifacts: output.artifacts,
        }
    }
}

fn ended_as(ended: Result<Result<ToolOutput, ToolFailure>, tokio::task::JoinError>) -> Ran {
    match ended {
        Ok(result) => Ran::Done(result),
        Err(error) if error.is_panic() => Ran::Panicked,
        Err(_) => Ran::Cancelled,
    }
}

/// Whether a tool's results are made of its call alone.
const fn is_made_of_call(tool: &Tool) -> bool {
    use ResultSource::{Arguments, Private};
    matches!(tool.spec.result_source, Arguments | Private)
}

/// The label of what a tool met: anybody's words, from where its results are.
fn met_by(tool: &Tool) -> Label {
    Label {
        integrity: Integrity::Untrusted,
        trusted_origins: BTreeSet::new(),
        ..tool.spec.result_label.clone()
    }
}

/// What a model reads of a result, before its fence.
struct Body {
    /// Capped, without what hides.
    text: String,
    truncated: bool,
    /// What the firewall says of it; empty when it found nothing.
    note: String,
    /// How many characters and sequences are left out that hide or turn text, or command a terminal.
    left_out: usize,
    /// How much the firewall found.
    score: u32,
}

impl Body {
    fn of(whole: &str) -> Self {
        let capped = text::cap::head_and_tail(whole, TOOL_RESULT_BYTES);
        let defused = text::firewall::defuse(&capped.text);
        Self {
            text: defused.text,
            truncated: capped.truncated,
            note: defused.report.note(),
            left_out: defused.left_out,
            score: defused.report.score,
        }
    }

    /// In a fence that only this call has. What the user wrote needs no warning.
    fn fenced(&self, tool: &str, label: &Label) -> String {
        let nonce = format!("{:016x}", rand::random::<u64>());
        let is_trusted = label.integrity == Integrity::Trusted;
        let note = if is_trusted { "" } else { &self.note };
        // Programs colour and rewrite what they print.
        let left_out = match self.left_out {
            0 => None,
            _ if awaits_a_program(tool) => None,
            count => Some(format!(
                "{count} characters or sequences that hide or turn text, or command a terminal, are \
                 left out of this"
            )),
        };
        let notes = [(!note.is_empty()).then(|| note.to_owned()), left_out];
        let note = notes.into_iter().flatten().collect::<Vec<_>>().join("; ");
        text::fence::wrap_noted(tool, &nonce, is_trusted, &note, &self.text)
    }
}

impl Inner {
    /// Whether whoever calls a tool runs it.
    fn is_run_by_caller(&self, tool: &str) -> bool {
        let mut tools = self.config.caller_tools.iter();
        tools.any(|spec| spec.definition.name.as_str() == tool)
    }

    /// What the call would change, by the executor's own account.
    pub(crate) async fn preview(&self, call: &JudgedCall) -> Result<Option<String>, ToolFailure> {
        self.preview_step(call, &[]).await
    }

    /// The same for a step of a plan, as if those before it were done.
    pub(crate) async fn preview_step(
        &self,
        call: &JudgedCall,
        earlier: &[JudgedCall],
    ) -> Result<Option<String>, ToolFailure> {
        let steps = [earlier, std::slice::from_ref(call)].concat();
        self.preview_plan(steps).await.pop().unwrap_or(Ok(None))
    }

    /// The same for each step of a plan, as if those before it were done: as many answers as steps.
    pub(crate) async fn preview_plan(
        &self,
        steps: Vec<JudgedCall>,
    ) -> Vec<Result<Option<String>, ToolFailure>> {
        let is_callers = |step: &JudgedCall| self.is_run_by_caller(step.tool.as_str());
        let callers: Vec<bool> = steps.iter().map(is_callers).collect();
        let own = steps.into_iter().filter(|step| !is_callers(step));
        let own: Vec<JudgedCall> = own.collect();
        let count = own.len();
        let time = self.config.tool_time * u32::try_from(count).unwrap_or(u32::MAX);
        let executor = self.executor.clone();
        let task = tokio::spawn(async move { executor.preview_plan(&own).await });
        let answers = match tokio::time::timeout(time, AbortOnDropHandle::new(task)).await {
            Ok(Ok(previews)) => previews,
            Ok(Err(_)) => vec![Err(unforeseen(FailureKind::Broken)); count],
            Err(_) => vec![Err(unforeseen(FailureKind::Timeout)); count],
        };
        let mut answers = answers.into_iter();
        let answer_of = |is_callers: bool| match is_callers {
            true => Ok(None),
            false => {
                let answer = answers.next();
                answer.unwrap_or_else(|| Err(unforeseen(FailureKind::Broken)))
            }
        };
        callers.into_iter().map(answer_of).collect()
    }

    /// The call as it was judged: exactly what may run. `None` when it cannot be told apart.
    pub(crate) fn judged_call(
        &self,
        caller: &crate::state::Caller,
        request: &CallRequest,
        bound: &Bound,
        label: &Label,
    ) -> Option<JudgedCall> {
        let tool = self.policy.table().tools().get(bound.tool)?;
        let session = lock(&caller.session);
        let policy_revision = session.revision;
        // An agent that was released meanwhile reaches nothing.
        let rights = session
            .agents
            .get(&caller.agent_id)
            .map(|agent| agent.standing.rights(&session.settings.workspace))
            .unwrap_or_default();
        // A call whose references lead nowhere has been refused before.
        let Ok(resolved) = session.provenance.resolve(&request.arguments) else {
            return None;
        };
        // What a reference stands for is not what was typed.
        let is_typed = resolved.arguments == request.arguments
            && request.plan_id.is_some_and(|plan_id| {
                let step = self.step_key(&request.tool, &request.arguments);
                session.plans.is_typed(plan_id, caller.agent_id, &step)
            });
        drop(session);
        Some(JudgedCall {
            session_id: caller.session_id,
            call_id: request.call_id,
            tool: tool.spec.definition.name.clone(),
            tool_version: tool.spec.version.clone(),
            arguments: resolved.arguments,
            targets: paths_of(bound),
            read_roots: bound.read_roots.clone(),
            write_roots: bound.write_roots.clone(),
            rights,
            label: label.clone(),
            is_typed,
            policy_revision,
        })
    }

    /// A call in one line, for the end of a question.
    pub(crate) fn call_line(&self, tool: &str, arguments: &Value, bound: &Bound) -> String {
        match self.policy.table().find(tool) {
            Some((_, tool)) => crate::render::call_line(&tool.spec, arguments, &paths_of(bound)),
            None => crate::render::one_line(tool),
        }
    }

    /// The broker's own rendering of a call.
    pub(crate) fn render(&self, tool: &str, arguments: &Value, bound: &Bound) -> String {
        match self.policy.table().find(tool) {
            Some((_, tool)) => crate::render::call(&tool.spec, arguments, &paths_of(bound)),
            None => crate::render::one_line(tool),
        }
    }
}

/// Why nobody can say what a call would change.
fn unforeseen(kind: FailureKind) -> ToolFailure {
    let (rule, message) = match kind {
        FailureKind::Timeout => ("timeout", "Working out the change took too long."),
        _ => ("panic", "The change could not be worked out."),
    };
    ToolFailure {
        kind,
        rule: rule.into(),
        message: message.to_owned(),
        words: Words::Own,
    }
}

/// The paths among a call's targets.
pub(crate) fn paths_of(bound: &Bound) -> BTreeMap<String, PathBuf> {
    let targets = bound.targets.iter();
    targets
        .map(|(name, (_, path))| (name.clone(), path.clone()))
        .collect()
}
