//! `delegate_tasks`: tasks that depend on each other, handed out in order. Orchestrating agents
//! begin with it; in plan mode it is the call that the user approves.

use super::HouseTool;
use super::spawn::{mendable, spec, startable};
use crate::log::emitter::Durability;
use crate::reports;
use crate::subagent::{Errand, Returned, run_errand};
use crate::work::Work;
use api::authority::JudgedCall;
use api::executor::{Progress, ProgressSink, ToolFailure};
use async_trait::async_trait;
use domain::event::EventBody;
use domain::id::CallId;
use domain::lineage::AgentType;
use domain::report::Report;
use domain::task::{Decomposition, TaskStatus};
use domain::tool::{ArgumentRole, DELEGATE_TASKS, EffectClass, ToolOutput, ToolSpec};
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use orchestration::{
    Action, Assignment, Ending, Evidence, Input, Limits, Orchestration, Refusal, Roster, Start,
    Work as For, Worth, brief, check, rolling_summary, task_state, tasks_schema,
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use uuid::Uuid;

/// Most of a reason that is told of a task that is not done whole, characters.
const REASON_CHARS: usize = 160;

/// The tool.
pub(super) struct DelegateTasks;

#[async_trait]
impl HouseTool for DelegateTasks {
    fn spec(&self) -> ToolSpec {
        spec(
            DELEGATE_TASKS,
            "Hand out tasks that may depend on each other's reports, and get all reports.",
            tasks_schema(),
            &[("tasks", ArgumentRole::Payload)],
        )
    }

    async fn run(
        &self,
        work: &Work,
        call: JudgedCall,
        progress: ProgressSink,
    ) -> Result<ToolOutput, ToolFailure> {
        let decomposition: Decomposition = match serde_json::from_value(call.arguments) {
            Ok(decomposition) => decomposition,
            Err(error) => return Err(mendable(format!("These are no tasks: {error}."))),
        };
        if let Err(mistake) = check(&decomposition, &roster(work)) {
            return Err(mendable(mistake.to_string()));
        }
        let mut run = Run::take_up(work, call.call_id, decomposition).await;
        work.means.seat.leave();
        let ending = run.until_its_end(&progress).await;
        work.means.seat.come_back().await;
        Ok(run.output(ending))
    }
}

/// Whom an agent may hand tasks to.
pub(crate) fn roster(work: &Work) -> Roster {
    Roster {
        types: startable(work).into_iter().collect(),
        depth: work.lineage.len(),
    }
}

/// What its tasks may use.
pub(crate) fn limits(work: &Work) -> Limits {
    let types = startable(work);
    Limits {
        at_once: work.means.house.at_work,
        tokens: work.means.purse.left(),
        checker: types.iter().find(|t| only_looks(work, t)).cloned(),
        stand_ins: types
            .iter()
            .filter_map(|one| {
                let other = types.iter().find(|other| can_more(work, other, one))?;
                Some((one.clone(), other.clone()))
            })
            .collect(),
    }
}

/// Whether agents of a type change nothing and start nobody: who looks a second time must not
/// repeat the work.
fn only_looks(work: &Work, agent_type: &AgentType) -> bool {
    let looks = |tool: &str| {
        matches!(
            work.effects.get(tool),
            Some(EffectClass::Read | EffectClass::SelfWrite | EffectClass::Egress)
        )
    };
    work.agents.get(agent_type).is_some_and(|listing| {
        listing.can_spawn.is_empty() && listing.tools.iter().all(|t| looks(t.as_str()))
    })
}

/// Whether one type has all tools of another, and more.
fn can_more(work: &Work, one: &AgentType, other: &AgentType) -> bool {
    let tools = |agent_type| -> BTreeSet<&str> {
        let listing = work.agents.get(agent_type);
        let tools = listing.map_or(&[][..], |listing| listing.tools.as_slice());
        tools.iter().map(|tool| tool.as_str()).collect()
    };
    let (one, other) = (tools(one), tools(other));
    one.is_superset(&other) && one.len() > other.len()
}

/// An orchestration under way.
struct Run<'a> {
    work: &'a Work,
    call_id: CallId,
    whole: Orchestration,
    /// Where each task was last said to be.
    said: BTreeMap<String, TaskStatus>,
    /// What the last agent on each task returned.
    returned: BTreeMap<String, Returned>,
}

