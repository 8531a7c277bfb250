//! The planned modes: plan, deterministic and bridge.

use crate::work::{Outcome, Work};
use domain::fault::Fault;

/// Works on one request by planning first.
pub async fn run(work: &Work) -> Outcome {
    Outcome::failed(Fault {
        code: "agents.mode_unavailable".to_owned(),
        message: format!("This build cannot work in {} mode.", work.mode.as_str()),
        hint: "Use --mode loop.".to_owned(),
    })
}
