//! What the broker refuses, as surfaces see it.

use api::broker;
use api::sessions::{Error, ErrorKind};
use domain::fault::Coded;

/// The broker's refusal as an error of the session.
pub(crate) fn refused(error: broker::Error) -> Error {
    let kind = match error.kind {
        broker::ErrorKind::UnknownSession => ErrorKind::NotFound,
        broker::ErrorKind::UnknownConfirmation | broker::ErrorKind::BindingMismatch => {
            ErrorKind::InvalidAnswer
        }
        broker::ErrorKind::UnknownAgentType | broker::ErrorKind::InvalidSettings => {
            ErrorKind::InvalidRequest
        }
        broker::ErrorKind::SessionOpen => ErrorKind::Busy,
        broker::ErrorKind::Unreachable | broker::ErrorKind::NotOffered => ErrorKind::Unreachable,
        broker::ErrorKind::UnknownAgent
        | broker::ErrorKind::UnknownCall
        | broker::ErrorKind::LimitReached
        | broker::ErrorKind::AuditUnwritable => ErrorKind::Refused,
    };
    Error::new(kind, error.message())
        .with_hint(error.hint())
        .with_source(error)
}
