//! What `[secrets]` in the configuration says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The `[secrets]` table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where secrets are kept. `None`: nowhere, and whatever needs one says so.
    pub backend: Option<Backend>,
    /// The file with the token of the secrets role; empty: `secrets.token` in the runtime folder.
    pub token_file: PathBuf,
}

/// A store of secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Backend {
    /// The desktop's Secret Service over D-Bus: GNOME Keyring, KWallet.
    SecretService,
    /// The kernel's keyring, filled from an encrypted file: for servers without a desktop.
    KernelKeyring,
}

impl Backend {
    /// The name in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SecretService => "secret-service",
            Self::KernelKeyring => "kernel-keyring",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_is_named_and_none_is_chosen_by_itself() {
        assert_eq!(toml::from_str::<Config>("").unwrap().backend, None);
        for backend in [Backend::SecretService, Backend::KernelKeyring] {
            let text = format!("backend = \"{}\"", backend.as_str());
            let config: Config = toml::from_str(&text).unwrap();
            assert_eq!(config.backend, Some(backend));
        }
        assert!(toml::from_str::<Config>("backend = \"file\"").is_err());
    }
}
