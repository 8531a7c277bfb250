//! Plans that the user typed: the rules make the same of the newest words. Nothing else chose such a plan,
//! whatever was read before, and the question about it says so. It is asked about all the same.

use super::Pin;
use crate::inner::Inner;
use crate::state::lock;
use domain::hash::Digest;
use serde_json::{Value, json};

/// The calls that the rules make of a text; none where they make no plan of it.
pub(crate) fn calls_of(text: &str) -> Vec<(&'static str, Value)> {
    let planned = ::plan::rules::plan(text);
    let calls = planned.map(|planned| ::plan::compile::plan(&planned));
    let calls = calls.into_iter().flatten().flatten();
    calls.map(|call| (call.tool, call.arguments)).collect()
}

impl Pin {
    /// Whether it is what the rules make of the user's newest words.
    pub(super) fn is_typed(&self) -> bool {
        let calls = self.request.calls.iter();
        let keys = calls.map(|call| self.inner.step_key(&call.tool, &call.arguments));
        lock(&self.caller.session).typed.iter().copied().eq(keys)
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
