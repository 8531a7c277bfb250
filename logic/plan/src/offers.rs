//! Orders that refusals offer, proven on copies of the files before anybody is shown one.
//!
//! An order is offered where the rules understand it, the files are as it needs them, it does what it is
//! offered for and nothing else, and each file that it changes is as sound as it was.

use crate::planned::{self, ByRules};
use crate::rules::in_file::{self, whole_words};
use crate::rules::{Note, Offer, Refusal, RefusalKind};
use domain::fault::Fault;
use domain::plan::{Action, Plan};
use std::collections::BTreeMap;

/// What has to be known of a file before an order that names it is offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Whether it is there.
    Presence,
    /// What it says.
    Text,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileState {
    /// It is not there.
    Absent,
    /// It is a file that is there.
    Present,
    /// What it says.
    Text(String),
    /// It is a folder.
    Folder,
    /// It may not be read.
    Closed,
}

/// What is known of files, by their names in orders. Of a file that is not among them nothing is known.
pub type Files = BTreeMap<String, FileState>;

/// The files of the orders that a refusal offers, with what has to be known of each.
#[must_use]
pub fn needs(refusal: &Refusal) -> BTreeMap<String, Need> {
    let mut found = BTreeMap::new();
    let forms = refusal.offers.iter().flat_map(|offer| &offer.forms);
    for order in refusal.nearest.iter().chain(forms) {
        of_order(order, &mut found);
    }
    found
}

fn of_order(order: &str, found: &mut BTreeMap<String, Need>) {
    let mut note = |path: &str, need: Need| {
        let known = found.entry(path.to_owned()).or_insert(need);
        *known = need.max(*known);
    };
    match planned::plan(order) {
        Ok(ByRules::AfterReading(asked, _)) => note(&asked.path, Need::Text),
        Ok(ByRules::Plan(plan)) => {
            for action in &plan.actions {
                match action {
                    Action::ReplaceText { path, .. } => note(path, Need::Text),
                    Action::AppendText { path, .. } if in_file::has_form(path) => {
                        note(path, Need::Text)
                    }
                    Action::AppendText { path, .. }
                    | Action::CreateFile { path, .. }
                    | Action::DeleteFile { path } => note(path, Need::Presence),
                    _ => {}
                }
            }
        }
        Ok(ByRules::Several(orders)) => orders.iter().for_each(|order| of_order(order, found)),
        Err(_) => {}
    }
}

/// A refusal that offers only what holds on these files. Where nothing is left of what it offered, it says
/// what to do by hand.
#[must_use]
pub fn proven(refusal: Refusal, files: &Files) -> Refusal {
    let mut nearest: Vec<String> = Vec::new();
    let mut advice = refusal.advice.clone();
    let mut add = |order: &String| {
        if !nearest.contains(order) {
            nearest.push(order.clone());
        }
    };
    for offer in &refusal.offers {
        match first_that_holds(offer, files) {
            Some(order) => add(order),
            None => advice = advice.or_else(|| Some(offer.otherwise.clone())),
        }
    }
    let (holding, others): (Vec<&String>, Vec<&String>) = refusal
        .nearest
        .iter()
        .partition(|order| done(order, files).is_some());
    holding.into_iter().for_each(&mut add);
    // Examples say what works elsewhere where none of them does here.
    if nearest.is_empty() && refusal.kind == RefusalKind::NotUnderstood {
        nearest.clone_from(&refusal.nearest);
    }
    if nearest.is_empty() && advice.is_none() {
        advice = others.iter().find_map(|order| by_hand(order, files));
    }
    Refusal {
        nearest,
        offers: Vec::new(),
        advice,
        ..refusal
    }
}

/// What is said of a change, with the order that changes more where that holds on the files after it.
#[must_use]
pub fn told(note: Note, files: &Files) -> Fault {
    let order = note
        .offer
        .as_ref()
        .and_then(|offer| first_that_holds(offer, files));
    Fault {
        code: note.code.to_owned(),
        message: note.message,
        hint: order.map_or_else(String::new, |order| {
            format!("{}: {order}", note.before_offer)
        }),
    }
}

