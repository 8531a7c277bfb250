//! Why the audit log cannot be opened or read.

use crate::checkpoint::NoteError;
use crate::frame::Flaw;
use domain::fault::Coded;
use std::path::{Path, PathBuf};

/// A reason not to start, or not to show records. A failed append is an [`api::audit::Error`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A folder or file cannot be made, opened or read.
    #[error("the audit log's {} cannot be {doing}: {source}", path.display())]
    Io {
        /// Which one.
        path: PathBuf,
        /// What was tried: `opened`, `read`, `cut`.
        doing: &'static str,
        /// What the operating system said.
        #[source]
        source: std::io::Error,
    },
    /// Another process writes it.
    #[error("the audit log {} is in use by another process", path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
    },
    /// A record is damaged, and it is not the unfinished last one.
    #[error("the audit log is damaged: {damage}")]
    Damaged {
        /// Where, and what is wrong.
        damage: Damage,
    },
    /// A segment's header is damaged.
    #[error("the audit log is damaged: {}: {what}", path.display())]
    Segment {
        /// The segment.
        path: PathBuf,
        /// What is wrong.
        what: &'static str,
    },
    /// The file of checkpoints is damaged.
    #[error("the audit log's checkpoints {} are damaged: {source}", path.display())]
    Checkpoints {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: NoteError,
    },
    /// Its own newest checkpoint says something else than the records.
    #[error("the audit log has lost or changed records: {detail}")]
    Incomplete {
        /// What the checkpoint says, and what is there.
        detail: String,
    },
    /// The key that signs checkpoints is missing or damaged.
    #[error("the audit log's key {} cannot be used: {source}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: KeyError,
    },
}

/// Why a key file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// It is not there, and the log has records.
    #[error("it is not there")]
    Missing,
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is no key, or the key of another log.
    #[error("{0}")]
    Form(#[from] NoteError),
}

impl Error {
    pub(crate) fn io(path: &Path, doing: &'static str, source: std::io::Error) -> Self {
        Self::Io {
            path: path.to_path_buf(),
            doing,
            source,
        }
    }
}

/// The first record that is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The segment's file.
    pub segment: PathBuf,
    /// The record that should stand there.
    pub sequence: u64,
    /// Where in the segment it should begin, bytes.
    pub offset: u64,
    /// What is wrong.
    pub what: Wrong,
}

/// What is wrong with a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// It is no frame.
    Frame(Flaw),
    /// It ends in the middle although more follows.
    CutShort,
    /// Another record stands there.
    Sequence(u64),
    /// It does not continue the record before it.
    Chain,
    /// Its body is not a record's.
    Body,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Frame(Flaw::Length) => f.write_str("its length is none that a record can have"),
            Self::Frame(Flaw::Checksum) => f.write_str("its checksum does not fit its bytes"),
            Self::CutShort => f.write_str("it breaks off, and the log goes on after it"),
            Self::Sequence(found) => write!(f, "record {found} stands in its place"),
            Self::Chain => f.write_str("it does not continue the record before it"),
            Self::Body => f.write_str("its content is not a record's"),
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            segment,
            sequence,
            offset,
            what,
        } = self;
        write!(
            f,
            "record {sequence} at byte {offset} of {}: {what}",
            segment.display()
        )
    }
}

/// What to do about a log that is not whole.
const SET_ASIDE: &str = "`carl audit verify` says what is wrong. `carl audit archive` sets the log \
    aside as it is, for inspection, and lets a fresh one begin.";

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Io { .. } => "audit.io",
            Self::Locked { .. } => "audit.locked",
            Self::Damaged { .. } | Self::Segment { .. } | Self::Checkpoints { .. } => {
                "audit.damaged"
            }
            Self::Incomplete { .. } => "audit.incomplete",
            Self::Key { .. } => "audit.key",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::Io { .. } => "Check free space and permissions of the folder.",
            Self::Locked { .. } => {
                "End that process, which `carl doctor` names; or write where it serves the log, \
                 `audit = \"unix:…\"` under `[endpoints]` in config.toml."
            }
            Self::Key {
                path,
                source: KeyError::Io(source),
            } if source.kind() == std::io::ErrorKind::PermissionDenied => {
                return format!(
                    "Nothing is lost. Have it belong to you: `sudo chown \"$USER\" {0}` and `chmod \
                     u+rw {0}`.",
                    path.display()
                );
            }
            Self::Key { .. } => {
                "Put the key file back from a copy. Without it, `carl audit archive` sets the log \
                 aside and lets a fresh one begin."
            }
            Self::Damaged { .. }
            | Self::Segment { .. }
            | Self::Checkpoints { .. }
            | Self::Incomplete { .. } => SET_ASIDE,
        }
        .to_owned()
    }
}
