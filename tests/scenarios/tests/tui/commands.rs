//! The commands that line mode has as well.

use crate::{ANSWER, seat};
use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::{Reply, Server, TMUX, Window, is_absent};

#[test]
fn undo_takes_an_exchange_back_with_its_files() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call(
            "write_file",
            json!({"path": "a.txt", "content": "one\n", "mode": "create"}),
        ),
        Reply::text("Written."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (100, 30));
    window.enters("write it");
    let screen = window.until(ANSWER);
    assert!(screen.contains("a.txt"), "{screen}");
    answers_yes(&mut window);
    window.until("Written.");
    window.until("idle");
    window.enters("/diff");
    window.until("+one");
    window.enters("/undo");
    window.until(ANSWER);
    assert!(scene.house.has("a.txt"));
    answers_yes(&mut window);
    window.until("taken back: write it");
    assert!(!scene.house.has("a.txt"));
    window.enters("/undo");
    window.until("there is nothing to take back");
    window.enters("/diff");
    window.until("changed no file, or took it all back");
}

#[test]
fn undo_of_a_line_for_the_shell_names_the_edit_before_it() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Written."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (100, 30));
    window.enters("write it");
    answers_yes(&mut window);
    window.until("Written.");
    window.until("idle");
    window.enters("!cat a.txt");
    window.until("│ x");
    window.until("idle");
    window.enters("/undo");
    window.until("taken back: !cat a.txt (it had changed no file)");
    window.until("1 file change of `write it` before it still stands: /undo takes that back");
    assert!(scene.house.has("a.txt"));
    window.enters("/undo");
    answers_yes(&mut window);
    window.until("taken back: write it");
    assert!(!scene.house.has("a.txt"));
}

#[test]
fn rewind_takes_exchanges_back_one_by_one() {
    if is_absent(TMUX) {
        return;
    }
    let write = json!({"path": "a.txt", "content": "one\n", "mode": "create"});
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees dance."),
        Reply::call("write_file", write),
        Reply::text("Written."),
        Reply::text("Ants walk."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (100, 30));
    window.enters("what do bees do?");
    window.until("Bees dance.");
    window.until("idle");
    window.enters("write it");
    answers_yes(&mut window);
    window.until("Written.");
    window.until("idle");
    window.enters("what do ants do?");
    window.until("Ants walk.");
    window.until("idle");
    // A no stops at that exchange; what came after it is back already, and that is said.
    window.enters("/rewind 2");
    window.until(ANSWER);
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("taken back: what do ants do?");
    window.until("nothing was taken back; the exchange stays");
    window.until("  the exchange after it is taken back");
    assert!(scene.house.has("a.txt"));
    window.enters("/rewind");
    answers_yes(&mut window);
    window.until("taken back: write it");
    assert!(!scene.house.has("a.txt"));
    window.enters("/pin");
    let screen = window.until("/pin N keeps one in view");
    let is_listed = |text: &str| {
        let mut rows = screen.lines().filter(|row| row.contains("#"));
        rows.any(|row| row.contains(text))
    };
    assert!(is_listed("what do bees do?"), "{screen}");
    assert!(!is_listed("ants") && !is_listed("write it"), "{screen}");
    window.enters("/rewind none");
    window.until("no number of exchanges");
}

/// Types a yes as a person does.
fn answers_yes(window: &mut Window) {
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
}

#[test]
fn commands_tell_rate_pin_copy_and_ask_again() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees dance."),
        Reply::text("They dance indeed."),
    ]));
    let mut window = seat(&scene, &[], (100, 40));
    window.enters("what do bees do?");
    window.until("Bees dance.");
    window.until("idle");
    window.enters("/retry");
    window.until("again: what do bees do?");
    window.until("They dance indeed.");
    window.until("idle");
    window.enters("/rate 4 nearly");
    window.until("rated +50: what do bees do?");
    window.enters("/pin");
    let screen = window.until("/pin N keeps one in view");
    assert!(screen.contains("you"), "{screen}");
    window.enters("/agents");
    window.until("(this session's)");
    window.enters("/memory bees");
    window.until("nothing is remembered about that");
    window.enters("/export -bees.md");
    window.until("would be a file whose name reads like a flag");
    assert!(!scene.house.has("-bees.md"));
    window.enters("/export bees.md");
    window.until("written to ");
    assert!(scene.house.read("bees.md").contains("They dance indeed."));
    window.enters("/retyr");
    window.until("Did you mean /retry?");
    window.enters("/fork");
    window.until("forked session");
    window.presses(&["C-d"]);
    window.until_shell();
    let logs = scene.house.session_logs();
    assert_eq!(logs.len(), 2);
    for log in &logs {
        let log = testkit::house::json_lines(log);
        assert_eq!(of_kind(&log, "rewound").len(), 1);
    }
}
