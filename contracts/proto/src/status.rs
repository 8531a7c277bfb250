//! Errors on the wire: a gRPC status with a stable reason code.

use crate::convert::InvalidField;
use domain::fault::Coded;
use domain::limits::WIRE_ERROR_BYTES;
use std::collections::HashMap;
use std::error::Error;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

const DOMAIN: &str = "housecarl";
const DETAIL: &str = "detail";
const HINT: &str = "hint";
const FIELD: &str = "field";

/// The reason code of a request that cannot be understood at all.
pub const INVALID_REQUEST: &str = "wire.invalid_request";

/// What an error of one of our services says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// Stable reason code.
    pub code: String,
    /// What happened.
    pub detail: String,
    /// What to do; empty for nothing.
    pub hint: String,
}

/// An error as a status. `detail` is what the client rebuilds the error from; it and the hint are
/// cut at [`WIRE_ERROR_BYTES`], because both travel as headers.
pub fn status(code: Code, error: &dyn Coded, detail: &str) -> Status {
    let (detail, full_hint, reason) = (cut(detail), error.hint(), error.code());
    let hint = cut(&full_hint);
    tracing::debug!(reason, detail, "answering with an error");
    let metadata = HashMap::from([
        (DETAIL.to_owned(), detail.to_owned()),
        (HINT.to_owned(), hint.to_owned()),
    ]);
    let details = ErrorDetails::with_error_info(reason, DOMAIN, metadata);
    // The plain message repeats the detail for people with other clients; percent-encoding may
    // triple it, so it is shorter.
    let message: String = error.message().chars().take(200).collect();
    Status::with_error_details(code, message, details)
}

impl From<InvalidField> for Status {
    fn from(error: InvalidField) -> Self {
        let text = error.to_string();
        let metadata = HashMap::from([
            (DETAIL.to_owned(), cut(&text).to_owned()),
            (FIELD.to_owned(), cut(&error.field).to_owned()),
        ]);
        let details = ErrorDetails::with_error_info(INVALID_REQUEST, DOMAIN, metadata);
        Self::with_error_details(Code::InvalidArgument, cut(&text), details)
    }
}

/// The reason in a status of ours; `None` for a status from elsewhere.
pub fn reason(status: &Status) -> Option<Reason> {
    let mut info = status.get_details_error_info()?;
    if info.domain != DOMAIN {
        return None;
    }
    let mut take = |key| info.metadata.remove(key).unwrap_or_default();
    let (detail, hint) = (take(DETAIL), take(HINT));
    Some(Reason {
        code: info.reason,
        detail,
        hint,
    })
}

/// What happened, for a status that has no reason of ours: the innermost cause. Never empty.
pub fn cause(status: &Status) -> String {
    let mut innermost: Option<&dyn Error> = status.source();
    while let Some(deeper) = innermost.and_then(Error::source) {
        innermost = Some(deeper);
    }
    match innermost {
        Some(cause) => cause.to_string(),
        None if status.code() == Code::Unimplemented => {
            "what listens there does not offer this; it serves another role, or is another version"
                .to_owned()
        }
        None if status.message().is_empty() => status.code().description().to_owned(),
        None => status.message().to_owned(),
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(WIRE_ERROR_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::models::{Error as ModelsError, ErrorKind};

    #[test]
    fn a_reason_survives_and_long_texts_are_cut_at_a_character() {
        let long = "ä".repeat(WIRE_ERROR_BYTES);
        let error = ModelsError::new(ErrorKind::Busy, long).with_hint("Wait ☕.");
        let reason = reason(&status(Code::ResourceExhausted, &error, &error.detail)).unwrap();
        assert_eq!(reason.code, "models.busy");
        assert_eq!(reason.hint, "Wait ☕.");
        assert_eq!(reason.detail, "ä".repeat(WIRE_ERROR_BYTES / 2));
    }

    #[test]
    fn a_status_without_a_message_has_a_cause() {
        let bare = |code| cause(&Status::new(code, ""));
        assert!(bare(Code::Unimplemented).contains("does not offer this"));
        assert!(!bare(Code::Unavailable).is_empty());
        assert_eq!(
            cause(&Status::unavailable("proxy says no")),
            "proxy says no"
        );
    }

    #[test]
    fn a_status_from_elsewhere_has_no_reason_of_ours() {
        assert_eq!(reason(&Status::unavailable("proxy says no")), None);
    }
}
