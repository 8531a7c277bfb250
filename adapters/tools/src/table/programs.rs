//! The part of the table about tools that run programs.

use super::{CONTENT_CHARS, Tool, content, folder};
use crate::run::JOB_NAME_CHARS;
use domain::limits::{EXEC_TIME_MOST, JOB_WAIT};
use serde_json::{Value, json};

/// Longest argument of a command, characters.
const ARGUMENT_CHARS: usize = 100_000;
/// Longest package name, characters.
const NAME_CHARS: usize = 128;
/// Most items of a list.
const LIST_ITEMS: usize = 256;
/// Most files beside a piece of code.
const CODE_FILES: usize = 64;

impl Tool {
    /// What a model is told about it.
    pub(super) const fn about_program(self) -> &'static str {
        match self {
            Self::RunCode => {
                "Run a piece of code in an empty scratch folder, without network and without the \
                 user's files. Print what you want to know. files are put beside it."
            }
            Self::RunShell => {
                "Run a program with arguments in the folders you may use, without network. argv is \
                 the program and each argument by itself; no shell reads it."
            }
            Self::RunScript => {
                "Run a shell script in the working folder, without network. It may change only what \
                 you may write."
            }
            Self::PackageInstall => {
                "Install packages: apt (trial only), pip (into .venv of the working folder), cargo \
                 or npm (into the project there). A trial unless dry_run is false."
            }
            Self::StartJob => {
                "Run a program in the background, as run_shell does, while you do something else: \
                 a long build, a test run, a server."
            }
            Self::ListJobs => "List the background jobs of this session.",
            Self::JobOutput => "Read what a background job has printed so far, and how it ended.",
            Self::StopJob => "Stop a background job, with everything it started.",
            // The others run none.
            _ => "",
        }
    }

    /// As [`Tool::schema`].
    pub(super) fn program_schema(self) -> (Value, &'static [&'static str]) {
        match self {
            Self::RunCode => (code_properties(), &["language", "code"]),
            Self::RunShell => (
                json!({
                    "argv": list("Program and arguments.", ARGUMENT_CHARS),
                    "cwd": folder(),
                    "timeout_secs": timeout(),
                }),
                &["argv"],
            ),
            Self::RunScript => (
                json!({"text": content("The script."), "timeout_secs": timeout()}),
                &["text"],
            ),
            Self::PackageInstall => (package_properties(), &["manager", "names"]),
            Self::StartJob => (job_properties(), &["name", "argv"]),
            Self::ListJobs => (json!({}), &[]),
            Self::JobOutput => (
                json!({
                    "job": name("Its name."),
                    "wait_seconds": {
                        "type": "integer", "minimum": 0, "maximum": JOB_WAIT.as_secs(),
                        "description": "Longest to wait for its end.",
                    },
                }),
                &["job"],
            ),
            Self::StopJob => (json!({"job": name("Its name.")}), &["job"]),
            // The others run none.
            _ => (json!({}), &[]),
        }
    }
}

fn code_properties() -> Value {
    json!({
        "language": {
            "type": "string", "enum": ["python", "shell", "javascript", "rust"], "maxLength": 10,
        },
        "code": content("The code."),
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
        "argv": list("Program and arguments.", ARGUMENT_CHARS),
        "cwd": folder(),
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
    json!({"type": "string", "minLength": 1, "maxLength": JOB_NAME_CHARS, "description": what})
}

fn list(what: &str, chars: usize) -> Value {
    json!({
        "type": "array", "minItems": 1, "maxItems": LIST_ITEMS, "description": what,
        "items": {"type": "string", "maxLength": chars},
    })
}
