//! Noting what an answer was found to be worth: on its engram, and in the list of observations. Doing
//! it twice does no harm.

use super::Worker;
use super::due::{Due, Task};
use crate::again::{Again, Given};
use crate::engram::{respondent_of, second_of, second_respondent};
use crate::observations;
use api::memory::Annotation;
use api::sessions::{Compared, Finding, Grade};
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use domain::model::ModelRef;
use domain::quality::{Observation, Winner, Worth};
use quality::Case;
use std::collections::VecDeque;
use std::io::Error;
use std::sync::{MutexGuard, PoisonError};
use std::time::Duration;

/// How long is waited for the engram of an answer that was given just now.
const CAPTURE_TIME: Duration = Duration::from_secs(10);

impl Worker {
    /// The user rated an answer: that is noted, and becomes a reward for the agent that answered.
    pub(super) async fn rated(&mut self, event: &Event, query_id: QueryId, score: i8) {
        let due = Due {
            session_id: event.session_id,
            query_id,
            task: Task::Grade,
            seq: event.seq,
            is_asked: true,
        };
        self.note_with(due).await;
        self.note_rating(due, score).await;
        // Last, so that a log with the reward has nothing left to be noted.
        self.recorded(due, Finding::Rewarded(score)).await;
        self.note(due.session_id).await;
    }

    pub(super) async fn note_rating(&self, due: Due, score: i8) {
        let case = match self.services.case(due).await {
            Ok(Some(case)) => case,
            // An answer of the drive's, or none: the rating stands in the log.
            Ok(None) => return,
            Err(error) => {
                return tracing::warn!(session = %due.session_id, %error, "a rating is not noted");
            }
        };
        self.annotate(due, &case, Annotation::Feedback(score)).await;
        self.observe(due.seq, due, &case, Worth::User { score })
            .await;
    }

    /// Notes the grade that the event `seq` gives, or the one that follows it.
    pub(super) async fn note_grade(&self, due: Due, case: &Case, grade: Grade, seq: u64) {
        self.annotate(due, case, Annotation::Score(grade.score))
            .await;
        let worth = Worth::Judge {
            score: grade.score,
            judge: grade.judge,
            rubric: grade.rubric,
        };
        self.observe(seq, due, case, worth).await;
    }

    /// The user chose between two answers.
    pub(super) async fn chose(&mut self, due: Due, winner: Winner) {
        self.note_with(due).await;
        self.note_choice(due, winner).await;
        self.note(due.session_id).await;
    }

    pub(super) async fn note_choice(&self, due: Due, winner: Winner) {
        self.note_winner(due, winner, |second| Worth::Chosen { winner, second })
            .await;
    }

    /// Notes what a judge said of both answers, by the event `due.seq` or one that follows it.
    pub(super) async fn note_comparison(&self, due: Due, compared: Compared) {
        let Compared { winner, judge, .. } = compared;
        let worth = |second| Worth::Compared {
            winner,
            second,
            judge,
        };
        self.note_winner(due, winner, worth).await;
    }

    async fn note_winner(&self, due: Due, winner: Winner, worth: impl FnOnce(ModelRef) -> Worth) {
        let again = match self.services.again(due).await {
            Ok(again) => again,
            Err(error) => {
                return tracing::warn!(session = %due.session_id, %error, "a comparison is not noted");
            }
        };
        let Some(given) = again.given() else {
            return;
        };
        let case = &given.first;
        // On an engram, A is the answer that the engram holds.
        self.annotate(due, case, Annotation::Winner(winner)).await;
        self.keep_second(due, &again, case, given, winner).await;
        self.observe(due.seq, due, case, worth(given.model.clone()))
            .await;
    }

    /// Keeps a second answer that is better: the user may want it again. One that is not would only
    /// stand in the way of the first.
    async fn keep_second(
        &self,
        due: Due,
        again: &Again,
        case: &Case,
        given: &Given,
        winner: Winner,
    ) {
        let respondent = second_respondent(&given.model);
        let engram = again
            .answered()
            .filter(|_| self.capture.is_some() && winner == Winner::B)
            .and_then(|answered| second_of(&case.question, answered, given, &respondent));
        if let Some(engram) = engram
            && let Err(error) = self.services.memory.write(engram).await
        {
            return tracing::warn!(session = %due.session_id, %error, "a second answer is not kept");
        }
        let won = match winner {
            Winner::A => Winner::B,
            Winner::B => Winner::A,
            Winner::Tie => Winner::Tie,
        };
        self.annotate_of(due, &respondent, Annotation::Winner(won))
            .await;
    }

    async fn annotate(&self, due: Due, case: &Case, annotation: Annotation) {
        let respondent = match &case.model {
            Some(model) if case.is_taken => second_respondent(model),
            model => respondent_of(None, model.as_ref()),
        };
        self.annotate_of(due, &respondent, annotation).await;
    }

    async fn annotate_of(&self, due: Due, respondent: &str, annotation: Annotation) {
        let Some(capture) = &self.capture else {
            return;
        };
        capture.settle(CAPTURE_TIME).await;
        let memory = &self.services.memory;
        let noted = match memory.engram_of(due.query_id, respondent).await {
            Ok(Some(id)) => memory.annotate(None, id, annotation).await,
            // Not worth remembering, or forgotten.
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(error) = noted {
            tracing::warn!(session = %due.session_id, %error, "an engram has no note of its worth");
        }
    }

    async fn observe(&self, seq: u64, due: Due, case: &Case, worth: Worth) {
        let observation = Observation {
            time: (self.services.clock)(),
            session_id: due.session_id,
            seq,
            query_id: due.query_id,
            model: case.model.clone(),
            is_second: case.is_taken,
            kind: case.kind,
            worth,
        };
        self.unlisted().push_back(observation);
        self.list().await;
    }

    /// Puts on the list what is not on it yet. What cannot be put there is tried again with the next one, and at the
    /// next start: the note on disk stays.
    async fn list(&self) {
        loop {
            let Some(next) = self.unlisted().front().cloned() else {
                return;
            };
            let (folder, session) = (self.config.folder.clone(), next.session_id);
            let adding = move || observations::add(&folder, &next);
            let added = tokio::task::spawn_blocking(adding).await;
            if let Err(error) = added.map_err(Error::other).flatten() {
                return tracing::warn!(
                    %session, %error,
                    "`carl quality` does not know of an answer yet; that is tried again"
                );
            }
            self.unlisted().pop_front();
        }
    }

    fn unlisted(&self) -> MutexGuard<'_, VecDeque<Observation>> {
        self.unlisted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first event of a session of which something is not on the list.
    pub(super) fn first_unlisted(&self, session_id: SessionId) -> Option<u64> {
        let unlisted = self.unlisted();
        let own = unlisted.iter().filter(|one| one.session_id == session_id);
        own.map(|one| one.seq).min()
    }
}

/// The grade that an event gives.
pub(super) fn grade_of(event: &Event) -> Option<Grade> {
    match &event.body {
        EventBody::Critique {
            score,
            feedback,
            judge,
            rubric,
        } => Some(Grade {
            score: *score,
            feedback: feedback.clone(),
            judge: judge.clone(),
            rubric: rubric.clone(),
        }),
        _ => None,
    }
}

/// The comparison that an event gives.
pub(super) fn comparison_of(event: &Event) -> Option<Compared> {
    match &event.body {
        EventBody::Pairwise {
            winner,
            feedback,
            judge,
        } => Some(Compared {
            winner: *winner,
            feedback: feedback.clone(),
            judge: judge.clone(),
        }),
        _ => None,
    }
}
