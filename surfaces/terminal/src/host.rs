//! What serves a chat or a run, as `bin/carl` hands it over: sessions, and what is known beside them.

use crate::notes::Vouched;
use crate::request::Asker;
use anyhow::Result;
use api::broker::{AgentListing, ToolListing};
use api::memory::{Curator, Recall, Stage, Stats};
use api::models::ModelInfo;
use api::sessions::Sessions;
use async_trait::async_trait;

/// The services of a chat or a run, in this process or another.
// A chat is held on the thread that began it.
#[async_trait(?Send)]
pub trait Host {
    /// The sessions.
    fn sessions(&self) -> &dyn Sessions;

    /// Who is asked when a session has a question.
    fn asker(&self) -> Asker;

    /// Whether the services were in another process, and are there no longer.
    async fn is_gone(&self) -> bool;

    /// Finds services in place of those that are gone: in another process, or else in this one.
    ///
    /// # Errors
    /// When there are none and none can be started.
    async fn reopen(&mut self) -> Result<()>;

    /// What the user said of project notes.
    fn notes(&self) -> Vouched;

    /// The models that can be talked to.
    ///
    /// # Errors
    /// When the gateway does not answer.
    async fn list_models(&self) -> Result<Vec<ModelInfo>>;

    /// The agent types.
    ///
    /// # Errors
    /// When the guard does not answer.
    async fn list_agents(&self) -> Result<Vec<AgentListing>>;

    /// The tools.
    ///
    /// # Errors
    /// When the guard does not answer.
    async fn list_tools(&self) -> Result<Vec<ToolListing>>;

    /// What each stage of a search saw for a question, and what is remembered about it, best first.
    ///
    /// # Errors
    /// When memory does not answer, or cannot use the question.
    async fn recall(&self, question: &str) -> Result<(Vec<Stage>, Vec<Recall>)>;

    /// The user's side of memory.
    fn curator(&self) -> &dyn Curator;

    /// How much is remembered.
    ///
    /// # Errors
    /// When memory does not answer.
    async fn memory_stats(&self) -> Result<Stats>;
}
