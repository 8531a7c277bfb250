//! How good answers are: what is known of it, and what a client may have said of one.

use crate::app::App;
use crate::known::unavailable;
use crate::lookup::listed;
use crate::problem::Problem;
use crate::sessions::id;
use crate::wire::{self, GradeWanted, Quality, SecondRating, SecondTake, SecondWanted};
use api::sessions::SecondRequest;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use domain::id::SessionId;

/// `GET /api/v1/quality`.
pub(crate) async fn quality(State(app): State<App>) -> Result<Json<Quality>, Problem> {
    let known = app.host.quality().await.map_err(unavailable)?;
    Ok(Json(Quality::from(known)))
}

/// `POST /api/v1/sessions/{id}/grade`. The session's events tell what comes of it.
pub(crate) async fn grade(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let wanted: GradeWanted = wire::read(&body)?;
    let session = known(&app, &session).await?;
    let asked = app.sessions.ask_grade(session, wanted.query_id);
    asked.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/sessions/{id}/second`. The session's events tell what comes of it.
pub(crate) async fn second(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let SecondWanted {
        query_id,
        model,
        temperature,
    } = wire::read(&body)?;
    let wanted = SecondRequest { model, temperature };
    let session = known(&app, &session).await?;
    let asked = app.sessions.ask_second(session, query_id, wanted);
    asked.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/sessions/{id}/second/rating`.
pub(crate) async fn rate_second(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let SecondRating { query_id, winner } = wire::read(&body)?;
    let session = known(&app, &session).await?;
    let rated = app.sessions.rate_second(session, query_id, winner);
    rated.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/sessions/{id}/second/take`.
pub(crate) async fn take_second(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let SecondTake { query_id } = wire::read(&body)?;
    let session = known(&app, &session).await?;
    let taken = app.sessions.take_second(session, query_id);
    taken.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A session that is there, open or not.
async fn known(app: &App, session: &str) -> Result<SessionId, Problem> {
    let listed = listed(app.sessions.as_ref(), id(session)?).await?;
    Ok(listed.session_id)
}
