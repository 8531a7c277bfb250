//! A word that is removed from prose goes with one of the blanks beside it, and only where it is a whole word.

use super::lines::Lines;
use crate::names;
use crate::rules::plain;
use crate::rules::words::pattern;
use domain::limits::PLAN_ACTIONS;
use domain::plan::{Action, Plan};
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An order that says of what it removes that it is a word.
static OF_WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:the|all|every|each|any) words?\b|\b(?:occurrences?|instances?) of (?:the )?words?\b",
    )
});

/// An order that says what stands there instead, to the letter.
static REPLACES: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"(?i)\b(?:replace|substitute|change|turn|edit)\b"));

/// What a step removes from prose: the file and the text.
fn removed(action: &Action) -> Option<(&String, &String)> {
    let Action::ReplaceText { path, old, new } = action else {
        return None;
    };
    let is_word = |c: char| c.is_alphanumeric();
    let is_of_words = old.starts_with(is_word) && old.ends_with(is_word);
    (new.is_empty() && is_of_words && plain::is_prose(path)).then_some((path, old))
}

/// The files that are read before words are removed from them.
pub(crate) fn to_read(plan: &Plan) -> Vec<String> {
    let mut made: Vec<&str> = Vec::new();
    let mut read: Vec<String> = Vec::new();
    for action in &plan.actions {
        match action {
            Action::CreateFile { path, .. }
            | Action::AppendText { path, .. }
            | Action::MoveFile { to: path, .. } => made.push(path),
            _ => {}
        }
        if let Some((path, _)) = removed(action)
            && !made.contains(&path.as_str())
            && !read.contains(path)
        {
            read.push(path.clone());
        }
    }
    read
}

/// The plan that removes words with a blank beside each. It stays as it is where a file is not known, or a text
/// stands within longer words and the order does not say that it is a word.
pub(crate) fn with_blanks(request: &str, plan: Plan, texts: &BTreeMap<String, String>) -> Plan {
    if REPLACES.as_ref().is_some_and(|it| it.is_match(request)) {
        return plan;
    }
    let says_word = OF_WORDS.as_ref().is_some_and(|of| of.is_match(request));
    let mut texts = texts.clone();
    let mut actions = Vec::new();
    for action in plan.actions {
        let steps = removed(&action).and_then(|(path, old)| {
            let text = texts.get(path)?;
            steps(&Lines { path, text }, old, says_word)
        });
        for step in steps.unwrap_or_else(|| vec![action]) {
            super::whole_words::follow(&mut texts, &step);
            actions.push(step);
        }
    }
    Plan {
        intent: plan.intent,
        actions,
    }
}

/// The steps that remove a text wherever it is a whole word, each with the signs beside it.
fn steps(lines: &Lines<'_>, old: &str, says_word: bool) -> Option<Vec<Action>> {
    let mut text = lines.text.to_owned();
    let is_whole = |text: &str, at: usize| names::is_words(text, at..at + old.len());
    let are_whole = text.match_indices(old).all(|(at, _)| is_whole(&text, at));
    if !are_whole && !says_word {
        return None;
    }
    let mut steps = Vec::new();
    while let Some((at, _)) = text.match_indices(old).find(|(at, _)| is_whole(&text, *at)) {
        let before = text[..at].chars().next_back();
        let after = text[at + old.len()..].chars().next();
        let is_blank = |c: Option<char>| c == Some(' ');
        let sign = |c: Option<char>| c.map(String::from).unwrap_or_default();
        // At the beginning of a line the blank behind it goes, else the one before it.
        let (stays_before, stays_after) = match (is_blank(before), is_blank(after)) {
            (true, _) => (String::new(), sign(after)),
            (false, true) => (sign(before), String::new()),
            (false, false) => (sign(before), sign(after)),
        };
        // Without a sign beside it, it may be the end of a longer word elsewhere.
        if !are_whole && (before.is_none() || after.is_none()) || steps.len() == PLAN_ACTIONS {
            return one_by_one(lines, old).filter(|_| says_word);
        }
        let whole = format!("{}{old}{}", sign(before), sign(after));
        let new = format!("{stays_before}{stays_after}");
        text = text.replace(&whole, &new);
        steps.push(Action::ReplaceText {
            path: lines.path.to_owned(),
            old: whole,
            new,
        });
    }
    (!steps.is_empty()).then_some(steps)
}

/// The steps that remove a text where it is a whole word, each at its place.
fn one_by_one(lines: &Lines<'_>, old: &str) -> Option<Vec<Action>> {
    let all = lines
        .text
        .match_indices(old)
        .map(|(at, _)| at..at + old.len());
    let places: Vec<_> = all
        .filter(|place| names::is_words(lines.text, place.clone()))
        .collect();
    lines.replace_all(&places, "").ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules;

    fn after(request: &str, text: &str) -> String {
        let plan = rules::plan(request).unwrap();
        let path = "c.md".to_owned();
        let mut texts = BTreeMap::from([(path.clone(), text.to_owned())]);
        for action in with_blanks(request, plan, &texts.clone()).actions {
            super::super::whole_words::follow(&mut texts, &action);
        }
        texts.remove(&path).unwrap_or_default()
    }

    #[test]
    fn a_removed_word_takes_one_blank_along() {
        let says = "delete the word \"very\" everywhere in c.md";
        for (text, left) in [
            (
                "a very firm, very cold, very\nvery new\n",
                "a firm, cold,\nnew\n",
            ),
            ("a very very firm day\n", "a firm day\n"),
            ("every very firm day (very)\n", "every firm day ()\n"),
            ("very, every\n", ", every\n"),
            ("a  very  firm\n", "a   firm\n"),
        ] {
            assert_eq!(after(says, text), left, "{text}");
        }
        // To the letter.
        let says = "replace \"very\" with nothing in c.md";
        assert_eq!(after(says, "a very firm\n"), "a  firm\n");
    }
}
