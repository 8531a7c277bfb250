//! Long pasted texts: one piece in the input, whole where they go.

use crate::{count, seat};
use scenarios::Scene;
use std::os::unix::fs::PermissionsExt;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

/// What is pasted: so many numbered lines.
fn lines(count: usize) -> String {
    let lines: Vec<String> = (1..=count).map(|n| format!("line {n} of it")).collect();
    lines.join("\n")
}

#[test]
fn lines_that_come_at_once_without_marks_are_one_message() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Both read.")]));
    let mut window = seat(&scene, &[], (80, 24));
    // As GNU screen gives a paste: keys, with Enter for each line end.
    window.types("first of two\rsecond of two\r");
    window.until("> first of two");
    window.until("second of two");
    assert!(scene.server.chats().is_empty(), "nothing is sent by itself");
    window.presses(&["Enter"]);
    window.until("Both read.");
    let chats = scene.server.chats();
    assert_eq!(chats.len(), 1);
    let asked = chats[0].body.to_string();
    assert!(asked.contains("first of two\\nsecond of two"), "{asked}");
}

#[test]
fn a_long_paste_is_one_piece_and_goes_whole() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Read."),
        Reply::text("Again."),
    ]));
    let file = scene.house.work().join("editor");
    let editor =
        "#!/bin/sh\necho the editor has $(wc -l < \"$1\") and $(tail -1 \"$1\")\nread line\n";
    scene.house.write("editor", editor);
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o700)).unwrap();
    let carl = scene.house.ask(["tui"]).env("EDITOR", file);
    let mut window = carl.in_window((80, 24));
    window.starts();
    window.types("see ");
    window.pastes(&lines(48));
    window.until("> see [pasted #1: 48 lines]");
    window.presses(&["BSpace"]);
    window.until_gone("[pasted");
    window.pastes(&lines(48));
    window.types(" please");
    window.until("> see [pasted #2: 48 lines] please");
    // An editor has all of it; left as it was, it is one piece again.
    window.presses(&["C-g"]);
    window.until("the editor has 47 and line 48 of it please");
    window.presses(&["Enter"]);
    window.until("> see [pasted #2: 48 lines] please");
    window.presses(&["Enter"]);
    window.until("Read.");
    window.until("idle");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    let whole = format!("see {} please", lines(48)).replace('\n', "\\n");
    assert!(asked.contains(&whole), "{asked}");
    // The scrollback has its beginning until the whole is asked for.
    let shown = window.everything();
    assert!(shown.contains("▎ > see line 1 of it"), "{shown}");
    assert!(
        shown.contains("▎ · 43 more lines (Ctrl+O shows them)"),
        "{shown}"
    );
    assert!(!shown.contains("line 6 of it"), "{shown}");
    window.presses(&["C-o"]);
    window.until("line 48 of it please");
    window.until_everything("line 6 once", |all| count(all, "line 6 of it") == 1);
    // What was typed before has it whole, also in another window.
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    window.until("43 more lines");
    window.presses(&["Up"]);
    window.until("line 48 of it please");
    window.presses(&["Enter"]);
    window.until("Again.");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert_eq!(count(&asked, &whole), 2, "{asked}");
}

#[test]
fn no_words_pass_for_a_paste_and_no_paste_for_a_command() {
    if is_absent(TMUX) {
        return;
    }
    let replies = ["One.", "Two.", "Three."].map(Reply::text);
    let scene = Scene::forgetful(Server::openai(replies));
    let mut window = seat(&scene, &[], (80, 24));
    let asked = || scene.server.chats().last().unwrap().body.to_string();
    window.pastes(&lines(20));
    window.until("[pasted #1: 20 lines]");
    window.types(" [pasted #1: 20 lines]");
    window.pastes(" [pasted #1: 20 lines]");
    window.until_screen("both", |screen| count(screen, "[pasted #1: 20 lines]") == 3);
    window.presses(&["Enter"]);
    window.until("One.");
    window.until("idle");
    let words = " [pasted #1: 20 lines]".repeat(2);
    let whole = format!("{}{words}\"", lines(20)).replace('\n', "\\n");
    assert!(asked().contains(&whole), "{}", asked());
    // A literal chip alone is what it says.
    window.enters("[pasted #1: 20 lines]");
    window.until("Two.");
    window.until("idle");
    assert!(asked().contains("\"[pasted #1: 20 lines]\""), "{}", asked());
    // Nobody sees what a long paste begins with, so it is no command.
    let hidden = format!("/override all{}", "\n".repeat(12));
    window.pastes(&hidden);
    window.until("[pasted #1: 12 lines]");
    window.presses(&["Enter"]);
    window.until("Three.");
    let screen = window.until("idle");
    assert!(!screen.contains("! next"), "{screen}");
    assert!(asked().contains("\"/override all\""), "{}", asked());
}

#[test]
fn a_long_paste_outlives_the_process_that_serves() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("First."),
        Reply::text("Half of it").and_wait(&gate),
        Reply::text("Third."),
    ]));
    let mut server = seat(&scene, &[], (80, 24));
    server.enters("one");
    server.until("First.");
    server.until("idle");
    let mut guest = seat(&scene, &["--resume", "last"], (80, 24));
    guest.enters("two");
    guest.until("Half of it");
    guest.pastes(&lines(30));
    guest.until("> [pasted #1: 30 lines]");
    server.presses(&["C-z"]);
    server.until("Stopped");
    server.shell("kill -KILL %1");
    guest.until("above is what had come of its answer");
    guest.until("line 30 of it");
    guest.presses(&["Enter"]);
    guest.until("Third.");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(asked.contains(&lines(30).replace('\n', "\\n")), "{asked}");
}
