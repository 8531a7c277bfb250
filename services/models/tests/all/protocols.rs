//! What goes out to each server, and the many ways in which answers come back.

use crate::support::dialect::{self, chat_path};
use crate::support::ollama::{self, Installed, done, said};
use crate::support::server::{Reply, Server};
use crate::support::{Answer, ask, gateway, question, tool};
use api::models::{ErrorKind, THINKING_NOT_TAKEN_CODE, ToolChoice};
use domain::id::CallId;
use domain::message::{Message, Thinking, ToolCall};
use domain::model::{FinishReason, Think};
use models::ProviderType;
use serde_json::{Value, json};

/// Plays a body of server-sent events, one JSON value each.
async fn events(kind: ProviderType, events: Vec<Value>) -> (Answer, Value) {
    let server = Server::start(move |_, _| {
        let body: String = events
            .iter()
            .map(|event| dialect::event(kind, event))
            .collect();
        Reply::new("text/event-stream", body)
    })
    .await;
    let answer = ask(&gateway(kind, &server.url), question()).await;
    let sent = server.to(chat_path(kind))[0].body.clone();
    (answer, sent)
}

async fn completions(deltas: Vec<Value>) -> Answer {
    let mut all: Vec<Value> = deltas
        .into_iter()
        .map(|delta| json!({"choices": [{"index": 0, "delta": delta}]}))
        .collect();
    all.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    events(ProviderType::OpenAi, all).await.0
}

/// A conversation with a tool loop in it.
fn conversation() -> Vec<Message> {
    let call_id = CallId::from_uuid(uuid::Uuid::from_u128(7));
    vec![
        Message::System {
            text: "Rules.".into(),
        },
        Message::User {
            text: "Read a.".into(),
        },
        Message::Assistant {
            text: "I read.".into(),
            thinking: Some(Thinking {
                text: "Hm.".into(),
                signature: Some("sig".into()),
            }),
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
    ]
}

/// What is sent for the conversation with everything set.
async fn sent(kind: ProviderType, change: fn(&mut api::models::ChatRequest)) -> Value {
    let server = Server::start(move |request, _| {
        dialect::beside(kind, request).unwrap_or_else(|| dialect::reply(kind, "Hello."))
    })
    .await;
    let mut request = question();
    request.messages = conversation();
    request.tools = vec![tool("read_file")];
    request.max_tokens = Some(100);
    request.temperature = Some(0.0);
    request.seed = Some(3);
    request.stable_messages = 2;
    change(&mut request);
    let answer = ask(&gateway(kind, &server.url), request).await;
    assert!(answer.error.is_none(), "{:?}", answer.error);
    server.to(chat_path(kind))[0].body.clone()
}

#[tokio::test]
async fn ollama_is_told_everything_in_its_own_terms() {
    let body = sent(ProviderType::Ollama, |request| request.think = Think::High).await;
    assert_eq!(
        body["options"],
        json!({
            "num_ctx": 32_768, "num_predict": 100, "temperature": 0.0, "seed": 3,
        })
    );
    assert_eq!(body["think"], "high");
    assert_eq!(body["keep_alive"], "10m");
    assert_eq!(body["stream"], true);
    assert_eq!(body["tools"][0]["function"]["name"], "read_file");
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(
        messages[2]["tool_calls"][0]["function"]["arguments"],
        json!({"path": "a"})
    );
    assert_eq!(messages[2]["thinking"], "Hm.");
    assert_eq!(
        messages[3],
        json!({"role": "tool", "tool_name": "read_file", "content": "content"})
    );
}

#[tokio::test]
async fn ollama_is_always_told_whether_to_think() {
    for (thinks, think, expected) in [
        (true, Think::Default, json!(true)),
        (true, Think::Off, json!(false)),
        (true, Think::Low, json!("low")),
        (false, Think::Default, json!(false)),
        (false, Think::High, json!(false)),
    ] {
        let mut model = Installed::new("m");
        model.thinks = thinks;
        let server = ollama::start(vec![model], |_, _| vec![said("Hi."), done(9, 1)]).await;
        let mut request = question();
        request.think = think;
        let answer = ask(&gateway(ProviderType::Ollama, &server.url), request).await;
        let is_told = answer.codes().contains(&THINKING_NOT_TAKEN_CODE);
        assert_eq!(
            is_told,
            !thinks && think == Think::High,
            "{thinks} {think:?}"
        );
        assert_eq!(
            server.to("/api/chat")[0].body["think"],
            expected,
            "{thinks} {think:?}"
        );
    }
}

#[tokio::test]
async fn ollama_streams_thinking_and_parsed_calls() {
    let server = ollama::start(vec![Installed::new("m")], |_, _| {
        vec![
            ollama::thought("Let me "),
            ollama::thought("see."),
            ollama::called("read_file", json!({"path": "a"})),
            ollama::called("read_file", json!("{\"path\": \"b\"}")),
            done(30, 9),
        ]
    })
    .await;
    let answer = ask(&gateway(ProviderType::Ollama, &server.url), question()).await;
    assert_eq!(answer.thinking, "Let me see.");
    assert_eq!(
        answer.arguments(),
        [
            ("read_file", &json!({"path": "a"})),
            ("read_file", &json!({"path": "b"})),
        ]
    );
    assert_eq!(answer.finish, Some(FinishReason::ToolCalls));
    assert!(answer.calls.iter().all(|(_, recovered)| !recovered));
}

#[tokio::test]
async fn chat_completions_carry_ids_and_text_arguments() {
    let body = sent(ProviderType::OpenAi, |request| {
        request.tool_choice = ToolChoice::Only(tool("read_file").name);
        request.think = Think::Off;
    })
    .await;
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
    assert_eq!(
        body["tool_choice"],
        json!({"type": "function", "function": {"name": "read_file"}})
    );
    assert_eq!(body["max_tokens"], 100);
    assert_eq!(
        body["chat_template_kwargs"],
        json!({"enable_thinking": false})
    );
    let messages = body["messages"].as_array().unwrap();
    let call = &messages[2]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], "{\"path\":\"a\"}");
    assert_eq!(messages[3]["tool_call_id"], call["id"]);
}

