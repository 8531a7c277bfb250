//! Judging a past session's calls by today's policy, with the labels of what was read. Nothing runs.

use api::CallContext;
use api::broker::{Broker, CallRequest, Control, Error, Registered};
use domain::decision::{Decision, Verdict};
use domain::event::{CallStatus, Event, EventBody};
use domain::id::{CallId, SessionId, TraceId};
use domain::label::Label;
use domain::settings::SessionProfile;
use serde_json::Value;
use uuid::Uuid;

/// One call of the session: what was decided then, and what would be now.
#[derive(Debug, Clone)]
pub struct Replayed {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// The verdict of then; `none` where there was none.
    pub then: String,
    /// Whether it was a step of a plan that had been approved: its question was answered with the
    /// plan's.
    pub is_planned: bool,
    /// The decision of now, for the call by itself.
    pub now: Decision,
    /// The call, in the session's log.
    call_id: Option<CallId>,
}

impl Replayed {
    /// Whether it would be decided differently. A step that was allowed with its plan would be asked
    /// about by itself, then as now.
    #[must_use]
    pub fn is_changed(&self) -> bool {
        let is_asked_by_itself = self.is_planned
            && self.then == Verdict::Allow.as_str()
            && self.now.verdict == Verdict::Confirm;
        self.then != self.now.verdict.as_str() && !is_asked_by_itself
    }
}

/// Judges every call of a session again, in order, after the same words of the user and the same
/// labels of results. `profile`: what the session was opened with.
///
/// # Errors
/// When a call cannot be judged.
pub async fn replay(
    broker: &dyn Broker,
    control: &dyn Control,
    profile: &SessionProfile,
    events: &[Event],
) -> Result<Vec<Replayed>, Error> {
    let mut stage = Stage::open(broker, control, profile).await?;
    let played = stage.play(events).await;
    stage.close().await?;
    played
}

/// A session of its own in the broker, in which nothing is ever executed.
struct Stage<'a> {
    broker: &'a dyn Broker,
    control: &'a dyn Control,
    session_id: SessionId,
    root: Registered,
    trace_id: TraceId,
}

impl<'a> Stage<'a> {
    async fn open(
        broker: &'a dyn Broker,
        control: &'a dyn Control,
        profile: &SessionProfile,
    ) -> Result<Self, Error> {
        let session_id = SessionId::from_uuid(Uuid::now_v7());
        let root = control
            .open_session(
                session_id,
                profile.agent_type.clone(),
                profile.settings.clone(),
            )
            .await?;
        Ok(Self {
            broker,
            control,
            session_id,
            root,
            trace_id: TraceId::from_uuid(Uuid::now_v7()),
        })
    }

    async fn play(&mut self, events: &[Event]) -> Result<Vec<Replayed>, Error> {
        let control = self.control;
        let mut played: Vec<Replayed> = Vec::new();
        let mut approved = None;
        for event in events {
            match &event.body {
                EventBody::SessionConfigured { profile } => {
                    let settings = profile.settings.clone();
                    control.configure(self.session_id, settings).await?;
                }
                EventBody::QueryReceived { text, .. } => {
                    self.trace_id = TraceId::from_uuid(Uuid::now_v7());
                    let begins = Some(self.trace_id);
                    control.hear(self.session_id, text.clone(), begins).await?;
                }
                EventBody::ToolRequested {
                    tool, arguments, ..
                } => {
                    played.push(Replayed {
                        tool: tool.clone(),
                        arguments: arguments.clone(),
                        then: "none".to_owned(),
                        is_planned: approved.is_some() && approved == event.query_id,
                        call_id: event.call_id,
                        now: self.judge(tool, arguments).await?,
                    });
                }
                EventBody::BrokerDecision { verdict, .. } => {
                    // What follows an answer is not what the call met at first.
                    let mut undecided = played.iter_mut().filter(|one| one.then == "none");
                    if let Some(call) = undecided.find(|one| one.call_id == event.call_id) {
                        call.then = verdict.as_str().to_owned();
                    }
                }
                EventBody::PlanApproved { .. } => approved = event.query_id,
                EventBody::ToolResult { status, label, .. } => {
                    if let Some(seen) = seen(*status, label.as_ref()) {
                        control.recall(self.session_id, seen).await?;
                    }
                }
                EventBody::MemoryRecalled { text, label, .. } if !text.is_empty() => {
                    let unknown = || Label::untrusted("memory");
                    let seen = label.clone().unwrap_or_else(unknown);
                    control.recall(self.session_id, seen).await?;
                }
                EventBody::NotesShown { label, .. }
                | EventBody::InputGiven { label, .. }
                | EventBody::PictureShown { label, .. } => {
                    control.recall(self.session_id, label.clone()).await?;
                }
                _ => {}
            }
        }
        Ok(played)
    }

    async fn judge(&self, tool: &str, arguments: &Value) -> Result<Decision, Error> {
        let request = CallRequest {
            context: CallContext {
                session_id: self.session_id,
                agent_token: self.root.token.clone(),
                trace_id: self.trace_id,
            },
            call_id: CallId::from_uuid(Uuid::now_v7()),
            tool: tool.to_owned(),
            arguments: arguments.clone(),
            plan_id: None,
            batch: None,
            recovered: false,
        };
        self.broker.validate(request).await
    }

    async fn close(self) -> Result<(), Error> {
        self.control.close_session(self.session_id).await
    }
}

/// What the agent took in from a call.
fn seen(status: CallStatus, label: Option<&Label>) -> Option<Label> {
    match label {
        Some(label) => Some(label.clone()),
        None if status == CallStatus::Failed => Some(Label::untrusted("tool error")),
        None => None,
    }
}
