//! Tools for models without tool training: offered as text, called as one JSON object.

use crate::support::dialect::{chat_path, ending, event, failure, text};
use crate::support::server::{Part, Reply, Server};
use crate::support::{Answer, ask, config, no_engine, question, service, tool};
use api::models::{ChatRequest, ErrorKind, ToolChoice};
use domain::id::CallId;
use domain::message::{Message, ToolCall};
use domain::model::FinishReason;
use models::{ProviderType, Service, ToolCalls};
use serde_json::{Value, json};

const KIND: ProviderType = ProviderType::OpenAi;

fn gateway(url: &str) -> Service {
    let mut config = config(KIND, url);
    config.providers.get_mut("test").unwrap().tool_calls = ToolCalls::Json;
    service(config)
}

fn offering() -> ChatRequest {
    let mut request = question();
    request.tools = vec![tool("read_file"), tool("list_files")];
    request
}

/// Asks a server that gives these replies in turn, the last one for ever, in pieces of some bytes.
async fn given(replies: &[&str], piece: usize, request: ChatRequest) -> (Answer, Vec<Value>) {
    let replies: Vec<String> = replies.iter().map(|&one| one.to_owned()).collect();
    let server = Server::start(move |_, nth| {
        let said = &replies[nth.min(replies.len() - 1)];
        let characters: Vec<char> = said.chars().collect();
        let pieces = characters
            .chunks(piece)
            .map(|piece| text(KIND, &piece.iter().collect::<String>()));
        let body: String = pieces.chain([ending(KIND)]).collect();
        Reply::new("text/event-stream", body)
    })
    .await;
    let answer = ask(&gateway(&server.url), request).await;
    let sent = server.to(chat_path(KIND));
    (answer, sent.into_iter().map(|one| one.body).collect())
}

