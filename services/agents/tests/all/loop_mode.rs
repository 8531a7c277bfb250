//! Loop mode from request to answer, with scripted models and tools.

use crate::support;
use crate::support::{House, all, answer, assert_well_formed, broker, count, kinds, status, until};
use api::audit::Action;
use api::models::{ChatChunk, ErrorKind, ToolChoice};
use contracts::{BrokerTool, Gate, Reply, within};
use domain::decision::Verdict;
use domain::event::{CallStatus, EventBody, QueryStatus};
use domain::label::Label;
use domain::limits::{TOOL_CALLS_PER_REPLY, TOOL_ITERATIONS};
use domain::message::{Message, Thinking};
use domain::model::{FinishReason, Usage};
use domain::tool::EffectClass;
use serde_json::json;

fn tool_texts(messages: &[Message]) -> Vec<&str> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[tokio::test]
async fn a_model_looks_twice_and_answers() {
    let house = House::new([
        Reply::new()
            .thinking("I should look.")
            .tool_call("read_file", json!({"path": "notes.md"})),
        Reply::calls("look", json!({})),
        Reply::says("There are ").text("two notes."),
    ]);
    let id = house.open().await;
    let events = house.ask(id, "How many notes?").await;
    assert_eq!(status(&events), QueryStatus::Success);
    assert_eq!(answer(&events), "There are two notes.");
    let order: Vec<String> = kinds(&events)
        .into_iter()
        .filter(|kind| !kind.starts_with("response.delta") && kind != "model.chosen")
        .collect();
    assert_eq!(
        order,
        [
            "query.received",
            "tool.schema",
            "response.step",
            "tool.request.read_file",
            "broker.decision",
            "tool.result.read_file",
            "response.step",
            "tool.request.look",
            "broker.decision",
            "tool.result.look",
            "response.step",
            "response.generation",
            "answer.dialog",
            "query.finished",
        ]
    );
    let EventBody::GenerationFinished {
        thinking,
        tool_calls,
        usage,
        model,
        ..
    } = &events[events.len() - 3].body
    else {
        panic!("{events:?}");
    };
    assert_eq!(thinking, "I should look.");
    let calls: Vec<(&str, CallStatus)> = tool_calls
        .iter()
        .map(|call| (call.tool.as_str(), call.status))
        .collect();
    assert_eq!(
        calls,
        [("read_file", CallStatus::Ok), ("look", CallStatus::Ok)]
    );
    assert_eq!((usage.prompt_tokens, usage.completion_tokens), (30, 15));
    assert!(model.is_some());
}

#[tokio::test]
async fn every_model_call_is_recorded_and_thinking_is_not_sent_back() {
    let house = House::new([
        Reply::new()
            .thinking("I should look.")
            .tool_call("read_file", json!({})),
        Reply::calls("look", json!({})),
        Reply::says("Two."),
        Reply::says("Still two."),
    ]);
    let id = house.open().await;
    house.ask(id, "How many notes?").await;
    let request = house.requests().pop().unwrap();
    assert_well_formed(&request.messages);
    assert_eq!(tool_texts(&request.messages), ["read_file", "look"]);
    assert!(request.messages.iter().all(|m| !matches!(
        m,
        Message::Assistant {
            thinking: Some(_),
            ..
        }
    )));
    let recorded = house.audit.entries();
    let calls: Vec<_> = recorded
        .iter()
        .filter(|e| e.action == Action::ModelCall)
        .collect();
    assert_eq!(calls.len(), 3);
    assert!(
        calls
            .iter()
            .all(|e| e.model_call.is_some() && !e.lineage.is_empty())
    );
    let second = house.ask(id, "And now?").await;
    assert_eq!(
        count(&second, "tool.schema"),
        0,
        "the same tools are not announced again"
    );
}

