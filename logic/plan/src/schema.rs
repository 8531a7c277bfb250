//! The schema of a plan: the full one, made from the type, and a narrow one for a workspace.
//!
//! Both describe the same type; the narrow one only leaves things out, so that whatever fits it
//! fits the full one. It keeps a weak model in reach: every string has an end, a path that must
//! exist is chosen from those that do, and there are few steps.

pub(crate) mod cues;
mod small;

pub use small::for_small_model;
pub(crate) use small::kinds_for;

use domain::plan::{Action, Plan};
use serde_json::{Map, Value, json};

/// How capable the planning model is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It chooses well among many kinds of action, or nothing is known of it.
    Any,
    /// It is so small that everything the request already says should be settled for it.
    Small,
}

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
    plan_of(&Known::of(listing), None, NARROW_ACTIONS)
}

fn plan_of(known: &Known, kinds: Option<&[&str]>, most_actions: usize) -> Value {
    let narrowed = |wanted: Option<&[&str]>| -> Vec<Value> {
        let is_wanted = |kind: &str| wanted.is_none_or(|wanted| wanted.contains(&kind));
        actions()
            .into_iter()
            .filter(|(kind, _)| is_wanted(kind))
            .filter_map(|(kind, schema)| narrow_action(&kind, &schema, known))
            .collect()
    };
    let mut variants = narrowed(kinds);
    if variants.is_empty() {
        // The request speaks of files where there are none.
        variants = narrowed(None);
    }
    json!({
        "type": "object",
        "properties": {
            "intent": { "type": "string", "minLength": 1, "maxLength": NARROW_INTENT_CHARS },
            "actions": {
                "type": "array",
                "minItems": 1,
                "maxItems": most_actions,
                "items": { "anyOf": variants },
            },
        },
        "required": ["intent", "actions"],
        "additionalProperties": false,
    })
}

