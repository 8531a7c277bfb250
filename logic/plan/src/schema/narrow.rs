//! The narrow schema: every kind of action, with fields that a workspace can fill.

use domain::fault::Fault;
use domain::plan::Action;
use serde_json::{Map, Value, json};

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
/// The last line from which on a model asks for lines.
const NARROW_FROM_LINE: u64 = 1_000_000;

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

pub(super) fn plan_of(known: &Known, kinds: Option<&[&str]>, most_actions: usize) -> Value {
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

/// The schemas of a path that exists, by what must be there.
pub(super) struct Known {
    file: Option<Value>,
    folder: Value,
    any: Value,
}

impl Known {
    pub(super) fn of(listing: &[String]) -> Self {
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
        (_, "from_line") => json!({ "type": "integer", "minimum": 1, "maximum": NARROW_FROM_LINE }),
        _ => return None,
    };
    Some(field)
}

/// Whether a text in an action may be cut off: the schema closes one that grows too long, and the user
/// should know before saying yes.
#[must_use]
pub fn fills_its_content(action: &Action) -> bool {
    let (Action::CreateFile { content, .. } | Action::AppendText { content, .. }) = action else {
        return false;
    };
    content.chars().count() as u64 >= NARROW_CONTENT_CHARS
}

/// What the user is told of such an action.
#[must_use]
pub fn content_cut() -> Fault {
    Fault {
        code: "plan.content_cut".to_owned(),
        message: format!(
            "A text in the plan reached the limit of {NARROW_CONTENT_CHARS} characters and may be cut off."
        ),
        hint: "For longer texts use --mode loop.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_at_the_limit_is_called_cut_off() {
        let create = |count: u64| Action::CreateFile {
            path: "a".to_owned(),
            content: "x".repeat(usize::try_from(count).unwrap()),
        };
        assert!(fills_its_content(&create(NARROW_CONTENT_CHARS)));
        assert!(!fills_its_content(&create(NARROW_CONTENT_CHARS - 1)));
    }
}
