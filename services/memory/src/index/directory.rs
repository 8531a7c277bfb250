//! Which entries hold, and where: read from the store at every start, so never older than it.

use domain::id::{MemoryId, SessionId};
use domain::rights::Namespace;
use std::collections::HashMap;
use uuid::Uuid;

/// The place of an entry that does not hold, or is not there.
const NOWHERE: u32 = u32::MAX;

/// Entries by number, each with its namespace while it holds.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    places: Vec<u32>,
    ids: Vec<[u8; 16]>,
    namespaces: Vec<Namespace>,
    by_name: HashMap<Namespace, u32>,
    /// The newest changes of each namespace.
    epochs: Vec<Epochs>,
    /// How many entries each namespace holds.
    counts: Vec<u64>,
    holding: u64,
    /// Which entries belong together, both ways.
    links: HashMap<u32, Vec<u32>>,
}

impl Directory {
    /// An entry holds, in this namespace.
    pub(crate) fn put(&mut self, number: u32, namespace: &Namespace, id: MemoryId, epoch: u64) {
        self.put_by((number, id), namespace, epoch, None);
    }

    /// The same; `by` is the session whose exchange it is, if it is one.
    pub(crate) fn put_by(
        &mut self,
        (number, id): (u32, MemoryId),
        namespace: &Namespace,
        epoch: u64,
        by: Option<SessionId>,
    ) {
        let place = self.place(namespace);
        let at = number as usize;
        if self.places.len() <= at {
            self.places.resize(at + 1, NOWHERE);
            self.ids.resize(at + 1, [0; 16]);
        }
        if let Some(slot) = self.ids.get_mut(at) {
            *slot = *id.as_uuid().as_bytes();
        }
        if let Some(slot) = self.places.get_mut(at) {
            let before = std::mem::replace(slot, place);
            if before == NOWHERE {
                self.holding += 1;
            } else {
                self.count(before, |count| count.saturating_sub(1));
            }
            self.count(place, |count| count + 1);
        }
        self.touch(place, epoch, by);
    }

    /// An entry does not hold any more.
    pub(crate) fn remove(&mut self, number: u32, epoch: u64) {
        let Some(slot) = self.places.get_mut(number as usize) else {
            return;
        };
        let place = std::mem::replace(slot, NOWHERE);
        if place != NOWHERE {
            self.holding -= 1;
            self.count(place, |count| count.saturating_sub(1));
            self.touch(place, epoch, None);
        }
    }

    /// Two entries belong together.
    pub(crate) fn link(&mut self, one: u32, other: u32) {
        for (from, to) in [(one, other), (other, one)] {
            let known = self.links.entry(from).or_default();
            if !known.contains(&to) {
                known.push(to);
            }
        }
    }

    /// Entries that belong with this one, that hold and are within.
    pub(crate) fn linked<'a>(
        &'a self,
        number: u32,
        within: &'a Within,
    ) -> impl Iterator<Item = u32> + 'a {
        let linked = self.links.get(&number).map_or(&[][..], Vec::as_slice);
        let others = linked.iter().copied();
        others.filter(move |other| self.is_within(*other, within))
    }

    /// Entries that hold, from after a number on, in order.
    pub(crate) fn after(&self, number: u32) -> impl Iterator<Item = u32> {
        let from = number as usize + 1;
        let places = self.places.iter().enumerate().skip(from);
        let holding = places.filter(|(_, place)| **place != NOWHERE);
        holding.filter_map(|(at, _)| u32::try_from(at).ok())
    }

    /// Entries that hold.
    pub(crate) const fn holding(&self) -> u64 {
        self.holding
    }

    /// Entries that hold within.
    pub(crate) fn holding_within(&self, within: &Within) -> u64 {
        match within {
            Within::All => self.holding,
            Within::Only(places) => {
                let counts = self.counts.iter().zip(places);
                counts.filter(|(_, is_in)| **is_in).map(|(n, _)| n).sum()
            }
        }
    }

    /// Whether an entry holds.
    pub(crate) fn holds(&self, number: u32) -> bool {
        self.at(number) != NOWHERE
    }

    /// The id of an entry, whether it holds or not.
    pub(crate) fn id(&self, number: u32) -> Option<MemoryId> {
        let id = self.ids.get(number as usize)?;
        Some(MemoryId::from_uuid(Uuid::from_bytes(*id)))
    }

    /// The namespaces of a scope, as this directory knows them.
    pub(crate) fn within(&self, scope: &api::memory::Scope) -> Within {
        match scope {
            api::memory::Scope::All => Within::All,
            api::memory::Scope::Only(names) => Within::Only(
                self.namespaces
                    .iter()
                    .map(|namespace| names.contains(namespace))
                    .collect(),
            ),
        }
    }

    /// Whether an entry holds and is within.
    #[inline]
    pub(crate) fn is_within(&self, number: u32, within: &Within) -> bool {
        let place = self.at(number);
        match within {
            Within::All => place != NOWHERE,
            Within::Only(places) => places.get(place as usize).copied().unwrap_or(false),
        }
    }

    /// The newest change within, but for exchanges of the session `left_out`, of whose own none is an
    /// answer.
    pub(crate) fn epoch(&self, within: &Within, left_out: Option<SessionId>) -> u64 {
        let epochs = self.epochs.iter().enumerate();
        let inside = epochs.filter(|(place, _)| match within {
            Within::All => true,
            Within::Only(places) => places.get(*place).copied().unwrap_or(false),
        });
        let epochs = inside.map(|(_, epochs)| epochs.without(left_out));
        epochs.max().unwrap_or(0)
    }

    #[inline]
    fn at(&self, number: u32) -> u32 {
        let place = self.places.get(number as usize);
        place.copied().unwrap_or(NOWHERE)
    }

    fn place(&mut self, namespace: &Namespace) -> u32 {
        if let Some(place) = self.by_name.get(namespace) {
            return *place;
        }
        let place = u32::try_from(self.namespaces.len()).unwrap_or(NOWHERE - 1);
        self.namespaces.push(namespace.clone());
        self.epochs.push(Epochs::default());
        self.counts.push(0);
        self.by_name.insert(namespace.clone(), place);
        place
    }

    fn count(&mut self, place: u32, then: impl Fn(u64) -> u64) {
        if let Some(count) = self.counts.get_mut(place as usize) {
            *count = then(*count);
        }
    }

    fn touch(&mut self, place: u32, epoch: u64, by: Option<SessionId>) {
        if let Some(epochs) = self.epochs.get_mut(place as usize) {
            epochs.note(epoch, by);
        }
    }
}

