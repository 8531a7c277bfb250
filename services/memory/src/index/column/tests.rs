//! Tests of the vectors: against a plain scan, and with files that are not as they were left.

use super::*;
use api::memory::Scope;
use domain::id::MemoryId;
use domain::rights::Namespace;
use std::path::PathBuf;
use tempfile::TempDir;
use uuid::Uuid;

const DIMENSIONS: usize = 128;
const POINT: Point = Point { epoch: 5, mark: -3 };
const LIMITS: Limits = Limits {
    rows: 400,
    entries: 20,
};

/// A small generator, so that every run has the same vectors.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        #[expect(clippy::cast_precision_loss, reason = "any number will do")]
        let number = (self.0 >> 40) as f32 / (1_u64 << 24) as f32;
        number - 0.5
    }

    fn vector(&mut self, around: &[f32]) -> Vec<f32> {
        around.iter().map(|value| value + self.next()).collect()
    }
}

struct Filled {
    folder: TempDir,
    column: Column,
    directory: Directory,
    vectors: Vec<(Part, Vec<f32>)>,
    numbers: Numbers,
}

impl Filled {
    fn path(&self) -> PathBuf {
        self.folder.path().join("vectors.bin")
    }

    fn reopen(&self) -> (Column, &'static str) {
        Column::open(&self.path(), origin("a")).unwrap()
    }
}

fn origin(model: &str) -> Origin {
    Origin {
        dimensions: DIMENSIONS,
        model: model.to_owned(),
    }
}

fn part(number: u32, field: u8, segment: u16) -> Part {
    Part {
        number,
        field,
        segment,
        range: (u32::from(segment) * 10, u32::from(segment) * 10 + 10),
    }
}

/// Entries with a name and two segments each, in clusters.
fn filled(entries: u32) -> Filled {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.bin");
    let (mut column, note) = Column::open(&path, origin("a")).unwrap();
    assert_eq!(note, "made anew: there was no file");
    let mut numbers = Numbers(42);
    let centres: Vec<Vec<f32>> = (0..8).map(|_| numbers.vector(&[0.0; DIMENSIONS])).collect();
    let (mut directory, mut vectors) = (Directory::default(), Vec::new());
    for number in 1..=entries {
        let name = if number % 2 == 0 { "even" } else { "odd" };
        let id = MemoryId::from_uuid(Uuid::from_u128(u128::from(number)));
        directory.put(
            number,
            &Namespace::new(name).unwrap(),
            id,
            u64::from(number),
        );
        let centre = &centres[number as usize % centres.len()];
        for part in [part(number, 0, 0), part(number, 2, 0), part(number, 2, 1)] {
            vectors.push((part, numbers.vector(centre)));
        }
    }
    let rows: Vec<(Part, &[f32])> = vectors
        .iter()
        .map(|(part, vector)| (*part, vector.as_slice()))
        .collect();
    column.add(&rows, POINT).unwrap();
    Filled {
        folder,
        column,
        directory,
        vectors,
        numbers,
    }
}

fn plain(vectors: &[(Part, Vec<f32>)], query: &[f32], wanted: usize) -> Vec<u32> {
    let query = kernel::unit(query).unwrap();
    let mut best: std::collections::BTreeMap<u32, f32> = std::collections::BTreeMap::new();
    for (part, vector) in vectors {
        let cosine = kernel::product(&query, &kernel::unit(vector).unwrap());
        let best = best.entry(part.number).or_insert(-2.0);
        *best = best.max(cosine);
    }
    let mut order: Vec<(u32, f32)> = best.into_iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    order
        .into_iter()
        .take(wanted)
        .map(|(number, _)| number)
        .collect()
}

#[test]
fn the_scan_finds_what_a_plain_one_finds() {
    let mut filled = filled(2_000);
    let (mut found, mut wanted) = (0, 0);
    for at in 0..30 {
        let near = filled.vectors[at * 97].1.clone();
        let query = filled.numbers.vector(&near);
        let expected = plain(&filled.vectors, &query, 10);
        let (hits, seen) = filled
            .column
            .search(&query, &filled.directory, &Within::All, LIMITS)
            .unwrap();
        assert_eq!(seen, 6_000);
        assert!(hits.len() >= LIMITS.entries);
        wanted += expected.len();
        found += expected
            .iter()
            .filter(|number| hits.iter().any(|hit| hit.number == **number))
            .count();
    }
    assert!(found * 100 >= wanted * 97, "{found} of {wanted}");
}

