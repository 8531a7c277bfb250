//! Which files and symbols come first: those whose names are met most in the other files.

use crate::shown::SourceFile;
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

/// Most meetings of a name in one file that count: a table that repeats one is one file.
const MEETINGS_PER_FILE: u64 = 10;
/// Shorter names are met by chance, characters.
const LEAST_NAME: usize = 3;
/// What a meeting counts; it is divided by the number of files that define the name.
const MEETING: u64 = 1_000;
/// What is left of it for a name that is one plain word: prose and variables are full of those.
const OF_PLAIN_WORD: u64 = 16;

/// Files, and symbols as file and place in it, the first to be shown first.
pub(crate) struct Ranking {
    pub(crate) files: Vec<usize>,
    pub(crate) symbols: Vec<(usize, usize)>,
}

/// What is known of a name.
#[derive(Default)]
struct Name {
    defined_in: u64,
    last_definer: Option<usize>,
    met: u64,
}

pub(crate) fn rank(files: &[SourceFile]) -> Ranking {
    let scores = scores(files);
    let score_of = |name: &str| scores.get(name).copied().unwrap_or(0);
    let score_of_file = |file: &SourceFile| {
        let names: HashSet<&str> = file.symbols.iter().map(|s| s.name.as_str()).collect();
        names.into_iter().map(score_of).sum::<u64>()
    };
    let of_files: Vec<u64> = files.iter().map(score_of_file).collect();
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|at| {
        let path = files[*at].path.as_str();
        (Reverse(of_files[*at]), path.matches('/').count(), path)
    });
    let mut symbols = Vec::new();
    for (place, file) in order.iter().enumerate() {
        for (at, symbol) in files[*file].symbols.iter().enumerate() {
            let key = (Reverse(score_of(&symbol.name)), place, symbol.depth, at);
            symbols.push((key, (*file, at)));
        }
    }
    symbols.sort_unstable_by_key(|(key, _)| *key);
    Ranking {
        files: order,
        symbols: symbols.into_iter().map(|(_, symbol)| symbol).collect(),
    }
}

/// What each name counts: how often it is met in files that do not define it.
fn scores(files: &[SourceFile]) -> HashMap<&str, u64> {
    let mut names: HashMap<&str, Name> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        for symbol in &file.symbols {
            if symbol.name.chars().count() < LEAST_NAME {
                continue;
            }
            let name = names.entry(&symbol.name).or_default();
            if name.last_definer != Some(at) {
                name.defined_in += 1;
                name.last_definer = Some(at);
            }
        }
    }
    for file in files {
        let own: HashSet<&str> = file.symbols.iter().map(|s| s.name.as_str()).collect();
        let mut met: HashMap<&str, u64> = HashMap::new();
        for word in words(&file.text) {
            if names.contains_key(word) && !own.contains(word) {
                *met.entry(word).or_default() += 1;
            }
        }
        for (word, count) in met {
            if let Some(name) = names.get_mut(word) {
                name.met += count.min(MEETINGS_PER_FILE);
            }
        }
    }
    let score = |(text, name): (_, Name)| {
        let plain = if is_plain(text) { OF_PLAIN_WORD } else { 1 };
        (text, name.met * MEETING / name.defined_in / plain)
    };
    names.into_iter().map(score).collect()
}

/// The identifiers of a text, whatever they stand in.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let words = text.split(move |c| !is_part(c));
    words.filter(|word| !word.is_empty())
}

/// Whether a name is a word as prose has it.
fn is_plain(name: &str) -> bool {
    name.chars().all(char::is_lowercase)
}
