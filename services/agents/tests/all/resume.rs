//! Taking up a session again: after a clean end, a kill, a torn write, a damaged line.

use crate::support::{House, answer, assert_well_formed, broker, count, status, until};
use agents::{Config, Service};
use api::sessions::{ErrorKind, OpenRequest, Selection, Sessions};
use contracts::{BrokerTool, Gate, Reply, within};
use domain::Timestamp;
use domain::decision::Verdict;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::id::SessionId;
use domain::message::Message;
use domain::tool::EffectClass;
use futures::StreamExt;
use serde_json::json;
use std::sync::Arc;

/// A log that ends in the middle of a request: one call is done, one runs, one waits behind it, and
/// another request waits too.
async fn log_of_a_busy_session() -> (SessionId, Vec<u8>) {
    let gate = Gate::new();
    let tools = broker();
    tools.add_tool(BrokerTool::new("slow", Verdict::Allow, EffectClass::SharedWrite).waits(&gate));
    let house = House::with(
        [
            Reply::says("Hello."),
            Reply::new()
                .thinking("Three steps.")
                .text("I will do three things.")
                .tool_call("look", json!({}))
                .tool_call("slow", json!({}))
                .tool_call("save", json!({})),
        ],
        tools,
        |_| {},
    );
    let id = house.open().await;
    house.ask(id, "Greet me").await;
    let _running = house.send(id, "Do three things").await;
    within("the slow tool at work", gate.reached()).await;
    let mut waiting = house.send(id, "And then this").await;
    until(&mut waiting, |body| {
        matches!(body, EventBody::QueryQueued { .. }).then_some(())
    })
    .await;
    (id, std::fs::read(house.log_path(id)).unwrap())
}

/// Resumes a log of these bytes and talks on: the conversation must be well formed and every whole
/// line still there.
async fn resume_and_talk(id: SessionId, bytes: &[u8]) -> (House, Vec<Message>) {
    let house = House::new([Reply::says("Going on.")]);
    std::fs::write(house.log_path(id), bytes).unwrap();
    house.resume(id).await.unwrap_or_else(|error| {
        panic!("{} bytes: {error:?}", bytes.len());
    });
    let events = house.ask(id, "Go on").await;
    assert_eq!(answer(&events), "Going on.", "{} bytes", bytes.len());
    let messages = house.last_messages();
    assert_well_formed(&messages);
    let whole = bytes
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |end| end + 1);
    let after = std::fs::read(house.log_path(id)).unwrap();
    assert!(
        after.starts_with(&bytes[..whole]),
        "{} bytes: the past changed",
        bytes.len()
    );
    for (index, line) in after.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let event: domain::event::Event = serde_json::from_slice(line).unwrap();
        assert_eq!(event.seq, index as u64 + 1, "{} bytes", bytes.len());
    }
    (house, messages)
}

#[tokio::test]
async fn a_log_cut_anywhere_resumes_with_everything_that_was_whole() {
    let (id, log) = log_of_a_busy_session().await;
    let ends: Vec<usize> = log
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'\n')
        .map(|(index, _)| index + 1)
        .collect();
    assert!(ends.len() > 15);
    let mut cuts: Vec<usize> = (ends[ends.len() - 3]..=log.len()).collect();
    for pair in ends.windows(2) {
        cuts.extend([
            pair[0],
            pair[0] + 1,
            usize::midpoint(pair[0], pair[1]),
            pair[1] - 1,
        ]);
    }
    cuts.sort_unstable();
    cuts.dedup();
    for cut in cuts {
        resume_and_talk(id, &log[..cut]).await;
    }
}