#[tokio::test]
async fn tools_go_out_as_words_and_a_strict_schema() {
    let (_, sent) = given(&[r#"{"answer": "Hi."}"#], 5, offering()).await;
    let body = &sent[0];
    assert_eq!(body.get("tools"), None);
    assert_eq!(body.get("tool_choice"), None);
    assert_eq!(body["temperature"], 0.0);
    let system = body["messages"][0]["content"].as_str().unwrap();
    assert!(system.starts_with("You are a test.\n\n"), "{system}");
    let shown = r#"- Reads a file. {"tool": "read_file", "arguments": {"path": string}}"#;
    assert!(system.contains(shown), "{system}");
    let format = &body["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["strict"], true);
    let options = &format["json_schema"]["schema"]["anyOf"];
    assert_eq!(options[0]["properties"]["tool"]["const"], "read_file");
    assert_eq!(options[1]["properties"]["tool"]["const"], "list_files");
    assert_eq!(options[2]["properties"]["answer"]["$ref"], "#/$defs/answer");
    let answer = &format["json_schema"]["schema"]["$defs"]["answer"];
    assert_eq!(answer, &json!({"type": "string", "maxLength": 2_000}));
}

#[tokio::test]
async fn an_answer_streams_and_a_call_is_a_call() {
    let (answer, _) = given(
        &["{\"answer\":\n\"One \\\"two\\\" thr\u{e9}e\"}"],
        3,
        offering(),
    )
    .await;
    assert_eq!(answer.text, "One \"two\" thr\u{e9}e");
    assert!(answer.text_pieces > 3, "{}", answer.text_pieces);
    assert_eq!(answer.finish, Some(FinishReason::Stop));

    let reply = "{\n \"tool\": \"read_file\",\n \"arguments\": {\"path\": \"a.md\"}\n}";
    let (answer, _) = given(&[reply], 3, offering()).await;
    assert_eq!(
        answer.arguments(),
        [("read_file", &json!({"path": "a.md"}))]
    );
    assert!(!answer.calls[0].1, "not recovered: it came as agreed");
    assert_eq!((answer.text.as_str(), answer.deltas.as_str()), ("", reply));
    assert_eq!(answer.finish, Some(FinishReason::ToolCalls));
}

#[tokio::test]
async fn a_call_within_an_answer_is_none() {
    let call = "<function=read_file>{\"path\": \"a\"}</function>";
    let reply = json!({"answer": call}).to_string();
    let (answer, _) = given(&[&reply], 3, offering()).await;
    assert_eq!((answer.text.as_str(), answer.calls.len()), (call, 0));
}

#[tokio::test]
async fn calls_and_results_come_back_in_the_same_form() {
    let call_id = CallId::from_uuid(uuid::Uuid::from_u128(7));
    let mut request = offering();
    request.messages.extend([
        Message::Assistant {
            text: String::new(),
            thinking: None,
            tool_calls: vec![ToolCall {
                call_id,
                name: "read_file".into(),
                arguments: json!({"path": "a"}),
            }],
        },
        Message::Tool {
            call_id,
            name: tool("read_file").name,
            text: "content".into(),
        },
        Message::User {
            text: "And now?".into(),
        },
    ]);
    let (_, sent) = given(&[r#"{"answer": "Hi."}"#], 5, request).await;
    let messages = sent[0]["messages"].as_array().unwrap();
    assert_eq!(
        messages[2..],
        [
            json!({"role": "assistant",
                   "content": r#"{"tool": "read_file", "arguments": {"path": "a"}}"#}),
            json!({"role": "user", "content": "Result of read_file:\ncontent\n\nAnd now?"}),
        ]
    );
}

#[tokio::test]
async fn the_choice_of_a_tool_is_kept() {
    let options = |body: &Value| {
        let options = &body["response_format"]["json_schema"]["schema"]["anyOf"];
        options.as_array().map_or(0, Vec::len)
    };
    for (choice, expected) in [
        (ToolChoice::Auto, 3),
        (ToolChoice::Required, 2),
        (ToolChoice::Only(tool("list_files").name), 1),
        // An answer is all that is left.
        (ToolChoice::None, 1),
    ] {
        let mut request = offering();
        request.tool_choice = choice.clone();
        let (_, sent) = given(&[r#"{"answer": "Hi."}"#], 5, request).await;
        assert_eq!(options(&sent[0]), expected, "{choice:?}");
    }
    let mut request = offering();
    request.tool_choice = ToolChoice::Only(tool("other").name);
    let (answer, sent) = given(&["{}"], 5, request).await;
    assert_eq!(answer.kind(), Some(ErrorKind::Rejected));
    assert!(sent.is_empty());
}

#[tokio::test]
async fn an_answer_under_a_schema_is_checked_and_repaired() {
    let mut request = offering();
    request.response_schema = Some(json!({"type": "integer"}));
    let replies = [r#"{"answer": "three"}"#, r#"{"answer": 3}"#];
    let (answer, sent) = given(&replies, 4, request).await;
    assert_eq!(answer.text, "3", "{:?}", answer.error);
    assert_eq!(answer.codes(), ["models.schema_repair"]);
    assert_eq!(sent.len(), 2);
}

#[tokio::test]
async fn a_server_that_ignores_the_schema_is_read_all_the_same() {
    let (answer, _) = given(&["Plain words."], 4, offering()).await;
    assert_eq!(answer.text, "Plain words.");
    let leaked = "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```";
    let (answer, _) = given(&[leaked], 4, offering()).await;
    assert_eq!(answer.arguments(), [("read_file", &json!({"path": "a"}))]);
    let (answer, _) = given(&[r#"{"greeting": "Hi."}"#], 4, offering()).await;
    assert_eq!(answer.text, r#"{"greeting": "Hi."}"#);
    assert!(answer.calls.is_empty());
}

/// Asks a server that sends this body and then these parts.
async fn body(body: String, parts: Vec<Part>) -> Answer {
    let server = Server::start(move |_, _| {
        let mut all = vec![Part::Bytes(body.clone().into_bytes())];
        all.extend(parts.clone());
        Reply::parts("text/event-stream", all)
    })
    .await;
    ask(&gateway(&server.url), offering()).await
}

#[tokio::test]
async fn a_call_that_was_cut_is_no_call() {
    let half = text(KIND, r#"{"tool": "read_file", "argum"#);
    let length = event(
        KIND,
        &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}),
    );
    let answer = body(format!("{half}{length}"), Vec::new()).await;
    assert!(answer.calls.is_empty());
    assert_eq!(answer.text, "");
    assert_eq!(answer.finish, Some(FinishReason::Length));

    let answer = body(half.clone(), vec![Part::Close]).await;
    assert_eq!(answer.kind(), Some(ErrorKind::Interrupted));
    assert!(answer.calls.is_empty());

    let answer = body(half + &failure(KIND), Vec::new()).await;
    assert_eq!(answer.kind(), Some(ErrorKind::Server));
    assert!(answer.calls.is_empty());
}

#[test]
fn other_protocols_refuse_the_option() {
    for kind in [ProviderType::Ollama, ProviderType::Anthropic] {
        let mut config = config(kind, "http://127.0.0.1:9");
        config.providers.get_mut("test").unwrap().tool_calls = ToolCalls::Json;
        let error = Service::new(config, None, no_engine()).err().unwrap();
        assert_eq!(error.kind, ErrorKind::NotConfigured);
        assert!(error.detail.contains("models.providers.test"), "{error}");
        assert!(error.detail.contains(kind.as_str()), "{error}");
    }
}
