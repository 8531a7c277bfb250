//! Answers that broke off: a model call that was stopped, cut or killed while its text came.

use crate::links;
use domain::event::{Event, EventBody};
use domain::id::{AgentId, QueryId};
use domain::model::FinishReason;
use std::collections::{BTreeMap, BTreeSet};
use text::links::Known;

/// Whose model call it is; an agent works on one at a time.
type Caller = (Option<QueryId>, Option<AgentId>);

/// Where the pieces of model calls begin that have no end on record: what they came to stands
/// nowhere else. `None` where every call has its end.
#[must_use]
pub fn pieces_from(events: &[Event]) -> Option<u64> {
    let mut open: BTreeMap<Caller, u64> = BTreeMap::new();
    let mut first: Option<u64> = None;
    for event in events {
        let caller = (event.query_id, event.agent_id);
        let left = match event.body {
            EventBody::ModelChosen { .. } => open.insert(caller, event.seq),
            EventBody::ModelAnswered { .. } => {
                open.remove(&caller);
                None
            }
            _ => None,
        };
        first = first.into_iter().chain(left).min();
    }
    first.into_iter().chain(open.into_values()).min()
}

/// The texts of model calls without an end, each at its last piece.
#[derive(Default)]
pub(super) struct BrokenOff(BTreeMap<u64, Left>);

/// What one call left.
struct Left {
    text: String,
    /// Whether it may still go on: neither its request ended nor another process took the session up.
    may_go_on: bool,
}

impl BrokenOff {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut open: BTreeMap<Caller, (u64, String)> = BTreeMap::new();
        let mut left = BTreeMap::new();
        for event in events {
            let caller = (event.query_id, event.agent_id);
            match &event.body {
                EventBody::TextDelta { text } => {
                    let (seq, all) = open.entry(caller).or_default();
                    *seq = event.seq;
                    all.push_str(text);
                }
                EventBody::TextReplaced { text } => {
                    open.insert(caller, (event.seq, text.clone()));
                }
                EventBody::ModelAnswered { .. } => {
                    open.remove(&caller);
                }
                EventBody::ModelChosen { .. } => left.extend(open.remove(&caller)),
                EventBody::QueryFinished { .. } => {
                    let ended: BTreeSet<Caller> = open
                        .keys()
                        .filter(|(query, _)| *query == event.query_id)
                        .copied()
                        .collect();
                    left.extend(ended.iter().filter_map(|caller| open.remove(caller)));
                }
                EventBody::SessionResumed { .. } => {
                    left.extend(std::mem::take(&mut open).into_values());
                }
                _ => {}
            }
        }
        let told = |(seq, text), may_go_on| (seq, Left { text, may_go_on });
        let ended = left.into_iter().map(|one| told(one, false));
        let last = open.into_values().map(|one| told(one, true));
        Self(ended.chain(last).collect())
    }

    /// The text that ends with this piece.
    pub(super) fn part(&self, seq: u64, known: &Known) -> Option<String> {
        let left = self.0.get(&seq)?;
        let head = if left.may_go_on {
            "Answer so far, no end on record"
        } else {
            "Answer, broken off"
        };
        under(head, &left.text, known)
    }
}

/// An answer on record that was stopped while the model was writing.
pub(super) fn stopped(event: &Event, known: &Known) -> Option<String> {
    match &event.body {
        EventBody::ModelAnswered {
            text,
            finish: FinishReason::Cancelled,
            aside: false,
            ..
        } => under("Answer, broken off", text, known),
        _ => None,
    }
}

fn under(head: &str, text: &str, known: &Known) -> Option<String> {
    let is_there = !text.trim().is_empty();
    is_there.then(|| format!("## {head}\n\n{}", links::document(text, known)))
}
