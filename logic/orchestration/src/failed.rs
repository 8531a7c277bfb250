//! The report that is written for an agent that gave none.

use domain::report::{Report, ReportSource, ReportStatus, ResultQuality};

/// The summary of a report that the harness wrote, because the agent gave none.
const NO_REPORT: &str = "The agent gave no report.";

/// The report of an agent that gave none: it failed, and why.
#[must_use]
pub fn failed_report(reason: &str) -> Report {
    Report {
        status: ReportStatus::Failed,
        summary: NO_REPORT.to_owned(),
        artifacts: Vec::new(),
        result_quality: ResultQuality::Uncertain,
        source: ReportSource::ModelKnowledge,
        new_memory_candidates: Vec::new(),
        failure_reason: Some(reason.chars().take(600).collect()),
    }
}

/// Whether the harness wrote a report.
pub(crate) fn no_report(report: &Report) -> bool {
    report.status == ReportStatus::Failed && report.summary == NO_REPORT
}
