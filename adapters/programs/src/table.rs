//! The tool table: what each tool is called, takes, touches and does to the world.

use crate::background::JOB_NAME_CHARS;
use domain::label::Label;
use domain::limits::{EXEC_TIME_MOST, JOB_WAIT};
use domain::tool::{
    ArgumentRole, Audience, BuiltInArgument, BuiltInTool, CONTENT_CHARS, EffectClass, RUN_COMMAND,
    ResultSource, START_JOB, STOP_JOB, TargetKind, ToolName, ToolSpec, closed_object,
    content_argument, folder_argument, text_argument,
};
use serde_json::{Value, json};

/// Changes whenever a tool's behaviour or schema does.
pub(crate) const VERSION: &str = "4";

/// Longest argument of a command, characters.
const ARGUMENT_CHARS: usize = 100_000;
/// Longest package name, characters.
const NAME_CHARS: usize = 128;
/// Most items of a list.
const LIST_ITEMS: usize = 256;
/// Most files beside a piece of code.
const CODE_FILES: usize = 64;

/// What the arguments of all of them are for, by name.
const ARGUMENTS: [BuiltInArgument<'static>; 6] = [
    ("cwd", ArgumentRole::Target, Some(TargetKind::ReadPath)),
    // What is installed is chosen by its name.
    ("names", ArgumentRole::Target, Some(TargetKind::Other)),
    // A command is content, as a script is: the sandbox decides where its effect goes.
    ("argv", ArgumentRole::Payload, None),
    ("command", ArgumentRole::Payload, None),
    ("code", ArgumentRole::Payload, None),
    ("files", ArgumentRole::Payload, None),
];

/// The tools this crate runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    RunCode,
    RunCommand,
    PackageInstall,
    StartJob,
    ListJobs,
    JobOutput,
    StopJob,
}

impl Tool {
    pub(crate) const ALL: [Self; 7] = [
        Self::RunCode,
        Self::RunCommand,
        Self::PackageInstall,
        Self::StartJob,
        Self::ListJobs,
        Self::JobOutput,
        Self::StopJob,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::RunCode => "run_code",
            Self::RunCommand => RUN_COMMAND,
            Self::PackageInstall => "package_install",
            Self::StartJob => START_JOB,
            Self::ListJobs => "list_jobs",
            Self::JobOutput => "job_output",
            Self::StopJob => STOP_JOB,
        }
    }

    pub(crate) fn by_name(name: &ToolName) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|tool| tool.name() == name.as_str())
    }

    const fn capability(self) -> &'static str {
        match self {
            Self::RunCode => "run_code",
            Self::PackageInstall => "package_install",
            // Who may run a command may let it go on.
            _ => "run_command",
        }
    }

    const fn effect(self) -> EffectClass {
        match self {
            Self::ListJobs | Self::JobOutput => EffectClass::Read,
            Self::RunCode | Self::RunCommand | Self::StartJob => EffectClass::Exec,
            // It takes back what the session itself began, and nothing else.
            Self::StopJob => EffectClass::SelfWrite,
            // A trial is judged as the real thing: the stricter class of the two it has.
            Self::PackageInstall => EffectClass::Config,
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
            arguments: &ARGUMENTS,
            audience: match self {
                // The names go to an index that anybody may run.
                Self::PackageInstall => Audience::Public,
                _ => Audience::User,
            },
            result_label: Label::untrusted("programs"),
            result_source: match self {
                // The scratch folder holds what the call brings, and there is no network; programs and
                // libraries of the machine may be the user's own.
                Self::RunCode => ResultSource::Private,
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

    /// What a model is told about it.
    const fn description(self) -> &'static str {
        match self {
            Self::RunCode => {
                "Run a piece of code in an empty scratch folder, without network and without the \
                 user's files. Print what you want to know. files are put beside it."
            }
            Self::RunCommand => {
                "Run a command in the working folder, without network: give command or argv."
            }
            Self::PackageInstall => {
                "Install packages: apt (trial only), pip (into .venv of the working folder), cargo \
                 or npm (into the project there). A trial unless dry_run is false."
            }
            Self::StartJob => {
                "Run a command in the background, as run_command does: a long build, a server."
            }
            Self::ListJobs => "List the background jobs of this session.",
            Self::JobOutput => {
                "Read what a background job or a long command has printed, and how it ended."
            }
            Self::StopJob => "Stop a background job, with everything it started.",
        }
    }

    /// Properties of the arguments object, and which are required.
    fn schema(self) -> (Value, &'static [&'static str]) {
        match self {
            Self::RunCode => (code_properties(), &["language", "code"]),
            Self::RunCommand => (
                json!({
                    "command": content_argument("For the shell."),
                    "argv": list("Program and arguments.", ARGUMENT_CHARS),
                    "cwd": folder_argument(),
                    "timeout_secs": timeout(),
                }),
                &[],
            ),
            Self::PackageInstall => (package_properties(), &["manager", "names"]),
            Self::StartJob => (job_properties(), &["name"]),
            Self::ListJobs => (json!({}), &[]),
            Self::JobOutput => (
                json!({
                    "job": name("Its name."),
                    "wait_seconds": {
                        "type": "integer", "minimum": 0, "maximum": JOB_WAIT.as_secs(),
                        "description": "Longest to wait for its end.",
                    },
                    "from_line": {
                        "type": "integer", "minimum": 1,
                        "description": "Show the lines from here on.",
                    },
                }),
                &["job"],
            ),
            Self::StopJob => (json!({"job": name("Its name.")}), &["job"]),
        }
    }
}

