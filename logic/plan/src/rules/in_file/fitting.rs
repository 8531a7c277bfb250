//! How a new value is written in the place of an old one, and the orders that refusals offer for it.

use super::lines::Lines;
use super::sections;
use super::value::{NewValue, Value, typed};
use super::values::are_lists;
use super::written;
use crate::quoted::in_quotes;
use crate::rules::refusal::{Offer, Refusal};
use std::ops::Range;

/// Most values that a refusal offers an order for.
const OFFERED_VALUES: usize = 4;

/// Whether a text is a number with its unit: `7d`, `10m`.
fn is_amount(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    unit.len() < text.len() && !unit.is_empty() && unit.chars().all(char::is_alphabetic)
}

impl Lines<'_> {
    /// Refuses a value that is of another kind than the one that stands there, or of more words, where the file
    /// may not have it so.
    pub(super) fn is_of_its_kind(
        &self,
        key: &str,
        value: &Value,
        to: NewValue<'_>,
    ) -> Result<(), Refusal> {
        let ending = self.ending();
        let is = self.text[value.place.clone()].trim();
        let bare = value.quote.is_none();
        let is_of_code = written::is_code(&ending) && bare && written::is_literal(is);
        if is_of_code && !written::is_literal(to.0) {
            let why = format!(
                "`{key}` is `{is}` in {}, and `{}` would be a name there.",
                self.path, to.0
            );
            let quoted = self.line_offer(value, serde_json::Value::from(to.0).to_string());
            return Err(Refusal::ambiguous(why, Vec::new()).offering(vec![quoted]));
        }
        let has_space = |text: &str| text.contains(char::is_whitespace);
        if written::is_code(&ending) && bare && is.contains('(') {
            let why = format!(
                "`{key}` is `{is}` in {}, which the program reckons.",
                self.path
            );
            let nearest = vec![format!("show {}", self.shown_path())];
            return Err(Refusal::ambiguous(why, nearest));
        }
        // A number and its unit stand together where they did: `7d`.
        let joined = to.0.replace(' ', "");
        if bare && has_space(to.0) && is_amount(is) && is_amount(&joined) {
            let why = format!("`{key}` is `{is}` in {}, without a space.", self.path);
            let mut offer = self.line_offer(value, joined.clone());
            let order = format!("set {key} to {joined} in {}", self.shown_path());
            offer.forms.insert(0, order);
            return Err(Refusal::ambiguous(why, Vec::new()).offering(vec![offer]));
        }
        if ending == "conf" && bare && has_space(to.0) && !has_space(is) {
            let why = format!(
                "Whether `{}` is one value or several is not clear in {}.",
                to.0, self.path
            );
            let offers = vec![
                self.line_offer(value, format!("\"{}\"", to.0)),
                self.line_offer(value, to.0.to_owned()),
            ];
            return Err(Refusal::ambiguous(why, Vec::new()).offering(offers));
        }
        Ok(())
    }

    /// A refusal with the orders that mean each of these values and no other.
    pub(super) fn offered(
        &self,
        refusal: Refusal,
        values: &[Value],
        to: Option<NewValue<'_>>,
    ) -> Refusal {
        let Some((to, is_quoted)) = to else {
            let nearest = vec![format!("show {}", self.shown_path())];
            return Refusal { nearest, ..refusal };
        };
        let one = |value: &Value| {
            let mut offer = match self.fit(value, (to, is_quoted)) {
                Ok((place, written)) => self.place_offer(value, place, &written),
                Err(_unfit) => return None,
            };
            let said = value.said().filter(|_| sections::are_known(&self.ending()));
            let said = said.map(|said| {
                let to = typed(to, is_quoted);
                format!("set {said} to {to} in {}", self.shown_path())
            });
            offer.forms.splice(0..0, said);
            Some(offer)
        };
        let offers = values.iter().take(OFFERED_VALUES).filter_map(one).collect();
        refusal.offering(offers)
    }

    /// The order that puts a text in the place of a value, as the new text of its line.
    pub(super) fn line_offer(&self, value: &Value, written: String) -> Offer {
        self.place_offer(value, value.place.clone(), &written)
    }

    fn place_offer(&self, value: &Value, place: Range<usize>, written: &str) -> Offer {
        let line = self.line_place(value);
        let before = self.text.get(line.start..place.start).unwrap_or_default();
        let after = self.text.get(place.end..line.end).unwrap_or_default();
        self.rewrite_offer(
            self.number_of(value),
            line,
            &format!("{before}{written}{after}"),
        )
    }

    /// The order that gives a line another text: by what it says where that stands there once, so that it changes
    /// no other line once more was edited, else by its number.
    pub(super) fn rewrite_offer(&self, number: usize, line: Range<usize>, text: &str) -> Offer {
        let path = self.shown_path();
        let order = format!("replace line {number} of {path} with");
        let (is, said) = (self.text[line.clone()].trim(), text.trim());
        let stands_once = !is.is_empty() && self.text.matches(is).count() == 1;
        let by_text = format!(
            "replace {} with {} in {path}",
            in_quotes(is),
            in_quotes(said)
        );
        Offer {
            // What stands behind a colon is taken with all its quotes.
            forms: stands_once
                .then_some(by_text)
                .into_iter()
                .chain([
                    format!("{order} {}", in_quotes(text)),
                    format!("{order}: {text}"),
                ])
                .collect(),
            after: format!(
                "{}{text}{}",
                &self.text[..line.start],
                &self.text[line.end..]
            ),
            otherwise: format!("Change line {number} of {} in an editor.", self.path),
        }
    }

    /// A new value as the old one was written, in the same quotes, and in quotes where the file wants a text in
    /// some; with the place that it takes.
    pub(super) fn fit(
        &self,
        value: &Value,
        (to, is_quoted): NewValue<'_>,
    ) -> Result<(Range<usize>, String), Refusal> {
        let ending = self.ending();
        let is_known = matches!(ending.as_str(), "json" | "toml");
        let escaped = |text: &str| serde_json::Value::from(text).to_string();
        let place = value.place.clone();
        let written = match value.quote {
            Some('"') if is_known => {
                let escaped = escaped(to);
                escaped[1..escaped.len() - 1].to_owned()
            }
            Some(quote) if to.contains([quote, '\\']) => {
                let why = format!("`{to}` does not go between the quotes in {}.", self.path);
                let advice = format!(
                    "Change line {} of {} in an editor.",
                    self.number_of(value),
                    self.path
                );
                return Err(Refusal::ambiguous(why, Vec::new()).advised(advice));
            }
            Some(_) => to.to_owned(),
            None => {
                let is = &self.text[place.clone()];
                let literal = |text: &str| serde_json::from_str::<serde_json::Value>(text).is_ok();
                // A date in TOML is neither; that the file stays sound is looked at afterwards.
                let is_bare = !is_known
                    || literal(to)
                    || are_lists(is, (to, is_quoted))
                    || (ending == "toml" && !literal(is));
                // A shell would run what stands behind a blank.
                let is_quoted =
                    is_quoted || (ending == "env" && written::parts(to) && !written::parts(is));
                match is_bare {
                    true => written::bare(&ending, to, is_quoted)?,
                    false => escaped(to),
                }
            }
        };
        // `- KEY=value` of YAML is one text: all of it goes in quotes.
        match self
            .item_before(value)
            .filter(|_| written.starts_with('"') && value.quote.is_none())
        {
            Some(item) => {
                let whole = escaped(&format!("{}{to}", &self.text[item..place.start]));
                Ok((item..place.end, whole))
            }
            None => Ok((place, written)),
        }
    }

    /// Where the text of an item of a YAML list begins, of which a value is the end.
    fn item_before(&self, value: &Value) -> Option<usize> {
        let line = self.line_place(value);
        let before = self.text.get(line.start..value.place.start)?;
        let item = before.trim_start().strip_prefix("- ")?.trim_start();
        let is_item = self.ending().starts_with('y')
            && item.ends_with('=')
            && !item.contains(char::is_whitespace);
        is_item.then(|| value.place.start - item.len())
    }
}
