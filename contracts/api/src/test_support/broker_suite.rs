//! What every broker promises.

mod ceiling;

use super::{fresh_uuid, within};
use crate::broker::{
    Broker, CallRequest, Control, Error, ErrorKind, PlanApproval, PlanRequest, PlannedCall,
    Registered, ToolEvent, ToolResult,
};
use crate::failure::mendable;
use crate::{CallContext, Streaming};
use domain::decision::{Decision, Verdict};
use domain::event::{CallStatus, ConfirmationAnswer, ConfirmationRequest};
use domain::hash::Digest;
use domain::id::{AgentToken, CallId, SessionId, TraceId};
use domain::label::Label;
use domain::lineage::AgentType;
use domain::settings::{Attendance, SessionSettings};
use domain::tool::ToolOutput;
use futures::StreamExt;
use futures::future::BoxFuture;
use serde_json::json;
use std::sync::Arc;

/// Room for every definition of a small broker, tokens.
const ROOM_TOKENS: u64 = 100_000;

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
struct Opened {
    session_id: SessionId,
    root: Registered,
}

impl Opened {
    fn context(&self) -> CallContext {
        context(self.session_id, &self.root.token)
    }
}

fn context(session_id: SessionId, token: &AgentToken) -> CallContext {
    CallContext {
        session_id,
        agent_token: token.clone(),
        trace_id: TraceId::from_uuid(fresh_uuid()),
    }
}

