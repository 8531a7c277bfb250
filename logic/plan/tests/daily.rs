//! Everyday orders on files as people have them, by rules: each edit to the line, each answer, and each refusal
//! with every order that it offers.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails loudly, in its helpers too"
)]

use domain::fault::Fault;
use domain::plan::Action;
use plan::by_rules::{self, ByRules, FileState, Files, Unplanned};
use plan::rules::RefusalKind;
use std::collections::BTreeMap;

const FILES: &str = concat!(
    include_str!("data/daily_files.txt"),
    include_str!("data/question_files.txt")
);
const ORDERS: &str = concat!(
    include_str!("data/daily_orders.txt"),
    include_str!("data/daily_questions.txt")
);

/// An order, with what has to come of it.
#[derive(Debug, Default)]
struct Row {
    path: String,
    order: String,
    /// The file that changes, where it is another than the one that is named.
    changed: Option<String>,
    gone: Vec<String>,
    come: Vec<String>,
    /// The line above the first one that comes.
    above: Option<String>,
    answer: Option<String>,
    refusal: Option<String>,
    offers: Vec<String>,
}

fn files() -> BTreeMap<String, String> {
    let parts = FILES.split("=== ").skip(1);
    let file = |part: &str| {
        let (path, text) = part.split_once('\n').unwrap();
        (path.to_owned(), text.to_owned())
    };
    parts.map(file).collect()
}

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut path = String::new();
    for line in ORDERS.lines() {
        let (sign, rest) = line.split_at(1.min(line.len()));
        let rest = rest.strip_prefix(' ').unwrap_or(rest).to_owned();
        if sign == "@" {
            path = rest;
            continue;
        }
        if sign == ">" {
            rows.push(Row {
                path: path.clone(),
                order: rest,
                ..Row::default()
            });
            continue;
        }
        let Some(row) = rows.last_mut() else { continue };
        match sign {
            "-" => row.gone.push(rest),
            "+" => row.come.push(rest),
            "^" => row.above = Some(rest),
            "*" => row.changed = Some(rest),
            "=" => row.answer = Some(rest),
            "!" => row.refusal = Some(rest),
            "?" => row.offers.push(rest),
            "" | "#" => {}
            _ => panic!("what is {line}?"),
        }
    }
    rows
}

/// The files after an order, with what the plan shows; or why it is not done.
fn done(order: &str, files: &Files) -> Result<(Files, Vec<Action>), Unplanned> {
    let text = |path: &String| match files.get(path) {
        Some(FileState::Text(text)) => text.clone(),
        _ => String::new(),
    };
    let texts = |paths: Vec<String>| -> BTreeMap<String, String> {
        let texts = paths.into_iter().map(|path| (path.clone(), text(&path)));
        texts.collect()
    };
    let plan = match by_rules::plan(order)? {
        ByRules::Plan(plan) => {
            let mut read = by_rules::words_to_read(order, &plan);
            read.extend(by_rules::list_to_read(order, &plan));
            let words = texts(read);
            let plan = by_rules::of_whole_words(order, plan, words)?.plan;
            by_rules::stays_sound(&plan, &texts(by_rules::formats_to_read(&plan)))?;
            plan
        }
        ByRules::AfterReading(asked, literal) => {
            by_rules::after_reading(order, &asked, literal, &text(&asked.path))?.plan
        }
        ByRules::Several(orders) => {
            let mut files = files.clone();
            let mut all = Vec::new();
            for order in orders {
                let (after, actions) = done(&order, &files)?;
                files = after;
                all.extend(actions);
            }
            return Ok((files, all));
        }
    };
    let mut after = files.clone();
    for action in &plan.actions {
        let (Action::CreateFile { path, .. }
        | Action::AppendText { path, .. }
        | Action::ReplaceText { path, .. }) = action
        else {
            continue;
        };
        let is = match after.get(path) {
            Some(FileState::Text(text)) => text.clone(),
            _ => String::new(),
        };
        if let Action::ReplaceText { old, .. } = action
            && !is.contains(old)
        {
            return Err(Unplanned::Invalid(Fault {
                code: "absent".to_owned(),
                message: format!("{path} does not have {old}"),
                hint: String::new(),
            }));
        }
        let mut known = BTreeMap::from([(path.clone(), is)]);
        by_rules::follow(&mut known, action);
        let text = known.remove(path).unwrap();
        let text = match action {
            // A file ends with one line end.
            Action::CreateFile { .. } => format!("{}\n", text.trim_end()),
            _ => text,
        };
        after.insert(path.clone(), FileState::Text(text));
    }
    Ok((after, plan.actions))
}

