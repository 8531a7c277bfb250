//! The list of sessions.

use crate::fixture::{Seat, id};
use crate::message::{Command, Message};
use crossterm::event::KeyCode;
use std::time::Duration;

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
