//! Which of several is the longest or has the most of something, by counting: rows of a table by a column with
//! numbers, sections of a document and whole files by their words.

use super::cells::shown_row;
use super::lines::Lines;
use super::rows::{Cell, Table};
use super::rows_told::{NO_CONDITION, conditions, meets};
use crate::rules::plain;
use crate::rules::words::pattern;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A question for the longest or shortest part of something.
static LENGTH: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)^(?:(?:can|could) you )?(?:tell me )?(?:",
        r"(?:which|what) (?:of (?:the |my |our )?)?(?P<a>[\w-]+) (?:is|has|is by far) (?:the )?(?P<x>longest|shortest|most words|fewest words)",
        r"|(?:what is|what['’]s|which is|show me|show) the (?P<y>longest|shortest) (?P<b>[\w-]+)",
        r")(?: of (?:all|them))?(?: (?:in|of|from|here)(?: (?:the )?(?:file |folder )?\S*)?)?[ ?.!]*$",
    ))
});
/// A question for the row that has the most of something.
static MOST: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(
        r"(?i)^(?:(?:can|could) you )?(?:tell me )?(?:which|who|what)\b.*\b(?P<x>most expensive|least expensive|most|highest|largest|biggest|greatest|maximum|least|fewest|lowest|smallest|minimum|oldest|youngest|cheapest|dearest|heaviest|lightest|tallest|longest|shortest)\b",
    )
});
/// A number with its unit.
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^[€$£]?[ ]?(?P<n>-?\d+(?:\.\d+)?)[ ]?(?P<unit>[\p{L}%€$£/]*)$"));

/// Words for parts of a document.
const PARTS: [&str; 4] = ["chapter", "section", "part", "scene"];

/// Words of a superlative for one end of the order.
const LEAST: [&str; 11] = [
    "least",
    "fewest",
    "lowest",
    "smallest",
    "minimum",
    "youngest",
    "cheapest",
    "least expensive",
    "lightest",
    "shortest",
    "fewest words",
];

/// Columns that a superlative names by itself.
const NAMED_BY: [(&[&str], &[&str]); 5] = [
    (&["oldest", "youngest"], &["age", "alter"]),
    (
        &["cheapest", "dearest", "most expensive", "least expensive"],
        &["price", "cost", "preis", "kosten"],
    ),
    (&["heaviest", "lightest"], &["weight", "gewicht"]),
    (&["tallest"], &["height", "size", "größe"]),
    (
        &["longest", "shortest"],
        &["length", "duration", "länge", "dauer"],
    ),
];

/// Words of such a question that set no condition, beside those of any question for rows.
const OF_ORDER: &str = "most highest largest biggest greatest maximum least fewest lowest smallest minimum oldest youngest \
    cheapest dearest expensive heaviest lightest tallest longest shortest value number amount far";

/// What a question compares by length: the thing, in small letters and of one, and whether the least is wanted.
pub(super) fn compared(question: &str) -> Option<(String, bool)> {
    let found = LENGTH.as_ref()?.captures(question.trim())?;
    let thing = found
        .name("a")
        .or_else(|| found.name("b"))?
        .as_str()
        .to_lowercase();
    let end = found
        .name("x")
        .or_else(|| found.name("y"))?
        .as_str()
        .to_lowercase();
    let thing = thing.strip_suffix('s').unwrap_or(&thing).to_owned();
    Some((thing, LEAST.contains(&end.as_str())))
}

/// Whether a question, without the name of its file, may be one that is answered by counting in that file.
pub(crate) fn may_tell(question: &str, path: &str) -> bool {
    let ending = Lines { path, text: "" }.ending();
    let is_table = ["csv", "tsv", "md", "markdown"].contains(&ending.as_str());
    let is_of_rows = is_table
        && MOST
            .as_ref()
            .is_some_and(|most| most.is_match(question.trim()));
    let is_of_parts = || {
        plain::is_prose(path)
            && compared(question).is_some_and(|(thing, _)| PARTS.contains(&thing.as_str()))
    };
    is_of_rows || is_of_parts()
}

