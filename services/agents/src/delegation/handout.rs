//! Handing the tasks of a request out: the call, what is said of those that are not done, and how
//! they end when the request is stopped.

use crate::work::Work;
use crate::work::resources::delegation_data;
use domain::event::EventBody;
use domain::fault::Fault;
use domain::id::CallId;
use domain::message::ToolCall;
use domain::task::Task;
use domain::tool::DELEGATE_TASKS;
use orchestration::{Action, Orchestration};
use serde_json::{Value, json};
use uuid::Uuid;

/// The call that hands tasks out.
pub(super) fn tasks_call(tasks: &[Task]) -> ToolCall {
    ToolCall {
        call_id: CallId::from_uuid(Uuid::now_v7()),
        name: DELEGATE_TASKS.to_owned(),
        arguments: json!({ "tasks": tasks }),
    }
}

/// Which tasks are not done whole and why, unless all are.
pub(super) fn not_whole(data: &Value) -> Option<Fault> {
    delegation_data(data).tasks?.not_whole()
}

/// Says where the tasks of a stopped request stand, so that each has an end.
pub(super) async fn close_tasks(work: &Work) {
    work.agent.resources.children.close();
    work.agent.resources.children.wait().await;
    let Some(log) = work.with_state(|state| state.tasks.open().cloned()) else {
        return;
    };
    let mut whole = Orchestration::rebuilt(log.tasks(), work.task_limits(), log.begun());
    let said = log.said();
    for action in whole.interrupt() {
        if let Action::Move {
            task_id,
            status,
            reason,
        } = action
            && said.get(&task_id) != Some(&status)
        {
            let moved = EventBody::TaskMoved {
                task_id,
                status,
                reason,
            };
            work.emit(moved, None).await;
        }
    }
}
