//! Cases, folded from events.

use domain::Timestamp;
use domain::drive::Origin;
use domain::event::{CallStatus, Event, EventBody};
use domain::id::{QueryId, SessionId};
use domain::model::{ModelRef, Usage};
use domain::quality::TaskKind;
use domain::settings::Mode;
use quality::Cases;
use serde_json::json;
use uuid::Uuid;

fn id(number: u128) -> QueryId {
    QueryId::from_uuid(Uuid::from_u128(number))
}

fn event(seq: u64, query_id: QueryId, body: EventBody) -> Event {
    Event {
        seq,
        time: Timestamp::UNIX_EPOCH,
        session_id: SessionId::from_uuid(Uuid::nil()),
        query_id: Some(query_id),
        agent_id: None,
        respondent_id: None,
        call_id: None,
        body,
    }
}

fn asked(origin: Origin) -> EventBody {
    EventBody::QueryReceived {
        text: "Which port?".to_owned(),
        mode: Mode::Loop,
        origin,
    }
}

fn result(tool: &str, status: CallStatus, text: &str) -> EventBody {
    EventBody::ToolResult {
        tool: tool.to_owned(),
        status,
        value_id: None,
        label: None,
        text: text.to_owned(),
        truncated: false,
        duration_ms: 1,
        artifacts: Vec::new(),
        edited: None,
    }
}

fn answer(text: &str) -> EventBody {
    EventBody::GenerationFinished {
        answer: text.to_owned(),
        thinking: String::new(),
        tool_calls: Vec::new(),
        usage: Usage::default(),
        model: None,
        label: None,
    }
}

fn cases(bodies: Vec<EventBody>) -> Cases {
    let mut cases = Cases::default();
    for (at, body) in bodies.into_iter().enumerate() {
        cases.apply(&event(at as u64 + 1, id(1), body));
    }
    cases
}

#[test]
fn a_case_has_question_answer_and_the_last_results() {
    let results = (0..8).map(|n| result("read_file", CallStatus::Ok, &format!("result {n}")));
    let mut bodies = vec![asked(Origin::User)];
    bodies.extend(results);
    bodies.push(answer("8080"));
    let cases = cases(bodies);
    let case = cases.case(id(1)).unwrap();
    assert_eq!(
        (case.question.as_str(), case.answer.as_str()),
        ("Which port?", "8080")
    );
    assert_eq!(case.answered_seq, 10);
    let texts: Vec<&str> = case.evidence.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts.len(), 6);
    assert_eq!((texts[0], texts[5]), ("result 2", "result 7"));
    let told = json!({"tool": "read_file", "result": "result 7"});
    assert_eq!(case.evidence[5].as_json(), told);
    assert!(cases.case(id(2)).is_none());
}

#[test]
fn a_long_result_says_outside_of_its_text_how_much_of_it_is_left_out() {
    let long = format!("{}é{}", "a".repeat(1_499), "b".repeat(5_000));
    let read = result("read_file", CallStatus::Ok, &long);
    let cases = cases(vec![asked(Origin::User), read, answer("8080")]);
    let shown = cases.case(id(1)).unwrap().evidence[0].as_json();
    assert!(shown["result"].as_str().unwrap().ends_with("aé"));
    let told = "5000 characters more, which the assistant read and you do not see";
    assert_eq!(shown["left_out"], told);
}

#[test]
fn what_the_drive_asked_or_nobody_answered_is_no_case() {
    assert!(
        cases(vec![asked(Origin::Drive), answer("8080")])
            .case(id(1))
            .is_none()
    );
    assert!(
        cases(vec![asked(Origin::User), answer("  ")])
            .case(id(1))
            .is_none()
    );
    assert!(cases(vec![asked(Origin::User)]).case(id(1)).is_none());
}

#[test]
fn a_second_answer_that_was_taken_over_is_the_answer() {
    let model = |name: &str| ModelRef {
        provider: "p".to_owned(),
        model: name.to_owned(),
    };
    let second = EventBody::SecondAnswered {
        answer: "9090".to_owned(),
        model: model("b"),
        temperature: 1.0,
    };
    let mut bodies = vec![asked(Origin::User), answer("8080"), second];
    let before = cases(bodies.clone());
    assert_eq!(before.case(id(1)).unwrap().answer, "8080");
    bodies.push(EventBody::SecondTaken {
        answer: "9090".to_owned(),
    });
    let after = cases(bodies);
    let case = after.case(id(1)).unwrap();
    assert_eq!((case.answer.as_str(), case.is_taken), ("9090", true));
    assert_eq!(case.model, Some(model("b")));
}

#[test]
fn the_kind_of_a_task_is_that_of_its_largest_effect() {
    let ok = CallStatus::Ok;
    for (tools, kind) in [
        (vec![], TaskKind::Talk),
        (vec![("read_file", ok)], TaskKind::Look),
        (vec![("web_search", ok), ("read_file", ok)], TaskKind::Web),
        (
            vec![("web_search", ok), ("edit_file", ok)],
            TaskKind::Change,
        ),
        (
            vec![("edit_file", ok), ("run_command", ok)],
            TaskKind::Program,
        ),
        // What was refused did nothing.
        (
            vec![("read_file", ok), ("edit_file", CallStatus::Denied)],
            TaskKind::Look,
        ),
    ] {
        let mut bodies = vec![asked(Origin::User)];
        bodies.extend(
            tools
                .iter()
                .map(|(tool, status)| result(tool, *status, "x")),
        );
        bodies.push(answer("Done."));
        assert_eq!(cases(bodies).case(id(1)).unwrap().kind, kind, "{tools:?}");
    }
}
