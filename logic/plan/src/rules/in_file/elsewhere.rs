//! What is said where nothing stands at the place that an order names: the values of that name elsewhere, and which
//! of them may be meant.

use super::keys::{Reading, Within, plain};
use super::lines::Lines;
use super::unset::unset;
use super::value::{NewValue, Value};
use super::values::NAMES;
use crate::names;
use crate::rules::refusal::Refusal;

impl Lines<'_> {
    /// What is said where nothing stands at the place that an order names, with the lines elsewhere that
    /// set a value of that name.
    pub(super) fn elsewhere(
        &self,
        key: &str,
        readings: &[Reading],
        to: Option<NewValue<'_>>,
    ) -> Refusal {
        let places = readings.iter().skip(1);
        let places = places.filter(|reading| !matches!(reading.within, Within::Behind(_)));
        let mut values: Vec<Value> = Vec::new();
        let mut is_explicit = false;
        for reading in places {
            let found = self.values(&reading.name);
            is_explicit |= reading.is_explicit && !found.is_empty();
            values.extend(found);
        }
        values.sort_by_key(|value| value.place.start);
        values.dedup_by_key(|value| value.place.start);
        // Of what sets nothing where it stands there is no order.
        let unset = unset(&self.ending(), self.text);
        values.retain(|value| !unset.iter().any(|part| part.contains(&value.place.start)));
        if values.is_empty() {
            return self.not_set(key, to);
        }
        let why = format!(
            "{} has no line that sets `{key}`; that name is set in {}.",
            self.path,
            self.told(&values)
        );
        // `web.image` is `services.web.image` rather than `services.db.image`.
        let ends_so = |value: &Value| plain(&value.dotted()).ends_with(&plain(&format!(".{key}")));
        let likely: Vec<Value> = values
            .iter()
            .filter(|value| ends_so(value))
            .cloned()
            .collect();
        let likely = match likely.is_empty() {
            true => self.of_owner(readings, values),
            false => likely,
        };
        let likely = self.with_words_of(key, likely);
        let refusal = match is_explicit {
            true => Refusal::ambiguous(why, Vec::new()),
            // Words that name no section may be of a text.
            false => Refusal::absent(why, Vec::new()),
        };
        self.offered(refusal, &likely, to)
    }

    /// Of several values those that have the other words of a key, where some do: `postgres:15` of `postgres image`.
    fn with_words_of(&self, key: &str, values: Vec<Value>) -> Vec<Value> {
        let has_them = |value: &&Value| {
            let own = value.path.last().map(|name| plain(name));
            let is = format!("{} {}", value.dotted(), &self.text[value.place.clone()]);
            let mut words = key
                .split([' ', '.'])
                .filter(|word| Some(plain(word)) != own);
            words.all(|word| names::has_words(&is.to_lowercase(), &word.to_lowercase()))
        };
        let some: Vec<Value> = values.iter().filter(has_them).cloned().collect();
        match some.is_empty() {
            true => values,
            false => some,
        }
    }

    /// The values that may be meant where an order names an owner: one that the file has owns what is meant,
    /// or is set itself. `clap = "4.4"` is the version of clap, and that of the package is another.
    fn of_owner(&self, readings: &[Reading], values: Vec<Value>) -> Vec<Value> {
        let owners = readings.iter().filter_map(|reading| match &reading.within {
            Within::Section(section) => section.rsplit('.').next(),
            Within::Path(path) => path.rsplit('.').nth(1),
            Within::Anywhere | Within::Top | Within::OneOf(_) | Within::Behind(_) => None,
        });
        let all = self.values_of(NAMES);
        let is_at = |value: &Value, owner: &str| {
            let mut names = value.path.iter();
            names.any(|name| plain(name) == plain(owner))
        };
        let mut owners = owners.filter(|owner| all.iter().any(|value| is_at(value, owner)));
        let Some(first) = owners.next() else {
            return values;
        };
        let is_called = |value: &Value, name: &str| {
            let own = value.path.last();
            own.is_some_and(|own| plain(own) == plain(name))
        };
        let owners: Vec<&str> = std::iter::once(first).chain(owners).collect();
        let is_of = |value: &Value| {
            let mut owners = owners.iter();
            owners.any(|owner| is_at(value, owner) && !is_called(value, owner))
        };
        let own: Vec<Value> = values.into_iter().filter(is_of).collect();
        let is_set = |value: &Value| {
            is_called(value, first) && !self.text[value.place.clone()].starts_with(['{', '['])
        };
        match own.is_empty() {
            true => all.into_iter().filter(is_set).collect(),
            false => own,
        }
    }
}
