//! Agents in OpenAI's dialect: each type of agent is a model, and a conversation is whatever the client
//! sends.

mod answering;
mod asking;
mod calls;
mod chat;
mod conversation;
mod cut;
mod embeddings;
mod form;
mod models;
mod offered;
mod placing;
mod response_calls;
mod response_form;
mod responses;
mod wire;

pub(crate) use chat::chat;
pub(crate) use embeddings::embeddings;
pub(crate) use models::{list, show};
pub(crate) use responses::responses;

use crate::problem::Problem;
use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::fault::Fault;
use serde_json::{Value, json};

/// A request that came to nothing.
fn failed(fault: Fault) -> Problem {
    Problem::new(StatusCode::BAD_GATEWAY, fault)
}

/// A problem in OpenAI's form.
pub(crate) struct Shaped(Problem);

impl From<Problem> for Shaped {
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl IntoResponse for Shaped {
    fn into_response(self) -> Response {
        told(self.0)
    }
}

/// A problem in OpenAI's form.
pub(crate) fn told(problem: Problem) -> Response {
    let response = (problem.status, Json(error(&problem))).into_response();
    problem.headed(response)
}

/// The object of it.
fn error(problem: &Problem) -> Value {
    let kind = match problem.status {
        StatusCode::UNAUTHORIZED => "authentication_error",
        StatusCode::FORBIDDEN => "permission_error",
        StatusCode::TOO_MANY_REQUESTS => "rate_limit_error",
        status if status.is_client_error() => "invalid_request_error",
        _ => "server_error",
    };
    let fault = &problem.fault;
    let message = match fault.hint.as_str() {
        "" => fault.message.clone(),
        hint => format!("{}. {hint}", fault.message.trim_end_matches('.')),
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": fault.code}})
}
