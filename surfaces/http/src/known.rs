//! What is known beside sessions: types of agents, tools, models, what the policy says to a call, and what the
//! audit log has of a session.

use crate::app::{App, Caller};
use crate::problem::Problem;
use crate::sessions::{id, profile};
use crate::wire::{self, Agent, Agents, Audited, Tool, Tools};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use domain::decision::Decision;
use domain::fault::Fault;
use rendering::models::as_json;
use serde_json::Value;

/// Whoever knows it does not say so now.
pub(crate) fn unavailable(fault: Fault) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, fault)
}

/// `GET /api/v1/agents`.
pub(crate) async fn agents(State(app): State<App>) -> Result<Json<Agents>, Problem> {
    let known = app.host.agents().await.map_err(unavailable)?;
    let agents = known.into_iter().map(Agent::from).collect();
    Ok(Json(Agents { agents }))
}

/// `GET /api/v1/tools`.
pub(crate) async fn tools(State(app): State<App>) -> Result<Json<Tools>, Problem> {
    let known = app.host.tools().await.map_err(unavailable)?;
    let tools = known.into_iter().map(Tool::from).collect();
    Ok(Json(Tools { tools }))
}

/// `GET /api/v1/models`.
pub(crate) async fn models(State(app): State<App>) -> Result<Json<Value>, Problem> {
    let (health, known) = app.host.models().await.map_err(unavailable)?;
    Ok(Json(as_json(&health, &known)))
}

/// `POST /api/v1/policy/explain`.
pub(crate) async fn explain(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    body: Bytes,
) -> Result<Json<Decision>, Problem> {
    let call: wire::Call = wire::read(&body)?;
    let profile = profile(&app, &caller, &call.wanted())?;
    let explained = app.host.explain(&profile, &call.tool, call.arguments).await;
    let decision = explained.map_err(|fault| match fault.code.as_str() {
        "broker.unreachable" => unavailable(fault),
        _ => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, fault),
    })?;
    Ok(Json(decision))
}

/// `GET /api/v1/sessions/{id}/audit`.
pub(crate) async fn audit(
    State(app): State<App>,
    Path(session): Path<String>,
) -> Result<Json<Audited>, Problem> {
    let (records, fault) = app.host.audit(id(&session)?).await.map_err(unavailable)?;
    Ok(Json(Audited { records, fault }))
}
