//! Memory over HTTP: found, shown, added, corrected and forgotten.

use crate::app::App;
use crate::host::Addition;
use crate::known::unavailable;
use crate::problem::{Problem, fault};
use crate::wire::{self, Forgot, Kept, Remember};
use api::memory::{Refusal, WriteAnswer};
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use domain::fault::Fault;
use domain::id::{MemoryId, ParseIdError};
use rendering::recalls::found_json;
use serde_json::Value;

/// What an entry is called in an address.
fn id(text: &str) -> Result<MemoryId, Problem> {
    text.parse()
        .map_err(|error: ParseIdError| Problem::not_found(error.to_string()))
}

/// Why memory did not do it.
fn refused(fault: Fault) -> Problem {
    let status = match fault.code.as_str() {
        "memory.not_found" => StatusCode::NOT_FOUND,
        "memory.invalid" => StatusCode::BAD_REQUEST,
        "carl.usage" => StatusCode::UNPROCESSABLE_ENTITY,
        _ => return unavailable(fault),
    };
    Problem::new(status, fault)
}

/// `POST /api/v1/memory/search`.
pub(crate) async fn search(State(app): State<App>, body: Bytes) -> Result<Json<Value>, Problem> {
    let wanted: wire::Search = wire::read(&body)?;
    let found = app.host.recall(&wanted.query).await;
    let (stages, recalls) = found.map_err(refused)?;
    Ok(Json(found_json(&recalls, Some(&stages))))
}

/// `GET /api/v1/memory/{id}`.
pub(crate) async fn show(
    State(app): State<App>,
    Path(memory): Path<String>,
) -> Result<Json<Value>, Problem> {
    let entry = app.host.entry(id(&memory)?).await.map_err(refused)?;
    Ok(Json(entry))
}

/// `POST /api/v1/memory`.
pub(crate) async fn add(State(app): State<App>, body: Bytes) -> Result<Json<Kept>, Problem> {
    let wanted: Remember = wire::read(&body)?;
    keep(&app, wanted.addition(None)).await
}

/// `POST /api/v1/memory/{id}/correct`.
pub(crate) async fn correct(
    State(app): State<App>,
    Path(memory): Path<String>,
    body: Bytes,
) -> Result<Json<Kept>, Problem> {
    let corrected = id(&memory)?;
    let wanted: Remember = wire::read(&body)?;
    if wanted.namespace.is_some() {
        let said = "a correction is kept where what it corrects is: leave `namespace` out";
        return Err(Problem::invalid(said));
    }
    keep(&app, wanted.addition(Some(corrected))).await
}

async fn keep(app: &App, addition: Addition) -> Result<Json<Kept>, Problem> {
    match app.host.remember(addition).await.map_err(refused)? {
        WriteAnswer::Stored { id } => Ok(Json(Kept { id, is_new: true })),
        WriteAnswer::Duplicate { id } => Ok(Json(Kept { id, is_new: false })),
        WriteAnswer::Rejected { refusal, detail } => {
            let hint = match refusal {
                Refusal::Secret => "`carl secret set NAME` keeps secrets where no model sees them.",
                _ => "Nothing was kept.",
            };
            let fault = fault("http.not_kept", detail, hint);
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, fault))
        }
    }
}

/// `DELETE /api/v1/memory/{id}`.
pub(crate) async fn forget(
    State(app): State<App>,
    Path(memory): Path<String>,
) -> Result<Json<Forgot>, Problem> {
    let forgotten = app.host.forget(id(&memory)?).await.map_err(refused)?;
    Ok(Json(forgotten.into()))
}
