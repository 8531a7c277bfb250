//! What is known of the files that a small model works on: which paths it may mean, and which texts of
//! a file it may want to replace. Wherever something else may be meant, nothing is known.

use domain::message::Message;
use serde_json::Value;
use std::collections::BTreeMap;

/// Most paths, and most bytes of them together: more make a grammar slow, and say little.
const PATHS: usize = 64;
const PATH_BYTES: usize = 4_096;
/// Largest file of which the texts are known, lines and bytes.
const TEXT_LINES: usize = 40;
const TEXT_BYTES: usize = 1_536;
/// Most lines in a row that are one text.
const LINES_IN_A_ROW: usize = 3;
/// Words by which more than one place of a file may be meant, each of which would be a text of its own.
const SEVERAL: [&str; 10] = [
    "all",
    "any",
    "both",
    "each",
    "every",
    "everywhere",
    "throughout",
    "occurrences",
    "alle",
    "todas",
];

/// What is known of files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnownFiles {
    /// The paths that may be meant; `None` where others may be.
    pub paths: Option<Paths>,
    /// By path, every text of a file that may be replaced.
    pub texts: BTreeMap<String, Vec<String>>,
}

/// Every path that may be meant. One that is only spoken of may be of a file or of a folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// Files.
    pub files: Vec<String>,
    /// Folders, without `/` at the end, the working folder among them.
    pub folders: Vec<String>,
}

/// The working folder.
const HERE: &str = ".";

/// Every path that a model may mean: what a whole listing of its folder has (folders end with `/`), and
/// whatever looks like a path in what it is shown or in what it called. `None` where the request has a
/// name that is not in the listing, which may be of a file outside of it or one that git ignores, and
/// where there are too many to choose among.
#[must_use]
pub fn paths(listing: &[String], request: &str, shown: &[Message]) -> Option<Paths> {
    let named = without_spaced(listing, request);
    if like_paths(&named).any(|word| !is_listed(listing, word)) {
        return None;
    }
    let mut paths = Paths {
        files: Vec::new(),
        folders: vec![HERE.to_owned()],
    };
    let mut bytes = 0;
    let called = shown.iter().flat_map(texts_of_calls);
    let said = shown.iter().map(Message::text).chain(called);
    let listed = listing.iter().map(String::as_str);
    for path in listed.clone().chain(said.flat_map(like_paths)) {
        if path.is_empty() || path.chars().any(char::is_control) {
            return None;
        }
        let plain = path.trim_end_matches('/');
        let is_known = |paths: &[String]| paths.iter().any(|known| known == plain);
        if plain.is_empty() || is_known(&paths.files) || is_known(&paths.folders) {
            continue;
        }
        let is_folder = path.ends_with('/');
        let is_spoken_of = !listed.clone().any(|known| known == path);
        bytes += path.len();
        if is_folder || is_spoken_of {
            paths.folders.push(plain.to_owned());
        }
        if !is_folder {
            paths.files.push(plain.to_owned());
        }
        if paths.files.len() + paths.folders.len() > PATHS || bytes > PATH_BYTES {
            return None;
        }
    }
    (!paths.files.is_empty()).then_some(paths)
}

/// Every text of a file that a model may want to replace: its lines without their indentation, up to three
/// in a row, and what the request gives word for word (`said`). A line that stands there more than once is
/// one with the line before it. `None` where the file is large, and where a text of several places may be
/// meant.
#[must_use]
pub fn texts_to_replace(content: &str, request: &str, said: &[String]) -> Option<Vec<String>> {
    let lines: Vec<&str> = content.lines().collect();
    let is_large = content.len() > TEXT_BYTES || lines.len() > TEXT_LINES;
    let means_several = words(request).any(|word| SEVERAL.contains(&word.to_lowercase().as_str()));
    if is_large || means_several || content.contains('\r') {
        return None;
    }
    let said = said.iter().filter(|text| content.contains(text.as_str()));
    let mut texts: Vec<String> = said.cloned().collect();
    for length in 1..=LINES_IN_A_ROW {
        for row in lines.windows(length) {
            let text = row.join("\n");
            let text = text.trim();
            let is_one_place = content.matches(text).count() == 1;
            let is_whole = row.iter().all(|line| !line.trim().is_empty());
            if is_whole && is_one_place && !texts.iter().any(|known| known == text) {
                texts.push(text.to_owned());
            }
        }
    }
    let is_plain = |text: &String| {
        !text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    };
    let is_usable = !texts.is_empty() && texts.iter().all(is_plain);
    is_usable.then_some(texts)
}

/// A request without the listed names with spaces, of which no word is a name by itself.
fn without_spaced(listing: &[String], request: &str) -> String {
    let spaced = listing.iter().map(|path| path.trim_end_matches('/'));
    let spaced = spaced.filter(|path| path.contains(char::is_whitespace));
    spaced.fold(request.to_owned(), |rest, path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        rest.replace(path, " ").replace(name, " ")
    })
}

/// Whether a name is one of the listing, by its path or by its last part.
fn is_listed(listing: &[String], word: &str) -> bool {
    let word = word.trim_start_matches("./").trim_end_matches('/');
    listing.iter().any(|path| {
        let path = path.trim_end_matches('/');
        path == word || path.rsplit('/').next() == Some(word)
    })
}

/// The texts among the arguments of a message's calls.
fn texts_of_calls(message: &Message) -> Vec<&str> {
    let Message::Assistant { tool_calls, .. } = message else {
        return Vec::new();
    };
    let members = tool_calls
        .iter()
        .filter_map(|call| call.arguments.as_object())
        .flatten();
    members
        .filter_map(|(_, value)| Value::as_str(value))
        .collect()
}

