//! Sessions as surfaces use them: queue, interrupt, attach, list, fork, settings.

use crate::support::{
    House, all, answer, assert_well_formed, broker, count, error_kind, request, status, until,
};
use api::models::ChatChunk;
use api::sessions::{ErrorKind, FeedbackRequest, Follow, OpenRequest, Selection, Sessions};
use contracts::{BrokerTool, Gate, Reply, within};
use domain::decision::Verdict;
use domain::event::{CallStatus, ConfirmationAnswer, Event, EventBody, QueryStatus};
use domain::hash::Digest;
use domain::id::{ConfirmationId, QueryId, SessionId};
use domain::limits::{EVENT_BACKLOG, QUEUED_MESSAGES, USER_TEXT_BYTES};
use domain::lineage::AgentType;
use domain::model::{ModelChoice, ModelRef, ModelRole};
use domain::settings::Mode;
use domain::token::Answerer;
use domain::tool::EffectClass;
use futures::StreamExt;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use uuid::Uuid;

#[tokio::test]
async fn an_event_is_in_the_log_before_anyone_sees_it() {
    let house = House::new([
        Reply::says("Let ")
            .text("me look.")
            .tool_call("save", json!({})),
        Reply::says("Done."),
    ]);
    let id = house.open().await;
    let mut stream = house.send(id, "Save it").await;
    let mut seen = 0;
    while let Some(event) = within("the next event", stream.next()).await {
        let event = event.unwrap();
        let log = std::fs::read_to_string(house.log_path(id)).unwrap();
        let line = log
            .lines()
            .nth(usize::try_from(event.seq).unwrap() - 1)
            .unwrap();
        assert_eq!(
            serde_json::from_str::<domain::event::Event>(line).unwrap(),
            event
        );
        seen += 1;
    }
    assert!(seen > 10);
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(house.log_path(id)), 0o600);
    assert_eq!(mode(house.folder.path().join("sessions")), 0o700);
}

#[tokio::test]
async fn requests_wait_for_the_one_before_and_too_many_are_refused() {
    let gate = Gate::new();
    let replies = [Reply::says("one").wait(&gate)].into_iter();
    let house =
        House::new(replies.chain((0..QUEUED_MESSAGES).map(|n| Reply::says(format!("more {n}")))));
    let id = house.open().await;
    let first = house.send(id, "first").await;
    within("the model at work", gate.reached()).await;
    let mut waiting = Vec::new();
    for n in 0..QUEUED_MESSAGES {
        let mut stream = house.send(id, &format!("waiting {n}")).await;
        let position = until(&mut stream, |body| match body {
            EventBody::QueryQueued { position } => Some(*position),
            _ => None,
        });
        assert_eq!(position.await, u32::try_from(n).unwrap() + 1);
        waiting.push(stream);
    }
    let over = house.service.send(request(id, "one too many")).await;
    assert_eq!(error_kind(over), ErrorKind::QueueFull);
    gate.open();
    assert_eq!(answer(&all(first).await), "one");
    for (n, stream) in waiting.into_iter().enumerate() {
        assert_eq!(answer(&all(stream).await), format!("more {n}"));
    }
    assert_well_formed(&house.last_messages());
    let texts: Vec<String> = house
        .last_messages()
        .iter()
        .map(|m| m.text().to_owned())
        .collect();
    assert_eq!(
        texts[2..5],
        ["one", "waiting 0", "more 0"],
        "in the order they were worked on"
    );
    let after = house.ask(id, "afterwards").await;
    assert_eq!(
        count(&after, "query.queued"),
        0,
        "an idle session queues nothing"
    );
}

#[tokio::test]
async fn an_interrupt_stops_the_model_and_what_waits_goes_on() {
    let house = House::new([Reply::says("I begin").hang(), Reply::says("Next.")]);
    let id = house.open().await;
    let mut stream = house.send(id, "Talk forever").await;
    let next = house.send(id, "Then this").await;
    until(&mut stream, |body| {
        matches!(body, EventBody::TextDelta { .. }).then_some(())
    })
    .await;
    house.service.interrupt(id, None).await.unwrap();
    let events = within("the end of the request", all(stream)).await;
    assert_eq!(status(&events), QueryStatus::Interrupted);
    within(
        "the stream is dropped",
        house.models.cancelled().at_least(1),
    )
    .await;
    assert_eq!(answer(&all(next).await), "Next.");
    let messages = house.last_messages();
    assert_well_formed(&messages);
    assert!(messages.iter().any(|m| m.text() == "I begin"));
}

