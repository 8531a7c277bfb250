//! Values that sentences of a text state: `The deadline is Monday.` An order for `the deadline` is of what it is,
//! and never of the word.

use super::lines::Lines;
use super::values::amount;
use super::written;
use crate::names;
use crate::quoted::in_quotes;
use crate::rules::plain;
use crate::rules::refusal::Refusal;
use crate::rules::words::pattern;
use std::ops::Range;

/// Most places that a refusal offers an order for.
const OFFERED_PLACES: usize = 4;

/// Words behind an article that say what kind of text is meant: `the word deadline`.
const TEXTS: [&str; 9] = [
    "word", "words", "text", "phrase", "name", "sentence", "line", "heading", "string",
];

/// Whether what stands behind an article names a value, and says no kind of text.
pub(super) fn names_a_value(key: &str) -> bool {
    let key = key.to_lowercase();
    let is_text = |word: &str| {
        let rest = key.strip_prefix(word);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    !TEXTS.into_iter().any(is_text)
}

impl Lines<'_> {
    /// Refuses an order for `the deadline` of a text, with the orders for what it is, or with what it may mean: not
    /// where a line sets it and the order `is_said` to be of a value, where it is a cell, or where the text does not
    /// have the name.
    pub(super) fn is_stated(&self, key: &str, to: &str, is_said: bool) -> Result<(), Refusal> {
        let is_a_cell = || self.set_cell(key, None, (to, false)).is_some();
        if (is_said && !self.values(key).is_empty()) || is_a_cell() {
            return Ok(());
        }
        self.of_a_named_value(key, to).map_or(Ok(()), Err)
    }

    fn of_a_named_value(&self, key: &str, to: &str) -> Option<Refusal> {
        let stated = self.stated(key, to);
        let path = self.path;
        if !stated.is_empty() {
            let shown = stated.iter().take(OFFERED_PLACES).map(|place| {
                let number = self.text[..place.start].matches('\n').count() + 1;
                format!("`{}` (line {number})", &self.text[place.clone()])
            });
            let shown: Vec<String> = shown.collect();
            let why = format!(
                "What `{key}` is in {path} stands in a sentence: {}. Whether all of that is to change is not clear.",
                shown.join(", ")
            );
            let places = stated.iter().take(OFFERED_PLACES);
            let offers = places.map(|place| self.exchange_offer(place, to)).collect();
            return Some(Refusal::ambiguous(why, Vec::new()).offering(offers));
        }
        if !names::has_words(&self.text.to_lowercase(), &key.to_lowercase()) {
            return None;
        }
        if let Some(refusal) = self.of_a_name_before(key, to) {
            return Some(refusal);
        }
        let why = format!(
            "`the {key}` may be a value or these words, and no line of {path} says what it is."
        );
        let (file, new) = (self.shown_path(), in_quotes(to));
        // A number or a time takes the place of another, and never of a name; nor does anything of a name in a file
        // that is no text in words.
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_in_words = name.contains('.') && plain::is_prose(path);
        if to.starts_with(|c: char| c.is_ascii_digit()) || !is_in_words {
            let advice = format!("Say what it is now, as in `replace \"…\" with {new} in {file}`.");
            return Some(Refusal::ambiguous(why, Vec::new()).advised(advice));
        }
        let words = format!("replace {} with {new} in {file}", in_quotes(key));
        let advice = format!(
            "For a value, say what it is now, as in `replace \"…\" with {new} in {file}`; the order below is of the words."
        );
        Some(Refusal::ambiguous(why, vec![words]).advised(advice))
    }

    /// What is said of a name that begins the only line that has it, and of which the rest may be the value, in a file
    /// that is no text in words: `email admin@example.org`.
    fn of_a_name_before(&self, key: &str, to: &str) -> Option<Refusal> {
        let is_text = [".md", ".txt", ".markdown", ".rst"];
        if is_text.iter().any(|ending| self.path.ends_with(ending)) {
            return None;
        }
        let name = written::name_of(key);
        let form = pattern(&format!(
            r"(?im)^[ \t]*{name}[ \t]+(?P<is>[^\s{{}}#][^\n{{}}]*?)[ \t]*\r?$"
        ))?;
        let mut places = form
            .captures_iter(self.text)
            .filter_map(|found| Some(found.name("is")?.range()));
        let place = places.next().filter(|_| places.next().is_none())?;
        let number = self.text[..place.start].matches('\n').count() + 1;
        let why = format!(
            "`{}` stands behind `{key}` in line {number} of {}, and whether that is its value I do not know there.",
            &self.text[place.clone()],
            self.path
        );
        Some(Refusal::ambiguous(why, Vec::new()).offering(vec![self.exchange_offer(&place, to)]))
    }

    /// Where lines say what something is: behind `is`, `:` or `=`, and behind the name itself where a number
    /// stands there and is to be another.
    fn stated(&self, key: &str, to: &str) -> Vec<Range<usize>> {
        let name = written::name_of(key);
        let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
        let mark = match is_number(to) {
            true => r"(?:[ \t]+(?:is|are)[ \t]+|[ \t]*[:=][*_]*[ \t]+|[ \t]+(?P<number>v?))",
            false => r"(?:[ \t]+(?:is|are)[ \t]+|[ \t]*[:=][*_]*[ \t]+)",
        };
        let end = r"[*_]*(?:[.,;!?](?:\s|$)|[ \t]+(?:and|but|or|which|because|while|since|until|if)\b|[ \t]*\r?$)";
        let form = pattern(&format!(
            r#"(?im)\b{name}[*_"'`]*{mark}(?P<is>[^\s*_].*?){end}"#
        ));
        let places = form.iter().flat_map(|form| form.captures_iter(self.text));
        let places = places.filter_map(|found| {
            let mut place = found.name("is")?.range();
            let is = &self.text[place.clone()];
            if found.name("number").is_some() {
                let length = is.find(char::is_whitespace).unwrap_or(is.len());
                place.end = place.start + length;
                return is_number(is).then_some(place);
            }
            if let Some(length) = amount(is, to) {
                place.end = place.start + length;
            }
            Some(place)
        });
        places.collect()
    }
}
