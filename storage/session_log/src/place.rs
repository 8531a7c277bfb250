//! Where the files of a session are.

use domain::id::SessionId;
use std::path::{Path, PathBuf};

/// How the names of log files end.
pub(crate) const LOG: &str = "jsonl";
/// How the names of files end that keep what was cut off a log.
pub(crate) const CUT: &str = "cut";
/// How the names of files end that hold a session's name.
pub(crate) const NAME: &str = "name";

/// Where a session's log is.
#[must_use]
pub fn path_of(folder: &Path, session_id: SessionId) -> PathBuf {
    folder.join(format!("{session_id}.{LOG}"))
}
