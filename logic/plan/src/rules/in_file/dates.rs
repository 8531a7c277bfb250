//! Rows of a table by a date: `whose deadline is before 2027-01-01 in people.csv?`. Dates are those of ISO 8601, and a
//! year or a month stands for all of its days.

use super::rows::{Cell, Table};
use crate::rules::words::pattern;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

static BY_DATE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?P<how>on or before|on or after|no later than|no earlier than|before|after|since|until|by|from|later than|earlier than|newer than|older than|between)",
        r" (?:the )?(?P<a>\d{4}(?:-\d{2}(?:-\d{2})?)?)\b(?:(?: and| to| until) (?P<b>\d{4}(?:-\d{2}(?:-\d{2})?)?)\b)?",
    ))
});
static DATE: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^\d{4}-\d{2}-\d{2}(?:[T ].*)?$"));

/// Whether a question compares dates.
pub(super) fn compares(question: &str) -> bool {
    BY_DATE.as_ref().is_some_and(|form| form.is_match(question))
}

/// Which dates of a column are meant, from one bound to another.
pub(super) struct ByDate {
    column: usize,
    from: Option<Bound>,
    to: Option<Bound>,
}

struct Bound {
    date: String,
    is_with_it: bool,
}

fn is_date(text: &str) -> bool {
    DATE.as_ref().is_some_and(|date| date.is_match(text.trim()))
}

impl ByDate {
    /// What a question compares, by the column that it names or that alone has dates; with the rest of the question.
    pub(super) fn of(
        table: &Table,
        asked: &str,
        words: impl Fn(&str) -> BTreeSet<String>,
    ) -> Option<(Self, String)> {
        let found = BY_DATE.as_ref()?.captures(asked)?;
        let whole = found.get(0)?;
        let rest = format!("{} {}", &asked[..whole.start()], &asked[whole.end()..]);
        let has_dates = |column: &usize| {
            let mut cells = table.rows.iter().map(|row| row[*column].text.trim());
            cells.clone().any(is_date) && cells.all(|cell| cell.is_empty() || is_date(cell))
        };
        let question = words(&rest);
        let is_named = |column: &usize| {
            let name = words(&table.head[*column]);
            !name.is_empty() && name.is_subset(&question)
        };
        let dated: Vec<usize> = (0..table.head.len()).filter(has_dates).collect();
        let named: Vec<usize> = dated.iter().copied().filter(is_named).collect();
        let columns = if named.is_empty() { dated } else { named };
        let [column] = columns.as_slice() else {
            return None;
        };
        let bound = |is_with_it: bool| {
            let date = found["a"].to_owned();
            Some(Bound { date, is_with_it })
        };
        let last = found.name("b").map(|date| Bound {
            date: date.as_str().to_owned(),
            is_with_it: true,
        });
        let (from, to) = match (found["how"].to_lowercase().as_str(), last) {
            ("between" | "from", Some(last)) => (bound(true), Some(last)),
            ("between", None) | (_, Some(_)) => return None,
            ("before" | "earlier than" | "older than", None) => (None, bound(false)),
            ("after" | "later than" | "newer than", None) => (bound(false), None),
            ("until" | "by" | "on or before" | "no later than", None) => (None, bound(true)),
            (_, None) => (bound(true), None),
        };
        let column = *column;
        Some((Self { column, from, to }, rest))
    }

    pub(super) fn meets(&self, row: &[Cell]) -> bool {
        let is = row[self.column].text.trim();
        let side = |bound: &Bound| is.get(..bound.date.len()).map(|is| is.cmp(&bound.date));
        let is_behind = |bound: &Bound| match side(bound) {
            Some(side) => side.is_gt() || (bound.is_with_it && side.is_eq()),
            None => false,
        };
        let is_before = |bound: &Bound| match side(bound) {
            Some(side) => side.is_lt() || (bound.is_with_it && side.is_eq()),
            None => false,
        };
        !is.is_empty()
            && self.from.as_ref().is_none_or(is_behind)
            && self.to.as_ref().is_none_or(is_before)
    }

    pub(super) fn stated(&self, table: &Table) -> String {
        let name = &table.head[self.column];
        let word = |bound: &Bound, with: &str, without: &str| {
            format!(
                "{} {}",
                if bound.is_with_it { with } else { without },
                bound.date
            )
        };
        let from = self.from.iter().map(|bound| word(bound, "from", "after"));
        let to = self.to.iter().map(|bound| word(bound, "up to", "before"));
        let both: Vec<String> = from.chain(to).collect();
        format!("`{name}` is {}", both.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::in_file::told;

    const PEOPLE: &str = "name,born,deadline\nAnna,1990-02-01,2027-02-01\nOtto,1950-01-01,2026-12-15\nPriya,1985-05-05,\n";

    #[test]
    fn rows_are_told_by_dates() {
        for (question, rows) in [
            ("whose deadline is before 2027-01-01 in p.csv?", "Otto"),
            ("whose deadline is after 2026-12-15 in p.csv?", "Anna"),
            ("whose deadline is by 2026-12-15 in p.csv?", "Otto"),
            ("who was born before 1985 in p.csv?", "Otto"),
            ("who was born after 1985 in p.csv?", "Anna"),
            (
                "who was born between 1985 and 1990-12 in p.csv?",
                "Anna, Priya",
            ),
            ("which people have a deadline in 2028-01-01 in p.csv?", ""),
            ("whose thing is before 2027-01-01 in p.csv?", ""),
        ] {
            let told = told::answer(question, "p.csv", PEOPLE).unwrap_or_default();
            let (_, told) = told.split_once(": ").unwrap_or_default();
            let told = told.split_once(" (by rules").unwrap_or_default().0;
            assert_eq!(told, rows, "{question}");
        }
    }
}
