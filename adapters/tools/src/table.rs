//! The tool table: what each tool is called, takes, touches and does to the world.

mod programs;

use domain::label::Label;
use domain::limits::{LISTING_ENTRIES, WALK_DEPTH};
use domain::tool::{
    ArgumentRole, ArgumentSpec, Audience, BuiltInArgument, BuiltInTool, EffectClass, ResultSource,
    START_JOB, STOP_JOB, TargetKind, ToolName, ToolSpec, closed_object,
};
use serde_json::{Value, json};

/// Changes whenever a tool's behaviour or schema does.
pub(crate) const VERSION: &str = "3";
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
    ViewImage,
    RunCode,
    RunShell,
    RunScript,
    PackageInstall,
    StartJob,
    ListJobs,
    JobOutput,
    StopJob,
}

impl Tool {
    pub(crate) const ALL: [Self; 20] = [
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
        Self::ViewImage,
        Self::RunCode,
        Self::RunShell,
        Self::RunScript,
        Self::PackageInstall,
        Self::StartJob,
        Self::ListJobs,
        Self::JobOutput,
        Self::StopJob,
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
            Self::ViewImage => "view_image",
            Self::RunCode => "run_code",
            Self::RunShell => "run_shell",
            Self::RunScript => "run_script",
            Self::PackageInstall => "package_install",
            Self::StartJob => START_JOB,
            Self::ListJobs => "list_jobs",
            Self::JobOutput => "job_output",
            Self::StopJob => STOP_JOB,
        }
    }

    /// Whether it needs the sandbox.
    pub(crate) const fn runs_programs(self) -> bool {
        matches!(
            self,
            Self::RunCode | Self::RunShell | Self::RunScript | Self::PackageInstall
        ) || self.is_about_jobs()
    }

    /// Whether it is about programs in the background.
    const fn is_about_jobs(self) -> bool {
        matches!(
            self,
            Self::StartJob | Self::ListJobs | Self::JobOutput | Self::StopJob
        )
    }

    const fn capability(self) -> &'static str {
        match self {
            Self::RunCode => "run_code",
            Self::RunShell | Self::RunScript => "run_shell",
            Self::PackageInstall => "package_install",
            // Who may run a command may let it go on.
            _ if self.is_about_jobs() => "run_shell",
            _ => match self.effect() {
                EffectClass::Read => "fs_read",
                _ => "fs_write",
            },
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
            | Self::ReadDocument
            | Self::ViewImage
            | Self::ListJobs
            | Self::JobOutput => EffectClass::Read,
            Self::RunCode | Self::RunShell | Self::RunScript | Self::StartJob => EffectClass::Exec,
            // It takes back what the session itself began, and nothing else.
            Self::StopJob => EffectClass::SelfWrite,
            // A trial is judged as the real thing: the stricter class of the two it has.
            Self::PackageInstall => EffectClass::Config,
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
            Self::ReadDocument => "Read a document as text: plain text, HTML, PDF, docx or odt.",
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
            Self::ViewImage => "Look at a PNG, JPEG, GIF or WebP picture.",
            _ => self.about_program(),
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
            Self::ViewImage => (json!({"path": path("The picture.")}), &["path"]),
            _ => self.program_schema(),
        }
    }

    fn argument(self, name: &str) -> ArgumentSpec {
        let role = match name {
            "path" | "from" | "to" | "cwd" => ArgumentRole::Target,
            // What is installed is chosen by its name.
            "names" => ArgumentRole::Target,
            // A command is content, as a script is: the sandbox decides where its effect goes.
            "content" | "old" | "new" | "code" | "files" | "text" | "argv" => ArgumentRole::Payload,
            _ => ArgumentRole::Knob,
        };
        let target = match (role, name, self.effect()) {
            (ArgumentRole::Target, "cwd", _) | (ArgumentRole::Target, _, EffectClass::Read) => {
                Some(TargetKind::ReadPath)
            }
            (ArgumentRole::Target, "path" | "from" | "to", _) => Some(TargetKind::WritePath),
            (ArgumentRole::Target, _, _) => Some(TargetKind::Other),
            _ => None,
        };
        ArgumentSpec { role, target }
    }

    /// The broker's knowledge of the tool.
    fn spec(self) -> ToolSpec {
        let (properties, required) = self.schema();
        let names = properties
            .as_object()
            .into_iter()
            .flat_map(|map| map.keys());
        let roles: Vec<(String, ArgumentSpec)> = names
            .map(|name| (name.clone(), self.argument(name)))
            .collect();
        let arguments: Vec<BuiltInArgument<'_>> = roles
            .iter()
            .map(|(name, spec)| (name.as_str(), spec.role, spec.target))
            .collect();
        BuiltInTool {
            name: self.name(),
            version: VERSION,
            description: self.description(),
            capability: self.capability(),
            effect: self.effect(),
            parameters: closed_object(properties, required),
            arguments: &arguments,
            audience: match self {
                // The names go to an index that anybody may run.
                Self::PackageInstall => Audience::Public,
                _ => Audience::User,
            },
            result_label: Label::untrusted(match self.runs_programs() {
                true => "programs",
                false => "files",
            }),
            result_source: match self {
                // The scratch folder holds what the call brings, and there is no network.
                Self::RunCode => ResultSource::Arguments,
                // They tell the name that the call gave, and nothing of what the program does.
                Self::StartJob | Self::StopJob => ResultSource::Arguments,
                _ => ResultSource::World,
            },
            names_pages: &[],
            // Looking whether a job has ended is waiting for it.
            is_wait: matches!(self, Self::ListJobs | Self::JobOutput),
            calls_per_minute: None,
        }
        .spec()
    }
}

