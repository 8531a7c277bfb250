//! Lines of pages and panes that are marked and copied.

use crate::{ANSWER, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

#[test]
fn lines_of_a_page_are_marked_and_copied() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("read_file", json!({"path": "note.txt"})),
        Reply::text("Read."),
    ]));
    let long = "word ".repeat(30);
    let content = format!("alpha\n\tbeta\n{long}gamma\n");
    scene.house.write("note.txt", content);
    let mut window = seat(&scene, &[], (80, 24));
    window.takes_copies();
    window.enters("read it");
    window.until("Read.");
    window.until("idle");
    window.presses(&["C-t"]);
    window.until("calls: tool calls");
    window.until_gone("reading…");
    window.presses(&["v"]);
    window.until("1 line marked");
    // The last line is empty.
    window.presses(&["G", "k"]);
    window.until("10 lines marked");
    // Half a page up and down again.
    window.presses(&["C-u"]);
    window.until_gone("10 lines marked");
    window.presses(&["C-d"]);
    window.until_screen("more lines than one", |screen| {
        screen.contains(" lines marked") && !screen.contains("1 lines")
    });
    window.presses(&["G", "k"]);
    window.until("10 lines marked");
    window.presses(&["Enter"]);
    let screen = window.until("copied ");
    let copied = window.copied();
    let count = copied.lines().count();
    assert!(
        screen.contains(&format!("copied {count} lines")),
        "{screen}"
    );
    assert!(copied.contains("alpha\n  |     beta\n"), "{copied}");
    // A line that the page breaks is one line of what is copied.
    assert!(copied.contains(&format!("{long}gamma")), "{copied}");
    let is_plain = |one: char| one == '\n' || !(one.is_control() || "▎┃".contains(one));
    assert!(copied.chars().all(is_plain), "{copied:?}");
}

#[test]
fn marks_in_a_pane_answer_no_question() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("First line.\n\nSecond line.\n\n")
            .and_wait(&gate)
            .and_call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Left."),
    ]));
    let mut window = seat(&scene, &["--panes", "--allow-write", "."], (120, 30));
    window.takes_copies();
    window.enters("write it");
    window.until("Second line.");
    window.presses(&["F4"]);
    window.until("1 line marked");
    gate.open();
    window.until("1 question waits");
    assert!(!window.screen().contains(ANSWER));
    window.presses(&["G", "Space", "k", "k"]);
    window.until("3 lines marked");
    window.types("y");
    window.until("copied 3 lines");
    assert!(window.copied().contains("line."), "{}", window.copied());
    window.until(ANSWER);
    assert!(!scene.house.has("a.txt"));
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left.");
    assert!(!scene.house.has("a.txt"));
}
