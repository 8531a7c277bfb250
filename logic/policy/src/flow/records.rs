//! Results as records: which leaves stand in one object, so that a thing can be named by its title
//! and a part of it by what it is called.

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
    members: Vec<Vec<Place>>,
}

impl Records {
    /// Takes in one result's leaves.
    pub(super) fn add(&mut self, leaves: &[(String, Place)]) {
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (pointer, place) in leaves.iter().filter(|(pointer, _)| !is_key(pointer)) {
            let (record, field) = split(pointer);
            if field.is_empty() {
                continue;
            }
            let next = self.members.len();
            let index = *known.entry(record).or_insert(next);
            if index == next {
                self.members.push(Vec::new());
            }
            if let Some(members) = self.members.get_mut(index) {
                members.push(*place);
            }
            self.fields.insert(*place, (index, field.into()));
        }
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
        self.members.get(record).map_or(&[], Vec::as_slice)
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
        records.add(&leaves.map(|(pointer, place)| (pointer.to_owned(), place)));
        let first = records.record(0).unwrap();
        assert_eq!(records.members(first), [0, 1, 3]);
        assert_eq!(records.field(3), Some("who"));
        assert_ne!(records.record(2), Some(first));
    }
}
