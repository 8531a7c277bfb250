//! Questions: what answers them, and what does not.

use super::{answers, asked, call};
use crate::fixture::{Seat, id, of_batch, request};
use crate::message::{Command, Message};
use crate::question::{BURST, Field};
use crate::subject::Subject;
use crossterm::event::{KeyCode, KeyModifiers};
use domain::event::{ConfirmationAnswer, ConfirmationKind, EventBody, QueryStatus};
use domain::id::ConfirmationId;
use std::time::Duration;

#[test]
fn a_jump_in_a_question_reads_nothing() {
    let mut seat = Seat::at((40, 15));
    seat.asks(10, "go");
    let batch: Vec<_> = (0..9)
        .map(|n| crate::fixture::of_batch(20 + u128::from(n), n + 1, 9))
        .collect();
    for one in batch {
        seat.question(10, one);
    }
    seat.wait(800);
    seat.wait(800);
    let sight = |seat: &Seat| crate::view::sight(&seat.state).unwrap();
    let top = |seat: &Seat| seat.state.dialog.as_ref().unwrap().top(sight(seat));
    let last = sight(&seat).last;
    assert!(sight(&seat).hides && last > 0);
    seat.press(KeyCode::End);
    assert_eq!(top(&seat), last);
    // Paging on from the end does not make up for what was passed over.
    seat.press(KeyCode::PageDown);
    assert!(seat.gives("a").is_empty());
    seat.press(KeyCode::Home);
    assert_eq!(top(&seat), 0);
    for _ in 0..last {
        seat.press(KeyCode::Down);
    }
    // On another width its rows are others.
    seat.takes(Message::Resized(39, 15));
    assert!(seat.gives("a").is_empty());
    for _ in 0..200 {
        seat.press(KeyCode::PageDown);
    }
    assert_eq!(answers(&seat.gives("a")).len(), 9);
    let mut seat = asked(vec![call()]);
    seat.wait(800);
    seat.takes(Message::Resized(40, 15));
    seat.ctrl('g');
    assert_eq!(Some(top(&seat)), sight(&seat).diff);
}

#[test]
fn a_change_that_has_room_is_in_sight_when_a_question_is_put() {
    for (width, height) in [(80, 24), (40, 15), (30, 18)] {
        for context in 0..9 {
            let mut edit = call();
            let same: String = (0..context).map(|n| format!(" line {n}\n")).collect();
            let count = 2 * context + 1;
            edit.diff = Some(format!(
                "--- a/notes.md\n+++ b/notes.md\n@@ -1,{count} +1,{count} @@\n{same}-two\n+TWO\n{same}"
            ));
            let mut seat = Seat::at((width, height));
            seat.asks(10, "go");
            seat.question(10, edit);
            seat.wait(800);
            let shown = format!("{:?}", crate::view::frame(&seat.state).buffer);
            let is_shown = |text: &str| shown.contains(&format!("┃ {text}"));
            assert!(
                is_shown("-two") && is_shown("+TWO"),
                "{width}x{height}, {context}: {shown}"
            );
            // Its beginning is a key away.
            seat.press(KeyCode::Home);
            let dialog = seat.state.dialog.as_ref().unwrap();
            assert_eq!(dialog.top(crate::view::sight(&seat.state).unwrap()), 0);
        }
    }
}

#[test]
fn in_a_window_that_is_too_low_to_show_it_only_a_no_counts() {
    for (width, height) in [(80, 5), (20, 5), (10, 3), (40, 7)] {
        let mut seat = asked(vec![call()]);
        seat.takes(Message::Resized(width, height));
        seat.wait(800);
        seat.wait(800);
        let sight = crate::view::sight(&seat.state).unwrap();
        assert!(sight.is_cut, "{width}x{height}");
        assert!(seat.gives("y").is_empty(), "{width}x{height}");
        assert!(seat.gives("s").is_empty(), "{width}x{height}");
        let no = answers(&seat.gives("n"));
        assert!(
            matches!(&no[..], [(_, ConfirmationAnswer::Deny { .. })]),
            "{no:?}"
        );
    }
    // What is as small as the least that is promised can be answered.
    let mut seat = asked(vec![call()]);
    seat.takes(Message::Resized(40, 15));
    seat.wait(800);
    seat.wait(800);
    assert!(!crate::view::sight(&seat.state).unwrap().is_cut);
    assert_eq!(answers(&seat.gives("y")).len(), 1);
}

