//! The rules: who chose the target (T), who may learn the payload (P), what the payload leads to
//! (U), who chose the action (C), the user's own store (S), and what leaves the house (E).

use crate::flow::entities::leads;
use crate::flow::normal::{decoded, folded, unmasked};
use crate::flow::provenance::{Found, Provenance, Traced, is_date};
use crate::flow::secrets::{Needles, has_shape};
use crate::table::Tool;
use domain::decision::{Finding, Layer, Verdict};
use domain::label::{Integrity, Label, Readers};
use domain::limits::JSON_DEPTH;
use domain::tool::{ArgumentRole, Audience, EffectClass, ToolSpec};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Shortest words of the user that tie a call to what was asked for, characters.
const ANCHOR_CHARS: usize = 4;

/// Most parts of one role that are traced one by one.
const TRACED_PARTS: usize = 512;
/// How many parts back an equal one is looked for.
const SAME_PARTS: usize = 64;

/// What of a call was fixed before anything untrusted could have a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pinned {
    /// Nothing.
    Nothing,
    /// Nothing yet, but it is about to be shown to the user as part of a plan.
    Draft,
    /// That the tool is called: a step of an approved plan that names no arguments.
    Choice,
    /// The whole call: a step of an approved plan, or a call the user allowed as it stands.
    Call,
}

/// What is known of where a call's parts come from.
#[derive(Debug, Clone, Copy)]
pub struct Knowledge<'a> {
    /// Where values came from.
    pub provenance: &'a Provenance,
    /// The join of everything the agent has been shown.
    pub context: &'a Label,
    /// Secrets that must not leave.
    pub needles: &'a Needles,
    /// Labels of the parts that references brought, by JSON pointer into the arguments.
    pub referenced: &'a BTreeMap<String, Label>,
    /// Choices of the turn that rule C questioned and the user did not allow.
    pub refused_choices: u32,
}

/// A call's standing with the rules.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flow<'a> {
    pub(crate) known: Knowledge<'a>,
    pub(crate) pinned: Pinned,
    /// Targets that lie where the user opened a place for change: named, and thereby endorsed.
    pub(crate) opened: &'a BTreeSet<String>,
    /// Keys that the tool's schema names.
    pub(crate) keys: &'a BTreeSet<String>,
    /// Words that the tool's schema lists as the only ones of an argument.
    pub(crate) words: &'a BTreeSet<String>,
}

/// One part of an argument: its text and where it came from.
struct Part<'a> {
    argument: &'a str,
    text: String,
    traced: Traced,
}

/// Holds a call against every rule: the strictest violation, or that there is none.
pub(crate) fn judge(spec: &ToolSpec, arguments: &Value, flow: &Flow<'_>) -> Finding {
    let call = Call {
        spec,
        flow,
        targets: parts(spec, arguments, flow, ArgumentRole::Target),
        payload: parts(spec, arguments, flow, ArgumentRole::Payload),
    };
    let violations = [
        call.secret(),
        call.target(),
        call.choice(),
        call.anchor(),
        call.audience(),
        call.leads(),
    ];
    let mut strictest: Option<Finding> = None;
    for violation in violations.into_iter().flatten() {
        match &mut strictest {
            None => strictest = Some(violation),
            Some(known) => {
                if violation.verdict > known.verdict {
                    let weaker = std::mem::replace(known, violation);
                    known.user_reason = format!("{} {}", known.user_reason, weaker.user_reason);
                } else {
                    known.user_reason = format!("{} {}", known.user_reason, violation.user_reason);
                }
            }
        }
    }
    strictest.unwrap_or_else(|| Finding {
        layer: Layer::InformationFlow,
        verdict: Verdict::Allow,
        rule: "no_violation".to_owned(),
        model_reason: String::new(),
        user_reason: "Nothing untrusted chose it, and it tells no one what is not theirs."
            .to_owned(),
    })
}

/// The parts of all arguments of a role, each traced. A knob that is no number, date, flag or word
/// of the schema says as much as a payload, and counts as one.
fn parts<'a>(
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

struct Call<'a> {
    spec: &'a ToolSpec,
    flow: &'a Flow<'a>,
    targets: Vec<Part<'a>>,
    payload: Vec<Part<'a>>,
}

