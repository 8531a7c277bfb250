//! What the user of a session sees of its programs: those that calls wait for, jobs, and what is kept of
//! those that have ended. No agent sees it here, so that nothing depends on what a call may reach.

use crate::jobs::{Jobs, View, how};
use api::programs::{ProgramId, ProgramState, SeenProgram};
use api::sandbox::Said;
use domain::id::SessionId;
use std::sync::Arc;
use std::time::Duration;

/// A job, running or ended.
fn of_job(job: View) -> SeenProgram {
    let outcome = job.outcome.borrow().clone();
    let (state, age) = match outcome.as_deref() {
        None => (ProgramState::Running, job.began.elapsed()),
        Some(Ok((finished, _))) => {
            let words = how(finished, job.why());
            (ProgramState::Ended(words), finished.took)
        }
        Some(Err(failure)) => {
            let words = format!("did not run ({})", failure.rule);
            (ProgramState::Ended(words), Duration::ZERO)
        }
    };
    SeenProgram {
        id: ProgramId::Job(job.name.clone()),
        command: job.command.clone(),
        state,
        age,
        look: Arc::new(move || match outcome.as_deref() {
            None => job.said(),
            Some(Ok((finished, _))) => Said {
                stdout: finished.stdout.clone(),
                stderr: finished.stderr.clone(),
            },
            // Why it is not shown to the agent is why it is not shown at all.
            Some(Err(_)) => Said::default(),
        }),
    }
}

impl Jobs {
    /// Everything that a session's user can look at, in the order in which it began.
    pub(crate) fn programs(&self, session_id: SessionId) -> Vec<SeenProgram> {
        let mut all = self.shown().of(session_id);
        let jobs = self.every(session_id).into_iter();
        all.extend(jobs.map(|job| (job.began, of_job(job))));
        all.sort_by_key(|(began, _)| *began);
        all.into_iter().map(|(_, program)| program).collect()
    }
}
