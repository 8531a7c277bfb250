//! A Sessions service with scripted models and a scripted broker.
#![allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "shared by several test binaries, each of which uses a part"
)]

use agents::notes::{Found, Notes, Reader, Standing};
use agents::{AgentTools, Config, Service};
use api::Streaming;
use api::models::ChatRequest;
use api::sessions::{Error, ErrorKind, Follow, OpenRequest, SendRequest, Sessions};
use contracts::{BrokerTool, FakeAudit, FakeBroker, FakeBus, FakeModels, Reply, within};
use domain::Timestamp;
use domain::decision::Verdict;
use domain::event::{Event, EventBody, QueryStatus};
use domain::hash::Digest;
use domain::id::{CallId, HolderId, SessionId};
use domain::lineage::AgentType;
use domain::message::Message;
use domain::model::Think;
use domain::settings::{Attendance, Mode, SessionProfile, SessionSettings};
use domain::tool::EffectClass;
use futures::StreamExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub struct House {
    pub folder: TempDir,
    pub models: Arc<FakeModels>,
    pub broker: Arc<FakeBroker>,
    pub audit: Arc<FakeAudit>,
    pub bus: Arc<FakeBus>,
    pub service: Arc<Service>,
}

/// `read_file` and `look` only look, `save` writes; all are allowed. `write_file` is asked for.
pub fn broker() -> FakeBroker {
    let broker = FakeBroker::new();
    broker.add_tool(BrokerTool::new("look", Verdict::Allow, EffectClass::Read));
    broker.add_tool(BrokerTool::new(
        "save",
        Verdict::Allow,
        EffectClass::SharedWrite,
    ));
    broker
}

/// A project whose `AGENTS.md` says this, and of which the user said nothing.
pub fn notes(text: &str) -> Reader {
    let notes = Notes {
        name: "AGENTS.md".to_owned(),
        version: Digest::of(text.as_bytes()),
        bytes: text.len() as u64,
        text: text.to_owned(),
        standing: Standing::Untrusted,
    };
    Reader::new(move |_| Found {
        notes: vec![notes.clone()],
        left_out: Vec::new(),
    })
}

impl House {
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(replies, broker(), |_| {})
    }

    pub fn with(
        replies: impl IntoIterator<Item = Reply>,
        broker: FakeBroker,
        adjust: impl FnOnce(&mut Config),
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::at(folder, replies, broker, adjust)
    }

    pub fn at(
        folder: TempDir,
        replies: impl IntoIterator<Item = Reply>,
        broker: FakeBroker,
        adjust: impl FnOnce(&mut Config),
    ) -> Self {
        let models = Arc::new(FakeModels::new(replies));
        let broker = Arc::new(broker);
        let audit = Arc::new(FakeAudit::new());
        let bus = Arc::new(FakeBus::new());
        let mut config = Config::new(folder.path().join("sessions"));
        adjust(&mut config);
        let tools = Arc::new(AgentTools::new(Arc::new(Timestamp::now)));
        let service = Service::new(
            config,
            models.clone(),
            broker.clone(),
            broker.clone(),
            audit.clone(),
            bus.clone(),
            tools,
        );
        Self {
            service: Arc::new(service.unwrap()),
            folder,
            models,
            broker,
            audit,
            bus,
        }
    }

    /// The house after its process died: a service of its own on the same folder.
    pub async fn reborn(self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.service.shut_down().await;
        Self::at(self.folder, replies, broker(), |_| {})
    }

    pub fn workspace(&self) -> PathBuf {
        let path = self.folder.path().join("work");
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    pub fn log_path(&self, id: SessionId) -> PathBuf {
        self.folder.path().join(format!("sessions/{id}.jsonl"))
    }

    pub fn profile(&self) -> SessionProfile {
        profile(&self.workspace())
    }

    pub async fn open(&self) -> SessionId {
        self.held().await.0
    }

    /// A fresh session, and who holds it.
    pub async fn held(&self) -> (SessionId, HolderId) {
        let opened = self.service.open(OpenRequest::New(self.profile())).await;
        let opened = opened.unwrap();
        (opened.session_id, opened.holder_id.unwrap())
    }

    pub async fn resume(&self, session_id: SessionId) -> Result<SessionId, Error> {
        let request = OpenRequest::Resume {
            session_id,
            profile: Some(self.profile()),
        };
        Ok(self.service.open(request).await?.session_id)
    }

    pub async fn send(&self, id: SessionId, text: &str) -> Streaming<Event, Error> {
        self.service.send(request(id, text)).await.unwrap()
    }

    /// Sends and waits for the end.
    pub async fn ask(&self, id: SessionId, text: &str) -> Vec<Event> {
        all(self.send(id, text).await).await
    }

    /// Every event in the log.
    pub async fn events(&self, id: SessionId) -> Vec<Event> {
        all(self.service.attach(id, 1, Follow::ToEnd).await.unwrap()).await
    }

    pub fn requests(&self) -> Vec<ChatRequest> {
        self.models.requests()
    }

    /// What the model was shown last.
    pub fn last_messages(&self) -> Vec<Message> {
        self.requests().last().unwrap().messages.clone()
    }
}

