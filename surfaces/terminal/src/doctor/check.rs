//! What came of one check.

use crate::exit::describe;
use serde::Serialize;

/// How one check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// As it should be.
    Ok,
    /// It works, and something is to be known.
    Note,
    /// It does not work.
    Bad,
}

/// One check.
#[derive(Debug, Clone, Serialize)]
pub struct Check {
    /// What was looked at.
    pub name: &'static str,
    /// How it is.
    pub state: State,
    /// What was found.
    pub detail: String,
    /// What to do.
    pub hint: String,
}

impl Check {
    /// One that is as it should be.
    pub fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Ok,
            detail: detail.into(),
            hint: String::new(),
        }
    }

    /// One with something to be known.
    pub fn note(name: &'static str, detail: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            name,
            state: State::Note,
            detail: detail.into(),
            hint: hint.into(),
        }
    }

    /// One that failed.
    pub fn bad(name: &'static str, error: &anyhow::Error) -> Self {
        let (_, fault) = describe(error);
        Self {
            name,
            state: State::Bad,
            detail: fault.message,
            hint: fault.hint,
        }
    }
}
