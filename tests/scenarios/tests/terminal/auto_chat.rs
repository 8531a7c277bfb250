//! Auto mode in a chat: what the drive does stands above the prompt, which stays usable.

use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Seated, Server};

/// Where a line is typed.
const PROMPT: &str = "> ";

fn scene(server: Server) -> Scene {
    let scene = Scene::with(server, "openai");
    let config = scene.server.config("openai")
        + "\n[memory]\nrecall = false\ncapture = false\n\n[drive]\nnotify = false\n";
    scene.house.configure(&config);
    scene
}

fn seat(scene: &Scene, args: &[&str]) -> Seated {
    let carl = scene.house.carl().args(args.iter().copied());
    carl.env("TERM", "xterm").at_prompt()
}

fn looks_around() -> Reply {
    Reply::call("glob", json!({"pattern": "*"}))
}

fn is_through() -> Reply {
    Reply::call("yield_to_user", json!({"reason": "done"}))
}

#[test]
fn the_drive_is_shown_above_the_prompt_and_what_was_begun_there_stays() {
    let gate = Gate::new();
    let scene = scene(Server::openai([
        looks_around(),
        Reply::text("Looked once."),
        // A turn of the drive without tools.
        Reply::text("Thought ").and_wait(&gate).and_text("further."),
        Reply::text("Heard you."),
        is_through(),
        Reply::text("Resting."),
    ]));
    let mut seat = seat(&scene, &["chat", "--mode", "auto"]);
    seat.types("look around\n");
    seat.until("Looked once.");
    seat.until(PROMPT);
    scene.server.wait_for_chats(3);
    seat.types("and then");
    seat.until("and then");
    gate.open();
    seat.until("Thought further.");
    // What was begun is drawn again below, and goes on.
    seat.until("> and then");
    seat.types(" this\n");
    seat.until("Heard you.");
    seat.until(PROMPT);
    seat.types("/mode loop\n");
    seat.until("mode: loop");
    seat.until("auto mode is off");
    seat.types("/quit\n");
    let finished = seat.finish();
    assert_eq!(finished.code, Some(0));
    assert!(scene.told().contains("and then this"), "{}", scene.told());
    // The words of the log are not shown to people.
    for word in ["foraging", "engaged", "used no tools", "the drive is on"] {
        assert!(!finished.stderr.contains(word), "{word}: {finished:#?}");
    }
}

#[test]
fn another_chat_sees_the_drive_of_a_session_and_what_is_asked_there() {
    let (begun, turn) = (Gate::new(), Gate::new());
    let scene = scene(Server::openai([
        looks_around().and_wait(&begun),
        Reply::text("Looked once."),
        Reply::text("Thought ").and_wait(&turn).and_text("further."),
        Reply::text("To the guest."),
        Reply::text("To the host."),
    ]));
    let mut host = seat(&scene, &["chat", "--mode", "auto"]);
    host.types("look around\n");
    scene.server.wait_for_chats(1);
    let log = scene.house.session_logs().pop().unwrap();
    let id = log.file_stem().unwrap().to_str().unwrap().to_owned();
    let mut guest = seat(&scene, &["session", "resume", &id]);
    begun.open();
    // What the host asked is under way when the guest comes.
    guest.until("Looked once.");
    host.until("Looked once.");
    host.until(PROMPT);
    scene.server.wait_for_chats(3);
    turn.open();
    guest.until("Thought further.");
    host.until("Thought further.");
    guest.types("a word from the guest\n");
    guest.until("To the guest.");
    host.until("asked elsewhere: a word from the guest");
    host.until("To the guest.");
    guest.until(PROMPT);
    guest.leaves();
    // It is the host's session still.
    host.types("a word from the host\n");
    host.until("To the host.");
    host.leaves();
}

#[test]
fn the_drive_goes_on_in_the_chat_that_is_left() {
    let gate = Gate::new();
    let scene = scene(Server::openai([
        looks_around(),
        Reply::text("Looked once."),
        Reply::text("Thought ").and_wait(&gate),
        Reply::text("Again."),
    ]));
    let server = seat(&scene, &["chat"]);
    let mut auto = seat(&scene, &["chat", "--mode", "auto"]);
    auto.types("look around\n");
    auto.until("Looked once.");
    auto.until(PROMPT);
    scene.server.wait_for_chats(3);
    server.kill();
    // Nobody presses a key for it.
    auto.until("going on without it");
    auto.types("and now\n");
    auto.until("Again.");
    auto.until(PROMPT);
    auto.leaves();
}

#[test]
fn what_a_chat_waits_for_is_named() {
    let server = Server::openai([
        Reply::call("watch_path", json!({"path": "notes"}))
            .and_call("set_timer", json!({"minutes": 30, "note": "the oven"})),
        Reply::call(
            "yield_to_user",
            json!({"reason": "waiting", "until_signal": true}),
        ),
        Reply::text("I will."),
    ]);
    let scene = scene(server);
    scene.house.write("notes/a.md", "milk");
    let mut chat = seat(&scene, &["chat", "--mode", "auto"]);
    chat.types("remind me\n");
    let told = chat.until("something changes in notes");
    let timer = "waiting until the timer \"the oven\" runs out in 30 min, or";
    assert!(told.contains(timer), "{told}");
    chat.types("/quit\n");
    chat.finish();
}
