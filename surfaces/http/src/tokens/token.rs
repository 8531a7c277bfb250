//! A token as it is kept.

use domain::Timestamp;
use domain::hash::Digest;
use domain::token::TokenName;
use std::fmt;
use std::str::FromStr;

/// What a token is good for. Each scope has those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Looking at sessions.
    Read,
    /// Sending requests, and what belongs to that.
    Chat,
    /// Answering questions.
    Approve,
    /// Opening folders, confirming in advance, deleting.
    Admin,
}

impl Scope {
    /// Every scope, the narrowest first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Chat, Self::Approve, Self::Admin];

    /// Its word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Chat => "chat",
            Self::Approve => "approve",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|one| one.as_str() == text);
        found.ok_or_else(|| format!("`{text}` is no scope: read, chat, approve or admin"))
    }
}

/// A token, without what has to be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// What the user calls it.
    pub name: TokenName,
    /// What it is good for.
    pub scope: Scope,
    /// When it was made.
    pub created: Timestamp,
    /// When it counts no more; `None`: never.
    pub expires: Option<Timestamp>,
    /// The digest of what has to be shown.
    pub(super) digest: Digest,
}

impl Token {
    /// Whether its time is up.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires.is_some_and(|end| end <= now)
    }
}
