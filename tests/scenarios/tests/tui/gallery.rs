//! The pictures of docs/tui.md: each is of a run like this one. `CARL_BLESS=1` draws them anew.

use crate::{ANSWER, seat};
use scenarios::Scene;
use scenarios::crew::two_readers;
use scenarios::picture::{svg, told};
use serde_json::json;
use std::path::PathBuf;
use testkit::{Gate, Reply, Server, TMUX, Window, is_absent};

/// What the temporary folder of a house is called in a picture, as long as its own name.
const FOLDER: &str = "/home/user/tasks";

/// Holds the screen against the picture of this name, or draws that.
fn is_in(name: &str, scene: &Scene, window: &Window, size: (u16, u16)) {
    let folder = scene.house.work().parent().unwrap().to_owned();
    let folder = folder.to_str().unwrap();
    assert_eq!(folder.len(), FOLDER.len(), "{folder}");
    let drawn = svg(&window.coloured_screen().replace(folder, FOLDER), size);
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures");
    let file = root.join(format!("{name}.svg"));
    if std::env::var_os("CARL_BLESS").is_some() {
        std::fs::create_dir_all(&root).unwrap();
        std::fs::write(&file, &drawn).unwrap();
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        told(&kept),
        told(&drawn),
        "{} is of another program: draw it anew with CARL_BLESS=1",
        file.display()
    );
}

#[test]
fn an_answer_and_a_question_look_like_their_pictures() {
    if is_absent(TMUX) {
        return;
    }
    let answer = "The port is set in `settings.toml`, **line 2**:\n\n\
                  ```toml\n[server]\nport = 8090 # was 8080\n```\n\n\
                  - `carl` reads it once, at its start\n- a change needs a restart";
    let edit = json!({"path": "settings.toml", "old": "port = 8090", "new": "port = 9000"});
    let scene = Scene::forgetful(Server::openai([
        Reply::text("").and_call("read_file", json!({"path": "settings.toml"})),
        Reply::text(answer),
        Reply::call("edit_file", edit),
        Reply::text("Done: the port is 9000."),
    ]));
    scene.house.write(
        "settings.toml",
        "[server]\nport = 8090\nhost = \"localhost\"\n",
    );
    let size = (100, 30);
    let mut window = seat(&scene, &["--mode", "loop", "--allow-write", "."], size);
    window.presses(&["C-l"]);
    window.enters("Which port does the server use?");
    window.until("a change needs a restart");
    window.until("idle");
    is_in("answer", &scene, &window, size);
    window.enters("Set it to 9000.");
    window.until(ANSWER);
    is_in("question", &scene, &window, size);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("Done: the port is 9000.");
}

#[test]
fn panes_look_like_their_picture() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::thinking("The note says what is to be done.")
            .and_call("read_file", json!({"path": "note.txt"})),
        Reply::text("Two things are left:\n\n1. water the plants\n2. call **Ada**"),
    ]));
    scene
        .house
        .write("note.txt", "water the plants\ncall Ada\n");
    let size = (110, 30);
    let mut window = seat(&scene, &["--mode", "loop", "--panes"], size);
    window.enters("What is left to do?");
    window.until("call Ada");
    window.until("2. call Ada");
    window.until("idle");
    is_in("panes", &scene, &window, size);
}

#[test]
fn agents_look_like_their_picture() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let held = gate.clone();
    let server = Server::speak(move |body, _| two_readers(body, Some(&held))).openai();
    let scene = Scene::with(server, "openai");
    let config = scene.server.config("openai");
    let config = format!("{config}\n[chat]\ndefault_agent = \"orchestrator\"\n");
    scene.house.configure(&config);
    scene.house.write("a.txt", "MARKER-A");
    scene.house.write("b.txt", "MARKER-B");
    let size = (100, 24);
    let mut window = seat(&scene, &[], size);
    window.enters("Are a.txt and b.txt short?");
    gate.open();
    window.until("Both are short.");
    window.until("idle");
    window.enters("/inspect agents");
    window.until("JOIN both");
    window.until("report of ");
    is_in("agents", &scene, &window, size);
}
