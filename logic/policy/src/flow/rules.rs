//! The rules: who chose the target (T), who chose the action (C), the user's own store (S); and
//! with `disclosure` who may learn the payload (P, E) and what it leads to (U).

use crate::flow::parts::{Part, parts};
use crate::flow::provenance::Provenance;
use crate::flow::secrets::Needles;
use domain::decision::{Finding, Layer, Verdict};
use domain::label::{Integrity, Label};
use domain::tool::{ArgumentRole, Audience, EffectClass, ToolSpec};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Shortest words of the user that tie a call to what was asked for, characters.
const ANCHOR_CHARS: usize = 4;

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

/// Holds a call against every rule: the strictest violation, or that there is none; and whether
/// the rule about choices is among the violated ones.
pub(crate) fn judge(spec: &ToolSpec, arguments: &Value, flow: &Flow<'_>) -> (Finding, bool) {
    let call = Call {
        spec,
        flow,
        targets: parts(spec, arguments, flow, ArgumentRole::Target),
        payload: parts(spec, arguments, flow, ArgumentRole::Payload),
    };
    let choice = call.choice();
    let is_choice = choice.is_some();
    let violations = [
        call.secret(),
        call.target(),
        call.destruction(),
        choice,
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
    let found = strictest.unwrap_or_else(|| Finding {
        layer: Layer::InformationFlow,
        verdict: Verdict::Allow,
        rule: "no_violation".to_owned(),
        model_reason: String::new(),
        user_reason: "Nothing untrusted chose it, and it tells no one what is not theirs."
            .to_owned(),
    });
    (found, is_choice)
}

pub(super) struct Call<'a> {
    pub(super) spec: &'a ToolSpec,
    pub(super) flow: &'a Flow<'a>,
    pub(super) targets: Vec<Part<'a>>,
    pub(super) payload: Vec<Part<'a>>,
}

impl Call<'_> {
    /// Whether it changes anything beyond the agent's own notes.
    pub(super) fn has_effect(&self) -> bool {
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

    /// T, where a plan names the tool alone and what it destroys is a thing that nobody but the
    /// platform named: after outside content was read, an outsider may have picked it without
    /// naming it.
    fn destruction(&self) -> Option<Finding> {
        let is_asked = self.spec.effect == EffectClass::Destructive
            && self.flow.pinned == Pinned::Choice
            && self.flow.known.context.integrity == Integrity::Untrusted;
        let picked = self
            .targets
            .iter()
            .find(|t| t.traced.label.integrity == Integrity::Endorsed && !self.is_opened(t));
        let picked = picked.filter(|_| is_asked)?;
        Some(finding(
            Verdict::Confirm,
            "picked_target",
            "What it destroys was not named by the user. Ask the user to name it.",
            format!(
                "`{}` ({}) is what would be lost, and you did not name it: the agent picked it \
                 after it read {}.",
                picked.argument,
                shown(&picked.text),
                origins(self.flow.known.context)
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
    /// the user's own words, or a form of the user's with its blanks filled in, or the outsider
    /// fills in the whole step.
    fn anchor(&self) -> Option<Finding> {
        let is_asked = self.flow.pinned == Pinned::Choice
            && self.has_effect()
            && self.targets.is_empty()
            && self.flow.known.context.integrity == Integrity::Untrusted;
        let is_anchor = |part: &Part<'_>| {
            let is_named = part.text.chars().count() >= ANCHOR_CHARS
                && part.traced.label.integrity != Integrity::Untrusted;
            is_named || self.flow.known.provenance.is_filled_form(&part.text)
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
}

pub(super) fn origins(label: &Label) -> String {
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
pub(super) fn shown(text: &str) -> String {
    let short: String = text.chars().take(80).collect();
    format!("{short:?}")
}

pub(super) fn finding(
    verdict: Verdict,
    rule: &str,
    model_reason: &str,
    user_reason: String,
) -> Finding {
    Finding {
        layer: Layer::InformationFlow,
        verdict,
        rule: rule.to_owned(),
        model_reason: model_reason.to_owned(),
        user_reason,
    }
}