#[tokio::test]
async fn what_a_dead_process_left_open_is_closed_and_told() {
    let (id, log) = log_of_a_busy_session().await;
    let (house, messages) = resume_and_talk(id, &log).await;
    let results: Vec<&str> = messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(results[0], "look");
    assert!(results[1].contains("not known"), "{results:?}");
    assert!(results[2].contains("Nothing was done"), "{results:?}");
    let texts: Vec<&str> = messages.iter().map(Message::text).collect();
    assert!(texts.contains(&"And then this") && texts.contains(&"I will do three things."));
    let events = house.events(id).await;
    let interrupted = events.iter().filter(|event| {
        matches!(&event.body, EventBody::QueryFinished { status: QueryStatus::Interrupted, error: Some(fault), .. } if fault.code == "agents.stopped")
    });
    assert_eq!(
        interrupted.count(),
        2,
        "the one that ran and the one that waited"
    );
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
    assert_eq!(count(&events, "notice"), 0, "nothing was torn");
}

#[tokio::test]
async fn a_reply_that_was_being_streamed_is_kept() {
    let house = House::new([Reply::new()
        .thinking("hm")
        .text("Once upon")
        .text(" a time")
        .hang()]);
    let id = house.open().await;
    let mut stream = house.send(id, "A story").await;
    until(&mut stream, |body| {
        matches!(body, EventBody::TextDelta { text } if text == " a time").then_some(())
    })
    .await;
    let log = std::fs::read(house.log_path(id)).unwrap();
    let (_, messages) = resume_and_talk(id, &log).await;
    assert!(messages.iter().any(|m| m.text() == "Once upon a time"));
}

#[tokio::test]
async fn a_torn_line_is_cut_and_noted() {
    let house = House::new([Reply::says("Hello.")]);
    let id = house.open().await;
    house.ask(id, "Greet me").await;
    let whole = house.events(id).await.len();
    for torn in [
        &b"{\"seq\":99,\"ti"[..],
        b"\0\0\0\0",
        b"\0\0\0\n",
        b"\xff\xfe",
    ] {
        let mut log = std::fs::read(house.log_path(id)).unwrap();
        log.extend_from_slice(torn);
        let other = House::new([]);
        std::fs::write(other.log_path(id), &log).unwrap();
        let shown = other.events(id).await;
        assert_eq!(shown.len(), whole, "a reader sees what is whole");
        other.resume(id).await.unwrap();
        let events = other.events(id).await;
        let Some(EventBody::Notice(fault)) = events.last().map(|event| &event.body) else {
            panic!("{events:?}");
        };
        assert_eq!(fault.code, "sessions.torn_tail");
        assert!(fault.message.contains(&format!("{} bytes", torn.len())));
        let kept = other.log_path(id).with_extension("cut");
        assert!(
            fault.message.contains(&kept.display().to_string()),
            "{fault:?}"
        );
        assert_eq!(std::fs::read(kept).unwrap(), torn);
    }
}

#[tokio::test]
async fn a_damaged_line_in_the_middle_is_named_and_harms_no_other_session() {
    let house = House::new([
        Reply::says("Hello."),
        Reply::says("Hello."),
        Reply::says("Hello."),
    ]);
    let (damaged, healthy) = (house.open().await, house.open().await);
    house.ask(damaged, "Greet me").await;
    house.ask(healthy, "Greet me").await;
    let house = house.reborn([Reply::says("Hello again.")]).await;
    let log = std::fs::read_to_string(house.log_path(damaged)).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    for bad in ["garbage", "{\"seq\":3,\"unknown\":true}", lines[4]] {
        let mut changed = lines.clone();
        changed[2] = bad;
        std::fs::write(house.log_path(damaged), changed.join("\n") + "\n").unwrap();
        let error = house.resume(damaged).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Corrupt);
        assert!(error.detail.contains("Line 3"), "{}", error.detail);
        let command = format!("carl session fork {damaged} --at 2");
        assert!(error.hint.contains(&command), "{}", error.hint);
    }
    let fork = house.service.fork(damaged, 2).await.unwrap();
    assert_eq!(house.events(fork.session_id).await[1].seq, 2);
    house.resume(healthy).await.unwrap();
    assert_eq!(
        answer(&house.ask(healthy, "And now?").await),
        "Hello again."
    );
    assert_eq!(house.service.list(Selection::All).await.unwrap().len(), 3);
}