#[tokio::test]
async fn the_prompt_of_a_call_is_the_beginning_of_the_next() {
    let replies = [
        Reply::calls("look", json!({})),
        Reply::new()
            .tool_call("look", json!({"n": 1}))
            .tool_call("save", json!({"n": 2})),
        Reply::says("Done."),
        Reply::calls("look", json!({})),
        Reply::says("Done again."),
    ];
    let house = House::with(replies, broker(), |config| {
        config.prompts.project_notes = support::notes("Use tabs.");
    });
    let id = house.open().await;
    house.ask(id, "One").await;
    house.ask(id, "Two").await;
    let prompts: Vec<String> = house
        .requests()
        .iter()
        .map(|request| {
            let tools = serde_json::to_string(&request.tools).unwrap();
            let lines = request
                .messages
                .iter()
                .map(|m| serde_json::to_string(m).unwrap() + "\n");
            tools + &lines.collect::<String>()
        })
        .collect();
    assert_eq!(prompts.len(), 5);
    for pair in prompts.windows(2) {
        assert!(
            pair[1].starts_with(&pair[0]),
            "{}\n---\n{}",
            pair[0],
            pair[1]
        );
    }
    let first = house.requests()[0].messages[1].text().to_owned();
    assert!(first.contains("Use tabs.") && first.contains("project_notes"));
    assert!(first.ends_with("The user's request:\nOne"));
    // The broker hears of it once, and not again while it stays the same.
    let shown = house.broker.shown();
    assert_eq!(shown.len(), 1, "{shown:?}");
    assert_eq!(shown[0].1, Label::untrusted("project notes:AGENTS.md"));
}

#[tokio::test]
async fn calls_that_only_look_run_at_the_same_time() {
    let (one, two) = (Gate::new(), Gate::new());
    let tools = broker();
    tools.add_tool(BrokerTool::new("one", Verdict::Allow, EffectClass::Read).waits(&one));
    tools.add_tool(BrokerTool::new("two", Verdict::Allow, EffectClass::Read).waits(&two));
    let replies = [
        Reply::new()
            .tool_call("one", json!({}))
            .tool_call("two", json!({})),
        Reply::says("Both."),
    ];
    let house = House::with(replies, tools, |_| {});
    let id = house.open().await;
    let mut stream = house.send(id, "Look at both").await;
    within("both tools at work", async {
        one.reached().await;
        two.reached().await;
    })
    .await;
    two.open();
    until(&mut stream, |body| {
        matches!(body, EventBody::ToolResult { tool, .. } if tool == "two").then_some(())
    })
    .await;
    one.open();
    assert_eq!(status(&all(stream).await), QueryStatus::Success);
    assert_eq!(
        tool_texts(&house.last_messages()),
        ["one", "two"],
        "results in the order asked"
    );
}

#[tokio::test]
async fn calls_run_in_order_when_one_of_them_writes() {
    let gate = Gate::new();
    let tools = broker();
    tools.add_tool(BrokerTool::new("slow", Verdict::Allow, EffectClass::SharedWrite).waits(&gate));
    let replies = [
        Reply::new()
            .tool_call("slow", json!({}))
            .tool_call("look", json!({})),
        Reply::says("Both."),
    ];
    let house = House::with(replies, tools, |_| {});
    let id = house.open().await;
    let stream = house.send(id, "Write, then look").await;
    within("the writing tool at work", gate.reached()).await;
    assert_eq!(
        house.broker.calls().len(),
        1,
        "the second waits for the first"
    );
    gate.open();
    all(stream).await;
    assert_eq!(house.broker.calls().len(), 2);
}

#[tokio::test]
async fn an_empty_reply_is_nudged_once_and_then_given_up() {
    let house = House::new([
        Reply::new().thinking("hm"),
        Reply::says("Here."),
        Reply::new(),
        Reply::new(),
    ]);
    let id = house.open().await;
    let events = house.ask(id, "Hello?").await;
    assert_eq!(
        (answer(&events).as_str(), status(&events)),
        ("Here.", QueryStatus::Success)
    );
    assert_well_formed(&house.last_messages());
    let events = house.ask(id, "And now?").await;
    assert_eq!(status(&events), QueryStatus::Failed);
    let Some(EventBody::QueryFinished {
        error: Some(fault), ..
    }) = events.last().map(|e| &e.body)
    else {
        panic!("{events:?}");
    };
    assert_eq!(fault.code, "agents.no_answer");
}

