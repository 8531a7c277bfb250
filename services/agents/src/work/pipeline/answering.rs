//! The `answer` step: a model call without tools over what the steps before it showed.

use super::stage::Failed;
use crate::work::Work;
use crate::work::ask::{Ask, AskError, Visibility};
use crate::work::recall;
use api::models::ToolChoice;
use domain::event::{CallStatus, EventBody};
use domain::model::Reach;
use plan::evidence;
use plan::prompt;
use plan::shown::{self, Focused, Shown, focus, nothing_about};
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
    reach: Reach,
) -> Result<String, Failed> {
    if let Some(told) = shown::by_rules(shown, question).filter(|_| reach == Reach::Small) {
        return Ok(told);
    }
    let mut is_of_all = false;
    let (quotes, texts) = match reach {
        Reach::Small => match focus(shown, question) {
            Focused::On(quotes) => {
                let lines = quotes.iter().map(|(_, lines)| lines.clone()).collect();
                (quotes, lines)
            }
            Focused::Everything => {
                is_of_all = true;
                (Vec::new(), texts_of(shown))
            }
            Focused::Nothing(places) => return Ok(nothing_about(&places)),
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
