//! The page of what was said and done.

use super::{barred, head, or_nothing};
use crate::lines::painted;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::QueryId;
use domain::model::FinishReason;
use ratatui::text::Line;
use rendering::terminal::Terminal;
use rendering::{Paint, moments};
use session::AgentTree;
use std::collections::{BTreeMap, BTreeSet};
use text::links::Known;

/// What was said and done, request by request in the order in which they came in: messages and what models
/// said whole, and between them the lines that events have elsewhere.
#[must_use]
pub fn history<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Line<'static>> {
    let events = by_request(events);
    let repeated = repeated(&events);
    let mut terminal = Terminal::kept(Paint::Colour, Known::default());
    let mut agents = AgentTree::default();
    let mut lines = Vec::new();
    for event in events {
        agents.apply(event);
        if let EventBody::QueryReceived { text, origin, .. } = &event.body {
            let who = match origin {
                Origin::User => "you",
                Origin::Drive => "going on by itself",
            };
            let time = moments::here(event.time);
            lines.push(head(&format!("#{} {who}, {time}", event.seq)));
            lines.extend(barred(text.trim_end()));
        }
        let is_own = agents.depth(event.agent_id) == 0 && !repeated.contains(&event.seq);
        if let Some((what, text)) = said_on_the_way(&event.body).filter(|_| is_own) {
            lines.push(head(&format!("#{} {what}", event.seq)));
            lines.extend(barred(text));
        }
        // Nothing is written, so that nothing can fail.
        let _kept = terminal.draw(event);
        let told = terminal.take_lines();
        lines.extend(told.iter().map(|line| painted(line)));
        let (what, answer) = match &event.body {
            EventBody::GenerationFinished { answer, .. } => ("the answer", answer.trim_end()),
            EventBody::SecondTaken { answer } => {
                ("the second answer, taken over", answer.trim_end())
            }
            _ => continue,
        };
        if !answer.is_empty() {
            lines.push(head(&format!("#{} {what}", event.seq)));
            lines.extend(barred(answer));
        }
    }
    or_nothing(lines, "nothing was said yet")
}

/// The events with those of each request together: what waits behind another comes in before that one's end.
fn by_request<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<&'a Event> {
    let mut places: BTreeMap<QueryId, usize> = BTreeMap::new();
    let mut last = 0;
    let mut placed: Vec<(usize, &Event)> = Vec::new();
    for event in events {
        if let Some(id) = event.query_id {
            let next = places.len();
            last = *places.entry(id).or_insert(next);
        }
        placed.push((last, event));
    }
    // Those of one place stay in their order.
    placed.sort_by_key(|(place, _)| *place);
    placed.into_iter().map(|(_, event)| event).collect()
}

/// What a model said that is no answer of its request: before a call, or until it was stopped.
fn said_on_the_way(body: &EventBody) -> Option<(&'static str, &str)> {
    let EventBody::ModelAnswered {
        text,
        finish,
        aside: false,
        ..
    } = body
    else {
        return None;
    };
    let what = match finish {
        FinishReason::Cancelled => "what had come of an answer",
        _ => "said on the way",
    };
    Some((what, text.trim_end())).filter(|(_, text)| !text.is_empty())
}

/// The last words of a model in each request that its answer has as well.
fn repeated(events: &[&Event]) -> BTreeSet<u64> {
    let mut last: BTreeMap<QueryId, (u64, &str)> = BTreeMap::new();
    let mut repeated = BTreeSet::new();
    for event in events {
        let Some(id) = event.query_id else { continue };
        match &event.body {
            EventBody::ModelAnswered { text, aside, .. } if !aside => {
                last.insert(id, (event.seq, text.trim()));
            }
            EventBody::GenerationFinished { answer, .. } => {
                let same = last.get(&id).filter(|(_, said)| answer.contains(said));
                repeated.extend(same.map(|(seq, _)| *seq));
            }
            _ => {}
        }
    }
    repeated
}