/// The lines that went and those that came, and the one above the first that came.
fn difference(before: &str, after: &str) -> (Vec<String>, Vec<String>, Option<String>) {
    let diff = similar::TextDiff::from_lines(before, after);
    let (mut gone, mut come, mut above) = (Vec::new(), Vec::new(), None);
    let mut last: Option<String> = None;
    for change in diff.iter_all_changes() {
        let line = change.value().trim_end_matches('\n').to_owned();
        match change.tag() {
            similar::ChangeTag::Delete => gone.push(line),
            similar::ChangeTag::Insert => {
                if come.is_empty() {
                    above = last.take();
                }
                come.push(line);
            }
            similar::ChangeTag::Equal => last = Some(line),
        }
    }
    (gone, come, above)
}

/// What is wrong with what came of an order; nothing where all is as it has to be.
fn fault(row: &Row, text: &str) -> Option<String> {
    if let Some(answer) = &row.answer {
        let mut asked = by_rules::asks_of(&row.order);
        if asked.is_empty() {
            let here = [row.path.clone(), "other.md".to_owned()];
            asked = by_rules::asks_of_folder(&row.order, &here);
        }
        let texts = [(row.path.clone(), text.to_owned())];
        let told = asked.contains(&row.path).then_some(texts);
        let told = told.and_then(|texts| by_rules::answer(&row.order, &texts));
        let told = told.or_else(|| {
            let (_, actions) = done(&row.order, &state(row, text)).ok()?;
            Some(format!("{actions:?}"))
        });
        return match told {
            Some(told) if told.contains(answer) => None,
            told => Some(format!("answers {told:?}")),
        };
    }
    let files = state(row, text);
    let is = match done(&row.order, &files) {
        Ok((after, _)) => {
            let changed = row.changed.as_ref().unwrap_or(&row.path);
            let others = after.iter().filter(|(path, _)| *path != changed);
            let mut others = others.filter(|(path, is)| files.get(*path) != Some(is));
            let text = |files: &Files| match files.get(changed) {
                Some(FileState::Text(text)) => text.clone(),
                _ => String::new(),
            };
            let (gone, come, above) = difference(&text(&files), &text(&after));
            let is_above = row.above.is_none() || row.above == above;
            let is_meant = row.refusal.is_none() && gone == row.gone && come == row.come;
            if is_meant && is_above && others.next().is_none() {
                return None;
            }
            format!("-{gone:?}\n   +{come:?} below {above:?}")
        }
        Err(Unplanned::Refused(refusal)) => {
            let refusal = by_rules::proven(*refusal, &files);
            let looks = ["show ", "help"];
            // What is not understood gets examples.
            let is_read = refusal.kind != RefusalKind::NotUnderstood;
            let nearest = refusal.nearest.iter().filter(|_| is_read);
            let offers = nearest.filter(|order| !looks.iter().any(|look| order.starts_with(look)));
            let offers: Vec<&String> = offers.collect();
            let said = format!("{} {}", refusal.message, refusal.advice.unwrap_or_default());
            let is_meant = row.refusal.as_ref().is_some_and(|words| {
                said.contains(words) || offers.iter().any(|offer| offer.contains(words))
            });
            if is_meant && offers.iter().copied().eq(&row.offers) {
                return None;
            }
            format!("refused: {said}\n   offers {offers:?}")
        }
        Err(Unplanned::Invalid(fault)) => {
            let words = row.refusal.as_ref();
            if row.offers.is_empty() && words.is_some_and(|words| fault.message.contains(words)) {
                return None;
            }
            format!("fails: {}", fault.message)
        }
        Err(other) => format!("{other:?}"),
    };
    Some(is)
}

fn state(row: &Row, text: &str) -> Files {
    BTreeMap::from([(row.path.clone(), FileState::Text(text.to_owned()))])
}

#[test]
fn everyday_orders_do_what_they_say() {
    let files = files();
    let rows = rows();
    let mut wrong = Vec::new();
    for row in &rows {
        let text = files.get(&row.path).unwrap();
        if let Some(fault) = fault(row, text) {
            wrong.push(format!("> {}\n   {fault}", row.order));
        }
    }
    assert!(
        rows.len() >= 150 && wrong.is_empty(),
        "{} of {} are right\n{}",
        rows.len() - wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}
