//! What grouping and priorities may cost a request that waits.

use domain::limits;
use std::time::Duration;

/// The bounds of one provider's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most requests that run at one time, 1 and up.
    pub max_parallel: usize,
    /// Most requests that wait; the next one is refused.
    pub waiting: usize,
    /// Most requests of its own priority that arrived later and start before a request.
    pub passes: u32,
    /// Most requests that pass the oldest of a priority in a row to save a swap; 0 keeps to the
    /// order of arrival.
    pub batch: u32,
    /// Longest that the oldest of a priority is passed.
    pub batch_time: Duration,
    /// Requests of other priorities that start while one of a lower priority waits, before a
    /// request of that priority has its turn; 2 and up.
    pub turns: u32,
    /// Whether requests for different models must not run together, because loading one model stops
    /// the answer of another.
    pub one_model: bool,
}

impl Bounds {
    /// The usual bounds, for so many requests at one time.
    #[must_use]
    pub const fn new(max_parallel: usize) -> Self {
        Self {
            max_parallel,
            waiting: limits::MODEL_WAITING,
            passes: limits::MODEL_PASSES,
            batch: limits::MODEL_BATCH,
            batch_time: limits::MODEL_BATCH_TIME,
            turns: limits::MODEL_TURNS,
            one_model: false,
        }
    }

    /// The same bounds, first come, first served.
    #[must_use]
    pub const fn in_order(self) -> Self {
        Self { batch: 0, ..self }
    }
}
