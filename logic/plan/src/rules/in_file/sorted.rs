//! Lines of a list in order, and those that stand there twice removed: `sort list.txt`, `remove duplicate lines from
//! list.txt`.

use super::asked::{Asked, Sorting};
use super::lines::{Lines, applied};
use super::saying::{Built, Saying};
use crate::rules::building::Match;
use crate::rules::plain;
use crate::rules::refusal::Refusal;
use crate::rules::words::{is_file, pattern};
use domain::limits::PLAN_ACTIONS;
use domain::plan::Action;
use regex::Regex;
use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Most words of the name of a column.
const COLUMN_WORDS: usize = 3;

const SORTS: &str = r"(?:sort|order|alphabeti[sz]e)";
const HOW: &str = r"(?P<how>(?:(?:,| and| but| in| by)? ?(?:alphabetical(?:ly)?|numerical(?:ly)?|numeric|by (?:name|letter|number|value)|numbers?|letters?|in|ascending|descending|reversed?|backwards?|order|unique|only once|each once|without (?:any )?(?:duplicates?|doubles|repeats|repeated lines)|remov(?:e|ing) (?:the |all )?duplicates?(?: lines)?))*)";
const TWICE: &str = r"(?:(?:the |all |any )*(?:duplicate|duplicated|repeated|double|doubled)(?: lines?| entries| items| rows)?|(?:the |all |any )*(?:duplicates|doubles|repeats)|lines that (?:stand|are|occur) there twice)";

/// The parts of the sayings by name.
pub(super) const PARTS: [(&str, &str); 3] =
    [("{SORTS}", SORTS), ("{HOW}", HOW), ("{TWICE}", TWICE)];

pub(super) static SAYINGS: [Saying; 5] = [
    (
        r"{SORTS} (?:(?:the |all )*(?:rows?|lines?|entries) (?:of|in) )?{FILE} (?:(?:alphabetically|numerically) )?by (?:the )?(?:column )?{text:column}(?: column)?(?:,? ascending|(?P<back>,? (?:in )?(?:descending|reversed?|backwards)))?(?: order)?",
        by_column,
    ),
    (
        r"{SORTS} (?:(?:the |all )*(?:lines?|entries|items) (?:of|in) )?{FILE}{HOW}",
        sort,
    ),
    (
        r"{SORTS} (?:the |all )*(?:lines?|entries|items){HOW} (?:of|in) {FILE}",
        sort,
    ),
    (r"{REMOVES} {TWICE} (?:from|in|of|out of) {FILE}", once),
    (r"(?:de-?duplicate|uniq) {FILE}", once),
];

/// A number with which a line begins, behind the mark of a list.
static NUMBER: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"^(?:[-*+][ \t]+)?(?P<n>-?\d+(?:\.\d+)?)(?:[^\d.]|\.?$|\.\D)"));

fn sort(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let how = found.written("how").to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| how.contains(word));
    let sorting = Sorting {
        is_sorted: true,
        is_by_number: says(&["numer", "number", "value"]),
        is_reverse: says(&["revers", "descending", "backward"]),
        is_unique: says(&["duplicate", "double", "repeat", "unique", "once"]),
    };
    Ok(is_file(&path).then_some((path, Asked::Sort(sorting))))
}

/// `sort hosts.csv by name`: its rows, below the header.
fn by_column(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let column = found.text("column")?;
    let ending = Lines {
        path: &path,
        text: "",
    }
    .ending();
    let is_table = ["csv", "tsv"].contains(&ending.as_str()) && is_file(&path);
    let is_reverse = found.has("back");
    let is_one = column.split_whitespace().count() <= COLUMN_WORDS;
    Ok((is_table && is_one).then_some((path, Asked::SortRows { column, is_reverse })))
}

fn once(found: &Match<'_>) -> Built {
    let path = found.target("p", "noun")?;
    let sorting = Sorting {
        is_unique: true,
        ..Sorting::default()
    };
    Ok(is_file(&path).then_some((path, Asked::Sort(sorting))))
}

/// A line as it is put in order: capital and small letters are one, and so are a letter and the same with a mark.
pub(super) fn letters(line: &str) -> String {
    let mut folded = String::with_capacity(line.len());
    for letter in line.to_lowercase().chars() {
        match letter {
            'ä' | 'à' | 'á' | 'â' | 'å' | 'ã' => folded.push('a'),
            'ö' | 'ò' | 'ó' | 'ô' | 'õ' => folded.push('o'),
            'ü' | 'ù' | 'ú' | 'û' => folded.push('u'),
            'é' | 'è' | 'ê' | 'ë' => folded.push('e'),
            'í' | 'ì' | 'î' | 'ï' => folded.push('i'),
            'ñ' => folded.push('n'),
            'ç' => folded.push('c'),
            'ß' => folded.push_str("ss"),
            other => folded.push(other),
        }
    }
    folded
}

