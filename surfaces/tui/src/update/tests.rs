//! What happens and what is done about it, as tables.

mod bursts;
mod questions;
mod sessions;
mod shell;

use crate::fixture::{Seat, id, request};
use crate::message::{Command, Message, Pointed, Reason};
use crate::panes::Pane;
use crate::question::Body;
use crossterm::event::{KeyCode, KeyModifiers};
use domain::event::{ConfirmationAnswer, ConfirmationKind, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::id::QueryId;
use domain::settings::Mode;
use rendering::slash::{Changed, Slash};
use std::cell::Cell;

/// A request under way that has asked this.
fn asked(requests: Vec<domain::event::ConfirmationRequest>) -> Seat {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "write it");
    for request in requests {
        seat.question(10, request);
    }
    seat
}

fn call() -> domain::event::ConfirmationRequest {
    request(20, ConfirmationKind::Call)
}

/// The answers that are passed on.
fn answers(done: &[Command]) -> Vec<(u128, ConfirmationAnswer)> {
    let all = done.iter().filter_map(|command| match command {
        Command::Answer(all) => Some(all),
        _ => None,
    });
    all.flatten()
        .map(|(request, said)| {
            assert_eq!(
                request.binding,
                self::request(request.confirmation_id.as_uuid().as_u128(), request.kind).binding
            );
            (
                request.confirmation_id.as_uuid().as_u128(),
                said.answer.clone(),
            )
        })
        .collect()
}

#[test]
fn what_is_typed_is_sent_and_kept() {
    let mut seat = Seat::at((80, 24));
    let done = seat.enters("hello");
    let expected = [
        Command::Keep("hello".to_owned()),
        Command::Send("hello".to_owned()),
    ];
    assert_eq!(done, expected);
    assert!(seat.state.input.is_empty());
    assert!(seat.enters("  ").is_empty());
    seat.types("two");
    seat.key(KeyCode::Enter, KeyModifiers::ALT);
    seat.types("lines");
    let done = seat.press(KeyCode::Enter);
    assert_eq!(done.last(), Some(&Command::Send("two\nlines".to_owned())));
    assert_eq!(seat.enters("/etc/hosts is what?").len(), 2);
}

#[test]
fn what_is_not_sent_comes_back_into_an_empty_input() {
    let fault = Fault {
        code: "sessions.queue_full".to_owned(),
        message: "full".to_owned(),
        hint: "wait".to_owned(),
    };
    let mut seat = Seat::at((80, 24));
    let failed = Message::Failed {
        fault: fault.clone(),
        draft: Some("hello".to_owned()),
    };
    seat.takes(failed);
    assert_eq!(seat.state.input.text(), "hello");
    assert!(
        seat.scrollback()
            .contains("▎ error: full [sessions.queue_full]\n▎   wait")
    );
    seat.takes(Message::Failed {
        fault,
        draft: Some("again".to_owned()),
    });
    assert_eq!(seat.state.input.text(), "hello");
}

#[test]
fn keys_do_what_the_table_says() {
    let mut seat = Seat::at((80, 24));
    assert!(seat.press(KeyCode::Esc).is_empty());
    seat.asks(10, "go");
    let run = Some(QueryId::from_uuid(id(10)));
    assert_eq!(seat.press(KeyCode::Esc), [Command::Interrupt(run)]);
    assert!(
        matches!(&seat.key(KeyCode::BackTab, KeyModifiers::SHIFT)[..],
        [Command::Configure(profile)] if profile.mode == Mode::Plan)
    );
    assert_eq!(seat.ctrl('z'), [Command::Suspend]);
    assert_eq!(seat.ctrl('l'), [Command::Redraw]);
    assert_eq!(seat.ctrl('d'), [Command::Leave]);
    seat.types("ab");
    assert!(seat.ctrl('d').is_empty());
    assert!(seat.ctrl('c').is_empty());
    assert!(seat.state.input.is_empty());
    assert!(seat.ctrl('c').is_empty());
    assert_eq!(seat.ctrl('c'), [Command::Leave]);
    assert!(seat.ctrl('c').is_empty());
    seat.wait(2_100);
    assert!(seat.ctrl('c').is_empty(), "too late for the first");
    assert_eq!(seat.takes(Message::Terminate), [Command::Leave]);
}

