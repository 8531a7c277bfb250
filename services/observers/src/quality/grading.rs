//! Asking the judge: what is judged is read from the session's log, and the judge's call is on record
//! before its word counts.

use super::due::{Due, fault, no_answer};
use super::outcome::Outcome;
use crate::asking::{Said, Unanswered, ask, by_schema};
use crate::config::{Clock, Services};
use api::audit::Audit;
use api::models::{ErrorKind, Models};
use api::sessions::{Follow, Grade};
use domain::fault::{Coded, Fault};
use domain::model::{ModelChoice, ModelClass, ModelRole};
use futures::StreamExt;
use quality::{Case, Cases, REPLY_TOKENS, Rubric, Rubrics, messages, read, schema};
use std::sync::Arc;
use std::time::Duration;

/// Longest a judge may take for one answer.
const CALL_TIME: Duration = Duration::from_secs(300);

/// What helps where a judge is too small for this.
pub(super) const LARGER: &str = "Name a larger model as the judge: `judge` under [models.roles].";

/// Asks the judge.
pub(super) struct Judging {
    pub(super) services: Services,
    pub(super) rubrics: Arc<Rubrics>,
}

impl Judging {
    pub(super) async fn judge(&self, due: Due) -> Outcome {
        let case = match self.services.case(due).await {
            Ok(case) => case,
            Err(error) => return Outcome::Missed(error.fault()),
        };
        match case {
            // What rules answered is right or a fault of ours; no judge is needed for either.
            Some(case) if due.is_asked || case.model.is_some() => self.grade(case).await,
            None if due.is_asked => Outcome::Missed(no_answer()),
            Some(_) | None => Outcome::Nothing,
        }
    }

    async fn grade(&self, case: Case) -> Outcome {
        if is_judge_tiny(&self.services).await {
            let message =
                "The judge has fewer than a billion parameters: it would grade by chance.";
            return Outcome::Missed(fault("quality.no_judge", message, LARGER));
        }
        let rubric = self.rubrics.of(case.kind);
        let services = &self.services;
        let services = (&*services.models, &*services.audit, &services.clock);
        let asking = ask_for_grade(services, (&case, rubric), "a grade of an answer");
        let said = match tokio::time::timeout(CALL_TIME, asking).await {
            Ok(Ok(said)) => said,
            Ok(Err(why)) => return Outcome::Missed(why_not(&why)),
            Err(_) => {
                let message = format!("The judge took longer than {} s.", CALL_TIME.as_secs());
                let hint = "Name a faster judge: `judge` under [models.roles].";
                return Outcome::Missed(fault("quality.no_grade", message, hint));
            }
        };
        match read(&said.text) {
            Some(graded) => {
                let grade = Grade {
                    score: graded.score,
                    feedback: graded.feedback,
                    judge: said.model,
                    rubric: rubric.name.clone(),
                };
                Outcome::Graded(Box::new(case), grade)
            }
            None => Outcome::Missed(fault(
                "quality.no_grade",
                format!("{} gave no grade that can be read.", said.model),
                LARGER,
            )),
        }
    }
}

/// Asks the judge for a grade of an answer. `about` goes on record.
pub(crate) async fn ask_for_grade(
    services: (&dyn Models, &dyn Audit, &Clock),
    (case, rubric): (&Case, &Rubric),
    about: &str,
) -> Result<Said, Unanswered> {
    let asked = (ModelRole::Judge, messages(case, rubric));
    let request = by_schema(asked, schema(), (REPLY_TOKENS, CALL_TIME));
    ask(services, request, about).await
}

/// Whether the judge is known to be too small to judge.
pub(super) async fn is_judge_tiny(services: &Services) -> bool {
    let choice = ModelChoice::Role(ModelRole::Judge);
    let facts = services.models.describe(choice).await;
    // One that cannot be described says so when it is asked.
    facts.is_ok_and(|facts| facts.class == Some(ModelClass::Tiny))
}

/// Why a judge gave no grade, for the user.
pub(super) fn why_not(why: &Unanswered) -> Fault {
    match why {
        Unanswered::Models(error) if error.kind == ErrorKind::SchemaUnmet => fault(
            "quality.no_grade",
            format!(
                "The judge gave no grade that can be read: {}",
                error.fault().message
            ),
            LARGER,
        ),
        Unanswered::Models(error) => {
            let Fault { message, hint, .. } = error.fault();
            let (code, what) = match error.kind {
                // It did answer, and not as it should.
                ErrorKind::Interrupted | ErrorKind::Protocol | ErrorKind::TooLarge => {
                    ("quality.no_grade", "The judge's answer cannot be used")
                }
                _ => ("quality.no_judge", "No judge answers"),
            };
            fault(code, format!("{what}: {message}"), &hint)
        }
        Unanswered::BrokenOff => fault(
            "quality.no_grade",
            "The judge's reply broke off.",
            "Ask again.",
        ),
        Unanswered::NotOnRecord => fault(
            "quality.no_grade",
            "The judge's call could not be put on record, so its grade does not count.",
            "`carl doctor` says what is wrong with the audit log.",
        ),
    }
}

impl Services {
    /// What is judged; `None` where there is no answer of an agent's to a user.
    pub(super) async fn case(&self, due: Due) -> Result<Option<Case>, api::sessions::Error> {
        let attaching = self.sessions.attach(due.session_id, 1, Follow::Outline);
        let mut events = attaching.await?;
        let mut cases = Cases::of(due.query_id);
        while let Some(event) = events.next().await {
            let event = event?;
            if !due.is_before(&event) {
                cases.apply(&event);
            }
        }
        Ok(cases.case(due.query_id).cloned())
    }
}
