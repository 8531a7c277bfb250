//! A server that tells how far it is with the prompt.

use crate::support::dialect::{chat_path, content_type, reply};
use crate::support::server::{Part, Reply, Server};
use crate::support::{ask, config, question, service};
use api::models::Models;
use models::ProviderType;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_prompt_being_read_may_be_silent_as_long_as_a_first_byte() {
    let read = |tokens: u64| {
        let chunk = json!({
            "choices": [{"index": 0, "delta": {"role": "assistant", "content": null}}],
            "prompt_progress": {"total": 900, "cache": 0, "processed": tokens, "time_ms": 1},
        });
        Part::Bytes(format!("data: {chunk}\n\n").into_bytes())
    };
    let kind = ProviderType::OpenAi;
    let server = Server::start(move |request, _| {
        if request.path == "/props" {
            return Reply::json(&json!({"default_generation_settings": {"n_ctx": 4_096}}));
        }
        if request.path != chat_path(kind) {
            return Reply::status(404, &json!({}));
        }
        let mut parts = vec![read(300), Part::Wait(Duration::from_millis(500)), read(900)];
        parts.extend(reply(kind, "Hello.").parts);
        Reply::parts(content_type(kind), parts)
    })
    .await;
    let mut config = config(kind, &server.url);
    config.limits.first_byte_ms = Some(20_000);
    config.limits.stall_ms = Some(50);
    let service = service(config);
    let unasked = ask(&service, question()).await;
    assert_eq!(unasked.text, "Hello.", "{:?}", unasked.error);
    service.describe(question().model).await.unwrap();
    let answer = ask(&service, question()).await;
    assert_eq!(answer.text, "Hello.", "{:?}", answer.error);
    assert_eq!(answer.read.first(), Some(&300));
    let asked = server.to(chat_path(kind));
    let asked: Vec<_> = asked
        .iter()
        .map(|one| one.body.get("return_progress").cloned())
        .collect();
    assert_eq!(asked, [None, Some(json!(true))]);
}
