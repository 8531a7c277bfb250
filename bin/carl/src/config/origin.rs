//! `carl config show`: what is in force and where each value came from.

use super::VARIABLES;
use super::load::Loaded;
use super::project;
use anyhow::Result;
use configuration::flattened;
use std::path::Path;

/// Whether origins are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origins {
    /// They are.
    Shown,
    /// They are not.
    Hidden,
}

/// One line a value, sorted by key: `chat.default_agent = "coder"  # default`.
///
/// # Errors
/// When the project file went bad since it was loaded.
pub fn show(loaded: &Loaded, origins: Origins, workspace: &Path, home: &Path) -> Result<String> {
    let lines = flattened(&loaded.config)?;
    let narrowed = project::find(workspace, home)?.found;
    let mut out = String::new();
    for (key, value) in lines {
        out.push_str(&format!("{key} = {value}"));
        if origins == Origins::Shown {
            let mut origin = VARIABLES.place(&loaded.layers, &key);
            if let Some((file, wishes)) = &narrowed {
                let is_narrowed = (key == "policy.disabled_tools"
                    && !wishes.disabled_tools.is_empty())
                    || (key == "models.air_gap" && wishes.air_gap);
                if is_narrowed {
                    origin.push_str(&format!(", narrowed by {}", file.display()));
                }
            }
            out.push_str(&format!("  # {origin}"));
        }
        out.push('\n');
    }
    Ok(out)
}
