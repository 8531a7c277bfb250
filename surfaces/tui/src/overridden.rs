//! Sends one message by an override of its own: opens it, waits for the end, and closes it.

use crate::effects::Done;
use crate::host::Host;
use crate::message::Message;
use api::sessions::{Error, ErrorKind, Follow, SendRequest, SessionSummary};
use domain::fault::Coded;
use domain::settings::SessionProfile;
use futures::{StreamExt, TryStreamExt};
use session::SessionView;

/// Sends a text by the wide profile. Whatever comes of it: nothing else goes by that one.
pub async fn send(
    host: &dyn Host,
    session: SessionSummary,
    (own, wide): (SessionProfile, SessionProfile),
    text: String,
) -> Done {
    let began = match check_alone(host, &session).await {
        Ok(()) => configure(host, &session, wide).await,
        alone => alone,
    };
    if let Err(error) = began {
        let fault = error.fault();
        let draft = Some(text);
        let closed = close(host, &session, own).await;
        return Done::Told(vec![Message::Failed { fault, draft }, closed]);
    }
    let request = SendRequest {
        holder_id: session.holder_id,
        ..SendRequest::new(session.session_id, text.clone())
    };
    let mut told = Vec::new();
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
