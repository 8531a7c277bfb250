//! What is sent: thinking, recalled text, and the estimate.

use context::{Speaker, View};
use domain::message::{Message, Thinking};

fn view(request: &str) -> View {
    let mut view = View::new();
    view.begin_turn(1, request.to_owned(), Speaker::User);
    view
}

fn reply(text: String, thinking: Option<Thinking>) -> Message {
    Message::Assistant {
        text,
        thinking,
        tool_calls: Vec::new(),
    }
}

#[test]
fn signed_thinking_stays_during_its_turn_only() {
    let mut view = view("begin");
    let thinking = Thinking {
        text: "hm".to_owned(),
        signature: Some("sig".to_owned()),
    };
    view.add(2, reply(String::new(), Some(thinking)));
    let has_thinking = |view: &View| {
        let mut messages = view.messages().into_iter();
        messages.any(|m| matches!(m, Message::Assistant { thinking, .. } if thinking.is_some()))
    };
    assert!(has_thinking(&view));
    view.begin_turn(3, "go on".to_owned(), Speaker::User);
    assert!(!has_thinking(&view));
}

#[test]
fn the_estimate_follows_what_servers_report() {
    let mut view = view("begin");
    view.add(2, reply("a".repeat(4_000), None));
    let naive = view.estimate();
    for _ in 0..20 {
        view.calibrate(view.characters(), naive * 2);
    }
    assert!(view.estimate() > naive * 19 / 10);
}

#[test]
fn what_was_recalled_stands_before_the_words_and_counts() {
    let mut view = view("one");
    for turn in ["one", "two"] {
        if turn == "two" {
            view.add(2, reply("yes".to_owned(), None));
            view.begin_turn(3, turn.to_owned(), Speaker::User);
        }
        let before = view.characters();
        view.set_recalled(format!("[recalled for {turn}] "));
        assert_eq!(view.characters(), before + 19);
        let said = view.messages().pop().map(|m| m.text().to_owned());
        assert_eq!(said, Some(format!("[recalled for {turn}] {turn}")));
    }
}
