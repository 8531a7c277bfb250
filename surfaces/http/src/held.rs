//! The sessions that are open for clients. HTTP has no end of a conversation, so a session is held for a
//! while after its last request.

use crate::lookup;
use api::sessions::{Error, ErrorKind, OpenRequest, SessionSummary, Sessions};
use domain::id::{HolderId, SessionId};
use domain::settings::SessionProfile;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::Instant;

/// The sessions that are open for clients.
#[derive(Debug, Default)]
pub(crate) struct Held(Mutex<HashMap<SessionId, Arc<Slot>>>);

#[derive(Debug)]
struct Slot {
    opened: OnceCell<HolderId>,
    profile: Mutex<Option<SessionProfile>>,
    used: Mutex<Instant>,
}

/// A session that stays open for as long as this is kept.
#[derive(Debug, Clone)]
pub(crate) struct Lease {
    pub(crate) session_id: SessionId,
    pub(crate) holder_id: HolderId,
    slot: Arc<Slot>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Lease {
    fn drop(&mut self) {
        *lock(&self.slot.used) = Instant::now();
    }
}

impl Lease {
    /// By which profile the session is held.
    pub(crate) fn profile(&self) -> Option<SessionProfile> {
        lock(&self.slot.profile).clone()
    }

    /// It is held by this profile from now on.
    pub(crate) fn is_now(&self, profile: SessionProfile) {
        *lock(&self.slot.profile) = Some(profile);
    }
}

impl Slot {
    fn new() -> Self {
        Self {
            opened: OnceCell::new(),
            profile: Mutex::new(None),
            used: Mutex::new(Instant::now()),
        }
    }
}

/// Whoever serves says who holds a session by an opening.
fn holder(opened: &SessionSummary) -> Result<HolderId, Error> {
    let missing = || {
        Error::new(
            ErrorKind::Unreachable,
            "it is not said who holds the session",
        )
    };
    opened.holder_id.ok_or_else(missing)
}

impl Held {
    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        lock(&self.0).len()
    }

    /// Opens a new session.
    pub(crate) async fn open(
        &self,
        sessions: &dyn Sessions,
        profile: SessionProfile,
    ) -> Result<Lease, Error> {
        let new = || sessions.open(OpenRequest::New(profile.clone()));
        let opened = match new().await {
            // As many are open as may be: those that no request needs make room.
            Err(error) if error.kind == ErrorKind::Refused => {
                self.let_go_of_unused(sessions, Duration::ZERO).await;
                new().await
            }
            opened => opened,
        };
        let opened = opened?;
        let (session_id, holder_id) = (opened.session_id, holder(&opened)?);
        let slot = Arc::new(Slot::new());
        // Nobody else knows the session yet.
        let _first = slot.opened.set(holder_id);
        *lock(&slot.profile) = Some(profile);
        lock(&self.0).insert(session_id, Arc::clone(&slot));
        Ok(Lease {
            session_id,
            holder_id,
            slot,
        })
    }

    /// Has a session that exists be open: as it was left, where nobody has it open for clients yet.
    pub(crate) async fn hold(
        &self,
        sessions: &dyn Sessions,
        session_id: SessionId,
    ) -> Result<Lease, Error> {
        let slot = {
            let mut all = lock(&self.0);
            Arc::clone(
                all.entry(session_id)
                    .or_insert_with(|| Arc::new(Slot::new())),
            )
        };
        let opening = slot.opened.get_or_try_init(|| async {
            let opened = sessions.open(OpenRequest::Resume {
                session_id,
                profile: None,
            });
            let holder_id = holder(&opened.await?)?;
            let looked = lookup::look(sessions, session_id).await?;
            *lock(&slot.profile) = looked.view.profile().cloned();
            Ok::<_, Error>(holder_id)
        });
        let holder_id = *opening.await?;
        Ok(Lease {
            session_id,
            holder_id,
            slot,
        })
    }

    /// Lets go of a session at once; what runs in it for clients ends.
    pub(crate) async fn let_go(&self, sessions: &dyn Sessions, session_id: SessionId) {
        let slot = lock(&self.0).remove(&session_id);
        if let Some(slot) = slot {
            close(sessions, session_id, &slot).await;
        }
    }

    /// Lets go of the sessions that no request has needed for so long.
    pub(crate) async fn let_go_of_unused(&self, sessions: &dyn Sessions, unused: Duration) {
        let unused: Vec<(SessionId, Arc<Slot>)> = {
            let mut all = lock(&self.0);
            let is_unused = |slot: &Arc<Slot>| {
                Arc::strong_count(slot) == 1 && lock(&slot.used).elapsed() >= unused
            };
            let unused = all.iter().filter(|(_, slot)| is_unused(slot));
            let ids: Vec<SessionId> = unused.map(|(id, _)| *id).collect();
            let gone = ids.iter().filter_map(|id| Some((*id, all.remove(id)?)));
            gone.collect()
        };
        for (session_id, slot) in unused {
            close(sessions, session_id, &slot).await;
        }
    }

    /// Lets go of all of them.
    pub(crate) async fn let_go_of_all(&self, sessions: &dyn Sessions) {
        let all: Vec<_> = lock(&self.0).drain().collect();
        for (session_id, slot) in all {
            close(sessions, session_id, &slot).await;
        }
    }
}

async fn close(sessions: &dyn Sessions, session_id: SessionId, slot: &Slot) {
    let Some(holder_id) = slot.opened.get() else {
        return;
    };
    if let Err(error) = sessions.close(session_id, *holder_id).await {
        tracing::debug!(%session_id, %error, "a session could not be let go of");
    }
}