#[test]
fn the_help_opens_on_an_empty_input_alone() {
    let mut seat = Seat::at((80, 24));
    seat.types("what?");
    assert_eq!(seat.state.input.text(), "what?");
    seat.ctrl('c');
    seat.types("?");
    assert_eq!(seat.state.help, Some(0));
    seat.press(KeyCode::Down);
    assert_eq!(seat.state.help, Some(1));
    seat.press(KeyCode::PageDown);
    let page = seat.state.help.unwrap() - 1;
    assert!(
        (15..24).contains(&page),
        "a page of what is in sight: {page}"
    );
    seat.press(KeyCode::End);
    let end = seat.state.help.unwrap();
    seat.press(KeyCode::PageDown);
    assert_eq!(seat.state.help, Some(end));
    seat.press(KeyCode::PageUp);
    assert_eq!(seat.state.help, Some(end - page));
    seat.press(KeyCode::Home);
    assert_eq!(seat.state.help, Some(0));
    seat.types("x");
    assert_eq!(
        (seat.state.help, seat.state.input.text().as_str()),
        (None, "x")
    );
}

#[test]
fn requests_wait_begin_and_are_taken_back_in_order() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "one");
    seat.asks(11, "two");
    seat.asks(12, "three");
    let waiting: Vec<String> = seat
        .state
        .waiting_requests()
        .map(|one| one.text.clone())
        .collect();
    assert_eq!(waiting, ["two", "three"]);
    assert!(!seat.scrollback().contains("> two"));
    // What another window sent is not this one's to take back.
    assert!(seat.ctrl('x').is_empty());
    for own in [11, 12] {
        seat.takes(Message::Sent(QueryId::from_uuid(id(own))));
    }
    assert_eq!(
        seat.ctrl('x'),
        [Command::TakeOut(
            QueryId::from_uuid(id(12)),
            Some("three".to_owned())
        )]
    );
    assert_eq!(seat.state.input.text(), "", "it may have begun");
    seat.takes(Message::TakenOut("three".to_owned()));
    assert_eq!(seat.state.input.text(), "three");
    seat.ends(12, QueryStatus::Interrupted);
    assert!(seat.scrollback().contains("taken back: three"));
    seat.says(10, "First.");
    seat.ends(10, QueryStatus::Success);
    seat.says(11, "Second.");
    seat.ends(11, QueryStatus::Success);
    let all = seat.scrollback();
    let places = ["> one", "First.", "> two", "Second."].map(|part| all.find(part).unwrap());
    assert!(places.is_sorted(), "{all}");
    assert!(seat.ctrl('x').is_empty());
}

#[test]
fn what_the_ui_says_has_a_mark_that_no_answer_has() {
    let mut seat = Seat::at((40, 15));
    seat.asks(10, "one that is so long that it goes on in another row");
    seat.says(10, "▎ → write_file\n\n```\n▎   ✓ written\n```\n\nEnd.\n");
    seat.calls(10, 30, "read_file");
    seat.ends(10, QueryStatus::Success);
    let own: Vec<&str> = vec!["> one that is so long", "in another row", "→ read_file"];
    for line in &seat.printed {
        let is_own = own.iter().any(|part| line.contains(part));
        let is_answer = ["write_file", "written", "```", "End."]
            .iter()
            .any(|part| line.contains(part));
        assert_eq!(
            line.starts_with('▎'),
            !is_answer && !line.is_empty(),
            "{line}"
        );
        assert!(!is_own || line.starts_with('▎'), "{line}");
    }
    assert!(seat.scrollback().contains("\\u{258e} → write_file"));
}

