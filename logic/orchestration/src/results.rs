//! Reports as the agent that asked for them reads them.

use crate::failed::failed_report;
use crate::machine::{Ending, Orchestration};
use crate::record::{DelegationData, NamedReport, TasksData, TasksEnding};
use crate::refusal::Refusal;
use crate::state::task_state;
use domain::limits::SHOWN_REPORTS;
use domain::lineage::AgentType;
use domain::model::Usage;
use domain::report::{Report, ReportSource, ReportStatus};
use domain::tool::ToolOutput;
use std::fmt::Write as _;

/// Most of a reason that is told of a task that is not done whole, characters.
const REASON_CHARS: usize = 300;

/// What came of a delegation.
#[derive(Debug, Clone)]
pub struct DelegationResult {
    /// The type of agent.
    pub agent_type: AgentType,
    /// The report, after its claims were checked.
    pub report: Report,
    /// What was changed about its claims.
    pub corrections: Vec<String>,
    /// What the broker saw of it, in one line.
    pub record: String,
    /// What it cost, its own agents included.
    pub usage: Usage,
    /// What the guard or the user refused it, as far as it worked on a task of a request.
    pub refused: Refusal,
}

impl DelegationResult {
    /// Of an agent that was never started.
    #[must_use]
    pub fn not_begun(agent_type: AgentType, reason: &str, refused: Refusal) -> Self {
        Self {
            agent_type,
            report: failed_report(reason),
            corrections: Vec::new(),
            record: "On record: it was not started.".to_owned(),
            usage: Usage::default(),
            refused,
        }
    }
    /// Of an agent that reported before the process was started.
    #[must_use]
    pub fn from_the_log(agent_type: AgentType, report: Report) -> Self {
        Self {
            agent_type,
            report,
            corrections: Vec::new(),
            record: "On record: reported before Housecarl was started again.".to_owned(),
            usage: Usage::default(),
            refused: Refusal::Nothing,
        }
    }
}

impl TasksData {
    /// Where the tasks of `whole` stand, which ended so.
    #[must_use]
    pub fn of(whole: &Orchestration, ending: Ending) -> Self {
        Self {
            ending: match ending {
                Ending::Complete => TasksEnding::Complete,
                Ending::Partial => TasksEnding::Partial,
                Ending::Nothing => TasksEnding::Nothing,
                Ending::Interrupted => TasksEnding::Interrupted,
            },
            short: whole.short().map(in_words).collect(),
            state: task_state(whole),
        }
    }
}

/// A task that is not done whole, for people: agents wrote part of the reason.
fn in_words((task_id, reason): (&str, &str)) -> String {
    let reason = text::cap::without_middle(reason, REASON_CHARS);
    format!("`{task_id}`: {}", text::escape::visible(&reason))
}

/// The result of a call that started agents: each report under its name, below `head`; `tasks` says
/// where tasks that depend on each other stand.
#[must_use]
pub fn output(
    reports: &[(String, &DelegationResult)],
    head: String,
    tasks: Option<TasksData>,
) -> ToolOutput {
    let mut text = head;
    // Of many, those before the last few are told in one line.
    let whole_from = reports.len().saturating_sub(SHOWN_REPORTS);
    for (place, (name, returned)) in reports.iter().enumerate() {
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        if place < whole_from {
            let _ = write!(text, "{name}: {}", in_a_line(&returned.report));
        } else {
            text.push_str(&whole(name, returned));
        }
    }
    let mut artifacts: Vec<String> = Vec::new();
    for artifact in reports.iter().flat_map(|(_, one)| &one.report.artifacts) {
        if !artifacts.contains(artifact) {
            artifacts.push(artifact.clone());
        }
    }
    let reports = reports.iter().map(|(name, one)| NamedReport {
        name: name.clone(),
        agent_type: one.agent_type.clone(),
        report: one.report.clone(),
        corrections: one.corrections.clone(),
        record: one.record.clone(),
    });
    let data = DelegationData {
        tasks,
        reports: reports.collect(),
    };
    ToolOutput {
        data: data.to_value(),
        text,
        origin: "agents".to_owned(),
        artifacts,
        labels: Vec::new(),
    }
}

fn in_a_line(report: &Report) -> String {
    let summary: String = report.summary.chars().take(120).collect();
    format!("{}. {summary}", report.status.as_str())
}

fn whole(name: &str, returned: &DelegationResult) -> String {
    let report = &returned.report;
    let mut text = format!(
        "{name}: {}, {}, from {}\n{}",
        report.status.as_str(),
        report.result_quality.as_str(),
        source(report.source),
        report.summary.trim()
    );
    let failed = report.status != ReportStatus::Success;
    if let Some(reason) = report.failure_reason.as_ref().filter(|_| failed) {
        let _ = write!(text, "\nFailed because: {reason}");
    }
    if !report.artifacts.is_empty() {
        let _ = write!(text, "\nFiles: {}", report.artifacts.join(", "));
    }
    for candidate in &report.new_memory_candidates {
        let _ = write!(text, "\nNominated for memory: {candidate}");
    }
    for correction in &returned.corrections {
        let _ = write!(text, "\nCorrected by Housecarl: {correction}");
    }
    let _ = write!(text, "\n{}", returned.record);
    text
}

const fn source(source: ReportSource) -> &'static str {
    match source {
        ReportSource::ToolOutput => "tool output",
        ReportSource::ModelKnowledge => "model knowledge",
        ReportSource::Web => "the web",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn returned(summary: &str) -> DelegationResult {
        let mut report = failed_report("no such file");
        report.summary = summary.to_owned();
        report.artifacts = vec!["/w/a".to_owned()];
        DelegationResult {
            agent_type: AgentType::new("coder").unwrap(),
            report,
            corrections: vec!["It named `b`.".to_owned()],
            record: "On record: no calls; files changed: 0.".to_owned(),
            usage: Usage::default(),
            refused: Refusal::Nothing,
        }
    }

    #[test]
    fn a_report_is_told_with_what_was_changed_about_it_and_what_is_on_record() {
        let one = returned("It is not there.");
        let told = output(&[("coder".to_owned(), &one)], String::new(), None);
        assert_eq!(
            told.text,
            "coder: failed, uncertain, from model knowledge\nIt is not there.\nFailed because: no \
             such file\nFiles: /w/a\nCorrected by Housecarl: It named `b`.\nOn record: no calls; \
             files changed: 0."
        );
        assert_eq!(told.data["reports"][0]["report"]["status"], "failed");
        assert_eq!(told.artifacts, ["/w/a"]);
    }

    #[test]
    fn of_many_reports_only_the_last_are_told_whole() {
        let one = returned("Said.");
        let many: Vec<(String, &DelegationResult)> = (0..SHOWN_REPORTS + 1)
            .map(|n| (format!("{n}"), &one))
            .collect();
        let told = output(&many, "Head.".to_owned(), None);
        assert_eq!(told.text.matches("On record").count(), SHOWN_REPORTS);
        assert!(
            told.text
                .starts_with("Head.\n\n0: failed. Said.\n\n1: failed, uncertain")
        );
    }
}