/// Every tool, in the order they are listed to people; those that run programs only where there is a
/// sandbox for them.
pub(crate) fn all(has_sandbox: bool) -> Vec<ToolSpec> {
    Tool::ALL
        .into_iter()
        .filter(|tool| has_sandbox || !tool.runs_programs())
        .map(Tool::spec)
        .collect()
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
        let table = all(true);
        assert_eq!(table.len(), Tool::ALL.len());
        assert_eq!(all(false).len(), Tool::ALL.len() - 8);
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
        for spec in all(true) {
            for (name, argument) in &spec.arguments {
                let is_place = matches!(name.as_str(), "path" | "from" | "to" | "cwd");
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

    #[test]
    fn what_decides_what_a_program_does_is_never_a_mere_knob() {
        for spec in all(true) {
            for name in ["argv", "text", "code", "files", "names"] {
                let role = spec.arguments.get(name).map(|a| a.role);
                assert_ne!(role, Some(ArgumentRole::Knob), "{name}");
            }
        }
    }

    /// No shipped agent type has both what changes a machine and what asks the web.
    #[test]
    fn what_an_agent_type_has_of_the_built_in_tools_is_offered_whole() {
        use api::executor::Executor;
        use api::test_support::{FakeMemory, FakeSearch};
        use std::sync::Arc;
        let mut specs = all(true);
        specs.extend(crate::MemoryTools::new(Arc::new(FakeMemory::new())).table());
        specs.extend(crate::WebTools::new(Arc::new(FakeSearch::default())).table());
        let coder = [
            "fs_read",
            "fs_write",
            "run_code",
            "memory_read",
            "memory_write",
            "web_search",
        ];
        let sysadmin = [
            "fs_read",
            "fs_write",
            "run_shell",
            "package_install",
            "memory_read",
        ];
        for capabilities in [&coder[..], &sysadmin] {
            let has = |spec: &&ToolSpec| capabilities.contains(&spec.capability.as_str());
            let sizes = specs.iter().filter(has);
            let total: u64 = sizes.map(|spec| discovery::tokens(&spec.definition)).sum();
            assert!(total <= discovery::OFFER_TOKENS, "{total} tokens");
        }
    }
}
