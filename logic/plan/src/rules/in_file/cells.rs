//! Cells of a table: `the status of Fog in submissions.csv`, set or told by its row and its column.

use super::lines::{Lines, applied};
use super::rows::{Cell, SMALL, Table};
use super::value::{NewValue, typed};
use crate::rules::refusal::{Offer, Refusal};
use crate::rules::words::pattern;
use crate::turned::Turned;
use domain::plan::Action;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Most rows that an answer or a refusal shows.
const SHOWN_ROWS: usize = 6;

/// Questions that name no column, with the columns that answer them.
static BY_QUESTION: LazyLock<[(Option<Regex>, &[&str]); 4]> = LazyLock::new(|| {
    [
        (pattern(r"(?i)^how old\b|^wie alt\b"), &["age", "alter"]),
        (
            pattern(r"(?i)^(?:where|in which (?:city|town)|wo) (?:do|does|wohnt|wohnen|live)\b"),
            &[
                "city", "town", "place", "address", "location", "ort", "stadt", "wohnort",
                "adresse",
            ],
        ),
        (
            pattern(
                r"(?i)^how much (?:is|are|does|do)\b|^was kostet\b|^wie teuer\b|^what (?:does|do) .* cost\b",
            ),
            &[
                "price", "cost", "costs", "preis", "kosten", "amount", "betrag",
            ],
        ),
        (
            pattern(r"(?i)^when\b|^wann\b"),
            &["date", "day", "time", "when", "datum", "tag", "uhrzeit"],
        ),
    ]
});

/// The names of columns of which one answers a question that names none.
pub(super) fn column_asked(question: &str) -> Option<&'static [&'static str]> {
    let mut known = BY_QUESTION.iter();
    let is_it = |form: &Option<Regex>| form.as_ref().is_some_and(|it| it.is_match(question.trim()));
    known.find(|(form, _)| is_it(form)).map(|(_, names)| *names)
}

/// What an order calls a cell: a column of a row.
static CELL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?P<c1>.+?) (?:of|for|in) (?:the )?(?:row|line|entry)? ?(?:about |with |of |for )?(?P<r1>.+)$",
        r"|^(?P<r2>.+)['’]s (?P<c2>.+)$",
    ))
});

impl Lines<'_> {
    /// The change of a cell; `None` where this is no table, or no column has that name.
    pub(super) fn set_cell(
        &self,
        key: &str,
        from: Option<&str>,
        (to, is_quoted): NewValue<'_>,
    ) -> Option<Result<Action, Refusal>> {
        let table = Table::of(self)?;
        let found = CELL.as_ref()?.captures(key.trim())?;
        let part = |names: [&str; 2]| names.into_iter().find_map(|name| found.name(name));
        let (column, row) = (part(["c1", "c2"])?.as_str(), part(["r1", "r2"])?.as_str());
        let column = column.trim_start_matches("the ");
        let at = table.column_of(column)?;
        let path = self.path;
        let rows = table.rows_about(row);
        let cell = match rows.as_slice() {
            [row] => &row[at],
            [] => return Some(Err(self.absent(&format!("no row with `{row}`")))),
            many => {
                let lines = many.iter().take(SHOWN_ROWS).map(|row| self.row(row));
                let lines: Vec<String> = lines.collect();
                let why = format!(
                    "{path} has `{row}` in {} rows: {}. Which of them is not clear.",
                    many.len(),
                    lines.join(", ")
                );
                let told = (column, row, typed(to, is_quoted));
                let offers = many.iter().take(SHOWN_ROWS);
                let offers = offers.filter_map(|one| {
                    let action = self
                        .replace(one[at].place.clone(), &table.written(to))
                        .ok()?;
                    self.cell_offer(&table, one, told.clone(), applied(self.text, &action))
                });
                let refusal = Refusal::ambiguous(why, vec![format!("show {path}")]);
                return Some(Err(refusal.offering(offers.collect())));
            }
        };
        if from.is_some_and(|from| from != cell.text) || cell.text == to {
            let why = format!("In {path} `{column}` of `{row}` is `{}`.", cell.text);
            return Some(Err(Refusal::ambiguous(why, vec![format!("show {path}")])));
        }
        Some(self.replace(cell.place.clone(), &table.written(to)))
    }

    /// The order that sets a cell of a row that a second cell tells from others.
    fn cell_offer(
        &self,
        table: &Table,
        row: &[Cell],
        (column, about, to): (&str, &str, String),
        after: String,
    ) -> Option<Offer> {
        let about = about.trim_matches('"');
        let named = |cell: &Cell| format!("{about}, {}", cell.text);
        let others = row
            .iter()
            .filter(|cell| !cell.text.contains(',') && cell.text != about);
        let telling = others.filter(|cell| table.rows_about(&named(cell)).len() == 1);
        let path = self.shown_path();
        let order = |cell: &Cell| format!("set the {column} of {} to {to} in {path}", named(cell));
        let forms: Vec<String> = telling.map(order).collect();
        (!forms.is_empty()).then(|| Offer {
            forms,
            after,
            otherwise: format!("Change it in {} in an editor.", self.path),
        })
    }

    /// A row with the number of its line.
    pub(super) fn row(&self, row: &[Cell]) -> String {
        let start = row.first().map_or(0, |cell| cell.place.start);
        let number = self.text[..start].matches('\n').count() + 1;
        let line = self.text[start..].lines().next().unwrap_or_default();
        format!("line {number} (`{}`)", line.trim())
    }

    /// What cells a question asks for, by the names of columns and what stands in their rows. `asked`:
    /// without the name of the file.
    pub(super) fn told_cells(
        &self,
        asked: &str,
        words: impl Fn(&str) -> BTreeSet<String>,
    ) -> Option<String> {
        // The rows that have it would be told.
        let table = Table::of(self).filter(|_| Turned::of(asked).is_none())?;
        let question = &words(asked);
        let is_named = |name: &String| {
            let name = words(name);
            !name.is_empty() && name.is_subset(question)
        };
        let columns = (0..table.head.len()).filter(|at| is_named(&table.head[*at]));
        let mut columns: Vec<usize> = columns.collect();
        if columns.is_empty() {
            let names = column_asked(asked).unwrap_or_default();
            let is_it = |name: &String| names.contains(&name.to_lowercase().as_str());
            columns.extend(table.head.iter().position(is_it));
        }
        // What the rows are called is asked for by which of them it is.
        if columns == [0]
            && let Some(told) = self.told_rows(asked, &words)
        {
            return Some(told);
        }
        let of_columns: BTreeSet<String> = columns
            .iter()
            .flat_map(|at| words(&table.head[*at]))
            .collect();
        let rest = question.difference(&of_columns);
        let rest = rest.filter(|word| !SMALL.contains(&word.as_str()));
        let rest: BTreeSet<String> = rest.cloned().collect();
        // The words of a row that a question has, in the cells that it does not ask for.
        let score = |row: &Vec<Cell>| {
            let others = row.iter().enumerate();
            let others = others.filter(|(at, _)| !columns.contains(at));
            let shared = others.map(|(_, cell)| words(&cell.text).intersection(&rest).count());
            shared.sum::<usize>()
        };
        let best = table
            .rows
            .iter()
            .map(score)
            .max()
            .filter(|best| *best > 0)?;
        let rows: Vec<&Vec<Cell>> = table.rows.iter().filter(|row| score(row) == best).collect();
        if columns.is_empty() || rows.len() > SHOWN_ROWS {
            return None;
        }
        let told = rows.iter().flat_map(|row| {
            let first = row.first().map_or("", |cell| cell.text.as_str());
            columns
                .iter()
                .map(move |at| (first, *at, row[*at].text.as_str()))
        });
        let told = told.map(|(first, at, is)| {
            let is = if is.is_empty() { "empty" } else { is };
            format!("`{}` of {first} is {is}", table.head[at])
        });
        let told: Vec<String> = told.collect();
        let head = self.text[table.header.clone()].trim();
        let shown: String = rows.iter().map(|row| shown_row(self, row)).collect();
        Some(format!(
            "{} (by rules, no model).\n\nFrom {}:\n  {head}{shown}",
            told.join(", and "),
            self.path
        ))
    }
}

