//! Vectors: the signs of all of them in memory, the rounded ones in a file, and an exact scan.
//!
//! A question's vector is compared with the signs of every row, one bit a dimension; the rows that
//! differ least are read from the file and compared as rounded numbers. Memory is an eighth of a
//! byte a dimension and eight bytes a row.

use super::directory::{Directory, Within};
use super::kernel::{self, ROWS_AT_A_TIME, Rounded};
use super::rows::{Fault, Origin, Part, Rows};
use crate::store::Point;
use pulp::Arch;
use std::io;
use std::path::Path;

/// Most dimensions of a vector.
pub(crate) const DIMENSIONS: usize = 4_096;
/// From this many rows on a scan takes two threads.
const ROWS_FOR_TWO_THREADS: usize = 100_000;

/// The field of a text's segments.
const TEXT: u8 = 2;
/// For so many entries found by their texts, one more is found by name or description.
const TEXTS_A_NAME: usize = 4;

/// The vectors of one model.
#[derive(Debug)]
pub(crate) struct Column {
    arch: Arch,
    origin: Origin,
    words: usize,
    signs: Vec<u64>,
    numbers: Vec<u32>,
    /// Whether a row is of a text's segment, not of a name or a description.
    is_text: Vec<bool>,
    /// Where the rows of an entry stand, by its number: they are written together.
    spans: Vec<Span>,
    entries: usize,
    rows: Rows,
}

/// Rows that stand together.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    first: u32,
    count: u32,
}

/// An entry's best vectors for a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Likeness {
    /// The entry.
    pub(crate) number: u32,
    /// The cosine with each field: name, description, corpus; `None` without a vector.
    pub(crate) fields: [Option<f32>; 3],
    /// The segment of the corpus that is most like the question, bytes of the corpus.
    pub(crate) range: Option<(u32, u32)>,
}

impl Likeness {
    /// The best of all fields; below -1 without any.
    pub(crate) fn best(&self) -> f32 {
        self.fields.iter().flatten().fold(-2.0, |a, b| a.max(*b))
    }

    /// The text's cosine; where the text has no vector, the best there is; below -1 without any.
    pub(crate) fn text(&self) -> f32 {
        let [.., corpus] = self.fields;
        corpus.unwrap_or_else(|| self.about())
    }

    /// The better one of name and description; below -1 without any.
    pub(crate) fn about(&self) -> f32 {
        let [name, description, _] = self.fields;
        name.into_iter().chain(description).fold(-2.0, f32::max)
    }
}

impl Column {
    /// Opens the file of a model's vectors, and says what was wrong with it; empty for nothing.
    pub(crate) fn open(path: &Path, origin: Origin) -> io::Result<(Self, &'static str)> {
        let (mut signs, mut parts) = (Vec::new(), Vec::new());
        let (rows, fault) = Rows::open(path, &origin, |part, steps| {
            signs.extend(kernel::signs(steps));
            parts.push((part.number, part.field));
        })?;
        let told = match fault {
            None => "",
            Some(Fault::Missing) => "made anew: there was no file",
            Some(Fault::Foreign) => "made anew: of another model or form, or damaged",
            Some(Fault::Cut) => "made anew in part: damaged or cut short",
        };
        let mut column = Self {
            arch: Arch::new(),
            words: kernel::words(origin.dimensions),
            origin,
            signs,
            numbers: Vec::new(),
            is_text: Vec::new(),
            spans: Vec::new(),
            entries: 0,
            rows,
        };
        let last = parts.last().copied();
        for (number, field) in parts {
            column.note(number, field);
        }
        if let (Some(Fault::Cut), Some((last, _))) = (fault, last) {
            // Its other rows may be among those cut off.
            column.drop_span(last);
        }
        Ok((column, told))
    }

    /// The newest state of the store that the file knows.
    pub(crate) const fn point(&self) -> Point {
        self.rows.point()
    }

