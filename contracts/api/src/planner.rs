//! A planner outside: a program of the user's that makes plans in bridge mode.
//!
//! What it answers is untrusted. Its plan is validated, judged and approved like every other.

use async_trait::async_trait;
use domain::fault::Coded;
use domain::limits::BRIDGE_ANSWER_BYTES;
use serde_json::Value;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What the planner is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What is to be planned.
    pub input: String,
    /// What was recalled for it, fenced; empty for nothing.
    pub memory: String,
    /// The working folder.
    pub workspace: PathBuf,
    /// Its paths: files as `a/b.md`, folders as `a/`.
    pub listing: Vec<String>,
}

/// Plans what it is told.
#[async_trait]
pub trait Planner: std::fmt::Debug + Send + Sync {
    /// Asks for a plan, which nothing was checked of but that it is JSON. Dropping the future
    /// withdraws the question.
    ///
    /// # Errors
    /// [`Error`].
    async fn plan(&self, request: Request) -> Result<Value, Error>;
}

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Configuration names none.
    #[error("no planner bridge is configured")]
    NotConfigured,
    /// The program cannot be started, or nothing listens at the socket.
    #[error("the planner bridge {name} cannot be reached: {source}")]
    Unreachable {
        /// The program or socket.
        name: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It ended, or closed the connection, without an answer.
    #[error("the planner bridge ended without an answer")]
    NoAnswer,
    /// Reading its answer failed.
    #[error("the planner bridge broke off: {0}")]
    Broken(#[source] io::Error),
    /// No answer in time.
    #[error("the planner bridge gave no answer within {} seconds", .0.as_secs_f32())]
    Timeout(Duration),
    /// Too long an answer.
    #[error("the planner bridge answered with more than {BRIDGE_ANSWER_BYTES} bytes")]
    TooLarge,
    /// Not JSON.
    #[error("the planner bridge answered with something that is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// JSON of another form.
    #[error("the planner bridge answered with neither a `plan` nor an `error`")]
    WrongForm,
    /// It says that it cannot plan this.
    #[error("the planner bridge could not plan this: {0}")]
    Declined(String),
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "bridge.not_configured",
            Self::Unreachable { .. } => "bridge.unreachable",
            Self::NoAnswer | Self::Broken(_) => "bridge.no_answer",
            Self::Timeout(_) => "bridge.timeout",
            Self::TooLarge => "bridge.too_large",
            Self::NotJson(_) | Self::WrongForm => "bridge.invalid_answer",
            Self::Declined(_) => "bridge.declined",
        }
    }

    fn message(&self) -> String {
        let text = self.to_string();
        let mut letters = text.chars();
        match letters.next() {
            Some(first) => first.to_uppercase().chain(letters).collect::<String>() + ".",
            None => text,
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::NotConfigured => {
                "Name a program or socket in the configuration; docs/plan-bridge.md shows how."
            }
            Self::Declined(_) => "",
            _ => "docs/plan-bridge.md describes what a bridge must answer.",
        }
        .to_owned()
    }
}
