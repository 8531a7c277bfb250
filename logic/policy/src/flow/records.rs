//! Results as records: which leaves stand in one object, so that a thing can be named by its title
//! and a part of it by what it is called.

use crate::flow::keys::{Kinds, is_key_like};
use crate::flow::leaves::is_key;
use std::collections::{BTreeSet, HashMap};

/// Most records that are looked at for one argument.
const RECORDS: usize = 256;

/// A leaf's place in the texts that were shown.
pub(super) type Place = usize;

/// Which leaves stand together.
#[derive(Debug, Default)]
pub(super) struct Records {
    /// For each place its record and the name of the field.
    fields: HashMap<Place, (usize, Box<str>)>,
    all: Vec<Record>,
    /// Of what kind the records are, each with where they come from.
    sources: Vec<Source>,
}

/// What stands in one object.
#[derive(Debug, Default)]
struct Record {
    members: Vec<Place>,
    source: usize,
    /// How many of its fields tell a thing from others.
    keys: usize,
}

/// Records of one kind, of one group of tools.
#[derive(Debug, PartialEq, Eq)]
struct Source {
    kinds: Kinds,
    capability: Box<str>,
}

impl Records {
    /// Takes in the leaves of one result of a tool.
    pub(super) fn add(&mut self, leaves: &[(String, Place)], tool: &str, capability: &str) {
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (pointer, place) in leaves.iter().filter(|(pointer, _)| !is_key(pointer)) {
            let (record, field) = split(pointer);
            if field.is_empty() {
                continue;
            }
            let next = self.all.len();
            let index = *known.entry(record).or_insert(next);
            if index == next {
                let source = self.source(Kinds::of(tool, record), capability);
                self.all.push(Record {
                    source,
                    ..Record::default()
                });
            }
            if let Some(record) = self.all.get_mut(index) {
                record.members.push(*place);
                record.keys += usize::from(is_key_like(field));
            }
            self.fields.insert(*place, (index, field.into()));
        }
    }

    fn source(&mut self, kinds: Kinds, capability: &str) -> usize {
        let source = Source {
            kinds,
            capability: capability.into(),
        };
        let known = self.sources.iter().rposition(|known| *known == source);
        known.unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        })
    }

    /// Whether a leaf is the key of the record that it stands in.
    pub(super) fn is_own_key(&self, place: Place) -> bool {
        let Some((index, field)) = self.fields.get(&place) else {
            return false;
        };
        let record = self.all.get(*index);
        let source = record.and_then(|record| self.sources.get(record.source));
        let is_only = record.is_some_and(|record| record.keys == 1);
        source.is_some_and(|source| source.kinds.have_key(field, is_only))
    }

    /// The group of tools that a record was shown by.
    pub(super) fn capability(&self, record: usize) -> Option<&str> {
        let source = self.sources.get(self.all.get(record)?.source)?;
        Some(&source.capability)
    }

    /// Records of the same kind and the same group of tools; `None` when there are more than can be
    /// looked at.
    pub(super) fn alike(&self, record: usize) -> Option<Vec<usize>> {
        let source = self.all.get(record)?.source;
        let alike = self.all.iter().enumerate();
        let alike = alike.filter(|(_, one)| one.source == source);
        let found: Vec<usize> = alike.map(|(at, _)| at).take(RECORDS + 1).collect();
        (found.len() <= RECORDS).then_some(found)
    }

    /// The field that a leaf stands in.
    pub(super) fn field(&self, place: Place) -> Option<&str> {
        self.fields.get(&place).map(|(_, field)| field.as_ref())
    }

    /// The record that a leaf stands in.
    pub(super) fn record(&self, place: Place) -> Option<usize> {
        self.fields.get(&place).map(|(record, _)| *record)
    }

    /// The leaves of a record.
    pub(super) fn members(&self, record: usize) -> &[Place] {
        let record = self.all.get(record);
        record.map_or(&[], |record| record.members.as_slice())
    }

    /// The records that leaves stand in; `None` when there are more than can be looked at.
    pub(super) fn of(&self, places: impl Iterator<Item = Place>) -> Option<BTreeSet<usize>> {
        let mut found = BTreeSet::new();
        for place in places {
            found.extend(self.record(place));
            if found.len() > RECORDS {
                return None;
            }
        }
        Some(found)
    }
}

/// A leaf's record and field: of `/0/participants/1` the record is `/0` and the field
/// `participants`.
fn split(pointer: &str) -> (&str, &str) {
    let mut rest = pointer;
    while let Some((above, last)) = rest.rsplit_once('/') {
        if !last.bytes().all(|b| b.is_ascii_digit()) {
            return (above, last);
        }
        rest = above;
    }
    ("", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_the_nearest_object() {
        assert_eq!(split("/0/participants/1"), ("/0", "participants"));
        assert_eq!(split("/id_"), ("", "id_"));
        assert_eq!(split("/3"), ("", ""));
        assert_eq!(split(""), ("", ""));
        let mut records = Records::default();
        let leaves = [("/0/id", 0), ("/0/title", 1), ("/1/id", 2), ("/0/who/0", 3)];
        let leaves = leaves.map(|(pointer, place)| (pointer.to_owned(), place));
        records.add(&leaves, "list_files", "drive");
        let first = records.record(0).unwrap();
        assert_eq!(records.members(first), [0, 1, 3]);
        assert_eq!(records.field(3), Some("who"));
        assert_ne!(records.record(2), Some(first));
    }
}
