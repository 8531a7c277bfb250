//! A column that is added to a table: `add a column status to people.csv with the value open`.

use super::asked::Asked;
use super::lines::Lines;
use super::rows::Table;
use super::saying::{Built, Saying, bare};
use crate::rules::building::Match;
use crate::rules::refusal::Refusal;
use crate::rules::words::is_file;
use domain::plan::Action;
use std::ops::Range;

const COLUMN: &str = r"(?:the |an? )?(?:new )?(?:empty )?column {called}{text:key}";
const VALUE: &str = r"(?:,? (?:with|set to|and) (?:the )?(?:default )?(?:value |text )?{text:to}(?: (?:in|for) (?:each|every|all)(?: of)?(?: the)? rows?)?)?";

/// The parts of the sayings by name.
pub(super) const PARTS: [(&str, &str); 2] = [("{COLUMN}", COLUMN), ("{VALUE}", VALUE)];

pub(super) static SAYINGS: [Saying; 2] = [
    (
        r"(?:add|insert|append) {COLUMN} (?:to|in|into) {FILE}{VALUE}",
        add,
    ),
    (
        r"(?:add|insert|append) {COLUMN}{VALUE} (?:to|in|into) {FILE}",
        add,
    ),
];

fn add(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let name = bare(found, "key")?;
    let value = match found.has("to") {
        true => bare(found, "to")?,
        false => String::new(),
    };
    let ending = Lines {
        path: &path,
        text: "",
    }
    .ending();
    let is_table = ["csv", "tsv", "md", "markdown"].contains(&ending.as_str());
    // Bare words may say more than a name.
    let is_name = found.is_quoted("key") || !name.contains(char::is_whitespace);
    let is_value = found.is_quoted("to") || value.split_whitespace().count() <= 1;
    let is_clear = is_table && is_file(&path) && is_name && is_value && !name.is_empty();
    Ok(is_clear.then_some((path, Asked::AddColumn { name, value })))
}

impl Lines<'_> {
    /// The changes that add a column behind the last, with a value in each row.
    pub(super) fn add_column(&self, name: &str, value: &str) -> Result<Vec<Action>, Refusal> {
        let Some(table) = Table::of(self) else {
            return Err(self.absent("no table that I can read"));
        };
        if table.column(name).is_some() {
            let why = format!("{} has a column `{name}` already.", self.path);
            return Err(Refusal::ambiguous(
                why,
                vec![format!("show {}", self.shown_path())],
            ));
        }
        let begins: Vec<usize> = table
            .rows
            .iter()
            .filter_map(|row| Some(row.first()?.place.start))
            .collect();
        let is_row =
            |line: &Range<usize>| begins.iter().any(|at| line.contains(at) || line.end == *at);
        let places: Vec<Range<usize>> = self.lines().collect();
        let header = places.iter().position(|line| *line == table.header);
        let is_of_bars = table.is_of_bars();
        let mut lines: Vec<String> = Vec::new();
        for (at, line) in places.iter().enumerate() {
            let text = &self.text[line.clone()];
            let cell = if *line == table.header {
                Some(table.written(name))
            } else if is_of_bars && header.is_some_and(|header| at == header + 1) {
                Some("---".to_owned())
            } else if is_row(line) && !text.trim().is_empty() {
                Some(table.written(value))
            } else {
                None
            };
            lines.push(match cell {
                Some(cell) => table.with_cell(text, &cell),
                None => text.to_owned(),
            });
        }
        // A byte order mark is of the file and of no line.
        let mark = if self.text.starts_with('\u{feff}') {
            "\u{feff}"
        } else {
            ""
        };
        if let Some(first) = lines.first_mut() {
            first.insert_str(0, mark);
        }
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        self.rewritten(&lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_file::lines::applied;

    fn with(path: &str, text: &str, name: &str, value: &str) -> String {
        match (Lines { path, text }).add_column(name, value) {
            Ok(actions) => actions
                .iter()
                .fold(text.to_owned(), |text, action| applied(&text, action)),
            Err(refusal) => refusal.message,
        }
    }

    #[test]
    fn a_column_is_added_to_the_header_and_each_row() {
        for (path, text, value, after) in [
            (
                "p.csv",
                "name,age\nAnna,41\n\nTom,28\n",
                "open",
                "name,age,status\nAnna,41,open\n\nTom,28,open\n",
            ),
            (
                "p.csv",
                "name;age\nAnna;41",
                "a;b",
                "name;age;status\nAnna;41;\"a;b\"",
            ),
            ("p.csv", "name\r\nAnna\r\n", "", "name,status\r\nAnna,\r\n"),
            (
                "t.md",
                "# T\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nend\n",
                "open",
                "# T\n\n| a | b | status |\n|---|---|---|\n| 1 | 2 | open |\n\nend\n",
            ),
            (
                "p.csv",
                "name,Status\nAnna,x\n",
                "open",
                "p.csv has a column `status` already.",
            ),
            (
                "p.csv",
                "a,b\n1\n",
                "open",
                "p.csv has no table that I can read",
            ),
        ] {
            let is = with(path, text, "status", value);
            assert!(is.starts_with(after), "{text:?}: {is}");
        }
    }
}
