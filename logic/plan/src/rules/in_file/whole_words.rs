//! Replacing words: where they stand as words of their own, as the texts show.

use super::lines::{Lines, applied};
use super::written;
use crate::gate;
use crate::names;
use crate::quoted::{in_quotes, typed_path};
use crate::rules::refusal::{Note, Offer, Refusal};
use domain::limits::PLAN_ACTIONS;
use domain::plan::{Action, Plan};
use domain::tool::EffectClass;
use std::collections::BTreeMap;
use std::ops::Range;

/// Most longer words that are named.
const SHOWN_WORDS: usize = 4;

/// The files that have to be read before words are replaced in them. What stood in quotes is meant as
/// it is, wherever it stands, and is looked up where another file would be changed before it is missed.
pub(crate) fn to_read(quotes: &[String], plan: &Plan) -> Vec<String> {
    let mut made: Vec<&str> = Vec::new();
    let mut read: Vec<String> = Vec::new();
    let are_several = plan.actions.iter().filter(|one| changes(one)).count() > 1;
    for action in &plan.actions {
        match action {
            Action::CreateFile { path, .. } | Action::MoveFile { to: path, .. } => made.push(path),
            Action::ReplaceText { path, old, .. }
                if (are_several || !quotes.contains(old)) && !made.contains(&path.as_str()) =>
            {
                read.push(path.clone());
            }
            _ => {}
        }
    }
    read.sort();
    read.dedup();
    read
}

/// Whether a step changes something.
fn changes(action: &Action) -> bool {
    gate::effect(action) != EffectClass::Read
}

/// Refuses a plan that would change some file before it misses a text in another one; offered is the order for those
/// that have it.
fn are_all_there(
    quotes: &[String],
    plan: &Plan,
    texts: &BTreeMap<String, String>,
) -> Result<(), Refusal> {
    if plan.actions.iter().filter(|one| changes(one)).count() < 2 {
        return Ok(());
    }
    let mut texts = texts.clone();
    let mut missing: Option<(&String, &String)> = None;
    let mut left: Vec<(&String, &String, &String)> = Vec::new();
    for action in &plan.actions {
        if let Action::ReplaceText { path, old, new } = action {
            match texts.get(path).is_some_and(|text| !text.contains(old)) {
                true => missing = missing.or(Some((path, old))),
                false => left.push((path, old, new)),
            }
        }
        follow(&mut texts, action);
    }
    let Some((path, old)) = missing else {
        return Ok(());
    };
    let typed = |text: &String| match quotes.contains(text) {
        true => in_quotes(text),
        false => text.clone(),
    };
    let are_of_one = left
        .windows(2)
        .all(|pair| (pair[0].1, pair[0].2) == (pair[1].1, pair[1].2));
    let is_all = plan
        .actions
        .iter()
        .all(|one| matches!(one, Action::ReplaceText { .. }));
    let paths: Vec<String> = left.iter().map(|(path, ..)| typed_path(path)).collect();
    let nearest = match (left.first(), paths.split_last()) {
        (Some((_, old, new)), Some((last, others))) if are_of_one && is_all => {
            let others = others.join(", ");
            let joint = if others.is_empty() { "" } else { " and " };
            let (old, new) = (typed(old), typed(new));
            vec![format!("replace {old} with {new} in {others}{joint}{last}")]
        }
        _ => Vec::new(),
    };
    let why = format!("{path} does not have `{old}`, so that no file was changed.");
    Err(Refusal::absent(why, nearest))
}

/// The plan that replaces whole words alone, and what is said of the words that stay. `texts` are the
/// files of [`to_read`].
pub(crate) fn of(
    quotes: &[String],
    plan: Plan,
    mut texts: BTreeMap<String, String>,
) -> Result<(Plan, Option<Note>), Refusal> {
    are_all_there(quotes, &plan, &texts)?;
    let mut actions = Vec::new();
    let mut note = None;
    for action in plan.actions {
        let made = match &action {
            Action::ReplaceText { path, old, new } if !quotes.contains(old) => {
                let Some(text) = texts.get(path) else {
                    let why = format!("What {path} says is not known before the other steps ran.");
                    let advice = "Give one order at a time.";
                    return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
                };
                let lines = Lines { path, text };
                let (made, longer) = replaced(&lines, old, new)?;
                if !longer.is_empty() {
                    note = Some(stay(&lines, (old, new), &made, &longer));
                }
                made
            }
            _ => vec![action],
        };
        for action in made {
            follow(&mut texts, &action);
            actions.push(action);
        }
    }
    if actions.len() > PLAN_ACTIONS {
        let why = format!(
            "A plan has at most {PLAN_ACTIONS} steps, and this has {} because some places are parts of longer words.",
            actions.len()
        );
        return Err(Refusal::ambiguous(why, Vec::new()));
    }
    let intent = plan.intent;
    Ok((Plan { intent, actions }, note))
}

