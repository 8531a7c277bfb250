//! Token counts without a tokenizer, corrected by what servers report.

/// Characters of English text to a token, a rule of thumb.
const CHARACTERS_PER_TOKEN: u64 = 4;
/// Bounds of the correction, thousandths: a report outside them is a miscount (a prompt the server
/// cut, say), not a language.
const DRIFT_PERMILLE: (u64, u64) = (500, 3_000);

/// Estimates tokens as characters / 4, times a factor learnt from reported usage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenEstimator {
    drift_permille: u64,
}

impl Default for TokenEstimator {
    fn default() -> Self {
        Self {
            drift_permille: 1_000,
        }
    }
}

impl TokenEstimator {
    /// Tokens of a text of this many characters, rounded up.
    #[must_use]
    pub const fn tokens(&self, characters: u64) -> u64 {
        characters
            .saturating_mul(self.drift_permille)
            .div_ceil(CHARACTERS_PER_TOKEN * 1_000)
    }

    /// Characters that fit into this many tokens, rounded down.
    #[must_use]
    pub const fn characters(&self, tokens: u64) -> u64 {
        tokens.saturating_mul(CHARACTERS_PER_TOKEN * 1_000) / self.drift_permille
    }

    /// What others learnt of the model, thousandths.
    #[must_use]
    pub fn learnt(permille: u64) -> Self {
        Self {
            drift_permille: permille.clamp(DRIFT_PERMILLE.0, DRIFT_PERMILLE.1),
        }
    }

    /// Learns from a server's count for a prompt of this many characters. A quarter of the new
    /// factor is taken over, so that one odd report does not empty the context.
    pub fn observe(&mut self, characters: u64, reported_tokens: u64) {
        if characters == 0 || reported_tokens == 0 {
            return;
        }
        let seen = reported_tokens
            .saturating_mul(CHARACTERS_PER_TOKEN * 1_000)
            .div_euclid(characters)
            .clamp(DRIFT_PERMILLE.0, DRIFT_PERMILLE.1);
        self.drift_permille = (3 * self.drift_permille + seen) / 4;
    }

    /// The factor, thousandths.
    #[must_use]
    pub const fn drift_permille(&self) -> u64 {
        self.drift_permille
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_learns_a_dense_language_and_never_believes_nonsense() {
        let mut estimator = TokenEstimator::default();
        assert_eq!(estimator.tokens(401), 101);
        for _ in 0..30 {
            estimator.observe(1_000, 500);
        }
        assert!((1_900..=2_000).contains(&estimator.drift_permille()));
        for _ in 0..100 {
            estimator.observe(1_000, 1_000_000);
        }
        assert!(estimator.drift_permille() <= DRIFT_PERMILLE.1);
        for _ in 0..100 {
            estimator.observe(1_000_000, 1);
        }
        assert!((500..=503).contains(&estimator.drift_permille()));
        let before = estimator.clone();
        estimator.observe(0, 7);
        estimator.observe(7, 0);
        assert_eq!(estimator, before);
    }

    proptest! {
        #[test]
        fn what_fits_is_estimated_to_fit(tokens in 0_u64..1_000_000, report in 1_u64..10_000) {
            let mut estimator = TokenEstimator::default();
            estimator.observe(4_000, report);
            prop_assert!(estimator.tokens(estimator.characters(tokens)) <= tokens);
        }
    }
}