#[tokio::test]
async fn an_interrupt_of_a_waiting_request_leaves_the_running_one() {
    let gate = Gate::new();
    let tools = broker();
    tools.add_tool(BrokerTool::new("stuck", Verdict::Allow, EffectClass::Read).waits(&gate));
    let replies = [
        Reply::new().tool_call("stuck", json!({})),
        Reply::says("Done."),
    ];
    let house = House::with(replies, tools, |_| {});
    let id = house.open().await;
    let first = house.send(id, "Work long").await;
    within("the tool at work", gate.reached()).await;
    let mut second = house.send(id, "Then this").await;
    let queued = until(&mut second, |body| {
        matches!(body, EventBody::QueryQueued { .. }).then_some(())
    });
    queued.await;
    let waiting = house.events(id).await;
    let waiting = waiting.iter().rev().find_map(|event| event.query_id);
    house.service.interrupt(id, waiting).await.unwrap();
    // At once: the first one still works.
    let events = within("the end of the second", all(second)).await;
    assert_eq!(status(&events), QueryStatus::Interrupted);
    gate.open();
    assert_eq!(answer(&all(first).await), "Done.");
    assert_eq!(
        house.requests().len(),
        2,
        "no model was asked for the second"
    );
    // One that has ended stops nothing.
    house.service.interrupt(id, waiting).await.unwrap();
}

#[tokio::test]
async fn an_interrupt_stops_running_tools() {
    let gate = Gate::new();
    let tools = broker();
    tools.add_tool(BrokerTool::new("stuck", Verdict::Allow, EffectClass::Read).waits(&gate));
    let replies = [
        Reply::new()
            .tool_call("stuck", json!({}))
            .tool_call("stuck", json!({"n": 2})),
        Reply::says("Fine."),
    ];
    let house = House::with(replies, tools, |_| {});
    let id = house.open().await;
    let stream = house.send(id, "Get stuck").await;
    within("the tool at work", gate.reached()).await;
    house.service.interrupt(id, None).await.unwrap();
    let events = within("the end of the request", all(stream)).await;
    within("both tools stopped", house.broker.stopped().at_least(2)).await;
    assert_eq!(status(&events), QueryStatus::Interrupted);
    let cancelled = events.iter().filter(|event| {
        matches!(
            &event.body,
            EventBody::ToolResult {
                status: CallStatus::Cancelled,
                ..
            }
        )
    });
    assert_eq!(cancelled.count(), 2);
    house.ask(id, "Still there?").await;
    assert_well_formed(&house.last_messages());
}

#[tokio::test]
async fn an_attached_reader_sees_every_event_once_from_where_it_asked() {
    let gate = Gate::new();
    let house = House::new([
        Reply::says("a").text("b"),
        Reply::says("c").wait(&gate).text("d"),
    ]);
    let (id, holder) = house.held().await;
    house.ask(id, "One").await;
    let stream = house.send(id, "Two").await;
    within("the model at work", gate.reached()).await;
    let attached = house.service.attach(id, 4, Follow::Live).await.unwrap();
    gate.open();
    all(stream).await;
    let total = house.events(id).await.len() as u64;
    let seen: Vec<u64> = within(
        "all events",
        attached
            .map(|event| event.unwrap().seq)
            .take(total as usize - 3)
            .collect(),
    )
    .await;
    assert_eq!(seen, (4..=total).collect::<Vec<u64>>());
    let mut ahead = house
        .service
        .attach(id, total + 3, Follow::Live)
        .await
        .unwrap();
    house.models.push(Reply::says("e"));
    house.ask(id, "Three").await;
    assert_eq!(ahead.next().await.unwrap().unwrap().seq, total + 3);
    house.service.close(id, holder).await.unwrap();
    let closed = within("the end of the stream", ahead.collect::<Vec<_>>()).await;
    assert!(closed.iter().all(Result::is_ok));
    let past = all(house.service.attach(id, 1, Follow::ToEnd).await.unwrap()).await;
    assert!(past.len() as u64 > total);
    let none = house.service.attach(id, 1, Follow::Live).await;
    assert_eq!(error_kind(none), ErrorKind::NotFound);
    let unknown = SessionId::from_uuid(Uuid::now_v7());
    let none = house.service.attach(unknown, 1, Follow::ToEnd).await;
    assert_eq!(error_kind(none), ErrorKind::NotFound);
}

#[tokio::test]
async fn a_slow_reader_is_given_every_event() {
    let chatty = (0..3 * EVENT_BACKLOG).fold(Reply::new(), |reply, _| {
        reply.chunk(ChatChunk::Text("x".to_owned()))
    });
    let house = House::new([chatty, Reply::says("Done.")]);
    let id = house.open().await;
    let mut slow = house.service.attach(id, 1, Follow::Live).await.unwrap();
    let sent = house.send(id, "Talk a lot").await;
    let events = within("the answer", house.ask(id, "And then?")).await;
    assert_eq!(status(&events), QueryStatus::Success);
    let whole = house.events(id).await;
    assert!(whole.len() > 3 * EVENT_BACKLOG);
    for event in &whole {
        let next = within("the next event", slow.next()).await.unwrap();
        assert_eq!(next.unwrap(), *event);
    }
    let of_first: Vec<&Event> = whole
        .iter()
        .filter(|event| event.query_id == whole[1].query_id)
        .collect();
    assert_eq!(all(sent).await.iter().collect::<Vec<_>>(), of_first);
}

