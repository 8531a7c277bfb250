//! What every bus promises.

use super::within;
use api::bus::{Bus, Delivery, SubjectPattern};
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use std::sync::Arc;
use uuid::Uuid;

/// More events than any subscriber is waited for.
const FLOOD: u64 = 5_000;

/// The whole suite. `bus` gives a bus without subscribers each time.
pub async fn conformance(bus: impl Fn() -> Arc<dyn Bus>) {
    a_subscriber_is_given_its_subjects_in_order_and_nothing_from_before(&*bus()).await;
    publishing_never_waits_and_nothing_is_lost_uncounted(&*bus()).await;
    events_of_one_session_arrive_in_order_from_several_writers(bus()).await;
    the_stream_ends_with_the_bus_after_what_still_waits(bus()).await;
}

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

async fn next(deliveries: &mut BoxStream<'static, Delivery>) -> Option<Delivery> {
    within("a delivery", deliveries.next()).await
}

async fn next_event(deliveries: &mut BoxStream<'static, Delivery>) -> Arc<Event> {
    match next(deliveries).await {
        Some(Delivery::Event(event)) => event,
        other => panic!("no event: {other:?}"),
    }
}

async fn a_subscriber_is_given_its_subjects_in_order_and_nothing_from_before(bus: &dyn Bus) {
    bus.publish(dialog(1));
    let mut dialogs = bus.subscribe(vec![SubjectPattern::new("answer.dialog")]);
    let mut everything = bus.subscribe(all());
    bus.publish(said(1, 2));
    bus.publish(dialog(3));
    bus.publish(said(2, 4));
    assert_eq!(next_event(&mut dialogs).await.seq, 3);
    assert!(dialogs.next().now_or_never().is_none());
    for seq in [2, 3, 4] {
        assert_eq!(next_event(&mut everything).await.seq, seq);
    }
}

async fn publishing_never_waits_and_nothing_is_lost_uncounted(bus: &dyn Bus) {
    let mut slow = bus.subscribe(all());
    for seq in 1..=FLOOD {
        // It returns although nobody takes anything.
        bus.publish(said(1, seq));
    }
    let (mut given, mut missed, mut last) = (0, 0, 0);
    while given + missed < FLOOD {
        match next(&mut slow).await.expect("the bus stands") {
            Delivery::Event(event) => {
                assert_eq!(event.seq, last + 1, "an event is missing and not counted");
                last = event.seq;
                given += 1;
            }
            Delivery::Missed { count } => {
                last += count;
                missed += count;
            }
        }
    }
    assert!(given > 0);
    assert!(slow.next().now_or_never().is_none());
    bus.publish(said(1, FLOOD + 1));
    assert_eq!(next_event(&mut slow).await.seq, FLOOD + 1);
}

async fn events_of_one_session_arrive_in_order_from_several_writers(bus: Arc<dyn Bus>) {
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
        let event = next_event(&mut events).await;
        let session = usize::try_from(event.session_id.as_uuid().as_u128()).unwrap();
        assert_eq!(event.seq, last[session] + 1);
        last[session] = event.seq;
    }
    for writer in writers {
        writer.await.unwrap();
    }
}

async fn the_stream_ends_with_the_bus_after_what_still_waits(bus: Arc<dyn Bus>) {
    let mut events = bus.subscribe(all());
    drop(bus.subscribe(all()));
    bus.publish(said(1, 1));
    drop(bus);
    assert_eq!(next_event(&mut events).await.seq, 1);
    assert!(next(&mut events).await.is_none());
}
