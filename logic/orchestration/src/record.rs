//! The form of the data that calls which start agents return, for programs and for agents: it comes
//! back through the broker, which may be in another process.

use domain::fault::Fault;
use domain::lineage::AgentType;
use domain::report::{Report, ReportSource, ReportStatus};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What came of a call that started agents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DelegationData {
    /// Where tasks that may depend on each other stand; `None` for agents started one by one.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub tasks: Option<TasksData>,
    /// What the agents reported.
    pub reports: Vec<NamedReport>,
}

/// Where the tasks of a request stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TasksData {
    /// How they ended.
    pub ending: TasksEnding,
    /// Those that are not done whole, each with the reason.
    pub short: Vec<String>,
    /// Each with its status.
    pub state: Value,
}

impl TasksData {
    /// What people are told unless every task is done whole.
    #[must_use]
    pub fn not_whole(&self) -> Option<Fault> {
        if self.ending == TasksEnding::Complete {
            return None;
        }
        Some(Fault {
            code: "agents.tasks_short".to_owned(),
            message: format!(
                "Not everything is done and shown to be right: {}.",
                self.short.join("; ")
            ),
            hint: "Ask for what is missing, or look at it yourself before you rely on it."
                .to_owned(),
        })
    }
}

/// How the tasks of a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TasksEnding {
    /// Every task is done, and nothing stands against any.
    Complete,
    /// Some are, or something stands against one.
    Partial,
    /// None is.
    Nothing,
    /// They were stopped.
    Interrupted,
}

/// A report under its name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedReport {
    /// Of the task, or of the agent.
    pub name: String,
    /// The type of agent.
    pub agent_type: AgentType,
    /// The report, after its claims were checked.
    pub report: Report,
    /// What was changed about its claims.
    pub corrections: Vec<String>,
    /// What the broker saw of the agent, in one line.
    pub record: String,
}

impl DelegationData {
    /// Reads the data of a call; a refused one has none.
    ///
    /// # Errors
    /// When it is of another form.
    pub fn read(data: &Value) -> Result<Self, serde_json::Error> {
        match data {
            Value::Null => Ok(Self::default()),
            data => Self::deserialize(data),
        }
    }

    /// The data of a result.
    #[must_use]
    pub fn to_value(&self) -> Value {
        // Strings and JSON values only, which always serialise.
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Whether one of the reports that did not fail names this source.
    #[must_use]
    pub fn names(&self, source: ReportSource) -> bool {
        let mut reports = self.reports.iter().map(|one| &one.report);
        reports.any(|report| report.source == source && report.status != ReportStatus::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report() -> Value {
        json!({
            "name": "a", "agent_type": "coder", "corrections": [], "record": "On record: no calls.",
            "report": {
                "status": "success", "summary": "Done.", "artifacts": [],
                "result_quality": "verified", "source": "web", "new_memory_candidates": [],
            },
        })
    }

    #[test]
    fn data_keeps_its_form_with_and_without_tasks() {
        let tasks =
            json!({"ending": "partial", "short": ["`a`: no"], "state": {}, "reports": [report()]});
        for data in [json!({"reports": [report()]}), tasks] {
            let read = DelegationData::read(&data).unwrap();
            assert_eq!(read.tasks.is_some(), data.get("ending").is_some());
            assert!(read.names(ReportSource::Web) && !read.names(ReportSource::ToolOutput));
            let written = read.to_value();
            assert_eq!(written["ending"], data["ending"]);
            assert_eq!(written["short"], data["short"]);
            assert_eq!(written["reports"][0]["name"], "a");
            assert_eq!(DelegationData::read(&written).unwrap(), read);
        }
    }

    #[test]
    fn a_call_that_was_refused_has_no_reports() {
        assert_eq!(
            DelegationData::read(&Value::Null).unwrap(),
            DelegationData::default()
        );
        assert!(DelegationData::read(&json!({"x": 1})).is_err());
    }
}
