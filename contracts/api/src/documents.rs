//! Documents whose formats are attacked, read somewhere with fewer rights than the caller has.

use crate::executor::ReportSink;
use crate::failure::ToolFailure;
use async_trait::async_trait;

/// The text of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentText {
    /// At most [`domain::limits::DOCUMENT_TEXT_BYTES`] of it.
    pub text: String,
    /// Whether that limit cut it short.
    pub is_cut: bool,
}

/// Why a document gave no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is damaged, locked, or has no text.
    #[error("it cannot be read: {detail}")]
    Unreadable {
        /// What the reader said.
        detail: String,
    },
    /// Reading it took too long.
    #[error("reading it took too long")]
    Timeout,
    /// The reader did not run.
    #[error("its reader did not run: {0}")]
    NotRun(#[source] ToolFailure),
}

/// Turns documents into text: PDF and office documents.
#[async_trait]
pub trait Documents: Send + Sync {
    /// The text of a document, told by its content what it is.
    ///
    /// # Errors
    /// [`DocumentError`] when there is none.
    async fn text(
        &self,
        document: Vec<u8>,
        progress: &ReportSink,
    ) -> Result<DocumentText, DocumentError>;
}