#[tokio::test]
async fn after_all_steps_a_final_answer_is_asked_for_without_tools() {
    let steps = (0..TOOL_ITERATIONS).map(|n| Reply::calls("look", json!({"n": n})));
    let last = Reply::says("That is all.").tool_call("look", json!({}));
    let house = House::new(steps.chain([last]));
    let id = house.open().await;
    let events = house.ask(id, "Look forever").await;
    assert_eq!(status(&events), QueryStatus::Partial);
    assert_eq!(answer(&events), "That is all.");
    let requests = house.requests();
    assert_eq!(requests.len(), TOOL_ITERATIONS as usize + 1);
    assert_eq!(requests.last().unwrap().tool_choice, ToolChoice::None);
    assert_eq!(house.broker.calls().len(), TOOL_ITERATIONS as usize);
    assert!(
        kinds(&events).contains(&"notice".to_owned()),
        "dropped calls are told"
    );
}

#[tokio::test]
async fn a_reply_with_too_many_calls_is_capped_and_every_call_answered() {
    let many = (0..=TOOL_CALLS_PER_REPLY).fold(Reply::new(), |reply, n| {
        reply.tool_call("look", json!({"n": n}))
    });
    let house = House::new([many, Reply::says("Enough.")]);
    let id = house.open().await;
    let events = house.ask(id, "Look a lot").await;
    assert_eq!(status(&events), QueryStatus::Success);
    assert_eq!(house.broker.calls().len(), TOOL_CALLS_PER_REPLY);
    assert_well_formed(&house.last_messages());
    assert!(
        tool_texts(&house.last_messages())
            .last()
            .unwrap()
            .starts_with("Not run")
    );
}

#[tokio::test]
async fn a_model_that_fails_midway_ends_the_request_and_not_the_session() {
    let house = House::new([
        Reply::says("I was about to").fail(ErrorKind::Interrupted, "the server went away"),
        Reply::refused(ErrorKind::Unreachable, "nothing answers").with_hint("Start the server."),
        Reply::says("Back."),
    ]);
    let id = house.open().await;
    let events = house.ask(id, "One").await;
    assert_eq!(status(&events), QueryStatus::Failed);
    assert_eq!(count(&events, "error"), 1);
    let events = house.ask(id, "Two").await;
    let Some(EventBody::QueryFinished {
        error: Some(fault), ..
    }) = events.last().map(|e| &e.body)
    else {
        panic!("{events:?}");
    };
    assert_eq!(
        (fault.code.as_str(), fault.hint.as_str()),
        ("models.unreachable", "Start the server.")
    );
    let events = house.ask(id, "Three").await;
    assert_eq!(
        (answer(&events).as_str(), status(&events)),
        ("Back.", QueryStatus::Success)
    );
    let messages = house.last_messages();
    assert_well_formed(&messages);
    assert!(
        messages.iter().any(|m| m.text() == "I was about to"),
        "what was shown stays"
    );
}

#[tokio::test]
async fn a_prompt_that_does_not_fit_is_made_smaller_and_sent_again() {
    let tools = broker();
    tools.add_tool(
        BrokerTool::new("look", Verdict::Allow, EffectClass::Read).returns("x".repeat(9_000)),
    );
    let replies = [
        Reply::calls("look", json!({})),
        Reply::says("Long."),
        Reply::refused(ErrorKind::ContextOverflow, "too long"),
        Reply::says("no summary"),
        Reply::says("Short."),
        Reply::refused(ErrorKind::ContextOverflow, "too long"),
    ];
    let house = House::with(replies, tools, |_| {});
    let id = house.open().await;
    house.ask(id, "First").await;
    let events = house.ask(id, "Second").await;
    assert_eq!(
        (answer(&events).as_str(), status(&events)),
        ("Short.", QueryStatus::Success)
    );
    assert_eq!(count(&events, "context.compacted"), 1);
    let messages = house.last_messages();
    assert_well_formed(&messages);
    assert!(messages.iter().all(|m| m.text().len() < 9_000));
    let events = house.ask(id, "Third").await;
    assert_eq!(
        status(&events),
        QueryStatus::Failed,
        "nothing is left to leave out twice over"
    );
}

