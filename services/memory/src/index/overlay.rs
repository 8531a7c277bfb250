//! Entries that are on the disk and not yet in the lexical index: scored by the same formula, so that
//! what was just written is found.

use super::words;
use std::collections::{BTreeMap, HashMap};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::query::Bm25Weight;

/// Most entries it holds; with more of them waiting, a question goes without the rest and says so.
pub(crate) const OVERLAY_ENTRIES: usize = 2_048;

/// The entries, by number, with the change that brought each.
#[derive(Debug, Default)]
pub(crate) struct Overlay {
    entries: BTreeMap<u32, (u64, Counted)>,
}

impl Overlay {
    /// Takes in an entry's texts.
    pub(crate) fn put<'a>(
        &mut self,
        number: u32,
        epoch: u64,
        texts: impl IntoIterator<Item = &'a str>,
    ) {
        self.entries.insert(number, (epoch, Counted::of(texts)));
    }

    /// Lets go of an entry.
    pub(crate) fn remove(&mut self, number: u32) {
        self.entries.remove(&number);
    }

    /// Lets go of everything that an index as of `epoch` holds.
    pub(crate) fn settle(&mut self, epoch: u64) {
        self.entries.retain(|_, (brought, _)| *brought > epoch);
    }

    /// How many more it takes.
    pub(crate) fn room(&self) -> usize {
        OVERLAY_ENTRIES.saturating_sub(self.entries.len())
    }

    /// Whether an entry is in it: what the index on the disk says of it is older.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.entries.contains_key(&number)
    }

    /// Entries in it.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many words its entries have.
    pub(crate) fn tokens(&self) -> u64 {
        let lengths = self.entries.values().map(|(_, counted)| counted.length);
        lengths.map(u64::from).sum()
    }

    /// How many entries that `is_wanted` lets pass have a word.
    pub(crate) fn having(&self, word: &str, is_wanted: impl Fn(u32) -> bool) -> u64 {
        let having = self.entries.iter().filter(|(number, (_, counted))| {
            counted.counts.contains_key(word) && is_wanted(**number)
        });
        having.count() as u64
    }

    /// The entries that have any of the weighted words and that `is_wanted` lets pass, with their
    /// scores as the index would give them, in no order.
    pub(crate) fn search(
        &self,
        weights: &[(String, Bm25Weight)],
        is_wanted: impl Fn(u32) -> bool,
    ) -> Vec<(u32, f32)> {
        let scored = self
            .entries
            .iter()
            .filter(|(number, _)| is_wanted(**number))
            .map(|(number, (_, counted))| (*number, counted.score(weights)));
        scored.filter(|(_, score)| *score > 0.0).collect()
    }
}

/// How often each word stands in an entry's texts, and how many words there are.
#[derive(Debug, Default)]
struct Counted {
    counts: HashMap<String, u32>,
    length: u32,
}

impl Counted {
    /// Counts the words of some texts.
    fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut counted = Self::default();
        for word in texts.into_iter().flat_map(words::of) {
            for text in std::iter::once(word.stem).chain(word.form) {
                *counted.counts.entry(text).or_default() += 1;
                counted.length += 1;
            }
        }
        counted
    }

    /// The score of these words; 0 without any of the weighted ones.
    fn score(&self, weights: &[(String, Bm25Weight)]) -> f32 {
        let length = FieldNormReader::fieldnorm_to_id(self.length);
        let scores = weights.iter().filter_map(|(word, weight)| {
            let count = self.counts.get(word)?;
            Some(weight.score(length, *count))
        });
        scores.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::directory::{Directory, Within};
    use super::super::lexical::{Extent, Lexical, wanted};
    use super::super::rarity::Rarity;
    use super::*;
    use crate::store::Point;
    use domain::id::MemoryId;
    use domain::rights::Namespace;
    use uuid::Uuid;

    const fn point(epoch: u64) -> (Point, Extent) {
        (Point { epoch, mark: 7 }, Extent::Whole)
    }

    #[test]
    fn an_entry_scores_about_as_it_will_in_the_index() {
        let folder = tempfile::tempdir().unwrap();
        let mut lexical = Lexical::create(folder.path()).unwrap();
        let texts: Vec<String> = (0..200)
            .map(|at| format!("entry about the number{} and the colour{}", at, at % 7))
            .collect();
        let puts = (1..)
            .zip(&texts)
            .map(|(number, text)| (number, vec![text.as_str()]));
        lexical.apply(puts, &[], point(200)).unwrap();
        let new = "a new entry about the colour3 of numbers";
        let words = wanted("colour3 numbers");

        let mut overlay = Overlay::default();
        overlay.put(201, 201, [new]);
        let mut directory = Directory::default();
        for number in 1..=201 {
            let id = MemoryId::from_uuid(Uuid::from_u128(u128::from(number)));
            directory.put(number, &Namespace::user(), id, 1);
        }
        let rarity = |lexical: &Lexical, overlay: &Overlay| {
            let lookup = lexical.lookup();
            Rarity::of(&words, &lookup, overlay, &directory, &Within::All).unwrap()
        };
        let before = overlay.search(&rarity(&lexical, &overlay).weights(&words), |_| true);
        lexical.apply([(201, vec![new])], &[], point(201)).unwrap();
        let known = rarity(&lexical, &Overlay::default());
        let after = lexical
            .lookup()
            .search(&known, &words, 300, |number| number == 201)
            .unwrap();
        assert_eq!((before.len(), after.len()), (1, 1));
        let (before, after) = (before[0].1, after[0].1);
        assert!((before - after).abs() / after < 0.05, "{before} {after}");

        overlay.settle(200);
        assert_eq!(overlay.len(), 1);
        overlay.settle(201);
        assert_eq!(overlay.len(), 0);
    }
}
