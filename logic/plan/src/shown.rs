//! What the steps of a plan showed, and what of it a question is about.

use crate::numbers::{self, Numbered};
use crate::prompt::{self, Focus};
use crate::quoted::typed_path;
use crate::rules::in_file;
use crate::{extract, format, given, named};
use domain::plan::Action;
use serde_json::Value;
use std::collections::HashSet;
use text::escape::{prose, visible, visible_line};

/// What one finished step showed.
#[derive(Debug, Clone, Default)]
pub struct Shown {
    /// Formatted for people, safe to print.
    pub text: String,
    /// Whole contents of the files it read, with their paths, safe to print.
    pub contents: Vec<(String, String)>,
    /// Those of them that are whole, from the first line to the last.
    pub whole: Vec<(String, String)>,
    /// What it counted, with the path: it is about any question that a plan counts for.
    pub counts: Option<(String, String)>,
    /// How many lines, words and bytes it counted.
    pub counted: Option<[u64; 3]>,
    /// How many documents (PDF, docx, odt) a search passed over.
    pub documents: u64,
    /// The numbers of the lines that it showed.
    pub numbers: Vec<Numbered>,
}

impl Shown {
    /// Of an action whose calls gave these results.
    #[must_use]
    pub fn of(action: &Action, results: &[Value]) -> Self {
        let text = prose(&format::step(action, results));
        if let Action::CountLines { path } = action {
            return Self {
                counts: Some((visible(path), text.clone())),
                counted: results.first().and_then(totals),
                text,
                ..Self::default()
            };
        }
        let contents = results.iter().flat_map(|data| contents_of(action, data));
        Self {
            contents: contents.collect(),
            numbers: results
                .iter()
                .flat_map(|data| numbers::numbers(action, data))
                .collect(),
            whole: results
                .iter()
                .filter_map(|data| whole(action, data))
                .collect(),
            text,
            documents: results
                .iter()
                .filter_map(|data| data.get("documents")?.as_u64())
                .sum(),
            ..Self::default()
        }
    }

    /// Whether it is the data that came with the request.
    #[must_use]
    pub fn is_given(&self) -> bool {
        self.contents.iter().any(|(place, _)| place == given::PLACE)
    }
}

/// How many lines, words and bytes a file has.
fn totals(data: &Value) -> Option<[u64; 3]> {
    let fields = ["total_lines", "total_words", "total_bytes"];
    let [lines, words, bytes] = fields.map(|field| data.get(field).and_then(Value::as_u64));
    Some([lines?, words?, bytes?])
}

/// What the files that a question names have, and have together, where all that was looked at was counted. A file that
/// it does not name answers nothing.
fn sums(shown: &[Shown], question: &str) -> Option<String> {
    let mut places = shown.iter().filter_map(|step| step.counts.as_ref());
    if !places.all(|(path, _)| named::is_named_so(question, path)) {
        return None;
    }
    let counted: Vec<[u64; 3]> = shown.iter().map_while(|step| step.counted).collect();
    if counted.is_empty() || counted.len() < shown.len() {
        return None;
    }
    let each: Vec<&str> = shown.iter().map(|step| step.text.as_str()).collect();
    let told = each.join("\n");
    if counted.len() == 1 {
        return Some(format!("{told} (by rules, no model)."));
    }
    let sum = |at: usize| counted.iter().map(|one| one[at]).sum();
    let words = format::counted([sum(0), sum(1), sum(2)]);
    Some(format!("{told}\nTogether: {words} (by rules, no model)."))
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

/// What a file is whole, with its path.
fn whole(action: &Action, data: &Value) -> Option<(String, String)> {
    let Action::ReadFile { path } = action else {
        return None;
    };
    let is_cut = data.get("truncated") != Some(&Value::Bool(false));
    let content = data.get("content")?.as_str()?;
    (!is_cut).then(|| (visible(path), visible(content)))
}

/// The answer that needs no model: what files of settings set, where a question asks for it by name, and
/// of a text that is to be summarised its headings and first sentences.
#[must_use]
pub fn by_rules(shown: &[Shown], question: &str) -> Option<String> {
    let data = shown.iter().flat_map(|step| &step.contents);
    let mut data = data.filter(|(place, _)| place == given::PLACE);
    if let Some(told) = data.find_map(|(_, data)| given::counted(question, data)) {
        return Some(told);
    }
    let whole = shown.iter().flat_map(|step| &step.whole);
    let texts: Vec<(String, String)> = whole.cloned().collect();
    if let Some(told) = in_file::answers(question, &texts) {
        return Some(told);
    }
    if let Some(told) = sums(shown, question) {
        return Some(told);
    }
    let is_of_all = || {
        matches!(
            focus(shown, &extract::subject(question)),
            Focused::Everything
        )
    };
    let texts = merged(shown);
    match extract::is_wanted(question) && is_of_all() {
        true => extract::summary(&texts),
        false => None,
    }
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
#[must_use]
pub fn merged(shown: &[Shown]) -> Vec<(String, String)> {
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

/// What is told where no line says anything of a question.
#[must_use]
pub fn nothing_about(places: &[String], unread: &Unread<'_>) -> String {
    let places: Vec<&str> = places
        .iter()
        .map(|place| if place == "." { "this folder" } else { place })
        .collect();
    format!(
        "I found no line about that in {}.{} I go by the words of single lines here: ask in other words, or use a \
         larger model (`carl models`).",
        places.join(", "),
        unread.told()
    )
}

/// The documents in view that nothing was looked for in.
#[derive(Debug, Default)]
pub struct Unread<'a> {
    /// How many.
    pub count: u64,
    /// The first of them, if its name is known.
    pub first: Option<&'a str>,
}

impl Unread<'_> {
    fn told(&self) -> String {
        let (count, what) = match self.count {
            0 => return String::new(),
            1 => (
                "1 document (PDF, docx, odt) was not searched".to_owned(),
                "it",
            ),
            more => (
                format!("{more} documents (PDF, docx, odt) were not searched"),
                "one",
            ),
        };
        match self.first {
            Some(first) => {
                let path = typed_path(first);
                format!(" {count}: `show {}` reads {what}.", visible_line(&path))
            }
            None => format!(" {count}."),
        }
    }
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
        let told = nothing_about(&places, &Unread::default());
        assert!(
            told.starts_with("I found no line about that in this folder. "),
            "{told}"
        );
    }
}
