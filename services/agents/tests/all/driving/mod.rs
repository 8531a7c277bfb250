//! A house whose clock is tokio's paused one: days pass in milliseconds.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use crate::support::{broker, profile};
use agents::drive::{Senses, Settings};
use agents::{AgentTools, Config, Service};
use api::broker::{
    AgentListing, Control, Error, GrantListing, PlannedCall, Registered, ToolListing,
};
use api::programs::{Program, Programs};
use api::sessions::{Follow, OpenRequest, SendRequest, Sessions};
use api::signals::{Notice, Notifier, Source, Watcher};
use async_trait::async_trait;
use contracts::{BrokerTool, FakeAudit, FakeBroker, FakeBus, FakeModels, Reply};
use domain::Timestamp;
use domain::decision::{Decision, Verdict};
use domain::drive::{DriveState, Origin, Signal};
use domain::event::{ConfirmationAnswer, Event, EventBody};
use domain::hash::Digest;
use domain::id::{ConfirmationId, HolderId, SessionId, TraceId};
use domain::label::Label;
use domain::lineage::AgentType;
use domain::settings::{Mode, SessionSettings};
use domain::token::Answerer;
use domain::tool::EffectClass;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::Value;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::{Notify, broadcast};
use tokio::time::Instant;

/// The user's side of the fake broker, with what it was told.
pub struct Told {
    inner: Arc<FakeBroker>,
    pub heard: Mutex<Vec<String>>,
    pub recalled: Mutex<Vec<Label>>,
    ends: Arc<Ends>,
    /// A job that ends because its session is closed.
    pub ends_at_close: Mutex<Option<Signal>>,
}

/// The ends of jobs that nobody has heard of.
#[derive(Default)]
pub struct Ends {
    unheard: Mutex<VecDeque<Signal>>,
    news: Notify,
}

impl Ends {
    pub fn put(&self, signal: Signal) {
        self.unheard.lock().unwrap().push_back(signal);
        self.news.notify_one();
    }
}

/// All of one session: a test has one.
struct Heard(Arc<Ends>);

impl Source for Heard {
    fn signals(
        &self,
        _session_id: SessionId,
    ) -> BoxStream<'static, Result<Signal, api::signals::Error>> {
        let ends = Arc::clone(&self.0);
        futures::stream::unfold(ends, async |ends| {
            loop {
                let next = ends.unheard.lock().unwrap().pop_front();
                match next {
                    Some(signal) => return Some((Ok(signal), ends)),
                    None => ends.news.notified().await,
                }
            }
        })
        .boxed()
    }
}

#[async_trait]
impl Control for Told {
    async fn open_session(
        &self,
        session_id: SessionId,
        root: AgentType,
        settings: SessionSettings,
    ) -> Result<Registered, Error> {
        self.inner.open_session(session_id, root, settings).await
    }

    async fn configure(&self, id: SessionId, settings: SessionSettings) -> Result<(), Error> {
        self.inner.configure(id, settings).await
    }

    async fn answer(
        &self,
        session_id: SessionId,
        confirmation_id: ConfirmationId,
        binding: Digest,
        answer: ConfirmationAnswer,
        by: Answerer,
    ) -> Result<(), Error> {
        let inner = &self.inner;
        inner
            .answer(session_id, confirmation_id, binding, answer, by)
            .await
    }

    async fn explain(
        &self,
        agent_type: AgentType,
        tool: String,
        arguments: Value,
        settings: SessionSettings,
    ) -> Result<Decision, Error> {
        self.inner
            .explain(agent_type, tool, arguments, settings)
            .await
    }

    async fn list_tools(&self) -> Result<Vec<ToolListing>, Error> {
        self.inner.list_tools().await
    }

    async fn list_agents(&self) -> Result<Vec<AgentListing>, Error> {
        self.inner.list_agents().await
    }

    async fn hear(
        &self,
        session_id: SessionId,
        text: String,
        begins: Option<TraceId>,
    ) -> Result<(), Error> {
        self.heard.lock().unwrap().push(text.clone());
        self.inner.hear(session_id, text, begins).await
    }

    async fn approve_call(
        &self,
        session_id: SessionId,
        trace_id: TraceId,
        call: PlannedCall,
    ) -> Result<(), Error> {
        self.inner.approve_call(session_id, trace_id, call).await
    }

    async fn recall(&self, session_id: SessionId, label: Label) -> Result<(), Error> {
        self.recalled.lock().unwrap().push(label.clone());
        self.inner.recall(session_id, label).await
    }

