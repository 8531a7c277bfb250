//! How far a report is believed, and what follows: use it, have it checked, try once more, or say
//! that it failed.

use crate::failed::no_report;
use crate::refusal::Refusal;
use domain::lineage::AgentType;
use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};

/// What an agent was started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// The task itself.
    Do,
    /// Looking whether the report on it is right.
    Check,
}

/// Who wrote a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// The agent.
    Agent,
    /// The harness, because the agent gave none.
    House,
}

impl Maker {
    /// Who wrote this one.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        if no_report(report) {
            Self::House
        } else {
            Self::Agent
        }
    }
}

/// What an agent's work came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Its report, after its claims were checked.
    pub report: Report,
    /// What the guard or the user refused it.
    pub refused: Refusal,
}

/// One agent that worked on a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Try {
    /// What for.
    pub work: Work,
    /// Its type.
    pub agent_type: AgentType,
    /// What came of it; `None` while it works.
    pub outcome: Option<Evidence>,
}

/// What to do about a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// Start an agent on it.
    Do,
    /// Start another one, once, because the first try failed.
    Again {
        /// Why it failed.
        reason: String,
        /// What was refused, so that another type may do better, or none.
        refused: Refusal,
    },
    /// Have a second agent look.
    Check,
    /// Wait for the agent at work.
    Wait,
    /// Use the report.
    Use {
        /// How far it goes.
        worth: Worth,
        /// What is said with it; empty when nothing stands against it.
        note: String,
    },
    /// It failed for good.
    GiveUp(String),
}

/// How far a result that is used goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// All of it is done, as far as a record or a second agent can show it.
    Whole,
    /// Only part of it is done.
    Part,
    /// Nothing shows that it is right.
    Unverified,
}

/// The files that a task was to leave behind, against the report that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Files {
    /// It was to leave none.
    NoneDue,
    /// Each is among the files that its own calls wrote.
    There,
    /// These are not.
    NotLeft(Vec<String>),
}

/// Most times a task is begun.
const TRIES: usize = 2;

/// What to do about a task after these tries, oldest first. `rests_on_it`: other tasks or the whole
/// answer stand on this report alone. `can_check`: there is an agent to look a second time.
///
/// A result without all of its files is a failed try, whatever anybody says of it.
#[must_use]
pub fn next_step(tries: &[Try], rests_on_it: bool, files: &Files, can_check: bool) -> Next {
    let Some(last) = tries.last() else {
        return Next::Do;
    };
    let Some(outcome) = &last.outcome else {
        return Next::Wait;
    };
    if let Some((reason, refused)) = without_files(tries, files) {
        return again_or_never(tries, reason, refused);
    }
    match last.work {
        Work::Do => {
            let was_checked = tries.iter().any(|t| t.work == Work::Check);
            let may_check = rests_on_it && can_check && !was_checked;
            after_doing(tries, outcome, files, may_check)
        }
        Work::Check => after_checking(tries, outcome),
    }
}

/// What is missing of the last result that was claimed. A report that still says success has every
/// file in place, even if it names fewer: its claims were checked.
fn without_files<'t>(tries: &'t [Try], files: &Files) -> Option<(String, &'t Refusal)> {
    let Files::NotLeft(missing) = files else {
        return None;
    };
    let done = tries.iter().rfind(|t| t.work == Work::Do)?;
    let done = done.outcome.as_ref()?;
    let is_part = done.report.status == ReportStatus::Partial;
    is_part.then(|| (format!("without {}", missing.join(", ")), &done.refused))
}

fn after_doing(tries: &[Try], outcome: &Evidence, files: &Files, may_check: bool) -> Next {
    let report = &outcome.report;
    let (worth, note) = match (report.status, report.result_quality) {
        (ReportStatus::Failed, _) => {
            return again_or_never(tries, reason_of(report), &outcome.refused);
        }
        (_, ResultQuality::Uncertain) => (Worth::Unverified, "uncertain: it may be wrong"),
        (ReportStatus::Success, ResultQuality::Verified) => (Worth::Whole, ""),
        (ReportStatus::Success, ResultQuality::Inferred) if *files == Files::There => {
            (Worth::Whole, "the files it was to leave are there")
        }
        _ if may_check => return Next::Check,
        (ReportStatus::Partial, _) => (Worth::Part, ""),
        (ReportStatus::Success, ResultQuality::Inferred) => (Worth::Unverified, "not verified"),
    };
    used(report, worth, note.to_owned())
}

