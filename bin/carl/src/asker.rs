//! Who is asked in a session that this command works in.

use crate::audited::on_record;
use crate::open_folders::OpenFolders;
use crate::setting::Setting;
use anyhow::Result;
use api::audit::Audit;
use async_trait::async_trait;
use domain::settings::Attendance;
use std::path::Path;
use std::sync::Arc;
use terminal::request::{Asker, RememberedFolders};

/// Who is asked in such a session of this folder.
#[must_use]
pub fn asker(setting: &Setting, attendance: Attendance, audit: &Arc<dyn Audit>) -> Asker {
    Asker {
        attendance,
        folder: setting.workspace.clone(),
        remembered: Arc::new(Recorded {
            list: OpenFolders::of(&setting.paths),
            audit: Arc::clone(audit),
        }),
    }
}

/// The list of open folders, each change of which is on record before it is made.
struct Recorded {
    list: OpenFolders,
    audit: Arc<dyn Audit>,
}

#[async_trait]
impl RememberedFolders for Recorded {
    fn may_hold(&self, folder: &Path) -> bool {
        self.list.may_hold(folder)
    }

    async fn add(&self, folder: &Path) -> Result<()> {
        on_record(self.audit.as_ref(), "a folder is open for good").await?;
        self.list.add(folder)
    }
}
