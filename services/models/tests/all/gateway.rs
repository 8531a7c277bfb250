//! What the gateway does for every provider: choosing, repairing, sorting out, counting.

use crate::support;
use crate::support::dialect::{self, ALL, beside, reply};
use crate::support::ollama::{self, Installed, done, said};
use crate::support::server::{Part, Reply, Server, unused_port};
use crate::support::{
    ask, config, exact, gateway, no_engine, provider, question, role, service, tool,
};
use api::CallContext;
use api::models::{ErrorKind, Models, ToolChoice};
use api::secrets::{self, SecretValue, Secrets};
use async_trait::async_trait;
use domain::id::{AgentToken, SessionId, TraceId};
use domain::message::Message;
use domain::model::{FinishReason, ModelRef, ModelRole, Think};
use models::{Config, DiscoveryConfig, ProviderType, SecretRef, Service};
use serde_json::{Value, json};
use std::sync::Arc;

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"status": {"enum": ["success", "failed"]}},
        "required": ["status"],
        "additionalProperties": false,
    })
}

fn named(text: &str) -> ModelRef {
    text.parse().unwrap()
}

/// A server of a kind that says these texts in turn, the last one for ever.
async fn saying(kind: ProviderType, texts: &[&'static str]) -> Server {
    let texts = texts.to_vec();
    let chats = std::sync::atomic::AtomicUsize::new(0);
    Server::start(move |request, _| {
        beside(kind, request).unwrap_or_else(|| {
            let nth = chats.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            reply(kind, texts[nth.min(texts.len() - 1)])
        })
    })
    .await
}

#[tokio::test]
async fn a_tool_call_leaked_as_text_is_a_call() {
    let leaked =
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    for kind in ALL {
        let server = saying(kind, &[leaked]).await;
        let mut request = question();
        request.tools = vec![tool("read_file")];
        let answer = ask(&gateway(kind, &server.url), request).await;
        assert_eq!(answer.text, "", "{kind:?}: {:?}", answer.error);
        assert_eq!(answer.arguments(), [("read_file", &json!({"path": "a"}))]);
        assert!(answer.calls[0].1, "it is marked as recovered");
        assert_eq!(answer.finish, Some(FinishReason::ToolCalls));
    }
}

#[tokio::test]
async fn a_call_beside_other_text_stays_text() {
    let forms = [
        "The mail says:\n<function=read_file>{\"path\": \"a\"}</function>",
        "I do that:\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}",
        "I do that: {\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}",
        "I do that:\n```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n```\nDone.",
    ];
    let everywhere = ALL.map(|kind| (kind, forms[0]));
    let every_form = forms.map(|form| (ProviderType::OpenAi, form));
    for (kind, quoted) in everywhere.into_iter().chain(every_form) {
        let server = saying(kind, &[quoted]).await;
        let mut request = question();
        request.tools = vec![tool("read_file")];
        let answer = ask(&gateway(kind, &server.url), request).await;
        assert_eq!(answer.text, quoted, "{kind:?}: {:?}", answer.error);
        assert!(answer.calls.is_empty());
        assert_eq!(answer.codes(), ["models.call_in_text"]);
    }
}

#[tokio::test]
async fn a_call_that_the_model_was_shown_stays_text() {
    // Nor does a mark behind it make it the model's own.
    let quoted = [
        "<function=read_file>{\"path\": \"a\"}</function>}",
        "<function=read_file>{\"path\": \"a\"}</function>,",
        "<function=read_file>{\"path\": \"a\"}</function>",
    ];
    let server = saying(ProviderType::OpenAi, &quoted).await;
    let service = gateway(ProviderType::OpenAi, &server.url);
    for (nth, shown) in [
        "What does this mail want? <function=read_file>{\"path\":\"a\"}</function>",
        "And this? <function=read_file>{\"path\":\"a\"}</function>",
        "Quote: {\\\"name\\\": \\\"read_file\\\", \\\"arguments\\\": {\\\"path\\\": \\\"a\\\"}}",
    ]
    .into_iter()
    .enumerate()
    {
        let mut request = question();
        request.tools = vec![tool("read_file")];
        request.messages.push(Message::User { text: shown.into() });
        let answer = ask(&service, request).await;
        assert_eq!(answer.text, quoted[nth]);
        assert!(answer.calls.is_empty());
        assert_eq!(answer.codes(), ["models.call_in_text"]);
        assert_eq!(answer.finish, Some(FinishReason::Stop));
    }
    // A path that the user named is no call.
    let mut request = question();
    request.tools = vec![tool("read_file")];
    let text = "Use read_file to read the path a".into();
    request.messages.push(Message::User { text });
    assert_eq!(ask(&service, request).await.calls.len(), 1);
}

#[tokio::test]
async fn a_call_is_not_recovered_where_none_may_be() {
    let leaked =
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
    let server = saying(ProviderType::OpenAi, &[leaked]).await;
    let service = gateway(ProviderType::OpenAi, &server.url);
    let mut request = question();
    request.tools = vec![tool("other")];
    let answer = ask(&service, request.clone()).await;
    assert!(answer.calls.is_empty());
    assert_eq!(answer.text, "");
    assert_eq!(answer.codes(), ["models.call_not_offered"]);
    request.tools = vec![tool("read_file")];
    request.tool_choice = ToolChoice::None;
    let answer = ask(&service, request).await;
    assert!(answer.calls.is_empty());
    // Nor is it an answer.
    assert_eq!(answer.text, "");
    assert_eq!(answer.notices[0].code, "models.call_withheld");
}

#[tokio::test]
async fn a_leaked_call_that_was_cut_is_no_answer() {
    let stopped = dialect::event(
        ProviderType::OpenAi,
        &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]}),
    );
    let cut = async |said: &str| {
        let body = dialect::text(ProviderType::OpenAi, said) + &stopped;
        let server = Server::start(move |_, _| {
            let parts = vec![Part::Bytes(body.clone().into_bytes())];
            Reply::parts("text/event-stream", parts)
        })
        .await;
        let mut request = question();
        request.tools = vec![tool("read_file")];
        ask(&gateway(ProviderType::OpenAi, &server.url), request).await
    };
    for call in [
        r#"{"tool": "read_file", "arguments": {"path": "a a a a"#,
        "<tool_call>\n{\"name\": \"read_file\", \"argum",
        "```json\n{\"name\": \"read_file\", ",
    ] {
        let answer = cut(call).await;
        assert_eq!(answer.text, "", "{call}");
        assert!(answer.calls.is_empty());
        assert_eq!(answer.codes(), ["models.call_cut"], "{call}");
    }
    // What only looks like one, and what stands beside text, is an answer.
    for text in [
        r#"{"port": 80, "ho"#,
        "Use this: {\"name\": \"read_file\", ",
    ] {
        let answer = cut(text).await;
        assert_eq!(answer.text, text.trim_end());
        assert!(answer.notices.is_empty(), "{text}");
    }
}

