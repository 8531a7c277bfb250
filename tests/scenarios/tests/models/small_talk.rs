//! Small talk in loop mode: what names nothing to do is answered without tools and memories.
#![allow(clippy::print_stderr, reason = "a test says what it leaves out")]

use scenarios::{Scene, of_kind};
use testkit::{House, Reply};

const TOLD: &str = "hello is what I say to my good friend in the morning";

#[test]
fn the_model_that_comes_along_is_not_asked_for_a_greeting() {
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return;
    }
    for says in ["say hello", "hello, who are you?"] {
        let run = house.ask(["run", "--mode", "loop", says]).run().expect(0);
        assert!(run.stdout.contains("I am Housecarl"), "{run:#?}");
        assert!(run.stderr.contains("by rules, no model"), "{run:#?}");
    }
    let mut lines = ["hi there", "thanks a lot"].iter();
    let chat = house.ask(["chat", "--mode", "loop"]).env("TERM", "dumb");
    let chat = chat.talking(&["> "], |_, _| {
        lines.next().map_or("/quit", |line| *line).to_owned()
    });
    let shown = &chat.finished.stderr;
    assert!(shown.contains("I am Housecarl"), "{shown}");
    assert!(shown.contains("You are welcome."), "{shown}");
    assert!(!shown.contains("went_in_circles"), "{shown}");
}

#[test]
fn a_small_model_is_offered_no_tools_and_shown_no_memories_for_small_talk() {
    for class in ["tiny", "small"] {
        let reply = || Reply::text("Hello!");
        let scene = Scene::of_class(class, [reply(), reply(), reply()]);
        let first = scene.run(&["--mode", "loop", TOLD]);
        first.finished.expect(0);
        let outcome = scene.run(&["--mode", "loop", "say hello, good friend"]);
        outcome.assert_ends(0, "success");
        assert_eq!(outcome.text("answer"), "Hello!");
        let chats = scene.server.chats();
        assert_eq!(chats.len(), 2);
        assert!(chats[0].body["tools"].is_array(), "the control");
        let asked = &chats[1].body;
        assert!(asked.get("tools").is_none(), "{asked:#}");
        assert!(!asked["messages"].to_string().contains(TOLD), "{asked:#}");
        assert!(of_kind(&scene.log(&outcome), "memory_recalled").is_empty());
        // What names a thing has both.
        let other = "which good friend do I say hello to?";
        let outcome = scene.run(&["--mode", "loop", other]);
        let asked = &scene.server.chats()[2].body;
        assert!(asked["tools"].is_array(), "{asked:#}");
        assert_eq!(of_kind(&scene.log(&outcome), "memory_recalled").len(), 1);
    }
}

#[test]
fn tools_that_stand_in_the_prompt_stay_there_and_are_not_called() {
    let list = Reply::call("list_files", serde_json::json!({}));
    let replies = [
        list.clone(),
        Reply::text("Nothing."),
        list,
        Reply::text("x"),
    ];
    let scene = Scene::of_class("small", replies);
    let first = scene.run(&["--mode", "loop", "which files are here?"]);
    let id = first.text("session_id").to_owned();
    let outcome = scene.run(&[
        "--mode",
        "loop",
        "--session-id",
        &id,
        "thank you, good night",
    ]);
    let asked = &scene.server.chats()[2].body;
    assert!(asked["tools"].is_array(), "{asked:#}");
    assert_eq!(asked["tool_choice"], "none");
    assert!(outcome.calls().is_empty(), "{:#}", outcome.summary);
}

#[test]
fn a_larger_model_is_offered_its_tools_whatever_is_said() {
    let scene = Scene::of_class("large", [Reply::text("Hello!")]);
    scene
        .run(&["--mode", "loop", "say hello"])
        .finished
        .expect(0);
    assert!(scene.server.chats()[0].body["tools"].is_array());
}
