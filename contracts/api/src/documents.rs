//! Documents and source files whose readers are attacked, read somewhere with fewer rights than the
//! caller has.

use crate::executor::ReportSink;
use crate::failure::ToolFailure;
use async_trait::async_trait;
use domain::source::{Source, Symbol};

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

/// The symbols of a source file, or why its parser gave none.
pub type ReadSource = Result<Vec<Symbol>, DocumentError>;

/// Turns documents into text (PDF and office documents), and source files into their symbols.
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

    /// The symbols of each source file, in the order of the files. One that breaks its parser has none,
    /// and the others have theirs; the last ones are missing where there was no time for them.
    ///
    /// # Errors
    /// [`ToolFailure`] when no parser can be run at all.
    async fn symbols(
        &self,
        sources: Vec<Source>,
        progress: &ReportSink,
    ) -> Result<Vec<ReadSource>, ToolFailure>;
}
