//! The context of an agent that hands work out: what is asked, where its tasks stand, what was
//! reported. Never anything raw.

use crate::prompt::undelimited;
use crate::words::{one_line, sentences};
use domain::limits::{ROLLING_SUMMARY_TOKENS, SHOWN_REPORTS};
use domain::message::Message;
use domain::report::Report;
use domain::task::TaskStatus;
use serde_json::json;
use std::collections::VecDeque;

use crate::estimate::TokenEstimator;

/// Longest goal in the task state, characters.
const GOAL_CHARACTERS: usize = 160;

/// Where one task stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskLine {
    /// Its id.
    pub id: String,
    /// What it is to reach.
    pub goal: String,
    /// Where it stands.
    pub status: TaskStatus,
}

/// What an orchestrating agent is shown: static part, rolling summary, task state, the last reports,
/// the current turn.
#[derive(Debug, Clone, Default)]
pub struct Duty {
    system: String,
    preamble: String,
    summary: String,
    tasks: Vec<TaskLine>,
    reports: VecDeque<(String, Report)>,
    turn: Vec<Message>,
    estimator: TokenEstimator,
}

impl Duty {
    /// An empty one with its static part; no project files belong into it.
    #[must_use]
    pub fn new(system: String, preamble: String) -> Self {
        Self {
            system,
            preamble,
            ..Self::default()
        }
    }

    /// What happened before, in at most [`ROLLING_SUMMARY_TOKENS`]: the newest sentences that fit.
    pub fn set_summary(&mut self, text: &str) {
        let most = self.estimator.characters(ROLLING_SUMMARY_TOKENS);
        let mut left = usize::try_from(most).unwrap_or(usize::MAX);
        let mut kept = Vec::new();
        for sentence in sentences(text).into_iter().rev() {
            let sentence = one_line(sentence, left.saturating_sub(2));
            let characters = sentence.chars().count() + 1;
            if characters > left || (sentence.ends_with('…') && !kept.is_empty()) {
                break;
            }
            left -= characters;
            kept.push(sentence);
        }
        kept.reverse();
        self.summary = kept.join(" ");
    }

    /// The rolling summary.
    #[must_use]
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Where the tasks stand now.
    pub fn set_tasks(&mut self, tasks: Vec<TaskLine>) {
        self.tasks = tasks;
    }

    /// A report that came in; only the last [`SHOWN_REPORTS`] are shown.
    pub fn report(&mut self, task_id: String, report: Report) {
        self.reports.push_back((task_id, report));
        while self.reports.len() > SHOWN_REPORTS {
            self.reports.pop_front();
        }
    }

    /// A request; what belonged to the one before is gone, but for the rolling summary.
    pub fn begin_turn(&mut self, text: String) {
        self.tasks.clear();
        self.reports.clear();
        self.turn = vec![Message::User { text }];
    }

    /// Anything after the request.
    pub fn add(&mut self, message: Message) {
        self.turn.push(message);
    }

    /// What to send.
    #[must_use]
    pub fn messages(&self) -> Vec<Message> {
        let mut before = self.preamble.clone();
        if !self.summary.is_empty() {
            before.push_str(&section("earlier", &self.summary));
        }
        if !self.tasks.is_empty() {
            before.push_str(&section("tasks", &self.task_state()));
        }
        for (task_id, report) in &self.reports {
            let text = format!("{task_id}: {}", report_in_words(report));
            before.push_str(&section("report", &text));
        }
        let mut messages = Vec::with_capacity(self.turn.len() + 1);
        if !self.system.is_empty() {
            messages.push(Message::System {
                text: self.system.clone(),
            });
        }
        messages.extend(self.turn.iter().cloned());
        let first = messages
            .iter_mut()
            .find(|message| matches!(message, Message::User { .. }));
        if let Some(Message::User { text }) = first {
            text.insert_str(0, &before);
        }
        messages
    }

    /// The task state as JSON.
    #[must_use]
    pub fn task_state(&self) -> String {
        let tasks = self.tasks.iter().map(|task| {
            json!({
                "id": task.id,
                "goal": one_line(&task.goal, GOAL_CHARACTERS),
                "status": task.status,
            })
        });
        json!({"tasks": tasks.collect::<Vec<_>>()}).to_string()
    }
}

/// What is shown of a report: its fields, never what it was made from.
fn report_in_words(report: &Report) -> String {
    json!({
        "status": report.status,
        "summary": report.summary,
        "artifacts": report.artifacts,
        "quality": report.result_quality,
        "failure_reason": report.failure_reason,
    })
    .to_string()
}

fn section(name: &str, text: &str) -> String {
    format!(
        "<context name=\"{name}\">\n{}\n</context>\n\n",
        undelimited(text)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::report::{ReportSource, ReportStatus, ResultQuality};

    fn report(summary: &str) -> Report {
        Report {
            status: ReportStatus::Success,
            summary: summary.to_owned(),
            artifacts: vec!["out.md".to_owned()],
            result_quality: ResultQuality::Verified,
            source: ReportSource::ToolOutput,
            new_memory_candidates: vec!["not shown".to_owned()],
            failure_reason: None,
        }
    }

    #[test]
    fn the_parts_stand_in_order_and_old_reports_go() {
        let mut duty = Duty::new("SYSTEM".to_owned(), "IDENTITY\n".to_owned());
        duty.set_summary("Earlier, a site was built.");
        duty.begin_turn("Now add a page.".to_owned());
        duty.set_tasks(vec![TaskLine {
            id: "page".to_owned(),
            goal: "write it".to_owned(),
            status: TaskStatus::Running,
        }]);
        for number in 0..=SHOWN_REPORTS {
            duty.report("page".to_owned(), report(&format!("report {number}.")));
        }
        let messages = duty.messages();
        assert_eq!(messages.len(), 2);
        let text = messages[1].text();
        let places = [
            "IDENTITY",
            "Earlier, a site",
            "\"running\"",
            "report 1.",
            "report 8.",
            "Now add a page.",
        ]
        .map(|part| {
            text.find(part)
                .unwrap_or_else(|| panic!("{part} is missing in {text}"))
        });
        assert!(places.is_sorted(), "{places:?}");
        assert!(!text.contains("report 0.") && !text.contains("not shown"));
    }

    #[test]
    fn the_rolling_summary_stays_at_its_limit_and_keeps_the_newest() {
        let mut duty = Duty::default();
        let text: String = (0..200).map(|n| format!("Step {n} was done. ")).collect();
        duty.set_summary(&text);
        assert!(duty.summary().ends_with("Step 199 was done."));
        let tokens = TokenEstimator::default().tokens(duty.summary().chars().count() as u64);
        assert!((150..=ROLLING_SUMMARY_TOKENS).contains(&tokens), "{tokens}");
    }
}
