//! What the drive has to know of a session's past, folded from its log: the running session and one
//! that is taken up again use the same fold.

use super::budget::Spent;
use super::events::Past;
use super::signals::{Waiting, summary};
use domain::Timestamp;
use domain::drive::{DriveDecision, DriveState, Origin, Signal};
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::QueryId;
use domain::label::Label;
use domain::model::Usage;
use std::collections::BTreeMap;

/// A request that is not finished.
#[derive(Debug)]
struct Open {
    origin: Origin,
    is_dream: bool,
    provider: Option<String>,
}

/// What happened, as far as the drive needs it.
#[derive(Debug, Default)]
pub struct Trail {
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
    pub fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::QueryReceived { origin, .. } => self.received(event, *origin),
            EventBody::ModelChosen { model, .. } => {
                let open = event.query_id.and_then(|id| self.open.get_mut(&id));
                if let Some(open) = open {
                    open.provider = Some(model.provider.clone());
                }
            }
            EventBody::ModelAnswered { usage, .. } => self.paid(event, *usage),
            EventBody::DriveState(DriveDecision { state, .. }) => {
                self.state = Some(*state);
                if *state == DriveState::Dreaming {
                    self.dreamt = Some(event.time);
                    self.news = 0;
                }
            }
            EventBody::SignalReceived { signal } => self.waiting.put(signal.clone()),
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

    /// How far what the drive's next turn is shown may be trusted.
    #[must_use]
    pub fn label(&self) -> Label {
        label_of(&self.waiting)
    }

    /// What a turn of the drive is about, in the words of its signals; `None` for other requests.
    #[must_use]
    pub fn question(&self, query_id: QueryId) -> Option<&str> {
        let (given, text) = self.given.as_ref()?;
        (*given == query_id).then_some(text)
    }

    /// What a drive begins with; `cost` is what a provider, named first, takes for a use.
    #[must_use]
    pub fn past(&self, cost: impl Fn(&str, Usage) -> Spent) -> Past {
        let spent = self.spent.as_ref().map(|(time, by_provider)| {
            let costs = by_provider
                .iter()
                .map(|(provider, usage)| cost(provider, *usage));
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
}

/// How far signals may be trusted. File names, messages and what jobs say are whoever's wrote them.
/// A timer's note is the agent's own, which the session is labelled by already.
fn label_of(waiting: &Waiting) -> Label {
    let labels = waiting.iter().filter_map(|signal| match signal {
        Signal::FilesChanged { .. } => Some(Label::untrusted("file names")),
        Signal::JobFinished { name, .. } => Some(Label::untrusted(format!("job:{name}"))),
        Signal::Message { channel, .. } => Some(Label::untrusted(format!("channel:{channel}"))),
        Signal::Timer { .. }
        | Signal::Feedback { .. }
        | Signal::Graded { .. }
        | Signal::Presence { .. } => None,
    });
    labels.fold(Label::nothing(), |sum, label| sum.join(&label))
}
