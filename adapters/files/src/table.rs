//! The tool table: what each tool is called, takes, touches and does to the world.

use domain::label::Label;
use domain::limits::{
    LISTING_ENTRIES, OUTLINE_TOKENS_LEAST, OUTLINE_TOKENS_MOST, PATCH_FILES, WALK_DEPTH,
};
use domain::tool::{
    ArgumentRole, Audience, BuiltInArgument, BuiltInTool, CONTENT_CHARS, EffectClass, PATH_CHARS,
    ResultSource, TargetKind, ToolName, ToolSpec, closed_object, content_argument, folder_argument,
    text_argument,
};
use serde_json::{Value, json};

/// Changes whenever a tool's behaviour or schema does.
pub(crate) const VERSION: &str = "3";
/// Longest pattern argument, characters.
const PATTERN_CHARS: usize = 500;
/// Most lines asked for at one time.
const LINES: i64 = 1_000_000;

/// The tools this crate runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    ListFiles,
    ReadFile,
    Glob,
    Grep,
    Outline,
    ReadDocument,
    WriteFile,
    EditFile,
    ApplyPatch,
    MakeDir,
    MoveFile,
    DeleteFile,
    Undo,
    ViewImage,
}

impl Tool {
    pub(crate) const ALL: [Self; 14] = [
        Self::ListFiles,
        Self::ReadFile,
        Self::Glob,
        Self::Grep,
        Self::Outline,
        Self::ReadDocument,
        Self::WriteFile,
        Self::EditFile,
        Self::ApplyPatch,
        Self::MakeDir,
        Self::MoveFile,
        Self::DeleteFile,
        Self::Undo,
        Self::ViewImage,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ListFiles => "list_files",
            Self::ReadFile => "read_file",
            Self::Glob => "glob",
            Self::Grep => "grep",
            Self::Outline => "outline",
            Self::ReadDocument => "read_document",
            Self::WriteFile => "write_file",
            Self::EditFile => "edit_file",
            Self::ApplyPatch => "apply_patch",
            Self::MakeDir => "make_dir",
            Self::MoveFile => "move_file",
            Self::DeleteFile => "delete_file",
            Self::Undo => "undo",
            Self::ViewImage => "view_image",
        }
    }

    const fn capability(self) -> &'static str {
        match self.effect() {
            EffectClass::Read => "fs_read",
            _ => "fs_write",
        }
    }

    pub(crate) fn by_name(name: &ToolName) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tool| tool.name() == name.as_str())
    }

    const fn effect(self) -> EffectClass {
        match self {
            Self::ListFiles
            | Self::ReadFile
            | Self::Glob
            | Self::Grep
            | Self::Outline
            | Self::ReadDocument
            | Self::ViewImage => EffectClass::Read,
            Self::WriteFile
            | Self::EditFile
            | Self::ApplyPatch
            | Self::MakeDir
            | Self::MoveFile
            | Self::Undo => EffectClass::SharedWrite,
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
            Self::Glob => "Find files by name pattern, such as *.md or src/**/*.rs.",
            Self::Grep => {
                "Find lines that match a regular expression (or a plain text with literal) in a \
                 file or in all files of a folder."
            }
            Self::Outline => {
                "Show what a source file defines, with line numbers, or what the files of a folder \
                 define and use most."
            }
            Self::ReadDocument => "Read a document as text: plain text, HTML, PDF, docx or odt.",
            Self::WriteFile => {
                "Write a file. mode: create (fails if it exists), overwrite, or append (adds at \
                 the end, on a new line)."
            }
            Self::EditFile => {
                "Replace a text in a file. old must be copied from the file and occur once, \
                 unless all is true."
            }
            Self::ApplyPatch => {
                "Change several places or files at once, all or none: a unified diff, SEARCH/REPLACE \
                 blocks under file names, or *** Begin Patch."
            }
            Self::MakeDir => "Make a folder, with the folders above it.",
            Self::MoveFile => "Move or rename a file or folder. Never replaces anything.",
            Self::DeleteFile => "Delete a file or an empty folder.",
            Self::Undo => "Take back this session's last file change.",
            Self::ViewImage => "Look at a PNG, JPEG, GIF or WebP picture.",
        }
    }

    /// Properties of the arguments object, and which are required.
    fn schema(self) -> (Value, &'static [&'static str]) {
        match self {
            Self::ListFiles => (list_properties(), &[]),
            Self::ReadFile => (read_properties(), &["path"]),
            Self::Glob => (
                json!({
                    "pattern": pattern("A pattern with * and ?."), "path": folder_argument(),
                    "ignored": flag("Also what .gitignore names."),
                }),
                &["pattern"],
            ),
            Self::Grep => (grep_properties(), &["pattern"]),
            Self::Outline => (outline_properties(), &[]),
            Self::ReadDocument => (json!({"path": path("The document.")}), &["path"]),
            Self::WriteFile => (write_properties(), &["path", "content"]),
            Self::EditFile => (edit_properties(), &["path", "old", "new"]),
            Self::ApplyPatch => (patch_properties(), &["patch"]),
            Self::MakeDir => (json!({"path": path("The folder.")}), &["path"]),
            Self::MoveFile => (
                json!({"from": path("What to move."), "to": path("Its new full path.")}),
                &["from", "to"],
            ),
            Self::DeleteFile => (json!({"path": path("What to delete.")}), &["path"]),
            Self::Undo => (json!({}), &[]),
            Self::ViewImage => (json!({"path": path("The picture.")}), &["path"]),
        }
    }

    /// What its paths and texts are for.
    const fn arguments(self) -> &'static [BuiltInArgument<'static>] {
        match self.effect() {
            EffectClass::Read => &[("path", ArgumentRole::Target, Some(TargetKind::ReadPath))],
            _ => &[
                ("path", ArgumentRole::Target, Some(TargetKind::WritePath)),
                ("from", ArgumentRole::Target, Some(TargetKind::WritePath)),
                ("to", ArgumentRole::Target, Some(TargetKind::WritePath)),
                ("files", ArgumentRole::Target, Some(TargetKind::WritePath)),
                ("patch", ArgumentRole::Payload, None),
                ("content", ArgumentRole::Payload, None),
                ("old", ArgumentRole::Payload, None),
                ("new", ArgumentRole::Payload, None),
            ],
        }
    }

    /// The broker's knowledge of the tool.
    fn spec(self) -> ToolSpec {
        let (properties, required) = self.schema();
        BuiltInTool {
            name: self.name(),
            version: VERSION,
            description: self.description(),
            capability: self.capability(),
            effect: self.effect(),
            parameters: closed_object(properties, required),
            arguments: self.arguments(),
            audience: Audience::User,
            result_label: Label::untrusted("files"),
            result_source: match self {
                // They tell that it was done, in the call's own words.
                Self::WriteFile
                | Self::EditFile
                | Self::ApplyPatch
                | Self::MakeDir
                | Self::MoveFile
                | Self::DeleteFile => ResultSource::Private,
                _ => ResultSource::World,
            },
            names_pages: &[],
            is_wait: false,
            calls_per_minute: None,
        }
        .spec()
    }
}