#[test]
fn an_answer_is_a_word_with_its_enter() {
    for (typed, expected) in [
        ("y", Some(ConfirmationAnswer::Once)),
        ("s", Some(ConfirmationAnswer::Session)),
        (
            "n",
            Some(ConfirmationAnswer::Deny {
                message: String::new(),
            }),
        ),
        (
            "n not there",
            Some(ConfirmationAnswer::Deny {
                message: "not there".to_owned(),
            }),
        ),
        ("maybe", None),
        ("r", None),
        ("", None),
    ] {
        let mut seat = asked(vec![call()]);
        seat.wait(800);
        let done = seat.gives(typed);
        let given: Vec<_> = answers(&done)
            .into_iter()
            .map(|(_, answer)| answer)
            .collect();
        assert_eq!(given, Vec::from_iter(expected.clone()), "{typed}");
        assert_eq!(seat.state.dialog.is_none(), expected.is_some(), "{typed}");
    }
}

#[test]
fn nothing_from_before_a_question_answers_it() {
    // Keys that were on their way when it appeared stay a part of the draft.
    let mut seat = asked(vec![call()]);
    let done = seat.gives("y");
    assert!(answers(&done).is_empty());
    assert_eq!(seat.state.dialog.as_ref().unwrap().answer(), "");
    // And no message to the model: the question still waits for its answer.
    assert!(!done.iter().any(|one| matches!(one, Command::Send(_))));
    assert!(
        seat.scrollback()
            .contains("was typed before this question could be read")
    );
    assert!(seat.state.input.is_empty());
    seat.wait(800);
    assert_eq!(answers(&seat.gives("y")).len(), 1);
    // A draft that was begun goes on, however long it was quiet.
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "write it");
    seat.types("an");
    seat.question(10, call());
    seat.wait(60_000);
    let done = seat.enters("y");
    assert_eq!(done.last(), Some(&Command::Send("any".to_owned())));
    assert!(seat.state.dialog.is_some());
    // With the draft gone, it takes silence once more.
    assert!(answers(&seat.gives("y")).is_empty());
}

#[test]
fn tab_leads_to_the_answer_and_a_burst_is_none() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "write it");
    seat.types("draft");
    seat.question(10, call());
    seat.press(KeyCode::Tab);
    // The rest of a text in which a tab stood.
    assert!(answers(&seat.gives("y")).is_empty());
    assert!(seat.state.dialog.is_some());
    seat.ctrl('c');
    seat.wait(800);
    let key = |code| Message::Key(crossterm::event::KeyEvent::new(code, KeyModifiers::NONE));
    seat.takes(key(KeyCode::Char('y')));
    seat.now += BURST / 2;
    assert!(seat.takes(key(KeyCode::Enter)).is_empty());
    assert!(seat.state.dialog.as_ref().unwrap().said().is_some());
    seat.wait(800);
    assert_eq!(answers(&seat.gives("y")).len(), 1);
}

#[test]
fn a_paste_is_a_reason_and_no_answer() {
    let mut seat = asked(vec![call()]);
    seat.wait(800);
    seat.takes(Message::Paste("y\n".to_owned()));
    assert!(answers(&seat.press(KeyCode::Enter)).is_empty());
    seat.wait(800);
    seat.types("n ");
    seat.takes(Message::Paste("not\nthis \u{1b}one".to_owned()));
    let message = "not this one".to_owned();
    let no = ConfirmationAnswer::Deny { message };
    assert_eq!(answers(&seat.gives("")), [(20, no)]);
}

