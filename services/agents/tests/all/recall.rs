//! What memory has on a request stands before it, survives what sessions survive, and holds nothing
//! up.

use crate::support;
use crate::support::{House, assert_well_formed, broker, count, status};
use api::sessions::SendRequest;
use contracts::{BrokerTool, FakeBroker, FakePlanner, Gate, Reply};
use domain::decision::Verdict;
use domain::event::{Event, EventBody, QueryStatus};
use domain::label::{Integrity, Label, Readers};
use domain::message::Message;
use domain::settings::Mode;
use domain::tool::{EffectClass, ToolName};
use serde_json::json;
use std::sync::Arc;

const FENCED: &str =
    "[TOOL_RESULT: TRUSTED search_memory 1]\nThe user takes coffee black.\n[END 1]";

fn found() -> BrokerTool {
    BrokerTool::new("search_memory", Verdict::Allow, EffectClass::Read)
        .returns(FENCED)
        .with_data(json!({"results": [{"id": "m1"}, {"id": "m2"}]}))
        .labelled(Label::trusted("user"))
}

fn with(tool: BrokerTool) -> FakeBroker {
    let broker = broker();
    broker.add_tool(tool);
    broker
}

fn recalled(events: &[Event]) -> Vec<&EventBody> {
    let bodies = events.iter().map(|event| &event.body);
    bodies
        .filter(|body| matches!(body, EventBody::MemoryRecalled { .. }))
        .collect()
}

fn label_of(events: &[Event]) -> Label {
    let label = events.iter().find_map(|event| match &event.body {
        EventBody::GenerationFinished { label, .. } => label.clone(),
        _ => None,
    });
    label.unwrap()
}

fn last_user(messages: &[Message]) -> &str {
    let users = messages.iter().rev();
    let mut texts = users.filter_map(|message| match message {
        Message::User { text } => Some(text.as_str()),
        _ => None,
    });
    texts.next().unwrap()
}

#[tokio::test]
async fn what_is_relevant_stands_fenced_before_the_request_and_is_an_event_before_the_model() {
    let house = House::with([Reply::says("Black.")], with(found()), |_| {});
    let id = house.open().await;
    let events = house.ask(id, "How do I like my coffee?").await;
    let [
        EventBody::MemoryRecalled {
            memories,
            query,
            text,
            label,
            value_id,
        },
    ] = recalled(&events)[..]
    else {
        panic!("{events:#?}");
    };
    assert_eq!(memories, &["m1", "m2"]);
    assert_eq!(
        (query.as_str(), text.as_str()),
        ("How do I like my coffee?", FENCED)
    );
    assert_eq!(label, &Some(Label::trusted("user")));
    assert!(value_id.is_some());
    let asked = &house.broker.calls()[0];
    assert_eq!(asked.tool, "search_memory");
    let wanted = json!({"query": "How do I like my coffee?", "limit": 3, "relevant_only": true});
    assert_eq!(asked.arguments, wanted);
    let messages = house.last_messages();
    assert_well_formed(&messages);
    let said = last_user(&messages);
    let (fence, words) = (said.find(FENCED), said.find("How do I like"));
    assert!(fence.unwrap() < words.unwrap(), "{said}");
    assert!(said.ends_with("\n\nHow do I like my coffee?"), "{said}");
    let place = |wanted: &str| {
        let subjects = support::kinds(&events);
        subjects.iter().position(|subject| subject == wanted)
    };
    assert!(place("memory.recalled") < place("model.chosen").or(place("response.step")));
}

#[tokio::test]
async fn nothing_relevant_shows_nothing() {
    let nothing = found().with_data(json!({"results": []}));
    let house = House::with([Reply::says("Hm.")], with(nothing), |_| {});
    let id = house.open().await;
    let events = house.ask(id, "How do I like my coffee?").await;
    assert!(recalled(&events).is_empty());
    assert_eq!(house.broker.calls().len(), 1);
    assert!(last_user(&house.last_messages()).ends_with("How do I like my coffee?"));
    assert!(!last_user(&house.last_messages()).contains("From memory"));
}

