//! Decisions: what the broker says to a call, and which layer said it.

use crate::id::ConfirmationId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The answer to "may this call run?". Ordered by strictness: the strictest of all layers wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may run.
    Allow,
    /// It may run if the user says so.
    Confirm,
    /// It may not run.
    Deny,
}

impl Verdict {
    /// The word for people and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Confirm => "confirm",
            Self::Deny => "deny",
        }
    }
}

/// The checks a call passes, in the order they are listed to people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// Is it a known tool with arguments that fit its schema?
    Schema,
    /// What the user set for this session: override level, disabled tools, grants.
    SessionOverride,
    /// May this agent type use the tool?
    Manifest,
    /// May every ancestor hand it down?
    Lineage,
    /// Are the paths inside what the agent may touch?
    Path,
    /// Is the destination allowed?
    Egress,
    /// Did untrusted content choose the target or the action?
    InformationFlow,
    /// Is the effect one that needs the user?
    SafetyGate,
    /// Loops, depth, number and rate of calls.
    Limits,
    /// Could the decision be made and recorded at all?
    Integrity,
}

impl Layer {
    /// Every layer, in order.
    pub const ALL: [Self; 10] = [
        Self::Schema,
        Self::SessionOverride,
        Self::Manifest,
        Self::Lineage,
        Self::Path,
        Self::Egress,
        Self::InformationFlow,
        Self::SafetyGate,
        Self::Limits,
        Self::Integrity,
    ];

    /// The word for people and logs.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Schema => "schema",
            Self::SessionOverride => "session_override",
            Self::Manifest => "manifest",
            Self::Lineage => "lineage",
            Self::Path => "path",
            Self::Egress => "egress",
            Self::InformationFlow => "information_flow",
            Self::SafetyGate => "safety_gate",
            Self::Limits => "limits",
            Self::Integrity => "integrity",
        }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One layer's view of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Who speaks.
    pub layer: Layer,
    /// What it says.
    pub verdict: Verdict,
    /// A stable short name of the rule that fired, such as `outside_roots`.
    pub rule: String,
    /// For the model: what to do instead. Reveals nothing of policy or of what exists outside.
    pub model_reason: String,
    /// For the user: everything.
    pub user_reason: String,
}

/// The broker's answer: the strictest finding, and all of them for `policy explain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The strictest verdict of all layers.
    pub verdict: Verdict,
    /// The layer that decided.
    pub layer: Layer,
    /// Its rule.
    pub rule: String,
    /// What the model may read.
    pub model_reason: String,
    /// What the user may read.
    pub user_reason: String,
    /// The question put to the user, when there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmation_id: Option<ConfirmationId>,
    /// Every layer's finding, in layer order.
    pub findings: Vec<Finding>,
}

impl Decision {
    /// Takes the strictest finding; of equals, the first layer in order. No finding at all is a
    /// deny: silence never allows.
    #[must_use]
    pub fn strictest(findings: Vec<Finding>) -> Self {
        let deciding = findings
            .iter()
            .fold(None, |best: Option<&Finding>, next| match best {
                Some(best) if best.verdict >= next.verdict => Some(best),
                _ => Some(next),
            });
        match deciding.cloned() {
            Some(Finding {
                layer,
                verdict,
                rule,
                model_reason,
                user_reason,
            }) => Self {
                verdict,
                layer,
                rule,
                model_reason,
                user_reason,
                confirmation_id: None,
                findings,
            },
            None => Self {
                verdict: Verdict::Deny,
                layer: Layer::Integrity,
                rule: "no_finding".to_owned(),
                model_reason: "The call could not be judged.".to_owned(),
                user_reason: "No layer judged the call, so it was refused.".to_owned(),
                confirmation_id: None,
                findings,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(layer: Layer, verdict: Verdict) -> Finding {
        let text = layer.as_str().to_owned();
        Finding {
            layer,
            verdict,
            rule: text.clone(),
            model_reason: text.clone(),
            user_reason: text,
        }
    }

    #[test]
    fn the_strictest_finding_wins_and_the_first_of_equals_is_named() {
        let decision = Decision::strictest(vec![
            finding(Layer::Schema, Verdict::Allow),
            finding(Layer::Path, Verdict::Deny),
            finding(Layer::SafetyGate, Verdict::Confirm),
            finding(Layer::Limits, Verdict::Deny),
        ]);
        assert_eq!(
            (decision.verdict, decision.layer),
            (Verdict::Deny, Layer::Path)
        );
        assert_eq!(decision.findings.len(), 4);
    }

    #[test]
    fn silence_is_a_deny() {
        assert_eq!(Decision::strictest(Vec::new()).verdict, Verdict::Deny);
    }
}
