//! The rows of a table that a question asks for by what their columns say: `who lives in Bern in people.csv?`.
//!
//! Each word of the question has to be of a cell, of a header or of no weight: one that may be a condition of
//! another kind (`older than 30`, `not`) leaves the question to others.

use super::cells::shown_row;
use super::dates::{self, ByDate};
use super::lines::Lines;
use super::rows::{Cell, SMALL, Table};
use crate::rules::words::pattern;
use crate::turned::Turned;
use regex::Regex;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Most rows that an answer shows.
const SHOWN_ROWS: usize = 20;

/// How a question for rows begins.
static ASKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:can|could) you )?(?:tell me )?(?:who|whose|which|what|how many|wer|welche[rsnm]?|wie ?viele)\b",
    )
});

/// Words that set no condition.
pub(super) const NO_CONDITION: &str = "who which what whose how many wer welche welcher welches welchen wie viele wieviele can could you \
    tell me is are was were be do does did has have had hat haben ist sind live lives lived living work works worked \
    working stay stays sit sits come comes wohnt wohnen lebt leben arbeitet arbeiten kommt kommen heißt heißen run runs running use uses using used speak speaks belong belongs a an the \
    der die das den dem ein eine in at of from as to on with und and or oder aus von mit bei im als people person persons \
    leute personen row rows zeilen entry entries one ones all there name names named called it them they those these that been yet still";

/// Whether a question counts rows, and not the lines, words or characters of a file: `how many characters come from
/// Bern`.
pub(crate) fn counts_rows(question: &str) -> bool {
    static COUNTS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
            r"(?i)^(?:tell me )?how many (?P<thing>[\w-]+) (?P<does>[\w-]+)(?: (?P<next>[\w-]+))?",
        )
    });
    const OF_UNITS: [&str; 12] = [
        "do", "does", "did", "has", "have", "had", "in", "of", "there", "and", "or", "long",
    ];
    const BE: [&str; 4] = ["are", "is", "was", "were"];
    let found = COUNTS
        .as_ref()
        .and_then(|counts| counts.captures(question.trim()));
    found.is_some_and(|found| {
        let word = |name| found.name(name).map(|word| word.as_str().to_lowercase());
        let word = match word("does") {
            // `how many characters are older than 30`.
            Some(does) if BE.contains(&does.as_str()) => word("next"),
            does => does,
        };
        word.is_some_and(|word| !OF_UNITS.contains(&word.as_str()))
    })
}

/// What compares a number of a row with one of the question.
static COMPARES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?P<how>older|younger|cheaper|more expensive|dearer|more|greater|higher|larger|bigger|longer|heavier|taller|less|fewer|lower|smaller|shorter|lighter|over|above|under|below|at least|at most",
        r"|älter|jünger|billiger|teurer|mehr|größer|höher|länger|weniger|kleiner|niedriger|kürzer|über|unter|mindestens|höchstens)",
        r"(?: than| als)? (?P<n>-?\d+(?:[.,]\d+)?)\b(?: (?:years?(?: old)?|jahre?(?: alt)?))?",
    ))
});

/// Whether a question compares numbers or dates of rows.
pub(crate) fn compares(question: &str) -> bool {
    COMPARES
        .as_ref()
        .is_some_and(|form| form.is_match(question))
        || dates::compares(question)
}

/// Which rows have a number on one side of another.
struct Comparison {
    column: usize,
    how: Ordering,
    number: f64,
    may_be_equal: bool,
}

impl Comparison {
    /// What a question compares, by the column that it names, means by its word, or that alone has numbers; with
    /// the rest of the question.
    fn of(
        table: &Table,
        asked: &str,
        words: impl Fn(&str) -> BTreeSet<String>,
    ) -> Option<(Self, String)> {
        let found = COMPARES.as_ref()?.captures(asked)?;
        let how = found["how"].to_lowercase();
        let whole = found.get(0)?;
        let rest = format!("{} {}", &asked[..whole.start()], &asked[whole.end()..]);
        let is_number = |cell: &Cell| cell.text.is_empty() || number(&cell.text).is_some();
        let has_numbers = |column: &usize| {
            let mut rows = table.rows.iter();
            rows.all(|row| is_number(&row[*column]))
        };
        let meant = columns_meant(&how);
        let question = words(&rest);
        let is_meant = |column: &usize| {
            let name = words(&table.head[*column]);
            match meant.is_empty() {
                true => !name.is_empty() && name.is_subset(&question),
                false => meant.iter().any(|one| name.contains(*one)),
            }
        };
        let only = |columns: Vec<usize>| match columns.as_slice() {
            [one] => Some(*one),
            _ => None,
        };
        let with_numbers: Vec<usize> = (0..table.head.len()).filter(has_numbers).collect();
        let named: Vec<usize> = with_numbers.iter().copied().filter(is_meant).collect();
        let column = match named.is_empty() && meant.is_empty() {
            true => only(with_numbers)?,
            false => only(named)?,
        };
        Some((
            Self {
                column,
                how: if is_less(&how) {
                    Ordering::Less
                } else {
                    Ordering::Greater
                },
                number: number(&found["n"])?,
                may_be_equal: ["at least", "at most", "mindestens", "höchstens"]
                    .contains(&how.as_str()),
            },
            rest,
        ))
    }

