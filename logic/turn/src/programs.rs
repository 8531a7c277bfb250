//! What the calls of a request bear out of what its answer says about programs.

use crate::claims::{claims_pass, claims_run, claims_sent, claims_success};
use crate::untrue::{Missed, Untrue};
use domain::event::{CallStatus, ToolCallSummary};
use domain::tool::EffectClass;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The built-in tools of which a call tells how its program ended, or that it has begun.
const PROGRAMS: [&str; 5] = [
    "run_command",
    "run_code",
    "start_job",
    "job_output",
    "package_install",
];

/// Whether a call of a tool may have run a program, itself or by another agent. Tools of others are
/// known by their name alone.
pub(crate) fn runs(tool: &str, effect: Option<&EffectClass>) -> bool {
    use EffectClass::{Destructive, Read, SelfWrite, SharedWrite};
    let is_quiet = matches!(effect, Some(Read | SelfWrite | SharedWrite | Destructive));
    let words = [
        "run", "exec", "test", "build", "job", "commit", "git", "agent", "delegate", "task",
        "spawn",
    ];
    !is_quiet || words.iter().any(|word| tool.contains(word))
}

/// What a request asked for, what its answer says, and what was called between them.
pub(crate) struct Programs<'a> {
    pub(crate) request: &'a str,
    pub(crate) answer: &'a str,
    pub(crate) calls: &'a [ToolCallSummary],
    pub(crate) effects: &'a BTreeMap<String, EffectClass>,
    /// The tools of which the conversation has had a call that succeeded.
    pub(crate) succeeded: &'a BTreeSet<String>,
    /// Whether a call of this request changed something.
    pub(crate) has_changed: bool,
}

impl Programs<'_> {
    /// What the answer says of programs that the calls do not bear out; of a lie told twice, the plainer
    /// one.
    pub(crate) fn untrue(&self) -> Option<Untrue> {
        self.success()
            .or_else(|| self.sent())
            .or_else(|| self.run())
            .or_else(|| self.passed())
    }

    /// Whether a call of this request ran a program.
    pub(crate) fn ran(&self) -> bool {
        let done =
            |call: &ToolCallSummary| call.status == CallStatus::Ok && self.may_run(&call.tool);
        self.calls.iter().any(done)
    }

    fn may_run(&self, tool: &str) -> bool {
        runs(tool, self.effects.get(tool))
    }

    /// That all went well, when the last program failed.
    fn success(&self) -> Option<Untrue> {
        let mut programs = self.calls.iter().rev();
        let last = programs.find(|call| call.exit_code.is_some());
        let failed = last.filter(|call| call.ended_badly())?;
        claims_success(self.request, self.answer).then(|| Untrue::Success {
            tool: failed.tool.clone(),
            exit_code: failed.exit_code.unwrap_or_default(),
        })
    }

    /// That something was committed or pushed, where the call that was to do it did not.
    fn sent(&self) -> Option<Untrue> {
        let sent = claims_sent(self.answer).into_iter();
        let mut claimed = sent.filter(|(_, is_claim)| *is_claim);
        claimed.find_map(|(word, _)| {
            let (done, missed): (Vec<_>, Vec<_>) = self
                .tries()
                .filter(|call| mentions(call, word))
                .partition(|call| self.went_well(call));
            let missed = missed.last().filter(|_| done.is_empty())?;
            Some(Untrue::Run(Some(Missed::of(missed))))
        })
    }

    /// That a program was run, where none was. What ran for an earlier request may be told of where this
    /// one changed nothing.
    fn run(&self) -> Option<Untrue> {
        let before = || self.succeeded.iter().any(|tool| self.may_run(tool));
        let ran = self.ran() || (!self.has_changed && before());
        (!ran && claims_run(self.request, self.answer)).then_some(Untrue::Run(None))
    }

    /// That tests or a build went well, where no program did: none at all, or none that tests and none
    /// since the one that was to.
    fn passed(&self) -> Option<Untrue> {
        let tests = |call: &&ToolCallSummary| mentions(call, "test");
        let is_missed = |call: &&ToolCallSummary| !self.went_well(call);
        let missed_test = self.tries().filter(tests).filter(is_missed).last();
        let at = |wanted: &ToolCallSummary| self.calls.iter().position(|call| call == wanted);
        let since = missed_test.and_then(at).unwrap_or_default();
        let mut good = self.tries().filter(|call| self.went_well(call));
        let later = self.calls.get(since..).unwrap_or_default().iter();
        let mut later = later.filter(|call| self.may_run(&call.tool) && self.went_well(call));
        if good.any(|call| tests(&call)) || later.next().is_some() {
            return None;
        }
        let missed = missed_test.or_else(|| self.tries().filter(is_missed).last());
        let is_work = self.has_changed || missed.is_some();
        claims_pass(self.request, self.answer, is_work)
            .then(|| Untrue::Passed(missed.map(Missed::of)))
    }

    /// The calls that may have run a program, done or not.
    fn tries(&self) -> impl Iterator<Item = &ToolCallSummary> {
        let calls = self.calls.iter();
        calls.filter(|call| self.may_run(&call.tool))
    }

    /// Whether a call's program is known to have done its work, or nothing is known against it.
    fn went_well(&self, call: &ToolCallSummary) -> bool {
        let is_known = PROGRAMS.contains(&call.tool.as_str());
        call.status == CallStatus::Ok && (!is_known || call.exit_code == Some(0))
    }
}

/// Whether a call's name or arguments have a word, also as a part of another.
fn mentions(call: &ToolCallSummary, word: &str) -> bool {
    fn has(args: &Value, word: &str) -> bool {
        match args {
            Value::String(text) => text.to_lowercase().contains(word),
            Value::Array(all) => all.iter().any(|one| has(one, word)),
            Value::Object(all) => all.values().any(|one| has(one, word)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
    call.tool.contains(word) || has(&call.args, word)
}