fn code_properties() -> Value {
    json!({
        "language": {
            "type": "string", "enum": ["python", "shell", "javascript", "rust"], "maxLength": 10,
        },
        "code": content_argument("The code."),
        "timeout_secs": timeout(),
        "files": {
            "type": "object", "maxProperties": CODE_FILES,
            "description": "More files: name to text.",
            "additionalProperties": {"type": "string", "maxLength": CONTENT_CHARS},
        },
    })
}

fn package_properties() -> Value {
    json!({
        "manager": {"type": "string", "enum": ["apt", "pip", "cargo", "npm"], "maxLength": 5},
        "names": list("Package names, with a version if needed.", NAME_CHARS),
        "dry_run": {
            "type": "boolean", "default": true,
            "description": "Only try; set to false to install.",
        },
    })
}

fn job_properties() -> Value {
    json!({
        "name": name("What to call it."),
        "command": content_argument("For the shell."),
        "argv": list("Program and arguments.", ARGUMENT_CHARS),
        "cwd": folder_argument(),
    })
}

/// How long a program may run.
fn timeout() -> Value {
    json!({
        "type": "integer", "minimum": 1, "maximum": EXEC_TIME_MOST.as_secs(),
        "description": "Longest it may run.",
    })
}

/// The name of a job.
fn name(what: &str) -> Value {
    text_argument(what, JOB_NAME_CHARS)
}

fn list(what: &str, chars: usize) -> Value {
    json!({
        "type": "array", "minItems": 1, "maxItems": LIST_ITEMS, "description": what,
        "items": {"type": "string", "maxLength": chars},
    })
}

/// Every tool, in the order they are listed to people.
pub(crate) fn all() -> Vec<ToolSpec> {
    Tool::ALL.into_iter().map(Tool::spec).collect()
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
            let properties = &spec.definition.parameters["properties"];
            for (name, property) in properties.as_object().unwrap() {
                let is_bounded = property["type"] != "string" || property["maxLength"].is_u64();
                assert!(is_bounded, "{} {name}", spec.definition.name);
            }
            let known = Tool::by_name(&spec.definition.name).unwrap();
            assert_eq!(known.name(), spec.definition.name.as_str());
        }
    }

    #[test]
    fn what_decides_what_a_program_does_is_never_a_mere_knob() {
        for spec in all() {
            for name in ["argv", "command", "code", "files", "names", "cwd"] {
                let role = spec.arguments.get(name).map(|a| a.role);
                assert_ne!(role, Some(ArgumentRole::Knob), "{name}");
            }
        }
    }
}
