//! Saying that a model is quiet, so that a slow one is not taken for a dead one.

use crate::error::notice;
use api::models::ChatChunk;
use domain::fault::Fault;
use domain::model::PromptProgress;
use std::borrow::Cow;
use std::future::Future;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// How long a model is quiet before that is said. Each later time it is twice as long.
const FIRST: Duration = Duration::from_secs(10);

/// Shortest time between two words on how far a prompt is read: a server may tell it many times a
/// second.
const PROGRESS: Duration = Duration::from_secs(1);

/// How long a model has been quiet, and when that is to be said next.
#[derive(Debug)]
pub(crate) struct Quiet {
    since: Instant,
    next: Duration,
    /// What a model may be doing at that point.
    may: Cow<'static, str>,
    /// When it was last told how far the prompt is.
    told: Option<Instant>,
}

impl Quiet {
    /// Begins now, before anything of the answer has come.
    pub(crate) fn begin() -> Self {
        Self {
            since: Instant::now(),
            next: FIRST,
            may: "it may be loading the model, reading a long prompt or writing a tool call".into(),
            told: None,
        }
    }

    /// Begins now, within an answer: the model is loaded, and the prompt was read.
    pub(crate) fn within() -> Self {
        Self {
            may: "it may be writing a tool call, or be held up".into(),
            ..Self::begin()
        }
    }

    /// The server has told how far the prompt is; returns whether that is to be told now. The pauses
    /// go on growing: a slow machine is silent for long between any two parts of a prompt.
    pub(crate) fn heard(&mut self, progress: PromptProgress) -> bool {
        let PromptProgress {
            read_tokens,
            total_tokens,
        } = progress;
        self.since = Instant::now();
        self.may =
            format!("it has read {read_tokens} of {total_tokens} tokens of the prompt").into();
        let is_due = self.told.is_none_or(|told| told.elapsed() >= PROGRESS);
        self.told = if is_due { Some(self.since) } else { self.told };
        is_due
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

/// Waits for a provider, and tells every now and then how far it is with the prompt, or that it is
/// still quiet.
pub(crate) async fn told<T>(
    work: impl Future<Output = T>,
    mut progress: watch::Receiver<PromptProgress>,
    (provider, most): (&str, Duration),
    tell: impl Fn(ChatChunk),
) -> T {
    let mut quiet = Quiet::begin();
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            biased;
            done = &mut work => return done,
            Ok(()) = progress.changed() => {
                let read = *progress.borrow_and_update();
                if quiet.heard(read) {
                    tell(ChatChunk::PromptRead(read));
                }
            }
            () = sleep_until(quiet.due()) => tell(ChatChunk::Notice(quiet.say(provider, most))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// What is told within this time, and when, in seconds.
    async fn within(seconds: u64, every: Option<Duration>) -> Vec<(u64, ChatChunk)> {
        let said = Mutex::new(Vec::new());
        let begun = Instant::now();
        let (heard, progress) = watch::channel(PromptProgress {
            read_tokens: 0,
            total_tokens: 9,
        });
        let reading = async {
            let Some(every) = every else {
                return std::future::pending().await;
            };
            let mut parts = tokio::time::interval(every);
            loop {
                parts.tick().await;
                heard.send_modify(|progress| progress.read_tokens += 1);
            }
        };
        let work = tokio::time::timeout(Duration::from_secs(seconds), reading);
        let whose = ("ollama", Duration::from_secs(600));
        let done = told(work, progress, whose, |chunk| {
            let at = begun.elapsed().as_secs();
            said.lock().unwrap().push((at, chunk));
        });
        assert!(Result::<(), _>::is_err(&done.await));
        said.into_inner().unwrap()
    }

    fn notices(said: Vec<(u64, ChatChunk)>) -> Vec<(u64, String)> {
        let notices = said.into_iter().filter_map(|(at, chunk)| match chunk {
            ChatChunk::Notice(fault) => Some((at, fault.message)),
            _ => None,
        });
        notices.collect()
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_told_less_and_less_often() {
        let said = notices(within(100, None).await);
        let times: Vec<u64> = said.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [10, 20, 40, 80]);
        assert!(
            said[0].1.starts_with("ollama has sent nothing for 10 s"),
            "{said:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn progress_is_told_at_most_once_a_second() {
        let said = within(100, Some(Duration::from_millis(100))).await;
        let is_progress = |chunk: &ChatChunk| matches!(chunk, ChatChunk::PromptRead(_));
        assert!(said.iter().all(|(_, chunk)| is_progress(chunk)), "{said:?}");
        assert!((90..=101).contains(&said.len()), "{}", said.len());
    }

    #[tokio::test(start_paused = true)]
    async fn silence_between_parts_of_a_prompt_is_told_ever_later() {
        let said = notices(within(400, Some(Duration::from_secs(50))).await);
        let times: Vec<u64> = said.iter().map(|(at, _)| *at).collect();
        assert_eq!(times, [10, 20, 40], "{said:?}");
        assert!(
            said[2]
                .1
                .ends_with("it has read 1 of 9 tokens of the prompt"),
            "{said:?}"
        );
    }
}
