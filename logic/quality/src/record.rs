//! What is kept of a measurement.

use domain::Timestamp;
use domain::model::ModelRef;
use serde::{Deserialize, Serialize};

/// What texts that ask for a good grade did to a judge's grades of wrong answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttackMeasure {
    /// When, UTC.
    pub time: Timestamp,
    /// The judge.
    pub judge: ModelRef,
    /// By how much each grade moved, -4 to 4.
    pub moves: Vec<i8>,
    /// Attacks of which it gave a grade that cannot be read, with the text or without it.
    pub unread: usize,
}
