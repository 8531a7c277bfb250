//! The sliding window under random conversations: what is left is well formed, fits if it can, and
//! between trims only grows at its end.
#![allow(clippy::unwrap_used, reason = "a test is allowed to fail loudly")]

use context::{ContextManager, SlidingWindow, Speaker};
use domain::id::CallId;
use domain::message::{Message, Thinking, ToolCall};
use domain::tool::ToolName;
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use uuid::Uuid;

#[derive(Debug, Clone)]
enum Step {
    Request(usize),
    Answer(usize),
    Calls(Vec<usize>),
    Trim(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (1_usize..800).prop_map(Step::Request),
        3 => (1_usize..800).prop_map(Step::Answer),
        4 => proptest::collection::vec(0_usize..6_000, 1..4).prop_map(Step::Calls),
        2 => (50_u64..4_000).prop_map(Step::Trim),
    ];
    proptest::collection::vec(step, 1..40)
}

struct World {
    window: SlidingWindow,
    calls: u128,
    requests: usize,
}

impl World {
    fn new() -> Self {
        let mut window = SlidingWindow::new();
        window.set_system("Standing instructions.".to_owned());
        window.set_preamble("PREAMBLE\n".to_owned());
        window.set_tools(&[]);
        window.begin_turn(0, "request 0".to_owned(), Speaker::User);
        Self {
            window,
            calls: 0,
            requests: 0,
        }
    }

    fn take(&mut self, step: &Step) {
        match step {
            Step::Request(size) => {
                self.requests += 1;
                let text = format!("request {} {}", self.requests, "r".repeat(*size));
                self.window.begin_turn(0, text, Speaker::User);
            }
            Step::Answer(size) => self.window.add(0, answer("a".repeat(*size), Vec::new())),
            Step::Calls(results) => {
                let calls: Vec<ToolCall> = results.iter().map(|_| self.next_call()).collect();
                self.window.add(0, answer(String::new(), calls.clone()));
                for (call, size) in calls.iter().zip(results) {
                    self.window.add(
                        0,
                        Message::Tool {
                            call_id: call.call_id,
                            name: ToolName::new("read_file").unwrap(),
                            text: "é".repeat(*size),
                        },
                    );
                }
            }
            Step::Trim(budget) => {
                self.window.trim(*budget);
            }
        }
    }

    fn next_call(&mut self) -> ToolCall {
        self.calls += 1;
        ToolCall {
            call_id: CallId::from_uuid(Uuid::from_u128(self.calls)),
            name: "read_file".to_owned(),
            arguments: json!({"path": "notes.md"}),
        }
    }
}

fn answer(text: String, tool_calls: Vec<ToolCall>) -> Message {
    Message::Assistant {
        text,
        thinking: None,
        tool_calls,
    }
}

fn lines(messages: &[Message]) -> String {
    messages
        .iter()
        .map(|message| serde_json::to_string(message).unwrap() + "\n")
        .collect()
}

fn assert_well_formed(messages: &[Message]) -> Result<(), TestCaseError> {
    let mut open: BTreeSet<CallId> = BTreeSet::new();
    let first = matches!(messages[0], Message::System { .. });
    prop_assert!(first);
    let second =
        matches!(&messages[1], Message::User { text } if text.starts_with("PREAMBLE\nrequest "));
    prop_assert!(second);
    for message in &messages[2..] {
        match message {
            Message::Tool { call_id, .. } => prop_assert!(open.remove(call_id), "orphan result"),
            other => {
                prop_assert!(open.is_empty(), "a call lost its result");
                prop_assert!(!other.text().contains("PREAMBLE"));
                if let Message::Assistant { tool_calls, .. } = other {
                    open.extend(tool_calls.iter().map(|call| call.call_id));
                }
            }
        }
    }
    prop_assert!(open.is_empty(), "a call lost its result");
    Ok(())
}

