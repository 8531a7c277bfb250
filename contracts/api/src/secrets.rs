//! Secrets: get one by name, and nothing else. No list, no write.

use async_trait::async_trait;
use domain::fault::Coded;

/// A secret's value. It cannot be printed, compared by accident or serialised, and its memory is
/// overwritten when it is dropped.
pub struct SecretValue(Vec<u8>);

impl SecretValue {
    /// Wraps a value received from a backend.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes, for the one place that hands them on.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for SecretValue {
    fn drop(&mut self) {
        for byte in &mut self.0 {
            *byte = 0;
        }
        // Keeps the compiler from removing the stores above as dead.
        std::hint::black_box(&self.0);
    }
}

/// Why a secret was not given.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No secret of that name.
    #[error("no secret is named `{name}`")]
    NotFound {
        /// The name asked for.
        name: String,
    },
    /// The backend is locked, missing or slow.
    #[error("the secret store cannot be used: {detail}")]
    Unavailable {
        /// What it said.
        detail: String,
    },
    /// The caller is not the broker.
    #[error("only the broker may read secrets")]
    NotPermitted,
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "secrets.not_found",
            Self::Unavailable { .. } => "secrets.unavailable",
            Self::NotPermitted => "secrets.not_permitted",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        String::new()
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
