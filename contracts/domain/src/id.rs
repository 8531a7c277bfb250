//! Typed identifiers. All are UUIDv7 except names that a person or a model chooses.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use uuid::Uuid;

/// A string that is not a valid identifier of the wanted kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is not a valid {kind}: expected a UUID such as 0190a3c2-7b1e-7000-8000-000000000000"
)]
pub struct ParseIdError {
    kind: &'static str,
    text: String,
}

macro_rules! uuid_id {
    ($($(#[$doc:meta])* $name:ident = $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID. Services pass a fresh UUIDv7; this crate never makes one, since it
            /// has neither clock nor randomness.
            #[must_use]
            pub const fn from_uuid(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID inside.
            #[must_use]
            pub const fn as_uuid(&self) -> Uuid {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match Uuid::from_str(text) {
                    Ok(uuid) => Ok(Self(uuid)),
                    Err(_) => Err(ParseIdError { kind: $kind, text: text.chars().take(80).collect() }),
                }
            }
        }
    )*};
}

uuid_id! {
    /// One conversation with its log.
    SessionId = "session id";
    /// One who opened a session and has not closed it.
    HolderId = "holder id";
    /// One question or task inside a session and everything done for it.
    QueryId = "query id";
    /// One running agent.
    AgentId = "agent id";
    /// One tool call, given by us; a model's own call ids are not unique.
    CallId = "call id";
    /// One value the broker stored because an agent was shown it.
    ValueId = "value id";
    /// One chain of causally related work across services.
    TraceId = "trace id";
    /// One entry of memory: a curated memory or an engram.
    MemoryId = "memory id";
    /// One question to the user.
    ConfirmationId = "confirmation id";
    /// Calls or questions that belong together.
    BatchId = "batch id";
    /// One approved plan.
    PlanId = "plan id";
    /// One of several answerers to the same query.
    RespondentId = "respondent id";
}

/// Proof of being a registered agent. Issued by the broker, unguessable, and shown to no model.
///
/// It has neither `Display` nor a telling `Debug`, so that it cannot reach a log by accident.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct AgentToken(String);

impl AgentToken {
    /// Wraps the token text received from the broker or the wire.
    #[must_use]
    pub fn from_text(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The token text, for the wire and for the broker's look-up only.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AgentToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AgentToken(…)")
    }
}
