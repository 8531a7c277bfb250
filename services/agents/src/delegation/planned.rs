//! Plan mode of an orchestrating agent: the tasks are its plan. The user approves all of them by
//! their hash before any is begun, exactly those are handed out, and the answer is made of their
//! reports without any tool.

use crate::delegation::handout::{close_tasks, not_whole, tasks_call};
use crate::work::Work;
use crate::work::ask::{Ask, AskError};
use crate::work::pipeline;
use api::broker::{PlanApproval, PlanRequest, PlannedCall};
use api::models::ToolChoice;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::limits::EMPTY_REPLY_NUDGES;
use domain::message::Message;
use domain::task::Task;
use domain::tool::DELEGATE_TASKS;
use turn::unfinished::no_answer;
use turn::{CallRecord, Outcome};

/// What a model is told that answered with nothing.
const EMPTY: &str = "Your reply was empty. There are no tools any more: answer the request now in \
                     plain words, from the reports.";
/// Most tokens of the answer.
const ANSWER_TOKENS: u32 = 1_500;

/// Has the tasks of a request approved, and works on it until it is answered, refused, failed or
/// stopped.
pub(super) async fn run(work: &Work, tasks: &[Task], mut outcome: Outcome) -> Outcome {
    match Box::pin(approved(work, tasks, &mut outcome)).await {
        Ok(()) => {}
        Err((status, fault)) => {
            outcome.status = status;
            outcome.error = fault;
        }
    }
    if work.cancel.is_cancelled() {
        outcome.status = QueryStatus::Interrupted;
    }
    if !matches!(outcome.status, QueryStatus::Success | QueryStatus::Partial) {
        // Tasks that an earlier process had begun have no other end.
        Box::pin(close_tasks(work)).await;
    }
    outcome
}

type Ended = (QueryStatus, Option<Fault>);

/// Has the tasks approved, done and told.
async fn approved(work: &Work, tasks: &[Task], outcome: &mut Outcome) -> Result<(), Ended> {
    let call = tasks_call(tasks);
    let request = PlanRequest {
        context: work.agent.caller.clone(),
        intent: match tasks.len() {
            1 => "Hand out one task.".to_owned(),
            count => format!("Hand out {count} tasks."),
        },
        calls: vec![PlannedCall {
            tool: DELEGATE_TASKS.to_owned(),
            arguments: call.arguments.clone(),
        }],
        approval: PlanApproval::Always,
    };
    let proposed = |hash| EventBody::TasksProposed {
        tasks: tasks.to_vec(),
        hash,
    };
    let plan_id = pipeline::approved(work, request, &proposed).await;
    let plan_id = plan_id.map_err(|(status, fault)| (status, Some(fault)))?;
    let record = work.call_tool(call, false, Some(plan_id)).await;
    outcome.note_call(&record);
    if record.result.status != CallStatus::Ok {
        return Err(not_done(&record));
    }
    outcome.answer = answer(work, &record, outcome).await?;
    outcome.status = QueryStatus::Success;
    if let Some(fault) = not_whole(&record.result.data) {
        outcome.status = QueryStatus::Partial;
        outcome.error = Some(fault);
    }
    Ok(())
}

fn not_done(record: &CallRecord) -> Ended {
    let (status, word) = match record.result.status {
        CallStatus::Denied => (QueryStatus::Denied, "refused"),
        CallStatus::Cancelled => (QueryStatus::Interrupted, "stopped"),
        CallStatus::Failed | CallStatus::Ok => (QueryStatus::Failed, "not done"),
    };
    let why = record.plain();
    let fault = Fault {
        code: "plan.step_failed".to_owned(),
        message: format!("The tasks were {word}: {why}"),
        hint: String::new(),
    };
    (status, Some(fault))
}

/// Answers the request from the reports, which stand behind the broker's fence.
async fn answer(work: &Work, record: &CallRecord, outcome: &mut Outcome) -> Result<String, Ended> {
    let mut messages = work.with_state(|state| state.conversation.view.messages());
    messages.push(Message::User {
        text: format!(
            "The tasks that this was taken apart into are done, and these are the reports. Answer \
             the request above from them, and say what is missing or uncertain.\n{}",
            record.result.text
        ),
    });
    for nudges in 0..=EMPTY_REPLY_NUDGES {
        if nudges > 0 {
            let text = EMPTY.to_owned();
            messages.push(Message::User { text: text.clone() });
            work.emit(EventBody::ModelNudged { text }, None).await;
        }
        let ask = Ask {
            tool_choice: ToolChoice::None,
            max_tokens: Some(ANSWER_TOKENS),
            ..Ask::new(messages.clone())
        };
        let reply = match work.ask_model(ask).await {
            Ok(reply) => reply,
            Err(AskError::Interrupted) => return Err((QueryStatus::Interrupted, None)),
            Err(error) => return Err((QueryStatus::Failed, Some(error.fault()))),
        };
        outcome.note_reply(&reply);
        if !reply.text.trim().is_empty() {
            return Ok(reply.text);
        }
    }
    // What the tasks did stands.
    Err((QueryStatus::Partial, Some(no_answer())))
}
