//! What every way to a model has in common, and when a failed try is worth another.

use crate::call::{Call, Facts, Listed, Piece};
use crate::config::LimitsConfig;
use crate::error::{Error, notice};
use async_trait::async_trait;
use domain::fault::{Coded, Fault};
use futures::stream::BoxStream;
use std::time::Duration;
use tokio::time::Instant;

/// Longest that a server may make us wait with `Retry-After`.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// An answer as it arrives.
pub(crate) type Pieces = BoxStream<'static, Result<Piece, Error>>;

/// A way to models.
#[async_trait]
pub(crate) trait Backend: Send + Sync {
    /// Why nothing can be asked here, where that is known without asking.
    fn missing(&self) -> Option<Error> {
        None
    }
    /// Asks, and returns once the first byte is there.
    async fn open(&self, call: &Call) -> Result<Pieces, Failure>;
    /// The models there, with what is in memory.
    async fn list(&self, wait: Option<Duration>) -> Result<Vec<Listed>, Error>;
    /// The models there, in one short question.
    async fn probe(&self, wait: Duration) -> Result<Vec<Listed>, Error>;
    /// The models in memory; `None` where nobody can say.
    async fn loaded(&self) -> Result<Option<Vec<String>>, Error>;
    /// The name under which a model is listed as in memory.
    fn name_in_memory(&self, model: &str) -> String {
        model.to_owned()
    }
    /// Embeds texts.
    async fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure>;
    /// What a chat must know of a model.
    async fn facts(&self, model: &str) -> Result<Facts, Error>;
    /// All that can be found out of it.
    async fn describe(&self, model: &str) -> Result<Facts, Error> {
        self.facts(model).await
    }
    /// Exact token counts, where there is a tokenizer.
    async fn count_tokens(&self, model: &str, text: &str) -> Result<Option<u64>, Error> {
        let _ = (model, text);
        Ok(None)
    }
    /// Whether reported prompt tokens always include those from a cache.
    fn counts_cached(&self) -> bool;
    /// Whether a prompt that does not fit may be cut without a word, rather than refused.
    fn may_cut(&self) -> bool {
        true
    }
    /// Whether it tells calls from text itself, in a form that it agreed on with the model.
    fn reads_calls(&self) -> bool {
        false
    }
    /// Whether a model may ignore a schema when told not to think.
    fn ignores_schema_without_thinking(&self) -> bool;
    /// Whether what is said of thinking reaches its models.
    fn is_told_how_much_to_think(&self) -> bool {
        true
    }
    /// Where it is, for people.
    fn endpoint(&self) -> String;
}

/// A try that failed before its first byte.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: Error,
    retry: bool,
    after: Option<Duration>,
}

impl Failure {
    /// Another try may succeed.
    pub(crate) fn again(error: Error) -> Self {
        Self {
            error,
            retry: true,
            after: None,
        }
    }

    /// Another try would fail the same way.
    pub(crate) fn last(error: Error) -> Self {
        Self {
            error,
            retry: false,
            after: None,
        }
    }

    /// Not before this has passed.
    pub(crate) fn after(mut self, pause: Option<Duration>) -> Self {
        self.after = pause;
        self
    }
}

/// Counts tries before the first byte and paces them.
pub(crate) struct Tries {
    left: u32,
    pause: Duration,
    deadline: Instant,
}

impl Tries {
    pub(crate) fn new(config: &LimitsConfig, deadline: Instant) -> Self {
        Self {
            left: config.tries.max(1) - 1,
            pause: Duration::from_millis(config.retry_pause_ms),
            deadline,
        }
    }

    /// Waits before the next try, and says so.
    ///
    /// # Errors
    /// The failure itself, when there is no next try.
    pub(crate) async fn next(
        &mut self,
        failure: Failure,
        notices: &mut Vec<Fault>,
    ) -> Result<(), Error> {
        let Failure {
            error,
            retry,
            after,
        } = failure;
        let pause = after
            .unwrap_or_else(|| jittered(self.pause))
            .min(LONGEST_PAUSE);
        let too_late = Instant::now()
            .checked_add(pause)
            .is_none_or(|then| then >= self.deadline);
        if !retry || self.left == 0 || too_late {
            return Err(error);
        }
        self.left -= 1;
        self.pause = self.pause.saturating_mul(2);
        notices.push(notice(
            "models.retry",
            format!(
                "{}; trying again after {} ms",
                error.message(),
                pause.as_millis()
            ),
            "",
        ));
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

/// Between half and one and a half of a pause, so that callers that failed together do not return
/// together.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(rand::random_range(0.5..1.5))
}
