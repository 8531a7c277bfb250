//! `glob`.

use crate::arguments;
use crate::job::Job;
use crate::look::{joined, lines_or};
use crate::record::Glob;
use crate::spelling::composed;
use crate::walk::{End, Ignore, Step, Walk};
use api::executor::ToolFailure;
use api::failure::{mendable, of_call};
use domain::limits::{LISTING_ENTRIES, WALK_DEPTH};
use domain::tool::ToolOutput;
use globset::{GlobBuilder, GlobMatcher};
use rustix::fs::FileType;
use std::path::Path;

pub(crate) fn run(job: &Job<'_>) -> Result<ToolOutput, ToolFailure> {
    let wanted: arguments::Glob = job.call.parse_arguments()?;
    let pattern = Pattern::new(&wanted.pattern)?;
    let place = job.read_place("path")?;
    let folder = place.reach_folder()?;
    let typed = job.typed("path");
    let walk = Walk {
        place: &place,
        leash: job.leash,
        depth: WALK_DEPTH,
        ignore: Ignore::AsGit,
    };
    let mut paths = Vec::new();
    let end = walk.run(&folder, &mut |entry| {
        job.leash
            .tell(|| format!("{} files found so far", paths.len()));
        if entry.kind == FileType::Directory || !pattern.fits(entry.path) {
            return Ok(Step::Go);
        }
        if paths.len() >= LISTING_ENTRIES {
            return Ok(Step::Stop);
        }
        paths.push(joined(&typed, entry.path));
        Ok(Step::Go)
    })?;
    let truncated = end == End::Part;
    let none = "No file matches. Files that .gitignore names were not looked at.";
    let text = lines_or(paths.iter().cloned(), none, truncated);
    job.output(&Glob { paths, truncated }, text, &typed)
}

/// A name pattern, or with a `/` in it a path pattern.
struct Pattern {
    matcher: GlobMatcher,
    /// The pattern as a name: a file that is called `[Draft] a.md` is found by its name.
    name: String,
    is_path: bool,
}

impl Pattern {
    fn new(pattern: &str) -> Result<Self, ToolFailure> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        if pattern.starts_with('/') {
            return Err(mendable(
                "bad_pattern",
                "The pattern cannot begin with `/`: give the folder as path.",
            ));
        }
        let composed = composed(pattern);
        let glob = GlobBuilder::new(&composed).literal_separator(true).build();
        match glob {
            Ok(glob) => Ok(Self {
                matcher: glob.compile_matcher(),
                is_path: pattern.contains('/'),
                name: composed,
            }),
            Err(error) => Err(mendable(
                "bad_pattern",
                of_call(format!("The pattern cannot be used: {}.", error.kind())),
            )),
        }
    }

    fn fits(&self, path: &Path) -> bool {
        let compared = match self.is_path {
            true => Some(path.as_os_str()),
            false => path.file_name(),
        };
        compared.is_some_and(|path| match path.to_str() {
            Some(text) => {
                let text = composed(text);
                self.matcher.is_match(&text) || text == self.name
            }
            None => self.matcher.is_match(path),
        })
    }
}
