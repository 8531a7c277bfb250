//! Whose turn it is at a busy server: few swaps, the user first, nobody for ever, and a reason for
//! whoever waits.

use crate::support;
use crate::support::dialect::{begun, beside, reply};
use crate::support::server::{Part, Reply, Server};
use crate::support::{Answer, ask, config, question, service};
use api::models::{ChatChunk, ChatRequest, EmbedPurpose, EmbedRequest, ErrorKind, Models};
use domain::model::{ModelChoice, ModelRef, Priority};
use futures::future::join_all;
use futures::{FutureExt, StreamExt};
use models::{ProviderType, Service};
use serde_json::json;
use std::sync::Mutex;
use std::time::Duration;

/// The model whose answer never ends, so that everything else has to wait.
const ENDLESS: &str = "endless:1b";

/// A server with room for one model, which says what it has in memory.
async fn one_card() -> Server {
    let kind = ProviderType::Ollama;
    let loaded = Mutex::new(String::new());
    Server::start(move |request, _| {
        let wanted = request.body["model"].as_str().unwrap_or_default();
        match request.path.as_str() {
            "/api/chat" => {
                wanted.clone_into(&mut loaded.lock().unwrap());
                match wanted {
                    ENDLESS => begun(kind, "on and on", vec![Part::Hang]),
                    "broken:1b" => Reply::status(500, &json!({"error": "it does not fit"})),
                    _ => reply(kind, "answered"),
                }
            }
            "/api/embed" => Reply::json(&json!({"embeddings": [[1.0, 0.0]]})),
            "/api/ps" => Reply::json(&json!({"models": [{"model": *loaded.lock().unwrap()}]})),
            _ => beside(kind, request).unwrap_or_else(|| Reply::status(404, &json!({}))),
        }
    })
    .await
}

fn one_at_a_time(server: &Server) -> Service {
    let mut config = config(ProviderType::Ollama, &server.url);
    config.limits.tries = 1;
    config.providers.get_mut("test").unwrap().max_parallel = Some(1);
    service(config)
}

fn asking(model: &str, priority: Priority) -> ChatRequest {
    let mut request = question();
    request.model = ModelChoice::Exact(ModelRef {
        provider: "test".into(),
        model: model.to_owned(),
    });
    request.priority = priority;
    request
}

/// What the server was asked for, in order, without the answer that never ends.
fn asked(server: &Server) -> Vec<String> {
    let wanted = |path| {
        let requests = server.to(path).into_iter();
        requests.map(|request| request.body["model"].as_str().unwrap().to_owned())
    };
    wanted("/api/chat")
        .filter(|model| model != ENDLESS)
        .collect()
}

/// Sends requests, in this order, while the server is held up; then lets it go on.
async fn while_held(service: &Service, requests: Vec<ChatRequest>) -> Vec<Answer> {
    let held = service.chat(asking(ENDLESS, Priority::User)).await.unwrap();
    let mut answers = Box::pin(join_all(
        requests.into_iter().map(|request| ask(service, request)),
    ));
    assert!((&mut answers).now_or_never().is_none(), "all of them wait");
    drop(held);
    answers.await
}

#[tokio::test]
async fn requests_for_one_model_go_together() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let models = ["writer:7b", "coder:14b", "judge:7b"];
    let requests = (0..60).map(|nth| asking(models[nth * 7 % 3], Priority::Agent));
    let answers = while_held(&service, requests.collect()).await;
    assert!(answers.iter().all(|answer| answer.text == "answered"));
    let asked = asked(&server);
    assert_eq!(asked.len(), 60);
    let swaps = asked.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!(swaps <= 6, "{swaps} swaps: {asked:?}");
    let first_judge = asked.iter().position(|model| model == "judge:7b");
    assert!(first_judge < Some(40), "{first_judge:?}: {asked:?}");
}

#[tokio::test]
async fn the_user_comes_first_and_nobody_waits_for_ever() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let mut requests = vec![
        asking("background:1b", Priority::Background),
        asking("agent:1b", Priority::Agent),
    ];
    requests.extend((0..20).map(|_| asking("user:1b", Priority::User)));
    let answers = while_held(&service, requests).await;
    assert!(answers.iter().all(|answer| answer.text == "answered"));
    let asked = asked(&server);
    let at = |model: &str| asked.iter().position(|one| one == model).unwrap();
    assert_eq!(at("user:1b"), 0);
    assert!(at("background:1b") < 10 && at("agent:1b") < 11, "{asked:?}");
}

