//! Which profile counts in a session, and telling broker and log when that changes.

use crate::session::Session;
use crate::session::holders::{Force, Holders};
use crate::session::refused::refused;
use crate::session::shared::Shared;
use crate::work::pictures::facts_of;
use api::models::Models;
use api::sessions::{Error, ErrorKind};
use domain::event::EventBody;
use domain::id::HolderId;
use domain::model::{ModelChoice, ModelClass, ModelRole};
use domain::settings::{Mode, SessionProfile};
use session_log::{Durability, Scope};
use std::sync::{MutexGuard, PoisonError};

impl Session {
    /// Who holds it. Not to be held across an await.
    pub(crate) fn holders(&self) -> MutexGuard<'_, Holders> {
        // A list is changed in one step; a panic beside it leaves it whole.
        self.holders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a holder's profile count for the request that begins; without one, the settled one. What
    /// nobody asked for goes on meanwhile, so the name and the mode stay the session's.
    ///
    /// # Errors
    /// When the broker or the log does not take it: the request must then not begin.
    pub(crate) async fn borrow(
        &self,
        shared: &Shared,
        own: Option<SessionProfile>,
    ) -> Result<(), Error> {
        let mut force = self.force.lock().await;
        let Some(settled) = self.holders().settled().cloned() else {
            return Ok(());
        };
        let wanted = match own {
            Some(own) => SessionProfile {
                name: settled.name.clone(),
                mode: settled.mode,
                ..own
            },
            None => settled.clone(),
        };
        force.is_borrowed = wanted != settled;
        self.put(shared, &mut force, wanted).await
    }

    /// The request that was worked on is over: the settled profile counts again.
    pub(crate) async fn give_back(&self, shared: &Shared) {
        let mut force = self.force.lock().await;
        force.is_borrowed = false;
        self.put_settled(shared, &mut force).await;
    }

    /// The settled profile is another one now: it counts, unless a request brought its own.
    pub(crate) async fn settle(&self, shared: &Shared) {
        let mut force = self.force.lock().await;
        if !force.is_borrowed {
            self.put_settled(shared, &mut force).await;
        }
    }

    /// A holder's profile changes.
    ///
    /// # Errors
    /// As [`Holders::change`], and when the broker does not take it: it then stays as it was.
    pub(crate) async fn change(
        &self,
        shared: &Shared,
        id: HolderId,
        profile: SessionProfile,
    ) -> Result<(), Error> {
        let mut force = self.force.lock().await;
        let before = self.holders().profile_of(id)?.clone();
        let is_settled = self.holders().change(id, profile.clone())?;
        if !is_settled || force.is_borrowed {
            return Ok(());
        }
        // Said even where nothing is new: whoever asked for it sees that it counts.
        force.told = force.told.take().filter(|told| *told != profile);
        let put = self.put(shared, &mut force, profile).await;
        if put.is_err() {
            self.holders().change(id, before)?;
            self.put_settled(shared, &mut force).await;
        }
        put
    }

    async fn put_settled(&self, shared: &Shared, force: &mut Force) {
        let Some(settled) = self.holders().settled().cloned() else {
            return;
        };
        if let Err(error) = self.put(shared, force, settled).await {
            // No request begins before it is put right: see `borrow`.
            tracing::error!(session = %self.id, %error, "a profile could not be put in force");
        }
    }

    async fn put(
        &self,
        shared: &Shared,
        force: &mut Force,
        profile: SessionProfile,
    ) -> Result<(), Error> {
        if force.told.as_ref() == Some(&profile) {
            return Ok(());
        }
        force.told = None;
        let settings = profile.settings.clone();
        let telling = shared.control.configure(self.id, settings);
        telling.await.map_err(refused)?;
        let configured = EventBody::SessionConfigured {
            profile: profile.clone(),
        };
        let scope = Scope::default();
        let emitting = self.emitter.emit(scope, configured, Durability::Written);
        emitting.await?;
        force.told = Some(profile);
        self.refresh_prompts(&shared.config).await;
        Ok(())
    }
}

/// Whether a session can be opened with a profile.
///
/// # Errors
/// [`ErrorKind::InvalidRequest`] when its working folder is no absolute path.
pub(crate) fn check(profile: &SessionProfile) -> Result<(), Error> {
    if profile.mode == Mode::Command {
        let detail = "No session is held in the mode `command`: it is for one request.";
        return Err(Error::new(ErrorKind::InvalidRequest, detail));
    }
    if profile.settings.workspace.is_absolute() {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::InvalidRequest,
        format!(
            "The working folder must be an absolute path, not `{}`.",
            profile.settings.workspace.display()
        ),
    ))
}

/// Refuses auto mode where the model is known to be tiny: what it would do by itself, it would do by chance.
pub(crate) async fn check_auto(
    models: &dyn Models,
    profile: &SessionProfile,
    role: ModelRole,
) -> Result<(), Error> {
    if profile.mode != Mode::Auto {
        return Ok(());
    }
    let choice = profile.model.clone().unwrap_or(ModelChoice::Role(role));
    if facts_of(models, choice).await.class != Some(ModelClass::Tiny) {
        return Ok(());
    }
    let detail = "Auto mode works on by itself, and the model has fewer than a billion parameters: it would go on \
                  by chance.";
    Err(Error::new(ErrorKind::InvalidRequest, detail).with_hint(
        "Choose a larger model (`--model`, `/model`, or `fast` under [models.roles]), or another mode, such as \
         `--mode adaptive`.",
    ))
}
