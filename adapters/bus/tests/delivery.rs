//! What a subscriber is promised: its subjects, in order, and the number of what it missed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::bus::{Bus, Delivery, SubjectPattern};
use bus::LocalBus;
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use domain::limits::EVENT_BACKLOG;
use futures::{FutureExt, StreamExt};
use std::sync::Arc;
use uuid::Uuid;

fn event(session: u128, seq: u64, body: EventBody) -> Arc<Event> {
    Arc::new(Event {
        seq,
        time: Timestamp::UNIX_EPOCH,
        session_id: SessionId::from_uuid(Uuid::from_u128(session)),
        query_id: None,
        agent_id: None,
        respondent_id: None,
        call_id: None,
        body,
    })
}

fn said(session: u128, seq: u64) -> Arc<Event> {
    let text = "x".to_owned();
    event(session, seq, EventBody::TextDelta { text })
}

fn dialog(seq: u64) -> Arc<Event> {
    let (query, answer) = ("q".to_owned(), "a".to_owned());
    event(1, seq, EventBody::DialogTurn { query, answer })
}

fn all() -> Vec<SubjectPattern> {
    vec![SubjectPattern::new("*")]
}

fn seq_of(delivery: Option<Delivery>) -> u64 {
    match delivery {
        Some(Delivery::Event(event)) => event.seq,
        other => panic!("no event: {other:?}"),
    }
}

#[tokio::test]
async fn a_subscriber_is_given_its_subjects_in_order_and_nothing_from_before() {
    let bus = LocalBus::new();
    bus.publish(dialog(1));
    let mut dialogs = bus.subscribe(vec![SubjectPattern::new("answer.dialog")]);
    let mut everything = bus.subscribe(all());
    bus.publish(said(1, 2));
    bus.publish(dialog(3));
    bus.publish(said(2, 4));
    assert_eq!(seq_of(dialogs.next().await), 3);
    assert!(dialogs.next().now_or_never().is_none());
    for seq in [2, 3, 4] {
        assert_eq!(seq_of(everything.next().await), seq);
    }
}

#[tokio::test]
async fn a_slow_subscriber_holds_up_nobody_and_is_told_how_many_it_missed() {
    let bus = LocalBus::new();
    let mut slow = bus.subscribe(all());
    let mut narrow = bus.subscribe(vec![SubjectPattern::new("answer.dialog")]);
    let backlog = EVENT_BACKLOG as u64;
    for seq in 1..=backlog + 3 {
        // It returns although nobody takes anything.
        bus.publish(said(1, seq));
    }
    bus.publish(dialog(backlog + 4));
    for seq in 1..=backlog {
        assert_eq!(seq_of(slow.next().await), seq);
    }
    let missed = slow.next().await;
    assert!(
        matches!(missed, Some(Delivery::Missed { count: 4 })),
        "{missed:?}"
    );
    bus.publish(said(1, backlog + 5));
    assert_eq!(seq_of(slow.next().await), backlog + 5);
    // Who wants little does not miss it because much else happened.
    assert_eq!(seq_of(narrow.next().await), backlog + 4);
}

#[tokio::test]
async fn what_is_taken_in_time_is_never_missed_at_the_limit() {
    let bus = LocalBus::new();
    let mut events = bus.subscribe(all());
    for seq in 1..=EVENT_BACKLOG as u64 {
        bus.publish(said(1, seq));
    }
    for seq in 1..=EVENT_BACKLOG as u64 {
        assert_eq!(seq_of(events.next().await), seq);
    }
    assert!(events.next().now_or_never().is_none());
}

#[tokio::test]
async fn the_stream_ends_with_the_bus_after_what_still_waits() {
    let bus = LocalBus::new();
    let mut events = bus.subscribe(all());
    let gone = bus.subscribe(all());
    drop(gone);
    bus.publish(said(1, 1));
    drop(bus);
    assert_eq!(seq_of(events.next().await), 1);
    assert!(events.next().await.is_none());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_one_session_arrive_in_order_from_several_writers() {
    let bus = Arc::new(LocalBus::new());
    let mut events = bus.subscribe(all());
    let writers = [1, 2].map(|session| {
        let bus = Arc::clone(&bus);
        tokio::spawn(async move {
            for seq in 1..=400 {
                bus.publish(said(session, seq));
                tokio::task::yield_now().await;
            }
        })
    });
    let mut last = [0_u64; 3];
    for _ in 0..800 {
        let Some(Delivery::Event(event)) = events.next().await else {
            panic!("an event was lost");
        };
        let session = usize::try_from(event.session_id.as_uuid().as_u128()).unwrap();
        assert_eq!(event.seq, last[session] + 1);
        last[session] = event.seq;
    }
    for writer in writers {
        writer.await.unwrap();
    }
}