impl Call<'_> {
    /// Whether it changes anything beyond the agent's own notes.
    fn has_effect(&self) -> bool {
        !matches!(self.spec.effect, EffectClass::Read | EffectClass::SelfWrite)
    }

    /// Whether a mistake cannot be taken back.
    fn is_grave(&self) -> bool {
        use EffectClass::{Config, Destructive, Exec, Money};
        matches!(self.spec.effect, Destructive | Exec | Config | Money)
    }

    fn is_opened(&self, part: &Part<'_>) -> bool {
        self.flow.opened.contains(part.argument)
    }

    /// S: files in a folder that the user opened are the user's own store. What is written there
    /// may be untrusted, may be taken back, and is untrusted when it is read again. A call that
    /// takes no arguments, such as taking the last change back, leaves an outsider nothing to fill
    /// in.
    fn stays_in_own_store(&self) -> bool {
        let are_opened = !self.targets.is_empty() && self.targets.iter().all(|t| self.is_opened(t));
        self.spec.effect == EffectClass::SharedWrite
            && self.spec.audience == Audience::User
            && (are_opened || self.spec.arguments.is_empty())
    }

    /// A secret never leaves, whoever asks.
    fn secret(&self) -> Option<Finding> {
        if !self.leaves() {
            return None;
        }
        let parts = self.targets.iter().chain(&self.payload);
        let is_secret = |text: &str| has_shape(text) || self.flow.known.needles.is_in(text);
        let leaked = parts.into_iter().find(|part| {
            // A secret keeps its case, so that only what hides in it is taken out.
            let plain = unmasked(&part.text);
            let joined: String = plain.chars().filter(|c| !c.is_whitespace()).collect();
            let texts = [part.text.as_str(), plain.as_str(), joined.as_str()];
            texts.into_iter().any(is_secret) || decoded(&plain).iter().any(|t| is_secret(t))
        })?;
        Some(finding(
            Verdict::Deny,
            "secret_in_payload",
            "It would send a secret out. Leave the secret out.",
            format!(
                "`{}` holds a secret, or what has the shape of one.",
                leaked.argument
            ),
        ))
    }

    /// Whether anyone but the user learns anything from it. Where only those learn it whom the call
    /// names, and it names none, no one does.
    fn leaves(&self) -> bool {
        match self.spec.audience {
            Audience::User => false,
            Audience::Targets => !self.targets.is_empty(),
            Audience::Only(_) | Audience::Public => true,
        }
    }

    /// T: outsiders do not choose where an effect goes.
    fn target(&self) -> Option<Finding> {
        if !self.has_effect() || self.flow.pinned == Pinned::Call {
            return None;
        }
        let chosen = self
            .targets
            .iter()
            .find(|t| t.traced.label.integrity == Integrity::Untrusted && !self.is_opened(t))?;
        let from = origins(&chosen.traced.label);
        let verdict = if self.is_grave() && self.flow.pinned == Pinned::Nothing {
            Verdict::Deny
        } else {
            Verdict::Confirm
        };
        Some(finding(
            verdict,
            "untrusted_target",
            "What it acts on does not come from the user. Ask the user to name it.",
            format!(
                "`{}` ({}) was not named by you: it may come from {from}.",
                chosen.argument,
                shown(&chosen.text)
            ),
        ))
    }

    /// C: outsiders do not choose that something is done.
    fn choice(&self) -> Option<Finding> {
        let is_free = !self.has_effect()
            || matches!(self.flow.pinned, Pinned::Choice | Pinned::Call)
            || self.flow.known.context.integrity != Integrity::Untrusted
            || self.stays_in_own_store();
        if is_free {
            return None;
        }
        let from = origins(self.flow.known.context);
        if self.flow.known.refused_choices > 0 && self.flow.pinned == Pinned::Nothing {
            return Some(finding(
                Verdict::Deny,
                "repeated_untrusted_choice",
                "Such a call was not allowed in this turn already. Do nothing more of the kind; \
                 finish and report `partial` or `failed`.",
                format!(
                    "The agent read {from}, and an action it chose after that was not allowed: \
                    it may do nothing more of the kind in this turn."
                ),
            ));
        }
        Some(finding(
            Verdict::Confirm,
            "untrusted_choice",
            "The user is asked first, because you have read content from outside.",
            format!("The agent chose this after it read {from}, which may have told it to."),
        ))
    }

    /// T, where a plan names the tool alone and the call names no target: something in it has to be
    /// the user's own words, or the outsider fills in the whole step.
    fn anchor(&self) -> Option<Finding> {
        let is_asked = self.flow.pinned == Pinned::Choice
            && self.has_effect()
            && self.targets.is_empty()
            && self.flow.known.context.integrity == Integrity::Untrusted;
        let is_anchor = |part: &Part<'_>| {
            part.text.chars().count() >= ANCHOR_CHARS
                && part.traced.label.integrity != Integrity::Untrusted
        };
        if !is_asked || self.payload.is_empty() || self.payload.iter().any(is_anchor) {
            return None;
        }
        Some(finding(
            Verdict::Confirm,
            "unanchored_step",
            "Nothing in it comes from the user. Ask the user what it should be about.",
            "The plan names the tool, and nothing in the call comes from you: others may have \
             filled it in."
                .to_owned(),
        ))
    }

    /// P and E: no one learns what is not theirs to read.
    fn audience(&self) -> Option<Finding> {
        if !self.leaves() || self.flow.pinned == Pinned::Call {
            return None;
        }
        // Where a call only looks, its targets are what it tells: queries and addresses.
        let told = self.payload.iter().chain(if self.has_effect() {
            &[]
        } else {
            &self.targets[..]
        });
        let control = match self.flow.pinned {
            Pinned::Nothing | Pinned::Draft if self.has_effect() => {
                Some(&self.flow.known.context.readers)
            }
            _ => None,
        };
        let mut secret_parts = told.filter(|part| !self.may_learn(&part.traced.label.readers));
        if let Some(part) = secret_parts.next() {
            let from = origins(&part.traced.label);
            return Some(finding(
                Verdict::Confirm,
                "audience",
                "It would tell others what they may not know. Leave that out.",
                format!(
                    "`{}` may hold what {} may not learn; it may come from {from}.",
                    part.argument,
                    self.audience_words()
                ),
            ));
        }
        control.filter(|readers| !self.may_learn(readers)).map(|_| {
            finding(
                Verdict::Confirm,
                "control_audience",
                "That it is done would tell others what they may not know.",
                format!(
                    "That this is done may tell {} what the agent has read: {}.",
                    self.audience_words(),
                    origins(self.flow.known.context)
                ),
            )
        })
    }

    fn may_learn(&self, readers: &Readers) -> bool {
        let all_of = |names: Vec<&str>| match readers {
            Readers::Public => true,
            Readers::Nobody => false,
            Readers::Only(known) => {
                let known: BTreeSet<String> = known.iter().map(|n| n.to_lowercase()).collect();
                names
                    .iter()
                    .all(|name| known.contains(&name.to_lowercase()))
            }
        };
        match &self.spec.audience {
            Audience::User => true,
            Audience::Public => *readers == Readers::Public,
            Audience::Only(names) => all_of(names.iter().map(String::as_str).collect()),
            Audience::Targets => all_of(self.targets.iter().map(|t| t.text.as_str()).collect()),
        }
    }

    fn audience_words(&self) -> String {
        match &self.spec.audience {
            Audience::User => "no one".to_owned(),
            Audience::Public => "the public".to_owned(),
            Audience::Only(names) => names.iter().cloned().collect::<Vec<_>>().join(", "),
            Audience::Targets => {
                let names: Vec<String> = self.targets.iter().map(|t| shown(&t.text)).collect();
                names.join(", ")
            }
        }
    }

    /// U: what is handed on does not lead where outsiders want readers to go.
    fn leads(&self) -> Option<Finding> {
        if !self.leaves() || self.flow.pinned == Pinned::Call {
            return None;
        }
        let lead = self
            .payload
            .iter()
            .find_map(|part| Some((part, self.untrusted_lead(part)?)));
        lead.map(|(part, lead)| {
            finding(
                Verdict::Confirm,
                "untrusted_lead",
                "It hands on an address that does not come from the user. Leave it out.",
                format!(
                    "`{}` hands on {}, which was not named by you.",
                    part.argument,
                    shown(&lead)
                ),
            )
        })
    }

    fn untrusted_lead(&self, part: &Part<'_>) -> Option<String> {
        if part.traced.label.integrity != Integrity::Untrusted {
            return None;
        }
        let mut texts = vec![part.text.clone(), folded(&part.text).replace('。', ".")];
        for once in decoded(&part.text) {
            texts.extend(decoded(&once));
            texts.push(folded(&once));
        }
        texts.into_iter().find_map(|text| match leads(&text) {
            None => Some("more addresses than can be looked at".to_owned()),
            Some(leads) => leads.into_iter().find(|lead| {
                let traced = self
                    .flow
                    .known
                    .provenance
                    .trace_text(lead, self.flow.known.context);
                traced.label.integrity == Integrity::Untrusted
            }),
        })
    }
}

fn origins(label: &Label) -> String {
    if label.origins.is_empty() {
        return "an unknown place".to_owned();
    }
    let names: Vec<&str> = label.origins.iter().map(String::as_str).take(12).collect();
    let more = label.origins.len().saturating_sub(names.len());
    let tail = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    format!("{}{tail}", names.join(", "))
}

/// A text for people: short, and with what hides spelled out.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("{short:?}")
}

fn finding(verdict: Verdict, rule: &str, model_reason: &str, user_reason: String) -> Finding {
    Finding {
        layer: Layer::InformationFlow,
        verdict,
        rule: rule.to_owned(),
        model_reason: model_reason.to_owned(),
        user_reason,
    }
}