#[test]
fn only_what_is_within_is_found_and_a_segment_is_named() {
    let filled = filled(300);
    let (part, vector) = &filled.vectors[5];
    assert_eq!((part.number, part.segment), (2, 1));
    let odd = Scope::Only(vec![Namespace::new("odd").unwrap()]);
    let odd = filled.directory.within(&odd);
    let all = filled
        .column
        .search(vector, &filled.directory, &Within::All, LIMITS)
        .unwrap()
        .0;
    assert_eq!((all[0].number, all[0].range), (2, Some((10, 20))));
    assert!(all[0].fields[2].unwrap() > 0.99 && all[0].fields[1].is_none());
    let some = filled
        .column
        .search(vector, &filled.directory, &odd, LIMITS)
        .unwrap()
        .0;
    assert!(!some.is_empty() && some.iter().all(|hit| hit.number % 2 == 1));
}

#[test]
fn an_opened_file_is_as_it_was_left() {
    let filled = filled(50);
    let (column, note) = filled.reopen();
    assert_eq!((note, column.entries(), column.point()), ("", 50, POINT));
    let query = &filled.vectors[30].1;
    let search = |column: &Column| {
        column
            .search(query, &filled.directory, &Within::All, LIMITS)
            .unwrap()
    };
    assert_eq!(search(&column), search(&filled.column));
}

#[test]
fn a_file_cut_short_loses_its_last_entry_and_no_other() {
    let filled = filled(50);
    let length = std::fs::metadata(filled.path()).unwrap().len();
    let file = std::fs::OpenOptions::new()
        .write(true)
        .open(filled.path())
        .unwrap();
    file.set_len(length - 10).unwrap();
    let (column, note) = filled.reopen();
    assert_eq!(note, "made anew in part: damaged or cut short");
    assert_eq!(
        (column.entries(), column.has(50), column.has(49)),
        (49, false, true)
    );
}

#[test]
fn a_flipped_bit_costs_what_follows_it_and_is_told() {
    let filled = filled(50);
    let mut bytes = std::fs::read(filled.path()).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 4;
    std::fs::write(filled.path(), &bytes).unwrap();
    let (column, note) = filled.reopen();
    assert_eq!(note, "made anew in part: damaged or cut short");
    assert!((20..30).contains(&column.entries()), "{}", column.entries());

    let filled = self::filled(50);
    bytes = std::fs::read(filled.path()).unwrap();
    bytes[20] ^= 4;
    std::fs::write(filled.path(), &bytes).unwrap();
    let (column, note) = filled.reopen();
    assert_eq!(note, "made anew: of another model or form, or damaged");
    assert_eq!(column.entries(), 0);
}

#[test]
fn vectors_of_another_model_are_not_compared() {
    let filled = filled(5);
    let (column, note) = Column::open(&filled.path(), origin("b")).unwrap();
    assert_eq!(note, "made anew: of another model or form, or damaged");
    assert_eq!(column.entries(), 0);
    let short = vec![1.0; DIMENSIONS - 1];
    let found = filled.column.compare(&short, &[1]).unwrap();
    assert_eq!(found, []);
}

#[test]
fn newer_vectors_of_an_entry_replace_the_older_ones() {
    let mut filled = filled(5);
    let changed = filled.numbers.vector(&[0.0; DIMENSIONS]);
    filled
        .column
        .add(&[(part(2, 0, 0), &changed)], POINT)
        .unwrap();
    let like = filled.column.compare(&changed, &[2]).unwrap();
    assert!(like[0].best() > 0.99 && like[0].fields[2].is_none());
    assert_eq!(filled.reopen().0.entries(), 5);
}

#[test]
fn what_is_forgotten_is_in_no_row() {
    let filled = filled(20);
    let path = filled.path();
    let before = std::fs::metadata(&path).unwrap().len();
    let column = filled.column.forget(&path, &[3, 4]).unwrap();
    assert_eq!(
        (column.entries(), column.has(3), column.has(5)),
        (18, false, true)
    );
    let after = std::fs::metadata(&path).unwrap().len();
    assert_eq!(before - after, 6 * (DIMENSIONS as u64 + 24));
    assert_eq!(std::fs::read_dir(filled.folder.path()).unwrap().count(), 1);
}