fn call(context: CallContext, call: &PlannedCall) -> CallRequest {
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

async fn open(subject: &Subject, attendance: Attendance) -> Opened {
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

/// The whole suite. `subject` gives a fresh broker each time.
pub async fn conformance(subject: impl AsyncFn() -> Subject) {
    an_allowed_call_runs_in_order(&subject().await).await;
    what_may_not_run_is_an_outcome(&subject().await).await;
    validating_says_what_executing_decides(&subject().await).await;
    a_forged_token_is_refused_everywhere(&subject().await).await;
    a_token_is_worth_nothing_in_another_session(&subject().await).await;
    lineage_grows_and_release_takes_descendants(&subject().await).await;
    a_question_takes_only_its_own_answer(&subject().await).await;
    a_no_and_an_empty_room_stop_the_call(&subject().await).await;
    ceiling::a_plan_is_pinned_to_its_calls(&subject().await).await;
    ceiling::settings_hold_at_once_and_closing_ends_all(&subject().await).await;
    what_the_caller_runs_it_reports_once(&subject().await).await;
    dropping_the_stream_stops_the_tool(subject().await).await;
    ceiling::a_yes_for_the_session_is_listed(&subject().await).await;
    ceiling::the_user_is_heard_in_known_sessions_only(&subject().await).await;
    ceiling::the_tables_name_what_there_is(&subject().await).await;
}

/// Everything a call's stream said, taken apart; checks the promised order.
struct Course {
    decision: Decision,
    question: Option<ConfirmationRequest>,
    has_started: bool,
    result: ToolResult,
}

async fn course(stream: Streaming<ToolEvent, Error>) -> Course {
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
            ToolEvent::Progress { .. } => assert!(has_started, "progress before the start"),
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

async fn run(subject: &Subject, request: CallRequest) -> Course {
    let stream = within("the call is taken", subject.broker.execute(request)).await;
    course(stream.expect("the call is taken")).await
}

async fn an_allowed_call_runs_in_order(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    for _ in 0..2 {
        let course = run(subject, call(session.context(), &subject.allowed)).await;
        assert_eq!(
            course.decision.verdict,
            Verdict::Allow,
            "{:?}",
            course.decision
        );
        assert!(course.has_started && course.question.is_none());
        assert_eq!(
            course.result.status,
            CallStatus::Ok,
            "{}",
            course.result.text
        );
        assert!(course.result.value_id.is_some() && course.result.label.is_some());
    }
}

fn check_denied(course: &Course) {
    assert!(!course.has_started, "a denied call must not start");
    assert_eq!(course.result.status, CallStatus::Denied);
    assert_eq!(course.result.value_id, None);
    assert!(!course.result.text.is_empty(), "the model is told why");
}

async fn what_may_not_run_is_an_outcome(subject: &Subject) {
    let session = open(subject, Attendance::Attended).await;
    let unknown = PlannedCall {
        tool: "no such tool!".to_owned(),
        arguments: json!({}),
    };
    let garbled = PlannedCall {
        tool: subject.allowed.tool.clone(),
        arguments: json!("not an object"),
    };
    for refused in [&subject.denied, &unknown, &garbled] {
        let course = run(subject, call(session.context(), refused)).await;
        assert_eq!(course.decision.verdict, Verdict::Deny, "{refused:?}");
        check_denied(&course);
    }
}

async fn validating_says_what_executing_decides(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    for planned in [&subject.allowed, &subject.asked, &subject.denied] {
        let request = call(session.context(), planned);
        let validated = subject
            .broker
            .validate(request.clone())
            .await
            .expect("judged");
        let decided = run(subject, request).await.decision;
        assert_eq!(
            (validated.verdict, validated.layer, &validated.rule),
            (decided.verdict, decided.layer, &decided.rule)
        );
        assert!(
            decided
                .findings
                .iter()
                .all(|f| f.verdict <= decided.verdict)
        );
    }
}

fn kind<T>(answer: Result<T, Error>) -> ErrorKind {
    match answer {
        Ok(_) => panic!("it was taken"),
        Err(error) => error.kind,
    }
}

async fn refuses_everything(subject: &Subject, context: CallContext) {
    let broker = &subject.broker;
    let request = call(context.clone(), &subject.allowed);
    let plan = PlanRequest {
        context: context.clone(),
        intent: "look".to_owned(),
        calls: vec![subject.allowed.clone()],
        approval: PlanApproval::Changes,
    };
    let child = subject.child.clone();
    let discovering = broker.discover_tools(context.clone(), "look".to_owned(), ROOM_TOKENS);
    assert_eq!(
        kind(broker.validate(request.clone()).await),
        ErrorKind::UnknownAgent
    );
    assert_eq!(kind(broker.execute(request).await), ErrorKind::UnknownAgent);
    assert_eq!(kind(broker.pin_plan(plan).await), ErrorKind::UnknownAgent);
    assert_eq!(kind(discovering.await), ErrorKind::UnknownAgent);
    let registering = broker.register_agent(context.clone(), child);
    assert_eq!(kind(registering.await), ErrorKind::UnknownAgent);
    let noting = broker.note_shown(context.clone(), Label::untrusted("notes"));
    assert_eq!(kind(noting.await), ErrorKind::UnknownAgent);
    let reporting = broker.report_call(context.clone(), call_id(), Ok(output("nothing")));
    assert_eq!(kind(reporting.await), ErrorKind::UnknownAgent);
    assert_eq!(kind(broker.release(context).await), ErrorKind::UnknownAgent);
}

async fn a_forged_token_is_refused_everywhere(subject: &Subject) {
    let session = open(subject, Attendance::Attended).await;
    let token = session.root.token.expose();
    let forgeries = [
        String::new(),
        "root".to_owned(),
        token[..token.len() - 1].to_owned(),
        format!("{token}0"),
        session.root.agent_id.to_string(),
    ];
    for forged in forgeries {
        let token = AgentToken::from_text(forged);
        refuses_everything(subject, context(session.session_id, &token)).await;
    }
}

async fn a_token_is_worth_nothing_in_another_session(subject: &Subject) {
    let one = open(subject, Attendance::Attended).await;
    let other = open(subject, Attendance::Attended).await;
    assert_ne!(one.root.token, other.root.token);
    refuses_everything(subject, context(one.session_id, &other.root.token)).await;
    let nowhere = SessionId::from_uuid(fresh_uuid());
    let request = call(context(nowhere, &one.root.token), &subject.allowed);
    let refused = kind(subject.broker.validate(request).await);
    assert!(matches!(
        refused,
        ErrorKind::UnknownAgent | ErrorKind::UnknownSession
    ));
}

async fn lineage_grows_and_release_takes_descendants(subject: &Subject) {
    let session = open(subject, Attendance::Attended).await;
    let id = session.session_id;
    let spawn = |parent: CallContext| async {
        let child = subject.broker.register_agent(parent, subject.child.clone());
        child.await.expect("the child is registered")
    };
    let child = spawn(session.context()).await;
    let grandchild = spawn(context(id, &child.token)).await;
    let sibling = spawn(session.context()).await;
    let chain: Vec<_> = grandchild
        .lineage
        .iter()
        .map(|ancestor| ancestor.agent_id)
        .collect();
    assert_eq!(
        chain,
        [session.root.agent_id, child.agent_id, grandchild.agent_id]
    );
    assert_eq!(grandchild.lineage[0].agent_type, subject.root);
    let label = Label::untrusted("notes");
    let noted = subject
        .broker
        .note_shown(context(id, &child.token), label)
        .await;
    noted.expect("what a known agent is shown is noted");

    let released = subject.broker.release(context(id, &child.token)).await;
    released.expect("the child is released");
    refuses_everything(subject, context(id, &child.token)).await;
    refuses_everything(subject, context(id, &grandchild.token)).await;
    for living in [&sibling, &session.root] {
        let request = call(context(id, &living.token), &subject.allowed);
        subject
            .broker
            .validate(request)
            .await
            .expect("the others live on");
    }
    let strange = AgentType::new("no-such-type").unwrap();
    let refused = subject
        .broker
        .register_agent(session.context(), strange)
        .await;
    assert_eq!(kind(refused), ErrorKind::UnknownAgentType);
}

/// Reads on until the question.
async fn question(stream: &mut Streaming<ToolEvent, Error>) -> ConfirmationRequest {
    loop {
        let event = within("the user is asked", stream.next()).await;
        match event.expect("the question comes").expect("no error") {
            ToolEvent::ConfirmationAsked(request) => return request,
            ToolEvent::Decided(decision) => assert_eq!(decision.verdict, Verdict::Confirm),
            other => panic!("before the question: {other:?}"),
        }
    }
}

async fn a_question_takes_only_its_own_answer(subject: &Subject) {
    let session = open(subject, Attendance::Attended).await;
    let other = open(subject, Attendance::Attended).await;
    let request = call(session.context(), &subject.asked);
    let mut stream = subject
        .broker
        .execute(request)
        .await
        .expect("the call is taken");
    let asked = question(&mut stream).await;
    let answer = |session_id: SessionId, binding: Digest| {
        let id = asked.confirmation_id;
        subject
            .control
            .answer(session_id, id, binding, ConfirmationAnswer::Once)
    };
    let wrong = answer(session.session_id, Digest::of(b"something else")).await;
    assert_eq!(kind(wrong), ErrorKind::BindingMismatch);
    let elsewhere = answer(other.session_id, asked.binding).await;
    assert_eq!(kind(elsewhere), ErrorKind::UnknownConfirmation);

    answer(session.session_id, asked.binding)
        .await
        .expect("the right answer is taken");
    let mut rest: Vec<_> = within("the call ends", stream.collect()).await;
    let Some(Ok(ToolEvent::Finished(result))) = rest.pop() else {
        panic!("the end is told");
    };
    assert_eq!(result.status, CallStatus::Ok, "{}", result.text);
    assert!(
        rest.iter()
            .any(|event| matches!(event, Ok(ToolEvent::Started)))
    );
    let again = answer(session.session_id, asked.binding).await;
    assert_eq!(kind(again), ErrorKind::UnknownConfirmation);
}

async fn a_no_and_an_empty_room_stop_the_call(subject: &Subject) {
    let session = open(subject, Attendance::Attended).await;
    let request = call(session.context(), &subject.asked);
    let mut stream = subject
        .broker
        .execute(request)
        .await
        .expect("the call is taken");
    let asked = question(&mut stream).await;
    let no = ConfirmationAnswer::Deny {
        message: "not today".to_owned(),
    };
    let answering =
        subject
            .control
            .answer(session.session_id, asked.confirmation_id, asked.binding, no);
    answering.await.expect("the no is taken");
    let rest: Vec<_> = within("the call ends", stream.collect()).await;
    assert!(
        !rest
            .iter()
            .any(|event| matches!(event, Ok(ToolEvent::Started)))
    );
    let Some(Ok(ToolEvent::Finished(result))) = rest.last() else {
        panic!("the end is told");
    };
    assert_eq!(result.status, CallStatus::Denied);

    let unattended = open(subject, Attendance::Unattended).await;
    check_denied(&run(subject, call(unattended.context(), &subject.asked)).await);
}

fn call_id() -> CallId {
    CallId::from_uuid(fresh_uuid())
}

fn output(text: &str) -> ToolOutput {
    ToolOutput {
        data: json!({"text": text}),
        text: text.to_owned(),
        origin: String::new(),
        artifacts: Vec::new(),
        labels: Vec::new(),
    }
}

/// Makes the call that its caller runs, up to where it is to be run.
async fn own_call(
    subject: &Subject,
    context: CallContext,
) -> (CallId, Streaming<ToolEvent, Error>) {
    let request = call(context, &subject.own);
    let call_id = request.call_id;
    let stream = within("the call is taken", subject.broker.execute(request)).await;
    let mut stream = stream.expect("the call is taken");
    loop {
        let event = within("the caller is to run it", stream.next()).await;
        match event.expect("it goes on").expect("no error") {
            ToolEvent::Decided(decision) => assert_eq!(decision.verdict, Verdict::Allow),
            ToolEvent::CallerRuns(own) => {
                assert_eq!(own.tool.as_str(), subject.own.tool);
                assert_eq!(own.arguments, subject.own.arguments);
                return (call_id, stream);
            }
            ToolEvent::Started => {}
            other => panic!("before the caller runs it: {other:?}"),
        }
    }
}

async fn what_the_caller_runs_it_reports_once(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    let child = subject.child.clone();
    let spawning = subject.broker.register_agent(session.context(), child);
    let child = spawning.await.expect("the child is registered");
    let child = context(session.session_id, &child.token);
    let report = |context: CallContext, call_id, text: &'static str| {
        subject
            .broker
            .report_call(context, call_id, Ok(output(text)))
    };
    let unasked = report(session.context(), call_id(), "unasked").await;
    assert_eq!(kind(unasked), ErrorKind::UnknownCall);
    let (id, stream) = own_call(subject, session.context()).await;
    let anothers = report(child, id, "another agent's").await;
    assert_eq!(kind(anothers), ErrorKind::UnknownCall);
    let reported = report(session.context(), id, "what came of it").await;
    reported.expect("the caller's own report is taken");
    let again = report(session.context(), id, "once more").await;
    assert_eq!(kind(again), ErrorKind::UnknownCall);
    let rest: Vec<_> = within("the call ends", stream.collect()).await;
    let Some(Ok(ToolEvent::Finished(result))) = rest.last() else {
        panic!("the end is told: {rest:?}");
    };
    assert_eq!(result.status, CallStatus::Ok);
    assert!(result.text.contains("what came of it"), "{}", result.text);

    let (id, stream) = own_call(subject, session.context()).await;
    let failure = mendable("not_there", "There is nothing of that name.");
    let reporting = subject
        .broker
        .report_call(session.context(), id, Err(failure));
    reporting.await.expect("a failure is taken");
    let rest: Vec<_> = within("the call ends", stream.collect()).await;
    let Some(Ok(ToolEvent::Finished(result))) = rest.last() else {
        panic!("the end is told: {rest:?}");
    };
    assert_eq!(result.status, CallStatus::Failed);
    assert!(
        result.text.contains("nothing of that name"),
        "{}",
        result.text
    );

    let (id, stream) = own_call(subject, session.context()).await;
    drop(stream);
    // Nobody waits for it any more; when that is noticed is not promised.
    while report(session.context(), id, "too late").await.is_ok() {
        tokio::task::yield_now().await;
    }
}

async fn dropping_the_stream_stops_the_tool(subject: Subject) {
    let session = open(&subject, Attendance::Unattended).await;
    let Some((endless, stopped)) = subject.endless else {
        return;
    };
    let request = call(session.context(), &endless);
    let mut stream = subject
        .broker
        .execute(request)
        .await
        .expect("the call is taken");
    loop {
        let event = within("the tool starts", stream.next()).await;
        match event.expect("it starts").expect("no error") {
            ToolEvent::Started => break,
            ToolEvent::Decided(decision) => assert_eq!(decision.verdict, Verdict::Allow),
            other => panic!("before the start: {other:?}"),
        }
    }
    drop(stream);
    within("the tool is stopped", stopped).await;
}
