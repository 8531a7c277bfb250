//! Whether the toolchains of this machine work where commands run: each that is found does something
//! small in the sandbox, with exactly what a command is given.

use crate::output::stream;
use crate::runner::{Launch, Runner};
use crate::scratch::ScratchFolder;
use crate::toolchain::project::Toolchains;
use api::executor::{ReportSink, ToolFailure};
use api::sandbox::{Ended, Finished, Job, Network};
use std::path::Path;

/// Longest a trial may take, seconds.
const TRIAL_SECS: u64 = 30;
/// What a script ends with where its program is not there: no code of a shell or of a program here.
const ABSENT: i32 = 113;
/// Longest version or error that is told, characters.
const TOLD_CHARS: usize = 200;
/// Lines of an error that are told.
const TOLD_LINES: usize = 3;

/// A program, what it is tried with, and the script that does it. Each ends by printing its version.
struct Trial {
    program: &'static str,
    does: &'static str,
    script: &'static str,
}

const TRIALS: [Trial; 12] = [
    Trial {
        program: "cargo",
        does: "builds and runs a test",
        script: "mkdir -p t/src && cd t && printf '[package]\\nname=\"t\"\\nversion=\"0.1.0\"\\n\
                 edition=\"2021\"\\n' > Cargo.toml && printf '#[test]\\nfn t() {}\\n' > src/lib.rs && \
                 cargo test --offline -q && cargo --version",
    },
    Trial {
        program: "cc",
        does: "compiles a program that runs",
        script: "printf 'int main(void) { return 0; }\\n' > c.c && cc c.c -o c && ./c && cc --version",
    },
    Trial {
        program: "python3",
        does: "runs a test",
        script: "printf 'import unittest\\nclass T(unittest.TestCase):\\n    def test(self): pass\\n' > \
                 test_u.py && python3 -m unittest -q test_u && python3 --version",
    },
    Trial {
        program: "pytest",
        does: "runs a test",
        script: "python3 -c 'import pytest' || exit 113; printf 'def test(): pass\\n' > test_p.py && \
                 python3 -m pytest -q -p no:cacheprovider test_p.py && python3 -m pytest --version",
    },
    Trial {
        program: "node",
        does: "runs a test",
        script: "printf 'require(\"node:test\")(\"t\", () => {});\\n' > n.test.js && node --test n.test.js && \
                 node --version",
    },
    Trial {
        program: "npm",
        does: "makes a package",
        script: "mkdir n && cd n && npm init -y && npm --version",
    },
    Trial {
        program: "pnpm",
        does: "starts",
        script: "pnpm --version",
    },
    Trial {
        program: "uv",
        does: "starts",
        script: "uv --version",
    },
    Trial {
        program: "go",
        does: "builds and runs a test",
        script: "mkdir g && cd g && printf 'module g\\n' > go.mod && printf 'package g\\nimport \
                 \"testing\"\\nfunc TestG(t *testing.T) {}\\n' > g_test.go && go test ./... && go version",
    },
    Trial {
        program: "make",
        does: "makes a target",
        script: "printf 'all:\\n\\t@true\\n' > Makefile && make && make --version",
    },
    Trial {
        program: "cmake",
        does: "configures a project",
        script: "mkdir m && printf 'cmake_minimum_required(VERSION 3.10)\\nproject(t NONE)\\n' > \
                 m/CMakeLists.txt && cmake -S m -B m/b && cmake --version",
    },
    Trial {
        program: "git",
        does: "makes a repository and commits",
        script: "git init -q r && cd r && git -c user.name=t -c user.email=t@localhost commit -q \
                 --allow-empty -m t && git --version",
    },
];

/// What came of one trial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The program, such as `cargo`.
    pub program: &'static str,
    /// How it went.
    pub outcome: Outcome,
}

/// How a trial went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It did what it was tried with.
    Works {
        /// The first line of what it says of its version.
        version: String,
        /// What it did, as in "runs a test".
        does: &'static str,
    },
    /// It is not where commands look for programs.
    Absent,
    /// It is there and failed: the end of what it said.
    Fails(String),
}

/// Tries every toolchain, as a command in this folder would find it, one after the other.
pub(crate) async fn all(
    runner: &Runner,
    folder: &Path,
    progress: &ReportSink,
) -> Result<Vec<Tried>, ToolFailure> {
    let mut tried = Vec::with_capacity(TRIALS.len());
    for trial in &TRIALS {
        let launch = launch(runner, folder, trial)?;
        let (finished, _) = runner.finish(launch, progress).await?;
        tried.push(Tried {
            program: trial.program,
            outcome: outcome(trial, &finished),
        });
    }
    Ok(tried)
}

fn outcome(trial: &Trial, finished: &Finished) -> Outcome {
    match finished.ended {
        Ended::Exited(0) => {
            let said = stream(&finished.stdout);
            let version = told(said.lines().next().unwrap_or_default().trim());
            let does = trial.does;
            Outcome::Works { version, does }
        }
        Ended::Exited(ABSENT) => Outcome::Absent,
        Ended::TimedOut => Outcome::Fails(format!("did not end within {TRIAL_SECS} s")),
        _ => {
            let said = stream(&finished.stderr);
            let lines: Vec<&str> = said
                .lines()
                .filter(|line| !line.trim().is_empty())
                .collect();
            let last = &lines[lines.len().saturating_sub(TOLD_LINES)..];
            Outcome::Fails(told(&last.join("; ")))
        }
    }
}

fn told(said: &str) -> String {
    said.chars().take(TOLD_CHARS).collect()
}

/// In a scratch folder of its own, with what a command in the folder is given.
fn launch(runner: &Runner, folder: &Path, trial: &Trial) -> Result<Launch, ToolFailure> {
    let scratch = ScratchFolder::new()?;
    let mut chains = Toolchains::of(&runner.config.home, folder, &scratch.folder);
    // Only the last command's output is told; what is said before it stands among the errors.
    let Trial {
        program, script, ..
    } = trial;
    let (work, version) = script.rsplit_once(" && ").unwrap_or(("true", script));
    let finder = match *program {
        // A module as a rule, and no program.
        "pytest" => "python3",
        program => program,
    };
    let script = format!(
        "command -v {finder} > /dev/null || exit {ABSENT}\n{{ {work}; }} >&2 || exit $?\n{version}\n"
    );
    let name = "trial.sh";
    chains.files.insert(name.into(), script.into_bytes());
    let mut environment = scratch.environment(&chains.programs);
    environment.extend(chains.environment);
    // A project's own environment lies in its folder.
    let readable = folder.parent().map(|_| folder.to_path_buf());
    let searched: Vec<_> = readable.into_iter().collect();
    let job = Job {
        argv: vec![
            "/bin/sh".to_owned(),
            scratch.folder.join(name).to_string_lossy().into_owned(),
        ],
        folder: scratch.folder.clone(),
        read: searched.iter().cloned().chain(chains.read).collect(),
        write: Vec::new(),
        scratch: scratch.with_links(chains.files, chains.links),
        links: Vec::new(),
        held: Vec::new(),
        frozen: Vec::new(),
        hidden: chains.hidden,
        expendable: Vec::new(),
        environment,
        input: Vec::new(),
        network: Network::None,
        limits: runner.limits(Some(TRIAL_SECS)),
    };
    Ok(Launch {
        searched,
        guarded: Vec::new(),
        session_id: None,
        checkpoints: None,
        job,
        scratch,
    })
}
