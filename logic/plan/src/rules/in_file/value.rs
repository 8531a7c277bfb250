//! A value in a text: where it stands, and what names it.

use crate::quoted::in_quotes;
use std::ops::Range;

/// A value in the text: where it stands, whether in quotes, and its name behind those of its sections.
#[derive(Debug, Clone)]
pub(super) struct Value {
    pub(super) place: Range<usize>,
    pub(super) quote: Option<char>,
    pub(super) path: Vec<String>,
}

impl Value {
    /// Its name with those of its sections, joined by full stops.
    pub(super) fn dotted(&self) -> String {
        self.path.join(".")
    }

    /// What names it in an order, unless its names have spaces or full stops.
    pub(super) fn said(&self) -> Option<String> {
        let is_plain = |name: &String| !name.contains(|c: char| c.is_whitespace() || c == '.');
        match self.path.as_slice() {
            path if !path.iter().all(is_plain) => None,
            [] => None,
            [name] => Some(format!("top-level {name}")),
            path => Some(path.join(".")),
        }
    }
}

/// What a value is to be, and whether that stood in quotes.
pub(super) type NewValue<'a> = (&'a str, bool);

/// A text as it can be typed: in quotes where it has to be.
pub(super) fn typed(text: &str, is_quoted: bool) -> String {
    match is_quoted || text.is_empty() || text.contains(char::is_whitespace) {
        true => in_quotes(text),
        false => text.to_owned(),
    }
}
