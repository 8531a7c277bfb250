//! The events of a session for as long as the questions among them can be answered.

use api::Streaming;
use api::sessions::{Error, ErrorKind};
use domain::event::{Event, EventBody};
use domain::id::{ConfirmationId, QueryId};
use futures::StreamExt;
use futures::stream::unfold;
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

/// The questions that nobody has answered, each with its request.
type Asked = BTreeMap<ConfirmationId, Option<QueryId>>;

/// The events; once the endpoint stops, no further than to a question that stands: no call comes
/// through any more, so it would wait for nothing. What runs without one has its time to end.
pub(crate) fn while_answerable(
    events: Streaming<Event, Error>,
    stopping: CancellationToken,
) -> Streaming<Event, Error> {
    let begun = Some((events, Asked::new(), stopping));
    let step = |state: Option<(Streaming<Event, Error>, Asked, CancellationToken)>| async move {
        let (mut events, mut asked, stopping) = state?;
        let event = tokio::select! {
            biased;
            () = stopping.cancelled(), if !asked.is_empty() => return Some((Err(stops()), None)),
            event = events.next() => event?,
        };
        if let Ok(event) = &event {
            note(&mut asked, event);
        }
        Some((event, Some((events, asked, stopping))))
    };
    unfold(begun, step).boxed()
}

fn note(asked: &mut Asked, event: &Event) {
    match &event.body {
        EventBody::ConfirmationAsked(request) => {
            asked.insert(request.confirmation_id, event.query_id);
        }
        EventBody::ConfirmationAnswered {
            confirmation_id, ..
        } => {
            asked.remove(confirmation_id);
        }
        EventBody::QueryFinished { .. } => asked.retain(|_, of| *of != event.query_id),
        // Nobody waits for answers to a process that is no more.
        EventBody::SessionResumed { .. } => asked.clear(),
        _ => {}
    }
}

fn stops() -> Error {
    Error::new(
        ErrorKind::Unreachable,
        "the process that serves this session is stopping, and takes no answer to the question any more",
    )
    .with_hint("Go on where the session is opened next: what was said is kept.")
}
