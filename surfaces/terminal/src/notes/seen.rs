//! Which versions of a project's notes a session began with: what is changed later is none of it.

use super::file::files;
use super::word::are_used;
use crate::host::Host;
use anyhow::Result;
use domain::hash::Digest;
use domain::settings::SessionProfile;
use std::collections::BTreeMap;
use std::path::Path;
use text::escape::visible_line;

/// The versions of a project's notes at some time, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen(BTreeMap<String, Digest>);

impl Seen {
    /// Those that are there now.
    #[must_use]
    pub fn now(workspace: &Path) -> Self {
        let (files, _) = files(workspace);
        Self(
            files
                .into_iter()
                .map(|file| (file.name, file.version))
                .collect(),
        )
    }

    /// What is said where files have changed, came or went since, and the session shows notes to an
    /// agent; once.
    ///
    /// # Errors
    /// When it is not known whether it does.
    pub async fn change(
        &mut self,
        host: &dyn Host,
        profile: &SessionProfile,
    ) -> Result<Option<String>> {
        let now = Self::now(&profile.settings.workspace);
        let before = std::mem::replace(self, now);
        let differs = |name: &&String| before.0.get(*name) != self.0.get(*name);
        let names = before.0.keys().chain(self.0.keys());
        let mut names: Vec<&String> = names.filter(differs).collect();
        names.sort();
        names.dedup();
        if names.is_empty() || !are_used(host, profile).await? {
            return Ok(None);
        }
        let names: Vec<String> = names.into_iter().map(|name| visible_line(name)).collect();
        let have = if names.len() == 1 { "has" } else { "have" };
        Ok(Some(format!(
            "{} {have} changed; this session goes on with the version that it began with, and /new \
             begins one with what is there now",
            names.join(", ")
        )))
    }
}
