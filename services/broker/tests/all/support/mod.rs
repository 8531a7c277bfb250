//! A broker over scripted tools and a log in memory.

#![allow(dead_code, reason = "each test file uses its own part")]

use api::audit::{Action, Audit};
use api::broker::{
    Broker, CallRequest, Control, Error, PlanApproval, PlanEvent, PlanRequest, PlannedCall,
    Registered, ToolEvent, ToolResult,
};
use api::executor::Executor;
use api::{CallContext, Streaming};
use broker::{Config, KnownSecrets, Service};
use contracts::{FakeAudit, FakeExecutor, FakeSecrets, FakeTool, fresh_uuid};
use domain::Timestamp;
use domain::decision::{Decision, Verdict};
use domain::event::{CallStatus, ConfirmationAnswer, ConfirmationRequest};
use domain::id::{CallId, PlanId, SessionId, TraceId};
use domain::lineage::AgentType;
use domain::settings::{Attendance, SessionSettings};
use domain::token::Answerer;
use domain::tool::EffectClass;
use futures::StreamExt;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

pub fn agent(name: &str) -> AgentType {
    AgentType::new(name).unwrap()
}

pub fn file_tools() -> Vec<FakeTool> {
    vec![
        FakeTool::new("read_file", "fs_read", EffectClass::Read).returns("three lines"),
        FakeTool::new("write_file", "fs_write", EffectClass::SharedWrite)
            .with_payload("content")
            .previews("--- a\n+++ b\n"),
        FakeTool::new("delete_file", "fs_write", EffectClass::Destructive),
    ]
}

/// A broker with one open session.
pub struct House {
    pub broker: Service,
    pub audit: Arc<FakeAudit>,
    pub executor: Arc<FakeExecutor>,
    pub session_id: SessionId,
    pub root: Registered,
    pub trace_id: TraceId,
}

pub fn settings(attendance: Attendance) -> SessionSettings {
    let mut settings = SessionSettings::closed(PathBuf::from("/w"));
    settings.attendance = attendance;
    settings
}

/// A broker with a secret store.
pub fn service_with_secrets(
    executor: Arc<dyn Executor>,
    audit: Arc<dyn Audit>,
    secrets: FakeSecrets,
) -> Service {
    let config = Config::new(PathBuf::from("/home/u"), Vec::new());
    let clock = Arc::new(Timestamp::now);
    let secrets = KnownSecrets::new(Arc::new(secrets));
    Service::with_secrets(config, audit, executor, secrets, clock).unwrap()
}

pub fn service(executor: Arc<dyn Executor>, audit: Arc<dyn Audit>) -> Service {
    let own = vec![PathBuf::from("/home/u/.config/housecarl")];
    let config = Config::new(PathBuf::from("/home/u"), own);
    Service::new(config, audit, executor, Arc::new(Timestamp::now)).unwrap()
}

impl House {
    /// A `coder` at `/w`.
    pub async fn new(settings: SessionSettings) -> Self {
        Self::with(file_tools(), settings).await
    }

    pub async fn with(tools: Vec<FakeTool>, settings: SessionSettings) -> Self {
        let executor = Arc::new(FakeExecutor::new(tools));
        let audit = Arc::new(FakeAudit::new());
        let broker = service(executor.clone(), audit.clone());
        Self::over(broker, executor, audit, settings).await
    }

    pub async fn over(
        broker: Service,
        executor: Arc<FakeExecutor>,
        audit: Arc<FakeAudit>,
        settings: SessionSettings,
    ) -> Self {
        let session_id = SessionId::from_uuid(fresh_uuid());
        let root = broker
            .open_session(session_id, agent("coder"), settings)
            .await
            .unwrap();
        Self {
            broker,
            audit,
            executor,
            session_id,
            root,
            trace_id: TraceId::from_uuid(fresh_uuid()),
        }
    }

    pub fn context(&self) -> CallContext {
        CallContext {
            session_id: self.session_id,
            agent_token: self.root.token.clone(),
            trace_id: self.trace_id,
        }
    }

    pub fn request(&self, tool: &str, arguments: Value) -> CallRequest {
        CallRequest {
            context: self.context(),
            call_id: CallId::from_uuid(fresh_uuid()),
            tool: tool.to_owned(),
            arguments,
            plan_id: None,
            batch: None,
            recovered: false,
        }
    }