#[test]
fn commands_are_understood_and_others_named() {
    let mut seat = Seat::at((80, 24));
    assert_eq!(seat.enters("/model").last(), Some(&Command::ListModels));
    seat.press(KeyCode::Esc);
    assert!(seat.state.overlay.is_none());
    let mut last = |line: &str| {
        let done = seat.enters(line);
        (done.last().cloned(), seat.scrollback())
    };
    assert_eq!(last("/new").0, Some(Command::New));
    assert_eq!(last("/compact").0, Some(Command::Compact));
    assert_eq!(
        last("/context").0,
        Some(Command::Context(rendering::context::Depth::Shares))
    );
    let undo = Slash::Undo(Changed::Stops);
    assert_eq!(last("/undo").0, Some(Command::Run(undo)));
    assert_eq!(last("/quit").0, Some(Command::Leave));
    assert!(
        matches!(last("/mode AUTO").0, Some(Command::Configure(profile)) if profile.mode == Mode::Auto)
    );
    assert_eq!(last("/model b").0, Some(Command::FindModel("b".to_owned())));
    assert!(
        matches!(last("/model default").0, Some(Command::Configure(profile)) if profile.model.is_none())
    );
    for (typed, said) in [
        ("/mode fast", "there is no mode `fast`"),
        ("/quit now", "/quit takes nothing after it"),
        ("/override fast", "there is no override `fast`"),
        ("/nonsense", "there is no command /nonsense"),
    ] {
        let (done, shown) = last(typed);
        assert_eq!(done, Some(Command::Keep(typed.to_owned())), "{typed}");
        assert!(shown.contains(said), "{typed}: {shown}");
    }
}

#[test]
fn what_takes_back_or_leaves_is_refused_in_one_sentence_beside_work() {
    for typed in ["/new", "/fork", "/undo", "/rewind", "/retry", "/compact"] {
        let mut seat = Seat::at((80, 24));
        seat.asks(10, "go");
        let done = seat.enters(typed);
        assert_eq!(done, [Command::Keep(typed.to_owned())], "{typed}");
        let shown = seat.scrollback();
        assert!(
            shown.contains("a request still runs in this session"),
            "{typed}"
        );
    }
}

#[test]
fn results_are_folded_until_they_are_asked_for() {
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    seat.calls(10, 30, "read_file");
    assert_eq!(seat.state.view.work().calls().len(), 1);
    let result = |text: &str| EventBody::ToolResult {
        tool: "read_file".to_owned(),
        status: domain::event::CallStatus::Ok,
        value_id: None,
        label: None,
        text: text.to_owned(),
        truncated: false,
        duration_ms: 3,
        artifacts: Vec::new(),
        edited: None,
    };
    seat.happens_to(Some(10), Some(30), result("secret\u{1b}[2J\nsecond"));
    assert!(seat.state.view.work().calls().is_empty());
    assert!(!seat.scrollback().contains("second"));
    seat.ctrl('o');
    assert!(
        seat.scrollback()
            .contains("▎   | secret\\u{1b}[2J\n▎   | second"),
        "{}",
        seat.scrollback()
    );
    seat.calls(10, 31, "read_file");
    seat.happens_to(Some(10), Some(31), result("third"));
    assert!(seat.scrollback().contains("  | third"));
    seat.ctrl('o');
    assert!(!seat.state.is_expanded);
}

#[test]
fn it_sleeps_while_nothing_happens() {
    let mut seat = Seat::at((80, 24));
    assert_eq!(seat.state.wakes_at(), None);
    seat.asks(10, "go");
    assert!(seat.state.wakes_at().is_some());
    seat.ends(10, QueryStatus::Success);
    assert_eq!(seat.state.wakes_at(), None);
    assert_eq!(seat.takes(Message::Gone).last(), Some(&Command::HandOver));
    assert!(seat.scrollback().contains("has ended; going on without it"));
    assert_eq!(seat.state.wakes_at(), None);
}

