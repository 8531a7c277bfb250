//! Exchanges: the requests of a session that still count, once some were taken back.
//!
//! A log keeps what was taken back. Everything that asks for the last request, shows the
//! conversation or takes more of it back has to read the log the same way; this is that way.

use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::{AgentId, QueryId};
use domain::settings::Mode;
use domain::tool::UNDO;
use std::collections::BTreeSet;

/// A request that counts, with what it takes to go back to before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// Which.
    pub query_id: QueryId,
    /// Its words.
    pub text: String,
    /// Whose they are.
    pub origin: Origin,
    /// Whether it is a command that takes changes back (`carl undo`, or `/undo` of a chat), and not
    /// something that was said to the agent.
    pub is_undo: bool,
    /// Whether it is a line for the shell that the user ran.
    pub is_command: bool,
    /// The event it came in with.
    pub received_seq: u64,
    /// The last event before it was worked on: where a [`EventBody::Rewound`] that takes it back
    /// goes to. A request that came in while another was worked on begins after that one's end.
    pub begins_after: u64,
    /// Whether it was worked on; `false` while it waits for another, and for one that never got further.
    pub has_begun: bool,
    /// The event it ended with; `None` while it waits or runs.
    pub finished_seq: Option<u64>,
}

/// The requests of a session that count, oldest first: a fold over its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exchanges {
    standing: Vec<Exchange>,
}

impl Exchanges {
    /// Those of a whole log.
    #[must_use]
    pub fn of<'a>(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut exchanges = Self::default();
        for event in events {
            exchanges.apply(event);
        }
        exchanges
    }

    /// Takes the next event of the log.
    pub fn apply(&mut self, event: &Event) {
        match &event.body {
            EventBody::QueryReceived { text, origin, mode } => {
                if let Some(query_id) = event.query_id {
                    self.standing.push(Exchange {
                        query_id,
                        text: text.clone(),
                        origin: *origin,
                        is_undo: *mode == Mode::Deterministic
                            && text.split("; ").all(|step| step == UNDO),
                        is_command: *mode == Mode::Command,
                        received_seq: event.seq,
                        begins_after: event.seq.saturating_sub(1),
                        has_begun: true,
                        finished_seq: None,
                    });
                }
            }
            EventBody::QueryQueued { .. } => self.set_begun(event, false),
            EventBody::QueryMoved { before } => self.moved(event.query_id, *before),
            EventBody::QueryFinished { error, .. } => {
                // One that never began ends beside the one that runs, which began before.
                if error.is_none() && self.is_withdrawn_by(event) {
                    let of_it = |one: &Exchange| Some(one.query_id) == event.query_id;
                    self.standing.retain(|one| !of_it(one));
                } else {
                    self.finished(event);
                }
            }
            EventBody::Rewound { to_seq } => {
                self.standing.retain(|one| one.begins_after < *to_seq);
            }
            // A request that is withdrawn has this as well.
            EventBody::GenerationFinished { .. } => {}
            _ => self.set_begun(event, true),
        }
    }

    /// Puts a request that waits before another, or behind all.
    fn moved(&mut self, query_id: Option<QueryId>, before: Option<QueryId>) {
        let waits = |one: &Exchange| one.finished_seq.is_none() && !one.has_begun;
        let at = |standing: &[Exchange], id: Option<QueryId>| {
            standing
                .iter()
                .position(|one| Some(one.query_id) == id && waits(one))
        };
        let Some(from) = at(&self.standing, query_id) else {
            return;
        };
        let one = self.standing.remove(from);
        let to = match before {
            None => self.standing.len(),
            Some(_) => at(&self.standing, before).unwrap_or(from),
        };
        self.standing.insert(to, one);
    }

    fn set_begun(&mut self, event: &Event, has_begun: bool) {
        let mut newest_first = self.standing.iter_mut().rev();
        let found = newest_first.find(|one| Some(one.query_id) == event.query_id);
        if let Some(exchange) = found.filter(|one| one.finished_seq.is_none()) {
            exchange.has_begun = has_begun;
        }
    }

    /// Whether a request ends that waited and was taken back, while the one before it goes on.
    fn is_withdrawn_by(&self, end: &Event) -> bool {
        let open = self
            .standing
            .iter()
            .filter(|one| one.finished_seq.is_none());
        let mut oldest_first = open.map(|one| (Some(one.query_id) == end.query_id, one.has_begun));
        let is_next = oldest_first.next().is_some_and(|(is_it, _)| is_it);
        !is_next && oldest_first.any(|(is_it, has_begun)| is_it && !has_begun)
    }

    fn finished(&mut self, event: &Event) {
        for exchange in &mut self.standing {
            if exchange.finished_seq.is_some() {
                continue;
            }
            if Some(exchange.query_id) == event.query_id {
                exchange.finished_seq = Some(event.seq);
            } else {
                exchange.begins_after = event.seq;
            }
        }
    }

    /// The requests that count, oldest first.
    #[must_use]
    pub fn standing(&self) -> &[Exchange] {
        &self.standing
    }

    /// One of them.
    #[must_use]
    pub fn find(&self, query_id: QueryId) -> Option<&Exchange> {
        self.standing.iter().find(|one| one.query_id == query_id)
    }

    /// The last that the user said to the agent: what the drive asked for after it, and what was
    /// taken back since, goes with it.
    #[must_use]
    pub fn last_of_user(&self) -> Option<&Exchange> {
        self.standing
            .iter()
            .rev()
            .find(|one| one.origin == Origin::User && !one.is_undo)
    }

    /// Whether an event belongs to the conversation still: it is of no request, or of one that
    /// counts.
    #[must_use]
    pub fn counts(&self, event: &Event) -> bool {
        event.query_id.is_none_or(|id| self.find(id).is_some())
    }
}

