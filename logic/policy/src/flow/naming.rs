//! Things that the user named without writing what a call repeats: by the title of a record, by a
//! field of it, or by pointing at who said something.

use crate::flow::entities::leads;
use crate::flow::index::Edges;
use crate::flow::keys::is_place;
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
/// Longest text that may be what a thing is called, bytes.
const TITLE_BYTES: usize = 300;

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

/// Whether a field says what a record is called.
fn is_title(field: &str) -> bool {
    TITLES.contains(&exact(field).as_str())
}

/// Whether a field says what the other one's thing is called, by its name: `patient_name` or
/// `patient` beside `patient_id`.
fn is_title_of(title: &str, field: &str) -> bool {
    let (title, field) = (exact(title), exact(field));
    let thing = field.strip_suffix("_id");
    let beginning = TITLE_ENDINGS
        .iter()
        .find_map(|ending| title.strip_suffix(ending));
    thing == Some(title.as_str())
        || beginning.is_some_and(|beginning| field == beginning || thing == Some(beginning))
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
        if !matches!(spec.effect, EffectClass::Read) {
            self.changed.land_on(folded(text));
        }
    }

    /// Notes what a call with an effect lands on: what it may put in there is no longer what was
    /// there before. Where it changes something that no result has shown under that name, it may be
    /// anything of the same tools.
    pub fn change(&mut self, spec: &ToolSpec, arguments: &Value) {
        if matches!(spec.effect, EffectClass::Read) {
            return;
        }
        let is_sent = matches!(spec.effect, EffectClass::Egress | EffectClass::Money);
        let (mut is_known, mut writes) = (false, false);
        for (name, argument) in &spec.arguments {
            let mut leaves = Vec::new();
            if let Some(value) = arguments.get(name) {
                collect(value, &mut String::new(), 0, &mut leaves);
            }
            let texts = leaves.into_iter().map(|(_, text)| folded(&text));
            match argument.role {
                ArgumentRole::Target | ArgumentRole::Selector => texts.for_each(|text| {
                    is_known |= !self.leaves_of(&text).is_empty();
                    self.changed.land_on(text);
                }),
                ArgumentRole::Payload if !is_sent => texts.for_each(|text| {
                    writes = true;
                    if text.len() <= TITLE_BYTES {
                        self.changed.write(text);
                    }
                }),
                ArgumentRole::Payload | ArgumentRole::Knob | ArgumentRole::Secret => {}
            }
        }
        if writes && !is_known {
            self.changed.change_group(&spec.capability);
        }
    }

    /// Whether a thing is named by its title: the text is its own key, set by a platform, and every
    /// record of it that has a title has the same, which `names` takes for one. Two things of one
    /// title are none, and neither is one of two titles.
    #[must_use]
    pub fn is_titled(&self, text: &str, names: impl Fn(&str) -> bool) -> bool {
        let wanted = folded(text);
        let is_set = |place: &Place| {
            let label = self.label_at(*place);
            label.is_some_and(|label| label.integrity == Integrity::Endorsed)
        };
        let places = self.leaves_of(&wanted);
        let called = |places: &[Place]| -> Option<BTreeSet<Vec<&str>>> {
            self.records.of(places.iter().copied())?;
            let titles = places.iter().map(|place| self.titles_of(*place));
            Some(titles.filter(|titles| !titles.is_empty()).collect())
        };
        let set: Vec<Place> = places.iter().copied().filter(is_set).collect();
        let (Some(all), Some(titles)) = (called(&places), called(&set)) else {
            return false;
        };
        let keys = places.iter().copied();
        let own = self
            .records
            .of(keys.filter(|place| !self.titles_of(*place).is_empty()));
        let Some(own) = own.filter(|_| all.len() == 1) else {
            return false;
        };
        titles.into_iter().flatten().any(|title| {
            let is_one = || title != wanted && !title.contains('@') && names(title);
            is_one() && self.has_only(title, &own)
        })
    }

    /// What a platform calls a thing whose own key the text is: it set both the key and the title. What
    /// others may have written calls nothing, nor is what a record only mentions its own.
    pub(super) fn titles_set_for(&self, text: &str) -> BTreeSet<String> {
        let is_set = |place: &Place| {
            let label = self.label_at(*place);
            label.is_some_and(|label| label.integrity != Integrity::Untrusted)
        };
        let places = self.leaves_of(&folded(text)).into_iter().filter(is_set);
        let places = places.filter(|place| self.records.is_own_key(*place));
        let titles = places
            .flat_map(|place| self.title_places(place))
            .filter(is_set);
        titles
            .map(|place| self.shown.text(place).to_owned())
            .collect()
    }

    /// As [`Self::is_titled`], for a thing that no call of this session made or changed, by whatever
    /// name: what is in it was there before an outsider could have a say.
    #[must_use]
    pub fn is_titled_and_unchanged(&self, text: &str, names: impl Fn(&str) -> bool) -> bool {
        self.is_titled(text, names) && !self.is_changed(text)
    }

    /// Whether a call of this session made or changed a thing: by its key, its title or its place.
    fn is_changed(&self, text: &str) -> bool {
        let wanted = folded(text);
        let Some(records) = self.records.of(self.leaves_of(&wanted).into_iter()) else {
            return true;
        };
        let mut members = records
            .iter()
            .flat_map(|record| self.records.members(*record));
        let is_name = |place: Place| {
            let field = self.records.field(place);
            let is_other = |field: &str| is_title(field) || is_place(field);
            self.records.is_own_key(place) || field.is_some_and(is_other)
        };
        let of_a_group = |record: &usize| {
            let group = self.records.capability(*record);
            group.is_none_or(|group| self.changed.has_group(group))
        };
        self.changed.has(&wanted)
            || records.iter().any(of_a_group)
            || members.any(|place| is_name(*place) && self.changed.has(self.shown.text(*place)))
    }

    /// Whether a text is the key of one thing, and `names` takes the title of another thing of its
    /// kind for one.
    #[must_use]
    pub fn is_another_named(&self, text: &str, names: impl Fn(&str) -> bool) -> bool {
        let places = self.leaves_of(&folded(text));
        let keys = places
            .into_iter()
            .filter(|place| self.records.is_own_key(*place));
        let Some(own) = self.records.of(keys) else {
            return true;
        };
        let alike: Option<Vec<Vec<usize>>> = own
            .iter()
            .map(|record| self.records.alike(*record))
            .collect();
        let Some(alike) = alike else { return true };
        let titled = |record: &usize| {
            let titles = self.titles(*record, is_title);
            titles
                .into_iter()
                .any(|title| !title.contains('@') && names(title))
        };
        let mut others = alike
            .iter()
            .flatten()
            .filter(|record| !own.contains(record));
        !own.iter().any(titled) && others.any(titled)
    }

    /// Whether the user asked for this part of a thing: the text stands in a field that the user
    /// named, of the one record whose title the user put in quotes and `names` takes for one.
    #[must_use]
    pub fn is_field_of_quoted(&self, text: &str, names: impl Fn(&str) -> bool) -> bool {
        let wanted = folded(text);
        let is_named = |place: &Place| {
            let field = self.records.field(*place);
            field.is_some_and(|field| self.said.has_field(field))
        };
        let places = self.leaves_of(&wanted).into_iter().filter(is_named);
        let Some(own) = self.records.of(places) else {
            return false;
        };
        let mut titles = own.iter().flat_map(|record| self.titles(*record, is_title));
        titles.any(|title| {
            let is_one = || title != wanted && !title.contains('@') && names(title);
            self.said.is_quoted(title) && is_one() && self.has_only(title, &own)
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

    /// The places where a text in folded form is a whole leaf.
    fn leaves_of(&self, wanted: &str) -> Vec<Place> {
        let found = self.shown.find(wanted, Edges::Word).take(FINDS).flatten();
        found
            .filter(|place| self.shown.text(*place) == wanted)
            .collect()
    }

    /// Whether a title stands in these records and no others.
    fn has_only(&self, title: &str, records: &BTreeSet<usize>) -> bool {
        let titled = self.records.of(self.leaves_of(title).into_iter());
        titled.is_some_and(|titled| titled.is_subset(records))
    }

    /// What the thing whose key stands at a place is called in the record there. What a record only
    /// mentions, such as what it answers or whom it is shared with, is not called by its title.
    fn titles_of(&self, place: Place) -> Vec<&str> {
        let places = self.title_places(place).into_iter();
        places.map(|place| self.shown.text(place)).collect()
    }

    fn title_places(&self, place: Place) -> Vec<Place> {
        let (Some(record), Some(field)) = (self.records.record(place), self.records.field(place))
        else {
            return Vec::new();
        };
        let is_key = self.records.is_own_key(place);
        self.fields(record, |title| {
            is_key && is_title(title) || is_title_of(title, field)
        })
    }

    /// The texts in the fields of a record that fit, of several fields the first.
    fn titles(&self, record: usize, fits: impl Fn(&str) -> bool) -> Vec<&str> {
        let places = self.fields(record, fits).into_iter();
        places.map(|place| self.shown.text(place)).collect()
    }

    fn fields(&self, record: usize, fits: impl Fn(&str) -> bool) -> Vec<Place> {
        let members = self.records.members(record).iter();
        let ranked = members.filter_map(|place| {
            let field = self.records.field(*place)?;
            fits(field).then(|| (rank(field), *place))
        });
        let ranked: Vec<(usize, Place)> = ranked.collect();
        let first = ranked.iter().map(|(rank, _)| *rank).min();
        let titles = ranked.into_iter();
        titles
            .filter(|(rank, _)| Some(*rank) == first)
            .map(|(_, place)| place)
            .collect()
    }

    fn label_at(&self, place: Place) -> Option<&Label> {
        let (index, _) = self.texts.get(place)?;
        self.labels.get(*index)
    }
}