/// What is told of a file. `asked`: without its name.
pub(super) fn told(
    asked: &str,
    lines: &Lines<'_>,
    words: impl Fn(&str) -> BTreeSet<String>,
) -> Option<String> {
    if !may_tell(asked, lines.path) {
        return None;
    }
    lines.most_of_rows(asked, words).or_else(|| {
        let (thing, is_least) = compared(asked)?;
        PARTS
            .contains(&thing.as_str())
            .then(|| lines.longest_part(&thing, is_least))?
    })
}

/// Whether a file is one of the things that a question compares, by its name or that of its folder.
pub(super) fn is_one(path: &str, thing: &str) -> bool {
    let lower = path.to_lowercase();
    let stem = lower
        .rsplit_once('.')
        .map_or(lower.as_str(), |(stem, _)| stem);
    let mut parts = stem
        .split(|c: char| !c.is_alphabetic())
        .filter(|part| !part.is_empty());
    let is_it = |part: &str| {
        let part = part.strip_suffix('s').unwrap_or(part);
        part == thing || (thing == "chapter" && part == "ch")
    };
    plain::is_prose(path) && parts.any(is_it)
}

/// Which of several files has most words, or fewest.
pub(super) fn of_files(thing: &str, is_least: bool, texts: &[(String, String)]) -> Option<String> {
    let counted = texts
        .iter()
        .map(|(path, text)| (text.split_whitespace().count(), path.clone()));
    let counted: Vec<(usize, String)> = counted.collect();
    told_of(&counted, &format!("{thing} files"), is_least)
}

/// What is told of things that were counted.
fn told_of(counted: &[(usize, String)], things: &str, is_least: bool) -> Option<String> {
    let (first, _) = match is_least {
        true => counted.iter().min()?,
        false => counted.iter().max()?,
    };
    if counted.len() < 2 {
        return None;
    }
    let best = counted.iter().filter(|(count, _)| count == first);
    let best: Vec<String> = best.map(|(_, name)| format!("`{name}`")).collect();
    let which = if is_least { "shortest" } else { "longest" };
    let are = if best.len() > 1 { "are" } else { "is" };
    let mut shown: Vec<&(usize, String)> = counted.iter().collect();
    shown.sort_by_key(|(count, _)| match is_least {
        true => *count as i64,
        false => -(*count as i64),
    });
    let shown: String = shown
        .iter()
        .map(|(count, name)| format!("\n  {count} words  {name}"))
        .collect();
    Some(format!(
        "{} {are} the {which} of {} {things}, by their words (by rules, no model).\n{shown}",
        best.join(" and "),
        counted.len()
    ))
}

/// A number with its unit, where a cell is one. Sizes are made one unit.
fn number(cell: &str) -> Option<(f64, String)> {
    let found = NUMBER.as_ref()?.captures(cell.trim())?;
    let number: f64 = found["n"].parse().ok()?;
    let unit = found["unit"].to_lowercase();
    let sizes = [("kb", 1e3), ("mb", 1e6), ("gb", 1e9), ("tb", 1e12)];
    let size = sizes.iter().find(|(name, _)| *name == unit);
    Some(match size {
        Some((_, factor)) => (number * factor, "b".to_owned()),
        None => (number, unit),
    })
}

