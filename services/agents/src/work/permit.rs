//! How many agents that others started work at the same time.

use crate::work::lock::lock;
use std::sync::{Arc, Mutex};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// Permission to work at the same time as other agents. An agent that waits for agents of its own
/// gives it up meanwhile, so that a chain of agents never waits for itself.
pub(crate) struct ConcurrencyPermit {
    /// `None` for who needs none: the agent that the user speaks to.
    semaphore: Option<Arc<Semaphore>>,
    held: Mutex<Held>,
}

struct Held {
    /// Calls that wait for agents.
    waiting: u32,
    permit: Option<OwnedSemaphorePermit>,
}

impl ConcurrencyPermit {
    /// One of these permits, once there is one; `None` when `cancel` fires before.
    pub(super) async fn acquire(
        semaphore: &Arc<Semaphore>,
        cancel: &CancellationToken,
    ) -> Option<Self> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            permit = Arc::clone(semaphore).acquire_owned() => Some(Self {
                semaphore: Some(Arc::clone(semaphore)),
                held: Mutex::new(Held { waiting: 0, permit: permit.ok() }),
            }),
        }
    }

    /// For an agent that needs none: the one that the user speaks to.
    pub(super) const fn not_needed() -> Self {
        Self {
            semaphore: None,
            held: Mutex::new(Held {
                waiting: 0,
                permit: None,
            }),
        }
    }

    /// Gives the permit up while a call waits for other agents.
    pub(crate) fn release(&self) {
        let mut held = lock(&self.held);
        held.waiting += 1;
        held.permit = None;
    }

    /// Takes a permit again when the last such call has ended.
    pub(crate) async fn reacquire(&self) {
        let is_last = {
            let mut held = lock(&self.held);
            held.waiting = held.waiting.saturating_sub(1);
            held.waiting == 0
        };
        if let Some(semaphore) = &self.semaphore
            && is_last
            && let Ok(permit) = Arc::clone(semaphore).acquire_owned().await
        {
            let mut held = lock(&self.held);
            if held.waiting == 0 {
                held.permit = Some(permit);
            }
        }
    }
}
