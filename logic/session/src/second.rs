//! Second answers: what came of each that was asked for, and which of both was found better.

use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::fault::Fault;
use domain::id::QueryId;
use domain::model::ModelRef;
use domain::quality::Winner;
use std::collections::BTreeMap;

/// A second answer to a request, as far as it has come.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Second {
    /// When the user asked for it; `None` where nobody did.
    pub asked_at: Option<Timestamp>,
    /// The answer; `None` while a model works on it, and where there is none.
    pub answer: Option<SecondText>,
    /// Which of both a judge found better, and why.
    pub compared: Option<(Winner, String)>,
    /// Why there is no answer, or no comparison.
    pub missed: Option<Fault>,
    /// Which of both the user found better.
    pub rated: Option<Winner>,
    /// Whether the user took it over into the conversation, in the place of the first answer.
    pub is_taken: bool,
}

/// What was answered, and by whom.
#[derive(Debug, Clone, PartialEq)]
pub struct SecondText {
    /// Its text.
    pub text: String,
    /// The model that gave it.
    pub model: ModelRef,
    /// Its sampling temperature.
    pub temperature: f32,
}

impl Second {
    /// Whether something is still to come of it.
    #[must_use]
    pub const fn is_waited_for(&self) -> bool {
        self.compared.is_none() && self.missed.is_none()
    }
}

/// The second answers of a session, the newest of each request: a fold over its events.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Seconds(BTreeMap<QueryId, Second>);

impl Seconds {
    pub(crate) fn apply(&mut self, event: &Event) {
        let Some(query_id) = event.query_id else {
            return;
        };
        match event.body {
            EventBody::SecondAsked { .. } => {
                let asked = Second {
                    asked_at: Some(event.time),
                    ..Second::default()
                };
                self.0.insert(query_id, asked);
            }
            // One that nobody asked for begins with its answer.
            EventBody::SecondAnswered { .. } => {
                self.0.entry(query_id).or_default();
            }
            _ => {}
        }
        let Some(second) = self.0.get_mut(&query_id) else {
            return;
        };
        match &event.body {
            EventBody::SecondAnswered {
                answer,
                model,
                temperature,
            } => {
                second.answer = Some(SecondText {
                    text: answer.clone(),
                    model: model.clone(),
                    temperature: *temperature,
                });
            }
            EventBody::Pairwise {
                winner, feedback, ..
            } => second.compared = Some((*winner, feedback.clone())),
            EventBody::SecondMissed(fault) => second.missed = Some(fault.clone()),
            EventBody::SecondRated { winner } => second.rated = Some(*winner),
            EventBody::SecondTaken { .. } => second.is_taken = true,
            _ => {}
        }
    }

    pub(crate) fn get(&self, query_id: QueryId) -> Option<&Second> {
        self.0.get(&query_id)
    }
}
