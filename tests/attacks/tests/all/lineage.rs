//! Who an agent is: it never says so itself. No surface starts agents below agents yet, so these
//! attacks meet the broker in this process, with the shipped manifest.

use api::CallContext;
use api::broker::{Broker, CallRequest, Control, Registered, ToolEvent};
use broker::{Config, Service};
use contracts::{FakeAudit, FakeExecutor, FakeTool, fresh_uuid};
use domain::Timestamp;
use domain::event::CallStatus;
use domain::id::{CallId, SessionId, TraceId};
use domain::limits::SPAWN_DEPTH;
use domain::lineage::AgentType;
use domain::settings::{Attendance, OverrideLevel, SessionSettings};
use domain::tool::EffectClass;
use futures::StreamExt;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

fn agent(name: &str) -> AgentType {
    AgentType::new(name).unwrap()
}

/// A broker over tools that only say that they ran.
struct House {
    broker: Service,
    trace_id: TraceId,
}

impl House {
    fn new() -> Self {
        let tools = vec![
            FakeTool::new("read_file", "fs_read", EffectClass::Read).returns("outside words"),
            FakeTool::new("write_file", "fs_write", EffectClass::SharedWrite)
                .with_payload("content"),
            FakeTool::new("run_code", "run_code", EffectClass::Exec).with_payload("code"),
        ];
        let config = Config::new(PathBuf::from("/home/u"), Vec::new());
        let executor = Arc::new(FakeExecutor::new(tools));
        let audit = Arc::new(FakeAudit::new());
        Self {
            broker: Service::new(config, audit, executor, Arc::new(Timestamp::now)).unwrap(),
            trace_id: TraceId::from_uuid(fresh_uuid()),
        }
    }

    async fn session(&self, root: &str, level: OverrideLevel) -> (SessionId, Registered) {
        let session_id = SessionId::from_uuid(fresh_uuid());
        let mut settings = SessionSettings::closed(PathBuf::from("/w"));
        settings.attendance = Attendance::Unattended;
        settings.override_level = level;
        settings.auto_approve.insert(EffectClass::Exec);
        settings.auto_approve.insert(EffectClass::SharedWrite);
        settings.allow_write.insert(PathBuf::from("/w"));
        let opened = self
            .broker
            .open_session(session_id, agent(root), settings)
            .await;
        (session_id, opened.unwrap())
    }

    fn context(&self, session_id: SessionId, who: &Registered) -> CallContext {
        CallContext {
            session_id,
            agent_token: who.token.clone(),
            trace_id: self.trace_id,
        }
    }

    async fn call(&self, context: CallContext, tool: &str, arguments: Value) -> CallStatus {
        let request = CallRequest {
            context,
            call_id: CallId::from_uuid(fresh_uuid()),
            tool: tool.to_owned(),
            arguments,
            plan_id: None,
            batch: None,
            recovered: false,
        };
        let Ok(mut events) = self.broker.execute(request).await else {
            return CallStatus::Denied;
        };
        while let Some(event) = events.next().await {
            if let ToolEvent::Finished(result) = event.unwrap() {
                return result.status;
            }
        }
        panic!("a call without an end");
    }

    async fn spawn(&self, parent: CallContext, kind: &str) -> Option<Registered> {
        self.broker.register_agent(parent, agent(kind)).await.ok()
    }
}

fn code() -> Value {
    json!({"path": "a", "code": "x"})
}

#[tokio::test]
async fn a_child_has_nothing_that_its_parent_may_not_hand_down() {
    let house = House::new();
    let (session, root) = house.session("assistant", OverrideLevel::None).await;
    let above = house.context(session, &root);
    // An assistant may start a researcher; neither may run code, though a coder may.
    let child = house.spawn(above.clone(), "researcher").await.unwrap();
    let below = house.context(session, &child);
    assert_eq!(
        house
            .call(below.clone(), "read_file", json!({"path": "a"}))
            .await,
        CallStatus::Ok
    );
    assert_eq!(
        house.call(below.clone(), "run_code", code()).await,
        CallStatus::Denied
    );
    assert!(house.spawn(above, "coder").await.is_none());
    assert!(house.spawn(below, "coder").await.is_none());
    // The control: a coder of one's own runs code.
    let (session, root) = house.session("coder", OverrideLevel::None).await;
    let coder = house.context(session, &root);
    assert_eq!(house.call(coder, "run_code", code()).await, CallStatus::Ok);
}

