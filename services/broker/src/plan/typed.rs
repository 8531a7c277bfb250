//! Steps that the user typed: the rules make the same of the newest words. Nothing else chose such a step,
//! whatever was read before. What it does is asked about all the same, unless a flag approves that.

use super::Pin;
use crate::inner::Inner;
use crate::state::lock;
use ::plan::{by_rules, compile};
use api::broker::PlannedCall;
use domain::hash::Digest;
use serde_json::{Value, json};
use std::sync::Arc;

impl Pin {
    /// Which calls the rules make of the user's newest words: all that they make of them, in that order.
    pub(super) fn typed(&self) -> Vec<bool> {
        // Reading the words by rules takes its time, and most requests pin no plan.
        let words = self.words();
        let typed = by_rules::typed(&words);
        let typed = typed.iter().flat_map(compile::action);
        let typed = typed.map(|call| self.inner.step_key(call.tool, &call.arguments));
        let mut typed = typed.peekable();
        let calls = self.request.calls.iter();
        let are_typed: Vec<bool> = calls
            .map(|call| {
                let key = self.inner.step_key(&call.tool, &call.arguments);
                typed.next_if_eq(&key).is_some()
            })
            .collect();
        // A plan that leaves out what was ordered is another one.
        match typed.peek() {
            None => are_typed,
            Some(_) => vec![false; are_typed.len()],
        }
    }

    /// The user's newest words, in the work that they began.
    fn words(&self) -> Arc<str> {
        lock(&self.caller.session).words(self.request.context.trace_id)
    }

    /// Whether the text of a call stands word for word in the user's newest words.
    pub(super) fn stands_in_words(&self, call: &PlannedCall) -> bool {
        let text = call.arguments.get("content").and_then(Value::as_str);
        let words = self.words();
        text.is_none_or(|text| words.contains(text))
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