#[test]
fn the_user_is_called_only_while_they_look_elsewhere() {
    let called = |done: &[Command]| {
        let calls = done.iter().filter_map(|one| match one {
            Command::Call(reason) => Some(*reason),
            _ => None,
        });
        calls.collect::<Vec<_>>()
    };
    let mut seat = Seat::at((80, 24));
    seat.asks(10, "go");
    assert!(called(&seat.question(10, call())).is_empty());
    seat.takes(Message::Focused(false));
    let other = request(21, ConfirmationKind::Call);
    assert_eq!(called(&seat.question(10, other)), [Reason::Question]);
    assert_eq!(
        called(&seat.ends(10, QueryStatus::Success)),
        [Reason::Ended]
    );
    seat.asks(11, "and this");
    seat.takes(Message::Focused(true));
    assert!(called(&seat.ends(11, QueryStatus::Success)).is_empty());
}

#[test]
fn a_terminal_that_does_not_know_its_size_has_the_usual_one() {
    let mut seat = Seat::at((40, 15));
    seat.takes(Message::Resized(0, 0));
    assert_eq!(seat.state.size, (80, 24));
}

#[test]
fn the_mouse_scrolls_and_chooses_panes_and_answers_nothing() {
    let mut seat = Seat::at((120, 30));
    seat.press(KeyCode::F(2));
    seat.asks(10, "go");
    let text: String = (0..60).map(|at| format!("line {at}\n\n")).collect();
    seat.says(10, &text);
    seat.ends(10, QueryStatus::Success);
    let focus = |seat: &Seat| seat.state.panes.focus();
    let rest = |seat: &Seat, pane| seat.state.panes.page(pane).rest(0, 10);
    assert_eq!(focus(&seat), Pane::Conversation);
    let wheel = |at| Message::Pointed(Pointed::WheelUp, at);
    // The pane below the pointer, whichever is in focus.
    assert_eq!(rest(&seat, Pane::Conversation), None);
    seat.takes(wheel((5, 20)));
    assert!(rest(&seat, Pane::Conversation).is_some());
    seat.takes(Message::Pointed(Pointed::Pressed, (100, 5)));
    assert_eq!(focus(&seat), Pane::Tools);
    // Nothing is where the input stands, and outside.
    for at in [(5, 29), (500, 500)] {
        seat.takes(Message::Pointed(Pointed::Pressed, at));
        assert_eq!(focus(&seat), Pane::Tools);
    }
    // Lines that are marked are not taken from whoever marks them.
    seat.press(KeyCode::Tab);
    seat.press(KeyCode::Tab);
    seat.press(KeyCode::F(4));
    assert!(seat.state.panes.is_marking());
    seat.takes(Message::Pointed(Pointed::Pressed, (100, 5)));
    assert!(seat.state.panes.is_marking());
    seat.press(KeyCode::Esc);
    seat.asks(11, "write");
    seat.question(11, request(20, ConfirmationKind::Call));
    seat.wait(800);
    let pressed = seat.takes(Message::Pointed(Pointed::Pressed, (5, 25)));
    assert_eq!(pressed, []);
    assert!(seat.state.dialog.is_some());
}

/// The rows of a long question take their time, so that a key must not make them anew.
#[test]
fn a_question_is_laid_out_once_for_a_width() {
    let seat = asked(vec![call()]);
    let dialog = seat.state.dialog.as_ref().unwrap();
    let times = Cell::new(0);
    let lay = |_: &[rendering::confirm::Section]| {
        times.set(times.get() + 1);
        Body::default()
    };
    for width in [60, 60, 60, 40, 40] {
        assert!(dialog.body(width, lay).rows.is_empty());
    }
    assert_eq!(times.get(), 2);
}
