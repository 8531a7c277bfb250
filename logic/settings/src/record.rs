//! The form in which settings in force are told to other processes.

use domain::hash::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What services were begun with. Another version may know more keys, or fewer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The process that serves.
    pub process: u32,
    /// What it is.
    pub by: By,
    /// Whose services they are: the folder with all that is kept.
    pub state: PathBuf,
    /// Each configured value in force by its key, such as `memory.capture`.
    pub values: BTreeMap<String, Value>,
    /// What stands in the files beside the configuration, by their names.
    pub files: BTreeMap<String, Digest>,
}

/// What serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A chat, for as long as it is held.
    Chat,
    /// Another command, which is over once it has done its work.
    Command,
    /// `carl serve`.
    Serve,
}
