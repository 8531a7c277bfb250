//! Models that a configuration names and a server does not have.

use crate::support::ollama::{self, Installed, done, said};
use crate::support::{ask, config, gateway, question, role, service};
use api::models::{EmbedPurpose, EmbedRequest, ErrorKind, Models};
use domain::model::{ModelRef, ModelRole};
use models::ProviderType;

fn named(text: &str) -> ModelRef {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_missing_model_of_a_role_is_replaced_and_said_once() {
    let server = ollama::start(
        vec![
            Installed::new("llama3.2:3b"),
            Installed::new("nomic-embed-text:latest"),
        ],
        |_, _| vec![said("Hello."), done(20, 5)],
    )
    .await;
    let mut config = config(ProviderType::Ollama, &server.url);
    config
        .roles
        .insert(ModelRole::Fast, named("test/qwen2.5:7b-instruct"));
    config.roles.insert(ModelRole::Embed, named("test/bge-m3"));
    let service = service(config);
    let mut request = question();
    request.model = role(ModelRole::Fast);
    let answer = ask(&service, request.clone()).await;
    assert_eq!(answer.model, "test/llama3.2:3b", "{:?}", answer.error);
    assert_eq!(answer.codes(), ["models.missing_model"]);
    assert!(ask(&service, request).await.codes().is_empty(), "said once");
    let embeddings = service
        .embed(EmbedRequest {
            model: role(ModelRole::Embed),
            purpose: EmbedPurpose::Query,
            texts: vec!["ab".into()],
        })
        .await
        .unwrap();
    assert_eq!(embeddings.model, named("test/nomic-embed-text:latest"));
    assert_eq!(
        embeddings.vectors,
        [vec![16.0, 1.0]],
        "with the prefix for a query"
    );
}

#[tokio::test]
async fn a_missing_model_that_was_named_is_an_error() {
    let server = ollama::start(vec![Installed::new("llama3.2:3b")], |_, _| Vec::new()).await;
    let answer = ask(&gateway(ProviderType::Ollama, &server.url), question()).await;
    assert_eq!(answer.kind(), Some(ErrorKind::UnknownModel));
    assert!(server.to("/api/chat").is_empty());
}

#[tokio::test]
async fn a_missing_judge_is_replaced_by_no_other_model() {
    let server = ollama::start(vec![Installed::new("llama3.2:3b")], |_, _| Vec::new()).await;
    let mut config = config(ProviderType::Ollama, &server.url);
    let judge = named("test/qwen2.5:7b-instruct");
    config.roles.insert(ModelRole::Judge, judge);
    let mut request = question();
    request.model = role(ModelRole::Judge);
    let answer = ask(&service(config), request).await;
    assert_eq!(answer.kind(), Some(ErrorKind::UnknownModel));
    assert!(server.to("/api/chat").is_empty());
}
