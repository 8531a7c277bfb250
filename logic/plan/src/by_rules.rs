//! A whole request in the hands of the rules: planned and validated.

use crate::rules::{self, RefusalKind};
use crate::validate;
use domain::fault::{Coded, Fault};
use domain::plan::Plan;

/// What the rules made of a request without a plan.
#[derive(Debug)]
pub enum Unplanned {
    /// What they can do, which is what was asked.
    Help(String),
    /// Why they do not do it.
    Refused(Fault),
}

/// Whether the rules do a request, or answer it in words.
#[must_use]
pub fn understands(request: &str) -> bool {
    !matches!(plan(request), Err(Unplanned::Refused(_)))
}

/// Plans a request by rules.
///
/// # Errors
/// [`Unplanned`] when any part of it is not understood or may be meant in more than one way. That a name
/// in it is no part of a longer one, [`crate::longer`] shows.
pub fn plan(request: &str) -> Result<Plan, Unplanned> {
    let plan = rules::plan(request).map_err(|refusal| match refusal.kind {
        RefusalKind::Help => Unplanned::Help(refusal.message),
        _ => Unplanned::Refused(refusal.fault()),
    })?;
    validate::typed(&plan, &rules::handlers())
        .map_err(|invalid| Unplanned::Refused(invalid.fault()))?;
    Ok(plan)
}
