//! A column of a table by its numbers: rows in order by it, and what its cells are together: `sort hosts.csv by
//! ram_gb`, `average age in people.csv`.

use super::lines::Lines;
use super::rows::{Cell, Table};
use super::sorted::letters;
use crate::rules::grammar::{SUMS, expand};
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Regex;
use std::sync::LazyLock;

/// What asks for the average or the sum of a column.
static SUM: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(&expand(SUMS)));
/// A number with its unit.
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?P<n>-?\d+(?:\.\d+)?)(?P<unit>[ ]?[\p{L}%€$£/]*)$"));

/// Whether a question is for the average or the sum of a column.
pub(crate) fn asks_sum(question: &str) -> bool {
    let question = question.trim().trim_end_matches(['?', '.', '!', ' ']);
    SUM.as_ref().is_some_and(|sum| sum.is_match(question))
}

/// The numbers of some cells, with the unit of all; `None` where one is none or has another unit.
fn numbers<'a>(cells: impl Iterator<Item = &'a str>) -> Option<(Vec<f64>, String)> {
    let mut unit: Option<String> = None;
    let mut found = Vec::new();
    for cell in cells {
        let number = NUMBER.as_ref()?.captures(cell.trim())?;
        if unit.get_or_insert_with(|| number["unit"].to_owned()) != &number["unit"] {
            return None;
        }
        found.push(number["n"].parse().ok()?);
    }
    Some((found, unit?))
}

/// A number with at most two places.
fn written(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// What an average or a sum is of, where a question wants one.
pub(super) fn told(question: &str, lines: &Lines<'_>) -> Option<String> {
    let question = question.trim().trim_end_matches(['?', '.', '!', ' ']);
    let found = SUM.as_ref()?.captures(question)?;
    let table = Table::of(lines)?;
    let column = table.column_of(&found["column"])?;
    let cells = table.rows.iter().map(|row| row[column].text.as_str());
    let cells = cells.filter(|cell| !cell.is_empty());
    let (numbers, unit) = numbers(cells)?;
    let sum: f64 = numbers.iter().sum();
    let is_average = ["average", "mean"].contains(&found["what"].to_lowercase().as_str());
    let (what, is) = match is_average {
        true => ("average", sum / numbers.len() as f64),
        false => ("sum", sum),
    };
    let (name, path) = (&table.head[column], lines.path);
    let rows = match numbers.len() {
        1 => "1 row".to_owned(),
        count => format!("{count} rows"),
    };
    let all: Vec<String> = numbers.iter().map(|number| written(*number)).collect();
    let all = match all.len() {
        ..=SHOWN_CELLS => format!(": {}", all.join(", ")),
        _ => String::new(),
    };
    Some(format!(
        "The {what} of `{name}` in {path} is {}{unit}, of {rows}{all} (by rules, no model).",
        written(is)
    ))
}

/// Most cells that an answer shows.
const SHOWN_CELLS: usize = 12;

impl Lines<'_> {
    /// The changes that put the rows in order by a column: by its numbers where all of its cells are some, and else
    /// by letters. Empty cells are last.
    pub(super) fn sorted_rows(
        &self,
        column: &str,
        is_reverse: bool,
    ) -> Result<Vec<Action>, Refusal> {
        let Some(table) = Table::of(self) else {
            return Err(self.absent("no table that I can read"));
        };
        let at = table.column_of(column).ok_or_else(|| {
            let names = table.head.join("`, `");
            self.absent(&format!("no column `{column}`, and `{names}`"))
        })?;
        let lines: Vec<&str> = self.text.lines().collect();
        let first = self.text[..table.header.end].lines().count();
        let rows = lines.len() - first;
        if rows != table.rows.len() {
            return Err(self.absent("empty lines between its rows"));
        }
        let cell = |row: &Vec<Cell>| row[at].text.clone();
        let filled = table.rows.iter().map(|row| row[at].text.as_str());
        let are_numbers = numbers(filled.filter(|cell| !cell.is_empty())).is_some();
        let number = |cell: &str| {
            let found = NUMBER.as_ref().and_then(|number| number.captures(cell));
            found.and_then(|found| found["n"].parse::<f64>().ok())
        };
        let mut order: Vec<(String, &str)> = table
            .rows
            .iter()
            .map(cell)
            .zip(lines[first..].iter().copied())
            .collect();
        order.sort_by(|(one, _), (other, _)| {
            let by_value = match (are_numbers, number(one), number(other)) {
                (true, Some(one), Some(other)) => one.total_cmp(&other),
                _ => letters(one).cmp(&letters(other)),
            };
            let by_value = match is_reverse {
                true => by_value.reverse(),
                false => by_value,
            };
            one.is_empty().cmp(&other.is_empty()).then(by_value)
        });
        let mut is: Vec<&str> = lines[..first].to_vec();
        is.extend(order.iter().map(|(_, line)| *line));
        if is == lines {
            let why = format!("The rows of {} are in that order already.", self.path);
            let shows = vec![format!("show {}", self.shown_path())];
            return Err(Refusal::absent(why, shows));
        }
        self.rewritten(&is)
    }
}
