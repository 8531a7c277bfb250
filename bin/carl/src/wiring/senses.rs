//! What sessions in auto mode hear by and tell by.

use super::stores::make_token;
use crate::setting::Setting;
use agents::drive::Senses;
use anyhow::{Context, Result};
use api::signals::{Error, Notifier, Source};
use desktop::{Notifications, Presence};
use disk::read::{self, Links};
use domain::drive::Signal;
use domain::id::SessionId;
use futures::StreamExt;
use futures::stream::BoxStream;
use inbox::Inbox;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use terminal::exit::Failure;
use tokio::sync::Mutex;

/// Longest token file, bytes.
const TOKEN_FILE_BYTES: u64 = 4 << 10;

/// Every adapter that is there.
#[must_use]
pub fn all(setting: &Setting, inbox: Option<Arc<LazyInbox>>, jobs: programs::Jobs) -> Senses {
    let mut sources: Vec<Arc<dyn Source>> = vec![Arc::new(Presence::new())];
    sources.extend(inbox.map(|inbox| inbox as Arc<dyn Source>));
    Senses {
        watcher: Some(Arc::new(watch::Inotify)),
        sources,
        jobs: Some(Arc::new(jobs)),
        notifier: notifier(setting.loaded.config.drive.notify),
    }
}

/// The inbox, closed as yet, if it is configured.
///
/// # Errors
/// When its address makes no sense.
pub fn inbox(setting: &Setting) -> Result<Option<Arc<LazyInbox>>> {
    let address = inbox_address(setting)?;
    Ok(address.map(|address| {
        Arc::new(LazyInbox {
            address,
            token_file: inbox_token(setting),
            open: Arc::default(),
            listening: Arc::default(),
        })
    }))
}

/// The desktop, if the user wants to be told there. It is looked for with each notice.
fn notifier(is_wanted: bool) -> Option<Arc<dyn Notifier>> {
    is_wanted.then(|| Arc::new(Notifications::new()) as Arc<dyn Notifier>)
}

/// Where the inbox listens, if it is configured.
///
/// # Errors
/// When that is no loopback address.
pub fn inbox_address(setting: &Setting) -> Result<Option<SocketAddr>> {
    let listen = &setting.loaded.config.inbox.listen;
    if listen.is_empty() {
        return Ok(None);
    }
    let wrong = || {
        Failure::usage(
            format!("[inbox] listen: `{listen}` is no address of this machine alone"),
            "Write a loopback address and a port, such as \"127.0.0.1:7434\".",
        )
    };
    let address = listen.parse::<SocketAddr>().ok();
    let address = address.filter(|address| address.ip().is_loopback());
    Ok(Some(address.ok_or_else(wrong)?))
}

/// The file with the token that senders show.
#[must_use]
pub fn inbox_token(setting: &Setting) -> PathBuf {
    setting.paths.state.join("inbox.token")
}

/// An inbox that opens when the first session in auto mode listens, or when it is told to, and stays
/// open. A message goes to one session: the newest of those that listen.
pub struct LazyInbox {
    address: SocketAddr,
    token_file: PathBuf,
    open: Arc<Mutex<Option<Inbox>>>,
    listening: Arc<Listeners>,
}

impl LazyInbox {
    /// Opens it, if it is not open.
    ///
    /// # Errors
    /// A [`Failure`] when the address is in use or the token cannot be kept.
    pub async fn open(&self) -> Result<()> {
        let mut open = self.open.lock().await;
        if open.is_none() {
            let opened = open_inbox(self.address, &self.token_file).await;
            *open = Some(opened.map_err(|error| unopened(self.address, &error))?);
        }
        Ok(())
    }
}

fn unopened(address: SocketAddr, error: &anyhow::Error) -> Failure {
    let mut failure = Failure::usage(
        format!("no messages come in at {address}, which is [inbox] listen: {error:#}"),
        "Give it another port in config.toml, or end what listens there (`ss -ltnp` names it).",
    );
    failure.exit = terminal::exit::Exit::Failed;
    failure
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
    fn signals(&self, session_id: SessionId) -> BoxStream<'static, Result<Signal, Error>> {
        let (address, token_file) = (self.address, self.token_file.clone());
        let open = Arc::clone(&self.open);
        let listener = Listener::new(Arc::clone(&self.listening), session_id);
        let opening = async move {
            let mut open = open.lock().await;
            if open.is_none() {
                match open_inbox(address, &token_file).await {
                    Ok(inbox) => *open = Some(inbox),
                    Err(error) => {
                        let failure = unopened(address, &error);
                        let told = Error::new(failure.fault.message);
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
        let own = move |message: &Result<Signal, Error>| message.is_err() || listener.hears();
        messages
            .filter(move |message| std::future::ready(own(message)))
            .boxed()
    }
}

async fn open_inbox(address: SocketAddr, token_file: &Path) -> Result<Inbox> {
    make_token(token_file)?;
    let text = read::text(token_file, TOKEN_FILE_BYTES, Links::Refused)?;
    let token = text.with_context(|| format!("{} is gone", token_file.display()))?;
    let inbox = Inbox::open(address, token.trim()).await?;
    tracing::info!(address = %inbox.address(), "the inbox is open");
    Ok(inbox)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_desktop_tells_the_user_only_where_that_is_wanted() {
        assert!(notifier(true).is_some());
        assert!(notifier(false).is_none());
    }

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
