//! The bridge: a planner in a process outside, asked in one line of JSON and answering in one.
//!
//! The protocol is described in docs/plan-bridge.md. What comes back is untrusted: its size and
//! time are bounded, its form is checked here, its plan by the validator, its calls by the broker.

use crate::config::Bridge;
use domain::fault::Coded;
use domain::limits::BRIDGE_ANSWER_BYTES;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Command;

/// The version of the protocol, sent with every request.
pub(crate) const PROTOCOL_VERSION: u32 = 1;

/// What a bridge program may see of our environment.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];
/// Longest message of a bridge that is passed on, characters.
const MESSAGE_CHARS: usize = 400;

/// Why there is no plan from the bridge.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Configuration names none.
    #[error("no planner bridge is configured")]
    NotConfigured,
    /// The program cannot be started, or nothing listens at the socket.
    #[error("the planner bridge {name} cannot be reached: {source}")]
    Unreachable {
        /// The program or socket.
        name: String,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It ended, or closed the connection, without an answer.
    #[error("the planner bridge ended without an answer")]
    NoAnswer,
    /// Reading its answer failed.
    #[error("the planner bridge broke off: {0}")]
    Broken(#[source] io::Error),
    /// No answer in time.
    #[error("the planner bridge gave no answer within {} seconds", .0.as_secs_f32())]
    Timeout(Duration),
    /// Too long an answer.
    #[error("the planner bridge answered with more than {BRIDGE_ANSWER_BYTES} bytes")]
    TooLarge,
    /// Not JSON.
    #[error("the planner bridge answered with something that is not JSON: {0}")]
    NotJson(#[source] serde_json::Error),
    /// JSON of another form.
    #[error("the planner bridge answered with neither a `plan` nor an `error`")]
    WrongForm,
    /// It says that it cannot plan this.
    #[error("the planner bridge could not plan this: {0}")]
    Declined(String),
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "bridge.not_configured",
            Self::Unreachable { .. } => "bridge.unreachable",
            Self::NoAnswer | Self::Broken(_) => "bridge.no_answer",
            Self::Timeout(_) => "bridge.timeout",
            Self::TooLarge => "bridge.too_large",
            Self::NotJson(_) | Self::WrongForm => "bridge.invalid_answer",
            Self::Declined(_) => "bridge.declined",
        }
    }

    fn message(&self) -> String {
        let text = self.to_string();
        let mut letters = text.chars();
        match letters.next() {
            Some(first) => first.to_uppercase().chain(letters).collect::<String>() + ".",
            None => text,
        }
    }

    fn hint(&self) -> String {
        match self {
            Self::NotConfigured => {
                "Name a program or socket in the configuration; docs/plan-bridge.md shows how."
            }
            Self::Declined(_) => "",
            _ => "docs/plan-bridge.md describes what a bridge must answer.",
        }
        .to_owned()
    }
}

/// What a bridge is told.
pub(super) struct Request<'a> {
    pub(super) input: &'a str,
    /// What was recalled for it, fenced; empty for nothing.
    pub(super) memory: &'a str,
    pub(super) workspace: &'a Path,
    /// Files as `a/b.md`, folders as `a/`.
    pub(super) listing: &'a [String],
}

impl Request<'_> {
    /// One line.
    fn line(&self) -> String {
        let actions: Vec<Value> = plan::schema::actions()
            .into_iter()
            .map(|(kind, schema)| json!({ "kind": kind, "schema": schema }))
            .collect();
        let request = json!({
            "version": PROTOCOL_VERSION,
            "input": self.input,
            "context": {
                "workspace": self.workspace.to_string_lossy(),
                "listing": self.listing,
                "memory": self.memory,
            },
            "actions": actions,
        });
        format!("{request}\n")
    }
}

/// Asks a bridge for a plan. The plan is not checked here.
///
/// # Errors
/// [`Error`]. Whatever the reason, and also when this future is dropped, a program that was started
/// is gone afterwards with everything it started in its group.
pub(super) async fn ask(
    bridge: &Bridge,
    request: &Request<'_>,
    limit: Duration,
) -> Result<Value, Error> {
    let line = request.line();
    let asked = async {
        match bridge {
            Bridge::Stdio { command } => ask_program(command, request.workspace, &line).await,
            Bridge::Socket { path } => ask_socket(path, &line).await,
        }
    };
    let answer = match tokio::time::timeout(limit, asked).await {
        Ok(answer) => answer?,
        Err(_) => return Err(Error::Timeout(limit)),
    };
    read_answer(&answer)
}

