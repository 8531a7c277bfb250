//! The lexical index: words of an entry to its number, nothing else kept.
//!
//! It holds no text but words in a dictionary. A commit carries how far the store had come, so that
//! index and epoch never disagree.

use super::best::Best;
use super::files::Files;
use super::words;
use crate::store::Point;
use std::path::Path;
use tantivy::index::SegmentId;
use tantivy::merge_policy::LogMergePolicy;
use tantivy::query::{
    Bm25StatisticsProvider, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery,
};
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{
    Index, IndexReader, IndexSettings, IndexWriter, ReloadPolicy, Searcher, SegmentMeta,
    SegmentReader, TantivyDocument, TantivyError, Term,
};

/// The form of the index; another one is made anew.
const FORM: u64 = 4;
/// Memory of the writer for documents that no segment holds yet, bytes.
const WRITER_BYTES: usize = 24 << 20;
/// What a word's form as it stands counts beside its stem.
const FORM_WEIGHT: f32 = 0.25;

/// The index and its writer.
pub(crate) struct Lexical {
    index: Index,
    reader: IndexReader,
    /// There until the index is closed.
    writer: Option<IndexWriter>,
    fields: Fields,
    state: Committed,
}

/// Looks into the index as it was at one commit.
#[derive(Clone)]
pub(crate) struct Lookup {
    pub(super) searcher: Searcher,
    pub(super) fields: Fields,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Fields {
    pub(super) number: Field,
    pub(super) text: Field,
}

/// What a commit carries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Committed {
    /// How far the store had come.
    pub(crate) point: Point,
    /// The highest number ever indexed; above it an entry is here for the first time.
    pub(crate) highest: u32,
    /// How much of the store is in it.
    pub(crate) extent: Extent,
}

/// How much of the store an index has taken in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All of it, as it was at the commit's point.
    #[default]
    Whole,
    /// It is being made anew since the commit's point: entries above the highest are missing, and
    /// those below are as they were then or later.
    Making,
}

impl Extent {
    const fn word(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Making => "making",
        }
    }
}

impl Committed {
    fn write(self) -> String {
        let Point { epoch, mark } = self.point;
        let (highest, extent) = (self.highest, self.extent.word());
        format!("{FORM} {epoch} {mark} {highest} {extent}")
    }

    fn read(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let form: u64 = next(&mut words)?;
        let point = Point {
            epoch: next(&mut words)?,
            mark: next(&mut words)?,
        };
        let highest = next(&mut words)?;
        let word = words.next()?;
        let mut extents = [Extent::Whole, Extent::Making].into_iter();
        let extent = extents.find(|extent| extent.word() == word)?;
        (form == FORM).then_some(Self {
            point,
            highest,
            extent,
        })
    }
}

fn next<'a, T: std::str::FromStr>(words: &mut impl Iterator<Item = &'a str>) -> Option<T> {
    words.next().map(str::parse).and_then(Result::ok)
}

/// A question's word with what it counts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wanted {
    pub(super) text: String,
    pub(super) weight: f32,
}

/// The words of a question, each once: stems in full, forms as they stand for a little.
pub(crate) fn wanted(question: &str) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = Vec::new();
    let mut add = |text: String, weight: f32| {
        if !wanted.iter().any(|word| word.text == text) {
            wanted.push(Wanted { text, weight });
        }
    };
    for word in words::asked(question) {
        add(word.stem, 1.0);
        if let Some(form) = word.form {
            add(form, FORM_WEIGHT);
        }
    }
    wanted
}

impl Lexical {
    /// Opens the index in its folder, or says why it cannot be used.
    ///
    /// # Errors
    /// When it is damaged or cannot be read.
    pub(crate) fn open(folder: &Path) -> tantivy::Result<Option<Self>> {
        if !folder.join("meta.json").exists() {
            return Ok(None);
        }
        let index = Index::open(Files::open(folder)?)?;
        if let Some(file) = index.validate_checksum()?.into_iter().next() {
            return Err(TantivyError::InternalError(format!(
                "{} does not fit its checksum",
                file.display()
            )));
        }
        let payload = index.load_metas()?.payload.unwrap_or_default();
        match Committed::read(&payload) {
            Some(state) if index.schema() == schema().0 => Self::over(index, state).map(Some),
            _ => Err(TantivyError::InternalError("it is of another form".into())),
        }
    }

