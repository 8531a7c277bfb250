//! A conversation that lasts: rebuilt by events alone, the same after a crash, and in between only
//! growing at its end.

use crate::support::{House, answer, assert_well_formed, broker, count, status};
use api::models::ErrorKind;
use api::sessions::{PinChange, Sessions, Whose};
use context::{JOURNAL_NUDGE, transcript};
use contracts::{BrokerTool, Reply};
use domain::context::{CompactionCause, Summary, SummaryKind};
use domain::decision::Verdict;
use domain::event::{Event, EventBody};
use domain::id::SessionId;
use domain::message::Message;
use domain::model::Usage;
use domain::tool::EffectClass;
use serde_json::json;

/// A server's count that agrees with the estimate of a prompt of about this many characters, so
/// that no drift is learnt from the fake's own.
fn plain(reply: Reply) -> Reply {
    reply.usage(Usage::default())
}

fn long(n: usize) -> Reply {
    plain(Reply::says(format!("Answer {n}. {}", "a".repeat(900))))
}

/// A house with a context of 4,096 tokens and answers of some 225.
fn house(replies: impl IntoIterator<Item = Reply>) -> House {
    House::with(replies, broker(), |config| config.context_tokens = 4_096)
}

/// The compactions among events: cause, the last event covered, what stands for it.
fn compactions(events: &[Event]) -> Vec<(CompactionCause, Option<u64>, Option<Summary>)> {
    let found = events.iter().filter_map(|event| match &event.body {
        EventBody::ContextCompacted {
            cause,
            through,
            summary,
            ..
        } => Some((*cause, *through, summary.clone())),
        _ => None,
    });
    found.collect()
}

async fn talk(house: &House, id: SessionId, turns: std::ops::Range<usize>) {
    for n in turns {
        let question = format!(
            "Question {n}: the key of room {n} is K{n}. {}",
            "q".repeat(300)
        );
        let events = house.ask(id, &question).await;
        assert!(answer(&events).starts_with("Answer"), "{n}");
        assert_well_formed(&house.last_messages());
    }
}

#[tokio::test]
async fn the_oldest_turns_become_a_checked_summary_and_the_log_keeps_them() {
    let house = house((0..16).map(long));
    let answer = json!({"lines": [
        {"kind": "decision", "text": "The key of room 0 is K0.", "cites": [2]},
        {"kind": "decision", "text": "The key of room 0 is K77.", "cites": [2]},
        {"kind": "decision", "text": "Cites nothing that is there.", "cites": [9_999]},
    ]});
    house
        .models
        .answer_schemas(plain(Reply::says(answer.to_string())));
    let id = house.open().await;
    house
        .ask(id, "The key of room 0 is K0. Never write keys into files.")
        .await;
    talk(&house, id, 1..16).await;
    let events = house.events(id).await;
    let done = compactions(&events);
    assert!(!done.is_empty());
    let (cause, through, summary) = &done[0];
    assert_eq!(*cause, CompactionCause::Summary);
    assert!(through.is_some());
    let lines = &summary.as_ref().unwrap().lines;
    let has = |kind: SummaryKind, text: &str| {
        lines
            .iter()
            .any(|line| line.kind == kind && line.text == text)
    };
    assert!(
        has(SummaryKind::Decision, "The key of room 0 is K0."),
        "{lines:#?}"
    );
    assert!(
        has(SummaryKind::Constraint, "Never write keys into files."),
        "{lines:#?}"
    );
    assert!(
        !lines
            .iter()
            .any(|line| line.text.contains("K77") || line.cites.contains(&9_999))
    );
    let shown = transcript(&house.last_messages());
    assert!(shown.contains("Never write keys into files."), "{shown}");
    assert!(shown.contains("K0"), "{shown}");
    assert!(events.iter().any(|event| matches!(&event.body,
        EventBody::QueryReceived { text, .. } if text.contains("room 0"))));
}

