//! A whole request in the hands of the rules: planned and validated.

use crate::rules::in_file::{self, InFile, whole_words};
use crate::rules::{self, Refusal, RefusalKind, joined, small_talk};
use crate::{forbidden, named, orders, question, validate};
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

/// Whether a request is a greeting or thanks and nothing else, which the rules answer.
#[must_use]
pub fn greets(request: &str) -> bool {
    small_talk::to_greeting(request.trim()).is_some()
}

/// Whether nothing in a request names an act or a thing that a tool reaches: a greeting, thanks, a question
/// about who answers.
#[must_use]
pub fn is_small_talk(request: &str) -> bool {
    greets(request) || small_talk::is_of_talk_alone(request)
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
    let planned = rules::plan(request).map_err(|refusal| match refusal.kind {
        RefusalKind::NotUnderstood => not_clear(&orders).unwrap_or_else(|| refusal.into()),
        _ => refusal.into(),
    });
    let planned = planned.and_then(valid);
    match in_file::read(request).filter(|_| !forbidden::forbids(request)) {
        None => planned.map(ByRules::Plan),
        Some(asked) => {
            let literal = planned.ok().filter(|_| asked.may_be_literal);
            Ok(ByRules::AfterReading(asked, literal))
        }
    }
}

/// The refusal of the order among several that is not clear, where it is one to change something: a small
/// model would do the others and show a file for it.
fn not_clear(orders: &[String]) -> Option<Unplanned> {
    let several = orders.iter().filter(|_| orders.len() > 1);
    let mut acting = several.filter(|order| orders::acts(order));
    acting.find_map(|order| plan(order).err())
}

/// The refusal of a request that a small model does not pass over: of an order, what is understood is not
/// left to a guess.
#[must_use]
pub fn refuses(request: &str) -> Option<Fault> {
    if forbidden::only_forbids(request) {
        return Some(rules::forbidden(request).fault());
    }
    if in_file::read(request).is_some() || matches!(plan(request), Ok(ByRules::Several(_))) {
        return None;
    }
    let refusal = rules::plan(request).err()?;
    let is_unread = refusal.kind == RefusalKind::NotUnderstood
        && !forbidden::forbids(request)
        && !rules::has_unclear_end(request);
    if is_unread && let Some(Unplanned::Refused(fault)) = not_clear(&joined::orders(request)) {
        return Some(fault);
    }
    let stands = refusal.stands(orders::acts(request));
    stands.then(|| refusal.fault())
}

/// The files whose text the orders would change that the refusal of a request offers: a folder among them
/// has none.
#[must_use]
pub fn offered_files(request: &str) -> Vec<String> {
    let offers = rules::plan(request).err().map(|refusal| refusal.nearest);
    let texts = |offer: &String| match plan(offer) {
        Ok(ByRules::AfterReading(asked, _)) => vec![asked.path],
        Ok(ByRules::Plan(plan)) => {
            let paths = plan.actions.iter().filter_map(|action| match action {
                Action::AppendText { path, .. }
                | Action::ReplaceText { path, .. }
                | Action::CreateFile { path, .. } => Some(path.clone()),
                _ => None,
            });
            paths.collect()
        }
        Ok(ByRules::Several(_)) | Err(_) => Vec::new(),
    };
    offers.iter().flatten().flat_map(texts).collect()
}

/// The only file that a question names, which may be one of settings that answers it.
#[must_use]
pub fn asks_of(request: &str) -> Option<String> {
    let request = in_english(request);
    let mut files = named::files_of(&request).into_iter();
    let only = files.next().filter(|_| files.next().is_none())?;
    let may_be = in_file::may_answer(&request, &only) && question::wants_telling(&request);
    may_be.then_some(only)
}

/// What the text of a file of settings says to a question.
#[must_use]
pub fn answer(request: &str, path: &str, text: &str) -> Option<String> {
    in_file::answer(&in_english(request), path, text)
}

/// A plan that may run, and what is said of it.
#[derive(Debug)]
pub struct Ready {
    /// The plan.
    pub plan: Plan,
    /// What the user is told of it.
    pub note: Option<Fault>,
}

/// A request in English, where it is one that is known whole in German or Spanish; else as it is.
#[must_use]
pub fn in_english(request: &str) -> String {
    rules::in_english(request)
}

/// A request as the intent of its plan.
#[must_use]
pub fn intent(request: &str) -> String {
    rules::intent(request)
}

