//! Measuring the judge: it is asked about pairs of which it is known which answer is right, each in both
//! orders.

use crate::asking::Unanswered;
use crate::comparing::choose;
use crate::config::Clock;
use api::audit::Audit;
use api::models::Models;
use domain::fault::{Coded, Fault};
use domain::model::ModelRef;
use domain::quality::JudgeMeasure;
use quality::{Choice, Comparison, KnownPair, Measured};

/// Asks the judge about pairs, and tells `on` after each of them what it came to so far.
///
/// # Errors
/// A fault where no judge answers, or its calls cannot be put on record.
pub async fn measure(
    services: (&dyn Models, &dyn Audit, &Clock),
    pairs: &[KnownPair],
    mut on: impl FnMut(&Measured),
) -> Result<JudgeMeasure, Fault> {
    let mut measured = Measured::default();
    let mut judge: Option<ModelRef> = None;
    for pair in pairs {
        let straight = choice(services, pair, (&pair.right, &pair.wrong), &mut judge).await?;
        let turned = choice(services, pair, (&pair.wrong, &pair.right), &mut judge).await?;
        measured.take(straight, turned);
        on(&measured);
    }
    let judge = judge.ok_or_else(|| Fault {
        code: "quality.no_grade".to_owned(),
        message: "The judge made no choice that can be read.".to_owned(),
        hint: "Name a larger model as the judge: `judge` under [models.roles].".to_owned(),
    })?;
    Ok(measured.of(judge, (services.2)()))
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
        Ok(None) | Err(Unanswered::BrokenOff) => Ok(None),
        Err(Unanswered::Models(error)) => Err(error.fault()),
        Err(Unanswered::NotOnRecord) => Err(Fault {
            code: "quality.no_grade".to_owned(),
            message: "The judge's call could not be put on record, so the judge is not measured."
                .to_owned(),
            hint: "`carl doctor` says what is wrong with the audit log.".to_owned(),
        }),
    }
}
