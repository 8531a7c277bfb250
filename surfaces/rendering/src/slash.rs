//! What can be typed in a conversation besides what is said to the agent: the commands of line mode and
//! of the terminal UI.

mod fault;
mod second;
mod unknown;

pub use second::Second;

use crate::context::Depth;
use api::sessions::PinChange;
use domain::fault::Fault;
use domain::model::Think;
use domain::settings::{Mode, OverrideLevel};
use fault::usage;
use std::path::PathBuf;
use text::escape::visible_line;

/// A command, understood.
#[derive(Debug, Clone, PartialEq)]
pub enum Slash {
    /// Begin another session.
    New,
    /// Make the view of the conversation smaller.
    Compact,
    /// Ask the last request again.
    Retry,
    /// Take the last exchange back, and what it did to files.
    Undo(Changed),
    /// Take the last exchanges back and what they did to files.
    Rewind(usize),
    /// Show what the session changed in files.
    Diff,
    /// Show or change how requests are worked on.
    Mode(Option<Mode>),
    /// Show or change the model.
    Model(Option<String>),
    /// Show or change how much models think.
    Thinking(Option<Think>),
    /// Show or set how far the guard is overridden for the next message alone.
    Override(Option<OverrideLevel>),
    /// Show agent types and sub-agents.
    Agents,
    /// Search what is remembered, or count it.
    Memory(String),
    /// Show what the model will see.
    Context(Depth),
    /// Rate the last answer.
    Rate(Rating),
    /// Have the last answer graded.
    Grade,
    /// What is to be done about a second answer to the last request.
    Second(Second),
    /// Show what can be pinned, or pin it.
    Pin(Option<(u64, PinChange)>),
    /// Go on in a copy, of all or up to a message.
    Fork(u64),
    /// Give the session a name in the lists; an empty one takes it away.
    Rename(String),
    /// Write the session to a file.
    Export(Option<PathBuf>),
    /// Stop jobs in the background, or list those that run.
    Stop(Option<Jobs>),
    /// Leave.
    Quit,
    /// List the commands.
    Help,
}

/// Which jobs in the background are meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Jobs {
    /// All that run.
    All,
    /// The one of this name.
    One(String),
}

/// What becomes of an undo where something else changed a file since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    /// Nothing is taken back.
    Stops,
    /// That file stays as it is.
    IsSkipped,
}

/// An opinion of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    /// -100 to 100.
    pub score: i8,
    /// Anything else that was typed.
    pub note: String,
}

/// The modes that can be chosen.
const MODES: [Mode; 6] = [
    Mode::Adaptive,
    Mode::Loop,
    Mode::Plan,
    Mode::Deterministic,
    Mode::Bridge,
    Mode::Auto,
];
/// The overrides by their names.
const OVERRIDES: [(&str, OverrideLevel); 3] = [
    ("none", OverrideLevel::None),
    ("relax", OverrideLevel::Relax),
    ("all", OverrideLevel::All),
];

