//! Calls whose tools run, so that the agent that made one can stop it and still hear what came of it.

use domain::id::{AgentId, CallId};
use std::collections::HashMap;
use tokio_util::sync::CancellationToken;

/// The calls of a session whose tools run.
#[derive(Debug, Default)]
pub(crate) struct RunningCalls(HashMap<(AgentId, CallId), CancellationToken>);

impl RunningCalls {
    /// A call's tool runs; the token is cancelled when its agent stops it.
    pub(crate) fn enter(&mut self, agent_id: AgentId, call_id: CallId) -> CancellationToken {
        let stop = CancellationToken::new();
        self.0.insert((agent_id, call_id), stop.clone());
        stop
    }

    /// Stops a call; `false` when no such call of this agent runs.
    pub(crate) fn stop(&self, agent_id: AgentId, call_id: CallId) -> bool {
        let stop = self.0.get(&(agent_id, call_id));
        stop.map(CancellationToken::cancel).is_some()
    }

    /// A call's tool has ended.
    pub(crate) fn leave(&mut self, agent_id: AgentId, call_id: CallId) {
        self.0.remove(&(agent_id, call_id));
    }
}
