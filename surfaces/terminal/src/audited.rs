//! Changes that the user makes outside any session, on the audit log.

use crate::exit::OrFail;
use anyhow::Result;
use api::audit::{Action, Audit, Durability, Entry};
use domain::Timestamp;

/// Puts a change of the user's own settings on record, before it is made. The name of what changes is
/// not part of it where it could tell something.
///
/// # Errors
/// When the log takes nothing; the change must then not be made.
pub async fn on_record(audit: &dyn Audit, change: &str) -> Result<()> {
    let mut entry = Entry::new(Timestamp::now(), Action::Configure);
    entry.detail = change.to_owned();
    audit.append(entry, Durability::Durable).await.or_fail()?;
    Ok(())
}
