//! Blocking work on threads of its own.

use api::sessions::{Error, ErrorKind};
use tokio::task::JoinError;

/// Runs blocking work on its own thread.
pub(crate) async fn run<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    joined(tokio::task::spawn_blocking(work).await)?
}

/// What a task came to; it is lost only when the process is going down.
pub(crate) fn joined<T>(outcome: Result<T, JoinError>) -> Result<T, Error> {
    outcome.map_err(|source| {
        Error::new(ErrorKind::Unreachable, "The service is going down.").with_source(source)
    })
}
