//! The schema of a plan: the full one, made from the type, and a narrow one for a workspace.
//!
//! Both describe the same type; the narrow one only leaves things out, so that whatever fits it
//! fits the full one. It keeps a weak model in reach: every string has an end, a path that must
//! exist is chosen from those that do, and there are few steps.

use domain::plan::{Action, Plan};
use serde_json::{Map, Value, json};

/// Most steps the narrow schema allows.
pub const NARROW_ACTIONS: usize = 4;
/// Most known paths the narrow schema lists; beyond it a short free path is allowed as well.
pub const KNOWN_PATHS: usize = 100;
/// Longest intent under the narrow schema, characters.
pub const NARROW_INTENT_CHARS: u64 = 80;
/// Longest path that a model may write freely, characters.
pub const NARROW_PATH_CHARS: u64 = 80;
/// Longest name pattern or search text, characters.
pub const NARROW_QUERY_CHARS: u64 = 60;
/// Longest text to find or put in its place, characters.
pub const NARROW_EDIT_CHARS: u64 = 200;
/// Longest content of a file, characters. A model that reaches it was cut off.
pub const NARROW_CONTENT_CHARS: u64 = 1_000;
/// Longest question, characters.
pub const NARROW_QUESTION_CHARS: u64 = 200;
/// Most lines a model asks for from one end of a file.
pub const NARROW_LINES: u64 = 200;

/// The schema of a plan as the type states it.
#[must_use]
pub fn full() -> Value {
    schemars::schema_for!(Plan).to_value()
}

/// Every action kind with the schema of its object, in the order of the type.
#[must_use]
pub fn actions() -> Vec<(String, Value)> {
    let full = schemars::schema_for!(Action).to_value();
    let variants = full
        .get("oneOf")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    variants
        .into_iter()
        .filter_map(|variant| {
            let kind = variant
                .pointer("/properties/kind/const")?
                .as_str()?
                .to_owned();
            Some((kind, variant))
        })
        .collect()
}

/// The schema for a workspace whose known paths are `listing`: files as `notes/a.md`, folders with
/// a `/` at the end. The first [`KNOWN_PATHS`] are offered, so the likely ones should come first.
#[must_use]
pub fn for_workspace(listing: &[String]) -> Value {
    let known = Known::of(listing);
    let variants: Vec<Value> = actions()
        .into_iter()
        .filter_map(|(kind, schema)| narrow_action(&kind, &schema, &known))
        .collect();
    json!({
        "type": "object",
        "properties": {
            "intent": { "type": "string", "minLength": 1, "maxLength": NARROW_INTENT_CHARS },
            "actions": {
                "type": "array",
                "minItems": 1,
                "maxItems": NARROW_ACTIONS,
                "items": { "anyOf": variants },
            },
        },
        "required": ["intent", "actions"],
        "additionalProperties": false,
    })
}

/// Known paths with those the request names first, and with paths that the request names and the
/// listing does not (deeper files, absolute paths) added in front.
#[must_use]
pub fn likely_first(listing: &[String], request: &str) -> Vec<String> {
    let named = words_like_paths(request);
    let mut paths: Vec<String> = Vec::new();
    let mentions = |path: &str| {
        let plain = path.trim_end_matches('/');
        named.iter().any(|word| {
            word == path || word == plain || plain.rsplit('/').next() == Some(word.as_str())
        })
    };
    paths.extend(listing.iter().filter(|path| mentions(path)).cloned());
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

fn words_like_paths(request: &str) -> Vec<String> {
    request
        .split(|c: char| c.is_whitespace() || "\"'`“”‘’,;()".contains(c))
        .map(|word| word.trim_end_matches(['.', '?', '!', ':']))
        .filter(|word| !word.is_empty() && word.chars().count() <= 400)
        .map(str::to_owned)
        .collect()
}

/// Whether a word can only be meant as a path: it has a folder part or an extension.
fn is_path(word: &str) -> bool {
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

/// The schemas of a path that exists, by what must be there.
struct Known {
    file: Option<Value>,
    folder: Value,
    any: Value,
}

impl Known {
    fn of(listing: &[String]) -> Self {
        let (folders, files): (Vec<&String>, Vec<&String>) = listing
            .iter()
            .filter(|path| !path.is_empty())
            .partition(|path| path.ends_with('/'));
        let folders: Vec<String> = std::iter::once(".".to_owned())
            .chain(
                folders
                    .iter()
                    .map(|path| path.trim_end_matches('/').to_owned()),
            )
            .filter(|path| !path.is_empty())
            .collect();
        let files: Vec<String> = files.into_iter().cloned().collect();
        let all: Vec<String> = folders
            .iter()
            .take(1)
            .chain(&files)
            .chain(&folders[1..])
            .cloned()
            .collect();
        Self {
            file: choice(&files),
            folder: choice(&folders).unwrap_or_else(here),
            any: choice(&all).unwrap_or_else(here),
        }
    }
}

fn here() -> Value {
    json!({ "type": "string", "enum": ["."] })
}

fn choice(paths: &[String]) -> Option<Value> {
    if paths.is_empty() {
        return None;
    }
    let listed =
        json!({ "type": "string", "enum": paths.iter().take(KNOWN_PATHS).collect::<Vec<_>>() });
    if paths.len() <= KNOWN_PATHS {
        return Some(listed);
    }
    Some(json!({ "anyOf": [listed, text(1, NARROW_PATH_CHARS)] }))
}

fn text(least: u64, most: u64) -> Value {
    json!({ "type": "string", "minLength": least, "maxLength": most })
}

/// One action's object with `kind` first and every field narrowed; `None` when the workspace has
/// nothing the action could be used on.
fn narrow_action(kind: &str, schema: &Value, known: &Known) -> Option<Value> {
    let mut properties = Map::new();
    properties.insert(
        "kind".to_owned(),
        json!({ "type": "string", "const": kind }),
    );
    for name in schema
        .pointer("/properties")?
        .as_object()?
        .keys()
        .filter(|name| *name != "kind")
    {
        properties.insert(name.clone(), narrow_field(kind, name, known)?);
    }
    let required: Vec<&String> = properties.keys().collect();
    Some(json!({
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": false,
    }))
}

/// A field's narrow schema. A field that nothing here knows leaves its action out, which the test
/// of completeness would show.
fn narrow_field(kind: &str, name: &str, known: &Known) -> Option<Value> {
    let field = match (kind, name) {
        ("create_file" | "make_dir", "path") | ("move_file", "to") => text(1, NARROW_PATH_CHARS),
        ("list_files" | "tree" | "find_files" | "file_sizes", "path") => known.folder.clone(),
        ("search_text", "path") => known.any.clone(),
        (_, "path" | "left" | "right" | "from") => known.file.clone()?,
        (_, "pattern" | "query") => text(1, NARROW_QUERY_CHARS),
        (_, "old") => text(1, NARROW_EDIT_CHARS),
        (_, "new") => text(0, NARROW_EDIT_CHARS),
        ("create_file", "content") => text(0, NARROW_CONTENT_CHARS),
        (_, "content") => text(1, NARROW_CONTENT_CHARS),
        (_, "question") => text(1, NARROW_QUESTION_CHARS),
        (_, "depth") => json!({ "type": "integer", "minimum": 1, "maximum": 8 }),
        (_, "lines") => json!({ "type": "integer", "minimum": 1, "maximum": NARROW_LINES }),
        _ => return None,
    };
    Some(field)
}
