//! A second answer is given and compared when the user asks or each is to be; what a judge says in one
//! order alone does not count; nothing of it is lost or done twice.

use super::*;
use api::memory::{Stored, WriteEntry};
use api::sessions::{Finding, SecondAnswer, SecondRequest};
use domain::event::CallStatus;
use domain::quality::Winner;
use domain::tool::RUN_COMMAND;

/// What a judge says of two answers.
fn choice(better: &str) -> Reply {
    Reply::says(format!(
        r#"{{"feedback": "The name is fuller.", "better": "{better}"}}"#
    ))
}

fn again() -> Reply {
    Reply::says("The Tiber, in Italian Tevere.")
}

impl Scene {
    async fn ask_second(&self, id: SessionId, query_id: QueryId) {
        let asking = self
            .sessions
            .ask_second(id, query_id, SecondRequest::default());
        asking.await.unwrap();
        self.publish_last(id).await;
    }

    /// Waits until a session's log has so many comparisons, or reasons why there is none.
    async fn compared(&self, id: SessionId, count: usize) -> Vec<EventBody> {
        let live = self.sessions.attach(id, 1, Follow::Live).await.unwrap();
        let is_one = |event: &Event| {
            matches!(
                event.body,
                EventBody::Pairwise { .. } | EventBody::SecondMissed(_)
            )
        };
        let found = live
            .map(Result::unwrap)
            .filter(move |event| std::future::ready(is_one(event)))
            .map(|event| event.body)
            .take(count);
        within("the comparisons", found.collect::<Vec<_>>()).await
    }

    fn engram_by(&self, respondent: &str) -> Option<Stored> {
        let mut entries = self.memory.entries().into_iter();
        entries.find(|entry| {
            let WriteEntry::Engram { respondent: by, .. } = &entry.entry else {
                return false;
            };
            by == respondent
        })
    }

    async fn answers(&self, id: SessionId) -> usize {
        let is_one = |event: &Event| matches!(event.body, EventBody::SecondAnswered { .. });
        self.log(id).await.into_iter().filter(is_one).count()
    }
}

fn missed(body: &EventBody) -> Option<&str> {
    match body {
        EventBody::SecondMissed(fault) => Some(&fault.code),
        _ => None,
    }
}

#[tokio::test]
async fn a_second_answer_is_compared_in_both_orders_and_noted_on_both_engrams() {
    let replies = [again(), choice("second"), choice("first")];
    let scene = Scene::new(When::OnDemand, replies);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_second(id, query_id).await;
    let found = scene.compared(id, 1).await;
    let expected = EventBody::Pairwise {
        winner: Winner::B,
        feedback: "The name is fuller.".to_owned(),
        judge: FakeModels::model(),
    };
    assert_eq!(found, [expected]);
    observers.settle(SOON).await;
    let first = scene.engram_by("p/writer").unwrap();
    assert_eq!(first.pairwise_winner, Some(Winner::B));
    let second = scene
        .engram_by(&format!("{} B", FakeModels::model()))
        .unwrap();
    // On an engram, A is the answer that it holds.
    assert_eq!(second.pairwise_winner, Some(Winner::A));
    let worth = Worth::Compared {
        winner: Winner::B,
        second: FakeModels::model(),
        judge: FakeModels::model(),
    };
    assert_eq!(scene.observed()[0].worth, worth);
    assert_eq!(scene.observed()[0].model, Some(writer()));
    assert!(scene.notes().is_empty());
    let asked = scene.models.requests();
    assert!(asked[0].tools.is_empty(), "a second answer has no tools");
    // The judge has both answers in each place once.
    let shown = |at: usize| -> serde_json::Value {
        serde_json::from_str(asked[at].messages[1].text()).unwrap()
    };
    assert_eq!(shown(1)["first"], "The Tiber.");
    assert_eq!(shown(1)["second"], shown(2)["first"]);
}

#[tokio::test]
async fn a_second_answer_that_is_not_better_is_not_remembered() {
    let replies = [again(), choice("first"), choice("second")];
    let scene = Scene::new(When::OnDemand, replies);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_second(id, query_id).await;
    scene.compared(id, 1).await;
    observers.settle(SOON).await;
    assert_eq!(scene.engram().pairwise_winner, Some(Winner::A));
}

