//! Light and dark: colours by what a terminal says of itself, of which nothing is typed.

use crate::{ANSWER, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Reply, Seated, Server, TMUX, is_absent};

/// What a terminal is asked.
const QUESTION: &str = "\x1b]11;?\x1b\\";
/// How a warning is written on a dark background, and on a light one.
const ON_DARK: &str = ";1;33m";
const ON_LIGHT: &str = ";1;35m";

fn scene() -> Scene {
    Scene::forgetful(Server::openai([
        Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Left."),
    ]))
}

/// A terminal of nobody's, whose answers are typed.
fn seated(scene: &Scene, variable: (&str, &str)) -> Seated {
    let carl = scene.house.ask(["tui", "--allow-write", "."]);
    let carl = carl.env("TERM", "screen-256color").env("COLORFGBG", "");
    carl.env(variable.0, variable.1).seated()
}

/// Has a warning drawn, and says whether it is written so.
fn warns(seat: &mut Seated, code: &str) -> bool {
    // Pasted: a command that is typed this fast waits for an Enter behind a pause.
    seat.types("\x1b[200~/override relax\x1b[201~");
    seat.until("/override relax");
    seat.types("\r");
    seat.until("! next: override").ends_with(code)
}

#[test]
fn a_terminal_that_says_it_is_light_has_colours_for_that() {
    for (answer, code) in [
        ("\x1b]11;rgb:ffff/ffff/ffff\x1b\\", ON_LIGHT),
        ("\x1b]11;rgb:0000/0000/0000\x07", ON_DARK),
        ("", ON_DARK),
    ] {
        let scene = scene();
        let mut seat = seated(&scene, ("COLORFGBG", ""));
        seat.until(QUESTION);
        // The first frame waits for no answer.
        seat.until("idle");
        seat.types(answer);
        assert!(warns(&mut seat, code), "{answer:?}: {}", seat.shown());
    }
}

#[test]
fn what_is_set_counts_and_what_it_begins_with_is_known() {
    for (variable, code) in [
        (("CARL_TUI__THEME", "light"), ON_LIGHT),
        (("CARL_TUI__THEME", "dark"), ON_DARK),
        (("COLORFGBG", "0;default;15"), ON_LIGHT),
    ] {
        let scene = scene();
        let mut seat = seated(&scene, variable);
        seat.until("idle");
        assert!(warns(&mut seat, code), "{variable:?}: {}", seat.shown());
        let is_asked = seat.shown().contains(QUESTION);
        assert_eq!(is_asked, variable.0 == "COLORFGBG");
    }
}

#[test]
fn an_answer_that_comes_late_or_in_pieces_is_not_typed() {
    let scene = scene();
    let mut seat = seated(&scene, ("COLORFGBG", ""));
    seat.until("idle");
    seat.types("half a ");
    seat.until("half a");
    for byte in b"\x1b]11;rgb:ffff/ffff/ffff\x1b\\" {
        seat.types_bytes(&[*byte]);
    }
    seat.types("line");
    seat.until("half a line");
    seat.types("\x15");
    assert!(warns(&mut seat, ON_LIGHT), "{}", seat.shown());
    assert!(!seat.shown().contains("rgb:"), "{}", seat.shown());
}

#[test]
fn a_terminal_that_turned_light_is_known_once_looked_at() {
    let scene = scene();
    let mut seat = seated(&scene, ("COLORFGBG", ""));
    seat.until(QUESTION);
    seat.until("idle");
    seat.types("\x1b]11;rgb:0000/0000/0000\x07");
    assert!(warns(&mut seat, ON_DARK), "{}", seat.shown());
    // Another window had the keys meanwhile.
    seat.types("\x1b[O\x1b[I");
    seat.until(QUESTION);
    seat.types("\x1b]11;rgb:ffff/ffff/ffff\x1b\\");
    // All rows are drawn anew.
    seat.until(&format!("{ON_LIGHT}! next: override"));
    let times = seat.shown().matches(QUESTION).count();
    assert_eq!(times, 2, "{}", seat.shown());
}

#[test]
fn a_terminal_that_never_answers_is_asked_once() {
    let scene = scene();
    let mut seat = seated(&scene, ("COLORFGBG", ""));
    seat.until(QUESTION);
    seat.until("idle");
    seat.types("\x1b[O\x1b[I");
    assert!(warns(&mut seat, ON_DARK), "{}", seat.shown());
    assert_eq!(seat.shown().matches(QUESTION).count(), 1);
}

#[test]
fn no_answer_of_a_terminal_answers_a_question() {
    if is_absent(TMUX) {
        return;
    }
    let scene = scene();
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("write it");
    window.until(ANSWER);
    window.sends(b"\x1b]11;rgb:y\ry\rs\r\x1b[13u\x1by\ry\r\x07");
    window.types("n never");
    window.until(&format!("{ANSWER} n never"));
    window.presses(&["Enter"]);
    window.until("Left.");
    let all = window.everything();
    assert!(all.contains("denied by you: never"), "{all}");
    assert!(!all.contains("answers nothing"), "{all}");
    assert!(!scene.house.has("a.txt"));
}

#[test]
fn a_window_of_tmux_that_is_light_is_known_for_it() {
    if is_absent(TMUX) {
        return;
    }
    for (is_light, code) in [(true, "[35m"), (false, "[33m")] {
        let scene = scene();
        let carl = scene.house.ask(["tui", "--allow-write", "."]);
        let mut window = carl.env("COLORFGBG", "").in_window((80, 24));
        window.has_background(if is_light { "#ffffff" } else { "#101010" });
        window.starts();
        window.enters("write it");
        window.until(ANSWER);
        let coloured = window.coloured();
        let bar = coloured.lines().find(|line| line.contains("┃")).unwrap();
        assert!(bar.contains(code), "{code}: {bar:?}");
    }
}
