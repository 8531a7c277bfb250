//! Percentiles.

/// A percentile of sorted values: the smallest that is at least as large as that share of them.
#[must_use]
pub fn at(sorted: &[f64], percent: usize) -> f64 {
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(f64::NAN)
}
