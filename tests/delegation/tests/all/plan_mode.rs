//! Plan mode of an orchestrating agent: its tasks are shown, approved as a whole by their hash, and
//! nothing is begun before.

use api::sessions::Sessions;
use contracts::Reply;
use delegation::{Asked, House, Kind, Speaker, all, answer, report, tasks, until};
use domain::event::{ConfirmationAnswer, ConfirmationKind, Event, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::hash::Digest;
use domain::settings::{Attendance, Mode, SessionProfile};
use domain::token::Answerer;
use domain::tool::EffectClass;
use serde_json::json;
use std::collections::BTreeSet;

/// Two tasks, one after the other: a researcher reads a file, a coder writes one.
fn two(asked: &Asked) -> Reply {
    match (asked.kind, asked.who.as_str()) {
        (Kind::Tasks, _) => Reply::says(
            json!({"tasks": [
                {"id": "look", "agent_type": "researcher", "goal": "Read a.txt", "inputs": [],
                 "depends_on": [], "expected_artifacts": []},
                {"id": "write", "agent_type": "coder", "goal": "Write hello into out.txt",
                 "inputs": [], "depends_on": ["look"], "expected_artifacts": ["out.txt"]},
            ]})
            .to_string(),
        ),
        (Kind::Report, "coder") => report("Wrote it.", json!({"artifacts": ["out.txt"]})),
        (Kind::Report, _) => report("It is short.", json!({})),
        (Kind::Turn, "orchestrator") => Reply::says("Both are done."),
        (Kind::Turn, "researcher") if asked.results == 0 => {
            Reply::calls("read_file", json!({"path": "a.txt"}))
        }
        (Kind::Turn, "coder") if asked.results == 0 => {
            Reply::calls("write_file", json!({"path": "out.txt", "content": "hello"}))
        }
        _ => Reply::says("Done."),
    }
}

const REQUEST: &str = "Read a.txt and write hello into out.txt.";

fn house() -> House {
    let house = House::new(Speaker::new(two));
    house.write("a.txt", "a");
    house
}

fn profile(house: &House, change: impl FnOnce(&mut SessionProfile)) -> SessionProfile {
    let mut profile = house.profile("orchestrator");
    profile.mode = Mode::Plan;
    profile.settings.auto_approve.clear();
    change(&mut profile);
    profile
}

async fn ask(house: &House, profile: SessionProfile) -> Vec<Event> {
    let session_id = house.open_as(profile).await;
    all(house.send(session_id, REQUEST).await).await
}

fn proposed(events: &[Event]) -> Option<(Vec<String>, Digest)> {
    events.iter().find_map(|event| match &event.body {
        EventBody::TasksProposed { tasks, hash } => {
            Some((tasks.iter().map(|task| task.id.clone()).collect(), *hash))
        }
        _ => None,
    })
}

fn begun(events: &[Event]) -> usize {
    let is_begun = |event: &&Event| matches!(event.body, EventBody::AgentSpawned { .. });
    events.iter().filter(is_begun).count()
}

fn ended(events: &[Event]) -> (QueryStatus, Option<Fault>) {
    match &events.last().unwrap().body {
        EventBody::QueryFinished { status, error, .. } => (*status, error.clone()),
        other => panic!("{other:?}"),
    }
}

fn approved_by(events: &[Event]) -> Option<String> {
    events.iter().find_map(|event| match &event.body {
        EventBody::PlanApproved { by, .. } => Some(by.clone()),
        _ => None,
    })
}

#[tokio::test]
async fn with_nobody_there_nothing_is_begun_and_the_hash_or_every_effect_approves_it() {
    let house = house();
    let refused = ask(&house, profile(&house, |_| {})).await;
    let (names, hash) = proposed(&refused).unwrap();
    assert_eq!(names, ["look", "write"]);
    assert_eq!(begun(&refused), 0);
    let (status, fault) = ended(&refused);
    assert_eq!(status, QueryStatus::Denied);
    let fault = fault.unwrap();
    assert_eq!(fault.code, "plan.refused");
    assert!(
        fault.message.contains(&format!("--approve {hash}")),
        "{fault:?}"
    );
    assert!(
        fault.message.contains("`--yes write,destructive`"),
        "{fault:?}"
    );

    let approve = |profile: &mut SessionProfile| {
        profile.settings.approved_plans = BTreeSet::from([hash]);
        profile.settings.auto_approve = BTreeSet::from([EffectClass::SharedWrite]);
    };
    let done = ask(&house, profile(&house, approve)).await;
    assert_eq!(ended(&done), (QueryStatus::Success, None));
    assert_eq!(approved_by(&done).as_deref(), Some("approved_hash"));
    assert_eq!(begun(&done), 2);
    assert_eq!(answer(&done), "Both are done.");
    assert!(house.has("out.txt"));

    let some = |profile: &mut SessionProfile| {
        profile.settings.auto_approve = BTreeSet::from([EffectClass::SharedWrite]);
    };
    let some = ask(&house, profile(&house, some)).await;
    assert_eq!((ended(&some).0, begun(&some)), (QueryStatus::Denied, 0));
    let every = ask(&house, profile(&house, every)).await;
    assert_eq!(ended(&every).0, QueryStatus::Success);
    assert_eq!(approved_by(&every).as_deref(), Some("yes_flag"));
}

#[tokio::test]
async fn the_user_sees_every_task_and_a_no_begins_nothing() {
    for (answer, status, count) in [
        (ConfirmationAnswer::Once, QueryStatus::Success, 2),
        (
            ConfirmationAnswer::Deny {
                message: "Not today".to_owned(),
            },
            QueryStatus::Denied,
            0,
        ),
    ] {
        let house = house();
        let attended = |profile: &mut SessionProfile| {
            profile.settings.attendance = Attendance::Attended;
            profile.settings.auto_approve = BTreeSet::from([EffectClass::SharedWrite]);
        };
        let session_id = house.open_as(profile(&house, attended)).await;
        let mut stream = house.send(session_id, REQUEST).await;
        let is_asked = |body: &EventBody| matches!(body, EventBody::ConfirmationAsked(_));
        let asked = until(&mut stream, is_asked).await;
        let EventBody::ConfirmationAsked(asked) = asked.body else {
            panic!("a question");
        };
        assert_eq!(asked.kind, ConfirmationKind::Plan);
        assert!(asked.effect == EffectClass::Destructive, "{asked:?}");
        for line in [
            "agent_type: researcher",
            "goal: Read a.txt",
            "agent_type: coder",
            "goal: Write hello into out.txt",
            "depends_on: [\"look\"]",
            "expected_artifacts: [\"out.txt\"]",
        ] {
            assert!(
                asked.rendering.contains(line),
                "{line}: {}",
                asked.rendering
            );
        }
        assert_eq!(begun(&house.log(session_id).await), 0);
        let sessions = &house.sessions;
        let (question, binding) = (asked.confirmation_id, asked.binding);
        let said = sessions.confirm(session_id, question, binding, answer, Answerer::User);
        said.await.unwrap();
        let events = all(stream).await;
        assert_eq!((ended(&events).0, begun(&events)), (status, count));
    }
}

#[tokio::test]
async fn what_only_reads_is_asked_about_too_and_a_planner_that_fails_is_not_stood_in_for() {
    let house = House::new(Speaker::new(|asked| match asked.kind {
        Kind::Tasks => tasks(&[("look", "researcher", "Read a.txt", &[])]),
        _ => Reply::says("Done."),
    }));
    let events = ask(&house, profile(&house, |_| {})).await;
    assert_eq!((ended(&events).0, begun(&events)), (QueryStatus::Denied, 0));

    let house = House::new(Speaker::new(|_| Reply::says("I would rather not.")));
    let events = ask(&house, profile(&house, |_| {})).await;
    let (status, fault) = ended(&events);
    assert_eq!(status, QueryStatus::Failed);
    assert_eq!(fault.unwrap().code, "agents.not_taken_apart");
    assert_eq!(proposed(&events), None);
}

#[tokio::test]
async fn an_empty_answer_after_the_reports_is_asked_for_once_more_and_is_no_success() {
    for (again, status, said) in [
        ("Both are done.", QueryStatus::Success, "Both are done."),
        ("", QueryStatus::Partial, ""),
    ] {
        let house = House::new(Speaker::new(move |asked| {
            match (asked.kind, asked.who.as_str()) {
                (Kind::Turn, "orchestrator") if asked.says("Your reply was empty") => {
                    Reply::says(again)
                }
                (Kind::Turn, "orchestrator") => Reply::says(""),
                _ => two(asked),
            }
        }));
        house.write("a.txt", "a");
        let events = ask(&house, profile(&house, every)).await;
        let (ended, fault) = ended(&events);
        assert_eq!((ended, answer(&events).as_str()), (status, said));
        let code = fault.map(|fault| fault.code);
        let expected = (status == QueryStatus::Partial).then(|| "agents.no_answer".to_owned());
        assert_eq!(code, expected);
        let nudged = |event: &&Event| matches!(event.body, EventBody::ModelNudged { .. });
        assert_eq!(events.iter().filter(nudged).count(), 1);
    }
}

#[tokio::test]
async fn the_next_request_knows_the_tasks_and_the_reports() {
    let house = house();
    let session_id = house.open_as(profile(&house, every)).await;
    all(house.send(session_id, REQUEST).await).await;
    let before = house.models.asked().len();
    all(house.send(session_id, "And what came of it?").await).await;
    let asked = &house.models.asked()[before];
    assert!(asked.says("Where the tasks stand"), "{}", asked.text);
    assert!(asked.says("It is short."), "{}", asked.text);
}

#[tokio::test]
async fn a_type_without_the_tool_is_not_asked_to_list_the_folder() {
    let house = House::new(Speaker::new(|asked| match asked.kind {
        Kind::Tasks => tasks(&[]),
        _ => Reply::says(json!({"intent": "x", "actions": []}).to_string()),
    }));
    let events = ask(&house, profile(&house, every)).await;
    let is_call = |event: &&Event| matches!(event.body, EventBody::ToolRequested { .. });
    assert_eq!(events.iter().filter(is_call).count(), 0);
    let is_notice = |event: &&Event| matches!(event.body, EventBody::Notice(_));
    assert_eq!(events.iter().filter(is_notice).count(), 0, "{events:?}");
}

fn every(profile: &mut SessionProfile) {
    profile.settings.auto_approve =
        BTreeSet::from([EffectClass::SharedWrite, EffectClass::Destructive]);
}
