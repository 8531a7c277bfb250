//! A secret store that remembers what was read through it.

use api::secrets::{Error, SecretValue, Secrets};
use async_trait::async_trait;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use text::secrets::Needles;

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

    pub(crate) fn remember(&self, value: &SecretValue) {
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
        Err(Error::unavailable("no secret store is set up"))
    }
}
