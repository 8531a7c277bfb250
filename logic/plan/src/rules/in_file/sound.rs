//! Whether a file is sound after an edit, by its format: it still parses, its rows still have as many cells
//! as its header, and no other value than the one that is meant is another.
//!
//! A file that was not sound before the edit is not judged.

use super::lines::{Lines, applied};
use super::written::separator_of;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use domain::plan::Action;
use serde_json::Value as Data;

/// Most characters of a header or a row that a refusal shows.
const SHOWN_CHARS: usize = 80;

/// What an edit may do to the values of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit<'a> {
    /// Give one of them another value, which has this text.
    Value(&'a str),
    /// Add some.
    Addition,
    /// Put words in the place of others: none comes, and none goes.
    Words,
    /// Give lines another text, or take them away: values that stand in others stay.
    Lines,
    /// Anything that leaves the file sound.
    Any,
}

impl Edit<'_> {
    /// What an edit may do that a plan has, of which no more is known.
    pub(super) fn of(action: &Action) -> Self {
        match action {
            Action::AppendText { .. } => Self::Addition,
            Action::ReplaceText { new, .. } if !new.is_empty() => Self::Words,
            _ => Self::Any,
        }
    }
}

/// A value that data holds, by the names that lead to it. Items of a list have no name.
pub(super) struct Leaf {
    pub(super) path: Vec<String>,
    pub(super) value: String,
    is_text: bool,
}

impl Leaf {
    /// Its names, joined by full stops, without the marks of items.
    fn dotted(&self) -> String {
        self.path.join(".")
    }

    fn has(&self, text: &str) -> bool {
        !self.is_text || self.value.contains(text.trim())
    }
}

/// The data of a text in a format that holds some; `None` where it is not sound.
fn data(ending: &str, text: &str) -> Option<Data> {
    match ending {
        "json" => serde_json::from_str(text).ok(),
        "toml" => serde_json::to_value(text.parse::<toml::Table>().ok()?).ok(),
        "yaml" | "yml" => {
            let documents: Vec<Data> = serde_saphyr::from_multiple(text).ok()?;
            Some(Data::Array(documents))
        }
        _ => None,
    }
}

/// All values that a text sets, in its format; `None` where it has none that is known here, or is not sound.
pub(super) fn leaves(ending: &str, text: &str) -> Option<Vec<Leaf>> {
    let data = data(ending, text)?;
    let mut found = Vec::new();
    collect(&data, &mut Vec::new(), &mut found);
    Some(found)
}

fn collect(data: &Data, path: &mut Vec<String>, found: &mut Vec<Leaf>) {
    match data {
        Data::Object(object) if !object.is_empty() => {
            for (key, value) in object {
                path.push(key.clone());
                collect(value, path, found);
                path.pop();
            }
        }
        Data::Array(items) if !items.is_empty() => {
            items.iter().for_each(|item| collect(item, path, found));
        }
        value => found.push(Leaf {
            path: path.clone(),
            value: value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
            is_text: value.is_string(),
        }),
    }
}

/// Whether both are objects, lists or neither. Of YAML it is asked of each document.
fn are_alike(one: &Data, other: &Data, ending: &str) -> bool {
    match (one, other) {
        (Data::Array(one), Data::Array(other)) if ending.starts_with('y') => {
            let mut pairs = one.iter().zip(other);
            pairs.all(|(one, other)| one.is_null() || are_alike(one, other, ""))
        }
        (Data::Object(_), Data::Object(_)) | (Data::Array(_), Data::Array(_)) => true,
        (one, other) => {
            let is_plain = |data: &Data| !data.is_object() && !data.is_array();
            is_plain(one) && is_plain(other)
        }
    }
}

/// The lines of a text that another does not have, from the first to the last of them.
fn gone<'a>(was: &'a str, is: &str) -> &'a str {
    let same = was
        .lines()
        .zip(is.lines())
        .take_while(|(was, is)| was == is);
    let head: usize = same.count();
    let ends = was.lines().skip(head).collect::<Vec<&str>>();
    let other = is.lines().skip(head).collect::<Vec<&str>>();
    let same = ends.iter().rev().zip(other.iter().rev());
    let tail = same.take_while(|(was, is)| was == is).count();
    let lines: Vec<&str> = was.split_inclusive('\n').collect();
    let length = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let start = length(&lines[..head.min(lines.len())]);
    let end = was.len() - length(&lines[lines.len().saturating_sub(tail)..]);
    was.get(start..end).unwrap_or_default()
}

/// Whether all values that are no more there stood in these lines, or are of a text that goes on in them.
fn stood_in(gone: &str, was: &[Leaf], is: &[Leaf]) -> bool {
    let mut left: Vec<&str> = is.iter().map(|leaf| leaf.value.as_str()).collect();
    was.iter().all(|leaf| {
        let value = leaf.value.as_str();
        if let Some(at) = left.iter().position(|one| *one == value) {
            left.remove(at);
            return true;
        }
        let is_empty = ["", "null", "{}", "[]"].contains(&value);
        let name = leaf.path.last().map_or("", String::as_str);
        let is_named = !name.is_empty() && gone.contains(name);
        is_empty || is_named || gone.contains(value.trim()) || value.contains(gone.trim())
    })
}

