//! An inbox that is opened once somebody listens, and whose messages go to one session.

use crate::{Error, Inbox};
use api::signals::{self, Source};
use disk::private;
use disk::read::{self, Links};
use domain::drive::Signal;
use domain::id::SessionId;
use futures::StreamExt;
use futures::stream::BoxStream;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use tokio::sync::Mutex;

/// Longest token file, bytes.
const TOKEN_FILE_BYTES: u64 = 4 << 10;
/// Digits of a token that is made here.
const TOKEN_DIGITS: usize = 64;

/// An inbox that opens when the first session in auto mode listens, or when it is told to, and stays
/// open. A message goes to one session: the newest of those that listen.
pub struct LazyInbox {
    address: SocketAddr,
    token_file: PathBuf,
    open: Arc<Mutex<Option<Inbox>>>,
    listening: Arc<Listeners>,
}

impl LazyInbox {
    /// An inbox at an address, for who shows the token in this file, which is made if need be.
    #[must_use]
    pub fn new(address: SocketAddr, token_file: PathBuf) -> Self {
        Self {
            address,
            token_file,
            open: Arc::default(),
            listening: Arc::default(),
        }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Opens it, if it is not open.
    ///
    /// # Errors
    /// When the address is in use or the token cannot be kept.
    pub async fn open(&self) -> Result<(), Error> {
        let mut open = self.open.lock().await;
        if open.is_none() {
            *open = Some(opened(self.address, &self.token_file).await?);
        }
        Ok(())
    }
}

/// An error with its causes, as one sentence says it.
fn told(error: &Error) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// What is said of an inbox that cannot be opened.
#[must_use]
pub fn unopened(address: SocketAddr, error: &Error) -> String {
    format!(
        "no messages come in at {address}, which is [inbox] listen: {}",
        told(error)
    )
}

/// The sessions that listen. Their ids are in the order in which they began.
#[derive(Debug, Default)]
struct Listeners(std::sync::Mutex<BTreeMap<SessionId, u32>>);

impl Listeners {
    fn change(&self, session_id: SessionId, change: impl FnOnce(&mut u32)) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(all.entry(session_id).or_default());
        all.retain(|_, count| *count > 0);
    }

    fn is_newest(&self, session_id: SessionId) -> bool {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.last_key_value()
            .is_some_and(|(id, _)| *id == session_id)
    }
}

/// One who listens, until it is dropped.
struct Listener {
    all: Arc<Listeners>,
    session_id: SessionId,
}

impl Listener {
    fn new(all: Arc<Listeners>, session_id: SessionId) -> Self {
        all.change(session_id, |count| *count += 1);
        Self { all, session_id }
    }

    fn hears(&self) -> bool {
        self.all.is_newest(self.session_id)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.all
            .change(self.session_id, |count| *count = count.saturating_sub(1));
    }
}

impl Source for LazyInbox {
    fn signals(&self, session_id: SessionId) -> BoxStream<'static, Result<Signal, signals::Error>> {
        let (address, token_file) = (self.address, self.token_file.clone());
        let open = Arc::clone(&self.open);
        let listener = Listener::new(Arc::clone(&self.listening), session_id);
        let opening = async move {
            let mut open = open.lock().await;
            if open.is_none() {
                match opened(address, &token_file).await {
                    Ok(inbox) => *open = Some(inbox),
                    Err(error) => {
                        let told = signals::Error::new(unopened(address, &error));
                        return futures::stream::iter([Err(told)]).boxed();
                    }
                }
            }
            match open.as_ref() {
                Some(inbox) => inbox.messages().map(Ok).boxed(),
                None => futures::stream::empty().boxed(),
            }
        };
        let messages = futures::stream::once(opening).flatten();
        let own =
            move |message: &Result<Signal, signals::Error>| message.is_err() || listener.hears();
        messages
            .filter(move |message| std::future::ready(own(message)))
            .boxed()
    }
}

async fn opened(address: SocketAddr, token_file: &Path) -> Result<Inbox, Error> {
    private::make_token(token_file, TOKEN_DIGITS).map_err(|source| Error::NoToken {
        path: token_file.to_owned(),
        source,
    })?;
    let text = read::text(token_file, TOKEN_FILE_BYTES, Links::Refused)?;
    let inbox = Inbox::open(address, text.unwrap_or_default().trim()).await?;
    tracing::info!(address = %inbox.address(), "the inbox is open");
    Ok(inbox)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_for_the_newest_session_that_still_listens() {
        let all = Arc::new(Listeners::default());
        let id = |number: u128| SessionId::from_uuid(uuid::Uuid::from_u128(number));
        let newer = Listener::new(Arc::clone(&all), id(2));
        let older = Listener::new(Arc::clone(&all), id(1));
        assert!(newer.hears() && !older.hears());
        // It listens anew before it lets go of the stream it had.
        let again = Listener::new(Arc::clone(&all), id(2));
        drop(newer);
        assert!(again.hears() && !older.hears());
        drop(again);
        assert!(older.hears());
    }
}