#[tokio::test]
async fn a_long_conversation_is_trimmed_to_the_budget() {
    let tools = broker();
    tools.add_tool(
        BrokerTool::new("look", Verdict::Allow, EffectClass::Read).returns("y".repeat(6_000)),
    );
    let replies =
        (0..12).flat_map(|n| [Reply::calls("look", json!({"n": n})), Reply::says("Seen.")]);
    let house = House::with(replies, tools, |config| config.context_tokens = 8_192);
    house.models.answer_schemas(Reply::says("no summary"));
    let id = house.open().await;
    for n in 0..12 {
        let events = house.ask(id, &format!("Request {n}")).await;
        assert_eq!(status(&events), QueryStatus::Success);
        let messages = house.last_messages();
        assert_well_formed(&messages);
        let characters: usize = messages.iter().map(|m| m.text().chars().count()).sum();
        // The fake reports absurdly few tokens, so the estimate drifts to its lower bound of half.
        assert!(characters <= 8 * 8_192 * 45 / 100, "{characters}");
    }
}

#[tokio::test]
async fn refused_changes_end_as_denied_and_cut_answers_as_partial() {
    let tools = broker();
    tools.add_tool(BrokerTool::new(
        "wipe",
        Verdict::Deny,
        EffectClass::Destructive,
    ));
    let replies = [
        Reply::calls("wipe", json!({})),
        Reply::says("I was not allowed to."),
        Reply::says("Once upon a").finish(FinishReason::Length),
        Reply::calls("no such tool!", json!({})),
        Reply::calls("look", json!({})),
        Reply::says("Found it."),
    ];
    let house = House::with(replies, tools, |_| {});
    let id = house.open().await;
    assert_eq!(status(&house.ask(id, "Wipe it").await), QueryStatus::Denied);
    assert_eq!(
        status(&house.ask(id, "Tell me a story").await),
        QueryStatus::Partial
    );
    assert_eq!(status(&house.ask(id, "Look").await), QueryStatus::Success);
    assert_well_formed(&house.last_messages());
}

#[tokio::test]
async fn signed_thinking_goes_back_during_its_turn_only() {
    let block = Thinking {
        text: "hm".to_owned(),
        signature: Some("sig".to_owned()),
    };
    let house = House::new([
        Reply::new()
            .chunk(ChatChunk::ThinkingBlock(block.clone()))
            .tool_call("look", json!({})),
        Reply::says("Seen."),
        Reply::says("Again."),
    ]);
    let id = house.open().await;
    house.ask(id, "Look").await;
    let blocks = |messages: Vec<Message>| -> Vec<Thinking> {
        let thinking = messages.into_iter().filter_map(|message| match message {
            Message::Assistant { thinking, .. } => thinking,
            _ => None,
        });
        thinking.collect()
    };
    assert_eq!(blocks(house.last_messages()), [block]);
    house.ask(id, "Again").await;
    assert_eq!(blocks(house.last_messages()), []);
}

#[tokio::test]
async fn without_an_audit_log_there_is_no_answer() {
    let house = House::new([Reply::says("Hello."), Reply::says("Hello.")]);
    let id = house.open().await;
    house.audit.fail();
    let events = house.ask(id, "Hello").await;
    assert_eq!(status(&events), QueryStatus::Failed);
    house.audit.heal();
    assert_eq!(status(&house.ask(id, "Hello").await), QueryStatus::Success);
}

#[tokio::test]
async fn a_text_that_was_withdrawn_is_not_in_the_conversation() {
    let leaked = Reply::says("Let me see <tool_call>{...")
        .chunk(ChatChunk::TextReplaced("Let me see".to_owned()))
        .tool_call("look", json!({}))
        .usage(Usage {
            prompt_tokens: 900,
            ..Usage::default()
        });
    let house = House::new([leaked, Reply::says("Seen.")]);
    let id = house.open().await;
    let events = house.ask(id, "Look").await;
    assert_eq!(answer(&events), "Seen.");
    let messages = house.last_messages();
    assert!(messages.iter().any(|m| m.text() == "Let me see"));
    assert!(messages.iter().all(|m| !m.text().contains("<tool_call>")));
}