    /// Takes out everything.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.rows.clear()?;
        self.signs.clear();
        self.numbers.clear();
        self.is_text.clear();
        self.spans.clear();
        self.entries = 0;
        Ok(())
    }

    /// What it was made from.
    pub(crate) const fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Entries that have vectors here.
    pub(crate) const fn entries(&self) -> usize {
        self.entries
    }

    /// Whether an entry has vectors here.
    pub(crate) fn has(&self, number: u32) -> bool {
        self.span(number).is_some()
    }

    /// Adds all vectors of some entries; what was there of these counts no more. One without a
    /// direction, or of another length, is left out.
    ///
    /// # Errors
    /// When the file cannot be written; then none of them is there.
    pub(crate) fn add(&mut self, vectors: &[(Part, &[f32])], point: Point) -> io::Result<()> {
        let rounded: Vec<(Part, Rounded)> = vectors
            .iter()
            .filter(|(_, vector)| vector.len() == self.origin.dimensions)
            .filter_map(|(part, vector)| Some((*part, kernel::round(vector)?)))
            .collect();
        self.rows.append(&rounded, point)?;
        for (part, rounded) in &rounded {
            self.signs.extend(rounded.signs());
            self.note(part.number, part.field);
        }
        Ok(())
    }

    /// Makes the file anew without some entries, so that no byte of their vectors is left.
    pub(crate) fn forget(self, path: &Path, numbers: &[u32]) -> io::Result<Self> {
        self.rows.rewrite(|part| !numbers.contains(&part.number))?;
        Self::open(path, self.origin).map(|(column, _)| column)
    }

    /// The entries within whose texts are most like the question, and some whose names or
    /// descriptions are, best texts first; and how many rows were looked at. Names are short and often
    /// alike, and would crowd out texts if they were compared with them.
    pub(crate) fn search(
        &self,
        query: &[f32],
        directory: &Directory,
        within: &Within,
        limits: Limits,
    ) -> io::Result<(Vec<Likeness>, u64)> {
        let Some(query) = self.rounded(query) else {
            return Ok((Vec::new(), 0));
        };
        let mut nearest = self.nearest(&query, directory, within, limits.rows);
        nearest.sort_unstable();
        nearest.dedup();
        let mut found = self.likenesses(&query, &nearest)?;
        order(&mut found, Likeness::text);
        let mut others = found.split_off(found.len().min(limits.entries));
        order(&mut others, Likeness::about);
        others.truncate(limits.entries / TEXTS_A_NAME);
        found.extend(others);
        Ok((found, self.numbers.len() as u64))
    }

    /// How like the question each of these entries is; those without a vector are left out.
    pub(crate) fn compare(&self, query: &[f32], numbers: &[u32]) -> io::Result<Vec<Likeness>> {
        match self.rounded(query) {
            Some(query) => self.likenesses(&query, numbers),
            None => Ok(Vec::new()),
        }
    }

    fn rounded(&self, query: &[f32]) -> Option<Rounded> {
        (query.len() == self.origin.dimensions)
            .then(|| kernel::round(query))
            .flatten()
    }

    /// The entries of the rows whose signs differ least: of texts, and of names and descriptions.
    fn nearest(
        &self,
        query: &Rounded,
        directory: &Directory,
        within: &Within,
        wanted: usize,
    ) -> Vec<u32> {
        let signs = query.signs();
        let scan = |rows: std::ops::Range<usize>| {
            self.scan(&signs, rows, wanted, |number| {
                directory.is_within(number, within)
            })
        };
        let count = self.numbers.len();
        let found = if count < ROWS_FOR_TWO_THREADS {
            scan(0..count)
        } else {
            std::thread::scope(|scope| {
                let other = scope.spawn(|| scan(count / 2..count));
                let mut found = scan(0..count / 2);
                match other.join() {
                    Ok(more) => found
                        .iter_mut()
                        .zip(more)
                        .for_each(|(one, more)| one.join(more)),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
                found
            })
        };
        found.into_iter().flat_map(Least::numbers).collect()
    }

    /// The rows among these whose signs differ least: of texts, and of names and descriptions.
    fn scan(
        &self,
        signs: &[u64],
        rows: std::ops::Range<usize>,
        wanted: usize,
        is_within: impl Fn(u32) -> bool,
    ) -> [Least; 2] {
        let mut texts = Least::new(wanted);
        let mut names = Least::new(wanted / TEXTS_A_NAME);
        let mut distances = [0; ROWS_AT_A_TIME];
        let words = self
            .signs
            .get(rows.start * self.words..rows.end * self.words);
        let numbers = self.numbers.get(rows.clone()).unwrap_or_default();
        let is_text = self.is_text.get(rows).unwrap_or_default();
        let chunks = words
            .unwrap_or_default()
            .chunks(ROWS_AT_A_TIME * self.words.max(1));
        let kinds = is_text.chunks(ROWS_AT_A_TIME);
        for ((words, numbers), kinds) in chunks.zip(numbers.chunks(ROWS_AT_A_TIME)).zip(kinds) {
            kernel::distances(self.arch, signs, words, &mut distances);
            for ((distance, number), is_text) in distances.iter().zip(numbers).zip(kinds) {
                let least = if *is_text { &mut texts } else { &mut names };
                if *distance < least.worst && is_within(*number) {
                    least.push(*distance, *number);
                }
            }
        }
        [texts, names]
    }

    fn likenesses(&self, query: &Rounded, numbers: &[u32]) -> io::Result<Vec<Likeness>> {
        let mut buffer = Vec::new();
        let mut steps = vec![0_i8; self.origin.dimensions];
        let mut found = Vec::with_capacity(numbers.len());
        for number in numbers {
            let Some(span) = self.span(*number) else {
                continue;
            };
            let mut likeness = Likeness {
                number: *number,
                fields: [None; 3],
                range: None,
            };
            let (first, count) = (span.first as usize, span.count as usize);
            self.rows
                .visit(first, count, &mut buffer, |part, scale, bytes| {
                    for (step, byte) in steps.iter_mut().zip(bytes) {
                        *step = byte.cast_signed();
                    }
                    likeness.add(part, kernel::cosine(self.arch, query, &steps, scale));
                })?;
            found.push(likeness);
        }
        Ok(found)
    }

    fn span(&self, number: u32) -> Option<Span> {
        let span = self.spans.get(number as usize)?;
        (span.count > 0).then_some(*span)
    }

    fn drop_span(&mut self, number: u32) {
        if let Some(span) = self.spans.get_mut(number as usize) {
            *span = Span::default();
            self.entries -= 1;
        }
    }

    /// Notes the next row as one of this entry.
    fn note(&mut self, number: u32, field: u8) {
        let row = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.push(number);
        self.is_text.push(field == TEXT);
        let at = number as usize;
        if self.spans.len() <= at {
            self.spans.resize(at + 1, Span::default());
        }
        let Some(span) = self.spans.get_mut(at) else {
            return;
        };
        if span.count == 0 {
            self.entries += 1;
        }
        if span.count > 0 && span.first + span.count == row {
            span.count += 1;
        } else {
            *span = Span {
                first: row,
                count: 1,
            };
        }
    }
}

