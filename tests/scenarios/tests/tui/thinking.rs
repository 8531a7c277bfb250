//! How much the model thinks, chosen in the UI.

use crate::{seat, status};
use scenarios::Scene;
use testkit::{Reply, Server, TMUX, is_absent};

#[test]
fn thinking_is_chosen_by_command_and_by_key() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::text("One."),
        Reply::text("Two."),
        Reply::text("Three."),
    ]));
    let mut window = seat(&scene, &["--thinking", "low"], (100, 30));
    window.until("thinking low");
    window.enters("first");
    window.until("One.");
    window.until("idle");
    window.presses(&["M-t"]);
    window.until("▎ · thinking: medium");
    window.presses(&["F7"]);
    window.until("▎ · thinking: high");
    window.until_screen("the level", |screen| {
        status(screen).contains("thinking high")
    });
    window.enters("second");
    window.until("Two.");
    window.until("idle");
    window.enters("/thinking much");
    window.until("there is no level of thinking `much`");
    window.enters("/thinking default");
    window.until("▎ · thinking: default, as configuration says of the provider");
    window.until_screen("no level", |screen| !status(screen).contains("thinking"));
    window.enters("third");
    window.until("Three.");
    let chats = scene.server.chats();
    let efforts: Vec<String> = chats
        .iter()
        .map(|chat| chat.body["reasoning_effort"].to_string())
        .collect();
    assert_eq!(efforts, ["\"low\"", "\"high\"", "null"]);
    // The palette has the key and the command.
    window.presses(&["C-p"]);
    window.until("all commands and keys: type to search");
    window.types("thinking");
    window.until("Alt+T, F7");
    window.until("/thinking");
}

#[test]
fn a_level_that_is_not_taken_is_said_in_the_ui() {
    if is_absent(TMUX) {
        return;
    }
    let unknown = "Unrecognized request argument supplied: reasoning_effort";
    let scene = Scene::forgetful(Server::openai([
        Reply::refuse(400, unknown),
        Reply::refuse(400, unknown),
        Reply::text("One."),
        Reply::text("Two."),
    ]));
    let mut window = seat(&scene, &["--thinking", "high"], (100, 30));
    window.enters("first");
    window.until("One.");
    window.until("idle");
    window.enters("second");
    window.until("Two.");
    let screen = window.until("idle");
    let told = "does not take the level of thinking `high`";
    let rows = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(crate::count(&rows, told), 1, "{screen}");
}
