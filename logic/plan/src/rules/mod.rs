//! The rule-based planner: plain English with quoted or bare paths becomes a plan, without a model.
//!
//! It never guesses at a change. A request is understood whole or refused whole: every step must
//! match one rule from its first word to its last, and a step that changes something needs a name
//! that can only be a path. What is refused says why and names the nearest things that work.
//!
//! [`words`] takes a request apart, [`grammar`] holds the rules, [`refusal`] and [`reasons`] the honest answers.

mod after_colon;
mod beside;
mod building;
pub(crate) mod described;
mod destination;
pub(crate) mod each;
mod examples;
mod grammar;
pub mod in_file;
pub(crate) mod joined;
mod languages;
mod lazy_pattern;
mod misspelt;
pub(crate) mod parts;
pub(crate) mod plain;
mod reasons;
mod refusal;
mod several;
mod signs;
pub(crate) mod small_talk;
mod unsure;
pub mod without_file;
pub(crate) mod words;

pub(crate) use reasons::TAKING_BACK;
pub use refusal::{Left, Note, Offer, Refusal, RefusalKind};
pub use words::REQUEST_BYTES;
pub(crate) use words::intent;

use crate::gate;
use domain::limits::PLAN_ACTIONS;
use domain::plan::{Action, Plan};
use domain::tool::EffectClass;
use words::{Request, Step};

/// Action kinds the rules can plan: all but `answer`, which needs a model.
#[must_use]
pub fn handlers() -> Vec<&'static str> {
    grammar::KINDS.to_vec()
}

/// The refusal of a request that says what not to do.
pub(crate) fn forbidden(text: &str) -> Refusal {
    Refusal::negated(&Request::read(text).shown(text))
}

/// Makes a plan from the user's words.
///
/// # Errors
/// [`Refusal`] when any part of the request is not understood, not available, or may be meant in
/// more than one way. Then nothing of it is planned.
pub fn plan(text: &str) -> Result<Plan, Refusal> {
    let english = languages::in_english(text);
    let part = parts::refusal(&english);
    let is_planned = |plan: &Plan| only_searches(plan) || parts::may_be_planned(&english);
    let refusal = match (planned(text), part) {
        (Ok(plan), part) if part.is_none() || is_planned(&plan) => return Ok(plan),
        (_, Some(part)) => return Err(part),
        (Ok(plan), None) => return Ok(plan),
        (Err(refusal), None) => refusal,
    };
    let is_unread = [
        RefusalKind::NotUnderstood,
        RefusalKind::Question,
        RefusalKind::Ambiguous,
        RefusalKind::Negated,
    ];
    if is_unread.contains(&refusal.kind)
        && let Some(of_words) = parts::refusal_of_words(&english)
    {
        return Err(of_words);
    }
    let corrected = misspelt::corrected(text);
    let corrected =
        corrected.filter(|order| planned(order).is_ok() || in_file::read(order).is_some());
    Err(corrected.map_or(refusal, |order| Refusal::misspelt(text, order)))
}

/// Whether a plan shows the lines that have something, and nothing else.
fn only_searches(plan: &Plan) -> bool {
    let mut actions = plan.actions.iter();
    actions.all(|action| matches!(action, Action::SearchText { .. }))
}

fn planned(text: &str) -> Result<Plan, Refusal> {
    if text.len() > REQUEST_BYTES {
        return Err(Refusal::too_long(text.len()));
    }
    let english = languages::in_english(text);
    if let Some(refusal) = after_colon::unclear(&english) {
        return Err(refusal);
    }
    let request = several::read(&english);
    if let Some(answer) = small_talk::answered(text) {
        return Err(answer);
    }
    if let Some(refusal) = beside::refusal(&english) {
        return Err(refusal);
    }
    if crate::question::orders_too(text) {
        let why = "This asks something and orders something.".to_owned();
        return Err(Refusal::ambiguous(why, Vec::new()));
    }
    if request.steps.is_empty() {
        return Err(Refusal::empty());
    }
    if request.steps.len() > PLAN_ACTIONS {
        return Err(Refusal::too_many_steps(request.steps.len()));
    }
    let mut actions = Vec::new();
    let mut last = None;
    for step in &request.steps {
        let planned = plan_steps(&request, step, last.as_deref());
        for action in planned.map_err(|refusal| in_file::unclear(text).unwrap_or(refusal))? {
            last = spoken_of(&action, last);
            actions.push(action);
        }
    }
    if actions.len() > PLAN_ACTIONS {
        return Err(Refusal::too_many_steps(actions.len()));
    }
    if let Some(described) = described::of_a_program(text, &actions) {
        return Err(described::refusal(described));
    }
    let mut plan = Plan {
        intent: intent(text),
        actions,
    };
    if plan.only_takes_back() {
        plan.intent = match plan.actions.len() {
            1 => "take back the last file change".to_owned(),
            count => format!("take back the last {count} file changes"),
        };
    }
    Ok(plan)
}

