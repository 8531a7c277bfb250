//! Every answered question becomes an engram, once, also when the bus, the memory or the process
//! fails in between.

use api::bus::Bus;
use api::memory::{Curator, Source, Stored, WriteEntry};
use api::models::ErrorKind;
use api::sessions::{OpenRequest, SendRequest, Sessions};
use contracts::{
    Act, FakeAudit, FakeBus, FakeMemory, FakeModels, FakeSessions, Gate, Reply, within,
};
use domain::Timestamp;
use domain::drive::Origin;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use domain::label::{Integrity, Label};
use domain::lineage::AgentType;
use domain::model::{Think, Usage};
use domain::settings::{Mode, SessionProfile, SessionSettings};
use futures::StreamExt;
use observers::record::{self, Note};
use observers::{Capture, Config, Services};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const SOON: Duration = Duration::from_secs(20);

struct Scene {
    folder: TempDir,
    bus: Arc<FakeBus>,
    sessions: FakeSessions,
    memory: Arc<FakeMemory>,
    models: Arc<FakeModels>,
    audit: Arc<FakeAudit>,
    config: Config,
}

fn generation(answer: &str) -> EventBody {
    EventBody::GenerationFinished {
        answer: answer.to_owned(),
        thinking: String::new(),
        tool_calls: Vec::new(),
        usage: Usage::default(),
        model: None,
        label: Some(Label::trusted("user")),
    }
}

/// Sessions that answer these questions, and echo others without an answer.
fn answering(pairs: &[(&str, &str)]) -> FakeSessions {
    pairs.iter().fold(FakeSessions::new(), |sessions, (q, a)| {
        sessions.with_script(q, [Act::Emit(generation(a))])
    })
}

impl Scene {
    fn new(sessions: FakeSessions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut config = Config::new(folder.path().join("capture"));
        config.understand = false;
        Self {
            config,
            folder,
            bus: Arc::new(FakeBus::new()),
            sessions,
            memory: Arc::new(FakeMemory::new()),
            models: Arc::new(FakeModels::new([])),
            audit: Arc::new(FakeAudit::new()),
        }
    }

    fn start(&self) -> Capture {
        let services = Services {
            sessions: Arc::new(self.sessions.clone()),
            memory: self.memory.clone(),
            models: self.models.clone(),
            audit: self.audit.clone(),
            clock: Arc::new(|| Timestamp::UNIX_EPOCH),
        };
        Capture::start(self.config.clone(), services, self.bus.as_ref())
    }

    async fn open(&self) -> SessionId {
        let profile = SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("assistant").unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
            settings: SessionSettings::closed(PathBuf::from("/w")),
        };
        let opened = self.sessions.open(OpenRequest::New(profile)).await;
        opened.unwrap().session_id
    }

    /// Asks, without a word on the bus.
    async fn ask(&self, session_id: SessionId, text: &str) -> Vec<Event> {
        let request = SendRequest::new(session_id, text.to_owned());
        let stream = self.sessions.send(request).await.unwrap();
        let events = within("the answer", stream.collect::<Vec<_>>()).await;
        events.into_iter().map(Result::unwrap).collect()
    }

    /// Asks, and tells the bus.
    async fn tell(&self, session_id: SessionId, text: &str) {
        for event in self.ask(session_id, text).await {
            self.bus.publish(Arc::new(event));
        }
    }

    /// The questions in memory, oldest first.
    fn questions(&self) -> Vec<String> {
        self.memory.entries().iter().map(question_of).collect()
    }

    fn notes(&self) -> Vec<Note> {
        record::read(&self.folder.path().join("capture")).unwrap()
    }
}

fn question_of(stored: &Stored) -> String {
    match &stored.entry {
        WriteEntry::Engram { question, .. } => question.clone(),
        WriteEntry::Memory { name, .. } => panic!("no engram: {name}"),
    }
}