    async fn list_grants(&self, session_id: SessionId) -> Result<Vec<GrantListing>, Error> {
        self.inner.list_grants(session_id).await
    }

    async fn programs(
        &self,
        session_id: SessionId,
        wanted: Programs,
    ) -> Result<Vec<Program>, Error> {
        self.inner.programs(session_id, wanted).await
    }

    async fn stop_jobs(
        &self,
        session_id: SessionId,
        name: Option<String>,
    ) -> Result<Vec<String>, Error> {
        self.inner.stop_jobs(session_id, name).await
    }

    async fn close_session(&self, session_id: SessionId) -> Result<(), Error> {
        if let Some(signal) = self.ends_at_close.lock().unwrap().take() {
            self.ends.put(signal);
        }
        self.inner.close_session(session_id).await
    }
}

/// Adapters that a test speaks through.
pub struct Outside {
    pub changes: broadcast::Sender<Signal>,
    pub presence: broadcast::Sender<Signal>,
    pub watched: Mutex<Vec<Vec<PathBuf>>>,
    pub notices: Mutex<Vec<Notice>>,
    /// Why a source has nothing to say, told once.
    pub trouble: Mutex<Option<String>>,
    /// Paths that cannot be watched.
    pub unwatchable: Mutex<Vec<PathBuf>>,
}

fn stream_of(sender: &broadcast::Sender<Signal>) -> BoxStream<'static, Signal> {
    let receiver = sender.subscribe();
    futures::stream::unfold(receiver, async |mut receiver| {
        let signal = receiver.recv().await.ok()?;
        Some((signal, receiver))
    })
    .boxed()
}

impl Watcher for Outside {
    fn watch(
        &self,
        paths: Vec<PathBuf>,
    ) -> Result<BoxStream<'static, Signal>, api::signals::Error> {
        let unwatchable = self.unwatchable.lock().unwrap();
        if let Some(path) = paths.iter().find(|path| unwatchable.contains(path)) {
            let detail = format!("{} cannot be watched: it is not there.", path.display());
            return Err(api::signals::Error::new(detail));
        }
        drop(unwatchable);
        self.watched.lock().unwrap().push(paths);
        Ok(stream_of(&self.changes))
    }
}

impl Source for Outside {
    fn signals(
        &self,
        _session_id: SessionId,
    ) -> BoxStream<'static, Result<Signal, api::signals::Error>> {
        let troubled = self.trouble.lock().unwrap().take();
        let trouble = futures::stream::iter(troubled.map(|why| Err(api::signals::Error::new(why))));
        trouble.chain(stream_of(&self.presence).map(Ok)).boxed()
    }
}

#[async_trait]
impl Notifier for Outside {
    async fn notify(&self, notice: Notice) -> Result<(), api::signals::Error> {
        self.notices.lock().unwrap().push(notice);
        Ok(())
    }
}

pub struct Auto {
    pub folder: TempDir,
    pub models: Arc<FakeModels>,
    pub control: Arc<Told>,
    pub outside: Arc<Outside>,
    pub ends: Arc<Ends>,
    pub service: Arc<Service>,
    began: (Instant, Timestamp),
}

impl Auto {
    pub fn new(replies: impl IntoIterator<Item = Reply>) -> Self {
        Self::with(replies, |_| {})
    }

    pub fn with(
        replies: impl IntoIterator<Item = Reply>,
        adjust: impl FnOnce(&mut Settings),
    ) -> Self {
        let began = (Instant::now(), "2026-01-05T00:00:00Z".parse().unwrap());
        Self::at(tempfile::tempdir().unwrap(), replies, began, adjust)
    }

