//! The broker keeps the contract's promises.

use api::broker::PlannedCall;
use broker::{Config, Service};
use contracts::broker_suite::{self, Subject};
use contracts::{FakeAudit, FakeExecutor, FakeTool, Gate};
use domain::Timestamp;
use domain::lineage::AgentType;
use domain::settings::{Attendance, SessionSettings};
use domain::tool::EffectClass;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const AGENTS: &str = "
agents:
  lead:
    description: The root.
    model_role: fast
    allowed_tools: [fs_read, fs_write]
    allowed_paths: { fs_write: [/open] }
    can_spawn: [hand]
  hand:
    description: The child.
    model_role: fast
    allowed_tools: [fs_read]
    can_spawn: [hand]
";

fn subject(agents_file: &Path) -> Subject {
    let gate = Gate::new();
    let executor = Arc::new(FakeExecutor::new([
        FakeTool::new("read_file", "fs_read", EffectClass::Read),
        FakeTool::new("delete_file", "fs_write", EffectClass::Destructive),
        FakeTool::new("watch_file", "fs_read", EffectClass::Read).waits(&gate),
    ]));
    let mut config = Config::new(PathBuf::from("/home/u"), Vec::new());
    config.agents_file = Some(agents_file.to_path_buf());
    config.caller_tools = vec![FakeTool::new("look_back", "fs_read", EffectClass::Read).spec];
    let audit = Arc::new(FakeAudit::new());
    let clock = Arc::new(Timestamp::now);
    let service = Arc::new(Service::new(config, audit, executor.clone(), clock).unwrap());
    let call = |tool: &str, path: &str| PlannedCall {
        tool: tool.to_owned(),
        arguments: json!({"path": path}),
    };
    let mut settings = SessionSettings::closed(PathBuf::from("/w"));
    settings.attendance = Attendance::Attended;
    let stopped = executor.stopped().clone();
    Subject {
        broker: service.clone(),
        control: service,
        root: AgentType::new("lead").unwrap(),
        child: AgentType::new("hand").unwrap(),
        settings,
        allowed: call("read_file", "a.txt"),
        asked: call("delete_file", "/open/a.txt"),
        denied: call("read_file", "/etc/shadow"),
        own: call("look_back", "a.txt"),
        endless: Some((
            call("watch_file", "a.txt"),
            Box::pin(async move {
                stopped.at_least(1).await;
                drop(gate);
            }),
        )),
    }
}

#[tokio::test]
async fn the_broker_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agents.yaml");
    std::fs::write(&file, AGENTS).unwrap();
    broker_suite::conformance(async || subject(&file)).await;
}

#[test]
fn a_manifest_that_is_missing_or_wrong_stops_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("agents.yaml");
    let start = || {
        let mut config = Config::new(PathBuf::from("/home/u"), Vec::new());
        config.agents_file = Some(file.clone());
        let executor = Arc::new(FakeExecutor::with_file_tools());
        let audit = Arc::new(FakeAudit::new());
        Service::new(config, audit, executor, Arc::new(Timestamp::now))
    };
    assert!(matches!(
        start(),
        Err(broker::Error::ManifestUnreadable { .. })
    ));
    std::fs::write(&file, "agents:\n  x: { colour: red }\n").unwrap();
    let problem = start().unwrap_err().to_string();
    assert!(problem.contains("agents.yaml, line 2"), "{problem}");
    std::fs::write(&file, " ".repeat((1 << 20) + 1)).unwrap();
    assert!(matches!(
        start(),
        Err(broker::Error::ManifestTooLarge { .. })
    ));
}
