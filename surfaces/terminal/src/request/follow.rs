//! One request from its text to its end: events to a view, questions to the user, signals to stop
//! to the session, and what is typed meanwhile to the view.

use super::asker::Asker;
use super::keyboard::{Heard, Keyboard};
use super::prompts::{PromptQueue, answered};
use super::view::{Meanwhile, View};
use crate::exit::OrFail;
use anyhow::Result;
use api::Streaming;
use api::sessions::{Error, SendRequest, Sessions};
use domain::event::{Event, EventBody, QueryStatus};
use domain::id::{QueryId, SessionId};
use futures::StreamExt;
use rendering::confirm::Patience;

/// The next line that is typed; waits for ever where nobody listens.
async fn typed(keyboard: &mut Option<Keyboard>) -> Heard {
    match keyboard {
        Some(keyboard) => keyboard.next().await,
        None => std::future::pending().await,
    }
}

/// The next event, or why there is none.
fn next(event: Option<Result<Event, Error>>) -> Result<Event> {
    match event {
        Some(event) => event.or_fail(),
        None => anyhow::bail!("the session's events ended before the request did"),
    }
}

/// Sends the request and follows it to its end. The first signal stops it, the second leaves without
/// waiting.
///
/// # Errors
/// When the session refuses the request or its events stop without an end.
pub async fn work_on(
    sessions: &dyn Sessions,
    request: SendRequest,
    asker: &Asker,
    view: &mut dyn View,
    meanwhile: &mut Meanwhile,
) -> Result<QueryStatus> {
    let session_id = request.session_id;
    let events = sessions.send(request).await.or_fail()?;
    let ended = |event: &Event| match &event.body {
        EventBody::QueryFinished { status, .. } => Some(*status),
        _ => None,
    };
    let place = (sessions, session_id, asker);
    follow(place, events, view, meanwhile, ended).await
}

/// Stops this request alone, since what runs may be somebody else's; false where none is known to run.
async fn stops(
    sessions: &dyn Sessions,
    session_id: SessionId,
    running: Option<QueryId>,
) -> Result<bool> {
    if running.is_some() {
        sessions.interrupt(session_id, running).await.or_fail()?;
    }
    Ok(running.is_some())
}

/// Follows events until `ended` says how what they are about went. The first signal stops the request
/// that was received last, or leaves when it has ended; the second leaves without waiting.
///
/// # Errors
/// When the events stop without an end.
pub async fn follow(
    (sessions, session_id, asker): (&dyn Sessions, SessionId, &Asker),
    mut events: Streaming<Event, Error>,
    view: &mut dyn View,
    meanwhile: &mut Meanwhile,
    mut ended: impl FnMut(&Event) -> Option<QueryStatus>,
) -> Result<QueryStatus> {
    let mut running: Option<QueryId> = None;
    let mut prompts = PromptQueue::default();
    let mut interrupts = 0_u32;
    // Whether the first event, which says what runs, is still to come.
    let mut is_first = true;
    loop {
        prompts.share_keyboard(asker, view, meanwhile).await?;
        let gathers_until = prompts.gathers_until();
        let event = tokio::select! {
            event = events.next() => match next(event) {
                Ok(event) => event,
                Err(ended) => return Err(prompts.break_off(ended, view).await),
            },
            answer = answered(&mut prompts.asking) => {
                prompts.pass_on(answer?, (sessions, session_id, asker), view).await?;
                prompts.ask_next(Patience::Left);
                continue;
            }
            heard = typed(&mut meanwhile.keyboard) => {
                view.typed(heard)?;
                continue;
            }
            caught = meanwhile.signals.next() => {
                prompts.clear(view)?;
                interrupts += 1;
                if interrupts > 1 {
                    view.left()?;
                    return Ok(QueryStatus::Interrupted);
                }
                if !stops(sessions, session_id, running).await? && !is_first {
                    return Ok(QueryStatus::Interrupted);
                }
                if let Some(text) = view.stopping(caught) {
                    view.remark(&text)?;
                }
                continue;
            }
            () = tokio::time::sleep_until(gathers_until), if prompts.is_gathering() => {
                prompts.ask_next(Patience::Gone);
                continue;
            }
            () = tokio::time::sleep(view.patience()), if running.is_some() && prompts.is_clear() => {
                view.tick();
                continue;
            }
        };
        prompts.note(&event, asker, view).await?;
        match &event.body {
            EventBody::QueryReceived { .. } => running = event.query_id,
            EventBody::QueryFinished { .. } => running = None,
            _ => {}
        }
        // A signal that came before anything was known to run.
        let is_late = std::mem::take(&mut is_first) && interrupts > 0;
        if is_late && !stops(sessions, session_id, running).await? {
            return Ok(QueryStatus::Interrupted);
        }
        if let Some(status) = ended(&event) {
            return Ok(status);
        }
    }
}
