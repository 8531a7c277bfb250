//! Memory: curated memories and captured engrams, found again in stages.
//!
//! [`Memory`] is what agents' tools and observers use: it finds, keeps and remarks. [`Curator`] is
//! the user's side: it shows, lists, forgets and restores. No tool holds it.

mod curation;
mod entry;
mod recall;

pub use curation::{
    Forgotten, HOLDER_CHARS, HOLDERS, HeldBy, Holder, IndexState, ListRequest, Stats, Stored,
};
pub use entry::{Annotation, Kind, Part, Refusal, Source, WriteAnswer, WriteEntry, WriteRequest};
pub use recall::{
    Candidate, CorrelatedRequest, Detail, Lacking, QueryEvent, QueryRequest, Recall,
    STAGE_CANDIDATES, Scope, Stage,
};

use crate::{CallContext, Streaming};
use async_trait::async_trait;
use domain::fault::Coded;
use domain::id::{MemoryId, QueryId};

/// Why memory did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No such entry, or none that the caller may see.
    #[error("no memory has the id `{id}`")]
    NotFound {
        /// The id asked for.
        id: MemoryId,
    },
    /// The request itself cannot be used.
    #[error("the request to memory cannot be used: {detail}")]
    Invalid {
        /// What is wrong with it.
        detail: String,
    },
    /// What was to be forgotten is still found in a file.
    #[error("the text is still in {file}")]
    StillThere {
        /// The file.
        file: String,
    },
    /// Another process has the store.
    #[error("another process has the memory in {folder} open")]
    InUse {
        /// Where the store is.
        folder: String,
    },
    /// What listens there does not serve this side of memory.
    #[error("memory cannot be used so: {detail}")]
    NotOffered {
        /// Where, and what it said.
        detail: String,
    },
    /// The memory role does not answer.
    #[error("memory cannot be reached: {detail}")]
    Unreachable {
        /// Its address, and why.
        detail: String,
    },
    /// The store's file is damaged, or is not ours to read.
    #[error("memory is damaged: {detail}")]
    Damaged {
        /// Which file, what is wrong, and what to do with it.
        detail: String,
    },
    /// What was asked cannot be put on record, so it was not done.
    #[error("memory is not used without a record: {detail}")]
    NotRecorded {
        /// What the audit log said.
        detail: String,
    },
    /// The store failed.
    #[error("memory is unavailable: {detail}")]
    Unavailable {
        /// What happened, where and why.
        detail: String,
        /// The cause, for the log.
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "memory.not_found",
            Self::Invalid { .. } => "memory.invalid",
            Self::StillThere { .. } => "memory.still_there",
            Self::InUse { .. } => "memory.in_use",
            Self::NotOffered { .. } => "memory.not_offered",
            Self::Unreachable { .. } => "memory.unreachable",
            Self::Damaged { .. } => "memory.damaged",
            Self::NotRecorded { .. } => "memory.not_recorded",
            Self::Unavailable { .. } => "memory.unavailable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::NotFound { .. } => "`carl memory search` shows ids.",
            Self::Invalid { .. } => "",
            Self::StillThere { .. } => "The entry itself is gone; remove that file.",
            Self::InUse { .. } => {
                "Wait for that process to end, or end it. Commands share memory with `carl serve` \
                 and `carl serve --role memory`, which they find by themselves."
            }
            Self::NotOffered { .. } => {
                "Over a network the memory role serves what agents use: searching and adding. Type \
                 other commands on memory on the machine where `carl serve --role memory` runs."
            }
            Self::Unreachable { .. } => {
                "Start it with the same configuration: `carl serve --role memory` (at a TCP address \
                 with `--listen ADDRESS --trust-network`), or correct `memory` under [endpoints]."
            }
            Self::Damaged { .. } => {
                "A newer export is read back with `carl memory import FILE`; the session logs still \
                 have every conversation."
            }
            Self::NotRecorded { .. } => {
                "Memory goes on once the audit log can be written: see that `carl serve --role audit` \
                 runs, where it has a process of its own, and that its disk has room."
            }
            Self::Unavailable { .. } => {
                "Its folder must be writable and the disk have room; `index` in it may be removed, \
                 and is made anew."
            }
        }
        .to_owned()
    }
}

/// The memory service. Every read and write is on record before it is answered.
#[async_trait]
pub trait Memory: Send + Sync {
    /// Finds what answers a question, one event a stage. Corrected entries are left out.
    ///
    /// # Errors
    /// [`Error::Invalid`] for an empty or oversized question; [`Error::Unavailable`].
    async fn query(&self, request: QueryRequest) -> Result<Streaming<QueryEvent, Error>, Error>;
    /// Keeps an entry, if the gate lets it in. What is answered as stored survives a crash.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn write(&self, request: WriteRequest) -> Result<WriteAnswer, Error>;
    /// Entries that belong with the given ones, each once and none of the given; unknown ids have
    /// none.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn get_correlated(&self, request: CorrelatedRequest) -> Result<Vec<Recall>, Error>;
    /// The engram of the answer that a respondent gave to a request, as the entry names it; `None` where
    /// none was kept or it was forgotten.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn engram_of(
        &self,
        query_id: QueryId,
        respondent: &str,
    ) -> Result<Option<MemoryId>, Error>;
    /// Remarks on an engram.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::Invalid`] for a value out of range or an entry that is no
    /// engram; [`Error::Unavailable`].
    async fn annotate(
        &self,
        context: Option<CallContext>,
        id: MemoryId,
        annotation: Annotation,
    ) -> Result<(), Error>;
}

/// The user's side of memory.
#[async_trait]
pub trait Curator: Send + Sync {
    /// An entry, whole.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::Unavailable`].
    async fn show(&self, id: MemoryId) -> Result<Stored, Error>;
    /// Entries, oldest first, corrected ones included.
    ///
    /// # Errors
    /// [`Error::Unavailable`], also later in the stream.
    async fn list(&self, request: ListRequest) -> Result<Streaming<Stored, Error>, Error>;
    /// Removes an entry and the ones that it corrected: text, vectors, index entries and cache. Then
    /// looks whether anything of its text is left in any of memory's files, and who else says the
    /// same.
    ///
    /// # Errors
    /// [`Error::NotFound`]; [`Error::StillThere`]; [`Error::Unavailable`].
    async fn forget(&self, id: MemoryId) -> Result<Forgotten, Error>;
    /// Keeps an exported entry as it is, id included. One with a known id is a duplicate.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn restore(&self, entry: Stored) -> Result<WriteAnswer, Error>;
    /// What memory holds.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn stats(&self) -> Result<Stats, Error>;
    /// Makes every index anew from the store, and waits until they hold everything.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    async fn reindex(&self) -> Result<Stats, Error>;
}
