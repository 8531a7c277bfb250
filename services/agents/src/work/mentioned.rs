//! Files and folders that a message names with `@`: their text goes along with it.
//!
//! They are read before the model is first asked, by the broker's own tools like any other, so that what
//! the guard asks about is asked about, what it refuses is told with its layer, and what is read has its
//! label. It stands fenced before the user's words, and is none of them. Pictures go another way.

use crate::work::Work;
use api::broker::ToolResult;
use context::Budget;
use disk::stored::as_stored;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::tool::{LIST_FILES, READ_FILE};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use text::escape::visible_line;
use turn::CallRecord;
use uuid::Uuid;

/// Most files and folders that go along with a message.
const MOST: usize = 8;
/// The most of a prompt that they may take together, thousandths.
const SHARE_PERMILLE: u64 = 300;
/// How often a file is read again for fewer of its lines.
const TRIES: usize = 6;
/// More was named than goes along.
const MANY_CODE: &str = "agents.mentions_left_out";
/// A part of a file goes along.
const CUT_CODE: &str = "agents.mention_cut";
/// Nothing of it goes along.
const LEFT_OUT_CODE: &str = "agents.mention_left_out";

/// Reads what the user's words name; the calls that this took.
pub(super) async fn before(work: &Work) -> Vec<CallRecord> {
    let is_of_user = work.with_state(|state| state.conversation.is_of_user());
    if !is_of_user || work.agent.lineage.len() > 1 {
        return Vec::new();
    }
    let places = places(work).await;
    let tokens = Budget::of(work.agent.context_tokens).prompt_tokens * SHARE_PERMILLE / 1_000;
    let mut room = work.with_state(|state| state.conversation.view.characters_in(tokens));
    let mut records = Vec::new();
    for (index, (name, is_folder)) in places.iter().enumerate() {
        let left = (places.len() - index) as u64;
        let reading = Reading {
            work,
            name,
            tool: if *is_folder { LIST_FILES } else { READ_FILE },
            room: room / left,
        };
        if let Some(record) = reading.read().await {
            room = room.saturating_sub(characters(&record.result));
            records.push(record);
        }
        if work.cancel.is_cancelled() {
            break;
        }
    }
    records
}

/// The names that are there, each once, and whether it is a folder.
async fn places(work: &Work) -> Vec<(String, bool)> {
    let workspace = &work.request.profile.settings.workspace;
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for name in text::mentions::names_in(&work.request.text) {
        let is_other = name.is_empty() || picture::is_named_as_one(Path::new(&name));
        if is_other || !seen.insert(name.clone()) {
            continue;
        }
        let place = match name.strip_prefix("~/") {
            Some(rest) => std::env::home_dir().map(|home| home.join(rest)),
            None => Some(workspace.join(&name)),
        };
        let Some(place) = place else { continue };
        // Looked up without a call: a name that the user typed is no reading, and marks no session.
        let Ok(facts) = tokio::fs::metadata(as_stored(&place)).await else {
            continue;
        };
        if found.len() == MOST {
            let said = format!("Of what the message names only the first {MOST} go along.");
            tell(work, MANY_CODE, said).await;
            break;
        }
        found.push((name, facts.is_dir()));
    }
    found
}

/// One name as it is read.
struct Reading<'a> {
    work: &'a Work,
    name: &'a str,
    tool: &'static str,
    /// Characters that it may take.
    room: u64,
}

impl Reading<'_> {
    /// As much of it as there is room for; the call that this took, if anything can be shown or told.
    async fn read(&self) -> Option<CallRecord> {
        let mut lines = None;
        for _ in 0..TRIES {
            let Some(look) = self.work.look(self.call(lines)).await else {
                // Asked about, refused or failed: all of that is told.
                return Some(self.work.call_tool(self.call(lines), false, None).await);
            };
            let size = characters(&look.result);
            let number = |name: &str| look.result.data[name].as_u64();
            if size <= self.room {
                let (shown, all) = (number("line_count"), number("total_lines"));
                let is_cut = look.result.truncated || shown < all;
                let record = self.work.tell_look(look).await;
                if is_cut {
                    self.tell_cut(shown, all).await;
                }
                return Some(record);
            }
            // A folder has no lines to leave out, and less than a line is nothing.
            let Some(shown) = number("line_count").filter(|shown| *shown > 1) else {
                break;
            };
            // What is shown may be a part of the lines already: the file says how long they are.
            let of_all = |bytes: u64, all: u64| bytes.saturating_mul(shown) / all.max(1);
            let sizes = number("total_bytes").zip(number("total_lines"));
            let size = sizes.map_or(size, |(bytes, all)| of_all(bytes, all).max(size));
            let fitting = shown.saturating_mul(self.room) * 9 / (size.max(1) * 10);
            lines = Some(fitting.clamp(1, shown - 1));
        }
        self.tell_left_out().await;
        None
    }

    fn call(&self, lines: Option<u64>) -> ToolCall {
        let mut arguments = json!({ "path": self.name });
        if let Some(lines) = lines {
            arguments["line_count"] = Value::from(lines);
        }
        ToolCall {
            call_id: CallId::from_uuid(Uuid::now_v7()),
            name: self.tool.to_owned(),
            arguments,
        }
    }

    async fn tell_cut(&self, shown: Option<u64>, all: Option<u64>) {
        let name = visible_line(self.name);
        let said = match (shown, all) {
            (Some(shown), Some(all)) if shown < all => {
                format!(
                    "Of {name} the first {shown} of {all} lines go along: there is no room for more."
                )
            }
            _ => format!("{name} is cut short: there is no room for all of it."),
        };
        tell(self.work, CUT_CODE, said).await;
    }

    async fn tell_left_out(&self) {
        let name = visible_line(self.name);
        let said =
            format!("{name} does not go along: there is no room for it in the model's context.");
        tell(self.work, LEFT_OUT_CODE, said).await;
    }
}

async fn tell(work: &Work, code: &str, message: String) {
    let notice = Fault {
        code: code.to_owned(),
        message,
        hint: "The agent can read it in parts with its tools.".to_owned(),
    };
    work.emit(EventBody::Notice(notice), None).await;
}

fn characters(result: &ToolResult) -> u64 {
    result.text.chars().count() as u64
}
