//! A memory in a folder of its own, with a model that makes vectors of words.
#![allow(dead_code, reason = "not every test uses all of it")]

use api::Streaming;
use api::memory::{
    Curator as _, Detail, IndexState, Memory as _, QueryEvent, QueryRequest, Recall, Scope, Source,
    Stage, WriteAnswer, WriteEntry, WriteRequest,
};
use api::models::{
    ChatChunk, ChatRequest, EmbedRequest, Embeddings, Error, ErrorKind, ModelInfo, Models,
    ProviderHealth,
};
use async_trait::async_trait;
use contracts::FakeAudit;
use domain::Timestamp;
use domain::id::MemoryId;
use domain::label::Label;
use domain::model::{ModelChoice, ModelRef};
use domain::rights::Namespace;
use futures::StreamExt as _;
use memory::{Config, Service};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tempfile::TempDir;

/// Numbers of a vector.
const DIMENSIONS: usize = 96;
/// Words that mean the same to the model and not to an index of words.
const SAME: [(&str, &str); 3] = [
    ("automobile", "car"),
    ("physician", "doctor"),
    ("purchase", "buy"),
];

/// Makes a vector of a text's words: each word a direction, words that mean the same the same one.
#[derive(Default)]
pub struct Words {
    /// What the model is called; `None`: there is none.
    pub name: Mutex<Option<&'static str>>,
    /// How often it was asked for vectors.
    pub asked: AtomicUsize,
    /// A word that it refuses every text for, with all that are asked for together.
    pub refused: Mutex<Option<&'static str>>,
}

impl Words {
    pub fn named(name: &'static str) -> Arc<Self> {
        Arc::new(Self {
            name: Mutex::new(Some(name)),
            asked: AtomicUsize::new(0),
            refused: Mutex::default(),
        })
    }

    fn vector(name: &str, text: &str) -> Vec<f32> {
        let mut vector = vec![0.001; DIMENSIONS];
        for word in text.split(|c: char| !c.is_alphanumeric()) {
            let word = word.to_lowercase();
            let same = SAME.iter().find(|(one, _)| *one == word);
            let word = same.map_or(word.as_str(), |(_, other)| other);
            let hash = word.bytes().fold(name.len(), |hash, byte| {
                hash.wrapping_mul(31).wrapping_add(usize::from(byte))
            });
            vector[hash % DIMENSIONS] += 1.0;
        }
        vector
    }
}

#[async_trait]
impl Models for Words {
    async fn chat(&self, _: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        Err(Error::new(ErrorKind::NotConfigured, "nothing chats here"))
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let Some(name) = *self.name.lock().unwrap() else {
            return Err(Error::new(ErrorKind::NotConfigured, "nothing embeds here"));
        };
        let refused = *self.refused.lock().unwrap();
        if refused.is_some_and(|word| request.texts.iter().any(|text| text.contains(word))) {
            return Err(Error::new(
                ErrorKind::Server,
                "input is too large to process",
            ));
        }
        Ok(Embeddings {
            model: ModelRef {
                provider: "made".to_owned(),
                model: name.to_owned(),
            },
            vectors: request
                .texts
                .iter()
                .map(|text| Self::vector(name, text))
                .collect(),
        })
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        Ok(Vec::new())
    }

    async fn count_tokens(&self, _: ModelChoice, text: String) -> Result<u64, Error> {
        Ok(text.len() as u64 / 4)
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        Ok(Vec::new())
    }
}

/// A memory that can be closed and opened again.
pub struct Kept {
    folder: TempDir,
    models: Arc<Words>,
    service: Option<Service>,
}

impl Kept {
    pub async fn new() -> Self {
        Self::with(Words::named("words")).await
    }

    pub async fn with(models: Arc<Words>) -> Self {
        let mut kept = Self {
            folder: tempfile::tempdir().unwrap(),
            models,
            service: None,
        };
        kept.open().await;
        kept
    }

    pub fn folder(&self) -> PathBuf {
        self.folder.path().join("memory")
    }

    pub fn service(&self) -> &Service {
        self.service.as_ref().unwrap()
    }

    pub fn models(&self) -> &Words {
        &self.models
    }

    /// Closes it and waits until nothing has its files open.
    pub async fn close(&mut self) {
        self.service = None;
        let lock = std::fs::File::open(self.folder().join("lock")).unwrap();
        let unlocked = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock.unlock()));
        unlocked.await.unwrap().unwrap().unwrap();
    }

    pub async fn open(&mut self) {
        let (folder, config) = (self.folder(), Config::default());
        let audit = Arc::new(FakeAudit::new());
        let models = Arc::clone(&self.models) as Arc<dyn Models>;
        let service = Service::open(&folder, &config, audit, models, Arc::new(Timestamp::now));
        self.service = Some(service.await.unwrap());
    }

    pub async fn write(&self, text: &str) -> MemoryId {
        stored(self.service(), request("user", text)).await
    }

    pub async fn ask(&self, text: &str) -> (Vec<Stage>, Vec<Recall>) {
        ask(self.service(), question(text)).await
    }

    /// The ids of what answers, best first.
    pub async fn ids(&self, text: &str) -> Vec<MemoryId> {
        let (_, recalls) = self.ask(text).await;
        recalls.into_iter().map(|recall| recall.id).collect()
    }

    /// How far an index is.
    pub async fn index(&self, name: &str) -> IndexState {
        let stats = self.service().stats().await.unwrap();
        let found = stats.indexes.into_iter().find(|index| index.name == name);
        found.unwrap()
    }

    /// Waits until every index holds everything.
    pub async fn settled(&self) {
        loop {
            let stats = self.service().stats().await.unwrap();
            let is_in = |index: &IndexState| index.entries == index.of;
            if stats.indexes.iter().all(is_in) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }
}

pub fn request(namespace: &str, text: &str) -> WriteRequest {
    WriteRequest {
        context: None,
        namespace: Namespace::new(namespace).unwrap(),
        entry: WriteEntry::Memory {
            name: "note".to_owned(),
            description: String::new(),
            tags: Vec::new(),
            correlating_ids: Vec::new(),
            corpus: text.to_owned(),
        },
        source: Source::User,
        label: Label::trusted("user"),
        valid_from: None,
        supersedes: None,
    }
}

pub async fn stored(service: &Service, request: WriteRequest) -> MemoryId {
    match service.write(request).await.unwrap() {
        WriteAnswer::Stored { id } => id,
        other => panic!("not kept: {other:?}"),
    }
}

pub fn question(text: &str) -> QueryRequest {
    QueryRequest {
        context: None,
        text: text.to_owned(),
        scope: Scope::All,
        limit: 10,
        detail: Detail::Segment,
        at_least: 0.0,
    }
}

pub async fn ask(service: &Service, request: QueryRequest) -> (Vec<Stage>, Vec<Recall>) {
    let mut events = service.query(request).await.unwrap();
    let (mut stages, mut results) = (Vec::new(), None);
    while let Some(event) = events.next().await {
        match event.unwrap() {
            QueryEvent::Stage(stage) => stages.push(stage),
            QueryEvent::Results(recalls) => results = Some(recalls),
        }
    }
    (stages, results.unwrap())
}

/// Every file beneath a folder.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}
