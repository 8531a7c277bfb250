//! How good answers are: what is known of it, and what a client may have said of one.

use crate::app::App;
use crate::known::unavailable;
use crate::problem::Problem;
use crate::sessions::id;
use crate::wire::{self, GradeWanted, Quality, SecondRating, SecondTake, SecondWanted};
use api::sessions::SecondRequest;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;

/// `GET /api/v1/quality`.
pub(crate) async fn quality(State(app): State<App>) -> Result<Json<Quality>, Problem> {
    let (observations, measures) = app.host.quality().await.map_err(unavailable)?;
    Ok(Json(Quality::of(&observations, measures)))
}

/// `POST /api/v1/sessions/{id}/grade`. The session's events tell what comes of it.
pub(crate) async fn grade(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let wanted: GradeWanted = wire::read(&body)?;
    let asked = app.sessions.ask_grade(id(&session)?, wanted.query_id);
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
    let asked = app.sessions.ask_second(id(&session)?, query_id, wanted);
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
    let rated = app.sessions.rate_second(id(&session)?, query_id, winner);
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
    let taken = app.sessions.take_second(id(&session)?, query_id);
    taken.await?;
    Ok(StatusCode::NO_CONTENT)
}
