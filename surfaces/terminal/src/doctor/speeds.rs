//! How fast each model was: the best that `carl doctor --model` measured on this machine, kept in
//! the state folder to compare later measurements with.

use anyhow::{Context, Result};
use disk::private::{self, Durability};
use disk::read::{self, Links};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Share of the best rate under which a model is called slower, thousandths. A busy machine is
/// within it.
const SLOWER_PERMILLE: f64 = 750.0;
/// Largest file, bytes.
const FILE_BYTES: u64 = 1 << 20;
/// Most models that are kept.
const MODELS: usize = 256;

/// The best of one model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Best {
    /// Tokens a second.
    pub(super) rate: f64,
    /// When it was measured.
    pub(super) at: jiff::Timestamp,
}

/// The file.
pub(super) struct Speeds {
    path: PathBuf,
}

impl Speeds {
    /// Below a state folder.
    pub(super) fn below(state: &Path) -> Self {
        Self {
            path: state.join("speeds.json"),
        }
    }

    /// Where it is.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Compares a rate with the best so far, and keeps it where it is better. The best before, where
    /// this one is much slower.
    ///
    /// # Errors
    /// When the file cannot be written. One that cannot be read is made anew.
    pub(super) fn compare(
        &self,
        model: &str,
        rate: f64,
        now: jiff::Timestamp,
    ) -> Result<Option<Best>> {
        let mut all = self.read();
        let before = all.get(model).copied();
        if before.is_none_or(|best| rate > best.rate) {
            if all.len() >= MODELS {
                all.clear();
            }
            all.insert(model.to_owned(), Best { rate, at: now });
            let text = serde_json::to_string_pretty(&all)?;
            private::replace(&self.path, text.as_bytes(), Durability::Lossy)
                .with_context(|| format!("{} cannot be written", self.path.display()))?;
        }
        Ok(before.filter(|best| rate < best.rate * SLOWER_PERMILLE / 1_000.0))
    }

    fn read(&self) -> BTreeMap<String, Best> {
        let text = read::text(&self.path, FILE_BYTES, Links::Refused)
            .ok()
            .flatten();
        let Some(text) = text else {
            return BTreeMap::new();
        };
        serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!(path = %self.path.display(), %error, "made anew");
            BTreeMap::new()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_is_kept_and_much_slower_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let speeds = Speeds::below(folder.path());
        let now = jiff::Timestamp::UNIX_EPOCH;
        let compare = |rate| speeds.compare("ollama/m", rate, now).unwrap();
        assert_eq!(compare(40.0), None);
        assert_eq!(compare(35.0), None, "within what a busy machine does");
        assert_eq!(compare(20.0).map(|best| best.rate), Some(40.0));
        assert_eq!(compare(50.0), None);
        assert_eq!(compare(36.0).map(|best| best.rate), Some(50.0));
        assert_eq!(speeds.compare("ollama/other", 1.0, now).unwrap(), None);
        std::fs::write(speeds.path(), "not JSON").unwrap();
        assert_eq!(compare(1.0), None, "made anew");
    }
}
