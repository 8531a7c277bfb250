//! Lines for the shell: what is one, and what only looks like one.

use super::call;
use crate::fixture::{Seat, id};
use crate::message::{Command, Message};
use crate::question::AT_ONCE;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use domain::id::QueryId;

/// Whether something runs by itself.
fn runs(done: &[Command]) -> bool {
    done.iter().any(|one| matches!(one, Command::Execute(_, _)))
}

#[test]
fn a_line_runs_where_the_user_typed_its_mark_first() {
    for (typed, is_run) in [
        ("!ls -l", true),
        ("  !ls", true),
        ("! ls", true),
        ("!", true),
        ("say !ls", false),
        ("why is this so!", false),
        ("(!ls)", false),
        ("`!ls`", false),
        ("@notes.md !ls", false),
    ] {
        let mut seat = Seat::at((80, 24));
        let done = seat.enters(typed);
        assert_eq!(runs(&done), is_run, "{typed}");
        let line = typed.trim().to_owned();
        let expected = match is_run {
            true => Command::Execute(Vec::new(), line.clone()),
            false => Command::Send(line.clone()),
        };
        assert_eq!(done, [Command::Keep(line), expected], "{typed}");
    }
}

#[test]
fn a_paste_that_begins_with_the_mark_runs_nothing_by_itself() {
    let long = format!("!rm -rf {}", "x".repeat(700));
    for pasted in ["!rm -rf .\n", "!rm a\nand more", &long] {
        let mut seat = Seat::at((80, 24));
        let done = seat.takes(Message::Paste(pasted.to_owned()));
        assert!(done.is_empty(), "{pasted:?}");
        assert!(!seat.state.input.is_empty(), "it is shown");
    }
    // What is out of sight or has several lines is not run with Enter either.
    for pasted in ["!rm a\nand more", &long, "!rm a\n\n\n\n\n\n\nb"] {
        let mut seat = Seat::at((80, 24));
        seat.takes(Message::Paste(pasted.to_owned()));
        assert!(!runs(&seat.press(KeyCode::Enter)), "{pasted:?}");
    }
    // A paste in the middle of a line goes along out of sight, so the line does not run.
    let mut seat = Seat::at((80, 24));
    seat.types("!cat ");
    seat.takes(Message::Paste(long));
    assert!(!runs(&seat.press(KeyCode::Enter)));
    // A short one stands in the input, and Enter is the user's word for it.
    let mut seat = Seat::at((80, 24));
    seat.takes(Message::Paste("!ls".to_owned()));
    assert!(runs(&seat.press(KeyCode::Enter)));
}

#[test]
fn a_line_that_comes_all_at_once_runs_with_an_enter_of_its_own() {
    // As a terminal gives it that does not mark pastes.
    let mut seat = Seat::at((80, 24));
    seat.types("!touch a");
    let enter = || Message::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
    seat.now += AT_ONCE / 2;
    assert!(!runs(&seat.takes(enter())));
    assert!(seat.scrollback().contains("came all at once"));
    assert_eq!(seat.state.input.text(), "!touch a");
    assert!(runs(&seat.press(KeyCode::Enter)));
}

#[test]
fn lines_of_a_draft_run_nothing() {
    let mut seat = Seat::at((80, 24));
    seat.types("!one");
    seat.key(KeyCode::Enter, KeyModifiers::ALT);
    seat.types("!two");
    assert_eq!(seat.press(KeyCode::Enter), []);
    assert!(seat.scrollback().contains("stands alone on one line"));
    assert_eq!(seat.state.input.text(), "!one\n!two");
}

#[test]
fn nothing_that_is_said_or_asked_again_runs() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    seat.says(10, "!rm -rf .\n\n!ls\n");
    assert!(!runs(&seat.takes(Message::AskAgain("!ls".to_owned()))));
    // What comes back into the input waits for Enter.
    assert!(!runs(&seat.takes(Message::TakenOut("!ls".to_owned()))));
    assert_eq!(seat.state.input.text(), "!ls");
}

#[test]
fn a_line_waits_and_keeps_the_place_of_the_one_it_was_made_of() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    let other = QueryId::from_uuid(id(12));
    seat.types("!ls");
    seat.state.edited.leaves(vec![other]);
    seat.state.edited.came();
    let done = seat.press(KeyCode::Enter);
    assert_eq!(
        done.last(),
        Some(&Command::Execute(vec![other], "!ls".to_owned()))
    );
    // Beside a question it is no answer.
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    seat.types("!ls");
    seat.question(10, call());
    assert!(runs(&seat.press(KeyCode::Enter)));
    assert!(seat.state.dialog.is_some());
}

#[test]
fn an_override_is_for_what_is_said_to_the_agent() {
    let mut seat = Seat::at((80, 24));
    seat.enters("/override relax");
    assert!(runs(&seat.enters("!ls")));
    assert!(matches!(
        seat.enters("hello").last(),
        Some(Command::SendBy(_, _))
    ));
    // While it holds, nothing else is sent.
    assert!(!runs(&seat.enters("!ls")));
}
