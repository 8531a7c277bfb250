//! Plans, settings and tables: what bounds calls before they are made.

use super::subject::{ROOM_TOKENS, Subject, call, check_denied, kind, open, run};
use crate::{fresh_uuid, within};
use api::CallContext;
use api::broker::{
    CallRequest, ErrorKind, PlanApproval, PlanEvent, PlanRequest, PlannedCall, ToolEvent,
};
use api::programs::{ProgramId, Programs};
use domain::decision::Verdict;
use domain::event::{CallStatus, ConfirmationAnswer};
use domain::id::{CallId, PlanId, SessionId};
use domain::label::Label;
use domain::settings::Attendance;
use domain::token::Answerer;
use domain::tool::ToolName;
use futures::StreamExt;

async fn pin(subject: &Subject, context: CallContext, calls: &[&PlannedCall]) -> Vec<PlanEvent> {
    let plan = PlanRequest {
        context,
        intent: "do it".to_owned(),
        calls: calls.iter().map(|call| (*call).clone()).collect(),
        approval: PlanApproval::Changes,
    };
    let stream = subject
        .broker
        .pin_plan(plan)
        .await
        .expect("the plan is judged");
    let events: Vec<_> = within("the plan is judged", stream.collect()).await;
    events
        .into_iter()
        .map(|event| event.expect("no error"))
        .collect()
}

pub(super) async fn a_plan_is_pinned_to_its_calls(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    let events = pin(
        subject,
        session.context(),
        &[&subject.allowed, &subject.allowed],
    )
    .await;
    let Some(PlanEvent::Proposed { hash, decisions }) = events.first() else {
        panic!("the proposal comes first: {events:?}");
    };
    assert_eq!(decisions.len(), 2, "one decision a call");
    let Some(PlanEvent::Pinned {
        plan_id,
        hash: pinned,
        ..
    }) = events.last()
    else {
        panic!("a plan that only looks is pinned: {events:?}");
    };
    assert_eq!(pinned, hash);

    let planned = |tool: &PlannedCall, plan_id: PlanId| CallRequest {
        plan_id: Some(plan_id),
        ..call(session.context(), tool)
    };
    for _ in 0..2 {
        let course = run(subject, planned(&subject.allowed, *plan_id)).await;
        assert_eq!(
            course.result.status,
            CallStatus::Ok,
            "{}",
            course.result.text
        );
    }
    let third = run(subject, planned(&subject.allowed, *plan_id)).await;
    check_denied(&third);
    let never_made = PlanId::from_uuid(fresh_uuid());
    check_denied(&run(subject, planned(&subject.allowed, never_made)).await);

    let events = pin(
        subject,
        session.context(),
        &[&subject.allowed, &subject.denied],
    )
    .await;
    assert!(
        matches!(events.last(), Some(PlanEvent::Refused { .. })),
        "{events:?}"
    );
    let events = pin(subject, session.context(), &[&subject.asked]).await;
    assert!(
        matches!(events.last(), Some(PlanEvent::Refused { .. })),
        "no one to ask: {events:?}"
    );
}

pub(super) async fn settings_hold_at_once_and_closing_ends_all(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    let mut settings = subject.settings.clone();
    let name = ToolName::new(subject.allowed.tool.as_str()).unwrap();
    settings.disabled_tools.insert(name.clone());
    let configuring = subject.control.configure(session.session_id, settings);
    configuring.await.expect("the ceiling changes");
    check_denied(&run(subject, call(session.context(), &subject.allowed)).await);
    let offered =
        subject
            .broker
            .discover_tools(session.context(), "anything".to_owned(), ROOM_TOKENS.into());
    let offered = offered.await.expect("tools are listed");
    assert!(
        !offered.iter().any(|tool| tool.name == name),
        "a disabled tool is not offered"
    );

    let closing = subject.control.close_session(session.session_id);
    closing.await.expect("the session closes");
    let request = call(session.context(), &subject.allowed);
    let refused = kind(subject.broker.execute(request).await);
    assert!(matches!(
        refused,
        ErrorKind::UnknownAgent | ErrorKind::UnknownSession
    ));
    let settings = subject.settings.clone();
    let gone = subject
        .control
        .configure(session.session_id, settings)
        .await;
    assert_eq!(kind(gone), ErrorKind::UnknownSession);
}

pub(super) async fn the_tables_name_what_there_is(subject: &Subject) {
    let tools = subject
        .control
        .list_tools()
        .await
        .expect("tools are listed");
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool.definition.name.as_str())
        .collect();
    assert!(names.contains(&subject.allowed.tool.as_str()), "{names:?}");
    let agents = subject
        .control
        .list_agents()
        .await
        .expect("agent types are listed");
    let root = agents.iter().find(|agent| agent.agent_type == subject.root);
    assert!(
        root.expect("the root is listed")
            .can_spawn
            .contains(&subject.child)
    );

    let session = open(subject, Attendance::Unattended).await;
    let offered = subject.broker.discover_tools(
        session.context(),
        "look at it".to_owned(),
        ROOM_TOKENS.into(),
    );
    for tool in offered.await.expect("tools are offered") {
        assert!(
            names.contains(&tool.name.as_str()),
            "{} is in the table",
            tool.name
        );
    }
    for (planned, verdict) in [
        (&subject.allowed, Verdict::Allow),
        (&subject.asked, Verdict::Confirm),
        (&subject.denied, Verdict::Deny),
    ] {
        let (tool, arguments) = (planned.tool.clone(), planned.arguments.clone());
        let settings = subject.settings.clone();
        let explaining = subject
            .control
            .explain(subject.root.clone(), tool, arguments, settings);
        assert_eq!(
            explaining.await.expect("explained").verdict,
            verdict,
            "{planned:?}"
        );
    }
}

