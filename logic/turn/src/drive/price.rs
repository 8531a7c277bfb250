//! What model calls cost.

use super::budget::Spent;
use domain::model::Usage;
use std::collections::BTreeMap;

/// What a provider takes for a million tokens, in millionths of the unit of the day's budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    /// Of prompts.
    pub prompt_micros: u64,
    /// Of answers.
    pub completion_micros: u64,
}

/// What providers cost, by name; one that is not here costs nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    /// What one model call cost.
    #[must_use]
    pub fn cost(&self, provider: Option<&str>, usage: Usage) -> Spent {
        let price = provider.and_then(|name| self.0.get(name));
        let price = price.copied().unwrap_or_default();
        let of = |tokens: u64, micros: u64| {
            // Rounded up: a budget is not stretched by halves.
            tokens.saturating_mul(micros).div_ceil(1_000_000)
        };
        Spent {
            tokens: usage.prompt_tokens.saturating_add(usage.completion_tokens),
            cost_micros: of(usage.prompt_tokens, price.prompt_micros)
                .saturating_add(of(usage.completion_tokens, price.completion_micros)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_provider_with_a_price_costs_money() {
        let price = Price {
            prompt_micros: 3_000_000,
            completion_micros: 15_000_000,
        };
        let prices = Prices(BTreeMap::from([("cloud".to_owned(), price)]));
        let usage = Usage {
            prompt_tokens: 1_000,
            completion_tokens: 100,
            ..Usage::default()
        };
        let spent = prices.cost(Some("cloud"), usage);
        assert_eq!((spent.tokens, spent.cost_micros), (1_100, 4_500));
        assert_eq!(prices.cost(Some("here"), usage).cost_micros, 0);
    }
}
