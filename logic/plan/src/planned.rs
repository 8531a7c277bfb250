//! What the rules make of a request: a plan, one after a file is read, or a refusal.

use crate::rules::in_file::{self, InFile, boxed, erased, pasted, whole_words};
use crate::rules::{self, Note, Refusal, RefusalKind, each, joined, words};
use crate::{forbidden, orders, validate};
use domain::fault::{Coded, Fault};
use domain::plan::{Action, Plan};
use std::collections::BTreeMap;

/// What the rules make of a request.
#[derive(Debug)]
pub enum ByRules {
    /// A plan.
    Plan(Plan),
    /// A plan after a file is read; where it does not have what is asked for, the plan that needs no
    /// reading, if there is one.
    AfterReading(InFile, Option<Plan>),
    /// Orders one after the other, each whole and one of them a plan after a file is read.
    Several(Vec<String>),
}

/// What the rules made of a request without a plan.
#[derive(Debug)]
pub enum Unplanned {
    /// What they can do, which is what was asked.
    Help(String),
    /// Why they do not do it.
    Refused(Box<Refusal>),
    /// Why a plan that they made is none that may run.
    Invalid(Fault),
}

impl Unplanned {
    /// What is said of it, with the orders that it offers as they are.
    #[must_use]
    pub fn fault(self) -> Fault {
        match self {
            Self::Refused(refusal) => refusal.fault(),
            Self::Invalid(fault) => fault,
            Self::Help(message) => Refusal::new(RefusalKind::Help, message, Vec::new()).fault(),
        }
    }
}

impl From<Refusal> for Unplanned {
    fn from(refusal: Refusal) -> Self {
        match refusal.kind {
            RefusalKind::Help => Self::Help(refusal.message),
            _ => Self::Refused(Box::new(refusal)),
        }
    }
}

/// Plans a request by rules.
///
/// # Errors
/// [`Unplanned`] when any part of it is not understood or may be meant in more than one way. That a name
/// in it is no part of a longer one, [`crate::longer`] shows.
pub fn plan(request: &str) -> Result<ByRules, Unplanned> {
    let orders = match forbidden::forbids(request) || rules::has_unclear_end(request) {
        true => Vec::new(),
        false => joined::orders(request),
    };
    let of_files: Vec<InFile> = orders
        .iter()
        .filter_map(|order| in_file::read(order))
        .collect();
    let whole = || rules::plan(request).is_err() && orders.iter().all(|order| plan(order).is_ok());
    // Read alone, `change port to 9000 in a.toml` is of a value; in a row it is no less.
    if !of_files.is_empty() || (orders.len() > 1 && whole()) {
        in_file::are_counted_once(&of_files)?;
        if orders.len() > domain::limits::PLAN_ACTIONS {
            return Err(Unplanned::from(Refusal::too_many_steps(orders.len())));
        }
        for order in &orders {
            plan(order)?;
        }
        return Ok(ByRules::Several(orders));
    }
    if let Some(orders) = for_each(request, &orders) {
        return Ok(ByRules::Several(orders));
    }
    let planned = rules::plan(request).map_err(|refusal| match refusal.kind {
        RefusalKind::NotUnderstood => not_clear(&orders).unwrap_or_else(|| refusal.into()),
        _ => refusal.into(),
    });
    let planned = planned.and_then(valid);
    match in_file::read(request).filter(|_| !forbidden::forbids(request)) {
        None => planned.map(ByRules::Plan),
        // What is known goes before what is nearly known.
        Some(asked) if asked.is_nearly() && planned.is_ok() => planned.map(ByRules::Plan),
        Some(asked) => {
            let literal = planned.ok().filter(|_| asked.may_be_literal);
            Ok(ByRules::AfterReading(asked, literal))
        }
    }
}

