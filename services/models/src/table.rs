//! The word table: embeddings without a model server and without the engine.
//!
//! A text's vector is the mean of its pieces' rows in a table, as wordllama and model2vec make them:
//! it knows words and not their order, takes microseconds, and is there so that memory finds by
//! meaning on a machine where nothing runs.

mod pieces;
mod rows;

use crate::call::{Call, Facts, Listed};
use crate::choose::is_embedder;
use crate::error::{Error, ErrorKind, configuration};
use crate::opening::{Backend, Failure, Pieces as Upstream};
use async_trait::async_trait;
use pieces::Pieces;
use rows::Rows;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The table's file in its folder.
const ROWS: &str = "model.safetensors";
/// The tokenizer's file there.
const PIECES: &str = "tokenizer.json";
/// What brings a table onto a machine.
const SETUP: &str = "take embeddings from a model server (`embed` under `[models.roles]` in config.toml), or \
                     run `cargo xtask setup` in a checkout of the source";

/// A table that is open.
struct Table {
    pieces: Pieces,
    rows: Rows,
}

impl Table {
    fn open(folder: &Path) -> Result<Self, Error> {
        let broken = |what: &str| {
            configuration(
                format!(
                    "{what} of the word table in {} is unusable",
                    folder.display()
                ),
                SETUP,
            )
        };
        let json = std::fs::read(folder.join(PIECES))
            .map_err(|source| broken("the tokenizer").with_source(source))?;
        Ok(Self {
            pieces: Pieces::read(&json)
                .map_err(|source| broken("the tokenizer").with_source(source))?,
            rows: Rows::open(&folder.join(ROWS))
                .map_err(|source| broken("the table").with_source(source))?,
        })
    }

    fn embed(&self, texts: &[String]) -> std::io::Result<Vec<Vec<f32>>> {
        let one = |text: &String| self.rows.mean(&self.pieces.encode(text));
        texts.iter().map(one).collect()
    }
}

/// The tables in a folder as a provider.
pub(crate) struct TableBackend {
    name: String,
    folder: PathBuf,
    /// Those in use.
    open: Mutex<HashMap<String, Arc<Table>>>,
}

impl TableBackend {
    pub(crate) fn new(name: String, folder: PathBuf) -> Self {
        Self {
            name,
            folder,
            open: Mutex::default(),
        }
    }

    /// The names of the tables there: folders with a table and its tokenizer.
    fn installed(&self) -> Vec<Listed> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let mut listed: Vec<Listed> = entries
            .flatten()
            .filter_map(|at| listed(&at.path()))
            .collect();
        listed.sort_by(|a, b| a.model.cmp(&b.model));
        listed
    }

    fn table(&self, model: &str) -> Result<Arc<Table>, Error> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(table) = open.get(model) {
            return Ok(Arc::clone(table));
        }
        if !self.installed().iter().any(|one| one.model == model) {
            return Err(self.no_such_table(model));
        }
        let table = Arc::new(Table::open(&self.folder.join(model))?);
        open.insert(model.to_owned(), Arc::clone(&table));
        Ok(table)
    }

    fn no_such_table(&self, model: &str) -> Error {
        Error::new(
            ErrorKind::UnknownModel,
            format!("{} has no word table `{model}`", self.name),
        )
        .with_hint(SETUP)
    }

    fn no_chat(&self) -> Error {
        Error::new(
            ErrorKind::Rejected,
            format!(
                "{} has word tables, which make embeddings and do not talk",
                self.name
            ),
        )
        .with_hint("map the role to a model that talks in [models.roles]")
    }
}

/// The table that a folder holds.
fn listed(folder: &Path) -> Option<Listed> {
    let name = folder.file_name()?.to_str()?.to_owned();
    let rows = std::fs::metadata(folder.join(ROWS));
    let size = rows.map_or(None, |data| data.is_file().then_some(data.len()))?;
    (is_embedder(&name) && folder.join(PIECES).is_file()).then_some(Listed {
        model: name,
        context_tokens: None,
        size_bytes: Some(size),
        parameters: None,
        loaded: None,
    })
}

#[async_trait]
impl Backend for TableBackend {
    fn missing(&self) -> Option<Error> {
        self.installed().is_empty().then(|| {
            configuration(
                format!("there is no word table in {}", self.folder.display()),
                SETUP,
            )
        })
    }

    async fn open(&self, _call: &Call) -> Result<Upstream, Failure> {
        Err(Failure::last(self.no_chat()))
    }

    async fn list(&self, _wait: Option<Duration>) -> Result<Vec<Listed>, Error> {
        Ok(self.installed())
    }

    async fn probe(&self, wait: Duration) -> Result<Vec<Listed>, Error> {
        match self.missing() {
            Some(error) => Err(error),
            None => self.list(Some(wait)).await,
        }
    }

    async fn loaded(&self) -> Result<Option<Vec<String>>, Error> {
        Ok(None)
    }

    async fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        let table = self.table(model).map_err(Failure::last)?;
        let texts = texts.to_vec();
        let made = tokio::task::spawn_blocking(move || table.embed(&texts)).await;
        let unreadable = |source: Box<dyn std::error::Error + Send + Sync>| {
            let error = configuration(format!("the word table {model} cannot be read"), SETUP);
            Failure::last(Error {
                source: Some(source),
                ..error
            })
        };
        match made {
            Ok(Ok(vectors)) => Ok(vectors),
            Ok(Err(source)) => Err(unreadable(source.into())),
            Err(source) => Err(unreadable(source.into())),
        }
    }

    async fn facts(&self, model: &str) -> Result<Facts, Error> {
        if self.installed().iter().any(|one| one.model == model) {
            Ok(Facts::default())
        } else {
            Err(self.no_such_table(model))
        }
    }

    async fn count_tokens(&self, model: &str, text: &str) -> Result<Option<u64>, Error> {
        let table = self.table(model)?;
        Ok(Some(table.pieces.encode(text).len() as u64))
    }

    fn counts_cached(&self) -> bool {
        true
    }

    fn ignores_schema_without_thinking(&self) -> bool {
        false
    }

    fn is_told_how_much_to_think(&self) -> bool {
        false
    }

    fn endpoint(&self) -> String {
        "word tables on this machine".to_owned()
    }
}
