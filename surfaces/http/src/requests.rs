//! Requests in a session: sent, answered, stopped and taken back.

use crate::app::{App, Caller};
use crate::events;
use crate::problem::Problem;
use crate::sessions::id;
use crate::wire::{self, Answer, Interrupt, Message, Undo};
use crate::work::{self, Events, OnHangUp};
use api::sessions::{Input, SendRequest};
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use domain::event::Event;
use domain::id::{ConfirmationId, SessionId};
use domain::settings::Mode;
use domain::token::Answerer;
use rendering::summary::RunSummary;

/// The order that takes the last change back, as the rules read it.
const UNDO: &str = "undo";

/// `POST /api/v1/sessions/{id}/messages`.
pub(crate) async fn send(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(session): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let message: Message = wire::read(&body)?;
    let mut request = SendRequest::new(id(&session)?, message.text);
    request.mode = message.mode;
    let pictures = message.pictures.into_iter().map(wire::Picture::file);
    request.pictures = pictures.collect::<Result<_, _>>()?;
    request.input = message.input.map(|data| Input {
        name: data.name,
        text: data.text,
    });
    answered((app, caller), request, &headers).await
}

/// `POST /api/v1/sessions/{id}/undo`.
pub(crate) async fn undo(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path(session): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Problem> {
    let Undo {} = wire::read(&body)?;
    let mut request = SendRequest::new(id(&session)?, UNDO);
    request.mode = Some(Mode::Deterministic);
    answered((app, caller), request, &headers).await
}

/// Sends a request, and answers with its events or, once it is over, with what it came to.
async fn answered(
    (app, caller): (App, Caller),
    request: SendRequest,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let session_id = request.session_id;
    let lease = app.held.hold(app.sessions.as_ref(), session_id).await?;
    let events = work::begin(&app, lease, request, OnHangUp::GoOn).await?;
    if events::are_wanted(headers) {
        return Ok(events::of_request((app, caller), events));
    }
    Ok(Json(summed_up(session_id, events).await?.0).into_response())
}

/// What a request came to, and its events without the pieces of its answer.
pub(crate) async fn summed_up(
    session_id: SessionId,
    mut events: Events,
) -> Result<(RunSummary, Vec<Event>), Problem> {
    let mut summary = RunSummary::new(Some(session_id));
    let mut outline = Vec::new();
    while let Some(event) = events.recv().await {
        let event = event?;
        summary.add(&event);
        if api::sessions::Follow::Outline.has(&event.body) && !event.body.is_passing() {
            outline.push(event);
        }
    }
    Ok((summary, outline))
}

/// `POST /api/v1/sessions/{id}/confirmations/{confirmation}`.
pub(crate) async fn confirm(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    Path((session, confirmation)): Path<(String, String)>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let session_id = id(&session)?;
    let confirmation_id: ConfirmationId = confirmation
        .parse()
        .map_err(|error: domain::id::ParseIdError| Problem::not_found(error.to_string()))?;
    let answer: Answer = wire::read(&body)?;
    let binding = answer.binding;
    let by = Answerer::Token(caller.name.clone());
    let confirmed = app
        .sessions
        .confirm(session_id, confirmation_id, binding, answer.answer(), by);
    confirmed.await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `POST /api/v1/sessions/{id}/interrupt`.
pub(crate) async fn interrupt(
    State(app): State<App>,
    Path(session): Path<String>,
    body: Bytes,
) -> Result<StatusCode, Problem> {
    let interrupt: Interrupt = wire::read(&body)?;
    let stopped = app.sessions.interrupt(id(&session)?, interrupt.query_id);
    stopped.await?;
    Ok(StatusCode::NO_CONTENT)
}
