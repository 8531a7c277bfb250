//! What model calls cost and how fast they were, in a few words.

use domain::model::Usage;
use session::Costs;
pub use turn::drive::{Price, Prices};

/// Fewest tokens of an answer whose speed says something.
const LEAST_TOKENS: u64 = 8;
/// Shortest answer whose speed says something, milliseconds from its first piece on.
const LEAST_MS: u64 = 100;
/// Millionths of the unit of prices below which a cost is told with four digits.
const SMALL_MICROS: u64 = 100_000;

/// What the calls of a session cost in the unit of the prices, `cost 0.42`; `None` where no provider that
/// answered has a price, or where it is not known who answered.
#[must_use]
pub fn told(costs: &Costs, prices: &Prices) -> Option<String> {
    let used = costs.by_provider()?;
    if !used.keys().any(|provider| prices.0.contains_key(provider)) {
        return None;
    }
    let micros = used
        .iter()
        .map(|(provider, usage)| prices.cost(Some(provider), *usage).cost_micros)
        .fold(0, u64::saturating_add);
    let amount = micros as f64 / 1_000_000.0;
    Some(match micros < SMALL_MICROS {
        true => format!("cost {amount:.4}"),
        false => format!("cost {amount:.2}"),
    })
}

/// Tokens of an answer a second, from its first piece on; `None` where that is not known.
#[must_use]
pub fn tokens_a_second(usage: &Usage) -> Option<u64> {
    let time = usage.total_ms.checked_sub(usage.first_token_ms)?;
    // What came at once says nothing of how fast a model is.
    if time < LEAST_MS {
        return None;
    }
    if usage.completion_tokens < LEAST_TOKENS || usage.first_token_ms == 0 {
        return None;
    }
    usage
        .completion_tokens
        .saturating_mul(1_000)
        .checked_div(time)
}

/// How much of the last prompt was there already: what the server took from its cache, and where it does
/// not say, what is the same as before. `None` for nothing.
#[must_use]
pub fn reuse(usage: &Usage) -> Option<String> {
    match super::values::cached_percent(usage) {
        Some(share) => Some(format!("{share}% cached")),
        None => {
            let share = usage.prefix_reuse_permille / 10;
            (share > 0).then(|| format!("{share}% as before"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Timestamp;
    use domain::event::{Event, EventBody};
    use domain::id::SessionId;
    use domain::model::{FinishReason, ModelRef};
    use std::collections::BTreeMap;

    fn usage(prompt_tokens: u64, completion_tokens: u64) -> Usage {
        Usage {
            prompt_tokens,
            completion_tokens,
            first_token_ms: 500,
            total_ms: 2_500,
            ..Usage::default()
        }
    }

    fn costs(bodies: Vec<EventBody>) -> Costs {
        let mut costs = Costs::default();
        for body in bodies {
            costs.apply(&Event {
                seq: 1,
                time: Timestamp::UNIX_EPOCH,
                session_id: SessionId::from_uuid(uuid::Uuid::nil()),
                query_id: None,
                agent_id: None,
                respondent_id: None,
                call_id: None,
                body,
            });
        }
        costs
    }

    fn chosen(provider: &str) -> EventBody {
        EventBody::ModelChosen {
            model: ModelRef {
                provider: provider.to_owned(),
                model: "m".to_owned(),
            },
            reason: String::new(),
            context_tokens: 0,
        }
    }

    fn answered(usage: Usage) -> EventBody {
        EventBody::ModelAnswered {
            text: String::new(),
            thinking: None,
            tool_calls: Vec::new(),
            usage,
            finish: FinishReason::Stop,
            aside: false,
        }
    }

    #[test]
    fn a_cost_is_told_where_a_provider_has_a_price() {
        let price = Price {
            prompt_micros: 3_000_000,
            completion_micros: 15_000_000,
        };
        let prices = Prices(BTreeMap::from([("claude".to_owned(), price)]));
        let both = costs(vec![
            chosen("ollama"),
            answered(usage(1_000, 10)),
            chosen("claude"),
            answered(usage(1_000, 100)),
        ]);
        assert_eq!(told(&both, &prices).as_deref(), Some("cost 0.0045"));
        let large = costs(vec![chosen("claude"), answered(usage(100_000, 10_000))]);
        assert_eq!(told(&large, &prices).as_deref(), Some("cost 0.45"));
        let local = costs(vec![chosen("ollama"), answered(usage(1_000, 10))]);
        assert_eq!(told(&local, &prices), None);
        let unknown = costs(vec![
            answered(usage(1, 1)),
            chosen("claude"),
            answered(usage(1, 1)),
        ]);
        assert_eq!(told(&unknown, &prices), None);
    }

    #[test]
    fn speed_and_reuse_are_told_where_they_are_known() {
        assert_eq!(tokens_a_second(&usage(1_000, 100)), Some(50));
        assert_eq!(tokens_a_second(&usage(1_000, LEAST_TOKENS - 1)), None);
        let at_once = Usage {
            first_token_ms: 2_500,
            ..usage(1_000, 100)
        };
        assert_eq!(tokens_a_second(&at_once), None);
        let nearly = Usage {
            first_token_ms: 2_500 - LEAST_MS + 1,
            ..usage(1_000, 100)
        };
        assert_eq!(tokens_a_second(&nearly), None);
        assert_eq!(reuse(&usage(1_000, 1)), None);
        let same = Usage {
            prefix_reuse_permille: 875,
            ..usage(1_000, 1)
        };
        assert_eq!(reuse(&same).as_deref(), Some("87% as before"));
        let cached = Usage {
            cached_tokens: 600,
            ..same
        };
        assert_eq!(reuse(&cached).as_deref(), Some("60% cached"));
    }
}
