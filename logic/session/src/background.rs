//! What goes on beside a session's requests: timers, background jobs and watched paths. All of it is
//! begun and ended by tool calls and signals, so the log has all of it.

use domain::Timestamp;
use domain::drive::Signal;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::CallId;
use domain::limits::{DRIVE_TIMER, DRIVE_TIMERS, WATCHED_PATHS};
use domain::tool::{CANCEL_TIMER, SET_TIMER, START_JOB, STOP_JOB, WATCH_PATH};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Most calls without a result that are followed at one time; the oldest is forgotten first.
const FOLLOWED_CALLS: usize = 1_024;

/// A timer that an agent set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timer {
    /// The call that set it.
    pub call_id: CallId,
    /// When it runs out.
    pub due: Timestamp,
    /// What for, in the agent's words.
    pub note: String,
}

/// What a call without a result yet is about.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Asked {
    SetTimer { minutes: u64, note: String },
    CancelTimer { note: String },
    WatchPath { path: String },
    StartJob { name: String },
    StopJob { name: String },
}

impl Asked {
    /// `None` for a call that begins or ends nothing of this kind.
    fn of(tool: &str, arguments: &Value) -> Option<Self> {
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        Some(match tool {
            SET_TIMER => Self::SetTimer {
                minutes: arguments["minutes"].as_u64().unwrap_or(0),
                note: text("note"),
            },
            CANCEL_TIMER => Self::CancelTimer { note: text("note") },
            WATCH_PATH => Self::WatchPath { path: text("path") },
            START_JOB => Self::StartJob { name: text("name") },
            STOP_JOB => Self::StopJob { name: text("job") },
            _ => return None,
        })
    }
}

/// Timers, jobs and watched paths: a fold over a session's events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Background {
    calls: BTreeMap<CallId, Asked>,
    timers: Vec<Timer>,
    jobs: BTreeSet<String>,
    /// Jobs of a process that has ended, whose end is not on record yet.
    lost_jobs: BTreeSet<String>,
    watched: BTreeSet<String>,
}

impl Background {
    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::ToolRequested {
                tool, arguments, ..
            } => {
                let asked = Asked::of(tool, arguments);
                self.calls.extend(event.call_id.zip(asked));
                if self.calls.len() > FOLLOWED_CALLS {
                    self.calls.pop_first();
                }
            }
            EventBody::ToolResult { status, .. } => {
                let asked = event.call_id.and_then(|id| self.calls.remove(&id));
                if let (Some(asked), Some(call_id), CallStatus::Ok) =
                    (asked, event.call_id, *status)
                {
                    self.did(asked, call_id, event.time);
                }
            }
            EventBody::SignalReceived { signal } => self.came_in(signal, event.call_id),
            // Jobs do not outlive the process that began them.
            EventBody::SessionResumed { .. } => self.lost_jobs.append(&mut self.jobs),
            _ => {}
        }
    }

    fn did(&mut self, asked: Asked, call_id: CallId, now: Timestamp) {
        match asked {
            Asked::SetTimer { minutes, note } if self.timers.len() < DRIVE_TIMERS => {
                let pause = Duration::from_secs(minutes.saturating_mul(60)).min(DRIVE_TIMER);
                let due = now.checked_add(pause).unwrap_or(Timestamp::MAX);
                self.timers.push(Timer { call_id, due, note });
            }
            Asked::CancelTimer { note } => self.timers.retain(|timer| timer.note != note),
            Asked::WatchPath { path } if self.watched.len() < WATCHED_PATHS => {
                self.watched.insert(path);
            }
            Asked::StartJob { name } => {
                self.jobs.insert(name);
            }
            Asked::StopJob { name } => {
                self.jobs.remove(&name);
            }
            Asked::SetTimer { .. } | Asked::WatchPath { .. } => {}
        }
    }

    fn came_in(&mut self, signal: &Signal, call_id: Option<CallId>) {
        match signal {
            Signal::Timer { .. } => self.timers.retain(|timer| Some(timer.call_id) != call_id),
            Signal::JobFinished { name, .. } => self.job_ended(name),
            _ => {}
        }
    }

    fn job_ended(&mut self, name: &str) {
        // A job of this process may have the name of one that was lost, whose end comes first.
        if self.lost_jobs.remove(name) || self.jobs.remove(name) {
            return;
        }
        // One that ends at once is over before the call that began it has its result.
        let begun = |asked: &Asked| matches!(asked, Asked::StartJob { name: own } if own == name);
        self.calls.retain(|_, asked| !begun(asked));
    }

    /// The timers that run, in the order in which they were set.
    #[must_use]
    pub fn timers(&self) -> &[Timer] {
        &self.timers
    }

    /// The jobs that run, by name.
    #[must_use]
    pub const fn jobs(&self) -> &BTreeSet<String> {
        &self.jobs
    }

    /// Every job that was begun and whose end is not on record, also those of earlier processes.
    pub fn jobs_without_end(&self) -> impl Iterator<Item = &str> {
        self.lost_jobs.union(&self.jobs).map(String::as_str)
    }

    /// The paths that an agent asked to have watched, in its own words.
    #[must_use]
    pub const fn watched(&self) -> &BTreeSet<String> {
        &self.watched
    }

    /// Whether something runs that will wake the session by itself.
    #[must_use]
    pub fn is_running(&self) -> bool {
        !self.timers.is_empty() || !self.jobs.is_empty()
    }
}
