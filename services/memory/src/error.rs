//! The contract's error, and how a failure of the disk becomes one.

pub use api::memory::Error;

use rusqlite::ErrorCode;
use std::path::Path;

/// What failed, with its cause.
pub(crate) fn unavailable(
    what: impl std::fmt::Display,
    cause: impl std::error::Error + Send + Sync + 'static,
) -> Error {
    Error::Unavailable {
        detail: format!("{what}: {cause}"),
        source: Some(Box::new(cause)),
    }
}

/// What failed, where nothing lies beneath it.
pub(crate) fn broken(detail: impl Into<String>) -> Error {
    Error::Unavailable {
        detail: detail.into(),
        source: None,
    }
}

/// A failure of SQLite over `file`, in words that say what to do.
pub(crate) fn sqlite(file: &Path, cause: rusqlite::Error) -> Error {
    let name = file.display();
    let detail = match cause.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            return Error::Damaged {
                detail: format!(
                    "{name} ({cause}); nothing was changed: put a copy of it back, or move it away \
                     and import the newest export"
                ),
            };
        }
        Some(ErrorCode::DiskFull) => format!("no space is left for {name}"),
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            format!("{name} cannot be opened for writing ({cause})")
        }
        _ => format!("{name}: {cause}"),
    };
    Error::Unavailable {
        detail,
        source: Some(Box::new(cause)),
    }
}
