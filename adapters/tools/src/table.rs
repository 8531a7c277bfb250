//! The tool table: what each tool is called, takes, touches and does to the world.

use domain::label::Label;
use domain::limits::{LISTING_ENTRIES, WALK_DEPTH};
use domain::tool::{
    ArgumentRole, ArgumentSpec, Audience, EffectClass, TargetKind, ToolDefinition, ToolName,
    ToolSpec,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Changes whenever a tool's behaviour or schema does.
pub(crate) const VERSION: &str = "1";
/// Longest path argument, characters.
const PATH_CHARS: usize = 1_000;
/// Longest pattern argument, characters.
const PATTERN_CHARS: usize = 500;
/// Longest content argument, characters; the whole argument object is bounded by the broker.
const CONTENT_CHARS: usize = 1 << 20;
/// Most lines asked for at one time.
const LINES: i64 = 1_000_000;

/// The tools this crate runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    ListFiles,
    ReadFile,
    Glob,
    Grep,
    ReadDocument,
    WriteFile,
    EditFile,
    MakeDir,
    MoveFile,
    DeleteFile,
    Undo,
}

impl Tool {
    pub(crate) const ALL: [Self; 11] = [
        Self::ListFiles,
        Self::ReadFile,
        Self::Glob,
        Self::Grep,
        Self::ReadDocument,
        Self::WriteFile,
        Self::EditFile,
        Self::MakeDir,
        Self::MoveFile,
        Self::DeleteFile,
        Self::Undo,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ListFiles => "list_files",
            Self::ReadFile => "read_file",
            Self::Glob => "glob",
            Self::Grep => "grep",
            Self::ReadDocument => "read_document",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::MakeDir => "make_dir",
            Self::MoveFile => "move_file",
            Self::DeleteFile => "delete_file",
            Self::Undo => "undo",
        }
    }

    pub(crate) fn by_name(name: &ToolName) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tool| tool.name() == name.as_str())
    }

    const fn effect(self) -> EffectClass {
        match self {
            Self::ListFiles | Self::ReadFile | Self::Glob | Self::Grep | Self::ReadDocument => {
                EffectClass::Read
            }
            Self::WriteFile | Self::EditFile | Self::MakeDir | Self::MoveFile | Self::Undo => {
                EffectClass::SharedWrite
            }
            Self::DeleteFile => EffectClass::Destructive,
        }
    }

    const fn description(self) -> &'static str {
        match self {
            Self::ListFiles => {
                "List what is in a folder, with sizes. Set recursive for everything below it, \
                 sort to size for the largest first."
            }
            Self::ReadFile => {
                "Read a text file, whole or a part: from_line and line_count, or line_count with \
                 from_end for the last lines. Also tells how many lines and words it has."
            }
            Self::Glob => {
                "Find files by name pattern, such as *.md or src/**/*.rs. Files named in \
                 .gitignore are left out."
            }
            Self::Grep => {
                "Find lines that match a regular expression (or a plain text with literal) in a \
                 file or in all files of a folder."
            }
            Self::ReadDocument => "Read a document as text: plain text or HTML.",
            Self::WriteFile => {
                "Write a file. mode: create (fails if it exists), overwrite, or append (adds at \
                 the end, on a new line)."
            }
            Self::EditFile => {
                "Replace a text in a file. old must be copied from the file and occur once, \
                 unless all is true."
            }
            Self::MakeDir => "Make a folder, with the folders above it.",
            Self::MoveFile => "Move or rename a file or folder. Never replaces anything.",
            Self::DeleteFile => "Delete a file or an empty folder.",
            Self::Undo => "Take back this session's last file change.",
        }
    }

    /// Properties of the arguments object, and which are required.
    fn schema(self) -> (Value, &'static [&'static str]) {
        match self {
            Self::ListFiles => (list_properties(), &[]),
            Self::ReadFile => (read_properties(), &["path"]),
            Self::Glob => (
                json!({"pattern": pattern("A pattern with * and ?."), "path": folder()}),
                &["pattern"],
            ),
            Self::Grep => (grep_properties(), &["pattern"]),
            Self::ReadDocument => (json!({"path": path("The document.")}), &["path"]),
            Self::WriteFile => (write_properties(), &["path", "content"]),
            Self::EditFile => (edit_properties(), &["path", "old", "new"]),
            Self::MakeDir => (json!({"path": path("The folder.")}), &["path"]),
            Self::MoveFile => (
                json!({"from": path("What to move."), "to": path("Its new full path.")}),
                &["from", "to"],
            ),
            Self::DeleteFile => (json!({"path": path("What to delete.")}), &["path"]),
            Self::Undo => (json!({}), &[]),
        }
    }

    fn argument(self, name: &str) -> ArgumentSpec {
        let role = match name {
            "path" | "from" | "to" => ArgumentRole::Target,
            "content" | "old" | "new" => ArgumentRole::Payload,
            _ => ArgumentRole::Knob,
        };
        let target = match (role, self.effect()) {
            (ArgumentRole::Target, EffectClass::Read) => Some(TargetKind::ReadPath),
            (ArgumentRole::Target, _) => Some(TargetKind::WritePath),
            _ => None,
        };
        ArgumentSpec { role, target }
    }

    /// The broker's knowledge of the tool; `None` never happens for the names above.
    fn spec(self) -> Option<ToolSpec> {
        let (properties, required) = self.schema();
        let arguments: BTreeMap<String, ArgumentSpec> = properties
            .as_object()
            .into_iter()
            .flat_map(|map| map.keys())
            .map(|name| (name.clone(), self.argument(name)))
            .collect();
        let name = ToolName::new(self.name()).ok();
        name.map(|name| ToolSpec {
            definition: ToolDefinition {
                name,
                description: self.description().to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": properties,
                    "required": required,
                    "additionalProperties": false,
                }),
            },
            capability: match self.effect() {
                EffectClass::Read => "fs_read",
                _ => "fs_write",
            }
            .to_owned(),
            effect: self.effect(),
            arguments,
            audience: Audience::User,
            result_label: Label::untrusted("files"),
            result_fields: Vec::new(),
            secrets: BTreeMap::new(),
            is_wait: false,
            calls_per_minute: None,
            version: VERSION.to_owned(),
        })
    }
}

