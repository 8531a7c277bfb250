//! The two calls of the first specification: a question with its whole answer, and an opinion of it.

use crate::app::{App, Caller};
use crate::host::Wanted;
use crate::lookup;
use crate::problem::Problem;
use crate::requests::summed_up;
use crate::sessions::profile;
use crate::wire::{self, Feedback, Queried, Query};
use crate::work::{self, OnHangUp};
use api::sessions::{FeedbackRequest, SendRequest};
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::{Extension, Json};

/// `POST /query`.
pub(crate) async fn query(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Json<Queried>, Problem> {
    let query: Query = wire::read(&body)?;
    let sessions = app.sessions.as_ref();
    let lease = match query.session_id {
        Some(session_id) => {
            lookup::listed(sessions, session_id).await?;
            app.held.hold(sessions, session_id).await?
        }
        None => {
            let profile = profile(&app, &caller, &Wanted::default())?;
            app.held.open(sessions, profile).await?
        }
    };
    let session_id = lease.session_id;
    let request = SendRequest::new(session_id, query.query);
    let events = work::begin(&app, lease, request, OnHangUp::GoOn).await?;
    let (summary, event_log) = summed_up(session_id, events).await?;
    // There is no other place for why nothing came of it.
    let answer = match (summary.answer.is_empty(), &summary.error) {
        (true, Some(fault)) => fault.message.clone(),
        _ => summary.answer,
    };
    Ok(Json(Queried {
        query_id: summary.query_id,
        session_id,
        answer,
        thinking: summary.thinking,
        tool_calls: summary.tool_calls,
        events: event_log.iter().map(|event| event.body.subject()).collect(),
        event_log,
    }))
}

/// `POST /feedback`.
pub(crate) async fn feedback(State(app): State<App>, body: Bytes) -> Result<StatusCode, Problem> {
    let feedback: Feedback = wire::read(&body)?;
    let sessions = app.sessions.as_ref();
    lookup::listed(sessions, feedback.session_id).await?;
    let _lease = app.held.hold(sessions, feedback.session_id).await?;
    let request = FeedbackRequest {
        session_id: feedback.session_id,
        query_id: feedback.query_id,
        score: feedback.score,
        note: feedback.note,
    };
    sessions.feedback(request).await?;
    Ok(StatusCode::NO_CONTENT)
}
