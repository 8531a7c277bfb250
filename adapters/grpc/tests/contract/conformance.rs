//! The conformance suites: the fakes directly, then through each transport.

use crate::support::{Running, Transport};
use api::broker::{Broker, Control, PlannedCall};
use api::guard::Guard;
use api::models::{ErrorKind, Models};
use api::programs::Programs;
use api::sessions::{OpenRequest, Sessions};
use async_trait::async_trait;
use contracts::models_suite::{self, FakeSubject};
use contracts::{
    Act, BrokerTool, FakeAudit, FakeBroker, FakeGuard, FakeMemory, FakeModels, FakeSessions, Gate,
    Reply, audit_suite, broker_suite, guard_suite, memory_suite, search_suite, sessions_suite,
};
use domain::decision::Verdict;
use domain::id::SessionId;
use domain::lineage::AgentType;
use domain::model::{ModelChoice, ModelRole, Think};
use domain::settings::{Mode, SessionProfile, SessionSettings};
use domain::tool::{EffectClass, ToolDefinition, ToolName};
use grpc::server::Builder;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use uuid::Uuid;

struct WiredModels {
    transport: Transport,
    fakes: FakeSubject,
    running: Running,
}

#[async_trait]
impl models_suite::Subject for WiredModels {
    async fn gateway(&self, replies: Vec<Reply>) -> Arc<dyn Models> {
        let services = Builder::new().models(self.fakes.fake(replies));
        let endpoint = self.running.serve(self.transport, services).await;
        Arc::new(grpc::models::Client::connect(&endpoint))
    }

    async fn cancelled(&self) {
        self.fakes.cancelled().await;
    }

    fn refusals(&self) -> Vec<ErrorKind> {
        ErrorKind::ALL.to_vec()
    }

