//! Secrets: get one by name, and nothing else. No list, no write.
//!
//! [`Secrets`] is what the broker and the model gateway hold. [`Keeper`] is the user's own side,
//! straight to the store: `carl secret` uses it, no service holds it and no protocol offers it.

mod reference;

pub use reference::{KEEP_THE_KEY, SecretRef};

use async_trait::async_trait;
use domain::fault::Coded;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

/// Longest a store may take to answer.
pub const SECRET_TIME: Duration = Duration::from_secs(2);
/// Longest name of a secret, bytes.
pub const SECRET_NAME_BYTES: usize = 64;
/// Longest secret, bytes. What a key of the kernel can carry with room to spare.
pub const SECRET_VALUE_BYTES: usize = 16 << 10;

/// A secret's value. It cannot be printed, compared by accident or serialised, and its memory is
/// overwritten when it is dropped.
///
/// ```compile_fail
/// let secret = api::secrets::SecretValue::new(b"hunter2".to_vec());
/// println!("{secret:?}");
/// ```
/// ```compile_fail
/// let secret = api::secrets::SecretValue::new(b"hunter2".to_vec());
/// println!("{secret}");
/// ```
/// ```compile_fail
/// let secret = api::secrets::SecretValue::new(b"hunter2".to_vec());
/// let text = serde_json::to_string(&secret);
/// ```
/// ```compile_fail
/// let secret = api::secrets::SecretValue::new(b"hunter2".to_vec());
/// let twice = secret.clone();
/// ```
/// ```compile_fail
/// let secret = api::secrets::SecretValue::new(b"hunter2".to_vec());
/// let same = secret == secret;
/// ```
pub struct SecretValue(Zeroizing<Vec<u8>>);

impl SecretValue {
    /// Wraps a value received from a backend or typed by the user.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// The bytes, for the one place that hands them on.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }

    /// Whether the value is exactly these bytes, in a time that depends on the length alone.
    #[must_use]
    pub fn matches(&self, bytes: &[u8]) -> bool {
        self.0.as_slice().ct_eq(bytes).into()
    }
}

impl Zeroize for SecretValue {
    fn zeroize(&mut self) {
        self.0.zeroize();
    }
}

/// The name of a secret: 1 to [`SECRET_NAME_BYTES`] letters, digits and `.`, `_`, `-`, the first a
/// letter or digit; and nothing that has the shape of a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretName(String);

impl SecretName {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A name that a store may have from before: one in the shape of a key is taken as well, so
    /// that it can be listed and removed. For everything else there is [`str::parse`].
    ///
    /// # Errors
    /// [`Error::InvalidName`], which repeats nothing of the text.
    pub fn kept(text: &str) -> Result<Self, Error> {
        match form(text) {
            None => Ok(Self(text.to_owned())),
            Some(problem) => Err(Error::InvalidName { problem }),
        }
    }

    /// Whether the name has the shape of a key, and so may be one.
    #[must_use]
    pub fn is_a_key(&self) -> bool {
        text::secrets::is_a_key(&self.0)
    }
}

/// What is wrong with the form of a name.
fn form(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        Some("it is empty")
    } else if text.len() > SECRET_NAME_BYTES {
        Some("it has more than 64 characters")
    } else if !text.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Some("it must begin with a letter or digit")
    } else if !text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    {
        Some("it may have letters, digits, `.`, `_` and `-` alone")
    } else {
        None
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SecretName {
    type Err = Error;

    // What was given is never repeated: whoever types a key where its name belongs would read it
    // again in every log.
    fn from_str(text: &str) -> Result<Self, Error> {
        let name = Self::kept(text)?;
        if name.is_a_key() {
            let problem = "it has the shape of a key";
            return Err(Error::InvalidName { problem });
        }
        Ok(name)
    }
}

/// What to do about a store that cannot be used, where nothing better is known.
pub const TRY_THE_STORE: &str = "`carl doctor` tries the store and says what is missing.";

/// Why a secret was not given or not kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No secret of that name.
    #[error("no secret is named `{name}`")]
    NotFound {
        /// The name asked for.
        name: String,
    },
    /// The text cannot name a secret.
    #[error("that is no name for a secret: {problem}")]
    InvalidName {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The value cannot be kept.
    #[error("the secret cannot be kept: {problem}")]
    InvalidValue {
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The configuration names no store.
    #[error("no secret store is chosen")]
    NotChosen,
    /// The store is there and locked.
    #[error("the secret store is locked: {detail}")]
    Locked {
        /// Which, and what unlocks it.
        detail: String,
    },
    /// The backend is missing or slow.
    #[error("the secret store cannot be used: {detail}")]
    Unavailable {
        /// What it said.
        detail: String,
        /// What to do: [`TRY_THE_STORE`] where nothing better is known.
        hint: String,
    },
    /// The passphrase is wrong, or what was stored was changed.
    #[error("the secret store does not open: {detail}")]
    Sealed {
        /// Which file, and what can be the matter.
        detail: String,
    },
    /// The caller is not the broker.
    #[error("only the broker may read secrets")]
    NotPermitted,
}

impl Error {
    /// A store that cannot be used, where nothing better is known than to try it.
    #[must_use]
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::Unavailable {
            detail: detail.into(),
            hint: TRY_THE_STORE.to_owned(),
        }
    }
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "secrets.not_found",
            Self::InvalidName { .. } => "secrets.invalid_name",
            Self::InvalidValue { .. } => "secrets.invalid_value",
            Self::NotChosen => "secrets.not_chosen",
            Self::Locked { .. } => "secrets.locked",
            Self::Unavailable { .. } => "secrets.unavailable",
            Self::Sealed { .. } => "secrets.sealed",
            Self::NotPermitted => "secrets.not_permitted",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::NotFound { name } => format!("Store it with `carl secret set {name}`."),
            Self::InvalidName { .. } => {
                "A name is a word such as `openai-work`; the secret itself is asked for.".to_owned()
            }
            Self::NotChosen => "Write `backend = \"secret-service\"` (GNOME Keyring, KWallet) or \
                `backend = \"kernel-keyring\"` (servers) under [secrets] in config.toml."
                .to_owned(),
            Self::Locked { .. } => "Unlock it with `carl secret unlock`.".to_owned(),
            Self::Unavailable { hint, .. } => hint.clone(),
            Self::Sealed { .. } => {
                "Try the passphrase again. A file that was changed has to come from a backup."
                    .to_owned()
            }
            Self::NotPermitted => {
                "Give the caller the service's token, as docs/secrets.md says.".to_owned()
            }
            Self::InvalidValue { .. } => String::new(),
        }
    }
}