    fn meets(&self, row: &[Cell]) -> bool {
        let Some(is) = number(&row[self.column].text) else {
            return false;
        };
        let order = is.total_cmp(&self.number);
        order == self.how || (self.may_be_equal && order.is_eq())
    }

    fn stated(&self, table: &Table) -> String {
        let than = match (self.how, self.may_be_equal) {
            (Ordering::Less, false) => "under",
            (Ordering::Less, true) => "at most",
            (_, false) => "over",
            (_, true) => "at least",
        };
        format!("`{}` is {than} {}", table.head[self.column], self.number)
    }
}

/// The names of the columns that a word of comparison is of alone.
fn columns_meant(how: &str) -> &'static [&'static str] {
    match how {
        "older" | "younger" | "älter" | "jünger" => &["age", "alter", "edad"],
        "cheaper" | "dearer" | "more expensive" | "billiger" | "teurer" => {
            &["price", "cost", "preis", "precio"]
        }
        _ => &[],
    }
}

/// Whether a word of comparison is for what is less.
fn is_less(how: &str) -> bool {
    const LESS: [&str; 19] = [
        "younger",
        "cheaper",
        "less",
        "fewer",
        "lower",
        "smaller",
        "shorter",
        "lighter",
        "under",
        "below",
        "at most",
        "jünger",
        "billiger",
        "weniger",
        "kleiner",
        "niedriger",
        "kürzer",
        "unter",
        "höchstens",
    ];
    LESS.contains(&how)
}

/// A cell that is a number and nothing else.
fn number(text: &str) -> Option<f64> {
    text.trim()
        .replace(',', ".")
        .parse()
        .ok()
        .filter(|is: &f64| is.is_finite())
}

/// What the cells of a column have to say.
pub(super) struct Condition {
    pub(super) column: usize,
    /// One of these, as they are written.
    pub(super) values: Vec<String>,
}

/// Whether the cells of a row say what all conditions want.
pub(super) fn meets(row: &[Cell], conditions: &[Condition]) -> bool {
    let mut conditions = conditions.iter();
    conditions.all(|condition| condition.values.contains(&row[condition.column].text))
}

/// Whether a question may be one for rows.
pub(super) fn may_ask(question: &str) -> bool {
    ASKS.as_ref()
        .is_some_and(|asks| asks.is_match(question.trim()))
}

impl Lines<'_> {
    /// The rows that a question asks for. `asked`: without the name of the file.
    pub(super) fn told_rows(
        &self,
        asked: &str,
        words: impl Fn(&str) -> BTreeSet<String>,
    ) -> Option<String> {
        if !may_ask(asked) {
            return None;
        }
        // `which have ordered no`: a cell says so.
        if Turned::of(asked).is_some_and(|turned| turned.word != "no") {
            return None;
        }
        let table = Table::of(self)?;
        let (comparison, rest) = match Comparison::of(&table, asked, &words) {
            Some((comparison, rest)) => (Some(comparison), rest),
            None => (None, asked.to_owned()),
        };
        let (by_date, rest) = match ByDate::of(&table, &rest, &words) {
            Some((by_date, rest)) => (Some(by_date), rest),
            None => (None, rest),
        };
        let question = words(&rest);
        let conditions = conditions(&table, &question, &words);
        let stem = self.path.rsplit('/').next()?.split('.').next()?;
        let no_condition: BTreeSet<String> =
            NO_CONDITION.split_whitespace().flat_map(&words).collect();
        let of_values = |condition: &Condition| {
            condition
                .values
                .iter()
                .flat_map(|value| words(value))
                .collect::<Vec<_>>()
        };
        let said: BTreeSet<String> = conditions.iter().flat_map(of_values).collect();
        let of_head: BTreeSet<String> = table.head.iter().flat_map(|name| words(name)).collect();
        let of_file = words(stem);
        let is_clear = |word: &String| {
            said.contains(word)
                || of_head.contains(word)
                || of_file.contains(word)
                || no_condition.contains(word)
        };
        let asks_nothing = conditions.is_empty() && comparison.is_none() && by_date.is_none();
        if asks_nothing || !question.iter().all(is_clear) {
            return None;
        }
        let is_on_its_side =
            |row: &&Vec<Cell>| comparison.as_ref().is_none_or(|one| one.meets(row));
        let rows = table.rows.iter().filter(is_on_its_side);
        let is_then = |row: &&Vec<Cell>| by_date.as_ref().is_none_or(|one| one.meets(row));
        let rows = rows.filter(is_then).filter(|row| meets(row, &conditions));
        let rows: Vec<&Vec<Cell>> = rows.collect();
        let stated = conditions.iter().map(|condition| {
            let (name, values) = (&table.head[condition.column], condition.values.join(" or "));
            format!("`{name}` is {values}")
        });
        let compared = comparison.iter().map(|one| one.stated(&table));
        let dated = by_date.iter().map(|one| one.stated(&table));
        let stated: Vec<String> = stated.chain(compared).chain(dated).collect();
        let stated = stated.join(" and ");
        Some(self.told_found(&table, &rows, &stated))
    }

    /// The rows that say what is stated.
    pub(super) fn told_found(&self, table: &Table, rows: &[&Vec<Cell>], stated: &str) -> String {
        let path = self.path;
        if rows.is_empty() {
            return format!("In no row of {path} {stated} (by rules, no model).");
        }
        let first = rows.iter().take(SHOWN_ROWS);
        let first = first.map(|row| row.first().map_or("", |cell| cell.text.as_str()));
        let mut first: Vec<String> = first.map(str::to_owned).collect();
        let more = rows.len().saturating_sub(SHOWN_ROWS);
        if more > 0 {
            first.push(format!("and {more} more"));
        }
        let count = match rows.len() {
            1 => "1 row".to_owned(),
            count => format!("{count} rows"),
        };
        let shown = rows.iter().take(SHOWN_ROWS).map(|row| shown_row(self, row));
        let shown: String = shown.collect();
        let head = self.text[table.header.clone()].trim();
        format!(
            "{stated} in {count}: {} (by rules, no model).\n\nFrom {path}:\n  {head}{shown}",
            first.join(", ")
        )
    }
}

