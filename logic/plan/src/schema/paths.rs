//! Paths that a workspace has, and that a request names.

use crate::names;
use serde_json::Value;

/// Most paths a planner is told about.
const LISTING_PATHS: usize = 400;

/// The paths in the result of a listing: files as `a/b.md`, folders as `a/`.
#[must_use]
pub fn listed(data: &Value) -> Vec<String> {
    let entries = data
        .get("entries")
        .and_then(Value::as_array)
        .into_iter()
        .flatten();
    entries
        .filter_map(|entry| {
            let path = entry.get("path")?.as_str()?;
            match entry.get("kind")?.as_str()? {
                "folder" => Some(format!("{path}/")),
                _ => Some(path.to_owned()),
            }
        })
        .take(LISTING_PATHS)
        .collect()
}

/// Known paths with those the request names first, and with paths that the request names and the
/// listing does not (deeper files, absolute paths) added in front.
#[must_use]
pub fn likely_first(listing: &[String], request: &str) -> Vec<String> {
    let named = names::of(listing, request).found;
    let mut paths: Vec<String> = Vec::new();
    let mentions = |path: &str| {
        let plain = path.trim_end_matches('/');
        named.iter().any(|word| {
            word == path || word == plain || plain.rsplit('/').next() == Some(word.as_str())
        })
    };
    paths.extend(listing.iter().filter(|path| mentions(path)).cloned());
    let place = |path: &String| {
        request.find(
            path.trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or(path),
        )
    };
    paths.sort_by_key(place);
    let found = paths.clone();
    let known = |word: &String| {
        found.iter().any(|path| {
            path.trim_end_matches('/')
                .ends_with(word.trim_end_matches('/'))
        })
    };
    paths.extend(
        named
            .iter()
            .filter(|word| is_path(word) && !known(word))
            .cloned(),
    );
    for path in listing {
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    paths
}

/// Whether a word can only be meant as a path: it has a folder part or an extension.
pub(super) fn is_path(word: &str) -> bool {
    let name = word
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(word);
    let has_extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric())
            && extension.chars().any(|c| c.is_ascii_alphabetic())
    });
    let looks_like_url = word.contains("://");
    !looks_like_url && (word.starts_with("~/") || word.starts_with('/') || has_extension)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_listing_becomes_paths_with_folders_marked() {
        let data = json!({ "entries": [
            { "path": "docs", "kind": "folder" }, { "path": "docs/a.md", "kind": "file" }, 3,
        ]});
        assert_eq!(listed(&data), ["docs/", "docs/a.md"]);
        assert!(listed(&Value::Null).is_empty());
    }

    #[test]
    fn a_listed_name_with_spaces_is_one_name() {
        let listing = ["docs/my first notes.md", "notes.md", "my plan/"].map(str::to_owned);
        let first = |request: &str| likely_first(&listing, request)[0].clone();
        assert_eq!(first("show my first notes.md"), "docs/my first notes.md");
        assert_eq!(
            first("show \"docs/my first notes.md\"."),
            "docs/my first notes.md"
        );
        assert_eq!(first("show notes.md"), "notes.md");
        assert_eq!(first("list my plan"), "my plan/");
        // Part of a longer name is no name.
        assert_eq!(first("show old/my first notes.md"), "notes.md");
    }
}
