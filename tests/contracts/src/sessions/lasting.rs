//! What a session that lasts needs: looking at its context, making it smaller, taking exchanges
//! back, pins, signals.

use super::{FakeSessions, Session};
use api::sessions::{Error, ErrorKind, PinChange, RewindTo, TakenBack, Whose};
use domain::context::{CompactionCause, ContextPart, ContextView};
use domain::drive::{Origin, Signal};
use domain::event::{Event, EventBody};
use domain::id::{AgentId, QueryId, SessionId};
use domain::limits::{PINNED_MESSAGES, SESSION_NAME_CHARACTERS, SIGNAL_BYTES};
use domain::settings::Mode;
use std::collections::BTreeSet;

/// Characters of a token, as the fake counts.
const TOKEN_CHARS: u64 = 4;

fn invalid(detail: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidRequest, detail)
}

/// A request that was not taken back, as the fake reads its events. The suite holds the fake and
/// the service to the same answers.
struct Standing {
    query_id: QueryId,
    text: String,
    origin: Origin,
    received_seq: u64,
    begins_after: u64,
    is_finished: bool,
}

fn standing(events: &[Event]) -> Vec<Standing> {
    let mut all: Vec<Standing> = Vec::new();
    for event in events {
        match (&event.body, event.query_id) {
            (EventBody::QueryReceived { text, origin, .. }, Some(query_id)) => all.push(Standing {
                query_id,
                text: text.clone(),
                origin: *origin,
                received_seq: event.seq,
                begins_after: event.seq - 1,
                is_finished: false,
            }),
            (EventBody::QueryFinished { .. }, query_id) => {
                for one in all.iter_mut().filter(|one| !one.is_finished) {
                    match Some(one.query_id) == query_id {
                        true => one.is_finished = true,
                        false => one.begins_after = event.seq,
                    }
                }
            }
            (EventBody::Rewound { to_seq }, _) => all.retain(|one| one.begins_after < *to_seq),
            _ => {}
        }
    }
    all
}

impl Session {
    fn idle(&self) -> Result<(), Error> {
        if self.is_busy {
            return Err(Error::new(ErrorKind::Busy, "the session is at work"));
        }
        Ok(())
    }

    /// Up to where the view was made smaller.
    fn compacted(&self) -> u64 {
        let through = self.events.iter().filter_map(|event| match &event.body {
            EventBody::ContextCompacted { through, .. } => *through,
            _ => None,
        });
        through.max().unwrap_or(0)
    }

    fn brief(&self, agent_id: AgentId) -> Option<&str> {
        let ended = self.events.iter().any(
            |event| matches!(&event.body, EventBody::AgentFinished { child, .. } if *child == agent_id),
        );
        let mut briefs = self.events.iter().filter_map(|event| match &event.body {
            EventBody::AgentSpawned { child, task, .. } if *child == agent_id => Some(task),
            _ => None,
        });
        briefs.next().filter(|_| !ended).map(String::as_str)
    }

    fn shown(&self) -> Vec<String> {
        let compacted = self.compacted();
        standing(&self.events)
            .into_iter()
            .filter(|one| one.received_seq > compacted)
            .map(|one| one.text)
            .collect()
    }

    fn view(&self, whose: Whose) -> Result<ContextView, Error> {
        let texts = match whose {
            Whose::Root => self.shown(),
            Whose::Agent(agent_id) => {
                let brief = self.brief(agent_id);
                vec![brief.ok_or_else(|| invalid("no such agent"))?.to_owned()]
            }
        };
        let part = |name: &str, text: String| ContextPart {
            name: name.to_owned(),
            tokens: (text.chars().count() as u64).div_ceil(TOKEN_CHARS),
            text,
        };
        Ok(ContextView {
            context_tokens: 32_768,
            budget_tokens: 14_745,
            reused_permille: None,
            parts: vec![
                part("system", "You are a fake.".to_owned()),
                part("conversation", texts.join("\n")),
            ],
        })
    }

    fn pinned(&self) -> BTreeSet<u64> {
        let mut all = BTreeSet::new();
        for event in &self.events {
            match event.body {
                EventBody::Pinned { seq, pinned: true } => all.insert(seq),
                EventBody::Pinned { seq, pinned: false } => all.remove(&seq),
                _ => false,
            };
        }
        all
    }

