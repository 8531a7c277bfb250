//! Calls that their callers run: where what they report goes. An agent's own tools act on its
//! conversation and on other agents, which are where the agent is.

use api::executor::ToolFailure;
use domain::id::{AgentId, CallId};
use domain::tool::ToolOutput;
use std::collections::HashMap;
use tokio::sync::oneshot;

/// What a caller says came of a call.
pub(crate) type Outcome = Result<ToolOutput, ToolFailure>;

/// The calls of a session that their callers run.
#[derive(Debug, Default)]
pub(crate) struct OwnCalls(HashMap<(AgentId, CallId), oneshot::Sender<Outcome>>);

impl OwnCalls {
    /// Waits for what the agent reports of a call.
    pub(crate) fn expect(
        &mut self,
        agent_id: AgentId,
        call_id: CallId,
    ) -> oneshot::Receiver<Outcome> {
        let (report, outcome) = oneshot::channel();
        self.0.insert((agent_id, call_id), report);
        outcome
    }

    /// Takes what an agent reports; `false` when no such call of this agent waits.
    pub(crate) fn report(&mut self, agent_id: AgentId, call_id: CallId, outcome: Outcome) -> bool {
        let report = self.0.remove(&(agent_id, call_id));
        report.is_some_and(|report| report.send(outcome).is_ok())
    }

    /// Waits for a call no longer.
    pub(crate) fn forget(&mut self, agent_id: AgentId, call_id: CallId) {
        self.0.remove(&(agent_id, call_id));
    }
}
