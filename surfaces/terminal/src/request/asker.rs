//! Who is asked, and where a yes is kept that they want remembered.

use super::view::View;
use crate::audited::on_record;
use crate::open_folders::OpenFolders;
use anyhow::Result;
use api::audit::Audit;
use domain::settings::{Attendance, SessionProfile};
use rendering::confirm::Memory;
use std::path::PathBuf;
use std::sync::Arc;
use text::escape::quoted_argv;

/// Who is there to be asked, and what they want remembered.
#[derive(Clone)]
pub struct Asker {
    /// Whether anyone is.
    pub attendance: Attendance,
    /// The folder that a session writes in.
    pub folder: PathBuf,
    /// Where a yes to it is kept.
    pub remembered: OpenFolders,
    /// Where that is put on record first.
    pub audit: Arc<dyn Audit>,
    /// What is said where the process that takes the answer is stopped, and what to do then.
    pub stopped: Arc<dyn Fn() -> Option<(String, String)> + Send + Sync>,
}

impl Asker {
    /// Whether a yes to the folder can be remembered.
    #[must_use]
    pub fn memory(&self) -> Memory {
        if self.remembered.may_hold(&self.folder) {
            Memory::Offered
        } else {
            Memory::None
        }
    }

    /// What another session in this folder is begun with: open for writing where a yes to the folder is kept,
    /// perhaps one of the session before.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub fn anew(&self, profile: &SessionProfile) -> Result<SessionProfile> {
        let mut profile = SessionProfile {
            name: String::new(),
            ..profile.clone()
        };
        if self
            .remembered
            .read()?
            .contains(&profile.settings.workspace)
        {
            let workspace = profile.settings.workspace.clone();
            profile.settings.allow_write.insert(workspace);
        }
        Ok(profile)
    }

    /// Says so where an answer waits until the process that takes it goes on.
    pub(super) fn tell_of_stopped(&self, view: &mut dyn View) -> Result<()> {
        let Some((message, hint)) = (self.stopped)() else {
            return Ok(());
        };
        view.remark(&format!("{message}; the answer waits until it goes on"))?;
        view.remark(&format!("  {hint}"))
    }

    /// Keeps a yes, and says so; a list that cannot be written takes nothing from the yes itself.
    pub(super) async fn remember(&self, view: &mut dyn View) -> Result<()> {
        let folder = quoted_argv(&[self.folder.to_string_lossy()]);
        view.remark(&match self.keep().await {
            Ok(()) => format!("remembered; `carl policy forget {folder}` takes it back"),
            Err(error) => format!("open for this session, but not remembered: {error:#}"),
        })
    }

    /// Keeps a yes to the folder, on record first.
    ///
    /// # Errors
    /// When it cannot be put on record or the list cannot be written.
    pub async fn keep(&self) -> Result<()> {
        on_record(self.audit.as_ref(), "a folder is open for good").await?;
        self.remembered.add(&self.folder)
    }
}