    pub async fn start(&self, tool: &str, arguments: Value) -> Streaming<ToolEvent, Error> {
        self.broker
            .execute(self.request(tool, arguments))
            .await
            .unwrap()
    }

    /// The user begins the work with these words.
    pub async fn hear(&self, text: String) {
        let heard = self.broker.hear(self.session_id, text, Some(self.trace_id));
        heard.await.unwrap();
    }

    /// Runs a call that asks nothing, and gives the decision and the result.
    pub async fn call(&self, tool: &str, arguments: Value) -> (Decision, ToolResult) {
        let mut stream = self.start(tool, arguments).await;
        finish(&mut stream, None).await
    }

    pub async fn planned(&self, plan_id: PlanId, tool: &str, arguments: Value) -> ToolResult {
        let mut request = self.request(tool, arguments);
        request.plan_id = Some(plan_id);
        let mut stream = self.broker.execute(request).await.unwrap();
        finish(&mut stream, None).await.1
    }

    pub async fn answer(&self, asked: &ConfirmationRequest, answer: ConfirmationAnswer) {
        self.broker
            .answer(
                self.session_id,
                asked.confirmation_id,
                asked.binding,
                answer,
                Answerer::User,
            )
            .await
            .unwrap();
    }

    pub async fn plan(&self, calls: &[(&str, Value)]) -> Streaming<PlanEvent, Error> {
        self.plan_asking(calls, PlanApproval::Changes).await
    }

    pub async fn plan_asking(
        &self,
        calls: &[(&str, Value)],
        approval: PlanApproval,
    ) -> Streaming<PlanEvent, Error> {
        let request = PlanRequest {
            context: self.context(),
            intent: "do it".to_owned(),
            calls: calls
                .iter()
                .map(|(tool, arguments)| PlannedCall {
                    tool: (*tool).to_owned(),
                    arguments: arguments.clone(),
                })
                .collect(),
            approval,
        };
        self.broker.pin_plan(request).await.unwrap()
    }

    /// The actions on record, oldest first.
    pub fn actions(&self) -> Vec<Action> {
        self.audit
            .entries()
            .iter()
            .map(|entry| entry.action)
            .collect()
    }
}

/// The next event, which must be there.
pub async fn next<T>(stream: &mut Streaming<T, Error>) -> T {
    stream.next().await.expect("one more event").unwrap()
}

/// Reads up to the question.
pub async fn question(stream: &mut Streaming<ToolEvent, Error>) -> ConfirmationRequest {
    loop {
        match next(stream).await {
            ToolEvent::ConfirmationAsked(request) => return request,
            ToolEvent::Finished(result) => panic!("no question: {result:?}"),
            _ => {}
        }
    }
}

/// Reads to the end; the first decision seen, unless one is given, and the result.
pub async fn finish(
    stream: &mut Streaming<ToolEvent, Error>,
    mut decision: Option<Decision>,
) -> (Decision, ToolResult) {
    loop {
        match next(stream).await {
            ToolEvent::Decided(decided) => decision = Some(decided),
            ToolEvent::Finished(result) => {
                assert!(stream.next().await.is_none(), "Finished is the last event");
                return (decision.expect("a decision comes first"), result);
            }
            ToolEvent::ConfirmationAsked(asked) => panic!("asked: {}", asked.rendering),
            _ => {}
        }
    }
}

/// Reads to the end of a call whose decision has been read before.
pub async fn result(stream: &mut Streaming<ToolEvent, Error>) -> ToolResult {
    let none = Decision::strictest(Vec::new());
    finish(stream, Some(none)).await.1
}

pub fn assert_denied((decision, result): &(Decision, ToolResult), rule: &str) {
    assert_eq!(decision.verdict, Verdict::Deny, "{decision:?}");
    assert_eq!(decision.rule, rule, "{decision:?}");
    assert_eq!(result.status, CallStatus::Denied);
    assert!(result.value_id.is_none() && result.data.is_null());
    assert!(!result.text.is_empty());
}

pub fn write(path: &str) -> Value {
    json!({"path": path, "content": "x"})
}

pub fn path(path: &str) -> Value {
    json!({"path": path})
}
