//! The commands that line mode has as well.

use crate::{ANSWER, seat};
use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::{Reply, Server, TMUX, is_absent};

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
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("Written.");
    window.until("idle");
    window.enters("/diff");
    window.until("+one");
    window.enters("/undo");
    window.until(ANSWER);
    assert!(scene.house.has("a.txt"));
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("taken back: write it");
    assert!(!scene.house.has("a.txt"));
    window.enters("/undo");
    window.until("there is nothing to take back");
    window.enters("/diff");
    window.until("changed no file, or took it all back");
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
