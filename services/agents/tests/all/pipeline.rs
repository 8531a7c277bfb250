//! The planned modes from request to answer, with scripted models and tools.

use crate::support;
use crate::support::{House, all, answer, count, kinds, status, until};
use api::broker::Control;
use api::models::ErrorKind;
use api::planner::Error;
use api::sessions::{OpenRequest, SendRequest, Sessions};
use contracts::{BrokerTool, FakeBroker, FakePlanner, Gate, Reply};
use domain::decision::Verdict;
use domain::event::{CallStatus, ConfirmationAnswer, Event, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::settings::{Attendance, Mode};
use domain::token::Answerer;
use domain::tool::EffectClass;
use serde_json::{Value, json};
use std::sync::Arc;

fn tool(name: &str, data: Value) -> BrokerTool {
    BrokerTool::new(name, Verdict::Allow, EffectClass::Read).with_data(data)
}

fn asked_for(name: &str, effect: EffectClass) -> BrokerTool {
    let data = json!({ "created": true, "bytes": 3, "lines": [1], "exact": true });
    BrokerTool::new(name, Verdict::Confirm, effect).with_data(data)
}

fn tools() -> FakeBroker {
    let broker = FakeBroker::without_tools();
    broker.add_tool(tool(
        "list_files",
        json!({ "truncated": false, "entries": [
            { "name": "notes.txt", "path": "notes.txt", "kind": "file", "bytes": 20 },
        ]}),
    ));
    broker.add_tool(tool(
        "read_file",
        json!({
            "path": "notes.txt", "content": "milk\nAnn: 0142\n", "from_line": 1, "line_count": 2,
            "total_lines": 2, "total_words": 3, "total_bytes": 15, "truncated": false,
        }),
    ));
    broker.add_tool(asked_for("write_file", EffectClass::SharedWrite));
    broker.add_tool(asked_for("delete_file", EffectClass::Destructive));
    broker
}

fn plan(actions: Value) -> Reply {
    Reply::says(json!({ "intent": "do it", "actions": actions }).to_string())
}

fn request(id: domain::id::SessionId, mode: Mode, text: &str) -> SendRequest {
    SendRequest {
        mode: Some(mode),
        ..SendRequest::new(id, text)
    }
}

async fn ask(house: &House, mode: Mode, text: &str) -> Vec<Event> {
    let id = house.open().await;
    all(house.service.send(request(id, mode, text)).await.unwrap()).await
}

/// Asks and answers the one question for the plan.
async fn ask_and(house: &House, mode: Mode, text: &str, say: ConfirmationAnswer) -> Vec<Event> {
    let id = house.open().await;
    let mut stream = house.service.send(request(id, mode, text)).await.unwrap();
    let question = until(&mut stream, |body| match body {
        EventBody::ConfirmationAsked(question) => Some(question.clone()),
        _ => None,
    })
    .await;
    house
        .broker
        .answer(
            id,
            question.confirmation_id,
            question.binding,
            say,
            Answerer::User,
        )
        .await
        .unwrap();
    all(stream).await
}

fn fault(events: &[Event]) -> Fault {
    match &events.last().unwrap().body {
        EventBody::QueryFinished {
            error: Some(fault), ..
        } => fault.clone(),
        other => panic!("no error: {other:?}"),
    }
}

fn steps(events: &[Event]) -> Vec<(u32, CallStatus)> {
    let steps = events.iter().filter_map(|event| match &event.body {
        EventBody::PlanStep { index, status, .. } => Some((*index, *status)),
        _ => None,
    });
    steps.collect()
}

fn deny() -> ConfirmationAnswer {
    ConfirmationAnswer::Deny {
        message: String::new(),
    }
}

/// A file that orders name is there: else its folder is listed for a name like it.
fn is_there(house: &House, name: &str) {
    std::fs::write(house.workspace().join(name), "").unwrap();
}

#[tokio::test]
async fn rules_plan_and_run_without_any_model() {
    let house = House::with([], tools(), |_| {});
    is_there(&house, "notes.txt");
    let events = ask(&house, Mode::Deterministic, "show notes.txt").await;
    assert_eq!(status(&events), QueryStatus::Success);
    assert_eq!(answer(&events), "notes.txt (2 lines):\nmilk\nAnn: 0142");
    assert!(house.requests().is_empty());
    let planned: Vec<String> = kinds(&events)
        .into_iter()
        .filter(|kind| kind.starts_with("plan."))
        .collect();
    assert_eq!(planned, ["plan.proposed", "plan.approved", "plan.step"]);
    assert!(
        house
            .broker
            .calls()
            .iter()
            .all(|call| call.plan_id.is_some())
    );
}

#[tokio::test]
async fn what_the_rules_do_not_understand_runs_nothing_and_says_what_works() {
    let house = House::with([], tools(), |_| {});
    let events = ask(&house, Mode::Deterministic, "delete everything").await;
    assert_eq!(status(&events), QueryStatus::Failed);
    assert_eq!(fault(&events).code, "plan.ambiguous");
    assert!(
        fault(&events).hint.contains("list the files"),
        "{:?}",
        fault(&events)
    );
    assert!(house.broker.calls().is_empty());
    let events = ask(&house, Mode::Deterministic, "help").await;
    assert_eq!(status(&events), QueryStatus::Success);
    assert!(answer(&events).contains("list the files in docs"));
}

#[tokio::test]
async fn a_change_runs_only_after_a_yes_to_the_whole_plan() {
    let house = House::with([], tools(), |_| {});
    let text = "create a.txt with 'x' then delete a.txt";
    let events = ask_and(&house, Mode::Deterministic, text, ConfirmationAnswer::Once).await;
    assert_eq!(status(&events), QueryStatus::Success);
    assert_eq!(
        answer(&events),
        "Created a.txt (3 bytes).\n\nDeleted a.txt."
    );
    assert_eq!(
        count(&events, "confirmation.asked"),
        0,
        "asked once for all of it"
    );
    let calls = house.broker.calls();
    assert_eq!(calls.len(), 2);
    assert!(calls[0].plan_id.is_some() && calls[0].plan_id == calls[1].plan_id);

    let house = House::with([], tools(), |_| {});
    let events = ask_and(&house, Mode::Deterministic, text, deny()).await;
    assert_eq!(status(&events), QueryStatus::Denied);
    assert_eq!(fault(&events).code, "plan.declined");
    assert!(house.broker.calls().is_empty());
}

#[tokio::test]
async fn a_plan_is_approved_by_its_hash_and_a_changed_one_is_refused() {
    let propose = |text: &'static str, approved: Option<domain::hash::Digest>| async move {
        let house = House::with([], tools(), |_| {});
        let mut profile = house.profile();
        profile.settings.attendance = Attendance::Unattended;
        profile.settings.approved_plans.extend(approved);
        let id = house
            .service
            .open(OpenRequest::New(profile))
            .await
            .unwrap()
            .session_id;
        let events = all(house
            .service
            .send(request(id, Mode::Deterministic, text))
            .await
            .unwrap())
        .await;
        let hash = events.iter().find_map(|event| match &event.body {
            EventBody::PlanProposed { hash, .. } => Some(*hash),
            _ => None,
        });
        (status(&events), hash.unwrap())
    };
    let (refused, hash) = propose("delete a.txt", None).await;
    assert_eq!(refused, QueryStatus::Denied);
    assert_eq!(
        propose("delete a.txt", Some(hash)).await,
        (QueryStatus::Success, hash)
    );
    let (changed, other) = propose("delete b.txt", Some(hash)).await;
    assert_eq!(changed, QueryStatus::Denied);
    assert_ne!(other, hash);
}

