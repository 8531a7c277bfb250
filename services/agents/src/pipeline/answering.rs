//! The `answer` step: a model call without tools over what the steps before it showed.

use super::execution::{Failed, Shown};
use crate::work::{Ask, AskError, Outcome, Work};
use api::models::ToolChoice;
use domain::event::CallStatus;
use plan::prompt;
use plan::schema::Reach;

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
    let focused = match reach {
        Reach::Small => focus(shown, question),
        Reach::Any => Vec::new(),
    };
    let texts: Vec<String> = if focused.is_empty() {
        shown.iter().map(|step| step.text.clone()).collect()
    } else {
        focused.iter().map(|(_, lines)| lines.clone()).collect()
    };
    let ask = Ask {
        tool_choice: ToolChoice::None,
        max_tokens: Some(match reach {
            Reach::Small => SMALL_ANSWER_TOKENS,
            Reach::Any => ANSWER_TOKENS,
        }),
        temperature: Some(0.0),
        ..Ask::new(prompt::answer(question, &texts, reach))
    };
    let reply = work.ask_model(ask).await.map_err(|error| {
        let status = match error {
            AskError::Interrupted => CallStatus::Cancelled,
            AskError::Model(_) | AskError::Audit(_) => CallStatus::Failed,
        };
        let fault = error.fault();
        Failed {
            status,
            text: fault.message.clone(),
            fault: Some(fault),
        }
    })?;
    outcome.note_reply(&reply);
    let mut text = reply.text.trim().to_owned();
    if text.is_empty() {
        return Err(Failed {
            status: CallStatus::Failed,
            text: "the model gave no answer".to_owned(),
            fault: None,
        });
    }
    for (path, lines) in &focused {
        text.push_str(&format!(
            "\n\nFrom {path}:\n  {}",
            lines.replace('\n', "\n  ")
        ));
    }
    Ok(text)
}

/// The lines of each file that the question is about, with the file's path.
fn focus(shown: &[Shown], question: &str) -> Vec<(String, String)> {
    shown
        .iter()
        .flat_map(|step| &step.contents)
        .filter_map(|(path, content)| Some((path.clone(), prompt::focus(content, question)?)))
        .collect()
}