/// The steps that replace a text where it stands as words, and the longer words that it is a part of.
fn replaced(
    lines: &Lines<'_>,
    old: &str,
    new: &str,
) -> Result<(Vec<Action>, Vec<String>), Refusal> {
    let (path, text) = (lines.path, lines.text);
    if is_a_column(path, text, old) {
        let why =
            format!("`{old}` is a column of {path}, and which of its rows is meant is not said.");
        let nearest = vec![format!("show {path}"), everywhere(lines, old, new)];
        return Err(Refusal::ambiguous(why, nearest));
    }
    let all = text.match_indices(old).map(|(at, _)| at..at + old.len());
    let (whole, parts): (Vec<_>, Vec<_>) =
        all.partition(|place| names::is_words(text, place.clone()) && !is_of_a_number(text, place));
    let mut longer: Vec<String> = Vec::new();
    for word in parts
        .into_iter()
        .map(|place| names::word_around(text, place))
    {
        if !longer.contains(&word) {
            longer.push(word);
        }
    }
    if longer.is_empty() {
        let action = Action::ReplaceText {
            path: path.to_owned(),
            old: old.to_owned(),
            new: new.to_owned(),
        };
        return Ok((vec![action], longer));
    }
    if whole.is_empty() {
        let why = format!(
            "`{old}` stands in {path} as a part of longer words alone ({}).",
            shown(&longer)
        );
        let nearest = match of_longer_names(lines, &longer, new) {
            names if names.is_empty() => vec![everywhere(lines, old, new)],
            names => names,
        };
        return Err(Refusal::ambiguous(why, nearest));
    }
    Ok((lines.replace_all(&whole, new)?, longer))
}

/// The orders that set longer names, where a value would stand within them: `50` in `DEFAULT_PAGE_SIZE`.
fn of_longer_names(lines: &Lines<'_>, longer: &[String], new: &str) -> Vec<String> {
    let is_value = written::is_literal(new) || new.starts_with(|c: char| c.is_ascii_digit());
    let names = longer
        .iter()
        .filter(|name| is_value && !lines.values(name).is_empty());
    let path = lines.shown_path();
    let names = names.take(SHOWN_WORDS);
    names
        .map(|name| format!("set {name} to {new} in {path}"))
        .collect()
}

/// Whether digits are a part of a number or a version: `3` of `3.8`.
pub(super) fn is_of_a_number(text: &str, place: &Range<usize>) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    let is_number = text[place.clone()].chars().all(digit);
    let (before, after) = (&text[..place.start], &text[place.end..]);
    let goes_on = |rest: Option<&str>, is_last: bool| {
        rest.is_some_and(|rest| match is_last {
            true => rest.ends_with(digit),
            false => rest.starts_with(digit),
        })
    };
    is_number
        && (goes_on(before.strip_suffix('.'), true) || goes_on(after.strip_prefix('.'), false))
}

/// Whether words are the name of a column of a table.
fn is_a_column(path: &str, text: &str, words: &str) -> bool {
    let ending = path
        .rsplit_once('.')
        .map(|(_, ending)| ending.to_lowercase());
    let is_table = ending.is_some_and(|ending| ["csv", "tsv"].contains(&ending.as_str()));
    let header = text.lines().next().unwrap_or_default();
    let mut names = header.split([',', ';', '\t']);
    is_table && names.any(|name| name.trim().trim_matches('"') == words)
}

/// What the texts are after a step.
pub(crate) fn follow(texts: &mut BTreeMap<String, String>, action: &Action) {
    match action {
        Action::CreateFile { path, content } => {
            texts.insert(path.clone(), format!("{content}\n"));
        }
        Action::AppendText { path, content } => {
            if let Some(text) = texts.get_mut(path) {
                text.push_str(&format!("{content}\n"));
            }
        }
        Action::ReplaceText { path, old, new } => {
            if let Some(text) = texts.get_mut(path) {
                *text = text.replace(old, new);
            }
        }
        Action::DeleteFile { path } | Action::MoveFile { from: path, .. } => {
            texts.remove(path);
        }
        Action::Undo {} => texts.clear(),
        _ => {}
    }
}

