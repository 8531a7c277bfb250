//! How much models think is a setting of their provider and of a session, and reaches every kind of server.

use scenarios::crew::two_readers;
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
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

/// What a server is told by a run with this flag, whose provider has this line.
fn told(server: Server, kind: &str, (line, level): (&str, &str)) -> Value {
    let scene = scene(server, kind, line);
    let run = scene.run(&["--thinking", level, "hello there"]);
    run.assert_ends(0, "success");
    let notices = run.summary["notices"].to_string();
    assert!(
        !notices.contains("thinking_not_taken"),
        "{level}: {notices}"
    );
    scene.server.chats()[0].body.clone()
}

#[test]
fn the_level_of_a_session_reaches_every_kind_of_server() {
    let script = || Server::script([Reply::text("Hello.")]);
    for (level, effort, template) in [
        ("low", json!("low"), json!({"enable_thinking": true})),
        ("on", json!("medium"), json!({"enable_thinking": true})),
        ("off", Value::Null, json!({"enable_thinking": false})),
        ("default", json!("high"), json!({"enable_thinking": true})),
    ] {
        // What a session says goes before what configuration says of the provider.
        let body = told(script().openai(), "openai", ("think = \"high\"", level));
        assert_eq!(body["reasoning_effort"], effort, "{level}");
        assert_eq!(body["chat_template_kwargs"], template, "{level}");
    }
    for (level, sent) in [
        ("default", json!(true)),
        ("off", json!(false)),
        ("on", json!(true)),
        ("high", json!("high")),
    ] {
        let ollama = script().ollama(OllamaState::default());
        assert_eq!(
            told(ollama, "ollama", ("", level))["think"],
            sent,
            "{level}"
        );
    }
    for (level, budget) in [
        ("default", Value::Null),
        ("off", Value::Null),
        ("low", json!(1_024)),
        ("medium", json!(4_096)),
        ("high", json!(16_384)),
    ] {
        let body = told(script().anthropic(), "anthropic", ("", level));
        assert_eq!(body["thinking"]["budget_tokens"], budget, "{level}");
    }
}

#[test]
fn a_session_keeps_its_level_until_another_is_named() {
    let scene = Scene::new(["One.", "Two.", "Three.", "Four."].map(Reply::text));
    for args in [
        &["--thinking", "low", "first"][..],
        &["--session-id", "last", "second"],
        &["--session-id", "last", "--thinking", "high", "third"],
        &["--session-id", "last", "fourth"],
    ] {
        scene.run(args).assert_ends(0, "success");
    }
    let chats = scene.server.chats();
    let efforts: Vec<&Value> = chats
        .iter()
        .map(|chat| &chat.body["reasoning_effort"])
        .collect();
    assert_eq!(efforts, ["low", "low", "high", "high"]);
    let refused = scene
        .house
        .ask(["run", "--thinking", "much", "hello"])
        .run();
    let refused = refused.expect(2);
    for word in [
        "--thinking",
        "default",
        "off",
        "on",
        "low",
        "medium",
        "high",
    ] {
        assert!(refused.stderr.contains(word), "{refused:#?}");
    }
}

#[test]
fn agents_below_think_as_much_as_their_session() {
    let server = Server::speak(|body, _| two_readers(body, None)).openai();
    let scene = Scene::with(server, "openai");
    scene.house.write("a.txt", "a");
    scene.house.write("b.txt", "b");
    let asked = ["--agent", "orchestrator", "--thinking", "low"];
    let run = scene.run(&[&asked[..], &["Are a.txt and b.txt short?"]].concat());
    run.assert_ends(0, "success");
    assert_eq!(of_kind(&scene.log(&run), "agent_spawned").len(), 3);
    let chats = scene.server.chats();
    let by_agents = chats.iter().filter(|chat| {
        let said = chat.body["messages"].to_string();
        said.contains("You are the agent `")
    });
    let efforts: Vec<&Value> = by_agents
        .map(|chat| &chat.body["reasoning_effort"])
        .collect();
    assert!(efforts.len() >= 7, "{efforts:?}");
    assert!(
        efforts.iter().all(|effort| **effort == "low"),
        "{efforts:?}"
    );
}

#[test]
fn a_level_that_a_server_refuses_is_said_once_and_fails_nothing() {
    let unknown = json!({"error": {
        "message": "Unrecognized request argument supplied: reasoning_effort",
    }})
    .to_string();
    let scene = Scene::new([
        Reply::refuse(400, unknown.clone()),
        Reply::refuse(400, unknown),
        Reply::call("list_files", json!({"path": "."})),
        Reply::text("There is nothing."),
    ]);
    let run = scene.run(&["--thinking", "high", "what is here?"]);
    run.assert_ends(0, "success");
    let chats = scene.server.chats();
    let efforts: Vec<Option<&Value>> = chats
        .iter()
        .map(|chat| chat.body.get("reasoning_effort"))
        .collect();
    let (high, medium) = (json!("high"), json!("medium"));
    assert_eq!(efforts, [Some(&high), Some(&medium), None, None]);
    let codes = run.summary["notices"].as_array().unwrap();
    let told: Vec<&Value> = codes
        .iter()
        .filter(|one| one["code"] == "models.thinking_not_taken")
        .collect();
    assert_eq!(told.len(), 1, "{codes:?}");
    let message = told[0]["message"].as_str().unwrap();
    assert!(
        message.contains("scripted/scripted-model does not take the level of thinking `high`"),
        "{message}"
    );
}

#[test]
fn a_model_without_levels_thinks_as_much_as_it_holds_right() {
    let server = Server::script([
        Reply::refuse(400, "think value \"low\" is not supported for this model"),
        Reply::text("Hello."),
    ]);
    let scene = scene(server.ollama(OllamaState::default()), "ollama", "");
    let run = scene.run(&["--thinking", "low", "hello there"]);
    run.assert_ends(0, "success");
    let chats = scene.server.chats();
    let sent: Vec<&Value> = chats.iter().map(|chat| &chat.body["think"]).collect();
    assert_eq!(sent, [&json!("low"), &json!(true)]);
    let notices = run.summary["notices"].to_string();
    assert!(notices.contains("knows no levels of thinking"), "{notices}");
}
