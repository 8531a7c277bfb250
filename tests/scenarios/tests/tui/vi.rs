//! Vi's keys in the input, where the user chose them.

use crate::{ANSWER, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, Window, is_absent};

/// A scene with these answers in which vi's keys edit.
fn by_vi(replies: impl IntoIterator<Item = Reply>) -> Scene {
    let scene = Scene::forgetful(Server::openai(replies));
    let file = scene.house.home().join(".config/housecarl/config.toml");
    let before = std::fs::read_to_string(file).unwrap();
    scene
        .house
        .configure(&format!("{before}\n[tui]\nediting = \"vi\"\n"));
    scene
}

/// Leads to normal mode, and waits for it: Esc and a letter at once are Alt and that letter.
fn normal(window: &mut Window) {
    window.presses(&["Escape"]);
    window.until("NORMAL · coder");
}

#[test]
fn vi_keys_edit_what_is_typed() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = by_vi([
        Reply::text("Read."),
        Reply::text("Begun.\n\n").and_wait(&gate),
    ]);
    let mut window = seat(&scene, &[], (80, 24));
    window.until("insert · coder");
    window.types("what do bees doo?");
    window.until("> what do bees doo?");
    normal(&mut window);
    window.types("hx0wcwcan");
    window.until("> what can bees do?");
    normal(&mut window);
    window.types("yyp");
    window.until("  what can bees do?");
    window.types("Gccand ants?");
    window.until("  and ants?");
    normal(&mut window);
    window.types("ggdd");
    window.until("> and ants?");
    window.types("u");
    window.until("> what can bees do?");
    window.presses(&["Enter"]);
    window.until("Read.");
    window.until("insert · coder");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(asked.contains("what can bees do?\\nand ants?"), "{asked}");
    // In normal mode Esc is what it is elsewhere.
    window.enters("go");
    window.until("Begun.");
    window.types("draft");
    window.until("> draft");
    window.presses(&["Escape"]);
    let screen = window.until("NORMAL");
    assert!(!screen.contains("stopping"), "{screen}");
    window.presses(&["Escape"]);
    window.until("interrupted");
    window.until("> draft");
}

#[test]
fn no_vi_key_answers_a_question() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let write = json!({"path": "a.txt", "content": "x"});
    let scene = by_vi([
        Reply::text("Begun.\n\n")
            .and_wait(&gate)
            .and_call("write_file", write),
        Reply::text("Left alone."),
    ]);
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("go");
    window.until("Begun.");
    window.types("a draft");
    window.until("> a draft");
    window.presses(&["Escape"]);
    window.until("NORMAL");
    gate.open();
    window.until("┃ ? coder wants");
    // Commands go on into the draft, and the last of them empties it.
    window.types("yypdddd");
    window.until_gone("> a draft");
    window.types("y");
    window.presses(&["Enter"]);
    window.until(ANSWER);
    let screen = window.screen();
    assert!(screen.contains("┃ ? coder wants"), "{screen}");
    assert!(!scene.house.has("a.txt"));
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
}

#[test]
fn a_slash_in_normal_mode_searches_a_pane() {
    if is_absent(TMUX) {
        return;
    }
    let scene = by_vi([Reply::text("One word.\n\nAnother word.")]);
    let mut window = seat(&scene, &["--panes"], (100, 30));
    window.enters("go");
    window.until("Another word.");
    window.until("idle");
    window.types("/mo");
    window.until("* /mode");
    window.presses(&["C-u"]);
    window.until_gone("* /mode");
    normal(&mut window);
    window.types("/one");
    window.until("search: one");
    window.presses(&["Enter", "Escape"]);
    window.until_gone("search:");
    window.until("NORMAL · coder");
}
