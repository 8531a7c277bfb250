//! `carl config show`: what is in force and where each value came from.

use super::VARIABLES;
use super::load::Loaded;
use super::project;
use anyhow::Result;
use configuration::flattened;
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

/// One line a value, sorted by key: `chat.default_agent = "coder"  # default`. On a terminal of a width
/// the origin stands above a value beside which it has no room.
///
/// # Errors
/// When the project file went bad since it was loaded.
pub fn show(
    loaded: &Loaded,
    (origins, width): (Origins, Option<usize>),
    workspace: &Path,
    home: &Path,
) -> Result<String> {
    let lines = flattened(&loaded.config)?;
    let narrowed = project::find(workspace, home)?.found;
    let mut out = String::new();
    for (key, value) in lines {
        // The air gap of models holds for search as well.
        let is_closed =
            key == "search.air_gap" && value == Value::Bool(false) && loaded.config.models.air_gap;
        let value = match is_closed {
            true => Value::Bool(true),
            false => value,
        };
        let line = format!("{key} = {}", plain(&value));
        if origins == Origins::Shown {
            let mut origin = vec![match is_closed {
                true => "by models.air_gap".to_owned(),
                false => VARIABLES.place(&loaded.layers, &key),
            }];
            if let Some((file, wishes)) = &narrowed {
                let is_narrowed = (key == "policy.disabled_tools"
                    && !wishes.disabled_tools.is_empty())
                    || (key == "models.air_gap" && wishes.air_gap);
                if is_narrowed {
                    origin.push(format!("narrowed by {}", file.display()));
                }
            }
            let beside = format!("{line}  # {}", origin.join(", "));
            let is_too_long = width.is_some_and(|width| beside.chars().count() > width);
            out.push_str(&match is_too_long {
                true => format!("# {}\n{line}\n", origin.join("\n# ")),
                false => format!("{beside}\n"),
            });
        } else {
            out.push_str(&format!("{line}\n"));
        }
    }
    Ok(out)
}

/// A value as it is written in the file: a weight of 0.45 is held in 32 bits, and as a number of 64
/// it would be 0.44999998807907104.
#[expect(
    clippy::cast_possible_truncation,
    reason = "it is looked whether that loses anything"
)]
fn plain(value: &Value) -> String {
    match value.as_f64().map(|wide| (wide, wide as f32)) {
        Some((wide, narrow)) if value.is_f64() && f64::from(narrow).to_bits() == wide.to_bits() => {
            format!("{narrow:?}")
        }
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_shown_as_they_are_written() {
        for (value, shown) in [
            (json!(0.45_f32), "0.45"),
            (json!(0.3_f64), "0.3"),
            (json!(0.0), "0.0"),
            (json!(4), "4"),
            (json!("0.45"), "\"0.45\""),
        ] {
            assert_eq!(plain(&value), shown);
        }
    }
}
