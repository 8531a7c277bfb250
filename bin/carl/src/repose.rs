//! Whether a session in auto mode has come to rest for good, as far as its events tell.

use domain::drive::{DriveDecision, DriveReason, DriveState, Origin, Signal};
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::id::CallId;
use domain::tool::{CANCEL_TIMER, SET_TIMER, START_JOB, STOP_JOB};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What a call without a result yet is about, and by which name or note.
#[derive(Debug)]
enum Asked {
    SetTimer(String),
    CancelTimer(String),
    StartJob(String),
    StopJob(String),
}

/// What would still end the rest by itself, and how the work went.
#[derive(Debug, Default)]
pub struct Repose {
    /// Calls that begin or end one of the below and have no result yet.
    calls: BTreeMap<CallId, Asked>,
    /// Timers that run.
    timers: BTreeMap<CallId, String>,
    /// Background jobs that run.
    jobs: BTreeSet<String>,
    /// Signals that no turn has taken up.
    waiting: u32,
    status: Option<QueryStatus>,
}

impl Repose {
    /// The background jobs that run, by name.
    pub const fn jobs(&self) -> &BTreeSet<String> {
        &self.jobs
    }

    /// Takes the next event; how the work went, when it is over: the drive rests, no timer and no job
    /// runs, and nothing waits. A rest until a signal is not over.
    pub fn note(&mut self, event: &Event) -> Option<QueryStatus> {
        match &event.body {
            EventBody::ToolRequested {
                tool, arguments, ..
            } => self.requested(event, tool, arguments),
            EventBody::ToolResult { status, .. } => self.called(event, *status),
            EventBody::SignalReceived { signal } => {
                if let (Signal::Timer { .. }, Some(id)) = (signal, event.call_id) {
                    self.timers.remove(&id);
                }
                if let Signal::JobFinished { name, .. } = signal {
                    self.jobs.remove(name);
                }
                self.waiting = self.waiting.saturating_add(u32::from(signal.is_reason()));
            }
            // Jobs do not outlive the session's work.
            EventBody::SessionResumed { .. } => self.jobs.clear(),
            EventBody::QueryReceived {
                origin: Origin::Drive,
                ..
            } => self.waiting = 0,
            EventBody::QueryFinished { status, .. } => self.status = Some(*status),
            EventBody::DriveState(decision) => return self.rested(decision),
            _ => {}
        }
        None
    }

    fn requested(&mut self, event: &Event, tool: &str, arguments: &Value) {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let asked = match tool {
            SET_TIMER => Asked::SetTimer(text("note")),
            CANCEL_TIMER => Asked::CancelTimer(text("note")),
            START_JOB => Asked::StartJob(text("name")),
            STOP_JOB => Asked::StopJob(text("job")),
            _ => return,
        };
        self.calls.extend(event.call_id.map(|id| (id, asked)));
    }

    fn called(&mut self, event: &Event, status: CallStatus) {
        let Some(call_id) = event.call_id else {
            return;
        };
        let asked = self.calls.remove(&call_id);
        match asked.filter(|_| status == CallStatus::Ok) {
            Some(Asked::SetTimer(note)) => {
                self.timers.insert(call_id, note);
            }
            Some(Asked::CancelTimer(note)) => self.timers.retain(|_, other| *other != note),
            Some(Asked::StartJob(name)) => {
                self.jobs.insert(name);
            }
            Some(Asked::StopJob(name)) => {
                self.jobs.remove(&name);
            }
            None => {}
        }
    }

