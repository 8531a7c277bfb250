//! Reports as the agent that asked for them reads them.

use crate::delegation::child::DelegationResult;
use crate::work::record::{DelegationData, NamedReport, TasksData};
use domain::limits::SHOWN_REPORTS;
use domain::report::{Report, ReportSource, ReportStatus};
use domain::tool::ToolOutput;
use std::fmt::Write as _;

/// The result of a call that started agents: each report under its name, below `head`; `tasks` says
/// where tasks that depend on each other stand.
pub(crate) fn output(
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
    use domain::lineage::AgentType;
    use domain::model::Usage;
    use orchestration::failed_report;

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
            refused: orchestration::Refusal::Nothing,
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