/// The user's yes for the session to the call that is asked about.
pub(super) async fn a_yes_for_the_session_is_listed(subject: &Subject) {
    let session = open(subject, Attendance::Attended).await;
    let id = session.session_id;
    let list = || subject.control.list_grants(id);
    assert_eq!(list().await.expect("the session is known"), Vec::new());
    let request = call(session.context(), &subject.asked);
    let mut stream = subject.broker.execute(request).await.expect("it is taken");
    while let Some(event) = within("the call ends", stream.next()).await {
        if let ToolEvent::ConfirmationAsked(asked) = event.expect("no error") {
            let answer = ConfirmationAnswer::Session;
            let answered = subject
                .control
                .answer(
                    id,
                    asked.confirmation_id,
                    asked.binding,
                    answer,
                    Answerer::User,
                )
                .await;
            answered.expect("the answer is taken");
        }
    }
    let grants = list().await.expect("the session is known");
    let tools: Vec<&str> = grants.iter().map(|grant| grant.tool.as_str()).collect();
    assert_eq!(tools, [subject.asked.tool.as_str()]);
    assert!(grants.iter().all(|grant| !grant.scope.is_empty()));
}

pub(super) async fn the_user_is_heard_in_known_sessions_only(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    let label = Label::untrusted("an earlier session");
    let control = &subject.control;
    let known = session.session_id;
    control
        .hear(known, "do it".to_owned(), None)
        .await
        .expect("it is heard");
    control
        .recall(known, label.clone())
        .await
        .expect("it is recalled");
    let other = SessionId::from_uuid(fresh_uuid());
    let heard = control.hear(other, "do it".to_owned(), None).await;
    assert_eq!(kind(heard), ErrorKind::UnknownSession);
    assert_eq!(
        kind(control.recall(other, label).await),
        ErrorKind::UnknownSession
    );
    assert_eq!(
        kind(control.list_grants(other).await),
        ErrorKind::UnknownSession
    );
}

pub(super) async fn jobs_are_stopped_in_known_sessions_only(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    let control = &subject.control;
    for name in [None, Some("nobody".to_owned())] {
        let stopped = control.stop_jobs(session.session_id, name.clone()).await;
        assert_eq!(stopped.expect("the session is known"), Vec::<String>::new());
        let other = SessionId::from_uuid(fresh_uuid());
        let refused = kind(control.stop_jobs(other, name).await);
        assert_eq!(refused, ErrorKind::UnknownSession);
    }
}

pub(super) async fn programs_are_told_of_known_sessions_only(subject: &Subject) {
    let session = open(subject, Attendance::Unattended).await;
    let control = &subject.control;
    let nobody = Programs::One(ProgramId::Call(CallId::from_uuid(fresh_uuid())));
    for wanted in [Programs::All, nobody] {
        let told = control.programs(session.session_id, wanted.clone()).await;
        assert_eq!(told.expect("the session is known"), Vec::new());
        let other = SessionId::from_uuid(fresh_uuid());
        let refused = kind(control.programs(other, wanted).await);
        assert_eq!(refused, ErrorKind::UnknownSession);
    }
}

pub(super) async fn a_call_with_a_yes_before_it_is_made_runs_once(subject: &Subject) {
    let session = open(subject, Attendance::Attended).await;
    let control = &subject.control;
    let id = session.session_id;
    let approve = |context: &CallContext, call: &PlannedCall| {
        control.approve_call(id, context.trace_id, call.clone())
    };
    let hears =
        |context: &CallContext| control.hear(id, "do it".to_owned(), Some(context.trace_id));
    let verdict = async |context: &CallContext, planned: &PlannedCall| {
        let stream = subject.broker.execute(call(context.clone(), planned)).await;
        let mut stream = stream.expect("the call is taken");
        match within("the call is judged", stream.next()).await {
            Some(Ok(ToolEvent::Decided(decision))) => decision.verdict,
            other => panic!("the decision comes first: {other:?}"),
        }
    };
    let (context, other) = (session.context(), session.context());
    // Nothing is approved for work that no words of the user began.
    let early = approve(&context, &subject.asked).await;
    assert_eq!(kind(early), ErrorKind::UnknownCall);
    for context in [&context, &other] {
        hears(context).await.expect("it is heard");
    }
    approve(&context, &subject.asked)
        .await
        .expect("it is noted");
    approve(&other, &subject.denied).await.expect("it is noted");
    assert_eq!(verdict(&other, &subject.asked).await, Verdict::Confirm);
    assert_eq!(verdict(&other, &subject.denied).await, Verdict::Deny);
    let child = subject
        .broker
        .register_agent(context.clone(), subject.child.clone());
    let child = CallContext {
        agent_token: child.await.expect("the child is registered").token,
        ..context.clone()
    };
    assert_ne!(verdict(&child, &subject.asked).await, Verdict::Allow);
    let course = run(subject, call(context.clone(), &subject.asked)).await;
    assert!(
        course.has_started && course.question.is_none(),
        "{:?}",
        course.decision
    );
    assert_eq!(course.decision.verdict, Verdict::Allow);
    assert_eq!(verdict(&context, &subject.asked).await, Verdict::Confirm);
    let nowhere = SessionId::from_uuid(fresh_uuid());
    let unknown = control.approve_call(nowhere, context.trace_id, subject.asked.clone());
    assert_eq!(kind(unknown.await), ErrorKind::UnknownSession);
}