    fn rested(&self, decision: &DriveDecision) -> Option<QueryStatus> {
        let limits = [DriveReason::TurnsUsed, DriveReason::BudgetUsed];
        if decision.cause.is_some_and(|cause| limits.contains(&cause)) {
            return Some(QueryStatus::Partial);
        }
        let rests = matches!(decision.state, DriveState::Resting | DriveState::Quiet);
        let is_quiet = self.timers.is_empty() && self.jobs.is_empty() && self.waiting == 0;
        let over = rests && is_quiet;
        // Resting is also where it begins, before anybody has said anything.
        self.status.filter(|_| over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::id::SessionId;
    use domain::settings::Mode;
    use serde_json::json;
    use uuid::Uuid;

    fn event(call: u128, body: EventBody) -> Event {
        Event {
            seq: 1,
            time: Timestamp::UNIX_EPOCH,
            session_id: SessionId::from_uuid(Uuid::nil()),
            query_id: None,
            agent_id: None,
            respondent_id: None,
            call_id: (call > 0).then(|| CallId::from_uuid(Uuid::from_u128(call))),
            body,
        }
    }

    fn state(state: DriveState, reason: DriveReason) -> EventBody {
        EventBody::DriveState(DriveDecision::new(state, reason, 1))
    }

    fn finished() -> EventBody {
        EventBody::QueryFinished {
            status: QueryStatus::Success,
            artifacts: Vec::new(),
            duration_ms: 0,
            error: None,
        }
    }

    fn timer(call: u128) -> [Event; 2] {
        let arguments = json!({"minutes": 1, "note": "tea"});
        called(call, SET_TIMER, arguments, CallStatus::Ok)
    }

    fn called(call: u128, tool: &str, arguments: Value, status: CallStatus) -> [Event; 2] {
        let requested = EventBody::ToolRequested {
            tool: tool.to_owned(),
            arguments,
            recovered: false,
        };
        let result = EventBody::ToolResult {
            tool: tool.to_owned(),
            status,
            value_id: None,
            label: None,
            text: String::new(),
            truncated: false,
            duration_ms: 0,
            artifacts: Vec::new(),
        };
        [event(call, requested), event(call, result)]
    }

    fn over(events: impl IntoIterator<Item = Event>) -> Option<QueryStatus> {
        let mut repose = Repose::default();
        events
            .into_iter()
            .filter_map(|event| repose.note(&event))
            .last()
    }

    #[test]
    fn it_is_over_at_rest_and_not_while_it_waits_for_something() {
        let rests = || event(0, state(DriveState::Resting, DriveReason::Yielded));
        let done = || event(0, finished());
        assert_eq!(over([rests()]), None, "nothing has been said");
        assert_eq!(over([done(), rests()]), Some(QueryStatus::Success));
        let stored = event(0, state(DriveState::Stored, DriveReason::Stored));
        assert_eq!(over([done(), stored]), None);
        let [asked, set] = timer(7);
        let waits = [asked.clone(), set.clone(), done(), rests()];
        assert_eq!(over(waits.clone()), None);
        let fired = EventBody::SignalReceived {
            signal: Signal::Timer {
                note: "tea".to_owned(),
            },
        };
        let taken = EventBody::QueryReceived {
            text: String::new(),
            mode: Mode::Auto,
            origin: Origin::Drive,
        };
        let fired = waits.into_iter().chain([event(7, fired), rests()]);
        assert_eq!(over(fired.clone()), None, "a signal waits");
        let through = fired.chain([event(0, taken), done(), rests()]);
        assert_eq!(over(through), Some(QueryStatus::Success));
    }

    #[test]
    fn a_job_runs_from_its_start_to_its_end_and_it_is_not_over_meanwhile() {
        let start = |call, name: &str, status| {
            called(call, START_JOB, json!({"name": name}), status).to_vec()
        };
        let begun = start(1, "build", CallStatus::Ok);
        let stopped = called(2, STOP_JOB, json!({"job": "build"}), CallStatus::Ok).to_vec();
        let kept = called(3, STOP_JOB, json!({"job": "build"}), CallStatus::Denied).to_vec();
        let refused = start(4, "other", CallStatus::Denied);
        let [ended, failed] = ["build", "other"].map(|name| {
            let signal = Signal::JobFinished {
                name: name.to_owned(),
                succeeded: true,
                summary: "exit code 0".to_owned(),
            };
            vec![event(0, EventBody::SignalReceived { signal })]
        });
        for (after, runs) in [
            (begun.clone(), true),
            ([begun.clone(), kept].concat(), true),
            ([begun.clone(), failed].concat(), true),
            ([begun.clone(), stopped].concat(), false),
            ([begun.clone(), ended].concat(), false),
            (refused, false),
            (vec![begun[0].clone()], false),
        ] {
            let mut repose = Repose::default();
            for event in &after {
                assert_eq!(repose.note(event), None);
            }
            let jobs: Vec<&str> = repose.jobs().iter().map(String::as_str).collect();
            let expected: &[&str] = if runs { &["build"] } else { &[] };
            assert_eq!(jobs, expected, "{after:?}");
        }
        let rests = event(0, state(DriveState::Resting, DriveReason::Yielded));
        let done = event(0, finished());
        assert_eq!(over([begun, vec![done, rests]].concat()), None);
    }

    #[test]
    fn a_limit_ends_it_in_part() {
        let stopped = event(0, state(DriveState::Resting, DriveReason::TurnsUsed));
        assert_eq!(
            over([event(0, finished()), stopped]),
            Some(QueryStatus::Partial)
        );
    }
}