impl Lines<'_> {
    /// The rows that have the most of what a question names by a column with numbers.
    fn most_of_rows(
        &self,
        asked: &str,
        words: impl Fn(&str) -> BTreeSet<String>,
    ) -> Option<String> {
        let table = Table::of(self)?;
        let found = MOST.as_ref()?.captures(asked.trim())?;
        let end = found["x"].to_lowercase();
        let question = words(asked);
        let column = column_of(&table, &end, &question, &words)?;
        let mut conditions = conditions(&table, &question, &words);
        conditions.retain(|condition| condition.column != column);
        let of_values = conditions.iter().flat_map(|one| &one.values);
        let mut known: BTreeSet<String> = of_values.flat_map(|value| words(value)).collect();
        known.extend(table.head.iter().flat_map(|name| words(name)));
        known.extend(words(self.path.rsplit('/').next()?.split('.').next()?));
        known.extend([NO_CONDITION, OF_ORDER].iter().flat_map(|some| words(some)));
        if !question.is_subset(&known) {
            return None;
        }
        let rows: Vec<&Vec<Cell>> = table
            .rows
            .iter()
            .filter(|row| meets(row, &conditions))
            .collect();
        let filled = rows.into_iter().filter(|row| !row[column].text.is_empty());
        let counted = filled.map(|row| Some((number(&row[column].text)?, row)));
        // Where one cell is no number, or of another unit, which of them is more is not known.
        let counted: Vec<((f64, String), &Vec<Cell>)> = counted.collect::<Option<_>>()?;
        let ((_, unit), _) = counted.first()?;
        if counted.iter().any(|((_, other), _)| other != unit) {
            return None;
        }
        let numbers = counted.iter().map(|((number, _), _)| *number);
        let is_least = LEAST.contains(&end.as_str());
        let best = match is_least {
            true => numbers.fold(f64::INFINITY, f64::min),
            false => numbers.fold(f64::NEG_INFINITY, f64::max),
        };
        let best: Vec<&Vec<Cell>> = counted
            .iter()
            .filter(|((number, _), _)| (number - best).abs() < f64::EPSILON)
            .map(|(_, row)| *row)
            .collect();
        let name = &table.head[column];
        let told = best.iter().map(|row| {
            let first = row.first().map_or("", |cell| cell.text.as_str());
            format!("`{name}` of {first} is {}", row[column].text)
        });
        let told: Vec<String> = told.collect();
        let which = if is_least { "least" } else { "most" };
        let shown: String = best.iter().map(|row| shown_row(self, row)).collect();
        Some(format!(
            "{}, the {which} of {} rows (by rules, no model).\n\nFrom {}:\n  {}{shown}",
            told.join(", and "),
            counted.len(),
            self.path,
            self.text[table.header.clone()].trim()
        ))
    }

    /// The part of a document with most words, or fewest, by its headings.
    fn longest_part(&self, thing: &str, is_least: bool) -> Option<String> {
        let mut is_code = false;
        let mut heads: Vec<(usize, usize, String)> = Vec::new();
        for line in self.lines() {
            let text = &self.text[line.clone()];
            is_code ^= text.trim_start().starts_with("```");
            let level = text.len() - text.trim_start_matches('#').len();
            let name = text[level..].trim();
            if (1..=6).contains(&level) && text[level..].starts_with([' ', '\t']) && !is_code {
                heads.push((level, line.start, name.to_owned()));
            }
        }
        // A single heading above all others is that of the document.
        let count = |level: usize| heads.iter().filter(|(own, _, _)| *own == level).count();
        let level = (1..=6).find(|level| count(*level) > 1)?;
        let begins: Vec<&(usize, usize, String)> =
            heads.iter().filter(|(own, _, _)| *own <= level).collect();
        let counted = begins
            .iter()
            .enumerate()
            .filter(|(_, (own, _, _))| *own == level);
        let counted = counted.map(|(at, (_, start, name))| {
            let end = begins
                .get(at + 1)
                .map_or(self.text.len(), |(_, start, _)| *start);
            let body = self.text[*start..end]
                .split_once('\n')
                .map_or("", |(_, body)| body);
            (body.split_whitespace().count(), name.clone())
        });
        let counted: Vec<(usize, String)> = counted.collect();
        told_of(&counted, &format!("{thing}s of {}", self.path), is_least)
    }
}

