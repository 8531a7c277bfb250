//! How full a context may get before something is done about it.

use crate::budget::Budget;
use std::collections::VecDeque;

/// Where the agent is told to write its journal, thousandths of the prompt's budget.
const SOFT_PERMILLE: u64 = 800;
/// Where the view is rebuilt, thousandths of the prompt's budget.
const HARD_PERMILLE: u64 = 900;
/// The same for an agent that hands work out.
const ORCHESTRATOR_PERMILLE: u64 = 600;
/// Below this share of the budget nothing burns too fast, thousandths.
const BURN_FLOOR_PERMILLE: u64 = 600;
/// The same for an agent that hands work out.
const ORCHESTRATOR_FLOOR_PERMILLE: u64 = 400;
/// Calls whose growth is looked at to say how fast tokens burn.
const BURN_CALLS: usize = 3;

/// What an agent does, as far as its context depends on it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// It talks with the user.
    #[default]
    Root,
    /// It works on one brief and reports.
    Child,
    /// It hands work out and reads reports.
    Orchestrator,
}

/// How full a context is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pressure {
    /// There is room.
    Calm,
    /// The agent should write down what it wants to keep.
    Soft,
    /// The view has to be rebuilt before the next call.
    Hard,
}

/// Token counts at which something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Thresholds {
    /// From here on the agent is told, once, to write its journal.
    pub soft_tokens: u64,
    /// From here on the view is rebuilt.
    pub hard_tokens: u64,
    /// Below this nothing burns too fast.
    pub floor_tokens: u64,
    /// What must still hold another step: the prompt's budget; for an agent that hands work out its
    /// hard mark, so that a step that begins below it ends below it.
    pub ceiling_tokens: u64,
}

/// How fast tokens burn: what a prompt grew by with each of the last few model calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Burn {
    /// Tokens of the prompts last sent, estimated, the newest last.
    sent: VecDeque<u64>,
}

impl Burn {
    /// A prompt of so many tokens is sent. One that is smaller than the one before was rebuilt: what
    /// burned before that says nothing any more.
    pub fn sent(&mut self, tokens: u64) {
        if self.sent.back().is_some_and(|last| *last > tokens) {
            self.sent.clear();
        }
        self.sent.push_back(tokens);
        if self.sent.len() > BURN_CALLS {
            self.sent.pop_front();
        }
    }

    /// Tokens a call: the mean growth up to a prompt that would now have so many, or the last step
    /// where that was larger. 0 before the first call.
    #[must_use]
    pub fn rate(&self, tokens: u64) -> u64 {
        let (Some(first), Some(last)) = (self.sent.front(), self.sent.back()) else {
            return 0;
        };
        let mean = tokens
            .saturating_sub(*first)
            .div_ceil(self.sent.len() as u64);
        mean.max(tokens.saturating_sub(*last))
    }
}

impl Thresholds {
    /// The marks of an agent of this shape.
    #[must_use]
    pub const fn of(budget: Budget, shape: Shape) -> Self {
        let prompt = budget.prompt_tokens;
        let (hard, floor) = match shape {
            Shape::Root | Shape::Child => (HARD_PERMILLE, BURN_FLOOR_PERMILLE),
            Shape::Orchestrator => (ORCHESTRATOR_PERMILLE, ORCHESTRATOR_FLOOR_PERMILLE),
        };
        let ceiling = match shape {
            Shape::Root | Shape::Child => prompt,
            Shape::Orchestrator => prompt * hard / 1_000,
        };
        let soft = if SOFT_PERMILLE < hard {
            SOFT_PERMILLE
        } else {
            hard
        };
        Self {
            soft_tokens: prompt * soft / 1_000,
            hard_tokens: prompt * hard / 1_000,
            floor_tokens: prompt * floor / 1_000,
            ceiling_tokens: ceiling,
        }
    }

    /// How full a context of `tokens` is that burns `rate_tokens` a call. They burn fast when one more
    /// call at that rate would not fit.
    #[must_use]
    pub const fn judge(&self, tokens: u64, rate_tokens: u64) -> Pressure {
        let ahead = tokens.saturating_add(rate_tokens);
        let burns = tokens >= self.floor_tokens && ahead > self.ceiling_tokens;
        if tokens >= self.hard_tokens || burns {
            Pressure::Hard
        } else if tokens >= self.soft_tokens {
            Pressure::Soft
        } else {
            Pressure::Calm
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_lie_where_they_are_said_to_lie() {
        let budget = Budget::of(10_000);
        assert_eq!(budget.prompt_tokens, 4_500);
        let marks = Thresholds::of(budget, Shape::Root);
        assert_eq!(marks.judge(3_599, 0), Pressure::Calm);
        assert_eq!(marks.judge(3_600, 0), Pressure::Soft);
        assert_eq!(marks.judge(4_049, 0), Pressure::Soft);
        assert_eq!(marks.judge(4_050, 0), Pressure::Hard);
        // Of a share of 4,500: hard at 2,700, and earlier where the next step would end above it.
        let orchestrator = Thresholds::of(budget, Shape::Orchestrator);
        assert_eq!(orchestrator.judge(1_800, 900), Pressure::Calm);
        assert_eq!(orchestrator.judge(1_800, 901), Pressure::Hard);
        assert_eq!(orchestrator.judge(1_799, 2_000), Pressure::Calm);
        assert_eq!(orchestrator.judge(2_699, 0), Pressure::Calm);
        assert_eq!(orchestrator.judge(2_700, 0), Pressure::Hard);
    }

    #[test]
    fn fast_burning_is_hard_earlier_but_not_from_the_start() {
        let marks = Thresholds::of(Budget::of(10_000), Shape::Root);
        assert_eq!(marks.judge(2_700, 1_800), Pressure::Calm);
        assert_eq!(marks.judge(2_700, 1_801), Pressure::Hard);
        assert_eq!(marks.judge(2_699, 4_000), Pressure::Calm);
    }

    #[test]
    fn the_rate_is_the_mean_of_the_last_calls_or_the_last_step() {
        let mut burn = Burn::default();
        assert_eq!(burn.rate(5_000), 0);
        for sent in [9_000, 1_000, 1_100, 1_200, 1_300] {
            burn.sent(sent);
        }
        // From 1,100 to 1,600 in three calls; the last step of 300 is more.
        assert_eq!(burn.rate(1_600), 300);
        assert_eq!(burn.rate(1_300), 67);
        burn.sent(400);
        assert_eq!(burn.rate(450), 50, "it was rebuilt");
    }
}