fn number(line: &str) -> Option<f64> {
    NUMBER.as_ref()?.captures(line)?["n"].parse().ok()
}

impl Lines<'_> {
    /// The changes that put the lines in order, or leave each of them once.
    pub(super) fn sorted(&self, sorting: Sorting) -> Result<Vec<Action>, Refusal> {
        self.is_a_list(sorting)?;
        let was: Vec<&str> = self.text.lines().collect();
        let mut is = was.clone();
        if sorting.is_by_number
            && let Some(at) = is.iter().position(|line| number(line).is_none())
        {
            let why = format!(
                "Line {} of {} (`{}`) begins with no number.",
                at + 1,
                self.path,
                is[at]
            );
            let advice = format!(
                "Without `numerically` the letters count: `sort {}`.",
                self.shown_path()
            );
            return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
        }
        if sorting.is_sorted {
            let by_number = |line: &str| number(line).unwrap_or_default();
            is.sort_by(|one, other| {
                let first = match sorting.is_by_number {
                    true => by_number(one).total_cmp(&by_number(other)),
                    false => Ordering::Equal,
                };
                first
                    .then_with(|| letters(one).cmp(&letters(other)))
                    .then_with(|| one.cmp(other))
            });
        }
        if sorting.is_reverse {
            is.reverse();
        }
        if sorting.is_unique {
            let mut seen = HashSet::new();
            is.retain(|line| !line.contains(char::is_alphanumeric) || seen.insert(*line));
        }
        if was == is {
            let says = match sorting.is_sorted {
                true => "is in that order already",
                false => "has no line twice",
            };
            let why = format!("{} {says}.", self.path);
            return Err(Refusal::absent(
                why,
                vec![format!("show {}", self.shown_path())],
            ));
        }
        self.rewritten(&is)
    }

    /// Refuses a file whose lines are not all items of one list.
    fn is_a_list(&self, sorting: Sorting) -> Result<(), Refusal> {
        let path = self.path;
        let ending = self.ending();
        let is_document = ["md", "markdown", "rst", "adoc", "tex"].contains(&ending.as_str());
        let is_mark = |line: &str| {
            line.starts_with(['-', '*', '+', '>', '|'])
                || line.starts_with(|c: char| c.is_ascii_digit())
        };
        let text = self.text.trim_end();
        let why = if !plain::is_prose(path) && ending != "log" {
            Some("is no list of lines: each has its place by the format of the file")
        } else if !sorting.is_sorted {
            None
        } else if text.lines().any(|line| line.trim().is_empty()) {
            Some("has empty lines between others: which of its parts is meant is not clear")
        } else if text.lines().any(|line| line.starts_with([' ', '\t'])) {
            Some("has lines that stand below others")
        } else if text.lines().any(|line| line.starts_with('#')) {
            Some("has headings or comments, which say what stands below them")
        } else if is_document && !text.lines().all(is_mark) {
            Some("is a text, and no list")
        } else {
            None
        };
        match why {
            Some(why) => {
                let advice = "Put the lines that are to be sorted in a file of their own.";
                Err(Refusal::ambiguous(format!("{path} {why}."), Vec::new()).advised(advice))
            }
            None => Ok(()),
        }
    }

    /// The changes that give the file these lines, part by part.
    pub(super) fn rewritten(&self, is: &[&str]) -> Result<Vec<Action>, Refusal> {
        let blocks = self.blocks();
        let end = self.line_end();
        let is_ended = self.text.ends_with('\n');
        let mut rest = is;
        let mut parts = Vec::new();
        for (at, block) in blocks.iter().enumerate() {
            let count = self.text[block.clone()].lines().count().min(rest.len());
            let (own, left) = rest.split_at(if at + 1 == blocks.len() {
                rest.len()
            } else {
                count
            });
            rest = left;
            let mut part: String = own.iter().map(|line| format!("{line}{end}")).collect();
            if rest.is_empty() && !is_ended {
                part.truncate(part.trim_end_matches(['\r', '\n']).len());
            }
            parts.push((block.clone(), part));
        }
        parts.retain(|(block, part)| self.text[block.clone()] != *part);
        if parts.len() > PLAN_ACTIONS {
            let why = format!("{} is too long to be put in order in one plan.", self.path);
            let advice = "Use a program, such as `sort`.";
            return Err(Refusal::unavailable(&why, Vec::new()).advised(advice));
        }
        let mut text = self.text.to_owned();
        let mut actions = Vec::new();
        // From the end, so that the places before it stay.
        for (block, part) in parts.into_iter().rev() {
            let left = Lines {
                path: self.path,
                text: &text,
            };
            let action = left.replace(block, &part)?;
            text = applied(&text, &action);
            actions.push(action);
        }
        Ok(actions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(path: &str, text: &str, sorting: Sorting) -> String {
        let lines = Lines { path, text };
        match lines.sorted(sorting) {
            Ok(actions) => actions
                .iter()
                .fold(text.to_owned(), |text, action| applied(&text, action)),
            Err(refusal) => refusal.message,
        }
    }

    #[test]
    fn lines_are_put_in_order_as_they_are_ordered() {
        let order = Sorting {
            is_sorted: true,
            ..Sorting::default()
        };
        let number = Sorting {
            is_by_number: true,
            ..order
        };
        let reverse = Sorting {
            is_reverse: true,
            ..order
        };
        let unique = Sorting {
            is_unique: true,
            ..order
        };
        let once = Sorting {
            is_unique: true,
            ..Sorting::default()
        };
        for (path, text, sorting, after) in [
            (
                "a.txt",
                "pear\nÄpfel\nbread\nApple\n",
                order,
                "Äpfel\nApple\nbread\npear\n",
            ),
            ("a.txt", "b\na", order, "a\nb"),
            ("a.txt", "b\r\na\r\n", order, "a\r\nb\r\n"),
            ("a.txt", "10 x\n9 y\n-1\n", number, "-1\n9 y\n10 x\n"),
            ("a.txt", "10\n9\n", order, "10\n9 is in"),
            ("a.txt", "a\nc\nb\n", reverse, "c\nb\na\n"),
            ("a.txt", "b\na\nb\n", unique, "a\nb\n"),
            ("a.txt", "b\na\n---\nb\n---\n", once, "b\na\n---\n---\n"),
            ("list.md", "- b\n- a\n", order, "- a\n- b\n"),
        ] {
            let is = sorted(path, text, sorting);
            let is_told = is.starts_with(after)
                || (after.contains(" is in") && is.contains("is in that order already"));
            assert!(is_told, "{path} {text:?}: {is}");
        }
    }

    #[test]
    fn lines_that_have_places_of_their_own_are_not_sorted() {
        let order = Sorting {
            is_sorted: true,
            ..Sorting::default()
        };
        let number = Sorting {
            is_by_number: true,
            ..order
        };
        let once = Sorting {
            is_sorted: false,
            is_unique: true,
            ..order
        };
        for (path, text, sorting, after) in [
            (
                "a.txt",
                "1\nx\n",
                number,
                "Line 2 of a.txt (`x`) begins with no number",
            ),
            (
                "a.txt",
                "b\n\na\n",
                order,
                "a.txt has empty lines between others",
            ),
            (
                "a.txt",
                "b\n  c\na\n",
                order,
                "a.txt has lines that stand below others",
            ),
            ("a.md", "# T\nb\na\n", order, "a.md has headings"),
            (
                "a.toml",
                "b = 1\na = 2\n",
                order,
                "a.toml is no list of lines",
            ),
            ("p.csv", "name\nb\na\n", order, "p.csv is no list of lines"),
            ("a.txt", "a\nb\n", once, "a.txt has no line twice"),
        ] {
            let is = sorted(path, text, sorting);
            assert!(is.starts_with(after), "{path} {text:?}: {is}");
        }
    }

    #[test]
    fn a_long_list_is_put_in_order_in_parts_and_one_too_long_is_refused() {
        let order = Sorting {
            is_sorted: true,
            ..Sorting::default()
        };
        let list = |count: usize| -> String {
            (0..count)
                .rev()
                .map(|at| format!("line {at:05} of a list\n"))
                .collect()
        };
        let text = list(300);
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        let after = sorted("a.txt", &text, order);
        assert!(after.lines().eq(lines) && after.ends_with('\n'));
        let why = sorted("a.txt", &list(2_000), order);
        assert!(why.contains("too long to be put in order"), "{why}");
    }
}