impl Likeness {
    fn add(&mut self, part: Part, cosine: f32) {
        let Some(best) = self.fields.get_mut(usize::from(part.field)) else {
            return;
        };
        if best.is_none_or(|best| cosine > best) {
            *best = Some(cosine);
            if part.field == TEXT {
                self.range = Some(part.range);
            }
        }
    }
}

/// How much a search looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Rows taken from the comparison of signs.
    pub(crate) rows: usize,
    /// Entries given back.
    pub(crate) entries: usize,
}

/// Sorts by a cosine, best first; equals by number.
fn order(found: &mut [Likeness], by: fn(&Likeness) -> f32) {
    found.sort_unstable_by(|a, b| by(b).total_cmp(&by(a)).then(a.number.cmp(&b.number)));
}

/// The rows that differ least, so far.
struct Least {
    wanted: usize,
    /// Distances and entries, in no order: never twice as many as wanted for long.
    rows: Vec<(u32, u32)>,
    /// From this distance on a row is not among them.
    worst: u32,
}

impl Least {
    fn new(wanted: usize) -> Self {
        let wanted = wanted.max(1);
        Self {
            wanted,
            rows: Vec::with_capacity(wanted * 2),
            worst: u32::MAX,
        }
    }

    fn push(&mut self, distance: u32, number: u32) {
        self.rows.push((distance, number));
        if self.rows.len() >= self.wanted * 2 {
            self.keep();
        }
    }

    fn join(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.keep();
    }

    /// Leaves as many as are wanted.
    fn keep(&mut self) {
        if self.rows.len() > self.wanted {
            let (_, worst, _) = self.rows.select_nth_unstable(self.wanted - 1);
            self.worst = worst.0;
            self.rows.truncate(self.wanted);
        }
    }

    fn numbers(mut self) -> impl Iterator<Item = u32> {
        self.keep();
        self.rows.into_iter().map(|(_, number)| number)
    }
}

#[cfg(test)]
mod tests;
