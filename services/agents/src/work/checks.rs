//! The project's checks that the user accepted: run after each batch of changes, so that the model sees
//! what they came to before it goes on, and after a plan, whose answer says it. They run through the broker
//! like any other program.

use crate::work::Work;
use crate::work::changes::is_edit;
use domain::event::{CallStatus, QueryStatus};
use domain::fault::Fault;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::tool::{RUN_COMMAND, UNDO};
use serde_json::json;
use text::escape::{quoted_argv, visible_line};
use turn::{CallRecord, Outcome};
use uuid::Uuid;

/// Most of the last line that a failed check printed which is told, characters; all of it stands with the call.
const TOLD_CHARS: usize = 200;

/// Runs the checks one after the other, up to the first that fails; the calls that this took.
pub(super) async fn run(work: &Work) -> Vec<CallRecord> {
    let mut records = Vec::new();
    if !work.may_call(RUN_COMMAND) {
        return records;
    }
    for argv in &work.request.profile.settings.checks {
        let call = ToolCall {
            call_id: CallId::from_uuid(Uuid::now_v7()),
            name: RUN_COMMAND.to_owned(),
            arguments: json!({ "argv": argv }),
        };
        let record = work.call_tool(call, false, None).await;
        let is_well =
            record.summary.status == CallStatus::Ok && record.summary.exit_code == Some(0);
        records.push(record);
        if !is_well || work.cancel.is_cancelled() {
            break;
        }
    }
    records
}

/// Runs the checks after a plan that changed files, and says how they ended. No change is taken back: where
/// a check fails, the request is done in part. What an undo brings back stood before, and is not checked.
pub(super) async fn after_plan(work: &Work, outcome: &mut Outcome) {
    let mut calls = outcome.tool_calls.iter();
    let has_changed = calls.any(|call| is_edit(work, call) && call.tool != UNDO);
    if !has_changed || outcome.artifacts.is_empty() || work.cancel.is_cancelled() {
        return;
    }
    let mut told = Vec::new();
    for record in run(work).await {
        outcome.note_call(&record);
        let argv = record.summary.args["argv"].as_array();
        let argv = argv.into_iter().flatten();
        let argv: Vec<&str> = argv.filter_map(|word| word.as_str()).collect();
        let line = visible_line(&quoted_argv(&argv)).to_string();
        if record.summary.status == CallStatus::Ok && record.summary.exit_code == Some(0) {
            told.push(format!("The project's check `{line}` passed."));
            continue;
        }
        let message = failed(&record, &line);
        // What went wrong before it is told first.
        if outcome.status == QueryStatus::Success {
            outcome.status = QueryStatus::Partial;
            outcome.error = Some(Fault {
                code: "plan.check_failed".to_owned(),
                message,
                hint: "`carl undo` takes the change back.".to_owned(),
            });
        } else {
            told.push(message);
        }
    }
    if !told.is_empty() {
        let told = told.join("\n");
        outcome.answer = format!("{}\n\n{told}", outcome.answer.trim_end());
    }
}

/// What is said of a check that did not pass.
fn failed(record: &CallRecord, line: &str) -> String {
    let how = match (record.summary.status, record.summary.exit_code) {
        (CallStatus::Ok, Some(code)) => format!("failed with exit code {code}"),
        (CallStatus::Denied, _) => "was refused".to_owned(),
        (CallStatus::Cancelled, _) => "was stopped".to_owned(),
        (CallStatus::Ok | CallStatus::Failed, _) => "failed".to_owned(),
    };
    let said = record.plain();
    let last = said.lines().rfind(|line| !line.trim().is_empty());
    let last: String = last.unwrap_or_default().chars().take(TOLD_CHARS).collect();
    let last = visible_line(last.trim());
    format!("The project's check `{line}` {how}, at last with `{last}`. The change stands.")
}
