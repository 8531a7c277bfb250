//! A request at work, and whoever reads what comes of it.

use crate::app::App;
use crate::held::Lease;
use crate::limits::EVENTS_AHEAD;
use crate::problem::Problem;
use api::Streaming;
use api::sessions::{Error, SendRequest};
use domain::event::Event;
use domain::id::QueryId;
use futures::StreamExt;
use tokio::sync::mpsc;

/// What becomes of a request whose reader is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnHangUp {
    /// It goes on: its events are in the log.
    GoOn,
    /// It is stopped: nobody can read it any more.
    Stop,
}

/// Events as they come; the last is the request's end.
pub(crate) type Events = mpsc::Receiver<Result<Event, Error>>;

/// Sends a request, and reads it to its end whoever else does.
pub(crate) async fn begin(
    app: &App,
    lease: Lease,
    mut request: SendRequest,
    on_hang_up: OnHangUp,
) -> Result<Events, Problem> {
    request.holder_id = Some(lease.holder_id);
    let events = app.sessions.send(request).await?;
    let (reader, read) = mpsc::channel(EVENTS_AHEAD);
    let work = Work {
        app: app.clone(),
        lease,
        query_id: None,
        is_read: true,
        is_to_stop: false,
    };
    tokio::spawn(work.read(events, (reader, on_hang_up)));
    Ok(read)
}

struct Work {
    app: App,
    /// The session stays open for as long as something runs in it.
    lease: Lease,
    query_id: Option<QueryId>,
    is_read: bool,
    is_to_stop: bool,
}

impl Work {
    async fn read(
        mut self,
        mut events: Streaming<Event, Error>,
        (reader, on_hang_up): (mpsc::Sender<Result<Event, Error>>, OnHangUp),
    ) {
        loop {
            tokio::select! {
                biased;
                event = events.next() => match event {
                    Some(event) => self.pass(event, &reader).await,
                    None => return,
                },
                () = reader.closed(), if self.is_read => self.is_read = false,
            }
            if !self.is_read && !self.is_to_stop && on_hang_up == OnHangUp::Stop {
                self.stop().await;
            }
        }
    }

    async fn pass(
        &mut self,
        event: Result<Event, Error>,
        reader: &mpsc::Sender<Result<Event, Error>>,
    ) {
        if let Ok(event) = &event {
            self.query_id = self.query_id.or(event.query_id);
        }
        if self.is_read && reader.send(event).await.is_err() {
            self.is_read = false;
        }
    }

    /// Stops the request, once it is known which one it is.
    async fn stop(&mut self) {
        let Some(query_id) = self.query_id else {
            return;
        };
        self.is_to_stop = true;
        let session_id = self.lease.session_id;
        let stopped = self.app.sessions.interrupt(session_id, Some(query_id));
        if let Err(error) = stopped.await {
            tracing::debug!(%session_id, %error, "a request could not be stopped");
        }
    }
}
