//! Opens model files and says plainly what is wrong with a bad one.
//!
//! llama.cpp reports most faults only to its log and then hands back nothing. The common ones are
//! therefore checked here first, and for the rest the log's last words are quoted.

use crate::log::Recorder;
use llama_cpp_2::llama_backend::LlamaBackend;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::model::params::LlamaModelParams;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

const MAGIC: &[u8; 4] = b"GGUF";
const VERSIONS: std::ops::RangeInclusive<u32> = 2..=3;

/// Why a model could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file cannot be opened or read.
    #[error("cannot read the model file {path}; check the path, put a GGUF file into the models folder, or run `cargo xtask setup`", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The file does not start like a GGUF file.
    #[error("{path} is not a GGUF model: it starts with {found:?}; give the path of a .gguf file", path = path.display())]
    NotGguf {
        /// The file.
        path: PathBuf,
        /// Its first bytes, as text.
        found: String,
    },
    /// A GGUF version that this engine does not read.
    #[error("{path} is GGUF version {version}; this engine reads versions 2 and 3", path = path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// The version it states.
        version: u32,
    },
    /// llama.cpp refused the file.
    #[error("{path} cannot be loaded: {reason}; it may be cut short or damaged: delete it and fetch it again", path = path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The last words of llama.cpp's log.
        reason: String,
    },
    /// This processor lacks instructions that the engine was built with.
    #[error(
        "this processor has no {0}, which this build of the engine needs; use a model server such as Ollama instead"
    )]
    Processor(&'static str),
    /// llama.cpp could not start.
    #[error("llama.cpp could not start: {0}")]
    Backend(String),
}

/// llama.cpp's process-wide state. It can be started only once and is never stopped.
///
/// # Errors
/// [`Error::Processor`] and [`Error::Backend`].
pub fn backend() -> Result<&'static LlamaBackend, Error> {
    static BACKEND: OnceLock<Result<LlamaBackend, String>> = OnceLock::new();
    check_processor()?;
    let started = BACKEND.get_or_init(|| LlamaBackend::init().map_err(|error| error.to_string()));
    started
        .as_ref()
        .map_err(|reason| Error::Backend(reason.clone()))
}

/// Loads a GGUF file.
///
/// # Errors
/// [`Error`], saying what is wrong with the file.
pub fn load(path: &Path, log: &Recorder) -> Result<LlamaModel, Error> {
    check_header(path)?;
    let backend = backend()?;
    log.clear();
    LlamaModel::load_from_file(backend, path, &LlamaModelParams::default()).map_err(|error| {
        let reason = log.last_words().unwrap_or_else(|| error.to_string());
        Error::Refused {
            path: path.to_owned(),
            reason,
        }
    })
}

fn check_header(path: &Path) -> Result<(), Error> {
    let unreadable = |source| Error::Unreadable {
        path: path.to_owned(),
        source,
    };
    let mut file = File::open(path).map_err(unreadable)?;
    let mut header = Vec::with_capacity(8);
    file.by_ref()
        .take(8)
        .read_to_end(&mut header)
        .map_err(unreadable)?;
    match header.split_first_chunk::<4>() {
        Some((magic, version)) if magic == MAGIC => {
            let version = version
                .first_chunk()
                .map_or(0, |bytes| u32::from_le_bytes(*bytes));
            if VERSIONS.contains(&version) {
                Ok(())
            } else {
                Err(Error::Version {
                    path: path.to_owned(),
                    version,
                })
            }
        }
        _ => {
            let found = String::from_utf8_lossy(&header).into_owned();
            Err(Error::NotGguf {
                path: path.to_owned(),
                found,
            })
        }
    }
}

/// The engine is built for AVX2 on x86 and would die on its first illegal instruction without it.
#[cfg(target_arch = "x86_64")]
fn check_processor() -> Result<(), Error> {
    let needed = [
        ("AVX2", std::is_x86_feature_detected!("avx2")),
        ("FMA", std::is_x86_feature_detected!("fma")),
        ("F16C", std::is_x86_feature_detected!("f16c")),
        ("BMI2", std::is_x86_feature_detected!("bmi2")),
    ];
    match needed.iter().find(|(_, present)| !present) {
        Some((name, _)) => Err(Error::Processor(name)),
        None => Ok(()),
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn check_processor() -> Result<(), Error> {
    Ok(())
}
