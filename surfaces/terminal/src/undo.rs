//! Taking back changes of files: how it is asked for, and what a session has to take back.

use api::broker::AgentListing;
use domain::event::{CallStatus, Event, EventBody};
use domain::lineage::AgentType;
use domain::plan::Action;
use domain::tool::UNDO;

/// Whether a task is to take back a change and nothing else, as the rules read it.
#[must_use]
pub fn is_asked_by(task: &str) -> bool {
    plan::rules::plan(task).is_ok_and(|plan| plan.actions == [Action::Undo {}])
}

/// Whether agents of a type have the tool that takes changes back.
#[must_use]
pub fn may_undo(types: &[AgentListing], agent_type: &AgentType) -> bool {
    let mut fitting = types.iter().filter(|one| one.agent_type == *agent_type);
    fitting.any(|one| one.tools.iter().any(|tool| tool.as_str() == UNDO))
}

/// What an event is to the files: 1 for a change, -1 for one taken back.
#[must_use]
pub fn change(event: &Event) -> i64 {
    match &event.body {
        EventBody::ToolResult {
            tool,
            status: CallStatus::Ok,
            artifacts,
            ..
        } => match tool.as_str() {
            UNDO => -1,
            _ => i64::from(!artifacts.is_empty()),
        },
        _ => 0,
    }
}

/// The changes of files after an event, less those taken back.
#[must_use]
pub fn open_changes(events: &[Event], after_seq: u64) -> usize {
    let later = events.iter().filter(|event| event.seq > after_seq);
    let count: i64 = later.map(change).sum();
    usize::try_from(count).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::is_asked_by;

    #[test]
    fn only_an_undo_alone_is_meant_for_an_earlier_session() {
        for task in ["undo", "Undo the last change", "take that back"] {
            assert!(is_asked_by(task), "{task}");
        }
        for task in [
            "create a.txt and undo it",
            "undo everything since May",
            "list files",
        ] {
            assert!(!is_asked_by(task), "{task}");
        }
    }
}
