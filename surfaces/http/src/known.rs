//! What is known beside sessions: types of agents, models, what memory has on a question, and what the
//! audit log has of a session.

use crate::app::App;
use crate::problem::Problem;
use crate::sessions::id;
use crate::wire::{self, Agent, Agents, Audited};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use domain::fault::Fault;
use rendering::models::as_json;
use rendering::recalls::found_json;
use serde_json::Value;

/// Whoever knows it does not say so now.
fn unavailable(fault: Fault) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, fault)
}

/// `GET /api/v1/agents`.
pub(crate) async fn agents(State(app): State<App>) -> Result<Json<Agents>, Problem> {
    let known = app.host.agents().await.map_err(unavailable)?;
    let agents = known.into_iter().map(Agent::from).collect();
    Ok(Json(Agents { agents }))
}

/// `GET /api/v1/models`.
pub(crate) async fn models(State(app): State<App>) -> Result<Json<Value>, Problem> {
    let (health, known) = app.host.models().await.map_err(unavailable)?;
    Ok(Json(as_json(&health, &known)))
}

/// `POST /api/v1/memory/search`.
pub(crate) async fn search(State(app): State<App>, body: Bytes) -> Result<Json<Value>, Problem> {
    let wanted: wire::Search = wire::read(&body)?;
    let found = app.host.recall(&wanted.query).await;
    let (stages, recalls) = found.map_err(|fault| match fault.code.as_str() {
        "memory.invalid" => Problem::new(StatusCode::BAD_REQUEST, fault),
        _ => unavailable(fault),
    })?;
    Ok(Json(found_json(&recalls, Some(&stages))))
}

/// `GET /api/v1/sessions/{id}/audit`.
pub(crate) async fn audit(
    State(app): State<App>,
    Path(session): Path<String>,
) -> Result<Json<Audited>, Problem> {
    let (records, fault) = app.host.audit(id(&session)?).await.map_err(unavailable)?;
    Ok(Json(Audited { records, fault }))
}
