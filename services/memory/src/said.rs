//! Who else says what is forgotten: entries with one of its texts, or a sentence of it, word for
//! word in whatever case.

use crate::entry::Entry;
use crate::error::unavailable;
use crate::store::Store;
use aho_corasick::AhoCorasick;
use api::memory::{Error, HOLDER_CHARS, HOLDERS, HeldBy, Holder, Part, Scope, Stored, WriteEntry};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Shortest text of a memory that is looked for, bytes: shorter ones stand everywhere.
const LEAST_OF_TEXT: usize = 6;
/// Shortest other text that is looked for, bytes: names and answers such as `noted` say nothing
/// alone.
const LEAST_OF_OTHERS: usize = 16;

/// What was said.
pub(crate) struct Said {
    /// Finds any of it; `None` where nothing of it is long enough to be its own.
    searcher: Option<Arc<AhoCorasick>>,
}

impl Said {
    /// What these entries say.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when there is too much of it to look for.
    pub(crate) fn by(entries: &[Entry]) -> Result<Self, Error> {
        let of = |entry: &Entry| wanted(&entry.stored.entry);
        let wanted: BTreeSet<String> = entries.iter().flat_map(of).collect();
        if wanted.is_empty() {
            return Ok(Self { searcher: None });
        }
        let searcher = AhoCorasick::new(&wanted);
        let searcher = searcher.map_err(|error| unavailable("the search", error))?;
        Ok(Self {
            searcher: Some(Arc::new(searcher)),
        })
    }

    /// Entries of the store that say any of it.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn held_by(&self, store: &Store) -> Result<HeldBy, Error> {
        let mut held_by = HeldBy::default();
        let mut from = self.searcher.as_ref().map(|_| 0);
        while let Some(after) = from {
            let (entries, next) = store.page(after, Scope::All, None).await?;
            for entry in entries.iter().filter(|entry| self.is_in(&entry.stored)) {
                held_by.entries += 1;
                if held_by.named.len() < HOLDERS {
                    held_by.named.push(holder(&entry.stored));
                }
            }
            from = next;
        }
        Ok(held_by)
    }

    fn is_in(&self, stored: &Stored) -> bool {
        let texts = of_its_own(&stored.entry).map(|(_, text)| text);
        let all = plain(&texts.collect::<Vec<_>>().join("\n"));
        let mut searchers = self.searcher.iter();
        searchers.any(|searcher| searcher.is_match(&all))
    }
}

fn holder(stored: &Stored) -> Holder {
    Holder {
        id: stored.id,
        kind: stored.entry.kind(),
        title: stored.entry.title().chars().take(HOLDER_CHARS).collect(),
    }
}

/// What is looked for: each text as a whole, and each of its sentences.
fn wanted(entry: &WriteEntry) -> BTreeSet<String> {
    let mut wanted = BTreeSet::new();
    for (part, text) in of_its_own(entry) {
        let whole = plain(text);
        if part == Part::Text && whole.len() >= LEAST_OF_TEXT {
            wanted.insert(whole);
        }
        let sentences = text.split_inclusive(['.', '!', '?', '\n']);
        let texts = sentences.chain([text]).map(plain);
        wanted.extend(texts.filter(|text| text.len() >= LEAST_OF_OTHERS));
    }
    wanted
}

/// Texts that are an entry's own: the few words for what was wanted and who answered are the same
/// for unrelated questions.
fn of_its_own(entry: &WriteEntry) -> impl Iterator<Item = (Part, &str)> {
    let texts = entry.texts().into_iter();
    texts.filter(|(part, _)| !matches!(part, Part::Intent | Part::Respondent))
}

/// In lower case, its words one blank apart, without the sign at its end.
fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = words.join(" ").to_lowercase();
    plain.trim_end_matches(['.', '!', '?']).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(name: &str, corpus: &str) -> WriteEntry {
        WriteEntry::Memory {
            name: name.to_owned(),
            description: String::new(),
            tags: vec!["home".to_owned()],
            correlating_ids: Vec::new(),
            corpus: corpus.to_owned(),
        }
    }

    #[test]
    fn whole_texts_and_sentences_are_looked_for_and_no_word_that_stands_everywhere() {
        let long = memory(
            "Boiler",
            "The boiler is in the cellar.  Mind the\nstep! No.",
        );
        let expected = [
            "the boiler is in the cellar",
            "the boiler is in the cellar. mind the step! no",
        ];
        assert_eq!(wanted(&long), expected.map(str::to_owned).into());
        let short = wanted(&memory("tea", "Oolong"));
        assert_eq!(short, ["oolong".to_owned()].into());
        assert_eq!(wanted(&memory("tea", "Black")), BTreeSet::new());
    }
}
