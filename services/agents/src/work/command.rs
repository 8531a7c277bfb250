//! A command of the user's: a line for the shell, typed behind `!`.
//!
//! No agent is asked. The line runs as a call of the root agent's `run_command`: through the broker, which
//! was told of the user's yes to exactly this call, and in the sandbox like every other program. What it
//! prints is the agent's to read with the next request, as a program's output and not as words of the
//! user.

use crate::work::Work;
use api::broker::PlannedCall;
use api::sessions::{Error, ErrorKind};
use domain::event::{CallStatus, QueryStatus};
use domain::fault::Coded;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::tool::RUN_COMMAND;
use serde_json::json;
use turn::Outcome;
use uuid::Uuid;

/// The call that a text asks for.
///
/// # Errors
/// When it does not begin with `!`, or has nothing behind it.
pub(crate) fn call(text: &str) -> Result<PlannedCall, Error> {
    let line = text.trim().strip_prefix('!').map(str::trim);
    match line.filter(|line| !line.is_empty()) {
        Some(line) => Ok(PlannedCall {
            tool: RUN_COMMAND.to_owned(),
            arguments: json!({ "command": line }),
        }),
        None => Err(Error::new(
            ErrorKind::InvalidRequest,
            "There is no command behind the `!`.",
        )
        .with_hint("Type it there, such as `!git status`.")),
    }
}

/// Runs it.
pub(crate) async fn run(work: &Work) -> Outcome {
    let PlannedCall { tool, arguments } = match call(&work.request.text) {
        Ok(call) => call,
        Err(error) => return Outcome::failed(error.fault()),
    };
    let call = ToolCall {
        call_id: CallId::from_uuid(Uuid::now_v7()),
        name: tool,
        arguments,
    };
    let record = work.call_tool(call, false, None).await;
    let mut outcome = Outcome::of(match record.result.status {
        CallStatus::Ok => QueryStatus::Success,
        CallStatus::Failed => QueryStatus::Failed,
        CallStatus::Denied => QueryStatus::Denied,
        CallStatus::Cancelled => QueryStatus::Interrupted,
    });
    outcome.note_call(&record);
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_what_stands_behind_the_mark() {
        let line = |text| call(text).map(|call| call.arguments["command"].clone());
        for text in ["!ls -l", " ! ls -l \n"] {
            assert_eq!(line(text).unwrap(), "ls -l");
        }
        for text in ["ls", "!", "! ", "say !ls"] {
            assert_eq!(line(text).unwrap_err().kind, ErrorKind::InvalidRequest);
        }
    }
}
