//! The tokenizer of a word table: byte-pair encoding as SentencePiece's models use it, read from a
//! `tokenizer.json`.
//!
//! Sennrich, Haddow and Birch, "Neural machine translation of rare words with subword units" (2016);
//! a character without a piece of its own becomes its bytes (Kudo and Richardson, "SentencePiece",
//! 2018). Marks such as `<s>` in a text are text here: nothing that is embedded ends early.

use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// What stands for a blank, and before every text.
const BLANK: char = '\u{2581}';

/// A tokenizer file that is none, or one of another kind.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unusable {
    #[error("it is not JSON")]
    NotJson(#[from] serde_json::Error),
    #[error("it has no `{0}` of the kind that is read here")]
    OtherKind(&'static str),
}

/// A tokenizer.
pub(crate) struct Pieces {
    numbers: HashMap<Box<str>, u32>,
    /// Two neighbours that become one: how early, and which.
    merges: HashMap<(u32, u32), (u32, u32)>,
    /// Each byte's own piece.
    bytes: Vec<u32>,
}

impl Pieces {
    /// Reads a tokenizer file.
    ///
    /// # Errors
    /// [`Unusable`].
    pub(crate) fn read(json: &[u8]) -> Result<Self, Unusable> {
        let file: Value = serde_json::from_slice(json)?;
        let model = &file["model"];
        if model["type"] != "BPE" || model["byte_fallback"] != true {
            return Err(Unusable::OtherKind("model"));
        }
        if !file["pre_tokenizer"].is_null() {
            return Err(Unusable::OtherKind("pre_tokenizer"));
        }
        if !file["normalizer"].to_string().contains(BLANK) {
            return Err(Unusable::OtherKind("normalizer"));
        }
        let numbers = numbers(&model["vocab"]).ok_or(Unusable::OtherKind("vocab"))?;
        let byte = |byte: u8| numbers.get(format!("<0x{byte:02X}>").as_str()).copied();
        let bytes: Option<Vec<u32>> = (0..=u8::MAX).map(byte).collect();
        let merges = merges(&model["merges"], &numbers).ok_or(Unusable::OtherKind("merges"))?;
        Ok(Self {
            bytes: bytes.ok_or(Unusable::OtherKind("vocab"))?,
            numbers,
            merges,
        })
    }

    /// The pieces of a text.
    pub(crate) fn encode(&self, text: &str) -> Vec<u32> {
        let mut line = Line::new(self.letters(text));
        let mut found: BinaryHeap<Reverse<Merge>> = BinaryHeap::new();
        for left in 0..line.pieces.len() {
            found.extend(self.merge_at(&line, left).map(Reverse));
        }
        // The earliest merge of the vocabulary first, and of its places the leftmost.
        while let Some(Reverse(merge)) = found.pop() {
            if !line.merge(&merge) {
                continue;
            }
            found.extend(self.merge_at(&line, merge.left).map(Reverse));
            if let Some(before) = line.before(merge.left) {
                found.extend(self.merge_at(&line, before).map(Reverse));
            }
        }
        line.into_numbers()
    }

    /// A text as its characters' pieces, before any is merged.
    fn letters(&self, text: &str) -> Vec<u32> {
        let mut letters = Vec::with_capacity(text.len() + 1);
        let mut buffer = [0; 4];
        let first = (!text.is_empty()).then_some(BLANK);
        for letter in first.into_iter().chain(text.chars()) {
            let letter = if letter == ' ' { BLANK } else { letter };
            let written: &str = letter.encode_utf8(&mut buffer);
            match self.numbers.get(written) {
                Some(number) => letters.push(*number),
                None => letters.extend(
                    written
                        .bytes()
                        .filter_map(|byte| self.bytes.get(usize::from(byte)).copied()),
                ),
            }
        }
        letters
    }

    /// The merge of a place with the one after it, if there is one.
    fn merge_at(&self, line: &Line, left: usize) -> Option<Merge> {
        let (first, right) = (line.at(left)?, line.after(left)?);
        let second = line.at(right)?;
        let (rank, becomes) = *self.merges.get(&(first, second))?;
        Some(Merge {
            rank,
            left,
            pair: (first, second),
            becomes,
        })
    }
}

fn numbers(vocabulary: &Value) -> Option<HashMap<Box<str>, u32>> {
    let entries = vocabulary.as_object()?.iter();
    entries
        .map(|(piece, number)| Some((piece.as_str().into(), number.as_u64()?.try_into().ok()?)))
        .collect()
}

fn merges(
    list: &Value,
    numbers: &HashMap<Box<str>, u32>,
) -> Option<HashMap<(u32, u32), (u32, u32)>> {
    let mut merges = HashMap::new();
    for (rank, merge) in (0_u32..).zip(list.as_array()?) {
        let (left, right) = match merge.as_str() {
            Some(pair) => pair.split_once(' ')?,
            None => (merge.get(0)?.as_str()?, merge.get(1)?.as_str()?),
        };
        let becomes = *numbers.get(format!("{left}{right}").as_str())?;
        let pair = (*numbers.get(left)?, *numbers.get(right)?);
        merges.entry(pair).or_insert((rank, becomes));
    }
    Some(merges)
}

/// Two neighbours that may become one. The order is the one in which merges are made.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Merge {
    rank: u32,
    left: usize,
    /// What stood there when this was found.
    pair: (u32, u32),
    becomes: u32,
}