    /// Whether an event holds a message that counts.
    fn is_message(&self, seq: u64) -> bool {
        let standing = standing(&self.events);
        let counts = |id: QueryId| standing.iter().any(|one| one.query_id == id);
        let mut events = self.events.iter().filter(|event| event.seq == seq);
        events.next().is_some_and(|event| {
            event.query_id.is_none_or(counts)
                && matches!(
                    event.body,
                    EventBody::QueryReceived { .. }
                        | EventBody::DialogTurn { .. }
                        | EventBody::ModelAnswered { aside: false, .. }
                )
        })
    }
}

impl FakeSessions {
    pub(super) fn view(&self, id: SessionId, whose: Whose) -> Result<ContextView, Error> {
        self.state.lock().unwrap().session(id)?.view(whose)
    }

    pub(super) fn make_smaller(&self, id: SessionId) -> Result<(), Error> {
        let body = {
            let mut state = self.state.lock().unwrap();
            let session = state.live(id)?;
            session.idle()?;
            let shown = session.shown();
            let tokens = |texts: &[String]| texts.len() as u64;
            let Some((newest, older)) = shown.split_last().filter(|(_, old)| !old.is_empty())
            else {
                let detail = "there is nothing to leave out";
                return Err(Error::new(ErrorKind::NothingToDo, detail));
            };
            let standing = standing(&session.events);
            let last = standing.last();
            EventBody::ContextCompacted {
                before_tokens: tokens(&shown),
                after_tokens: tokens(std::slice::from_ref(newest)),
                dropped_messages: older.len() as u32,
                cause: CompactionCause::Trimmed,
                through: last.map(|one| one.begins_after),
                summary: None,
                shortened_through: None,
                journal_characters: 0,
                newest_characters: 0,
            }
        };
        self.emit(id, None, body);
        Ok(())
    }

    pub(super) fn take_back(&self, id: SessionId, to: RewindTo) -> Result<TakenBack, Error> {
        let (to_seq, taken) = {
            let mut state = self.state.lock().unwrap();
            let session = state.live(id)?;
            session.idle()?;
            let standing = standing(&session.events);
            let mut from_last = standing.iter().rev();
            let found = match to {
                RewindTo::LastRequest => from_last
                    .find(|one| one.origin == Origin::User)
                    .ok_or_else(|| {
                        Error::new(ErrorKind::NothingToDo, "there is no request to take back")
                    }),
                RewindTo::Request(query_id) => from_last
                    .find(|one| one.query_id == query_id)
                    .ok_or_else(|| invalid("no such request")),
            }?;
            let taken = TakenBack {
                query_id: found.query_id,
                text: found.text.clone(),
            };
            (found.begins_after, taken)
        };
        self.emit(id, None, EventBody::Rewound { to_seq });
        Ok(taken)
    }

    pub(super) fn change_pin(
        &self,
        id: SessionId,
        seq: u64,
        change: PinChange,
    ) -> Result<(), Error> {
        let pinned = change == PinChange::Pin;
        {
            let mut state = self.state.lock().unwrap();
            let session = state.live(id)?;
            if !session.is_message(seq) {
                return Err(invalid(format!("event {seq} holds no message")));
            }
            let all = session.pinned();
            if all.contains(&seq) == pinned {
                return Ok(());
            }
            if pinned && all.len() >= PINNED_MESSAGES {
                return Err(invalid(format!("{PINNED_MESSAGES} messages are pinned")));
            }
        }
        self.emit(id, None, EventBody::Pinned { seq, pinned });
        Ok(())
    }

    pub(super) fn give_name(&self, id: SessionId, name: &str) -> Result<(), Error> {
        let is_long = name.chars().count() > SESSION_NAME_CHARACTERS;
        if is_long || name.chars().any(char::is_control) {
            return Err(invalid("a name is one short line"));
        }
        let mut state = self.state.lock().unwrap();
        state.session(id)?.name = name.trim().to_owned();
        Ok(())
    }

    pub(super) fn take_signal(&self, id: SessionId, signal: Signal) -> Result<(), Error> {
        if signal.bytes() > SIGNAL_BYTES {
            return Err(invalid(format!(
                "a signal has at most {SIGNAL_BYTES} bytes"
            )));
        }
        if self.state.lock().unwrap().live(id)?.profile.mode != Mode::Auto {
            let detail = "the session is not in auto mode";
            return Err(Error::new(ErrorKind::NotAuto, detail));
        }
        self.emit(id, None, EventBody::SignalReceived { signal });
        Ok(())
    }
}