/// Whether where the text of a request ends is not clear, which [`plan`] says.
pub(crate) fn has_unclear_end(request: &str) -> bool {
    after_colon::unclear(&languages::in_english(request)).is_some()
}

/// A request in English, where it is one that is known in another language.
pub(crate) fn in_english(request: &str) -> String {
    languages::in_english(request)
}

/// The quoted texts of a request, in order.
pub(crate) fn quotes(text: &str) -> Vec<String> {
    several::read(&languages::in_english(text)).quotes
}

/// The actions of a step: one, or those of the orders that `and` joins in it, each of which is whole.
fn plan_steps(request: &Request, step: &Step, last: Option<&str>) -> Result<Vec<Action>, Refusal> {
    let refusal = match plan_step(request, step, last) {
        Ok(action) => return Ok(vec![action]),
        Err(refusal) => refusal,
    };
    if step.is_question && !step.is_polite {
        return Err(refusal);
    }
    // What is understood and refused says something that no part of it says, unless a quoted text ends
    // before the joint.
    let is_unread = reasons::before_rules(request, step).is_none()
        && matches!(grammar::read(request, step, last), Ok(None));
    let joints = step.text.match_indices(" and ");
    let mut joints = joints.filter(|(at, _)| is_unread || words::ends_quoted(&step.text[..*at]));
    let joined = joints.find_map(|(at, joint)| {
        let part = |text: &str| Step {
            text: text.trim_end_matches(',').to_owned(),
            ..step.clone()
        };
        let first = plan_step(request, &part(&step.text[..at]), last).ok()?;
        if may_be_of_a_text(&first) {
            return None;
        }
        let behind = spoken_of(&first, last.map(str::to_owned));
        let rest = part(&step.text[at + joint.len()..]);
        let rest = plan_steps(request, &rest, behind.as_deref()).ok()?;
        Some(std::iter::once(first).chain(rest).collect())
    });
    joined.ok_or(refusal)
}

/// Whether what is deleted may be a text of a file that a later order names, whatever file has that name:
/// `remove "milk" and add "oat" to list.txt`.
pub(crate) fn may_be_of_a_text(action: &Action) -> bool {
    matches!(action, Action::DeleteFile { path } if !words::is_path(path))
}

fn plan_step(request: &Request, step: &Step, last: Option<&str>) -> Result<Action, Refusal> {
    if let Some(refusal) = reasons::before_rules(request, step) {
        return Err(match unsure::is_search(&step.text) {
            true => refusal.for_no_model(),
            false => refusal,
        });
    }
    let Some(action) = grammar::read(request, step, last)? else {
        let is_whole = |order: &str| in_file::read(order).is_some();
        let unsure = unsure::refusal(request, &step.text, is_whole);
        let unsure = unsure.map(Refusal::for_no_model);
        return Err(unsure.unwrap_or_else(|| reasons::after_rules(request, step)));
    };
    // `delete a.txt?` may ask or order; only a polite order (`can you …?`) is an order for sure.
    if step.is_question && !step.is_polite && gate::effect(&action) != EffectClass::Read {
        return Err(Refusal::asked_or_ordered(&request.shown(&step.text)));
    }
    Ok(action)
}

/// What `it` means in the next step; nothing where what it was is gone.
fn spoken_of(action: &Action, last: Option<String>) -> Option<String> {
    match action {
        Action::DeleteFile { .. } | Action::Undo {} => None,
        other => main_path(other).map(str::to_owned).or(last),
    }
}

/// The file that a step is about.
fn main_path(action: &Action) -> Option<&str> {
    match action {
        Action::ListFiles { path }
        | Action::Tree { path, .. }
        | Action::ReadFile { path }
        | Action::Head { path, .. }
        | Action::Tail { path, .. }
        | Action::Excerpt { path, .. }
        | Action::CountLines { path }
        | Action::FileSizes { path }
        | Action::CreateFile { path, .. }
        | Action::AppendText { path, .. }
        | Action::ReplaceText { path, .. }
        | Action::MakeDir { path }
        | Action::MoveFile { to: path, .. } => Some(path),
        Action::FindFiles { .. }
        | Action::SearchText { .. }
        | Action::CompareFiles { .. }
        | Action::DeleteFile { .. }
        | Action::Undo {}
        | Action::Remember { .. }
        | Action::Recall { .. }
        | Action::WebSearch { .. }
        | Action::Answer { .. } => None,
    }
}
