//! Reading project notes: who reads the files, and where it is kept what the user said of them, is
//! wiring's business.

pub use context::notes::{Found, Notes, Standing};
use domain::hash::Digest;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use uuid::Uuid;

/// Length of what marks a fence, characters.
const NONCE_CHARS: usize = 32;

/// What looks into a working folder.
type Read = dyn Fn(&Path) -> Found + Send + Sync;

/// Reads the notes for a working folder.
#[derive(Clone, Default)]
pub struct Reader {
    read: Option<Arc<Read>>,
    /// What nobody outside of this process knows.
    key: Uuid,
}

impl Reader {
    /// One that reads like this.
    pub fn new(read: impl Fn(&Path) -> Found + Send + Sync + 'static) -> Self {
        Self {
            read: Some(Arc::new(read)),
            key: Uuid::now_v7(),
        }
    }

    pub(crate) fn read(&self, workspace: &Path) -> Found {
        let read = self.read.as_ref();
        read.map_or_else(Found::default, |read| read(workspace))
    }

    /// What marks the fence around a version: no file can know it, and it stays the same, so that a
    /// prompt goes on beginning as it did.
    pub(crate) fn nonce(&self, version: Digest) -> String {
        let all = [self.key.as_bytes().as_slice(), version.as_bytes()].concat();
        let digits = Digest::of(&all).to_string();
        digits.chars().take(NONCE_CHARS).collect()
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reader").field(&self.read.is_some()).finish()
    }
}