fn first_that_holds<'a>(offer: &'a Offer, files: &Files) -> Option<&'a String> {
    offer.forms.iter().find(|order| {
        let after = done(order, files);
        let is_meant = |files: &Files| {
            files
                .values()
                .any(|known| *known == FileState::Text(offer.after.clone()))
        };
        after.is_some_and(|after| is_meant(&after))
    })
}

/// What is said where an order cannot be offered for what its file is.
fn by_hand(order: &str, files: &Files) -> Option<String> {
    let mut needs = BTreeMap::new();
    of_order(order, &mut needs);
    let path = needs.keys().next()?;
    Some(match files.get(path) {
        Some(FileState::Folder) => {
            format!("`{path}` is a folder: name a file in it.")
        }
        Some(FileState::Absent) => format!("There is no file {path}."),
        Some(FileState::Text(_)) => {
            format!(
                "No order that I would offer fits what {path} says: put its exact text in quotes, or name the line by its number."
            )
        }
        _ => format!("{path} is protected or cannot be read: change it in an editor."),
    })
}

/// The files after an order; `None` where it is not understood, cannot be done or leaves a file that is not
/// sound.
fn done(order: &str, files: &Files) -> Option<Files> {
    match planned::plan(order).ok()? {
        ByRules::Several(orders) => {
            let mut files = files.clone();
            for order in orders {
                files = done(&order, &files)?;
            }
            Some(files)
        }
        ByRules::AfterReading(asked, literal) => {
            let Some(FileState::Text(text)) = files.get(&asked.path) else {
                return None;
            };
            let ready = planned::after_reading(order, &asked, literal, text).ok()?;
            after(&ready.plan, files)
        }
        ByRules::Plan(plan) => {
            let mut texts = BTreeMap::new();
            for path in planned::words_to_read(order, &plan) {
                match files.get(&path) {
                    Some(FileState::Text(text)) => texts.insert(path, text.clone()),
                    _ => return None,
                };
            }
            let ready = planned::of_whole_words(order, plan, texts).ok()?;
            planned::stays_sound(&ready.plan, &texts_of(files)).ok()?;
            after(&ready.plan, files)
        }
    }
}

fn texts_of(files: &Files) -> BTreeMap<String, String> {
    let texts = files.iter().filter_map(|(path, state)| match state {
        FileState::Text(text) => Some((path.clone(), text.clone())),
        _ => None,
    });
    texts.collect()
}

/// The files after the steps of a plan.
fn after(plan: &Plan, files: &Files) -> Option<Files> {
    let mut files = files.clone();
    for action in &plan.actions {
        match (action, action_path(action).and_then(|path| files.get(path))) {
            (_, Some(FileState::Folder | FileState::Closed)) => return None,
            (Action::CreateFile { .. }, Some(FileState::Present | FileState::Text(_)))
            | (Action::DeleteFile { .. } | Action::ReplaceText { .. }, Some(FileState::Absent))
            | (Action::ReplaceText { .. }, Some(FileState::Present) | None) => return None,
            (Action::ReplaceText { old, .. }, Some(FileState::Text(text)))
                if !text.contains(old) =>
            {
                return None;
            }
            (_, Some(FileState::Text(text))) => {
                let path = action_path(action)?.to_owned();
                let mut texts = BTreeMap::from([(path.clone(), text.clone())]);
                whole_words::follow(&mut texts, action);
                let left = texts
                    .remove(&path)
                    .map_or(FileState::Absent, FileState::Text);
                files.insert(path, left);
            }
            (Action::CreateFile { path, content }, _) => {
                files.insert(path.clone(), FileState::Text(format!("{content}\n")));
            }
            _ => {}
        }
    }
    Some(files)
}

/// The file that a step changes.
fn action_path(action: &Action) -> Option<&str> {
    match action {
        Action::CreateFile { path, .. }
        | Action::AppendText { path, .. }
        | Action::ReplaceText { path, .. }
        | Action::DeleteFile { path } => Some(path),
        _ => None,
    }
}
