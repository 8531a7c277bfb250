//! Why a plan is refused, in words for the model and for the user.

use crate::judging::out_of_reach;
use crate::render;
use api::audit::Entry;
use api::broker::PlannedCall;
use api::executor::{FailureKind, ToolFailure};
use domain::decision::{Decision, Finding, Layer, Verdict};
use domain::hash::Digest;
use domain::tool::EffectClass;
use policy::Judgement;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The rule of a plan that somebody said no to.
const SAID_NO: &str = "plan_not_approved";
/// The rule of a plan whose step would fail with the files as they are.
const WOULD_FAIL: &str = "would_fail";

/// What is on record of a refused plan. Nothing of a no of the user's, which is there as the answer that
/// it is, nor of a plan that would have failed, which nobody forbade.
pub(super) fn on_record(mut entry: Entry, decision: &Decision) -> Option<Entry> {
    if [SAID_NO, WOULD_FAIL].contains(&decision.rule.as_str()) {
        return None;
    }
    entry.decision = Some((decision.verdict, decision.layer));
    entry.detail = decision.rule.clone();
    Some(entry)
}

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
            rule: WOULD_FAIL.to_owned(),
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
        rule: SAID_NO.to_owned(),
        model_reason: format!("{why} Nothing was run."),
        user_reason: why.to_owned(),
    }])
}

/// A difference without the text of its files: what it comes to, the names, and how many lines go and come.
pub(super) fn without_text(diff: &str) -> String {
    let mut lines = diff.lines().peekable();
    let mut out = String::new();
    let mut names = 0;
    // Only what stands before the text, and the first line where there is none.
    while let Some(line) = lines.next_if(|line| names < 2 && !line.starts_with("@@")) {
        let is_name = line.starts_with("--- ") || line.starts_with("+++ ");
        names += usize::from(is_name);
        if is_name || out.is_empty() {
            out.push_str(line);
            out.push('\n');
        }
    }
    let (mut gone, mut come) = (0_usize, 0_usize);
    for line in lines {
        gone += usize::from(line.starts_with('-'));
        come += usize::from(line.starts_with('+'));
    }
    if gone + come > 0 {
        // Writing to a String cannot fail.
        let _ = writeln!(
            out,
            "(lines removed: {gone}, added: {come}; where nobody is asked the text of files is not printed)"
        );
    }
    out
}

/// Why untrusted content may have had a hand in a step.
pub(super) fn flow_reasons(judgement: &Judgement) -> impl Iterator<Item = &str> {
    let findings = judgement.findings.iter();
    findings
        .filter(|f| f.layer == Layer::InformationFlow && f.verdict != Verdict::Allow)
        .map(|f| f.user_reason.as_str())
}

/// Kinds of effect as `--yes` takes them.
pub(super) fn words(effects: &BTreeSet<EffectClass>) -> String {
    let words: Vec<&str> = effects.iter().map(|effect| effect.as_str()).collect();
    words.join(",")
}

/// Why a plan is refused that nobody is asked about, and how to approve it. `unnamed`: what its calls
/// come to that change files and name none.
pub(super) fn nobody_to_ask(
    (hash, judgements, unnamed): (&Digest, &[Judgement], &[Option<String>]),
    started: &BTreeSet<EffectClass>,
) -> Decision {
    let bounds = judgements.iter().filter_map(|j| j.bound.as_ref());
    let effects: BTreeSet<EffectClass> = bounds
        .map(|bound| bound.effect)
        .filter(|effect| !matches!(effect, EffectClass::Read | EffectClass::SelfWrite))
        .collect();
    // What untrusted content may have chosen is approved as exactly this plan, or not at all.
    let careful = judgements
        .iter()
        .find_map(|judged| flow_reasons(judged).next());
    let in_advance = match (careful, started.is_empty(), effects.is_empty()) {
        (Some(why), ..) => format!("`--yes` does not cover it. {}", render::one_line(why)),
        (None, false, _) => format!(
            "To approve every kind of effect that its agents could have: `--yes {}`.",
            words(started)
        ),
        (None, true, false) => format!(
            "To approve its kinds of effect: `--yes {}`.",
            words(&effects)
        ),
        // It only looks: any yes is more than it needs.
        (None, true, true) => "To approve it with others of its kind: `--yes write`.".to_owned(),
    };
    // Of a call that names no file, the first line of what it comes to says which.
    let changes = unnamed.iter().flatten();
    let changes: Vec<String> = changes
        .filter_map(|change| change.lines().next().map(render::one_line))
        .collect();
    let comes_to = match changes.is_empty() {
        true => String::new(),
        false => format!(" As the files are now, it would {}.", changes.join("; ")),
    };
    Decision::strictest(vec![Finding {
        layer: Layer::SafetyGate,
        verdict: Verdict::Deny,
        rule: "nobody_to_ask".to_owned(),
        model_reason: "The plan needs the user's approval, and no one is there to give it."
            .to_owned(),
        user_reason: format!(
            "The plan needs your approval, and no one is there to ask.{comes_to} To approve exactly \
             this plan: `--approve {hash}`. {in_advance}"
        ),
    }])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_without_text_names_and_counts() {
        let deleted =
            "delete env.bak (20 bytes)\n--- a/env.bak\n+++ /dev/null\n-PASSWORD=x\n--- a\n+++ b\n";
        assert_eq!(
            without_text(deleted),
            "delete env.bak (20 bytes)\n--- a/env.bak\n+++ /dev/null\n(lines removed: 2, added: 1; where nobody is \
             asked the text of files is not printed)\n"
        );
        assert_eq!(
            without_text("make the folder a\nmore\n"),
            "make the folder a\n"
        );
        assert_eq!(without_text(""), "");
    }
}
