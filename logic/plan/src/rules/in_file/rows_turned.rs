//! Rows of a table by what a column does not say: `which hosts are not debian in hosts.csv?`, `how many rows are not
//! paid in invoices.csv?`, `which of them are without a backup in hosts.csv?`.
//!
//! What stands behind the word that turns it round is one condition of one column, and each word of the question is
//! of it, of a condition before it or of none; any other question is none for here.

use super::lines::Lines;
use super::rows::{Cell, Table};
use super::rows_told::{Condition, NO_CONDITION, compares, conditions, may_ask, meets};
use crate::rules::words::pattern;
use crate::turned::Turned;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// What a column says that stands for yes or no.
const YES: [&str; 8] = ["yes", "y", "true", "on", "1", "x", "ja", "sí"];
const NO: [&str; 8] = ["no", "n", "false", "off", "0", "-", "nein", ""];

/// What the rows are that a question turns a condition round for.
enum Lacking {
    /// The cells of a column say none of these.
    NoneOf(Condition),
    /// They say no, or nothing.
    Without { column: usize, is_of_yes: bool },
}

impl Lacking {
    fn meets(&self, row: &[Cell]) -> bool {
        match self {
            Self::NoneOf(condition) => !condition.values.contains(&row[condition.column].text),
            Self::Without { column, is_of_yes } => {
                let says = row[*column].text.trim().to_lowercase();
                says.is_empty() || (*is_of_yes && NO.contains(&says.as_str()))
            }
        }
    }

    fn stated(&self, table: &Table) -> String {
        match self {
            Self::NoneOf(condition) => format!(
                "`{}` is not {}",
                table.head[condition.column],
                condition.values.join(" or ")
            ),
            Self::Without { column, is_of_yes } => {
                let no = if *is_of_yes { "no or empty" } else { "empty" };
                format!("`{}` is {no}", table.head[*column])
            }
        }
    }
}

/// Whether the cells of a column say yes or no, and nothing else.
fn is_of_yes(table: &Table, column: usize) -> bool {
    let mut rows = table.rows.iter();
    rows.all(|row| {
        let says = row[column].text.trim().to_lowercase();
        YES.contains(&says.as_str()) || NO.contains(&says.as_str())
    })
}

/// An order to show rows, up to what says which.
static SHOWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:please )?(?:show|list|print|give|display|find|get|count)(?: me| us)?(?: (?:all|the|of|number))* (?P<which>\S.*)$",
    )
});

/// What a request says of rows, without the order to show them; `None` where it asks for none.
fn rows_asked(asked: &str) -> Option<&str> {
    let asked = asked.trim();
    if may_ask(asked) {
        return Some(asked);
    }
    let which = SHOWS.as_ref()?.captures(asked)?.name("which")?.as_str();
    // `show hosts.csv without backup` may leave the column out.
    let has_noun = |turned: &Turned| !turned.before.trim().is_empty();
    Turned::of(which)
        .is_some_and(|turned| has_noun(&turned))
        .then_some(which)
}

/// Whether a request is for the rows of a table by what they do not say. `path`: the only file that it names.
pub(crate) fn is_asked(request: &str, path: &str) -> bool {
    let asked = request.replace(path, " ");
    let is_table = path.ends_with(".csv") || path.ends_with(".tsv");
    is_table && Turned::of(&asked).is_some() && rows_asked(&asked).is_some()
}

/// Whether words join conditions whose own round is not clear: `not in Bern but in Thun`.
fn joins(behind: &str) -> bool {
    let mut words = behind.split(|c: char| !c.is_alphanumeric());
    words.any(|word| {
        ["and", "but", "und", "aber", "y", "unless", "nor"].contains(&word.to_lowercase().as_str())
    })
}

/// The words of a text that are of none of these.
fn others(words: BTreeSet<String>, known: &[&BTreeSet<String>]) -> bool {
    words
        .iter()
        .any(|word| !known.iter().any(|set| set.contains(word)))
}

