//! What a report claims against what is on record: the results that the broker returned for the
//! reporting agent's own calls. A claim without a record is taken back, and the change is said.

use crate::confidence::Files;
use crate::record::DelegationData;
use api::broker::ToolResult;
use domain::event::CallStatus;
use domain::message::ToolCall;
use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Most claims of one kind that are named; the rest are counted.
const NAMED: usize = 3;
/// Longest path that a correction repeats, characters: an unproved one may be anything.
const NAMED_CHARS: usize = 60;

/// The capability whose tools show an agent nothing but its own notes.
const OWN_NOTES: &str = "self";
/// The capability of tools that start agents.
pub const SPAWN: &str = "spawn";
/// The capability of tools that look at the web.
const WEB: &str = "web_search";
/// What stands on record for a call of something that is no tool.
const UNKNOWN: &str = "unknown tool";

/// One finished call of the reporting agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The tool.
    pub tool: String,
    /// How it ended.
    pub status: CallStatus,
    /// How the program ended that it ran, as a shell tells it.
    pub exit_code: Option<i32>,
    /// Files it made or changed, absolute, and where they really are.
    pub artifacts: Vec<String>,
    /// The same as the call named them: perhaps by a link.
    pub named: Vec<String>,
    /// Whether its result shows something of the world: no note to itself, no search for tools.
    pub is_evidence: bool,
    /// Whether it looked at the web.
    pub is_web: bool,
}

impl Entry {
    /// Of a finished call of a tool with this capability, `None` for something that is no tool.
    /// `delegated` is what agents reported that it started.
    #[must_use]
    pub fn of(
        call: &ToolCall,
        result: &ToolResult,
        capability: Option<&str>,
        delegated: Option<&DelegationData>,
    ) -> Self {
        let names = |source| delegated.is_some_and(|data| data.names(source));
        Self {
            // What a model called something that is no tool is no tool's name.
            tool: match capability {
                None | Some("") => UNKNOWN.to_owned(),
                Some(_) => call.name.clone(),
            },
            status: result.status,
            exit_code: result.exit_code(&call.name),
            artifacts: result.artifacts.clone(),
            named: match result.artifacts.is_empty() {
                true => Vec::new(),
                false => paths_in(&call.arguments),
            },
            is_evidence: match capability {
                Some(OWN_NOTES) => false,
                Some(SPAWN) => names(ReportSource::ToolOutput) || names(ReportSource::Web),
                _ => true,
            },
            is_web: capability == Some(WEB) || names(ReportSource::Web),
        }
    }
}

/// The files that the arguments of a call name.
fn paths_in(arguments: &Value) -> Vec<String> {
    let named = ["path", "from", "to"].into_iter();
    let named = named.filter_map(|argument| arguments.get(argument)?.as_str());
    named.map(str::to_owned).collect()
}

impl Entry {
    /// Whether it ran a program that ended with another code than 0.
    #[must_use]
    pub fn ended_badly(&self) -> bool {
        self.exit_code.is_some_and(|code| code != 0)
    }
}

/// Everything on record of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ledger {
    /// Its calls, in the order they ended.
    pub calls: Vec<Entry>,
    /// The folder that relative paths are meant in, absolute.
    pub folder: String,
    /// Files, absolute, that agents before it made or changed when they tried the same task.
    pub earlier: BTreeSet<String>,
    /// Those of its files and theirs, absolute, that are there now.
    pub existing: BTreeSet<String>,
}

impl Ledger {
    /// Files that its calls made or changed, absolute, each once.
    #[must_use]
    pub fn written(&self) -> BTreeSet<String> {
        let ok = self.calls.iter().filter(|c| c.status == CallStatus::Ok);
        ok.flat_map(|call| call.artifacts.iter().cloned()).collect()
    }

    /// Files that were made or changed for its task, absolute, by every name that they have there.
    #[must_use]
    pub fn made(&self) -> BTreeSet<String> {
        let ok = self.calls.iter().filter(|c| c.status == CallStatus::Ok);
        let named = ok.flat_map(|call| &call.named);
        let named = named.map(|path| absolute(&self.folder, path));
        let written = self.written().into_iter();
        written
            .chain(self.earlier.iter().cloned())
            .chain(named)
            .collect()
    }

    fn has(&self, wanted: impl Fn(&Entry) -> bool) -> bool {
        let mut ok = self.calls.iter().filter(|c| c.status == CallStatus::Ok);
        ok.any(wanted)
    }

