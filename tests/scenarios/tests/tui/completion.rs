//! What can be taken for the word at the cursor.

use crate::{ANSWER, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Reply, Server, TMUX, is_absent};

#[test]
fn tab_takes_a_command_or_a_file() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Seen.")]));
    scene.house.write("notes/old plans.md", "x");
    scene.house.write("notes/ideas.md", "x");
    scene.house.write("bad\u{1b}[2Jname.md", "x");
    scene.house.write("turned\u{202e}dm.exe", "x");
    for size in [(40, 15), (80, 24)] {
        let mut window = seat(&scene, &[], size);
        window.types("/re");
        let screen = window.until("/rewind");
        assert!(screen.contains("* /retry"), "{screen}");
        window.presses(&["Down", "Tab"]);
        window.until("> /rewind");
        window.until_gone("/retry");
        window.presses(&["C-u"]);
        window.until_gone("> /rewind");
        // Names of files neither move nor hide.
        window.types("look at @");
        let screen = window.until("turned\\u{202e}dm.exe");
        assert!(!screen.contains("name.md"), "{screen}");
        window.types("opl");
        window.until_screen("the one that fits", |screen| {
            screen.contains("* notes/old plans.md") && !screen.contains("ideas")
        });
        window.presses(&["Tab"]);
        window.until_screen("the name in quotes", |screen| {
            let screen = screen.replace(['\n', ' '], "");
            screen.contains(">lookat@\"notes/oldplans.md\"")
        });
        window.presses(&["C-c"]);
        window.until_gone("look at");
        // Escape closes the list and leaves what is typed.
        window.types("/mo");
        window.until("* /mode");
        window.presses(&["Escape"]);
        window.until_gone("* /mode");
        window.presses(&["C-u", "C-d"]);
        window.until_shell();
    }
}

#[test]
fn beside_a_question_nothing_is_completed() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", json!({"path": "a.txt", "content": "x"})),
        Reply::text("Left alone."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("write it");
    window.until(ANSWER);
    window.types("n @");
    window.until(&format!("{ANSWER} n @"));
    window.presses(&["Tab"]);
    window.types("/mo");
    let screen = window.until("> /mo");
    assert!(!screen.contains("* /mode"), "{screen}");
    window.presses(&["C-u"]);
    window.until(&format!("{ANSWER} n @"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
    assert!(!scene.house.has("a.txt"));
}
