//! Loop mode: the model uses tools as it sees fit. Performs what [`turn`] decides.

use crate::work::{Outcome, Work};
use domain::fault::Fault;

/// Works on one request until the model has answered.
pub async fn run(work: &Work) -> Outcome {
    Outcome::failed(Fault {
        code: "agents.mode_unavailable".to_owned(),
        message: format!("This build cannot work in {} mode.", work.mode.as_str()),
        hint: String::new(),
    })
}
