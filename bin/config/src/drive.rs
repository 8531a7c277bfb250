//! `[drive]` and `[inbox]`: how sessions in auto mode go on by themselves, and what wakes them.

use agents::drive::Settings;
use anyhow::Result;
use domain::limits;
use jiff::civil::Time;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;
use terminal::exit::Failure;
use turn::drive::{Budget, Dreams, Limits, Price, Prices, QuietHours};

/// How sessions in auto mode go on by themselves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Drive {
    /// Most turns in a row without you, 1 to 20.
    pub turns: u32,
    /// Tokens it may use in a day, which is UTC's; 0: no limit.
    pub day_tokens: u64,
    /// Money it may spend in a day, in the unit of `prices`; 0: no limit of its own.
    pub day_cost: f64,
    /// What providers cost, by name; one that is not named costs nothing.
    pub prices: BTreeMap<String, DrivePrice>,
    /// Hours in which you are told nothing, such as "22:00-07:00"; empty: only while the screen is
    /// locked.
    pub quiet_hours: String,
    /// Files and folders that are watched, absolute or within the session's folder.
    pub watch: Vec<PathBuf>,
    /// Whether it puts journal and memory in order, once a day at most, when there is something new.
    pub dreams: bool,
    /// Whether it shows notifications on the desktop.
    pub notify: bool,
}

impl Default for Drive {
    fn default() -> Self {
        Self {
            turns: limits::DRIVE_TURNS,
            day_tokens: limits::DRIVE_DAY_TOKENS,
            day_cost: 0.0,
            prices: BTreeMap::new(),
            quiet_hours: String::new(),
            watch: Vec::new(),
            dreams: true,
            notify: true,
        }
    }
}

/// What a million tokens cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DrivePrice {
    /// Of prompts.
    pub prompt: f64,
    /// Of answers.
    pub completion: f64,
}

/// Where messages for sessions in auto mode come in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct InboxConfig {
    /// An address of this machine, such as "127.0.0.1:7434"; empty: none.
    pub listen: String,
}

impl Drive {
    /// The settings, checked.
    ///
    /// # Errors
    /// A failure of usage that names the key.
    pub fn settings(&self) -> Result<Settings> {
        if !(1..=limits::DRIVE_TURNS).contains(&self.turns) {
            return Err(wrong("turns", format!("1 to {}", limits::DRIVE_TURNS)));
        }
        if self.watch.iter().any(|path| path.as_os_str().is_empty()) {
            return Err(wrong("watch", "files and folders, and one is empty"));
        }
        let day_cost = micros("day_cost", self.day_cost)?;
        let mut prices = BTreeMap::new();
        for (provider, price) in &self.prices {
            let price = Price {
                prompt_micros: micros("prices", price.prompt)?,
                completion_micros: micros("prices", price.completion)?,
            };
            prices.insert(provider.clone(), price);
        }
        if day_cost > 0 && prices.is_empty() {
            return Err(wrong("day_cost", "set together with [drive.prices.NAME]"));
        }
        Ok(Settings {
            limits: Limits {
                turns: self.turns,
                day: Budget {
                    tokens: Some(self.day_tokens).filter(|most| *most > 0),
                    cost_micros: (day_cost > 0).then_some(day_cost),
                },
                dreams: if self.dreams {
                    Dreams::Daily
                } else {
                    Dreams::Never
                },
            },
            quiet_hours: quiet_hours(&self.quiet_hours)?,
            watch: self.watch.clone(),
            prices: Prices(prices),
        })
    }
}

fn quiet_hours(text: &str) -> Result<Option<QuietHours>> {
    if text.is_empty() {
        return Ok(None);
    }
    let time = |part: &str| Time::strptime("%H:%M", part.trim());
    let parts = text
        .split_once('-')
        .map(|(from, to)| (time(from), time(to)));
    match parts {
        Some((Ok(from), Ok(to))) if from != to => Ok(Some(QuietHours {
            from,
            to,
            zone: TimeZone::system(),
        })),
        _ => Err(wrong("quiet_hours", "two times, such as \"22:00-07:00\"")),
    }
}

/// Millionths of an amount.
fn micros(key: &str, amount: f64) -> Result<u64> {
    if (0.0..=1_000_000.0).contains(&amount) {
        // In range and not negative, so that nothing is lost but a fraction of a millionth.
        Ok((amount * 1_000_000.0).round() as u64)
    } else {
        Err(wrong(key, "0 to 1000000"))
    }
}

fn wrong(key: &str, wanted: impl std::fmt::Display) -> anyhow::Error {
    Failure::usage(
        format!("[drive] {key}: it must be {wanted}"),
        "`carl config show --origin` says where the value came from.",
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        let refused = |change: fn(&mut Drive)| {
            let mut drive = Drive::default();
            change(&mut drive);
            let error = drive.settings().unwrap_err();
            error.to_string()
        };
        assert!(refused(|drive| drive.turns = 0).contains("turns"));
        assert!(refused(|drive| drive.turns = 21).contains("turns"));
        assert!(refused(|drive| drive.day_cost = -1.0).contains("day_cost"));
        assert!(refused(|drive| drive.day_cost = f64::NAN).contains("day_cost"));
        assert!(refused(|drive| drive.day_cost = 1.0).contains("prices"));
        for hours in ["22:00", "22-7", "7:00-7:00", "25:00-03:00"] {
            let drive = Drive {
                quiet_hours: hours.to_owned(),
                ..Drive::default()
            };
            assert!(drive.settings().is_err(), "{hours}");
        }
    }

    #[test]
    fn prices_and_hours_are_read() {
        let drive = Drive {
            day_cost: 1.5,
            prices: BTreeMap::from([(
                "claude".to_owned(),
                DrivePrice {
                    prompt: 3.0,
                    completion: 15.0,
                },
            )]),
            quiet_hours: "22:00-07:30".to_owned(),
            ..Drive::default()
        };
        let settings = drive.settings().unwrap();
        assert_eq!(settings.limits.day.cost_micros, Some(1_500_000));
        assert_eq!(settings.prices.0["claude"].completion_micros, 15_000_000);
        assert_eq!(settings.quiet_hours.unwrap().to.minute(), 30);
        assert!(Drive::default().settings().unwrap().quiet_hours.is_none());
    }

    #[test]
    fn zero_is_no_limit_of_a_day() {
        let drive = Drive {
            day_tokens: 0,
            day_cost: 0.0,
            ..Drive::default()
        };
        let day = drive.settings().unwrap().limits.day;
        assert_eq!((day.tokens, day.cost_micros), (None, None));
        let day = Drive::default().settings().unwrap().limits.day;
        assert_eq!(day.tokens, Some(limits::DRIVE_DAY_TOKENS));
    }
}