/// Who says something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// The user, or the drive in the user's place.
    User,
    /// The agent.
    Agent,
}

/// Which events are messages of the conversation with the user: a fold over a session's events.
/// Whether a message still counts is for [`Exchanges`] to say.
#[derive(Debug, Clone, Default)]
pub struct Speech {
    /// Agents at work for others.
    children: BTreeSet<AgentId>,
    /// Requests that are worked on by a plan: what is said to them is the answer alone.
    planned: BTreeSet<QueryId>,
}

impl Speech {
    /// Takes the next event of the log; who says what, if it is a message.
    pub fn note<'e>(&mut self, event: &'e Event) -> Option<(Who, &'e str)> {
        match &event.body {
            EventBody::AgentSpawned { child, .. } => {
                self.children.insert(*child);
            }
            EventBody::QueryReceived { mode, .. } if !mode.is_loop() => {
                self.planned.extend(event.query_id);
            }
            _ => {}
        }
        if event.agent_id.is_some_and(|id| self.children.contains(&id)) {
            return None;
        }
        let is_planned = event.query_id.is_some_and(|id| self.planned.contains(&id));
        match &event.body {
            EventBody::QueryReceived { text, .. } => Some((Who::User, text)),
            EventBody::ModelAnswered {
                text, aside: false, ..
            } if !is_planned && !text.trim().is_empty() => Some((Who::Agent, text)),
            EventBody::DialogTurn { answer, .. } if is_planned => Some((Who::Agent, answer)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::event::QueryStatus;
    use domain::id::SessionId;
    use domain::lineage::AgentType;
    use domain::model::{FinishReason, Usage};
    use domain::settings::Mode;
    use uuid::Uuid;

    fn query(number: u128) -> QueryId {
        QueryId::from_uuid(Uuid::from_u128(number))
    }

    /// A log from what its events are about.
    fn log(bodies: impl IntoIterator<Item = (u128, EventBody)>) -> Vec<Event> {
        let numbered = bodies.into_iter().zip(1..);
        numbered
            .map(|((number, body), seq)| Event {
                seq,
                time: Timestamp::UNIX_EPOCH,
                session_id: SessionId::from_uuid(Uuid::nil()),
                query_id: (number > 0).then(|| query(number)),
                agent_id: None,
                respondent_id: None,
                call_id: None,
                body,
            })
            .collect()
    }

    fn received(origin: Origin) -> EventBody {
        EventBody::QueryReceived {
            text: "words".to_owned(),
            mode: Mode::Loop,
            origin,
        }
    }

    fn finished() -> EventBody {
        EventBody::QueryFinished {
            status: QueryStatus::Success,
            artifacts: Vec::new(),
            duration_ms: 0,
            error: None,
        }
    }

    fn ids(exchanges: &Exchanges) -> Vec<QueryId> {
        exchanges
            .standing()
            .iter()
            .map(|one| one.query_id)
            .collect()
    }

    #[test]
    fn a_request_that_waited_begins_after_the_one_before_it() {
        let mut bodies = vec![
            (1, received(Origin::User)),
            (2, received(Origin::User)),
            (3, received(Origin::User)),
            (1, finished()),
            (2, finished()),
            (3, finished()),
        ];
        let all = Exchanges::of(&log(bodies.clone()));
        let begins: Vec<u64> = all.standing().iter().map(|one| one.begins_after).collect();
        assert_eq!(begins, [0, 4, 5]);
        let second = all.find(query(2)).map(|one| one.begins_after);
        bodies.push((
            0,
            EventBody::Rewound {
                to_seq: second.unwrap(),
            },
        ));
        assert_eq!(ids(&Exchanges::of(&log(bodies.clone()))), [query(1)]);
        bodies.push((0, EventBody::Rewound { to_seq: 0 }));
        assert_eq!(ids(&Exchanges::of(&log(bodies))), []);
    }

    /// Else a message that is taken back afterwards would still be before the point that is gone back to.
    #[test]
    fn a_request_that_leaves_the_queue_moves_no_other() {
        let waits = EventBody::QueryQueued { position: 1 };
        let bodies = [
            (1, received(Origin::User)),
            (1, finished()),
            (2, received(Origin::User)),
            (3, received(Origin::User)),
            (3, waits),
            (3, finished()),
            (2, finished()),
        ];
        let all = Exchanges::of(&log(bodies));
        assert_eq!(ids(&all), [query(1), query(2)]);
        assert_eq!(all.find(query(2)).map(|one| one.begins_after), Some(2));
    }

    #[test]
    fn what_was_taken_back_counts_no_more_and_what_came_after_it_does() {
        let bodies = vec![
            (1, received(Origin::User)),
            (1, finished()),
            (2, received(Origin::User)),
            (2, finished()),
            (3, received(Origin::Drive)),
            (3, finished()),
            (0, EventBody::Rewound { to_seq: 2 }),
            (4, received(Origin::User)),
            (4, finished()),
            (5, received(Origin::Drive)),
        ];
        let events = log(bodies);
        let before = Exchanges::of(&events[..6]);
        assert_eq!(before.last_of_user().map(|one| one.begins_after), Some(2));
        let exchanges = Exchanges::of(&events);
        assert_eq!(ids(&exchanges), [query(1), query(4), query(5)]);
        let counted: Vec<u64> = events
            .iter()
            .filter(|event| exchanges.counts(event))
            .map(|event| event.seq)
            .collect();
        assert_eq!(counted, [1, 2, 7, 8, 9, 10]);
        let last = exchanges.last_of_user().map(|one| one.query_id);
        assert_eq!(last, Some(query(4)));
    }

    #[test]
    fn what_agents_say_to_each_other_or_aside_is_no_message_and_of_a_plan_the_answer_alone() {
        let child = AgentId::from_uuid(Uuid::from_u128(7));
        let asked = |mode| EventBody::QueryReceived {
            text: "do it".to_owned(),
            mode,
            origin: Origin::User,
        };
        let said = |text: &str, aside| EventBody::ModelAnswered {
            text: text.to_owned(),
            thinking: None,
            tool_calls: Vec::new(),
            usage: Usage::default(),
            finish: FinishReason::Stop,
            aside,
        };
        let spawned = EventBody::AgentSpawned {
            child,
            agent_type: AgentType::new("coder").unwrap(),
            task: "look".to_owned(),
            task_id: None,
            budget_tokens: None,
        };
        let mut events = log([
            (1, asked(Mode::Loop)),
            (1, spawned),
            (1, said("to my parent", false)),
            (1, said("a summary", true)),
            (1, said(" ", false)),
            (1, said("Done.", false)),
            (2, asked(Mode::Plan)),
            (2, said("{\"actions\": []}", false)),
        ]);
        events[2].agent_id = Some(child);
        let mut speech = Speech::default();
        let all: Vec<_> = events
            .iter()
            .filter_map(|event| speech.note(event))
            .collect();
        let words = [
            (Who::User, "do it"),
            (Who::Agent, "Done."),
            (Who::User, "do it"),
        ];
        assert_eq!(all, words);
    }
}
