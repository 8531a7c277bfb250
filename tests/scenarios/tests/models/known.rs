//! What a small model's reply is held to, where its server holds it to a schema: the files that are there,
//! and the texts of a file.
#![allow(clippy::print_stderr, reason = "a test says what it leaves out")]

use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use testkit::{House, Reply};

const QUESTION: &str = "which port does settings.toml set?";
const AS_JSON: &str = "tool_calls = \"json\"";
const OPEN: [&str; 6] = ["--mode", "loop", "--allow-write", ".", "--yes", "write"];

fn calls(tool: &str, arguments: Value) -> Reply {
    Reply::text(json!({ "tool": tool, "arguments": arguments }).to_string())
}

fn answers(text: &str) -> Reply {
    Reply::text(json!({ "answer": text }).to_string())
}

/// A model of a class that is offered tools as JSON, in a folder with three files that git knows.
fn scene(class: &str, replies: impl IntoIterator<Item = Reply>) -> Scene {
    let lines = format!("class = \"{class}\"\n{AS_JSON}");
    let scene = Scene::with_provider_lines(&lines, replies);
    scene.house.write("settings.toml", "[server]\nport = 80\n");
    scene.house.write("docs/other.md", "nothing\n");
    scene.house.write(".gitignore", "secret.log\n");
    scene.house.write("secret.log", "x\n");
    scene
}

/// The parameters that a request holds calls of a tool to.
fn held(scene: &Scene, request: usize, tool: &str) -> Value {
    let body = &scene.server.chats()[request].body;
    let schema = &body["response_format"]["json_schema"]["schema"];
    let parameters = schema["$defs"][format!("tool-{tool}")].clone();
    assert!(parameters.is_object(), "{tool}: {schema:#}");
    parameters
}

fn paths(parameters: &Value) -> Vec<&str> {
    let paths = parameters["properties"]["path"]["enum"].as_array();
    let paths = paths.into_iter().flatten();
    paths.map(|path| path.as_str().unwrap()).collect()
}

fn run(scene: &Scene, says: &str) -> Outcome {
    scene.run(&[&OPEN[..], &[says]].concat())
}

/// How often the broker was asked to list a folder.
fn listings(scene: &Scene, outcome: &Outcome) -> usize {
    let audit = scene.audit(outcome);
    let of_listing = audit
        .iter()
        .filter(|record| record["tool"] == "list_files" && record["action"] == "decide");
    of_listing.count()
}

#[test]
fn a_path_is_one_of_the_files_that_are_there() {
    let more = "in which files besides settings.toml is the port mentioned?";
    for (class, question) in [("tiny", more), ("small", QUESTION)] {
        let scene = scene(class, [answers("It is 80.")]);
        let outcome = run(&scene, question);
        assert_eq!(outcome.text("answer"), "It is 80.");
        let read = held(&scene, 0, "read_file");
        let named = paths(&read);
        for file in ["settings.toml", "docs/other.md", ".gitignore"] {
            assert!(named.contains(&file), "{class}: {named:?}");
        }
        assert!(!named.contains(&"secret.log") && !named.contains(&"docs"));
        // The prompt does not grow by it, and a person is told of no listing.
        assert!(!scene.told().contains("other.md"), "{}", scene.told());
        assert_eq!(listings(&scene, &outcome), 1);
        assert_eq!(outcome.calls().len(), 1, "{:#}", outcome.summary);
    }
}

#[test]
fn larger_models_and_servers_own_calls_are_left_alone() {
    let large = scene("large", [answers("It is 80.")]);
    let outcome = run(&large, QUESTION);
    assert!(paths(&held(&large, 0, "read_file")).is_empty());
    assert_eq!(listings(&large, &outcome), 0);
    let native = Scene::of_class("small", [Reply::text("It is 80.")]);
    native.house.write("settings.toml", "port = 80\n");
    let outcome = run(&native, QUESTION);
    assert!(native.told().contains("port = 80"));
    assert_eq!(listings(&native, &outcome), 0);
}

