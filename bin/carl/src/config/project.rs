//! `.housecarl.toml`: what a project may say. It can only narrow, since whoever writes into a
//! project's folder is not the user.

use super::load::CONFIG_FILE_BYTES;
use crate::files::{self, Links};
use anyhow::Result;
use serde::Deserialize;
use std::path::{Path, PathBuf};

use super::load::parse_toml;

/// A project's wishes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Project {
    /// Tools that no agent may use here.
    pub disabled_tools: Vec<String>,
    /// `true` refuses every connection but loopback. `false` says nothing.
    pub air_gap: bool,
}

/// The file of the workspace or the nearest folder above it, up to the home folder or the root.
///
/// # Errors
/// When the file is there but cannot be read or used.
pub fn find(workspace: &Path, home: &Path) -> Result<Option<(PathBuf, Project)>> {
    for folder in workspace.ancestors() {
        let file = folder.join(".housecarl.toml");
        if let Some(text) = files::text(&file, CONFIG_FILE_BYTES, Links::Refused)? {
            let note = "A project file may only narrow: it takes `disabled_tools` and `air_gap`. \
                Everything else belongs in your own config.toml.";
            let project = parse_toml(&file, &text, note)?;
            return Ok(Some((file, project)));
        }
        if folder == home {
            break;
        }
    }
    Ok(None)
}