#[test]
fn an_answer_with_something_right_behind_it_is_none() {
    let mut seat = asked(vec![call()]);
    seat.wait(800);
    seat.enters("y");
    // More of the same text, which was pasted without its marks.
    assert!(answers(&seat.enters("rm")).is_empty());
    seat.wait(1_000);
    assert!(seat.state.dialog.is_some());
    assert!(seat.state.dialog.as_ref().unwrap().said().is_some());
}

#[test]
fn questions_that_belong_together_wait_for_one_another() {
    let mut seat = asked(vec![of_batch(20, 0, 2)]);
    assert!(seat.state.dialog.is_none());
    seat.wait(2_900);
    assert!(seat.state.dialog.is_none(), "a busy machine takes its time");
    seat.question(10, of_batch(21, 1, 2));
    assert!(seat.state.dialog.is_some(), "nothing more is to come");
    seat.wait(800);
    assert!(
        answers(&seat.gives("y")).is_empty(),
        "a yes is no yes to all"
    );
    let done = seat.gives("a");
    let once = ConfirmationAnswer::Once;
    assert_eq!(answers(&done), [(20, once.clone()), (21, once.clone())]);
    // One that never comes is not waited for.
    let mut seat = asked(vec![of_batch(20, 0, 2)]);
    assert!(seat.state.wakes_at().is_some());
    seat.wait(3_000);
    seat.wait(800);
    assert_eq!(answers(&seat.gives("y")), [(20, once.clone())]);
    // One by one, each for itself.
    let mut seat = asked(vec![of_batch(20, 0, 2), of_batch(21, 1, 2)]);
    seat.wait(800);
    assert!(seat.gives("o").is_empty());
    seat.wait(800);
    assert_eq!(answers(&seat.gives("y")), [(20, once)]);
    seat.wait(800);
    let no = ConfirmationAnswer::Deny {
        message: String::new(),
    };
    assert_eq!(answers(&seat.gives("n")), [(21, no)]);
}

#[test]
fn a_question_that_is_closed_takes_no_answer_with_it() {
    let mut seat = asked(vec![call(), request(21, ConfirmationKind::Plan)]);
    let answered = EventBody::ConfirmationAnswered {
        confirmation_id: ConfirmationId::from_uuid(id(20)),
        answer: ConfirmationAnswer::Once,
        by: "user".to_owned(),
        token: None,
    };
    seat.happens(Some(10), answered);
    assert!(
        seat.scrollback()
            .contains("answered in another window: yes, this once")
    );
    let dialog = seat.state.dialog.as_ref().unwrap();
    assert!(dialog.is_about(ConfirmationId::from_uuid(id(21))));
    seat.ends(10, QueryStatus::Interrupted);
    assert!(seat.state.dialog.is_none());
    // What was meant for it is no message.
    assert!(seat.enters("y").is_empty());
    assert!(
        seat.scrollback()
            .contains("not sent: \"y\" answers nothing")
    );
    assert_eq!(seat.press(KeyCode::Enter).len(), 2);
}

#[test]
fn a_question_with_a_draft_begun_leaves_the_keys_to_it() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    seat.types("draft");
    seat.question(10, call());
    assert_eq!(seat.state.dialog.as_ref().unwrap().field(), Field::Draft);
    seat.ctrl('c');
    assert_eq!(seat.state.dialog.as_ref().unwrap().field(), Field::Answer);
    assert!(seat.state.wakes_at().unwrap() > seat.now + Duration::from_millis(500));
}

#[test]
fn no_key_on_another_screen_answers_a_question() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    assert_eq!(seat.ctrl('t'), [Command::Inspect(Subject::Calls)]);
    seat.question(10, call());
    seat.wait(5_000);
    assert!(seat.state.dialog.is_none());
    assert!(answers(&seat.gives("y")).is_empty());
    seat.press(KeyCode::Esc);
    // It is put only now, and what follows at once is a draft.
    assert!(seat.state.dialog.is_some());
    assert!(answers(&seat.gives("y")).is_empty());
    assert_eq!(seat.state.input.text(), "");
    assert!(seat.state.dialog.is_some());
    seat.wait(5_000);
    assert_eq!(answers(&seat.gives("y")).len(), 1);
}