/// Whether the values after an edit are those that it may leave. `gone`: the lines that it takes away.
fn are_meant(was: &[Leaf], is: &[Leaf], edit: Edit<'_>, gone: &str) -> bool {
    match edit {
        Edit::Any => true,
        Edit::Lines => stood_in(gone, was, is),
        Edit::Words => was.len() == is.len(),
        Edit::Addition => {
            let mut left: Vec<(String, &str)> = is
                .iter()
                .map(|leaf| (leaf.dotted(), leaf.value.as_str()))
                .collect();
            was.iter().all(|leaf| {
                // What was empty may be filled.
                let is_empty = ["null", "{}", "[]"].contains(&leaf.value.as_str());
                let same = |one: &(String, &str)| one.0 == leaf.dotted() && one.1 == leaf.value;
                let at = left.iter().position(same);
                at.map(|at| left.remove(at)).is_some() || is_empty
            })
        }
        Edit::Value(to) => {
            let mut pairs = was.iter().zip(is);
            let have_names =
                was.len() == is.len() && pairs.clone().all(|(was, is)| was.path == is.path);
            let mut others = pairs
                .by_ref()
                .filter(|(was, is)| was.value != is.value || was.is_text != is.is_text);
            let first = others.next();
            have_names && others.next().is_none() && first.is_some_and(|(_, is)| is.has(to))
        }
    }
}

/// The number of cells in each row of a table; `None` where its quotes are not closed.
fn rows(text: &str, separator: u8) -> Option<Vec<usize>> {
    if !text.matches('"').count().is_multiple_of(2) {
        return None;
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(separator)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let rows: Result<Vec<usize>, csv::Error> = reader
        .records()
        .map(|row| row.map(|row| row.len()))
        .collect();
    rows.ok()
}

/// Whether edits of files with this ending are judged.
pub(super) fn is_known(ending: &str) -> bool {
    let has_data = ["json", "toml", "yaml", "yml", "csv", "tsv"].contains(&ending);
    has_data || line_form(ending).is_some()
}

/// The form of a line in files that are a line for each value.
fn line_form(ending: &str) -> Option<&'static str> {
    Some(match ending {
        "env" => r"^\s*(?:#.*|(?:export[ \t]+)?[A-Za-z_][\w.]*[ \t]*=.*)?$",
        "ini" | "cfg" | "cnf" | "gitconfig" | "editorconfig" | "desktop" | "service" | "timer"
        | "socket" => r"^\s*(?:[#;].*|\[[^\]]+\][ \t]*(?:[#;].*)?|[^\s=:\[#;][^=:]*[=:].*)?$",
        "properties" => r"^\s*(?:[#!].*|[^\s=:#!][^=:]*[=:].*)?$",
        // nginx: each directive ends with a semicolon or opens a block.
        "conf" => r"^\s*(?:#.*|[^#]*[;{}][ \t]*(?:#.*)?)?$",
        _ => return None,
    })
}

/// Whether each line of a text has the form of its file.
fn has_form(ending: &str, text: &str) -> Option<bool> {
    let form = pattern(line_form(ending)?)?;
    let is_even = ending != "conf" || text.matches('{').count() == text.matches('}').count();
    Some(is_even && text.lines().all(|line| form.is_match(line)))
}