#[tokio::test]
async fn a_failing_step_stops_the_plan() {
    for (text, expected, ran) in [
        (
            "show a.txt; count the lines in a.txt",
            QueryStatus::Failed,
            1,
        ),
        ("list the files; show a.txt; tree", QueryStatus::Partial, 2),
    ] {
        let broker = tools();
        let text_of_failure =
            "[FAILED]\n[TOOL_RESULT: UNTRUSTED read_file 12]\nno such file\n[END 12]";
        broker.add_tool(tool("read_file", Value::Null).fails(text_of_failure));
        let house = House::with([], broker, |_| {});
        is_there(&house, "a.txt");
        let events = ask(&house, Mode::Deterministic, text).await;
        assert_eq!(status(&events), expected, "{text}");
        assert_eq!(house.broker.calls().len(), ran);
        assert_eq!(steps(&events).last().unwrap().1, CallStatus::Failed);
        let fault = fault(&events);
        assert_eq!(fault.code, "plan.step_failed");
        assert!(
            fault
                .message
                .contains("failed: no such file The step after it was not run."),
            "{}",
            fault.message
        );
        assert!(!answer(&events).contains("no such file"), "said once");
    }
}

#[tokio::test]
async fn a_refused_call_is_told_in_the_words_for_the_user() {
    let broker = tools();
    broker.add_tool(BrokerTool::new(
        "list_files",
        Verdict::Deny,
        EffectClass::Read,
    ));
    let reply = plan(json!([{ "kind": "read_file", "path": "notes.txt" }]));
    let house = House::with([reply], broker, |_| {});
    let events = ask(&house, Mode::Plan, "Show notes.txt").await;
    let notice = events.iter().find_map(|event| match &event.body {
        EventBody::Notice(fault) => Some(fault.clone()),
        _ => None,
    });
    let notice = notice.unwrap();
    assert_eq!(notice.code, "plan.no_listing");
    assert!(notice.message.contains(" says deny: "), "{notice:?}");
}