#[tokio::test]
async fn the_user_is_asked_and_the_answer_reaches_the_broker() {
    let house = House::new([
        Reply::calls("write_file", json!({"path": "a"})),
        Reply::says("Written."),
        Reply::calls("write_file", json!({"path": "b"})),
        Reply::says("Refused."),
    ]);
    let id = house.open().await;
    for (expected, yes) in [(QueryStatus::Success, true), (QueryStatus::Denied, false)] {
        let mut stream = house.send(id, "Write").await;
        let asked = until(&mut stream, |body| match body {
            EventBody::ConfirmationAsked(request) => Some(request.clone()),
            _ => None,
        })
        .await;
        let confirm = |binding, answer| {
            house
                .service
                .confirm(id, asked.confirmation_id, binding, answer, Answerer::User)
        };
        let wrong = confirm(Digest::of(b"another"), ConfirmationAnswer::Once).await;
        assert_eq!(error_kind(wrong), ErrorKind::InvalidAnswer);
        let given = if yes {
            ConfirmationAnswer::Once
        } else {
            ConfirmationAnswer::Deny {
                message: "no".to_owned(),
            }
        };
        confirm(asked.binding, given).await.unwrap();
        let events = all(stream).await;
        assert_eq!(status(&events), expected);
        assert_eq!(count(&events, "confirmation.answered"), 1);
    }
    let unknown = ConfirmationId::from_uuid(Uuid::now_v7());
    let late = house
        .service
        .confirm(
            id,
            unknown,
            Digest::of(b"x"),
            ConfirmationAnswer::Once,
            Answerer::User,
        )
        .await;
    assert_eq!(error_kind(late), ErrorKind::InvalidAnswer);
}

#[tokio::test]
async fn requests_that_cannot_be_used_are_refused() {
    let house = House::new([Reply::says("ok")]);
    let (id, holder) = house.held().await;
    let send = |text: String| house.service.send(request(id, &text));
    assert_eq!(
        error_kind(send("  \n".to_owned()).await),
        ErrorKind::InvalidRequest
    );
    let over = "x".repeat(USER_TEXT_BYTES + 1);
    assert_eq!(error_kind(send(over).await), ErrorKind::InvalidRequest);
    let at_limit = send("x".repeat(USER_TEXT_BYTES)).await.unwrap();
    all(at_limit).await;
    let mut relative = house.profile();
    relative.settings.workspace = "here".into();
    let opened = house.service.open(OpenRequest::New(relative)).await;
    assert_eq!(error_kind(opened), ErrorKind::InvalidRequest);
    let mut stranger = house.profile();
    stranger.agent_type = AgentType::new("stranger").unwrap();
    let opened = house.service.open(OpenRequest::New(stranger.clone())).await;
    assert_eq!(error_kind(opened), ErrorKind::InvalidRequest);
    let configured = house.service.configure(id, holder, stranger).await;
    assert_eq!(error_kind(configured), ErrorKind::InvalidRequest);
    let names = std::fs::read_dir(house.folder.path().join("sessions")).unwrap();
    assert_eq!(names.count(), 1, "a refused session leaves no log");
}

#[tokio::test]
async fn settings_hold_for_the_next_request_and_are_logged() {
    let house = House::new([Reply::says("ok"), Reply::says("ok")]);
    let (id, holder) = house.held().await;
    house.ask(id, "One").await;
    let mut profile = house.profile();
    let exact = ModelChoice::Exact("ollama/small".parse::<ModelRef>().unwrap());
    profile.model = Some(exact.clone());
    profile.context_tokens = Some(4_096);
    profile.settings.allow_write.insert("/tmp/open".into());
    house.service.configure(id, holder, profile).await.unwrap();
    house.ask(id, "Two").await;
    let requests = house.requests();
    assert!(matches!(
        requests[0].model,
        ModelChoice::Role(ModelRole::Fast | ModelRole::Reason | ModelRole::Code)
    ));
    assert_eq!(requests[1].model, exact);
    assert_eq!(requests[1].context_tokens, Some(4_096));
    assert!(requests[1].messages[0].text().contains("/tmp/open"));
    assert_eq!(count(&house.events(id).await, "session.configured"), 1);
}

