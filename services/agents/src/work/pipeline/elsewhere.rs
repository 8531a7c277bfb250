//! Files that a request may mean by a name that is not there: looked up without a call, since what is told is
//! what the user typed and where it stands.

use super::stage::Stop;
use crate::work::Work;
use disk::stored::as_stored;
use domain::fault::Fault;
use std::collections::VecDeque;
use std::path::PathBuf;
use text::escape::visible_line;

/// Folders below the workspace that are looked through, in levels.
const LEVELS: usize = 3;
/// Most entries that are looked at.
const LOOKED_AT: usize = 10_000;
/// Most files that are named.
const NAMED: usize = 5;

/// The names of the files in the workspace itself.
pub(super) async fn files_here(work: &Work) -> Vec<String> {
    files(work, 0, |_| true, LOOKED_AT).await
}

/// The paths of the files in the workspace and in the folders below.
pub(in crate::work) async fn all_files(work: &Work) -> Vec<String> {
    files(work, LEVELS, |_| true, LOOKED_AT).await
}

/// The files in the workspace that have a name without its folder, or without its ending where it has none.
pub(super) async fn files_called(work: &Work, path: &str) -> Vec<String> {
    let is_outside = path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..");
    if is_outside {
        return Vec::new();
    }
    // Of a path the folder may be misspelt.
    let name = path.rsplit('/').next().unwrap_or(path);
    let typed = name.to_lowercase();
    let has_folder = path.contains('/');
    let is_called = move |name: &str| {
        let name = name.to_lowercase();
        let stem = name.rsplit_once('.').map(|(stem, _)| stem);
        name == typed || (!has_folder && stem == Some(typed.as_str()))
    };
    files(work, LEVELS, is_called, NAMED).await
}

/// The folders that files are in, with those above them.
pub(super) fn folders_of(files: &[String]) -> Vec<String> {
    let parents = |path: &String| -> Vec<String> {
        let ends = path.match_indices('/').map(|(at, _)| path[..at].to_owned());
        ends.collect()
    };
    let mut folders: Vec<String> = files.iter().flat_map(parents).collect();
    folders.sort();
    folders.dedup();
    folders
}

/// What is said where several files have a name that is not there as it was typed.
pub(super) fn which(path: &str, several: &[String]) -> Stop {
    let several: Vec<String> = several
        .iter()
        .map(|one| visible_line(one).to_string())
        .collect();
    Stop::failed(Fault {
        code: "plan.step_failed".to_owned(),
        message: format!(
            "There is no {} here. There are {}. Nothing was done.",
            visible_line(path),
            several.join(", ")
        ),
        hint: "Name one with its folder.".to_owned(),
    })
}

/// Whether a folder is passed over: a hidden one, but for those in which projects keep files of their own.
fn is_hidden(name: &str) -> bool {
    const OF_PROJECTS: [&str; 4] = [".github", ".circleci", ".config", ".vscode"];
    name.starts_with('.') && !OF_PROJECTS.contains(&name)
}

/// Files of the workspace, to a depth, that have a name; hidden folders and links are passed over.
async fn files(
    work: &Work,
    levels: usize,
    is_called: impl Fn(&str) -> bool,
    most: usize,
) -> Vec<String> {
    let root = as_stored(&work.request.profile.settings.workspace);
    let mut folders = VecDeque::from([(root, String::new(), 0)]);
    let (mut found, mut seen) = (Vec::new(), 0);
    while let Some((place, shown, level)) = folders.pop_front() {
        let Ok(mut listed) = tokio::fs::read_dir(&place).await else {
            continue;
        };
        while let Ok(Some(entry)) = listed.next_entry().await {
            seen += 1;
            if seen > LOOKED_AT || found.len() >= most {
                found.sort();
                return found;
            }
            let (Ok(kind), Ok(name)) = (entry.file_type().await, entry.file_name().into_string())
            else {
                continue;
            };
            let path = format!("{shown}{name}");
            if kind.is_file() && is_called(&name) {
                found.push(path);
            } else if kind.is_dir() && level < levels && !is_hidden(&name) {
                let below: PathBuf = place.join(&name);
                folders.push_back((below, format!("{path}/"), level + 1));
            }
        }
    }
    found.sort();
    found
}
