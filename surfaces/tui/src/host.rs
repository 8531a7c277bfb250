//! What serves the UI, as `bin/carl` hands it over: sessions, and what is known beside them.

use api::models::ModelInfo;
use api::sessions::{Input, PictureFile, SessionSummary, Sessions};
use async_trait::async_trait;
use domain::fault::Fault;
use domain::id::SessionId;
use domain::model::ModelRef;
use domain::settings::SessionProfile;
use rendering::completion::Mentioned;
use rendering::confirm::Memory;
use rendering::slash::Slash;

/// What a command came to.
#[derive(Debug)]
pub struct Outcome {
    /// What it tells.
    pub lines: Vec<String>,
    /// What follows from it.
    pub next: Result<Next, Fault>,
}

/// What follows from a command.
#[derive(Debug)]
pub enum Next {
    /// Nothing.
    Nothing,
    /// This is asked again.
    Ask(String),
    /// The conversation goes on in this session, which is open.
    GoOnIn(Box<SessionSummary>),
}

/// What goes along with a message.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// Pictures that it names.
    pub pictures: Vec<PictureFile>,
    /// The text of memories that it names.
    pub input: Option<Input>,
    /// What there is to say before it is sent, lines.
    pub said: Vec<String>,
}

/// Something beside files that a message can name with `@`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// What is typed for it, behind the word for what it is.
    pub name: String,
    /// What it is called; others may have written it.
    pub title: String,
    /// One line about it; others may have written it.
    pub about: String,
}

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

    /// What another session in this folder is begun with: without a name, and open for writing where a yes to the
    /// folder is kept.
    ///
    /// # Errors
    /// When what is kept cannot be read.
    fn anew(&self, profile: &SessionProfile) -> Result<SessionProfile, Fault>;

    /// What goes along with a message, such as the pictures and memories that it names with `@`. A picture
    /// from outside of the session's folders does not: what stands in a message may be pasted, and
    /// somebody else's.
    ///
    /// # Errors
    /// When a picture is not there, cannot be read, or is none that a model can be shown.
    async fn outgoing(&self, profile: &SessionProfile, text: &str) -> Result<Outgoing, Fault>;

    /// What a message can name of this kind, the best known first.
    ///
    /// # Errors
    /// When memory or the guard does not answer.
    async fn mentions(
        &self,
        profile: &SessionProfile,
        of: Mentioned,
    ) -> Result<Vec<Mention>, Fault>;

    /// Does what a command asks for, in a session that is held by this profile. Its questions are asked
    /// where those of the session are.
    async fn command(
        &self,
        session: &SessionSummary,
        profile: &SessionProfile,
        slash: Slash,
    ) -> Outcome;

    /// The models that can be talked to.
    ///
    /// # Errors
    /// When the gateway does not answer.
    async fn list_models(&self) -> Result<Vec<ModelInfo>, Fault>;

    /// The models, also those that only make embeddings.
    ///
    /// # Errors
    /// When the gateway does not answer.
    async fn all_models(&self) -> Result<Vec<ModelInfo>, Fault>;

    /// The model that would be asked next, by what is configured and chosen; `None` where that is not known.
    ///
    /// # Errors
    /// When the gateway or the guard does not answer.
    async fn next_model(&self, profile: &SessionProfile) -> Result<Option<ModelRef>, Fault>;

    /// What memory has on a question now: each entry with its relevance, score and age, and how it was found;
    /// lines.
    ///
    /// # Errors
    /// When memory does not answer, or cannot use the question.
    async fn explain_recall(&self, question: &str) -> Result<Vec<String>, Fault>;

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
