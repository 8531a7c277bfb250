//! Plans that the user typed: the rules make the same of the words that began the work. Nothing else chose such a plan,
//! whatever was read before, and the question about it says so. It is asked about all the same.

use super::Pin;
use crate::inner::Inner;
use crate::state::lock;
use ::plan::by_rules::{going_on, newest_of};
use api::broker::PlannedCall;
use domain::hash::Digest;
use serde_json::{Value, json};
use std::sync::Arc;

/// The calls that the rules make of a text; none where they make no plan of it.
fn calls_of(text: &str) -> Vec<(&'static str, Value)> {
    let planned = ::plan::rules::plan(text);
    let calls = planned.map(|planned| ::plan::compile::plan(&planned));
    let calls = calls.into_iter().flatten().flatten();
    calls.map(|call| (call.tool, call.arguments)).collect()
}

impl Pin {
    /// Whether it is what the rules make of the user's words that began this work, in which `it` may be the file
    /// that their words before name.
    pub(super) fn is_typed(&self) -> bool {
        // Reading the words by rules takes its time, and most requests pin no plan.
        let words = self.words();
        let trace = self.request.context.trace_id;
        let before = lock(&self.caller.session).words_before(trace);
        let before = newest_of(before.iter().map(AsRef::as_ref));
        let resolved = before.and_then(|before| going_on(&words, &before));
        let typed = calls_of(resolved.as_deref().unwrap_or(&words)).into_iter();
        let typed = typed.map(|(tool, arguments)| self.inner.step_key(tool, &arguments));
        let calls = self.request.calls.iter();
        typed.eq(calls.map(|call| self.inner.step_key(&call.tool, &call.arguments)))
    }

    /// Whether the text of a call stands word for word in those words.
    pub(super) fn stands_in_words(&self, call: &PlannedCall) -> bool {
        let text = call.arguments.get("content").and_then(Value::as_str);
        let words = self.words();
        text.is_none_or(|text| words.contains(text))
    }

    fn words(&self) -> Arc<str> {
        let trace = self.request.context.trace_id;
        lock(&self.caller.session).order(trace).words
    }
}

impl Inner {
    /// What makes a call a certain step of a plan: the tool and its canonical arguments.
    pub(crate) fn step_key(&self, tool: &str, arguments: &Value) -> Digest {
        let known = self.policy.table().find(tool);
        Digest::of_json(&json!({
            "tool": tool,
            "version": known.map(|(_, tool)| tool.spec.version.as_str()),
            "arguments": arguments,
        }))
    }
}
