//! Answers are graded when somebody asks or each is to be, once, also when the judge, memory or the
//! process fails in between; ratings become rewards.

mod second;

use api::bus::Bus;
use api::memory::Stored;
use api::models::ErrorKind;
use api::sessions::{FeedbackRequest, Follow, OpenRequest, SendRequest, Sessions};
use contracts::{
    Act, FakeAudit, FakeBus, FakeMemory, FakeModels, FakeSessions, Gate, Reply, within,
};
use domain::Timestamp;
use domain::event::{Event, EventBody};
use domain::id::{QueryId, SessionId};
use domain::label::Label;
use domain::lineage::AgentType;
use domain::model::{ModelRef, Think, Usage};
use domain::quality::{Observation, TaskKind, Worth};
use domain::settings::{Mode, SessionProfile, SessionSettings};
use futures::StreamExt;
use observers::record::{self, Note};
use observers::{Observers, QualityConfig, SecondConfig, Services, When, observations};
use quality::Rubrics;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const SOON: Duration = Duration::from_secs(20);
const QUESTION: &str = "Which river flows through Rome?";

struct Scene {
    folder: TempDir,
    bus: Arc<FakeBus>,
    sessions: FakeSessions,
    memory: Arc<FakeMemory>,
    models: Arc<FakeModels>,
    audit: Arc<FakeAudit>,
    is_on_battery: Arc<AtomicBool>,
    longest: Duration,
    when: When,
    second: SecondConfig,
}

fn answered() -> EventBody {
    EventBody::GenerationFinished {
        answer: "The Tiber.".to_owned(),
        thinking: String::new(),
        tool_calls: Vec::new(),
        usage: Usage::default(),
        model: Some(writer()),
        label: Some(Label::trusted("user")),
    }
}

fn writer() -> ModelRef {
    ModelRef {
        provider: "p".to_owned(),
        model: "writer".to_owned(),
    }
}

fn verdict(score: u8) -> Reply {
    Reply::says(format!(
        r#"{{"feedback": "The evidence shows it.", "score": {score}}}"#
    ))
}

