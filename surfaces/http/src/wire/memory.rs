//! The JSON of memory.

use crate::host::Addition;
use api::memory::{Forgotten, HeldBy, Holder};
use domain::id::MemoryId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// `POST /api/v1/memory/search`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Search {
    pub(crate) query: String,
}

/// `POST /api/v1/memory` and `…/correct`.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Remember {
    text: String,
    /// Without one, the name of what is corrected, or the first words.
    name: Option<String>,
    #[serde(default)]
    description: String,
    /// Words to find it by.
    #[serde(default)]
    tags: Vec<String>,
    /// `user`, `project`, `agent:TYPE` or a word; not for a correction, which stays where it is.
    pub(crate) namespace: Option<String>,
}

impl Remember {
    /// What is to be kept, in place of another entry where it corrects one.
    pub(crate) fn addition(self, corrects: Option<MemoryId>) -> Addition {
        Addition {
            text: self.text,
            name: self.name,
            description: self.description,
            tags: self.tags,
            namespace: self.namespace,
            corrects,
        }
    }
}

/// What is kept.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Kept {
    #[schema(value_type = String)]
    pub(crate) id: MemoryId,
    /// `false`: an entry said the same already, and this is its id.
    pub(crate) is_new: bool,
}

/// `DELETE /api/v1/memory/{id}`.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Forgot {
    /// Entries that were removed: it, and what it corrected.
    entries: u64,
    /// Files of memory that were searched for the text then.
    files: u64,
    /// Their size, bytes.
    bytes: u64,
    /// The entries that say the same and stay; null: that could not be looked up.
    held_by: Option<Holders>,
}

/// Entries that say what a forgotten one said.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Holders {
    entries: u64,
    /// The oldest of them.
    named: Vec<Named>,
}

/// One of them.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Named {
    #[schema(value_type = String)]
    id: MemoryId,
    kind: &'static str,
    title: String,
}

impl From<Forgotten> for Forgot {
    fn from(forgotten: Forgotten) -> Self {
        Self {
            entries: forgotten.entries,
            files: forgotten.files,
            bytes: forgotten.bytes,
            held_by: forgotten.held_by.map(Holders::from),
        }
    }
}

impl From<HeldBy> for Holders {
    fn from(held_by: HeldBy) -> Self {
        let named = |one: Holder| Named {
            id: one.id,
            kind: one.kind.as_str(),
            title: one.title,
        };
        Self {
            entries: held_by.entries,
            named: held_by.named.into_iter().map(named).collect(),
        }
    }
}
