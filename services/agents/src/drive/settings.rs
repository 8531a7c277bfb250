//! What the drive is built with: its limits, when to be quiet, and the adapters it hears by.

use api::signals::{Notifier, Source, Watcher};
use domain::Timestamp;
use domain::model::Usage;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use turn::drive::{Limits, Spent};

/// What a provider takes for a million tokens, in millionths of the unit of the day's budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Price {
    /// Of prompts.
    pub prompt_micros: u64,
    /// Of answers.
    pub completion_micros: u64,
}

/// Hours of the day in which nobody is told anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuietHours {
    /// When they begin.
    pub from: Time,
    /// When they end; before `from`: on the next day.
    pub to: Time,
    /// Where these times are.
    pub zone: TimeZone,
}

impl QuietHours {
    /// Whether a moment is within them.
    #[must_use]
    pub fn contain(&self, moment: Timestamp) -> bool {
        let time = moment.to_zoned(self.zone.clone()).time();
        if self.from <= self.to {
            self.from <= time && time < self.to
        } else {
            self.from <= time || time < self.to
        }
    }
}

/// How sessions in auto mode go on by themselves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// How much they may do.
    pub limits: Limits,
    /// When nobody is told anything; `None`: only while the screen is locked.
    pub quiet_hours: Option<QuietHours>,
    /// Files and folders that are watched, absolute or within the session's folder.
    pub watch: Vec<PathBuf>,
    /// What providers cost, by name; one that is not here costs nothing.
    pub prices: BTreeMap<String, Price>,
}

impl Settings {
    /// What one model call cost.
    pub(crate) fn cost(&self, provider: Option<&str>, usage: Usage) -> Spent {
        let price = provider.and_then(|name| self.prices.get(name));
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

/// The adapters that the drive hears by and tells by. Each may be missing.
#[derive(Clone, Default)]
pub struct Senses {
    /// Watches files.
    pub watcher: Option<Arc<dyn Watcher>>,
    /// What is there for every session alike.
    pub sources: Vec<Arc<dyn Source>>,
    /// The ends of background jobs. Heard in every mode, so that each is on record and the user
    /// sees it; only a session in auto mode acts on it.
    pub jobs: Option<Arc<dyn Source>>,
    /// Tells the user.
    pub notifier: Option<Arc<dyn Notifier>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::time;

    #[test]
    fn quiet_hours_may_go_past_midnight() {
        let hours = |from: i8, to: i8| QuietHours {
            from: time(from, 0, 0, 0),
            to: time(to, 0, 0, 0),
            zone: TimeZone::UTC,
        };
        let at = |hour: i64| Timestamp::from_second(hour * 3_600).unwrap();
        let within = |hours: QuietHours| {
            let quiet = (0..24).filter(|hour| hours.contain(at(*hour)));
            quiet.collect::<Vec<i64>>()
        };
        assert_eq!(within(hours(22, 2)), [0, 1, 22, 23]);
        assert_eq!(within(hours(12, 14)), [12, 13]);
        assert!(within(hours(7, 7)).is_empty());
    }

    #[test]
    fn only_a_provider_with_a_price_costs_money() {
        let price = Price {
            prompt_micros: 3_000_000,
            completion_micros: 15_000_000,
        };
        let settings = Settings {
            prices: BTreeMap::from([("cloud".to_owned(), price)]),
            ..Settings::default()
        };
        let usage = Usage {
            prompt_tokens: 1_000,
            completion_tokens: 100,
            ..Usage::default()
        };
        let spent = settings.cost(Some("cloud"), usage);
        assert_eq!((spent.tokens, spent.cost_micros), (1_100, 4_500));
        assert_eq!(settings.cost(Some("here"), usage).cost_micros, 0);
    }
}