    fn at(
        folder: TempDir,
        replies: impl IntoIterator<Item = Reply>,
        began: (Instant, Timestamp),
        adjust: impl FnOnce(&mut Settings),
    ) -> Self {
        let models = Arc::new(FakeModels::new(replies));
        let broker = broker();
        for (name, effect) in [
            ("yield_to_user", EffectClass::SelfWrite),
            ("set_timer", EffectClass::SelfWrite),
            ("cancel_timer", EffectClass::SelfWrite),
            ("watch_path", EffectClass::Read),
            ("start_job", EffectClass::Exec),
            ("stop_job", EffectClass::SelfWrite),
        ] {
            broker.add_tool(BrokerTool::new(name, Verdict::Allow, effect));
        }
        let broker = Arc::new(broker);
        let ends = Arc::new(Ends::default());
        let control = Arc::new(Told {
            ends: ends.clone(),
            ends_at_close: Mutex::default(),
            inner: broker.clone(),
            heard: Mutex::default(),
            recalled: Mutex::default(),
        });
        let outside = Arc::new(Outside {
            changes: broadcast::channel(16).0,
            presence: broadcast::channel(16).0,
            watched: Mutex::default(),
            notices: Mutex::default(),
            trouble: Mutex::default(),
            unwatchable: Mutex::default(),
        });
        let mut config = Config::new(folder.path().join("sessions"));
        adjust(&mut config.drive);
        let clock = Arc::new(move || began.1 + began.0.elapsed());
        let tools = AgentTools::new(clock).with_senses(Senses {
            watcher: Some(outside.clone()),
            sources: vec![outside.clone()],
            jobs: Some(Arc::new(Heard(ends.clone()))),
            notifier: Some(outside.clone()),
        });
        let service = Service::new(
            config,
            models.clone(),
            broker.clone(),
            control.clone(),
            Arc::new(FakeAudit::new()),
            Arc::new(FakeBus::new()),
            Arc::new(tools),
        );
        Self {
            folder,
            models,
            control,
            outside,
            ends,
            service: Arc::new(service.unwrap()),
            began,
        }
    }

    /// The house after its process died, on the same folder and with the clock going on.
    pub async fn reborn(self, replies: impl IntoIterator<Item = Reply>) -> Self {
        self.service.shut_down().await;
        Self::at(self.folder, replies, self.began, |_| {})
    }

    pub async fn open(&self, mode: Mode) -> SessionId {
        self.held(mode).await.0
    }

    /// A fresh session, and who holds it.
    pub async fn held(&self, mode: Mode) -> (SessionId, HolderId) {
        let mut profile = profile(self.folder.path());
        profile.mode = mode;
        let opened = self.service.open(OpenRequest::New(profile)).await;
        let opened = opened.unwrap();
        (opened.session_id, opened.holder_id.unwrap())
    }

    pub async fn resume(&self, session_id: SessionId) {
        let request = OpenRequest::Resume {
            session_id,
            profile: None,
        };
        self.service.open(request).await.unwrap();
    }

    /// Says something and waits for the answer.
    pub async fn user(&self, session_id: SessionId, text: &str) -> Vec<Event> {
        let request = SendRequest::new(session_id, text.to_owned());
        let stream = self.service.send(request).await.unwrap();
        stream.map(Result::unwrap).collect().await
    }

    pub async fn message(&self, session_id: SessionId, text: &str) {
        let signal = Signal::Message {
            channel: "inbox".to_owned(),
            text: text.to_owned(),
        };
        self.service.signal(session_id, signal).await.unwrap();
    }

    pub async fn events(&self, session_id: SessionId) -> Vec<Event> {
        let stream = self.service.attach(session_id, 1, Follow::ToEnd).await;
        stream.unwrap().map(Result::unwrap).collect().await
    }

    /// The requests of the drive.
    pub async fn turns(&self, session_id: SessionId) -> Vec<String> {
        let events = self.events(session_id).await.into_iter();
        let turns = events.filter_map(|event| match event.body {
            EventBody::QueryReceived {
                text,
                origin: Origin::Drive,
                ..
            } => Some(text),
            _ => None,
        });
        turns.collect()
    }

    pub async fn states(&self, session_id: SessionId) -> Vec<(DriveState, String)> {
        let events = self.events(session_id).await.into_iter();
        let states = events.filter_map(|event| match event.body {
            EventBody::DriveState(decision) => Some((decision.state, decision.reason)),
            _ => None,
        });
        states.collect()
    }
}

/// Lets time pass. The paused clock jumps from one thing to do to the next.
pub async fn pass(time: Duration) {
    let never = std::future::pending::<()>();
    assert!(tokio::time::timeout(time, never).await.is_err());
    // What the last tick began is let go on as far as it goes without time.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

pub fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

/// Waits for events until one is wanted.
pub async fn until(
    auto: &Auto,
    session_id: SessionId,
    wanted: impl Fn(&EventBody) -> bool,
) -> Event {
    let stream = auto.service.attach(session_id, 1, Follow::Live).await;
    let mut stream = stream.unwrap();
    let found = async {
        loop {
            let event = stream.next().await.unwrap().unwrap();
            if wanted(&event.body) {
                return event;
            }
        }
    };
    let found = tokio::time::timeout(seconds(7_200), found).await;
    found.expect("it did not happen within two hours of the paused clock")
}
