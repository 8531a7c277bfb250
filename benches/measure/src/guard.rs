//! How long a decision takes, in the same process and over a unix socket.

use crate::daemon::Daemon;
use crate::table::Table;
use anyhow::Result;
use api::CallContext;
use api::audit::Audit;
use api::broker::{Broker, CallRequest, Control, Registered};
use domain::Timestamp;
use domain::id::{CallId, SessionId, TraceId};
use domain::lineage::AgentType;
use domain::settings::SessionSettings;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testkit::House;
use tokio::runtime::Runtime;
use uuid::Uuid;

/// The same decision, by a broker of our own and by one behind a socket.
///
/// # Errors
/// When either broker fails.
pub fn decisions(table: &mut Table, runtime: &Runtime, rounds: usize) -> Result<()> {
    let house = House::new();
    house.write("notes.md", "hello");
    let own = own_broker(&house)?;
    let settings = SessionSettings::closed(house.work());
    let near = runtime.block_on(decide(own.as_ref(), own.as_ref(), settings, rounds))?;
    let daemon = Daemon::start(runtime)?;
    let far = runtime.block_on(async {
        let client = grpc::broker::Client::connect(&daemon.endpoint);
        let control = grpc::control::Client::connect(&daemon.endpoint);
        decide(&control, &client, daemon.settings(), rounds).await
    })?;
    table.short_times(
        "decision (validate, with file-system check), in process",
        "",
        &near,
    );
    table.short_times("the same decision over a unix socket", "", &far);
    let added = crate::table::median(&far).saturating_sub(crate::table::median(&near));
    table.short_times(
        "added by the socket (difference of medians)",
        "≤ 100 µs",
        &[added],
    );
    Ok(())
}

fn own_broker(house: &House) -> Result<Arc<broker::Service>> {
    let log = audit::Service::open(audit::Config::new(
        house.state().join("audit"),
        house.state().join("keys"),
    ))?;
    broker_with(house, Arc::new(log))
}

/// A broker in this process that records there.
///
/// # Errors
/// When its parts cannot start.
pub fn broker_with(house: &House, audit: Arc<dyn Audit>) -> Result<Arc<broker::Service>> {
    let own = vec![house.state()];
    let undo = house.state().join("undo");
    let files = files::FileTools::new(files::Config::new(undo, own.clone(), house.home()))?;
    let config = broker::Config::new(house.home(), own);
    let clock = Arc::new(Timestamp::now);
    Ok(Arc::new(broker::Service::new(
        config,
        audit,
        Arc::new(files),
        clock,
    )?))
}

/// A call that reads a file, by itself.
pub fn reading(session_id: SessionId, agent: &Registered, path: &str) -> CallRequest {
    CallRequest {
        context: CallContext {
            session_id,
            agent_token: agent.token.clone(),
            trace_id: TraceId::from_uuid(Uuid::now_v7()),
        },
        call_id: CallId::from_uuid(Uuid::now_v7()),
        tool: "read_file".to_owned(),
        arguments: json!({"path": path}),
        plan_id: None,
        batch: None,
        recovered: false,
    }
}

async fn decide(
    control: &dyn Control,
    broker: &dyn Broker,
    settings: SessionSettings,
    rounds: usize,
) -> Result<Vec<Duration>> {
    let session_id = SessionId::from_uuid(Uuid::now_v7());
    let root = control
        .open_session(session_id, AgentType::new("coder")?, settings)
        .await?;
    let mut times = Vec::new();
    for _ in 0..rounds {
        let request = reading(session_id, &root, "notes.md");
        let started = Instant::now();
        broker.validate(request).await?;
        times.push(started.elapsed());
    }
    Ok(times)
}