/// The secret store, callable by the broker's identity only.
#[async_trait]
pub trait Secrets: Send + Sync {
    /// The value of a named secret.
    ///
    /// # Errors
    /// Any [`Error`], within two seconds.
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error>;
}

/// Told of callers who asked for a secret and may have none.
#[async_trait]
pub trait Refusals: Send + Sync {
    /// Somebody asked over a socket without the service's token. What was asked for is not said:
    /// it is a stranger's text.
    async fn refused(&self);
}

/// Whether a secret of the name was there before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It was not.
    Added,
    /// It was, and its value is gone.
    Replaced,
}

/// The user's side of a store. Held by the user's own command alone.
#[async_trait]
pub trait Keeper: Send + Sync {
    /// Keeps a secret under a name, in place of any that had it.
    ///
    /// # Errors
    /// [`Error`] when the store is locked or missing, or the value is empty or too long.
    async fn set(&self, name: &SecretName, value: SecretValue) -> Result<Kept, Error>;

    /// Forgets a secret.
    ///
    /// # Errors
    /// [`Error::NotFound`] when there is none, and others when the store is locked or missing.
    async fn remove(&self, name: &SecretName) -> Result<(), Error>;

    /// The names of all secrets, sorted.
    ///
    /// # Errors
    /// [`Error`] when the store is locked or missing.
    async fn names(&self) -> Result<Vec<SecretName>, Error>;
}

/// Refuses what no store keeps.
///
/// # Errors
/// [`Error::InvalidValue`] for an empty or too long value.
pub fn check_value(value: &SecretValue) -> Result<(), Error> {
    let problem = match value.expose().len() {
        0 => "it is empty",
        1..=SECRET_VALUE_BYTES => return Ok(()),
        _ => "it is longer than 16 KiB",
    };
    Err(Error::InvalidValue { problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_words_and_a_refusal_repeats_nothing() {
        for good in ["a", "openai-work", "7_x.y", &"n".repeat(SECRET_NAME_BYTES)] {
            assert_eq!(good.parse::<SecretName>().unwrap().as_str(), good);
        }
        let long = "n".repeat(SECRET_NAME_BYTES + 1);
        for bad in ["", "-x", ".x", "a b", "a/b", "ä", "a\nb", "a\0", &long] {
            let error = bad.parse::<SecretName>().unwrap_err();
            assert_eq!(error.code(), "secrets.invalid_name");
            assert!(
                bad.is_empty() || !error.to_string().contains(bad),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn a_key_is_no_name_but_can_be_found_where_it_was_kept_as_one() {
        let error = "sk-ant-api03-abc".parse::<SecretName>().unwrap_err();
        assert_eq!(error.code(), "secrets.invalid_name");
        assert!(!format!("{error} {}", error.hint()).contains("api03"));
        let kept = SecretName::kept("sk-ant-api03-abc").unwrap();
        assert!(kept.is_a_key());
        assert!(SecretName::kept("a b").is_err());
    }

    #[test]
    fn a_value_matches_itself_alone() {
        let value = SecretValue::new(b"abc".to_vec());
        assert!(value.matches(b"abc"));
        for other in [&b"abd"[..], b"ab", b"abcd", b""] {
            assert!(!value.matches(other));
        }
    }

    #[test]
    fn a_value_is_overwritten() {
        let mut value = SecretValue::new(b"abc".to_vec());
        value.zeroize();
        assert!(value.expose().is_empty());
    }

    #[test]
    fn empty_and_too_long_values_are_refused() {
        let check = |bytes: usize| check_value(&SecretValue::new(vec![1; bytes])).is_ok();
        assert!(check(1) && check(SECRET_VALUE_BYTES));
        assert!(!check(0) && !check(SECRET_VALUE_BYTES + 1));
    }
}
