//! The messages of a conversation by their numbers, as they are pinned and forked at.

use domain::event::{Event, EventBody};
use domain::id::QueryId;
use session::{SessionView, Speech};
use std::collections::{BTreeMap, BTreeSet};

pub use session::Who;

/// One message that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken<'a> {
    /// The number of its event.
    pub seq: u64,
    /// Whose it is.
    pub who: Who,
    /// What it says.
    pub text: &'a str,
    /// Whether it stays in view for good.
    pub is_pinned: bool,
}

/// The messages with the user that count, oldest first.
#[must_use]
pub fn spoken(events: &[Event]) -> Vec<Spoken<'_>> {
    let view = SessionView::of(events);
    let (exchanges, pinned) = (view.exchanges(), view.pinned());
    let mut speech = Speech::default();
    let said = events.iter().filter_map(|event| {
        let (who, text) = speech.note(event)?;
        exchanges.counts(event).then_some(Spoken {
            seq: event.seq,
            who,
            text,
            is_pinned: pinned.contains(&event.seq),
        })
    });
    said.collect()
}

/// The number of the last message of each request's answer.
#[must_use]
pub fn answers(events: &[Event]) -> BTreeMap<QueryId, u64> {
    let spoken: BTreeSet<u64> = spoken(events)
        .into_iter()
        .filter(|message| message.who == Who::Agent)
        .map(|message| message.seq)
        .collect();
    let said = events.iter().filter(|event| spoken.contains(&event.seq));
    said.filter_map(|event| Some((event.query_id?, event.seq)))
        .collect()
}

/// The event to fork at so that the exchange of this one is whole: its last, or the event itself
/// when it is of no exchange that ended.
#[must_use]
pub fn end_of_exchange(events: &[Event], seq: u64) -> u64 {
    let query = events.iter().find(|event| event.seq == seq);
    let Some(query_id) = query.and_then(|event| event.query_id) else {
        return seq;
    };
    let end = events.iter().find(|event| {
        event.query_id == Some(query_id) && matches!(event.body, EventBody::QueryFinished { .. })
    });
    end.map_or(seq, |event| event.seq.max(seq))
}
