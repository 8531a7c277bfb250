//! Running agents' own tools: what an agent does to its conversation and with other agents. The
//! broker judges, records and labels their calls like any other; a permitted one is run here, where
//! the agent is, and the broker is told what came of it.

use crate::work::{PermittedCall, Work};
use api::broker::OwnCall;
use api::executor::{Report, ToolFailure};
use api::failure::panicked;
use domain::event::EventBody;
use domain::id::CallId;
use domain::tool::ToolOutput;
use std::sync::Arc;
use tokio::sync::mpsc;
use tokio_util::task::AbortOnDropHandle;

/// Progress reports that may wait for a slow log; more are left out.
const PROGRESS_BACKLOG: usize = 32;
/// Begins what comes of a call that the user stopped.
const STOPPED: &str = "The user stopped this call. Of what it had begun:\n";

impl Work {
    /// Runs a permitted call of this agent's own and tells the broker what came of it. Dropping the
    /// future stops the call. Where the user stops it, and not the request, the agents that it has at work
    /// end, and their reports are what comes of it.
    pub(super) async fn run_own(&self, call_id: CallId, call: OwnCall) {
        let mut work = self.clone();
        work.cancel = self.cancel.child_token();
        let shared = &self.agent.resources.shared;
        let _running = shared.calls.enter_own(call_id, work.cancel.clone());
        let mut outcome = work.outcome_of(call_id, call).await;
        if let Ok(output) = &mut outcome
            && work.cancel.is_cancelled()
        {
            output.text.insert_str(0, STOPPED);
        }
        let caller = self.agent.caller.clone();
        let reported = self.services.broker.report_call(caller, call_id, outcome);
        if let Err(error) = reported.await {
            // The call's own stream tells how it ended.
            tracing::warn!(%error, %call_id, "the broker does not wait for this call any more");
        }
    }

    /// Runs it in a task of its own, so that a panic in it stays there.
    async fn outcome_of(&self, call_id: CallId, call: OwnCall) -> Result<ToolOutput, ToolFailure> {
        let (sink, mut reports) = mpsc::channel::<Report>(PROGRESS_BACKLOG);
        let (work, tools) = (self.clone(), Arc::clone(&self.services.own_tools));
        let permitted = PermittedCall {
            call_id,
            tool: call.tool,
            arguments: call.arguments,
            targets: call.targets,
        };
        let task = tokio::spawn(async move { tools.run(&work, permitted, sink).await });
        let mut task = AbortOnDropHandle::new(task);
        loop {
            tokio::select! {
                biased;
                ended = &mut task => return ended.unwrap_or_else(|_| Err(panicked())),
                Some(report) = reports.recv() => {
                    let told = match report {
                        Report::Progress(progress) => EventBody::ToolProgress {
                            message: text::escape::visible(&progress.message),
                            percent: progress.percent,
                        },
                        Report::Notice(fault) => EventBody::Notice(fault),
                    };
                    self.emit(told, Some(call_id)).await;
                }
            }
        }
    }
}
