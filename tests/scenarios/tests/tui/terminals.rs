//! Terminals that are not the usual one: GNU screen, and a slow line.

use crate::ANSWER;
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, SCREEN, Server, TMUX, is_absent};

fn scene(first: Reply) -> Scene {
    let arguments = json!({"path": "a.txt", "content": "x"});
    Scene::forgetful(Server::openai([
        first,
        Reply::call("write_file", arguments),
        Reply::text("Written."),
    ]))
}

#[test]
fn it_works_inside_of_gnu_screen() {
    if is_absent(TMUX) || is_absent(SCREEN) {
        return;
    }
    let scene = scene(Reply::text("First."));
    let sockets = scene.house.home().join("screens");
    let carl = scene.house.ask(["tui", "--allow-write", "."]);
    let carl = carl.env("SCREENDIR", sockets.to_str().unwrap());
    let mut window = carl.in_window((80, 24));
    window.until("shell$");
    window.types("mkdir -m 700 $SCREENDIR; screen -c /dev/null \"$@\"");
    window.presses(&["Enter"]);
    window.until("idle");
    window.enters("hello");
    window.until("First.");
    window.until("idle");
    window.enters("write it");
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("Written.");
    window.until("idle");
    assert_eq!(scene.house.read("a.txt"), "x");
    window.presses(&["F2"]);
    window.until("tools ─");
    window.presses(&["F2"]);
    window.until_gone("tools ─");
    window.presses(&["C-d"]);
    window.until("screen is terminating");
    let screen = window.until_shell();
    assert!(!screen.contains("11;"), "{screen}");
}

/// What a line of 9,600 baud carries in a second.
const BYTES_A_SECOND: usize = 960;

#[test]
fn a_terminal_is_asked_nothing_that_is_waited_for() {
    for (term, is_told) in [("xterm-256color", true), ("linux", false)] {
        let scene = scene(Reply::text("Hello."));
        // It answers nothing.
        let mut seat = scene.house.ask(["tui"]).env("TERM", term).seated();
        seat.until("idle");
        let shown = seat.shown().to_owned();
        assert_eq!(shown.contains("\u{1b}[>1u"), is_told, "{term}: {shown:?}");
        assert!(!shown.contains("\u{1b}[?u"), "{shown:?}");
        seat.types("\u{4}");
        assert_eq!(seat.finish().code, Some(0));
    }
}

#[test]
fn a_slow_line_gets_little_and_keys_work_on_it() {
    let words: Vec<String> = (0..300).map(|at| format!("word{at}")).collect();
    let parts: Vec<&[String]> = words.chunks(30).collect();
    let gates: Vec<Gate> = parts.iter().map(|_| Gate::new()).collect();
    let mut first = Reply::text("Begun. ");
    for (part, gate) in parts.iter().zip(&gates) {
        first = first
            .and_wait(gate)
            .and_text(format!("{} ", part.join(" ")));
    }
    let scene = scene(first.and_text("\n\nFinished."));
    let carl = scene.house.ask(["tui", "--allow-write", "."]);
    let mut seat = carl
        .env("TERM", "screen-256color")
        .seated_far_away(BYTES_A_SECOND);
    seat.until("idle");
    seat.types("hello");
    seat.until("hello");
    let before = seat.shown().len();
    seat.types("\r");
    // Each part goes on once the one before is on the screen.
    seat.until("Begun.");
    for (part, gate) in parts.iter().zip(&gates) {
        gate.open();
        seat.until(part.last().unwrap());
    }
    seat.until("Finished.");
    seat.until("idle");
    let answer = words.join(" ").len();
    let written = seat.shown().len() - before;
    assert!(written < 8 * answer, "{written} bytes for {answer}");
    seat.types("write it");
    seat.until("write it");
    seat.types("\r");
    seat.until("Tab: a message instead");
    seat.until("> ");
    seat.types("yes");
    seat.until("yes");
    seat.types("\r");
    seat.until("Written.");
    assert_eq!(scene.house.read("a.txt"), "x");
}
