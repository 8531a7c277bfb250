//! The draft in an editor of the user's own.

use crate::{ANSWER, seat};
use scenarios::Scene;
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

/// An editor that says what the terminal and the file are like, and adds a line that is typed once
/// something was asked in the session.
const EDITOR: &str = "#!/bin/sh\nstty -a | grep -o ' icanon'\nstat -c 'mode %a' \"$1\"\n\
                      echo the editor has \"$(cat \"$1\")\"\n\
                      until grep -rqs confirmation_asked \"$HOME\"; do :; done\n\
                      echo it was asked\nread line\nprintf '\\n%s\\n' \"$line\" >> \"$1\"\n\
                      echo \"$1\" > where\n";

/// Puts an editor into the working folder.
fn editor(scene: &Scene, text: &str) -> PathBuf {
    scene.house.write("editor", text);
    let file = scene.house.work().join("editor");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o700)).unwrap();
    file
}

#[test]
fn an_editor_changes_the_draft() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let write = json!({"path": "a.txt", "content": "x"});
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Begun.\n\n")
            .and_wait(&gate)
            .and_call("write_file", write),
        Reply::text("Left alone."),
    ]));
    let file = editor(&scene, EDITOR);
    let carl = scene.house.ask(["tui"]).args(["--allow-write", "."]);
    let mut window = carl.env("EDITOR", file).in_window((80, 24));
    window.starts();
    window.enters("go");
    window.until("Begun.");
    window.types("a draft");
    window.until("> a draft");
    window.presses(&["C-g"]);
    let screen = window.until("the editor has a draft");
    assert!(screen.contains(" icanon"), "{screen}");
    assert!(screen.contains("mode 600"), "{screen}");
    // The session goes on meanwhile, and what is typed is the editor's, not an answer.
    gate.open();
    window.until("it was asked");
    window.types("y");
    window.presses(&["Enter"]);
    window.until("┃ ? coder wants");
    window.until("  y");
    let screen = window.screen();
    assert!(screen.contains("> a draft"), "{screen}");
    assert!(!scene.house.has("a.txt"));
    let place = PathBuf::from(scene.house.read("where").trim());
    assert!(!place.exists() && !place.parent().unwrap().exists());
    window.presses(&["C-c"]);
    window.until(ANSWER);
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
}

#[test]
fn an_editor_that_fails_leaves_the_draft_as_it_was() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    let failing = editor(&scene, "#!/bin/sh\necho lost > \"$1\"\nexit 3\n");
    for (name, said) in [
        (failing.to_str().unwrap(), "the editor failed"),
        ("", "neither VISUAL nor EDITOR names an editor"),
    ] {
        let carl = scene.house.ask(["tui"]).env("VISUAL", name);
        let mut window = carl.env("EDITOR", "").in_window((80, 24));
        window.starts();
        window.types("a draft");
        window.until("> a draft");
        window.presses(&["C-g"]);
        window.until(said);
        window.until("> a draft");
        window.presses(&["C-c"]);
        window.until_gone("> a draft");
        window.presses(&["C-d"]);
        window.until_shell();
    }
}
