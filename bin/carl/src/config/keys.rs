//! Each value of the configuration by its key, and where it came from.

use super::Config;
use anyhow::Result;
use figment::{Figment, Metadata};
use serde_json::Value;

/// Every value by its key, such as `chat.default_agent`, sorted.
///
/// # Errors
/// When a value has no JSON form.
pub fn flattened(config: &Config) -> Result<Vec<(String, Value)>> {
    let value = serde_json::to_value(config)?;
    let mut lines = Vec::new();
    flatten(&value, "", &mut lines);
    Ok(lines)
}

/// Where the value of a key comes from: a file, a variable of the environment, or `default`.
#[must_use]
pub fn place(layers: &Figment, key: &str) -> String {
    let found = layers.find_metadata(key);
    found.map_or_else(|| "default".to_owned(), |found| source_of(found, key))
}

/// Where a value came from: a file, the variable that sets the key, or `default`.
pub(super) fn source_of(metadata: &Metadata, key: &str) -> String {
    match &metadata.source {
        Some(figment::Source::File(file)) => file.display().to_string(),
        Some(figment::Source::Code(_)) => "default".to_owned(),
        _ => variable(key),
    }
}

/// The variable of the environment that sets a key, as it is written there.
pub(super) fn variable(key: &str) -> String {
    let usual = format!("CARL_{}", key.replace('.', "__").to_uppercase());
    let is_it = |name: &String| {
        let name = name.to_uppercase();
        let rest = name.strip_prefix(&usual);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
    };
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    // A whole section is set by the keys in it; the key itself goes first.
    let found = names.filter(is_it).min_by_key(String::len);
    found.unwrap_or(usual)
}

fn flatten(value: &Value, prefix: &str, lines: &mut Vec<(String, Value)>) {
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
        other => lines.push((prefix.to_owned(), other.clone())),
    }
}
