//! Arithmetic on vectors: signs compared by the bit, small integers multiplied, full floats for the
//! last few. The processor's wider instructions are picked when the program runs.

use pulp::{Arch, NullaryFnOnce};

/// Rows whose distances are computed at a time.
pub(super) const ROWS_AT_A_TIME: usize = 256;

/// How many 64-bit words hold the signs of so many dimensions.
pub(super) const fn words(dimensions: usize) -> usize {
    dimensions.div_ceil(64)
}

/// Multiplied with eight bytes of 0 or 1, it leaves them in its top byte, the first one lowest.
const GATHER: u64 = 0x0102_0408_1020_4080;

/// Signs of a rounded vector as its bytes stand in the file: one bit a dimension, in words, set
/// where the number is below zero.
pub(super) fn signs(steps: &[u8]) -> impl Iterator<Item = u64> {
    steps.chunks(64).map(|chunk| {
        let bytes = chunk.chunks(8).enumerate();
        bytes.fold(0, |word, (at, eight)| {
            let mut padded = [0; 8];
            for (place, byte) in padded.iter_mut().zip(eight) {
                *place = *byte;
            }
            let tops = (u64::from_le_bytes(padded) >> 7) & 0x0101_0101_0101_0101;
            word | ((tops.wrapping_mul(GATHER) >> 56) << (at * 8))
        })
    })
}

/// A vector scaled to length one and rounded to 127 steps either side.
pub(super) struct Rounded {
    /// The steps.
    pub(super) steps: Vec<i8>,
    /// What one step is worth.
    pub(super) scale: f32,
}

impl Rounded {
    /// Its steps as bytes.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.steps.iter().map(|step| step.cast_unsigned()).collect()
    }

    /// Its signs, one bit a dimension.
    pub(super) fn signs(&self) -> Vec<u64> {
        signs(&self.bytes()).collect()
    }
}

/// Rounds a vector. One of no length, or with a number that is none, has no direction: `None`.
pub(super) fn round(vector: &[f32]) -> Option<Rounded> {
    let unit = unit(vector)?;
    let largest = unit.iter().fold(0_f32, |most, value| most.max(value.abs()));
    let scale = largest / 127.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a value divided by the largest one's 127th part is within 127"
    )]
    let steps = unit
        .iter()
        .map(|value| (value / scale).round() as i8)
        .collect();
    Some(Rounded { steps, scale })
}

/// A vector of the same direction and of length one; `None` where it has no direction.
pub(super) fn unit(vector: &[f32]) -> Option<Vec<f32>> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    (length.is_finite() && length > 0.0)
        .then(|| vector.iter().map(|value| value / length).collect())
}

/// The product of two vectors, summed up: the cosine where both are of length one.
#[cfg(test)]
pub(super) fn product(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// The cosine of a rounded query and a rounded row.
pub(super) fn cosine(arch: Arch, query: &Rounded, steps: &[i8], scale: f32) -> f32 {
    let sum = arch.dispatch(Steps {
        left: &query.steps,
        right: steps,
    });
    #[expect(
        clippy::cast_precision_loss,
        reason = "a sum of products of steps has fewer digits than matter"
    )]
    let sum = sum as f32;
    sum * query.scale * scale
}

struct Steps<'a> {
    left: &'a [i8],
    right: &'a [i8],
}

impl NullaryFnOnce for Steps<'_> {
    type Output = i32;

    #[inline(always)]
    fn call(self) -> i32 {
        let pairs = self.left.iter().zip(self.right);
        pairs.map(|(a, b)| i32::from(*a) * i32::from(*b)).sum()
    }
}

