//! What a suite is run on, and how it is driven.

use crate::{fresh_uuid, within};
use api::broker::{
    Broker, CallRequest, Control, Error, ErrorKind, PlannedCall, Registered, ToolEvent, ToolResult,
};
use api::{CallContext, Streaming};
use domain::decision::Decision;
use domain::event::{CallStatus, ConfirmationRequest};
use domain::id::{AgentToken, CallId, SessionId, TraceId};
use domain::lineage::AgentType;
use domain::settings::{Attendance, SessionSettings};
use futures::StreamExt;
use futures::future::BoxFuture;
use std::sync::Arc;

/// Room for every definition of a small broker, tokens.
pub(super) const ROOM_TOKENS: u64 = 100_000;

/// What the suite runs against: a broker, and calls whose verdicts are known.
pub struct Subject {
    /// What agents hold.
    pub broker: Arc<dyn Broker>,
    /// The user's side of the same broker.
    pub control: Arc<dyn Control>,
    /// An agent type that may spawn `child` and make the calls below.
    pub root: AgentType,
    /// An agent type that may spawn itself.
    pub child: AgentType,
    /// What sessions are opened with. The suite sets the attendance.
    pub settings: SessionSettings,
    /// A call that may run. It may run any number of times.
    pub allowed: PlannedCall,
    /// A call that the user is asked about.
    pub asked: PlannedCall,
    /// A call of a known tool that is denied.
    pub denied: PlannedCall,
    /// A call that may run and that its caller runs.
    pub own: PlannedCall,
    /// A call that may run and takes until it is stopped, and what completes once it was.
    pub endless: Option<(PlannedCall, BoxFuture<'static, ()>)>,
}

/// A session with its root agent.
pub(super) struct Opened {
    pub(super) session_id: SessionId,
    pub(super) root: Registered,
}

impl Opened {
    pub(super) fn context(&self) -> CallContext {
        context(self.session_id, &self.root.token)
    }
}

pub(super) fn context(session_id: SessionId, token: &AgentToken) -> CallContext {
    CallContext {
        session_id,
        agent_token: token.clone(),
        trace_id: TraceId::from_uuid(fresh_uuid()),
    }
}

pub(super) fn call(context: CallContext, call: &PlannedCall) -> CallRequest {
    CallRequest {
        context,
        call_id: CallId::from_uuid(fresh_uuid()),
        tool: call.tool.clone(),
        arguments: call.arguments.clone(),
        plan_id: None,
        batch: None,
        recovered: false,
    }
}

pub(super) async fn open(subject: &Subject, attendance: Attendance) -> Opened {
    let session_id = SessionId::from_uuid(fresh_uuid());
    let settings = SessionSettings {
        attendance,
        ..subject.settings.clone()
    };
    let opening = subject
        .control
        .open_session(session_id, subject.root.clone(), settings);
    let root = within("a session opens", opening)
        .await
        .expect("a session opens");
    Opened { session_id, root }
}

/// Everything a call's stream said, taken apart; checks the promised order.
pub(super) struct Course {
    pub(super) decision: Decision,
    pub(super) question: Option<ConfirmationRequest>,
    pub(super) has_started: bool,
    pub(super) result: ToolResult,
}

pub(super) async fn course(stream: Streaming<ToolEvent, Error>) -> Course {
    let events: Vec<_> = within("the call ends", stream.collect()).await;
    let mut events = events
        .into_iter()
        .map(|event| event.expect("no error in the stream"));
    let Some(ToolEvent::Decided(decision)) = events.next() else {
        panic!("the decision comes first");
    };
    let (mut question, mut has_started, mut result) = (None, false, None);
    for event in events {
        assert!(result.is_none(), "nothing comes after the end: {event:?}");
        match event {
            ToolEvent::Decided(_) => panic!("a second decision"),
            ToolEvent::ConfirmationAsked(asked) => question = Some(asked),
            ToolEvent::ConfirmationAnswered {
                confirmation_id, ..
            } => {
                let asked = question.as_ref().expect("asked before it is answered");
                assert_eq!(asked.confirmation_id, confirmation_id);
                assert!(!has_started, "answered before it starts");
            }
            ToolEvent::Started => has_started = true,
            ToolEvent::Progress { .. } | ToolEvent::Notice(_) => {
                assert!(has_started, "a report before the start");
            }
            ToolEvent::CallerRuns(own) => panic!("nobody here runs {own:?}"),
            ToolEvent::Finished(finished) => result = Some(finished),
        }
    }
    Course {
        decision,
        question,
        has_started,
        result: result.expect("the end is told"),
    }
}

pub(super) async fn run(subject: &Subject, request: CallRequest) -> Course {
    let stream = within("the call is taken", subject.broker.execute(request)).await;
    course(stream.expect("the call is taken")).await
}

pub(super) fn check_denied(course: &Course) {
    assert!(!course.has_started, "a denied call must not start");
    assert_eq!(course.result.status, CallStatus::Denied);
    assert_eq!(course.result.value_id, None);
    assert!(!course.result.text.is_empty(), "the model is told why");
}

pub(super) fn kind<T>(answer: Result<T, Error>) -> ErrorKind {
    match answer {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.kind,
    }
}
