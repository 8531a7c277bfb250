//! Embeddings: a text as a vector, so that texts of like meaning lie close together.
//!
//! The model is a small BERT encoder (all-MiniLM-L6-v2: six layers, 384 numbers a text) read from
//! its safetensors file. The forward pass is some two hundred lines of our own on `ndarray`, whose
//! matrix product picks AVX and FMA at run time. A machine-learning framework for it would cost
//! minutes of build time and was slower on one thread; llama.cpp would want the weights converted.

pub mod bert;
pub mod config;
pub mod wordpiece;

use bert::Bert;
use std::io;
use std::path::{Path, PathBuf};
use wordpiece::WordPiece;

/// Most texts in one request.
pub const MAX_TEXTS: usize = 512;

/// Tokens of one text that are read, its two marks included; the model was trained on no more.
/// What comes after is left out of the vector.
pub const MAX_TOKENS: usize = 256;

/// Why an embedding model could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read {path} of the embedding model; fetch it with `cargo xtask setup`", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{path} is no usable embedding model: {reason}; delete it and fetch it again", path = path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// A loaded embedding model.
#[derive(Debug)]
pub struct Embedder {
    words: WordPiece,
    model: Bert,
    name: String,
}

impl Embedder {
    /// Loads `config.json`, `vocab.txt` and `model.safetensors` of `folder`.
    ///
    /// # Errors
    /// [`Error`], naming the file at fault.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let (vocabulary, path) = read(folder, "vocab.txt")?;
        let words = WordPiece::new(&String::from_utf8_lossy(&vocabulary)).map_err(|error| {
            Error::Unusable {
                path,
                reason: error.to_string(),
            }
        })?;
        let (shape, path) = read(folder, "config.json")?;
        let shape: config::Shape =
            serde_json::from_slice(&shape).map_err(|error| Error::Unusable {
                path,
                reason: error.to_string(),
            })?;
        let (weights, path) = read(folder, "model.safetensors")?;
        let model = Bert::new(&shape, &weights).map_err(|error| Error::Unusable {
            path,
            reason: error.to_string(),
        })?;
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok(Self { words, model, name })
    }

    /// The model's name: that of its folder.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The vector of a text, of length one.
    #[must_use]
    pub fn embed(&self, text: &str) -> Vec<f32> {
        self.model.embed(&self.words.encode(text, MAX_TOKENS))
    }

    /// How many tokens a text has for this model, its two marks included.
    #[must_use]
    pub fn count_tokens(&self, text: &str) -> usize {
        self.words.encode(text, usize::MAX).len()
    }
}

fn read(folder: &Path, name: &str) -> Result<(Vec<u8>, PathBuf), Error> {
    let path = folder.join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Ok((bytes, path)),
        Err(source) => Err(Error::Unreadable { path, source }),
    }
}
