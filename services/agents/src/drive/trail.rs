//! What the drive has to know of a session's past, folded from its log: the running session and one
//! that is taken up again use the same fold.

use super::settings::Settings;
use domain::Timestamp;
use domain::drive::{DriveDecision, DriveState, Origin, Signal};
use domain::event::{CallStatus, Event, EventBody, QueryStatus};
use domain::id::{CallId, QueryId};
use domain::label::Label;
use domain::limits::{DRIVE_TIMER, DRIVE_TIMERS, WATCHED_PATHS};
use domain::model::Usage;
use domain::tool::{CANCEL_TIMER, SET_TIMER, START_JOB, STOP_JOB, WATCH_PATH};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use turn::drive::{Past, Spent, Waiting, summary};

/// The tools whose calls say what goes on.
const FOLLOWED: [&str; 5] = [SET_TIMER, CANCEL_TIMER, WATCH_PATH, START_JOB, STOP_JOB];

/// A timer that an agent set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Timer {
    /// The call that set it.
    pub(crate) call_id: CallId,
    /// When it runs out.
    pub(crate) due: Timestamp,
    /// What for.
    pub(crate) note: String,
}

/// A request that is not finished.
#[derive(Debug)]
struct Open {
    origin: Origin,
    is_dream: bool,
    provider: Option<String>,
}

/// What happened, as far as the drive needs it.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    /// Calls of the drive's tools that have no result yet.
    calls: BTreeMap<CallId, (String, Value)>,
    timers: Vec<Timer>,
    watched: BTreeSet<String>,
    /// Background jobs that have begun and not ended.
    jobs: BTreeSet<String>,
    open: BTreeMap<QueryId, Open>,
    turns: u32,
    /// What each provider counted on the newest day with a turn of the drive, and when that was.
    spent: Option<(Timestamp, BTreeMap<String, Usage>)>,
    state: Option<DriveState>,
    dreamt: Option<Timestamp>,
    news: u32,
    waiting: Waiting,
    in_hand: Waiting,
    /// The drive's newest turn, and what it is about.
    given: Option<(QueryId, String)>,
}