/// Every tool, in the order they are listed to people.
pub(crate) fn all() -> Vec<ToolSpec> {
    Tool::ALL.into_iter().map(Tool::spec).collect()
}

fn list_properties() -> Value {
    json!({
        "path": folder_argument(),
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
        "path": folder_argument(),
        "literal": flag("Take the pattern as plain text."),
        "ignore_case": flag("Upper and lower case are equal."),
        "ignored": flag("Also what .gitignore names."),
        "max": {"type": "integer", "minimum": 1, "maximum": LISTING_ENTRIES},
    })
}

fn outline_properties() -> Value {
    let mut path = folder_argument();
    path["description"] = json!("File or folder.");
    json!({
        "path": path,
        "tokens": {
            "type": "integer", "minimum": OUTLINE_TOKENS_LEAST, "maximum": OUTLINE_TOKENS_MOST,
        },
    })
}

fn write_properties() -> Value {
    json!({
        "path": path("The file."),
        "content": content_argument("What to write."),
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
        "new": content_argument("The text to put there."),
        "all": flag("Replace every occurrence."),
    })
}

fn patch_properties() -> Value {
    json!({
        "patch": content_argument("The patch."),
        "files": {
            "type": "array", "minItems": 1, "maxItems": PATCH_FILES,
            "items": {"type": "string", "maxLength": PATH_CHARS},
            "description": "Leave out.",
        },
    })
}

fn path(what: &str) -> Value {
    text_argument(what, PATH_CHARS)
}

fn pattern(what: &str) -> Value {
    text_argument(what, PATTERN_CHARS)
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
            assert!(!spec.definition.description.is_empty());
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
                let is_place = matches!(name.as_str(), "path" | "from" | "to" | "files");
                let is_path = matches!(
                    argument.target,
                    Some(TargetKind::ReadPath | TargetKind::WritePath)
                );
                assert_eq!(is_path, is_place, "{name}");
                let is_target = argument.role == ArgumentRole::Target;
                assert_eq!(argument.target.is_some(), is_target, "{name}");
                if is_place {
                    let writes = spec.capability == "fs_write";
                    assert_eq!(argument.target == Some(TargetKind::WritePath), writes);
                }
            }
        }
    }
}
