//! The page of how good the answers of this session are: each with its grades, its ratings, the
//! rewards that came of them, and its second answer.

use super::{barred, detail, head, or_nothing};
use domain::event::{Event, EventBody};
use domain::id::QueryId;
use ratatui::text::Line;
use rendering::agents::gist;
use rendering::quality::{TAKEN, better, found};
use std::collections::BTreeMap;

/// The answers that were graded or rated, oldest first, and those of which a grade is still to come.
#[must_use]
pub fn quality<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Line<'static>> {
    let mut questions: BTreeMap<QueryId, (u64, String)> = BTreeMap::new();
    let mut answers: BTreeMap<(u64, QueryId), Vec<Line<'static>>> = BTreeMap::new();
    for event in events {
        let Some(query_id) = event.query_id else {
            continue;
        };
        if let EventBody::QueryReceived { text, .. } = &event.body {
            questions.insert(query_id, (event.seq, gist(text)));
        }
        let told = told(&event.body);
        if told.is_empty() {
            continue;
        }
        let (seq, _) = questions.entry(query_id).or_default();
        answers.entry((*seq, query_id)).or_default().extend(told);
    }
    let mut lines = Vec::new();
    for ((seq, query_id), told) in answers {
        let question = questions.get(&query_id).map(|(_, text)| text.as_str());
        lines.push(head(&format!("#{seq} {}", question.unwrap_or_default())));
        lines.extend(told);
        lines.push(Line::default());
    }
    or_nothing(
        lines,
        "no answer was graded, rated or compared yet; /grade, /rate and /b do it",
    )
}

fn told(body: &EventBody) -> Vec<Line<'static>> {
    match body {
        EventBody::GradeAsked => vec![detail("a grade was asked for")],
        EventBody::Critique { .. }
        | EventBody::NotGraded(_)
        | EventBody::SecondMissed(_)
        | EventBody::Pairwise { .. } => barred(&found(body).unwrap_or_default()).collect(),
        EventBody::SecondAsked { .. } => vec![detail("a second answer was asked for")],
        EventBody::SecondAnswered {
            answer,
            model,
            temperature,
        } => {
            let by = model.to_string();
            let head = detail(&format!("second answer by {by}, temperature {temperature}"));
            std::iter::once(head).chain(barred(answer)).collect()
        }
        EventBody::SecondRated { winner } => {
            vec![detail(&format!("you say that {}", better(*winner)))]
        }
        EventBody::SecondTaken { .. } => vec![detail(TAKEN)],
        EventBody::Feedback { score, note } => {
            let mut lines = vec![detail(&format!("you rated it {score:+}"))];
            lines.extend(
                (!note.is_empty())
                    .then(|| barred(note))
                    .into_iter()
                    .flatten(),
            );
            lines
        }
        EventBody::Reward { value } => vec![detail(&format!("the agent's reward: {value:+}"))],
        _ => Vec::new(),
    }
}
