//! Parsing a configuration file, with errors that name the line and the nearest right key.

use crate::error::Error;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Largest configuration file, bytes.
pub const FILE_BYTES: u64 = 1 << 20;

/// Says whether a word has the shape of a key.
pub type IsKey = fn(&str) -> bool;

/// Parses a TOML file; the error shows the line and, for a misspelt key, the nearest right one, and no
/// word that is a key to `is_key`.
///
/// # Errors
/// Such an error.
pub fn parse_toml<T: DeserializeOwned>(
    file: &Path,
    text: &str,
    note: &str,
    is_key: IsKey,
) -> Result<T, Error> {
    toml::from_str(text).map_err(|error| {
        let detail = in_plain_words(without_secrets(&error.to_string()));
        let again = stands_already(&detail, text);
        let hint = again.unwrap_or_else(|| hint(&detail, note));
        let told = Told::without_keys(&detail, &hint, is_key);
        let hint = match told.has_hidden {
            true => format!("{HIDDEN}: a key never stands in this file. {}", told.hint),
            false => told.hint,
        };
        let what = told.what.trim_end();
        Error::new(format!("{}: {what}", file.display()), hint)
    })
}

/// What is said where a word is not shown again.
const HIDDEN: &str = "What looks like a key is not shown";
/// Shortest word that is taken for a key, characters.
const SHORTEST_KEY: usize = 10;

/// A mistake in words that may be shown.
pub(super) struct Told {
    pub(super) what: String,
    pub(super) hint: String,
    has_hidden: bool,
}

impl Told {
    /// With every word left out that is a key, whichever side of `=` it stands on.
    fn without_keys(what: &str, hint: &str, is_key: IsKey) -> Self {
        let (what, has_hidden) = without_keys(what, is_key);
        Self {
            what,
            hint: without_keys(hint, is_key).0,
            has_hidden,
        }
    }

    /// The same of a value that stands anywhere.
    pub(super) fn of_a_value(what: &str, hint: &str, is_key: IsKey) -> Self {
        let mut told = Self::without_keys(what, hint, is_key);
        if told.has_hidden {
            told.hint = format!("{HIDDEN}. {}", told.hint);
        }
        told
    }
}

/// The text with every word left out that is a key, and whether there was one.
fn without_keys(text: &str, is_key: IsKey) -> (String, bool) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let (mut out, mut has_hidden) = (String::with_capacity(text.len()), false);
    let mut rest = text;
    while let Some(start) = rest.find(is_part) {
        let (between, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_part(c)).unwrap_or(from.len()));
        let is_hidden = word.len() >= SHORTEST_KEY && is_key(word);
        out.push_str(between);
        out.push_str(if is_hidden { "…" } else { word });
        (has_hidden, rest) = (has_hidden || is_hidden, after);
    }
    out.push_str(rest);
    (out, has_hidden)
}

/// What to do about a section or key that stands in the file twice: where it stands first.
fn stands_already(detail: &str, text: &str) -> Option<String> {
    let shown = detail.lines().filter_map(|line| line.split_once(" | "));
    let again = shown
        .filter(|(number, _)| number.trim().bytes().all(|byte| byte.is_ascii_digit()))
        .map(|(_, line)| line.trim())
        .find(|line| !line.is_empty() && detail.contains("duplicate key"))?;
    let is_section = again.starts_with('[');
    let name = again.split('=').next().unwrap_or(again).trim();
    let is_it = |line: &str| match is_section {
        true => line.trim() == name,
        false => line.split('=').next().map(str::trim) == Some(name),
    };
    let first = text.lines().position(is_it)? + 1;
    Some(match is_section {
        true => format!("{name} stands in line {first} already: write its keys there."),
        false => format!("`{name}` stands in line {first} already: change it there."),
    })
}

