//! Ways out and back in: the terminal is as it was.

use crate::{ANSWER, begun_in_a_shell, count, goes_on_and_ends, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

#[test]
fn a_stopped_ui_goes_on_where_it_was() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([Reply::text("Begun.\n\n")
        .and_wait(&gate)
        .and_text("Done.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("go");
    window.until("Begun.");
    window.types("a draft");
    window.until("> a draft");
    window.presses(&["C-z"]);
    window.until("Stopped");
    let modes = window.shell("stty -a");
    assert!(
        modes.contains(" icanon") && modes.contains(" echo "),
        "{modes}"
    );
    window.types("fg");
    window.presses(&["Enter"]);
    window.until("> a draft");
    gate.open();
    window.until("Done.");
    let screen = window.until("idle");
    assert_eq!(count(&screen, "> a draft"), 1, "{screen}");
    assert_eq!(count(&screen, "idle"), 1, "{screen}");
}

#[test]
fn sigterm_leaves_the_terminal_as_it_was() {
    if is_absent(TMUX) {
        return;
    }
    let (_scene, mut window, before) = begun_in_a_shell();
    window.shell("kill -TERM %1");
    goes_on_and_ends(&mut window);
    let after = window.shell("stty -a");
    assert_eq!(before, after);
    let screen = window.screen();
    assert!(!screen.contains("working,"), "{screen}");
    // What is typed is shown, and a paste has no marks.
    window.types("echo typed");
    window.until("echo typed");
}

#[test]
fn leaving_takes_two_presses_or_an_empty_input() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    let mut window = seat(&scene, &[], (80, 24));
    window.types("half a thought");
    window.until("half a thought");
    window.presses(&["C-c"]);
    window.until_gone("half a thought");
    window.presses(&["C-c"]);
    window.until("Ctrl+C again leaves");
    window.until_gone("Ctrl+C again leaves");
    window.presses(&["C-c"]);
    window.until("Ctrl+C again leaves");
    window.presses(&["C-c"]);
    window.until_shell();
    let all = window.everything();
    assert!(!all.contains("idle"), "what was drawn is gone:\n{all}");
}

#[test]
fn a_killed_ui_loses_nothing_that_was_said() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("One."),
        Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Two."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("first");
    window.until("One.");
    window.until("idle");
    window.enters("second");
    window.until(ANSWER);
    drop(window);
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    assert!(screen.contains("second"), "{screen}");
    assert!(!scene.house.has("a.txt"));
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn what_had_come_of_an_answer_survives_a_kill() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Half **of** it is").and_wait(&gate)
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("tell me all");
    window.until("Half of it is");
    window.presses(&["C-z"]);
    window.until("Stopped");
    window.shell("kill -KILL %1");
    drop(window);
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    assert!(screen.contains("▎ > tell me all"), "{screen}");
    assert!(screen.contains("\nHalf of it is"), "{screen}");
    assert!(
        screen.contains("cut off when the program ended; above is what had come"),
        "{screen}"
    );
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn a_hang_up_leaves_the_terminal_as_it_was() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, mut window, before) = begun_in_a_shell();
    window.shell("kill -HUP %1");
    goes_on_and_ends(&mut window);
    assert_eq!(before, window.shell("stty -a"));
    let log = &testkit::house::json_lines(&scene.house.session_logs()[0]);
    assert_eq!(scenarios::of_kind(log, "query_received").len(), 1);
}

#[test]
fn without_a_screen_it_names_line_mode() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    let refused = scene.house.ask(["tui"]).run().expect(2);
    assert!(refused.stderr.contains("carl chat"), "{refused:?}");
    let mut dumb = scene.house.ask(["tui"]).env("TERM", "dumb").seated();
    dumb.until("carl chat");
    assert_eq!(dumb.finish().code, Some(2));
}
