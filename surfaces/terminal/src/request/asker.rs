//! Who is asked, and where a yes is kept that they want remembered.

use super::view::View;
use crate::render::confirm::Memory;
use anyhow::Result;
use async_trait::async_trait;
use domain::settings::Attendance;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folders that the user opened for writing for good.
#[async_trait]
pub trait RememberedFolders: Send + Sync {
    /// Whether a yes to a folder can be kept.
    fn may_hold(&self, folder: &Path) -> bool;

    /// Puts a yes to a folder on record, then keeps it.
    ///
    /// # Errors
    /// When it cannot be recorded or kept.
    async fn add(&self, folder: &Path) -> Result<()>;
}

/// Who is there to be asked, and what they want remembered.
#[derive(Clone)]
pub struct Asker {
    /// Whether anyone is.
    pub attendance: Attendance,
    /// The folder that a session writes in.
    pub folder: PathBuf,
    /// Where a yes to it is kept.
    pub remembered: Arc<dyn RememberedFolders>,
}

impl Asker {
    pub(super) fn memory(&self) -> Memory {
        if self.remembered.may_hold(&self.folder) {
            Memory::Offered
        } else {
            Memory::None
        }
    }

    /// Keeps a yes, and says so; a list that cannot be written takes nothing from the yes itself.
    pub(super) async fn remember(&self, view: &mut dyn View) -> Result<()> {
        let folder = self.folder.display();
        let kept = self.remembered.add(&self.folder).await;
        view.remark(&match kept {
            Ok(()) => format!("remembered; `carl policy forget {folder}` takes it back"),
            Err(error) => format!("open for this session, but not remembered: {error:#}"),
        })
    }
}
