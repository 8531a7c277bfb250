//! Why a plan is refused, in words for the model and for the user.

use crate::judging::out_of_reach;
use crate::render;
use api::broker::PlannedCall;
use api::executor::{FailureKind, ToolFailure};
use domain::decision::{Decision, Finding, Layer, Verdict};

pub(super) fn refused_step(decision: &Decision, index: usize, call: &PlannedCall) -> Decision {
    let step = format!("Step {} ({}): ", index + 1, render::one_line(&call.tool));
    let mut decision = decision.clone();
    decision.model_reason = format!("{step}{}", decision.model_reason);
    decision.user_reason = format!("{step}{}", decision.user_reason);
    decision
}

/// Why a step whose preview failed cannot run. `None` where it still may: an earlier step may make
/// what it needs (`may_change`), and a preview that took too long says nothing.
pub(super) fn cannot_run(failure: &ToolFailure, may_change: bool) -> Option<Finding> {
    match failure.kind {
        FailureKind::Refused => Some(out_of_reach(failure)),
        FailureKind::Mendable | FailureKind::Broken if !may_change => Some(Finding {
            layer: Layer::Schema,
            verdict: Verdict::Deny,
            rule: "would_fail".to_owned(),
            model_reason: "It would fail. Look at the files again and make a new plan.".to_owned(),
            user_reason: render::one_line(&failure.message),
        }),
        FailureKind::Mendable | FailureKind::Broken | FailureKind::Timeout => None,
    }
}

pub(super) fn bad_size(calls: usize, most: usize) -> Decision {
    let why = format!("A plan has 1 to {most} calls; this one has {calls}.");
    Decision::strictest(vec![Finding {
        layer: Layer::Schema,
        verdict: Verdict::Deny,
        rule: "plan_size".to_owned(),
        model_reason: why.clone(),
        user_reason: why,
    }])
}

/// The words with a full stop at their end, so that others can follow.
pub(super) fn sentence(words: &str) -> String {
    let words = words.trim_end();
    if words.ends_with(['.', '!', '?', '…']) {
        words.to_owned()
    } else {
        format!("{words}.")
    }
}

pub(super) fn said_no(why: &str) -> Decision {
    Decision::strictest(vec![Finding {
        layer: Layer::SafetyGate,
        verdict: Verdict::Deny,
        rule: "plan_not_approved".to_owned(),
        model_reason: format!("{why} Nothing was run."),
        user_reason: why.to_owned(),
    }])
}