/// In how many signs each row differs from the query. `rows` holds whole rows of as many words as
/// the query has, `distances` one place for each.
pub(super) fn distances(arch: Arch, query: &[u64], rows: &[u64], distances: &mut [u32]) {
    match query.len() {
        4 => arch.dispatch(Fixed::<4>::new(query, rows, distances)),
        6 => arch.dispatch(Fixed::<6>::new(query, rows, distances)),
        8 => arch.dispatch(Fixed::<8>::new(query, rows, distances)),
        12 => arch.dispatch(Fixed::<12>::new(query, rows, distances)),
        16 => arch.dispatch(Fixed::<16>::new(query, rows, distances)),
        _ => arch.dispatch(Any {
            query,
            rows,
            distances,
        }),
    }
}

/// Rows of a number of words that the compiler knows.
struct Fixed<'a, const WORDS: usize> {
    query: [u64; WORDS],
    rows: &'a [u64],
    distances: &'a mut [u32],
}

impl<'a, const WORDS: usize> Fixed<'a, WORDS> {
    fn new(query: &[u64], rows: &'a [u64], distances: &'a mut [u32]) -> Self {
        let mut words = [0; WORDS];
        words.copy_from_slice(query);
        Self {
            query: words,
            rows,
            distances,
        }
    }
}

impl<const WORDS: usize> NullaryFnOnce for Fixed<'_, WORDS> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (rows, _) = self.rows.as_chunks::<WORDS>();
        for (row, distance) in rows.iter().zip(self.distances) {
            let mut differing = 0;
            for (a, b) in row.iter().zip(&self.query) {
                differing += (a ^ b).count_ones();
            }
            *distance = differing;
        }
    }
}

/// Rows of any number of words.
struct Any<'a> {
    query: &'a [u64],
    rows: &'a [u64],
    distances: &'a mut [u32],
}

impl NullaryFnOnce for Any<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let rows = self.rows.chunks_exact(self.query.len().max(1));
        for (row, distance) in rows.zip(self.distances) {
            let pairs = row.iter().zip(self.query);
            *distance = pairs.map(|(a, b)| (a ^ b).count_ones()).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector(length: usize) -> impl Strategy<Value = Vec<f32>> {
        proptest::collection::vec(-1.0_f32..1.0, length)
    }

    fn exact(left: &[f32], right: &[f32]) -> f32 {
        product(&unit(left).unwrap(), &unit(right).unwrap())
    }

    proptest! {
        #[test]
        fn signs_are_those_of_the_numbers(steps in proptest::collection::vec(any::<i8>(), 1..300)) {
            let rounded = Rounded { steps: steps.clone(), scale: 1.0 };
            let words = rounded.signs();
            prop_assert_eq!(words.len(), super::words(steps.len()));
            for (at, step) in steps.iter().enumerate() {
                prop_assert_eq!(words[at / 64] >> (at % 64) & 1 == 1, *step < 0, "{}", at);
            }
        }

        #[test]
        fn rounding_keeps_the_cosine(left in vector(384), right in vector(384)) {
            prop_assume!(unit(&left).is_some() && unit(&right).is_some());
            let (a, b) = (round(&left).unwrap(), round(&right).unwrap());
            let rounded = cosine(Arch::new(), &a, &b.steps, b.scale);
            prop_assert!((rounded - exact(&left, &right)).abs() < 0.01);
        }

        #[test]
        fn every_width_counts_differing_signs(dimensions in 1_usize..1100, seed in any::<u64>()) {
            let width = words(dimensions);
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state ^ (state >> 29)
            };
            let query: Vec<u64> = (0..width).map(|_| next()).collect();
            let rows: Vec<u64> = (0..width * 5).map(|_| next()).collect();
            let mut found = [0; 5];
            distances(Arch::new(), &query, &rows, &mut found);
            for (at, row) in rows.chunks_exact(width).enumerate() {
                let slow: u32 = row.iter().zip(&query).map(|(a, b)| (a ^ b).count_ones()).sum();
                prop_assert_eq!(found[at], slow);
            }
        }
    }

    #[test]
    fn a_vector_without_direction_has_none() {
        assert!(round(&[0.0; 8]).is_none());
        assert!(round(&[f32::NAN, 1.0]).is_none());
    }
}
