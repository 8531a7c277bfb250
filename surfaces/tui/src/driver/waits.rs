//! What the driver waits for, where there may be nothing to wait for.

use crate::editor::Editor;
use crate::effects::Done;
use crate::keyboard::Paused;
use api::Streaming;
use domain::event::Event;
use futures::StreamExt;
use futures::future::LocalBoxFuture;
use std::io;
use std::process::ExitStatus;
use std::time::Instant;

/// The next event of the session.
pub async fn next_event(
    events: &mut Option<Streaming<Event, api::sessions::Error>>,
) -> Option<Result<Event, api::sessions::Error>> {
    match events {
        Some(events) => events.next().await,
        None => std::future::pending().await,
    }
}

/// The end of the editor that has the terminal.
pub async fn editor_ends(editing: &mut Option<(Editor, Paused)>) -> io::Result<ExitStatus> {
    match editing {
        Some((editor, _)) => editor.end().await,
        None => std::future::pending().await,
    }
}

/// The end of what is done in its turn.
pub async fn next_in_turn(under_way: &mut Option<LocalBoxFuture<'_, Done>>) -> Done {
    match under_way {
        Some(work) => work.await,
        None => std::future::pending().await,
    }
}

/// A time.
pub async fn until(time: Option<Instant>) {
    match time {
        Some(time) => tokio::time::sleep_until(time.into()).await,
        None => std::future::pending().await,
    }
}