#[tokio::test]
async fn a_model_plans_under_a_schema_made_for_the_workspace() {
    let house = House::with(
        [plan(json!([{ "kind": "read_file", "path": "notes.txt" }]))],
        tools(),
        |_| {},
    );
    let events = ask(&house, Mode::Plan, "Show notes.txt").await;
    assert_eq!(status(&events), QueryStatus::Success);
    assert_eq!(answer(&events), "notes.txt (2 lines):\nmilk\nAnn: 0142");
    let requests = house.requests();
    assert_eq!(requests.len(), 1);
    let schema = requests[0].response_schema.clone().unwrap().to_string();
    assert!(
        schema.contains("notes.txt") && schema.contains("maxLength"),
        "{schema}"
    );
    assert_eq!(requests[0].temperature, Some(0.0));
    assert!(requests[0].tools.is_empty());
    // The plan is no part of the answer that people watch.
    assert_eq!(count(&events, "response.delta"), 0);
    let calls: Vec<bool> = house
        .broker
        .calls()
        .iter()
        .map(|call| call.plan_id.is_some())
        .collect();
    assert_eq!(calls, [false, true], "the listing comes before the plan");
}

#[tokio::test]
async fn a_question_is_answered_from_what_the_plan_showed() {
    let house = House::with(
        [
            plan(json!([{ "kind": "read_file", "path": "notes.txt" }])),
            Reply::says("0142"),
        ],
        tools(),
        |_| {},
    );
    let events = ask(&house, Mode::Plan, "What is Ann's number?").await;
    assert_eq!(status(&events), QueryStatus::Success);
    assert_eq!(answer(&events), "0142");
    assert_eq!(steps(&events), [(0, CallStatus::Ok), (1, CallStatus::Ok)]);
    let asked = house.last_messages();
    assert!(asked.last().unwrap().text().contains("Ann: 0142"));
    assert!(house.requests()[1].tools.is_empty());
}

#[tokio::test]
async fn an_answer_that_fails_leaves_what_was_done_said() {
    let house = House::with(
        [
            plan(json!([{ "kind": "read_file", "path": "notes.txt" }])),
            Reply::refused(ErrorKind::Timeout, "too slow"),
        ],
        tools(),
        |_| {},
    );
    let events = ask(&house, Mode::Plan, "What is Ann's number?").await;
    assert_eq!(status(&events), QueryStatus::Partial);
    assert_eq!(fault(&events).code, "models.timeout");
    assert!(answer(&events).contains("Ann: 0142"));
}

#[tokio::test]
async fn without_a_model_planning_fails_with_that_error_and_nothing_stands_in() {
    let none = Reply::refused(ErrorKind::NotConfigured, "no model is configured");
    let house = House::with([none], tools(), |_| {});
    // The rules would understand this one.
    let events = ask(&house, Mode::Plan, "show notes.txt").await;
    assert_eq!(status(&events), QueryStatus::Failed);
    assert_eq!(fault(&events).code, "models.not_configured");
    assert_eq!(count(&events, "plan.proposed"), 0);
    let tools: Vec<String> = house
        .broker
        .calls()
        .into_iter()
        .map(|call| call.tool)
        .collect();
    assert_eq!(tools, ["list_files"]);
}