/// What the texts of files are after a step, as far as they are known.
pub fn follow(texts: &mut BTreeMap<String, String>, action: &Action) {
    whole_words::follow(texts, action);
}

/// The files that are read before a plan replaces words in them.
#[must_use]
pub fn words_to_read(request: &str, plan: &Plan) -> Vec<String> {
    whole_words::to_read(&rules::quotes(request), plan)
}

/// The plan that replaces whole words alone. `texts` are the files of [`words_to_read`].
///
/// # Errors
/// Where a text stands as a part of longer words alone, or in more places than a plan has steps.
pub fn of_whole_words(
    request: &str,
    plan: Plan,
    texts: BTreeMap<String, String>,
) -> Result<Ready, Unplanned> {
    let (plan, note) = whole_words::of(&rules::quotes(request), plan, texts)?;
    let plan = valid(plan)?;
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

fn valid(plan: Plan) -> Result<Plan, Unplanned> {
    match validate::typed(&plan, &rules::handlers()) {
        Ok(()) => Ok(plan),
        Err(invalid) => Err(Unplanned::Refused(invalid.fault())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(request: &str, text: &str) -> Result<Vec<Action>, String> {
        let told = |unplanned| match unplanned {
            Unplanned::Refused(fault) => format!("{} {}", fault.message, fault.hint),
            Unplanned::Help(text) => text,
        };
        match plan(request).map_err(told)? {
            ByRules::AfterReading(asked, literal) => {
                let ready = after_reading(request, &asked, literal, text);
                ready.map(|ready| ready.plan.actions).map_err(told)
            }
            ByRules::Plan(plan) => Ok(plan.actions),
            ByRules::Several(orders) => Err(format!("{orders:?}")),
        }
    }

    #[test]
    fn the_name_of_a_value_is_not_replaced_as_a_word() {
        for (says, text) in [
            ("change listen to 8080 in nginx.conf", "  listen { 80; }\n"),
            (
                "change port to 9 in h.json",
                "{\"port\": 8080, \"ssl\": false}\n",
            ),
            (
                "change port to 9 in i.yaml",
                "server: {port: 8080, host: a}\n",
            ),
            ("change PORT to 9000 in Makefile", "PORT ?= 8080\n"),
            (
                "change the log level to debug in note.toml",
                "# the log level may be info\n[other]\nlevel = \"info\"\n",
            ),
        ] {
            let told = after(says, text).unwrap_err();
            assert!(told.contains("may name a value"), "{says}: {told}");
        }
        // The controls: a value, and a word of a text.
        for (says, text) in [
            ("change 8080 to 9090 in h.json", "{\"port\": 8080}\n"),
            (
                "change Tuesday to Monday in days.txt",
                "Tuesday: call the bank\n",
            ),
        ] {
            assert_eq!(after(says, text).unwrap().len(), 1, "{says}");
        }
        let log = "# the log level may be info\n[log]\nlevel = \"info\"\n";
        assert!(after("change the log level to debug in note.toml", log).is_ok());
        let on = after("change enabled to no in settings.ini", "enabled=yes\n").unwrap();
        let Action::ReplaceText { new, .. } = &on[0] else {
            panic!("{on:?}");
        };
        assert_eq!(new, "no");
    }

    #[test]
    fn an_order_in_passing_that_is_not_clear_is_told_by_its_file() {
        for says in [
            "show a.txt and by the way fix it",
            "change port to 9 in a.toml and by the way fix it",
        ] {
            let told = after(says, "port = 1\n").unwrap_err();
            assert!(
                told.contains("I did not understand `fix a."),
                "{says}: {told}"
            );
            assert!(
                says.starts_with("change") || refuses(says).is_some(),
                "{says}"
            );
        }
        // Who is to be told something is not refused for it.
        assert!(refuses("show a.txt and summarise it").is_none());
    }

    #[test]
    fn orders_whose_parts_are_whole_are_done_one_by_one_and_others_asked_back() {
        let says = "replace Tom with Tim in novel.md and replace Anna with Anne in novel.md";
        assert!(matches!(plan(says), Ok(ByRules::Several(orders)) if orders.len() == 2));
        for says in [
            // A file may have the name of the text.
            "remove \"milk\" and add \"oat\" to list.txt",
            // The first order moves the lines of the second.
            "delete line 2 of n.txt and delete line 3 of n.txt",
            // The end may be text or an order.
            "add to notes.md: buy milk and show notes.md",
        ] {
            assert!(!understands(says), "{says}");
        }
    }
}
