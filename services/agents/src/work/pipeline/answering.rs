//! The `answer` step: a model call without tools over what the steps before it showed.

use super::stage::{Failed, Planned, call_tool};
use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use crate::work::recall;
use api::models::ToolChoice;
use domain::event::{CallStatus, EventBody};
use domain::fault::Fault;
use domain::model::Reach;
use domain::plan::Action;
use plan::shown::{self, Focused, Shown, Unread, focus, nothing_about};
use plan::{compile, given, likely, prompt, question};
use turn::Outcome;
use turn::cut::{self, Room};

/// Most tokens of an answer from a small model: it repeats itself when it may go on.
const SMALL_ANSWER_TOKENS: u32 = 60;
/// Most tokens of an answer.
const ANSWER_TOKENS: u32 = 800;

/// Answers a question. Where the model is small the lines that it is about are the answer, and no model is
/// asked: what such a one says of them is as often wrong as right.
pub(super) async fn answer(
    work: &Work,
    outcome: &mut Outcome,
    question: &str,
    shown: &[Shown],
    planned: &Planned,
) -> Result<String, Failed> {
    let reach = planned.reach;
    if reach == Reach::Small
        && let Some(told) = by_rules(work, outcome, question, (shown, planned)).await
    {
        return told.map_err(|fault| Failed {
            status: CallStatus::Failed,
            text: fault.message.clone(),
            fault: Some(fault),
        });
    }
    if reach == Reach::Small && shown.iter().any(Shown::is_given) {
        let fault = given::not_known();
        return Err(Failed {
            status: CallStatus::Failed,
            text: fault.message.clone(),
            fault: Some(fault),
        });
    }
    let most = match reach {
        Reach::Small => SMALL_ANSWER_TOKENS,
        Reach::Any => ANSWER_TOKENS,
    };
    let texts: Vec<String> = shown.iter().map(|step| step.text.clone()).collect();
    let messages = prompt::answer(question, &texts, reach);
    let ask = Ask {
        tool_choice: ToolChoice::None,
        max_tokens: Some(most),
        temperature: Some(0.0),
        visibility: Visibility::Shown,
        ..Ask::new(match reach {
            Reach::Small => messages,
            Reach::Any => recall::shown_in(work, messages),
        })
    };
    let reply = work
        .ask_model(ask)
        .await
        .map_err(|error| unanswered(&error))?;
    outcome.note_reply(&reply);
    if reply.finish.is_cut() && reach == Reach::Any {
        let cut = cut::fault(&reply, Some(most), Room::Plan);
        work.emit(EventBody::Notice(cut), None).await;
    }
    let text = reply.text.as_str();
    // A small model goes on as its prompt did, with the next question.
    let text = text.split("\nQuestion:").next().unwrap_or(text).trim();
    match text.is_empty() {
        true => Err(Failed {
            status: CallStatus::Failed,
            text: "the model gave no answer".to_owned(),
            fault: None,
        }),
        false => Ok(text.to_owned()),
    }
}

/// What is told without a model: an answer of the rules, the lines that a question is about, or what was looked
/// at. `None` where nothing was looked at, or no question asks.
///
/// # Errors
/// A number that is asked for and that no line says.
async fn by_rules(
    work: &Work,
    outcome: &mut Outcome,
    question: &str,
    (shown, planned): (&[Shown], &Planned),
) -> Option<Result<String, Fault>> {
    if let Some(told) = likely::by_rules(shown, question) {
        return Some(Ok(told));
    }
    match focused(work, outcome, question, (shown, planned)).await {
        // An order about data that came along is the model's.
        _ if !question::wants_telling(question) && planned.plan.actions.len() == 1 => None,
        Ok((Focused::On(quotes), read)) => {
            let all: Vec<Shown> = shown.iter().chain(&read).cloned().collect();
            Some(match likely::not_counted(&all, &quotes, question) {
                Some(fault) => Err(fault),
                None => Ok(likely::lines(&all, &quotes, question)),
            })
        }
        Ok((Focused::Everything | Focused::Nothing(_), _)) => {
            let texts = shown::merged(shown);
            match likely::not_counted(shown, &texts, question).filter(|_| !texts.is_empty()) {
                Some(fault) => Some(Err(fault)),
                None => likely::of_all(shown, &texts, question).map(Ok),
            }
        }
        Err(told) => Some(Ok(told)),
    }
}

/// Most documents that are read for a question that no line of another file has words of.
const READ_DOCUMENTS: usize = 3;

/// What a question is about, of what the steps showed and of the documents that they passed over, with what those
/// showed.
///
/// # Errors
/// What is told where it needs no model: what memory has on it, or that nothing has.
async fn focused(
    work: &Work,
    outcome: &mut Outcome,
    question: &str,
    (shown, planned): (&[Shown], &Planned),
) -> Result<(Focused, Vec<Shown>), String> {
    let found = focus(shown, question);
    let is_of_files = shown
        .iter()
        .any(|step| !step.whole.is_empty() || step.counts.is_some());
    let covers =
        |(_, lines): &(String, String)| lines.lines().any(|line| prompt::covers(line, question));
    let is_covered = matches!(&found, Focused::On(quotes) if quotes.iter().any(covers));
    if !is_of_files
        && !is_covered
        && let Some(told) = recall::told(work, question)
    {
        return Err(told);
    }
    let Focused::Nothing(places) = found else {
        return Ok((found, Vec::new()));
    };
    let mut unread = Unread {
        count: shown
            .iter()
            .map(|step| step.documents)
            .max()
            .unwrap_or_default(),
        first: planned.documents.first().map(String::as_str),
    };
    if unread.count == 0 || planned.documents.len() > READ_DOCUMENTS {
        return Err(nothing_about(&places, &unread));
    }
    let mut read = Vec::new();
    for path in &planned.documents {
        let action = Action::ReadFile { path: path.clone() };
        let mut results = Vec::new();
        for call in compile::action(&action) {
            let record = call_tool(work, outcome, &call, None).await;
            if record.result.status == CallStatus::Ok {
                results.push(record.result.data);
            }
        }
        match results.is_empty() {
            true => unread.first = Some(path.as_str()),
            false => {
                unread.count = unread.count.saturating_sub(1);
                read.push(Shown::of(&action, &results));
            }
        }
    }
    match focus(&read, question) {
        Focused::On(quotes) => Ok((Focused::On(quotes), read)),
        Focused::Everything | Focused::Nothing(_) => Err(nothing_about(&places, &unread)),
    }
}

/// The end of a step whose model gave no reply.
fn unanswered(error: &AskError) -> Failed {
    let status = match error {
        AskError::Interrupted => CallStatus::Cancelled,
        AskError::OverBudget | AskError::Model(_) | AskError::Audit(_) => CallStatus::Failed,
    };
    let fault = error.fault();
    Failed {
        status,
        text: fault.message.clone(),
        fault: Some(fault),
    }
}
