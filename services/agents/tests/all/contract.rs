//! The service keeps the promises of its contract.

use crate::support;
use api::Streaming;
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ModelInfo, Models, ProviderHealth,
};
use async_trait::async_trait;
use contracts::{FakeAudit, FakeBus, FakeModels, Reply, sessions_suite};
use domain::Timestamp;
use domain::model::ModelChoice;
use std::sync::Arc;

/// A model that never ends its answer to `Run on` and answers everything else.
struct Obliging(FakeModels);

#[async_trait]
impl Models for Obliging {
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        let asked = request
            .messages
            .last()
            .map(|message| message.text().to_owned());
        let reply = if asked.is_some_and(|text| text.ends_with("Run on")) {
            Reply::says("On").hang()
        } else {
            Reply::says("Done.")
        };
        FakeModels::new([reply]).chat(request).await
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        self.0.embed(request).await
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        self.0.list_models().await
    }

    async fn count_tokens(&self, model: ModelChoice, text: String) -> Result<u64, Error> {
        self.0.count_tokens(model, text).await
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        self.0.health().await
    }
}

#[tokio::test]
async fn sessions() {
    let folder = tempfile::tempdir().unwrap();
    let count = std::sync::atomic::AtomicU32::new(0);
    let subject = async || {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let broker = Arc::new(support::broker());
        let service = agents::Service::new(
            agents::Config::new(folder.path().join(number.to_string())),
            Arc::new(Obliging(FakeModels::new([]))),
            broker.clone(),
            broker,
            Arc::new(FakeAudit::new()),
            Arc::new(FakeBus::new()),
            Arc::new(agents::AgentTools::new(Arc::new(Timestamp::now))),
        );
        sessions_suite::Subject {
            sessions: Arc::new(service.unwrap()),
            profile: support::profile(folder.path()),
            ends: "Say something".to_owned(),
            runs_on: "Run on".to_owned(),
        }
    };
    sessions_suite::conformance(subject).await;
    sessions_suite::lasting(subject).await;
    sessions_suite::queue(subject).await;
    sessions_suite::signals(subject).await;
}
