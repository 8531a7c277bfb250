//! What the calls of a turn changed in files: when the project's checks are due, and whether a tiny model
//! has done all that was asked for.

use crate::work::Work;
use domain::event::{CallStatus, ToolCallSummary};
use domain::message::ToolCall;
use domain::model::ModelClass;
use domain::tool::{APPLY_PATCH, EDIT_FILE, EffectClass, WRITE_FILE};
use plan::one_step;
use serde_json::Value;
use std::path::PathBuf;
use text::fence;
use turn::CallRecord;

/// The mode of `write_file` that only makes new files, and which it has where none is named.
const CREATE: &str = "create";

/// The changes of a turn.
#[derive(Debug, Default)]
pub(super) struct Changes {
    are_unchecked: bool,
    count: u32,
    /// The file that the first of them made, and what the tool said of it.
    created: Option<(PathBuf, String)>,
}

impl Changes {
    /// Takes a finished call into account. What a program changed is no edit: it may be a check itself.
    pub(super) fn note(&mut self, work: &Work, record: &CallRecord) {
        let call = &record.summary;
        let effect = work.services.effects.get(&call.tool);
        if matches!(effect, Some(EffectClass::Read | EffectClass::SelfWrite)) {
            return;
        }
        self.count += 1;
        if !is_edit(work, call) || record.result.artifacts.is_empty() {
            return;
        }
        self.are_unchecked = true;
        if let [path] = record.result.artifacts.as_slice()
            && call.tool == WRITE_FILE
            && mode_of(&call.args) == CREATE
            && let Some(words) = own_words(&record.result.text)
        {
            self.created = Some((PathBuf::from(path), words));
        }
    }

    /// Whether files were changed since this was last asked.
    pub(super) const fn are_unchecked(&mut self) -> bool {
        std::mem::replace(&mut self.are_unchecked, false)
    }

    /// Whether a tiny model made the one file that was asked for, and tried nothing else: asked again,
    /// it would.
    pub(super) fn are_all_asked_for(&self, work: &Work) -> bool {
        let settings = &work.request.profile.settings;
        let is_made = |(created, _): &(PathBuf, String)| {
            one_step::is_made(&work.request.text, created, &settings.workspace)
        };
        work.agent.facts.class == Some(ModelClass::Tiny)
            && settings.checks.is_empty()
            && self.count == 1
            && self.created.as_ref().is_some_and(is_made)
    }

    /// What was done, as the tool says it.
    pub(super) fn in_words(&self) -> String {
        let created = self.created.as_ref();
        created.map_or_else(String::new, |(_, words)| words.clone())
    }
}

/// Whether a call changed files, as no program does: that may be a check itself.
pub(super) fn is_edit(work: &Work, call: &ToolCallSummary) -> bool {
    let effect = work.services.effects.get(&call.tool);
    let is_change = matches!(
        effect,
        Some(EffectClass::SharedWrite | EffectClass::Destructive)
    );
    is_change && call.status == CallStatus::Ok
}

/// Why a tiny model's change is not run: it is of another file than the request names.
pub(super) fn of_another_file(work: &Work, call: &ToolCall) -> Option<String> {
    if work.agent.facts.class != Some(ModelClass::Tiny) {
        return None;
    }
    let text = |name: &str| call.arguments.get(name).and_then(Value::as_str);
    let changed: Vec<&str> = match call.name.as_str() {
        EDIT_FILE => text("path").into_iter().collect(),
        WRITE_FILE if mode_of(&call.arguments) != CREATE => text("path").into_iter().collect(),
        APPLY_PATCH => {
            let files = patch::parse(text("patch")?).ok()?;
            files.iter().map(|file| file.path).collect()
        }
        _ => Vec::new(),
    };
    let request = &work.request.text;
    let mut others = changed.iter();
    let other = others.find(|path| one_step::names_another(request, path))?;
    Some(format!(
        "Not run: the request names other files, and not `{other}`. Change what it names."
    ))
}

/// How `write_file` writes, as a call has it.
fn mode_of(arguments: &Value) -> &str {
    let mode = arguments.get("mode").and_then(Value::as_str);
    mode.unwrap_or(CREATE)
}

/// What a tool says of what it did, without the marks around it.
fn own_words(result: &str) -> Option<String> {
    let lines = result.lines().filter(|line| !fence::is_mark(line));
    let words = lines.collect::<Vec<_>>().join("\n");
    (!words.trim().is_empty()).then_some(words)
}
