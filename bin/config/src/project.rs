//! `.housecarl.toml`: what a project may say. It can only narrow, since whoever writes into a
//! project's folder is not the user.

use super::usage;
use anyhow::Result;
use configuration::{FILE_BYTES, parse_toml};
use disk::ancestry::{self, Entry};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use terminal::exit::Failure;
use text::escape::visible_line;
use text::secrets::is_a_key;

const NAME: &str = ".housecarl.toml";

/// A project's wishes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Project {
    /// Tools that no agent may use here.
    pub disabled_tools: Vec<String>,
    /// `true` refuses every connection but loopback. `false` says nothing.
    pub air_gap: bool,
}

/// What was looked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Search {
    /// The file, and what it says.
    pub found: Option<(PathBuf, Project)>,
    /// Files that somebody else put above the working folder: one line each.
    pub ignored: Vec<String>,
}

/// The file of the workspace or the nearest folder above it, up to the home folder or the root. Who
/// works in a folder takes what it forbids, whoever wrote it; above it, only the user's own counts.
///
/// # Errors
/// When a file that counts cannot be read or used.
pub fn find(workspace: &Path, home: &Path) -> Result<Search> {
    let mut search = Search::default();
    for (above, folder) in ancestry::of(workspace)?.into_iter().enumerate() {
        let file = folder.path.join(NAME);
        let shown = visible_line(&file.display().to_string());
        let entry = match above {
            0 => folder.read_of_anyone(NAME, FILE_BYTES),
            _ => folder.read(NAME, FILE_BYTES),
        };
        match entry {
            Entry::Absent => {}
            Entry::Text(bytes) => {
                let text = String::from_utf8(bytes).map_err(|error| {
                    unusable(&format!("{shown} cannot be read as UTF-8 text: {error}"))
                })?;
                let note = "A project file may only narrow: it takes `disabled_tools` and \
                    `air_gap`. Everything else belongs in your own config.toml.";
                search.found = Some((
                    file.clone(),
                    parse_toml(&file, &text, note, is_a_key).map_err(usage)?,
                ));
                return Ok(search);
            }
            Entry::Refused {
                why,
                is_foreign: true,
            } if above > 0 => search.ignored.push(format!("{shown} is ignored: it {why}")),
            Entry::Refused { why, .. } => return Err(unusable(&format!("{shown} {why}")).into()),
        }
        if folder.path == home {
            break;
        }
    }
    Ok(search)
}

fn unusable(problem: &str) -> Failure {
    Failure::usage(
        problem.to_owned(),
        "Make it a plain file that you can read, or take it away.",
    )
}
