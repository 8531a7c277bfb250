//! What a drive begins with, folded from the log of earlier turns.

use domain::Timestamp;
use domain::drive::{DriveDecision, DriveReason, DriveState, Origin, Signal};
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::{QueryId, SessionId};
use domain::label::Label;
use domain::model::{FinishReason, Usage};
use domain::settings::Mode;
use turn::drive::{Past, Spent, Trail};
use uuid::Uuid;

const DAY: i64 = 86_400;

/// An event of a request, at a second.
fn at(second: i64, request: u128, body: EventBody) -> Event {
    Event {
        seq: 1,
        time: Timestamp::from_second(second).unwrap(),
        session_id: SessionId::from_uuid(Uuid::nil()),
        query_id: (request > 0).then(|| QueryId::from_uuid(Uuid::from_u128(request))),
        agent_id: None,
        respondent_id: None,
        call_id: None,
        body,
    }
}

fn begins(origin: Origin) -> EventBody {
    EventBody::QueryReceived {
        text: String::new(),
        mode: Mode::Auto,
        origin,
    }
}

fn ends(status: QueryStatus) -> EventBody {
    EventBody::QueryFinished {
        status,
        artifacts: Vec::new(),
        duration_ms: 0,
        error: None,
    }
}

fn paid(tokens: u64) -> EventBody {
    EventBody::ModelAnswered {
        text: String::new(),
        thinking: None,
        tool_calls: Vec::new(),
        usage: Usage {
            completion_tokens: tokens,
            ..Usage::default()
        },
        finish: FinishReason::Stop,
        aside: false,
    }
}

fn message() -> Signal {
    Signal::Message {
        channel: "inbox".to_owned(),
        text: "hello".to_owned(),
    }
}

fn came_in() -> EventBody {
    EventBody::SignalReceived { signal: message() }
}

fn trail(events: &[Event]) -> Trail {
    let mut trail = Trail::default();
    for event in events {
        trail.apply(event);
    }
    trail
}

fn past(events: &[Event]) -> Past {
    let cost = |_: &str, usage: Usage| Spent {
        tokens: usage.completion_tokens,
        cost_micros: 0,
    };
    trail(events).past(cost)
}

#[test]
fn turns_count_until_the_user_speaks() {
    let mut events = vec![
        at(0, 1, begins(Origin::Drive)),
        at(1, 1, ends(QueryStatus::Success)),
        at(2, 2, begins(Origin::Drive)),
        at(3, 2, ends(QueryStatus::Success)),
    ];
    assert_eq!((past(&events).turns, past(&events).news), (2, 2));
    events.push(at(4, 3, begins(Origin::User)));
    assert_eq!(past(&events).turns, 0);
}

#[test]
fn a_signal_waits_until_a_turn_has_dealt_with_it() {
    let rows = [
        (QueryStatus::Success, 0),
        (QueryStatus::Interrupted, 0),
        (QueryStatus::Failed, 1),
    ];
    for (status, waiting) in rows {
        let mut events = vec![at(0, 0, came_in())];
        assert_eq!(past(&events).signals, [message()]);
        assert_eq!(trail(&events).label(), Label::untrusted("channel:inbox"));
        events.push(at(1, 1, begins(Origin::Drive)));
        let turn = trail(&events);
        assert!(past(&events).signals.is_empty());
        assert!(turn.question(events[1].query_id.unwrap()).is_some());
        events.push(at(2, 1, ends(status)));
        assert_eq!(past(&events).signals.len(), waiting, "{status:?}");
    }
}

#[test]
fn only_the_newest_days_turns_of_the_drive_are_paid_for() {
    let events = [
        at(0, 1, begins(Origin::User)),
        at(1, 1, paid(1_000)),
        at(2, 1, ends(QueryStatus::Success)),
        at(3, 2, begins(Origin::Drive)),
        at(4, 2, paid(100)),
        at(5, 2, paid(20)),
    ];
    let tokens = |events: &[Event]| past(events).spent.map(|(_, spent)| spent.tokens);
    assert_eq!(tokens(&events[..3]), None);
    assert_eq!(tokens(&events), Some(120));
    let tomorrow = [&events[..], &[at(DAY, 2, paid(3))]].concat();
    assert_eq!(tokens(&tomorrow), Some(3));
}

#[test]
fn a_dream_leaves_no_news() {
    let dreams = DriveDecision::new(DriveState::Dreaming, DriveReason::TimeToDream, 1);
    let events = [
        at(0, 1, begins(Origin::User)),
        at(1, 1, ends(QueryStatus::Success)),
        at(2, 0, EventBody::DriveState(dreams)),
        at(3, 2, begins(Origin::Drive)),
        at(4, 2, ends(QueryStatus::Success)),
    ];
    assert_eq!(past(&events[..2]).news, 1);
    let after = past(&events);
    assert_eq!(after.news, 0);
    assert_eq!(after.dreamt, Some(Timestamp::from_second(2).unwrap()));
}
