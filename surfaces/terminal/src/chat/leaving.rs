//! Leaving a session: what still runs in the background ends with it, and is named before.

use super::conversation::Chat;
use crate::exit::OrFail;
use anyhow::Result;
use api::sessions::Selection;

impl Chat<'_> {
    /// Whether the chat ends now that the user leaves. The first time it does not where jobs would end
    /// with it: nothing tells beforehand that their work would be lost.
    ///
    /// # Errors
    /// When the terminal cannot be written.
    pub(super) async fn leaves(&mut self) -> Result<bool> {
        let ending = self.ending_jobs().await;
        if ending.is_empty() || self.is_leaving {
            self.tell_stopped(&ending)?;
            return Ok(true);
        }
        self.is_leaving = true;
        for job in ending {
            self.tell(&format!(
                "the job `{job}` still runs, and ends with this chat"
            ))?;
        }
        self.tell("leave once more to stop it, or wait for its end")?;
        Ok(false)
    }

    /// Says that SIGTERM ends the chat, and which jobs end with it. The chat ends in order where the
    /// terminal is gone as well.
    pub(super) async fn tell_of_termination(&mut self) {
        let ending = self.ending_jobs().await;
        let told = self.tell("asked to end (SIGTERM)");
        if let Err(error) = told.and_then(|()| self.tell_stopped(&ending)) {
            tracing::debug!(%error, "nobody is told of the end");
        }
    }

    /// The jobs that end when the chat leaves its session: none while another window has it open, nor
    /// where it cannot be read any more.
    pub(super) async fn ending_jobs(&self) -> Vec<String> {
        match self.jobs_held_here().await {
            Ok(jobs) => jobs,
            Err(error) => {
                tracing::debug!(%error, "whether jobs run is not known");
                Vec::new()
            }
        }
    }

    async fn jobs_held_here(&self) -> Result<Vec<String>> {
        let id = self.session.session_id;
        let known = self.host.sessions().list(Selection::Id(id.to_string()));
        let holders: u32 = known.await.or_fail()?.iter().map(|one| one.holders).sum();
        if holders > 1 {
            return Ok(Vec::new());
        }
        let so_far = self.so_far().await?;
        Ok(so_far.background().jobs().iter().cloned().collect())
    }

    /// Says which jobs ended with the session that the chat left.
    pub(super) fn tell_stopped(&mut self, jobs: &[String]) -> Result<()> {
        jobs.iter()
            .try_for_each(|job| self.tell(&format!("the job `{job}` still ran; it is stopped now")))
    }
}