fn shown(words: &[String]) -> String {
    let named: Vec<String> = words
        .iter()
        .take(SHOWN_WORDS)
        .map(|word| format!("`{word}`"))
        .collect();
    let more = words.len().saturating_sub(SHOWN_WORDS);
    match more {
        0 => named.join(", "),
        _ => format!("{} and {more} more", named.join(", ")),
    }
}

/// The order that replaces a text wherever it stands.
fn everywhere(lines: &Lines<'_>, old: &str, new: &str) -> String {
    format!(
        "replace {} with {} in {}",
        in_quotes(old),
        in_quotes(new),
        lines.shown_path()
    )
}

fn stay(lines: &Lines<'_>, (old, new): (&str, &str), made: &[Action], longer: &[String]) -> Note {
    let path = lines.path;
    let mut after = lines.text.to_owned();
    for action in made {
        after = applied(&after, action);
    }
    Note {
        code: "plan.whole_words",
        message: format!(
            "In {path} `{old}` is replaced only where it is a whole word: {} stay.",
            shown(longer)
        ),
        before_offer: "For all of them",
        offer: Some(Offer {
            forms: vec![everywhere(lines, old, new)],
            after: after.replace(old, new),
            otherwise: String::new(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn made(request: &str, text: &str) -> Result<(String, Option<String>), String> {
        let plan = rules::plan(request).map_err(|refusal| refusal.to_string())?;
        let quotes = rules::quotes(request);
        let path = "c.txt".to_owned();
        let mut texts = BTreeMap::from([(path.clone(), text.to_owned())]);
        let (plan, note) = of(&quotes, plan, texts.clone()).map_err(|it| it.to_string())?;
        for action in &plan.actions {
            follow(&mut texts, action);
        }
        let text = texts.remove(&path).unwrap_or_default();
        Ok((text, note.map(|note| note.message)))
    }

    #[test]
    fn parts_of_words_stay_and_are_named() {
        let (text, note) = made("replace cat with dog in c.txt", "A cat, cats, a cat.\n").unwrap();
        assert_eq!(text, "A dog, cats, a dog.\n");
        assert!(note.unwrap().contains("`cats`"));
        let (text, note) = made("replace cat with dog in c.txt", "A cat.\n").unwrap();
        assert_eq!((text.as_str(), note), ("A dog.\n", None));
        let refused = made("replace cat with dog in c.txt", "cats\n").unwrap_err();
        assert!(refused.contains("longer words alone (`cats`)"), "{refused}");
        let (text, _) = made("replace 'cat' with 'dog' in c.txt", "cats\n").unwrap();
        assert_eq!(text, "dogs\n");
        let many = "cat cats\n".repeat(20);
        assert!(made("replace cat with dog in c.txt", &many).is_err());
    }

    #[test]
    fn no_file_is_changed_where_another_lacks_the_words() {
        let text = |text: &str| text.to_owned();
        let here = [("a.md", "Oskar\n"), ("b.md", "Rain\n"), ("c.md", "Oskar\n")];
        let here: BTreeMap<String, String> = here
            .into_iter()
            .map(|(path, says)| (text(path), text(says)))
            .collect();
        for (request, offered) in [
            (
                "replace Oskar with Otto in a.md, b.md and c.md",
                Some("replace Oskar with Otto in a.md and c.md"),
            ),
            (
                "replace \"Oskar\" with \"Otto\" in a.md and b.md",
                Some("replace \"Oskar\" with \"Otto\" in a.md"),
            ),
            ("replace Oskar with Otto in a.md and c.md", None),
        ] {
            let plan = rules::plan(request).unwrap();
            let quotes = rules::quotes(request);
            let read = to_read(&quotes, &plan);
            let mut texts = here.clone();
            texts.retain(|path, _| read.contains(path));
            let refused = of(&quotes, plan, texts).err();
            let nearest = refused.and_then(|refused| refused.nearest.first().cloned());
            assert_eq!(nearest.as_deref(), offered, "{request}");
        }
    }

    #[test]
    fn a_file_that_an_earlier_step_made_is_known_or_refused() {
        let says = "create c.txt with 'cats and a cat' then replace cat with dog in c.txt";
        assert_eq!(made(says, "").unwrap().0, "cats and a dog\n");
        let plan = rules::plan(says).unwrap();
        assert_eq!(to_read(&[], &plan), [""; 0]);
        let says = "move a.txt to b.txt then replace cat with dog in b.txt";
        assert!(made(says, "cat\n").is_err());
    }
}
