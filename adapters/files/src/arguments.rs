//! The arguments of each tool, as they arrive. Their JSON Schemas stand in `table.rs`.

use serde::Deserialize;

/// In which order a listing stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SortOrder {
    #[default]
    Name,
    Size,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListFiles {
    #[serde(default, rename = "path")]
    _path: Option<String>,
    #[serde(default)]
    pub(crate) recursive: bool,
    pub(crate) depth: Option<usize>,
    #[serde(default)]
    pub(crate) sort: SortOrder,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReadFile {
    #[serde(rename = "path")]
    _path: String,
    pub(crate) from_line: Option<u64>,
    pub(crate) line_count: Option<i64>,
    #[serde(default)]
    pub(crate) from_end: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Glob {
    pub(crate) pattern: String,
    #[serde(default, rename = "path")]
    _path: Option<String>,
    #[serde(default)]
    pub(crate) ignored: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grep {
    pub(crate) pattern: String,
    #[serde(default, rename = "path")]
    _path: Option<String>,
    #[serde(default)]
    pub(crate) literal: bool,
    #[serde(default)]
    pub(crate) ignore_case: bool,
    #[serde(default)]
    pub(crate) ignored: bool,
    pub(crate) max: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Outline {
    #[serde(default, rename = "path")]
    _path: Option<String>,
    pub(crate) tokens: Option<usize>,
}

/// The arguments of a tool that takes a path and nothing else.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OnlyPath {
    #[serde(rename = "path")]
    _path: String,
}

/// What may be there when a file is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WriteMode {
    /// Nothing.
    #[default]
    Create,
    /// Anything; it is replaced.
    Overwrite,
    /// Anything; the content goes to its end.
    Append,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WriteFile {
    #[serde(rename = "path")]
    _path: String,
    pub(crate) content: String,
    #[serde(default)]
    pub(crate) mode: WriteMode,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EditFile {
    #[serde(rename = "path")]
    _path: String,
    pub(crate) old: String,
    pub(crate) new: String,
    #[serde(default)]
    pub(crate) all: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplyPatch {
    pub(crate) patch: String,
    #[serde(default)]
    pub(crate) files: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MoveFile {
    #[serde(rename = "from")]
    _from: String,
    #[serde(rename = "to")]
    _to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}
