//! What keys do to a draft, and what becomes of it.

use crate::fixture::{Seat, id, request};
use crate::message::Command;
use crate::question::Field;
use crossterm::event::KeyCode;
use domain::event::ConfirmationKind;
use domain::id::QueryId;

#[test]
fn a_draft_of_several_lines_is_no_command() {
    let several = "a command stands alone on one line";
    for (draft, why) in [
        ("/override all\n\n\n", several),
        ("\n/quit", several),
        (
            &format!("/quit{}", " ".repeat(700)),
            "a command has at most 600 characters",
        ),
    ] {
        let mut seat = Seat::at((80, 24));
        seat.state.input.set(draft);
        assert_eq!(seat.press(KeyCode::Enter), [], "{draft:?}");
        assert!(seat.scrollback().contains(why));
        assert!(!seat.state.input.is_empty(), "nothing is lost");
    }
    let mut seat = Seat::at((80, 24));
    assert!(!seat.enters("/compact ").is_empty());
}

#[test]
fn a_help_key_that_types_nothing_opens_it_beside_a_draft() {
    let mut seat = Seat::at((80, 24));
    let own = [("help".to_owned(), vec!["?".to_owned(), "f1".to_owned()])];
    seat.state.keys = crate::bindings::Keys::bound(&own.into()).unwrap();
    seat.types("what?");
    assert_eq!(seat.state.input.text(), "what?");
    seat.press(KeyCode::F(1));
    assert_eq!(seat.state.help, Some(0));
    seat.press(KeyCode::F(1));
    assert_eq!(seat.state.help, None);
    assert_eq!(seat.state.input.text(), "what?");
}

fn by_vi() -> Seat {
    let mut seat = Seat::at((80, 24));
    seat.state.input.edit_by_vi();
    seat
}

#[test]
fn letters_are_commands_in_normal_mode_alone() {
    let mut seat = by_vi();
    seat.types("dd y one");
    seat.press(KeyCode::Esc);
    seat.types("0xx");
    assert_eq!(seat.state.input.text(), " y one");
    seat.types("A!");
    assert_eq!(seat.press(KeyCode::Enter).len(), 2);
    // Another draft begins with letters.
    seat.types("dd");
    assert_eq!(seat.state.input.text(), "dd");
    seat.press(KeyCode::Esc);
    seat.types("ddk");
    assert_eq!(seat.state.input.text(), "y one!", "what was typed before");
    seat.types("j?");
    assert_eq!(seat.state.help, Some(0));
}

#[test]
fn escape_stops_what_runs_in_normal_mode() {
    let mut seat = by_vi();
    seat.asks(10, "go");
    seat.types("draft");
    assert_eq!(seat.press(KeyCode::Esc), []);
    seat.types("d");
    assert_eq!(seat.press(KeyCode::Esc), [], "a command was begun");
    let run = Some(QueryId::from_uuid(id(10)));
    assert_eq!(seat.press(KeyCode::Esc), [Command::Interrupt(run)]);
}

#[test]
fn no_vi_key_answers_a_question() {
    let answered = |done: &[Command]| done.iter().any(|one| matches!(one, Command::Answer(_)));
    let mut seat = by_vi();
    seat.asks(10, "go");
    seat.types("one two");
    seat.press(KeyCode::Esc);
    seat.question(10, request(20, ConfirmationKind::Call));
    seat.wait(5_000);
    seat.types("yy0P");
    assert_eq!(seat.state.dialog.as_ref().unwrap().field(), Field::Draft);
    assert_eq!(seat.state.input.text(), "one two");
    // Emptied by a command, the draft gives the keys up after a while of silence alone.
    assert!(!answered(&seat.gives("ddy")));
    assert_eq!(seat.state.dialog.as_ref().unwrap().answer(), "");
    seat.press(KeyCode::Esc);
    let mut seat = by_vi();
    seat.asks(10, "go");
    seat.press(KeyCode::Esc);
    seat.question(10, request(20, ConfirmationKind::Call));
    assert!(!answered(&seat.gives("y")));
    seat.wait(5_000);
    assert!(answered(&seat.gives("y")), "it was read by now");
    // In normal mode a letter is the answer's as well, and no command.
    let mut seat = by_vi();
    seat.asks(10, "go");
    seat.press(KeyCode::Esc);
    seat.question(10, request(20, ConfirmationKind::Call));
    seat.wait(5_000);
    assert!(answered(&seat.gives("y")));
}