fn after_checking(tries: &[Try], outcome: &Evidence) -> Next {
    let report = &outcome.report;
    // What it says of its source was held against its own calls.
    let has_looked = report.source != ReportSource::ModelKnowledge;
    let (worth, note) = match (Maker::of(report), report.status, report.result_quality) {
        (Maker::House, _, _) => (
            Worth::Unverified,
            format!("not verified: the check failed ({})", reason_of(report)),
        ),
        (Maker::Agent, ReportStatus::Failed, _) if has_looked => {
            let reason = format!("a second agent found it wrong: {}", reason_of(report));
            return again_or_never(tries, reason, &Refusal::Nothing);
        }
        // To make it once more for a guess would throw away what may be right.
        (Maker::Agent, ReportStatus::Failed, _) => (
            Worth::Unverified,
            format!(
                "not verified: a second agent doubts it, but names nothing that it looked at ({})",
                reason_of(report)
            ),
        ),
        (Maker::Agent, _, ResultQuality::Uncertain) => {
            (Worth::Unverified, "a second agent was not sure".to_owned())
        }
        // It saw nothing of the world, or what it says of it did not stand.
        (Maker::Agent, _, ResultQuality::Inferred) => (
            Worth::Unverified,
            "not verified: a second agent agrees, but names nothing that it looked at".to_owned(),
        ),
        (Maker::Agent, ReportStatus::Partial, _) => (
            Worth::Unverified,
            "a second agent confirms part of it".to_owned(),
        ),
        (Maker::Agent, ReportStatus::Success, _) => {
            (Worth::Whole, "a second agent confirms it".to_owned())
        }
    };
    let done = tries.iter().rfind(|t| t.work == Work::Do);
    let done = done.and_then(|done| done.outcome.as_ref());
    used(done.map_or(report, |done| &done.report), worth, note)
}

/// A report that says itself that only part is done is worth no more, whoever confirms it.
fn used(done: &Report, worth: Worth, note: String) -> Next {
    if done.status != ReportStatus::Partial {
        return Next::Use { worth, note };
    }
    let part = "only part of it is done";
    let note = match note.is_empty() {
        true => part.to_owned(),
        false => format!("{part}; {note}"),
    };
    let worth = Worth::Part;
    Next::Use { worth, note }
}

fn again_or_never(tries: &[Try], reason: String, refused: &Refusal) -> Next {
    let begun = tries.iter().filter(|t| t.work == Work::Do).count();
    if begun < TRIES {
        let refused = refused.clone();
        Next::Again { reason, refused }
    } else {
        Next::GiveUp(reason)
    }
}