#[test]
fn an_answer_begun_before_another_screen_is_gone_after_it() {
    let mut seat = asked(vec![call()]);
    seat.wait(5_000);
    seat.types("y");
    assert_eq!(seat.ctrl('s'), [Command::ListSessions]);
    seat.takes(Message::Paste("y\n".to_owned()));
    assert!(answers(&seat.gives("y")).is_empty());
    seat.press(KeyCode::Esc);
    let dialog = seat.state.dialog.as_ref().unwrap();
    assert_eq!(dialog.answer(), "");
    assert!(dialog.waits_until(seat.now).is_some());
    seat.wait(800);
    assert!(answers(&seat.gives("")).is_empty());
    assert_eq!(answers(&seat.gives("y")).len(), 1);
}

#[test]
fn a_question_answered_behind_another_screen_is_not_put() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    seat.ctrl('t');
    seat.question(10, call());
    seat.ends(10, QueryStatus::Interrupted);
    seat.press(KeyCode::Esc);
    assert!(seat.state.dialog.is_none());
}

#[test]
fn no_key_counts_before_a_question_was_drawn() {
    let mut seat = asked(vec![call()]);
    // It was put, and laying it out takes its time.
    seat.state.stand_again();
    let key = |code| Message::Key(crossterm::event::KeyEvent::new(code, KeyModifiers::NONE));
    let late = seat.now + Duration::from_secs(20);
    for (at, code) in [
        (late, KeyCode::Char('y')),
        (late + Duration::from_secs(1), KeyCode::Enter),
    ] {
        let done = crate::update::update(&mut seat.state, at, key(code));
        assert!(answers(&done).is_empty());
    }
    assert_eq!(seat.state.dialog.as_ref().unwrap().answer(), "");
    seat.now = late + Duration::from_secs(2);
    // It is drawn, and then it is quiet.
    seat.wait(0);
    seat.wait(800);
    assert_eq!(answers(&seat.gives("y")).len(), 1);
}

#[test]
fn a_message_behind_tab_may_be_the_word_of_an_answer() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "write it");
    seat.question(10, call());
    seat.wait(5_000);
    seat.press(KeyCode::Tab);
    let done = seat.enters("y");
    assert!(answers(&done).is_empty());
    assert_eq!(done.last(), Some(&Command::Send("y".to_owned())));
    // Where nobody turned to the draft, it came too early for the question.
    let mut seat = asked(vec![call()]);
    let done = seat.gives("y");
    assert!(!done.iter().any(|one| matches!(one, Command::Send(_))));
}

#[test]
fn the_time_of_a_request_stands_still_at_a_question() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    seat.wait(3_000);
    seat.question(10, request(20, ConfirmationKind::Call));
    let worked = |seat: &Seat| seat.state.worked().unwrap().as_secs();
    assert_eq!(worked(&seat), 3);
    seat.wait(60_000);
    assert_eq!(worked(&seat), 3);
    seat.happens(
        Some(10),
        EventBody::ConfirmationAnswered {
            confirmation_id: ConfirmationId::from_uuid(id(20)),
            answer: ConfirmationAnswer::Once,
            by: "user".to_owned(),
            token: None,
        },
    );
    seat.wait(2_000);
    assert_eq!(worked(&seat), 5);
}

#[test]
fn words_that_answer_nothing_stand_in_the_input() {
    let mut seat = asked(vec![call()]);
    seat.wait(800);
    assert!(answers(&seat.gives("please use five")).is_empty());
    assert_eq!(seat.state.input.text(), "please use five");
    assert!(seat.scrollback().contains("it stands in the input"));
    // A draft that stands there already stays, and so does the question.
    assert!(answers(&seat.gives("or six of them")).is_empty());
    assert_eq!(seat.state.input.text(), "please use five");
    assert_eq!(answers(&seat.gives("y")).len(), 1);
}