/// The conversation with one picture that the user gave and one that the tool showed.
fn with_pictures(request: &mut api::models::ChatRequest) {
    let picture = |name: &str| Message::Picture {
        text: format!("[picture {name}]"),
        picture: serde_json::from_value(json!({
            "media_type": "image/png", "width": 2, "height": 2, "base64": name,
        }))
        .unwrap(),
    };
    request.messages.insert(2, picture("AAAA"));
    request.messages.insert(5, picture("BBBB"));
}

#[tokio::test]
async fn chat_completions_carry_pictures_in_the_users_messages() {
    let body = sent(ProviderType::OpenAi, with_pictures).await;
    let messages = body["messages"].as_array().unwrap();
    let roles: Vec<_> = messages.iter().map(|one| one["role"].as_str()).collect();
    let users = ["system", "user", "assistant", "tool", "user"].map(Some);
    assert_eq!(roles, users);
    assert_eq!(
        messages[1]["content"],
        json!([
            {"type": "text", "text": "Read a."},
            {"type": "text", "text": "[picture AAAA]"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        ])
    );
    assert_eq!(messages[3]["content"], "content");
    assert_eq!(
        messages[4]["content"][1]["image_url"]["url"],
        "data:image/png;base64,BBBB"
    );
    assert_eq!(messages[4]["content"][2]["text"], "And now?");
}

#[tokio::test]
async fn ollama_gets_pictures_beside_the_text_of_the_users_messages() {
    let body = sent(ProviderType::Ollama, with_pictures).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(
        messages[1],
        json!({"role": "user", "content": "Read a.\n[picture AAAA]", "images": ["AAAA"]})
    );
    assert_eq!(messages[3]["role"], "tool");
    assert_eq!(messages[4]["images"], json!(["BBBB"]));
}

#[tokio::test]
async fn anthropic_gets_pictures_behind_the_results_of_the_tools() {
    let body = sent(ProviderType::Anthropic, with_pictures).await;
    let messages = body["messages"].as_array().unwrap();
    let image = |data: &str| {
        json!({"type": "image", "source": {
            "type": "base64", "media_type": "image/png", "data": data,
        }})
    };
    assert_eq!(messages[0]["content"][2], image("AAAA"));
    let shown = messages[2]["content"].as_array().unwrap();
    assert_eq!(shown[0]["type"], "tool_result");
    assert_eq!(shown[2], image("BBBB"));
}

#[tokio::test]
async fn reasoning_in_every_spelling() {
    for delta in [
        json!({"reasoning_content": "Hm."}),
        json!({"reasoning": "Hm."}),
        json!({"thinking": "Hm."}),
        json!({"reasoning": "Hm.", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}),
        json!({"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}),
        json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}]}),
    ] {
        let answer = completions(vec![delta.clone(), json!({"content": "Yes."})]).await;
        assert_eq!(
            (answer.thinking.as_str(), answer.text.as_str()),
            ("Hm.", "Yes."),
            "{delta}"
        );
    }
}