impl<'a> Run<'a> {
    /// Begins, or goes on where the log ends when these tasks were begun before.
    async fn take_up(work: &'a Work, call_id: CallId, decomposition: Decomposition) -> Self {
        let tasks = decomposition.tasks;
        let log = work.with_state(|state| state.tasks.open().cloned());
        let known = log.filter(|log| log.tasks() == tasks);
        let limits = limits(work);
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

    async fn until_its_end(&mut self, progress: &ProgressSink) -> Ending {
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
                        let errand = self.errand(&start);
                        running
                            .push(async move { (start, run_errand(work, errand, call_id).await) });
                    }
                    Action::Finish(ending) => return ending,
                }
            }
            let Some((start, returned)) = running.next().await else {
                // Nothing runs and nothing is left to begin: it has finished.
                return Ending::Nothing;
            };
            let outcome = Evidence {
                report: returned.report.clone(),
                refused: returned.refused.clone(),
            };
            let tokens = crate::subagent::means::tokens(returned.usage);
            if start.work == For::Do {
                self.returned.insert(start.task_id.clone(), returned);
            }
            todo.extend(self.whole.reported(&start.label, outcome, tokens));
            let message = Progress {
                message: rolling_summary(&self.whole),
                percent: None,
            };
            // A reader too slow for progress still gets the reports.
            let _ = progress.try_send(message);
        }
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
    fn errand(&self, start: &Start) -> Errand {
        let empty = || Errand {
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
        let (mut text, reports) = brief(&assignment);
        if !reports.is_empty() {
            let shown = text::firewall::defuse(&reports);
            let nonce = format!("{:016x}", Uuid::now_v7().as_u64_pair().1);
            let note = shown.report.note();
            let fenced = text::fence::wrap_noted("reports", &nonce, false, &note, &shown.text);
            text.push_str("\n\nReports it builds on:\n");
            text.push_str(&fenced);
        }
        Errand {
            brief: text,
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
        let known: Vec<(String, Returned)> = self
            .whole
            .standing()
            .filter_map(|(task, _, _, report)| {
                let returned = self.returned.get(&task.id).cloned();
                let returned = returned.or_else(|| from_the_log(&task.agent_type, report))?;
                Some((task.id.clone(), returned))
            })
            .collect();
        let named: Vec<(String, &Returned)> =
            known.iter().map(|(id, one)| (id.clone(), one)).collect();
        let ending = match ending {
            Ending::Complete => "complete",
            Ending::Partial => "partial",
            Ending::Nothing => "nothing",
            Ending::Interrupted => "interrupted",
        };
        let short: Vec<String> = self.whole.short().map(in_words).collect();
        let data: Value = json!({
            "ending": ending,
            "short": short,
            "state": task_state(&self.whole),
        });
        reports::output(&named, head, data)
    }
}

/// A task that is not done whole, for people: agents wrote part of the reason.
fn in_words((task_id, reason): (&str, &str)) -> String {
    let reason: String = reason.chars().take(REASON_CHARS).collect();
    format!("`{task_id}`: {}", text::escape::visible(&reason))
}

/// A report that was in before the process was started.
fn from_the_log(agent_type: &str, report: Option<&Report>) -> Option<Returned> {
    Some(Returned {
        agent_type: AgentType::new(agent_type).ok()?,
        report: report?.clone(),
        corrections: Vec::new(),
        record: "On record: reported before Housecarl was started again.".to_owned(),
        usage: domain::model::Usage::default(),
        refused: Refusal::Nothing,
    })
}
