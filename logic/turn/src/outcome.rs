//! What a request and a call came to.

use crate::claims::{
    claims_change, claims_deletion, claims_done, claims_forgetting, claims_reminder, claims_result,
    is_question,
};
use crate::programs::Programs;
use crate::reply::Reply;
use crate::untrue::Untrue;
use api::broker::ToolResult;
use domain::event::{CallStatus, QueryStatus, ToolCallSummary};
use domain::fault::Fault;
use domain::model::{ModelRef, Usage};
use domain::tool::{EffectClass, SET_TIMER};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a tool does more than look or keep the agent's own notes.
fn changes(tool: &str, effects: &BTreeMap<String, EffectClass>) -> bool {
    let kept_or_read = [EffectClass::Read, EffectClass::SelfWrite];
    let effect = effects.get(tool);
    effect.is_none_or(|effect| !kept_or_read.contains(effect))
}

/// The last parts of the paths among the arguments of a call.
fn names_in(args: &Value) -> Vec<&str> {
    match args {
        Value::String(path) => path
            .split('/')
            .rfind(|part| !part.is_empty())
            .into_iter()
            .collect(),
        Value::Array(all) => all.iter().flat_map(names_in).collect(),
        Value::Object(all) => all.values().flat_map(names_in).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// How a request ended. The caller of `run` turns it into the closing events.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: QueryStatus,
    /// The answer; may be empty.
    pub answer: String,
    /// All thinking.
    pub thinking: String,
    /// Every tool call, in the order they ended.
    pub tool_calls: Vec<ToolCallSummary>,
    /// Files made or changed, absolute, each once.
    pub artifacts: Vec<String>,
    /// The whole cost.
    pub usage: Usage,
    /// The model that answered last, if any did.
    pub model: Option<ModelRef>,
    /// What went wrong, when something did. The caller of `run` emits the `Error` event for it.
    pub error: Option<Fault>,
}

impl Outcome {
    /// An outcome with nothing but a status.
    #[must_use]
    pub fn of(status: QueryStatus) -> Self {
        Self {
            status,
            answer: String::new(),
            thinking: String::new(),
            tool_calls: Vec::new(),
            artifacts: Vec::new(),
            usage: Usage::default(),
            model: None,
            error: None,
        }
    }

    /// A failure.
    #[must_use]
    pub fn failed(error: Fault) -> Self {
        Self {
            error: Some(error),
            ..Self::of(QueryStatus::Failed)
        }
    }

    /// What came before and what came `after` it, as one outcome.
    #[must_use]
    pub fn then(self, mut after: Self) -> Self {
        let mut calls = self.tool_calls;
        calls.append(&mut after.tool_calls);
        let mut artifacts = self.artifacts;
        for artifact in std::mem::take(&mut after.artifacts) {
            if !artifacts.contains(&artifact) {
                artifacts.push(artifact);
            }
        }
        let thinking = [self.thinking, std::mem::take(&mut after.thinking)];
        let thinking: Vec<String> = thinking.into_iter().filter(|t| !t.is_empty()).collect();
        Self {
            tool_calls: calls,
            artifacts,
            thinking: thinking.join("\n\n"),
            usage: self.usage.plus(after.usage),
            model: after.model.take().or(self.model),
            ..after
        }
    }

    /// What the answer to `request` says that the calls do not bear out: a change when no call of this
    /// request changed anything, a deletion when that did not come about, a run when none ran a
    /// program, or that all is well when the last program failed. Each is judged by calls of its own
    /// kind. `effects` are those of the tools, `succeeded` the tools of which the conversation has had
    /// a call that succeeded: what a request before this one changed may be told of, and excuses no
    /// claim of a change ordered now.
    #[must_use]
    pub fn untrue_claims(
        &self,
        request: &str,
        effects: &BTreeMap<String, EffectClass>,
        succeeded: &BTreeSet<String>,
    ) -> Vec<Untrue> {
        let answer = self.answer.as_str();
        let calls = &self.tool_calls;
        let mut done = calls.iter().filter(|call| call.status == CallStatus::Ok);
        let has_changed = done.clone().any(|call| changes(&call.tool, effects));
        let programs = Programs {
            request,
            answer,
            calls,
            effects,
            succeeded,
            has_changed,
        };
        let ran_now = programs.ran();
        let mut untrue: Vec<Untrue> = programs.untrue().into_iter().collect();
        // A program may have set what reminds.
        let is_set = succeeded.contains(SET_TIMER) || ran_now;
        if !is_set && claims_reminder(request, answer, has_changed) {
            untrue.push(Untrue::Reminder);
        }
        if claims_forgetting(request, answer, has_changed) {
            untrue.push(Untrue::Forgetting);
        }
        if has_changed {
            // A program may have deleted it.
            let deletion = (!ran_now).then(|| self.untrue_deletion(request, effects));
            untrue.extend(deletion.flatten());
            return untrue;
        }
        let is_own_keeping =
            |claim: &Untrue| matches!(claim, Untrue::Reminder | Untrue::Forgetting);
        if untrue.iter().any(is_own_keeping) {
            return untrue;
        }
        let never_called = |tool: &String| calls.iter().all(|call| call.tool != *tool);
        let before = |tool: &String| changes(tool, effects) && never_called(tool);
        let changed_before = succeeded.iter().any(before);
        // What was written into the agent's own notes is a result as well, though of no file.
        let is_own = |tool: &str| effects.get(tool) == Some(&EffectClass::SelfWrite);
        let wrote_notes = done.any(|call| is_own(&call.tool));
        let missed = || calls.iter().any(|call| changes(&call.tool, effects));
        if claims_change(request, answer, changed_before)
            || (!wrote_notes && claims_result(request, answer))
        {
            untrue.push(Untrue::Change);
        } else if let Some(deletion) = self.untrue_deletion(request, effects) {
            untrue.push(deletion);
        } else if !wrote_notes && missed() && claims_done(request, answer) {
            untrue.push(Untrue::Change);
        }
        untrue
    }

    /// That something was deleted whose deletion did not come about. What a call has changed since or
    /// before is left out: the answer may tell of that.
    fn untrue_deletion(
        &self,
        request: &str,
        effects: &BTreeMap<String, EffectClass>,
    ) -> Option<Untrue> {
        let deletes =
            |call: &&ToolCallSummary| effects.get(&call.tool) == Some(&EffectClass::Destructive);
        let (done, missed): (Vec<_>, Vec<_>) = self
            .tool_calls
            .iter()
            .partition(|call| call.status == CallStatus::Ok);
        let changed: BTreeSet<&str> = done
            .iter()
            .filter(|call| changes(&call.tool, effects))
            .flat_map(|call| names_in(&call.args))
            .collect();
        let missed: Vec<&ToolCallSummary> = missed.into_iter().filter(deletes).collect();
        let names = missed.iter().flat_map(|call| names_in(&call.args));
        let files: Vec<String> = names
            .filter(|name| !changed.contains(name))
            .map(str::to_owned)
            .collect();
        // Where nothing was changed, no answer can tell of something else that was taken away.
        let is_named = |file: &String| changed.is_empty() || request.contains(file.as_str());
        let is_ordered = files.iter().any(is_named) && !done.iter().any(deletes);
        let last = missed.last()?;
        let is_claim = !is_question(request) && claims_deletion(&self.answer, &files, is_ordered);
        is_claim.then(|| Untrue::Deletion {
            tool: last.tool.clone(),
            status: last.status,
        })
    }

    /// Takes a finished call into account.
    pub fn note_call(&mut self, record: &CallRecord) {
        self.tool_calls.push(record.summary.clone());
        for artifact in &record.result.artifacts {
            if !self.artifacts.contains(artifact) {
                self.artifacts.push(artifact.clone());
            }
        }
    }

    /// Takes a model's reply into account: cost, thinking, model. Not its text.
    pub fn note_reply(&mut self, reply: &Reply) {
        self.usage = self.usage.plus(reply.usage);
        if let Some(thinking) = &reply.thinking {
            if !self.thinking.is_empty() {
                self.thinking.push_str("\n\n");
            }
            self.thinking.push_str(&thinking.text);
        }
        if reply.model.is_some() {
            self.model.clone_from(&reply.model);
        }
    }
}

/// What one tool call came to.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// For the request's log.
    pub summary: ToolCallSummary,
    /// For the model and for programs.
    pub result: ToolResult,
    /// Whether the user was asked about it and said no.
    pub declined: bool,
    /// Why the broker refused it, for the user. The result says it for the model.
    pub refusal: Option<String>,
}