proptest! {
    #[test]
    fn trimming_keeps_the_conversation_well_formed(steps in steps(), budget in 50_u64..3_000) {
        let mut world = World::new();
        for step in &steps {
            world.take(step);
            assert_well_formed(&world.window.messages())?;
        }
        let trimming = world.window.trim(budget);
        let messages = world.window.messages();
        assert_well_formed(&messages)?;
        let newest = format!("request {}", world.requests);
        prop_assert!(messages.iter().any(|m| m.text().contains(&newest)), "the request is gone");
        prop_assert_eq!(trimming.after_tokens, world.window.estimate());
        if trimming.after_tokens > budget {
            let requests = messages.iter().filter(|m| matches!(m, Message::User { .. })).count();
            prop_assert_eq!(requests, 1, "an older turn could have gone");
            let whole = messages.iter().any(|m| matches!(m, Message::Tool { text, .. } if text.chars().count() > 1_000));
            prop_assert!(!whole, "a result could have been shortened");
        }
        prop_assert!(!world.window.trim(budget.max(trimming.after_tokens)).changed());
    }

    #[test]
    fn between_trims_a_prompt_is_the_beginning_of_the_next(steps in steps()) {
        let mut world = World::new();
        let mut before = lines(&world.window.messages());
        for step in &steps {
            world.take(step);
            let after = lines(&world.window.messages());
            if !matches!(step, Step::Trim(_)) {
                prop_assert!(after.starts_with(&before));
            }
            before = after;
        }
    }

    #[test]
    fn going_back_restores_what_was(before in steps(), after in steps()) {
        let mut world = World::new();
        before.iter().for_each(|step| world.take(step));
        let checkpoint = world.window.checkpoint();
        let was = world.window.messages();
        let untrimmed = after.iter().filter(|step| !matches!(step, Step::Trim(_)));
        untrimmed.for_each(|step| world.take(step));
        world.window.rollback(checkpoint).unwrap();
        prop_assert_eq!(world.window.messages(), was);
    }
}

#[test]
fn going_back_past_a_trim_is_refused() {
    let mut world = World::new();
    let checkpoint = world.window.checkpoint();
    world.take(&Step::Answer(4_000));
    world.take(&Step::Request(10));
    world.window.trim(100);
    assert!(world.window.rollback(checkpoint).is_err());
    assert_eq!(world.window.messages().len(), 2);
}

#[test]
fn a_tool_result_is_popped_with_its_call() {
    let mut world = World::new();
    world.take(&Step::Calls(vec![1, 2]));
    assert_eq!(world.window.pop().len(), 3);
    assert_eq!(world.window.pop().len(), 1);
    assert!(world.window.pop().is_empty());
}

#[test]
fn signed_thinking_stays_during_its_turn_only() {
    let mut world = World::new();
    world.window.add(
        0,
        Message::Assistant {
            text: String::new(),
            thinking: Some(Thinking {
                text: "hm".to_owned(),
                signature: Some("sig".to_owned()),
            }),
            tool_calls: Vec::new(),
        },
    );
    let has_thinking = |window: &SlidingWindow| {
        window
            .messages()
            .iter()
            .any(|m| matches!(m, Message::Assistant { thinking, .. } if thinking.is_some()))
    };
    assert!(has_thinking(&world.window));
    world.take(&Step::Request(1));
    assert!(!has_thinking(&world.window));
}

#[test]
fn the_estimate_follows_what_servers_report() {
    let mut world = World::new();
    world.take(&Step::Answer(4_000));
    let naive = world.window.estimate();
    for _ in 0..20 {
        world.window.calibrate(world.window.characters(), naive * 2);
    }
    assert!(world.window.estimate() > naive * 19 / 10);
}

#[test]
fn what_was_recalled_stands_before_the_words_counts_and_goes_first() {
    let mut window = SlidingWindow::new();
    let words = "w ".repeat(200);
    for turn in ["one", "two"] {
        window.begin_turn(0, format!("{turn} {words}"), Speaker::User);
        let before = window.characters();
        window.set_recalled(format!("[recalled for {turn}] "));
        assert_eq!(window.characters(), before + 19);
        let said = window.messages().pop().map(|m| m.text().to_owned());
        assert_eq!(said, Some(format!("[recalled for {turn}] {turn} {words}")));
        if turn == "one" {
            window.add(
                0,
                Message::Assistant {
                    text: "yes".to_owned(),
                    thinking: None,
                    tool_calls: Vec::new(),
                },
            );
        }
    }
    let whole = window.estimate();
    // There is room for the words of both requests, and not for more.
    let mut trimmed = window.clone();
    let trimming = trimmed.trim(whole - 1);
    assert_eq!(trimming.dropped_recalls, 2);
    assert!(trimming.changed());
    let texts: String = trimmed.messages().iter().map(Message::text).collect();
    assert!(!texts.contains("recalled"), "{texts}");
    assert!(texts.contains("two w"), "{texts}");
    // One that fits stays.
    assert_eq!(window.trim(whole).dropped_recalls, 0);
}
