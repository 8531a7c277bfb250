//! Where the engine's program, its models and its socket are.

use crate::call::Listed;
use crate::choose::is_embedder;
use crate::error::{Error, ErrorKind, configuration};
use api::models::Models;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The program's file name.
const PROGRAM: &str = "carl-engine";
/// What brings a model onto a machine, with the program alone or with its source.
const SETUP: &str = "start a model server such as Ollama (https://ollama.com), or name one of yours \
                     in config.toml (`carl init` writes that file, with \
                     examples); in a checkout of the source `cargo xtask setup` brings a small model";
/// Longest path of a unix socket that Linux takes, bytes.
const SOCKET_PATH_BYTES: usize = 107;

/// How to start the embedded engine.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// The program. `None`: beside the running one, or in `../libexec`.
    pub program: Option<PathBuf>,
    /// Where models are: `*.gguf` files, and one folder for each embedding model.
    pub models_folder: PathBuf,
    /// A folder of the user's own for the socket. Made, with access for the user only, if missing.
    pub socket_folder: PathBuf,
    /// How long the engine stays without work.
    pub idle_exit: Duration,
    /// Reaches an engine at its socket.
    pub connect: fn(&Path) -> Arc<dyn Models>,
}

impl EngineSettings {
    /// The program to start.
    ///
    /// # Errors
    /// `NotConfigured`, saying where it was looked for and what to type.
    pub(crate) fn find_program(&self) -> Result<PathBuf, Error> {
        let mut places = Vec::new();
        if let Some(program) = &self.program {
            places.push(program.clone());
        } else if let Ok(own) = std::env::current_exe()
            && let Some(folder) = own.parent()
        {
            places.push(folder.join(PROGRAM));
            places.push(folder.join("../libexec").join(PROGRAM));
            places.push(folder.join("../libexec/housecarl").join(PROGRAM));
        }
        if let Some(found) = places.iter().find(|place| place.is_file()) {
            return Ok(found.clone());
        }
        let looked: Vec<String> = places
            .iter()
            .map(|place| place.display().to_string())
            .collect();
        Err(configuration(
            format!(
                "the embedded engine is not installed (looked for {})",
                looked.join(", ")
            ),
            SETUP,
        ))
    }

    /// The models there, largest first; embedding models are folders.
    ///
    /// # Errors
    /// `NotConfigured` when there is none.
    pub(crate) fn installed(&self) -> Result<Vec<Listed>, Error> {
        let mut listed = Vec::new();
        let entries = std::fs::read_dir(&self.models_folder)
            .map_err(|source| self.no_weights().with_source(source))?;
        for entry in entries.flatten() {
            let path = entry.path();
            let Some(name) = model_name(&path) else {
                continue;
            };
            listed.push(Listed {
                model: name,
                context_tokens: None,
                size_bytes: std::fs::metadata(&path)
                    .map_or(None, |data| data.is_file().then_some(data.len())),
                parameters: None,
                loaded: None,
            });
        }
        if listed.is_empty() {
            return Err(self.no_weights());
        }
        listed.sort_by(|a, b| b.size_bytes.cmp(&a.size_bytes).then(a.model.cmp(&b.model)));
        Ok(listed)
    }

    fn no_weights(&self) -> Error {
        configuration(
            format!(
                "there are no models for the embedded engine in {}",
                self.models_folder.display()
            ),
            SETUP,
        )
    }

    pub(crate) fn no_such_model(&self, model: &str, installed: &[Listed]) -> Error {
        let names: Vec<&str> = installed.iter().map(|one| one.model.as_str()).collect();
        Error::new(
            ErrorKind::UnknownModel,
            format!(
                "the embedded engine has no model `{model}`; it has {}",
                names.join(", ")
            ),
        )
        .with_hint("`carl models` lists what is installed")
    }

    /// The weights of a model.
    ///
    /// # Errors
    /// `UnknownModel`.
    pub(crate) fn weights(&self, model: &str) -> Result<PathBuf, Error> {
        let installed = self.installed()?;
        let is_there = installed.iter().any(|one| one.model == model);
        let path = self.models_folder.join(format!("{model}.gguf"));
        if is_there && path.is_file() {
            Ok(path)
        } else {
            Err(self.no_such_model(model, &installed))
        }
    }

