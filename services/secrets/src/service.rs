//! A reading: the name checked, the time limited, the act recorded, the value handed on.

use crate::error::Error;
use api::audit::{Action, Audit, Durability, Entry};
use api::secrets::{Refusals, SECRET_TIME, SecretName, SecretValue, Secrets};
use async_trait::async_trait;
use domain::Timestamp;
use domain::event::CallStatus;
use domain::fault::Coded as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two records of callers without a token.
const REFUSALS_APART: Duration = Duration::from_secs(1);

/// Says what time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The secrets service.
#[derive(Clone)]
pub struct Service {
    store: Option<Arc<dyn Secrets>>,
    audit: Arc<dyn Audit>,
    clock: Clock,
    place: Place,
    refusals: Arc<Mutex<Tally>>,
}

/// From where a reading is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Here,
    Socket,
}

/// Callers who showed no token, as far as they are on no record yet. They could fill a disk, so
/// that many in a row share one.
#[derive(Debug, Default)]
struct Tally {
    recorded: Option<Instant>,
    more: u64,
}

impl Tally {
    /// What to record of one more, if it is time to.
    fn add(&mut self) -> Option<String> {
        let is_soon = |at: Instant| at.elapsed() < REFUSALS_APART;
        if self.recorded.is_some_and(is_soon) {
            self.more = self.more.saturating_add(1);
            return None;
        }
        self.recorded = Some(Instant::now());
        Some(match std::mem::take(&mut self.more) {
            0 => "no token was shown over the socket".to_owned(),
            more => format!("no token was shown over the socket; {more} more before"),
        })
    }
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
            place: Place::Here,
            refusals: Arc::default(),
        }
    }

    /// The same, for who asks over a socket; the record says so.
    #[must_use]
    pub fn over_a_socket(mut self) -> Self {
        self.place = Place::Socket;
        self
    }

    async fn fetch(&self, name: &SecretName) -> Result<SecretValue, Error> {
        let store = self.store.as_ref().ok_or(Error::NotChosen)?;
        match tokio::time::timeout(SECRET_TIME, store.get_secret(name.as_str())).await {
            Ok(answer) => answer,
            Err(_elapsed) => Err(Error::unavailable(format!(
                "it did not answer within {} s",
                SECRET_TIME.as_secs()
            ))),
        }
    }

    /// Puts a reading on record. A value is given only once that is done.
    async fn record(
        &self,
        detail: String,
        status: CallStatus,
        began: Instant,
    ) -> Result<(), Error> {
        let mut entry = Entry::new((self.clock)(), Action::SecretRead);
        entry.detail = match self.place {
            Place::Here => detail,
            Place::Socket => format!("{detail}, over the socket"),
        };
        entry.status = Some(status);
        entry.duration_ms = Some(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
        self.append(entry).await
    }

    async fn append(&self, entry: Entry) -> Result<(), Error> {
        match self.audit.append(entry, Durability::Grouped).await {
            Ok(_ack) => Ok(()),
            Err(error) => Err(Error::Unavailable {
                detail: format!("what cannot be recorded is not read: {error}"),
                hint: error.hint(),
            }),
        }
    }
}

#[async_trait]
impl Secrets for Service {
    async fn get_secret(&self, name: &str) -> Result<SecretValue, Error> {
        let began = Instant::now();
        let name: SecretName = match name.parse() {
            Ok(name) => name,
            Err(error) => {
                // It may be the secret itself.
                let detail = "what is no name".to_owned();
                self.record(detail, CallStatus::Failed, began).await?;
                return Err(error);
            }
        };
        let answer = self.fetch(&name).await;
        let status = match &answer {
            Ok(_) => CallStatus::Ok,
            Err(_) => CallStatus::Failed,
        };
        self.record(name.to_string(), status, began).await?;
        answer
    }
}

#[async_trait]
impl Refusals for Service {
    async fn refused(&self) {
        let told = {
            let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
            refusals.add()
        };
        let Some(detail) = told else {
            return;
        };
        let mut entry = Entry::new((self.clock)(), Action::SecretRead);
        entry.detail = detail;
        entry.status = Some(CallStatus::Denied);
        // Nothing is given either way.
        let _unrecorded = self.append(entry).await;
    }
}