fn reason_of(report: &Report) -> String {
    match report.failure_reason.as_deref() {
        Some(reason) if !reason.trim().is_empty() => reason.trim().to_owned(),
        _ if report.summary.trim().is_empty() => "no reason given".to_owned(),
        _ => report.summary.trim().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failed_report;
    use domain::report::ReportSource;

    fn report(status: ReportStatus, quality: ResultQuality) -> Report {
        Report {
            status,
            summary: "Said.".to_owned(),
            artifacts: Vec::new(),
            result_quality: quality,
            source: ReportSource::ToolOutput,
            new_memory_candidates: Vec::new(),
            failure_reason: None,
        }
    }

    fn tried(work: Work, report: Report) -> Try {
        Try {
            work,
            agent_type: AgentType::new("coder").unwrap(),
            outcome: Some(Evidence {
                report,
                refused: Refusal::Nothing,
            }),
        }
    }

    fn step(tries: &[Try]) -> Next {
        next_step(tries, true, &Files::NoneDue, true)
    }

    fn using(worth: Worth, note: &str) -> Next {
        let note = note.to_owned();
        Next::Use { worth, note }
    }

    fn word(next: &Next) -> &'static str {
        match next {
            Next::Do => "do",
            Next::Again { .. } => "again",
            Next::Check => "check",
            Next::Wait => "wait",
            Next::Use { note, .. } if note.is_empty() => "use",
            Next::Use { .. } => "say",
            Next::GiveUp(_) => "give up",
        }
    }

    #[test]
    fn what_each_kind_of_report_leads_to() {
        use ReportStatus::{Failed, Partial, Success};
        use ResultQuality::{Inferred, Uncertain, Verified};
        let table = [
            (Success, Verified, "use"),
            (Success, Inferred, "check"),
            (Success, Uncertain, "say"),
            (Partial, Verified, "check"),
            (Partial, Inferred, "check"),
            (Partial, Uncertain, "say"),
            (Failed, Verified, "again"),
            (Failed, Inferred, "again"),
            (Failed, Uncertain, "again"),
        ];
        for (status, quality, expected) in table {
            let tries = [tried(Work::Do, report(status, quality))];
            assert_eq!(word(&step(&tries)), expected, "{status:?} {quality:?}");
        }
        let inferred = [tried(Work::Do, report(Success, Inferred))];
        assert_eq!(
            word(&next_step(&inferred, true, &Files::There, true)),
            "say"
        );
        assert_eq!(
            word(&next_step(&inferred, false, &Files::NoneDue, true)),
            "say"
        );
        assert_eq!(
            word(&next_step(&inferred, true, &Files::NoneDue, false)),
            "say"
        );
    }

    #[test]
    fn a_second_failure_is_the_last_and_a_refuted_result_is_made_once_more() {
        use ReportStatus::{Failed, Success};
        use ResultQuality::{Inferred, Verified};
        let failed = || tried(Work::Do, report(Failed, Verified));
        assert_eq!(word(&step(&[failed()])), "again");
        assert_eq!(word(&step(&[failed(), failed()])), "give up");
        let claimed = || tried(Work::Do, report(Success, Inferred));
        let refuted = || tried(Work::Check, report(Failed, Verified));
        let broke = || tried(Work::Check, failed_report("timed out"));
        let confirmed = || tried(Work::Check, report(Success, Verified));
        assert_eq!(word(&step(&[claimed(), refuted()])), "again");
        assert_eq!(word(&step(&[claimed(), refuted(), claimed()])), "say");
        assert_eq!(word(&step(&[failed(), claimed(), refuted()])), "give up");
        assert_eq!(
            step(&[claimed(), confirmed()]),
            using(Worth::Whole, "a second agent confirms it")
        );
        assert_eq!(
            step(&[claimed(), broke()]),
            using(
                Worth::Unverified,
                "not verified: the check failed (timed out)"
            )
        );
    }

    #[test]
    fn a_check_that_looked_at_nothing_confirms_nothing() {
        use ReportStatus::{Partial, Success};
        use ResultQuality::{Inferred, Verified};
        let claimed = || tried(Work::Do, report(Success, Inferred));
        for status in [Success, Partial] {
            let agreed = tried(Work::Check, report(status, Inferred));
            let next = step(&[claimed(), agreed]);
            let note = "not verified: a second agent agrees, but names nothing that it looked at";
            assert_eq!(next, using(Worth::Unverified, note));
            let looked = tried(Work::Check, report(status, Verified));
            let Next::Use { note, .. } = step(&[claimed(), looked]) else {
                panic!("a check that looked is used");
            };
            assert!(note.starts_with("a second agent confirms"), "{note}");
        }
    }

    #[test]
    fn a_doubt_of_who_did_not_look_makes_nothing_once_more_and_is_said() {
        use ReportStatus::{Failed, Success};
        use ResultQuality::{Inferred, Verified};
        let claimed = || tried(Work::Do, report(Success, Inferred));
        for quality in [Verified, Inferred] {
            let mut doubt = report(Failed, quality);
            doubt.source = ReportSource::ModelKnowledge;
            let note = "not verified: a second agent doubts it, but names nothing that it looked at (Said.)";
            let next = step(&[claimed(), tried(Work::Check, doubt)]);
            assert_eq!(next, using(Worth::Unverified, note));
        }
    }

    #[test]
    fn what_is_done_in_part_is_worth_a_part_whoever_confirms_it() {
        use ReportStatus::{Partial, Success};
        use ResultQuality::{Uncertain, Verified};
        let part = "only part of it is done";
        let half = || tried(Work::Do, report(Partial, Verified));
        let unchecked = next_step(&[half()], false, &Files::NoneDue, true);
        assert_eq!(unchecked, using(Worth::Part, part));
        let confirmed = tried(Work::Check, report(Success, Verified));
        let note = format!("{part}; a second agent confirms it");
        assert_eq!(step(&[half(), confirmed]), using(Worth::Part, &note));
        let unsure = tried(Work::Do, report(Partial, Uncertain));
        let note = format!("{part}; uncertain: it may be wrong");
        assert_eq!(step(&[unsure]), using(Worth::Part, &note));
        let plain = next_step(
            &[tried(Work::Do, report(Success, ResultQuality::Inferred))],
            false,
            &Files::NoneDue,
            true,
        );
        assert_eq!(plain, using(Worth::Unverified, "not verified"));
    }

    #[test]
    fn a_missing_file_is_a_failed_try_whatever_a_checker_says() {
        use ReportStatus::{Partial, Success};
        use ResultQuality::{Inferred, Uncertain, Verified};
        let missing = Files::NotLeft(vec!["`sum.txt`".to_owned()]);
        for quality in [Verified, Inferred, Uncertain] {
            let lowered = || tried(Work::Do, report(Partial, quality));
            let confirmed = || tried(Work::Check, report(Success, Verified));
            for first in [vec![lowered()], vec![lowered(), confirmed()]] {
                for (may_check, rests) in [(true, true), (false, false)] {
                    let next = next_step(&first, rests, &missing, may_check);
                    let reason = "without `sum.txt`".to_owned();
                    let refused = Refusal::Nothing;
                    assert_eq!(next, Next::Again { reason, refused });
                }
            }
            let twice = [lowered(), confirmed(), lowered()];
            let next = next_step(&twice, true, &missing, true);
            assert_eq!(next, Next::GiveUp("without `sum.txt`".to_owned()));
        }
        let in_place = [tried(Work::Do, report(Success, Verified))];
        assert_eq!(word(&next_step(&in_place, true, &missing, true)), "use");
    }
}
