//! The requests of a session that wait: stopping one, taking one out, another order.

use super::{Pending, Session};
use crate::session::shared::Shared;
use api::sessions::{Error, QueueChange};
use domain::event::{EventBody, QueryStatus};
use domain::id::{CallId, QueryId};
use domain::model::Usage;
use session_log::Durability;
use std::collections::VecDeque;

impl Session {
    /// Stops a request, or what runs. One that waits leaves the queue at once.
    pub(crate) async fn interrupt(&self, shared: &Shared, query_id: Option<QueryId>) {
        let mut queue = self.queue.lock().await;
        let index = match query_id {
            None => Some(0),
            Some(id) => queue.iter().position(|pending| pending.query_id == id),
        };
        match index {
            Some(0) => queue
                .front()
                .into_iter()
                .for_each(|running| running.cancel.cancel()),
            Some(index) => {
                let withdrawn = queue.remove(index);
                drop(queue);
                if let Some(pending) = withdrawn {
                    self.withdraw(shared, &pending).await;
                }
            }
            None => {}
        }
    }

    /// Takes out a request that waits, or moves it; whether it still waited.
    pub(crate) async fn change_queue(
        &self,
        shared: &Shared,
        (query_id, change): (QueryId, QueueChange),
    ) -> Result<bool, Error> {
        let mut queue = self.queue.lock().await;
        let Some(from) = waiting(&queue, query_id) else {
            return Ok(false);
        };
        let (to, before) = match change {
            QueueChange::Remove => {
                let withdrawn = queue.remove(from);
                drop(queue);
                if let Some(pending) = withdrawn {
                    self.withdraw(shared, &pending).await;
                }
                return Ok(true);
            }
            QueueChange::Last => (queue.len() - 1, None),
            QueueChange::Before(other) => match waiting(&queue, other) {
                None => return Ok(false),
                // The place that it has once the other is taken out.
                Some(at) => (at - usize::from(from < at), Some(other)),
            },
        };
        // Before it is on record, nothing is another way round.
        let moved = EventBody::QueryMoved { before };
        let scope = self.scope(query_id);
        self.emitter.emit(scope, moved, Durability::Written).await?;
        if let Some(pending) = queue.remove(from) {
            queue.insert(to, pending);
        }
        Ok(true)
    }

    /// The closing events of a request that was taken out of the queue before it began.
    async fn withdraw(&self, shared: &Shared, pending: &Pending) {
        let waited = (shared.clock)().duration_since(pending.received);
        let scope = self.scope(pending.query_id);
        let generated = EventBody::GenerationFinished {
            answer: String::new(),
            thinking: String::new(),
            tool_calls: Vec::new(),
            usage: Usage::default(),
            model: None,
            label: None,
        };
        let finished = EventBody::QueryFinished {
            status: QueryStatus::Interrupted,
            artifacts: Vec::new(),
            duration_ms: u64::try_from(waited.as_millis()).unwrap_or(0),
            error: None,
        };
        if let Err(error) = self
            .emitter
            .emit(scope, generated, Durability::Written)
            .await
        {
            tracing::warn!(session = %self.id, %error, "the end of a request could not be logged");
        }
        self.end(pending.query_id, finished).await;
    }

    /// Stops a tool call that runs, or all that do; how many were stopped.
    pub(crate) fn stop_calls(&self, call_id: Option<CallId>) -> u32 {
        self.root.shared.calls.stop(call_id)
    }
}

/// The place of a request that waits; `None` for one that runs or is not there.
fn waiting(queue: &VecDeque<Pending>, query_id: QueryId) -> Option<usize> {
    let mut all = queue.iter();
    let place = all.position(|pending| pending.query_id == query_id);
    place.filter(|place| *place > 0)
}