/// The orders of one on several files or values that no rule reads whole, where each by itself is known. Names and
/// values are read in each file by itself, although they could be replaced as words.
fn for_each(request: &str, orders: &[String]) -> Option<Vec<String>> {
    let is_one = orders.is_empty()
        && !forbidden::forbids(request)
        && !rules::has_unclear_end(request)
        && in_file::read(request).is_none();
    if !is_one {
        return None;
    }
    let each = each::orders(request);
    let is_of_names =
        |order: &String| in_file::read(order).is_some_and(|asked| asked.is_of_names());
    if rules::plan(request).is_ok() && !each.iter().any(is_of_names) {
        return None;
    }
    let is_known = |order: &String| {
        matches!(
            plan(order),
            Ok(ByRules::Plan(_) | ByRules::AfterReading(..))
        )
    };
    let fits = (2..=domain::limits::PLAN_ACTIONS).contains(&each.len());
    (fits && each.iter().all(is_known)).then_some(each)
}

/// The refusal of the order among several that is not clear, where it is one to change something: a small
/// model would do the others and show a file for it.
pub(crate) fn not_clear(orders: &[String]) -> Option<Unplanned> {
    let several = orders.iter().filter(|_| orders.len() > 1);
    let mut acting = several.filter(|order| orders::acts(order));
    acting.find_map(|order| plan(order).err())
}

/// A plan that may run, and what is said of it.
#[derive(Debug)]
pub struct Ready {
    /// The plan.
    pub plan: Plan,
    /// What the user is told of it.
    pub note: Option<Note>,
}

/// The files that are read before a plan replaces words in them.
#[must_use]
pub fn words_to_read(request: &str, plan: &Plan) -> Vec<String> {
    let mut read = whole_words::to_read(&rules::quotes(request), plan);
    read.extend(erased::to_read(plan));
    read.sort();
    read.dedup();
    read
}

/// The file that says whether what a plan adds to it is a task with a box, or begins behind an empty line. It may not
/// be there.
#[must_use]
pub fn list_to_read(request: &str, plan: &Plan) -> Option<String> {
    boxed::to_read(request, plan).or_else(|| pasted::to_read(plan))
}

/// The plan that replaces whole words alone, and that adds a task with its box. `texts` are the files of
/// [`words_to_read`], and of [`list_to_read`] where it is there.
///
/// # Errors
/// Where a text stands as a part of longer words alone, or in more places than a plan has steps.
pub fn of_whole_words(
    request: &str,
    plan: Plan,
    texts: BTreeMap<String, String>,
) -> Result<Ready, Unplanned> {
    let plan = pasted::with_gap(boxed::with_box(request, plan, &texts), &texts);
    let plan = erased::with_blanks(request, plan, &texts);
    let (plan, note) = whole_words::of(&rules::quotes(request), plan, texts.clone())?;
    let plan = valid(plan)?;
    stays_sound(&plan, &texts)?;
    Ok(Ready { plan, note })
}

/// Plans what was asked of a file from its text. `literal` is the plan that needs no reading.
///
/// # Errors
/// As [`InFile::plan`] and [`of_whole_words`].
pub fn after_reading(
    request: &str,
    asked: &InFile,
    literal: Option<Plan>,
    text: &str,
) -> Result<Ready, Unplanned> {
    match (asked.plan(text), literal) {
        (Err(refusal), Some(literal)) if refusal.is_absent => {
            asked.is_of_words(text)?;
            // Words that are not there either are not replaced.
            if replaces_nothing(&literal, &asked.path, text) {
                return Err(Unplanned::from(refusal));
            }
            let texts = BTreeMap::from([(asked.path.clone(), text.to_owned())]);
            of_whole_words(request, literal, texts)
        }
        (planned, _) => {
            let plan = planned.map_err(Unplanned::from).and_then(valid)?;
            let note = asked.stays(text);
            Ok(Ready { plan, note })
        }
    }
}