#[tokio::test]
async fn what_would_take_more_than_its_share_of_the_prompt_is_left_out() {
    for (size, limits) in [(5_000, vec![3]), (8_000, vec![3, 1])] {
        let long = found().returns("x".repeat(size));
        let house = House::with([Reply::says("Black.")], with(long), |_| {});
        let id = house.open().await;
        let events = house.ask(id, "How do I like my coffee?").await;
        let calls = house.broker.calls();
        let asked = calls.iter().map(|call| call.arguments["limit"].as_u64());
        let asked: Vec<u64> = asked.flatten().collect();
        assert_eq!(asked, limits, "{size}");
        // The tool gives as much however few are asked for: not even one fits.
        assert_eq!(recalled(&events).is_empty(), limits.len() > 1, "{size}");
    }
}

#[tokio::test]
async fn nothing_is_asked_where_the_tool_is_disabled_not_there_or_recall_is_off() {
    let disabled = House::with([Reply::says("Hm.")], with(found()), |_| {});
    let mut profile = disabled.profile();
    let name = ToolName::new("search_memory").unwrap();
    profile.settings.disabled_tools.insert(name);
    let open = api::sessions::OpenRequest::New(profile);
    let opened = api::sessions::Sessions::open(&*disabled.service, open).await;
    let events = disabled.ask(opened.unwrap().session_id, "Coffee?").await;
    assert!(recalled(&events).is_empty() && disabled.broker.calls().is_empty());

    let without = House::with([Reply::says("Hm.")], broker(), |_| {});
    let id = without.open().await;
    assert!(recalled(&without.ask(id, "Coffee?").await).is_empty());
    assert!(without.broker.calls().is_empty());

    let off = House::with([Reply::says("Hm.")], with(found()), |c| c.recall = false);
    let id = off.open().await;
    assert!(recalled(&off.ask(id, "Coffee?").await).is_empty());
    assert!(off.broker.calls().is_empty());
}

#[tokio::test]
async fn nobody_is_asked_for_a_recall_and_a_refused_one_is_silent() {
    for verdict in [Verdict::Confirm, Verdict::Deny] {
        let tool = BrokerTool::new("search_memory", verdict, EffectClass::Read);
        let house = House::with([Reply::says("Hm.")], with(tool), |_| {});
        let id = house.open().await;
        let events = house.ask(id, "Coffee?").await;
        assert_eq!(status(&events), QueryStatus::Success);
        assert_eq!(count(&events, "confirmation.asked"), 0);
        assert_eq!(count(&events, "notice") + recalled(&events).len(), 0);
    }
}

#[tokio::test]
async fn a_memory_that_fails_or_hangs_is_a_notice_and_no_failed_turn() {
    let gate = Gate::new();
    for tool in [found().fails("[FAILED] disk"), found().waits(&gate)] {
        let house = House::with([Reply::says("Hm.")], with(tool), |_| {});
        let id = house.open().await;
        let events = house.ask(id, "Coffee?").await;
        assert_eq!(status(&events), QueryStatus::Success);
        assert_eq!(count(&events, "notice"), 1, "{events:#?}");
        assert!(recalled(&events).is_empty());
        assert!(!last_user(&house.last_messages()).contains("disk"));
    }
}

#[tokio::test]
async fn an_interrupt_does_not_wait_for_a_recall() {
    let gate = Gate::new();
    let house = House::with([], with(found().waits(&gate)), |_| {});
    let id = house.open().await;
    let stream = house.send(id, "Coffee?").await;
    gate.reached().await;
    api::sessions::Sessions::interrupt(&*house.service, id, None)
        .await
        .unwrap();
    let events = support::all(stream).await;
    assert_eq!(status(&events), QueryStatus::Interrupted);
    assert!(house.requests().is_empty());
}

#[tokio::test]
async fn a_resumed_session_shows_the_model_what_the_one_before_showed() {
    let house = House::with([Reply::says("Black.")], with(found()), |_| {});
    let id = house.open().await;
    house.ask(id, "How do I like my coffee?").await;
    let lived = house.last_messages();
    let house = house.reborn([Reply::says("Yes.")]).await;
    house.resume(id).await.unwrap();
    house.ask(id, "Are you sure?").await;
    let resumed = house.last_messages();
    assert_eq!(resumed[..lived.len()], lived[..]);
    assert_well_formed(&resumed);
}

