//! Orders that refusals offer, proven on copies of the files before anybody is shown one.
//!
//! An order is offered where the rules understand it, the files are as it needs them, it does what it is
//! offered for and nothing else, and each file that it changes is as sound as it was.

use crate::behind_colon;
use crate::planned::{self, ByRules};
use crate::question;
use crate::quoted::in_quotes;
use crate::rules::in_file::{self, whole_words};
use crate::rules::words::is_file;
use crate::rules::{self, Note, Offer, Refusal, RefusalKind, described};
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

/// Verbs of orders that write a text.
const WRITING: [&str; 9] = [
    "add", "append", "begin", "start", "create", "insert", "prepend", "put", "write",
];

/// Words that say that the text itself follows.
const TEXT_FOLLOWS: [&str; 8] = [
    " says",
    " saying",
    " reads",
    " reading",
    " the text",
    " the line",
    " the words",
    " the sentence",
];

/// A refusal without the orders that would write, as a text, words by which the request only says what somebody is
/// to write: `a paragraph about the storm`. Where none is left, it shows where the text itself goes.
#[must_use]
pub fn of_given_texts(mut refusal: Refusal, request: &str) -> Refusal {
    let mut given = rules::quotes(request);
    given.extend(behind_colon::text_of(request).map(str::to_owned));
    let made_up = |order: &String| made_up(order, &given);
    let first = refusal.nearest.iter().find_map(made_up);
    let offered = refusal.offers.iter().flat_map(|offer| &offer.forms);
    let Some(pattern) = first.or_else(|| offered.clone().find_map(made_up)) else {
        return refusal;
    };
    refusal.nearest.retain(|order| made_up(order).is_none());
    for offer in &mut refusal.offers {
        offer.forms.retain(|order| made_up(order).is_none());
    }
    refusal.offers.retain(|offer| !offer.forms.is_empty());
    if refusal.nearest.is_empty() && refusal.offers.is_empty() {
        refusal.advice = Some(format!("Give the text itself, as in `{pattern}`."));
    }
    refusal
}

/// Whether nothing stands here but the sign of an item of a list, with its box.
fn is_sign(text: &str) -> bool {
    text.chars().all(|c| " \t-*+[]xX".contains(c))
}

/// The pattern of an order that writes words which are no text; `None` of any other.
fn made_up(order: &str, given: &[String]) -> Option<String> {
    let verb = order.split_whitespace().next()?.to_lowercase();
    let is_written = WRITING.contains(&verb.as_str());
    let quotes = rules::quotes(order).into_iter().filter(|_| is_written);
    let is_of_yaml = order.ends_with(".yaml") || order.ends_with(".yml");
    let is_said_to_be = |text: &str| {
        let before = order.split(&in_quotes(text)).next().unwrap_or_default();
        TEXT_FOLLOWS
            .iter()
            .any(|said| before.trim_end().ends_with(said))
    };
    let mut made_up = quotes.filter(|text| {
        // At the end of YAML a key is of no part of it.
        let is_key = is_of_yaml && text.contains(": ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_part = |pair: &[&str]| ["of", "from"].contains(&pair[0]) && is_file(pair[1]);
        let of_files = words.windows(2).any(is_part)
            || (!is_file(text) && words.len() > 1 && words.iter().any(|word| is_file(word)));
        let is_described = !is_file(text) && described::is_of_a_kind(text);
        let is_no_text = (of_files || is_described) && !is_said_to_be(text);
        // A text that was given keeps being one behind the sign of its list.
        let is_given = given
            .iter()
            .any(|one| !one.is_empty() && text.strip_suffix(one.as_str()).is_some_and(is_sign));
        !is_given && ((is_key && !is_file(text)) || is_no_text)
    });
    let text = made_up.next()?;
    Some(order.replacen(&in_quotes(&text), "\"TEXT\"", 1))
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
                    | Action::MoveFile { from: path, .. }
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
    // A tab is shown by another sign, which would be typed in its place.
    let (holding, others): (Vec<&String>, Vec<&String>) =
        refusal.nearest.iter().partition(|order| {
            let holds = done(order, files).is_some() || question::wants_telling(order);
            !order.contains('\t') && holds
        });
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
    let mut forms = offer.forms.iter().filter(|order| !order.contains('\t'));
    forms.find(|order| {
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
        Some(FileState::Absent) if is_file(path) => format!("There is no file {path}."),
        Some(FileState::Absent) => format!(
            "There is no file `{path}` here. Where a list, a section or a key is meant, name its file too: `… in FILE`."
        ),
        Some(FileState::Present) => format!(
            "There is a file {path}: `append \"TEXT\" to {path}` and `insert \"TEXT\" at the top of {path}` add to it."
        ),
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
            if let Some(path) = planned::list_to_read(order, &plan)
                && let Some(FileState::Text(text)) = files.get(&path)
            {
                texts.insert(path, text.clone());
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
            // Where a list, a section or a key was named, no file is made of its name.
            (Action::AppendText { path, .. }, Some(FileState::Absent)) if !is_file(path) => {
                return None;
            }
            (Action::MoveFile { from, .. }, _) if files.get(from) == Some(&FileState::Absent) => {
                return None;
            }
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