#[tokio::test]
async fn feedback_is_kept_for_requests_that_exist() {
    let house = House::new([Reply::says("ok")]);
    let id = house.open().await;
    let query_id = house.ask(id, "One").await[0].query_id.unwrap();
    let rate = |query_id, score| {
        house.service.feedback(FeedbackRequest {
            session_id: id,
            query_id,
            score,
            note: "fine".to_owned(),
        })
    };
    rate(query_id, 100).await.unwrap();
    assert_eq!(
        error_kind(rate(query_id, 101).await),
        ErrorKind::InvalidRequest
    );
    let unknown = QueryId::from_uuid(Uuid::now_v7());
    assert_eq!(
        error_kind(rate(unknown, 1).await),
        ErrorKind::InvalidRequest
    );
    assert_eq!(count(&house.events(id).await, "user.feedback"), 1);
}

#[tokio::test]
async fn the_list_names_every_session_newest_first() {
    let house = House::new([Reply::says("ok"), Reply::says("ok")]);
    let mut named = house.profile();
    named.name = "Garden".to_owned();
    let garden = house.service.open(OpenRequest::New(named)).await.unwrap();
    let (other, holder) = house.held().await;
    house.ask(other, "Sort my\nholiday pictures").await;
    house.ask(garden.session_id, "Plant beans").await;
    house.service.close(other, holder).await.unwrap();
    std::fs::write(house.folder.path().join("sessions/notes.txt"), "not a log").unwrap();
    let torn = SessionId::from_uuid(Uuid::now_v7());
    std::fs::write(house.log_path(torn), "{\"seq\":1,").unwrap();
    let list = house.service.list(Selection::All).await.unwrap();
    // A log that was cut in its first line is listed, so that nothing goes without a word.
    let (cut, whole): (Vec<_>, Vec<_>) = list.iter().partition(|s| s.session_id == torn);
    assert_eq!(cut.iter().map(|s| s.live).collect::<Vec<_>>(), [false]);
    let titles: Vec<(&str, bool)> = whole.iter().map(|s| (s.title.as_str(), s.live)).collect();
    assert_eq!(
        titles,
        [("Garden", true), ("Sort my holiday pictures", false)]
    );
    let last = &whole[1];
    assert_eq!(last.last_seq, house.events(other).await.len() as u64);
    assert_eq!(last.workspace, house.workspace());
    assert!(last.created <= last.updated);
}

#[tokio::test]
async fn a_fork_goes_its_own_way_from_any_event() {
    let house = House::new([
        Reply::calls("look", json!({})),
        Reply::says("Seen."),
        Reply::says("More."),
        Reply::says("Other."),
    ]);
    let id = house.open().await;
    let first = house.ask(id, "One").await;
    house.ask(id, "Two").await;
    let before = house.events(id).await;
    let middle = first
        .iter()
        .find(|e| matches!(e.body, EventBody::ToolResult { .. }))
        .unwrap()
        .seq;
    let fork = house.service.fork(id, middle).await.unwrap();
    assert!(!fork.live && fork.session_id != id);
    house.resume(fork.session_id).await.unwrap();
    house.ask(fork.session_id, "Three").await;
    let messages = house.last_messages();
    assert_well_formed(&messages);
    assert!(
        messages
            .iter()
            .all(|m| !m.text().contains("Two") && !m.text().contains("Seen."))
    );
    assert_eq!(house.events(id).await, before, "the original is as it was");
    let copied = house.events(fork.session_id).await;
    let EventBody::SessionOpened { forked_from, .. } = &copied[0].body else {
        panic!("{:?}", copied[0]);
    };
    assert_eq!(*forked_from, Some((id, middle)));
    for (copy, original) in copied[1..]
        .iter()
        .zip(&before[1..usize::try_from(middle).unwrap()])
    {
        assert_eq!((copy.seq, &copy.body), (original.seq, &original.body));
        assert_eq!(copy.session_id, fork.session_id);
    }
    let whole = house.service.fork(id, 0).await.unwrap();
    assert_eq!(whole.last_seq, before.len() as u64);
    let beyond = house.service.fork(id, before.len() as u64 + 1).await;
    assert_eq!(error_kind(beyond), ErrorKind::InvalidRequest);
    let empty = house.service.fork(id, 1).await.unwrap_err();
    assert_eq!(empty.kind, ErrorKind::InvalidRequest);
    assert!(empty.hint.contains("number"), "{}", empty.hint);
    assert_eq!(house.service.list(Selection::All).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_request_can_ask_for_another_mode() {
    let house = House::new([]);
    let id = house.open().await;
    let mut wanted = request(id, "list .");
    wanted.mode = Some(Mode::Deterministic);
    let events = all(house.service.send(wanted).await.unwrap()).await;
    assert!(matches!(
        events[0].body,
        EventBody::QueryReceived {
            mode: Mode::Deterministic,
            ..
        }
    ));
    assert!(house.requests().is_empty(), "no model is needed");
}
