//! The tool calls of a session that run, so that the user can stop one and not the request.

use crate::work::lock::lock;
use domain::id::CallId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// The calls that run. A clone is the same calls.
#[derive(Clone, Default)]
pub(crate) struct RunningCalls(Arc<Mutex<BTreeMap<CallId, CancellationToken>>>);

impl RunningCalls {
    /// A call runs, until what this returns is dropped.
    pub(crate) fn enter(&self, call_id: CallId) -> RunningCall {
        let stopped = CancellationToken::new();
        lock(&self.0).insert(call_id, stopped.clone());
        RunningCall {
            calls: self.clone(),
            call_id,
            stopped,
        }
    }

    /// Stops one of them, or all; how many were stopped.
    pub(crate) fn stop(&self, call_id: Option<CallId>) -> u32 {
        let mut stopped = 0;
        for (id, call) in &*lock(&self.0) {
            if call_id.is_none_or(|wanted| wanted == *id) && !call.is_cancelled() {
                call.cancel();
                stopped += 1;
            }
        }
        stopped
    }
}

/// A call that runs.
pub(crate) struct RunningCall {
    calls: RunningCalls,
    call_id: CallId,
    stopped: CancellationToken,
}

impl RunningCall {
    /// Resolves when the user stops it.
    pub(crate) async fn stopped(call: Option<&Self>) {
        match call {
            Some(call) => call.stopped.cancelled().await,
            None => std::future::pending().await,
        }
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        lock(&self.calls.0).remove(&self.call_id);
    }
}
