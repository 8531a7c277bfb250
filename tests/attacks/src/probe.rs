//! Code that is run outside the sandbox, as the control, and inside it, by a model's call.

use crate::script::{OPEN, recast, results};
use scenarios::Scene;
use serde_json::json;
use std::process::Command;
use testkit::House;

/// What every probe can use: `attempt` says whether a piece of work succeeded, and `call` makes a
/// system call by number and fails with its error.
pub const PREAMBLE: &str = "\
import ctypes, os, socket, subprocess, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    ctypes.set_errno(0)
    done = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) if isinstance(a, int) else a for a in arguments])
    if done == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done
def attempt(name, work):
    try:
        print(name, 'REACHED', str(work())[:200], flush=True)
    except BaseException as error:
        print(name, 'refused', type(error).__name__, error, flush=True)
";

/// What each named attempt came to.
#[derive(Debug, Clone, Default)]
pub struct Findings {
    /// Names of the attempts that succeeded.
    pub reached: Vec<String>,
    /// Names of those that failed.
    pub refused: Vec<String>,
    /// All that was printed.
    pub text: String,
}

impl Findings {
    /// Reads what [`PREAMBLE`]'s `attempt` printed.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let names = |word: &str| {
            let lines = text.lines().filter_map(|line| {
                let (name, rest) = line.split_once(' ')?;
                rest.starts_with(word).then(|| name.to_owned())
            });
            lines.collect()
        };
        Self {
            reached: names("REACHED"),
            refused: names("refused"),
            text: text.to_owned(),
        }
    }
}

/// What a probe finds outside, in the working folder of a house.
///
/// # Panics
/// When there is no Python.
#[must_use]
pub fn outside(house: &House, code: &str) -> Findings {
    let done = Command::new("python3")
        .args(["-B", "-c", &format!("{PREAMBLE}{code}")])
        .current_dir(house.work())
        .output()
        .unwrap();
    let text = [done.stdout, done.stderr].concat();
    Findings::read(&String::from_utf8_lossy(&text))
}

/// What a probe finds inside, run by a model's call to `run_command` in the house's working folder,
/// which is open for writing.
#[must_use]
pub fn inside(house: House, code: &str) -> (Scene, Findings) {
    let code = format!("{PREAMBLE}{code}");
    let call = (
        "run_command",
        json!({"argv": ["python3", "-B", "-c", code]}),
    );
    run(house, &OPEN, call, &[])
}

/// What a probe finds inside, run by a model's call to `run_code` in an empty scratch folder.
#[must_use]
pub fn in_scratch(house: House, code: &str) -> (Scene, Findings) {
    let code = format!("{PREAMBLE}{code}");
    let call = ("run_code", json!({"language": "python", "code": code}));
    run(house, &["--agent", "coder", "--yes", "exec"], call, &[])
}

/// One call in a house, with more of an environment for `carl` itself.
///
/// # Panics
/// When the call did not run.
#[must_use]
pub fn run(
    house: House,
    flags: &[&str],
    call: (&str, serde_json::Value),
    environment: &[(&str, &str)],
) -> (Scene, Findings) {
    let scene = recast(house, &[call]);
    let mut carl = scene.house.ask(["run", "--json"]);
    for (name, value) in environment {
        carl = carl.env(name, value);
    }
    let finished = carl.args(flags.iter().copied()).arg("do it").run();
    let summary = finished.json();
    let outcome = scenarios::Outcome { finished, summary };
    let texts = results(&scene, &outcome);
    assert_eq!(
        outcome.calls()[0]["status"],
        "ok",
        "{:#}\n{texts:?}",
        outcome.summary
    );
    let found = Findings::read(&texts[0]);
    (scene, found)
}

/// Checks a probe: every attempt succeeds outside and fails inside.
///
/// # Panics
/// When one does not, with its name.
pub fn assert_shut(outside: &Findings, inside: &Findings, names: &[&str]) {
    assert_eq!(
        outside.reached, names,
        "the control fails: {}",
        outside.text
    );
    assert_eq!(inside.refused, names, "inside: {}", inside.text);
}
