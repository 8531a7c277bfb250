//! Events as server-sent events: their numbers in the log are the ids, so that a reader who comes back
//! goes on where it was, without a gap and without one twice.

use crate::app::{App, Caller};
use crate::limits::{EVENTS_AHEAD, HEART_BEAT, WAITING_LOOK};
use crate::lookup;
use crate::problem::Problem;
use crate::work::Events;
use api::sessions::{Error, ErrorKind, Follow};
use axum::body::Body;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use bytes::Bytes;
use domain::event::Event;
use domain::id::SessionId;
use futures::stream::{poll_fn, unfold};
use futures::{Stream, StreamExt};
use std::convert::Infallible;
use tokio::sync::mpsc;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

/// The type of a stream of events.
const EVENT_STREAM: &str = "text/event-stream";
/// What says that a stream lives.
pub(crate) const HEART: &str = ": still here\n\n";

/// Whether the client asks for a stream of events.
pub(crate) fn are_wanted(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter();
    accepted
        .filter_map(|one| one.to_str().ok())
        .flat_map(|one| one.split(','))
        .any(|one| one.split(';').next().unwrap_or_default().trim() == EVENT_STREAM)
}

/// One event. What is true for a moment only has no number of its own in the log, and so no id.
fn frame(event: &Event) -> Bytes {
    let kind = event.body.subject();
    let data = serde_json::to_string(event).unwrap_or_else(|error| {
        tracing::error!(%error, "an event has no JSON form");
        "{}".to_owned()
    });
    let id = match event.body.is_passing() {
        true => String::new(),
        false => format!("id: {}\n", event.seq),
    };
    Bytes::from(format!("{id}event: {kind}\ndata: {data}\n\n"))
}

/// What went wrong on the way, as the last event.
fn last_words(error: Error) -> Bytes {
    let fault = Problem::from(error).fault;
    let data = serde_json::to_string(&fault).unwrap_or_default();
    Bytes::from(format!("event: problem\ndata: {data}\n\n"))
}

/// A body that is streamed as it comes, with a sign of life now and then, for as long as the caller's
/// token counts.
pub(crate) fn streamed<P>((app, caller): (App, Caller), pieces: P) -> Response
where
    P: Stream<Item = Bytes> + Send + Unpin + 'static,
{
    struct Reading<P> {
        app: App,
        caller: Caller,
        pieces: P,
        beats: Interval,
    }
    let mut beats = interval_at(Instant::now() + HEART_BEAT, HEART_BEAT);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let reading = Reading {
        app,
        caller,
        pieces,
        beats,
    };
    let body = unfold(reading, |mut reading| async move {
        let stopping = reading.app.stopping.clone();
        let piece = tokio::select! {
            biased;
            piece = reading.pieces.next() => piece?,
            () = stopping.cancelled() => return None,
            _ = reading.beats.tick() => match reading.app.still_counts(&reading.caller) {
                true => Bytes::from_static(HEART.as_bytes()),
                false => return None,
            },
        };
        Some((Ok::<_, Infallible>(piece), reading))
    });
    let mut response = Response::new(Body::from_stream(body));
    let kind = HeaderValue::from_static(EVENT_STREAM);
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// What a channel has, as a stream.
pub(crate) fn received<T>(mut channel: mpsc::Receiver<T>) -> impl Stream<Item = T> + Unpin {
    poll_fn(move |context| channel.poll_recv(context))
}

/// The events of one request, to its end.
pub(crate) fn of_request(of: (App, Caller), events: Events) -> Response {
    let pieces = received(events);
    streamed(
        of,
        pieces.map(|event| event.map_or_else(last_words, |event| frame(&event))),
    )
}

/// The events of a session after one, and with [`Follow::Live`] whatever comes.
pub(crate) fn of_session(
    (app, caller): (App, Caller),
    (session_id, after): (SessionId, u64),
    follow: Follow,
) -> Response {
    let (writer, pieces) = mpsc::channel(EVENTS_AHEAD);
    let reading = Following {
        app: app.clone(),
        session_id,
        next: after.saturating_add(1),
        writer,
    };
    tokio::spawn(async move {
        if let Err(error) = reading.follow(follow).await {
            tracing::debug!(%session_id, %error, "a stream of events broke off");
        }
    });
    streamed((app, caller), received(pieces))
}

/// A session's events on their way to one reader.
struct Following {
    app: App,
    session_id: SessionId,
    /// The first event that was not passed on yet.
    next: u64,
    writer: mpsc::Sender<Bytes>,
}

impl Following {
    async fn follow(mut self, follow: Follow) -> Result<(), Error> {
        // Whoever reads knows that it is connected before anything happens.
        let _begun = self.writer.send(Bytes::from_static(HEART.as_bytes())).await;
        loop {
            match self.pass_all(follow).await {
                Err(error) if error.kind == ErrorKind::NotFound && follow == Follow::Live => {
                    // Nobody has it open: it grows no more, and whatever is on record is all there is.
                    self.pass_all(Follow::ToEnd).await?;
                }
                Err(error) => {
                    let told = Error::new(error.kind, error.detail.clone());
                    let _told = self.writer.send(last_words(told)).await;
                    return Err(error);
                }
                Ok(()) => {}
            }
            if follow != Follow::Live || self.writer.is_closed() || !self.grew().await {
                return Ok(());
            }
        }
    }

    /// Passes on what there is from the next event on.
    async fn pass_all(&mut self, follow: Follow) -> Result<(), Error> {
        let sessions = &self.app.sessions;
        let mut events = sessions.attach(self.session_id, self.next, follow).await?;
        loop {
            let event = tokio::select! {
                biased;
                () = self.writer.closed() => return Ok(()),
                event = events.next() => event,
            };
            let Some(event) = event.transpose()? else {
                return Ok(());
            };
            if event.seq < self.next && !event.body.is_passing() {
                continue;
            }
            if !event.body.is_passing() {
                self.next = event.seq + 1;
            }
            if self.writer.send(frame(&event)).await.is_err() {
                return Ok(());
            }
        }
    }

    /// Waits until there is more, or somebody has the session open; `false`: nobody waits any more.
    async fn grew(&self) -> bool {
        let since = Instant::now();
        loop {
            let look = async {
                let listed = lookup::listed(self.app.sessions.as_ref(), self.session_id).await;
                listed.map(|session| (session.live, session.last_seq))
            };
            match self.app.looks.at((self.session_id, since), look).await {
                Ok((is_live, last_seq)) if is_live || last_seq >= self.next => return true,
                Ok(_) => {}
                Err(_gone) => return false,
            }
            tokio::select! {
                () = self.writer.closed() => return false,
                () = self.app.stopping.cancelled() => return false,
                () = tokio::time::sleep(WAITING_LOOK) => {}
            }
        }
    }
}