    fn failures(&self) -> Vec<ErrorKind> {
        ErrorKind::ALL.to_vec()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn models_in_process() {
    models_suite::conformance(&FakeSubject::default()).await;
    let fake = FakeModels::default();
    models_suite::embedding(&fake, ModelChoice::Role(ModelRole::Embed)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn models_over_each_transport() {
    for transport in Transport::ALL {
        let subject = WiredModels {
            transport,
            fakes: FakeSubject::default(),
            running: Running::default(),
        };
        models_suite::conformance(&subject).await;
        let models = models_suite::Subject::gateway(&subject, Vec::new()).await;
        models_suite::embedding(&*models, ModelChoice::Role(ModelRole::Embed)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_in_process() {
    audit_suite::conformance(async || Arc::new(FakeAudit::new()) as _).await;
    let broken = FakeAudit::new();
    broken.fail();
    audit_suite::a_broken_log_stays_shut(&broken, async || {}).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_over_each_transport() {
    for transport in Transport::ALL {
        let running = Running::default();
        let subject = async |audit: Arc<FakeAudit>| {
            let endpoint = running.serve(transport, Builder::new().audit(audit)).await;
            grpc::audit::Client::connect(&endpoint)
        };
        audit_suite::conformance(async || Arc::new(subject(Arc::new(FakeAudit::new())).await) as _)
            .await;
        let broken = Arc::new(FakeAudit::new());
        broken.fail();
        let client = subject(broken).await;
        audit_suite::a_broken_log_stays_shut(&client, async || {}).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_field_of_an_audit_entry_arrives() {
    let running = Running::default();
    let fake = Arc::new(FakeAudit::new());
    let services = Builder::new().audit(fake.clone());
    let endpoint = running.serve(Transport::Unix, services).await;
    let client = grpc::audit::Client::connect(&endpoint);
    let entry = audit_suite::full_entry();
    let durability = api::audit::Durability::Durable;
    api::audit::Audit::append(&client, entry.clone(), durability)
        .await
        .unwrap();
    assert_eq!(fake.durable_entries(), [(entry, durability)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_in_process_and_over_each_transport() {
    let fake = FakeMemory::new();
    memory_suite::conformance(&fake, &fake).await;
    for transport in Transport::ALL {
        let running = Running::default();
        let fake = Arc::new(FakeMemory::new());
        let services = Builder::new().memory(fake.clone()).curator(fake.clone());
        let endpoint = running.serve(transport, services).await;
        let client = grpc::memory::Client::connect(&endpoint);
        memory_suite::conformance(&client, &client).await;
        fake.set_down(Some("the disk is gone"));
        let error = api::memory::Curator::stats(&client).await.unwrap_err();
        assert_eq!(error.to_string(), "memory is unavailable: the disk is gone");
        // Where the user's side is not offered, there is none.
        let services = Builder::new().memory(fake.clone());
        let endpoint = running.serve(transport, services).await;
        let client = grpc::memory::Client::connect(&endpoint);
        let error = api::memory::Curator::stats(&client).await.unwrap_err();
        assert_eq!(domain::fault::Coded::code(&error), "memory.not_offered");
        assert!(!error.to_string().contains("the disk is gone"), "{error}");
    }
}

fn little_web() -> Arc<contracts::FakeSearch> {
    use contracts::{FakePage, FakeSearch};
    Arc::new(FakeSearch::new([
        FakePage::new("https://a.example/1", "Bees", "Bees dance. They do."),
        FakePage::new(
            "https://b.example/2",
            "Honey",
            "Honey is made by bees. It keeps.",
        ),
    ]))
}

const WEB: search_suite::Web<'_> = search_suite::Web {
    query: "bees",
    page: "https://a.example/1",
    gone: "https://a.example/gone",
};

#[tokio::test(flavor = "multi_thread")]
async fn search_in_process_and_over_each_transport() {
    search_suite::conformance(&*little_web(), WEB).await;
    for transport in Transport::ALL {
        let running = Running::default();
        let web = little_web();
        let services = Builder::new().search(web.clone());
        let endpoint = running.serve(transport, services).await;
        let client = grpc::search::Client::connect(&endpoint);
        search_suite::conformance(&client, WEB).await;
        let ask = |client: grpc::search::Client| async move {
            let request = web.searches().into_iter().next_back().unwrap();
            api::search::Search::search(
                &client,
                api::search::SearchRequest {
                    query: "x".to_owned(),
                    max_results: 1,
                    ..request
                },
            )
            .await
        };
        let missing =
            grpc::search::Client::connect(&running.serve(transport, Builder::new()).await);
        let error = ask(missing).await.unwrap_err();
        assert_eq!(domain::fault::Coded::code(&error), "search.unavailable");
    }
}

fn planned(tool: &str) -> PlannedCall {
    PlannedCall {
        tool: tool.to_owned(),
        arguments: json!({"path": "ä.txt"}),
    }
}

fn broker_subject(
    fake: &FakeBroker,
    broker: Arc<dyn Broker>,
    control: Arc<dyn Control>,
) -> broker_suite::Subject {
    let gate = Gate::new();
    let forbidden = BrokerTool::new("forbidden", Verdict::Deny, EffectClass::Exec);
    let endless = BrokerTool::new("endless", Verdict::Allow, EffectClass::Read);
    fake.add_tool(forbidden);
    fake.add_tool(endless.reports("still at it", Some(1)).waits(&gate));
    let own = BrokerTool::new("own", Verdict::Allow, EffectClass::Read);
    fake.add_tool(own.run_by_caller());
    let stopped = fake.stopped().clone();
    broker_suite::Subject {
        broker,
        control,
        root: AgentType::new("assistant").unwrap(),
        child: AgentType::new("helper").unwrap(),
        settings: SessionSettings::closed(PathBuf::from("/work")),
        allowed: planned("read_file"),
        asked: planned("write_file"),
        denied: planned("forbidden"),
        own: planned("own"),
        endless: Some((
            planned("endless"),
            Box::pin(async move {
                stopped.at_least(1).await;
                drop(gate);
            }),
        )),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn broker_in_process() {
    broker_suite::conformance(async || {
        let fake = FakeBroker::new();
        broker_subject(&fake, Arc::new(fake.clone()), Arc::new(fake.clone()))
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broker_over_each_transport() {
    for transport in Transport::ALL {
        let running = Running::default();
        broker_suite::conformance(async || {
            let fake = FakeBroker::new();
            let services = Builder::new()
                .broker(Arc::new(fake.clone()))
                .control(Arc::new(fake.clone()));
            let endpoint = running.serve(transport, services).await;
            let broker = grpc::broker::Client::connect(&endpoint);
            let control = grpc::control::Client::connect(&endpoint);
            broker_subject(&fake, Arc::new(broker), Arc::new(control))
        })
        .await;
    }
}

fn sessions_subject(sessions: Arc<dyn Sessions>) -> sessions_suite::Subject {
    sessions_suite::Subject {
        sessions,
        profile: SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("assistant").unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: Some(8_192),
            provider: None,
            think: Think::Default,
            settings: SessionSettings::closed(PathBuf::from("/work")),
        },
        ends: "say something ä".to_owned(),
        runs_on: "for ever".to_owned(),
    }
}

fn fake_sessions() -> Arc<FakeSessions> {
    Arc::new(FakeSessions::new().with_script("for ever", [Act::Hang]))
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_process() {
    sessions_suite::conformance(async || sessions_subject(fake_sessions())).await;
    sessions_suite::lasting(async || sessions_subject(fake_sessions())).await;
    sessions_suite::queue(async || sessions_subject(fake_sessions())).await;
    sessions_suite::signals(async || sessions_subject(fake_sessions())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_over_each_transport() {
    for transport in Transport::ALL {
        let running = Running::default();
        let subject = async || {
            let services = Builder::new().sessions(fake_sessions());
            let endpoint = running.serve(transport, services).await;
            sessions_subject(Arc::new(grpc::sessions::Client::connect(&endpoint)))
        };
        sessions_suite::conformance(subject).await;
        sessions_suite::lasting(subject).await;
        sessions_suite::queue(subject).await;
        sessions_suite::signals(subject).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn programs_and_what_they_say_arrive_over_each_transport() {
    let programs = contracts::three_programs();
    for transport in Transport::ALL {
        let running = Running::default();
        let broker = FakeBroker::new();
        broker.set_programs(programs.clone());
        let sessions = FakeSessions::new().with_programs(programs.clone());
        let services = Builder::new()
            .control(Arc::new(broker))
            .sessions(Arc::new(sessions));
        let endpoint = running.serve(transport, services).await;
        let control = grpc::control::Client::connect(&endpoint);
        let sessions = grpc::sessions::Client::connect(&endpoint);
        let profile = sessions_subject(fake_sessions()).profile;
        let (id, root) = (
            SessionId::from_uuid(Uuid::from_u128(1)),
            profile.agent_type.clone(),
        );
        let settings = profile.settings.clone();
        control.open_session(id, root, settings).await.unwrap();
        let opened = sessions.open(OpenRequest::New(profile)).await.unwrap();
        for (wanted, expected) in [
            (Programs::All, &programs[..]),
            (Programs::One(programs[0].id.clone()), &programs[..1]),
            (Programs::One(programs[1].id.clone()), &programs[1..2]),
        ] {
            let told = control.programs(id, wanted.clone()).await.unwrap();
            assert_eq!(told, expected);
            let told = sessions.programs(opened.session_id, wanted).await;
            assert_eq!(told.unwrap(), expected);
        }
        // One that has ended, the one that runs, and then there is none.
        let ended = Some("watch".to_owned());
        for (name, expected) in [(ended, &[][..]), (None, &["serve"]), (None, &[])] {
            let stopped = control.stop_jobs(id, name.clone()).await;
            assert_eq!(stopped.unwrap(), expected);
            let stopped = sessions.stop_jobs(opened.session_id, name).await;
            assert_eq!(stopped.unwrap(), expected);
        }
    }
}

fn guard_subject(guard: Arc<dyn Guard>) -> guard_suite::Subject {
    let tool = |name: &str| ToolDefinition {
        name: ToolName::new(name).unwrap(),
        description: "ä".to_owned(),
        parameters: json!({"type": "object"}),
    };
    guard_suite::Subject {
        guard,
        tools: vec![tool("read"), tool("forbidden")],
        allowed: ("read".to_owned(), json!({"path": "ä.txt"})),
        denied: ("forbidden".to_owned(), json!({})),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn guard_in_process() {
    guard_suite::conformance(&guard_subject(Arc::new(FakeGuard))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn guard_over_each_transport() {
    for transport in Transport::ALL {
        let running = Running::default();
        let services = Builder::new().guard(Arc::new(FakeGuard));
        let endpoint = running.serve(transport, services).await;
        let client = grpc::guard::Client::connect(&endpoint);
        guard_suite::conformance(&guard_subject(Arc::new(client))).await;
    }
}