#[tokio::test]
async fn tool_calls_in_every_spelling() {
    let whole = |call: Value| vec![json!({"tool_calls": [call]})];
    for deltas in [
        whole(json!({"index": 0, "id": "c", "function": {"name": "f", "arguments": "{\"a\":1}"}})),
        whole(json!({"function": {"name": "f", "arguments": {"a": 1}}})),
        whole(json!({"name": "f", "arguments": "{\"a\":1}"})),
        vec![
            json!({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": "{\"a\""}}]}),
            json!({"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}),
        ],
    ] {
        let answer = completions(deltas.clone()).await;
        assert_eq!(answer.arguments(), [("f", &json!({"a": 1}))], "{deltas:?}");
        assert_eq!(answer.finish, Some(FinishReason::ToolCalls));
    }
}

#[tokio::test]
async fn arguments_that_are_no_json_are_kept_as_text() {
    let answer = completions(vec![
        json!({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "{\"a\": "}}]}),
    ])
    .await;
    assert_eq!(answer.arguments(), [("f", &json!("{\"a\": "))]);
}

#[tokio::test]
async fn a_finish_reason_is_end_enough() {
    let (answer, _) = events(
        ProviderType::OpenAi,
        vec![json!({"choices": [{"delta": {"content": "Cut"}, "finish_reason": "length"}]})],
    )
    .await;
    assert_eq!(
        answer.finish,
        Some(FinishReason::Length),
        "{:?}",
        answer.error
    );
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_read_as_well() {
    for content_type in ["application/json", "text/plain", "text/event-stream"] {
        let body = json!({
            "choices": [{"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 4, "completion_tokens": 2},
        });
        let server = Server::start(move |_, _| Reply::new(content_type, body.to_string())).await;
        let answer = ask(&gateway(ProviderType::OpenAi, &server.url), question()).await;
        assert_eq!(answer.text, "Hello.", "{content_type}: {:?}", answer.error);
        assert_eq!(answer.usage.unwrap().prompt_tokens, 4);
    }
}

#[tokio::test]
async fn an_endpoint_may_be_written_with_or_without_its_path() {
    for (kind, endings) in [
        (ProviderType::OpenAi, ["", "/v1", "/v1/"]),
        (ProviderType::Ollama, ["", "/api", "/v1"]),
        (ProviderType::Anthropic, ["", "/v1", "/"]),
    ] {
        let server = Server::start(move |request, _| {
            dialect::beside(kind, request).unwrap_or_else(|| dialect::reply(kind, "Hello."))
        })
        .await;
        for ending in endings {
            let answer = ask(
                &gateway(kind, &format!("{}{ending}", server.url)),
                question(),
            )
            .await;
            assert_eq!(answer.text, "Hello.", "{kind:?} {ending}");
        }
        assert_eq!(server.to(chat_path(kind)).len(), 3);
    }
}

#[tokio::test]
async fn anthropic_gets_alternating_roles_and_cache_marks() {
    let body = sent(ProviderType::Anthropic, |request| {
        request.think = Think::Low
    })
    .await;
    assert_eq!(body["system"][0]["text"], "Rules.");
    assert_eq!(
        body["system"][0]["cache_control"],
        json!({"type": "ephemeral"})
    );
    assert_eq!(
        body["thinking"],
        json!({"type": "enabled", "budget_tokens": 1_024})
    );
    assert_eq!(body["max_tokens"], 1_124);
    assert!(body.get("temperature").is_none(), "thinking takes none");
    let messages = body["messages"].as_array().unwrap();
    let roles: Vec<&str> = messages
        .iter()
        .map(|one| one["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    assert_eq!(
        messages[0]["content"][0]["cache_control"],
        json!({"type": "ephemeral"})
    );
    let said = messages[1]["content"].as_array().unwrap();
    assert_eq!(
        said[0],
        json!({"type": "thinking", "thinking": "Hm.", "signature": "sig"})
    );
    assert_eq!(said[2]["type"], "tool_use");
    let heard = messages[2]["content"].as_array().unwrap();
    assert_eq!(heard[0]["type"], "tool_result");
    assert_eq!(heard[0]["tool_use_id"], said[2]["id"]);
    assert_eq!(heard[1]["text"], "And now?");
}

#[tokio::test]
async fn anthropic_streams_thinking_with_its_signature() {
    let (answer, _) = events(ProviderType::Anthropic, vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}}),
        json!({"type": "content_block_start", "content_block": {"type": "thinking", "thinking": ""}}),
        json!({"type": "content_block_delta", "delta": {"type": "thinking_delta", "thinking": "Hm."}}),
        json!({"type": "content_block_delta", "delta": {"type": "signature_delta", "signature": "sig"}}),
        json!({"type": "content_block_stop"}),
        json!({"type": "content_block_start",
               "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}}),
        json!({"type": "content_block_delta",
               "delta": {"type": "input_json_delta", "partial_json": "{\"a\":1}"}}),
        json!({"type": "content_block_stop"}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}}),
        json!({"type": "message_stop"}),
    ])
    .await;
    assert_eq!(answer.thinking, "Hm.");
    assert_eq!(answer.signatures, ["sig"]);
    assert_eq!(answer.arguments(), [("f", &json!({"a": 1}))]);
    assert_eq!(answer.finish, Some(FinishReason::ToolCalls));
}

