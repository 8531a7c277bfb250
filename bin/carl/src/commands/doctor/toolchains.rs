//! Whether the toolchains of this machine work where an agent's commands run.

use super::super::Setting;
use crate::wiring::local_tools;
use programs::{Outcome, Tried};
use terminal::doctor::{Check, State};

/// What they are called together.
const ALL: &str = "toolchains";

/// Tries each that is found, as a command in this folder would find it.
pub async fn tried(setting: &Setting) -> Vec<Check> {
    let tools = match local_tools(setting) {
        Ok(tools) => tools,
        Err(error) => return vec![Check::bad(ALL, &error)],
    };
    // Nobody watches each of them.
    let (progress, _nobody) = tokio::sync::mpsc::channel(1);
    let programs = tools.programs;
    match programs.try_toolchains(&setting.workspace, &progress).await {
        Ok(tried) => checks(tried),
        Err(failure) => vec![Check::bad(ALL, &anyhow::anyhow!(failure.message))],
    }
}

fn checks(tried: Vec<Tried>) -> Vec<Check> {
    let mut absent = Vec::new();
    let mut checks = Vec::new();
    for one in tried {
        match one.outcome {
            Outcome::Absent => absent.push(one.program),
            Outcome::Works { version, does } => {
                let detail = format!("{does} in the sandbox: {version}");
                checks.push(Check::ok(one.program, detail));
            }
            Outcome::Fails(said) => checks.push(Check {
                name: one.program,
                state: State::Bad,
                detail: format!("is found and does not work in the sandbox: {said}"),
                hint: "Try it by hand; docs/sandbox.md says what of it a command is given."
                    .to_owned(),
            }),
        }
    }
    if !absent.is_empty() {
        checks.push(Check::note(
            ALL,
            format!(
                "not found, so agents cannot use them: {}",
                absent.join(", ")
            ),
            "",
        ));
    }
    checks
}
