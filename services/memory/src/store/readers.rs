//! Connections that read, each by one caller at a time.

use super::open;
use crate::error::{broken, sqlite};
use api::memory::Error;
use rusqlite::Connection;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// Most reads at one time; further ones wait.
const AT_ONCE: usize = 4;

/// The readers of one file.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    file: Arc<PathBuf>,
    idle: Arc<Mutex<Vec<Connection>>>,
    turns: Arc<Semaphore>,
}

impl Readers {
    /// None is opened before it is needed.
    pub(crate) fn new(file: PathBuf) -> Self {
        Self {
            file: Arc::new(file),
            idle: Arc::default(),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
        }
    }

    /// Reads on a thread that may wait for the disk.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, Error> {
        let turn = Arc::clone(&self.turns).acquire_owned().await;
        let turn = turn.map_err(|closed| crate::error::unavailable("reading", closed))?;
        let readers = self.clone();
        let reading = tokio::task::spawn_blocking(move || {
            let result = readers.read_here(work);
            drop(turn);
            result
        });
        match reading.await {
            Ok(result) => result,
            Err(error) => Err(broken(format!("a read of memory broke off: {error}"))),
        }
    }

    /// Reads on the caller's thread, which may wait for the disk.
    ///
    /// # Errors
    /// [`Error::Unavailable`].
    pub(crate) fn read_here<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let idle = self.idle().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open::reader(&self.file)?,
        };
        let result = at_one_state(&connection, work);
        let mut idle = self.idle();
        if idle.len() < AT_ONCE {
            idle.push(connection);
        }
        drop(idle);
        result.map_err(|error| sqlite(&self.file, error))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does the work in one transaction: it sees one state of the store, and locks are taken once, not
/// for every statement.
fn at_one_state<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let state = connection.unchecked_transaction()?;
    let result = work(&state)?;
    state.commit()?;
    Ok(result)
}
