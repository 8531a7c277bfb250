//! Programs of a session, as the fakes tell of them.

use api::programs::{Program, ProgramId, ProgramOutput, ProgramState, Programs, StreamText};
use domain::id::CallId;
use std::time::Duration;
use uuid::Uuid;

/// One that a call waits for, a job that has ended, and one that runs.
#[must_use]
pub fn three_programs() -> Vec<Program> {
    let said = |text: &str| StreamText {
        text: text.to_owned(),
        is_cut: text.is_empty(),
        said_bytes: 900,
    };
    vec![
        Program {
            id: ProgramId::Call(CallId::from_uuid(Uuid::from_u128(7))),
            command: "cargo build".to_owned(),
            state: ProgramState::Running,
            age: Duration::from_millis(3_500),
            output: Some(ProgramOutput {
                stdout: said(""),
                stderr: said("Compiling äöü\n"),
            }),
        },
        Program {
            id: ProgramId::Job("watch".to_owned()),
            command: "make watch".to_owned(),
            state: ProgramState::Ended("exit code 1 after 9 s".to_owned()),
            age: Duration::from_secs(9),
            output: None,
        },
        Program {
            id: ProgramId::Job("serve".to_owned()),
            command: "make serve".to_owned(),
            state: ProgramState::Running,
            age: Duration::from_secs(4),
            output: None,
        },
    ]
}

/// Stops the job of this name that runs, or all; their names.
pub(crate) fn stop(all: &mut [Program], name: Option<&str>) -> Vec<String> {
    let mut stopped = Vec::new();
    for one in all {
        let ProgramId::Job(job) = &one.id else {
            continue;
        };
        let is_meant = name.is_none_or(|name| name == job.as_str());
        if is_meant && one.state == ProgramState::Running {
            stopped.push(job.clone());
            one.state = ProgramState::Ended("stopped by the user after 1 s".to_owned());
        }
    }
    stopped
}

/// Those of them that are asked for.
pub(crate) fn chosen(all: &[Program], wanted: &Programs) -> Vec<Program> {
    let is_wanted = |one: &&Program| match wanted {
        Programs::All => true,
        Programs::One(id) => one.id == *id,
    };
    all.iter().filter(is_wanted).cloned().collect()
}
