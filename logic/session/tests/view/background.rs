//! Timers, jobs and watched paths from their begin to their end.

use crate::{call, called, event, resumed, view};
use domain::drive::Signal;
use domain::event::{CallStatus, Event, EventBody};
use domain::limits::{DRIVE_TIMER, DRIVE_TIMERS, WATCHED_PATHS};
use domain::tool::{CANCEL_TIMER, SET_TIMER, START_JOB, STOP_JOB, WATCH_PATH};
use serde_json::json;

fn timer(number: u128, minutes: u64, note: &str) -> Vec<Event> {
    let arguments = json!({"minutes": minutes, "note": note});
    called(number, SET_TIMER, arguments, CallStatus::Ok)
}

fn finished(name: &str) -> Vec<Event> {
    let signal = Signal::JobFinished {
        name: name.to_owned(),
        succeeded: true,
        summary: "exit code 0".to_owned(),
    };
    vec![event(EventBody::SignalReceived { signal })]
}

#[test]
fn a_job_runs_from_its_start_to_its_end() {
    let start =
        |number, name: &str, status| called(number, START_JOB, json!({"name": name}), status);
    let stop = |number, status| called(number, STOP_JOB, json!({"job": "build"}), status);
    let begun = start(1, "build", CallStatus::Ok);
    let after = |events: Vec<Event>| [begun.clone(), events].concat();
    let rows = [
        (begun.clone(), true, true),
        (after(stop(3, CallStatus::Denied)), true, true),
        (after(finished("other")), true, true),
        (after(stop(2, CallStatus::Ok)), false, false),
        (after(finished("build")), false, false),
        (start(4, "build", CallStatus::Denied), false, false),
        (vec![begun[0].clone()], false, false),
        // It ended before the result of the call that began it was on record.
        (
            [&begun[..1], &finished("build"), &begun[1..]].concat(),
            false,
            false,
        ),
        (
            [&begun[..1], &finished("other"), &begun[1..]].concat(),
            true,
            true,
        ),
        // The process that began it has ended.
        (after(vec![resumed()]), false, true),
        (
            after([vec![resumed()], finished("build")].concat()),
            false,
            false,
        ),
        // Another of the same name began before the end of the first was put on record.
        (
            after(
                [
                    vec![resumed()],
                    start(5, "build", CallStatus::Ok),
                    finished("build"),
                ]
                .concat(),
            ),
            true,
            true,
        ),
    ];
    for (events, runs, has_no_end) in rows {
        let whole = view(events.clone());
        let background = whole.background();
        assert_eq!(background.jobs().contains("build"), runs, "{events:?}");
        assert_eq!(
            background.jobs_without_end().count() > 0,
            has_no_end,
            "{events:?}"
        );
        assert_eq!(background.is_running(), runs, "{events:?}");
    }
}

#[test]
fn a_timer_runs_until_it_fires_or_is_taken_back() {
    let set = [timer(1, 1, "tea"), timer(2, 90, "bread")].concat();
    let fired = Event {
        call_id: Some(call(1)),
        ..event(EventBody::SignalReceived {
            signal: Signal::Timer {
                note: "tea".to_owned(),
            },
        })
    };
    let cancel = |status| called(3, CANCEL_TIMER, json!({"note": "bread"}), status);
    let rows = [
        (Vec::new(), vec![60, 5_400]),
        (vec![fired], vec![5_400]),
        (cancel(CallStatus::Ok), vec![60]),
        (cancel(CallStatus::Denied), vec![60, 5_400]),
        (vec![resumed()], vec![60, 5_400]),
    ];
    for (after, expected) in rows {
        let whole = view([set.clone(), after.clone()].concat());
        let timers = whole.background().timers().iter();
        let due: Vec<i64> = timers.map(|timer| timer.due.as_second()).collect();
        assert_eq!(due, expected, "{after:?}");
    }
}

#[test]
fn timers_and_paths_have_limits() {
    let numbers = || 1..=200_u32;
    let timers = numbers().flat_map(|n| timer(n.into(), 1, "tea"));
    let paths = numbers().flat_map(|n| {
        let arguments = json!({"path": format!("folder{n}")});
        called(u128::from(n) + 1_000, WATCH_PATH, arguments, CallStatus::Ok)
    });
    let whole = view(timers.chain(paths));
    assert_eq!(whole.background().timers().len(), DRIVE_TIMERS);
    assert_eq!(whole.background().watched().len(), WATCHED_PATHS);
    let far = view(timer(1, u64::MAX, "one day"));
    let due = far.background().timers()[0].due.as_second();
    assert_eq!(due.unsigned_abs(), DRIVE_TIMER.as_secs());
}
