//! The `answer` step: a model call without tools over what the steps before it showed.

use super::stage::{Failed, Planned, call_tool};
use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use crate::work::recall;
use api::models::ToolChoice;
use domain::event::{CallStatus, EventBody};
use domain::model::Reach;
use domain::plan::Action;
use plan::compile;
use plan::evidence;
use plan::prompt;
use plan::shown::{self, Focused, Shown, Unread, focus, nothing_about};
use turn::Outcome;
use turn::cut::{self, Room};

/// Most tokens of an answer from a small model: it repeats itself when it may go on.
const SMALL_ANSWER_TOKENS: u32 = 60;
/// Most tokens of an answer.
const ANSWER_TOKENS: u32 = 800;

/// Answers a question. A small model reads only the lines that the question is about, and they are
/// quoted under its answer, so that a person can check it at a glance.
pub(super) async fn answer(
    work: &Work,
    outcome: &mut Outcome,
    question: &str,
    shown: &[Shown],
    planned: &Planned,
) -> Result<String, Failed> {
    let reach = planned.reach;
    if let Some(told) = shown::by_rules(shown, question).filter(|_| reach == Reach::Small) {
        return Ok(told);
    }
    let mut is_of_all = false;
    let (quotes, texts) = match reach {
        Reach::Small => match focused(work, outcome, question, (shown, planned)).await {
            Ok(Focused::On(quotes)) => {
                let lines = quotes.iter().map(|(_, lines)| lines.clone()).collect();
                (quotes, lines)
            }
            Ok(Focused::Everything | Focused::Nothing(_)) => {
                is_of_all = true;
                (Vec::new(), texts_of(shown))
            }
            Err(told) => return Ok(told),
        },
        Reach::Any => (Vec::new(), texts_of(shown)),
    };
    let most = match reach {
        Reach::Small => SMALL_ANSWER_TOKENS,
        Reach::Any => ANSWER_TOKENS,
    };
    let ask = Ask {
        tool_choice: ToolChoice::None,
        max_tokens: Some(most),
        temperature: Some(0.0),
        // It is held against the lines before anybody reads it.
        visibility: match quotes.is_empty() {
            true => Visibility::Shown,
            false => Visibility::Hidden,
        },
        ..Ask::new(match reach {
            Reach::Small => prompt::answer(question, &texts, reach),
            Reach::Any => recall::shown_in(work, prompt::answer(question, &texts, reach)),
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
    let text = reply.text.trim();
    if text.is_empty() {
        return Err(Failed {
            status: CallStatus::Failed,
            text: "the model gave no answer".to_owned(),
            fault: None,
        });
    }
    let told = evidence::with_lines(text, &quotes, question);
    Ok(match is_of_all {
        true => shown::unchecked(&told, shown),
        false => told,
    })
}

/// Most documents that are read for a question that no line of another file has words of.
const READ_DOCUMENTS: usize = 3;

/// What a question is about, of what the steps showed and of the documents that they passed over.
///
/// # Errors
/// What is told where it needs no model: what memory has on it, or that nothing has.
async fn focused(
    work: &Work,
    outcome: &mut Outcome,
    question: &str,
    (shown, planned): (&[Shown], &Planned),
) -> Result<Focused, String> {
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
        return Ok(found);
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
        Focused::On(quotes) => Ok(Focused::On(quotes)),
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

fn texts_of(shown: &[Shown]) -> Vec<String> {
    shown.iter().map(|step| step.text.clone()).collect()
}
