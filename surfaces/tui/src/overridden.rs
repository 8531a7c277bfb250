//! Sends one message by an override of its own: opens it, waits for the end, and closes it.

use crate::effects::{Done, outgoing};
use crate::host::Host;
use crate::message::Message;
use api::sessions::{Error, ErrorKind, Follow, SendRequest, SessionSummary};
use domain::fault::{Coded, Fault};
use domain::settings::{OverrideLevel, SessionProfile};
use futures::{StreamExt, TryStreamExt};
use session::SessionView;

/// A profile with an override.
#[must_use]
pub fn wide(own: &SessionProfile, level: OverrideLevel) -> SessionProfile {
    let mut wide = own.clone();
    wide.settings.override_level = level;
    wide
}

/// Sends a text by the wide profile. Whatever comes of it: nothing else goes by that one.
pub async fn send(
    host: &dyn Host,
    session: SessionSummary,
    (own, wide): (SessionProfile, SessionProfile),
    text: String,
) -> Done {
    let (request, said) = match begin(host, &session, (&own, wide), &text).await {
        Ok(begun) => begun,
        Err(fault) => {
            let draft = Some(text);
            let closed = close(host, &session, own).await;
            return Done::Told(vec![Message::Failed { fault, draft }, closed]);
        }
    };
    let mut told: Vec<Message> = said.into_iter().collect();
    match host.sessions().send(request).await {
        Ok(mut events) => {
            while let Some(event) = events.next().await {
                if let Err(error) = event {
                    let fault = error.fault();
                    told.push(Message::Failed { fault, draft: None });
                    break;
                }
            }
        }
        Err(error) => told.push(Message::Failed {
            fault: error.fault(),
            draft: Some(text),
        }),
    }
    told.push(close(host, &session, own).await);
    Done::Told(told)
}

/// The message as it is sent, once the wide profile counts.
async fn begin(
    host: &dyn Host,
    session: &SessionSummary,
    (own, wide): (&SessionProfile, SessionProfile),
    text: &str,
) -> Result<(SendRequest, Option<Message>), Fault> {
    let outgoing = outgoing(host, session, own, text).await?;
    let fault = |error: Error| error.fault();
    check_alone(host, session).await.map_err(fault)?;
    configure(host, session, wide).await.map_err(fault)?;
    Ok(outgoing)
}

/// Refuses beside another request, which would go by the same override.
async fn check_alone(host: &dyn Host, session: &SessionSummary) -> Result<(), Error> {
    let id = session.session_id;
    let events = host.sessions().attach(id, 1, Follow::Outline).await?;
    let events: Vec<_> = events.try_collect().await?;
    match SessionView::of(&events).open_requests().next() {
        None => Ok(()),
        Some(_) => Err(Error::new(
            ErrorKind::Busy,
            "a request still runs in this session, and an override is for one message alone",
        )
        .with_hint("Type /override and the message again when it has ended.")),
    }
}

async fn configure(
    host: &dyn Host,
    session: &SessionSummary,
    profile: SessionProfile,
) -> Result<(), Error> {
    let Some(holder_id) = session.holder_id else {
        let what = "this window does not hold the session";
        return Err(Error::new(ErrorKind::NotFound, what));
    };
    let configuring = host
        .sessions()
        .configure(session.session_id, holder_id, profile);
    configuring.await
}

async fn close(host: &dyn Host, session: &SessionSummary, own: SessionProfile) -> Message {
    let closed = configure(host, session, own).await;
    Message::OverrideOver(closed.err().map(|error| error.fault()))
}
