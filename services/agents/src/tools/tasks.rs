//! `delegate_tasks`: tasks that depend on each other, handed out in order. Orchestrating agents
//! begin with it; in plan mode it is the call that the user approves.

use super::spawn::{mendable, spec};
use super::tool::AgentTool;
use crate::delegation::child::{Delegation, delegate};
use crate::work::{PermittedCall, Work};
use api::executor::{self, Progress, ReportSink, ToolFailure};
use async_trait::async_trait;
use domain::event::EventBody;
use domain::id::CallId;
use domain::lineage::AgentType;
use domain::report::Report;
use domain::task::{Decomposition, TaskStatus};
use domain::tool::{ArgumentRole, DELEGATE_TASKS, ToolOutput, ToolSpec};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use orchestration::{
    Action, Assignment, DelegationResult, Ending, Evidence, Input, Orchestration, Start, TasksData,
    Work as For, Worth, brief, check, rolling_summary, task_state, tasks_schema,
};
use session_log::Durability;
use std::collections::{BTreeMap, VecDeque};
use uuid::Uuid;

/// The tool.
pub(super) struct DelegateTasks;

#[async_trait]
impl AgentTool for DelegateTasks {
    fn spec(&self) -> ToolSpec {
        spec(
            DELEGATE_TASKS,
            "Hand out tasks that may depend on each other's reports, and get all reports.",
            tasks_schema(),
            &[("tasks", ArgumentRole::Payload, None)],
        )
    }

    async fn run(
        &self,
        work: &Work,
        call: PermittedCall,
        progress: ReportSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let decomposition: Decomposition = match serde_json::from_value(call.arguments) {
            Ok(decomposition) => decomposition,
            Err(error) => return Err(mendable(format!("These are no tasks: {error}."))),
        };
        if let Err(mistake) = check(&decomposition, &work.roster()) {
            return Err(mendable(mistake.to_string()));
        }
        let mut run = Run::take_up(work, call.call_id, decomposition).await;
        work.agent.resources.permit.release();
        let ending = run.until_its_end(&progress).await;
        work.agent.resources.permit.reacquire().await;
        Ok(run.output(ending))
    }
}

/// An orchestration under way.
struct Run<'a> {
    work: &'a Work,
    call_id: CallId,
    whole: Orchestration,
    /// Where each task was last said to be.
    said: BTreeMap<String, TaskStatus>,
    /// What the last agent on each task returned.
    returned: BTreeMap<String, DelegationResult>,
}

impl<'a> Run<'a> {
    /// Begins, or goes on where the log ends when these tasks were begun before.
    async fn take_up(work: &'a Work, call_id: CallId, decomposition: Decomposition) -> Self {
        let tasks = decomposition.tasks;
        let log = work.with_state(|state| state.tasks.open().cloned());
        let known = log.filter(|log| log.tasks() == tasks);
        let limits = work.task_limits();
        let (whole, said) = match known {
            Some(log) => (
                Orchestration::rebuilt(tasks, limits, log.begun()),
                log.said(),
            ),
            None => {
                let planned = EventBody::TasksPlanned {
                    tasks: tasks.clone(),
                };
                work.emit_with(planned, None, Durability::Synchronised)
                    .await;
                (Orchestration::new(tasks, limits), BTreeMap::new())
            }
        };
        Self {
            work,
            call_id,
            whole,
            said,
            returned: BTreeMap::new(),
        }
    }