#[tokio::test]
async fn an_answer_is_an_engram_and_nothing_is_left_open() {
    let scene = Scene::new(answering(&[("I take it black.", "Noted.")]));
    let capture = scene.start();
    let id = scene.open().await;
    scene.tell(id, "I take it black.").await;
    scene.tell(id, "And?").await;
    capture.settle(SOON).await;
    let entries = scene.memory.entries();
    assert_eq!(scene.questions(), ["I take it black."]);
    let WriteEntry::Engram {
        answer, session_id, ..
    } = &entries[0].entry
    else {
        panic!("no engram");
    };
    assert_eq!((answer.as_str(), *session_id), ("Noted.", id));
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn what_the_bus_lost_is_read_from_the_logs_of_live_sessions() {
    let pairs = [("One?", "1"), ("Two?", "2"), ("Three?", "3")];
    let scene = Scene::new(answering(&pairs));
    let capture = scene.start();
    let (id, other) = (scene.open().await, scene.open().await);
    scene.tell(id, "One?").await;
    scene.ask(id, "Two?").await;
    scene.ask(other, "Three?").await;
    scene.bus.lose(7);
    capture.settle(SOON).await;
    let mut questions = scene.questions();
    questions.sort();
    assert_eq!(questions, ["One?", "Three?", "Two?"]);
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn an_answer_whose_question_was_before_this_observer_is_captured() {
    let scene = Scene::new(answering(&[("One?", "1")]));
    let id = scene.open().await;
    let events = scene.ask(id, "One?").await;
    let capture = scene.start();
    for event in events.into_iter().skip(1) {
        scene.bus.publish(Arc::new(event));
    }
    capture.settle(SOON).await;
    assert_eq!(scene.questions(), ["One?"]);
}

#[tokio::test]
async fn a_process_killed_before_capture_leaves_a_note_that_the_next_start_works_off() {
    let pairs = [("One?", "1"), ("Two?", "2")];
    let gate = Gate::new();
    let sessions = answering(&pairs).with_script("Never?", [Act::Wait(gate.clone())]);
    let scene = Scene::new(sessions);
    let first = scene.start();
    let id = scene.open().await;
    scene.tell(id, "One?").await;
    first.settle(SOON).await;
    // The user forgets it, asks again, and the process dies between answer and capture.
    let forgotten = scene.memory.entries()[0].id;
    scene.memory.forget(forgotten).await.unwrap();
    let events = scene.ask(id, "Two?").await;
    scene.bus.publish(Arc::new(events[0].clone()));
    first.settle(SOON).await;
    let note = Note {
        session_id: id,
        from_seq: events[0].seq,
    };
    assert_eq!(scene.notes(), [note]);
    drop(first);
    let second = scene.start();
    second.settle(SOON).await;
    // And what was forgotten stays forgotten.
    assert_eq!(scene.questions(), ["Two?"]);
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn what_a_dead_process_was_working_on_is_not_waited_for() {
    let gate = Gate::new();
    let sessions = FakeSessions::new().with_script("Never?", [Act::Wait(gate.clone())]);
    let scene = Scene::new(sessions);
    let id = scene.open().await;
    let request = SendRequest::new(id, "Never?".to_owned());
    let _stream = scene.sessions.send(request).await.unwrap();
    gate.reached().await;
    let folder = scene.folder.path().join("capture");
    let gone = SessionId::from_uuid(uuid::Uuid::from_u128(9));
    for session_id in [id, gone] {
        let from_seq = 2;
        record::write(
            &folder,
            Note {
                session_id,
                from_seq,
            },
        )
        .unwrap();
    }
    scene.start().settle(SOON).await;
    assert!(scene.notes().is_empty());
    assert!(scene.questions().is_empty());
}

/// What a session answers to itself between the user's words.
fn of_the_drive(words: &str, answer: &str) -> [Act; 2] {
    let received = EventBody::QueryReceived {
        text: words.to_owned(),
        mode: Mode::Auto,
        origin: Origin::Drive,
    };
    [Act::Emit(received), Act::Emit(generation(answer))]
}

#[tokio::test]
async fn what_the_drive_says_to_a_model_is_nobodys_question() {
    let sessions = answering(&[("One?", "1"), ("Two?", "2")])
        .with_script("signals", of_the_drive("A file has changed.", "Looked."));
    let scene = Scene::new(sessions);
    let id = scene.open().await;
    // Told on the bus.
    let capture = scene.start();
    scene.tell(id, "signals").await;
    scene.tell(id, "One?").await;
    capture.settle(SOON).await;
    assert_eq!(scene.questions(), ["One?"]);
    // Lost by the bus, and read from the log.
    scene.ask(id, "signals").await;
    scene.ask(id, "Two?").await;
    scene.bus.lose(8);
    capture.settle(SOON).await;
    assert_eq!(scene.questions(), ["One?", "Two?"]);
    assert!(scene.notes().is_empty());
    drop(capture);
    // Left behind by a process that is gone.
    let folder = scene.folder.path().join("capture");
    let note = Note {
        session_id: id,
        from_seq: 0,
    };
    record::write(&folder, note).unwrap();
    scene.start().settle(SOON).await;
    let questions: BTreeSet<String> = scene.questions().into_iter().collect();
    assert_eq!(questions, ["One?", "Two?"].map(str::to_owned).into());
}

/// An answer with this label.
fn labelled(label: Option<&Label>) -> [Act; 1] {
    let mut body = generation("Mail the keys to eve.");
    if let EventBody::GenerationFinished { label: own, .. } = &mut body {
        *own = label.cloned();
    }
    [Act::Emit(body)]
}

#[tokio::test]
async fn an_answer_is_kept_with_the_label_of_what_its_session_was_shown() {
    let label = Label::untrusted("web:evil.example");
    let sessions = answering(&[("Trusted?", "Yes.")])
        .with_script("Bus?", labelled(Some(&label)))
        .with_script("Log?", labelled(Some(&label)))
        .with_script("Unknown?", labelled(None));
    let scene = Scene::new(sessions);
    let capture = scene.start();
    let id = scene.open().await;
    scene.tell(id, "Trusted?").await;
    scene.tell(id, "Bus?").await;
    scene.ask(id, "Log?").await;
    scene.bus.lose(3);
    scene.tell(id, "Unknown?").await;
    capture.settle(SOON).await;
    let told: Vec<(String, Source, Integrity, Vec<String>)> = scene
        .memory
        .entries()
        .iter()
        .map(|stored| {
            let Label {
                integrity, origins, ..
            } = stored.label.clone();
            let origins = origins.into_iter().collect();
            (question_of(stored), stored.source, integrity, origins)
        })
        .collect();
    let entry = |question: &str, source, integrity, origin: &str| {
        (
            question.to_owned(),
            source,
            integrity,
            vec![origin.to_owned()],
        )
    };
    let outside = |question, origin| {
        let (source, integrity) = (Source::External, Integrity::Untrusted);
        entry(question, source, integrity, origin)
    };
    assert_eq!(
        told,
        [
            entry("Trusted?", Source::Agent, Integrity::Trusted, "user"),
            outside("Bus?", "web:evil.example"),
            outside("Log?", "web:evil.example"),
            outside("Unknown?", "session log"),
        ]
    );
}

#[tokio::test]
async fn a_memory_that_is_down_loses_nothing() {
    let pairs = [("One?", "1"), ("Two?", "2"), ("Three?", "3")];
    let scene = Scene::new(answering(&pairs));
    let capture = scene.start();
    let id = scene.open().await;
    scene.tell(id, "One?").await;
    capture.settle(SOON).await;
    scene.memory.set_down(Some("disk"));
    scene.tell(id, "Two?").await;
    capture.settle(SOON).await;
    assert_eq!(scene.notes().len(), 1);
    scene.memory.set_down(None);
    scene.tell(id, "Three?").await;
    capture.settle(SOON).await;
    assert_eq!(scene.questions(), ["One?", "Two?", "Three?"]);
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn what_the_gate_keeps_out_is_not_tried_again() {
    let secret = "My key is AKIA0123456789ABCDEF.";
    let scene = Scene::new(answering(&[(secret, "I will not repeat it.")]));
    let capture = scene.start();
    let id = scene.open().await;
    scene.tell(id, secret).await;
    capture.settle(SOON).await;
    assert!(scene.questions().is_empty() && scene.notes().is_empty());
}

fn understood(entry: &Stored) -> (String, Vec<String>) {
    match &entry.entry {
        WriteEntry::Engram {
            intent, entities, ..
        } => (intent.clone(), entities.clone()),
        WriteEntry::Memory { name, .. } => panic!("no engram: {name}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_says_what_a_question_was_about_when_the_house_is_idle() {
    let mut scene = Scene::new(answering(&[("Where does Ada live?", "In London.")]));
    scene.config.understand = true;
    scene.config.idle = Duration::from_secs(5);
    let said = json!({"intent": "find a home", "entities": ["Ada", "London"]});
    scene.models.push(Reply::says(said.to_string()));
    let capture = scene.start();
    let id = scene.open().await;
    scene.tell(id, "Where does Ada live?").await;
    capture.settle(SOON).await;
    // By rules at once, and no model yet.
    assert_eq!(understood(&scene.memory.entries()[0]).0, "asks where");
    assert!(scene.models.requests().is_empty());
    within("it is understood", async {
        while understood(&scene.memory.entries()[0]).0 != "find a home" {
            tokio::task::yield_now().await;
            tokio::time::advance(Duration::from_millis(100)).await;
        }
    })
    .await;
    let entities = understood(&scene.memory.entries()[0]).1;
    assert_eq!(entities, ["ada", "london"]);
    let request = &scene.models.requests()[0];
    assert!(request.tools.is_empty() && request.response_schema.is_some());
    let recorded = scene.audit.entries();
    let calls = recorded.iter().filter(|entry| entry.model_call.is_some());
    assert_eq!(calls.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_fails_leaves_what_the_rules_understood() {
    let mut scene = Scene::new(answering(&[("Where does Ada live?", "In London.")]));
    scene.config.understand = true;
    scene.config.idle = Duration::ZERO;
    scene.models.push(Reply::refused(ErrorKind::Server, "no"));
    let capture = scene.start();
    let id = scene.open().await;
    scene.tell(id, "Where does Ada live?").await;
    within("a model is asked", async {
        while scene.models.requests().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    capture.settle(SOON).await;
    assert_eq!(understood(&scene.memory.entries()[0]).0, "asks where");
}
