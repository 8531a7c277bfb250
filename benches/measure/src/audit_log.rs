//! How fast the audit log takes records and is checked, and the same records in SQLite with a
//! write-ahead log and full synchronisation.

use crate::table::Table;
use anyhow::{Context as _, Result};
use api::audit::{Action, Audit, Durability, Entry};
use audit::verify::{Against, verify};
use audit::{Config, Service};
use domain::Timestamp;
use domain::decision::{Layer, Verdict};
use domain::event::CallStatus;
use domain::hash::Digest;
use domain::id::{AgentId, CallId, SessionId};
use domain::label::Label;
use domain::lineage::{AgentType, Ancestor};
use domain::tool::ToolName;
use futures::StreamExt as _;
use rusqlite::Connection;
use std::path::Path;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use uuid::Uuid;

/// Writers at one time.
const WRITERS: usize = 8;
/// Records that a writer has under way at one time.
const UNDER_WAY: usize = 256;
/// Most records that the baseline puts into one transaction.
const BATCH: usize = 4_096;

/// Appends with 1 writer and with 8, checks the log, and does the same with SQLite.
///
/// # Errors
/// When a log cannot be written or checked.
pub fn rates(table: &mut Table, runtime: &Runtime, records: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let config = Config::new(folder.path().join("audit"), folder.path().join("keys"));
    let service = Service::open(config.clone())?;
    let few = records / 100;
    let grouped = runtime.block_on(latencies(&service, Durability::Grouped, few))?;
    let durable = runtime.block_on(latencies(&service, Durability::Durable, few))?;
    table.short_times(
        "audit: an intent that need not wait for the disk",
        "≤ 50 µs",
        &grouped,
    );
    table.short_times(
        "audit: a durable intent, 1 writer",
        "one group commit",
        &durable,
    );
    let alone = durable.len() as f64 / durable.iter().sum::<Duration>().as_secs_f64();
    rate(table, "audit: append, 1 writer, durable", "", alone);
    let many = runtime.block_on(together(&service, records))?;
    rate(
        table,
        "audit: append, 8 writers, durable",
        "≥ 100,000 /s",
        many,
    );
    drop(service);
    let started = Instant::now();
    let report = verify(&config.folder, &config.keys, &Against::default())?;
    let report = report.context("the log is gone")?;
    anyhow::ensure!(report.is_whole() && !report.is_incomplete(), "{report:?}");
    let checked = report.records as f64 / started.elapsed().as_secs_f64();
    rate(table, "audit: verify", "≥ 1,000,000 /s", checked);
    let alone = sqlite_alone(&folder.path().join("alone.db"), few)?;
    rate(
        table,
        "the same records in SQLite, a transaction each",
        "baseline",
        alone,
    );
    let many = sqlite_together(&folder.path().join("many.db"), records)?;
    rate(
        table,
        "the same, 8 writers, transactions grouped",
        "baseline",
        many,
    );
    Ok(())
}

fn rate(table: &mut Table, name: &'static str, mark: &'static str, per_second: f64) {
    table.add(name, "/s", mark, vec![per_second]);
}

/// An intent as the broker records it.
fn intent() -> Result<Entry> {
    let agent_id = AgentId::from_uuid(Uuid::now_v7());
    let agent_type = AgentType::new("assistant")?;
    let mut entry = Entry::new(Timestamp::now(), Action::Intent);
    entry.session_id = Some(SessionId::from_uuid(Uuid::now_v7()));
    entry.agent_id = Some(agent_id);
    entry.agent_type = Some(agent_type.clone());
    entry.lineage = vec![Ancestor {
        agent_id,
        agent_type,
    }];
    entry.call_id = Some(CallId::from_uuid(Uuid::now_v7()));
    entry.tool = Some(ToolName::new("write_file")?);
    entry.params_hash = Some(Digest::of(b"arguments"));
    entry.decision = Some((Verdict::Allow, Layer::SafetyGate));
    entry.label = Some(Label::untrusted("file:notes.md"));
    entry.status = Some(CallStatus::Ok);
    Ok(entry)
}

async fn latencies(
    service: &Service,
    durability: Durability,
    records: usize,
) -> Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(records);
    for _ in 0..records {
        let entry = intent()?;
        let started = Instant::now();
        service.append(entry, durability).await?;
        times.push(started.elapsed());
    }
    Ok(times)
}

/// Durable records a second of all writers together.
async fn together(service: &Service, records: usize) -> Result<f64> {
    let started = Instant::now();
    let writers = (0..WRITERS).map(|_| {
        let service = service.clone();
        tokio::spawn(async move {
            let entry = intent()?;
            let mut acks = futures::stream::iter(0..records / WRITERS)
                .map(|_| service.append(entry.clone(), Durability::Durable))
                .buffered(UNDER_WAY);
            while let Some(ack) = acks.next().await {
                ack?;
            }
            anyhow::Ok(())
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await??;
    }
    Ok(records as f64 / started.elapsed().as_secs_f64())
}

fn sqlite(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.execute(
        "CREATE TABLE records (sequence INTEGER PRIMARY KEY, body TEXT)",
        (),
    )?;
    Ok(connection)
}

const INSERT: &str = "INSERT INTO records (body) VALUES (?1)";

fn body() -> Result<Vec<u8>> {
    Ok(serde_json::to_vec(&audit::record::Record::from(intent()?))?)
}

fn sqlite_alone(path: &Path, records: usize) -> Result<f64> {
    let connection = sqlite(path)?;
    let mut insert = connection.prepare(INSERT)?;
    let started = Instant::now();
    for _ in 0..records {
        insert.execute([body()?])?;
    }
    Ok(records as f64 / started.elapsed().as_secs_f64())
}

/// One writer of transactions for eight writers of records, as the audit log has it.
fn sqlite_together(path: &Path, records: usize) -> Result<f64> {
    let mut connection = sqlite(path)?;
    let (sender, jobs) = mpsc::sync_channel::<Vec<u8>>(WRITERS * UNDER_WAY);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let writers = (0..WRITERS).map(|_| {
            let sender = sender.clone();
            scope.spawn(move || {
                for _ in 0..records / WRITERS {
                    sender.send(body()?)?;
                }
                anyhow::Ok(())
            })
        });
        let writers: Vec<_> = writers.collect();
        drop(sender);
        while let Ok(first) = jobs.recv() {
            let transaction = connection.transaction()?;
            {
                let mut insert = transaction.prepare_cached(INSERT)?;
                insert.execute([first])?;
                for more in jobs.try_iter().take(BATCH - 1) {
                    insert.execute([more])?;
                }
            }
            transaction.commit()?;
        }
        for writer in writers {
            let ended = writer.join();
            ended.map_err(|panic| anyhow::anyhow!("a writer ended in a panic: {panic:?}"))??;
        }
        anyhow::Ok(())
    })?;
    Ok(records as f64 / started.elapsed().as_secs_f64())
}
