//! The stand-ins say what the documented servers say.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use testkit::ollama::OllamaState;
use testkit::{Gate, Reply, Server};

/// Posts a body and returns the answer, with chunked framing removed.
fn post(server: &Server, path: &str, body: &Value) -> String {
    let address = server.url().trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    let body = body.to_string();
    let length = body.len();
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let split = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
    let head = String::from_utf8_lossy(&answer[..split]).to_lowercase();
    let body = if head.contains("transfer-encoding: chunked") {
        unchunk(&answer[split..])
    } else {
        answer[split..].to_vec()
    };
    String::from_utf8_lossy(&body).into_owned()
}

fn unchunk(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|w| w == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            break;
        }
        body.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 4 + size..];
    }
    body
}

fn lines(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn question(length: usize, options: Value) -> Value {
    json!({
        "model": "scripted-model",
        "messages": [{"role": "user", "content": "x".repeat(length)}],
        "options": options,
    })
}

#[test]
fn ollama_counts_no_more_than_its_context_and_says_nothing_about_it() {
    let server = Server::script(vec![Reply::text("a"); 3]).ollama(OllamaState::default());
    let counted = |body: Value| {
        let answer = lines(&post(&server, "/api/chat", &body));
        assert!(answer.iter().all(|line| line.get("error").is_none()));
        answer.last().unwrap()["prompt_eval_count"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(counted(question(40_000, json!({}))), 4_096);
    assert!(counted(question(40_000, json!({"num_ctx": 16_384}))) >= 10_000);
    assert!(counted(question(400, json!({}))) < 200);
}

#[test]
fn ollama_sends_calls_as_objects_errors_as_lines_and_characters_in_pieces() {
    let call = Reply::thinking("hm").and_call("read_file", json!({"path": "a"}));
    let broken = Reply::text("half")
        .and_error("model runner has stopped")
        .and_cut();
    let server = Server::script([call, broken, Reply::text("grüße")])
        .in_pieces_of(1)
        .ollama(OllamaState::default());
    let first = lines(&post(&server, "/api/chat", &question(1, json!({}))));
    assert_eq!(first[0]["message"]["thinking"], "hm");
    assert_eq!(
        first[1]["message"]["tool_calls"][0]["function"]["arguments"],
        json!({"path": "a"})
    );
    assert_eq!(first.last().unwrap()["done"], json!(true));
    let second = lines(&post(&server, "/api/chat", &question(1, json!({}))));
    assert_eq!(second.last().unwrap()["error"], "model runner has stopped");
    let third = lines(&post(&server, "/api/chat", &question(1, json!({}))));
    assert_eq!(third[0]["message"]["content"], "grüße");
    let body = json!({"model": "other", "messages": []});
    assert_eq!(
        lines(&post(&server, "/api/chat", &body))[0]["error"],
        "model 'other' not found"
    );
}

#[test]
fn the_scripted_server_streams_events_waits_at_gates_and_records_requests() {
    let gate = Gate::new();
    let reply = Reply::text("one")
        .and_wait(&gate)
        .and_call("glob", json!({"pattern": "*"}));
    let server = Server::openai([reply]);
    let body =
        json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": "q"}]});
    let answer = std::thread::scope(|scope| {
        let asking = scope.spawn(|| post(&server, "/v1/chat/completions", &body));
        server.wait_for_chats(1);
        assert!(!asking.is_finished());
        gate.open();
        asking.join().unwrap()
    });
    let events: Vec<&str> = answer
        .lines()
        .filter_map(|l| l.strip_prefix("data: "))
        .collect();
    assert_eq!(events.last(), Some(&"[DONE]"));
    let values: Vec<Value> = events[..events.len() - 1]
        .iter()
        .map(|event| serde_json::from_str(event).unwrap())
        .collect();
    assert_eq!(values[0]["choices"][0]["delta"]["content"], "one");
    let arguments: String = values
        .iter()
        .filter_map(|v| v["choices"][0]["delta"]["tool_calls"][0]["function"]["arguments"].as_str())
        .collect();
    assert_eq!(arguments, "{\"pattern\":\"*\"}");
    assert_eq!(server.chats()[0].body, body);
}
