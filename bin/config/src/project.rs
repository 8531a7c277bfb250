//! `.housecarl.toml`: what a project may say. By itself it can only narrow, since whoever writes into a
//! project's folder is not the user. Its checks run once the user accepted that very version.

use super::usage;
use anyhow::Result;
use configuration::{FILE_BYTES, parse_toml};
use disk::ancestry::{self, Entry};
use domain::hash::Digest;
use domain::limits::CHECKS;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use terminal::exit::Failure;
use terminal::notes;
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
    /// Programs with their arguments that run after each batch of changes, in order, up to the first
    /// that fails; at most [`CHECKS`]. They count for the version that the user trusts, and no other.
    pub check: Vec<String>,
    /// Which version of the file it is.
    #[serde(skip)]
    pub version: Option<Digest>,
}

impl Project {
    /// What a file says.
    ///
    /// # Errors
    /// A usage failure when it cannot be used.
    pub fn parse(file: &Path, bytes: &[u8]) -> Result<Self> {
        let shown = visible_line(&file.display().to_string());
        let text = std::str::from_utf8(bytes)
            .map_err(|error| unusable(&format!("{shown} cannot be read as UTF-8 text: {error}")))?;
        let note = "A project file takes `disabled_tools`, `air_gap` and `check`. Everything else \
                    belongs in your own config.toml.";
        let mut project: Self = parse_toml(file, text, note, is_a_key).map_err(usage)?;
        project.version = Some(notes::version(file, bytes));
        project.checks(file)?;
        Ok(project)
    }

    /// Its checks, each a program with its arguments.
    ///
    /// # Errors
    /// A usage failure for a check that is no program with arguments.
    pub fn checks(&self, file: &Path) -> Result<Vec<Vec<String>>> {
        let shown = visible_line(&file.display().to_string());
        if self.check.len() > CHECKS {
            let problem = format!("{shown}: check has {}, at most {CHECKS}", self.check.len());
            return Err(Failure::usage(problem, "Name a script that runs them all.").into());
        }
        let argv = |line: &String| {
            words_of(line).map_err(|why| {
                let problem = format!("{shown}: check \"{}\" {why}", visible_line(line));
                let hint = "Write a program with its arguments, such as \"cargo check -q\"; a script \
                            can do more.";
                Failure::usage(problem, hint).into()
            })
        };
        self.check.iter().map(argv).collect()
    }
}

/// A program with its arguments as a shell would split them; why it is none.
fn words_of(line: &str) -> Result<Vec<String>, &'static str> {
    let words = shlex::split(line).ok_or("has a quote that is not closed")?;
    let is_for_a_shell = |word: &String| {
        ["|", "||", "&", "&&", ";", "<", ">", ">>", "2>&1"].contains(&word.as_str())
            || word.ends_with(';')
            || word.contains("$(")
    };
    match words.first() {
        None => Err("is empty"),
        Some(_) if words.iter().any(is_for_a_shell) => Err("is a line for a shell"),
        Some(_) => Ok(words),
    }
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
                let project = Project::parse(&file, &bytes)?;
                search.found = Some((file, project));
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
