//! Tools: their names, what they do to the world, and what each argument is for.

mod built_in;

pub use built_in::{
    BuiltInArgument, BuiltInTool, CONTENT_CHARS, PATH_CHARS, closed_object, content_argument,
    folder_argument, text_argument,
};

use crate::label::Label;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The tool by which an agent asks for other tools than those it was offered: the broker says that
/// there are some, and the agent's loop has them offered from the next model call on.
pub const FIND_TOOLS: &str = "find_tools";

/// The tool that begins a job in the background; its argument `name` says what the job is called.
pub const START_JOB: &str = "start_job";
/// The tool that ends a job; its argument `job` says which.
pub const STOP_JOB: &str = "stop_job";
/// The tool that sets a timer; its arguments are `minutes` and `note`.
pub const SET_TIMER: &str = "set_timer";
/// The tool that takes back the timers with the note in its argument `note`.
pub const CANCEL_TIMER: &str = "cancel_timer";
/// The tool that has files watched at or below its argument `path`.
pub const WATCH_PATH: &str = "watch_path";
/// The tool with which an agent in auto mode chooses to wait.
pub const YIELD_TO_USER: &str = "yield_to_user";
/// The tool with which an agent notes what it wants to keep.
pub const JOURNAL: &str = "journal";
/// The tool that hands out tasks which may depend on each other; its argument is `tasks`.
pub const DELEGATE_TASKS: &str = "delegate_tasks";
/// The tool that finds memories.
pub const SEARCH_MEMORY: &str = "search_memory";
/// The tool that writes a memory.
pub const SAVE_MEMORY: &str = "save_memory";
/// The tool that writes a whole file.
pub const WRITE_FILE: &str = "write_file";
/// The tool that lists a folder.
pub const LIST_FILES: &str = "list_files";
/// The tool that reads a file.
pub const READ_FILE: &str = "read_file";
/// The tool that runs a program.
pub const RUN_COMMAND: &str = "run_command";
/// The tool that takes the last change of a file back.
pub const UNDO: &str = "undo";
/// The tool that replaces text in a file.
pub const EDIT_FILE: &str = "edit_file";
/// The tool that changes several files by a patch.
pub const APPLY_PATCH: &str = "apply_patch";
/// The tool that searches the web.
pub const WEB_SEARCH: &str = "web_search";

/// The name of a tool: 1 to 64 of `A-Z a-z 0-9 _ - .`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolName(String);

/// A text that cannot name a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot name a tool: use 1 to 64 letters, digits, `_`, `-` and `.`")]
pub struct InvalidToolName(String);

impl ToolName {
    /// Checks and wraps a name.
    ///
    /// # Errors
    /// [`InvalidToolName`] when the name is empty, too long or has other characters.
    pub fn new(name: impl Into<String>) -> Result<Self, InvalidToolName> {
        let name = name.into();
        let fits = (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
        if fits {
            Ok(Self(name))
        } else {
            Err(InvalidToolName(name.chars().take(80).collect()))
        }
    }

    /// The nearest thing to `text` that can name a tool, for a conversation that must hold what a
    /// model asked for: other characters become `_`, an empty name `unknown`.
    #[must_use]
    pub fn nearest(text: &str) -> Self {
        let safe: String = text
            .chars()
            .take(64)
            .map(|c| {
                if c.is_ascii_alphanumeric() || "_-.".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect();
        Self(if safe.is_empty() {
            "unknown".to_owned()
        } else {
            safe
        })
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ToolName {
    type Error = InvalidToolName;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        Self::new(name)
    }
}

impl From<ToolName> for String {
    fn from(name: ToolName) -> Self {
        name.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Looks, changes nothing.
    Read,
    /// Writes to the agent's own store, seen by no one else.
    SelfWrite,
    /// Changes files others use; can be undone.
    SharedWrite,
    /// Removes what may not come back.
    Destructive,
    /// Runs a program.
    Exec,
    /// Changes how the machine or Housecarl behaves.
    Config,
    /// Sends something out of the house.
    Egress,
    /// Spends.
    Money,
}

impl EffectClass {
    /// The name in configuration and in `--yes`: `write` for [`Self::SharedWrite`].
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::SelfWrite => "self_write",
            Self::SharedWrite => "write",
            Self::Destructive => "destructive",
            Self::Exec => "exec",
            Self::Config => "config",
            Self::Egress => "egress",
            Self::Money => "money",
        }
    }
}

/// What an argument is for. Decides which rules look at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentRole {
    /// Where the effect goes: a path, URL, recipient, id to delete.
    Target,
    /// Content.
    Payload,
    /// An id that selects what others get to see, such as the file that is shared: judged as a
    /// target and as a payload.
    Selector,
    /// A flag or number that tunes the call.
    Knob,
    /// Filled by the broker from Secrets, never by a model.
    Secret,
}

/// What a [`ArgumentRole::Target`] names, so that the right layer can judge it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TargetKind {
    /// A file or folder that is only looked at.
    ReadPath,
    /// A file or folder that is made, changed or removed.
    WritePath,
    /// A URL.
    Url,
    /// Anything else: a recipient, an id.
    Other,
}

/// One argument's place in the tool table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArgumentSpec {
    /// What the argument is for.
    pub role: ArgumentRole,
    /// What it names, when it is a target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetKind>,
}

