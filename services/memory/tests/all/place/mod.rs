//! A memory folder of its own, opened and closed at will.
#![allow(dead_code, reason = "not every test uses all of it")]

use api::memory::{
    Curator as _, Detail, Error, ListRequest, Memory as _, QueryEvent, QueryRequest, Recall, Scope,
    Source, Stored, WriteAnswer, WriteEntry, WriteRequest,
};
use contracts::{FakeAudit, FakeModels, within};
use domain::Timestamp;
use domain::id::MemoryId;
use domain::label::Label;
use domain::rights::Namespace;
use futures::StreamExt as _;
use memory::{Config, Service};
use std::path::Path;
use std::sync::Arc;

/// Opens the memory of a folder; no model is there.
pub async fn open(folder: &Path, audit: &Arc<FakeAudit>) -> Result<Service, Error> {
    Service::open(
        folder,
        &Config::default(),
        audit.clone(),
        Arc::new(FakeModels::new(Vec::new())),
        Arc::new(Timestamp::now),
    )
    .await
}

/// The same where nobody looks at the record.
pub async fn opened(folder: &Path) -> Service {
    open(folder, &Arc::new(FakeAudit::new())).await.unwrap()
}

/// Waits until the store is closed: work in the background may hold it for a moment.
pub async fn close(service: Service, folder: &Path) {
    drop(service);
    let lock = std::fs::File::open(folder.join("lock")).unwrap();
    within("the store is closed", async {
        while lock.try_lock().is_err() {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

/// A request to keep a memory.
pub fn memory(name: &str, corpus: &str) -> WriteRequest {
    WriteRequest {
        context: None,
        namespace: Namespace::user(),
        entry: WriteEntry::Memory {
            name: name.to_owned(),
            description: String::new(),
            tags: Vec::new(),
            correlating_ids: Vec::new(),
            corpus: corpus.to_owned(),
        },
        source: Source::User,
        label: Label::trusted("user"),
        valid_from: None,
        supersedes: None,
    }
}

/// Keeps it.
pub async fn keep(service: &Service, request: WriteRequest) -> MemoryId {
    match within("a write", service.write(request)).await.unwrap() {
        WriteAnswer::Stored { id } => id,
        other => panic!("not kept: {other:?}"),
    }
}

/// What answers a question.
pub async fn ask(service: &Service, text: &str) -> Result<Vec<Recall>, Error> {
    let request = QueryRequest {
        context: None,
        text: text.to_owned(),
        scope: Scope::All,
        limit: 10,
        detail: Detail::Segment,
        at_least: 0.0,
    };
    let mut events = within("a query", service.query(request)).await?;
    let mut results = Vec::new();
    while let Some(event) = within("a stage", events.next()).await {
        if let QueryEvent::Results(recalls) = event? {
            results = recalls;
        }
    }
    Ok(results)
}

/// Everything that is kept.
pub async fn everything(service: &Service) -> Vec<Stored> {
    let request = ListRequest {
        scope: Scope::All,
        kind: None,
    };
    let entries = service.list(request).await.unwrap();
    entries.map(|entry| entry.unwrap()).collect().await
}