    /// How the last program that ran ended, where that was not well.
    #[must_use]
    pub fn last_failure(&self) -> Option<i32> {
        let mut programs = self.calls.iter().rev();
        let last = programs.find_map(|call| call.exit_code);
        last.filter(|code| *code != 0)
    }

    /// One line on what the broker saw: which tools, how often, and how many files were changed, by
    /// it and by those that tried before.
    #[must_use]
    pub fn line(&self) -> String {
        let mut tools: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
        for call in &self.calls {
            tools.entry(call.tool.as_str()).or_default().push(call);
        }
        let tools = tools.into_iter();
        let tools: Vec<String> = tools.map(|(tool, calls)| counted(tool, &calls)).collect();
        let calls = if tools.is_empty() {
            "no calls".to_owned()
        } else {
            tools.join(", ")
        };
        let written = self.written();
        let before = match self.earlier.difference(&written).count() {
            0 => String::new(),
            more => format!(" (and {more} by an earlier try)"),
        };
        format!(
            "On record: {calls}; files changed: {}{before}.",
            written.len()
        )
    }
}

/// How often a tool was called, and how its programs ended where that was not well.
fn counted(tool: &str, calls: &[&Entry]) -> String {
    let done = calls.iter().filter(|call| call.status == CallStatus::Ok);
    let done = done.count();
    let mut told = format!("{tool} {done}");
    let codes = calls.iter().filter(|call| call.ended_badly());
    let codes: BTreeSet<i32> = codes.filter_map(|call| call.exit_code).collect();
    let bad = calls.iter().filter(|call| call.ended_badly()).count();
    match (codes.first(), codes.len()) {
        (None, _) => {}
        (Some(code), 1) if bad == done => told.push_str(&format!(" (exit code {code})")),
        (Some(code), 1) => told.push_str(&format!(" ({bad} with exit code {code})")),
        (Some(_), _) => told.push_str(&format!(" ({bad} with an exit code other than 0)")),
    }
    match calls.len() - done {
        0 => {}
        not => told.push_str(&format!(" (and {not} not done)")),
    }
    told
}

/// A report after its claims were checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// What stands.
    pub report: Report,
    /// What was changed and why, one sentence each.
    pub corrections: Vec<String>,
}

/// Checks a report against the record. `expected` are the files that the task was to leave behind.
#[must_use]
pub fn check_claims(mut report: Report, ledger: &Ledger, expected: &[String]) -> Checked {
    let mut corrections = Vec::new();
    check_files(&mut report, ledger, expected, &mut corrections);
    check_source(&mut report, ledger, &mut corrections);
    // A program that ran and failed did not do what was asked either, though its call was done.
    let none_worked = !ledger.calls.is_empty() && !ledger.has(|call| !call.ended_badly());
    if report.status == ReportStatus::Success && none_worked {
        report.status = ReportStatus::Partial;
        corrections.push(format!(
            "It claimed success, but none of its {} calls did what it asked: lowered to partial.",
            ledger.calls.len()
        ));
    }
    // What has to be corrected is not verified.
    check_quality(&mut report, ledger, &mut corrections);
    Checked {
        report,
        corrections,
    }
}

fn check_files(
    report: &mut Report,
    ledger: &Ledger,
    expected: &[String],
    corrections: &mut Vec<String>,
) {
    let made = ledger.made();
    let (mut kept, mut unmade, mut gone) = (Vec::new(), Vec::new(), Vec::new());
    for claim in std::mem::take(&mut report.artifacts) {
        let path = absolute(&ledger.folder, &claim);
        if !made.contains(&path) {
            unmade.push(claim);
        } else if !ledger.existing.contains(&path) {
            gone.push(claim);
        } else if !kept.contains(&path) {
            kept.push(path);
        }
    }
    take_back(&unmade, "none of its calls wrote", corrections);
    take_back(&gone, "there is no such file as", corrections);
    // What it was to leave and did is its work, whether it says so or not.
    for path in expected.iter().map(|path| absolute(&ledger.folder, path)) {
        if made.contains(&path) && ledger.existing.contains(&path) && !kept.contains(&path) {
            kept.push(path);
        }
    }
    report.artifacts = kept;
    let there = |path: &&String| ledger.existing.contains(&absolute(&ledger.folder, path));
    let missing: Vec<String> = expected
        .iter()
        .filter(|path| !there(path))
        .map(|path| format!("`{}`", shown(path)))
        .collect();
    if report.status == ReportStatus::Success && !missing.is_empty() {
        report.status = ReportStatus::Partial;
        corrections.push(format!(
            "It claimed success without leaving {}: lowered to partial.",
            missing.join(", ")
        ));
    }
}

