//! Who is asked, and where a yes is kept that they want remembered.

use super::view::View;
use crate::audited::on_record;
use crate::open_folders::OpenFolders;
use anyhow::Result;
use api::audit::Audit;
use domain::settings::Attendance;
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
        let folder = quoted_argv(&[self.folder.to_string_lossy()]);
        view.remark(&match self.keep().await {
            Ok(()) => format!("remembered; `carl policy forget {folder}` takes it back"),
            Err(error) => format!("open for this session, but not remembered: {error:#}"),
        })
    }

    async fn keep(&self) -> Result<()> {
        on_record(self.audit.as_ref(), "a folder is open for good").await?;
        self.remembered.add(&self.folder)
    }
}