#[tokio::test]
async fn a_judge_that_goes_by_the_place_is_not_counted() {
    let replies = [again(), choice("first"), choice("first")];
    let scene = Scene::new(When::OnDemand, replies);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_second(id, query_id).await;
    let found = scene.compared(id, 1).await;
    assert_eq!(missed(&found[0]), Some("quality.by_place"));
    observers.settle(SOON).await;
    assert_eq!(scene.engram().pairwise_winner, None);
    assert!(scene.observed().is_empty());
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn a_dead_process_leaves_the_comparison_to_the_next_and_the_answer_stays() {
    let scene = Scene::new(When::OnDemand, [choice("tie"), choice("tie")]);
    let id = scene.open().await;
    let query_id = scene.ask(id).await[0].query_id.unwrap();
    let wanted = SecondRequest::default();
    scene
        .sessions
        .ask_second(id, query_id, wanted)
        .await
        .unwrap();
    let from_seq = scene.log(id).await.last().unwrap().seq;
    let second = Finding::Second(SecondAnswer {
        answer: "The Tiber!".to_owned(),
        model: writer(),
        temperature: 1.0,
    });
    let recording = scene.sessions.record_finding(id, query_id, second);
    recording.await.unwrap();
    let note = Note {
        session_id: id,
        from_seq,
    };
    record::write(&scene.folder().join("open"), note).unwrap();
    let observers = scene.start();
    let found = scene.compared(id, 1).await;
    assert!(matches!(
        found[0],
        EventBody::Pairwise {
            winner: Winner::Tie,
            ..
        }
    ));
    observers.settle(SOON).await;
    assert_eq!(scene.answers(id).await, 1);
    assert_eq!(scene.models.requests().len(), 2, "the judge alone is asked");
    assert!(scene.notes().is_empty());
}

#[tokio::test]
async fn what_ran_a_program_is_not_answered_again() {
    let ran = EventBody::ToolResult {
        tool: RUN_COMMAND.to_owned(),
        status: CallStatus::Ok,
        value_id: None,
        label: None,
        text: "ok".to_owned(),
        truncated: false,
        duration_ms: 1,
        artifacts: Vec::new(),
        edited: None,
    };
    let mut scene = Scene::new(When::OnDemand, []);
    let acts = [Act::Emit(ran), Act::Emit(answered())];
    scene.sessions = FakeSessions::new().with_script(QUESTION, acts);
    let _observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_second(id, query_id).await;
    let found = scene.compared(id, 1).await;
    assert_eq!(missed(&found[0]), Some("quality.no_second"));
    assert!(scene.models.requests().is_empty());
}

#[tokio::test]
async fn every_answer_gets_a_second_one_where_that_is_set() {
    let replies = [again(), choice("tie"), choice("tie")];
    let mut scene = Scene::new(When::OnDemand, replies);
    scene.second.when = When::Every;
    scene.second.model = Some(writer());
    scene.second.temperature = 0.3;
    let _observers = scene.start();
    let id = scene.open().await;
    scene.tell(id).await;
    scene.compared(id, 1).await;
    let asked = scene.models.requests();
    assert_eq!(asked[0].temperature, Some(0.3));
    assert_eq!(asked[0].model, domain::model::ModelChoice::Exact(writer()));
}

#[tokio::test]
async fn no_second_answer_is_given_where_that_is_switched_off() {
    let mut scene = Scene::new(When::OnDemand, []);
    scene.second.when = When::Off;
    let _observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_second(id, query_id).await;
    let found = scene.compared(id, 1).await;
    assert_eq!(missed(&found[0]), Some("quality.off"));
}

#[tokio::test]
async fn the_choice_of_the_user_is_noted_after_that_of_the_judge() {
    let replies = [again(), choice("first"), choice("second")];
    let scene = Scene::new(When::OnDemand, replies);
    let observers = scene.start();
    let id = scene.open().await;
    let query_id = scene.tell(id).await;
    scene.ask_second(id, query_id).await;
    scene.compared(id, 1).await;
    let rating = scene.sessions.rate_second(id, query_id, Winner::B);
    rating.await.unwrap();
    scene.publish_last(id).await;
    observers.settle(SOON).await;
    let first = scene.engram_by("p/writer").unwrap();
    assert_eq!(first.pairwise_winner, Some(Winner::B));
    let worth = Worth::Chosen {
        winner: Winner::B,
        second: FakeModels::model(),
    };
    assert_eq!(scene.observed().last().unwrap().worth, worth);
    assert!(scene.notes().is_empty());
}
