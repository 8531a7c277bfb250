//! Asking the judge which of two answers is better.

use crate::asking::{Unanswered, ask, by_schema};
use crate::config::Clock;
use api::audit::Audit;
use api::models::{self, Models};
use domain::model::{ModelRef, ModelRole};
use quality::{Chosen, Comparison, choice_schema, comparison, read_choice};
use std::time::Duration;

/// Longest a judge may take for one comparison.
const CALL_TIME: Duration = Duration::from_secs(120);
/// Most tokens of its reply.
const REPLY_TOKENS: u32 = 200;

/// What a judge chose.
#[derive(Debug)]
pub(crate) struct Judged {
    /// Its choice, and why.
    pub(crate) chosen: Chosen,
    /// Which model it is.
    pub(crate) judge: ModelRef,
}

/// What the judge prefers; `None` for what is no choice. `about` goes on record.
pub(crate) async fn choose(
    services: (&dyn Models, &dyn Audit, &Clock),
    asked: Comparison<'_>,
    about: &str,
) -> Result<Option<Judged>, Unanswered> {
    let asked = (ModelRole::Judge, comparison(asked));
    let request = by_schema(asked, choice_schema(), (REPLY_TOKENS, CALL_TIME));
    match ask(services, request, about).await {
        Ok(said) => Ok(read_choice(&said.text).map(|chosen| Judged {
            chosen,
            judge: said.model,
        })),
        Err(Unanswered::Models(error)) if error.kind == models::ErrorKind::SchemaUnmet => Ok(None),
        Err(Unanswered::BrokenOff) => Ok(None),
        Err(why) => Err(why),
    }
}