    /// The largest model that is not for embeddings, to load beside an embedding model.
    pub(crate) fn any_weights(&self) -> Result<String, Error> {
        self.installed()?
            .into_iter()
            .find(|one| one.size_bytes.is_some() && !is_embedder(&one.model))
            .map(|one| one.model)
            .ok_or_else(|| self.no_weights())
    }

    /// The folder of the embedding model, if there is one.
    pub(crate) fn embedding_folder(&self) -> Option<PathBuf> {
        let entries = std::fs::read_dir(&self.models_folder);
        let mut folders: Vec<PathBuf> = entries
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| is_embedding_folder(path))
            .collect();
        folders.sort();
        folders.into_iter().next()
    }

    /// Where this process's engine listens. The folder is made for the user only.
    ///
    /// # Errors
    /// `NotConfigured` when it cannot be made or its path is too long for a socket.
    pub(crate) fn socket(&self) -> Result<PathBuf, Error> {
        let path = self
            .socket_folder
            .join(format!("engine-{}.sock", std::process::id()));
        if path.as_os_str().len() > SOCKET_PATH_BYTES {
            return Err(configuration(
                format!("{} is too long for a socket", path.display()),
                "set XDG_RUNTIME_DIR to a shorter path",
            ));
        }
        disk::private::folder(&self.socket_folder).map_err(|source| {
            configuration(
                format!(
                    "{} cannot be made for the engine's socket",
                    self.socket_folder.display()
                ),
                "",
            )
            .with_source(source)
        })?;
        Ok(path)
    }
}

/// The name of the model that a path in the folder holds.
fn model_name(path: &Path) -> Option<String> {
    if path
        .extension()
        .is_some_and(|extension| extension == "gguf")
        && path.is_file()
    {
        return path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
    }
    if is_embedding_folder(path) {
        return path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
    }
    None
}

/// An embedding model is a folder with its configuration and its tensors.
fn is_embedding_folder(path: &Path) -> bool {
    path.join("config.json").is_file() && path.join("model.safetensors").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;
    use contracts::FakeModels;

    fn settings(folder: &Path) -> EngineSettings {
        EngineSettings {
            program: Some(folder.join("carl-engine")),
            models_folder: folder.join("models"),
            socket_folder: folder.join("run"),
            idle_exit: Duration::from_secs(1),
            connect: |_| Arc::new(FakeModels::default()),
        }
    }

    #[test]
    fn a_missing_engine_or_model_says_what_to_type() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings(folder.path());
        for error in [
            settings.find_program().unwrap_err(),
            settings.installed().unwrap_err(),
        ] {
            assert_eq!(error.kind, ErrorKind::NotConfigured);
            assert!(error.hint.contains("cargo xtask setup"), "{}", error.hint);
        }
    }

    #[test]
    fn models_are_files_and_embedding_models_are_folders() {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("models");
        std::fs::create_dir_all(models.join("minilm")).unwrap();
        std::fs::write(models.join("minilm/config.json"), "{}").unwrap();
        std::fs::write(models.join("minilm/model.safetensors"), "x").unwrap();
        std::fs::write(models.join("small.gguf"), "12").unwrap();
        std::fs::write(models.join("notes.txt"), "").unwrap();
        let settings = settings(folder.path());
        let names: Vec<String> = settings
            .installed()
            .unwrap()
            .into_iter()
            .map(|one| one.model)
            .collect();
        assert_eq!(names, ["small", "minilm"]);
        assert!(settings.weights("small").is_ok());
        assert_eq!(
            settings.weights("large").unwrap_err().kind,
            ErrorKind::UnknownModel
        );
        assert_eq!(
            settings.weights("../small").unwrap_err().kind,
            ErrorKind::UnknownModel
        );
        assert_eq!(settings.embedding_folder(), Some(models.join("minilm")));
    }
}