#[tokio::test]
async fn a_plan_that_breaks_its_bounds_runs_nothing() {
    for bad in [
        plan(json!([{ "kind": "run_command", "argv": ["rm", "-rf", "/"] }])),
        plan(json!([{ "kind": "head", "path": "notes.txt", "lines": 100_000 }])),
        plan(json!([{ "kind": "undo", "command": "rm" }])),
        Reply::says("Sure! I will delete it."),
    ] {
        let house = House::with([bad], tools(), |_| {});
        let events = ask(&house, Mode::Plan, "Show notes.txt").await;
        assert_eq!(status(&events), QueryStatus::Failed);
        assert_eq!(fault(&events).code, "plan.invalid");
        assert_eq!(house.broker.calls().len(), 1, "only the listing");
    }
}

#[tokio::test]
async fn a_change_that_the_broker_takes_for_reading_is_not_run() {
    let broker = tools();
    broker.add_tool(tool("delete_file", json!({})));
    let house = House::with([], broker, |_| {});
    is_there(&house, "a.txt");
    let events = ask(&house, Mode::Deterministic, "delete a.txt").await;
    assert_eq!(status(&events), QueryStatus::Denied);
    assert_eq!(fault(&events).code, "plan.gate");
    assert!(house.broker.calls().is_empty());
}

#[tokio::test]
async fn an_interrupt_stops_the_running_step() {
    let broker = tools();
    broker.add_tool(tool("read_file", Value::Null).waits(&Gate::new()));
    let house = House::with([], broker, |_| {});
    is_there(&house, "notes.txt");
    let id = house.open().await;
    let text = "show notes.txt then list the files";
    let mut stream = house
        .service
        .send(request(id, Mode::Deterministic, text))
        .await
        .unwrap();
    until(&mut stream, |body| {
        matches!(body, EventBody::BrokerDecision { .. }).then_some(())
    })
    .await;
    house.service.interrupt(id, None).await.unwrap();
    let events = all(stream).await;
    assert_eq!(status(&events), QueryStatus::Interrupted);
    assert_eq!(house.broker.calls().len(), 1);
}

#[tokio::test]
async fn what_a_planned_mode_said_is_part_of_the_conversation() {
    let house = House::with([Reply::says("Two.")], tools(), |_| {});
    let id = house.open().await;
    all(house
        .service
        .send(request(id, Mode::Deterministic, "show notes.txt"))
        .await
        .unwrap())
    .await;
    house.ask(id, "How many lines was that?").await;
    let messages = house.last_messages();
    assert!(
        messages
            .iter()
            .any(|message| message.text().contains("Ann: 0142"))
    );
    support::assert_well_formed(&messages);
}

fn with_planner(answers: impl IntoIterator<Item = Result<Value, Error>>) -> House {
    let planner = Arc::new(FakePlanner::new(answers));
    House::with([], tools(), |config| config.planner = Some(planner))
}

#[tokio::test]
async fn a_plan_from_outside_goes_the_same_way() {
    let plan = json!({ "intent": "show it", "actions": [
        { "kind": "read_file", "path": "notes.txt" },
    ]});
    let house = with_planner([Ok(plan), Err(Error::Declined("not that".to_owned()))]);
    let events = ask(&house, Mode::Bridge, "show notes.txt").await;
    assert_eq!(status(&events), QueryStatus::Success, "{:?}", events.last());
    assert_eq!(answer(&events), "notes.txt (2 lines):\nmilk\nAnn: 0142");
    assert_eq!(count(&events, "plan.approved"), 1);
    assert!(house.requests().is_empty());
    let events = ask(&house, Mode::Bridge, "sing a song").await;
    assert_eq!(status(&events), QueryStatus::Failed);
    assert_eq!(fault(&events).code, "bridge.declined");
    assert!(fault(&events).message.contains("not that"));
}

#[tokio::test]
async fn a_planner_outside_plans_nothing_that_no_action_is_for_and_nothing_stands_in_for_it() {
    let shell = json!({ "intent": "x", "actions": [{ "kind": "run_command", "argv": "rm" }] });
    for (house, code) in [
        (with_planner([Ok(shell)]), "plan.invalid"),
        (
            with_planner([Err(Error::WrongForm)]),
            "bridge.invalid_answer",
        ),
        (House::with([], tools(), |_| {}), "bridge.not_configured"),
    ] {
        let events = ask(&house, Mode::Bridge, "show notes.txt").await;
        assert_eq!(status(&events), QueryStatus::Failed);
        assert_eq!(fault(&events).code, code);
        assert_eq!(count(&events, "plan.proposed"), 0);
    }
}