#[tokio::test]
async fn an_answer_has_the_label_of_everything_that_was_shown_also_after_a_resume() {
    let outside = found().labelled(Label::untrusted("web:example.org"));
    let replies = [Reply::says("Black."), Reply::says("Yes.")];
    let house = House::with(replies, with(outside), |_| {});
    let id = house.open().await;
    let label = label_of(&house.ask(id, "How do I like my coffee?").await);
    assert_eq!(label.integrity, Integrity::Untrusted);
    assert!(label.origins.contains("web:example.org") && label.origins.contains("user"));
    let house = house.reborn([Reply::says("Yes.")]).await;
    house.resume(id).await.unwrap();
    let label = label_of(&house.ask(id, "Sure?").await);
    assert_eq!(label.integrity, Integrity::Untrusted);
}

#[tokio::test]
async fn an_answer_from_the_users_words_alone_is_the_users_to_read() {
    let house = House::new([Reply::says("Noted."), Reply::says("Yes.")]);
    let id = house.open().await;
    let label = label_of(&house.ask(id, "I take my coffee black.").await);
    assert_eq!(label.integrity, Integrity::Trusted);
    assert_eq!(label.readers, Readers::Nobody);
}

#[tokio::test]
async fn what_a_failed_tool_said_is_anybodys() {
    let broker = broker();
    broker.add_tool(
        BrokerTool::new("look", Verdict::Allow, EffectClass::Read).fails("[FAILED] no `x`"),
    );
    let replies = [Reply::calls("look", json!({})), Reply::says("It failed.")];
    let house = House::with(replies, broker, |_| {});
    let id = house.open().await;
    let label = label_of(&house.ask(id, "Look.").await);
    assert_eq!(label.integrity, Integrity::Untrusted);
}

#[tokio::test]
async fn every_event_of_the_log_is_on_the_bus_in_order() {
    let house = House::with([Reply::says("Black.")], with(found()), |_| {});
    let id = house.open().await;
    house.ask(id, "How do I like my coffee?").await;
    let logged = house.events(id).await;
    let published = house.bus.published();
    let published: Vec<Event> = published.iter().map(|event| (**event).clone()).collect();
    assert_eq!(published, logged);
}

/// As [`House::ask`], in another mode.
async fn ask_in(house: &House, mode: Mode, text: &str) -> Vec<Event> {
    let id = house.open().await;
    let request = SendRequest {
        mode: Some(mode),
        ..support::request(id, text)
    };
    let sent = api::sessions::Sessions::send(&*house.service, request).await;
    support::all(sent.unwrap()).await
}

const COFFEE: &str = "How do I like my coffee?";

#[tokio::test]
async fn who_plans_and_who_answers_for_a_plan_know_what_was_recalled() {
    let question = json!({"kind": "answer", "question": COFFEE});
    let plan = json!({"intent": "say it", "actions": [question]}).to_string();
    let replies = [Reply::says(plan), Reply::says("Black.")];
    let house = House::with(replies, with(found()), |_| {});
    let events = ask_in(&house, Mode::Plan, COFFEE).await;
    assert_eq!(status(&events), QueryStatus::Success, "{events:#?}");
    assert_eq!(recalled(&events).len(), 1, "looked once a request");
    let requests = house.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        let said = last_user(&request.messages);
        let (fence, words) = (said.find(FENCED), said.find(COFFEE));
        assert!(fence.is_some() && fence < words, "{said}");
        // The examples in front stay as they are from request to request.
        let before = &request.messages[..request.messages.len() - 1];
        assert!(before.iter().all(|one| !one.text().contains(FENCED)));
    }
}

#[tokio::test]
async fn a_bridge_is_told_what_was_recalled() {
    for remembers in [true, false] {
        let broker = if remembers { with(found()) } else { broker() };
        let planner = Arc::new(FakePlanner::new([]));
        let house = House::with([], broker, |config| {
            config.planner = Some(planner.clone());
        });
        let events = ask_in(&house, Mode::Bridge, COFFEE).await;
        assert_eq!(recalled(&events).len(), usize::from(remembers));
        let told = planner.requests();
        let memory = told[0].memory.as_str();
        assert_eq!(memory.ends_with(FENCED), remembers, "{told:#?}");
        assert_eq!(memory.is_empty(), !remembers, "{told:#?}");
    }
}

#[tokio::test]
async fn the_rules_that_need_no_model_ask_no_memory() {
    let house = House::with([], with(found()), |_| {});
    let events = ask_in(&house, Mode::Deterministic, "count the lines of notes.txt").await;
    assert!(recalled(&events).is_empty());
    let mut calls = house.broker.calls().into_iter();
    assert!(!calls.any(|call| call.tool == "search_memory"));
}
