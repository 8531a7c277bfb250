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
        ignore: Ignore::unless(wanted.ignored),
    };
    let (mut paths, mut other_case) = (Vec::new(), Vec::new());
    let end = walk.run(&folder, &mut |entry| {
        job.leash
            .tell(|| format!("{} files found so far", paths.len()));
        let fit = pattern.fit(entry.path);
        if entry.kind == FileType::Directory || fit == Fit::None {
            return Ok(Step::Go);
        }
        if fit == Fit::OtherCase {
            if other_case.len() < LISTING_ENTRIES {
                other_case.push(joined(&typed, entry.path));
            }
            return Ok(Step::Go);
        }
        if paths.len() >= LISTING_ENTRIES {
            return Ok(Step::Stop);
        }
        paths.push(joined(&typed, entry.path));
        Ok(Step::Go)
    })?;
    let mut truncated = end == End::Part;
    let is_other_case = paths.is_empty() && !other_case.is_empty();
    if is_other_case {
        truncated |= other_case.len() == LISTING_ENTRIES;
        paths = other_case;
    }
    let none = match wanted.ignored {
        true => "No file matches.",
        false => {
            "No file matches. Files that .gitignore names were not looked at; ignored has them \
             looked at too."
        }
    };
    let note = match is_other_case {
        true => "(no file matches in the same small and capital letters; in any:)\n",
        false => "",
    };
    let text = format!("{note}{}", lines_or(paths.iter().cloned(), none, truncated));
    job.output(&Glob { paths, truncated }, text, &typed)
}

/// How a path is as a pattern wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fit {
    None,
    /// But for small and capital letters.
    OtherCase,
    Whole,
}

/// A name pattern, or with a `/` in it a path pattern.
struct Pattern {
    matcher: GlobMatcher,
    any_case: GlobMatcher,
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
        let built = |is_any_case| {
            let mut glob = GlobBuilder::new(&composed);
            let glob = glob.literal_separator(true).case_insensitive(is_any_case);
            glob.build().map(|glob| glob.compile_matcher())
        };
        match built(false).and_then(|matcher| Ok((matcher, built(true)?))) {
            Ok((matcher, any_case)) => Ok(Self {
                matcher,
                any_case,
                is_path: pattern.contains('/'),
                name: composed,
            }),
            Err(error) => Err(mendable(
                "bad_pattern",
                of_call(format!("The pattern cannot be used: {}.", error.kind())),
            )),
        }
    }

    fn fit(&self, path: &Path) -> Fit {
        let compared = match self.is_path {
            true => Some(path.as_os_str()),
            false => path.file_name(),
        };
        let Some(compared) = compared else {
            return Fit::None;
        };
        let text = compared.to_str().map(composed);
        let name = text.as_ref().map_or(Path::new(compared), Path::new);
        let is_named = text.as_ref().is_some_and(|text| *text == self.name);
        match is_named || self.matcher.is_match(name) {
            true => Fit::Whole,
            false if self.any_case.is_match(name) => Fit::OtherCase,
            false => Fit::None,
        }
    }
}
