//! The `answer` step: a model call without tools over what the steps before it showed.

use super::stage::{Failed, Shown};
use crate::work::Work;
use crate::work::ask::{Ask, AskError};
use crate::work::recall;
use api::models::ToolChoice;
use domain::event::{CallStatus, EventBody};
use domain::model::Reach;
use plan::prompt::{self, Focus};
use std::collections::HashSet;
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
    let (quotes, texts) = match reach {
        Reach::Small => match focus(shown, question) {
            Focused::On(quotes) => {
                let lines = quotes.iter().map(|(_, lines)| lines.clone()).collect();
                (quotes, lines)
            }
            Focused::Everything => (Vec::new(), texts_of(shown)),
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
        ..Ask::new(match reach {
            Reach::Small => prompt::answer(question, &texts, reach),
            Reach::Any => recall::shown_in(work, prompt::answer(question, &texts, reach)),
        })
    };
    let reply = work.ask_model(ask).await.map_err(|error| {
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
    })?;
    outcome.note_reply(&reply);
    if reply.finish.is_cut() && reach == Reach::Any {
        let cut = cut::fault(&reply, Some(most), Room::Plan);
        work.emit(EventBody::Notice(cut), None).await;
    }
    let mut text = reply.text.trim().to_owned();
    if text.is_empty() {
        return Err(Failed {
            status: CallStatus::Failed,
            text: "the model gave no answer".to_owned(),
            fault: None,
        });
    }
    for (path, lines) in &quotes {
        text.push_str(&format!(
            "\n\nFrom {path}:\n  {}",
            lines.replace('\n', "\n  ")
        ));
    }
    Ok(text)
}

/// What the steps before showed, seen from a question.
enum Focused {
    /// Places with the lines that the question is about.
    On(Vec<(String, String)>),
    /// The question says no more than that it wants to be told, or there are no whole texts.
    Everything,
    /// These places hold nothing about it.
    Nothing(Vec<String>),
}

fn focus(shown: &[Shown], question: &str) -> Focused {
    let (mut quotes, mut places) = (Vec::new(), Vec::new());
    for (place, content) in merged(shown) {
        match prompt::focus(&place, &content, question) {
            Focus::Lines(lines) => quotes.push((place, lines)),
            Focus::Whole => return Focused::Everything,
            Focus::Nothing => places.push(place),
        }
    }
    match (quotes.is_empty(), places.is_empty()) {
        (false, _) => Focused::On(quotes),
        (true, true) => Focused::Everything,
        (true, false) => Focused::Nothing(places),
    }
}

/// The texts by place, each line once: several steps may have shown the same.
fn merged(shown: &[Shown]) -> Vec<(String, String)> {
    let mut merged: Vec<(String, String)> = Vec::new();
    for (place, content) in shown.iter().flat_map(|step| &step.contents) {
        let Some((_, known)) = merged.iter_mut().find(|(known, _)| known == place) else {
            merged.push((place.clone(), content.clone()));
            continue;
        };
        let seen: HashSet<String> = known.lines().map(str::to_owned).collect();
        for line in content.lines().filter(|line| !seen.contains(*line)) {
            known.push('\n');
            known.push_str(line);
        }
    }
    merged
}

/// A small model that is asked about a text without the answer makes one up.
fn nothing_about(places: &[String]) -> String {
    let places: Vec<&str> = places
        .iter()
        .map(|place| if place == "." { "this folder" } else { place })
        .collect();
    format!("I found nothing about that in {}.", places.join(", "))
}

fn texts_of(shown: &[Shown]) -> Vec<String> {
    shown.iter().map(|step| step.text.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(contents: &[(&str, &str)]) -> Shown {
        let owned = |(place, text): &(&str, &str)| ((*place).to_owned(), (*text).to_owned());
        Shown {
            text: String::new(),
            contents: contents.iter().map(owned).collect(),
        }
    }

    #[test]
    fn what_several_searches_found_is_quoted_once() {
        let line = "Bob, phone 0199";
        let steps = [
            shown(&[("a.txt", line)]),
            shown(&[("a.txt", line)]),
            shown(&[(".", "")]),
        ];
        let Focused::On(quotes) = focus(&steps, "What is Bob's phone number?") else {
            panic!("nothing found");
        };
        assert_eq!(quotes, [("a.txt".to_owned(), line.to_owned())]);
    }

    #[test]
    fn a_question_about_nothing_that_was_shown_is_told_so() {
        let steps = [shown(&[(".", "")]), shown(&[(".", "")])];
        let Focused::Nothing(places) = focus(&steps, "Who is the king of France?") else {
            panic!("something found");
        };
        assert_eq!(
            nothing_about(&places),
            "I found nothing about that in this folder."
        );
    }
}
