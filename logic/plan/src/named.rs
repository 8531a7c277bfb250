//! What a request names: files and folders by path, places and texts.

use crate::quoted::marked;
use crate::rules::plain;
use crate::rules::words::{is_file, is_path, trim_word};
use crate::{names, orders};
use domain::plan::{Action, Plan};

/// Whether a request names a path, by its whole name or without the ending: `the licence file` is
/// LICENCE.txt.
pub(crate) fn is_named(request: &str, path: &str) -> bool {
    let path = path.trim_end_matches('/').to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_said = |name: &str| !name.is_empty() && names::whole(request, name).is_some();
    // `a` names no a.log.
    let is_a_name = stem.chars().count() > 2 && !plain::joins(stem);
    is_said(&path) || is_said(name) || (is_a_name && is_said(stem))
}

/// Whether a request names a path in any letters, also by a word and a number: `chapter 3`.
pub(crate) fn is_named_so(request: &str, path: &str) -> bool {
    let request = request.to_lowercase();
    let words: Vec<&str> = request.split_whitespace().collect();
    let numbered = words.windows(2).any(|pair| {
        let number = pair[1].trim_matches(|c: char| !c.is_alphanumeric());
        let joints = ["", "-", "_", "0", "-0", "_0"];
        let is_it = |joint: &&str| is_named(&format!("{}{joint}{number}", pair[0]), path);
        number.parse::<u32>().is_ok() && joints.iter().any(is_it)
    });
    numbered || is_named(&request, path)
}

/// Whether a file with an ending is to become one without, at no other place.
pub(crate) fn is_a_name(from: &str, to: &str) -> bool {
    from.contains('.') && !to.contains(['.', '/'])
}

/// Whether a request speaks of what is in a file: `Tom from novel.md`.
pub(crate) fn is_in_it(request: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let path = path.to_lowercase();
    let at = names::whole(request, &path).or_else(|| names::whole(request, &name));
    let mut before = request[..at.unwrap_or_default()].split_whitespace().rev();
    let last = before.find(|word| !["the", "my", "file"].contains(word));
    last.is_some_and(|word| ["from", "of", "in", "out", "inside", "within"].contains(&word))
}

/// Whether a request names where a file goes: its new name, or its folder where it keeps its own.
pub(crate) fn is_place(request: &str, from: &str, to: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    match to.rsplit_once('/') {
        Some((folder, _)) if name(from) == name(to) => is_named(request, folder),
        _ => is_named(request, to),
    }
}

/// Whether a request has a text in quotes that is none of these paths, by its whole name or without the ending: it
/// speaks of what stands in a file.
pub(crate) fn quotes_another(request: &str, paths: &[&str]) -> bool {
    let (_, quotes) = marked(request);
    let is_of_one = |text: &String| {
        paths
            .iter()
            .any(|path| is_named(text, path) || is_within(path, text))
    };
    !quotes.iter().all(is_of_one)
}