impl CallRecord {
    /// The text of a call that did not succeed, for people: without the fence that models need.
    #[must_use]
    pub fn plain(&self) -> String {
        if let Some(reason) = &self.refusal {
            return reason.clone();
        }
        let lines: Vec<&str> = self
            .result
            .text
            .lines()
            .filter(|line| !text::fence::is_mark(line))
            .collect();
        let text = lines
            .join("\n")
            .trim()
            .trim_start_matches("[DENIED]")
            .trim_start_matches("[tool unavailable]")
            .trim()
            .to_owned();
        match (text.is_empty(), self.result.status) {
            (false, _) => text,
            (true, CallStatus::Denied) => "it is not allowed".to_owned(),
            (true, CallStatus::Cancelled) => "it was stopped".to_owned(),
            (true, CallStatus::Failed | CallStatus::Ok) => "it failed".to_owned(),
        }
    }
}

/// A result for a call of which nothing is known but how it ended.
#[must_use]
pub fn nothing_ran(status: CallStatus, text: String) -> ToolResult {
    ToolResult {
        status,
        value_id: None,
        label: None,
        text,
        data: Value::Null,
        truncated: false,
        duration_ms: 0,
        artifacts: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_before_and_after_is_one_outcome() {
        let mut before = Outcome::of(QueryStatus::Failed);
        before.artifacts = vec!["/a".to_owned()];
        before.usage.prompt_tokens = 3;
        let mut after = Outcome::of(QueryStatus::Success);
        after.artifacts = vec!["/a".to_owned(), "/b".to_owned()];
        after.usage.prompt_tokens = 4;
        after.answer = "Done.".to_owned();
        let whole = before.then(after);
        assert_eq!(whole.status, QueryStatus::Success);
        assert_eq!(whole.artifacts, ["/a", "/b"]);
        assert_eq!(whole.usage.prompt_tokens, 7);
        assert_eq!(whole.answer, "Done.");
    }
}
