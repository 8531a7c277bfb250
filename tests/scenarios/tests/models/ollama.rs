//! Loop mode on Ollama's own protocol, with the ways in which it has hurt its clients.

use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::ollama::OllamaState;
use testkit::{Reply, Server};

fn ollama(replies: impl IntoIterator<Item = Reply>) -> Scene {
    let server = Server::script(replies)
        .in_pieces_of(1)
        .ollama(OllamaState::default());
    Scene::with(server, "ollama")
}

#[test]
fn tools_are_called_and_the_answer_arrives_whole() {
    let scene = ollama([
        Reply::thinking("Ich überlege.").and_call("read_file", json!({"path": "notes.md"})),
        Reply::text("Grüße: ").and_text("日本語 🦀"),
    ]);
    scene.house.write("notes.md", "hello");
    let outcome = scene.run(&["what do the notes say?"]);
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer"), "Grüße: 日本語 🦀");
    assert_eq!(outcome.text("thinking"), "Ich überlege.");
    assert_eq!(outcome.calls().len(), 1);
    assert_eq!(outcome.summary["model"], "scripted/scripted-model");
    let chats = scene.server.chats();
    assert!(
        chats[0].body["options"]["num_ctx"].as_u64().unwrap() > 4_096,
        "{}",
        chats[0].body
    );
    assert!(chats[1].body["messages"].to_string().contains("hello"));
}

#[test]
fn a_context_that_the_server_cuts_is_said_aloud() {
    let state = OllamaState {
        fixed_context: Some(4_096),
        ..OllamaState::default()
    };
    let server = Server::script([Reply::text("ok")]).ollama(state);
    let scene = Scene::with(server, "ollama");
    scene
        .house
        .write("task.txt", "tell me about words. ".repeat(3_000));
    let outcome = scene.run(&["@task.txt"]);
    let log = scene.log(&outcome);
    let told: Vec<_> = of_kind(&log, "notice")
        .into_iter()
        .chain(of_kind(&log, "error"))
        .collect();
    assert!(
        told.iter()
            .any(|event| event["code"] == "context.truncated"),
        "{told:#?}"
    );
    let notices = &outcome.summary["notices"];
    assert_eq!(notices[0]["code"], "context.truncated", "{notices:#}");
    for field in ["message", "hint"] {
        assert!(!notices[0][field].as_str().unwrap().is_empty());
    }
}

#[test]
fn an_error_in_mid_stream_is_an_error_and_the_session_goes_on() {
    let scene = ollama([
        Reply::text("half an ").and_error("model runner has unexpectedly stopped"),
        Reply::text("Better now."),
    ]);
    let outcome = scene.run(&["say something"]);
    outcome.assert_ends(4, "failed");
    assert!(
        outcome.code().starts_with("models."),
        "{:#}",
        outcome.summary
    );
    assert!(
        outcome.summary["error"]["message"]
            .as_str()
            .unwrap()
            .contains("runner")
    );
    let again = scene.run(&["--session-id", outcome.text("session_id"), "again"]);
    again.assert_ends(0, "success");
    assert_eq!(again.text("answer"), "Better now.");
}

#[test]
fn a_stream_that_breaks_off_is_an_error() {
    let scene = ollama([Reply::text("half an ").and_cut()]);
    let outcome = scene.run(&["say something"]);
    outcome.assert_ends(4, "failed");
    assert!(
        outcome.code().starts_with("models."),
        "{:#}",
        outcome.summary
    );
}

#[test]
fn a_missing_model_is_named_with_what_to_do() {
    let scene = ollama([]);
    let outcome = scene.run(&["--model", "scripted/nowhere:1b", "hello"]);
    outcome.assert_ends(4, "failed");
    assert!(
        outcome.summary["error"]["message"]
            .as_str()
            .unwrap()
            .contains("nowhere:1b")
    );
    assert!(
        !outcome.summary["error"]["hint"]
            .as_str()
            .unwrap_or_default()
            .is_empty()
    );
}