#[tokio::test]
async fn a_last_line_of_an_unknown_kind_is_not_thrown_away() {
    let house = House::new([]);
    let id = house.open().await;
    let house = house.reborn([]).await;
    let mut log = std::fs::read_to_string(house.log_path(id)).unwrap();
    log.push_str("{\"seq\":2,\"type\":\"from_a_later_version\"}\n");
    std::fs::write(house.log_path(id), &log).unwrap();
    assert_eq!(house.resume(id).await.unwrap_err().kind, ErrorKind::Corrupt);
    assert_eq!(std::fs::read_to_string(house.log_path(id)).unwrap(), log);
}

#[tokio::test]
async fn a_resumed_conversation_is_the_one_that_was_lived() {
    let replies = || {
        [
            Reply::new()
                .thinking("hm")
                .tool_call("look", json!({}))
                .tool_call("save", json!({})),
            Reply::new(),
            Reply::says("Seen."),
            Reply::new(),
            Reply::new(),
        ]
    };
    let house = House::new(replies());
    let id = house.open().await;
    house.ask(id, "One").await;
    house.ask(id, "Two").await;
    house.models.push(Reply::says("lived"));
    house.ask(id, "Three").await;
    let lived = house.last_messages();
    let log = std::fs::read(house.log_path(id)).unwrap();
    let cut = String::from_utf8(log).unwrap();
    let until_three: String = cut
        .lines()
        .take_while(|line| !line.contains("Three"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    house.service.shut_down().await;
    let folder = house.folder;
    std::fs::write(
        folder.path().join(format!("sessions/{id}.jsonl")),
        until_three,
    )
    .unwrap();
    let house = House::at(folder, [Reply::says("resumed")], broker(), |_| {});
    house.resume(id).await.unwrap();
    house.ask(id, "Three").await;
    assert_eq!(house.last_messages(), lived);
}

#[tokio::test]
async fn two_services_cannot_write_one_session() {
    let house = House::new([Reply::says("Mine.")]);
    let (id, holder) = house.held().await;
    let second = Service::new(
        Config::new(house.folder.path().join("sessions")),
        house.models.clone(),
        house.broker.clone(),
        house.broker.clone(),
        house.audit.clone(),
        house.bus.clone(),
        Arc::new(agents::AgentTools::new(Arc::new(Timestamp::now))),
    )
    .unwrap();
    let request = || OpenRequest::Resume {
        session_id: id,
        profile: None,
    };
    let error = second.open(request()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Locked);
    assert_eq!(
        status(&house.ask(id, "Still mine?").await),
        QueryStatus::Success
    );
    house.service.close(id, holder).await.unwrap();
    second.open(request()).await.unwrap();
}

#[tokio::test]
async fn a_log_that_cannot_be_written_fails_the_request_and_shows_nothing() {
    let house = House::new([Reply::says("unseen")]);
    let id = house.open().await;
    let limit = std::fs::metadata(house.log_path(id)).unwrap().len();
    // The longest line there may be is a limit of its own; one byte over it must not be written.
    let huge = "x".repeat(domain::limits::LOG_LINE_BYTES);
    house.models.push(Reply::says(huge));
    house.ask(id, "One").await;
    let stream = house.send(id, "Two").await;
    let outcome: Vec<_> = within("the end", stream.collect::<Vec<_>>()).await;
    let failed = outcome
        .iter()
        .any(|next| matches!(next, Err(error) if error.kind == ErrorKind::Unwritable));
    assert!(failed, "the reader is told");
    house.models.push(Reply::says("fine"));
    assert_eq!(answer(&house.ask(id, "Three").await), "fine");
    assert!(std::fs::metadata(house.log_path(id)).unwrap().len() > limit);
}
