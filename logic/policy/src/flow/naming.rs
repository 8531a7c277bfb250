//! Things that the user named without writing what a call repeats: by the title of a record, by a
//! field of it, or by pointing at who said something.

use crate::flow::entities::leads;
use crate::flow::index::Edges;
use crate::flow::leaves::collect;
use crate::flow::normal::{exact, folded};
use crate::flow::provenance::Provenance;
use crate::flow::records::Place;
use crate::flow::said::FINDS;
use domain::label::{Integrity, Label};
use domain::tool::{ArgumentRole, EffectClass, ToolSpec};
use serde_json::Value;
use std::collections::BTreeSet;

/// Most numbers of results that the user's percentages are applied to.
const SET_AMOUNTS: usize = 256;
/// Most things that are known to be made or changed in a session.
const CHANGED: usize = 10_000;

/// Fields in which a thing stands what it is called; of several in one record the first.
const TITLES: [&str; 8] = [
    "title",
    "name",
    "filename",
    "file_name",
    "subject",
    "headline",
    "display_name",
    "summary",
];
/// Endings of fields that say what the other field of the same beginning is called: `patient_name`
/// and `patient_id`.
const TITLE_ENDINGS: [&str; 3] = ["_name", "_title", "_label"];
/// Most addresses among which a page may be fetched since the user named where they stand. Which
/// one is fetched tells its server four bits.
const ADDRESSES: usize = 16;

/// How a record is named by the names in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NamedBy {
    /// The user said one of them.
    One,
    /// The user said all of them.
    All,
}

/// Whether a field says what those fields hold is called.
fn is_title_of(title: &str, fields: &BTreeSet<&str>) -> bool {
    let title = exact(title);
    let beginning = TITLE_ENDINGS
        .iter()
        .find_map(|ending| title.strip_suffix(ending));
    // `patient` beside `patient_id`.
    let is_beside_id = |field: &&str| exact(field).strip_suffix("_id") == Some(title.as_str());
    TITLES.contains(&title.as_str())
        || !fields.is_empty() && fields.iter().all(is_beside_id)
        || beginning.is_some_and(|beginning| {
            let is_of_it = |field: &&str| {
                let field = exact(field);
                field == beginning || field.strip_suffix("_id") == Some(beginning)
            };
            !fields.is_empty() && fields.iter().all(is_of_it)
        })
}

/// Which of several titles of a thing counts: the lowest.
fn rank(field: &str) -> usize {
    let field = exact(field);
    TITLES
        .iter()
        .position(|title| *title == field)
        .map_or(0, |at| at + 1)
}

impl Provenance {
    /// Notes what a platform itself set: days, times and amounts; and what a call of this session
    /// made or changed.
    pub(super) fn note_set(
        &mut self,
        text: &str,
        label: &Label,
        (spec, is_amount): (&ToolSpec, bool),
    ) {
        if label.integrity != Integrity::Endorsed {
            return;
        }
        self.set.set(text);
        if is_amount
            && self.amounts.len() < SET_AMOUNTS
            && let Ok(amount) = text.parse::<f64>()
            && amount.is_finite()
        {
            self.amounts.push(amount);
        }
        let only_looks = matches!(spec.effect, EffectClass::Read);
        if !only_looks && self.changed.len() < CHANGED {
            self.changed.insert(folded(text));
        }
    }

    /// Notes what a call with an effect lands on: what it may put in there is no longer what was
    /// there before.
    pub fn change(&mut self, spec: &ToolSpec, arguments: &Value) {
        if matches!(spec.effect, EffectClass::Read) {
            return;
        }
        let landed = spec.arguments.iter().filter(|(_, argument)| {
            matches!(argument.role, ArgumentRole::Target | ArgumentRole::Selector)
        });
        for (name, _) in landed {
            let mut leaves = Vec::new();
            if let Some(value) = arguments.get(name) {
                collect(value, &mut String::new(), 0, &mut leaves);
            }
            let room = CHANGED.saturating_sub(self.changed.len());
            let texts = leaves.into_iter().map(|(_, text)| folded(&text));
            self.changed.extend(texts.take(room));
        }
    }

    /// Whether a thing is named by its title: the text is what a platform calls it in every record
    /// that has a title which `names` takes for one. Two things of one title are none.
    #[must_use]
    pub fn is_titled(&self, text: &str, names: impl Fn(&str) -> bool) -> bool {
        let is_set = |place: &Place| {
            let label = self.label_at(*place);
            label.is_some_and(|label| label.integrity == Integrity::Endorsed)
        };
        self.has_title(text, is_set, names)
    }

