//! Secrets: every one that this process read is taken out of what tools return; and one that fills a
//! tool's slot is fetched for one call and handed to the executor alone.

use crate::call::Call;
use api::executor::{FailureKind, ToolFailure, Words};
use api::secrets::{Error, SecretValue, Secrets};
use async_trait::async_trait;
use domain::tool::ToolOutput;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use text::secrets::Needles;

/// Longest a secret store may take.
const SECRET_TIME: Duration = Duration::from_secs(2);

/// Shortest provider key that is taken out of results, bytes. Local servers are often given a
/// placeholder such as `ollama`; a real key is longer, and a placeholder stands in ordinary text.
const SHORTEST_KEY: usize = 16;

/// A secret store, and every secret that was read through it. Give the same one to the broker and to
/// the gateways: then a provider's key is taken out of what tools return, too. Cheap to clone.
#[derive(Clone)]
pub struct KnownSecrets {
    store: Arc<dyn Secrets>,
    read: Arc<RwLock<Arc<Needles>>>,
}

impl fmt::Debug for KnownSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KnownSecrets").finish_non_exhaustive()
    }
}

impl KnownSecrets {
    /// Watches over a store.
    #[must_use]
    pub fn new(store: Arc<dyn Secrets>) -> Self {
        Self {
            store,
            read: Arc::default(),
        }
    }

    /// A store that has nothing.
    pub(crate) fn none() -> Self {
        Self::new(Arc::new(NoSecrets))
    }

    /// What was read so far.
    pub(crate) fn needles(&self) -> Arc<Needles> {
        self.read
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn remember(&self, value: &SecretValue) {
        let Ok(text) = std::str::from_utf8(value.expose()) else {
            return;
        };
        if self.needles().knows(text) {
            return;
        }
        let mut read = self.read.write().unwrap_or_else(PoisonError::into_inner);
        Arc::make_mut(&mut read).add(text);
    }
}

#[async_trait]
impl Secrets for KnownSecrets {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        let value = self.store.get_secret(name).await?;
        if value.expose().len() >= SHORTEST_KEY {
            self.remember(&value);
        }
        Ok(value)
    }
}

/// The store of a broker that was given none.
#[derive(Debug, Clone, Copy)]
struct NoSecrets;

#[async_trait]
impl Secrets for NoSecrets {
    async fn get_secret(&self, _: &str) -> Result<SecretValue, Error> {
        Err(Error::Unavailable {
            detail: "no secret store is set up".to_owned(),
        })
    }
}

impl Call {
    /// The secrets that fill the tool's slots, by argument name. From now on every result is searched
    /// for them, however short they are.
    pub(crate) async fn credentials(&self) -> Result<BTreeMap<String, SecretValue>, ToolFailure> {
        let known = self.inner.policy.table().find(&self.request.tool);
        let slots = known
            .map(|(_, tool)| tool.spec.secrets.clone())
            .unwrap_or_default();
        let mut filled = BTreeMap::new();
        for (argument, name) in slots {
            let fetch = self.inner.secrets.get_secret(&name);
            let value = match tokio::time::timeout(SECRET_TIME, fetch).await {
                Ok(Ok(value)) => value,
                Ok(Err(error)) => return Err(missing(&name, &error.to_string())),
                Err(_) => return Err(missing(&name, "the secret store took too long")),
            };
            self.inner.secrets.remember(&value);
            filled.insert(argument, value);
        }
        Ok(filled)
    }

    /// The text without any secret that this process read.
    pub(crate) fn scrubbed(&self, text: &str) -> String {
        self.inner.secrets.needles().scrub(text).into_owned()
    }

    /// The output without any secret that this process read, in every form it may have taken.
    pub(crate) fn scrubbed_output(&self, mut output: ToolOutput) -> ToolOutput {
        let needles = self.inner.secrets.needles();
        output.text = needles.scrub(&output.text).into_owned();
        output.origin = needles.scrub(&output.origin).into_owned();
        scrub_value(&mut output.data, &needles);
        for artifact in &mut output.artifacts {
            *artifact = needles.scrub(artifact).into_owned();
        }
        output
    }
}

fn missing(name: &str, why: &str) -> ToolFailure {
    ToolFailure {
        kind: FailureKind::Broken,
        rule: "secret_unavailable",
        message: format!(
            "The tool needs the secret `{name}`, and {why}. Report this; the user has to set it."
        ),
        words: Words::Own,
    }
}

fn scrub_value(value: &mut Value, needles: &Needles) {
    match value {
        Value::String(text) => *text = needles.scrub(text).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(|item| scrub_value(item, needles)),
        Value::Object(fields) => {
            let old = std::mem::take(fields);
            for (key, mut field) in old {
                scrub_value(&mut field, needles);
                fields.insert(needles.scrub(&key).into_owned(), field);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
