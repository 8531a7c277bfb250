//! A session's requests in pages, the newest page first: a long session is read from its end, and no further
//! than what is shown of it.

use crate::app::App;
use crate::limits::{HISTORY_EVENTS, HISTORY_LOOK, HISTORY_REQUESTS, HISTORY_REQUESTS_MOST};
use crate::lookup;
use crate::problem::Problem;
use crate::query::Parameters;
use crate::sessions::id;
use crate::wire::History;
use api::sessions::{Error, Follow, Sessions};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::Uri;
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use futures::TryStreamExt;
use rendering::transcript::pieces_from;
use std::collections::HashMap;
use std::ops::Range;

/// `GET /api/v1/sessions/{id}/history`.
pub(crate) async fn history(
    State(app): State<App>,
    Path(session): Path<String>,
    uri: Uri,
) -> Result<Json<History>, Problem> {
    let id = id(&session)?;
    let parameters = Parameters::of(&uri, &["before", "limit"])?;
    let before = parameters.parsed::<u64>("before")?;
    let most = HISTORY_REQUESTS_MOST;
    let limit = parameters.parsed("limit")?.unwrap_or(HISTORY_REQUESTS);
    if !(1..=most).contains(&limit) {
        return Err(Problem::invalid(format!("`limit` is 1 to {most}")));
    }
    let sessions = app.sessions.as_ref();
    let last_seq = lookup::listed(sessions, id).await?.last_seq;
    let end = before.unwrap_or(u64::MAX).min(last_seq.saturating_add(1));
    let (events, before) = page(sessions, id, (end, limit)).await?;
    let last_seq = events.last().map_or(0, |event| event.seq);
    Ok(Json(History {
        events,
        last_seq,
        before,
    }))
}

/// The requests before an event, at most so many, and before which event the page before ends.
async fn page(
    sessions: &dyn Sessions,
    id: SessionId,
    (end, limit): (u64, usize),
) -> Result<(Vec<Event>, Option<u64>), Error> {
    let (mut events, mut begin, mut look) = (Vec::new(), end, HISTORY_LOOK);
    let cut = loop {
        let from = begin.saturating_sub(look).max(1);
        let mut earlier = within(sessions, id, (from..begin, Follow::Outline)).await?;
        earlier.append(&mut events);
        (events, begin) = (earlier, from);
        let cut = cut(&events, limit);
        if cut.is_some() || begin <= 1 {
            break cut;
        }
        look = look.saturating_mul(2);
    };
    events.retain(|event| cut.is_none_or(|cut| event.seq >= cut));
    if let Some(first) = pieces_from(&events) {
        // An answer without its end stands in its pieces alone.
        events.retain(|event| event.seq < first);
        events.extend(within(sessions, id, (first..end, Follow::ToEnd)).await?);
    }
    Ok((events, cut))
}

/// The events whose numbers are in a range.
async fn within(
    sessions: &dyn Sessions,
    id: SessionId,
    (range, follow): (Range<u64>, Follow),
) -> Result<Vec<Event>, Error> {
    let mut all = Vec::new();
    if range.is_empty() {
        return Ok(all);
    }
    let mut events = sessions.attach(id, range.start, follow).await?;
    while let Some(event) = events.try_next().await? {
        if event.seq >= range.end {
            break;
        }
        all.push(event);
    }
    Ok(all)
}

/// The request that a page begins with, so that it has no more requests than these, or no more events than
/// [`HISTORY_EVENTS`] where that is less, and at least one. No request that began before it goes on in it.
/// `None`: there is no such request that something stands before.
fn cut(events: &[Event], limit: usize) -> Option<u64> {
    let mut spans: HashMap<QueryId, (u64, u64)> = HashMap::new();
    let mut received = Vec::new();
    for (at, event) in events.iter().enumerate() {
        let Some(query_id) = event.query_id else {
            continue;
        };
        // One of which the beginning is not there began before all of these.
        let mut first = 0;
        if matches!(event.body, EventBody::QueryReceived { .. }) {
            received.push((at, event.seq));
            first = event.seq;
        }
        spans.entry(query_id).or_insert((first, event.seq)).1 = event.seq;
    }
    let is_clean = |seq: u64| {
        spans
            .values()
            .all(|(first, last)| *first >= seq || *last < seq)
    };
    let newest_first = received
        .iter()
        .enumerate()
        .rev()
        .skip_while(|(before, (at, _))| {
            let requests = received.len() - before;
            requests < limit && events.len() - at < HISTORY_EVENTS
        });
    // What stands before the first request of all is no page of its own.
    let mut with_more = newest_first.filter(|(before, _)| *before > 0 || spans_from_before(&spans));
    let found = with_more.find(|(_, (_, seq))| is_clean(*seq));
    found.map(|(_, (_, seq))| *seq)
}

/// Whether a request is among these whose beginning is not.
fn spans_from_before(spans: &HashMap<QueryId, (u64, u64)>) -> bool {
    spans.values().any(|(first, _)| *first == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::drive::Origin;
    use domain::settings::Mode;
    use uuid::Uuid;

    /// Events by their requests, which begin with a capital letter; a point is of no request.
    fn log(requests: &str) -> Vec<Event> {
        let events = requests.chars().zip(1..).map(|(letter, seq)| {
            let number = u128::from(letter.to_ascii_lowercase());
            let asked = EventBody::QueryReceived {
                text: "x".to_owned(),
                mode: Mode::Loop,
                origin: Origin::User,
            };
            let said = EventBody::TextReplaced {
                text: "x".to_owned(),
            };
            Event {
                seq,
                time: Timestamp::UNIX_EPOCH,
                session_id: SessionId::from_uuid(Uuid::nil()),
                query_id: (letter != '.').then(|| QueryId::from_uuid(Uuid::from_u128(number))),
                agent_id: None,
                respondent_id: None,
                call_id: None,
                body: if letter.is_uppercase() { asked } else { said },
            }
        });
        events.collect()
    }

    #[test]
    fn a_page_begins_with_a_request_and_has_whole_ones() {
        assert_eq!(cut(&log(".AaBbCc"), 1), Some(6));
        assert_eq!(cut(&log(".AaBbCc"), 2), Some(4));
        // The first request of all stands with what is before it.
        assert_eq!(cut(&log(".AaBbCc"), 3), None);
        assert_eq!(cut(&log(".AaBbCc"), 9), None);
        assert_eq!(cut(&log("."), 1), None);
        // One that waited for the one before it, which goes on behind its beginning.
        assert_eq!(cut(&log(".AaBabCc"), 2), None);
        assert_eq!(cut(&log(".ZzAaBabCc"), 2), Some(4));
        assert_eq!(cut(&log(".ZzAaBabCc"), 1), Some(9));
        // A request whose beginning was not looked at yet.
        assert_eq!(cut(&log("zAa"), 1), Some(2));
        assert_eq!(cut(&log("zAaz"), 1), None);
    }

    #[test]
    fn a_page_of_many_events_has_fewer_requests() {
        let many = format!("AaB{}Cc", "b".repeat(HISTORY_EVENTS));
        assert_eq!(cut(&log(&many), 9), Some(3));
        assert_eq!(cut(&log(&format!("{many}Dd")), 9), Some(3));
    }
}
