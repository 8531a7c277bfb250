//! A model behind a server that repeats itself without end: it is stopped, and equal rows are not.

use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server};

#[test]
fn a_sentence_without_end_is_stopped_while_the_server_still_writes() {
    let sentence = "The balcony of the house has a balcony. ";
    // The server never comes to the end of its answer: the run ends by hanging up alone.
    let written = (0..250).fold(Reply::text(""), |reply, _| reply.and_text(sentence));
    let endless = written.and_wait(&Gate::new());
    for kind in ["openai", "ollama", "anthropic"] {
        let prepared = Server::script([endless.clone()]).in_pieces_of(64);
        let scene = match kind {
            "openai" => Scene::with(prepared.openai(), kind),
            "ollama" => Scene::with(
                prepared.ollama(testkit::ollama::OllamaState::default()),
                kind,
            ),
            _ => Scene::with(prepared.anthropic(), kind),
        };
        let outcome = scene.run(&["describe the house"]);
        outcome.assert_ends(3, "partial");
        assert_eq!(outcome.code(), "agents.answer_cut", "{kind}");
        let message = outcome.summary["error"]["message"].as_str().unwrap();
        assert!(message.contains("repeated itself"), "{kind}: {message}");
        let answer = outcome.text("answer");
        assert!(answer.starts_with(sentence.trim_end()), "{kind}: {answer}");
    }
}

#[test]
fn a_file_without_end_is_not_written_and_the_model_hears_why() {
    let delta = |arguments: &str| {
        let call = json!({
            "index": 0, "id": "1", "function": {"name": "write_file", "arguments": arguments},
        });
        let chunk = json!({"choices": [{"delta": {"tool_calls": [call]}}]});
        format!("data: {chunk}\n\n")
    };
    let begun = Reply::default().and_raw(delta("{\"path\": \"song.txt\", \"content\": \""));
    let sung = (0..1_200).fold(begun, |reply, _| reply.and_raw(delta(&"la ".repeat(10))));
    let scene = Scene::new([
        sung.and_wait(&Gate::new()),
        Reply::text("I could not write it."),
    ]);
    let outcome = scene.run(&[
        "--allow-write",
        ".",
        "--yes",
        "write",
        "write a song into song.txt",
    ]);
    assert_eq!(
        outcome.text("answer"),
        "I could not write it.",
        "{:#}",
        outcome.summary
    );
    assert!(!scene.house.has("song.txt"));
    assert!(
        scene.told().contains("repeated the same words without end"),
        "{}",
        scene.told()
    );
}

#[test]
fn equal_rows_are_answered_and_written_whole() {
    let row = "| yes | no | maybe |\n";
    let rows = row.repeat(300);
    let table = (0..300).fold(Reply::text(""), |reply, _| reply.and_text(row));
    let zeros = "0,0,0,0,0,0,0,0\n".repeat(400);
    let scene = Scene::new([
        Reply::call("write_file", json!({"path": "zeros.csv", "content": zeros})),
        table,
    ]);
    let outcome = scene.run(&[
        "--allow-write",
        ".",
        "--yes",
        "write",
        "make zeros.csv with 400 rows and show a table",
    ]);
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer").trim(), rows.trim());
    assert_eq!(scene.house.read("zeros.csv"), zeros);
}
