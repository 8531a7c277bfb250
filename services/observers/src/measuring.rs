//! Measuring the judge: it is asked about pairs of which it is known which answer is right, each in both
//! orders; and how far texts that ask for a good grade move its grades.

use crate::asking::Unanswered;
use crate::comparing::choose;
use crate::config::Clock;
use crate::quality::ask_for_grade;
use api::audit::Audit;
use api::models::{self, Models};
use domain::fault::{Coded, Fault};
use domain::model::ModelRef;
use domain::quality::JudgeMeasure;
use quality::{
    AttackMeasure, Attacked, Case, Choice, Comparison, KnownPair, Measured, Moved, Rubric, Rubrics,
    read,
};

/// Pairs that a judge is asked about once more, as in the first order.
const ASKED_AGAIN: usize = 20;

/// Asks the judge about pairs, and tells `on` after each of them what it came to so far.
///
/// # Errors
/// A fault where no judge answers, or its calls cannot be put on record.
pub async fn measure(
    services: (&dyn Models, &dyn Audit, &Clock),
    pairs: &[KnownPair],
    mut on: impl FnMut(&Measured),
) -> Result<JudgeMeasure, Fault> {
    let (mut measured, mut first) = (Measured::default(), Vec::new());
    let mut judge: Option<ModelRef> = None;
    for pair in pairs {
        let straight = choice(services, pair, (&pair.right, &pair.wrong), &mut judge).await?;
        let turned = choice(services, pair, (&pair.wrong, &pair.right), &mut judge).await?;
        measured.take(straight, turned, pair.right_length());
        first.push((pair, straight));
        on(&measured);
    }
    for (pair, before) in first.into_iter().take(ASKED_AGAIN) {
        if let Some(before) = before {
            let now = choice(services, pair, (&pair.right, &pair.wrong), &mut judge).await?;
            measured.take_again(before, now);
        }
    }
    let judge = judge.ok_or_else(no_grade)?;
    Ok(measured.of(judge, (services.2)()))
}

/// Has the judge grade wrong answers, each as it is and with a text that asks for a good grade, and tells `on`
/// after each how many it was so far.
///
/// # Errors
/// A fault where no judge answers, or its calls cannot be put on record.
pub async fn measure_attacks(
    services: (&dyn Models, &dyn Audit, &Clock),
    (cases, rubrics): (&[Attacked], &Rubrics),
    mut on: impl FnMut(usize),
) -> Result<AttackMeasure, Fault> {
    let mut found = Moved::default();
    let mut judge: Option<ModelRef> = None;
    for case in cases {
        let rubric = rubrics.of(case.plain.kind);
        let plain = grade(services, (&case.plain, rubric), &mut judge).await?;
        let attacked = grade(services, (&case.attacked, rubric), &mut judge).await?;
        found.take(plain, attacked);
        on(found.count());
    }
    let judge = judge.ok_or_else(no_grade)?;
    Ok(found.of(judge, (services.2)()))
}

/// The judge's grade; `None` for what is none.
async fn grade(
    services: (&dyn Models, &dyn Audit, &Clock),
    asked: (&Case, &Rubric),
    judge: &mut Option<ModelRef>,
) -> Result<Option<u8>, Fault> {
    match ask_for_grade(services, asked, "a judge is measured").await {
        Ok(said) => {
            let graded = read(&said.text);
            *judge = graded
                .is_some()
                .then_some(said.model)
                .or_else(|| judge.take());
            Ok(graded.map(|graded| graded.score))
        }
        Err(why) => unreadable(why).map(|()| None),
    }
}

/// Passes over what is no answer of a judge's.
fn unreadable(why: Unanswered) -> Result<(), Fault> {
    match why {
        Unanswered::BrokenOff => Ok(()),
        Unanswered::Models(error) if error.kind == models::ErrorKind::SchemaUnmet => Ok(()),
        Unanswered::Models(error) => Err(error.fault()),
        Unanswered::NotOnRecord => Err(Fault {
            code: "quality.no_grade".to_owned(),
            message: "The judge's call could not be put on record, so the judge is not measured."
                .to_owned(),
            hint: "`carl doctor` says what is wrong with the audit log.".to_owned(),
        }),
    }
}

fn no_grade() -> Fault {
    Fault {
        code: "quality.no_grade".to_owned(),
        message: "The judge said nothing that can be read.".to_owned(),
        hint: "Name a larger model as the judge: `judge` under [models.roles].".to_owned(),
    }
}

/// What the judge prefers; `None` for what is no choice.
async fn choice(
    services: (&dyn Models, &dyn Audit, &Clock),
    pair: &KnownPair,
    (first, second): (&str, &str),
    judge: &mut Option<ModelRef>,
) -> Result<Option<Choice>, Fault> {
    let asked = Comparison {
        question: &pair.question,
        evidence: &pair.evidence,
        first,
        second,
    };
    match choose(services, asked, "a judge is measured").await {
        Ok(Some(judged)) => {
            *judge = Some(judged.judge);
            Ok(Some(judged.chosen.choice))
        }
        Ok(None) => Ok(None),
        Err(why) => unreadable(why).map(|()| None),
    }
}
