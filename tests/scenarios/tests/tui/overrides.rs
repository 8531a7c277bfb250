//! An override for one message.

use crate::{ANSWER, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

#[test]
fn an_override_is_for_one_message() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let write = |path: &str| json!({"path": path, "content": "x"});
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Hello."),
        Reply::text("")
            .and_wait(&gate)
            .and_call("write_file", write("one.txt")),
        Reply::text("Wrote one."),
        Reply::call("write_file", write("two.txt")),
        Reply::text("Left two."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (100, 30));
    window.enters("hello");
    window.until("Hello.");
    window.until("idle");
    window.enters("/override all");
    window.until("! next: override all");
    window.enters("write one");
    window.until("! override all");
    // What is sent meanwhile would go by it: it stays in the input.
    window.until("working");
    window.enters("write two");
    window.until("not sent: a message goes by an override");
    gate.open();
    window.until("Wrote one.");
    window.until("the override is over");
    window.until_screen("no warning", |screen| {
        let status = screen.trim_end().lines().last().unwrap_or_default();
        status.contains("idle") && !status.contains("override")
    });
    assert!(scene.house.has("one.txt"));
    window.until("> write two");
    window.presses(&["Enter"]);
    window.until(ANSWER);
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left two.");
    assert!(!scene.house.has("two.txt"));
    // One that waits does not go along into auto mode.
    window.enters("/override relax");
    window.until("! next: override relax");
    window.enters("/mode auto");
    window.until("in auto mode none holds");
    window.until("mode: auto");
    window.enters("/override relax");
    window.until("in auto mode an override cannot");
}

#[test]
fn under_an_override_programs_write_where_a_yes_would_let_them() {
    if is_absent(TMUX) {
        return;
    }
    let line = "echo x > one.txt && echo done";
    let scene = Scene::forgetful(Server::openai([
        Reply::call("run_command", json!({"command": line})),
        Reply::text("Written."),
    ]));
    let mut window = seat(&scene, &["--mode", "loop"], (100, 30));
    window.enters("/override all");
    window.until("! next: override all");
    window.enters("write it");
    window.until("Written.");
    let screen = window.until("idle");
    assert!(!screen.contains(ANSWER), "nobody is asked:\n{screen}");
    assert_eq!(scene.house.read("one.txt"), "x\n");
}
