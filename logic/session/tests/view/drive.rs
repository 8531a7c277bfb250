//! When an auto session is over.

use crate::{asked, call, called, ended, event, of, view};
use domain::drive::{DriveDecision, DriveReason, DriveState, Origin, Signal};
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::settings::Mode;
use domain::tool::{SET_TIMER, START_JOB};
use serde_json::json;

fn decided(state: DriveState, cause: DriveReason) -> Event {
    event(EventBody::DriveState(DriveDecision::new(state, cause, 1)))
}

fn rests() -> Event {
    decided(DriveState::Resting, DriveReason::Yielded)
}

fn done() -> Event {
    ended(1, None)
}

fn turn_begins() -> Event {
    let body = EventBody::QueryReceived {
        text: String::new(),
        mode: Mode::Auto,
        origin: Origin::Drive,
    };
    of(1, body)
}

fn outcome(events: impl IntoIterator<Item = Event>) -> Option<QueryStatus> {
    view(events).drive().outcome()
}

#[test]
fn a_session_is_over_when_its_drive_rests() {
    let stored = decided(DriveState::Stored, DriveReason::Stored);
    let quiet = decided(DriveState::Quiet, DriveReason::NothingNew);
    let works = decided(DriveState::Working, DriveReason::ToolsUsed);
    let rows: [(&[Event], bool); 7] = [
        (&[rests()], false),
        (&[asked(1), done(), rests()], true),
        (&[asked(1), done(), quiet], true),
        (&[asked(1), done(), stored], false),
        (&[asked(1), done(), works], false),
        (&[asked(1), done(), rests(), asked(2)], false),
        (&[asked(1), done(), rests(), turn_begins()], false),
    ];
    for (events, is_over) in rows {
        let expected = is_over.then_some(QueryStatus::Success);
        assert_eq!(outcome(events.iter().cloned()), expected, "{events:?}");
    }
}

#[test]
fn a_session_is_not_over_while_something_waits() {
    let arguments = json!({"minutes": 1, "note": "tea"});
    let mut events = called(7, SET_TIMER, arguments, CallStatus::Ok);
    events.extend([done(), rests()]);
    assert_eq!(outcome(events.clone()), None, "a timer runs");
    let signal = Signal::Timer {
        note: "tea".to_owned(),
    };
    let fired = Event {
        call_id: Some(call(7)),
        ..event(EventBody::SignalReceived { signal })
    };
    events.extend([fired, rests()]);
    assert_eq!(outcome(events.clone()), None, "a signal waits");
    events.extend([turn_begins(), done(), rests()]);
    assert_eq!(outcome(events), Some(QueryStatus::Success));
    let mut job = called(1, START_JOB, json!({"name": "build"}), CallStatus::Ok);
    job.extend([done(), rests()]);
    assert_eq!(outcome(job), None, "a job runs");
}

#[test]
fn a_limit_ends_a_session_in_part() {
    for cause in [DriveReason::TurnsUsed, DriveReason::BudgetUsed] {
        let stopped = decided(DriveState::Resting, cause);
        assert_eq!(outcome([done(), stopped]), Some(QueryStatus::Partial));
    }
}

#[test]
fn the_last_decision_is_the_drives_state() {
    let whole = view([
        rests(),
        decided(DriveState::Engaged, DriveReason::UserSpoke),
    ]);
    assert_eq!(whole.drive().state(), Some(DriveState::Engaged));
    assert_eq!(whole.drive().cause(), Some(DriveReason::UserSpoke));
    assert_eq!(view([]).drive().state(), None);
}
