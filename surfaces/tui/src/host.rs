//! What serves the UI, as `bin/carl` hands it over: sessions, and what is known beside them.

use api::models::ModelInfo;
use api::sessions::Sessions;
use async_trait::async_trait;
use domain::fault::Fault;
use domain::id::SessionId;
use rendering::confirm::Memory;

/// The services of the UI, in this process or another.
// A session is held on the thread that began it.
#[async_trait(?Send)]
pub trait Host {
    /// The sessions.
    fn sessions(&self) -> &dyn Sessions;

    /// Whether a yes to the working folder can be remembered.
    fn memory(&self) -> Memory;

    /// Remembers the working folder as open for writing; what to say then.
    ///
    /// # Errors
    /// When it cannot be kept; the yes itself holds.
    async fn remember(&self) -> Result<String, Fault>;

    /// The models that can be talked to.
    ///
    /// # Errors
    /// When the gateway does not answer.
    async fn list_models(&self) -> Result<Vec<ModelInfo>, Fault>;

    /// What the audit log has of a session, a line a record.
    ///
    /// # Errors
    /// When it cannot be read.
    async fn audit(&self, session_id: SessionId) -> Result<Vec<String>, Fault>;

    /// Writes a session as a document to a new file in the working folder; what to say then.
    ///
    /// # Errors
    /// When the session cannot be read or the file cannot be written.
    async fn export(&self, session_id: SessionId) -> Result<String, Fault>;
}