#[test]
fn wherever_another_file_may_be_meant_every_path_is_open() {
    for question in [
        "which port do settings.toml and secret.log set?",
        "which port do settings.toml and ../out.toml set?",
        "is the port of settings.toml the one in /etc/services?",
    ] {
        let scene = scene("small", [answers("I do not know.")]);
        run(&scene, question);
        assert!(scene.told().contains("port = 80"), "{question}");
        let read = held(&scene, 0, "read_file");
        assert!(paths(&read).is_empty(), "{question}: {read:#}");
        assert_eq!(read["properties"]["path"]["type"], "string");
    }
    let crowded = scene("small", [answers("It is 80.")]);
    for number in 0..70 {
        crowded.house.write(&format!("many/{number}.md"), "x\n");
    }
    run(&crowded, QUESTION);
    assert!(paths(&held(&crowded, 0, "read_file")).is_empty());
}

#[test]
fn a_file_that_the_model_made_may_be_read_next() {
    let made = json!({"path": "docs/new.md", "content": "hi", "mode": "create"});
    let scene = scene(
        "small",
        [
            calls("write_file", made),
            calls("read_file", json!({"path": "docs/new.md"})),
            answers("It is 80, and new.md says so."),
        ],
    );
    let outcome = run(&scene, QUESTION);
    assert_eq!(outcome.calls().len(), 3, "{:#}", outcome.summary);
    assert_eq!(outcome.calls()[2]["status"], "ok");
    assert!(!paths(&held(&scene, 0, "read_file")).contains(&"docs/new.md"));
    for request in [1, 2] {
        let read = held(&scene, request, "read_file");
        assert!(paths(&read).contains(&"docs/new.md"), "{read:#}");
    }
}

#[test]
fn what_is_replaced_stands_in_the_file_until_it_is_changed() {
    let edit = json!({"path": "settings.toml", "old": "port = 80", "new": "port = 90"});
    let scene = scene(
        "small",
        [
            calls("read_file", json!({"path": "settings.toml"})),
            calls("edit_file", edit),
            answers("The port is 90 now."),
        ],
    );
    let outcome = run(&scene, "set the port in settings.toml to 90");
    outcome.assert_ends(0, "success");
    assert_eq!(scene.house.read("settings.toml"), "[server]\nport = 90\n");
    // Nothing was read before the first call, and nothing is listed then.
    assert!(paths(&held(&scene, 0, "edit_file")).is_empty());
    let edit = held(&scene, 1, "edit_file");
    let of_settings = &edit["anyOf"][0]["properties"];
    assert_eq!(of_settings["path"]["enum"], json!(["settings.toml"]));
    let old = of_settings["old"]["enum"].as_array().unwrap();
    assert!(old.contains(&json!("port = 80")), "{old:?}");
    let others = &edit["anyOf"][1]["properties"];
    assert_eq!(others["old"]["enum"], Value::Null, "{edit:#}");
    let changed = held(&scene, 2, "edit_file");
    assert!(changed["anyOf"].is_null() && !paths(&changed).is_empty());
}

#[test]
fn an_order_is_no_more_of_a_question_for_it() {
    let delete = calls("delete_file", json!({"path": "settings.toml"}));
    let scene = scene("small", [delete, answers("Deleted.")]);
    let flags = [
        "--mode",
        "loop",
        "--allow-write",
        ".",
        "--yes",
        "destructive",
    ];
    let outcome = scene.run(&[&flags[..], &["delete settings.toml"]].concat());
    outcome.assert_ends(0, "success");
    assert!(!scene.house.has("settings.toml"));
    assert_eq!(listings(&scene, &outcome), 0);
}

#[test]
fn the_model_that_comes_along_names_what_is_there() {
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return;
    }
    house.write("settings.toml", "[server]\nport = 80\n");
    house.write("docs/other.md", "nothing\n");
    let question = "which files besides settings.toml set a port?";
    let run = house.ask([
        "run", "--json", "--mode", "loop", "--agent", "coder", question,
    ]);
    let summary = run.run().json();
    let log = house.session_log(summary["session_id"].as_str().unwrap());
    let narrowed = [
        "read_file",
        "edit_file",
        "list_files",
        "glob",
        "grep",
        "outline",
    ];
    let there = ["settings.toml", "docs/other.md", "docs", "."];
    let calls = of_kind(&log, "tool_requested");
    assert!(calls.len() > 1, "it called nothing: {summary:#}");
    for call in calls {
        let is_narrowed = narrowed.iter().any(|tool| call["tool"] == *tool);
        if let Some(path) = call["arguments"]["path"].as_str().filter(|_| is_narrowed) {
            assert!(there.contains(&path), "{call:#}");
        }
    }
}