/// Whether a text is a folder of a path.
fn is_within(path: &str, text: &str) -> bool {
    let folder = text.trim_end_matches('/').to_lowercase();
    let path = path.to_lowercase();
    path.strip_prefix(&folder)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a file is to get a new name, and none of a request stands where a new name does: with spaces it is one in
/// quotes alone.
pub(crate) fn is_no_new_name(request: &str, from: &str, to: &str) -> bool {
    let name = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let new = name(to);
    if name(from) == new {
        return false;
    }
    let (_, quotes) = marked(request);
    let is_quoted = quotes
        .iter()
        .any(|text| name(text.trim_end_matches('/')) == new);
    let stem = new.rsplit_once('.').map_or(new.as_str(), |(stem, _)| stem);
    let is_spaced = new.contains(char::is_whitespace);
    !is_quoted && (is_spaced || !(is_new_name(request, &new) || is_new_name(request, stem)))
}

/// Whether the texts stand in a request, as words of their own.
pub(crate) fn is_said(request: &str, texts: &[&String]) -> bool {
    let lower = |text: &&String| text.trim().to_lowercase();
    texts
        .iter()
        .map(lower)
        .all(|text| text.is_empty() || names::whole(request, &text).is_some())
}

/// Whether a text is a quote out of more that was typed, such as the `1` of `serde = "1"`.
pub(crate) fn is_part_of_more(request: &str, text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let around = ['"', '\''].into_iter().filter_map(|mark| {
        let quoted = format!("{mark}{text}{mark}");
        let at = request.find(&quoted)?;
        Some((&request[..at], &request[at + quoted.len()..]))
    });
    let mut around = around;
    !text.is_empty()
        && around.any(|(before, after)| {
            before.trim_end().ends_with('=') || after.trim_start().starts_with([':', '='])
        })
}

/// The names of files in a request, each once, without those in quotes, which may be of a text.
#[must_use]
pub fn files_of(request: &str) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for file in words_of_files(request) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// The names of files in a request, without those in quotes, which may be of a text.
pub(crate) fn words_of_files(request: &str) -> impl Iterator<Item = String> {
    let request = orders::without_quotes(request);
    let words: Vec<String> = request
        .split_whitespace()
        .map(|word| {
            trim_word(word)
                .trim_matches(['(', ')', '\'', '`', ','])
                .to_owned()
        })
        .collect();
    words
        .into_iter()
        .filter(|word| is_file(word) && !word.contains("://"))
}

/// Words for a folder.
const FOLDER: [&str; 5] = ["folder", "directory", "dir", "ordner", "carpeta"];
/// Words beside one that are no name of it.
const NO_NAME: [&str; 38] = [
    "the", "this", "that", "a", "an", "my", "our", "your", "each", "every", "which", "what", "any",
    "other", "same", "current", "working", "whole", "is", "are", "in", "of", "has", "have", "with",
    "for", "and", "to", "der", "dem", "diesem", "la", "esta", "contain", "contains", "there",
    "here", "new",
];
/// Those that say that the working folder is meant.
const THIS: [&str; 7] = ["the", "this", "current", "working", "our", "diesem", "esta"];

/// The folders that a request names, each once: by a path, or beside a word for a folder; `.` where it
/// speaks of this folder and names none. Names in quotes may be of a text.
#[must_use]
pub fn folders_of(request: &str) -> Vec<String> {
    let request = orders::without_quotes(request);
    let marks = ['(', ')', '\'', '`', ','];
    let words: Vec<&str> = request
        .split_whitespace()
        .map(|word| trim_word(word).trim_matches(marks))
        // They stand between the two words.
        .filter(|word| !word.is_empty() && !["called", "named", "namens"].contains(word))
        .collect();
    let is_folder_word = |word: &str| FOLDER.contains(&word.to_lowercase().as_str());
    let is_name = |word: &&str| {
        let lower = word.to_lowercase();
        !NO_NAME.contains(&lower.as_str()) && !is_folder_word(word) && !is_file(word)
    };
    let paths = words.iter().copied().filter(|word| {
        let is_whole = word.ends_with('/') || word.starts_with("./") || word.starts_with("../");
        is_whole && is_name(word) && !word.contains("://")
    });
    let beside = words.windows(2).filter_map(|pair| {
        let name = match (is_folder_word(pair[0]), is_folder_word(pair[1])) {
            (true, false) => pair[1],
            (false, true) => pair[0],
            _ => return None,
        };
        Some(name).filter(is_name)
    });
    let mut folders: Vec<String> = Vec::new();
    for name in paths.chain(beside) {
        let name = name.trim_end_matches('/').to_owned();
        if !name.is_empty() && !folders.contains(&name) {
            folders.push(name);
        }
    }
    let is_this =
        |pair: &[&str]| THIS.contains(&pair[0].to_lowercase().as_str()) && is_folder_word(pair[1]);
    if folders.is_empty() && words.windows(2).any(is_this) {
        folders.push(".".to_owned());
    }
    folders
}

/// Whether the last part of a path stands where a new name does.
fn is_new_name(request: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    let marks = ['"', '\'', '`'];
    let words = request.split_whitespace().map(trim_word);
    let words: Vec<&str> = words.map(|word| word.trim_matches(marks)).collect();
    words.windows(2).any(|pair| {
        let is_said = ["to", "into", "as", "called", "named", "name"].contains(&pair[0]);
        is_said && pair[1].rsplit('/').next() == Some(name.as_str())
    })
}

/// A file that a request names and no step of a plan has to do with: it may be one of two orders.
pub(crate) fn left_out(plan: &Plan, request: &str) -> Option<String> {
    let touched: Vec<String> = plan
        .actions
        .iter()
        .map(|action| match action {
            // A new name is one where it is said to be; else it is of another order.
            Action::MoveFile { from, to } if !is_new_name(request, to) => from.to_lowercase(),
            other => serde_json::to_string(other)
                .unwrap_or_default()
                .to_lowercase(),
        })
        .collect();
    words_of_files(request).find(|path| {
        let path = path.trim_start_matches("./");
        !touched.iter().any(|one| one.contains(path))
    })
}

/// Whether a new file is named as one: with an ending or a folder, in quotes, or by what it is called.
pub(crate) fn is_typed_as_path(request: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    is_path(&name) || is_called(request, &name)
}

/// Whether a new folder is named as one.
pub(crate) fn is_typed_as_folder(request: &str, path: &str) -> bool {
    let path = path.trim_end_matches('/').to_lowercase();
    let name = path.rsplit('/').next().unwrap_or(&path);
    let is_path = path.contains('/') && request.contains(&path);
    is_path || request.contains(&format!("{name}/")) || is_called(request, name)
}

/// Whether a name stands in quotes, or beside a word that says that a name follows.
fn is_called(request: &str, name: &str) -> bool {
    const BEFORE: [&str; 14] = [
        "called",
        "named",
        "name",
        "folder",
        "directory",
        "dir",
        "mkdir",
        "ordner",
        "namens",
        "carpeta",
        "llamada",
        "llamado",
        "file",
        "datei",
    ];
    let words: Vec<&str> = request
        .split_whitespace()
        .map(|word| trim_word(word).trim_end_matches('/'))
        .collect();
    let is_quoted =
        |word: &str| word != name && word.trim_matches(['"', '\'', '`', '„', '“', '”']) == name;
    let beside = |pair: &[&str]| {
        pair[1] == name && BEFORE.contains(&pair[0]) || pair[0] == name && pair[1] == "folder"
    };
    words.iter().any(|word| is_quoted(word))
        || words.windows(2).any(beside)
        || request.contains(&format!("\"{name}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_by_a_path_or_beside_a_word_for_one() {
        for (request, named) in [
            ("what is in docs/?", &["docs"][..]),
            (
                "what is in ./docs/old/ and in src/?",
                &["./docs/old", "src"],
            ),
            ("which files are in the docs folder?", &["docs"]),
            ("what does the folder letters have?", &["letters"]),
            ("what is in this folder?", &["."]),
            ("how many files are in the folder?", &["."]),
            ("which folder is the largest?", &[]),
            ("what does a.toml say?", &[]),
            ("what is at https://example.com/docs/?", &[]),
            ("who wrote \"the docs folder\"?", &[]),
            ("is it mine and/or yours?", &[]),
        ] {
            assert_eq!(folders_of(request), named, "{request}");
        }
    }
}
