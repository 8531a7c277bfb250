//! Guard: the policy as a service to programs that run their own tools.

use crate::Streaming;
use async_trait::async_trait;
use domain::decision::Decision;
use domain::fault::Coded;
use futures::stream::BoxStream;

pub use domain::guarded::{Request, Step};

/// What the guard says.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// To a check.
    Decided {
        /// The id of the check.
        id: u64,
        /// Allow, have the user asked, or deny.
        decision: Decision,
    },
    /// To a request that cannot be taken.
    Refused {
        /// What is wrong and what to say instead.
        problem: String,
    },
}

/// Why a conversation broke off. What was not answered is denied.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request makes no sense.
    #[error("what was said to the guard cannot be read: {detail}")]
    Unreadable {
        /// Which part, and why.
        detail: String,
    },
    /// The service could not be reached, or no longer.
    #[error("the guard cannot be reached: {detail}")]
    Unreachable {
        /// Where and why.
        detail: String,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "guard.unreadable",
            Self::Unreachable { .. } => "guard.unreachable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Unreadable { .. } => "Begin another conversation and say it in the form of \
                 docs/policy-serve.md. Run nothing that was not allowed."
                .to_owned(),
            Self::Unreachable { .. } => "Check that `carl policy serve --listen` runs and the \
                 address. Run nothing that was not allowed."
                .to_owned(),
        }
    }
}

/// The guard of other programs. Fails closed: before a beginning, and after something that could
/// not be taken, every check is denied.
#[async_trait]
pub trait Guard: Send + Sync {
    /// Holds a conversation until its requests end. Each has a state of its own. Answers come in
    /// the order of what they answer, each before the next request has to be there.
    ///
    /// # Errors
    /// Any [`Error`], also as the last of the answers.
    async fn converse(
        &self,
        requests: BoxStream<'static, Request>,
    ) -> Result<Streaming<Answer, Error>, Error>;
}
