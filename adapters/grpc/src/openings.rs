//! Who opened which sessions over a unix socket. A process that dies counts as one that closed what
//! it had opened; one that is only stopped, or whose connection was lost, does not.

use api::sessions::Sessions;
use domain::id::{HolderId, SessionId};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The process at the other end of a connection, where the system knows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) Option<Pid>);

/// Which sessions each process holds.
type ByProcess = BTreeMap<i32, BTreeMap<HolderId, SessionId>>;

/// The openings of other processes.
pub(crate) struct Openings {
    sessions: Arc<dyn Sessions>,
    by: Mutex<ByProcess>,
}

impl Openings {
    pub(crate) fn new(sessions: Arc<dyn Sessions>) -> Arc<Self> {
        Arc::new(Self {
            sessions,
            by: Mutex::default(),
        })
    }

    /// A process opened a session. From its first one on it is watched.
    pub(crate) fn opened(
        self: &Arc<Self>,
        peer: Peer,
        (session_id, holder_id): (SessionId, HolderId),
    ) {
        let Some(pid) = peer.0 else {
            return;
        };
        let key = pid.as_raw_nonzero().get();
        let is_new = self.change(|by| {
            let is_new = !by.contains_key(&key);
            by.entry(key).or_default().insert(holder_id, session_id);
            is_new
        });
        if is_new {
            // A process may outlive the server, whose services are let go of then.
            let openings = Arc::downgrade(self);
            tokio::spawn(async move {
                let watched = ended(pid).await;
                if let Some(openings) = openings.upgrade() {
                    openings.close_left(pid, watched).await;
                }
            });
        }
    }

    /// A process closed a session.
    pub(crate) fn closed(&self, peer: Peer, holder_id: HolderId) {
        let Some(pid) = peer.0 else {
            return;
        };
        self.change(|by| {
            let own = by.get_mut(&pid.as_raw_nonzero().get());
            own.and_then(|own| own.remove(&holder_id))
        });
    }

    /// Closes what a process left open that has ended, if that could be watched.
    async fn close_left(&self, pid: Pid, watched: io::Result<()>) {
        let key = pid.as_raw_nonzero().get();
        if let Err(error) = watched {
            tracing::warn!(%error, "it will not be seen when a surface dies");
            self.change(|by| by.remove(&key));
            return;
        }
        let left = self.change(|by| by.remove(&key)).unwrap_or_default();
        for (holder_id, session_id) in left {
            if let Err(error) = self.sessions.close(session_id, holder_id).await {
                tracing::debug!(session = %session_id, %error, "left open by the dead");
            }
        }
    }

    fn change<T>(&self, change: impl FnOnce(&mut ByProcess) -> T) -> T {
        // What is counted stays true whoever panicked beside it.
        change(&mut self.by.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Waits until a process has ended, however it did.
async fn ended(pid: Pid) -> io::Result<()> {
    let watched = match pidfd_open(pid, PidfdFlags::NONBLOCK) {
        Ok(watched) => watched,
        Err(Errno::SRCH) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    #[expect(
        deprecated,
        reason = "what takes its place is unsafe; an owned descriptor keeps what it asks for"
    )]
    let watched = AsyncFd::with_interest(watched, Interest::READABLE)?;
    watched.readable().await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use api::sessions::{OpenRequest, Selection};
    use contracts::FakeSessions;
    use domain::lineage::AgentType;
    use domain::model::Think;
    use domain::settings::{Mode, SessionProfile, SessionSettings};
    use std::collections::BTreeSet;
    use std::path::PathBuf;
    use std::process::{Child, Command, Stdio};

    fn surface() -> (Child, Peer) {
        let child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
        (child, Peer(pid))
    }

    async fn open(sessions: &FakeSessions) -> (SessionId, HolderId) {
        let profile = SessionProfile {
            name: String::new(),
            agent_type: AgentType::new("coder").unwrap(),
            mode: Mode::Loop,
            model: None,
            context_tokens: None,
            provider: None,
            think: Think::Default,
            settings: SessionSettings::closed(PathBuf::from("/w")),
        };
        let opened = sessions.open(OpenRequest::New(profile)).await.unwrap();
        (opened.session_id, opened.holder_id.unwrap())
    }

    async fn live(sessions: &FakeSessions) -> BTreeSet<SessionId> {
        let known = sessions.list(Selection::All).await.unwrap();
        let live = known.into_iter().filter(|session| session.live);
        live.map(|session| session.session_id).collect()
    }

    #[tokio::test]
    async fn what_the_dead_left_open_is_closed_and_nothing_else() {
        let sessions = FakeSessions::default();
        let openings = Openings::new(Arc::new(sessions.clone()));
        let ((mut dying, one), (mut living, other)) = (surface(), surface());
        let (left, shared, closed) = (
            open(&sessions).await,
            open(&sessions).await,
            open(&sessions).await,
        );
        // Known without a watcher of their own: this test waits for the end itself.
        openings.change(|by| {
            by.entry(one.0.unwrap().as_raw_nonzero().get()).or_default();
            by.entry(other.0.unwrap().as_raw_nonzero().get())
                .or_default();
        });
        openings.opened(one, left);
        openings.opened(one, closed);
        openings.closed(one, closed.1);
        openings.opened(other, shared);
        dying.kill().unwrap();
        openings
            .close_left(one.0.unwrap(), ended(one.0.unwrap()).await)
            .await;
        assert_eq!(live(&sessions).await, BTreeSet::from([shared.0, closed.0]));
        dying.wait().unwrap();
        living.kill().unwrap();
        living.wait().unwrap();
        // Gone before anyone looked.
        openings
            .close_left(other.0.unwrap(), ended(other.0.unwrap()).await)
            .await;
        assert_eq!(live(&sessions).await, BTreeSet::from([closed.0]));
    }
}