/// The only column with numbers that a question names.
fn column_of(
    table: &Table,
    end: &str,
    question: &BTreeSet<String>,
    words: impl Fn(&str) -> BTreeSet<String>,
) -> Option<usize> {
    let has_numbers = |at: &usize| {
        let mut cells = table.rows.iter().map(|row| &row[*at].text);
        cells.any(|cell| number(cell).is_some())
    };
    let is_named = |at: &usize| {
        let name = words(&table.head[*at]);
        !name.is_empty() && name.is_subset(question)
    };
    let columns = || (0..table.head.len()).filter(has_numbers);
    let mut named = columns().filter(is_named);
    if let Some(first) = named.next() {
        return named.next().is_none().then_some(first);
    }
    let (_, names) = NAMED_BY.iter().find(|(ends, _)| ends.contains(&end))?;
    columns().find(|at| names.contains(&table.head[*at].to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::in_file::told;

    #[test]
    fn rows_and_parts_are_compared_by_counting() {
        let hosts = "host,memory,site\nweb,16 GB,Bern\ndb,64 GB,Berlin\nnas,512 MB,Bern\n";
        let novel = "# Novel\nx\n## One\na b\n## Two\na b c d\n### Deep\ne\n## Three\n";
        for (question, path, text, says) in [
            (
                "which host has the most memory in h.csv?",
                "h.csv",
                hosts,
                "`memory` of db is 64 GB, the most of 3 rows",
            ),
            (
                "which host has the least memory in h.csv?",
                "h.csv",
                hosts,
                "`memory` of nas is 512 MB, the least",
            ),
            (
                "which host in Bern has the most memory in h.csv?",
                "h.csv",
                hosts,
                "`memory` of web is 16 GB, the most of 2 rows",
            ),
            (
                "who is the oldest in p.csv?",
                "p.csv",
                "name,age\nAnn,41\nTom,52\nEva,52\n",
                "`age` of Tom is 52, and `age` of Eva is 52, the most of 3",
            ),
            (
                "which chapter is the longest in n.md?",
                "n.md",
                novel,
                "`Two` is the longest of 3 chapters of n.md, by their words",
            ),
            (
                "what is the shortest section of n.md?",
                "n.md",
                novel,
                "`Three` is the shortest of 3 sections",
            ),
        ] {
            let told = told::answer(question, path, text).unwrap_or_default();
            assert!(told.starts_with(says), "{question}: {told}");
        }
    }

    #[test]
    fn what_is_not_known_to_be_the_most_is_not_told() {
        let hosts = "host,memory\nweb,16 GB\n";
        for (question, path, text) in [
            (
                "which host behind the wall has the most memory in h.csv?",
                "h.csv",
                hosts,
            ),
            (
                "which host has the most memory in h.csv?",
                "h.csv",
                "host,memory\na,much\nb,16 GB\n",
            ),
            (
                "which host has the most memory in h.csv?",
                "h.csv",
                "host,memory\na,3 sticks\nb,16 GB\n",
            ),
            (
                "which chapter is the longest in n.md?",
                "n.md",
                "# One\na\n",
            ),
        ] {
            assert_eq!(
                told::answer(question, path, text),
                None,
                "{question}: {text}"
            );
        }
    }

    #[test]
    fn files_of_a_kind_are_compared_by_their_words() {
        let (thing, is_least) = compared("which chapter is the longest?").unwrap_or_default();
        assert!(is_one("novel/chapter-2.md", &thing) && is_one("ch3.md", &thing));
        assert!(!is_one("notes.md", &thing) && !is_one("chapter.py", &thing));
        let texts = [("ch1.md", "a b"), ("ch2.md", "a b c")];
        let texts = texts.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let told = of_files(&thing, is_least, &texts).unwrap_or_default();
        assert!(
            told.starts_with("`ch2.md` is the longest of 2 chapter files, by their words"),
            "{told}"
        );
        assert_eq!(compared("which chapter is the best?"), None);
        assert_eq!(compared("which is the longest chapter about ships?"), None);
    }
}
