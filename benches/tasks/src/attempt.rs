//! A task worked on by `carl run`, in a home and a folder of its own.

use crate::repair::MADE_BY_PROGRAMS;
use crate::task::Task;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};
use testkit::House;
use testkit::house::json_lines;

/// How long ago the files of a project were written.
const AGE: Duration = Duration::from_secs(3600);

/// Who answers, and how it is asked.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The configuration; `None` for the engine that comes along.
    pub config: Option<String>,
    /// More flags of `carl run`.
    pub flags: Vec<String>,
    /// Longest one request may take.
    pub limit: Duration,
}

/// What a task came to.
pub struct Attempt {
    /// The last request's summary, as `carl run --json` prints it; null when there is none.
    pub summary: Value,
    /// The files at the end, by path.
    pub files: BTreeMap<String, Vec<u8>>,
    /// Calls of a model, all requests together.
    pub model_calls: usize,
    /// Tokens of the first prompt, as the server counted them; 0 where no model was asked.
    pub first_prompt_tokens: u64,
    /// Tokens read and written, all requests together.
    pub tokens: u64,
    /// By the clock, all requests together.
    pub seconds: f64,
    /// The folder that the task was worked on in, for programs to be run there.
    pub house: House,
}

/// Works on a task. What the user is asked is agreed to, for files of the folder: whoever reads no
/// question is harmed most. In a project somebody is at the terminal, since an agent that has read
/// something may run nothing where nobody is.
///
/// # Errors
/// When there is no engine to ask.
pub fn attempt(task: &Task, setting: &Setting) -> Result<Attempt> {
    let house = House::new();
    match &setting.config {
        Some(config) => house.configure(config),
        None => anyhow::ensure!(
            house.use_engine(),
            "HOUSE_ENGINE and HOUSE_MODELS name no engine; `cargo xtask setup` makes it"
        ),
    }
    furnish(&house, task)?;
    let (mut summary, mut session) = (Value::Null, None::<String>);
    let (mut model_calls, mut first_prompt_tokens, mut tokens) = (0, 0, 0);
    let started = Instant::now();
    for words in &task.ask {
        let mut args = vec!["run", "--allow-write", "."];
        args.extend(["--yes", "write,destructive,exec"]);
        args.extend(flags_of(task));
        args.extend(setting.flags.iter().map(String::as_str));
        if let Some(session) = &session {
            args.extend(["--session-id", session]);
        }
        summary = match task.project {
            Some(_) => attended(&house, &args, words, setting.limit),
            None => alone(&house, &args, words, setting.limit),
        };
        session = summary["session_id"]
            .as_str()
            .map(str::to_owned)
            .or(session);
        tokens += count(&summary["usage"]["prompt_tokens"]);
        tokens += count(&summary["usage"]["completion_tokens"]);
    }
    let seconds = started.elapsed().as_secs_f64();
    if let Some(session) = &session {
        let log = house.session_log(session);
        let mut answers = log.iter().filter(|event| event["type"] == "model_answered");
        if let Some(first) = answers.next() {
            first_prompt_tokens = count(&first["usage"]["prompt_tokens"]);
            model_calls = 1 + answers.count();
        }
    }
    Ok(Attempt {
        summary,
        files: left(&house, task)?,
        model_calls,
        first_prompt_tokens,
        tokens,
        seconds,
        house,
    })
}

/// A request where nobody is at a terminal: the summary that `carl run --json` prints.
fn alone(house: &House, args: &[&str], words: &str, limit: Duration) -> Value {
    let run = house
        .ask(args.iter().copied())
        .args(["--json", "--", words]);
    let ended = run.time_limit(limit).run();
    serde_json::from_str(&ended.stdout).unwrap_or(Value::Null)
}

/// A request at a terminal, where somebody agrees to what is asked: what of the summary the session's
/// log tells.
fn attended(house: &House, args: &[&str], words: &str, limit: Duration) -> Value {
    let run = house.ask(args.iter().copied()).args(["--", words]);
    let agree = |question: &str, _| match question.contains("[a]ll of them once") {
        true => "a".to_owned(),
        false => "y".to_owned(),
    };
    let answer = run.time_limit(limit).at_terminal(agree).finished.stdout;
    let Some(log) = house.session_logs().first().map(|path| json_lines(path)) else {
        return Value::Null;
    };
    let of_kind = |kind: &'static str| log.iter().filter(move |event| event["type"] == kind);
    let used = |what: &str| -> u64 {
        let each = of_kind("model_answered").map(|event| count(&event["usage"][what]));
        each.sum()
    };
    let end = of_kind("query_finished").next_back();
    json!({
        "session_id": log.first().map(|event| &event["session_id"]),
        "status": end.map(|event| &event["status"]),
        "error": end.map(|event| &event["error"]),
        "answer": answer,
        "usage": {
            "prompt_tokens": used("prompt_tokens"),
            "completion_tokens": used("completion_tokens"),
        },
    })
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// The flags with which a task is worked on beside those of every task.
#[must_use]
pub fn flags_of(task: &Task) -> &'static [&'static str] {
    match task.project {
        Some(_) => &["--agent", "coder"],
        None => &[],
    }
}

/// Puts a task's files in the folder, and what its project's tests need in the house. The files are as
/// old as those of a project that was not written a moment ago: what is made of them by programs is
/// made anew only where they change.
///
/// # Errors
/// When a file cannot be given its age.
pub fn furnish(house: &House, task: &Task) -> Result<()> {
    for (path, text) in &task.files {
        let file = house.write(path, text);
        if task.project.is_some() {
            let file = File::options().write(true).open(file)?;
            file.set_modified(SystemTime::now() - AGE)?;
        }
    }
    if let Some(project) = &task.project {
        house.give(project.toolchain);
    }
    Ok(())
}

/// The files that a task has left in a house, by path, without what programs make in a project.
///
/// # Errors
/// When the folder cannot be read.
pub fn left(house: &House, task: &Task) -> Result<BTreeMap<String, Vec<u8>>> {
    let made: &[&str] = match task.project {
        Some(_) => &MADE_BY_PROGRAMS,
        None => &[],
    };
    let mut files = BTreeMap::new();
    look(&house.work(), "", made, &mut files)?;
    Ok(files)
}

/// Every file below a folder, by its path from there; of a link, where it leads.
fn look(
    folder: &Path,
    before: &str,
    left_out: &[&str],
    files: &mut BTreeMap<String, Vec<u8>>,
) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if left_out.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{before}{name}");
        let kind = entry.file_type()?;
        if kind.is_dir() {
            look(&entry.path(), &format!("{path}/"), left_out, files)?;
        } else if kind.is_symlink() {
            let leads = std::fs::read_link(entry.path())?;
            files.insert(path, leads.into_os_string().into_encoded_bytes());
        } else if kind.is_file() {
            files.insert(path, std::fs::read(entry.path())?);
        } else {
            files.insert(path, Vec::new());
        }
    }
    Ok(())
}
