//! Keys that come as a paste does, from a terminal that does not mark what is pasted.

use crate::fixture::Seat;
use crate::message::{Command, Message};
use crate::question::AT_ONCE;
use crate::update::gathers;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::Duration;

/// Keys a millisecond apart, as a terminal gives a paste.
fn at_once(seat: &mut Seat, text: &str) -> Vec<Command> {
    let mut done = Vec::new();
    for letter in text.chars() {
        let code = match letter {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            letter => KeyCode::Char(letter),
        };
        seat.now += Duration::from_millis(1);
        done.extend(seat.takes(Message::Key(KeyEvent::new(code, KeyModifiers::NONE))));
    }
    done
}

#[test]
fn line_ends_between_lines_that_come_at_once_are_of_the_draft() {
    for text in [
        "first line\nsecond line",
        "first line\n\n\tthird line\n",
        "first line\n\nsecond\n\n",
    ] {
        let mut seat = Seat::at((80, 24));
        assert_eq!(at_once(&mut seat, text), [], "{text:?}");
        seat.wait(1_000);
        let mut marked = Seat::at((80, 24));
        marked.takes(Message::Paste(text.to_owned()));
        assert_eq!(seat.state.input.text(), marked.state.input.text());
        // What is in the input goes with an Enter of its own.
        let done = seat.press(KeyCode::Enter);
        let sent = Command::Send(marked.state.input.text().trim().to_owned());
        assert_eq!(done.last(), Some(&sent), "{text:?}");
    }
}

/// A slow line delivers keys together; Shift with Enter was pressed for a line end all the same.
#[test]
fn a_line_end_with_shift_sends_nothing_however_fast_it_comes() {
    for text in ["abc", "a longer line", "two\nlines"] {
        let mut seat = Seat::at((80, 24));
        at_once(&mut seat, text);
        seat.now += Duration::from_millis(1);
        assert_eq!(seat.key(KeyCode::Enter, KeyModifiers::SHIFT), [], "{text}");
        seat.wait(1_000);
        assert_eq!(at_once(&mut seat, "x"), [], "{text}");
        assert_eq!(seat.state.input.text(), format!("{text}\nx"));
    }
}

/// Each by itself would have the whole draft looked at for each letter.
#[test]
fn keys_that_go_on_with_a_paste_are_taken_together() {
    let key = |code| KeyEvent::new(code, KeyModifiers::NONE);
    let mut seat = Seat::at((80, 24));
    let first = key(KeyCode::Char('x'));
    assert_eq!(gathers(&mut seat.state, &first, seat.now), None);
    at_once(&mut seat, "first line\nsecond");
    let mut gathered = String::new();
    for code in [
        KeyCode::Char(' '),
        KeyCode::Enter,
        KeyCode::Tab,
        KeyCode::Char('z'),
    ] {
        seat.now += Duration::from_millis(1);
        gathered.extend(gathers(&mut seat.state, &key(code), seat.now));
    }
    assert_eq!(gathered, " \n\tz");
    seat.takes(Message::Gathered(gathered));
    assert_eq!(seat.state.input.text(), "first line\nsecond \n\tz");
    // Behind a pause, and on a page, a key is one again.
    seat.now += AT_ONCE;
    assert_eq!(gathers(&mut seat.state, &first, seat.now), None);
    at_once(&mut seat, "a line\nand more");
    seat.state.help = Some(0);
    assert_eq!(gathers(&mut seat.state, &first, seat.now), None);
}

#[test]
fn one_line_that_comes_at_once_is_sent_with_its_line_end() {
    let mut seat = Seat::at((80, 24));
    assert_eq!(at_once(&mut seat, "one line\n"), []);
    let at = seat.state.wakes_at();
    assert_eq!(at, Some(seat.now + AT_ONCE));
    seat.now += AT_ONCE;
    let done = seat.takes(Message::Tick);
    assert_eq!(done.last(), Some(&Command::Send("one line".to_owned())));
    assert!(seat.state.input.is_empty());
    assert_eq!(seat.takes(Message::Tick), []);
}

#[test]
fn a_key_behind_a_line_end_finds_the_line_sent() {
    let mut seat = Seat::at((80, 24));
    at_once(&mut seat, "one line\n");
    let done = seat.press(KeyCode::Char('x'));
    assert_eq!(done.last(), Some(&Command::Send("one line".to_owned())));
    assert_eq!(seat.state.input.text(), "x");
}

#[test]
fn a_command_and_a_line_end_that_come_at_once_run_nothing() {
    for command in ["!touch a", "!w", "/undo", "/quit"] {
        let mut seat = Seat::at((80, 24));
        let mut done = at_once(&mut seat, &format!("{command}\n"));
        seat.now += Duration::from_secs(1);
        done.extend(seat.takes(Message::Tick));
        assert_eq!(done, [], "{command}");
        assert!(seat.scrollback().contains("came all at once"));
        assert_eq!(seat.state.input.text(), command);
        // An Enter of its own runs it.
        let done = seat.press(KeyCode::Enter);
        assert_ne!(done, [], "{command}");
        assert!(seat.state.input.is_empty(), "{command}");
    }
}

#[test]
fn a_command_of_a_marked_paste_runs_with_its_enter() {
    let mut seat = Seat::at((80, 24));
    at_once(&mut seat, "half a");
    seat.takes(Message::Key(KeyEvent::new(
        KeyCode::Char('u'),
        KeyModifiers::CONTROL,
    )));
    seat.takes(Message::Paste("/quit".to_owned()));
    assert_ne!(at_once(&mut seat, "\n"), []);
}