pub fn profile(workspace: &Path) -> SessionProfile {
    SessionProfile {
        name: String::new(),
        agent_type: AgentType::new("assistant").unwrap(),
        mode: Mode::Loop,
        model: None,
        context_tokens: None,
        provider: None,
        think: Think::Default,
        settings: SessionSettings {
            attendance: Attendance::Attended,
            ..SessionSettings::closed(workspace.to_owned())
        },
    }
}

pub fn request(session_id: SessionId, text: &str) -> SendRequest {
    SendRequest::new(session_id, text)
}

pub async fn all(stream: Streaming<Event, Error>) -> Vec<Event> {
    let events = within("the end of the stream", stream.collect::<Vec<_>>()).await;
    events.into_iter().map(Result::unwrap).collect()
}

/// Reads until an event of interest.
pub async fn until<T>(
    stream: &mut Streaming<Event, Error>,
    wanted: impl Fn(&EventBody) -> Option<T>,
) -> T {
    within("the wanted event", async {
        loop {
            let event = stream.next().await.expect("the stream ended").unwrap();
            if let Some(found) = wanted(&event.body) {
                return found;
            }
        }
    })
    .await
}

pub fn status(events: &[Event]) -> QueryStatus {
    match &events.last().expect("no event").body {
        EventBody::QueryFinished { status, .. } => *status,
        other => panic!("the last event is {other:?}"),
    }
}

pub fn answer(events: &[Event]) -> String {
    let answer = events.iter().find_map(|event| match &event.body {
        EventBody::GenerationFinished { answer, .. } => Some(answer.clone()),
        _ => None,
    });
    answer.expect("no generation")
}

pub fn kinds(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| event.body.subject()).collect()
}

pub fn count(events: &[Event], subject: &str) -> usize {
    kinds(events).iter().filter(|kind| *kind == subject).count()
}

/// A conversation any chat template takes: system first, then user and assistant in turn, every
/// call followed by its result in order.
pub fn assert_well_formed(messages: &[Message]) {
    let mut open: Vec<CallId> = Vec::new();
    let mut last = "none";
    for (index, message) in messages.iter().enumerate() {
        let role = match message {
            Message::System { .. } => "system",
            Message::User { .. } => "user",
            Message::Assistant { .. } => "assistant",
            Message::Tool { .. } => "tool",
            Message::Picture { .. } => "picture",
        };
        match message {
            Message::System { .. } => assert_eq!(index, 0),
            Message::Tool { call_id, .. } => {
                assert_eq!(open.first(), Some(call_id), "{messages:#?}");
                open.remove(0);
            }
            Message::Picture { .. } => assert!(open.is_empty() && last != "assistant"),
            Message::User { .. } | Message::Assistant { .. } => {
                assert!(open.is_empty(), "a call without result: {messages:#?}");
                assert_ne!(role, last, "two in a row: {messages:#?}");
            }
        }
        if let Message::Assistant {
            text, tool_calls, ..
        } = message
        {
            assert!(!text.is_empty() || !tool_calls.is_empty());
            open = tool_calls.iter().map(|call| call.call_id).collect();
        }
        last = role;
    }
    assert!(open.is_empty(), "a call without result: {messages:#?}");
    assert!(matches!(last, "user" | "tool"), "{messages:#?}");
}

pub fn error_kind<T>(result: Result<T, Error>) -> ErrorKind {
    match result {
        Ok(_) => panic!("it should have been refused"),
        Err(error) => error.kind,
    }
}
