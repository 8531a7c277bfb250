//! The embedding model, with what it said kept on disk: a second run embeds nothing anew.

use anyhow::{Context as _, Result, ensure};
use api::Streaming;
use api::models::{
    ChatChunk, ChatRequest, EmbedPurpose, EmbedRequest, Embeddings, Error, ModelInfo, Models,
    ProviderHealth,
};
use async_trait::async_trait;
use domain::model::{ModelChoice, ModelRef, ModelRole};
use models::{EngineSettings, ProviderConfig, ProviderType, Service};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a kept vector is found by: a digest of purpose and text.
type Key = [u8; 32];

/// The gateway, with embeddings kept in a file named after the model.
pub struct Kept {
    gateway: Arc<dyn Models>,
    model: ModelRef,
    dimensions: usize,
    known: Mutex<Known>,
}

struct Known {
    vectors: HashMap<Key, Vec<f32>>,
    file: File,
}

/// The gateway to the embedded engine: its program, and the folder of its models.
///
/// # Errors
/// When the gateway cannot be built.
pub fn engine(program: PathBuf, models_folder: PathBuf, socket_folder: PathBuf) -> Result<Service> {
    let mut config = models::Config::default();
    config.discovery.enabled = false;
    let provider = ProviderConfig::new(ProviderType::Embedded, None);
    config.providers.insert("embedded".into(), provider);
    let settings = EngineSettings {
        program: Some(program),
        models_folder,
        socket_folder,
        idle_exit: Duration::from_secs(300),
        connect: grpc::models::at_socket,
    };
    Service::new(config, None, settings).context("the gateway cannot be built")
}

/// A gateway that has no model at all.
///
/// # Errors
/// When the gateway cannot be built.
pub fn none(folder: &Path) -> Result<Service> {
    let mut config = models::Config::default();
    config.discovery.enabled = false;
    config.discovery.embedded = false;
    let settings = EngineSettings {
        program: None,
        models_folder: folder.join("no-models"),
        socket_folder: folder.join("no-sockets"),
        idle_exit: Duration::from_secs(1),
        connect: grpc::models::at_socket,
    };
    Service::new(config, None, settings).context("the gateway cannot be built")
}

impl Kept {
    /// Asks the gateway which model it has and reads what is kept of it in a folder.
    ///
    /// # Errors
    /// When there is no model, or the folder cannot be used.
    pub async fn open(gateway: Arc<dyn Models>, folder: &Path) -> Result<Self> {
        let request = EmbedRequest {
            model: ModelChoice::Role(ModelRole::Embed),
            purpose: EmbedPurpose::Document,
            texts: vec!["Which model is this?".into()],
        };
        let answer = gateway.embed(request).await?;
        let dimensions = answer.vectors.first().map_or(0, Vec::len);
        ensure!(
            dimensions > 0,
            "the model {} gives no vectors",
            answer.model
        );
        std::fs::create_dir_all(folder)?;
        let name = answer.model.to_string().replace(['/', ':'], "-");
        let path = folder.join(format!("{name}-{dimensions}.vectors"));
        let vectors = read(&path, dimensions)?;
        let file = OpenOptions::new().append(true).create(true).open(&path)?;
        Ok(Self {
            gateway,
            model: answer.model,
            dimensions,
            known: Mutex::new(Known { vectors, file }),
        })
    }

    /// Which model it is.
    pub fn model(&self) -> &ModelRef {
        &self.model
    }

    /// The kept vectors of texts, `None` where there is none.
    fn kept(&self, keys: &[Key]) -> Vec<Option<Vec<f32>>> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        keys.iter()
            .map(|key| known.vectors.get(key).cloned())
            .collect()
    }

    fn keep(&self, key: Key, vector: &[f32]) -> std::io::Result<()> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let mut row = key.to_vec();
        row.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        known.file.write_all(&row)?;
        known.vectors.insert(key, vector.to_vec());
        Ok(())
    }
}

/// Rows of a key and a vector. A last row that was not written whole is left out.
fn read(path: &Path, dimensions: usize) -> Result<HashMap<Key, Vec<f32>>> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let row = 32 + 4 * dimensions;
    if bytes.len() % row != 0 {
        let whole = (bytes.len() / row * row) as u64;
        OpenOptions::new().write(true).open(path)?.set_len(whole)?;
    }
    let mut vectors = HashMap::new();
    for row in bytes.chunks_exact(row) {
        let (key, values) = row.split_at(32);
        let values = values.chunks_exact(4).map(|four| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(four);
            f32::from_le_bytes(bytes)
        });
        let mut digest = [0; 32];
        digest.copy_from_slice(key);
        vectors.insert(digest, values.collect());
    }
    Ok(vectors)
}

fn key(purpose: EmbedPurpose, text: &str) -> Key {
    let purpose = match purpose {
        EmbedPurpose::Query => "query",
        EmbedPurpose::Document => "document",
    };
    *blake3::hash(format!("{purpose}\n{text}").as_bytes()).as_bytes()
}

#[async_trait]
impl Models for Kept {
    async fn chat(&self, request: ChatRequest) -> Result<Streaming<ChatChunk, Error>, Error> {
        self.gateway.chat(request).await
    }

    async fn embed(&self, request: EmbedRequest) -> Result<Embeddings, Error> {
        let keys: Vec<Key> = request
            .texts
            .iter()
            .map(|text| key(request.purpose, text))
            .collect();
        let mut vectors = self.kept(&keys);
        let missing: Vec<usize> = (0..keys.len())
            .filter(|&at| vectors[at].is_none())
            .collect();
        if !missing.is_empty() {
            let texts = missing
                .iter()
                .map(|&at| request.texts[at].clone())
                .collect();
            let answer = self
                .gateway
                .embed(EmbedRequest { texts, ..request })
                .await?;
            for (&at, vector) in missing.iter().zip(answer.vectors) {
                // What cannot be kept is embedded again next time.
                let _unkept = self.keep(keys[at], &vector);
                vectors[at] = Some(vector);
            }
        }
        Ok(Embeddings {
            model: self.model.clone(),
            vectors: vectors
                .into_iter()
                .map(|vector| vector.unwrap_or_else(|| vec![0.0; self.dimensions]))
                .collect(),
        })
    }

    async fn list_models(&self) -> Result<Vec<ModelInfo>, Error> {
        self.gateway.list_models().await
    }

    async fn count_tokens(&self, model: ModelChoice, text: String) -> Result<u64, Error> {
        self.gateway.count_tokens(model, text).await
    }

    async fn health(&self) -> Result<Vec<ProviderHealth>, Error> {
        self.gateway.health().await
    }
}
