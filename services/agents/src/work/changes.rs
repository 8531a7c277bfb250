//! What the calls of a turn changed in files: when the project's checks are due, and whether a tiny model
//! has done all that was asked for.

use crate::work::Work;
use domain::event::CallStatus;
use domain::message::ToolCall;
use domain::model::ModelClass;
use domain::tool::{EDIT_FILE, EffectClass};
use plan::one_step;
use text::fence;
use turn::CallRecord;

/// The changes of a turn.
#[derive(Debug, Default)]
pub(super) struct Changes {
    are_unchecked: bool,
    /// What the tools said of them.
    told: Vec<String>,
}

impl Changes {
    /// Takes a finished call into account. What a program changed is no edit: it may be a check itself.
    pub(super) fn note(&mut self, work: &Work, record: &CallRecord) {
        let call = &record.summary;
        let effect = work.services.effects.get(&call.tool);
        let is_edit = matches!(
            effect,
            Some(EffectClass::SharedWrite | EffectClass::Destructive)
        );
        if is_edit && call.status == CallStatus::Ok && !record.result.artifacts.is_empty() {
            self.are_unchecked = true;
            self.told.extend(own_words(&record.result.text));
        }
    }

    /// Whether files were changed since this was last asked.
    pub(super) const fn are_unchecked(&mut self) -> bool {
        std::mem::replace(&mut self.are_unchecked, false)
    }

    /// Whether a tiny model has done all that was asked for: asked again, it does something else.
    /// `artifacts`: the files that were changed.
    pub(super) fn are_all_asked_for(&self, work: &Work, artifacts: &[String]) -> bool {
        work.agent.facts.class == Some(ModelClass::Tiny)
            && work.request.profile.settings.checks.is_empty()
            && !self.told.is_empty()
            && one_step::is_done(&work.request.text, artifacts)
    }

    /// What was done, as the tools say it.
    pub(super) fn in_words(&self) -> String {
        self.told.join("\n")
    }
}

/// Why a tiny model's edit is not run: it is of another file than the request names.
pub(super) fn of_another_file(work: &Work, call: &ToolCall) -> Option<String> {
    let path = call.arguments.get("path")?.as_str()?;
    let is_elsewhere = work.agent.facts.class == Some(ModelClass::Tiny)
        && call.name == EDIT_FILE
        && one_step::names_another(&work.request.text, path);
    is_elsewhere.then(|| {
        format!("Not run: the request names other files, and not `{path}`. Change what it names.")
    })
}

/// What a tool says of what it did, without the marks around it.
fn own_words(result: &str) -> Option<String> {
    let lines = result.lines().filter(|line| !fence::is_mark(line));
    let words = lines.collect::<Vec<_>>().join("\n");
    (!words.trim().is_empty()).then_some(words)
}
