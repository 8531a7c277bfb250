//! Noting what an answer was found to be worth: on its engram, and in the list of observations. Doing
//! it twice does no harm.

use super::Worker;
use super::due::Due;
use crate::engram::respondent_of;
use crate::observations;
use api::memory::Annotation;
use api::sessions::{Finding, Grade};
use domain::event::{Event, EventBody};
use domain::id::QueryId;
use domain::quality::{Observation, Worth};
use quality::Case;
use std::time::Duration;

/// How long is waited for the engram of an answer that was given just now.
const CAPTURE_TIME: Duration = Duration::from_secs(10);

impl Worker {
    /// The user rated an answer: that is noted, and becomes a reward for the agent that answered.
    pub(super) async fn rated(&mut self, event: &Event, query_id: QueryId, score: i8) {
        let due = Due {
            session_id: event.session_id,
            query_id,
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

    async fn annotate(&self, due: Due, case: &Case, annotation: Annotation) {
        let Some(capture) = &self.capture else {
            return;
        };
        capture.settle(CAPTURE_TIME).await;
        let respondent = respondent_of(None, case.model.as_ref());
        let memory = &self.services.memory;
        let noted = match memory.engram_of(due.query_id, &respondent).await {
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
            kind: case.kind,
            worth,
        };
        let folder = self.config.folder.clone();
        let adding = move || observations::add(&folder, &observation);
        let added = tokio::task::spawn_blocking(adding).await;
        if !matches!(added, Ok(Ok(()))) {
            tracing::warn!(session = %due.session_id, "`carl quality` does not know of an answer");
        }
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
