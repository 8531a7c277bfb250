//! What happens and what is done about it, as tables.

use crate::fixture::{Seat, id, of_batch, request};
use crate::message::{Command, Message, Pointed, Reason};
use crate::panes::Pane;
use crate::question::{BURST, Field};
use crate::subject::Subject;
use crossterm::event::{KeyCode, KeyModifiers};
use domain::event::{ConfirmationAnswer, ConfirmationKind, EventBody, QueryStatus};
use domain::fault::Fault;
use domain::id::{ConfirmationId, QueryId};
use domain::settings::Mode;
use rendering::slash::Slash;
use std::time::Duration;

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
    seat.press(KeyCode::PageDown);
    assert_eq!(seat.state.help, Some(5));
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
    let last = sight(&seat).last;
    assert!(sight(&seat).hides && last > 0);
    seat.press(KeyCode::End);
    assert_eq!(seat.state.dialog.as_ref().unwrap().scroll, last);
    // Paging on from the end does not make up for what was passed over.
    seat.press(KeyCode::PageDown);
    assert!(seat.gives("a").is_empty());
    seat.press(KeyCode::Home);
    assert_eq!(seat.state.dialog.as_ref().unwrap().scroll, 0);
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
    let row = seat.state.dialog.as_ref().unwrap().scroll;
    assert_eq!(Some(row), sight(&seat).diff);
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
    assert_eq!(last("/undo").0, Some(Command::Run(Slash::Undo)));
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

fn listed(seat: &mut Seat, count: u128) -> Vec<Command> {
    let sessions = (1..=count).map(|number| api::sessions::SessionSummary {
        session_id: domain::id::SessionId::from_uuid(id(number)),
        title: format!("session {number}\u{1b}[2J"),
        ..seat.state.session.clone()
    });
    let sessions = sessions.collect();
    seat.takes(Message::Listed(sessions))
}

#[test]
fn the_list_goes_to_another_session_and_reads_one_at_a_time() {
    let mut seat = Seat::at((80, 24));
    let of = |number| domain::id::SessionId::from_uuid(id(number));
    seat.ctrl('s');
    assert!(
        seat.press(KeyCode::Enter).is_empty(),
        "nothing is listed yet"
    );
    assert_eq!(listed(&mut seat, 3), [Command::Preview(of(1))]);
    assert!(seat.press(KeyCode::Down).is_empty());
    assert!(seat.press(KeyCode::Down).is_empty());
    let read = seat.takes(Message::Previewed(of(1), Vec::new()));
    assert_eq!(read, [Command::Preview(of(3))]);
    assert_eq!(seat.ctrl('f'), [Command::Fork(of(3))]);
    assert_eq!(seat.ctrl('e'), [Command::Export(of(3))]);
    assert_eq!(seat.press(KeyCode::Enter), [Command::GoTo(of(3))]);
    // The one that is held is gone back to.
    seat.press(KeyCode::PageUp);
    assert!(seat.press(KeyCode::Enter).is_empty());
    assert!(seat.state.overlay.is_none());
    // While a request runs, nothing is left.
    seat.asks(10, "go");
    seat.ctrl('s');
    listed(&mut seat, 3);
    seat.press(KeyCode::Down);
    assert!(seat.press(KeyCode::Enter).is_empty());
    assert!(seat.state.overlay.is_some());
}

#[test]
fn ten_thousand_sessions_are_searched_at_once() {
    let mut seat = Seat::at((80, 24));
    seat.ctrl('s');
    listed(&mut seat, 10_000);
    let begun = std::time::Instant::now();
    seat.types("session 9999");
    let frame = crate::view::full(&seat.state).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2));
    let row: String = (0..80).map(|x| frame.buffer[(x, 2)].symbol()).collect();
    assert!(row.contains("session 9999\\u{1b}[2J"), "{row}");
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
fn sessions_of_this_folder_come_first_and_others_name_theirs() {
    let mut seat = Seat::at((80, 24));
    seat.ctrl('s');
    let usual = seat.state.session.clone();
    let of = |number: u128, folder: &str, title: &str| api::sessions::SessionSummary {
        session_id: domain::id::SessionId::from_uuid(id(number)),
        title: title.to_owned(),
        workspace: folder.into(),
        ..usual.clone()
    };
    let here = seat.state.profile.settings.workspace.clone();
    let here = here.to_str().unwrap();
    seat.takes(Message::Listed(vec![
        of(1, "/elsewhere/poems", "a sonnet"),
        of(2, here, "the build"),
        of(3, here, ""),
    ]));
    let frame = crate::view::full(&seat.state).unwrap();
    let row = |y| {
        (0..80)
            .map(|x| frame.buffer[(x, y)].symbol())
            .collect::<String>()
    };
    let rows: Vec<String> = (0..24).map(row).collect();
    let at = |text: &str| rows.iter().position(|row| row.contains(text)).unwrap();
    assert!(at("the build") < at("(nothing was asked)"), "{rows:#?}");
    assert!(
        at("(nothing was asked)") < at("in poems: a sonnet"),
        "{rows:#?}"
    );
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
