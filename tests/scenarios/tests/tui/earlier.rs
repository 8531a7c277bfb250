//! Earlier messages to go back to, and the palette.

use crate::{ANSWER, answers, count, seat};
use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

/// What stands above the list of earlier messages.
const EARLIER: &str = "earlier messages: type to search";

#[test]
fn two_escapes_go_back_to_an_earlier_message() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees dance."),
        Reply::text("Ants walk."),
        Reply::text("Wasps build."),
        Reply::text("Begun.\n\n").and_wait(&gate).and_text("Done."),
    ]));
    let mut window = seat(&scene, &[], (40, 15));
    window.enters("what do bees do?");
    window.until("Bees dance.");
    window.until("idle");
    window.enters("what do ants do?");
    window.until("Ants walk.");
    window.until("idle");
    window.presses(&["Escape"]);
    window.until("Esc again: earlier messages");
    window.presses(&["Escape"]);
    window.until("2 of 2");
    let screen = window.screen();
    assert!(screen.contains("Enter forks, Ctrl+R rewinds"), "{screen}");
    let newest = screen.find("what do ants do?").unwrap();
    let oldest = screen.find("what do bees do?").unwrap();
    assert!(newest < oldest, "{screen}");
    window.types("ants");
    window.until("1 of 2");
    window.presses(&["Enter"]);
    window.until("forked session");
    // From which message on it was cut.
    let told = window.everything().replace("\n▎", "");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut = "cut before the message `what do ants do?`";
    assert!(told.contains(cut), "{told}");
    let in_input = |screen: &str| screen.contains("\n> what do ants do?");
    window.until_screen("the message in the input", in_input);
    window.presses(&["C-u"]);
    window.until_screen("an empty input", |screen| !in_input(screen));
    window.enters("and wasps?");
    window.until("Wasps build.");
    window.until("idle");
    // The copy has the first exchange and not the second; the session it is of has both.
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(asked.contains("what do bees do?"), "{asked}");
    assert!(!asked.contains("what do ants do?"), "{asked}");
    assert_eq!(scene.house.session_logs().len(), 2);
    // While a request runs it does not open.
    window.enters("go");
    window.until("Begun.");
    window.presses(&["Escape", "Escape"]);
    let screen = window.until("interrupted");
    assert!(!screen.contains(EARLIER), "{screen}");
}

#[test]
fn going_back_before_the_first_message_begins_a_new_session() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees dance."),
        Reply::text("Ants walk."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.enters("what do bees do?");
    window.until("Bees dance.");
    window.until("idle");
    window.presses(&["Escape"]);
    window.until("Esc again: earlier messages");
    window.presses(&["Escape"]);
    window.until("1 of 1");
    window.presses(&["Enter"]);
    window.until("· new session");
    window.until("\n> what do bees do?");
    window.presses(&["C-u"]);
    window.until_gone("\n> what do bees do?");
    window.enters("what do ants do?");
    window.until("Ants walk.");
    window.until("idle");
    let asked = scene.server.chats().last().unwrap().body.to_string();
    assert!(!asked.contains("bees"), "{asked}");
    assert_eq!(scene.house.session_logs().len(), 2);
}

#[test]
fn a_message_is_taken_back_with_its_files_and_edited() {
    if is_absent(TMUX) {
        return;
    }
    let write = json!({"path": "a.txt", "content": "one\n", "mode": "create"});
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Hello."),
        Reply::call("write_file", write),
        Reply::text("Written."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (100, 30));
    window.enters("hello");
    window.until("Hello.");
    window.until("idle");
    window.enters("write it");
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("Written.");
    window.until("idle");
    window.presses(&["Escape"]);
    window.until("Esc again");
    window.presses(&["Escape"]);
    window.until("2 of 2");
    window.until("Ctrl+R: take it back with files");
    window.presses(&["C-r"]);
    window.until(ANSWER);
    window.types("y");
    window.until(&format!("{ANSWER} y"));
    window.presses(&["Enter"]);
    window.until("taken back: write it");
    window.until_screen("the message in the input", |screen| {
        screen.contains("\n> write it")
    });
    assert!(!scene.house.has("a.txt"));
    assert_eq!(scene.house.session_logs().len(), 1);
}

