//! What being on record adds to a tool call: the same calls with a log that takes nothing, with the
//! real one, and with the real one made to wait for the disk each time.

use crate::guard::{broker_with, reading};
use crate::table::{Table, median};
use anyhow::{Result, ensure};
use api::audit::{Ack, Audit, Durability, Entry, Error};
use api::broker::{Broker as _, Control as _, ToolEvent};
use async_trait::async_trait;
use domain::event::CallStatus;
use domain::id::SessionId;
use domain::lineage::AgentType;
use domain::settings::SessionSettings;
use futures::StreamExt as _;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::House;
use tokio::runtime::Runtime;
use uuid::Uuid;

/// Calls of one session: below the limit on calls of a task.
const CALLS: usize = 20;

/// Takes every entry and keeps none.
struct Nowhere;

#[async_trait]
impl Audit for Nowhere {
    async fn append(&self, _: Entry, _: Durability) -> Result<Ack, Error> {
        Ok(Ack { sequence: 1 })
    }
}

/// Has every entry wait for the disk.
struct Always(audit::Service);

#[async_trait]
impl Audit for Always {
    async fn append(&self, entry: Entry, _: Durability) -> Result<Ack, Error> {
        self.0.append(entry, Durability::Durable).await
    }
}

/// Measures calls that read a file, the cheapest there are; the middle one is how they are recorded.
///
/// # Errors
/// When a call fails.
pub fn added(table: &mut Table, runtime: &Runtime, sessions: usize) -> Result<()> {
    let house = House::new();
    for number in 0..CALLS {
        house.write(&format!("file-{number}.txt"), "some text\n");
    }
    let log = audit::Service::open(audit::Config::new(
        house.state().join("audit"),
        house.state().join("keys"),
    ))?;
    let ways: [(&'static str, &'static str, Arc<dyn Audit>); 3] = [
        ("tool call, on no record", "", Arc::new(Nowhere)),
        ("added by the record", "", Arc::new(log.clone())),
        (
            "added by records that each wait for the disk",
            "three group commits",
            Arc::new(Always(log)),
        ),
    ];
    let mut without = Duration::ZERO;
    for (name, mark, audit) in ways {
        let times = runtime.block_on(calls(&house, audit, sessions))?;
        let added: Vec<Duration> = times
            .iter()
            .map(|time| time.saturating_sub(without))
            .collect();
        table.short_times(name, mark, &added);
        if without.is_zero() {
            without = median(&times);
        }
    }
    Ok(())
}

async fn calls(house: &House, audit: Arc<dyn Audit>, sessions: usize) -> Result<Vec<Duration>> {
    let broker = broker_with(house, audit)?;
    let mut times = Vec::new();
    for _ in 0..sessions {
        let session_id = SessionId::from_uuid(Uuid::now_v7());
        let settings = SessionSettings::closed(house.work());
        let coder = AgentType::new("coder")?;
        let root = broker.open_session(session_id, coder, settings).await?;
        for number in 0..CALLS {
            let request = reading(session_id, &root, &format!("file-{number}.txt"));
            let started = Instant::now();
            let mut events = broker.execute(request).await?;
            let mut is_ok = false;
            while let Some(event) = events.next().await {
                if let ToolEvent::Finished(result) = event? {
                    is_ok = result.status == CallStatus::Ok;
                }
            }
            times.push(started.elapsed());
            ensure!(is_ok, "a call was not allowed");
        }
        broker.close_session(session_id).await?;
    }
    Ok(times)
}