/// Whether a plan replaces only words in a file that its text does not have.
fn replaces_nothing(plan: &Plan, path: &str, text: &str) -> bool {
    plan.actions.iter().all(|action| match action {
        Action::ReplaceText { path: of, old, .. } => of == path && !text.contains(old),
        _ => false,
    })
}

/// The files that have to be there for what the rules made of a request, in order.
#[must_use]
pub fn must_be_there(planned: &ByRules) -> Vec<String> {
    let plan = match planned {
        ByRules::AfterReading(asked, _) => return vec![asked.path.clone()],
        ByRules::Several(_) => return Vec::new(),
        ByRules::Plan(plan) => plan,
    };
    let mut made: Vec<&String> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    for action in &plan.actions {
        let needed: Vec<&String> = match action {
            Action::ReadFile { path }
            | Action::Head { path, .. }
            | Action::Tail { path, .. }
            | Action::Excerpt { path, .. }
            | Action::CountLines { path }
            | Action::ReplaceText { path, .. }
            | Action::DeleteFile { path } => vec![path],
            Action::SearchText { path, .. } if words::is_file(path) => vec![path],
            Action::CompareFiles { left, right } => vec![left, right],
            Action::MoveFile { from, .. } => vec![from],
            _ => Vec::new(),
        };
        found.extend(
            needed
                .into_iter()
                .filter(|path| !made.contains(path))
                .cloned(),
        );
        match action {
            Action::CreateFile { path, .. }
            | Action::AppendText { path, .. }
            | Action::MoveFile { to: path, .. } => made.push(path),
            _ => {}
        }
    }
    found
}

/// The files that a plan adds to or replaces words in, and that have a format by which this is judged. What it
/// makes itself is not judged.
#[must_use]
pub fn formats_to_read(plan: &Plan) -> Vec<String> {
    let mut made: Vec<&str> = Vec::new();
    let mut found: Vec<String> = Vec::new();
    for action in &plan.actions {
        match action {
            Action::CreateFile { path, .. } | Action::MoveFile { to: path, .. } => made.push(path),
            Action::AppendText { path, .. } | Action::ReplaceText { path, .. }
                if in_file::has_form(path)
                    && !made.contains(&path.as_str())
                    && !found.contains(path) =>
            {
                found.push(path.clone());
            }
            _ => {}
        }
    }
    found
}

/// Refuses a plan after which a file whose text is known is not sound, by its format.
///
/// # Errors
/// [`Unplanned`] that says what would be wrong.
pub fn stays_sound(plan: &Plan, texts: &BTreeMap<String, String>) -> Result<(), Unplanned> {
    for path in formats_to_read(plan) {
        let Some(text) = texts.get(&path) else {
            continue;
        };
        let is_of_it = |action: &&Action| match action {
            Action::AppendText { path: of, .. } | Action::ReplaceText { path: of, .. } => {
                *of == path
            }
            _ => false,
        };
        let actions: Vec<Action> = plan.actions.iter().filter(is_of_it).cloned().collect();
        in_file::stays_sound(&path, text, &actions)?;
    }
    Ok(())
}

fn valid(plan: Plan) -> Result<Plan, Unplanned> {
    match validate::typed(&plan, &rules::handlers()) {
        Ok(()) => Ok(plan),
        Err(invalid) => Err(Unplanned::Invalid(invalid.fault())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_several_files_is_read_in_each() {
        for says in [
            "rename variable fee to cost in a.py and b.py",
            "in a.py, b.py and c.md rename fee to cost",
            "change log level to debug in a.yml and Dockerfile",
        ] {
            let planned = plan(says);
            assert!(matches!(planned, Ok(ByRules::Several(_))), "{says}");
        }
        // Words of texts.
        for says in [
            "replace fee with cost in a.md and b.md",
            "rename \"fee\" to \"cost\" in a.py and b.py",
            "replace fee with cost in a.py and b.py",
        ] {
            assert!(matches!(plan(says), Ok(ByRules::Plan(_))), "{says}");
        }
    }
}
