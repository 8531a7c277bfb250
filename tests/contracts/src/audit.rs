//! An audit log in memory that fails on demand.

use api::audit::{Ack, Audit, Durability, Entry, Error};
use async_trait::async_trait;
use std::sync::Mutex;

/// Keeps what is appended, for a test to look at.
#[derive(Debug, Default)]
pub struct FakeAudit {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    entries: Vec<(Entry, Durability)>,
    /// How many appends still succeed; `None`: all.
    remaining: Option<usize>,
    first_failure: Option<String>,
}

impl FakeAudit {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Every append from now on fails, as on a full disk.
    pub fn fail(&self) {
        self.fail_after(0);
    }

    /// So many appends succeed, then all fail.
    pub fn fail_after(&self, appends: usize) {
        self.state.lock().unwrap().remaining = Some(appends);
    }

    /// As after a restart with the disk mended.
    pub fn heal(&self) {
        let mut state = self.state.lock().unwrap();
        state.remaining = None;
        state.first_failure = None;
    }

    /// Everything recorded, in order.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let state = self.state.lock().unwrap();
        state
            .entries
            .iter()
            .map(|(entry, _)| entry.clone())
            .collect()
    }

    /// Everything recorded, with the durability it was recorded with.
    #[must_use]
    pub fn durable_entries(&self) -> Vec<(Entry, Durability)> {
        self.state.lock().unwrap().entries.clone()
    }
}

#[async_trait]
impl Audit for FakeAudit {
    async fn append(&self, entry: Entry, durability: Durability) -> Result<Ack, Error> {
        let mut state = self.state.lock().unwrap();
        if let Some(detail) = &state.first_failure {
            return Err(Error::Poisoned {
                detail: detail.clone(),
            });
        }
        if state.remaining == Some(0) {
            let detail = "no space left on device".to_owned();
            state.first_failure = Some(detail.clone());
            return Err(Error::Unwritable { detail });
        }
        state.remaining = state.remaining.map(|appends| appends - 1);
        state.entries.push((entry, durability));
        Ok(Ack {
            sequence: state.entries.len() as u64,
        })
    }
}