/// What a question wants the columns to say: the cells that it has, by their columns.
pub(super) fn conditions(
    table: &Table,
    question: &BTreeSet<String>,
    words: impl Fn(&str) -> BTreeSet<String>,
) -> Vec<Condition> {
    let mut found: Vec<Condition> = Vec::new();
    for column in 0..table.head.len() {
        let name = words(&table.head[column]);
        let is_named = !name.is_empty() && name.is_subset(question);
        let mut values: Vec<String> = Vec::new();
        for row in &table.rows {
            let text = &row[column].text;
            let own = words(text);
            let is_small = SMALL.contains(&text.to_lowercase().as_str());
            let is_said = !own.is_empty() && own.is_subset(question) && (is_named || !is_small);
            if is_said && !values.contains(text) {
                values.push(text.clone());
            }
        }
        // Of `Köln` and `Köln Süd` the longer one is said.
        let longest = values.clone();
        values.retain(|value| {
            let own = words(value);
            let mut others = longest.iter().map(|other| words(other));
            !others.any(|other| own.len() < other.len() && own.is_subset(&other))
        });
        if !values.is_empty() {
            found.push(Condition { column, values });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::rules::in_file::told;

    const TABLE: &str = "name,role,age,city,ordered\nAnna,Lead,41,Bern,yes\nTom,Dev,28,Bern,no\nEva,Dev,30,Köln,no\n";

    #[test]
    fn a_question_whose_words_are_of_cells_is_told_its_rows() {
        for (question, told_) in [
            ("who is Dev in p.csv?", "`role` is Dev in 2 rows: Tom, Eva"),
            (
                "which devs live in Bern in p.csv?",
                "`role` is Dev and `city` is Bern in 1 row: Tom",
            ),
            (
                "which people have ordered no in p.csv?",
                "`ordered` is no in 2 rows",
            ),
            (
                "who is Lead and lives in Köln in p.csv?",
                "In no row of p.csv `role` is Lead and `city` is Köln",
            ),
            (
                "wer wohnt in Köln in p.csv?",
                "`city` is Köln in 1 row: Eva",
            ),
            (
                "what is the name of the Lead in p.csv?",
                "`role` is Lead in 1 row: Anna",
            ),
        ] {
            let told = told::answer(question, "p.csv", TABLE).unwrap_or_default();
            assert!(told.starts_with(told_), "{question}: {told}");
        }
        for (question, told_) in [
            (
                "who in p.csv is older than 30?",
                "`age` is over 30 in 1 row: Anna",
            ),
            (
                "who is younger than 30 in p.csv?",
                "`age` is under 30 in 1 row: Tom",
            ),
            (
                "who lives in Bern and is older than 28 in p.csv?",
                "`city` is Bern and `age` is over 28 in 1 row: Anna",
            ),
            (
                "which people have an age of at least 30 in p.csv?",
                "`age` is at least 30 in 2 rows",
            ),
            (
                "who is older than 60 in p.csv?",
                "In no row of p.csv `age` is over 60",
            ),
        ] {
            let told = told::answer(question, "p.csv", TABLE).unwrap_or_default();
            assert!(told.starts_with(told_), "{question}: {told}");
        }
        for question in [
            "who is cheaper than 40 in p.csv?",
            "who is nearly older than 40 in p.csv?",
            "which designers live in Bern in p.csv?",
            "who lives near Bern in p.csv?",
        ] {
            assert_eq!(told::answer(question, "p.csv", TABLE), None, "{question}");
        }
    }
}