/// A command: its name, what follows it, what it does.
pub type Form = (&'static str, &'static str, &'static str);

/// Every command that all surfaces have.
pub const COMMANDS: [Form; 23] = [
    ("/new", "", "begin a new session here; this one stays"),
    ("/retry", "", "take the last exchange back and ask it again"),
    (
        "/undo",
        "[skip]",
        "take the last exchange back, and its file changes",
    ),
    (
        "/rewind",
        "[N]",
        "the same for the last N exchanges, one by one",
    ),
    ("/diff", "", "what this session changed in files"),
    (
        "/compact",
        "",
        "make what the model sees of the past smaller",
    ),
    (
        "/context",
        "[full]",
        "what the model will see next, by part",
    ),
    (
        "/pin",
        "[N|-N]",
        "keep message N in view for good, or no longer",
    ),
    (
        "/mode",
        "[MODE]",
        "how requests are worked on; alone: a list",
    ),
    (
        "/model",
        "[NAME]",
        "which model answers, or `default`; alone: a list",
    ),
    (
        "/thinking",
        "[LEVEL]",
        "how much the model thinks: off, on, low, medium, high",
    ),
    (
        "/override",
        "[LEVEL]",
        "relax or all, for your next message alone",
    ),
    ("/agents", "", "agent types, and who works in this session"),
    (
        "/memory",
        "[QUESTION]",
        "what is remembered about something",
    ),
    (
        "/rate",
        "1-5|+|- [NOTE]",
        "what you think of the last answer",
    ),
    ("/grade", "", "have the judge grade the last answer"),
    (
        "/b",
        "[MODEL|a|b|same|take]",
        "a second answer, and which of both is better",
    ),
    (
        "/fork",
        "[N]",
        "go on in a copy, up to the exchange of message N",
    ),
    (
        "/rename",
        "NAME|\"\"",
        "the name of this session in the lists",
    ),
    (
        "/export",
        "[FILE]",
        "write the session; FILE.json for its events",
    ),
    (
        "/stop",
        "[JOB|all]",
        "stop a job in the background; alone: what runs",
    ),
    ("/help", "", "this list"),
    ("/quit", "", "leave (also Ctrl-D)"),
];

/// A line for the shell, in the form of the commands.
pub const SHELL: Form = (
    "!",
    "LINE",
    "run a line for the shell as your own call; the agent reads what it says",
);

/// Column at which what a command does is said.
const ABOUT_AT: usize = 24;

/// What `/help` prints.
#[must_use]
pub fn help() -> String {
    let mut text = String::new();
    for (name, arguments, about) in COMMANDS.into_iter().chain([SHELL]) {
        let typed = format!("{name} {arguments}");
        // What is as long as the column is wide has a space behind it as well.
        let typed = format!("{typed} ");
        text.push_str(&format!("{typed:ABOUT_AT$}{about}\n"));
    }
    text.push_str(
        "Tab completes a command. Ctrl-C stops what is running; at the prompt it empties what is \
         typed.\nEverything else is said to the agent.\n",
    );
    text
}

/// Whether a line is a command: a slash and a word that begins with a letter. A path is not one.
#[must_use]
pub fn is_command(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    word.strip_prefix('/').is_some_and(|name| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let begins = name.starts_with(|c: char| c.is_ascii_alphabetic());
        name == "?" || (begins && name.chars().all(is_name))
    })
}

/// Whether a line is one for the shell, and no message: `!` and what to run. Of several lines nobody sees
/// at a glance what they run.
#[must_use]
pub fn is_for_shell(line: &str) -> bool {
    line.starts_with(SHELL.0) && line.lines().count() == 1
}

fn undo(rest: &str) -> Result<Slash, Fault> {
    match rest {
        "" => Ok(Slash::Undo(Changed::Stops)),
        "skip" => Ok(Slash::Undo(Changed::IsSkipped)),
        _ => Err(usage(
            "/undo takes nothing after it but `skip`",
            "Type /undo alone, or `/undo skip` to leave files as they are that were changed since.",
        )),
    }
}

/// Understands a command. `more` are commands that the surface has besides, which may be meant by one that
/// is not known.
///
/// # Errors
/// A fault that says what would be understood.
pub fn parse(line: &str, more: &[Form]) -> Result<Slash, Fault> {
    let line = line.trim();
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let slash = match name.to_ascii_lowercase().as_str() {
        "/new" => Slash::New,
        "/compact" => Slash::Compact,
        "/retry" => Slash::Retry,
        "/undo" => return undo(rest),
        "/diff" => Slash::Diff,
        "/grade" => Slash::Grade,
        "/rewind" => return rewind(rest),
        "/agents" => Slash::Agents,
        "/quit" | "/exit" => Slash::Quit,
        "/help" | "/?" => Slash::Help,
        "/mode" => return mode(rest),
        "/override" => return override_level(rest),
        "/thinking" => return thinking(rest),
        "/model" => return Ok(Slash::Model((!rest.is_empty()).then(|| rest.to_owned()))),
        "/memory" => return memory(rest),
        "/context" => return context(rest),
        "/rate" => return rate(rest).map(Slash::Rate),
        "/b" => return second::parse(rest).map(Slash::Second),
        "/pin" => return pin(rest),
        "/fork" => return fork(rest),
        "/rename" => return rename(rest),
        "/stop" => return Ok(Slash::Stop(jobs(rest))),
        "/export" => return Ok(Slash::Export((!rest.is_empty()).then(|| named(rest)))),
        _ => return Err(unknown_command(name, more)),
    };
    if rest.is_empty() {
        Ok(slash)
    } else {
        Err(usage(
            format!("{name} takes nothing after it"),
            format!("Type {name} alone."),
        ))
    }
}