async fn ask_program(command: &[String], workspace: &Path, line: &str) -> Result<Vec<u8>, Error> {
    let unreachable = |source| Error::Unreachable {
        name: command.first().cloned().unwrap_or_default(),
        source,
    };
    let Some((program, arguments)) = command.split_first() else {
        return Err(Error::NotConfigured);
    };
    let environment = ENVIRONMENT
        .iter()
        .filter_map(|name| Some((name, std::env::var_os(name)?)));
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(workspace)
        .env_clear()
        .envs(environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(unreachable)?;
    let group = Group(
        child
            .id()
            .and_then(|id| Pid::from_raw(i32::try_from(id).ok()?)),
    );
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Error::NoAnswer);
    };
    let answer = exchange(stdin, stdout, line).await;
    // The group is ended before its leader is reaped, so that its number names no one else yet.
    drop(group);
    if let Err(error) = child.wait().await {
        tracing::debug!(%error, "the bridge program could not be waited for");
    }
    answer
}

/// A process group that ends with this value.
struct Group(Option<Pid>);

impl Drop for Group {
    fn drop(&mut self) {
        // A group that has ended already is what is wanted.
        if let Some(pid) = self.0 {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

async fn ask_socket(path: &Path, line: &str) -> Result<Vec<u8>, Error> {
    let stream = UnixStream::connect(path)
        .await
        .map_err(|source| Error::Unreachable {
            name: path.display().to_string(),
            source,
        })?;
    let (reading, writing) = stream.into_split();
    exchange(writing, reading, line).await
}

/// Sends the request and reads one line. Both at once: a program may answer, or fill its pipe,
/// before it has read everything.
async fn exchange(
    mut writing: impl AsyncWrite + Unpin,
    reading: impl AsyncRead + Unpin,
    line: &str,
) -> Result<Vec<u8>, Error> {
    let send = async {
        // Whether it listened to the end shows in its answer.
        let sent = writing.write_all(line.as_bytes()).await;
        let closed = writing.shutdown().await;
        if let Err(error) = sent.and(closed) {
            tracing::debug!(%error, "the bridge did not read its request");
        }
        drop(writing);
        std::future::pending::<()>().await;
    };
    tokio::select! {
        answer = read_line(reading) => answer,
        () = send => Err(Error::NoAnswer),
    }
}

async fn read_line(mut reading: impl AsyncRead + Unpin) -> Result<Vec<u8>, Error> {
    let mut answer = Vec::new();
    let mut piece = vec![0_u8; 8 << 10];
    loop {
        let count = reading.read(&mut piece).await.map_err(Error::Broken)?;
        let new = &piece[..count];
        let end = new.iter().position(|byte| *byte == b'\n');
        answer.extend_from_slice(&new[..end.unwrap_or(count)]);
        if answer.len() > BRIDGE_ANSWER_BYTES {
            return Err(Error::TooLarge);
        }
        if end.is_some() || count == 0 {
            let is_empty = answer.iter().all(u8::is_ascii_whitespace);
            return if is_empty {
                Err(Error::NoAnswer)
            } else {
                Ok(answer)
            };
        }
    }
}

/// `{"plan": …}` or `{"error": {"message": …}}`, and nothing else.
fn read_answer(bytes: &[u8]) -> Result<Value, Error> {
    let answer: Value = serde_json::from_slice(bytes).map_err(Error::NotJson)?;
    let Value::Object(mut fields) = answer else {
        return Err(Error::WrongForm);
    };
    match (
        fields.remove("plan"),
        fields.remove("error"),
        fields.is_empty(),
    ) {
        (Some(plan), None, true) => Ok(plan),
        (None, Some(error), true) => match error.get("message").and_then(Value::as_str) {
            Some(message) => {
                let shown: String = message.chars().take(MESSAGE_CHARS).collect();
                Err(Error::Declined(text::escape::visible(&shown)))
            }
            None => Err(Error::WrongForm),
        },
        _ => Err(Error::WrongForm),
    }
}

#[cfg(test)]
mod tests;
