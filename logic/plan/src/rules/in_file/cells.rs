//! Cells of a table: `the status of Fog in submissions.csv`, set or told by its row and its column.

use super::keys::plain;
use super::lines::Lines;
use super::values::NewValue;
use super::written::separator_of;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use regex::Regex;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// Most rows that an answer or a refusal shows.
const SHOWN_ROWS: usize = 6;

/// What an order calls a cell: a column of a row.
static CELL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?P<c1>.+?) (?:of|for|in) (?:the )?(?:row|line|entry)? ?(?:about |with |of |for )?(?P<r1>.+)$",
        r"|^(?P<r2>.+)['’]s (?P<c2>.+)$",
    ))
});

/// A cell by its place in the text.
struct Cell {
    place: Range<usize>,
    text: String,
}

/// The rows of a table, each on one line.
struct Table {
    head: Vec<String>,
    rows: Vec<Vec<Cell>>,
    separator: char,
}

/// The cells of a line; none where a quote is not closed on it.
fn cells(text: &str, line: Range<usize>, separator: char) -> Option<Vec<Cell>> {
    let mut found = Vec::new();
    let mut start = line.start;
    let mut is_quoted = false;
    let mut ends: Vec<usize> = Vec::new();
    for (at, c) in text[line.clone()].char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            c if c == separator && !is_quoted => ends.push(line.start + at),
            _ => {}
        }
    }
    ends.push(line.end);
    for end in ends {
        let raw = text[start..end].trim();
        let inner = raw.strip_prefix('"').and_then(|raw| raw.strip_suffix('"'));
        let cell = inner.map_or_else(|| raw.to_owned(), |inner| inner.replace("\"\"", "\""));
        found.push(Cell {
            place: start..end,
            text: cell,
        });
        start = end + separator.len_utf8();
    }
    (!is_quoted).then_some(found)
}

/// Whether a cell has these words, one behind the other. A part of a word is none: `Anna` is not
/// `Anna-Lena`.
fn says(cell: &str, words: &str) -> bool {
    let parts = |text: &str| -> Vec<String> {
        let parts = text.split(|c: char| c.is_whitespace() || ",;:()".contains(c));
        let parts = parts.filter(|part| !part.is_empty());
        parts.map(str::to_owned).collect()
    };
    let (cell, words) = (parts(cell), parts(words));
    !words.is_empty() && cell.windows(words.len()).any(|some| some == words)
}

impl Table {
    fn of(lines: &Lines<'_>) -> Option<Self> {
        let separator = match lines.ending().as_str() {
            "tsv" => '\t',
            "csv" => char::from(separator_of(lines.text)),
            _ => return None,
        };
        let all = lines.lines().filter(|line| !line.is_empty());
        let rows: Option<Vec<Vec<Cell>>> =
            all.map(|line| cells(lines.text, line, separator)).collect();
        let mut rows = rows?.into_iter();
        let head: Vec<String> = rows.next()?.into_iter().map(|cell| cell.text).collect();
        let rows: Vec<Vec<Cell>> = rows.collect();
        let is_even = rows.iter().all(|row| row.len() == head.len());
        is_even.then_some(Self {
            head,
            rows,
            separator,
        })
    }

    /// The rows that have a cell that says this, or else those that have one with it as words.
    fn rows_about(&self, about: &str) -> Vec<&Vec<Cell>> {
        let about = about.trim().trim_matches(['"', '\'']).to_lowercase();
        let having = |is: &dyn Fn(&str) -> bool| {
            let has = |row: &&Vec<Cell>| row.iter().any(|cell| is(&cell.text.to_lowercase()));
            self.rows.iter().filter(has).collect::<Vec<_>>()
        };
        match having(&|cell| cell == about) {
            exact if !exact.is_empty() => exact,
            _ => having(&|cell| says(cell, &about)),
        }
    }

    /// A text as a cell of this table.
    fn written(&self, text: &str) -> String {
        match text.contains([self.separator, '"']) {
            true => format!("\"{}\"", text.replace('"', "\"\"")),
            false => text.to_owned(),
        }
    }
}

impl Lines<'_> {
    /// The change of a cell; `None` where this is no table, or no column has that name.
    pub(super) fn set_cell(
        &self,
        key: &str,
        from: Option<&str>,
        (to, _): NewValue<'_>,
    ) -> Option<Result<Action, Refusal>> {
        let table = Table::of(self)?;
        let found = CELL.as_ref()?.captures(key.trim())?;
        let part = |names: [&str; 2]| names.into_iter().find_map(|name| found.name(name));
        let (column, row) = (part(["c1", "c2"])?.as_str(), part(["r1", "r2"])?.as_str());
        let column = column.trim_start_matches("the ");
        let at = table
            .head
            .iter()
            .position(|name| plain(name) == plain(column))?;
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
                return Some(Err(Refusal::ambiguous(why, vec![format!("show {path}")])));
            }
        };
        if from.is_some_and(|from| from != cell.text) || cell.text == to {
            let why = format!("In {path} `{column}` of `{row}` is `{}`.", cell.text);
            return Some(Err(Refusal::ambiguous(why, vec![format!("show {path}")])));
        }
        Some(self.replace(cell.place.clone(), &table.written(to)))
    }

    /// A row with the number of its line.
    fn row(&self, row: &[Cell]) -> String {
        let start = row.first().map_or(0, |cell| cell.place.start);
        let number = self.text[..start].matches('\n').count() + 1;
        let line = self.text[start..].lines().next().unwrap_or_default();
        format!("line {number} (`{}`)", line.trim())
    }

    /// What cells a question asks for, by the names of columns and what stands in their rows. `question`: its
    /// words.
    pub(super) fn told_cells(
        &self,
        question: &BTreeSet<String>,
        words: impl Fn(&str) -> BTreeSet<String>,
    ) -> Option<String> {
        let table = Table::of(self)?;
        let is_named = |name: &String| {
            let name = words(name);
            !name.is_empty() && name.is_subset(question)
        };
        let columns: Vec<usize> = (0..table.head.len())
            .filter(|at| is_named(&table.head[*at]))
            .collect();
        let of_columns: BTreeSet<String> = columns
            .iter()
            .flat_map(|at| words(&table.head[*at]))
            .collect();
        let rest: BTreeSet<String> = question.difference(&of_columns).cloned().collect();
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
        let head = self.text.lines().next().unwrap_or_default().trim();
        let shown = rows.iter().map(|row| {
            let shown = self.row(row);
            let shown = shown.trim_start_matches("line ").replacen(" (`", ": ", 1);
            format!("\n  {}", shown.trim_end_matches("`)"))
        });
        let shown: String = shown.collect();
        Some(format!(
            "{} (by rules, no model).\n\nFrom {}:\n  {head}{shown}",
            told.join(", and "),
            self.path
        ))
    }
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
        assert!(
            lines()
                .set_cell("colour of Fog", None, ("x", false))
                .is_none()
        );
    }
}