#[tokio::test]
async fn a_token_counts_in_its_own_session_alone() {
    let house = House::new();
    let (open, free) = house.session("coder", OverrideLevel::All).await;
    let (closed, bound) = house.session("assistant", OverrideLevel::None).await;
    let call = |context| house.call(context, "run_code", code());
    // Forged, stolen, and its own: only the last one counts.
    assert_eq!(call(house.context(closed, &free)).await, CallStatus::Denied);
    assert_eq!(call(house.context(open, &bound)).await, CallStatus::Denied);
    assert_eq!(
        call(house.context(closed, &bound)).await,
        CallStatus::Denied
    );
    assert_eq!(call(house.context(open, &free)).await, CallStatus::Ok);
    // Nor does one of an agent that has been released.
    let child = house
        .spawn(house.context(open, &free), "researcher")
        .await
        .unwrap();
    let context = house.context(open, &child);
    let read = || json!({"path": "a"});
    assert_eq!(
        house.call(context.clone(), "read_file", read()).await,
        CallStatus::Ok
    );
    house.broker.release(context.clone()).await.unwrap();
    assert_eq!(
        house.call(context, "read_file", read()).await,
        CallStatus::Denied
    );
}

#[tokio::test]
async fn a_fresh_child_has_the_label_of_what_its_parent_read() {
    let house = House::new();
    let (session, root) = house.session("sysadmin", OverrideLevel::None).await;
    let parent = house.context(session, &root);
    let clean = house.spawn(parent.clone(), "coder").await.unwrap();
    let read = json!({"path": "a"});
    // What the parent has read, the child was told by.
    assert_eq!(
        house.call(parent.clone(), "read_file", read.clone()).await,
        CallStatus::Ok
    );
    let child = house.spawn(parent.clone(), "coder").await.unwrap();
    let told = house
        .call(house.context(session, &child), "run_code", code())
        .await;
    assert_eq!(told, CallStatus::Denied);
    let before = house
        .call(house.context(session, &clean), "run_code", code())
        .await;
    assert_eq!(
        before,
        CallStatus::Ok,
        "the control: a child from before was told nothing"
    );
}

/// The counters: what has an effect is the same call whichever agent makes it; looking at the same
/// is no circle.
#[tokio::test]
async fn what_fresh_children_do_again_is_a_loop_and_what_they_look_at_is_none() {
    let house = House::new();
    let (session, root) = house.session("sysadmin", OverrideLevel::None).await;
    let parent = house.context(session, &root);
    let (mut ran, mut read) = (0, 0);
    for _ in 0..6 {
        for (tool, arguments, count) in [
            ("run_code", code(), &mut ran),
            ("read_file", json!({"path": "a"}), &mut read),
        ] {
            let child = house.spawn(parent.clone(), "coder").await.unwrap();
            let status = house.call(house.context(session, &child), tool, arguments);
            *count += u32::from(status.await == CallStatus::Ok);
        }
    }
    assert_eq!((ran, read), (3, 6));
}

#[tokio::test]
async fn two_agents_in_ping_pong_are_one_loop() {
    let house = House::new();
    let (session, root) = house.session("sysadmin", OverrideLevel::None).await;
    let one = house.context(session, &root);
    let child = house.spawn(one.clone(), "coder").await.unwrap();
    let other = house.context(session, &child);
    let mut ran = 0;
    for turn in 0..10 {
        let (who, path) = if turn % 2 == 0 {
            (&one, "a")
        } else {
            (&other, "b")
        };
        let status = house
            .call(who.clone(), "read_file", json!({"path": path}))
            .await;
        ran += u32::from(status == CallStatus::Ok);
    }
    assert!(ran <= 5, "{ran}");
}

#[tokio::test]
async fn a_chain_of_agents_has_an_end() {
    let house = House::new();
    let (session, root) = house.session("orchestrator", OverrideLevel::None).await;
    let mut last = house.context(session, &root);
    let mut depth = 0;
    for kind in [
        "sysadmin",
        "coder",
        "researcher",
        "researcher",
        "researcher",
        "researcher",
    ] {
        let Some(child) = house.spawn(last.clone(), kind).await else {
            break;
        };
        last = house.context(session, &child);
        depth += 1;
    }
    assert!((2..=SPAWN_DEPTH).contains(&depth), "{depth}");
}