impl Scene {
    fn new(when: When, replies: impl IntoIterator<Item = Reply>) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            bus: Arc::new(FakeBus::new()),
            sessions: FakeSessions::new().with_script(QUESTION, [Act::Emit(answered())]),
            memory: Arc::new(FakeMemory::new()),
            models: Arc::new(FakeModels::new(replies)),
            audit: Arc::new(FakeAudit::new()),
            is_on_battery: Arc::default(),
            longest: SOON,
            when,
            second: SecondConfig {
                when: When::OnDemand,
                share: 1.0,
                model: None,
                temperature: 1.0,
            },
        }
    }

    fn folder(&self) -> PathBuf {
        self.folder.path().join("quality")
    }

    fn start(&self) -> Observers {
        let services = Services {
            sessions: Arc::new(self.sessions.clone()),
            memory: self.memory.clone(),
            models: self.models.clone(),
            audit: self.audit.clone(),
            clock: Arc::new(|| Timestamp::UNIX_EPOCH),
        };
        let is_on_battery = Arc::clone(&self.is_on_battery);
        let quality = QualityConfig {
            folder: self.folder(),
            when: self.when,
            share: 1.0,
            on_battery: false,
            is_on_battery: Arc::new(move || is_on_battery.load(Ordering::Relaxed)),
            longest: self.longest,
            rubrics: Arc::new(Rubrics::shipped()),
            second: self.second.clone(),
        };
        let mut capture = observers::Config::new(self.folder.path().join("capture"));
        capture.understand = false;
        Observers::start(Some(capture), quality, &services, self.bus.as_ref())
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

    /// Asks the question, without a word on the bus.
    async fn ask(&self, session_id: SessionId) -> Vec<Event> {
        let request = SendRequest::new(session_id, QUESTION.to_owned());
        let stream = self.sessions.send(request).await.unwrap();
        let events = within("the answer", stream.collect::<Vec<_>>()).await;
        events.into_iter().map(Result::unwrap).collect()
    }

    /// Asks the question, and tells the bus.
    async fn tell(&self, session_id: SessionId) -> QueryId {
        let events = self.ask(session_id).await;
        let query_id = events[0].query_id.unwrap();
        for event in events {
            self.bus.publish(Arc::new(event));
        }
        query_id
    }

    async fn log(&self, id: SessionId) -> Vec<Event> {
        let events = self.sessions.attach(id, 1, Follow::ToEnd).await.unwrap();
        events.map(Result::unwrap).collect().await
    }

    /// The user asks for a grade, and the bus tells of it.
    async fn ask_grade(&self, id: SessionId, query_id: QueryId) {
        self.sessions.ask_grade(id, query_id).await.unwrap();
        self.publish_last(id).await;
    }

    async fn rate(&self, session_id: SessionId, query_id: QueryId, score: i8) {
        let request = FeedbackRequest {
            session_id,
            query_id,
            score,
            note: String::new(),
        };
        self.sessions.feedback(request).await.unwrap();
        self.publish_last(session_id).await;
    }

    async fn publish_last(&self, id: SessionId) {
        let last = self.log(id).await.pop().unwrap();
        self.bus.publish(Arc::new(last));
    }

    /// Waits until a session's log has so many grades, or reasons why there is none.
    async fn found(&self, id: SessionId, count: usize) -> Vec<EventBody> {
        let live = self.sessions.attach(id, 1, Follow::Live).await.unwrap();
        let is_one = |event: &Event| {
            matches!(
                event.body,
                EventBody::Critique { .. } | EventBody::NotGraded(_)
            )
        };
        let found = live
            .map(Result::unwrap)
            .filter(move |event| std::future::ready(is_one(event)))
            .map(|event| event.body)
            .take(count);
        within("the grades", found.collect::<Vec<_>>()).await
    }

    fn engram(&self) -> Stored {
        let mut entries = self.memory.entries();
        assert_eq!(entries.len(), 1);
        entries.pop().unwrap()
    }

    fn observed(&self) -> Vec<Observation> {
        observations::read(&self.folder()).unwrap().all
    }

    fn notes(&self) -> Vec<Note> {
        record::read(&self.folder().join("open")).unwrap()
    }
}

fn score_of(body: &EventBody) -> Option<u8> {
    match body {
        EventBody::Critique { score, .. } => Some(*score),
        _ => None,
    }
}

fn code_of(body: &EventBody) -> Option<&str> {
    match body {
        EventBody::NotGraded(fault) => Some(&fault.code),
        _ => None,
    }
}

#[tokio::test]
async fn an_answer_is_graded_when_the_user_asks() {
    let scene = Scene::new(When::OnDemand, [verdict(4)]);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    observers.settle(SOON).await;
    assert!(scene.models.requests().is_empty(), "nobody asked");
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 1).await;
    assert_eq!(
        found,
        [EventBody::Critique {
            score: 4,
            feedback: "The evidence shows it.".to_owned(),
            judge: FakeModels::model(),
            rubric: "general".to_owned(),
        }]
    );
    observers.settle(SOON).await;
    assert_eq!(scene.engram().critic_score, Some(4));
    let observed = scene.observed();
    assert_eq!(observed.len(), 1);
    assert_eq!(observed[0].query_id, query_id);
    assert_eq!(observed[0].model, Some(writer()));
    assert_eq!(observed[0].kind, TaskKind::Talk);
    let worth = Worth::Judge {
        score: 4,
        judge: FakeModels::model(),
        rubric: "general".to_owned(),
    };
    assert_eq!(observed[0].worth, worth);
    assert!(scene.notes().is_empty());
    let calls = scene.audit.entries();
    let about = |entry: &&api::audit::Entry| entry.detail == "a grade of an answer";
    assert_eq!(
        calls.iter().filter(about).count(),
        1,
        "the call is on record"
    );
}

