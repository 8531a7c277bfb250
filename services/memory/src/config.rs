//! What `[memory]` in the configuration says.

use retrieval::fusion::Weights;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The `[memory]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Whether what is known is shown to an agent before it works on a request.
    pub recall: bool,
    /// Whether answered questions are kept.
    pub capture: bool,
    /// How entries are found.
    pub finding: FindingConfig,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            recall: true,
            capture: true,
            finding: FindingConfig::default(),
        }
    }
}

/// The `[memory.finding]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FindingConfig {
    /// Of how many of the best results the text is read, from which a segment is cut.
    pub texts: u32,
    /// Longest segment, bytes.
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
    /// Of an entry in which the one that the question is about speaks.
    pub speaker: f32,
    /// Taken from an entry that asks and says nothing.
    pub asking: f32,
    /// Of the best fact against the text itself.
    pub facts: f32,
    /// The most that critic, winner and feedback add or take.
    pub standing: f32,
    /// The most that being the newest adds, for questions about now.
    pub recency: f32,
    /// The share of its score that an entry from outside keeps, 0 to 1.
    pub external: f32,
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
