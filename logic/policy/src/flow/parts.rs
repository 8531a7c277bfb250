//! The parts of a call's arguments, each with where it came from.

use crate::flow::knobs::{is_narrow, narrow_numbers, widens_access};
use crate::flow::knowledge::{Flow, Knowledge, Pinned};
use crate::flow::provenance::{Found, Traced};
use crate::table::Tool;
use domain::label::{Integrity, Label, Readers};
use domain::limits::JSON_DEPTH;
use domain::tool::{ArgumentRole, EffectClass};
use serde_json::Value;
use std::collections::BTreeSet;

/// Most parts of one role that are traced one by one.
const TRACED_PARTS: usize = 512;
/// Most parts of one argument that are yes, no, nothing or empty and tell nothing: three bits.
const FLAGS: usize = 3;
/// How many parts back an equal one is looked for.
const SAME_PARTS: usize = 64;

/// One part of an argument: its text and where it came from.
pub(super) struct Part<'a> {
    pub(super) argument: &'a str,
    pub(super) asked: Asked,
    pub(super) text: String,
    pub(super) traced: Traced,
    /// Whether it tells something by where it stands among others, whatever it says.
    pub(super) tells_by_place: bool,
}

/// Which question is asked of an argument's parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Who chose what the call lands on?
    Target,
    /// How much is paid?
    Amount,
    /// Who else gets in?
    Access,
    /// What does it tell?
    Content,
}

/// What a call lands on, each part traced: targets, what selects content, and in a tool that pays
/// every amount.
pub(super) fn targets<'a>(flow: &Flow<'a>, arguments: &Value) -> Vec<Part<'a>> {
    parts(flow, arguments, |name, role, value| match role {
        ArgumentRole::Target if flow.tool.amounts.contains(name) => Some(Asked::Amount),
        ArgumentRole::Target | ArgumentRole::Selector => Some(Asked::Target),
        ArgumentRole::Knob if is_amount(name, value, flow) => Some(Asked::Amount),
        ArgumentRole::Knob if pays(flow) => {
            is_chosen_in_payment(name, value, flow).then_some(Asked::Target)
        }
        ArgumentRole::Knob => widens_access(name, value, flow).then_some(Asked::Access),
        ArgumentRole::Payload | ArgumentRole::Secret => None,
    })
}

/// What a call tells, each part traced: payloads, what selects content, and every knob that could
/// tell more than a choice among few.
pub(super) fn payload<'a>(flow: &Flow<'a>, arguments: &Value) -> Vec<Part<'a>> {
    let narrow = narrow_numbers(flow, arguments);
    parts(flow, arguments, |name, role, value| match role {
        ArgumentRole::Payload | ArgumentRole::Selector => Some(Asked::Content),
        ArgumentRole::Knob => {
            let is_asked = pays(flow) || widens_access(name, value, flow);
            let is_content = !is_asked && !is_narrow(value, flow);
            (is_content && !narrow.contains(name)).then_some(Asked::Content)
        }
        ArgumentRole::Target | ArgumentRole::Secret => None,
    })
}

/// Whether an argument says how much is paid: in a tool that pays every number does.
fn is_amount(name: &str, value: &Value, flow: &Flow<'_>) -> bool {
    pays(flow) && (value.is_number() || flow.tool.amounts.contains(name))
}

fn pays(flow: &Flow<'_>) -> bool {
    flow.tool.spec.effect == EffectClass::Money
}

/// Whether a knob decides what a payment is: which money, how often. A day near a known one and what
/// the schema says by itself do not.
fn is_chosen_in_payment(name: &str, value: &Value, flow: &Flow<'_>) -> bool {
    let is_moment = value
        .as_str()
        .is_some_and(|text| flow.known.provenance.is_narrow_moment(text, flow.known.now));
    !is_moment && flow.tool.default_of(name) != Some(value)
}

fn parts<'a>(
    flow: &Flow<'a>,
    arguments: &Value,
    asked: impl Fn(&str, ArgumentRole, &Value) -> Option<Asked>,
) -> Vec<Part<'a>> {
    let mut found = Vec::new();
    for (name, argument) in &flow.tool.spec.arguments {
        let Some((value, is_default)) = value_of(name, argument.role, arguments, flow) else {
            continue;
        };
        if let Some(asked) = asked(name, argument.role, value) {
            let mut parts = Parts {
                argument: name,
                asked,
                flow,
                flags: 0,
                found: &mut found,
            };
            let pointer = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
            let label = is_default.then(default_label);
            parts.descend(value, &pointer, label.as_ref(), 0);
        }
    }
    found
}

/// An argument's value, and whether it is the schema's: a place that is left out is the one that the
/// schema promises instead. A promise of nothing is none.
fn value_of<'v>(
    name: &str,
    role: ArgumentRole,
    arguments: &'v Value,
    flow: &Flow<'v>,
) -> Option<(&'v Value, bool)> {
    let given = arguments.get(name);
    let is_place = matches!(role, ArgumentRole::Target | ArgumentRole::Selector);
    let default = flow.tool.default_of(name);
    let default = default.filter(|value| is_place && !says_only_that_it_is_there(value));
    match (given, default) {
        (None | Some(Value::Null), Some(default)) => Some((default, true)),
        (given, _) => Some((given?, false)),
    }
}

