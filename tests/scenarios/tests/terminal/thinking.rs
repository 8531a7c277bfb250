//! How much models think is a setting of their provider, and reaches every kind of server.

use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::ollama::OllamaState;
use testkit::{Reply, Server};

/// A scene whose provider has this line more.
fn scene(server: Server, kind: &str, line: &str) -> Scene {
    let scene = Scene::with(server, kind);
    let config = format!("{}{line}\n", scene.server.config(kind));
    scene.house.configure(&config);
    scene
}

#[test]
fn anthropic_thinks_when_told_and_gets_its_thinking_back() {
    let script = || {
        Server::script([
            Reply::thinking("I should look.").and_call("list_files", json!({"path": "."})),
            Reply::text("There is a file."),
        ])
        .anthropic()
    };
    let told = scene(script(), "anthropic", "think = \"medium\"");
    let outcome = told.run(&["what is here?"]);
    outcome.assert_ends(0, "success");
    let chats = told.server.chats();
    let asked = &chats[0].body["thinking"];
    assert_eq!(*asked, json!({"type": "enabled", "budget_tokens": 4_096}));
    let sent = chats[1].body["messages"].to_string();
    assert!(sent.contains(testkit::anthropic::SIGNATURE), "{sent}");
    let log = told.log(&outcome);
    let thought = of_kind(&log, "thinking_delta");
    assert_eq!(thought[0]["text"], "I should look.");

    let untold = scene(script(), "anthropic", "");
    untold.run(&["what is here?"]).assert_ends(0, "success");
    let first = &untold.server.chats()[0].body;
    assert!(first.get("thinking").is_none(), "{first}");
}

#[test]
fn other_servers_are_told_in_their_own_words() {
    let script = || Server::script([Reply::text("Hello.")]);
    let near = scene(script().openai(), "openai", "think = \"low\"");
    near.run(&["hello there"]).assert_ends(0, "success");
    let body = &near.server.chats()[0].body;
    assert_eq!(body["reasoning_effort"], "low");
    let off = scene(script().openai(), "openai", "think = \"off\"");
    off.run(&["hello there"]).assert_ends(0, "success");
    let body = &off.server.chats()[0].body;
    assert_eq!(
        body["chat_template_kwargs"],
        json!({"enable_thinking": false})
    );
    let ollama = script().ollama(OllamaState::default());
    let ollama = scene(ollama, "ollama", "think = \"off\"");
    ollama.run(&["hello there"]).assert_ends(0, "success");
    assert_eq!(ollama.server.chats()[0].body["think"], false);
}

#[test]
fn an_unknown_amount_names_the_known_ones() {
    let scene = scene(Server::openai([]), "openai", "think = \"much\"");
    let refused = scene.house.ask(["run", "hello"]).run().expect(2);
    for word in ["think", "off", "medium", "high"] {
        assert!(refused.stderr.contains(word), "{refused:#?}");
    }
}
