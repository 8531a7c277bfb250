//! What a call of `package_install` asks for.

use serde::Deserialize;

/// The folder pip installs into, in the working folder.
pub(super) const VENV: &str = ".venv";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Manager {
    Apt,
    Pip,
    Cargo,
    Npm,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PackageInstall {
    pub(super) manager: Manager,
    pub(super) names: Vec<String>,
    #[serde(default = "yes")]
    pub(super) dry_run: bool,
}

const fn yes() -> bool {
    true
}

impl Manager {
    /// Where it asks when the user's configuration names no other place.
    pub(super) fn public_index(self) -> String {
        let own = match self {
            Self::Apt => "apt",
            Self::Pip => "pip",
            Self::Cargo => "cargo",
            Self::Npm => "npm",
        };
        format!("the public index of {own}")
    }
}
