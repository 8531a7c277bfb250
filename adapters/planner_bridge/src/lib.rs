//! The planner bridge: a planner in a process outside, asked in one line of JSON and answering in one.
//!
//! What it is: the [`Planner`] of bridge mode.
//! What it owns: the protocol of docs/plan-bridge.md, and the process that it starts, which ends with
//! everything it started.
//! What it never does: judge a plan, or reach another machine. What comes back is untrusted: its size
//! and time are bounded and its form is checked here, its plan by the validator, its calls by the
//! broker.
//! Where to start: [`Bridge`].

use api::planner::{Error, Planner, Request};
use async_trait::async_trait;
use domain::limits::{BRIDGE_ANSWER_BYTES, BRIDGE_TIME};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::process::Command;

/// The version of the protocol, sent with every request.
const PROTOCOL_VERSION: u32 = 1;

/// What a bridge program may see of our environment.
const ENVIRONMENT: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];
/// Longest message of a bridge that is passed on, characters.
const MESSAGE_CHARS: usize = 400;

/// An external planner, as it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bridge {
    /// A program that answers on its standard output.
    Stdio {
        /// The program and its arguments; not passed through a shell.
        command: Vec<String>,
    },
    /// A program that listens on a unix socket.
    Socket {
        /// Where.
        path: PathBuf,
    },
}

#[async_trait]
impl Planner for Bridge {
    async fn plan(&self, request: Request) -> Result<Value, Error> {
        ask(self, &request, BRIDGE_TIME).await
    }
}

/// What the bridge is told, in one line.
fn line_of(request: &Request) -> String {
    let actions: Vec<Value> = plan::schema::actions()
        .into_iter()
        .map(|(kind, schema)| json!({ "kind": kind, "schema": schema }))
        .collect();
    let request = json!({
        "version": PROTOCOL_VERSION,
        "input": request.input,
        "context": {
            "workspace": request.workspace.to_string_lossy(),
            "listing": request.listing,
            "memory": request.memory,
        },
        "actions": actions,
    });
    format!("{request}\n")
}

/// Asks a bridge for a plan. The plan is not checked here.
///
/// # Errors
/// [`Error`]. Whatever the reason, and also when this future is dropped, a program that was started
/// is gone afterwards with everything it started in its group.
async fn ask(bridge: &Bridge, request: &Request, limit: Duration) -> Result<Value, Error> {
    let line = line_of(request);
    let asked = async {
        match bridge {
            Bridge::Stdio { command } => ask_program(command, &request.workspace, &line).await,
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