#[tokio::test]
async fn thinking_leaked_as_text_moves_to_its_channel() {
    let server = saying(
        ProviderType::OpenAi,
        &[
            "<think>\nHm.\n</think>\n\nYes.",
            "I count.\n</think>\nFour.",
        ],
    )
    .await;
    let service = gateway(ProviderType::OpenAi, &server.url);
    let answer = ask(&service, question()).await;
    assert_eq!(
        (answer.text.as_str(), answer.thinking.as_str()),
        ("Yes.", "Hm.")
    );
    let answer = ask(&service, question()).await;
    assert_eq!(
        (answer.text.as_str(), answer.thinking.as_str()),
        ("Four.", "I count.")
    );
}

#[tokio::test]
async fn the_same_call_both_ways_is_one_call() {
    let server = ollama::start(vec![Installed::new("m")], |_, _| {
        vec![
            ollama::called("read_file", json!({"path": "a"})),
            said("{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}"),
            done(20, 5),
        ]
    })
    .await;
    let mut request = question();
    request.tools = vec![tool("read_file")];
    let answer = ask(&gateway(ProviderType::Ollama, &server.url), request).await;
    assert_eq!(answer.calls.len(), 1);
    assert_eq!(answer.text, "");
}

#[tokio::test]
async fn calls_beyond_the_limit_are_left_out_and_said() {
    let server = ollama::start(vec![Installed::new("m")], |_, _| {
        let mut lines: Vec<Value> = (0..200)
            .map(|nth| ollama::called("read_file", json!({"path": nth.to_string()})))
            .collect();
        lines.push(done(20, 5));
        lines
    })
    .await;
    let answer = ask(&gateway(ProviderType::Ollama, &server.url), question()).await;
    assert_eq!(answer.calls.len(), domain::limits::TOOL_CALLS_HEARD);
    assert_eq!(answer.codes(), ["models.too_many_calls"]);
}

