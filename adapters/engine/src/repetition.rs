//! Notices a model that goes round in circles.
//!
//! Small models fall into loops ("the balcony of the balcony of the …") that only the token limit
//! would end. A loop is many exact repeats of the same tokens; honest text, and data such as a row
//! of equal numbers, stays far below the bounds.

/// Longest repeated part that is looked for, tokens.
const MAX_PERIOD: usize = 32;

/// Repeats, one after the other, that make a loop.
const MIN_REPEATS: usize = 4;

/// Tokens that a loop has at least, all repeats together.
const MIN_TOKENS: usize = 40;

/// The tokens that matter: a whole loop of the longest period.
const WINDOW: usize = MAX_PERIOD * MIN_REPEATS;

/// Watches the tokens of one answer.
#[derive(Debug, Default)]
pub struct LoopWatch {
    recent: Vec<i32>,
}

impl LoopWatch {
    /// Adds a token. When the latest tokens are a loop, returns the token that would continue it.
    pub fn push(&mut self, token: i32) -> Option<i32> {
        if self.recent.len() == WINDOW {
            self.recent.remove(0);
        }
        self.recent.push(token);
        (1..=MAX_PERIOD).find_map(|period| self.continuation(period))
    }

    fn continuation(&self, period: usize) -> Option<i32> {
        let needed = (period * MIN_REPEATS).max(MIN_TOKENS);
        let start = self.recent.len().checked_sub(needed)?;
        let tail = self.recent.get(start..)?;
        let repeats = tail.iter().zip(tail.get(period..)?).all(|(a, b)| a == b);
        if repeats {
            self.recent.get(self.recent.len() - period).copied()
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn watch(tokens: impl IntoIterator<Item = i32>) -> Option<i32> {
        let mut watch = LoopWatch::default();
        tokens.into_iter().fold(None, |_, token| watch.push(token))
    }

    #[test]
    fn a_loop_is_noticed_at_its_bound_and_its_continuation_is_known() {
        let part = [7, 8, 9, 10];
        let repeated = |tokens| (0..100).chain(part.into_iter().cycle().take(tokens));
        assert_eq!(watch(repeated(MIN_TOKENS - 1)), None);
        assert_eq!(watch(repeated(MIN_TOKENS)), Some(7));
        assert_eq!(watch(repeated(MIN_TOKENS + 1)), Some(8));
    }

    #[test]
    fn a_long_part_needs_all_its_repeats() {
        let longest = i32::try_from(MAX_PERIOD).unwrap();
        let repeated = |times: usize| (0..longest).cycle().take(times * MAX_PERIOD);
        assert_eq!(watch(repeated(MIN_REPEATS - 1)), None);
        assert_eq!(watch(repeated(MIN_REPEATS)), Some(0));
    }

    #[test]
    fn text_without_repeats_is_left_alone() {
        assert_eq!(watch(0..1000), None);
    }
}
