//! What sessions in auto mode hear by and tell by.

use super::stores::make_token;
use crate::commands::Setting;
use crate::exit::Failure;
use crate::files::{self, Links};
use agents::drive::Senses;
use anyhow::{Context, Result};
use api::signals::{Notifier, Source};
use desktop::{Notifications, Presence};
use domain::drive::Signal;
use futures::StreamExt;
use futures::stream::BoxStream;
use inbox::Inbox;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Mutex;

/// Longest token file, bytes.
const TOKEN_FILE_BYTES: u64 = 4 << 10;

/// Every adapter that is there.
///
/// # Errors
/// When the inbox's address makes no sense.
pub fn all(setting: &Setting) -> Result<Senses> {
    let mut sources: Vec<Arc<dyn Source>> = vec![Arc::new(Presence::new())];
    if let Some(address) = inbox_address(setting)? {
        sources.push(Arc::new(LazyInbox {
            address,
            token_file: inbox_token(setting),
            open: Arc::default(),
        }));
    }
    Ok(Senses {
        watcher: Some(Arc::new(watch::Inotify)),
        sources,
        notifier: notifier(setting.loaded.config.drive.notify),
    })
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

/// An inbox that opens when the first session in auto mode listens, and stays open.
struct LazyInbox {
    address: SocketAddr,
    token_file: PathBuf,
    open: Arc<Mutex<Option<Inbox>>>,
}

impl Source for LazyInbox {
    fn signals(&self) -> BoxStream<'static, Signal> {
        let (address, token_file) = (self.address, self.token_file.clone());
        let open = Arc::clone(&self.open);
        let opening = async move {
            let mut open = open.lock().await;
            if open.is_none() {
                match open_inbox(address, &token_file).await {
                    Ok(inbox) => *open = Some(inbox),
                    Err(error) => tracing::error!("no messages come in: {error:#}"),
                }
            }
            match open.as_ref() {
                Some(inbox) => inbox.signals(),
                None => futures::stream::empty().boxed(),
            }
        };
        futures::stream::once(opening).flatten().boxed()
    }
}

async fn open_inbox(address: SocketAddr, token_file: &Path) -> Result<Inbox> {
    make_token(token_file)?;
    let text = files::text(token_file, TOKEN_FILE_BYTES, Links::Refused)?;
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
}