    /// An index with nothing in it, in an empty folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn create(folder: &Path) -> tantivy::Result<Self> {
        let state = Committed::default();
        let index = Index::create(Files::open(folder)?, schema().0, IndexSettings::default())?;
        let mut lexical = Self::over(index, state)?;
        lexical.commit(state)?;
        Ok(lexical)
    }

    fn over(index: Index, state: Committed) -> tantivy::Result<Self> {
        // The writer comes last: it has threads, which a failure after it would leave behind.
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        writer.set_merge_policy(Box::new(LogMergePolicy::default()));
        Ok(Self {
            index,
            reader,
            writer: Some(writer),
            fields: schema().1,
            state,
        })
    }

    /// What the newest commit carries.
    pub(crate) const fn state(&self) -> Committed {
        self.state
    }

    /// Looks into the newest commit.
    pub(crate) fn lookup(&self) -> Lookup {
        Lookup {
            searcher: self.reader.searcher(),
            fields: self.fields,
        }
    }

    /// Adds entries with their texts, takes others out, and commits as of `point`, from which the
    /// index then has as much as `extent` says.
    ///
    /// # Errors
    /// When it cannot be written; then nothing of it counts.
    pub(crate) fn apply<'a>(
        &mut self,
        puts: impl IntoIterator<Item = (u32, Vec<&'a str>)>,
        removes: &[u32],
        (point, extent): (Point, Extent),
    ) -> tantivy::Result<()> {
        let mut state = Committed {
            point,
            extent,
            ..self.state
        };
        for number in removes {
            self.delete(*number)?;
        }
        for (number, texts) in puts {
            self.delete(number)?;
            state.highest = state.highest.max(number);
            let mut document = TantivyDocument::new();
            document.add_u64(self.fields.number, u64::from(number));
            document.add_pre_tokenized_text(self.fields.text, tokens(&texts));
            self.writer()?.add_document(document)?;
        }
        self.commit(state)
    }

    fn delete(&mut self, number: u32) -> tantivy::Result<()> {
        if number <= self.state.highest {
            let number = Term::from_field_u64(self.fields.number, u64::from(number));
            self.writer()?.delete_term(number);
        }
        Ok(())
    }

    fn writer(&mut self) -> tantivy::Result<&mut IndexWriter> {
        let closed = || TantivyError::InternalError("it is closed".into());
        self.writer.as_mut().ok_or_else(closed)
    }

    fn commit(&mut self, state: Committed) -> tantivy::Result<()> {
        let mut commit = self.writer()?.prepare_commit()?;
        commit.set_payload(&state.write());
        commit.commit()?;
        self.reader.reload()?;
        self.state = state;
        Ok(())
    }

    /// Writes every segment anew that holds something taken out: a word that no other entry has is
    /// in none of the new ones.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn rewrite(&mut self) -> tantivy::Result<()> {
        let metas = self.index.searchable_segment_metas()?;
        let with_deletes = metas.iter().filter(|meta| meta.has_deletes());
        let ids: Vec<SegmentId> = with_deletes.map(SegmentMeta::id).collect();
        // A file stays as long as anybody holds what describes it.
        drop(metas);
        for id in ids {
            self.writer()?.merge(&[id]).wait()?;
        }
        self.reader.reload()
    }

    /// Removes files that no segment in use has. Call it when no older [`Lookup`] is left.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub(crate) fn sweep(&mut self) -> tantivy::Result<()> {
        let swept = self.writer()?.garbage_collect_files().wait()?;
        match swept.failed_to_delete_files.first() {
            None => Ok(()),
            Some(file) => Err(TantivyError::InternalError(format!(
                "{} cannot be removed",
                file.display()
            ))),
        }
    }
}

impl Drop for Lexical {
    /// Waits until nothing writes any more, so that the folder can be removed or opened again.
    fn drop(&mut self) {
        if let Some(Err(error)) = self.writer.take().map(IndexWriter::wait_merging_threads) {
            tracing::debug!(%error, "closing the index of words");
        }
    }
}

fn schema() -> (Schema, Fields) {
    let mut schema = Schema::builder();
    let words = TextFieldIndexing::default()
        .set_tokenizer("raw")
        .set_index_option(IndexRecordOption::WithFreqs);
    let number = schema.add_u64_field("number", FAST | INDEXED);
    let text = schema.add_text_field("text", TextOptions::default().set_indexing_options(words));
    (schema.build(), Fields { number, text })
}

fn tokens(texts: &[&str]) -> PreTokenizedString {
    let mut tokens = Vec::new();
    for word in texts.iter().flat_map(|text| words::of(text)) {
        for text in std::iter::once(word.stem).chain(word.form) {
            tokens.push(Token {
                text,
                position: tokens.len(),
                ..Token::default()
            });
        }
    }
    PreTokenizedString {
        text: String::new(),
        tokens,
    }
}

impl Lookup {
    /// Entries in it.
    pub(crate) fn entries(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// The best entries that `is_wanted` lets pass, best first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub(crate) fn search(
        &self,
        statistics: &dyn Bm25StatisticsProvider,
        words: &[Wanted],
        limit: usize,
        is_wanted: impl Fn(u32) -> bool,
    ) -> tantivy::Result<Vec<(u32, f32)>> {
        let clauses = words
            .iter()
            .map(|word| {
                let term = Term::from_field_text(self.fields.text, &word.text);
                let query = TermQuery::new(term, IndexRecordOption::WithFreqs);
                let boosted = BoostQuery::new(Box::new(query), word.weight);
                (Occur::Should, Box::new(boosted) as Box<dyn Query>)
            })
            .collect();
        let scoring = EnableScoring::enabled_from_statistics_provider(statistics, &self.searcher);
        let weight = BooleanQuery::new(clauses).weight(scoring)?;
        let mut best = Best::of(limit);
        for segment in self.searcher.segment_readers() {
            let numbers = numbers(segment)?;
            let alive = segment.alive_bitset();
            let threshold = best.threshold();
            let mut each = |document, score| {
                let number = numbers.first(document).unwrap_or_default();
                let number = u32::try_from(number).unwrap_or_default();
                if alive.is_none_or(|alive| alive.is_alive(document)) && is_wanted(number) {
                    best.offer(number, score);
                }
                best.threshold()
            };
            weight.for_each_pruning(threshold, segment, &mut each)?;
        }
        Ok(best.sorted())
    }
}