/// The label of a schema's own value: whoever made the tool chose it, and nobody since.
fn default_label() -> Label {
    Label {
        integrity: Integrity::Endorsed,
        readers: Readers::Public,
        ..Label::trusted("schema")
    }
}

/// The label of what is made from a call's arguments alone: the join of all that say anything.
#[must_use]
pub fn made_of(tool: &Tool, arguments: &Value, known: Knowledge<'_>) -> Label {
    let flow = Flow {
        known,
        pinned: Pinned::Nothing,
        opened: &BTreeSet::new(),
        tool,
        may_inquire: true,
    };
    let (targets, payload) = (targets(&flow, arguments), payload(&flow, arguments));
    // What the call leaves out is none of its arguments.
    let default = default_label();
    let labels = targets
        .iter()
        .chain(&payload)
        .map(|part| &part.traced.label)
        .filter(|label| **label != default);
    labels.fold(Label::nothing(), |joined, one| joined.join(one))
}

/// Whether a part is yes, no, nothing or empty.
fn says_only_that_it_is_there(part: &Value) -> bool {
    match part {
        Value::Null | Value::Bool(_) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Number(_) => false,
    }
}

/// The parts of one argument, as they are found.
struct Parts<'a, 'f> {
    argument: &'a str,
    asked: Asked,
    flow: &'f Flow<'a>,
    /// Parts so far that say only that they are there.
    flags: usize,
    found: &'f mut Vec<Part<'a>>,
}

impl<'a> Parts<'a, '_> {
    fn descend(&mut self, value: &Value, pointer: &str, inherited: Option<&Label>, depth: usize) {
        let label = self.flow.known.referenced.get(pointer).or(inherited);
        match value {
            Value::Array(items) if depth < JSON_DEPTH && !items.is_empty() => {
                let first = self.found.len();
                for (index, item) in items.iter().enumerate() {
                    self.descend(item, &format!("{pointer}/{index}"), label, depth + 1);
                }
                let known = self.flow.known;
                let tells_by_order = self.asked == Asked::Content && items.len() > 1;
                if tells_by_order && !known.provenance.is_said_row(items) {
                    self.blur(first);
                }
            }
            Value::Object(fields) if depth < JSON_DEPTH && !fields.is_empty() => {
                for (key, item) in fields {
                    if !self.flow.tool.keys.contains(key) {
                        // A key the model made up says as much as a value, and a reference beneath
                        // it says nothing of the key.
                        self.leaf(&Value::from(key.as_str()), label);
                    }
                    let key = key.replace('~', "~0").replace('/', "~1");
                    self.descend(item, &format!("{pointer}/{key}"), label, depth + 1);
                }
            }
            leaf => {
                self.leaf(leaf, label);
                if depth > 0 && says_only_that_it_is_there(leaf) {
                    self.flags += 1;
                    if self.flags > FLAGS {
                        self.blur(self.found.len().saturating_sub(1));
                    }
                }
            }
        }
    }

    /// Which parts there are, and in which order, may be made of anything the agent was shown.
    fn blur(&mut self, from: usize) {
        let context = self.flow.known.context;
        for part in self.found.iter_mut().skip(from) {
            part.tells_by_place = true;
            part.traced = Traced {
                label: part.traced.label.join(context),
                found: Found::Nowhere,
            };
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
            .find(|part| part.text == text && part.asked == self.asked);
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
            (None, _) => self.trace(leaf),
        };
        self.found.push(Part {
            argument: self.argument,
            asked: self.asked,
            text,
            traced,
            tells_by_place: false,
        });
    }

    fn selects(&self) -> bool {
        let argument = self.flow.tool.spec.arguments.get(self.argument);
        argument.is_some_and(|argument| argument.role == ArgumentRole::Selector)
    }

    fn trace(&self, leaf: &Value) -> Traced {
        let Knowledge {
            provenance,
            context,
            ..
        } = self.flow.known;
        match (self.asked, leaf) {
            (Asked::Amount, Value::Number(amount)) => provenance.trace_amount(amount, context),
            (Asked::Amount, Value::String(text)) => match text.parse() {
                Ok(amount) => provenance.trace_amount(&amount, context),
                Err(_) => provenance.trace_target(leaf, context),
            },
            // `private: false` says nothing and lets everybody in.
            (Asked::Access, leaf) if says_only_that_it_is_there(leaf) => Traced {
                label: context.clone(),
                found: Found::Nowhere,
            },
            (Asked::Target | Asked::Amount | Asked::Access, _) => {
                provenance.trace_target(leaf, context)
            }
            // What selects something lands on it as well: a count or the mark of a list selects nothing.
            (Asked::Content, _) if self.selects() => provenance.trace_target(leaf, context),
            (Asked::Content, _) => provenance.trace(leaf, context),
        }
    }
}
