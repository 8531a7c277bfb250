//! `carl config show`: what is in force and where each value came from.

use super::{Loaded, project};
use anyhow::Result;
use figment::Metadata;
use serde_json::Value;
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
    let value = serde_json::to_value(&loaded.config)?;
    let mut lines = Vec::new();
    flatten(&value, "", &mut lines);
    let narrowed = project::find(workspace, home)?;
    let mut out = String::new();
    for (key, value) in lines {
        out.push_str(&format!("{key} = {value}"));
        if origins == Origins::Shown {
            let mut origin = loaded
                .layers
                .find_metadata(&key)
                .map_or("default".to_owned(), name);
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

/// Where a value came from.
pub(super) fn name(metadata: &Metadata) -> String {
    match &metadata.source {
        Some(figment::Source::File(file)) => file.display().to_string(),
        Some(figment::Source::Code(_)) => "default".to_owned(),
        _ => metadata.name.to_string(),
    }
}

fn flatten(value: &Value, prefix: &str, lines: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                let key = if prefix.is_empty() {
                    name.clone()
                } else {
                    format!("{prefix}.{name}")
                };
                flatten(member, &key, lines);
            }
        }
        other => lines.push((prefix.to_owned(), other.to_string())),
    }
}
