//! Files and folders that a request names, read before a small model is first asked.
//!
//! Such a model spends its first calls on what a file may be called and where it may lie, and often its
//! last ones as well. So a file or folder that the user names and that is there stands fenced before the
//! user's words. It is read through the broker like any other: what the guard would ask about or refuse, what
//! is no text and what does not fit is left to the model.

use crate::work::Work;
use api::broker::ToolResult;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::model::ModelClass;
use domain::plan::Action;
use domain::settings::Mode;
use domain::tool::{LIST_FILES, READ_FILE};
use plan::shown::{self, Focused, Shown, Unread, focus, nothing_about};
use plan::{likely, one_step, schema};
use serde_json::{Value, json};
use turn::CallRecord;
use uuid::Uuid;

/// Most names that are looked for.
const NAMES: usize = 8;
/// Most files and folders that are read.
const MOST: usize = 2;
/// Most lines of each file, from its beginning; the second where the first does not fit.
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
    let request = &work.request.text;
    let Some(tokens) = room_tokens(work.agent.facts.class) else {
        return Vec::new();
    };
    if !one_step::is_about_its_files(request) {
        return Vec::new();
    }
    let mut room = work.with_state(|state| state.conversation.view.characters_in(tokens));
    let files = plan::named::files_of(request).into_iter();
    let files = files.take(NAMES).map(|path| reads(&path));
    let folders = plan::named::folders_of(request).into_iter();
    let folders = folders.take(NAMES).map(|path| lists(&path));
    let mut records = Vec::new();
    for (tool, ways) in files.chain(folders) {
        if records.len() == MOST {
            break;
        }
        if !work.may_call(tool) {
            continue;
        }
        if let Some(record) = fitting(work, tool, ways, room).await {
            room = room.saturating_sub(characters(&record.result));
            records.push(record);
        }
    }
    records
}

/// How a file is read: the second way where what the first shows does not fit.
fn reads(path: &str) -> (&'static str, Vec<Value>) {
    let ways = LINES.iter();
    let ways = ways.map(|line_count| json!({ "path": path, "line_count": line_count }));
    (READ_FILE, ways.collect())
}

/// How a folder is listed.
fn lists(path: &str) -> (&'static str, Vec<Value>) {
    (LIST_FILES, vec![json!({ "path": path })])
}

/// The files that were read, where a question of a tiny model is answered from them, all of them whole, as
/// far as its words tell: such a model calls tools whether or not it needs them, and finds no end.
pub(super) fn all_that_is_asked(work: &Work, read: &[CallRecord]) -> Option<InView> {
    let whole: Vec<String> = read.iter().filter_map(whole).collect();
    let request = &work.request.text;
    let is_all = work.agent.facts.class == Some(ModelClass::Tiny)
        && work.request.mode == Mode::Loop
        && whole.len() == read.len()
        && plan::named::files_of(request).len() == whole.len()
        && schema::is_answered_by(&whole, request);
    let files = whole.into_iter().zip(read);
    let shown = files.map(|(path, record)| {
        let data = std::slice::from_ref(&record.result.data);
        Shown::of(&Action::ReadFile { path }, data)
    });
    is_all.then(|| InView(shown.collect()))
}

/// All that a question is about, which was read for it.
#[derive(Debug)]
pub(super) struct InView(Vec<Shown>);

impl InView {
    /// What is told of the question: what a line answers by rules, the lines that it is about, or how the files
    /// begin.
    pub(super) fn told(&self, question: &str) -> String {
        if let Some(told) = likely::by_rules(&self.0, question) {
            return told;
        }
        match focus(&self.0, question) {
            Focused::On(quotes) => likely::lines(&self.0, &quotes, question),
            Focused::Nothing(places) => nothing_about(&places, &Unread::default()),
            Focused::Everything => {
                let texts = shown::merged(&self.0);
                likely::of_all(&self.0, &texts, question)
                    .unwrap_or_else(|| nothing_about(&[], &Unread::default()))
            }
        }
    }
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

/// What the first of these ways shows that fits.
async fn fitting(work: &Work, tool: &str, ways: Vec<Value>, room: u64) -> Option<CallRecord> {
    for arguments in ways {
        let call = ToolCall {
            call_id: CallId::from_uuid(Uuid::now_v7()),
            name: tool.to_owned(),
            arguments,
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