#[tokio::test]
async fn anthropic_overloaded_in_mid_stream_is_busy() {
    let (answer, _) = events(ProviderType::Anthropic, vec![
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}}),
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    ])
    .await;
    assert_eq!(answer.kind(), Some(ErrorKind::Busy));
}

#[tokio::test]
async fn anthropic_answers_under_a_schema_through_a_tool() {
    let kind = ProviderType::Anthropic;
    let schema =
        json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let server = Server::start(move |_, _| {
        let events = [
            json!({"type": "message_start", "message": {"usage": {"input_tokens": 9}}}),
            json!({"type": "content_block_start",
                   "content_block": {"type": "tool_use", "id": "t", "name": "give_answer", "input": {}}}),
            json!({"type": "content_block_delta",
                   "delta": {"type": "input_json_delta", "partial_json": "{\"n\":4}"}}),
            json!({"type": "content_block_stop"}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
            json!({"type": "message_stop"}),
        ];
        let body: String = events.iter().map(|event| dialect::event(kind, event)).collect();
        Reply::new("text/event-stream", body)
    })
    .await;
    let mut request = question();
    request.response_schema = Some(schema.clone());
    let answer = ask(&gateway(kind, &server.url), request).await;
    assert_eq!(answer.text, "{\"n\":4}", "{:?}", answer.error);
    assert!(answer.calls.is_empty());
    assert_eq!(answer.finish, Some(FinishReason::Stop));
    let body = &server.requests()[0].body;
    assert_eq!(
        body["tool_choice"],
        json!({"type": "tool", "name": "give_answer"})
    );
    assert_eq!(body["tools"][0]["input_schema"], schema);
}
