//! Waiting until an observer has taken in what was on the bus.

use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Waits for an observer. Cheap to clone; it outlives the observer without harm.
#[derive(Debug, Clone)]
pub struct Settling {
    waiting: mpsc::UnboundedSender<oneshot::Sender<()>>,
    /// What is said when it takes too long.
    late: &'static str,
}

/// Those who wait for an observer. It tells them when nothing waits on the bus.
pub(crate) struct Settlers(mpsc::UnboundedReceiver<oneshot::Sender<()>>);

/// Both ends; `late` is said when it takes too long.
pub(crate) fn settling(late: &'static str) -> (Settling, Settlers) {
    let (waiting, settlers) = mpsc::unbounded_channel();
    (Settling { waiting, late }, Settlers(settlers))
}

impl Settling {
    /// Waits until everything that was on the bus is taken in, at most so long. What is not, is at the
    /// next start.
    pub async fn settle(&self, at_most: Duration) {
        let (done, settled) = oneshot::channel();
        if self.waiting.send(done).is_err() {
            return;
        }
        if tokio::time::timeout(at_most, settled).await.is_err() {
            tracing::warn!("{}", self.late);
        }
    }
}

impl Settlers {
    /// Waits for the next who waits. Cancel-safe. Never ends once nobody can wait any more.
    pub(crate) async fn next(&mut self) -> oneshot::Sender<()> {
        match self.0.recv().await {
            Some(next) => next,
            None => std::future::pending().await,
        }
    }
}

/// Tells who waits that nothing is left on the bus.
pub(crate) fn settled(who: oneshot::Sender<()>) {
    // Who no longer waits needs no answer.
    let _ = who.send(());
}
