//! How full a context may get before something is done about it.

use crate::budget::Budget;

/// Where the agent is told to write its journal, thousandths of the prompt's budget.
const SOFT_PERMILLE: u64 = 800;
/// Where the view is rebuilt, thousandths of the prompt's budget.
const HARD_PERMILLE: u64 = 900;
/// The same for an agent that hands work out.
const ORCHESTRATOR_PERMILLE: u64 = 600;
/// Below this share of the budget nothing burns too fast, thousandths.
const BURN_FLOOR_PERMILLE: u64 = 600;

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
pub struct Marks {
    /// From here on the agent is told, once, to write its journal.
    pub soft_tokens: u64,
    /// From here on the view is rebuilt.
    pub hard_tokens: u64,
    /// What the prompt may take in all.
    pub prompt_tokens: u64,
}

impl Marks {
    /// The marks of an agent of this shape.
    #[must_use]
    pub const fn of(budget: Budget, shape: Shape) -> Self {
        let prompt = budget.prompt_tokens;
        let hard = match shape {
            Shape::Root | Shape::Child => HARD_PERMILLE,
            Shape::Orchestrator => ORCHESTRATOR_PERMILLE,
        };
        let soft = if SOFT_PERMILLE < hard {
            SOFT_PERMILLE
        } else {
            hard
        };
        Self {
            soft_tokens: prompt * soft / 1_000,
            hard_tokens: prompt * hard / 1_000,
            prompt_tokens: prompt,
        }
    }

    /// How full a context of `tokens` is that grew by `step_tokens` since the last call. Tokens burn
    /// fast when one more step like the last would not fit.
    #[must_use]
    pub const fn judge(&self, tokens: u64, step_tokens: u64) -> Pressure {
        let ahead = tokens.saturating_add(step_tokens);
        let burns = tokens >= self.prompt_tokens * BURN_FLOOR_PERMILLE / 1_000
            && ahead > self.prompt_tokens;
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
        let marks = Marks::of(budget, Shape::Root);
        assert_eq!(marks.judge(3_599, 0), Pressure::Calm);
        assert_eq!(marks.judge(3_600, 0), Pressure::Soft);
        assert_eq!(marks.judge(4_049, 0), Pressure::Soft);
        assert_eq!(marks.judge(4_050, 0), Pressure::Hard);
        let orchestrator = Marks::of(budget, Shape::Orchestrator);
        assert_eq!(orchestrator.judge(2_699, 0), Pressure::Calm);
        assert_eq!(orchestrator.judge(2_700, 0), Pressure::Hard);
    }

    #[test]
    fn fast_burning_is_hard_earlier_but_not_from_the_start() {
        let marks = Marks::of(Budget::of(10_000), Shape::Root);
        assert_eq!(marks.judge(2_700, 1_800), Pressure::Calm);
        assert_eq!(marks.judge(2_700, 1_801), Pressure::Hard);
        assert_eq!(marks.judge(2_699, 4_000), Pressure::Calm);
    }
}