#[tokio::test]
async fn a_session_taken_up_again_sees_what_the_live_one_would_have_seen() {
    let replies = || (0..40).map(long);
    let live = house(replies());
    live.models.answer_schemas(plain(Reply::says("no summary")));
    let id = live.open().await;
    talk(&live, id, 0..9).await;
    live.service.pin(id, 2, PinChange::Pin).await.unwrap();
    talk(&live, id, 9..20).await;
    assert!(compactions(&live.events(id).await).len() >= 2);
    let log = std::fs::read(live.log_path(id)).unwrap();
    live.ask(id, "And now?").await;
    let expected = live.last_messages();

    let second = House::with(replies(), broker(), |config| config.context_tokens = 4_096);
    // The working folder is named in the prompt.
    let here = second.workspace().display().to_string();
    let there = live.workspace().display().to_string();
    let log = String::from_utf8(log).unwrap().replace(&there, &here);
    std::fs::write(second.log_path(id), log).unwrap();
    second.resume(id).await.unwrap();
    second.ask(id, "And now?").await;
    let text = |messages: &[Message]| transcript(messages).replace(&there, &here);
    assert_eq!(text(&second.last_messages()), text(&expected));
    assert!(
        text(&expected).contains("Messages that the user pinned"),
        "{}",
        text(&expected)
    );
}

#[tokio::test]
async fn what_is_shown_to_people_is_what_the_model_was_sent() {
    let house = house((0..20).map(long));
    house
        .models
        .answer_schemas(plain(Reply::says("no summary")));
    let id = house.open().await;
    talk(&house, id, 0..13).await;
    let before = house.service.context(id, Whose::Root).await.unwrap();
    let text: String = before
        .parts
        .iter()
        .filter(|part| part.name != "tools")
        .map(|part| part.text.as_str())
        .collect();
    house.ask(id, "And then?").await;
    let sent = transcript(&house.last_messages());
    assert!(sent.starts_with(&text), "{text}\n---\n{sent}");
    let names: Vec<&str> = before.parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "system",
            "tools",
            "identity",
            "summary",
            "conversation",
            "turn"
        ]
    );
    assert!(before.parts.iter().map(|part| part.tokens).sum::<u64>() <= before.budget_tokens);
}

#[tokio::test]
async fn the_agent_is_told_once_to_write_its_journal_if_it_has_one() {
    let tools = broker();
    tools.add_tool(BrokerTool::new(
        "journal",
        Verdict::Allow,
        EffectClass::SelfWrite,
    ));
    let house = House::with((0..30).map(long), tools, |config| {
        config.context_tokens = 8_192
    });
    house
        .models
        .answer_schemas(plain(Reply::says("no summary")));
    let id = house.open().await;
    let mut nudged = 0;
    for n in 0..30 {
        let events = house
            .ask(id, &format!("Question {n}. {}", "q".repeat(100)))
            .await;
        let now = events.iter().filter(|event| {
            matches!(&event.body,
            EventBody::ModelNudged { text } if text == JOURNAL_NUDGE)
        });
        nudged += now.count();
        assert_well_formed(&house.last_messages());
        if count(&events, "context.compacted") > 0 {
            break;
        }
    }
    assert_eq!(nudged, 1);
    let bare = house_without_journal().await;
    assert_eq!(bare, 0);
}

async fn house_without_journal() -> usize {
    let house = house((0..30).map(long));
    house
        .models
        .answer_schemas(plain(Reply::says("no summary")));
    let id = house.open().await;
    talk(&house, id, 0..12).await;
    count(&house.events(id).await, "response.step")
        - 12
        - compactions(&house.events(id).await).len()
}

#[tokio::test]
async fn a_view_that_cannot_be_made_smaller_is_said_so_once() {
    let house = house((0..3).map(|n| plain(Reply::says(format!("Answer {n}.")))));
    let id = house.open().await;
    // More than three quarters of the context, and one turn alone.
    let events = house.ask(id, &"long ".repeat(2_600)).await;
    assert!(answer(&events).starts_with("Answer 0"));
    let faults = |events: &[Event]| {
        let full = |event: &&Event| {
            matches!(&event.body,
            EventBody::Error(fault) if fault.code == "agents.context_full")
        };
        events.iter().filter(full).count()
    };
    assert_eq!(faults(&events), 1);
    assert_eq!(count(&events, "context.compacted"), 0);
}

