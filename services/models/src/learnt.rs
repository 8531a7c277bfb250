//! What was learnt of models, kept from one process to the next: how they count tokens, and in which form
//! their calls work.

use crate::record::ModelRecord;
use disk::private::{self, Durability};
use disk::read::{Links, bytes};
use std::collections::BTreeMap;
use std::io::{self};
use std::path::{Path, PathBuf};

/// Models of which something is remembered; of more, all are forgotten.
const MODELS: usize = 256;
/// Largest file that is read, bytes.
const FILE_BYTES: u64 = 256 << 10;
/// A change of a factor by less than this share, thousandths, is not written down.
const WRITTEN_PERMILLE: u32 = 20;

/// What is known of each model, by `provider/model`.
#[derive(Debug, Default)]
pub(crate) struct Learnt {
    /// Where it is kept; `None`: nowhere.
    file: Option<PathBuf>,
    models: BTreeMap<String, ModelRecord>,
    /// The factors as the file has them, thousandths.
    written: BTreeMap<String, u32>,
}

impl Learnt {
    /// What a file holds. One that cannot be read is made anew.
    pub(crate) fn kept_in(file: PathBuf) -> Self {
        let models = read(&file);
        Self {
            written: factors(&models),
            models,
            file: Some(file),
        }
    }

    pub(crate) fn of(&self, model: &str) -> Option<ModelRecord> {
        self.models.get(model).copied()
    }

    /// Remembers this of a model.
    pub(crate) fn set(&mut self, model: &str, counting: ModelRecord) {
        if self.models.len() >= MODELS && !self.models.contains_key(model) {
            self.models.clear();
        }
        let known = self.models.insert(model.to_owned(), counting);
        let before = self.written.get(model).copied();
        let is_other_form =
            known.is_some_and(|known| known.calls_as_json) != counting.calls_as_json;
        let is_news = is_other_form
            || before.is_none_or(|before| {
                before.abs_diff(counting.permille) * 1_000 >= before * WRITTEN_PERMILLE
            });
        if is_news && let Some(file) = &self.file {
            // Another process may have learnt of other models meanwhile.
            let mut all = read(file);
            all.insert(model.to_owned(), counting);
            match write(file, &all) {
                Ok(()) => self.written = factors(&all),
                Err(error) => {
                    tracing::warn!(file = %file.display(), %error, "what was learnt of a model is not kept");
                }
            }
        }
    }
}

fn factors(models: &BTreeMap<String, ModelRecord>) -> BTreeMap<String, u32> {
    let models = models.iter();
    models
        .map(|(model, counting)| (model.clone(), counting.permille))
        .collect()
}

fn read(file: &Path) -> BTreeMap<String, ModelRecord> {
    let Ok(Some(text)) = bytes(file, FILE_BYTES, Links::Followed) else {
        return BTreeMap::new();
    };
    serde_json::from_slice(&text).unwrap_or_else(|error| {
        tracing::warn!(file = %file.display(), %error, "made anew");
        BTreeMap::new()
    })
}

/// Replaces the file as a whole; it is readable by the user alone. It is no loss if a crash loses it.
fn write(file: &Path, all: &BTreeMap<String, ModelRecord>) -> io::Result<()> {
    let text = serde_json::to_vec_pretty(all).map_err(io::Error::other)?;
    private::replace(file, &text, Durability::Lossy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENSE: ModelRecord = ModelRecord {
        permille: 1_500,
        counts_cached: true,
        calls_as_json: false,
    };

    #[test]
    fn what_was_learnt_is_there_for_the_next_process_beside_what_others_learnt() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokens.json");
        let mut first = Learnt::kept_in(file.clone());
        let mut second = Learnt::kept_in(file.clone());
        first.set("p/a", DENSE);
        second.set("p/b", DENSE);
        // Less than is worth writing down.
        let slightly = ModelRecord {
            permille: 1_510,
            ..DENSE
        };
        second.set("p/b", slightly);
        assert_eq!(second.of("p/b"), Some(slightly));
        let third = Learnt::kept_in(file.clone());
        assert_eq!(
            (third.of("p/a"), third.of("p/b")),
            (Some(DENSE), Some(DENSE))
        );
        let as_json = ModelRecord {
            calls_as_json: true,
            ..DENSE
        };
        first.set("p/a", as_json);
        assert_eq!(Learnt::kept_in(file.clone()).of("p/a"), Some(as_json));
        std::fs::write(&file, "no JSON").unwrap();
        assert_eq!(Learnt::kept_in(file).of("p/a"), None);
    }

    #[test]
    fn models_beyond_the_limit_make_all_be_forgotten() {
        let mut learnt = Learnt::default();
        for number in 0..MODELS {
            learnt.set(&format!("p/{number}"), DENSE);
        }
        learnt.set("p/0", DENSE);
        assert_eq!(learnt.of("p/1"), Some(DENSE));
        learnt.set("p/new", DENSE);
        assert_eq!((learnt.of("p/1"), learnt.of("p/new")), (None, Some(DENSE)));
    }
}