impl Lines<'_> {
    /// Refuses changes after which the file is not sound any more, or has other values than they may leave.
    pub(super) fn stays_sound(&self, actions: &[Action], edit: Edit<'_>) -> Result<(), Refusal> {
        let mut after = self.text.to_owned();
        for action in actions {
            after = applied(&after, action);
        }
        self.is_sound_as(&after, edit)
    }

    /// The same of a text that takes the place of this one.
    pub(super) fn is_sound_as(&self, after: &str, edit: Edit<'_>) -> Result<(), Refusal> {
        let ending = self.ending();
        let ending = ending.as_str();
        match ending {
            "csv" | "tsv" => return self.stays_even(after),
            "json" | "toml" | "yaml" | "yml" => {}
            _ => {
                let is_broken = has_form(ending, self.text) == Some(true)
                    && has_form(ending, after) == Some(false);
                return if is_broken {
                    Err(self.unsound())
                } else {
                    Ok(())
                };
            }
        }
        let Some(was) = data(ending, self.text) else {
            return Ok(());
        };
        let is = data(ending, after)
            .filter(|is| self.text.trim().is_empty() || are_alike(&was, is, ending));
        if is.is_none() {
            return Err(self.unsound());
        }
        let (was, is) = (leaves(ending, self.text), leaves(ending, after));
        match was.zip(is) {
            Some((was, is)) if !are_meant(&was, &is, edit, gone(self.text, after)) => {
                let why = format!("Other values of {} would change too.", self.path);
                Err(Refusal::ambiguous(
                    why,
                    vec![format!("show {}", self.shown_path())],
                ))
            }
            _ => Ok(()),
        }
    }

    fn unsound(&self) -> Refusal {
        let why = format!(
            "{} would not be sound {} any more.",
            self.path,
            self.ending()
        );
        Refusal::ambiguous(why, vec![format!("show {}", self.shown_path())])
    }

    /// Refuses a row with more or fewer cells than the header, where all have as many.
    fn stays_even(&self, after: &str) -> Result<(), Refusal> {
        let separator = match self.ending().as_str() {
            "tsv" => b'\t',
            _ => separator_of(self.text),
        };
        let Some(was) = rows(self.text, separator) else {
            return Ok(());
        };
        let Some(first) = was
            .first()
            .filter(|first| was.iter().all(|row| row == *first))
        else {
            return Ok(());
        };
        let Some(is) = rows(after, separator) else {
            return Err(self.unsound());
        };
        let Some(count) = is.iter().find(|count| *count != first) else {
            return Ok(());
        };
        let header: String = self
            .text
            .lines()
            .next()
            .unwrap_or_default()
            .chars()
            .take(SHOWN_CHARS)
            .collect();
        let cells = |count: &usize| match count {
            1 => "1 cell".to_owned(),
            count => format!("{count} cells"),
        };
        let why = format!(
            "A row of {} has {}, and one would have {}: the header is `{header}`.",
            self.path,
            cells(first),
            cells(count),
        );
        let advice = "A cell that has the separator in it goes in double quotes.";
        Err(Refusal::ambiguous(why, Vec::new()).advised(advice))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files before and after an edit, and whether that is one which may be.
    const EDITS: [(&str, &str, &str, Edit<'_>, bool); 23] = [
        (
            "a.yaml",
            "a: x\np:\n  - 1\n",
            "a: x\n  - 2\n  - 1\n",
            Edit::Lines,
            false,
        ),
        (
            "a.yaml",
            "a: x\np:\n  - 1\n",
            "a: x\n  - 1\n",
            Edit::Lines,
            false,
        ),
        (
            "a.yaml",
            "a: x\np:\n  - 1\n",
            "a: x\nq:\n  - 1\n",
            Edit::Lines,
            true,
        ),
        (
            "a.yaml",
            "a: x\nb: 0x10\n",
            "a: x\nb: 7\n",
            Edit::Lines,
            true,
        ),
        (
            "a.yaml",
            "a: |\n  one\n  two\nb: 1\n",
            "a: |\n  one\n  three\nb: 1\n",
            Edit::Lines,
            true,
        ),
        ("a.json", "{\"a\": 1}", "{\"a\": 2}", Edit::Value("2"), true),
        (
            "a.json",
            "{\"a\": 1}",
            "{\"a\": 2, \"b\": 3}",
            Edit::Value("2"),
            false,
        ),
        ("a.json", "{\"a\": 1}", "{\"a\": 2", Edit::Any, false),
        (
            "a.yaml",
            "a: 1\nb: x\n",
            "a: 1\nb: x # y\n",
            Edit::Value("x # y"),
            false,
        ),
        (
            "a.yaml",
            "- A=1\n",
            "- A=b: c\n",
            Edit::Value("b: c"),
            false,
        ),
        ("a.yaml", "a: 1\n", "a: 1\nb: 2\n", Edit::Addition, true),
        ("a.yaml", "a: 1\n", "a: 1\n  milk\n", Edit::Addition, false),
        ("a.yaml", "a: 1\n", "a: 1\nmilk\n", Edit::Addition, false),
        ("a.yaml", "a: 1\n", "- a\n", Edit::Any, false),
        ("a.toml", "a = 1\n", "a = 1\nmilk\n", Edit::Addition, false),
        (
            "a.csv",
            "a,b\n1,2\n",
            "a,b\n1,2\n3,4\n",
            Edit::Addition,
            true,
        ),
        (
            "a.csv",
            "a,b\n1,2\n",
            "a,b\n1,2\n3\n",
            Edit::Addition,
            false,
        ),
        ("a.csv", "a,b\n1\n", "a,b\n1\n3,4,5\n", Edit::Addition, true),
        (".env", "A=1\n", "A=1\nmilk\n", Edit::Addition, false),
        (
            "a.ini",
            "[a]\nb = 1\n",
            "[a]\nb = 1\nc = 2\n",
            Edit::Addition,
            true,
        ),
        (
            "a.ini",
            "[a]\nb = 1\n",
            "[a]\nb = 1\nmilk\n",
            Edit::Addition,
            false,
        ),
        (
            "n.conf",
            "a {\n  b 1;\n}\n",
            "a {\n  b 1\n}\n",
            Edit::Any,
            false,
        ),
        ("s.conf", "Port 22\n", "Port 23\n", Edit::Any, true),
    ];

    #[test]
    fn an_edit_leaves_the_file_sound_and_the_other_values_as_they_were() {
        for (path, before, after, edit, is_sound) in EDITS {
            let lines = Lines { path, text: before };
            let judged = lines.is_sound_as(after, edit);
            assert_eq!(judged.is_ok(), is_sound, "{path}: {after}: {judged:?}");
        }
    }
}
