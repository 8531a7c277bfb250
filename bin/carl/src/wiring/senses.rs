//! What sessions in auto mode hear by and tell by.

use crate::setting::Setting;
use agents::drive::Senses;
use anyhow::Result;
use api::signals::{Notifier, Source};
use desktop::{Notifications, Presence};
use inbox::{LazyInbox, unopened};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use terminal::exit::Failure;

/// Every adapter that is there.
#[must_use]
pub fn all(setting: &Setting, inbox: Option<Arc<LazyInbox>>, jobs: Arc<dyn Source>) -> Senses {
    let mut sources: Vec<Arc<dyn Source>> = vec![Arc::new(Presence::new())];
    sources.extend(inbox.map(|inbox| inbox as Arc<dyn Source>));
    Senses {
        watcher: Some(Arc::new(watch::Inotify)),
        sources,
        jobs: Some(jobs),
        notifier: notifier(setting.loaded.config.drive.notify),
    }
}

/// The inbox, closed as yet, if it is configured.
///
/// # Errors
/// When its address makes no sense.
pub fn inbox(setting: &Setting) -> Result<Option<Arc<LazyInbox>>> {
    let address = inbox_address(setting)?;
    Ok(address.map(|address| Arc::new(LazyInbox::new(address, inbox_token(setting)))))
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

/// Opens an inbox before a session in auto mode needs it.
///
/// # Errors
/// A [`Failure`] when the address is in use or the token cannot be kept.
pub async fn open(inbox: &LazyInbox) -> Result<()> {
    let Err(error) = inbox.open().await else {
        return Ok(());
    };
    let mut failure = Failure::usage(
        unopened(inbox.address(), &error),
        "Give it another port in config.toml, or end what listens there (`ss -ltnp` names it).",
    );
    failure.exit = terminal::exit::Exit::Failed;
    Err(failure.into())
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