/// The newest change of a namespace, and the newest that somebody else made.
#[derive(Debug, Clone, Copy, Default)]
struct Epochs {
    newest: u64,
    /// The session whose exchange it was; `None` for anything else.
    by: Option<SessionId>,
    /// The newest by anybody but `by`.
    by_others: u64,
}

impl Epochs {
    fn note(&mut self, epoch: u64, by: Option<SessionId>) {
        if by != self.by {
            self.by_others = self.newest;
            self.by = by;
        }
        self.newest = self.newest.max(epoch);
    }

    fn without(self, left_out: Option<SessionId>) -> u64 {
        if left_out.is_some() && left_out == self.by {
            self.by_others
        } else {
            self.newest
        }
    }
}

/// A scope, looked up once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Within {
    /// Everywhere.
    All,
    /// Where it says true, by a namespace's place in the directory.
    Only(Vec<bool>),
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::memory::Scope;

    fn id(number: u128) -> MemoryId {
        MemoryId::from_uuid(Uuid::from_u128(number))
    }

    #[test]
    fn a_sessions_own_exchanges_are_no_change_to_it() {
        let session = |number| SessionId::from_uuid(Uuid::from_u128(number));
        let (one, other) = (session(1), session(2));
        let user = Namespace::user();
        let mut directory = Directory::default();
        let epochs = |directory: &Directory| {
            [Some(one), Some(other), None].map(|left| directory.epoch(&Within::All, left))
        };
        directory.put(1, &user, id(1), 1);
        directory.put_by((2, id(2)), &user, 2, Some(one));
        directory.put_by((3, id(3)), &user, 3, Some(one));
        assert_eq!(epochs(&directory), [1, 3, 3]);
        directory.put_by((4, id(4)), &user, 4, Some(other));
        assert_eq!(epochs(&directory), [4, 3, 4]);
        directory.put_by((5, id(5)), &user, 5, Some(one));
        assert_eq!(epochs(&directory), [4, 5, 5]);
        directory.remove(2, 6);
        assert_eq!(epochs(&directory), [6, 6, 6]);
    }

    #[test]
    fn an_entry_is_within_while_it_holds() {
        let (user, site) = (Namespace::user(), Namespace::new("project:/site").unwrap());
        let mut directory = Directory::default();
        directory.put(1, &user, id(1), 1);
        directory.put(7, &site, id(7), 2);
        assert_eq!((directory.id(7), directory.id(8)), (Some(id(7)), None));
        let here = directory.within(&Scope::Only(vec![site.clone()]));
        assert!(directory.is_within(7, &here) && !directory.is_within(1, &here));
        assert!(directory.is_within(1, &Within::All) && !directory.is_within(3, &Within::All));
        assert_eq!((directory.holding(), directory.epoch(&here, None)), (2, 2));
        directory.put(1, &site, id(1), 2);
        let counted = |directory: &Directory| {
            let user = directory.within(&Scope::Only(vec![user.clone()]));
            (
                directory.holding_within(&here),
                directory.holding_within(&user),
            )
        };
        assert_eq!(counted(&directory), (2, 0));
        directory.put(1, &user, id(1), 2);
        assert_eq!(counted(&directory), (1, 1));

        directory.link(1, 7);
        directory.link(7, 1);
        assert_eq!(directory.linked(1, &Within::All).collect::<Vec<_>>(), [7]);
        assert_eq!(directory.linked(7, &here).count(), 0);
        assert_eq!(directory.after(0).collect::<Vec<_>>(), [1, 7]);

        directory.remove(7, 3);
        directory.remove(7, 4);
        assert!(!directory.is_within(7, &here) && !directory.is_within(7, &Within::All));
        assert_eq!((directory.holding(), directory.epoch(&here, None)), (1, 3));
        assert_eq!(directory.holding_within(&here), 0);
        assert!(!directory.is_within(1, &directory.within(&Scope::Only(Vec::new()))));
    }
}
