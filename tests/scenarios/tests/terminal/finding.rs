//! An agent with a hundred tools asks for one that it was not offered, gets it, and calls it. All
//! services are the real ones, in one process; only the model and the tools are scripted.

use agents::Config;
use api::audit::Action;
use api::sessions::{OpenRequest, SendRequest, Sessions};
use contracts::{FakeAudit, FakeBus, FakeExecutor, FakeModels, FakeTool, Reply, within};
use domain::Timestamp;
use domain::event::{CallStatus, Event, EventBody};
use domain::label::Integrity;
use domain::lineage::AgentType;
use domain::model::Think;
use domain::settings::{Attendance, Mode, SessionProfile, SessionSettings};
use domain::tool::{EffectClass, FIND_TOOLS};
use futures::StreamExt;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;

/// Most tokens of definitions in a prompt, at four characters each.
const MOST_CHARACTERS: usize = 12_000;

/// What makes a hundred definitions without arguments too many for the prompt.
const PADDING: &str =
    "Stands in for one among the many that outside servers bring along in earnest.";

/// The hundred tools of the ranking's own test, all of which only look.
fn hundred() -> Vec<FakeTool> {
    let text = include_str!("../../../../logic/discovery/tests/data/tools.json");
    let records: Vec<Value> = serde_json::from_str(text).unwrap();
    let tool = |record: Value| {
        let name = record["name"].as_str().unwrap();
        let mut tool = FakeTool::new(name, "fs_read", EffectClass::Read).returns("done");
        let description = record["description"].as_str().unwrap();
        tool.spec.definition.description = format!("{description} {PADDING}");
        tool.spec.arguments.clear();
        tool.spec.definition.parameters = json!({"type": "object", "additionalProperties": false});
        tool
    };
    records.into_iter().map(tool).collect()
}

struct Scene {
    models: Arc<FakeModels>,
    audit: Arc<FakeAudit>,
    executor: Arc<FakeExecutor>,
    sessions: agents::Service,
    _folder: TempDir,
}

fn scene(tools: Vec<FakeTool>, replies: impl IntoIterator<Item = Reply>) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let (models, audit) = (
        Arc::new(FakeModels::new(replies)),
        Arc::new(FakeAudit::new()),
    );
    let executor = Arc::new(FakeExecutor::new(tools));
    let config = broker::Config::new(PathBuf::from("/home/u"), Vec::new());
    let clock = Arc::new(Timestamp::now);
    let guard = broker::Service::new(config, audit.clone(), executor.clone(), clock).unwrap();
    let guard = Arc::new(guard);
    let sessions = agents::Service::new(
        Config::new(folder.path().join("sessions")),
        models.clone(),
        guard.clone(),
        guard,
        audit.clone(),
        Arc::new(FakeBus::new()),
        Arc::new(agents::AgentTools::new(Arc::new(Timestamp::now))),
    );
    Scene {
        models,
        audit,
        executor,
        sessions: sessions.unwrap(),
        _folder: folder,
    }
}

impl Scene {
    async fn runs(&self, text: &str) -> Vec<Event> {
        let profile = SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("coder").unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
            settings: SessionSettings {
                attendance: Attendance::Unattended,
                ..SessionSettings::closed(PathBuf::from("/w"))
            },
        };
        let opened = self.sessions.open(OpenRequest::New(profile)).await.unwrap();
        let request = SendRequest::new(opened.session_id, text.to_owned());
        let events = self.sessions.send(request).await.unwrap();
        let events = within("the end of the request", events.collect::<Vec<_>>()).await;
        events.into_iter().map(Result::unwrap).collect()
    }

    /// The names offered in each model call.
    fn offered(&self) -> Vec<Vec<String>> {
        let requests = self.models.requests().into_iter();
        let names = requests.map(|request| {
            let size: usize = request
                .tools
                .iter()
                .map(|t| t.description.len() + t.parameters.to_string().len())
                .sum();
            assert!(size <= MOST_CHARACTERS, "{size}");
            let tools = request.tools.into_iter();
            tools.map(|tool| tool.name.to_string()).collect()
        });
        names.collect()
    }
}

fn result_of<'e>(events: &'e [Event], wanted: &str) -> &'e EventBody {
    let mut bodies = events.iter().map(|event| &event.body);
    let found =
        bodies.find(|body| matches!(body, EventBody::ToolResult { tool, .. } if tool == wanted));
    found.unwrap_or_else(|| panic!("no result of {wanted}"))
}

#[tokio::test]
async fn a_tool_that_was_not_offered_is_found_and_called() {
    let wanted = "home.set_thermostat";
    let scene = scene(
        hundred(),
        [
            Reply::calls(
                FIND_TOOLS,
                json!({"task": "make the room warmer, set the heating"}),
            ),
            Reply::calls(wanted, json!({})),
            Reply::says("It is warmer now."),
        ],
    );
    let events = scene.runs("What was in the mail of my landlord?").await;
    let offered = scene.offered();
    assert!(
        offered[0].iter().any(|t| t == FIND_TOOLS) && !offered[0].iter().any(|t| t == wanted),
        "{:?}",
        offered[0]
    );
    assert!(offered[1].iter().any(|t| t == wanted), "{:?}", offered[1]);
    // What was there keeps its place, and stays while there is room.
    assert_eq!(offered[1][..offered[0].len()], offered[0][..]);
    assert_eq!(
        scene.executor.calls().len(),
        1,
        "the broker finds, it alone"
    );
    assert!(matches!(
        result_of(&events, wanted),
        EventBody::ToolResult {
            status: CallStatus::Ok,
            ..
        }
    ));
    let EventBody::ToolResult { label, text, .. } = result_of(&events, FIND_TOOLS) else {
        panic!("no result");
    };
    assert_eq!(label.as_ref().unwrap().integrity, Integrity::Trusted);
    assert!(
        !text.contains(wanted),
        "no name of an outsider's stands in the result"
    );
    let recorded = scene.audit.entries().into_iter();
    let of_the_search = recorded.filter(|entry| {
        let is_it = |tool: &domain::tool::ToolName| tool.as_str() == FIND_TOOLS;
        entry.tool.as_ref().is_some_and(is_it)
    });
    let actions: Vec<Action> = of_the_search.map(|entry| entry.action).collect();
    assert_eq!(
        actions,
        [Action::Decide, Action::Intent, Action::Outcome],
        "audited like any call"
    );
}

#[tokio::test]
async fn who_has_every_tool_is_offered_no_search() {
    let few = hundred().into_iter().take(5).collect();
    let scene = scene(few, [Reply::says("Done.")]);
    scene.runs("hello").await;
    let offered = scene.offered();
    assert_eq!(offered[0].len(), 5, "{:?}", offered[0]);
}
