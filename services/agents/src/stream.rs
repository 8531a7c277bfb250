//! Streams of events: what is in the log, then what happens.

use crate::emitter::Shown;
use crate::record::Lines;
use api::Streaming;
use api::sessions::{Error, ErrorKind};
use domain::event::{Event, EventBody};
use domain::fault::Fault;
use domain::id::QueryId;
use futures::StreamExt;
use futures::stream;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};

/// Events read ahead of a slow reader of a log.
const READ_AHEAD: usize = 64;

/// The events `from_seq..=to_seq` of a log; it ends early where the log does.
pub(crate) fn replay(path: PathBuf, from_seq: u64, to_seq: u64) -> Streaming<Event, Error> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    tokio::task::spawn_blocking(move || {
        let mut lines = match Lines::open(&path) {
            Ok(lines) => lines,
            Err(error) => {
                // A reader that went away wants no error either.
                let _ = sender.blocking_send(Err(error));
                return;
            }
        };
        let mut seq = 0;
        while seq < to_seq {
            let next = match lines.next_event() {
                Ok(Some(event)) => {
                    seq = event.seq;
                    Ok(event)
                }
                Ok(None) => return,
                Err(error) => {
                    seq = to_seq;
                    Err(error)
                }
            };
            let wanted = next.as_ref().map_or(true, |event| event.seq >= from_seq);
            if wanted && sender.blocking_send(next).is_err() {
                return;
            }
        }
    });
    stream::unfold(receiver, |mut receiver| async move {
        receiver.recv().await.map(|next| (next, receiver))
    })
    .boxed()
}

/// Everything shown from now on, until the session closes.
pub(crate) fn live(receiver: broadcast::Receiver<Shown>) -> Streaming<Event, Error> {
    stream::unfold(Some(receiver), |receiver| async move {
        let mut receiver = receiver?;
        match receiver.recv().await {
            Ok(Shown::Event(event)) => Some((Ok(Arc::unwrap_or_clone(event)), Some(receiver))),
            Ok(Shown::Broken(fault)) => Some((Err(broken(fault)), None)),
            Err(RecvError::Lagged(missed)) => Some((Err(lagged(missed)), None)),
            Err(RecvError::Closed) => None,
        }
    })
    .boxed()
}

/// What was, then what is: without a gap or a double, since `live` begins where `past` ends. Live
/// events before `from_seq` are left out.
pub(crate) fn then_live(
    past: Streaming<Event, Error>,
    live: Streaming<Event, Error>,
    from_seq: u64,
) -> Streaming<Event, Error> {
    past.chain(live)
        .filter(move |next| {
            let wanted = next.as_ref().map_or(true, |event| event.seq >= from_seq);
            std::future::ready(wanted)
        })
        .boxed()
}

/// The events of one request, up to its `QueryFinished` or an error.
pub(crate) fn of_query(
    events: Streaming<Event, Error>,
    query_id: QueryId,
) -> Streaming<Event, Error> {
    stream::unfold(Some(events), move |events| async move {
        let mut events = events?;
        loop {
            match events.next().await? {
                Ok(event) if event.query_id != Some(query_id) => {}
                Ok(event) => {
                    let over = matches!(event.body, EventBody::QueryFinished { .. });
                    return Some((Ok(event), (!over).then_some(events)));
                }
                Err(error) => return Some((Err(error), None)),
            }
        }
    })
    .boxed()
}

fn lagged(missed: u64) -> Error {
    Error::new(
        ErrorKind::Lagged,
        format!("This reader fell {missed} events behind and was let go."),
    )
    .with_hint("Attach again from the event after the last one seen; the log has them all.")
}

fn broken(fault: Fault) -> Error {
    Error::new(ErrorKind::Unwritable, fault.message).with_hint(fault.hint)
}