/// Who learns what a call carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "names")]
pub enum Audience {
    /// No one but the user: it stays on this machine, in the user's own store.
    User,
    /// The parties that the call's targets name.
    Targets,
    /// The named parties.
    Only(BTreeSet<String>),
    /// Anyone.
    Public,
}

/// Forms of text too narrow to carry an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "values")]
pub enum Format {
    /// A number, also when written as text.
    Number,
    /// True or false.
    Boolean,
    /// A date, a time or both, as in RFC 3339.
    Date,
    /// One word of at most 64 letters, digits and `_ - . @ + :`.
    Identifier,
    /// One of these words.
    Enum(BTreeSet<String>),
}

/// What a tool's results are made of, and thereby where their label comes from.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultSource {
    /// Things beyond the call: the table says how far they may be trusted.
    #[default]
    World,
    /// The call's arguments and nothing else: a result is as trusted as what it was made from.
    Arguments,
    /// The call's arguments, and what the user's machine is like or holds: as trusted as the
    /// arguments, and nobody's to read.
    Private,
    /// Things that were stored with a label each: the output names the label of each part, and the
    /// table's holds for the rest. For tools over Housecarl's own labelled stores alone.
    Stored,
    /// What other agents reported that the call started. The result has the label of everything the
    /// caller and they were shown, and no time limit of a tool's: agents have limits of their own.
    Agents,
}

/// The label of one part of a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResultField {
    /// Which leaves: a JSON pointer in which `*` stands for any one key or index, and `**` at its
    /// end for all that follows.
    pub path: String,
    /// Their label.
    pub label: Label,
    /// The form a leaf must have for the label to hold; other leaves get the tool's label.
    pub format: Option<Format>,
}

/// The broker's own knowledge of a tool. No model sees or writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// What a model is offered.
    pub definition: ToolDefinition,
    /// The group it belongs to, such as `fs_read`.
    pub capability: String,
    /// What it does to the world.
    pub effect: EffectClass,
    /// Every argument the schema allows. One that is not listed is refused.
    pub arguments: BTreeMap<String, ArgumentSpec>,
    /// Who learns the payload of a call.
    pub audience: Audience,
    /// The label of its results, wherever no field rule says otherwise.
    pub result_label: Label,
    /// Whether that label holds, or that of the call's arguments.
    #[serde(default)]
    pub result_source: ResultSource,
    /// Parts of a result with a label of their own; the first that fits a leaf counts.
    pub result_fields: Vec<ResultField>,
    /// Leaves of a result that name pages a later call may fetch, as in [`ResultField::path`].
    #[serde(default)]
    pub names_pages: Vec<String>,
    /// The name of the secret that fills each [`ArgumentRole::Secret`] argument.
    pub secrets: BTreeMap<String, String>,
    /// Whether asking again and again is honest use (polling), exempt from loop detection.
    pub is_wait: bool,
    /// Most calls in a minute; `None`: no limit of its own.
    pub calls_per_minute: Option<u32>,
    /// Changes whenever the tool's behaviour or schema does. Part of what an approval binds.
    pub version: String,
}

/// What a model is told about a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The name to call it by.
    pub name: ToolName,
    /// One or two sentences.
    pub description: String,
    /// JSON Schema of the arguments object.
    pub parameters: Value,
}

/// Structured and readable forms of what a tool returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolOutput {
    /// For programs, after the tool's result schema.
    pub data: Value,
    /// For the model: plain text, not yet fenced or capped.
    pub text: String,
    /// Where the content came from, for the label: `file:notes.md`; empty where it holds nothing
    /// but what the call and the tool itself say.
    pub origin: String,
    /// Files made or changed, absolute.
    pub artifacts: Vec<String>,
    /// Labels of parts of `data`, believed of tools whose results are [`ResultSource::Stored`] and
    /// of no others.
    #[serde(default)]
    pub labels: Vec<ResultField>,
}

/// Where an edit replaced text in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edited {
    /// In how many places.
    pub places: u64,
    /// The first line with such a place, before the change, from 1.
    pub first_line: u64,
    /// The last one.
    pub last_line: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_always_a_name() {
        let long = "ä".repeat(200);
        for text in ["", "read_file", "read file;rm", long.as_str()] {
            let nearest = ToolName::nearest(text);
            assert_eq!(
                ToolName::new(nearest.as_str()),
                Ok(nearest.clone()),
                "{text}"
            );
        }
        assert_eq!(ToolName::nearest("read_file").as_str(), "read_file");
    }
}