#[tokio::test]
async fn embeddings_in_bulk_let_a_question_pass() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let held = service.chat(asking(ENDLESS, Priority::User)).await.unwrap();
    let embed = |purpose| {
        service.embed(EmbedRequest {
            model: asking("nomic-embed-text", Priority::User).model,
            purpose,
            texts: vec!["text".to_owned()],
        })
    };
    let mut all = Box::pin(join_all([
        embed(EmbedPurpose::Document),
        embed(EmbedPurpose::Query),
    ]));
    assert!((&mut all).now_or_never().is_none());
    drop(held);
    assert!(all.await.iter().all(Result::is_ok));
    let inputs = server.to("/api/embed").into_iter();
    let inputs: Vec<String> = inputs.map(|one| one.body["input"][0].to_string()).collect();
    assert!(inputs[0].contains("search_query"), "{inputs:?}");
}

#[tokio::test]
async fn whoever_waits_is_told_why_and_then_answered() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let held = service.chat(asking(ENDLESS, Priority::User)).await.unwrap();
    let waits = asking("writer:7b", Priority::User);
    let mut stream = service.chat(waits).await.unwrap();
    let Some(Ok(ChatChunk::Notice(why))) = stream.next().await else {
        panic!("no reason to wait");
    };
    assert_eq!(why.code, "models.waiting");
    assert!(why.message.contains("writer:7b"), "{}", why.message);
    assert_eq!(asked(&server).len(), 0, "nothing is sent before its turn");
    drop(held);
    let rest: Vec<_> = stream.map(Result::unwrap).collect().await;
    assert!(matches!(rest[0], ChatChunk::Started { .. }), "{rest:?}");
    assert!(rest.contains(&ChatChunk::Text("answered".into())));
}

#[tokio::test]
async fn whoever_waits_for_background_work_is_told_of_no_other_request() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let held = service.chat(asking(ENDLESS, Priority::Background)).await;
    let held = held.unwrap();
    let waits = asking("writer:7b", Priority::User);
    let mut stream = service.chat(waits).await.unwrap();
    let Some(Ok(ChatChunk::Notice(why))) = stream.next().await else {
        panic!("no reason to wait");
    };
    let told = &why.message;
    assert!(
        told.contains("at work for memory, in the background"),
        "{told}"
    );
    assert!(!told.contains("before this request"), "{told}");
    drop(held);
}

#[tokio::test]
async fn an_answer_given_up_while_it_waits_or_streams_frees_its_place() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let held = service.chat(asking(ENDLESS, Priority::User)).await.unwrap();
    let told = service
        .chat(asking("writer:7b", Priority::User))
        .await
        .unwrap();
    let mut silent = Box::pin(service.chat(asking("judge:7b", Priority::User)));
    assert!((&mut silent).now_or_never().is_none());
    drop((told, silent));
    drop(held);
    let answer = ask(&service, asking("coder:14b", Priority::Background)).await;
    assert_eq!(answer.text, "answered", "{:?}", answer.error);
    assert_eq!(asked(&server), ["coder:14b"]);
}

#[tokio::test]
async fn a_model_that_does_not_load_holds_up_nobody() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let requests = (0..12).map(|nth| {
        let model = ["broken:1b", "writer:7b"][nth % 2];
        asking(model, Priority::Agent)
    });
    let answers = while_held(&service, requests.collect()).await;
    for (nth, answer) in answers.iter().enumerate() {
        match nth % 2 {
            0 => assert_eq!(answer.kind(), Some(ErrorKind::Server)),
            _ => assert_eq!(answer.text, "answered", "{:?}", answer.error),
        }
    }
}

#[tokio::test]
async fn the_time_a_caller_gives_holds_while_it_waits() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    let _held = service.chat(asking(ENDLESS, Priority::User)).await.unwrap();
    let mut hurried = asking("writer:7b", Priority::User);
    hurried.deadline = Some(Duration::from_millis(20));
    assert_eq!(
        ask(&service, hurried).await.kind(),
        Some(ErrorKind::Timeout)
    );
    assert_eq!(asked(&server).len(), 0);
}

#[tokio::test]
async fn a_server_is_asked_what_it_has_in_memory_once_it_answers() {
    let server = one_card().await;
    let service = one_at_a_time(&server);
    ask(&service, asking("writer:7b", Priority::User)).await;
    ask(&service, asking("writer:7b", Priority::User)).await;
    ask(&service, asking("coder:14b", Priority::User)).await;
    let looks = server.to("/api/ps").len();
    assert!((1..=2).contains(&looks), "{looks} looks for two loads");
}

#[test]
fn a_number_of_requests_that_makes_no_sense_is_refused() {
    for wrong in [0, usize::MAX] {
        let mut config = config(ProviderType::Ollama, "http://127.0.0.1:9");
        config.providers.get_mut("test").unwrap().max_parallel = Some(wrong);
        let error = Service::new(config, None, support::no_engine()).err();
        let error = error.expect("refused");
        assert_eq!(error.kind, ErrorKind::NotConfigured);
        assert!(error.detail.contains("max_parallel"), "{}", error.detail);
    }
}
