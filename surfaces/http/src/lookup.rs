//! What is on record of a session.

use crate::problem::Problem;
use api::Streaming;
use api::sessions::{Error, ErrorKind, Follow, Selection, SessionSummary, Sessions};
use domain::event::{ConfirmationRequest, Event, EventBody};
use domain::id::SessionId;
use futures::TryStreamExt;
use rendering::transcript::pieces_from;
use session::SessionView;

/// What a session has come to, and the questions that wait in it.
pub(crate) struct Looked {
    pub(crate) view: SessionView,
    pub(crate) questions: Vec<ConfirmationRequest>,
}

/// Looks at a session, whether it is open or not.
pub(crate) async fn look(sessions: &dyn Sessions, id: SessionId) -> Result<Looked, Error> {
    let mut events = sessions.attach(id, 1, Follow::Outline).await?;
    let (mut view, mut asked) = (SessionView::default(), Vec::new());
    while let Some(event) = events.try_next().await? {
        view.apply(&event);
        if let EventBody::ConfirmationAsked(question) = event.body {
            asked.push(question);
            let open = view.questions();
            asked.retain(|one: &ConfirmationRequest| {
                let mut open = open.iter();
                open.any(|question| question.confirmation_id == one.confirmation_id)
            });
        }
    }
    let open = view.questions();
    asked.retain(|one| {
        let mut open = open.iter();
        open.any(|question| question.confirmation_id == one.confirmation_id)
    });
    Ok(Looked {
        view,
        questions: asked,
    })
}

/// A session as it is listed.
pub(crate) async fn listed(
    sessions: &dyn Sessions,
    id: SessionId,
) -> Result<SessionSummary, Problem> {
    let found = sessions.list(Selection::Id(id.to_string())).await?;
    let mut found = found.into_iter();
    found.find(|one| one.session_id == id).ok_or_else(|| {
        Error::new(ErrorKind::NotFound, format!("There is no session {id}."))
            .with_hint("GET /api/v1/sessions lists them.")
            .into()
    })
}

/// The events that a document of a session is made of: without the pieces of answers that ended.
pub(crate) async fn of_document(
    sessions: &dyn Sessions,
    id: SessionId,
) -> Result<Vec<Event>, Error> {
    let outline = sessions.attach(id, 1, Follow::Outline).await?;
    let mut events: Vec<Event> = outline.try_collect().await?;
    if let Some(first) = pieces_from(&events) {
        events.retain(|event| event.seq < first);
        events.extend(all_from(sessions, id, first).await?);
    }
    Ok(events)
}

/// Every event from one on.
pub(crate) async fn all_from(
    sessions: &dyn Sessions,
    id: SessionId,
    first: u64,
) -> Result<Vec<Event>, Error> {
    let rest: Streaming<Event, Error> = sessions.attach(id, first, Follow::ToEnd).await?;
    rest.try_collect().await
}
