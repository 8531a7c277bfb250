//! Saying that a model is quiet, so that a slow one is not taken for a dead one.

use crate::error::notice;
use domain::fault::Fault;
use std::future::Future;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// How long a model is quiet before that is said. Each later time it is twice as long.
const FIRST: Duration = Duration::from_secs(10);

/// How long a model has been quiet, and when that is to be said next.
#[derive(Debug)]
pub(crate) struct Quiet {
    since: Instant,
    next: Duration,
    /// What a model may be doing at that point.
    may: &'static str,
}

impl Quiet {
    /// Begins now, before anything of the answer has come.
    pub(crate) fn begin() -> Self {
        Self {
            since: Instant::now(),
            next: FIRST,
            may: "it may be loading the model, reading a long prompt or writing a tool call",
        }
    }

    /// Begins now, within an answer: the model is loaded, and the prompt was read.
    pub(crate) fn within() -> Self {
        Self {
            may: "it may be writing a tool call, or be held up",
            ..Self::begin()
        }
    }

    /// When something is to be said.
    pub(crate) fn due(&self) -> Instant {
        self.since + self.next
    }

    /// What to say of a provider that has this long in all.
    pub(crate) fn say(&mut self, provider: &str, most: Duration) -> Fault {
        let waited = self.next;
        self.next = self.next.saturating_mul(2);
        notice(
            "models.quiet",
            format!(
                "{provider} has sent nothing for {} s: {}",
                waited.as_secs(),
                self.may
            ),
            format!(
                "it is given up after {} s (`timeout_secs` in [models.providers.{provider}])",
                most.as_secs()
            ),
        )
    }
}

/// Waits for a provider, and tells every now and then that it is still quiet.
pub(crate) async fn told<T>(
    work: impl Future<Output = T>,
    (provider, most): (&str, Duration),
    tell: impl Fn(Fault),
) -> T {
    let mut quiet = Quiet::begin();
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = sleep_until(quiet.due()) => tell(quiet.say(provider, most)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[tokio::test(start_paused = true)]
    async fn silence_is_told_less_and_less_often() {
        let said = Mutex::new(Vec::new());
        let begun = Instant::now();
        let silence = std::future::pending::<()>();
        let work = tokio::time::timeout(Duration::from_secs(100), silence);
        let done = told(work, ("ollama", Duration::from_secs(600)), |fault| {
            let at = begun.elapsed().as_secs();
            said.lock().unwrap().push((at, fault.message));
        })
        .await;
        assert!(done.is_err());
        let said = said.into_inner().unwrap();
        let times: Vec<u64> = said.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [10, 20, 40, 80]);
        assert!(
            said[0].1.starts_with("ollama has sent nothing for 10 s"),
            "{said:?}"
        );
    }
}
