//! The parts of a call's arguments, each with where it came from.

use crate::flow::leaves::is_date;
use crate::flow::provenance::{Found, Traced};
use crate::flow::rules::{Flow, Knowledge, Pinned};
use crate::table::Tool;
use domain::label::Label;
use domain::limits::JSON_DEPTH;
use domain::tool::{ArgumentRole, ToolSpec};
use serde_json::Value;
use std::collections::BTreeSet;

/// Most parts of one role that are traced one by one.
const TRACED_PARTS: usize = 512;
/// How many parts back an equal one is looked for.
const SAME_PARTS: usize = 64;

/// One part of an argument: its text and where it came from.
pub(super) struct Part<'a> {
    pub(super) argument: &'a str,
    pub(super) text: String,
    pub(super) traced: Traced,
}

/// The parts of all arguments of a role, each traced. A knob that is no number, date, flag or word
/// of the schema says as much as a payload, and counts as one.
pub(super) fn parts<'a>(
    spec: &'a ToolSpec,
    arguments: &Value,
    flow: &Flow<'_>,
    role: ArgumentRole,
) -> Vec<Part<'a>> {
    let mut found = Vec::new();
    for (name, argument) in &spec.arguments {
        let Some(value) = arguments.get(name) else {
            continue;
        };
        let is_loose_knob = role == ArgumentRole::Payload
            && argument.role == ArgumentRole::Knob
            && !is_narrow(value, flow);
        if argument.role == role || is_loose_knob {
            let mut parts = Parts {
                argument: name,
                flow,
                found: &mut found,
            };
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            parts.descend(value, &pointer, None, 0);
        }
    }
    found
}

/// The label of what is made from a call's arguments alone: the join of all that say anything.
#[must_use]
pub fn made_of(tool: &Tool, arguments: &Value, known: Knowledge<'_>) -> Label {
    let flow = Flow {
        known,
        pinned: Pinned::Nothing,
        opened: &BTreeSet::new(),
        keys: &tool.keys,
        words: &tool.words,
    };
    let roles = [ArgumentRole::Target, ArgumentRole::Payload];
    let all = roles.map(|role| parts(&tool.spec, arguments, &flow, role));
    let labels = all.iter().flatten().map(|part| &part.traced.label);
    labels.fold(Label::nothing(), |joined, one| joined.join(one))
}

/// Whether a knob's value is too narrow to tell anything: a number, a flag, a date, a word that the
/// schema lists, or a list of those.
fn is_narrow(value: &Value, flow: &Flow<'_>) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => is_date(text) || flow.words.contains(text) || text.is_empty(),
        Value::Array(items) => items.iter().all(|item| is_narrow(item, flow)),
        Value::Object(_) => false,
    }
}

/// The parts of one argument, as they are found.
struct Parts<'a, 'f> {
    argument: &'a str,
    flow: &'f Flow<'f>,
    found: &'f mut Vec<Part<'a>>,
}

impl Parts<'_, '_> {
    fn descend(&mut self, value: &Value, pointer: &str, inherited: Option<&Label>, depth: usize) {
        let label = self.flow.known.referenced.get(pointer).or(inherited);
        match value {
            Value::Array(items) if depth < JSON_DEPTH => {
                for (index, item) in items.iter().enumerate() {
                    self.descend(item, &format!("{pointer}/{index}"), label, depth + 1);
                }
            }
            Value::Object(fields) if depth < JSON_DEPTH => {
                for (key, item) in fields {
                    if !self.flow.keys.contains(key) {
                        // A key the model made up says as much as a value, and a reference beneath
                        // it says nothing of the key.
                        self.leaf(&Value::from(key.as_str()), label);
                    }
                    let key = key.replace('~', "~0").replace('/', "~1");
                    self.descend(item, &format!("{pointer}/{key}"), label, depth + 1);
                }
            }
            leaf => self.leaf(leaf, label),
        }
    }

    fn leaf(&mut self, leaf: &Value, label: Option<&Label>) {
        let text = leaf
            .as_str()
            .map_or_else(|| leaf.to_string(), str::to_owned);
        let flow = self.flow;
        let known = self
            .found
            .iter()
            .rev()
            .take(SAME_PARTS)
            .find(|part| part.text == text);
        let traced = match (label, known) {
            (Some(label), _) => Traced {
                label: label.clone(),
                found: Found::Referenced,
            },
            (None, Some(same)) if same.traced.found != Found::Referenced => same.traced.clone(),
            // Nobody reads a call of so many parts: it may be made of anything.
            (None, _) if self.found.len() >= TRACED_PARTS => Traced {
                label: flow.known.context.clone(),
                found: Found::Nowhere,
            },
            (None, _) => flow.known.provenance.trace(leaf, flow.known.context),
        };
        self.found.push(Part {
            argument: self.argument,
            text,
            traced,
        });
    }
}
