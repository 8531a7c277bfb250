//! Agents that hand work to each other: the real broker and the real sessions in one process, with
//! a model that answers by what it is asked, and tools over a temporary folder.
//!
//! What it is: a house, and ways to read what came of a request.
//! What it owns: nothing on disk; each house has a temporary folder.
//! What it never does: decide. Everything it checks is an event, a request to the model or a file.
//! Where to start: `tests/all/orchestration.rs`.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly, and so is what only tests use"
)]

mod files;
mod speaker;

pub use files::Remembered;
pub use speaker::{Asked, Kind, Speaker, report, tasks};

use agents::{AgentTools, Config};
use api::Streaming;
use api::sessions::{Error, Follow, OpenRequest, SendRequest, Sessions};
use contracts::{FakeAudit, FakeBus};
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use domain::lineage::AgentType;
use domain::model::Think;
use domain::settings::{Mode, SessionProfile, SessionSettings};
use domain::tool::EffectClass;
use futures::StreamExt;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Longest anything here may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// Sessions over the shipped manifest, with a working folder.
pub struct House {
    folder: TempDir,
    /// The model.
    pub models: Arc<Speaker>,
    /// The sessions.
    pub sessions: agents::Service,
    /// Decisions and effects.
    pub audit: Arc<FakeAudit>,
}

impl House {
    /// A house whose model answers like this.
    ///
    /// # Panics
    /// When it cannot be built.
    #[must_use]
    pub fn new(models: Speaker) -> Self {
        Self::with(tempfile::tempdir().unwrap(), models, |_| {})
    }

    /// One in whose memory this is found, whatever is asked.
    ///
    /// # Panics
    /// When it cannot be built.
    #[must_use]
    pub fn remembering(models: Speaker, remembered: Remembered) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::built(folder, models, Some(remembered), |_| {})
    }

    /// With other settings of the agents service.
    ///
    /// # Panics
    /// When it cannot be built.
    #[must_use]
    pub fn with(folder: TempDir, models: Speaker, adjust: impl FnOnce(&mut Config)) -> Self {
        Self::built(folder, models, None, adjust)
    }

    fn built(
        folder: TempDir,
        models: Speaker,
        remembered: Option<Remembered>,
        adjust: impl FnOnce(&mut Config),
    ) -> Self {
        let work = folder.path().join("work");
        std::fs::create_dir_all(&work).unwrap();
        let clock = || Arc::new(Timestamp::now);
        let (models, audit) = (Arc::new(models), Arc::new(FakeAudit::new()));
        let agent_tools = Arc::new(AgentTools::new(clock()));
        let tools = files::Tools::new(remembered);
        let mut config = broker::Config::new(PathBuf::from("/home/u"), Vec::new());
        config.caller_tools = AgentTools::table();
        let guard = broker::Service::new(config, audit.clone(), Arc::new(tools), clock()).unwrap();
        let guard = Arc::new(guard);
        let mut config = Config::new(folder.path().join("sessions"));
        adjust(&mut config);
        let sessions = agents::Service::new(
            config,
            models.clone(),
            guard.clone(),
            guard,
            audit.clone(),
            Arc::new(FakeBus::new()),
            agent_tools,
        );
        Self {
            folder,
            models,
            sessions: sessions.unwrap(),
            audit,
        }
    }

    /// What a second process would find if this one were killed now: a copy of the logs, and the
    /// files as they are.
    ///
    /// # Panics
    /// When it cannot be copied.
    #[must_use]
    pub fn killed(&self, models: Speaker) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for part in ["sessions", "work"] {
            let to = folder.path().join(part);
            std::fs::create_dir_all(&to).unwrap();
            for entry in std::fs::read_dir(self.folder.path().join(part)).unwrap() {
                let entry = entry.unwrap();
                if entry.file_type().unwrap().is_file() {
                    std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
                }
            }
        }
        Self::with(folder, models, |_| {})
    }

    /// The folder that agents work in.
    #[must_use]
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// Writes a file to work on.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.work().join(name), text).unwrap();
    }

    /// Whether a file is there.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.work().join(name).exists()
    }

    /// What a session of this type of agent is opened with, unless a test says otherwise.
    ///
    /// # Panics
    /// When there can be no such type.
    #[must_use]
    pub fn profile(&self, agent_type: &str) -> SessionProfile {
        SessionProfile {
            name: String::new(),
            agent_type: AgentType::new(agent_type).unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
            settings: SessionSettings {
                allow_write: BTreeSet::from([self.work()]),
                // What is needless to ask is not asked; what breaks a rule is not covered by it.
                auto_approve: BTreeSet::from([EffectClass::SharedWrite, EffectClass::Destructive]),
                ..SessionSettings::closed(self.work())
            },
        }
    }

    /// Opens a session of this type of agent.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub async fn open(&self, agent_type: &str) -> SessionId {
        self.open_as(self.profile(agent_type)).await
    }

    /// Opens a session with this profile.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub async fn open_as(&self, profile: SessionProfile) -> SessionId {
        let request = OpenRequest::New(profile);
        self.sessions.open(request).await.unwrap().session_id
    }

    /// Takes a session up again.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub async fn resume(&self, session_id: SessionId, agent_type: &str) {
        let request = OpenRequest::Resume {
            session_id,
            profile: Some(self.profile(agent_type)),
        };
        self.sessions.open(request).await.unwrap();
    }

    /// Sends a request; its events.
    ///
    /// # Panics
    /// When it is not taken.
    pub async fn send(&self, session_id: SessionId, text: &str) -> Streaming<Event, Error> {
        let request = SendRequest::new(session_id, text.to_owned());
        self.sessions.send(request).await.unwrap()
    }

    /// Sends a request and waits for its end.
    ///
    /// # Panics
    /// When it takes too long.
    pub async fn ask(&self, agent_type: &str, text: &str) -> Vec<Event> {
        let session_id = self.open(agent_type).await;
        all(self.send(session_id, text).await).await
    }

    /// Everything in a session's log so far.
    ///
    /// # Panics
    /// When it cannot be read.
    pub async fn log(&self, session_id: SessionId) -> Vec<Event> {
        let follow = Follow::ToEnd;
        all(self.sessions.attach(session_id, 1, follow).await.unwrap()).await
    }

    /// The path of a file in the folder, as records have it.
    #[must_use]
    pub fn path(&self, name: &str) -> String {
        Path::new(&self.work()).join(name).display().to_string()
    }
}

/// Every event of a stream.
///
/// # Panics
/// When it takes too long or fails.
pub async fn all(stream: Streaming<Event, Error>) -> Vec<Event> {
    let events = tokio::time::timeout(PATIENCE, stream.collect::<Vec<_>>()).await;
    events.unwrap().into_iter().map(Result::unwrap).collect()
}

/// Reads until an event fits.
///
/// # Panics
/// When none does in time.
pub async fn until(
    stream: &mut Streaming<Event, Error>,
    fits: impl Fn(&EventBody) -> bool,
) -> Event {
    let reading = async {
        loop {
            let event = stream.next().await.unwrap().unwrap();
            if fits(&event.body) {
                return event;
            }
        }
    };
    tokio::time::timeout(PATIENCE, reading).await.unwrap()
}

/// The answer of a request.
#[must_use]
pub fn answer(events: &[Event]) -> String {
    let answers = events.iter().rev().filter_map(|event| match &event.body {
        EventBody::GenerationFinished { answer, .. } => Some(answer.clone()),
        _ => None,
    });
    let mut answers = answers;
    answers.next().unwrap_or_default()
}