impl Trail {
    /// Takes the next event of the log.
    pub(crate) fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::QueryReceived { origin, .. } => self.received(event, *origin),
            EventBody::ModelChosen { model, .. } => {
                let open = event.query_id.and_then(|id| self.open.get_mut(&id));
                if let Some(open) = open {
                    open.provider = Some(model.provider.clone());
                }
            }
            EventBody::ModelAnswered { usage, .. } => self.paid(event, *usage),
            EventBody::ToolRequested {
                tool, arguments, ..
            } if FOLLOWED.contains(&tool.as_str()) => {
                if let Some(call_id) = event.call_id {
                    let call = (tool.clone(), arguments.clone());
                    self.calls.insert(call_id, call);
                }
            }
            EventBody::ToolResult { status, .. } => self.called(event, *status),
            EventBody::DriveState(DriveDecision { state, .. }) => {
                self.state = Some(*state);
                if *state == DriveState::Dreaming {
                    self.dreamt = Some(event.time);
                    self.news = 0;
                }
            }
            EventBody::SignalReceived { signal } => {
                if let (Signal::Timer { .. }, Some(call_id)) = (signal, event.call_id) {
                    self.timers.retain(|timer| timer.call_id != call_id);
                }
                if let Signal::JobFinished { name, .. } = signal {
                    self.jobs.remove(name);
                }
                self.waiting.put(signal.clone());
            }
            EventBody::QueryFinished { status, .. } => self.finished(event, *status),
            _ => {}
        }
    }

    fn received(&mut self, event: &Event, origin: Origin) {
        let Some(query_id) = event.query_id else {
            return;
        };
        let is_dream = origin == Origin::Drive && self.state == Some(DriveState::Dreaming);
        match origin {
            Origin::User => self.turns = 0,
            Origin::Drive => {
                self.turns = self.turns.saturating_add(1);
                self.in_hand = self.waiting.take();
                let lines: Vec<String> = self.in_hand.iter().map(summary).collect();
                self.given = Some((query_id, lines.join("\n")));
            }
        }
        let open = Open {
            origin,
            is_dream,
            provider: None,
        };
        self.open.insert(query_id, open);
    }

    fn paid(&mut self, event: &Event, usage: Usage) {
        let open = event.query_id.and_then(|id| self.open.get(&id));
        let Some(open) = open.filter(|open| open.origin == Origin::Drive) else {
            return;
        };
        let day = |time: Timestamp| time.as_second().div_euclid(86_400);
        let provider = open.provider.clone().unwrap_or_default();
        let (time, by_provider) = self
            .spent
            .get_or_insert_with(|| (event.time, BTreeMap::new()));
        if day(event.time) > day(*time) {
            by_provider.clear();
            *time = event.time;
        }
        let sum = by_provider.entry(provider).or_default();
        *sum = sum.plus(usage);
    }

    fn called(&mut self, event: &Event, status: CallStatus) {
        let call = event.call_id.and_then(|id| self.calls.remove(&id));
        let (Some((tool, arguments)), Some(call_id)) = (call, event.call_id) else {
            return;
        };
        if status != CallStatus::Ok {
            return;
        }
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        match tool.as_str() {
            SET_TIMER if self.timers.len() < DRIVE_TIMERS => {
                let minutes = arguments["minutes"].as_u64().unwrap_or(0);
                let pause = Duration::from_secs(minutes.saturating_mul(60)).min(DRIVE_TIMER);
                self.timers.push(Timer {
                    call_id,
                    due: event.time.checked_add(pause).unwrap_or(Timestamp::MAX),
                    note: text("note"),
                });
            }
            CANCEL_TIMER => {
                let note = text("note");
                self.timers.retain(|timer| timer.note != note);
            }
            WATCH_PATH if self.watched.len() < WATCHED_PATHS => {
                self.watched.insert(text("path"));
            }
            START_JOB => {
                self.jobs.insert(text("name"));
            }
            STOP_JOB => {
                self.jobs.remove(&text("job"));
            }
            _ => {}
        }
    }

    fn finished(&mut self, event: &Event, status: QueryStatus) {
        let Some(open) = event.query_id.and_then(|id| self.open.remove(&id)) else {
            return;
        };
        if !open.is_dream {
            self.news = self.news.saturating_add(1);
        }
        if open.origin == Origin::Drive {
            let in_hand = self.in_hand.take();
            if status == QueryStatus::Failed {
                self.waiting.put_back(in_hand);
            }
        }
    }

    /// The timers that run, in the order in which they were set.
    pub(crate) fn timers(&self) -> &[Timer] {
        &self.timers
    }

    /// The paths that the agent asked to have watched, in its own words.
    pub(crate) fn watched(&self) -> &BTreeSet<String> {
        &self.watched
    }

    /// Background jobs that have begun and not ended, as far as is on record.
    pub(crate) fn jobs(&self) -> &BTreeSet<String> {
        &self.jobs
    }

    /// How far what the drive's next turn is shown may be trusted.
    pub(crate) fn label(&self) -> Label {
        label_of(&self.waiting)
    }

    /// What a turn of the drive is about, in the words of its signals; `None` for other requests.
    pub(crate) fn question(&self, query_id: QueryId) -> Option<&str> {
        let (given, text) = self.given.as_ref()?;
        (*given == query_id).then_some(text)
    }

    /// What a drive begins with.
    pub(crate) fn past(&self, settings: &Settings) -> Past {
        let spent = self.spent.as_ref().map(|(time, by_provider)| {
            let costs = by_provider
                .iter()
                .map(|(provider, usage)| settings.cost(Some(provider), *usage));
            (*time, costs.fold(Spent::default(), Spent::plus))
        });
        Past {
            turns: self.turns,
            spent,
            dreamt: self.dreamt,
            news: self.news,
            signals: self.waiting.iter().cloned().collect(),
        }
    }

    /// Whose the requests are that are not finished.
    pub(crate) fn open(&self) -> impl Iterator<Item = (QueryId, Origin)> {
        self.open.iter().map(|(id, open)| (*id, open.origin))
    }
}

/// How far signals may be trusted. File names, messages and what jobs say are whoever's wrote them.
/// A timer's note is the agent's own, which the session is labelled by already.
pub(crate) fn label_of(waiting: &Waiting) -> Label {
    let labels = waiting.iter().filter_map(|signal| match signal {
        Signal::FilesChanged { .. } => Some(Label::untrusted("file names")),
        Signal::JobFinished { name, .. } => Some(Label::untrusted(format!("job:{name}"))),
        Signal::Message { channel, .. } => Some(Label::untrusted(format!("channel:{channel}"))),
        Signal::Timer { .. } | Signal::Feedback { .. } | Signal::Presence { .. } => None,
    });
    labels.fold(Label::nothing(), |sum, label| sum.join(&label))
}
