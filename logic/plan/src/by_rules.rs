//! A whole request in the hands of the rules: planned and validated.

use crate::rules::in_file::{self, InFile};
use crate::rules::{self, Refusal, RefusalKind};
use crate::{names, validate};
use domain::fault::{Coded, Fault};
use domain::plan::{Action, Plan};

/// What the rules make of a request.
#[derive(Debug)]
pub enum ByRules {
    /// A plan.
    Plan(Plan),
    /// A plan after a file is read; where it does not have what is asked for, the plan that needs no
    /// reading, if there is one.
    AfterReading(InFile, Option<Plan>),
}

/// What the rules made of a request without a plan.
#[derive(Debug)]
pub enum Unplanned {
    /// What they can do, which is what was asked.
    Help(String),
    /// Why they do not do it.
    Refused(Fault),
}

impl From<Refusal> for Unplanned {
    fn from(refusal: Refusal) -> Self {
        match refusal.kind {
            RefusalKind::Help => Self::Help(refusal.message),
            _ => Self::Refused(refusal.fault()),
        }
    }
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
pub fn plan(request: &str) -> Result<ByRules, Unplanned> {
    let planned = rules::plan(request)
        .map_err(Unplanned::from)
        .and_then(valid);
    match in_file::read(request) {
        None => planned.map(ByRules::Plan),
        Some(asked) => {
            let literal = planned.ok().filter(|_| asked.may_be_literal);
            Ok(ByRules::AfterReading(asked, literal))
        }
    }
}

/// Plans what was asked of a file from its text. `literal` is the plan that needs no reading.
///
/// # Errors
/// As [`InFile::plan`]; where the literal plan would replace parts of words as well.
pub fn after_reading(asked: &InFile, literal: Option<Plan>, text: &str) -> Result<Plan, Unplanned> {
    let planned = asked.plan(text);
    let Some((literal, Err(refusal))) = literal.map(|literal| (literal, &planned)) else {
        return planned.map_err(Unplanned::from).and_then(valid);
    };
    let replaces_words = literal.actions.iter().all(|action| match action {
        Action::ReplaceText { old, .. } => names::stands_as_words(text, old),
        _ => true,
    });
    match refusal.is_absent && replaces_words {
        true => Ok(literal),
        false => planned.map_err(Unplanned::from).and_then(valid),
    }
}

fn valid(plan: Plan) -> Result<Plan, Unplanned> {
    match validate::typed(&plan, &rules::handlers()) {
        Ok(()) => Ok(plan),
        Err(invalid) => Err(Unplanned::Refused(invalid.fault())),
    }
}
