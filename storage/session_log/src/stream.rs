//! Streams of events: what is in the log, then what happens.

use crate::emitter::Shown;
use crate::lines::Lines;
use crate::outline::Outlines;
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
pub fn replay(path: PathBuf, from_seq: u64, to_seq: u64) -> Streaming<Event, Error> {
    read(move || Lines::open_at(&path, from_seq), (from_seq, to_seq))
}

/// The same without the pieces in which answers and thinking came.
pub fn outline(
    path: PathBuf,
    outlines: Outlines,
    from_seq: u64,
    to_seq: u64,
) -> Streaming<Event, Error> {
    read(
        move || Ok(Lines::open_at(&path, from_seq)?.in_outline(&outlines)),
        (from_seq, to_seq),
    )
}

fn read(
    open: impl FnOnce() -> Result<Lines, Error> + Send + 'static,
    (from_seq, to_seq): (u64, u64),
) -> Streaming<Event, Error> {
    let (sender, receiver) = mpsc::channel(READ_AHEAD);
    tokio::task::spawn_blocking(move || {
        let mut lines = match open() {
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
            let wanted = next
                .as_ref()
                .map_or(true, |event| (from_seq..=to_seq).contains(&event.seq));
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

/// Everything shown after the event `last_seq`, until the session closes. A reader who falls behind
/// what is kept in memory is given from the log what came meanwhile, and goes on from there.
pub fn live(
    (last_seq, receiver): (u64, broadcast::Receiver<Shown>),
    path: PathBuf,
) -> Streaming<Event, Error> {
    let live = Live {
        receiver,
        path,
        last_seq,
        missed: None,
        held: None,
    };
    stream::unfold(Some(live), |live| async move { live?.step().await }).boxed()
}

struct Live {
    receiver: broadcast::Receiver<Shown>,
    path: PathBuf,
    /// The last event that was passed on.
    last_seq: u64,
    /// What stands in the log between that one and `held`.
    missed: Option<Streaming<Event, Error>>,
    held: Option<Event>,
}

impl Live {
    async fn step(mut self) -> Option<(Result<Event, Error>, Option<Self>)> {
        loop {
            let next = match &mut self.missed {
                Some(missed) => missed.next().await,
                None => None,
            };
            match next {
                Some(Ok(event)) => return self.pass(event),
                Some(Err(error)) => return Some((Err(error), None)),
                None => self.missed = None,
            }
            if let Some(event) = self.held.take() {
                return self.pass(event);
            }
            match self.receiver.recv().await {
                Ok(Shown::Event(event)) if event.body.is_passing() => {
                    // For a reader who is behind it comes too late, and it is in no log.
                    if event.seq == self.last_seq {
                        return self.pass(Arc::unwrap_or_clone(event));
                    }
                }
                Ok(Shown::Event(event)) if event.seq <= self.last_seq => {}
                Ok(Shown::Event(event)) => {
                    let first = self.last_seq + 1;
                    // An event is in the log before it is shown.
                    self.missed = (event.seq > first)
                        .then(|| replay(self.path.clone(), first, event.seq - 1));
                    self.held = Some(Arc::unwrap_or_clone(event));
                }
                Ok(Shown::Broken(fault)) => return Some((Err(broken(&fault)), None)),
                // The next one that is still there tells how many were missed.
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return None,
            }
        }
    }

    fn pass(mut self, event: Event) -> Option<(Result<Event, Error>, Option<Self>)> {
        self.last_seq = event.seq;
        Some((Ok(event), Some(self)))
    }
}

/// What was, then what is: without a gap or a double, since `live` begins where `past` ends. Live
/// events before `from_seq` are left out, but for those in passing.
pub fn then_live(
    past: Streaming<Event, Error>,
    live: Streaming<Event, Error>,
    from_seq: u64,
) -> Streaming<Event, Error> {
    past.chain(live)
        .filter(move |next| {
            let is_wanted = |event: &Event| event.seq >= from_seq || event.body.is_passing();
            let wanted = next.as_ref().map_or(true, is_wanted);
            std::future::ready(wanted)
        })
        .boxed()
}

/// The events of one request, up to its `QueryFinished` or an error.
pub fn of_query(events: Streaming<Event, Error>, query_id: QueryId) -> Streaming<Event, Error> {
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

fn broken(fault: &Fault) -> Error {
    Error::new(ErrorKind::Unwritable, fault.message.clone()).with_hint(fault.hint.clone())
}
