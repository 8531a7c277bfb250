//! Questions about small changes: what goes and what comes is in sight without a key, on any terminal.

use crate::{ANSWER, answers, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Reply, Server, TMUX, is_absent};

#[test]
fn a_changed_line_is_in_sight_before_a_yes() {
    if is_absent(TMUX) {
        return;
    }
    let lines: Vec<String> = (1..=40)
        .map(|n| format!("setting_{n} = \"value {n}\""))
        .collect();
    let text = lines.join("\n") + "\n";
    let (old, new) = ("setting_20 = \"value 20\"", "setting_20 = \"other\"");
    for size in [(80, 24), (40, 15)] {
        let scene = Scene::forgetful(Server::openai([
            Reply::call(
                "edit_file",
                json!({"path": "a.ini", "old": old, "new": new}),
            ),
            Reply::text("Changed."),
        ]));
        scene.house.write("a.ini", &text);
        let args = ["--mode", "loop", "--allow-write", "."];
        let mut window = seat(&scene, &args, size);
        window.enters("change it");
        let screen = window.until(ANSWER);
        for line in [format!("┃ -{old}"), format!("┃ +{new}")] {
            assert!(screen.contains(&line), "{size:?}: {screen}");
        }
        window.presses(&["Home"]);
        window.until("1–");
        answers(&mut window, "y");
        window.until("Changed.");
        let after = scene.house.read("a.ini");
        assert_eq!(after, text.replace(old, new));
    }
}
