//! What orders look like: a pattern that is compiled once an order begins like it.
//!
//! Compiling the hundreds of patterns of all rules took most of the time of a short command.

use regex::{Captures, Regex};
use regex_syntax::hir::literal::Extractor;
use std::sync::OnceLock;

/// Longest beginning that is looked at, in characters; more than any literal that is taken of a pattern.
const BEGINNING: usize = 128;

/// A pattern of a rule.
#[derive(Debug)]
pub struct LazyPattern {
    written: String,
    /// What each text that fits begins with, in small letters; `None` where it may begin with anything.
    begins: Option<Vec<String>>,
    compiled: OnceLock<Option<Regex>>,
}

impl LazyPattern {
    /// A pattern by its text, which is anchored at the beginning.
    pub fn new(written: String) -> Self {
        Self {
            begins: beginnings(&written),
            written,
            compiled: OnceLock::new(),
        }
    }

    /// What the pattern finds in a text; `None` where the text does not fit. A pattern that does not compile
    /// fits nothing; a test proves that all do.
    pub fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        if !self.may_fit(text) {
            return None;
        }
        self.regex()?.captures(text)
    }

    /// Whether the pattern compiles, for the tests of the tables.
    #[cfg(test)]
    pub fn compiles(&self) -> bool {
        self.regex().is_some()
    }

    fn regex(&self) -> Option<&Regex> {
        let compiled = || Regex::new(&self.written).ok();
        self.compiled.get_or_init(compiled).as_ref()
    }

    fn may_fit(&self, text: &str) -> bool {
        let Some(begins) = &self.begins else {
            return true;
        };
        let start: String = text.chars().take(BEGINNING).collect();
        let start = start.to_lowercase();
        begins.iter().any(|begin| start.starts_with(begin.as_str()))
    }
}

/// What texts that fit a pattern begin with. The pattern is read as if small and large letters differed:
/// with both, each word has too many spellings to list.
fn beginnings(pattern: &str) -> Option<Vec<String>> {
    let small = pattern.strip_prefix("(?i)").unwrap_or(pattern);
    let read = regex_syntax::parse(small).ok()?;
    let found = Extractor::new().extract(&read);
    let literals = found.literals()?.iter();
    let texts = literals.map(|literal| str::from_utf8(literal.as_bytes()).ok());
    let texts: Option<Vec<String>> = texts.map(|text| Some(text?.to_lowercase())).collect();
    texts.filter(|texts| texts.iter().all(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(pattern: &str) -> Vec<String> {
        beginnings(pattern).unwrap_or_default()
    }

    #[test]
    fn a_pattern_knows_what_its_texts_begin_with() {
        assert_eq!(begins("(?i)^(?:show|Read) (?P<x>.+)$"), ["show ", "read "]);
        assert_eq!(
            begins("(?i)^(?:please )?show .+$"),
            ["please show ", "show "]
        );
        assert_eq!(begins("(?i)^.*show$"), [""; 0]);
        assert_eq!(begins("(?i)^(?:show)?.*$"), [""; 0]);
    }

    #[test]
    fn only_what_an_order_may_fit_is_compiled() {
        let orders = LazyPattern::new("(?i)^(?:größer|show) (?P<x>.+)$".to_owned());
        assert!(orders.captures("delete a.txt").is_none());
        assert!(orders.compiled.get().is_none());
        let found = orders.captures("SHOW a.txt").unwrap();
        assert_eq!(&found["x"], "a.txt");
        assert!(orders.captures("GRÖSSER als").is_none());
        assert!(orders.captures("GRÖßER als").is_some());
    }
}