#[test]
fn nothing_is_taken_back_where_a_change_is_of_another_session() {
    if is_absent(TMUX) {
        return;
    }
    let write = json!({"path": "a.txt", "content": "one\n", "mode": "create"});
    let scene = Scene::forgetful(Server::openai([
        Reply::call("write_file", write),
        Reply::text("Written."),
        Reply::text("Hello."),
    ]));
    let mut window = seat(&scene, &["--allow-write", "."], (100, 30));
    window.enters("write it");
    answers(&mut window, "y");
    window.until("Written.");
    window.until("idle");
    window.enters("/fork");
    window.until("forked session");
    window.enters("hello");
    window.until("Hello.");
    window.until("idle");
    window.presses(&["Escape"]);
    window.until("Esc again");
    window.presses(&["Escape"]);
    window.until("2 of 2");
    window.presses(&["Down"]);
    window.until("── the message\nwrite it");
    window.presses(&["C-r"]);
    window.until("nothing was taken back: 1 file change of `write it` made before the fork");
    window.until("/rewind 1 takes back what came after it");
    assert!(scene.house.has("a.txt"));
    let logs = scene.house.session_logs();
    assert_eq!(logs.len(), 2);
    for log in logs {
        let log = testkit::house::json_lines(&log);
        assert!(of_kind(&log, "rewound").is_empty(), "{log:?}");
    }
}

#[test]
fn the_palette_finds_and_runs_a_command_or_a_key() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([]));
    for size in [(40, 15), (80, 24)] {
        let mut window = seat(&scene, &[], size);
        if size.0 > 60 {
            window.until("idle · scripted/scripted-model");
        }
        let before = window.everything();
        window.presses(&["C-p"]);
        window.until("Enter runs it");
        window.presses(&["Escape"]);
        window.until_gone("Enter runs it");
        window.until("idle");
        assert_eq!(window.everything(), before);
        window.presses(&["C-p"]);
        window.types("shift+tab");
        window.until("1 of ");
        window.presses(&["Enter"]);
        window.until("mode: loop");
        window.presses(&["C-p"]);
        window.types("/mode requests");
        window.until("1 of ");
        window.presses(&["Enter"]);
        window.until_screen("the command", |screen| count(screen, "> /mode") == 1);
        window.presses(&["C-c"]);
        window.until_gone("> /mode");
        // A page is found by what it shows.
        window.presses(&["C-p"]);
        window.types("models, and what each");
        window.until("1 of ");
        window.presses(&["Enter"]);
        window.until("in use: ");
        window.presses(&["Escape"]);
        window.until_gone("in use: ");
        window.presses(&["C-p"]);
        window.types("leave (also");
        window.until("1 of ");
        window.presses(&["Enter"]);
        window.until_shell();
    }
}

#[test]
fn a_line_typed_in_another_session_is_found_and_answers_nothing() {
    if is_absent(TMUX) {
        return;
    }
    let write = json!({"path": "a.txt", "content": "x"});
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::text("Bees dance."),
        Reply::text("Ants walk."),
        Reply::text("Begun.\n\n")
            .and_wait(&gate)
            .and_call("write_file", write),
        Reply::text("Left alone."),
    ]));
    let mut window = seat(&scene, &[], (80, 24));
    for (asked, said) in [
        ("what do bees do?", "Bees dance."),
        ("what do ants do?", "Ants walk."),
    ] {
        window.enters(asked);
        window.until(said);
        window.until("idle");
    }
    window.presses(&["C-d"]);
    window.until_shell();
    let mut window = seat(&scene, &["--allow-write", "."], (80, 24));
    window.presses(&["C-r"]);
    let screen = window.until("2 of 2");
    let at = |text: &str| screen.find(text).unwrap();
    assert!(at("what do ants do?") < at("what do bees do?"), "{screen}");
    window.types("bees");
    window.until("1 of 2");
    window.presses(&["Enter"]);
    window.until_screen("the line in the input", |screen| {
        screen.contains("\n> what do bees do?")
    });
    // With a draft it says so, and the draft stays.
    window.presses(&["C-r"]);
    window.until("2 of 2");
    window.presses(&["Enter"]);
    window.until("the input is not empty");
    window.presses(&["Escape"]);
    window.until_screen("the draft", |screen| {
        screen.contains("\n> what do bees do?")
    });
    window.presses(&["C-u"]);
    window.until("a message; ? shows the keys");
    // A question that comes meanwhile waits, and nothing that is typed here answers it.
    window.enters("y");
    window.until("Begun.");
    window.presses(&["C-r"]);
    window.until("typed before: type to search");
    gate.open();
    window.until("! a question waits");
    window.types("y");
    window.until("> y ");
    window.presses(&["Enter"]);
    window.until("┃ ? coder wants");
    window.until_screen("the line in the input", |screen| screen.contains("\n> y"));
    window.presses(&["Enter"]);
    window.until("typed before this question could be read");
    assert!(!scene.house.has("a.txt"));
    window.until(ANSWER);
    window.types("n");
    window.until(&format!("{ANSWER} n"));
    window.presses(&["Enter"]);
    window.until("Left alone.");
}