#[tokio::test]
async fn every_answer_is_graded_where_that_is_set_but_on_battery() {
    let scene = Scene::new(When::Every, [verdict(5), verdict(2)]);
    let observers = scene.start();
    let id = scene.open().await;
    scene.tell(id).await;
    let found = scene.found(id, 1).await;
    assert_eq!(score_of(&found[0]), Some(5));
    scene.is_on_battery.store(true, Ordering::Relaxed);
    let query_id = scene.tell(id).await;
    observers.settle(SOON).await;
    assert_eq!(scene.models.requests().len(), 1);
    // What the user asks for is graded on battery as well.
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 2).await;
    assert_eq!(score_of(&found[1]), Some(2));
}

#[tokio::test]
async fn a_judge_without_a_grade_is_told_and_nothing_is_noted() {
    let replies = [
        Reply::says("Five out of five!"),
        Reply::refused(ErrorKind::Unreachable, "nobody listens"),
        Reply::refused(ErrorKind::TooLarge, "the answer is longer than 1 MiB"),
    ];
    let scene = Scene::new(When::OnDemand, replies);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 1).await;
    assert_eq!(code_of(&found[0]), Some("quality.no_grade"));
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 2).await;
    assert_eq!(code_of(&found[1]), Some("quality.no_judge"));
    // It answers, and what it says is of no use.
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 3).await;
    assert_eq!(code_of(&found[2]), Some("quality.no_grade"));
    observers.settle(SOON).await;
    assert_eq!(scene.engram().critic_score, None);
    assert!(scene.observed().is_empty());
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn nothing_is_graded_where_that_is_switched_off() {
    let scene = Scene::new(When::Off, []);
    let _observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 1).await;
    assert_eq!(code_of(&found[0]), Some("quality.off"));
    assert!(scene.models.requests().is_empty());
}

#[tokio::test]
async fn the_judge_gives_way_to_a_request_and_begins_again() {
    let gate = Gate::new();
    let stuck = Reply::new().wait(&gate);
    let scene = Scene::new(When::OnDemand, [stuck, verdict(3)]);
    let _observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_grade(id, query_id).await;
    within("the judge", gate.reached()).await;
    let events = scene.ask(id).await;
    scene.bus.publish(Arc::new(events[0].clone()));
    within("the end of its call", scene.models.cancelled().at_least(1)).await;
    assert_eq!(scene.models.requests().len(), 1, "not while a request runs");
    for event in events.into_iter().skip(1) {
        scene.bus.publish(Arc::new(event));
    }
    let found = scene.found(id, 1).await;
    assert_eq!(score_of(&found[0]), Some(3));
}