/// The schema for a request: [`for_workspace`] or [`for_small_model`].
#[must_use]
pub fn for_request(listing: &[String], request: &str, reach: Reach) -> Value {
    match reach {
        Reach::Any => for_workspace(&likely_first(listing, request)),
        Reach::Small => for_small_model(listing, request),
    }
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
        ("remember", "text") => text(1, NARROW_CONTENT_CHARS),
        (_, "question") => text(1, NARROW_QUESTION_CHARS),
        (_, "depth") => json!({ "type": "integer", "minimum": 1, "maximum": 8 }),
        (_, "lines") => json!({ "type": "integer", "minimum": 1, "maximum": NARROW_LINES }),
        _ => return None,
    };
    Some(field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing() -> Vec<String> {
        ["notes.txt", "docs/", "docs/plan.md"]
            .map(str::to_owned)
            .to_vec()
    }

    /// Every string in a schema with its place.
    fn strings(schema: &Value, place: &str, found: &mut Vec<(String, Value)>) {
        match schema {
            Value::Object(object) => {
                if object.get("type") == Some(&json!("string")) {
                    found.push((place.to_owned(), schema.clone()));
                }
                for (key, inner) in object {
                    strings(inner, &format!("{place}/{key}"), found);
                }
            }
            Value::Array(items) => {
                for (index, inner) in items.iter().enumerate() {
                    strings(inner, &format!("{place}/{index}"), found);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn every_string_has_an_end_and_every_list_and_number_a_bound() {
        let many: Vec<String> = (0..=KNOWN_PATHS)
            .map(|index| format!("f{index}.txt"))
            .collect();
        for listing in [listing(), many, Vec::new()] {
            let schema = for_workspace(&listing);
            let mut found = Vec::new();
            strings(&schema, "", &mut found);
            strings(
                &for_small_model(&listing, "change \"a\" to b in f1.txt"),
                "",
                &mut found,
            );
            assert!(!found.is_empty());
            for (place, string) in found {
                let bounded = string
                    .get("maxLength")
                    .is_some_and(|most| most.as_u64() <= Some(NARROW_CONTENT_CHARS));
                let chosen = string.get("enum").is_some() || string.get("const").is_some();
                assert!(bounded || chosen, "{place}: {string}");
            }
            assert_eq!(
                schema["properties"]["actions"]["maxItems"],
                json!(NARROW_ACTIONS)
            );
            for name in ["depth", "lines"] {
                for variant in schema["properties"]["actions"]["items"]["anyOf"]
                    .as_array()
                    .unwrap()
                {
                    if let Some(number) = variant["properties"].get(name) {
                        assert!(number["maximum"].is_u64() && number["minimum"].is_u64());
                    }
                }
            }
        }
    }

    #[test]
    fn every_action_can_be_planned_where_there_are_files_and_none_on_files_where_there_are_not() {
        let kinds = |listing: &[String]| -> Vec<String> {
            let schema = for_workspace(listing);
            let variants = schema["properties"]["actions"]["items"]["anyOf"]
                .as_array()
                .unwrap()
                .clone();
            variants
                .iter()
                .map(|variant| {
                    variant["properties"]["kind"]["const"]
                        .as_str()
                        .unwrap()
                        .to_owned()
                })
                .collect()
        };
        let all: Vec<String> = actions().into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds(&listing()), all);
        let empty = kinds(&[]);
        assert!(
            empty.contains(&"create_file".to_owned()) && !empty.contains(&"read_file".to_owned())
        );
    }

    #[test]
    fn what_fits_the_narrow_schema_fits_the_full_one() {
        let narrow = jsonschema::validator_for(&for_workspace(&listing())).unwrap();
        let full = jsonschema::validator_for(&full()).unwrap();
        let plan = json!({ "intent": "look", "actions": [
            { "kind": "read_file", "path": "docs/plan.md" },
            { "kind": "list_files", "path": "." },
            { "kind": "create_file", "path": "new.txt", "content": "" },
        ]});
        assert!(narrow.is_valid(&plan) && full.is_valid(&plan));
        let invented =
            json!({ "intent": "look", "actions": [{ "kind": "read_file", "path": "no.txt" }] });
        assert!(!narrow.is_valid(&invented) && full.is_valid(&invented));
        let command = json!({ "intent": "x", "actions": [{ "kind": "run_shell", "path": "a" }] });
        assert!(!narrow.is_valid(&command) && !full.is_valid(&command));
    }

    #[test]
    fn the_kind_comes_first_so_that_a_model_chooses_it_before_the_fields() {
        let schema = for_workspace(&listing());
        for variant in schema["properties"]["actions"]["items"]["anyOf"]
            .as_array()
            .unwrap()
        {
            let first = variant["properties"]
                .as_object()
                .unwrap()
                .keys()
                .next()
                .unwrap();
            assert_eq!(first, "kind");
        }
    }

    #[test]
    fn a_small_model_chooses_only_among_what_the_request_speaks_of() {
        let narrow =
            |request: &str| for_small_model(&listing(), request)["properties"]["actions"].clone();
        let replace = narrow("Replace Tuesday with Thursday in notes.txt");
        assert_eq!(replace["maxItems"], json!(1));
        let variants = replace["items"]["anyOf"].as_array().unwrap();
        assert_eq!(variants.len(), 1);
        let fields = &variants[0]["properties"];
        assert_eq!(fields["kind"]["const"], json!("replace_text"));
        assert_eq!(fields["path"]["enum"], json!(["notes.txt"]));
        assert_eq!(fields["old"]["enum"], json!(["Tuesday", "Replace Tuesday"]));
        assert_eq!(fields["new"]["enum"][0], json!("Thursday"));
        let compare = narrow("compare plan.md and notes.txt");
        let fields = &compare["items"]["anyOf"][0]["properties"];
        assert_eq!(
            (&fields["left"]["enum"], &fields["right"]["enum"]),
            (&json!(["docs/plan.md"]), &json!(["notes.txt"]))
        );
        let moved = narrow("move notes.txt to docs/notes.txt");
        assert_eq!(
            moved["items"]["anyOf"][0]["properties"]["from"]["enum"],
            json!(["notes.txt"])
        );
        assert_eq!(
            narrow("show notes.txt and then delete notes.txt")["maxItems"],
            json!(2)
        );
        let asked = narrow("What is the phone number of Bob?");
        let words: Vec<&Value> = asked["prefixItems"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| &one["properties"]["query"]["const"])
            .collect();
        assert_eq!(words, ["number", "phone", "Bob"]);
        // Words that say nothing narrow nothing.
        assert_eq!(
            narrow("grüße")["items"]["anyOf"].as_array().unwrap().len(),
            actions().len()
        );
    }

    #[test]
    fn named_paths_come_first_and_unlisted_ones_are_added() {
        let request =
            "compare plan.md with ~/old/plan.txt, then see https://example.org/x.html and 2.5";
        assert_eq!(
            likely_first(&listing(), request),
            ["docs/plan.md", "~/old/plan.txt", "notes.txt", "docs/"]
        );
    }
}
