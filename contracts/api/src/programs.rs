//! The programs of a session and what they say, for its user. No agent asks for it here: what one may
//! read of a program it is told by the tools that run it.

use crate::sandbox::Glance;
use domain::id::CallId;
use std::time::Duration;

/// What stands between a program and how long it has run.
const STILL_RUNS: &str = " runs, ";

/// The built-in tools whose calls wait for a program.
const AWAITING: [&str; 3] = ["run_code", "run_command", "package_install"];

/// What the executor of a program says while it runs, and nothing else is known of it.
#[must_use]
pub fn still_runs(program: &str, seconds: u64) -> String {
    format!("{program}{STILL_RUNS}{seconds} s")
}

/// Whether a message says that alone: it holds until the next one.
#[must_use]
pub fn is_still_running(message: &str) -> bool {
    let time = message.rsplit_once(STILL_RUNS).map(|(_program, time)| time);
    let seconds = time.and_then(|time| time.strip_suffix(" s"));
    seconds.is_some_and(|seconds| seconds.parse::<u64>().is_ok())
}

/// Whether a call of this tool waits for a program.
#[must_use]
pub fn awaits_a_program(tool: &str) -> bool {
    AWAITING.contains(&tool)
}

/// Which program of a session.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProgramId {
    /// The one that a tool call waits for.
    Call(CallId),
    /// A job in the background, or the long output of a command that is kept as one is, by its name.
    Job(String),
}

/// How a program stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProgramState {
    /// It runs, or is about to.
    Running,
    /// It has ended, or never ran: how, in Housecarl's own words.
    Ended(String),
}

/// A program, as whoever runs it knows it. Nothing of it has been looked through for secrets.
#[derive(Clone)]
pub struct SeenProgram {
    /// Which.
    pub id: ProgramId,
    /// Its command in one line; an agent's text.
    pub command: String,
    /// How it stands.
    pub state: ProgramState,
    /// How long it has run, or ran.
    pub age: Duration,
    /// What it has said so far.
    pub look: Glance,
}

/// Of which programs is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Programs {
    /// All of the session; of those that run, with the last of what they said: at most
    /// [`domain::limits::PROGRAM_TAIL_BYTES`] of each stream.
    All,
    /// This one, with all that is kept of what it said: at most
    /// [`domain::limits::PROGRAM_OUTPUT_BYTES`] of each stream.
    One(ProgramId),
}

/// A program of a session. No secret that Housecarl read stands in it, and no terminal sequence; what
/// it says is otherwise anybody's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Which.
    pub id: ProgramId,
    /// Its command in one line; an agent's text.
    pub command: String,
    /// How it stands.
    pub state: ProgramState,
    /// How long it has run, or ran; whole milliseconds.
    pub age: Duration,
    /// What it has said; `None` where that was not asked for.
    pub output: Option<ProgramOutput>,
}

/// What a program has said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProgramOutput {
    /// On standard output.
    pub stdout: StreamText,
    /// On standard error.
    pub stderr: StreamText,
}

/// One stream of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamText {
    /// Its end, as far as it was asked for. Of a program that runs the last letters are held back
    /// while they may be the beginning of a secret.
    pub text: String,
    /// Whether something that was said before is not in `text`.
    pub is_cut: bool,
    /// How much has been said in all, bytes.
    pub said_bytes: u64,
}
