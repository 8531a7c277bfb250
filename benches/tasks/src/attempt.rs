//! A task worked on by `carl run`, in a home and a folder of its own.

use crate::task::Task;
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::House;

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
    /// The last request's summary, as `carl run --json` printed it; null when it printed none.
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
/// question is harmed most.
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
    for (path, text) in &task.files {
        house.write(path, text);
    }
    let (mut summary, mut session) = (Value::Null, None::<String>);
    let (mut model_calls, mut first_prompt_tokens, mut tokens) = (0, 0, 0);
    let started = Instant::now();
    for words in &task.ask {
        let mut args = vec!["run", "--json", "--allow-write", "."];
        args.extend(["--yes", "write,destructive,exec"]);
        args.extend(setting.flags.iter().map(String::as_str));
        if let Some(session) = &session {
            args.extend(["--session-id", session]);
        }
        args.extend(["--", words]);
        let ended = house.ask(args).time_limit(setting.limit).run();
        summary = serde_json::from_str(&ended.stdout).unwrap_or(Value::Null);
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
    let mut files = BTreeMap::new();
    look(&house.work(), "", &mut files)?;
    Ok(Attempt {
        summary,
        files,
        model_calls,
        first_prompt_tokens,
        tokens,
        seconds,
        house,
    })
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// Every file below a folder, by its path from there.
fn look(folder: &Path, before: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for entry in entries {
        let entry = entry?;
        let path = format!("{before}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            look(&entry.path(), &format!("{path}/"), files)?;
        } else {
            files.insert(path, std::fs::read(entry.path())?);
        }
    }
    Ok(())
}
