//! Where what lies in a place leads: the links in it, those in what they lead to, and what a
//! repository names of itself in other folders.

use crate::{is_inside, link_target, real_path};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest file of a repository that is read for where it leads, bytes.
const GIT_FILE_BYTES: u64 = 256 << 10;
/// The folder of a repository that holds what was committed, in many files and no links.
const OBJECTS: &str = "objects";

/// A path by two names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lead {
    /// Where it lies.
    pub goal: PathBuf,
    /// By which name of the place it is found.
    pub name: PathBuf,
}

/// Where a place leads within these folders: a link, a folder with links, or a repository.
/// `left` is how many entries may be looked at, and is nothing where there were more.
pub fn leads_from(place: &Path, roots: &[PathBuf], left: &mut usize) -> Vec<Lead> {
    let mut found = BTreeSet::new();
    let mut waiting = Vec::new();
    let mut seen = BTreeSet::new();
    let mut leads = git_leads(place);
    let goal = place.is_symlink().then(|| link_target(place)).flatten();
    match goal {
        Some(goal) => leads.push(Lead {
            goal,
            name: place.to_path_buf(),
        }),
        None => waiting.push((place.to_path_buf(), place.to_path_buf())),
    }
    loop {
        for lead in leads.drain(..) {
            if is_inside(&lead.goal, roots) && found.insert(lead.clone()) {
                waiting.push((lead.goal, lead.name));
            }
        }
        let Some((folder, name)) = waiting.pop() else {
            break;
        };
        if !seen.insert(folder.clone()) {
            continue;
        }
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            *left = left.saturating_sub(1);
            if *left == 0 {
                return found.into_iter().collect();
            }
            let (path, name) = (entry.path(), name.join(entry.file_name()));
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_symlink() {
                leads.extend(link_target(&path).map(|goal| Lead { goal, name }));
            } else if kind.is_dir() && !is_store(&path) {
                waiting.push((path, name));
            }
        }
    }
    found.into_iter().collect()
}

fn is_store(folder: &Path) -> bool {
    let above = folder.parent();
    folder.ends_with(OBJECTS) && above.is_some_and(|above| above.join("HEAD").exists())
}

/// What `.git` names of itself elsewhere: the folder that it stands for, and what git runs or reads
/// from there by its configuration.
fn git_leads(place: &Path) -> Vec<Lead> {
    let is_git = place
        .file_name()
        .is_some_and(|name| name.eq_ignore_ascii_case(".git"));
    let Some(work) = place.parent().filter(|_| is_git) else {
        return Vec::new();
    };
    let mut leads = Vec::new();
    let mut lead = |goal: PathBuf, name: PathBuf| {
        let goal = real_path(&goal);
        leads.extend(goal.map(|goal| Lead { goal, name }));
    };
    let mut folder = place.to_path_buf();
    if let Some(goal) = small_file(place).as_deref().and_then(git_folder) {
        folder = work.join(goal);
        lead(folder.clone(), place.to_path_buf());
    }
    let configuration = small_file(&folder.join("config")).unwrap_or_default();
    for (key, value) in settings(&configuration) {
        match key.as_str() {
            "core.hookspath" => lead(work.join(value), place.join("hooks")),
            // The first word of a command.
            "core.fsmonitor" if value.contains('/') => {
                let program = value.split_whitespace().next().unwrap_or_default();
                lead(work.join(program), place.join("config"));
            }
            _ if key.starts_with("include") && key.ends_with(".path") => {
                lead(folder.join(value), place.join("config"));
            }
            _ => {}
        }
    }
    leads
}

fn small_file(path: &Path) -> Option<String> {
    let about = fs::metadata(path).ok()?;
    let is_small = about.is_file() && about.len() <= GIT_FILE_BYTES;
    let bytes = is_small.then(|| fs::read(path).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn git_folder(text: &str) -> Option<&str> {
    text.strip_prefix("gitdir:").map(str::trim)
}

/// The settings of a git configuration, `section.key` in small letters, as far as a line tells them.
fn settings(text: &str) -> Vec<(String, &str)> {
    let mut section = String::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        let line = match line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((named, rest)) => {
                let first = named.split([' ', '\t', '"']).next().unwrap_or_default();
                section = first.to_ascii_lowercase();
                rest.trim()
            }
            None => line,
        };
        if let Some((key, value)) = line.split_once('=') {
            let key = format!("{section}.{}", key.trim().to_ascii_lowercase());
            found.push((key, value.trim().trim_matches('"')));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn goals(place: &Path, root: &Path) -> Vec<String> {
        let mut left = 1_000;
        let found = leads_from(place, &[root.to_path_buf()], &mut left);
        let goal = |lead: Lead| {
            lead.goal
                .strip_prefix(root)
                .map(|p| p.display().to_string())
        };
        found.into_iter().map(|lead| goal(lead).unwrap()).collect()
    }

    #[test]
    fn links_in_a_place_and_in_what_they_lead_to_are_followed() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in [".husky", "x", "y/deep"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        symlink("../x", root.join(".husky/a")).unwrap();
        symlink("../y/deep/f", root.join("x/b")).unwrap();
        symlink("..", root.join(".husky/up")).unwrap();
        symlink("/etc", root.join(".husky/out")).unwrap();
        assert_eq!(goals(&root.join(".husky"), &root), ["x", "y/deep/f"]);
        let mut left = 2;
        leads_from(&root.join(".husky"), &[root], &mut left);
        assert_eq!(left, 0);
    }

    #[test]
    fn a_repository_leads_where_its_files_say() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["sub", "meta/g", "w/.git/objects", "tools/hooks"] {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        fs::write(root.join("sub/.git"), "gitdir: ../meta/g\n").unwrap();
        fs::write(
            root.join("meta/g/config"),
            "[core] hooksPath = \"../tools/hooks\"\n",
        )
        .unwrap();
        let found = goals(&root.join("sub/.git"), &root);
        assert_eq!(found, ["meta/g", "tools/hooks"]);
        let text = "[core]\n\tfsmonitor = ../tools/watch -q\n[Include]\n\tpath = ../../more\n\
                    [branch \"x\"]\n\tmerge = ../tools\n";
        fs::write(root.join("w/.git/config"), text).unwrap();
        fs::write(root.join("w/.git/HEAD"), "ref: x\n").unwrap();
        symlink("../../../tools", root.join("w/.git/objects/link")).unwrap();
        let found = goals(&root.join("w/.git"), &root);
        assert_eq!(found, ["more", "tools/watch"]);
    }
}
