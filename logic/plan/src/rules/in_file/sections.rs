//! In which section of a file of settings a place stands: below `[database]` of TOML and INI, deeper than
//! `database:` of YAML, within `"database": {` of JSON.

use super::unset::{quoted, unset};
use crate::rules::words::pattern;
use regex::Regex;
use std::sync::LazyLock;

/// Endings of files that hold settings.
const SETTINGS: [&str; 17] = [
    "toml",
    "ini",
    "cfg",
    "conf",
    "cnf",
    "config",
    "properties",
    "env",
    "yaml",
    "yml",
    "json",
    "jsonc",
    "json5",
    "service",
    "desktop",
    "editorconfig",
    "gitconfig",
];

static HEADER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r"^[ \t]*\[\[?[ \t]*(?P<name>[^\[\],\n]+?)[ \t]*\]\]?[ \t]*(?:[#;].*)?$")
});
static OPENER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(r#"^(?P<before>[ ]*(?:-[ ]+)*)["']?(?P<key>[^\s"'#:][^"'#:]*?)["']?[ ]*:(?:[ ]|$)"#)
});

/// Whether a file with this ending of its name holds settings in sections that are known here.
pub(super) fn are_known(ending: &str) -> bool {
    SETTINGS.contains(&ending)
}

/// The sections in which a place stands, the outermost first.
pub(super) fn around(ending: &str, text: &str, at: usize) -> Vec<String> {
    match ending {
        "yaml" | "yml" => by_depth(ending, text, at),
        "json" | "jsonc" | "json5" => by_braces(text, at),
        _ if are_known(ending) => by_headers(ending, text, at),
        _ => Vec::new(),
    }
}

fn by_headers(ending: &str, text: &str, at: usize) -> Vec<String> {
    let parts = unset(ending, text);
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if start >= at {
            break;
        }
        let is_set = !parts.iter().any(|part| part.contains(&start));
        let header = HEADER.as_ref().filter(|_| is_set);
        if let Some(header) = header.and_then(|header| header.captures(line.trim_end())) {
            found = header["name"]
                .split('.')
                .map(|name| name.trim().trim_matches(['"', '\'']).to_owned())
                .collect();
        }
        start += line.len();
    }
    found
}

fn by_depth(ending: &str, text: &str, at: usize) -> Vec<String> {
    let parts = unset(ending, text);
    let mut open: Vec<(usize, String)> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let is_set = !parts.iter().any(|part| part.contains(&start));
        let is_last = at < start + line.len();
        if line.starts_with("---") {
            open.clear();
        }
        let opener = OPENER.as_ref().filter(|_| is_set);
        if let Some(opener) = opener.and_then(|opener| opener.captures(line.trim_end())) {
            let depth = opener["before"].len();
            open.retain(|(other, _)| *other < depth);
            if !is_last {
                open.push((depth, opener["key"].to_owned()));
            }
        }
        if is_last {
            break;
        }
        start += line.len();
    }
    open.into_iter().map(|(_, name)| name).collect()
}

fn by_braces(text: &str, at: usize) -> Vec<String> {
    let mut open: Vec<Option<String>> = Vec::new();
    let mut key: Option<String> = None;
    let mut last: Option<String> = None;
    let mut place = 0;
    while let Some(sign) = text.get(place..).and_then(|rest| rest.chars().next()) {
        if place >= at {
            break;
        }
        let rest = &text[place..];
        let mut length = sign.len_utf8();
        match sign {
            '"' | '\'' => {
                length = quoted(rest, sign).unwrap_or(1);
                last = Some(rest[1..length.max(2) - 1].to_owned());
            }
            ':' => key = last.take(),
            '{' | '[' => open.push(key.take()),
            '}' | ']' => {
                open.pop();
            }
            ',' => key = None,
            '/' if rest.starts_with("//") => length = rest.find('\n').unwrap_or(rest.len()),
            _ => {}
        }
        place += length;
    }
    open.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_by_the_sections_around_it() {
        for (ending, text, sections) in [
            ("toml", "port = 1\n[a]\nX\n", "a"),
            ("toml", "X\n[a]\n", ""),
            ("toml", "[a.\"b\"] # c\nX\n", "a.b"),
            ("toml", "s = \"\"\"\n[a]\n\"\"\"\nX\n", ""),
            ("toml", "a = [\n  [1, 2]\n]\nX\n", ""),
            ("ini", "; x\n[ data base ]\nX\n", "data base"),
            ("yaml", "a:\n  b:\n    X: 1\n", "a.b"),
            ("yaml", "a:\n  b: 1\nX: 2\n", ""),
            ("yaml", "a:\n- b: 1\n  X: 2\n", "a"),
            ("yaml", "a:\n  t: |\n    c: 1\n  X: 2\n", "a"),
            ("yaml", "a:\n  b: 1\n---\nX: 2\n", ""),
            ("json", "{\"a\": {\"b\": [1, {\"X\"", "a.b"),
            ("json", "{\"a\": {\"b\": 1}, \"X\"", ""),
            ("json", "{\"a\": \"{ b: [\", \"X\"", ""),
            ("py", "[a]\nX\n", ""),
        ] {
            let at = text.find('X').unwrap();
            assert_eq!(around(ending, text, at).join("."), sections, "{text}");
        }
    }
}