/// Calls that carry 1 MB, one that is run and one that is not, after it was said that the view is
/// full: neither is sent back whole, and a session taken up again sees the same.
#[tokio::test]
async fn huge_arguments_of_calls_are_not_sent_back() {
    let huge = || json!({"text": "w".repeat(1_000_000)});
    let tools = broker();
    tools.add_tool(BrokerTool::new("look", Verdict::Allow, EffectClass::Read));
    let replies = [
        plain(Reply::calls("look", huge())),
        plain(Reply::calls("no_such_tool", huge())),
        plain(Reply::says("Done.")),
    ];
    let house = House::with(replies, tools, |config| config.context_tokens = 4_096);
    let id = house.open().await;
    let events = house.ask(id, &"long ".repeat(1_800)).await;
    assert_eq!(answer(&events), "Done.");
    for request in house.requests() {
        assert_well_formed(&request.messages);
        let sent = serde_json::to_string(&request.messages).unwrap();
        assert!(sent.len() < 4_096 * 4, "{}", sent.len());
    }
    let before = transcript(&house.last_messages());
    assert_eq!(before.matches("more characters]").count(), 2, "{before}");
    let house = house.reborn([plain(Reply::says("Again."))]).await;
    let id = house.resume(id).await.unwrap();
    house.ask(id, "Again?").await;
    let after = transcript(&house.last_messages());
    assert!(after.len() < 4_096 * 4, "{}", after.len());
}

#[tokio::test]
async fn a_prompt_far_over_the_window_is_not_sent() {
    let house = house([plain(Reply::says("Read."))]);
    house
        .models
        .answer_schemas(plain(Reply::says("no summary")));
    let id = house.open().await;
    let events = house.ask(id, &"long ".repeat(20_000)).await;
    assert_eq!(status(&events), domain::event::QueryStatus::Failed);
    let why = events.iter().find_map(|event| match &event.body {
        EventBody::QueryFinished { error, .. } => error.clone(),
        _ => None,
    });
    let why = why.unwrap();
    assert_eq!(why.code, "agents.context_full");
    assert!(why.message.contains("4096"), "{}", why.message);
    assert!(house.requests().is_empty());
    let events = house.ask(id, "Something short?").await;
    assert_eq!(answer(&events), "Read.");
}

#[tokio::test]
async fn an_overflow_is_answered_by_a_rebuilding_and_a_second_by_none() {
    let refused = || Reply::refused(ErrorKind::ContextOverflow, "too long");
    let replies = (0..4).map(long).chain([
        refused(),
        plain(Reply::says("Answer at last.")),
        refused(),
        refused(),
    ]);
    let house = House::new(replies);
    house
        .models
        .answer_schemas(plain(Reply::says("no summary")));
    let id = house.open().await;
    talk(&house, id, 0..4).await;
    let events = house.ask(id, "Too much?").await;
    assert_eq!(answer(&events), "Answer at last.");
    let [(cause, Some(_), Some(_))] = &compactions(&events)[..] else {
        panic!("{:?}", compactions(&events));
    };
    assert_eq!(*cause, CompactionCause::Overflow);
    let events = house.ask(id, "Again?").await;
    assert_eq!(status(&events), domain::event::QueryStatus::Failed);
}

/// Between compactions at least 95 % of what is sent was sent before, and all of what was sent
/// before is sent again.
#[tokio::test]
async fn over_a_long_session_with_tools_what_was_sent_stays_sent() {
    let tools = broker();
    let look = BrokerTool::new("look", Verdict::Allow, EffectClass::Read);
    tools.add_tool(look.returns("A line of a file.\n".repeat(20)));
    let replies = (0..30).flat_map(|n| {
        [
            plain(Reply::calls("look", json!({"n": n}))),
            plain(Reply::says(format!("Seen {n}."))),
        ]
    });
    let house = House::with(replies, tools, |_| {});
    house
        .models
        .answer_schemas(plain(Reply::says("no summary")));
    let id = house.open().await;
    for n in 0..30 {
        house.ask(id, &format!("Look at file {n}.")).await;
    }
    let prompts: Vec<String> = house
        .requests()
        .iter()
        .filter(|request| request.response_schema.is_none())
        .map(|request| transcript(&request.messages))
        .collect();
    let (mut kept, mut before) = (0, 0);
    for pair in prompts.windows(2) {
        before += pair[0].len();
        kept += common(&pair[0], &pair[1]);
    }
    assert_eq!(prompts.len(), 60);
    assert_eq!(kept, before, "every prompt is the beginning of the next");
}

fn common(left: &str, right: &str) -> usize {
    let pairs = left.bytes().zip(right.bytes());
    pairs.take_while(|(a, b)| a == b).count()
}
