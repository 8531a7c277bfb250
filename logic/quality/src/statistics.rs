//! Means, shares and agreement, each with the interval in which it lies with 95 % confidence.

/// The 97.5 % point of the normal distribution.
const NORMAL: f64 = 1.959_964;

/// The same of Student's distribution, by degrees of freedom from 1 on.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// The least deviation of values that were rounded to whole numbers.
const ROUNDING: f64 = 0.5;

/// A figure and the interval that holds it with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The figure.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The mean of values that lie between two bounds, by Student's distribution; `None` without a value.
/// Of a single value nothing is known but the bounds. Values are whole numbers on a scale of a few, so that equal
/// ones may still differ by up to a half each: no deviation is taken for less than [`ROUNDING`].
pub(crate) fn mean(values: &[f64], (least, most): (f64, f64)) -> Option<Interval> {
    let count = values.len();
    if count == 0 {
        return None;
    }
    let size = count as f64;
    let value = values.iter().sum::<f64>() / size;
    if count == 1 {
        return Some(Interval {
            value,
            low: least,
            high: most,
        });
    }
    let squares: f64 = values.iter().map(|one| (one - value).powi(2)).sum();
    let deviation = (squares / (size - 1.0)).sqrt().max(ROUNDING);
    let error = deviation / size.sqrt();
    let reach = error * STUDENT.get(count - 2).copied().unwrap_or(NORMAL);
    Some(Interval {
        value,
        low: (value - reach).max(least),
        high: (value + reach).min(most),
    })
}

/// The share of `hits` among `of`, by Wilson's score interval; `None` of nothing.
pub(crate) fn share(hits: usize, of: usize) -> Option<Interval> {
    wilson(hits as f64, of as f64)
}

/// The share of `hits` among `of` choices that come in twos, of one pair each, and say little more than one of them
/// would: the interval is that of half as many.
pub(crate) fn share_of_pairs(hits: usize, of: usize) -> Option<Interval> {
    wilson(hits as f64 / 2.0, of as f64 / 2.0)
}

fn wilson(hits: f64, size: f64) -> Option<Interval> {
    if size <= 0.0 {
        return None;
    }
    let square = NORMAL * NORMAL;
    let value = hits / size;
    let middle = (value + square / (2.0 * size)) / (1.0 + square / size);
    let spread = (value * (1.0 - value) / size + square / (4.0 * size * size)).sqrt();
    let reach = NORMAL * spread / (1.0 + square / size);
    Some(Interval {
        value,
        low: (middle - reach).max(0.0),
        high: (middle + reach).min(1.0),
    })
}

/// Cohen's kappa of pairs of grades from 1 to 5, weighted by the square of the difference: 1 for the
/// same grades, 0 for what chance gives. `None` where there is no pair, or all grades are the same.
pub(crate) fn weighted_kappa(pairs: &[(u8, u8)]) -> Option<f64> {
    const GRADES: usize = 5;
    let at = |grade: u8| usize::from(grade.clamp(1, 5)) - 1;
    let (mut ours, mut theirs) = ([0.0_f64; GRADES], [0.0_f64; GRADES]);
    let weight = |a: usize, b: usize| (a as f64 - b as f64).powi(2);
    let mut seen = 0.0;
    for (a, b) in pairs {
        let (a, b) = (at(*a), at(*b));
        ours[a] += 1.0;
        theirs[b] += 1.0;
        seen += weight(a, b);
    }
    let mut by_chance = 0.0;
    for (a, left) in ours.iter().enumerate() {
        for (b, right) in theirs.iter().enumerate() {
            by_chance += weight(a, b) * left * right;
        }
    }
    by_chance /= pairs.len().max(1) as f64;
    (by_chance > 0.0).then(|| 1.0 - seen / by_chance)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 0.001
    }

    /// By hand: a deviation of 0.816, and 3.182 for three degrees of freedom.
    #[test]
    fn a_mean_has_students_interval_within_its_bounds() {
        let found = mean(&[4.0, 5.0, 3.0, 4.0], (1.0, 5.0)).unwrap();
        assert!(near(found.value, 4.0) && near(found.low, 2.701) && near(found.high, 5.0));
        let one = mean(&[4.0], (1.0, 5.0)).unwrap();
        assert!(near(one.low, 1.0) && near(one.high, 5.0));
        // Grades that are the same are no certainty: 4.303 for two degrees of freedom.
        let same = mean(&[3.0, 3.0, 3.0], (1.0, 5.0)).unwrap();
        assert!(near(same.low, 1.758) && near(same.high, 4.242), "{same:?}");
        assert!(mean(&[], (1.0, 5.0)).is_none());
        let many = [3.0, 4.0].repeat(50);
        let many = mean(&many, (1.0, 5.0)).unwrap();
        assert!(near(many.low, 3.402) && near(many.high, 3.598), "{many:?}");
    }

    /// 8 of 10 lie between 49.0 and 94.3 %, as tables of the interval have it.
    #[test]
    fn a_share_has_wilsons_interval() {
        let found = share(8, 10).unwrap();
        assert!(
            near(found.low, 0.490) && near(found.high, 0.943),
            "{found:?}"
        );
        let none = share(0, 5).unwrap();
        assert!(near(none.low, 0.0) && near(none.high, 0.434), "{none:?}");
        assert!(share(0, 0).is_none());
        assert_eq!(share_of_pairs(16, 20), share(8, 10));
    }

    #[test]
    fn kappa_is_one_for_the_same_grades_and_nothing_by_chance() {
        assert_eq!(weighted_kappa(&[(1, 1), (5, 5), (3, 3)]), Some(1.0));
        let chance = weighted_kappa(&[(1, 1), (1, 5), (5, 1), (5, 5)]).unwrap();
        assert!(near(chance, 0.0), "{chance}");
        let against = weighted_kappa(&[(1, 5), (5, 1)]).unwrap();
        assert!(near(against, -1.0), "{against}");
        assert_eq!(weighted_kappa(&[]), None);
        assert_eq!(weighted_kappa(&[(4, 4), (4, 4)]), None);
    }
}