/// The parser's message without the names that Rust has for numbers and lists.
fn in_plain_words(detail: String) -> String {
    let mut detail = detail.replace("expected a sequence", "expected a list, such as [\"…\"]");
    for width in ["usize", "u64", "u32", "u16", "u8"] {
        for (theirs, ours) in [
            (format!("a nonzero {width}"), "a whole number, 1 or more"),
            (
                format!("expected {width}"),
                "expected a whole number, 0 or more",
            ),
        ] {
            detail = detail.replace(&theirs, ours);
        }
    }
    detail
}

/// Words in a line that may hold a key, under whatever name it was tried.
pub(super) const SECRET_WORDS: [&str; 6] =
    ["key", "token", "secret", "pass", "credential", "bearer"];

/// The parser's message, which shows the line that it does not take, without what a line about keys
/// says. A key that was written into the file must not be in a terminal or a log as well.
fn without_secrets(detail: &str) -> String {
    let shown = |line: &str| {
        let (number, text) = line.split_once(" | ")?;
        let (left, _) = text.split_once('=')?;
        let lower = text.to_lowercase();
        let is_about_keys = SECRET_WORDS.iter().any(|word| lower.contains(word));
        let is_line = number.trim().bytes().all(|byte| byte.is_ascii_digit());
        (is_line && is_about_keys).then(|| format!("{number} | {left}= …"))
    };
    if !detail.lines().any(|line| shown(line).is_some()) {
        return detail.to_owned();
    }
    let lines = detail.lines().map(|line| match shown(line) {
        Some(short) => short,
        // The parser's own words for a wrong type quote the value.
        None if line.starts_with("invalid") => match line.split_once('"') {
            Some((before, rest)) => {
                let after = rest.rsplit_once('"').map_or("", |(_, after)| after);
                format!("{before}\"…\"{after}")
            }
            None => line.to_owned(),
        },
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// `Did you mean …?` for an unknown key, and the note.
#[must_use]
pub fn hint(detail: &str, note: &str) -> String {
    let mut quoted = detail.split('`').skip(1).step_by(2);
    let is_unknown = detail.contains("unknown field") || detail.contains("unknown variant");
    let wrong = if is_unknown {
        quoted.by_ref().find(|name| !name.contains('.'))
    } else {
        None
    };
    let nearest = wrong.and_then(|wrong| {
        quoted
            .map(|right| (likeness(wrong, right), right))
            .filter(|(likeness, _)| *likeness > 0.75)
            .max_by(|a, b| a.0.total_cmp(&b.0))
    });
    match nearest {
        Some((_, right)) => format!("Did you mean `{right}`? {note}"),
        None => note.to_owned(),
    }
}

/// How alike two names are, 0 to 1. In capitals a name is the same one to whoever typed it.
fn likeness(one: &str, other: &str) -> f64 {
    strsim::jaro_winkler(&one.to_lowercase(), &other.to_lowercase())
}

/// What to do where a name is none of the known ones; `None` where it is one.
#[must_use]
pub fn nearest(known: &[&str], name: &str) -> Option<String> {
    if known.contains(&name) {
        return None;
    }
    let nearest = known
        .iter()
        .map(|known| (likeness(known, name), *known))
        .max_by(|one, other| one.0.total_cmp(&other.0))
        .filter(|(likeness, _)| *likeness > 0.75);
    Some(match nearest {
        Some((_, name)) => format!("Did you mean `{name}`?"),
        None => format!("Write one of {}.", known.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_a_key_is_left_out_wherever_it_stands() {
        let is_key: IsKey = |word| word.starts_with("sk-");
        let told = |text| without_keys(text, is_key);
        let field = told("unknown field `sk-very-secret`, expected `x`");
        assert_eq!(field, ("unknown field `…`, expected `x`".to_owned(), true));
        assert_eq!(told("a=sk-very-secret/m"), ("a=…/m".to_owned(), true));
        for text in ["modles", "skip-tests", "sk-short", ""] {
            assert_eq!(told(text), (text.to_owned(), false));
        }
    }
}
