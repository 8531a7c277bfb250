//! Access tokens: what programs show in the user's place, by names that the user gave.
//!
//! The file has digests alone: whoever reads it can show no token. It is read for each request, so
//! that a token that is taken back counts no more from that moment on.

mod record;
mod token;

pub use token::{Scope, Token};

use disk::private::{self, Durability};
use disk::read::{Links, bytes};
use domain::Timestamp;
use domain::fault::Coded;
use domain::hash::Digest;
use domain::token::TokenName;
use record::File;
use std::fmt;
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

use crate::limits::{TOKEN_FILE_BYTES, TOKENS};
use crate::secret::{fresh, is_same};

/// What the page is called where a token has its name: on record, and where requests are counted.
pub(crate) const PAGE_NAME: &str = "web";
/// How every token begins, so that it is known for one wherever it turns up.
const PREFIX: &str = "carl_";

/// Why tokens cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is one of this name.
    #[error("there is a token called {0} already")]
    Taken(TokenName),
    /// It is what the page is called on record.
    #[error("a token cannot be called {0}: answers that are given in the page stand on record so")]
    Reserved(TokenName),
    /// There is none of this name.
    #[error("there is no token called {0}")]
    NotFound(TokenName),
    /// It would be expired from the beginning.
    #[error("the token would have expired at {0}, which is past")]
    Expired(Timestamp),
    /// There are as many as may be.
    #[error("there are {TOKENS} tokens, which is as many as may be")]
    TooMany,
    /// The file cannot be read or written.
    #[error("the file of access tokens, {}, cannot be used: {detail}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Taken(_) => "tokens.taken",
            Self::Reserved(_) => "tokens.reserved",
            Self::NotFound(_) => "tokens.not_found",
            Self::Expired(_) => "tokens.expired",
            Self::TooMany => "tokens.too_many",
            Self::Unusable { .. } => "tokens.unusable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Taken(name) => format!(
                "Take another name, or take that one back first: carl token revoke {name}"
            ),
            Self::Reserved(_) => "Take another name.".to_owned(),
            Self::NotFound(_) => "`carl token list` lists them.".to_owned(),
            Self::Expired(_) => "Write how long it is good for, such as 30d, or a day to come."
                .to_owned(),
            Self::TooMany => "`carl token revoke NAME` takes one back.".to_owned(),
            Self::Unusable { .. } => {
                "Nobody is let in until it can be read. Mend it, or move it away and make the tokens \
                 anew."
                    .to_owned()
            }
        }
    }
}

/// The tokens of a state folder.
#[derive(Debug, Clone)]
pub struct Tokens {
    path: PathBuf,
    lock: PathBuf,
}

impl Tokens {
    /// Those of a state folder, which is there.
    #[must_use]
    pub fn below(state: &Path) -> Self {
        Self {
            path: state.join("access-tokens.json"),
            lock: state.join("access-tokens.lock"),
        }
    }

    /// Whether a token can be made.
    ///
    /// # Errors
    /// Why it cannot.
    pub fn check_new(
        &self,
        name: &TokenName,
        (now, expires): (Timestamp, Option<Timestamp>),
    ) -> Result<(), Error> {
        if let Some(end) = expires.filter(|end| *end <= now) {
            return Err(Error::Expired(end));
        }
        if name.as_str() == PAGE_NAME {
            return Err(Error::Reserved(name.clone()));
        }
        let all = self.list()?;
        if all.iter().any(|one| one.name == *name) {
            return Err(Error::Taken(name.clone()));
        }
        match all.len() >= TOKENS {
            true => Err(Error::TooMany),
            false => Ok(()),
        }
    }

    /// Whether there is a token of this name.
    ///
    /// # Errors
    /// When there is none, or the file cannot be read.
    pub fn check_known(&self, name: &TokenName) -> Result<(), Error> {
        match self.list()?.iter().any(|one| one.name == *name) {
            true => Ok(()),
            false => Err(Error::NotFound(name.clone())),
        }
    }

    /// Makes a token; what has to be shown is kept nowhere and never told again.
    ///
    /// # Errors
    /// As [`Error`] says.
    pub fn add(
        &self,
        name: TokenName,
        scope: Scope,
        (now, expires): (Timestamp, Option<Timestamp>),
    ) -> Result<Zeroizing<String>, Error> {
        let _lock = private::wait_for_lock(&self.lock).map_err(|error| self.unusable(&error))?;
        self.check_new(&name, (now, expires))?;
        let mut all = self.list()?;
        let secret = fresh(PREFIX);
        all.push(Token {
            name,
            scope,
            created: now,
            expires,
            digest: Digest::of(secret.as_bytes()),
        });
        self.write(&all)?;
        Ok(secret)
    }