/// Says which files a report may not name. What it called a file is repeated only as far as it looks
/// like one.
fn take_back(claims: &[String], why: &str, corrections: &mut Vec<String>) {
    let (named, rest) = claims.split_at(claims.len().min(NAMED));
    for claim in named {
        let looks_like_one = claim.chars().count() <= NAMED_CHARS
            && claim
                .chars()
                .all(|c| c.is_alphanumeric() || "/._-+@~".contains(c));
        let (what, it) = if looks_like_one {
            (format!("`{claim}`"), "that file")
        } else {
            (
                format!("something of {} characters", claim.chars().count()),
                "it",
            )
        };
        corrections.push(format!(
            "It named {what} as its work, but {why} {it}: taken out."
        ));
    }
    if !rest.is_empty() {
        corrections.push(format!(
            "It named {} more files as its work, but {why} them: taken out.",
            rest.len()
        ));
    }
}

fn check_source(report: &mut Report, ledger: &Ledger, corrections: &mut Vec<String>) {
    let used_tools = ledger.has(|call| call.is_evidence);
    let stands = match report.source {
        ReportSource::ModelKnowledge => true,
        ReportSource::ToolOutput => used_tools,
        ReportSource::Web => ledger.has(|call| call.is_web),
    };
    if stands {
        return;
    }
    let (claimed, lowered, word) = match report.source {
        ReportSource::Web if used_tools => ("the web", ReportSource::ToolOutput, "tool output"),
        ReportSource::Web => ("the web", ReportSource::ModelKnowledge, "model knowledge"),
        _ => ("tools", ReportSource::ModelKnowledge, "model knowledge"),
    };
    report.source = lowered;
    corrections.push(format!(
        "It named {claimed} as its source, but no such call of it gave anything: it is {word}."
    ));
}

fn check_quality(report: &mut Report, ledger: &Ledger, corrections: &mut Vec<String>) {
    let is_claimed = report.result_quality == ResultQuality::Verified;
    if !is_claimed || report.status == ReportStatus::Failed {
        return;
    }
    if !ledger.has(|call| call.is_evidence) {
        report.result_quality = ResultQuality::Inferred;
        corrections.push(
            "It called its result verified, but no tool result stands behind it: lowered to \
             inferred."
                .to_owned(),
        );
    } else if !corrections.is_empty() {
        report.result_quality = ResultQuality::Inferred;
        corrections.push(
            "It called its result verified, but other claims of it did not stand: lowered to \
             inferred."
                .to_owned(),
        );
    }
}

/// Where the expected files are, by those that a checked report may name.
pub(crate) fn files_of(report: &Report, expected: &[String]) -> Files {
    let has = |path: &&String| {
        let wanted = absolute("", path);
        let mut artifacts = report.artifacts.iter();
        artifacts.any(|artifact| artifact == *path || artifact.ends_with(&wanted))
    };
    let missing = expected.iter().filter(|path| !has(path));
    let missing: Vec<String> = missing.map(|path| format!("`{}`", shown(path))).collect();
    match (expected.is_empty(), missing.is_empty()) {
        (true, _) => Files::NoneDue,
        (false, true) => Files::There,
        (false, false) => Files::NotLeft(missing),
    }
}

