//! What every broker promises.

mod ceiling;
mod subject;

pub use subject::Subject;

use subject::{ROOM_TOKENS, call, check_denied, context, kind, open, run};

use super::{fresh_uuid, within};
use api::broker::{Error, ErrorKind, PlanApproval, PlanRequest, PlannedCall, ToolEvent};
use api::failure::mendable;
use api::{CallContext, Streaming};
use domain::decision::Verdict;
use domain::event::{CallStatus, ConfirmationAnswer, ConfirmationRequest};
use domain::hash::Digest;
use domain::id::{AgentToken, CallId, SessionId};
use domain::label::Label;
use domain::lineage::AgentType;
use domain::settings::Attendance;
use domain::token::Answerer;
use domain::tool::ToolOutput;
use futures::StreamExt;
use serde_json::json;

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
    a_stopped_call_ends_as_cancelled(subject().await).await;
    ceiling::a_yes_for_the_session_is_listed(&subject().await).await;
    ceiling::the_user_is_heard_in_known_sessions_only(&subject().await).await;
    ceiling::a_call_with_a_yes_before_it_is_made_runs_once(&subject().await).await;
    ceiling::programs_are_told_of_known_sessions_only(&subject().await).await;
    ceiling::jobs_are_stopped_in_known_sessions_only(&subject().await).await;
    ceiling::the_tables_name_what_there_is(&subject().await).await;
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
    let discovering = broker.discover_tools(context.clone(), "look".to_owned(), ROOM_TOKENS.into());
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
    let stopping = broker.stop_call(context.clone(), call_id());
    assert_eq!(kind(stopping.await), ErrorKind::UnknownAgent);
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

/// A program that answers in the user's place.
fn by_phone() -> Answerer {
    Answerer::Token("phone".parse().expect("a name"))
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
        subject.control.answer(
            session_id,
            id,
            binding,
            ConfirmationAnswer::Once,
            by_phone(),
        )
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
    let told = rest.iter().find_map(|event| match event {
        Ok(ToolEvent::ConfirmationAnswered { by, token, .. }) => Some((by.as_str(), token.clone())),
        _ => None,
    });
    let expected = ("user", by_phone().token().cloned());
    assert_eq!(told, Some(expected), "by which token a program answered");
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
    let id = asked.confirmation_id;
    let control = &subject.control;
    let answering = control.answer(session.session_id, id, asked.binding, no, Answerer::User);
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

/// Makes a call that takes until it is stopped, up to where its tool runs.
async fn started(
    subject: &Subject,
    context: CallContext,
    endless: &PlannedCall,
) -> (CallId, Streaming<ToolEvent, Error>) {
    let request = call(context, endless);
    let call_id = request.call_id;
    let executing = subject.broker.execute(request).await;
    let mut stream = executing.expect("the call is taken");
    loop {
        let event = within("the tool starts", stream.next()).await;
        match event.expect("it starts").expect("no error") {
            ToolEvent::Started => return (call_id, stream),
            ToolEvent::Decided(decision) => assert_eq!(decision.verdict, Verdict::Allow),
            other => panic!("before the start: {other:?}"),
        }
    }
}

async fn dropping_the_stream_stops_the_tool(mut subject: Subject) {
    let session = open(&subject, Attendance::Unattended).await;
    let Some((endless, stopped)) = subject.endless.take() else {
        return;
    };
    let (_, stream) = started(&subject, session.context(), &endless).await;
    drop(stream);
    within("the tool is stopped", stopped).await;
}

async fn a_stopped_call_ends_as_cancelled(mut subject: Subject) {
    let session = open(&subject, Attendance::Unattended).await;
    let child = subject.child.clone();
    let spawning = subject.broker.register_agent(session.context(), child);
    let child = spawning.await.expect("the child is registered");
    let child = context(session.session_id, &child.token);
    let Some((endless, _gate)) = subject.endless.take() else {
        return;
    };
    let stop = |context: CallContext, call_id| subject.broker.stop_call(context, call_id);
    let (id, stream) = started(&subject, session.context(), &endless).await;
    let unknown = kind(stop(session.context(), call_id()).await);
    assert_eq!(unknown, ErrorKind::UnknownCall);
    assert_eq!(kind(stop(child, id).await), ErrorKind::UnknownCall);
    stop(session.context(), id).await.expect("it is stopped");
    let rest: Vec<_> = within("the call ends", stream.collect()).await;
    let Some(Ok(ToolEvent::Finished(result))) = rest.last() else {
        panic!("the end is told: {rest:?}");
    };
    assert_eq!(result.status, CallStatus::Cancelled);
    let late = kind(stop(session.context(), id).await);
    assert_eq!(late, ErrorKind::UnknownCall);
}