/// What is remembered is searched; it is listed and forgotten in a shell.
fn memory(rest: &str) -> Result<Slash, Fault> {
    let (verb, id) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let is_id = id.len() >= 6 && id.chars().all(|c| c.is_ascii_hexdigit() || c == '-');
    let of_one = ["forget", "remove", "delete", "show"].contains(&verb) && (id.is_empty() || is_id);
    match of_one || rest == "list" {
        true => Err(usage(
            format!("/memory searches what is remembered for the words behind it, and knows no `{verb}`"),
            "In a shell `carl memory list` lists the entries, and `carl memory forget ID` removes one.".to_owned(),
        )),
        false => Ok(Slash::Memory(rest.to_owned())),
    }
}

fn unknown_command(name: &str, more: &[Form]) -> Fault {
    let known = COMMANDS.iter().chain(more).map(|(known, ..)| *known);
    let known: Vec<&str> = known.collect();
    let message = format!("there is no command {}", visible_line(name));
    usage(message, unknown::hint(name, &known))
}

fn jobs(rest: &str) -> Option<Jobs> {
    match rest {
        "" => None,
        "all" => Some(Jobs::All),
        name => Some(Jobs::One(name.trim_matches('`').to_owned())),
    }
}

/// What is said of jobs that were stopped, by what was meant.
#[must_use]
pub fn stopped(meant: &Jobs, names: &[String]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", visible_line(name)))
        .collect();
    match (names.as_slice(), meant) {
        ([], Jobs::All) => "no job runs".to_owned(),
        ([], Jobs::One(name)) => format!("no job `{}` runs", visible_line(name)),
        ([one], _) => format!("stopped: the job {one}"),
        (several, _) => format!("stopped: {} jobs: {}", several.len(), several.join(", ")),
    }
}

fn rewind(rest: &str) -> Result<Slash, Fault> {
    match rest.parse() {
        _ if rest.is_empty() => Ok(Slash::Rewind(1)),
        Ok(exchanges) if exchanges > 0 => Ok(Slash::Rewind(exchanges)),
        _ => Err(usage(
            format!("`{rest}` is no number of exchanges"),
            "Type /rewind 2 to take the last two exchanges back, with their file changes.",
        )),
    }
}

/// The name of a file, without the quotes that a name with spaces has elsewhere.
fn named(typed: &str) -> PathBuf {
    let quoted = |quote| typed.strip_prefix(quote)?.strip_suffix(quote);
    quoted('"').or_else(|| quoted('\'')).unwrap_or(typed).into()
}

fn mode(rest: &str) -> Result<Slash, Fault> {
    if rest.is_empty() {
        return Ok(Slash::Mode(None));
    }
    let mut known = MODES.into_iter();
    match known.find(|mode| mode.as_str().eq_ignore_ascii_case(rest)) {
        Some(mode) => Ok(Slash::Mode(Some(mode))),
        None => Err(usage(
            format!("there is no mode `{}`", visible_line(rest)),
            format!("The modes are {}.", modes()),
        )),
    }
}

fn thinking(rest: &str) -> Result<Slash, Fault> {
    if rest.is_empty() {
        return Ok(Slash::Thinking(None));
    }
    let mut known = Think::ALL.into_iter();
    match known.find(|level| level.as_str().eq_ignore_ascii_case(rest)) {
        Some(level) => Ok(Slash::Thinking(Some(level))),
        None => Err(usage(
            format!("there is no level of thinking `{}`", visible_line(rest)),
            format!("The levels are {}.", levels()),
        )),
    }
}

/// The names of the levels of thinking.
#[must_use]
pub fn levels() -> String {
    Think::ALL.map(Think::as_str).join(", ")
}

/// A level of thinking, for people.
#[must_use]
pub fn thinking_in_words(level: Think) -> String {
    match level {
        Think::Default => "thinking: default, as configuration says of the provider".to_owned(),
        level => format!("thinking: {}", level.as_str()),
    }
}

fn override_level(rest: &str) -> Result<Slash, Fault> {
    if rest.is_empty() {
        return Ok(Slash::Override(None));
    }
    let mut known = OVERRIDES.iter();
    match known.find(|(name, _)| name.eq_ignore_ascii_case(rest)) {
        Some((_, level)) => Ok(Slash::Override(Some(*level))),
        None => Err(usage(
            format!("there is no override `{rest}`"),
            "/override relax asks nothing about high-risk tools unless what was read may have asked \
             for it, /override all lets everything pass but protected places; each for your next message. /override none takes it back.",
        )),
    }
}

