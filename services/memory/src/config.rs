//! What `[memory]` in the configuration says, and the default of each key.

use domain::limits::MEMORY_TEXT_BYTES;
use retrieval::fusion::Weights;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Of how many results the text may be read.
const TEXTS: RangeInclusive<u32> = 1..=100;
/// How long a segment may be, bytes.
const SEGMENT_BYTES: RangeInclusive<u32> = 100..=MEMORY_TEXT_BYTES as u32;
/// How much a cue may count.
const WEIGHT: RangeInclusive<f32> = 0.0..=1.0;
/// How many steps a neighbour's share may go.
const STEPS: RangeInclusive<u8> = 0..=8;

/// A setting that makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("memory.finding.{key} must be {least} to {most}, not {found}")]
pub struct Unusable {
    /// Which, below `[memory.finding]`.
    pub key: &'static str,
    /// The least that it may be.
    pub least: String,
    /// The most that it may be.
    pub most: String,
    /// What it is.
    pub found: String,
}

/// Nothing where a value is within its range.
fn within<T>(key: &'static str, value: T, range: &RangeInclusive<T>) -> Result<(), Unusable>
where
    T: PartialOrd + ToString,
{
    // What is no number is within nothing.
    match range.contains(&value) {
        true => Ok(()),
        false => Err(Unusable {
            key,
            least: range.start().to_string(),
            most: range.end().to_string(),
            found: value.to_string(),
        }),
    }
}

/// The `[memory]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Whether what is known is shown to an agent before it works on a request.
    pub recall: bool,
    /// Longest a request waits for what is known, milliseconds, 1 to 60,000.
    pub recall_ms: u64,
    /// Whether answered questions are kept.
    pub capture: bool,
    /// How entries are found.
    pub finding: FindingConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            recall: true,
            recall_ms: 1_000,
            capture: true,
            finding: FindingConfig::default(),
        }
    }
}

impl Config {
    /// Refuses numbers that make no sense.
    ///
    /// # Errors
    /// [`Unusable`], naming the setting.
    pub fn check(&self) -> Result<(), Unusable> {
        let finding = &self.finding;
        within("texts", finding.texts, &TEXTS)?;
        within("segment_bytes", finding.segment_bytes, &SEGMENT_BYTES)?;
        finding.weights.check()
    }
}

/// The `[memory.finding]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FindingConfig {
    /// Of how many of the best results the text is read, from which a segment is cut, 1 to 100.
    pub texts: u32,
    /// Longest segment, bytes, 100 to 262144.
    pub segment_bytes: u32,
    /// Who chooses the segment.
    pub extraction: Extraction,
    /// How much each cue counts.
    pub weights: WeightsConfig,
}

impl Default for FindingConfig {
    fn default() -> Self {
        Self {
            texts: 5,
            segment_bytes: 1_200,
            extraction: Extraction::Sentences,
            weights: WeightsConfig::default(),
        }
    }
}

/// Who chooses the segment of a text that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Extraction {
    /// The words of the question.
    Sentences,
    /// The model of the role `extract`, by the numbers of sentences; the words of the question where
    /// it does not answer.
    Model,
}

/// The `[memory.finding.weights]` table. `cargo xtask bench memory` shows what a change does.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct WeightsConfig {
    /// The share of words against vectors, 0 to 1.
    pub lexical: f32,
    /// Of a description as near as the nearest, 0 to 1.
    pub description: f32,
    /// The share of a score that goes to entries that belong with it, 0 to 1.
    pub neighbour: f32,
    /// How many steps it goes, 0 to 8.
    pub neighbour_steps: u8,
    /// Of an entry in which the one that the question is about speaks, 0 to 1.
    pub speaker: f32,
    /// Taken from an entry that asks and says nothing, 0 to 1.
    pub asking: f32,
    /// Of the best fact against the text itself, 0 to 1.
    pub facts: f32,
    /// The most that critic, winner and feedback add or take, 0 to 1.
    pub standing: f32,
    /// The most that being the newest adds, for questions about now, 0 to 1.
    pub recency: f32,
    /// The share of its score that an entry from outside keeps, 0 to 1.
    pub external: f32,
}

impl WeightsConfig {
    fn check(&self) -> Result<(), Unusable> {
        let weights = [
            ("weights.lexical", self.lexical),
            ("weights.description", self.description),
            ("weights.neighbour", self.neighbour),
            ("weights.speaker", self.speaker),
            ("weights.asking", self.asking),
            ("weights.facts", self.facts),
            ("weights.standing", self.standing),
            ("weights.recency", self.recency),
            ("weights.external", self.external),
        ];
        for (key, weight) in weights {
            within(key, weight, &WEIGHT)?;
        }
        within("weights.neighbour_steps", self.neighbour_steps, &STEPS)
    }
}

impl Default for WeightsConfig {
    fn default() -> Self {
        let Weights {
            lexical,
            description,
            neighbour,
            neighbour_steps,
            speaker,
            asking,
            facts,
            standing,
            recency,
            external,
        } = Weights::default();
        Self {
            lexical,
            description,
            neighbour,
            neighbour_steps,
            speaker,
            asking,
            facts,
            standing,
            recency,
            external,
        }
    }
}

impl From<&WeightsConfig> for Weights {
    fn from(config: &WeightsConfig) -> Self {
        Self {
            lexical: config.lexical,
            description: config.description,
            neighbour: config.neighbour,
            neighbour_steps: config.neighbour_steps,
            speaker: config.speaker,
            asking: config.asking,
            facts: config.facts,
            standing: config.standing,
            recency: config.recency,
            external: config.external,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_kept_at_their_limits_and_the_setting_is_named() {
        assert_eq!(Config::default().check(), Ok(()));
        let refused = |change: fn(&mut FindingConfig)| {
            let mut config = Config::default();
            change(&mut config.finding);
            config.check().map_err(|error| error.to_string())
        };
        let no = |what: &str| Err(format!("memory.finding.{what}"));
        assert_eq!(
            refused(|finding| finding.texts = 0),
            no("texts must be 1 to 100, not 0")
        );
        assert_eq!(
            refused(|finding| finding.segment_bytes = 0),
            no("segment_bytes must be 100 to 262144, not 0")
        );
        assert_eq!(
            refused(|finding| finding.weights.lexical = 7.0),
            no("weights.lexical must be 0 to 1, not 7")
        );
        assert_eq!(
            refused(|finding| finding.weights.facts = -1.0),
            no("weights.facts must be 0 to 1, not -1")
        );
        assert_eq!(
            refused(|finding| finding.weights.external = f32::NAN),
            no("weights.external must be 0 to 1, not NaN")
        );
        assert_eq!(
            refused(|finding| finding.weights.neighbour_steps = 9),
            no("weights.neighbour_steps must be 0 to 8, not 9")
        );
        assert_eq!(
            refused(|finding| finding.weights.neighbour_steps = 8),
            Ok(())
        );
    }
}