/// A path as the record has it: absolute, without `.` and empty parts. `..` is left alone, and so
/// never found.
fn absolute(folder: &str, path: &str) -> String {
    let path = path.trim();
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{folder}/{path}")
    };
    let parts: Vec<&str> = whole
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    format!("/{}", parts.join("/"))
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, status: CallStatus, artifacts: &[&str]) -> Entry {
        Entry {
            tool: tool.to_owned(),
            status,
            exit_code: None,
            artifacts: artifacts.iter().map(|&a| a.to_owned()).collect(),
            named: Vec::new(),
            is_evidence: tool != "journal",
            is_web: tool.starts_with("web"),
        }
    }

    fn ledger(calls: Vec<Entry>, existing: &[&str]) -> Ledger {
        Ledger {
            calls,
            folder: "/w".to_owned(),
            earlier: BTreeSet::new(),
            existing: existing.iter().map(|&e| e.to_owned()).collect(),
        }
    }

    fn claimed(artifacts: &[&str], source: ReportSource) -> Report {
        Report {
            status: ReportStatus::Success,
            summary: "Done.".to_owned(),
            artifacts: artifacts.iter().map(|&a| a.to_owned()).collect(),
            result_quality: ResultQuality::Verified,
            source,
            new_memory_candidates: Vec::new(),
            failure_reason: None,
        }
    }

    #[test]
    fn an_honest_report_stands() {
        let calls = vec![call("write_file", CallStatus::Ok, &["/w/a.txt"])];
        let ledger = ledger(calls, &["/w/a.txt"]);
        for path in ["a.txt", "./a.txt", "/w/a.txt"] {
            let report = claimed(&[path], ReportSource::ToolOutput);
            let checked = check_claims(report, &ledger, &["a.txt".to_owned()]);
            assert_eq!(checked.corrections, Vec::<String>::new(), "{path}");
            assert_eq!(checked.report.artifacts, ["/w/a.txt"]);
            assert_eq!(checked.report.result_quality, ResultQuality::Verified);
        }
    }

    #[test]
    fn a_file_may_be_named_by_the_link_that_led_to_it() {
        let mut written = call("write_file", CallStatus::Ok, &["/w/real.txt"]);
        written.named = vec!["link.txt".to_owned()];
        let ledger = ledger(vec![written], &["/w/real.txt", "/w/link.txt"]);
        for path in ["link.txt", "real.txt"] {
            let report = claimed(&[path], ReportSource::ToolOutput);
            let checked = check_claims(report, &ledger, &[]);
            assert_eq!(checked.corrections, Vec::<String>::new(), "{path}");
        }
        assert!(ledger.line().ends_with("files changed: 1."));
    }

    #[test]
    fn files_that_its_calls_did_not_write_are_taken_out() {
        let calls = vec![
            call("write_file", CallStatus::Denied, &["/w/denied.txt"]),
            call("write_file", CallStatus::Ok, &["/w/gone.txt"]),
            call("read_file", CallStatus::Ok, &[]),
        ];
        let ledger = ledger(calls, &["/w/there.txt", "/w/denied.txt"]);
        for path in [
            "there.txt",
            "denied.txt",
            "gone.txt",
            "x/../gone.txt",
            "no.txt",
        ] {
            let checked = check_claims(claimed(&[path], ReportSource::ToolOutput), &ledger, &[]);
            assert_eq!(checked.report.artifacts, Vec::<String>::new(), "{path}");
            assert!(checked.corrections[0].contains(path), "{path}");
            assert_eq!(checked.report.result_quality, ResultQuality::Inferred);
        }
    }

    #[test]
    fn a_claim_without_proof_is_repeated_only_as_far_as_it_looks_like_a_path() {
        let ledger = ledger(vec![call("read_file", CallStatus::Ok, &[])], &[]);
        let long = "the/ferry/to/the/northern/islands/leaves/at/seven/in/the/morning.txt";
        let text = "the ferry leaves";
        let many: Vec<String> = (0..9).map(|n| format!("ferry{n}.txt")).collect();
        for (claims, secret, count) in [
            (vec![long], "ferry", 1),
            (vec![text], "ferry", 1),
            (many.iter().map(String::as_str).collect(), "ferry3", 4),
        ] {
            let report = claimed(&claims, ReportSource::ToolOutput);
            let checked = check_claims(report, &ledger, &[]);
            let said = checked.corrections.join("\n");
            assert!(!said.contains(secret), "{said}");
            assert_eq!(said.matches("taken out").count(), count, "{said}");
        }
    }

    #[test]
    fn what_an_earlier_try_wrote_is_the_tasks_work_if_it_is_there() {
        let earlier = ["/w/a.txt", "/w/gone.txt"].map(str::to_owned);
        let ledger = Ledger {
            earlier: earlier.into(),
            ..ledger(vec![call("read_file", CallStatus::Ok, &[])], &["/w/a.txt"])
        };
        let report = claimed(&["a.txt"], ReportSource::ToolOutput);
        let checked = check_claims(report, &ledger, &["a.txt".to_owned()]);
        assert_eq!(checked.corrections, Vec::<String>::new());
        assert_eq!(checked.report.artifacts, ["/w/a.txt"]);
        let report = claimed(&["gone.txt"], ReportSource::ToolOutput);
        let checked = check_claims(report, &ledger, &[]);
        assert_eq!(checked.report.artifacts, Vec::<String>::new());
        assert_eq!(
            ledger.line(),
            "On record: read_file 1; files changed: 0 (and 2 by an earlier try)."
        );
    }

    #[test]
    fn success_without_the_expected_file_is_partial() {
        let ledger = ledger(vec![call("read_file", CallStatus::Ok, &[])], &[]);
        let report = claimed(&[], ReportSource::ToolOutput);
        let checked = check_claims(report, &ledger, &["out.md".to_owned()]);
        assert_eq!(checked.report.status, ReportStatus::Partial);
        assert!(checked.corrections[0].contains("out.md"));
    }

    #[test]
    fn sources_and_certainty_need_a_call_that_gave_something() {
        use ReportSource::{ModelKnowledge, ToolOutput, Web};
        use ResultQuality::{Inferred, Verified};
        let read = || call("read_file", CallStatus::Ok, &[]);
        let web = || call("web_search", CallStatus::Ok, &[]);
        let table = [
            (vec![], Web, ModelKnowledge, Inferred),
            (vec![], ToolOutput, ModelKnowledge, Inferred),
            (vec![], ModelKnowledge, ModelKnowledge, Inferred),
            (vec![read()], ToolOutput, ToolOutput, Verified),
            (vec![read()], Web, ToolOutput, Inferred),
            (vec![web()], Web, Web, Verified),
            (
                vec![call("journal", CallStatus::Ok, &[])],
                ToolOutput,
                ModelKnowledge,
                Inferred,
            ),
            (
                vec![call("web_search", CallStatus::Failed, &[])],
                Web,
                ModelKnowledge,
                Inferred,
            ),
        ];
        for (calls, said, source, quality) in table {
            let names: Vec<String> = calls.iter().map(|c| c.tool.clone()).collect();
            let checked = check_claims(claimed(&[], said), &ledger(calls, &[]), &[]);
            assert_eq!(checked.report.source, source, "{names:?} {said:?}");
            assert_eq!(checked.report.result_quality, quality, "{names:?} {said:?}");
            let changed = said != source || quality != Verified;
            assert_eq!(!checked.corrections.is_empty(), changed);
        }
    }

    #[test]
    fn success_after_refusals_alone_is_partial() {
        let calls = vec![call("write_file", CallStatus::Denied, &[])];
        let report = claimed(&[], ReportSource::ModelKnowledge);
        let checked = check_claims(report, &ledger(calls, &[]), &[]);
        assert_eq!(checked.report.status, ReportStatus::Partial);
    }

    #[test]
    fn success_after_failed_programs_alone_is_partial_and_not_verified() {
        let ran = |code| Entry {
            exit_code: Some(code),
            ..call("run_command", CallStatus::Ok, &[])
        };
        let rows = [
            (vec![1], "run_command 1 (exit code 1)", true),
            (vec![1, 1], "run_command 2 (exit code 1)", true),
            (vec![1, 0], "run_command 2 (1 with exit code 1)", false),
            (
                vec![1, 2, 0],
                "run_command 3 (2 with an exit code other than 0)",
                false,
            ),
            (vec![0], "run_command 1;", false),
        ];
        for (codes, line, is_partial) in rows {
            let ledger = ledger(codes.into_iter().map(ran).collect(), &[]);
            assert!(ledger.line().contains(line), "{}", ledger.line());
            let checked = check_claims(claimed(&[], ReportSource::ToolOutput), &ledger, &[]);
            let lowered = (
                checked.report.status == ReportStatus::Partial,
                checked.report.result_quality == ResultQuality::Inferred,
            );
            assert_eq!(lowered, (is_partial, is_partial), "{line}");
        }
    }

    #[test]
    fn the_record_is_one_line() {
        let calls = vec![
            call("read_file", CallStatus::Ok, &[]),
            call("write_file", CallStatus::Denied, &[]),
        ];
        assert_eq!(
            ledger(calls, &[]).line(),
            "On record: read_file 1, write_file 0 (and 1 not done); files changed: 0."
        );
        assert_eq!(
            Ledger::default().line(),
            "On record: no calls; files changed: 0."
        );
    }
}
