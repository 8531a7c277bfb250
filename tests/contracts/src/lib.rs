//! Fakes and conformance suites: one of each for every contract that is built.
//!
//! What it is: test code. A fake is the smallest honest implementation: it keeps every promise of its
//! contract and does what a script says. A suite holds the promises; every implementation, and every
//! transport in front of one, passes it.
//! What it owns: the fakes, the suites, and how a test waits without a clock.
//! What it never does: ship. It is a dev-dependency of what implements or uses a contract.
//! Where to start: the suite of the contract in question, such as [`audit_suite`].
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

mod audit;
mod broker;
mod bus;
mod executor;
mod guard;
mod memory;
mod models;
mod planner;
mod programs;
mod search;
mod secrets;
mod sessions;

pub mod audit_suite;
pub mod broker_suite;
pub mod bus_suite;
pub mod guard_suite;
pub mod memory_suite;
pub mod models_suite;
pub mod search_suite;
pub mod secrets_suite;
pub mod sessions_suite;

pub use audit::FakeAudit;
pub use broker::{BrokerTool, FakeBroker};
pub use bus::FakeBus;
pub use executor::{FakeExecutor, FakeTool};
pub use guard::FakeGuard;
pub use memory::{FAKE_ORDER, FakeMemory};
pub use models::{FakeModels, Reply, Step};
pub use planner::FakePlanner;
pub use programs::three_programs;
pub use search::{FakePage, FakeSearch};
pub use secrets::FakeSecrets;
pub use sessions::{Act, FakeSessions};

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use uuid::Uuid;

/// Longest a suite waits for anything. Reached only when a promise is broken.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// The future's result.
///
/// # Panics
/// When it takes longer than [`PATIENCE`]; `what` says what did not happen.
pub async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, future).await {
        Ok(value) => value,
        Err(_) => panic!("did not happen within {PATIENCE:?}: {what}"),
    }
}

/// A UUID that no other call in this process gets.
#[must_use]
pub fn fresh_uuid() -> Uuid {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let count = NEXT.fetch_add(1, Ordering::Relaxed);
    // Counts up in the time field, so that order of making is order of sorting, as with real ones.
    uuid::Builder::from_unix_timestamp_millis(count, &[0; 10]).into_uuid()
}

/// A place where a fake waits until a test says go.
#[derive(Debug, Clone)]
pub struct Gate {
    open: Arc<watch::Sender<bool>>,
    reached: Arc<watch::Sender<bool>>,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self {
            open: Arc::new(watch::Sender::new(false)),
            reached: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Lets everyone through, now and later.
    pub fn open(&self) {
        self.open.send_replace(true);
    }

    /// Waits until someone stands at the gate.
    pub async fn reached(&self) {
        let mut reached = self.reached.subscribe();
        reached
            .wait_for(|reached| *reached)
            .await
            .expect("the gate holds its sender");
    }

    /// Stands at the gate until it is open.
    pub async fn pass(&self) {
        self.reached.send_replace(true);
        let mut open = self.open.subscribe();
        open.wait_for(|open| *open)
            .await
            .expect("the gate holds its sender");
    }
}

/// Counts work that was dropped before it was done.
#[derive(Debug, Clone)]
pub struct DropCount(Arc<watch::Sender<usize>>);

impl Default for DropCount {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(0)))
    }
}

impl DropCount {
    /// How often so far.
    #[must_use]
    pub fn get(&self) -> usize {
        *self.0.borrow()
    }

    /// Waits until it happened so often.
    pub async fn at_least(&self, count: usize) {
        let mut seen = self.0.subscribe();
        seen.wait_for(|seen| *seen >= count)
            .await
            .expect("the count holds its sender");
    }

    /// Something that counts when it is dropped, unless it was called done.
    fn watch(&self) -> Unfinished {
        Unfinished(Some(self.clone()))
    }
}

struct Unfinished(Option<DropCount>);

impl Unfinished {
    fn done(&mut self) {
        self.0 = None;
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(count) = self.0.take() {
            count.0.send_modify(|count| *count += 1);
        }
    }
}
