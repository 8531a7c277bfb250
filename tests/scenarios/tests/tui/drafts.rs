//! What was typed and not sent outlasts the window.

use crate::{count, seat};
use scenarios::Scene;
use std::fs;
use testkit::{Gate, Reply, Server, TMUX, Window, is_absent};

/// What is said where something is in the input again.
const BACK: &str = "what was not sent when the program ended is in the input";

/// A session whose first answer has begun.
fn answering() -> (Scene, Gate) {
    let gate = Gate::new();
    let begun = Reply::text("Begun.\n\n").and_wait(&gate);
    (
        Scene::forgetful(Server::openai([begun, Reply::text("Both.")])),
        gate,
    )
}

/// Waits until the one draft that is kept is this.
fn until_kept(scene: &Scene, window: &mut Window, draft: &str) {
    let folder = scene.house.state().join("drafts");
    window.until_screen("the draft in its file", |_| {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        let texts: Vec<String> = files
            .filter_map(|file| fs::read_to_string(file.path()).ok())
            .collect();
        texts == [draft]
    });
}

fn kill(mut window: Window, signal: &str) {
    window.presses(&["C-z"]);
    window.until("Stopped");
    window.shell(&format!("kill -{signal} %1"));
}

#[test]
fn a_draft_and_a_message_that_waits_outlast_a_kill() {
    if is_absent(TMUX) {
        return;
    }
    let (scene, _gate) = answering();
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("go");
    window.until("Begun.");
    window.enters("then this");
    window.until("takes back): then this");
    window.types("half a thou");
    until_kept(&scene, &mut window, "half a thou");
    window.types("ght");
    until_kept(&scene, &mut window, "half a thought");
    kill(window, "KILL");
    // Twice: what came back once does not come back beside itself.
    for _ in 0..2 {
        let mut window = seat(&scene, &["--resume", "last"], (80, 24));
        let screen = window.until("  half a thought");
        assert!(screen.contains(BACK), "{screen}");
        assert!(screen.contains("\n> then this\n"), "{screen}");
        assert_eq!(count(&screen, "half a thought"), 1, "{screen}");
        window.presses(&["End"]);
        until_kept(&scene, &mut window, "then this\n\nhalf a thought");
        kill(window, "KILL");
    }
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    window.until("  half a thought");
    window.presses(&["Enter"]);
    window.until("Both.");
    window.until("idle");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(asked.contains(r"then this\n\nhalf a thought"), "{asked}");
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = window.screen();
    assert!(!screen.contains(BACK), "{screen}");
    assert_eq!(
        fs::read_dir(scene.house.state().join("drafts"))
            .unwrap()
            .count(),
        0
    );
    window.presses(&["C-d"]);
    window.until_shell();
}

#[test]
fn a_draft_outlasts_the_end_of_its_terminal_and_goes_with_its_session() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("hi");
    window.until("Hello.");
    window.until("idle");
    window.types("to be said later");
    window.until("> to be said later");
    drop(window);
    let folder = scene.house.state().join("drafts");
    let mut window = seat(&scene, &["--resume", "last"], (80, 24));
    window.until("> to be said later");
    // A second window of the session has a draft of its own.
    let mut other = seat(&scene, &["--resume", "last"], (80, 24));
    let screen = other.until("another window");
    assert!(!screen.contains("to be said later"), "{screen}");
    other.presses(&["C-d"]);
    other.until_shell();
    kill(window, "KILL");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    let deleted = ["session", "delete", "last", "--yes"];
    scene.house.ask(deleted).run().expect(0);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}
