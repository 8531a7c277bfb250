//! Servers that were found and not configured: used only where they belong to who might as well have
//! configured them.

use crate::call::{Call, Facts, Listed};
use crate::error::{Error, configuration};
use crate::opening::{Backend, Failure, Pieces};
use api::models::ErrorKind;
use async_trait::async_trait;
use listeners::{Owner, owner};
use std::io;
use std::time::Duration;

/// The account that Ollama's installer makes, and that its server runs as.
const SERVICE_ACCOUNT: &str = "ollama";
/// A server at one of the usual places, which answers only while it is one that may be used unasked.
pub(crate) struct FoundBackend {
    pub(crate) name: String,
    /// What the configuration calls its protocol.
    pub(crate) kind: &'static str,
    pub(crate) port: u16,
    pub(crate) inner: Box<dyn Backend>,
}

impl FoundBackend {
    /// Whether it may be used unasked. Looked up each time: a port that one server left is the next
    /// one's.
    fn check(&self) -> Result<(), Error> {
        self.judge(owner(self.port, SERVICE_ACCOUNT))
    }

    fn judge(&self, owner: io::Result<Owner>) -> Result<(), Error> {
        let (name, kind, endpoint) = (&self.name, self.kind, self.inner.endpoint());
        let entry = format!(
            "write in config.toml: [models.providers.{name}] type = \"{kind}\" \
             endpoint = \"{endpoint}\" (a line each)"
        );
        let port = self.port;
        let what = match owner {
            Ok(Owner::Ours) => return Ok(()),
            Ok(Owner::Nobody) => {
                return Err(Error::new(
                    ErrorKind::Unreachable,
                    format!(
                        "{name} does not answer at {endpoint}: no process of this machine listens there"
                    ),
                )
                .with_hint(format!(
                    "start the model server; where it runs in a container or beside this system, {entry}"
                )));
            }
            Ok(Owner::Stranger(who)) => format!("what listens on port {port} belongs to {who}"),
            Err(error) => format!("whose port {port} is cannot be read: {error}"),
        };
        let hint = format!("if you trust the server there, {entry}");
        Err(configuration(what, hint))
    }
}

#[async_trait]
impl Backend for FoundBackend {
    fn missing(&self) -> Option<Error> {
        let unused = || match owner(self.port, SERVICE_ACCOUNT) {
            Ok(Owner::Nobody) => None,
            owner => self.judge(owner).err(),
        };
        self.inner.missing().or_else(unused)
    }

    async fn open(&self, call: &Call) -> Result<Pieces, Failure> {
        self.check().map_err(Failure::last)?;
        self.inner.open(call).await
    }

    async fn list(&self, wait: Option<Duration>) -> Result<Vec<Listed>, Error> {
        self.check()?;
        self.inner.list(wait).await
    }

    async fn probe(&self, wait: Duration) -> Result<Vec<Listed>, Error> {
        self.check()?;
        self.inner.probe(wait).await
    }

    async fn loaded(&self) -> Result<Option<Vec<String>>, Error> {
        self.check()?;
        self.inner.loaded().await
    }

    fn name_in_memory(&self, model: &str) -> String {
        self.inner.name_in_memory(model)
    }

    async fn embed(&self, model: &str, texts: &[String]) -> Result<Vec<Vec<f32>>, Failure> {
        self.check().map_err(Failure::last)?;
        self.inner.embed(model, texts).await
    }

    async fn facts(&self, model: &str) -> Result<Facts, Error> {
        self.check()?;
        self.inner.facts(model).await
    }

    async fn describe(&self, model: &str) -> Result<Facts, Error> {
        self.check()?;
        self.inner.describe(model).await
    }

    async fn count_tokens(&self, model: &str, text: &str) -> Result<Option<u64>, Error> {
        self.check()?;
        self.inner.count_tokens(model, text).await
    }

    fn counts_cached(&self) -> bool {
        self.inner.counts_cached()
    }

    fn may_cut(&self) -> bool {
        self.inner.may_cut()
    }

    fn reads_calls(&self) -> bool {
        self.inner.reads_calls()
    }

    fn ignores_schema_without_thinking(&self) -> bool {
        self.inner.ignores_schema_without_thinking()
    }

    fn is_told_how_much_to_think(&self) -> bool {
        self.inner.is_told_how_much_to_think()
    }

    fn endpoint(&self) -> String {
        self.inner.endpoint()
    }
}
