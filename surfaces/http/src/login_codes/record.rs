//! The file of login codes.

use domain::Timestamp;
use domain::hash::Digest;
use serde::{Deserialize, Serialize};

/// The number of the file's form.
const VERSION: u32 = 1;

/// The file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    version: u32,
    codes: Vec<Record>,
}

/// A code, without what has to be shown.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Record {
    /// Of what has to be shown.
    pub(super) digest: Digest,
    /// When it counts no more.
    pub(super) expires: Timestamp,
}

impl File {
    pub(super) fn of(codes: Vec<Record>) -> Self {
        let version = VERSION;
        Self { version, codes }
    }

    /// The codes, or what is wrong with the file.
    pub(super) fn codes(self) -> Result<Vec<Record>, String> {
        match self.version {
            VERSION => Ok(self.codes),
            other => Err(format!("its form has the number {other}")),
        }
    }
}
