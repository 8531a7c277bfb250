//! Rubrics: those that come along, and the user's own Markdown files in their place.

use anyhow::{Context as _, Result};
use disk::read::{Links, text};
use quality::{Rubric, Rubrics};
use std::io::ErrorKind;
use std::path::Path;
use terminal::exit::Failure;

/// Longest file that is looked at, bytes; a rubric is shorter.
const FILE_BYTES: u64 = 64 * 1024;

/// The rubrics, with the user's from a folder that need not be there.
///
/// # Errors
/// Where a file that ends in `.md` is no rubric.
pub fn read(folder: &Path) -> Result<Rubrics> {
    let mut rubrics = Rubrics::shipped();
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(rubrics),
        Err(error) => return Err(error).context(format!("{} cannot be read", folder.display())),
    };
    for entry in entries {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        let is_markdown = path.extension().is_some_and(|ending| ending == "md");
        let name = path.file_stem().and_then(|name| name.to_str());
        let Some(name) = name.filter(|_| is_markdown) else {
            continue;
        };
        let refused = |why: String| {
            Failure::usage(
                format!("{} is no rubric: {why}", path.display()),
                "Say in it what each grade means, in lines such as `- 5: right and complete`, or take \
                 the file away.",
            )
        };
        let read = text(&path, FILE_BYTES, Links::Followed);
        let read = read.map_err(|error| refused(error.to_string()))?;
        let rubric = Rubric::new(name, &read.unwrap_or_default());
        rubrics.put(rubric.map_err(|fault| refused(fault.to_string()))?);
    }
    Ok(rubrics)
}