    /// As [`Self::is_titled`], for a thing that no call of this session made or changed: what is in
    /// it was there before an outsider could have a say.
    #[must_use]
    pub fn is_titled_and_unchanged(&self, text: &str, names: impl Fn(&str) -> bool) -> bool {
        !self.changed.contains(&folded(text)) && self.is_titled(text, names)
    }

    /// Whether the user asked for this part of a thing: the text stands in a field that the user
    /// named, of the one record whose title the user put in quotes and `names` takes for one.
    #[must_use]
    pub fn is_field_of_quoted(&self, text: &str, names: impl Fn(&str) -> bool) -> bool {
        let is_named = |place: &Place| {
            let field = self.records.field(*place);
            field.is_some_and(|field| self.said.has_field(field))
        };
        self.has_title(text, is_named, |title| {
            self.said.is_quoted(title) && names(title)
        })
    }

    /// Whether a text stands in a record that the user named by who it is from or where it was
    /// put: by one of the names that the platform sets in it, or by all of them.
    #[must_use]
    pub fn is_in_named_record(&self, text: &str, by: NamedBy) -> bool {
        let wanted = folded(text);
        let places = self.shown.find(&wanted, Edges::Word).take(FINDS).flatten();
        let mut whole =
            places.filter(|place| !self.shown.places(*place, &wanted, Edges::Name).is_empty());
        whole.any(|place| {
            let record = self.records.record(place);
            let members = record.map_or(&[][..], |record| self.records.members(record));
            let names = members.iter().filter(|member| self.names.contains(member));
            let mut names = names.map(|member| self.shown.text(*member)).peekable();
            match by {
                _ if names.peek().is_none() => false,
                NamedBy::One => names.any(|name| self.said.has_name(name)),
                NamedBy::All => names.all(|name| self.said.has_name(name)),
            }
        })
    }

    /// Whether an address is one of a few in the records that the user named by one of the names
    /// that the platform sets in them.
    #[must_use]
    pub fn is_address_in_named_record(&self, address: &str) -> bool {
        self.is_in_named_record(address, NamedBy::One) && self.has_few_addresses()
    }

    /// Whether the records that the user named hold no more addresses than may be chosen from.
    fn has_few_addresses(&self) -> bool {
        let named = self
            .names
            .iter()
            .filter(|place| self.said.has_name(self.shown.text(**place)));
        let Some(records) = self.records.of(named.copied()) else {
            return false;
        };
        let mut found = BTreeSet::new();
        for place in records
            .iter()
            .flat_map(|record| self.records.members(*record))
        {
            let Some(addresses) = leads(self.shown.text(*place)) else {
                return false;
            };
            found.extend(addresses);
            if found.len() > ADDRESSES {
                return false;
            }
        }
        true
    }

    /// Whether a text is a leaf that fits, in every record that has one of its record's titles.
    fn has_title(
        &self,
        text: &str,
        fits: impl Fn(&Place) -> bool,
        is_title: impl Fn(&str) -> bool,
    ) -> bool {
        let wanted = folded(text);
        let leaves = |text: &str| -> Vec<Place> {
            let found = self.shown.find(text, Edges::Word).take(FINDS).flatten();
            found
                .filter(|place| self.shown.text(*place) == text)
                .collect()
        };
        let places: Vec<Place> = leaves(&wanted).into_iter().filter(fits).collect();
        let Some(own) = self.records.of(places.iter().copied()) else {
            return false;
        };
        let is_unique = |title: &str| {
            let titled = self.records.of(leaves(title).into_iter());
            titled.is_some_and(|titled| titled.is_subset(&own))
        };
        let fields: BTreeSet<&str> = places
            .iter()
            .filter_map(|place| self.records.field(*place))
            .collect();
        own.iter().any(|record| {
            let titles = self.titles(*record, &fields);
            titles.into_iter().any(|title| {
                title != wanted && !title.contains('@') && is_title(title) && is_unique(title)
            })
        })
    }

    /// What the things that stand in these fields of a record are called there. What else stands in
    /// it, such as whom it is shared with, calls them nothing.
    fn titles(&self, record: usize, fields: &BTreeSet<&str>) -> Vec<&str> {
        let members = self.records.members(record).iter();
        let ranked = members.filter_map(|place| {
            let field = self.records.field(*place)?;
            is_title_of(field, fields).then(|| (rank(field), self.shown.text(*place)))
        });
        let ranked: Vec<(usize, &str)> = ranked.collect();
        let first = ranked.iter().map(|(rank, _)| *rank).min();
        let titles = ranked.into_iter();
        titles
            .filter(|(rank, _)| Some(*rank) == first)
            .map(|(_, title)| title)
            .collect()
    }

    fn label_at(&self, place: Place) -> Option<&Label> {
        let (index, _) = self.texts.get(place)?;
        self.labels.get(*index)
    }
}
