//! What becomes of requests that wait.

use super::FakeSessions;
use api::sessions::{Error, QueueChange};
use domain::event::{EventBody, QueryStatus};
use domain::id::{QueryId, SessionId};

impl FakeSessions {
    pub(super) fn change_waiting(
        &self,
        id: SessionId,
        query_id: QueryId,
        change: QueueChange,
    ) -> Result<bool, Error> {
        let mut state = self.state.lock().unwrap();
        let waiting = &mut state.live(id)?.waiting;
        let mut all = waiting.iter().map(|one| one.query_id);
        let Some(from) = all.position(|one| one == query_id) else {
            return Ok(false);
        };
        let (to, before) = match change {
            QueueChange::Remove => {
                waiting.remove(from);
                let finished = EventBody::QueryFinished {
                    status: QueryStatus::Interrupted,
                    artifacts: Vec::new(),
                    duration_ms: 0,
                    error: None,
                };
                state.emit(id, Some(query_id), finished);
                drop(state);
                self.grown.send_modify(|count| *count += 1);
                return Ok(true);
            }
            QueueChange::Last => (waiting.len() - 1, None),
            QueueChange::Before(other) => {
                let mut rest = waiting.iter().map(|one| one.query_id);
                let Some(at) = rest.position(|one| one == other) else {
                    return Ok(false);
                };
                (at - usize::from(from < at), Some(other))
            }
        };
        if let Some(one) = waiting.remove(from) {
            waiting.insert(to, one);
        }
        state.emit(id, Some(query_id), EventBody::QueryMoved { before });
        drop(state);
        self.grown.send_modify(|count| *count += 1);
        Ok(true)
    }
}
