//! The tool calls of a session that run, so that the user can stop one and not the request.

use crate::work::lock::lock;
use domain::id::CallId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;

/// The calls that run. A clone is the same calls.
#[derive(Clone, Default)]
pub(crate) struct RunningCalls(Arc<Mutex<BTreeMap<CallId, Running>>>);

/// How a call is stopped.
struct Running {
    stop: CancellationToken,
    /// An agent does it itself: other agents may be at work below it, with calls of their own.
    is_own: bool,
}

impl RunningCalls {
    /// A call of a tool runs, until what this returns is dropped.
    pub(crate) fn enter(&self, call_id: CallId) -> RunningCall {
        self.add(call_id, CancellationToken::new(), false)
    }

    /// A call that an agent does itself runs, until what this returns is dropped. `stop` stops it.
    pub(crate) fn enter_own(&self, call_id: CallId, stop: CancellationToken) -> RunningCall {
        self.add(call_id, stop, true)
    }

    fn add(&self, call_id: CallId, stop: CancellationToken, is_own: bool) -> RunningCall {
        let running = Running {
            stop: stop.clone(),
            is_own,
        };
        lock(&self.0).insert(call_id, running);
        RunningCall {
            calls: self.clone(),
            call_id,
            stopped: stop,
        }
    }

    /// Stops one of them, or all tools that run, and where none does the agents that a call has at work;
    /// how many calls were stopped.
    pub(crate) fn stop(&self, call_id: Option<CallId>) -> u32 {
        let calls = lock(&self.0);
        let stop_those = |is_wanted: &dyn Fn(&CallId, &Running) -> bool| {
            let open = calls.iter().filter(|(_, call)| !call.stop.is_cancelled());
            let mut stopped = 0;
            for (_, call) in open.filter(|(id, call)| is_wanted(id, call)) {
                call.stop.cancel();
                stopped += 1;
            }
            stopped
        };
        match call_id {
            Some(wanted) => stop_those(&|id, _| *id == wanted),
            None => match stop_those(&|_, call| !call.is_own) {
                0 => stop_those(&|_, _| true),
                stopped => stopped,
            },
        }
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
