//! What the steps of a plan showed, and what of it a question is about.

use crate::format;
use crate::prompt::{self, Focus};
use domain::plan::Action;
use serde_json::Value;
use std::collections::HashSet;
use text::escape::{prose, visible};

/// What one finished step showed.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Formatted for people, safe to print.
    pub text: String,
    /// Whole contents of the files it read, with their paths, safe to print.
    pub contents: Vec<(String, String)>,
    /// What it counted, with the path: it is about any question that a plan counts for.
    pub counts: Option<(String, String)>,
}

impl Shown {
    /// Of an action whose calls gave these results.
    #[must_use]
    pub fn of(action: &Action, results: &[Value]) -> Self {
        let text = prose(&format::step(action, results));
        if let Action::CountLines { path } = action {
            return Self {
                counts: Some((visible(path), text.clone())),
                text,
                ..Self::default()
            };
        }
        let contents = results.iter().flat_map(|data| contents_of(action, data));
        Self {
            contents: contents.collect(),
            text,
            ..Self::default()
        }
    }
}

/// What the steps before showed, seen from a question.
#[derive(Debug)]
pub enum Focused {
    /// Places with the lines that the question is about.
    On(Vec<(String, String)>),
    /// The question says no more than that it wants to be told, or there are no whole texts.
    Everything,
    /// These places hold nothing about it.
    Nothing(Vec<String>),
}

/// Finds what of it a question is about.
#[must_use]
pub fn focus(shown: &[Shown], question: &str) -> Focused {
    let mut quotes: Vec<(String, String)> = shown
        .iter()
        .filter_map(|step| step.counts.clone())
        .collect();
    let mut places = Vec::new();
    for (place, content) in merged(shown) {
        match prompt::focus(&place, &content, question) {
            Focus::Lines(lines) => quotes.push((place, lines)),
            Focus::Whole => return Focused::Everything,
            Focus::Nothing => places.push(place),
        }
    }
    match (quotes.is_empty(), places.is_empty()) {
        (false, _) => Focused::On(quotes),
        (true, true) => Focused::Everything,
        (true, false) => Focused::Nothing(places),
    }
}

/// The texts by place, each line once: several steps may have shown the same.
fn merged(shown: &[Shown]) -> Vec<(String, String)> {
    let mut merged: Vec<(String, String)> = Vec::new();
    for (place, content) in shown.iter().flat_map(|step| &step.contents) {
        let Some((_, known)) = merged.iter_mut().find(|(known, _)| known == place) else {
            merged.push((place.clone(), content.clone()));
            continue;
        };
        let seen: HashSet<String> = known.lines().map(str::to_owned).collect();
        for line in content.lines().filter(|line| !seen.contains(*line)) {
            known.push('\n');
            known.push_str(line);
        }
    }
    merged
}

/// A small model that is asked about a text without the answer makes one up.
#[must_use]
pub fn nothing_about(places: &[String]) -> String {
    let places: Vec<&str> = places
        .iter()
        .map(|place| if place == "." { "this folder" } else { place })
        .collect();
    format!(
        "I found no line about that in {}. A model of this size goes by the words of single lines: ask in \
         other words, or use a larger model (`carl models`).",
        places.join(", ")
    )
}

/// The texts in a result that a question may be about: a file's content, or the lines found.
fn contents_of(action: &Action, data: &Value) -> Vec<(String, String)> {
    let text = |value: &Value, field: &str| value.get(field).and_then(Value::as_str).map(visible);
    match action {
        Action::SearchText { query, path } if format::is_document(data) => {
            let found = format::found_in_document(query, path, data);
            contents_of(action, &found)
        }
        Action::SearchText { path, .. } => {
            let mut places: Vec<(String, String)> = Vec::new();
            for found in data
                .get("matches")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let (Some(place), Some(line)) = (text(found, "path"), text(found, "text")) else {
                    continue;
                };
                match places.iter_mut().find(|(known, _)| *known == place) {
                    Some((_, lines)) => *lines = format!("{lines}\n{line}"),
                    None => places.push((place, line)),
                }
            }
            if places.is_empty() {
                places.push((path.clone(), String::new()));
            }
            places
        }
        Action::Recall { .. } | Action::WebSearch { .. } => told(action, data),
        _ => text(data, "path")
            .zip(text(data, "content"))
            .into_iter()
            .collect(),
    }
}

/// What memory or the web told, by where it stands.
fn told(action: &Action, data: &Value) -> Vec<(String, String)> {
    let results = data.get("results").and_then(Value::as_array);
    let told = results.into_iter().flatten().map(|one| {
        let fields: &[&str] = match action {
            Action::WebSearch { .. } => &["claim", "summary", "text"],
            _ => &["name", "description", "text"],
        };
        let texts = fields.iter().filter_map(|field| one.get(*field)?.as_str());
        let place = match one.get("source_url").and_then(Value::as_str) {
            Some(url) => visible(url),
            None => "memory".to_owned(),
        };
        let texts: Vec<String> = texts.map(visible).collect();
        (place, texts.join("\n"))
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(contents: &[(&str, &str)]) -> Shown {
        let owned = |(place, text): &(&str, &str)| ((*place).to_owned(), (*text).to_owned());
        Shown {
            contents: contents.iter().map(owned).collect(),
            ..Shown::default()
        }
    }

    #[test]
    fn what_several_searches_found_is_quoted_once() {
        let line = "Bob, phone 0199";
        let steps = [
            shown(&[("a.txt", line)]),
            shown(&[("a.txt", line)]),
            shown(&[(".", "")]),
        ];
        let Focused::On(quotes) = focus(&steps, "What is Bob's phone number?") else {
            panic!("nothing found");
        };
        assert_eq!(quotes, [("a.txt".to_owned(), line.to_owned())]);
    }

    #[test]
    fn a_question_about_nothing_that_was_shown_is_told_so() {
        let steps = [shown(&[(".", "")]), shown(&[(".", "")])];
        let Focused::Nothing(places) = focus(&steps, "Who is the king of France?") else {
            panic!("something found");
        };
        let told = nothing_about(&places);
        assert!(
            told.starts_with("I found no line about that in this folder. "),
            "{told}"
        );
    }
}