/// A row below an answer, with the number of its line.
pub(super) fn shown_row(lines: &Lines<'_>, row: &[Cell]) -> String {
    let shown = lines.row(row);
    let shown = shown.trim_start_matches("line ").replacen(" (`", ": ", 1);
    format!("\n  {}", shown.trim_end_matches("`)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "title,magazine,status\nThe Lamp,Granta,sent\nFog,Tin House,rejected\n\"Ships, Old\",Granta,\n";

    fn lines() -> Lines<'static> {
        Lines {
            path: "s.csv",
            text: TABLE,
        }
    }

    #[test]
    fn a_cell_is_set_by_its_row_and_its_column() {
        assert!(CELL.is_some());
        for (key, to, line) in [
            ("status of Fog", "sent", "Fog,Tin House,sent\n"),
            (
                "the status for the row Fog",
                "a, b",
                "Fog,Tin House,\"a, b\"\n",
            ),
            ("Fog's magazine", "Granta", "Fog,Granta,rejected\n"),
            (
                "status of Ships, Old",
                "sent",
                "\"Ships, Old\",Granta,sent\n",
            ),
        ] {
            let action = lines().set_cell(key, None, (to, false)).unwrap().unwrap();
            let Action::ReplaceText { old, new, .. } = action else {
                panic!("{action:?}");
            };
            assert!(TABLE.replacen(&old, &new, 1).contains(line), "{key}: {new}");
        }
        let refused = |key: &str| {
            let set = lines().set_cell(key, None, ("x", false)).unwrap();
            set.unwrap_err().to_string()
        };
        assert!(refused("status of Granta").contains("in 2 rows: line 2 (`The Lamp"));
        assert!(refused("status of Sea").contains("no row with `Sea`"));
        // A row of another name is not meant, and one that has the words is.
        let people = Lines {
            path: "p.csv",
            text: "name,age\nAnna-Lena,12\nKarl Müller,58\n",
        };
        let set = |key: &str| people.set_cell(key, None, ("35", false)).unwrap();
        let none = set("age of Anna").unwrap_err().to_string();
        assert!(none.contains("no row with `Anna`"), "{none}");
        assert!(set("age of Karl").is_ok());
        let words = |text: &str| {
            text.split(' ')
                .map(str::to_lowercase)
                .collect::<BTreeSet<_>>()
        };
        assert!(
            people
                .told_cells("which age has Anna-Lena", words)
                .is_some()
        );
        assert!(
            people
                .told_cells("which age has not Anna-Lena", words)
                .is_none()
        );
        assert!(
            lines()
                .set_cell("colour of Fog", None, ("x", false))
                .is_none()
        );
    }
}
