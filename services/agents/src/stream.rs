//! Streams of events: what is in the log, then what happens.

use crate::emitter::Shown;
use crate::record::Lines;
use crate::session::Session;
use api::Streaming;
use api::sessions::{Error, ErrorKind};
use domain::event::{Event, EventBody};
use domain::fault::Fault;
use domain::id::QueryId;
use futures::StreamExt;
use futures::stream;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
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

/// A reader of what a session shows.
struct Reader {
    /// Gone when the session is closed: a reader keeps no session open.
    session: Weak<Session>,
    log: PathBuf,
    /// The newest event that was handed on or need not be.
    seen: u64,
    /// What is read from the log, since the reader fell behind.
    behind: Option<Streaming<Event, Error>>,
    receiver: broadcast::Receiver<Shown>,
}

impl Reader {
    async fn next(&mut self) -> Option<Result<Event, Error>> {
        loop {
            let next = match &mut self.behind {
                Some(behind) => match behind.next().await {
                    Some(next) => next,
                    None => {
                        self.behind = None;
                        continue;
                    }
                },
                None => match self.receiver.recv().await {
                    Ok(Shown::Event(event)) => Ok(Arc::unwrap_or_clone(event)),
                    Ok(Shown::Broken(fault)) => Err(broken(fault)),
                    Err(RecvError::Lagged(_)) => {
                        self.catch_up().await;
                        continue;
                    }
                    Err(RecvError::Closed) => return None,
                },
            };
            match next {
                Ok(event) if event.seq <= self.seen => {}
                Ok(event) => {
                    self.seen = event.seq;
                    return Some(Ok(event));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Goes on where it stopped: from the log, which has all, up to where it listens again.
    async fn catch_up(&mut self) {
        let to_seq = match self.session.upgrade() {
            Some(session) => {
                let (last_seq, receiver) = session.emitter.subscribe().await;
                self.receiver = receiver;
                last_seq
            }
            None => u64::MAX,
        };
        self.behind = Some(replay(self.log.clone(), self.seen + 1, to_seq));
    }
}

/// Everything shown after the event `seen`, until the session closes. Who reads slowly misses
/// nothing.
pub(crate) fn live(
    session: &Arc<Session>,
    log: PathBuf,
    (seen, receiver): (u64, broadcast::Receiver<Shown>),
) -> Streaming<Event, Error> {
    let reader = Reader {
        session: Arc::downgrade(session),
        log,
        seen,
        behind: None,
        receiver,
    };
    stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        let next = reader.next().await?;
        let goes_on = next.is_ok();
        Some((next, goes_on.then_some(reader)))
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

fn broken(fault: Fault) -> Error {
    Error::new(ErrorKind::Unwritable, fault.message).with_hint(fault.hint)
}
