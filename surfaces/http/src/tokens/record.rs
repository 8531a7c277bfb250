//! The file of access tokens.

use super::token::Token;
use domain::Timestamp;
use domain::hash::Digest;
use domain::token::TokenName;
use serde::{Deserialize, Serialize};

/// The form that is written.
const VERSION: u32 = 1;

/// The whole file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct File {
    version: u32,
    tokens: Vec<Record>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Record {
    name: TokenName,
    scope: String,
    created: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<Timestamp>,
    /// Of what has to be shown.
    digest: Digest,
}

impl File {
    pub(super) fn of(tokens: &[Token]) -> Self {
        let tokens = tokens.iter().map(|one| Record {
            name: one.name.clone(),
            scope: one.scope.to_string(),
            created: one.created,
            expires: one.expires,
            digest: one.digest,
        });
        Self {
            version: VERSION,
            tokens: tokens.collect(),
        }
    }

    /// The tokens, or what is wrong with the file.
    pub(super) fn tokens(self) -> Result<Vec<Token>, String> {
        if self.version != VERSION {
            return Err(format!("its form has the number {}", self.version));
        }
        let tokens = self.tokens.into_iter().map(|one| {
            Ok(Token {
                scope: one.scope.parse()?,
                digest: one.digest,
                name: one.name,
                created: one.created,
                expires: one.expires,
            })
        });
        tokens.collect()
    }
}
