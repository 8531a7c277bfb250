//! Files that a request names, read before a small model is first asked.
//!
//! Such a model spends its first calls on what a file may be called and where it may lie, and often its
//! last ones as well. So a file that the user names and that is there stands fenced before the user's
//! words. It is read through the broker like any other: what the guard would ask about or refuse, what
//! is no text and what does not fit is left to the model.

use crate::work::Work;
use api::broker::ToolResult;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::model::ModelClass;
use domain::settings::Mode;
use domain::tool::READ_FILE;
use plan::{one_step, schema};
use serde_json::{Value, json};
use turn::CallRecord;
use uuid::Uuid;

/// Most names that are looked for.
const NAMES: usize = 8;
/// Most files that are read.
const FILES: usize = 2;
/// Most lines of each, from its beginning; the second where the first does not fit.
const LINES: [u64; 2] = [60, 12];

/// Most tokens that they take together; `None` where nothing is read.
const fn room_tokens(class: Option<ModelClass>) -> Option<u64> {
    match class {
        Some(ModelClass::Tiny) => Some(160),
        Some(ModelClass::Small) => Some(600),
        Some(ModelClass::Medium | ModelClass::Large) | None => None,
    }
}

/// Reads what the request names; the calls that this took.
pub(super) async fn before(work: &Work) -> Vec<CallRecord> {
    let Some(tokens) = room_tokens(work.agent.facts.class) else {
        return Vec::new();
    };
    if !work.may_call(READ_FILE) || !one_step::is_about_its_files(&work.request.text) {
        return Vec::new();
    }
    let mut room = work.with_state(|state| state.conversation.view.characters_in(tokens));
    let mut records = Vec::new();
    for path in plan::named::files_of(&work.request.text)
        .into_iter()
        .take(NAMES)
    {
        if records.len() == FILES {
            break;
        }
        if let Some(record) = beginning(work, &path, room).await {
            room = room.saturating_sub(characters(&record.result));
            records.push(record);
        }
    }
    records
}

/// Whether a question of a tiny model is answered from the files that were read, all of them whole, as far
/// as its words tell: such a model calls tools whether or not it needs them, and finds no end.
pub(super) fn are_all_that_is_asked(work: &Work, read: &[CallRecord]) -> bool {
    let whole: Vec<String> = read.iter().filter_map(whole).collect();
    let request = &work.request.text;
    work.agent.facts.class == Some(ModelClass::Tiny)
        && work.request.mode == Mode::Loop
        && plan::named::files_of(request).len() == whole.len()
        && schema::is_answered_by(&whole, request)
}

/// The path of a file that was read from its first line to its last.
fn whole(record: &CallRecord) -> Option<String> {
    let data = &record.result.data;
    let number = |name: &str| data.get(name).and_then(Value::as_u64);
    let is_whole = number("line_count").is_some_and(|count| number("total_lines") == Some(count));
    let path = data.get("path")?.as_str()?;
    let path = path.trim_start_matches("./").to_owned();
    (is_whole && data.get("truncated") == Some(&json!(false))).then_some(path)
}

/// The beginning of a file, as far as it fits.
async fn beginning(work: &Work, path: &str, room: u64) -> Option<CallRecord> {
    for line_count in LINES {
        let call = ToolCall {
            call_id: CallId::from_uuid(Uuid::now_v7()),
            name: READ_FILE.to_owned(),
            arguments: json!({ "path": path, "line_count": line_count }),
        };
        let look = work.look(call).await?;
        if characters(&look.result) <= room {
            return Some(work.tell_look(look).await);
        }
    }
    None
}

fn characters(result: &ToolResult) -> u64 {
    result.text.chars().count() as u64
}