/// Words of a text, without what stands around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| c.is_whitespace() || "\"'`“”‘’,;:()[]{}<>|=*".contains(c));
    parts
        .map(|word| word.trim_end_matches(['.', '?', '!']))
        .filter(|word| !word.is_empty())
}

/// The words that may be meant as paths: with a folder, an ending, or hidden.
fn like_paths(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|word| {
        let name = word.trim_end_matches('/').rsplit('/').next();
        let ending = name.and_then(|name| name.rsplit_once('.'));
        let has_ending = ending.is_some_and(|(_, ending)| {
            (1..=8).contains(&ending.len())
                && ending.chars().all(char::is_alphanumeric)
                && ending.chars().any(char::is_alphabetic)
        });
        let is_address = word.starts_with("//");
        !is_address && (has_ending || word.contains('/') || word.starts_with('~'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn listing() -> Vec<String> {
        ["a.toml", "docs/", "docs/my notes.md", "Makefile"]
            .map(str::to_owned)
            .to_vec()
    }

    fn user(text: &str) -> Message {
        Message::User {
            text: text.to_owned(),
        }
    }

    fn known(request: &str, shown: &[Message]) -> Option<Paths> {
        paths(&listing(), request, shown)
    }

    const FILES: [&str; 3] = ["a.toml", "docs/my notes.md", "Makefile"];

    #[test]
    fn the_files_of_the_folder_are_what_may_be_meant() {
        for request in [
            "what does a.toml say?",
            "which port is set?",
            "what is in docs/?",
            "read \"docs/my notes.md\", please.",
            "what does my notes.md say?",
        ] {
            let found = known(request, &[user(request)]);
            let found = found.unwrap_or_else(|| panic!("{request}"));
            let has = |file: &&str| found.files.iter().any(|path| path == file);
            assert!(FILES.iter().all(has), "{request}: {found:?}");
            assert!(!found.files.iter().any(|path| path == "docs"), "{found:?}");
            assert_eq!(found.folders[..2], [".", "docs"], "{request}");
        }
    }

    #[test]
    fn a_name_that_is_not_in_the_listing_leaves_every_path_open() {
        for request in [
            "what does gone.txt say?",
            "what does /etc/hosts say?",
            "what does ../a/b.md say?",
            "what does ~/notes say?",
            "what does docs/sub/deep.md say?",
            "what does .env.local say?",
        ] {
            assert_eq!(known(request, &[user(request)]), None, "{request}");
        }
    }

    #[test]
    fn what_the_model_is_shown_or_made_may_be_meant() {
        let call = json!({
            "call_id": "01900000-0000-7000-8000-000000000000", "name": "write_file",
            "arguments": {"path": "new/b.md", "content": "x", "n": 1},
        });
        let called = json!({"role": "assistant", "text": "", "tool_calls": [call]});
        let shown = [
            user("see ../shared/c.toml and target/out.log:3: it"),
            serde_json::from_value(called).unwrap(),
        ];
        let found = known("which port is set?", &shown).unwrap();
        let added = ["../shared/c.toml", "target/out.log", "new/b.md"];
        assert_eq!(found.files, [&FILES[..], &added[..]].concat());
        assert_eq!(found.folders, [&[".", "docs"][..], &added[..]].concat());
    }

    #[test]
    fn among_more_files_than_so_many_nothing_is_known() {
        let many = |count: usize| -> Vec<String> {
            (0..count).map(|number| format!("{number}.md")).collect()
        };
        let most = PATHS - 1;
        let all = paths(&many(most), "what is here?", &[]).unwrap();
        assert_eq!(all.files.len(), most);
        assert_eq!(paths(&many(most + 1), "what is here?", &[]), None);
        let long = |bytes: usize| vec!["x".repeat(bytes - 3) + ".md"];
        assert!(paths(&long(PATH_BYTES), "what is here?", &[]).is_some());
        assert_eq!(paths(&long(PATH_BYTES + 1), "what is here?", &[]), None);
        assert_eq!(paths(&[], "what is here?", &[]), None);
        let odd = ["a\nb.md".to_owned()];
        assert_eq!(paths(&odd, "what is here?", &[]), None);
    }

    #[test]
    fn lines_of_a_file_are_what_may_be_replaced() {
        let content = "[server]\n  port = 80\n\nend\nend\n";
        let texts = texts_to_replace(content, "set the port to 90", &[]).unwrap();
        assert_eq!(
            texts,
            ["[server]", "port = 80", "[server]\n  port = 80", "end\nend"]
        );
        let said = ["80".to_owned(), "gone".to_owned()];
        let texts = texts_to_replace(content, "change 80 to 90", &said).unwrap();
        assert_eq!(texts[0], "80");
        assert!(!texts.contains(&"gone".to_owned()));
    }

    #[test]
    fn of_large_files_and_several_places_no_text_is_known() {
        let lines = |count: usize| "a\n".repeat(count - 1) + "b\n";
        let of = |content: &str, request: &str| texts_to_replace(content, request, &[]);
        assert!(of(&lines(TEXT_LINES), "fix b").is_some());
        assert_eq!(of(&lines(TEXT_LINES + 1), "fix b"), None);
        assert!(of(&"x".repeat(TEXT_BYTES), "fix it").is_some());
        assert_eq!(of(&"x".repeat(TEXT_BYTES + 1), "fix it"), None);
        assert_eq!(of("port = 80\n", "change every port"), None);
        assert_eq!(of("port = 80\r\n", "change the port"), None);
        assert_eq!(of("\u{1b}[2J\n", "change the port"), None);
        assert_eq!(of("\n\n", "change the port"), None);
    }
}
