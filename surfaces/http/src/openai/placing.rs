//! Which session goes on with a client's conversation.

use super::conversation::Conversation;
use super::models;
use crate::app::{App, Caller};
use crate::conversations::Point;
use crate::held::Lease;
use crate::lookup;
use crate::problem::Problem;
use crate::sessions::profile;
use api::sessions::{Input, SendRequest};
use domain::hash::Digest;

/// What the conversation before a request is called where it is given as data.
const EARLIER: &str = "earlier-conversation";

/// A session that goes on with a conversation: the one that knows it, a copy where that has gone another
/// way since, or a new one that is given as data what was said before.
pub(super) async fn placed(
    app: &App,
    caller: &Caller,
    (model, conversation): (&str, &Conversation),
    known: &Digest,
) -> Result<(Lease, SendRequest), Problem> {
    let wanted = models::meant(app, model).await?;
    if let Some(lease) = known_to(app, known).await {
        let send = SendRequest::new(lease.session_id, conversation.asked.clone());
        return Ok((lease, send));
    }
    let profile = profile(app, caller, &wanted)?;
    let lease = app.held.open(app.sessions.as_ref(), profile).await?;
    let mut send = SendRequest::new(lease.session_id, instructed(conversation));
    send.input = conversation.earlier().map(|text| Input {
        name: EARLIER.to_owned(),
        text,
    });
    Ok((lease, send))
}

/// What is asked, behind what whoever wrote the client has to say first.
pub(super) fn instructed(conversation: &Conversation) -> String {
    match conversation.instructions().as_str() {
        "" => conversation.asked.clone(),
        instructions => format!("{instructions}\n\n{}", conversation.asked),
    }
}

/// The session that knows a conversation. One that is not there any more knows none.
pub(super) async fn known_to(app: &App, key: &Digest) -> Option<Lease> {
    let point = app.conversations.take(key)?;
    let sessions = app.sessions.as_ref();
    let session_id = match point.is_taken || has_gone_on(app, point).await? {
        false => point.session_id,
        true => {
            let copy = sessions.fork(point.session_id, point.seq).await;
            copy.inspect_err(|error| tracing::debug!(%error, "a conversation is not copied"))
                .ok()?
                .session_id
        }
    };
    let held = app.held.hold(sessions, session_id).await;
    held.inspect_err(|error| tracing::debug!(%error, "a conversation is not gone on with"))
        .ok()
}

/// Whether something was asked in a session since; `None` where it cannot be read.
async fn has_gone_on(app: &App, point: Point) -> Option<bool> {
    let looked = lookup::look(app.sessions.as_ref(), point.session_id).await;
    let looked = looked.ok()?;
    let last = looked.view.exchanges().standing().last();
    Some(last.is_none_or(|last| last.query_id != point.query_id))
}
