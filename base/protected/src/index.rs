//! A list of places, made ready to be asked about many paths: by the last name of each place.

use super::names::Pattern;
use super::table::{At, Entry};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// A place: its names, and where it counts.
#[derive(Debug)]
struct Place {
    at: At,
    names: Vec<Name>,
}

/// A name of a place.
#[derive(Debug, Clone)]
enum Name {
    /// It counts as it is written: it has a capital.
    Written(&'static str),
    Plain(&'static str),
    Pattern(Pattern),
}

impl Name {
    fn of(name: &'static str) -> Self {
        if name.contains(|c: char| c.is_ascii_uppercase()) {
            Self::Written(name)
        } else if name.contains('*') {
            Self::Pattern(Pattern::of(name))
        } else {
            Self::Plain(name)
        }
    }

    /// Whether it is this one, given folded; `written` gives it as it is written.
    fn is<'p>(&self, folded: &str, written: impl FnOnce() -> Option<&'p OsStr>) -> bool {
        match self {
            Self::Written(name) => written() == Some(OsStr::new(name)),
            Self::Plain(name) => folded == *name,
            Self::Pattern(pattern) => pattern.fits(folded),
        }
    }
}

/// The places by their last name.
#[derive(Debug, Default)]
pub(super) struct Index {
    by_name: HashMap<&'static str, Vec<Place>>,
    /// Those whose last name is a pattern, or counts as it is written.
    others: Vec<Place>,
    /// The beginnings of places of more than one name.
    leading: Vec<Place>,
}

/// Folders of settings, whose places are given without them.
const SETTINGS: [&[&str]; 2] = [&[".config"], &[".local", "share"]];

/// The names of an entry with the folders of settings, a pattern by its beginning.
pub(super) fn whole_names(entry: &'static Entry) -> impl Iterator<Item = PathBuf> {
    let above: &[&[&str]] = match entry.at {
        At::Settings => &SETTINGS,
        At::Anywhere | At::Home | At::Machine => &[&[]],
    };
    let names = entry.names.iter().filter_map(|name| {
        let begins = name.split_once('*').map_or(*name, |(begins, _)| begins);
        (!begins.is_empty() && !begins.ends_with('/')).then_some(begins)
    });
    names.flat_map(move |name| {
        above
            .iter()
            .map(move |above| above.iter().collect::<PathBuf>().join(name))
    })
}

impl Index {
    pub(super) fn of(entries: &'static [Entry]) -> Self {
        let mut index = Self::default();
        for entry in entries {
            for path in entry.names {
                let names: Vec<&str> = path.split('/').collect();
                match entry.at {
                    At::Settings => {
                        for above in SETTINGS {
                            index.add(At::Anywhere, [above, &names].concat());
                        }
                    }
                    at => index.add(at, names),
                }
            }
        }
        index
    }

    fn add(&mut self, at: At, names: Vec<&'static str>) {
        let names: Vec<Name> = names.into_iter().map(Name::of).collect();
        for length in 1..names.len() {
            let names = names[..length].to_vec();
            self.leading.push(Place { at, names });
        }
        match names.last() {
            Some(Name::Plain(last)) => {
                let named = self.by_name.entry(last).or_default();
                named.push(Place { at, names });
            }
            Some(_) => self.others.push(Place { at, names }),
            None => {}
        }
    }

    /// Whether the path is one of the places or beneath one.
    pub(super) fn holds(&self, path: &Path, parts: &[String], homes: &[Vec<String>]) -> bool {
        let is_place = |end: usize| {
            let parts = &parts[..end];
            let Some(last) = parts.last() else {
                return false;
            };
            let mut named = self.by_name.get(last.as_str()).into_iter().flatten();
            named.any(|place| place.is_at(path, parts, homes))
                || self
                    .others
                    .iter()
                    .any(|place| place.is_at(path, parts, homes))
        };
        (1..=parts.len()).any(is_place)
    }

    /// Whether one of the places may end in this name, given as it is written and folded.
    pub(super) fn may_end_in(&self, written: &str, folded: &str) -> bool {
        let fits = |place: &Place| {
            let last = place.names.last();
            last.is_some_and(|last| last.is(folded, || Some(OsStr::new(written))))
        };
        self.by_name.contains_key(folded) || self.others.iter().any(fits)
    }

    /// Whether the path is on the way to one of the places.
    pub(super) fn leads_on(&self, path: &Path, parts: &[String], homes: &[Vec<String>]) -> bool {
        let mut leading = self.leading.iter();
        leading.any(|place| place.is_at(path, parts, homes))
    }
}

impl Place {
    /// Whether the beginning of the path that has these parts is the place.
    fn is_at(&self, path: &Path, parts: &[String], homes: &[Vec<String>]) -> bool {
        let Some(start) = parts.len().checked_sub(self.names.len()) else {
            return false;
        };
        // The last name first: it differs most often.
        let fits = |index: usize| {
            let at = start + index;
            self.names[index].is(&parts[at], || written(path, at))
        };
        (0..self.names.len()).rev().all(fits)
            && match self.at {
                At::Anywhere | At::Settings => true,
                At::Machine => start == 0,
                At::Home => homes.iter().any(|home| *home == parts[..start]),
            }
    }
}

/// A name of a path as it is written.
fn written(path: &Path, index: usize) -> Option<&OsStr> {
    let mut names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    names.nth(index)
}
