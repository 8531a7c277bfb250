//! The programs that calls wait for, as the user of their session sees them.

use crate::sight::{Sight, look_when_it_can};
use api::authority::JudgedCall;
use api::programs::{ProgramId, ProgramState, SeenProgram};
use api::sandbox::{Glance, Said};
use domain::id::{CallId, SessionId};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::{oneshot, watch};

/// A program that a call waits for.
struct Awaited {
    command: String,
    began: Instant,
    glance: Arc<Mutex<Option<Glance>>>,
}

type Calls = BTreeMap<(SessionId, CallId), Awaited>;

/// The programs that calls wait for. A clone is the same ones.
#[derive(Clone, Default)]
pub(crate) struct Shown(Arc<Mutex<Calls>>);

impl Shown {
    /// A call waits for a program, until what this returns is dropped.
    pub(crate) fn enter(&self, call: &JudgedCall, command: String) -> Place {
        let (seen, looking) = oneshot::channel();
        let glance = Arc::default();
        look_when_it_can(looking, Arc::clone(&glance), watch::channel(false).0);
        let key = (call.session_id, call.call_id);
        let awaited = Awaited {
            command,
            began: Instant::now(),
            glance,
        };
        lock(&self.0).insert(key, awaited);
        Place {
            shown: self.clone(),
            key,
            seen: Some(seen),
        }
    }

    /// Those of a session, each with when it began.
    pub(crate) fn of(&self, session_id: SessionId) -> Vec<(Instant, SeenProgram)> {
        let all = lock(&self.0);
        let own = all
            .iter()
            .filter(|((session, _), _)| *session == session_id);
        let seen = own.map(|((_, call_id), awaited)| {
            let glance = Arc::clone(&awaited.glance);
            let program = SeenProgram {
                id: ProgramId::Call(*call_id),
                command: awaited.command.clone(),
                state: ProgramState::Running,
                age: awaited.began.elapsed(),
                look: Arc::new(move || {
                    let look = lock(&glance).clone();
                    look.map_or_else(Said::default, |look| look())
                }),
            };
            (awaited.began, program)
        });
        seen.collect()
    }
}

/// A program's place among those that calls wait for.
pub(crate) struct Place {
    shown: Shown,
    key: (SessionId, CallId),
    /// Where a way to look at the program goes.
    pub(crate) seen: Option<oneshot::Sender<Sight>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.shown.0).remove(&self.key);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
