//! Puts every request to the network on record, before it is made and how it ended, and every call
//! of the model that reads pages.

use crate::config::Clock;
use api::audit::{Action, Audit, Durability, Entry, Error, ModelCall};
use domain::event::CallStatus;
use domain::hash::Digest;
use domain::id::SessionId;
use std::sync::Arc;
use std::time::Instant;
use url::Url;

/// The record of requests.
pub(crate) struct Ledger {
    audit: Arc<dyn Audit>,
    clock: Clock,
    /// Drawn at every start, so that nobody can find an address by trying digests.
    key: [u8; 32],
}

/// A request that is on record and not yet answered.
pub(crate) struct Open {
    session_id: Option<SessionId>,
    host: String,
    digest: Digest,
    began: Instant,
}

impl Ledger {
    pub(crate) fn new(audit: Arc<dyn Audit>, clock: Clock) -> Self {
        Self {
            audit,
            clock,
            key: rand::random(),
        }
    }

    /// A request is about to be made. It must not be made when this fails.
    pub(crate) async fn asking(
        &self,
        session_id: Option<SessionId>,
        url: &Url,
    ) -> Result<Open, Error> {
        let digest = blake3::keyed_hash(&self.key, url.as_str().as_bytes());
        let open = Open {
            session_id,
            host: url.host_str().unwrap_or_default().to_owned(),
            digest: Digest::from_bytes(*digest.as_bytes()),
            began: Instant::now(),
        };
        self.append(&open, None).await?;
        Ok(open)
    }

    /// How a request ended. The request is made; a log that cannot be written now stops the next.
    pub(crate) async fn answered(&self, open: Open, status: CallStatus) {
        if let Err(error) = self.append(&open, Some(status)).await {
            tracing::warn!(%error, "how a request ended is not on record");
        }
    }

    /// A model was asked about a page, and answered or not.
    pub(crate) async fn model_called(
        &self,
        session_id: Option<SessionId>,
        call: Option<ModelCall>,
        status: CallStatus,
        began: Instant,
    ) -> Result<(), Error> {
        let mut entry = Entry::new((self.clock)(), Action::ModelCall);
        entry.session_id = session_id;
        entry.model_call = call;
        entry.status = Some(status);
        entry.duration_ms = Some(elapsed_ms(began));
        self.audit.append(entry, Durability::Grouped).await?;
        Ok(())
    }

    async fn append(&self, open: &Open, status: Option<CallStatus>) -> Result<(), Error> {
        let mut entry = Entry::new((self.clock)(), Action::Fetch);
        entry.session_id = open.session_id;
        entry.params_hash = Some(open.digest);
        entry.detail = open.host.clone();
        entry.status = status;
        if status.is_some() {
            entry.duration_ms = Some(elapsed_ms(open.began));
        }
        self.audit.append(entry, Durability::Grouped).await?;
        Ok(())
    }
}

/// How long ago it was, milliseconds.
fn elapsed_ms(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