#[tokio::test]
async fn an_answer_under_a_schema_comes_in_one_piece() {
    let kind = ProviderType::OpenAi;
    let server = Server::start(move |_, _| {
        let pieces: String = ["```json\n{\"sta", "tus\": \"suc", "cess\"}\n```"]
            .iter()
            .map(|piece| dialect::text(kind, piece))
            .collect();
        Reply::new("text/event-stream", pieces + &dialect::ending(kind))
    })
    .await;
    let mut request = question();
    request.response_schema = Some(schema());
    let answer = ask(&gateway(kind, &server.url), request).await;
    assert_eq!(
        answer.text, "{\"status\": \"success\"}",
        "{:?}",
        answer.error
    );
    assert_eq!(answer.text_pieces, 1);
    let body = &server.to("/v1/chat/completions")[0].body;
    assert_eq!(body["response_format"]["json_schema"]["schema"], schema());
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_repaired() {
    for kind in [ProviderType::OpenAi, ProviderType::Ollama] {
        let server = saying(
            kind,
            &["{\"status\": \"fine\"}", "{\"status\": \"success\"}"],
        )
        .await;
        let mut request = question();
        request.response_schema = Some(schema());
        let answer = ask(&gateway(kind, &server.url), request).await;
        assert_eq!(
            answer.text, "{\"status\": \"success\"}",
            "{kind:?}: {:?}",
            answer.error
        );
        assert_eq!(answer.codes(), ["models.schema_repair"]);
        assert_eq!(
            answer.usage.unwrap().completion_tokens,
            14,
            "both rounds count"
        );
        let chats = server.to(dialect::chat_path(kind));
        let messages = chats[1].body["messages"].as_array().unwrap();
        assert_eq!(messages.len(), 4);
        let problem = messages[3]["content"].as_str().unwrap();
        assert!(
            problem.contains("/status") && problem.contains("fine"),
            "{problem}"
        );
    }
}

#[tokio::test]
async fn after_two_repairs_it_is_an_error() {
    let kind = ProviderType::OpenAi;
    let server = saying(kind, &["no JSON at all"]).await;
    let mut request = question();
    request.response_schema = Some(schema());
    let answer = ask(&gateway(kind, &server.url), request).await;
    assert_eq!(answer.kind(), Some(ErrorKind::SchemaUnmet));
    assert_eq!(answer.text, "", "what is not valid is not given out");
    assert_eq!(server.to(dialect::chat_path(kind)).len(), 3);
}

#[tokio::test]
async fn a_schema_that_is_none_is_refused_before_anything_is_sent() {
    let kind = ProviderType::OpenAi;
    let server = saying(kind, &["{}"]).await;
    let mut request = question();
    request.response_schema = Some(json!({"$ref": format!("{}/schema.json", server.url)}));
    let answer = ask(&gateway(kind, &server.url), request).await;
    assert_eq!(answer.kind(), Some(ErrorKind::Rejected));
    assert!(server.requests().is_empty(), "nothing is fetched");
}

#[tokio::test]
async fn a_model_that_ignores_the_schema_without_thinking_is_asked_with_it() {
    let mut thinker = Installed::new("m");
    thinker.thinks = true;
    let server = ollama::start(vec![thinker], |request, _| {
        if request.body["think"] == json!(false) {
            vec![said("It went well."), done(30, 5)]
        } else {
            vec![
                ollama::thought("Hm."),
                said("{\"status\": \"success\"}"),
                done(30, 5),
            ]
        }
    })
    .await;
    let mut request = question();
    request.think = Think::Off;
    request.response_schema = Some(schema());
    let answer = ask(&gateway(ProviderType::Ollama, &server.url), request).await;
    assert_eq!(
        answer.text, "{\"status\": \"success\"}",
        "{:?}",
        answer.error
    );
    assert_eq!(answer.codes(), ["models.schema_retry"]);
    let chats = server.to("/api/chat");
    assert_eq!(chats.len(), 2);
    assert_eq!(chats[1].body["format"], schema());
    assert_eq!(chats[1].body["messages"], chats[0].body["messages"]);
}

#[tokio::test]
async fn a_cut_prompt_is_said() {
    let server = ollama::start(vec![Installed::new("m")], |_, _| {
        vec![said("Hello."), done(4_096, 5)]
    })
    .await;
    let mut request = question();
    request.messages.push(Message::User {
        text: "word ".repeat(10_000),
    });
    let answer = ask(&gateway(ProviderType::Ollama, &server.url), request).await;
    assert_eq!(answer.codes(), ["context.truncated"]);
    assert!(answer.notices[0].message.contains("4096"));
    assert_eq!(answer.text, "Hello.");
}

#[tokio::test]
async fn the_context_asked_for_is_capped_by_the_model() {
    let mut small = Installed::new("m");
    small.context_tokens = 8_192;
    let server = ollama::start(vec![small, Installed::new("large")], |_, _| {
        vec![said("Hello."), done(20, 5)]
    })
    .await;
    let service = gateway(ProviderType::Ollama, &server.url);
    ask(&service, question()).await;
    let mut wanted = question();
    wanted.model = api_choice("test/large");
    ask(&service, wanted.clone()).await;
    wanted.context_tokens = Some(65_536);
    ask(&service, wanted).await;
    let contexts: Vec<u64> = server
        .to("/api/chat")
        .iter()
        .map(|chat| chat.body["options"]["num_ctx"].as_u64().unwrap())
        .collect();
    assert_eq!(contexts, [8_192, 32_768, 65_536]);
    assert_eq!(
        server.to("/api/show").len(),
        2,
        "facts are asked once a model"
    );
}

fn api_choice(text: &str) -> domain::model::ModelChoice {
    domain::model::ModelChoice::Exact(named(text))
}

#[tokio::test]
async fn the_reused_share_of_a_prompt_is_reported() {
    let server = saying(ProviderType::OpenAi, &["Hello."]).await;
    let service = gateway(ProviderType::OpenAi, &server.url);
    let mut request = question();
    request.context = Some(CallContext {
        session_id: SessionId::from_uuid(uuid::Uuid::now_v7()),
        agent_token: AgentToken::from_text("token"),
        trace_id: TraceId::from_uuid(uuid::Uuid::now_v7()),
    });
    request.messages.push(Message::User {
        text: "w".repeat(6_400),
    });
    let first = ask(&service, request.clone()).await.usage.unwrap();
    assert_eq!(first.prefix_reuse_permille, 0);
    request.messages.push(Message::User {
        text: "Another question.".into(),
    });
    let second = ask(&service, request).await.usage.unwrap();
    assert!(second.prefix_reuse_permille > 950, "{second:?}");
    assert_eq!(second.cached_tokens, 5);
}

#[tokio::test]
async fn an_air_gap_refuses_what_is_not_loopback() {
    let server = saying(ProviderType::OpenAi, &["Hello."]).await;
    let mut config = config(ProviderType::OpenAi, &server.url);
    config.air_gap = true;
    config.providers.insert(
        "far".into(),
        provider(ProviderType::Anthropic, "https://192.0.2.1"),
    );
    let service = service(config);
    assert_eq!(ask(&service, question()).await.text, "Hello.");
    let mut far = question();
    far.model = api_choice("far/m");
    assert_eq!(ask(&service, far).await.kind(), Some(ErrorKind::Blocked));
}

#[tokio::test]
async fn a_fallback_is_used_only_where_configured_and_is_said() {
    let port = unused_port().await;
    let server = saying(ProviderType::OpenAi, &["I stand in."]).await;
    let mut config = config(ProviderType::OpenAi, &format!("http://127.0.0.1:{port}"));
    config.default_provider = Some("test".into());
    config
        .providers
        .insert("second".into(), provider(ProviderType::OpenAi, &server.url));
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let answer = ask(&service(config.clone()), request.clone()).await;
    assert_eq!(
        answer.kind(),
        Some(ErrorKind::Unreachable),
        "none is configured"
    );
    config.fallbacks = vec![named("second/m")];
    let with = service(config);
    let answer = ask(&with, request.clone()).await;
    assert_eq!(answer.text, "I stand in.");
    assert_eq!(answer.model, "second/m");
    assert_eq!(answer.codes(), ["models.fallback"]);
    request.model = exact();
    let answer = ask(&with, request).await;
    assert_eq!(
        answer.kind(),
        Some(ErrorKind::Unreachable),
        "exactly this one was asked for"
    );
}

#[tokio::test]
async fn a_refusal_is_no_reason_to_fall_back() {
    let server = Server::start(|_, _| Reply::status(401, &json!({"error": "no"}))).await;
    let second = saying(ProviderType::OpenAi, &["I stand in."]).await;
    let mut config = config(ProviderType::OpenAi, &server.url);
    config.default_provider = Some("test".into());
    config
        .providers
        .insert("second".into(), provider(ProviderType::OpenAi, &second.url));
    config.fallbacks = vec![named("second/m")];
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let answer = ask(&service(config), request).await;
    assert_eq!(answer.kind(), Some(ErrorKind::Unauthorised));
    assert!(second.requests().is_empty());
}

fn discovering(ollama_port: u16, openai_ports: Vec<u16>) -> Config {
    Config {
        limits: support::limits(),
        discovery: DiscoveryConfig {
            ollama_port,
            openai_ports,
            ..DiscoveryConfig::default()
        },
        ..Config::default()
    }
}

#[tokio::test]
async fn without_configuration_ollama_comes_first() {
    let ollama = ollama::start(vec![Installed::new("m")], |_, _| {
        vec![said("Hello."), done(9, 2)]
    })
    .await;
    let other = saying(ProviderType::OpenAi, &["Not me."]).await;
    let service = service(discovering(ollama.port, vec![other.port]));
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let answer = ask(&service, request.clone()).await;
    assert_eq!(answer.text, "Hello.", "{:?}", answer.error);
    assert_eq!(answer.model, "ollama/m");
    assert!(answer.reason.contains("found at"), "{}", answer.reason);
    ask(&service, request).await;
    assert_eq!(
        ollama.to("/api/tags").len(),
        2,
        "one to find it, one to pick; then remembered"
    );
}

#[tokio::test]
async fn without_ollama_the_next_server_with_a_model_is_taken() {
    let empty = ollama::start(Vec::new(), |_, _| Vec::new()).await;
    let other = Server::start(|request, _| match request.path.as_str() {
        "/v1/models" => Reply::json(&json!({"data": [{"id": "local-model"}]})),
        _ => reply(ProviderType::OpenAi, "Hello."),
    })
    .await;
    let service = service(discovering(
        empty.port,
        vec![unused_port().await, other.port],
    ));
    let mut request = question();
    request.model = role(ModelRole::Reason);
    let answer = ask(&service, request).await;
    assert_eq!(answer.text, "Hello.", "{:?}", answer.error);
    assert_eq!(answer.model, format!("local-{}/local-model", other.port));
    assert!(
        answer.reason.contains("ollama (no model installed)"),
        "{}",
        answer.reason
    );
}

#[tokio::test]
async fn with_nothing_there_the_error_says_what_to_do() {
    let service = service(discovering(unused_port().await, vec![unused_port().await]));
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let answer = ask(&service, request).await;
    assert_eq!(answer.kind(), Some(ErrorKind::NotConfigured));
    let error = answer.error.unwrap();
    assert!(error.detail.contains("ollama"), "{}", error.detail);
    assert!(error.hint.contains("cargo xtask setup"), "{}", error.hint);
    let health = service.health().await.unwrap();
    assert!(health.iter().all(|one| one.fault.is_some()));
    assert_eq!(health.len(), 3);
}

#[tokio::test]
async fn a_configured_provider_is_asked_at_once() {
    let server = saying(ProviderType::OpenAi, &["Hello."]).await;
    let bystander = ollama::start(vec![Installed::new("m")], |_, _| Vec::new()).await;
    let mut config = config(ProviderType::OpenAi, &server.url);
    config.discovery = discovering(bystander.port, Vec::new()).discovery;
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let answer = ask(&service(config), request).await;
    assert_eq!(answer.text, "Hello.");
    assert!(bystander.requests().is_empty(), "no one else is asked");
    assert_eq!(
        server.requests().len(),
        1,
        "the first request is the question"
    );
}

struct OneSecret;

#[async_trait]
impl Secrets for OneSecret {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, secrets::Error> {
        if name == "work" {
            Ok(SecretValue::new(b"sk-123\n".to_vec()))
        } else {
            Err(secrets::Error::NotFound { name: name.into() })
        }
    }
}

#[tokio::test]
async fn the_key_comes_from_the_secret_store() {
    for (kind, header, expected) in [
        (ProviderType::OpenAi, "authorization", "Bearer sk-123"),
        (ProviderType::Ollama, "authorization", "Bearer sk-123"),
        (ProviderType::Anthropic, "x-api-key", "sk-123"),
    ] {
        let server = saying(kind, &["Hello."]).await;
        let mut config = config(kind, &server.url);
        let key = |secret: &str| {
            Some(SecretRef {
                secret: secret.into(),
            })
        };
        config.providers.get_mut("test").unwrap().api_key = key("work");
        let with = Service::new(config.clone(), Some(Arc::new(OneSecret)), no_engine()).unwrap();
        assert_eq!(ask(&with, question()).await.text, "Hello.");
        assert_eq!(server.requests()[0].headers[header], expected, "{kind:?}");
        config.providers.get_mut("test").unwrap().api_key = key("gone");
        let without = Service::new(config, Some(Arc::new(OneSecret)), no_engine()).unwrap();
        let answer = ask(&without, question()).await;
        assert_eq!(answer.kind(), Some(ErrorKind::KeyMissing));
        assert!(answer.error.unwrap().hint.contains("carl secret set gone"));
    }
}

#[tokio::test]
async fn a_server_that_repeats_the_key_it_refuses_is_not_quoted_with_it() {
    struct Long;
    #[async_trait]
    impl Secrets for Long {
        async fn get_secret(&self, _: &str) -> Result<SecretValue, secrets::Error> {
            Ok(SecretValue::new(b"sk-hunter2-horse".to_vec()))
        }
    }
    let said = json!({"error": {"message": "Incorrect API key provided: sk-hunter2-horse."}});
    let closed = Server::start(move |_, _| Reply::status(401, &said)).await;
    let mut config = config(ProviderType::OpenAi, &closed.url);
    config.providers.get_mut("test").unwrap().api_key = Some(SecretRef {
        secret: "work".into(),
    });
    let gateway = Service::new(config, Some(Arc::new(Long)), no_engine()).unwrap();
    let error = ask(&gateway, question()).await.error.unwrap();
    assert!(error.detail.contains("Incorrect API key"), "{error:?}");
    // The key is there: it is another one that is needed.
    assert!(error.hint.contains("`carl secret set work`"), "{error:?}");
    assert!(!error.hint.contains("NAME"), "{error:?}");
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[tokio::test]
async fn where_a_key_is_needed_or_stands_the_way_to_keep_it_is_said() {
    let server = saying(ProviderType::OpenAi, &["Hello."]).await;
    let mut with_key = config(ProviderType::OpenAi, &server.url);
    with_key.providers.get_mut("test").unwrap().api_key = Some(SecretRef {
        secret: "work".into(),
    });
    let needs_key = ask(&service(with_key), question()).await.error.unwrap();
    let closed = Server::start(|_, _| Reply::status(401, &json!({"error": "who are you?"}))).await;
    let open = service(config(ProviderType::OpenAi, &closed.url));
    let unknown = ask(&open, question()).await.error.unwrap();
    assert_eq!(unknown.kind, ErrorKind::Unauthorised);
    let in_url = config(ProviderType::OpenAi, "http://u:hush@127.0.0.1:1");
    let in_url = Service::new(in_url, None, no_engine()).err().unwrap();
    let in_query = config(ProviderType::OpenAi, "http://127.0.0.1:1/v1?key=hush");
    let in_query = Service::new(in_query, None, no_engine()).err().unwrap();
    for error in [needs_key, unknown, in_url, in_query] {
        assert!(error.hint.contains("carl secret set"), "{error:?}");
        assert!(!format!("{error:?}").contains("hush"), "{error:?}");
    }
}

#[tokio::test]
async fn contradictions_in_the_configuration_are_found_at_the_start() {
    let good = config(ProviderType::OpenAi, "http://127.0.0.1:1");
    let mut cases = Vec::new();
    let mut add = |change: fn(&mut Config)| {
        let mut config = good.clone();
        change(&mut config);
        cases.push(config);
    };
    add(|config| config.default_provider = Some("nobody".into()));
    add(|config| config.fallbacks = vec![named("nobody/m")]);
    add(|config| {
        config.roles.insert(ModelRole::Fast, named("nobody/m"));
    });
    add(|config| config.providers.get_mut("test").unwrap().endpoint = None);
    add(|config| config.providers.get_mut("test").unwrap().endpoint = Some("ftp://x".into()));
    add(|config| config.providers.get_mut("test").unwrap().endpoint = Some("http://u:p@h".into()));
    add(|config| config.providers.get_mut("test").unwrap().kind = ProviderType::Embedded);
    for config in cases {
        let error = Service::new(config, None, no_engine()).err().unwrap();
        assert_eq!(error.kind, ErrorKind::NotConfigured);
        assert!(error.detail.contains("models."), "{}", error.detail);
    }
}

#[tokio::test]
async fn models_are_listed_with_their_roles() {
    let server = ollama::start(vec![Installed::new("a"), Installed::new("b")], |_, _| {
        Vec::new()
    })
    .await;
    let mut config = config(ProviderType::Ollama, &server.url);
    config.roles.insert(ModelRole::Code, named("test/b"));
    let listed = service(config).list_models().await.unwrap();
    let names: Vec<String> = listed.iter().map(|one| one.model.to_string()).collect();
    assert_eq!(names, ["test/a", "test/b"]);
    assert_eq!(listed[0].loaded, Some(true));
    assert_eq!(listed[1].roles, [ModelRole::Code]);
}

#[tokio::test]
async fn a_provider_that_is_down_hides_nothing_of_the_others() {
    let full = ollama::start(vec![Installed::new("a")], |_, _| Vec::new()).await;
    let empty = ollama::start(Vec::new(), |_, _| Vec::new()).await;
    let down = format!("http://127.0.0.1:{}", unused_port().await);
    let beside = |other: Option<&str>| {
        let mut beside = config(ProviderType::Ollama, &down);
        if let Some(url) = other {
            let other = config(ProviderType::Ollama, url).providers["test"].clone();
            beside.providers.insert("other".into(), other);
        }
        service(beside)
    };
    let both = beside(Some(&full.url));
    let listed = both.list_models().await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].model.to_string(), "other/a");
    let health = both.health().await.unwrap();
    let faults: Vec<bool> = health.iter().map(|one| one.fault.is_some()).collect();
    assert_eq!(faults, [false, true], "{health:?}");
    let nothing = beside(Some(&empty.url)).list_models().await;
    assert_eq!(nothing.unwrap(), [], "it answered, and has none");
    let error = beside(None).list_models().await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::Unreachable);
    let models = tempfile::tempdir().unwrap();
    std::fs::write(models.path().join("small.gguf"), "weights").unwrap();
    let mut engine = no_engine();
    engine.models_folder = models.path().to_owned();
    let mut only = config(ProviderType::Ollama, &down);
    only.discovery.embedded = true;
    let only = Service::new(only, None, engine).unwrap();
    let listed = only.list_models().await.unwrap();
    assert_eq!(listed[0].model.to_string(), "embedded/small");
}

#[tokio::test]
async fn the_reason_does_not_name_a_setting_that_was_not_written() {
    let server = saying(ProviderType::OpenAi, &["Hello."]).await;
    let mut config = config(ProviderType::OpenAi, &server.url);
    config.default_provider = Some("test".into());
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let answer = ask(&service(config), request).await;
    assert!(
        answer.reason.starts_with("the chosen provider;"),
        "{}",
        answer.reason
    );
}