    /// Takes a token back: it counts no more from now on.
    ///
    /// # Errors
    /// As [`Error`] says.
    pub fn revoke(&self, name: &TokenName) -> Result<Token, Error> {
        let _lock = private::wait_for_lock(&self.lock).map_err(|error| self.unusable(&error))?;
        let mut all = self.list()?;
        let Some(at) = all.iter().position(|one| one.name == *name) else {
            return Err(Error::NotFound(name.clone()));
        };
        let taken = all.remove(at);
        self.write(&all)?;
        Ok(taken)
    }

    /// All of them, also those whose time is up, in the order in which they were made.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn list(&self) -> Result<Vec<Token>, Error> {
        let found = bytes(&self.path, TOKEN_FILE_BYTES, Links::Refused);
        let Some(bytes) = found.map_err(|error| self.unusable(&error))? else {
            return Ok(Vec::new());
        };
        let file: File = serde_json::from_slice(&bytes).map_err(|error| self.unusable(&error))?;
        file.tokens().map_err(|detail| self.unusable(&detail))
    }

    /// The token that was shown; `None` for one that is unknown, taken back or expired. It takes as long
    /// for one as for the other.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(crate) fn find(&self, shown: &str, now: Timestamp) -> Result<Option<Token>, Error> {
        let shown = Digest::of(shown.as_bytes());
        let mut found = None;
        for one in self.list()? {
            if is_same(&one.digest, &shown) {
                found = Some(one);
            }
        }
        Ok(found.filter(|one| !one.is_expired(now)))
    }

    /// Whether a token that was found still counts.
    pub(crate) fn still_counts(&self, token: &Token, now: Timestamp) -> bool {
        let all = self.list().unwrap_or_default();
        !token.is_expired(now) && all.contains(token)
    }

    fn write(&self, all: &[Token]) -> Result<(), Error> {
        let text =
            serde_json::to_vec_pretty(&File::of(all)).map_err(|error| self.unusable(&error))?;
        private::replace(&self.path, &text, Durability::Durable)
            .map_err(|error| self.unusable(&error))
    }

    fn unusable(&self, why: &dyn fmt::Display) -> Error {
        Error::Unusable {
            path: self.path.clone(),
            detail: why.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn name(text: &str) -> TokenName {
        text.parse().unwrap()
    }

    #[test]
    fn a_token_is_found_by_what_was_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::below(folder.path());
        let now = (at(10), Some(at(20)));
        let secret = tokens.add(name("phone"), Scope::Chat, now).unwrap();
        assert_eq!(secret.len(), PREFIX.len() + 64);
        let found = tokens.find(&secret, at(19)).unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.scope), ("phone", Scope::Chat));
        assert!(tokens.still_counts(&found, at(19)));
        assert_eq!(tokens.find(&secret, at(20)).unwrap(), None);
        assert!(!tokens.still_counts(&found, at(20)));
        assert_eq!(tokens.find(&secret[1..], at(19)).unwrap(), None);
        let kept = std::fs::read_to_string(folder.path().join("access-tokens.json")).unwrap();
        assert!(!kept.contains(&secret[PREFIX.len()..]));
        tokens.revoke(&name("phone")).unwrap();
        assert_eq!(tokens.find(&secret, at(19)).unwrap(), None);
        assert!(!tokens.still_counts(&found, at(19)));
    }

    #[test]
    fn names_are_taken_once_and_time_runs_forward() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::below(folder.path());
        let add = |text: &str, end| {
            let added = tokens.add(name(text), Scope::Read, (at(10), end));
            added.map(|_| ()).map_err(|error| error.code())
        };
        assert_eq!(add("a", None), Ok(()));
        assert_eq!(add("a", None), Err("tokens.taken"));
        assert_eq!(add("web", None), Err("tokens.reserved"));
        assert_eq!(add("b", Some(at(10))), Err("tokens.expired"));
        let gone = tokens.revoke(&name("c")).unwrap_err();
        assert_eq!(gone.code(), "tokens.not_found");
        for number in 1..TOKENS {
            assert_eq!(add(&format!("n{number}"), None), Ok(()));
        }
        assert_eq!(add("over", None), Err("tokens.too_many"));
    }

    #[test]
    fn a_file_that_cannot_be_read_lets_nobody_in() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = Tokens::below(folder.path());
        let secret = tokens.add(name("a"), Scope::Read, (at(1), None)).unwrap();
        let found = tokens.find(&secret, at(2)).unwrap().unwrap();
        std::fs::write(folder.path().join("access-tokens.json"), "{").unwrap();
        let refused = tokens.find(&secret, at(2)).unwrap_err();
        assert_eq!(refused.code(), "tokens.unusable");
        assert!(!tokens.still_counts(&found, at(2)));
    }
}
