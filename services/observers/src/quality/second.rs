//! A second answer to a request, and the comparison of both. They are two steps, and the session's log
//! says which is next: one that was stopped in between goes on with the comparison.

use super::due::{Due, fault, no_answer};
use super::grading::{LARGER, is_judge_tiny, why_not};
use super::outcome::Outcome;
use crate::again::{ANSWER_TOKENS, Again, Given};
use crate::asking::{Unanswered, ask};
use crate::comparing::choose;
use crate::config::{SecondConfig, Services};
use api::models::{ChatRequest, ToolChoice};
use api::sessions::{Compared, Follow, SecondAnswer};
use domain::fault::{Coded, Fault};
use domain::model::{ModelChoice, ModelRole, Priority};
use domain::quality::{TaskKind, Winner};
use futures::StreamExt;
use quality::{Case, Comparison, Verdict, verdict};
use std::time::Duration;

/// Longest a model may take for a second answer.
const ANSWER_TIME: Duration = Duration::from_secs(600);

/// Has a request answered once more, or both answers compared.
pub(super) struct Seconding {
    pub(super) services: Services,
    pub(super) config: SecondConfig,
}

impl Seconding {
    /// The next step.
    pub(super) async fn step(&self, due: Due) -> Outcome {
        let again = match self.services.again(due).await {
            Ok(again) => again,
            Err(error) => return Outcome::Missed(error.fault()),
        };
        let missed = |fault: Fault| match due.is_asked {
            true => Outcome::Missed(fault),
            false => Outcome::Nothing,
        };
        let Some(case) = again.case() else {
            return missed(no_answer());
        };
        if matches!(case.kind, TaskKind::Change | TaskKind::Program) {
            let message = "The request changed files or ran programs. A second answer has no tools, so \
                           only what was said or looked up can be answered once more.";
            return missed(fault("quality.no_second", message, ""));
        }
        // What rules answered is right or a fault of ours.
        if !due.is_asked && case.model.is_none() {
            return Outcome::Nothing;
        }
        match again.given() {
            None => self.answer(&again, case).await,
            Some(given) => self.compare(given).await,
        }
    }

    async fn answer(&self, again: &Again, case: &Case) -> Outcome {
        let (model, temperature) = again.wanted();
        let model = model.clone().or_else(|| self.config.model.clone());
        let temperature = temperature.unwrap_or(self.config.temperature);
        let model = model.or_else(|| case.model.clone());
        let choice = model.map_or(ModelChoice::Role(ModelRole::Fast), ModelChoice::Exact);
        let request = ChatRequest {
            priority: Priority::Background,
            tool_choice: ToolChoice::None,
            max_tokens: Some(ANSWER_TOKENS),
            temperature: Some(temperature),
            deadline: Some(ANSWER_TIME),
            ..ChatRequest::new(choice, again.messages(case))
        };
        let services = &self.services;
        let services = (&*services.models, &*services.audit, &services.clock);
        let asking = ask(services, request, "a second answer");
        match tokio::time::timeout(ANSWER_TIME, asking).await {
            Ok(Ok(said)) if said.text.trim().is_empty() => Outcome::Missed(fault(
                "quality.no_second",
                format!("{} gave no words of an answer.", said.model),
                "Ask again, or name another model behind /b.",
            )),
            Ok(Ok(said)) => Outcome::Answered(SecondAnswer {
                answer: said.text,
                model: said.model,
                temperature,
            }),
            Ok(Err(why)) => Outcome::Missed(no_second(&why)),
            Err(_) => {
                let message = format!("The model took longer than {} s.", ANSWER_TIME.as_secs());
                let hint = "Name a faster one behind /b.";
                Outcome::Missed(fault("quality.no_second", message, hint))
            }
        }
    }

    /// The judge is asked in both orders; what it says in one alone is not counted.
    async fn compare(&self, given: &Given) -> Outcome {
        let case = &given.first;
        if is_judge_tiny(&self.services).await {
            let message =
                "The judge has fewer than a billion parameters: it would choose by chance.";
            return Outcome::Missed(fault("quality.no_judge", message, LARGER));
        }
        let asked = Comparison {
            question: &case.question,
            evidence: &case.evidence,
            first: &case.answer,
            second: &given.text,
        };
        let turned = Comparison {
            first: asked.second,
            second: asked.first,
            ..asked
        };
        let services = &self.services;
        let services = (&*services.models, &*services.audit, &services.clock);
        let choices = async {
            let straight = choose(services, asked, "a comparison of two answers").await?;
            let turned = choose(services, turned, "a comparison of two answers").await?;
            Ok((straight, turned))
        };
        let unread = || {
            let message = "The judge made no choice that can be read.";
            Outcome::Missed(fault("quality.no_grade", message, LARGER))
        };
        let (straight, turned) = match choices.await {
            Ok((Some(straight), Some(turned))) => (straight, turned),
            Ok(_) => return unread(),
            Err(why) => return Outcome::Missed(why_not(&why)),
        };
        let winner = match verdict(straight.chosen.choice, turned.chosen.choice) {
            Verdict::One => Winner::A,
            Verdict::Other => Winner::B,
            Verdict::Tie => Winner::Tie,
            Verdict::ByPlace => {
                let message = "The judge said another thing when the answers stood in the other order, so \
                               its word does not count.";
                let hint = "/b a, /b b or /b same says which you find better.";
                return Outcome::Missed(fault("quality.by_place", message, hint));
            }
        };
        Outcome::Compared(Compared {
            winner,
            feedback: straight.chosen.feedback,
            judge: straight.judge,
        })
    }
}

/// Why there is no second answer, for the user.
fn no_second(why: &Unanswered) -> Fault {
    match why {
        Unanswered::Models(error) => {
            let Fault { message, hint, .. } = error.fault();
            fault("quality.no_second", message, &hint)
        }
        Unanswered::BrokenOff => fault("quality.no_second", "The answer broke off.", "Ask again."),
        Unanswered::NotOnRecord => fault(
            "quality.no_second",
            "The model's call could not be put on record, so its answer is not used.",
            "`carl doctor` says what is wrong with the audit log.",
        ),
    }
}

impl Services {
    /// What a second answer takes, from the session's log.
    pub(super) async fn again(&self, due: Due) -> Result<Again, api::sessions::Error> {
        let attaching = self.sessions.attach(due.session_id, 1, Follow::Outline);
        let mut events = attaching.await?;
        let mut again = Again::of(due.query_id);
        while let Some(event) = events.next().await {
            let event = event?;
            if !due.is_before(&event) {
                again.apply(&event);
            }
        }
        Ok(again)
    }
}
