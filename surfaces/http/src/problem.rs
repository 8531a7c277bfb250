//! What went wrong, as RFC 9457 has it: `application/problem+json` with our codes.

use crate::wording::worded;
use crate::{login_codes, tokens};
use api::sessions::{self, ErrorKind};
use axum::body::Body;
use axum::http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::fault::{Coded, Fault};
use serde_json::{Value, json};

/// A request that is not done, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) fault: Fault,
    /// Whether the connection ends, since not all of the request was read.
    closes: bool,
}

impl Problem {
    pub(crate) fn new(status: StatusCode, fault: Fault) -> Self {
        Self {
            status,
            fault: worded(fault),
            closes: false,
        }
    }

    /// The request cannot be used as it is.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            fault("http.invalid_request", message, ""),
        )
    }

    /// There is nothing of that name.
    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        let hint = "docs/http.md lists the paths.";
        Self::new(
            StatusCode::NOT_FOUND,
            fault("http.not_found", message, hint),
        )
    }

    /// The same, at the end of its connection.
    pub(crate) fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// The JSON of it.
    fn json(&self) -> Value {
        let title = self.status.canonical_reason().unwrap_or("Error");
        let mut body = json!({
            "type": "about:blank",
            "title": title,
            "status": self.status.as_u16(),
            "detail": self.fault.message,
            "code": self.fault.code,
        });
        if !self.fault.hint.is_empty() {
            body["hint"] = json!(self.fault.hint);
        }
        body
    }

    /// The headers that say what to do about it.
    pub(crate) fn headed(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        match self.status {
            StatusCode::UNAUTHORIZED => {
                let scheme = HeaderValue::from_static("Bearer realm=\"housecarl\"");
                headers.insert(WWW_AUTHENTICATE, scheme);
            }
            StatusCode::TOO_MANY_REQUESTS => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

/// A fault with a code of this crate.
pub(crate) fn fault(
    code: &'static str,
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Fault {
    Fault {
        code: code.to_owned(),
        message: message.into(),
        hint: hint.into(),
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = Body::from(self.json().to_string());
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        let kind = HeaderValue::from_static("application/problem+json");
        response.headers_mut().insert(CONTENT_TYPE, kind);
        self.headed(response)
    }
}

impl From<sessions::Error> for Problem {
    fn from(error: sessions::Error) -> Self {
        let status = match error.kind {
            ErrorKind::NotFound => StatusCode::NOT_FOUND,
            ErrorKind::Locked
            | ErrorKind::InvalidAnswer
            | ErrorKind::Busy
            | ErrorKind::NothingToDo
            | ErrorKind::NotAuto => StatusCode::CONFLICT,
            ErrorKind::QueueFull => StatusCode::TOO_MANY_REQUESTS,
            ErrorKind::InvalidRequest => StatusCode::BAD_REQUEST,
            ErrorKind::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            ErrorKind::Unreachable => StatusCode::SERVICE_UNAVAILABLE,
            ErrorKind::Corrupt | ErrorKind::Unwritable => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error.fault())
    }
}

impl From<login_codes::Error> for Problem {
    fn from(error: login_codes::Error) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, error.fault())
    }
}

impl From<tokens::Error> for Problem {
    fn from(error: tokens::Error) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, error.fault())
    }
}
