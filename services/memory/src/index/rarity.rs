//! How rare the words of a question are among the entries that are searched. A name that stands in
//! every entry of one namespace says nothing there, however rare it is elsewhere in the store.

use super::directory::{Directory, Within};
use super::lexical::{Lookup, Wanted, numbers};
use super::overlay::Overlay;
use tantivy::query::{Bm25StatisticsProvider, Bm25Weight};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet as _, SegmentReader, TERMINATED, Term};

/// Most places of one word that are looked at; of a word with more of them, so many are looked at
/// that are spread over the index, and the rest is taken to be like them.
const LOOKED_AT: u64 = 4_096;
/// How many of them stand together.
const TOGETHER: u64 = 128;

/// What BM25 has to know: entries, words, and how many entries have each word of the question.
pub(super) struct Rarity {
    entries: u64,
    average: f64,
    having: Vec<(Term, u64)>,
}

impl Rarity {
    /// Counts words within a part of the store, in the index and in what waits for it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(super) fn of(
        words: &[Wanted],
        lookup: &Lookup,
        overlay: &Overlay,
        directory: &Directory,
        within: &Within,
    ) -> tantivy::Result<Self> {
        let is_all = directory.holding_within(within) == directory.holding();
        let is_within = |number| directory.is_within(number, within);
        let (searcher, text) = (&lookup.searcher, lookup.fields.text);
        let known = searcher.total_num_docs()?;
        let tokens = searcher.total_num_tokens(text)? + overlay.tokens();
        let all = known + overlay.len() as u64;
        let mut having = Vec::with_capacity(words.len());
        for word in words {
            let term = Term::from_field_text(text, &word.text);
            let indexed = match is_all {
                true => searcher.doc_freq(&term)?,
                false => having_within(lookup, &term, is_within)?,
            };
            having.push((term, indexed + overlay.having(&word.text, is_within)));
        }
        Ok(Self {
            entries: match is_all {
                true => all,
                false => directory.holding_within(within),
            },
            average: (float(tokens) / float(all.max(1))).max(1.0),
            having,
        })
    }

    /// What each word counts where the index does not score: as it would there.
    pub(super) fn weights(&self, words: &[Wanted]) -> Vec<(String, Bm25Weight)> {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "an average length needs few digits"
        )]
        let (entries, average) = (self.entries(), self.average as f32);
        let weights = words.iter().zip(&self.having).map(|(word, (_, having))| {
            let weight = Bm25Weight::for_one_term_without_explain(*having, entries, average);
            (word.text.clone(), weight.boost_by(word.weight))
        });
        weights.collect()
    }

    /// How many entries there are.
    fn entries(&self) -> u64 {
        let most = self.having.iter().map(|(_, count)| *count).max();
        // What was taken out of the store may still be counted as having a word.
        self.entries.max(most.unwrap_or(0)).max(1)
    }
}

impl Bm25StatisticsProvider for Rarity {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count of words, rounded"
    )]
    fn total_num_tokens(&self, _: Field) -> tantivy::Result<u64> {
        Ok((self.average * float(self.entries())).round() as u64)
    }

    fn total_num_docs(&self) -> tantivy::Result<u64> {
        Ok(self.entries())
    }

    fn doc_freq(&self, term: &Term) -> tantivy::Result<u64> {
        let known = self.having.iter().find(|(word, _)| word == term);
        Ok(known.map_or(0, |(_, count)| *count))
    }
}

/// How many entries that `is_within` lets pass have a word; an estimate where very many have it.
fn having_within(
    lookup: &Lookup,
    term: &Term,
    is_within: impl Fn(u32) -> bool,
) -> tantivy::Result<u64> {
    let all = lookup.searcher.doc_freq(term)?;
    let mut having = 0.0;
    for segment in lookup.searcher.segment_readers() {
        having += in_segment(segment, term, all, &is_within)?;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a count, rounded"
    )]
    Ok(having.round() as u64)
}

