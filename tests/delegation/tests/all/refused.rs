//! A task that failed because something was refused: tried by who can do more, and not at all when
//! every agent would be refused the same.

use api::sessions::Sessions;
use contracts::Reply;
use delegation::{Asked, House, Kind, Speaker, all, report, tasks, until};
use domain::event::{ConfirmationAnswer, Event, EventBody};
use domain::settings::{Attendance, SessionProfile};
use domain::token::Answerer;
use domain::tool::EffectClass;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// One task whose agents make one call, and fail.
fn one(agent_type: &'static str, tool: &'static str, arguments: Value) -> Speaker {
    Speaker::new(
        move |asked: &Asked| match (asked.kind, asked.who.as_str()) {
            (Kind::Tasks, _) => tasks(&[("it", agent_type, "Do it", &[])]),
            (Kind::Turn, "orchestrator") => Reply::says("It was not done."),
            (Kind::Turn, _) if asked.results == 0 => Reply::calls(tool, arguments.clone()),
            (Kind::Report, _) => {
                let failed = json!({"status": "failed", "failure_reason": "it was refused"});
                report("Not done.", failed)
            }
            _ => Reply::says("I could not."),
        },
    )
}

fn begun(events: &[Event]) -> Vec<String> {
    let found = events.iter().filter_map(|event| match &event.body {
        EventBody::AgentSpawned { agent_type, .. } => Some(agent_type.to_string()),
        _ => None,
    });
    found.collect()
}

/// What the request's end says is wrong.
fn fault(events: &[Event]) -> String {
    match &events.last().unwrap().body {
        EventBody::QueryFinished { error, .. } => error.clone().unwrap().message,
        other => panic!("{other:?}"),
    }
}

async fn ask(house: &House, change: impl FnOnce(&mut SessionProfile)) -> Vec<Event> {
    let mut profile = house.profile("orchestrator");
    change(&mut profile);
    let session_id = house.open_as(profile).await;
    all(house.send(session_id, "Do it.").await).await
}

fn yes_to_nothing(profile: &mut SessionProfile) {
    profile.settings.auto_approve = BTreeSet::new();
}

#[tokio::test]
async fn what_nobody_was_there_to_allow_is_not_tried_again() {
    let house = House::new(one("coder", "delete_file", json!({"path": "old.txt"})));
    house.write("old.txt", "dear");
    let events = ask(&house, yes_to_nothing).await;
    assert_eq!(begun(&events), ["coder"], "tried again in vain");
    assert!(house.has("old.txt"));
    let fault = fault(&events);
    assert!(
        fault.contains("; not tried again: `delete_file` needed a yes, and nobody was there"),
        "{fault}"
    );
    // The agent that answers is told as well.
    let last = house.models.asked().pop().unwrap();
    assert!(last.says("not tried again: `delete_file`"), "{}", last.text);
}

#[tokio::test]
async fn a_no_of_the_user_is_asked_for_once() {
    let house = House::new(one("coder", "delete_file", json!({"path": "old.txt"})));
    house.write("old.txt", "dear");
    let mut profile = house.profile("orchestrator");
    yes_to_nothing(&mut profile);
    profile.settings.attendance = Attendance::Attended;
    let session_id = house.open_as(profile).await;
    let mut stream = house.send(session_id, "Do it.").await;
    let is_asked = |body: &EventBody| matches!(body, EventBody::ConfirmationAsked(_));
    let EventBody::ConfirmationAsked(asked) = until(&mut stream, is_asked).await.body else {
        panic!("a question");
    };
    let no = ConfirmationAnswer::Deny {
        message: String::new(),
    };
    let sessions = &house.sessions;
    let (question, binding) = (asked.confirmation_id, asked.binding);
    let said = sessions.confirm(session_id, question, binding, no, Answerer::User);
    said.await.unwrap();
    all(stream).await;
    let events = house.log(session_id).await;
    assert_eq!(begun(&events), ["coder"]);
    let fault = fault(&events);
    assert!(
        fault.contains("not tried again: the user said no to `delete_file`"),
        "{fault}"
    );
}

#[tokio::test]
async fn what_a_type_may_not_is_tried_by_one_that_can_do_more_if_there_is_one() {
    let outside = json!({"path": "/etc/hostname"});
    let house = House::new(one("researcher", "read_file", outside.clone()));
    let events = ask(&house, |_| {}).await;
    assert_eq!(begun(&events), ["researcher", "coder"]);

    let house = House::new(one("coder", "read_file", outside));
    let events = ask(&house, |_| {}).await;
    assert_eq!(begun(&events), ["coder"], "tried again in vain");
    let fault = fault(&events);
    assert!(
        fault.contains("`read_file` was refused, and there is no type"),
        "{fault}"
    );
}

#[tokio::test]
async fn who_went_on_after_a_refusal_and_then_failed_is_tried_again() {
    let house = House::new(Speaker::new(|asked| match (asked.kind, asked.results) {
        (Kind::Turn, 1) if asked.who == "coder" => {
            Reply::calls("read_file", json!({"path": "a.txt"}))
        }
        (Kind::Turn, 0) if asked.who == "coder" => {
            Reply::calls("delete_file", json!({"path": "old.txt"}))
        }
        (Kind::Tasks, _) => tasks(&[("it", "coder", "Do it", &[])]),
        (Kind::Report, _) => {
            let failed = json!({"status": "failed", "failure_reason": "stuck"});
            report("Not done.", failed)
        }
        _ => Reply::says("Done."),
    }));
    house.write("a.txt", "a");
    let deny = |profile: &mut SessionProfile| {
        profile.settings.auto_approve = BTreeSet::from([EffectClass::SharedWrite]);
    };
    let events = ask(&house, deny).await;
    assert_eq!(begun(&events), ["coder", "coder"]);
}
