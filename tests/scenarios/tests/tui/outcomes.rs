//! What came of requests, as the UI and its page of the history have it.

use crate::{ANSWER, answers, count, seat};
use scenarios::Scene;
use serde_json::{Value, json};
use testkit::{Gate, Reply, Server, TMUX, Window, is_absent};

/// A mode in which the model calls tools as it sees fit, and files of the folder may be changed.
const ARGS: [&str; 4] = ["--mode", "loop", "--allow-write", "."];

fn writes(path: &str) -> Value {
    json!({"path": path, "content": "one\n"})
}

/// The whole page of the history, which has the lines of a screen or fewer.
fn history(window: &mut Window) -> String {
    window.enters("/inspect history");
    window.until("history: exchanges");
    window.until(" you, ")
}

/// Where a text stands in another.
fn place(all: &str, part: &str) -> usize {
    let at = all.find(part);
    at.unwrap_or_else(|| panic!("no `{part}`:\n{all}"))
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

#[test]
fn the_history_has_what_came_of_each_request_below_it() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("It begins well.\n\n").and_wait(&gate),
        Reply::text("I will look.").and_call("read_file", json!({"path": "a.txt"})),
        Reply::text("Bees dance."),
        Reply::text("Ants walk."),
    ]));
    scene.house.write("a.txt", "one\n");
    let mut window = seat(&scene, &ARGS, (100, 60));
    window.enters("first");
    window.until("It begins well.");
    for text in ["second", "third"] {
        window.enters(text);
        window.until(&format!("takes back): {text}"));
    }
    window.presses(&["Escape"]);
    window.until("Ants walk.");
    window.until("idle");
    let page = history(&mut window);
    let places = [
        "| first",
        "| It begins well.",
        "interrupted",
        "| second",
        "waiting: ",
        "| I will look.",
        "→ read_file",
        "| Bees dance.",
        "| third",
        "| Ants walk.",
    ];
    let places = places.map(|part| place(&page, part));
    assert!(places.is_sorted(), "{places:?}\n{page}");
    // What is the answer as well stands there once.
    assert_eq!(count(&page, "Bees dance."), 1, "{page}");
}

#[test]
fn a_request_with_an_answer_was_not_refused() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("read_file", json!({"path": "a.txt"})),
        Reply::call("write_file", writes("b.txt")),
        Reply::text("It says one, and I left b.txt alone."),
    ]));
    scene.house.write("a.txt", "one\n");
    let mut window = seat(&scene, &ARGS, (100, 40));
    window.enters("look and write");
    answers(&mut window, "n");
    window.until("I left b.txt alone.");
    window.until("idle");
    let all = window.everything();
    let rows: Vec<&str> = all.lines().map(str::trim).collect();
    assert!(!rows.contains(&"▎ refused"), "{all}");
    assert!(rows.contains(&"▎ a call was refused"), "{all}");
}

#[test]
fn what_came_of_a_call_is_told_of_its_file() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("read_file", json!({"path": "a.txt"})),
        Reply::call("write_file", writes("b.txt")),
        Reply::text("Done."),
    ]));
    scene.house.write("a.txt", "one\ntwo\nthree\n");
    let mut window = seat(&scene, &ARGS, (100, 40));
    window.enters("look and write");
    answers(&mut window, "y");
    window.until("Done.");
    window.until("idle");
    let all = window.everything();
    let ends = all.lines().filter_map(|row| row.split_once("✓ "));
    let ends: Vec<&str> = ends.map(|(_, end)| end).collect();
    assert_eq!(ends.len(), 2, "{all}");
    assert!(ends[0].starts_with("lines 1–3 of 3, "), "{all}");
    // How long it took, and nothing else.
    assert!(!ends[1].contains([',', 'B']), "{all}");
}

#[test]
fn a_resumed_request_keeps_its_outcome() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("run_command", json!({"command": "sleep 600"})),
        Reply::text("I could not wait for it."),
    ]));
    let mut window = seat(&scene, &ARGS, (100, 40));
    window.enters("wait");
    answers(&mut window, "y");
    window.until("running run_command");
    window.presses(&["C-k"]);
    window.until("I could not wait for it.");
    window.until("idle");
    let before = window.everything();
    for part in ["error: The last call", "partly done"] {
        assert!(before.contains(part), "{before}");
    }
    window.presses(&["C-d"]);
    window.until_shell();
    drop(window);
    let mut window = seat(&scene, &["--resume", "last"], (100, 40));
    window.until("idle");
    let after = window.everything();
    let places = [
        "I could not wait for it.",
        "error: The last call",
        "partly done",
    ];
    let places = places.map(|part| place(&after, part));
    assert!(places.is_sorted(), "{after}");
}

#[test]
fn the_last_answer_is_copied() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text(
        "Bees *dance*.\n\n```\nfor bee in hive:\n    dance(bee)\n```\n",
    )]));
    let mut window = seat(&scene, &[], (100, 30));
    window.takes_copies();
    window.enters("/copy");
    window.until("this session has no answer to copy");
    window.until("Ask something first");
    window.enters("what do bees do?");
    window.until("dance(bee)");
    window.until("idle");
    window.enters("/copy");
    window.until("copied the last answer, 6 lines");
    let copied = "Bees *dance*.\n\n```\nfor bee in hive:\n    dance(bee)\n```";
    assert_eq!(window.copied().trim_end(), copied);
}