/// Every tool, in the order they are listed to people.
pub(crate) fn all() -> Vec<ToolSpec> {
    Tool::ALL.into_iter().filter_map(Tool::spec).collect()
}

fn list_properties() -> Value {
    json!({
        "path": folder(),
        "recursive": flag("Also what is below."),
        "depth": {
            "type": "integer", "minimum": 1, "maximum": WALK_DEPTH,
            "description": "Levels to go down.",
        },
        "sort": {"type": "string", "enum": ["name", "size"], "maxLength": 4},
    })
}

fn read_properties() -> Value {
    json!({
        "path": path("The file."),
        "from_line": {"type": "integer", "minimum": 1, "description": "First line, from 1."},
        "line_count": {
            "type": "integer", "minimum": -LINES, "maximum": LINES,
            "description": "How many lines; negative for the last lines.",
        },
        "from_end": flag("Count from the end of the file."),
    })
}

fn grep_properties() -> Value {
    json!({
        "pattern": pattern("What to find."),
        "path": folder(),
        "literal": flag("Take the pattern as plain text."),
        "ignore_case": flag("Upper and lower case are equal."),
        "max": {"type": "integer", "minimum": 1, "maximum": LISTING_ENTRIES},
    })
}

fn write_properties() -> Value {
    json!({
        "path": path("The file."),
        "content": content("What to write."),
        "mode": {
            "type": "string", "enum": ["create", "overwrite", "append"],
            "maxLength": 9, "default": "create",
        },
    })
}

fn edit_properties() -> Value {
    json!({
        "path": path("The file."),
        "old": {
            "type": "string", "minLength": 1, "maxLength": CONTENT_CHARS,
            "description": "The text to replace, as it stands in the file.",
        },
        "new": content("The text to put there."),
        "all": flag("Replace every occurrence."),
    })
}

/// A folder that may be left out: the broker then takes the working folder.
fn folder() -> Value {
    json!({
        "type": "string", "minLength": 1, "maxLength": PATH_CHARS, "default": ".",
        "description": "Folder; the working folder when left out.",
    })
}

fn path(what: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": PATH_CHARS, "description": what})
}

fn pattern(what: &str) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": PATTERN_CHARS, "description": what})
}

fn content(what: &str) -> Value {
    json!({"type": "string", "maxLength": CONTENT_CHARS, "description": what})
}

fn flag(what: &str) -> Value {
    json!({"type": "boolean", "description": what})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_is_in_the_table_and_every_string_has_a_limit() {
        let table = all();
        assert_eq!(table.len(), Tool::ALL.len());
        for spec in &table {
            let parameters = &spec.definition.parameters;
            assert_eq!(parameters["additionalProperties"], false);
            let properties = parameters["properties"].as_object().unwrap();
            assert_eq!(properties.len(), spec.arguments.len());
            for (name, property) in properties {
                let is_bounded = property["type"] != "string" || property["maxLength"].is_u64();
                assert!(is_bounded, "{} {name}", spec.definition.name);
            }
            assert_eq!(
                Tool::by_name(&spec.definition.name).unwrap().name(),
                spec.definition.name.as_str()
            );
        }
    }

    #[test]
    fn what_names_a_place_is_a_target_of_the_right_kind() {
        for spec in all() {
            for (name, argument) in &spec.arguments {
                let is_place = matches!(name.as_str(), "path" | "from" | "to");
                assert_eq!(argument.role == ArgumentRole::Target, is_place);
                let kind = match spec.capability.as_str() {
                    "fs_read" => TargetKind::ReadPath,
                    _ => TargetKind::WritePath,
                };
                assert_eq!(argument.target, is_place.then_some(kind));
            }
        }
    }
}
