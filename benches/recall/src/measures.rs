//! Measures of a ranked list against what it should hold, and how sure a mean of them is.

use generated::random::Random;

/// What one question's list is worth. All are 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Worth {
    /// The share of the evidence among the first ten.
    pub recall_10: f64,
    /// The share of the evidence among the first five.
    pub recall_5: f64,
    /// 1 if any of the evidence is among the first ten.
    pub hit_10: f64,
    /// One divided by the place of the first evidence among the first ten; 0 for none.
    pub mrr_10: f64,
    /// Discounted gain of the first ten against the best order (Järvelin and Kekäläinen 2002, with
    /// gains of 0 and 1).
    pub ndcg_10: f64,
}

/// What a list is worth. `found` says for each place whether it holds evidence, and which: one that
/// stands twice counts once. `evidence` is how much there is, 1 and up.
#[must_use]
pub fn worth(found: &[Option<usize>], evidence: usize) -> Worth {
    let mut seen = Vec::new();
    let mut worth = Worth::default();
    let mut gain = 0.0;
    for (place, which) in found.iter().take(10).enumerate() {
        let Some(which) = which else { continue };
        if seen.contains(which) {
            continue;
        }
        if seen.is_empty() {
            worth.hit_10 = 1.0;
            worth.mrr_10 = 1.0 / (place + 1) as f64;
        }
        seen.push(*which);
        gain += discount(place);
        if place < 5 {
            worth.recall_5 += 1.0;
        }
    }
    let best: f64 = (0..evidence.min(10)).map(discount).sum();
    let evidence = evidence.max(1) as f64;
    worth.recall_10 = seen.len() as f64 / evidence;
    worth.recall_5 /= evidence;
    worth.ndcg_10 = if best > 0.0 { gain / best } else { 0.0 };
    worth
}

fn discount(place: usize) -> f64 {
    1.0 / ((place + 2) as f64).log2()
}

/// A mean and the range in which 95 of 100 means of such samples lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How many samples are drawn.
const RESAMPLES: usize = 1_000;

/// The mean of values and its 95% interval by the percentile bootstrap (Efron 1979), drawn from a
/// fixed seed, so that the same values have the same interval.
#[must_use]
pub fn mean(values: &[f64]) -> Mean {
    if values.is_empty() {
        return Mean {
            mean: f64::NAN,
            low: f64::NAN,
            high: f64::NAN,
        };
    }
    let count = values.len() as f64;
    let mut random = Random::new(20);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let drawn = (0..values.len()).map(|_| values[random.below(values.len())]);
            drawn.sum::<f64>() / count
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Mean {
        mean: values.iter().sum::<f64>() / count,
        low: means[RESAMPLES * 25 / 1_000],
        high: means[RESAMPLES * 975 / 1_000 - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_list_is_worth_one_and_an_empty_one_nothing() {
        let perfect = worth(&[Some(0), Some(1)], 2);
        let one = Worth {
            recall_10: 1.0,
            recall_5: 1.0,
            hit_10: 1.0,
            mrr_10: 1.0,
            ndcg_10: 1.0,
        };
        assert_eq!(perfect, one);
        assert_eq!(worth(&[None; 12], 2), Worth::default());
    }

    #[test]
    fn places_count() {
        let mut found = [None; 12];
        found[1] = Some(0);
        found[7] = Some(1);
        found[8] = Some(1);
        found[11] = Some(2);
        let worth = worth(&found, 4);
        assert_eq!((worth.recall_10, worth.recall_5), (0.5, 0.25));
        assert_eq!((worth.hit_10, worth.mrr_10), (1.0, 0.5));
        let expected = (1.0 / 3_f64.log2() + 1.0 / 9_f64.log2())
            / (1.0 + 1.0 / 3_f64.log2() + 0.5 + 1.0 / 5_f64.log2());
        assert!((worth.ndcg_10 - expected).abs() < 1e-12);
    }

    #[test]
    fn the_interval_holds_the_mean_and_narrows_with_more_values() {
        let few: Vec<f64> = (0..20).map(|place| f64::from(place % 2)).collect();
        let many: Vec<f64> = (0..2_000).map(|place| f64::from(place % 2)).collect();
        let (few, many) = (mean(&few), mean(&many));
        assert!(few.low < 0.5 && 0.5 < few.high);
        assert!(many.high - many.low < (few.high - few.low) / 3.0);
        assert!(mean(&[]).mean.is_nan());
    }
}