/// A text's pieces, linked, so that merging two moves nothing.
struct Line {
    pieces: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    /// `None`: merged into one before it.
    number: Option<u32>,
    before: Option<usize>,
    after: Option<usize>,
}

impl Line {
    fn new(numbers: Vec<u32>) -> Self {
        let last = numbers.len().saturating_sub(1);
        let link = |(at, number)| Link {
            number: Some(number),
            before: usize::checked_sub(at, 1),
            after: (at < last).then_some(at + 1),
        };
        Self {
            pieces: numbers.into_iter().enumerate().map(link).collect(),
        }
    }

    fn at(&self, place: usize) -> Option<u32> {
        self.pieces.get(place)?.number
    }

    fn before(&self, place: usize) -> Option<usize> {
        self.pieces.get(place)?.before
    }

    fn after(&self, place: usize) -> Option<usize> {
        self.pieces.get(place)?.after
    }

    /// Carries a merge out, unless what it was found for has changed.
    fn merge(&mut self, merge: &Merge) -> bool {
        let Some(right) = self.after(merge.left) else {
            return false;
        };
        if self.at(merge.left) != Some(merge.pair.0) || self.at(right) != Some(merge.pair.1) {
            return false;
        }
        let after = self.after(right);
        if let Some(gone) = self.pieces.get_mut(right) {
            gone.number = None;
        }
        if let Some(kept) = self.pieces.get_mut(merge.left) {
            kept.number = Some(merge.becomes);
            kept.after = after;
        }
        if let Some(next) = after.and_then(|after| self.pieces.get_mut(after)) {
            next.before = Some(merge.left);
        }
        true
    }

    fn into_numbers(self) -> Vec<u32> {
        let links = self.pieces.into_iter();
        links.filter_map(|link| link.number).collect()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    /// A tokenizer that knows a few pieces.
    pub(crate) fn small() -> Value {
        let mut vocabulary = serde_json::Map::new();
        let mut add = |piece: &str| {
            let number = vocabulary.len();
            vocabulary.insert(piece.to_owned(), json!(number));
        };
        for byte in 0..=255_u8 {
            add(&format!("<0x{byte:02X}>"));
        }
        for piece in ["▁", "a", "b", "c", "ab", "bc", "▁ab", "abc"] {
            add(piece);
        }
        json!({
            "normalizer": {"type": "Sequence", "normalizers": [
                {"type": "Prepend", "prepend": "▁"},
                {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]},
            "pre_tokenizer": null,
            "model": {"type": "BPE", "byte_fallback": true, "vocab": vocabulary,
                      "merges": ["a b", ["b", "c"], "▁ ab", "ab c"]},
        })
    }

    fn pieces() -> Pieces {
        Pieces::read(small().to_string().as_bytes()).unwrap()
    }

    #[test]
    fn the_earliest_merge_comes_first_wherever_it_stands() {
        let [blank, a, b, _, ab, bc, blank_ab, abc] = std::array::from_fn(|at| 256 + at as u32);
        let pieces = pieces();
        assert_eq!(pieces.encode(""), [0_u32; 0]);
        assert_eq!(pieces.encode("a"), [blank, a]);
        // `a b` is older than `b c`, and `▁ ab` older than `ab c`.
        assert_eq!(pieces.encode("abc"), [blank_ab, 256 + 3]);
        assert_eq!(pieces.encode("babc"), [blank, b, abc]);
        assert_eq!(pieces.encode("bbc"), [blank, b, bc]);
        assert_eq!(pieces.encode("a ab"), [blank, a, blank_ab]);
        let _unused_alone = ab;
    }

    #[test]
    fn what_has_no_piece_becomes_its_bytes() {
        assert_eq!(pieces().encode("é"), [256, 0xc3, 0xa9]);
        assert_eq!(pieces().encode("<s>").len(), 4, "a mark is text");
    }

    #[test]
    fn a_tokenizer_of_another_kind_is_refused() {
        for (place, other) in [
            ("/model/type", json!("WordPiece")),
            ("/model/byte_fallback", json!(false)),
            ("/model/merges", json!([["a", "z"]])),
            ("/pre_tokenizer", json!({"type": "ByteLevel"})),
            ("/normalizer", json!(null)),
        ] {
            let mut file = small();
            *file.pointer_mut(place).unwrap() = other;
            assert!(
                Pieces::read(file.to_string().as_bytes()).is_err(),
                "{place}"
            );
        }
        assert!(Pieces::read(b"no").is_err());
    }
}