#[tokio::test]
async fn a_killed_process_loses_no_grade_and_gives_none_twice() {
    let gate = Gate::new();
    let stuck = Reply::new().wait(&gate);
    let scene = Scene::new(When::OnDemand, [stuck, verdict(3)]);
    let first = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    first.settle(SOON).await;
    scene.ask_grade(id, query_id).await;
    within("the judge", gate.reached()).await;
    let left = scene.notes();
    assert_eq!(left.len(), 1);
    drop(first);
    // The next process asks the judge again.
    let second = scene.start();
    let found = scene.found(id, 1).await;
    assert_eq!(score_of(&found[0]), Some(3));
    second.settle(SOON).await;
    assert_eq!(scene.engram().critic_score, Some(3));
    drop(second);
    // One that was killed after the log had the grade, and before anything else had.
    record::write(&scene.folder().join("open"), left[0]).unwrap();
    let third = scene.start();
    third.settle(SOON).await;
    assert_eq!(
        scene.models.requests().len(),
        2,
        "the judge is not asked again"
    );
    let log = scene.log(id).await;
    let grades = log.iter().filter(|event| score_of(&event.body).is_some());
    assert_eq!(grades.count(), 1);
    let scores = ::quality::Report::of(&scene.observed());
    assert_eq!(scores.by_model[0].answers, 1);
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn a_rating_is_a_reward_and_is_noted_on_the_engram() {
    let scene = Scene::new(When::Off, []);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.rate(id, query_id, -50).await;
    observers.settle(SOON).await;
    let log = scene.log(id).await;
    let rewards: Vec<_> = log
        .iter()
        .filter(|event| matches!(event.body, EventBody::Reward { .. }))
        .collect();
    assert_eq!(rewards.len(), 1);
    assert_eq!(rewards[0].body, EventBody::Reward { value: -50 });
    assert_eq!(rewards[0].query_id, Some(query_id));
    assert_eq!(scene.engram().feedback, Some(-50));
    assert_eq!(scene.observed()[0].worth, Worth::User { score: -50 });
}

#[tokio::test]
async fn a_rating_that_the_bus_lost_is_read_from_the_log() {
    let scene = Scene::new(When::Off, []);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    let request = FeedbackRequest {
        session_id: id,
        query_id,
        score: 100,
        note: String::new(),
    };
    scene.sessions.feedback(request).await.unwrap();
    scene.bus.lose(1);
    observers.settle(SOON).await;
    assert_eq!(scene.engram().feedback, Some(100));
    scene.bus.lose(1);
    observers.settle(SOON).await;
    let log = scene.log(id).await;
    let is_reward = |event: &&Event| matches!(event.body, EventBody::Reward { .. });
    assert_eq!(log.iter().filter(is_reward).count(), 1, "once");
}

/// What the judge says is nothing but a number and a text: it writes no memory and asks for nothing.
#[tokio::test]
async fn an_answer_that_was_forgotten_is_graded_and_not_remembered() {
    let scene = Scene::new(When::OnDemand, [verdict(5)]);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    observers.settle(SOON).await;
    let engram = scene.engram().id;
    api::memory::Curator::forget(&*scene.memory, engram)
        .await
        .unwrap();
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 1).await;
    assert_eq!(score_of(&found[0]), Some(5));
    observers.settle(SOON).await;
    assert!(scene.memory.entries().is_empty());
}

#[tokio::test]
async fn of_too_many_answers_the_oldest_is_left_out_and_told() {
    let scene = Scene::new(When::Every, []);
    let observers = scene.start();
    // A request that runs keeps the judge waiting.
    let busy = scene.open().await;
    let events = scene.ask(busy).await;
    scene.bus.publish(Arc::new(events[0].clone()));
    let id = scene.open().await;
    let first = scene.tell(id).await;
    for _ in 0..64 {
        scene.tell(id).await;
    }
    let found = scene.found(id, 1).await;
    assert_eq!(code_of(&found[0]), Some("quality.busy"));
    observers.settle(SOON).await;
    let log = scene.log(id).await;
    let told = log.iter().find(|event| code_of(&event.body).is_some());
    assert_eq!(told.unwrap().query_id, Some(first));
    assert!(scene.models.requests().is_empty());
}

#[tokio::test]
async fn a_judge_that_is_slow_is_asked_by_the_user_alone() {
    let mut scene = Scene::new(When::Every, [verdict(4), verdict(3)]);
    scene.longest = Duration::ZERO;
    let observers = scene.start();
    let id = scene.open().await;
    scene.tell(id).await;
    assert_eq!(score_of(&scene.found(id, 1).await[0]), Some(4));
    scene.tell(id).await;
    let found = scene.found(id, 2).await;
    assert_eq!(code_of(&found[1]), Some("quality.slow"));
    // It is told once, and who asks is heard.
    let query_id = scene.tell(id).await;
    scene.ask_grade(id, query_id).await;
    let found = scene.found(id, 3).await;
    assert_eq!(score_of(&found[2]), Some(3));
    observers.settle(SOON).await;
    assert_eq!(scene.models.requests().len(), 2);
}
