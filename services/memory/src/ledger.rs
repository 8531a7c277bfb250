//! The record of every reading and writing: ids and fixed words, never a text.

use api::CallContext;
use api::audit::{Action, Audit, Durability, Entry};
use api::memory::Error;
use domain::Timestamp;
use domain::event::CallStatus;
use domain::id::MemoryId;
use domain::label::Label;
use std::sync::Arc;

/// Most ids that one record names.
const NAMED: usize = 4;

/// Says what time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// Puts acts on record. What cannot be recorded is not answered.
#[derive(Clone)]
pub(crate) struct Ledger {
    audit: Arc<dyn Audit>,
    clock: Clock,
}

impl Ledger {
    pub(crate) fn new(audit: Arc<dyn Audit>, clock: Clock) -> Self {
        Self { audit, clock }
    }

    /// The time, to the microsecond, as the store keeps it.
    pub(crate) fn now(&self) -> Timestamp {
        let now = (self.clock)();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }

    /// A reading, before its result is given.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn read(
        &self,
        context: Option<&CallContext>,
        act: &str,
        ids: &[MemoryId],
    ) -> Result<(), Error> {
        let detail = format!("{act}: {}", named(ids));
        self.append(Action::MemoryRead, context, detail, CallStatus::Ok, None)
            .await
    }

    /// A writing, before it is done; or what kept it from being done.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn write(
        &self,
        context: Option<&CallContext>,
        detail: String,
        status: CallStatus,
        label: Option<Label>,
    ) -> Result<(), Error> {
        self.append(Action::MemoryWrite, context, detail, status, label)
            .await
    }

    async fn append(
        &self,
        action: Action,
        context: Option<&CallContext>,
        detail: String,
        status: CallStatus,
        label: Option<Label>,
    ) -> Result<(), Error> {
        let mut entry = Entry::new((self.clock)(), action);
        entry.session_id = context.map(|context| context.session_id);
        entry.detail = detail;
        entry.status = Some(status);
        entry.label = label;
        match self.audit.append(entry, Durability::Grouped).await {
            Ok(_ack) => Ok(()),
            Err(error) => Err(Error::NotRecorded {
                detail: error.to_string(),
            }),
        }
    }
}

fn named(ids: &[MemoryId]) -> String {
    if ids.is_empty() {
        return "nothing".to_owned();
    }
    let mut text = ids
        .iter()
        .take(NAMED)
        .map(MemoryId::to_string)
        .collect::<Vec<_>>()
        .join(" ");
    if let Some(more) = ids.len().checked_sub(NAMED).filter(|more| *more > 0) {
        text.push_str(&format!(" and {more} more"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_record_names_a_few_and_counts_the_others() {
        let ids: Vec<MemoryId> = (0..6)
            .map(|n| MemoryId::from_uuid(Uuid::from_u128(n)))
            .collect();
        assert_eq!(named(&[]), "nothing");
        assert_eq!(named(&ids[..1]), ids[0].to_string());
        assert!(!named(&ids[..NAMED]).contains("more"));
        assert!(named(&ids).ends_with(" and 2 more"));
        assert!(named(&ids).chars().count() < domain::limits::AUDIT_NAME_CHARS);
    }
}
