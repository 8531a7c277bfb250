//! Access tokens by name: what programs show in the user's place.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Longest name of an access token, characters.
pub const TOKEN_NAME_CHARACTERS: usize = 64;

/// What the user calls an access token. The token itself is kept nowhere.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TokenName(String);

/// A text that cannot name a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot name a token: use 1 to 64 letters, digits, `_`, `-` and `.`")]
pub struct InvalidTokenName(String);

impl TokenName {
    /// Checks and wraps a name.
    ///
    /// # Errors
    /// [`InvalidTokenName`] when the name is empty, too long or has other characters.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidTokenName> {
        let name = name.into();
        let mut letters = name.bytes();
        let fits = (1..=TOKEN_NAME_CHARACTERS).contains(&name.len())
            && letters.all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
        match fits {
            true => Ok(Self(name)),
            false => Err(InvalidTokenName(name.chars().take(80).collect())),
        }
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TokenName {
    type Error = InvalidTokenName;

    fn try_from(name: String) -> Result<Self, InvalidTokenName> {
        Self::new(name)
    }
}

impl FromStr for TokenName {
    type Err = InvalidTokenName;

    fn from_str(name: &str) -> Result<Self, InvalidTokenName> {
        Self::new(name)
    }
}

impl From<TokenName> for String {
    fn from(name: TokenName) -> Self {
        name.0
    }
}

impl fmt::Display for TokenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// By which way the user's answer to a question comes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Answerer {
    /// The user, in a window of their own.
    #[default]
    User,
    /// A program in the user's place, by the access token of this name.
    Token(TokenName),
}

impl Answerer {
    /// The name of the token; `None` for the user.
    #[must_use]
    pub const fn token(&self) -> Option<&TokenName> {
        match self {
            Self::User => None,
            Self::Token(name) => Some(name),
        }
    }
}

impl From<Option<TokenName>> for Answerer {
    fn from(token: Option<TokenName>) -> Self {
        token.map_or(Self::User, Self::Token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_few_plain_characters() {
        let longest = "x".repeat(TOKEN_NAME_CHARACTERS);
        for good in ["phone", "CI_2.a-b", longest.as_str()] {
            assert_eq!(TokenName::new(good).unwrap().as_str(), good);
        }
        let longer = "x".repeat(TOKEN_NAME_CHARACTERS + 1);
        for bad in ["", "a b", "a/b", "ü", "a\n", longer.as_str()] {
            assert!(TokenName::new(bad).is_err(), "{bad:?}");
        }
    }
}
