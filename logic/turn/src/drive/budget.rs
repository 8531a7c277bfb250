//! What the drive may spend in a day, and what it has spent.

use domain::Timestamp;
use domain::limits;

/// Seconds of a day. The drive's days are UTC's: the same wherever a log is read, and each as long
/// as the others.
const DAY_SECONDS: i64 = 86_400;

/// What something cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Tokens of prompts and answers together.
    pub tokens: u64,
    /// Money, millionths of whatever unit prices are configured in.
    pub cost_micros: u64,
}

impl Spent {
    /// Both together.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            cost_micros: self.cost_micros.saturating_add(other.cost_micros),
        }
    }
}

/// The most of a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Tokens of prompts and answers together; `None`: no limit of its own.
    pub tokens: Option<u64>,
    /// Money, in the unit of [`Spent::cost_micros`]; `None`: no limit of its own.
    pub cost_micros: Option<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            tokens: Some(limits::DRIVE_DAY_TOKENS),
            cost_micros: None,
        }
    }
}

/// What was spent on the newest day on which anything was.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ledger {
    day: i64,
    spent: Spent,
    /// The day on which it was said that the budget is used.
    told: Option<i64>,
}

impl Ledger {
    pub(super) fn of(past: Option<(Timestamp, Spent)>) -> Self {
        past.map_or_else(Self::default, |(time, spent)| Self {
            day: day_of(time),
            spent,
            told: None,
        })
    }

    pub(super) fn pay(&mut self, spent: Spent, now: Timestamp) {
        // A clock that goes back gives no second budget.
        if day_of(now) > self.day {
            self.day = day_of(now);
            self.spent = Spent::default();
        }
        self.spent = self.spent.plus(spent);
    }

    pub(super) fn spent(&self, now: Timestamp) -> Spent {
        if day_of(now) > self.day {
            Spent::default()
        } else {
            self.spent
        }
    }

    pub(super) fn is_used(&self, budget: &Budget, now: Timestamp) -> bool {
        let spent = self.spent(now);
        let is_reached = |spent: u64, most: Option<u64>| most.is_some_and(|most| spent >= most);
        is_reached(spent.tokens, budget.tokens) || is_reached(spent.cost_micros, budget.cost_micros)
    }

    /// Whether it has not been said today.
    pub(super) fn tell_once(&mut self, now: Timestamp) -> bool {
        let today = Some(day_of(now));
        std::mem::replace(&mut self.told, today) != today
    }
}

/// The number of a day since 1970.
pub(super) fn day_of(time: Timestamp) -> i64 {
    time.as_second().div_euclid(DAY_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_day_has_its_own_budget_and_going_back_gives_none() {
        let budget = Budget {
            tokens: Some(10),
            cost_micros: Some(5),
        };
        let tokens = |tokens| Spent {
            tokens,
            cost_micros: 0,
        };
        let mut ledger = Ledger::default();
        ledger.pay(tokens(9), at(DAY_SECONDS));
        assert!(!ledger.is_used(&budget, at(DAY_SECONDS)));
        ledger.pay(tokens(1), at(DAY_SECONDS + 1));
        assert!(ledger.is_used(&budget, at(2 * DAY_SECONDS - 1)));
        assert!(ledger.is_used(&budget, at(5)), "the clock went back");
        assert!(!ledger.is_used(&budget, at(2 * DAY_SECONDS)));
        assert!(ledger.tell_once(at(0)) && !ledger.tell_once(at(7)));
        assert!(ledger.tell_once(at(DAY_SECONDS)));
        let money = Spent {
            tokens: 0,
            cost_micros: 5,
        };
        ledger.pay(money, at(2 * DAY_SECONDS));
        assert!(ledger.is_used(&budget, at(2 * DAY_SECONDS)));
    }

    #[test]
    fn without_a_limit_nothing_is_used_up() {
        let budget = Budget {
            tokens: None,
            cost_micros: None,
        };
        let mut ledger = Ledger::default();
        assert!(!ledger.is_used(&budget, at(0)));
        let much = Spent {
            tokens: u64::MAX,
            cost_micros: u64::MAX,
        };
        ledger.pay(much, at(0));
        assert!(!ledger.is_used(&budget, at(0)));
    }
}