    async fn until_its_end(&mut self, progress: &ReportSink) -> Ending {
        let mut todo = VecDeque::from(self.whole.begin());
        let mut running = FuturesUnordered::new();
        loop {
            while let Some(action) = todo.pop_front() {
                match action {
                    Action::Move {
                        task_id,
                        status,
                        reason,
                    } => self.say(task_id, status, reason).await,
                    Action::Start(start) => {
                        let (work, call_id) = (self.work, self.call_id);
                        let delegation = self.delegation(&start);
                        running.push(
                            async move { (start, delegate(work, delegation, call_id).await) },
                        );
                    }
                    Action::Finish(ending) => return ending,
                }
            }
            let next = tokio::select! {
                biased;
                () = self.work.cancel.cancelled() => {
                    let ending = self.interrupt().await;
                    // The agents that were at work report as far as they came.
                    let last: Vec<(Start, DelegationResult)> = running.collect().await;
                    self.keep(last);
                    return ending;
                }
                next = running.next() => next,
            };
            let Some((start, returned)) = next else {
                // Nothing runs and nothing is left to begin: it has finished.
                return Ending::Nothing;
            };
            let outcome = Evidence {
                report: returned.report.clone(),
                refused: returned.refused.clone(),
            };
            let tokens = crate::work::budget::tokens(returned.usage);
            todo.extend(self.whole.reported(&start.label, outcome, tokens));
            self.keep([(start, returned)]);
            let message = Progress {
                message: rolling_summary(&self.whole),
                percent: None,
            };
            // A reader too slow for progress still gets the reports.
            let _ = progress.try_send(executor::Report::Progress(message));
        }
    }

    /// Begins no task any more, and says where each stands.
    async fn interrupt(&mut self) -> Ending {
        for action in self.whole.interrupt() {
            match action {
                Action::Move {
                    task_id,
                    status,
                    reason,
                } => self.say(task_id, status, reason).await,
                Action::Start(_) => {}
                Action::Finish(ending) => return ending,
            }
        }
        Ending::Interrupted
    }

    fn keep(&mut self, reports: impl IntoIterator<Item = (Start, DelegationResult)>) {
        let done = reports
            .into_iter()
            .filter(|(start, _)| start.work == For::Do);
        self.returned
            .extend(done.map(|(start, returned)| (start.task_id, returned)));
    }

    async fn say(&mut self, task_id: String, status: TaskStatus, reason: String) {
        let before = self.said.insert(task_id.clone(), status);
        if before == Some(status) && status != TaskStatus::Running {
            return;
        }
        let moved = EventBody::TaskMoved {
            task_id,
            status,
            reason,
        };
        self.work.emit(moved, None).await;
    }

    /// What an agent is told: its task, and of the reports it builds on summaries and paths alone,
    /// fenced, since other agents wrote them.
    fn delegation(&self, start: &Start) -> Delegation {
        let empty = || Delegation {
            agent_type: start.agent_type.clone(),
            brief: String::new(),
            task_id: Some(start.label.clone()),
            expected: Vec::new(),
        };
        let Some((task, inputs)) = self.whole.with_inputs(&start.task_id) else {
            return empty();
        };
        let own: Vec<Input<'_>> = self
            .whole
            .report(&start.task_id)
            .map(|report| Input {
                task_id: &task.id,
                report,
                worth: Worth::Whole,
            })
            .into_iter()
            .collect();
        let assignment = Assignment {
            task,
            work: start.work,
            again: start.again.as_deref(),
            reports: match start.work {
                For::Do => &inputs,
                For::Check => &own,
            },
        };
        let nonce = format!("{:016x}", Uuid::now_v7().as_u64_pair().1);
        Delegation {
            brief: brief(&assignment, &nonce),
            expected: match start.work {
                For::Do => task.expected_artifacts.clone(),
                For::Check => Vec::new(),
            },
            ..empty()
        }
    }

    fn output(&self, ending: Ending) -> ToolOutput {
        let head = format!(
            "{}\n{}",
            rolling_summary(&self.whole),
            task_state(&self.whole)
        );
        let known: Vec<(String, DelegationResult)> = self
            .whole
            .standing()
            .filter_map(|(task, _, _, report)| {
                let returned = self.returned.get(&task.id).cloned();
                let returned = returned.or_else(|| from_the_log(&task.agent_type, report))?;
                Some((task.id.clone(), returned))
            })
            .collect();
        let named: Vec<(String, &DelegationResult)> =
            known.iter().map(|(id, one)| (id.clone(), one)).collect();
        let tasks = TasksData::of(&self.whole, ending);
        orchestration::output(&named, head, Some(tasks))
    }
}

/// A report that was in before the process was started.
fn from_the_log(agent_type: &str, report: Option<&Report>) -> Option<DelegationResult> {
    let agent_type = AgentType::new(agent_type).ok()?;
    Some(DelegationResult::from_the_log(agent_type, report?.clone()))
}