impl Lines<'_> {
    /// The rows that a question asks for by what they do not say. `asked`: without the name of the file.
    pub(super) fn told_turned(
        &self,
        asked: &str,
        words: impl Fn(&str) -> BTreeSet<String>,
    ) -> Option<String> {
        let turned = &Turned::of(rows_asked(asked)?)?;
        let words = &words;
        let is_clear = !compares(&turned.before)
            && !compares(&turned.behind)
            && !joins(&turned.behind)
            && Turned::of(&turned.behind).is_none();
        let table = Table::of(self).filter(|_| is_clear)?;
        let (before, behind) = (words(&turned.before), words(&turned.behind));
        let lacking = lacking(&table, turned, (&behind, words))?;
        let wanted = conditions(&table, &before, words);
        let small: BTreeSet<String> = NO_CONDITION.split_whitespace().flat_map(words).collect();
        let stem = self.path.rsplit('/').next()?.split('.').next()?;
        let of_file = words(stem);
        let of = |conditions: &[Condition]| -> BTreeSet<String> {
            let each = conditions.iter().flat_map(|condition| {
                let values = condition.values.iter().flat_map(|value| words(value));
                words(&table.head[condition.column])
                    .into_iter()
                    .chain(values)
            });
            each.collect()
        };
        let of_lacking = match &lacking {
            Lacking::NoneOf(condition) => of(std::slice::from_ref(condition)),
            Lacking::Without { column, .. } => words(&table.head[*column]),
        };
        // What the rows are called by their first column is no condition: `which host is not …`.
        let of_first = words(&table.head[0]);
        let said = of(&wanted);
        if others(before, &[&said, &of_first, &of_file, &small])
            || others(behind, &[&of_lacking, &of_file, &small])
        {
            return None;
        }
        let rows = table.rows.iter().filter(|row| meets(row, &wanted));
        let rows: Vec<&Vec<Cell>> = rows.filter(|row| lacking.meets(row)).collect();
        let stated = wanted.iter().map(|condition| {
            let (name, values) = (&table.head[condition.column], condition.values.join(" or "));
            format!("`{name}` is {values}")
        });
        let stated: Vec<String> = stated.chain([lacking.stated(&table)]).collect();
        Some(self.told_found(&table, &rows, &stated.join(" and ")))
    }
}

/// The one condition behind the word that turns it round.
fn lacking(
    table: &Table,
    turned: &Turned,
    (behind, words): (&BTreeSet<String>, &impl Fn(&str) -> BTreeSet<String>),
) -> Option<Lacking> {
    let mut said = conditions(table, behind, words);
    if said.len() > 1 {
        return None;
    }
    if let Some(condition) = said.pop() {
        return (!turned.lacks()).then_some(Lacking::NoneOf(condition));
    }
    let is_named = |column: &usize| {
        let name = words(&table.head[*column]);
        !name.is_empty() && name.is_subset(behind)
    };
    let mut named = (0..table.head.len()).filter(is_named);
    let column = named.next().filter(|_| named.next().is_none())?;
    Some(Lacking::Without {
        column,
        is_of_yes: is_of_yes(table, column),
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::in_file::told;

    const HOSTS: &str = "host,os,backup,role\nanna,debian,yes,web\nberta,ubuntu,no,db\ndora,alpine,,dns\nema,debian,no,\n";

    #[test]
    fn rows_are_told_by_what_a_column_does_not_say() {
        for (question, says) in [
            (
                "which hosts are not debian in hosts.csv?",
                "`os` is not debian in 2 rows: berta, dora (by",
            ),
            (
                "how many hosts don't run debian or alpine in hosts.csv?",
                "`os` is not debian or alpine in 1 row: berta (by",
            ),
            (
                "which of them are without a backup in hosts.csv",
                "`backup` is no or empty in 3 rows: berta, dora, ema (by",
            ),
            (
                "which debian hosts have no backup in hosts.csv",
                "`os` is debian and `backup` is no or empty in 1 row: ema (by",
            ),
            (
                "which hosts lack a role in hosts.csv?",
                "`role` is empty in 1 row: ema (by",
            ),
            (
                "show all hosts that are not debian in hosts.csv",
                "`os` is not debian in 2 rows",
            ),
            (
                "welche hosts sind nicht debian in hosts.csv?",
                "`os` is not debian in 2 rows",
            ),
        ] {
            let told = told::answer(question, "hosts.csv", HOSTS).unwrap_or_default();
            assert!(told.starts_with(says), "{question}: {told}");
        }
        let paid = "id,customer,paid\n1,Huber,yes\n2,Frei,no\n";
        for question in [
            "how many rows are not paid in invoices.csv",
            "which invoices are not paid in invoices.csv?",
            "how many rows in invoices.csv haven't been paid?",
        ] {
            let told = told::answer(question, "invoices.csv", paid).unwrap_or_default();
            assert!(
                told.starts_with("`paid` is no or empty in 1 row: 2"),
                "{question}: {told}"
            );
        }
    }

    #[test]
    fn a_round_that_is_not_clear_is_not_told() {
        for question in [
            "which hosts are not debian and have a backup in hosts.csv?",
            "which hosts are not debian but alpine in hosts.csv?",
            "which hosts are not nearly debian in hosts.csv?",
            "which old hosts are not debian in hosts.csv?",
            "which hosts with a backup are not debian in hosts.csv?",
            "which hosts are not without a backup in hosts.csv?",
            "which hosts are not web debian in hosts.csv?",
            "show hosts.csv without backup",
            "show hosts.csv without the backup column",
        ] {
            let told = told::answer(question, "hosts.csv", HOSTS);
            assert_eq!(told, None, "{question}");
        }
    }
}
