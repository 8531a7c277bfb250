//! What came of requests, as the UI and its page of the history have it.

use crate::{ANSWER, answers, seat};
use scenarios::Scene;
use serde_json::{Value, json};
use testkit::{Reply, Server, TMUX, is_absent};

/// A mode in which the model calls tools as it sees fit, and files of the folder may be changed.
const ARGS: [&str; 4] = ["--mode", "loop", "--allow-write", "."];

fn writes(path: &str) -> Value {
    json!({"path": path, "content": "one\n"})
}

#[test]
fn an_interrupted_request_names_every_changed_file() {
    if is_absent(TMUX) {
        return;
    }
    let run = json!({"command": "sleep 30"});
    let scene = Scene::forgetful(Server::openai([Reply::call(
        "write_file",
        writes("m1.txt"),
    )
    .and_call("write_file", writes("m2.txt"))
    .and_call("run_command", run)]));
    let mut window = seat(&scene, &ARGS, (100, 40));
    window.enters("make two files and wait");
    window.until("2 calls");
    answers(&mut window, "a");
    window.until("[exec]");
    window.until(ANSWER);
    window.presses(&["Escape"]);
    window.until("interrupted");
    window.until("idle");
    let all = window.everything();
    for name in ["m1.txt", "m2.txt"] {
        assert!(scene.house.work().join(name).exists());
        let is_told = |row: &str| row.contains("· created ") && row.contains(name);
        assert!(all.lines().any(is_told), "{name}:\n{all}");
    }
}