/// The column of numbers of a segment.
pub(super) fn numbers(segment: &SegmentReader) -> tantivy::Result<tantivy::columnar::Column<u64>> {
    segment.fast_fields().u64("number")
}

#[cfg(test)]
mod tests {
    use super::super::directory::{Directory, Within};
    use super::super::overlay::Overlay;
    use super::super::rarity::Rarity;
    use super::*;

    const fn point(epoch: u64) -> (Point, Extent) {
        (Point { epoch, mark: 7 }, Extent::Whole)
    }

    fn filled(folder: &Path, texts: &[&str]) -> Lexical {
        let mut lexical = Lexical::create(folder).unwrap();
        let puts = (1..).zip(texts).map(|(number, text)| (number, vec![*text]));
        lexical.apply(puts, &[], point(9)).unwrap();
        lexical
    }

    fn search(
        lexical: &Lexical,
        question: &str,
        limit: usize,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Vec<(u32, f32)> {
        let (words, lookup) = (wanted(question), lexical.lookup());
        let (overlay, directory) = (Overlay::default(), Directory::default());
        let rarity = Rarity::of(&words, &lookup, &overlay, &directory, &Within::All).unwrap();
        lookup.search(&rarity, &words, limit, is_wanted).unwrap()
    }

    fn found(lexical: &Lexical, question: &str) -> Vec<u32> {
        let hits = search(lexical, question, 10, |_| true);
        hits.into_iter().map(|(number, _)| number).collect()
    }

    #[test]
    fn rare_words_and_forms_as_they_stand_count_more() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["a dog ran", "dogs run", "a cat and a dog", "birds fly"];
        let lexical = filled(folder.path(), &texts);
        assert_eq!(found(&lexical, "cat dogs")[0], 3);
        assert_eq!(found(&lexical, "dogs")[0], 2);
        assert_eq!(found(&lexical, "fishes"), [0_u32; 0]);
    }

    #[test]
    fn it_says_how_far_it_is_and_keeps_what_was_committed() {
        let folder = tempfile::tempdir().unwrap();
        drop(filled(folder.path(), &["apple", "pear"]));
        let mut lexical = Lexical::open(folder.path()).unwrap().unwrap();
        let expected = Committed {
            point: point(9).0,
            highest: 2,
            extent: Extent::Whole,
        };
        assert_eq!(lexical.state(), expected);
        lexical
            .apply([(2, vec!["cherry"])], &[1], point(12))
            .unwrap();
        assert_eq!(found(&lexical, "apple pear"), [0_u32; 0]);
        assert_eq!(found(&lexical, "cherry"), [2]);
    }

    /// Whether a word is in the dictionary of any segment, in use or not.
    fn knows(lexical: &Lexical, word: &str) -> bool {
        let lookup = lexical.lookup();
        lookup.searcher.segment_readers().iter().any(|segment| {
            let index = segment.inverted_index(lookup.fields.text).unwrap();
            index.terms().get(word).unwrap().is_some()
        })
    }

    #[test]
    fn a_purged_word_is_in_no_dictionary_and_its_file_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let mut lexical = filled(folder.path(), &["shared words", "shared zyxwvutsrq"]);
        let dictionaries = || -> Vec<_> {
            let files = std::fs::read_dir(folder.path()).unwrap();
            let names = files.map(|file| file.unwrap().path());
            names
                .filter(|path| path.extension().is_some_and(|end| end == "term"))
                .collect()
        };
        let before = dictionaries();
        lexical.apply([], &[2], point(10)).unwrap();
        assert!(
            knows(&lexical, "zyxwvutsrq"),
            "deleting alone leaves the word"
        );
        lexical.rewrite().unwrap();
        lexical.sweep().unwrap();
        assert!(!knows(&lexical, "zyxwvutsrq") && knows(&lexical, "share"));
        assert!(dictionaries().iter().all(|path| !before.contains(path)));
        assert_eq!(found(&lexical, "shared"), [1]);
    }

    #[test]
    fn what_does_not_pass_takes_no_place() {
        let folder = tempfile::tempdir().unwrap();
        let texts: Vec<String> = (0..50).map(|at| "word ".repeat(50 - at)).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let lexical = filled(folder.path(), &texts);
        let hits = search(&lexical, "words", 2, |number| number > 40);
        assert_eq!(hits.len(), 2);
    }
}
