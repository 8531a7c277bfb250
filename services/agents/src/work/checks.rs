//! The project's checks that the user accepted: run after each batch of changes, so that the model sees
//! what they came to before it goes on. They run through the broker like any other program.

use crate::work::Work;
use domain::event::CallStatus;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::tool::RUN_COMMAND;
use serde_json::json;
use turn::CallRecord;
use uuid::Uuid;

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
