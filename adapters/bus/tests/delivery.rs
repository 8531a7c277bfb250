//! The promises of a bus, and how far a slow subscriber may lag here.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::bus::{Bus, Delivery, SubjectPattern};
use bus::LocalBus;
use contracts::bus_suite;
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use domain::limits::EVENT_BACKLOG;
use futures::{FutureExt, StreamExt};
use std::sync::Arc;
use uuid::Uuid;

fn event(seq: u64, body: EventBody) -> Arc<Event> {
    Arc::new(Event {
        seq,
        time: Timestamp::UNIX_EPOCH,
        session_id: SessionId::from_uuid(Uuid::nil()),
        query_id: None,
        agent_id: None,
        respondent_id: None,
        call_id: None,
        body,
    })
}

fn said(seq: u64) -> Arc<Event> {
    let text = "x".to_owned();
    event(seq, EventBody::TextDelta { text })
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_every_promise_of_a_bus() {
    bus_suite::conformance(|| Arc::new(LocalBus::new())).await;
}

#[tokio::test]
async fn a_subscriber_may_lag_by_the_limit_and_is_told_how_many_it_missed_beyond() {
    let bus = LocalBus::new();
    let mut slow = bus.subscribe(all());
    let mut narrow = bus.subscribe(vec![SubjectPattern::new("answer.dialog")]);
    let backlog = EVENT_BACKLOG as u64;
    for seq in 1..=backlog + 3 {
        bus.publish(said(seq));
    }
    let (query, answer) = ("q".to_owned(), "a".to_owned());
    bus.publish(event(backlog + 4, EventBody::DialogTurn { query, answer }));
    for seq in 1..=backlog {
        assert_eq!(seq_of(slow.next().await), seq);
    }
    let missed = slow.next().await;
    assert!(
        matches!(missed, Some(Delivery::Missed { count: 4 })),
        "{missed:?}"
    );
    // Who wants little does not miss it because much else happened.
    assert_eq!(seq_of(narrow.next().await), backlog + 4);
}

#[tokio::test]
async fn what_is_taken_in_time_is_never_missed_at_the_limit() {
    let bus = LocalBus::new();
    let mut events = bus.subscribe(all());
    for seq in 1..=EVENT_BACKLOG as u64 {
        bus.publish(said(seq));
    }
    for seq in 1..=EVENT_BACKLOG as u64 {
        assert_eq!(seq_of(events.next().await), seq);
    }
    assert!(events.next().now_or_never().is_none());
}
