//! A reading: the name checked, the time limited, the act recorded, the value handed on.

use crate::error::Error;
use api::audit::{Action, Audit, Durability, Entry};
use api::secrets::{SECRET_TIME, SecretName, SecretValue, Secrets};
use async_trait::async_trait;
use domain::Timestamp;
use domain::event::CallStatus;
use std::sync::Arc;
use std::time::Instant;

/// Says what time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The secrets service.
#[derive(Clone)]
pub struct Service {
    store: Option<Arc<dyn Secrets>>,
    audit: Arc<dyn Audit>,
    clock: Clock,
}

impl Service {
    /// In front of a store. `None` is the answer to a configuration that names none: every reading
    /// says how to choose.
    #[must_use]
    pub fn new(store: Option<Arc<dyn Secrets>>, audit: Arc<dyn Audit>, clock: Clock) -> Self {
        Self {
            store,
            audit,
            clock,
        }
    }

    async fn fetch(&self, name: &SecretName) -> Result<SecretValue, Error> {
        let store = self.store.as_ref().ok_or(Error::NotChosen)?;
        match tokio::time::timeout(SECRET_TIME, store.get_secret(name.as_str())).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(Error::Unavailable {
                detail: format!("it did not answer within {} s", SECRET_TIME.as_secs()),
            }),
        }
    }

    /// Puts the reading on record. A value is given only once that is done.
    async fn record(
        &self,
        name: &SecretName,
        status: CallStatus,
        began: Instant,
    ) -> Result<(), Error> {
        let mut entry = Entry::new((self.clock)(), Action::SecretRead);
        entry.detail = name.to_string();
        entry.status = Some(status);
        entry.duration_ms = Some(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        match self.audit.append(entry, Durability::Grouped).await {
            Ok(_ack) => Ok(()),
            Err(error) => Err(Error::Unavailable {
                detail: format!("what cannot be recorded is not read: {error}"),
            }),
        }
    }
}

#[async_trait]
impl Secrets for Service {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        let name: SecretName = name.parse()?;
        let began = Instant::now();
        let answer = self.fetch(&name).await;
        let status = match &answer {
            Ok(_) => CallStatus::Ok,
            Err(_) => CallStatus::Failed,
        };
        self.record(&name, status, began).await?;
        answer
    }
}
