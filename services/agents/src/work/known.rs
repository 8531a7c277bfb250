//! What is known of the files that a small model works on, where its replies are held to a schema: the
//! paths that it may mean, and the texts that it may replace, are alternatives there.
//!
//! It comes through the broker. The folder is listed once a file was read, and not before: a listing makes
//! later effects a question just as a file that was read does. No event tells of it, since the model is
//! not shown it.

use crate::work::Work;
use discovery::KnownFiles;
use domain::event::CallStatus;
use domain::id::CallId;
use domain::limits::WALK_DEPTH;
use domain::message::{Message, ToolCall};
use domain::model::ModelClass;
use domain::tool::{EffectClass, LIST_FILES, READ_FILE, ToolDefinition, ToolName};
use plan::schema;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use turn::CallRecord;
use uuid::Uuid;

/// The capability of tools that read files.
const READS_FILES: &str = "fs_read";

/// What is known, and whether more may be found out.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Whether it counts for this model.
    is_wanted: bool,
    /// Whether a file was read.
    has_read: bool,
    /// The whole listing of the working folder since the last change; `None` within where there is more.
    listing: Option<Option<Vec<String>>>,
    texts: BTreeMap<String, Vec<String>>,
}

impl Known {
    pub(super) fn of(work: &Work) -> Self {
        let facts = &work.agent.facts;
        let is_small = matches!(facts.class, Some(ModelClass::Tiny | ModelClass::Small));
        Self {
            is_wanted: is_small && facts.holds_calls,
            ..Self::default()
        }
    }

    /// Takes a finished call into account.
    pub(super) fn note(&mut self, work: &Work, record: &CallRecord) {
        let call = &record.summary;
        let effect = work.services.effects.get(&call.tool);
        if !matches!(effect, Some(EffectClass::Read | EffectClass::SelfWrite)) {
            // Files may be others now, and have other texts.
            self.listing = None;
            self.texts.clear();
            return;
        }
        let capability = work.agent.resources.shared.capabilities.get(&call.tool);
        if call.status != CallStatus::Ok || capability.is_none_or(|own| own != READS_FILES) {
            return;
        }
        self.has_read = true;
        if call.tool == READ_FILE
            && let Some(path) = call.args.get("path").and_then(Value::as_str)
            && let Some(texts) = texts_of(&work.request.text, record)
        {
            self.texts.insert(path.to_owned(), texts);
        }
    }

    /// The parameters that a reply is held to, for tools of which something is known.
    pub(super) async fn narrowed(
        &mut self,
        work: &Work,
        tools: &[ToolDefinition],
        messages: &[Message],
    ) -> BTreeMap<ToolName, Value> {
        let is_due = self.is_wanted && self.has_read;
        if !is_due || !tools.iter().any(discovery::can_be_narrowed) {
            return BTreeMap::new();
        }
        if self.listing.is_none() {
            self.listing = Some(list(work).await);
        }
        let listing = self.listing.iter().flatten().next();
        let request = &work.request.text;
        let known = KnownFiles {
            paths: listing.and_then(|listing| discovery::paths(listing, request, messages)),
            texts: self.texts.clone(),
        };
        discovery::narrowed(tools, &known)
    }
}

/// Everything in the working folder that git does not ignore; `None` where the guard does not simply
/// allow to list it, or there is too much.
async fn list(work: &Work) -> Option<Vec<String>> {
    if !work.may_call(LIST_FILES) {
        return None;
    }
    let call = ToolCall {
        call_id: CallId::from_uuid(Uuid::now_v7()),
        name: LIST_FILES.to_owned(),
        arguments: json!({ "path": ".", "depth": WALK_DEPTH }),
    };
    let data = work.look(call).await?.result.data;
    let is_whole = data.get("truncated") == Some(&json!(false));
    let listing = schema::listed(&data);
    let count = data.get("entries")?.as_array()?.len();
    (is_whole && listing.len() == count).then_some(listing)
}

/// The texts of a file that was read as a whole, as the model was shown them.
fn texts_of(request: &str, record: &CallRecord) -> Option<Vec<String>> {
    let data = &record.result.data;
    let number = |name: &str| data.get(name).and_then(Value::as_u64);
    let is_whole = number("from_line") == Some(1)
        && number("line_count") == number("total_lines")
        && data.get("truncated") == Some(&json!(false));
    let content = data.get("content")?.as_str().filter(|_| is_whole)?;
    let said = schema::texts_to_replace(request);
    let mut texts = discovery::texts_to_replace(content, request, &said)?;
    // What was blotted out stays so.
    texts.retain(|text| record.result.text.contains(text.as_str()));
    Some(texts)
}