fn in_segment(
    segment: &SegmentReader,
    term: &Term,
    all: u64,
    is_within: impl Fn(u32) -> bool,
) -> tantivy::Result<f64> {
    let inverted = segment.inverted_index(term.field())?;
    let Some(mut places) = inverted.read_postings(term, IndexRecordOption::Basic)? else {
        return Ok(0.0);
    };
    let numbers = numbers(segment)?;
    let (mut looked, mut having) = (0_u64, 0_u64);
    let mut look = |document| {
        let number = numbers.first(document).unwrap_or_default();
        looked += 1;
        having += u64::from(u32::try_from(number).is_ok_and(&is_within));
    };
    let here = u64::from(places.doc_freq());
    if all <= LOOKED_AT {
        let mut document = places.doc();
        while document != TERMINATED {
            look(document);
            document = places.advance();
        }
    } else {
        let groups = (LOOKED_AT / TOGETHER * here / all).max(1);
        for group in 0..groups {
            let from = u64::from(segment.max_doc()) * group / groups;
            let from = u32::try_from(from).unwrap_or(TERMINATED);
            let mut document = match from > places.doc() {
                true => places.seek(from),
                false => places.doc(),
            };
            for _ in 0..TOGETHER {
                if document == TERMINATED {
                    break;
                }
                look(document);
                document = places.advance();
            }
        }
    }
    Ok(float(having) * float(here) / float(looked.max(1)))
}

#[expect(clippy::cast_precision_loss, reason = "a share needs few digits")]
const fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::super::lexical::{Extent, Lexical, wanted};
    use super::*;
    use crate::store::Point;
    use api::memory::Scope;
    use domain::id::MemoryId;
    use domain::rights::Namespace;
    use uuid::Uuid;

    /// Entries of two namespaces in turn: one speaks of Ada always, the other of bread.
    fn two(entries: u32) -> (tempfile::TempDir, Lexical, Directory) {
        let folder = tempfile::tempdir().unwrap();
        let mut lexical = Lexical::create(folder.path()).unwrap();
        let mut directory = Directory::default();
        let names = [Namespace::user(), Namespace::new("other").unwrap()];
        let texts = ["Ada baked bread", "bread is flour", "Ada sailed", "flour"];
        let place = |number: u32| number as usize;
        for number in 1..=entries {
            let id = MemoryId::from_uuid(Uuid::from_u128(u128::from(number)));
            directory.put(number, &names[place(number) % 2], id, 1);
        }
        let puts = (1..=entries).map(|number| (number, vec![texts[place(number) % 4]]));
        let state = (Point { epoch: 1, mark: 7 }, Extent::Whole);
        lexical.apply(puts, &[], state).unwrap();
        (folder, lexical, directory)
    }

    fn rarity(entries: u32, scope: &Scope) -> Vec<u64> {
        let (_folder, lexical, directory) = two(entries);
        let within = directory.within(scope);
        let (lookup, overlay) = (lexical.lookup(), Overlay::default());
        let words = wanted("Ada bread flour");
        let found = Rarity::of(&words, &lookup, &overlay, &directory, &within).unwrap();
        std::iter::once(found.entries())
            .chain(found.having.iter().map(|(_, count)| *count))
            .collect()
    }

    #[test]
    fn words_are_counted_where_one_looks() {
        let only = |name| Scope::Only(vec![Namespace::new(name).unwrap()]);
        assert_eq!(rarity(400, &Scope::All), [400, 200, 200, 200]);
        assert_eq!(rarity(400, &only("user")), [200, 200, 100, 0]);
        assert_eq!(rarity(400, &only("other")), [200, 0, 100, 200]);
        assert_eq!(rarity(400, &only("nowhere")), [1, 0, 0, 0]);
    }

    #[test]
    fn a_word_that_very_many_have_is_estimated_by_some_of_them() {
        let only = Scope::Only(vec![Namespace::user()]);
        let entries = 40_000;
        assert!(u64::from(entries) / 2 > LOOKED_AT);
        let found = rarity(entries, &only);
        let near = |count: u64, expected: u64| count.abs_diff(expected) * 50 < expected;
        assert!(
            near(found[1], 20_000) && near(found[2], 10_000),
            "{found:?}"
        );
        assert_eq!(found[3], 0);
    }
}