/// The modes' names.
#[must_use]
pub fn modes() -> String {
    MODES.map(Mode::as_str).join(", ")
}

/// Every mode that can be chosen, with what it is for.
#[must_use]
pub fn all_modes() -> [(Mode, &'static str); 6] {
    MODES.map(|mode| {
        let about = match mode {
            Mode::Adaptive => "as suits the model: rules, a plan or a loop",
            Mode::Loop => "the model calls tools one after the other",
            Mode::Plan => "the whole plan first, which you approve",
            Mode::Deterministic => "plain English orders, without a model",
            Mode::Bridge => "a planner of yours makes the plan",
            Mode::Auto => "goes on by itself",
            Mode::Command => "runs one command of yours",
        };
        (mode, about)
    })
}

/// The modes, a line each; the one in use has a mark.
#[must_use]
pub fn modes_listed(now: Mode) -> Vec<String> {
    let lines = all_modes().into_iter().map(|(mode, about)| {
        let mark = if mode == now { "*" } else { " " };
        format!("{mark} {:14}{about}", mode.as_str())
    });
    let head = format!("mode: {}", now.as_str());
    let last = "/mode NAME chooses one".to_owned();
    [head].into_iter().chain(lines).chain([last]).collect()
}

fn context(rest: &str) -> Result<Slash, Fault> {
    match rest {
        "" => Ok(Slash::Context(Depth::Shares)),
        "full" => Ok(Slash::Context(Depth::Full)),
        other => Err(usage(
            format!("/context does not know `{other}`"),
            "/context shows each part's share; /context full the text as it is sent.",
        )),
    }
}

/// Stars as they are scaled: three are neither good nor bad.
fn rate(rest: &str) -> Result<Rating, Fault> {
    let (mark, note) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let score = match mark {
        "+" => 100,
        "-" => -100,
        stars => match stars.parse::<i8>() {
            Ok(stars @ 1..=5) => (stars - 3) * 50,
            _ => {
                let what = match stars {
                    "" => "what do you think of the answer?".to_owned(),
                    other => format!("`{other}` is no rating"),
                };
                let hint = "/rate + or /rate - or 1 (bad) to 5 (good), and a note if you like: \
                            /rate 4 nearly";
                return Err(usage(what, hint));
            }
        },
    };
    Ok(Rating {
        score,
        note: note.trim().to_owned(),
    })
}

fn number(text: &str) -> Option<u64> {
    let digits = text.trim_start_matches('#');
    digits.parse().ok().filter(|number| *number > 0)
}

fn pin(rest: &str) -> Result<Slash, Fault> {
    if rest.is_empty() {
        return Ok(Slash::Pin(None));
    }
    let (digits, change) = match rest.strip_prefix('-') {
        Some(digits) => (digits, PinChange::Unpin),
        None => (rest, PinChange::Pin),
    };
    match number(digits) {
        Some(seq) => Ok(Slash::Pin(Some((seq, change)))),
        None => Err(usage(
            format!("`{rest}` is no number of a message"),
            "/pin lists the messages with their numbers; /pin 12 pins one, /pin -12 takes that back.",
        )),
    }
}

fn fork(rest: &str) -> Result<Slash, Fault> {
    match (rest, number(rest)) {
        ("", _) => Ok(Slash::Fork(0)),
        (_, Some(seq)) => Ok(Slash::Fork(seq)),
        (other, None) => Err(usage(
            format!("`{other}` is no number of a message"),
            "/pin lists the messages with their numbers; /fork alone copies everything.",
        )),
    }
}

fn rename(rest: &str) -> Result<Slash, Fault> {
    match rest {
        "" => Err(usage(
            "what is the session to be called?",
            "Type /rename tax letters; /rename \"\" lists it by its first request again.",
        )),
        "\"\"" | "''" => Ok(Slash::Rename(String::new())),
        name => Ok(Slash::Rename(name.to_owned())),
    }
}

/// A mode, with the way out of the one in which no model is asked.
#[must_use]
pub fn mode_in_words(mode: Mode) -> String {
    match mode {
        Mode::Deterministic => {
            "mode: deterministic, plain English orders without a model; /mode loop asks one"
                .to_owned()
        }
        other => format!("mode: {}", other.as_str()),
    }
}

#[cfg(test)]
mod tests;
