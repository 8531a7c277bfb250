//! Makes a JSON Schema safe for a small model to fill.
//!
//! A small model that may write any number of characters repeats itself until the token limit, and
//! the answer is then cut and invalid. Every open end in a schema therefore gets a bound before
//! decoding. Each change only narrows what is allowed: an answer that fits the bounded schema fits
//! the one that was asked for.

use serde_json::{Map, Value, json};

/// Most characters in a string whose schema names no `maxLength`.
pub const MAX_STRING_CHARS: u64 = 512;

/// The same for a string in an array, of which there may be many.
pub const MAX_ITEM_CHARS: u64 = 256;

/// Most items in an array whose schema names no `maxItems`.
pub const MAX_ARRAY_ITEMS: u64 = 16;

/// Most properties in an object that lists none of its own.
pub const MAX_FREE_PROPERTIES: u64 = 8;

/// Deepest nesting of a schema, in levels.
pub const MAX_DEPTH: usize = 64;

/// Most bytes of a schema, as compact JSON.
pub const MAX_SCHEMA_BYTES: usize = 256 * 1024;

/// Why a schema cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Nesting beyond [`MAX_DEPTH`].
    #[error("the schema nests deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// Larger than [`MAX_SCHEMA_BYTES`].
    #[error("the schema has {bytes} bytes; the limit is {MAX_SCHEMA_BYTES}")]
    TooLarge {
        /// Size of the schema, bytes.
        bytes: usize,
    },
    /// Not an object or `true`.
    #[error("a schema is a JSON object")]
    NotAnObject,
}

/// Returns `schema` with a bound at every open end.
///
/// # Errors
/// [`Error`] when the schema is no object, too large or too deep.
pub fn bounded(schema: &Value) -> Result<Value, Error> {
    let bytes = schema.to_string().len();
    if bytes > MAX_SCHEMA_BYTES {
        return Err(Error::TooLarge { bytes });
    }
    if !schema.is_object() {
        return Err(Error::NotAnObject);
    }
    bound(schema, 0, MAX_STRING_CHARS)
}

/// Moves `schema` under `#/$defs/<name>` of a larger schema: adds it to `definitions` with its
/// references rewritten, and returns the reference to use in its place.
pub fn define(name: &str, schema: &Value, definitions: &mut Map<String, Value>) -> Value {
    let mut moved = schema.clone();
    rebase(&mut moved, name);
    definitions.insert(name.to_owned(), moved);
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn rebase(value: &mut Value, name: &str) {
    match value {
        Value::Object(object) => {
            if let Some(Value::String(target)) = object.get_mut("$ref")
                && let Some(rest) = target.strip_prefix('#')
            {
                *target = format!("#/$defs/{name}{rest}");
            }
            object.values_mut().for_each(|inner| rebase(inner, name));
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| rebase(inner, name)),
        _ => {}
    }
}

/// `characters`: the bound for strings here and below.
fn bound(schema: &Value, depth: usize, characters: u64) -> Result<Value, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::TooDeep);
    }
    let Value::Object(object) = schema else {
        // `true` allows anything, and anything has no end; `false` allows nothing already.
        return Ok(if schema == &Value::Bool(true) {
            any_scalar(characters)
        } else {
            schema.clone()
        });
    };
    let mut object = object.clone();
    if allows_anything(&object) {
        if let Value::Object(scalar) = any_scalar(characters) {
            object.extend(scalar);
        }
        return Ok(Value::Object(object));
    }
    bound_children(&mut object, depth, characters)?;
    if may_be(&object, "string") && !object.contains_key("enum") && !object.contains_key("const") {
        limit(&mut object, "maxLength", "minLength", characters);
    }
    if may_be(&object, "array") {
        limit(&mut object, "maxItems", "minItems", MAX_ARRAY_ITEMS);
        object
            .entry("items")
            .or_insert_with(|| any_scalar(MAX_ITEM_CHARS));
    }
    if may_be(&object, "object") {
        bound_object(&mut object);
    }
    Ok(Value::Object(object))
}

/// Keywords whose value is one schema, a list of schemas, or schemas by name.
fn bound_children(
    object: &mut Map<String, Value>,
    depth: usize,
    characters: u64,
) -> Result<(), Error> {
    for (keyword, value) in object.iter_mut() {
        let bound = |schema: &Value, depth| match keyword.as_str() {
            "items" | "additionalItems" => bound(schema, depth, MAX_ITEM_CHARS),
            _ => bound(schema, depth, characters),
        };
        match (keyword.as_str(), value) {
            ("items" | "additionalProperties" | "additionalItems", inner)
                if !inner.is_boolean() =>
            {
                *inner = bound(inner, depth + 1)?;
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                for inner in list {
                    *inner = bound(inner, depth + 1)?;
                }
            }
            (
                "properties" | "patternProperties" | "$defs" | "definitions",
                Value::Object(named),
            ) => {
                for (_, inner) in named.iter_mut() {
                    *inner = bound(inner, depth + 1)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// Closes an object: only listed properties, or a few short ones when none is listed.
fn bound_object(object: &mut Map<String, Value>) {
    let lists_some = object.contains_key("properties") || object.contains_key("patternProperties");
    let open = match object.get("additionalProperties") {
        None | Some(Value::Bool(true)) => true,
        Some(_) => return,
    };
    if !open {
        return;
    }
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
    if !lists_some {
        let named = json!({ "^[A-Za-z_][A-Za-z0-9_]{0,31}$": any_scalar(MAX_ITEM_CHARS) });
        object.insert("patternProperties".to_owned(), named);
        object
            .entry("maxProperties")
            .or_insert_with(|| json!(MAX_FREE_PROPERTIES));
    }
}

fn limit(object: &mut Map<String, Value>, most: &str, least: &str, default: u64) {
    if !object.contains_key(most) {
        let least = object.get(least).and_then(Value::as_u64).unwrap_or(0);
        object.insert(most.to_owned(), json!(default.max(least)));
    }
}

/// Whether the schema says `type` includes `name`. A schema that only refers elsewhere says nothing.
fn may_be(object: &Map<String, Value>, name: &str) -> bool {
    match object.get("type") {
        Some(Value::String(one)) => one == name,
        Some(Value::Array(several)) => several.iter().any(|one| one == name),
        _ => match name {
            "object" => object.contains_key("properties"),
            "array" => object.contains_key("items") || object.contains_key("prefixItems"),
            _ => object.contains_key("minLength") || object.contains_key("pattern"),
        },
    }
}

/// Whether nothing in the schema restricts the value.
fn allows_anything(object: &Map<String, Value>) -> bool {
    const NOTES: [&str; 11] = [
        "title",
        "description",
        "default",
        "examples",
        "$comment",
        "$schema",
        "$id",
        "$defs",
        "definitions",
        "readOnly",
        "writeOnly",
    ];
    object
        .keys()
        .all(|keyword| NOTES.contains(&keyword.as_str()))
}

fn any_scalar(characters: u64) -> Value {
    json!({ "type": ["string", "number", "boolean", "null"], "maxLength": characters })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_open_end_gets_a_bound() {
        let schema = json!({
            "type": "object",
            "properties": {
                "name": { "type": "string" },
                "note": { "type": ["string", "null"], "maxLength": 40 },
                "long": { "type": "string", "minLength": 900 },
                "kind": { "type": "string", "enum": ["a", "b"] },
                "tags": { "type": "array", "items": { "$ref": "#/$defs/tag" } },
                "words": { "type": "array", "items": { "type": "string" } },
                "free": { "type": "object" },
                "any": {},
            },
            "$defs": { "tag": { "type": "string" } },
        });
        let bounded = bounded(&schema).unwrap();
        let at = |pointer: &str| bounded.pointer(pointer).cloned();
        assert_eq!(
            at("/properties/name/maxLength"),
            Some(json!(MAX_STRING_CHARS))
        );
        assert_eq!(at("/properties/note/maxLength"), Some(json!(40)));
        assert_eq!(at("/properties/long/maxLength"), Some(json!(900)));
        assert_eq!(at("/properties/kind/maxLength"), None);
        assert_eq!(
            at("/properties/words/items/maxLength"),
            Some(json!(MAX_ITEM_CHARS))
        );
        assert_eq!(
            at("/properties/tags/maxItems"),
            Some(json!(MAX_ARRAY_ITEMS))
        );
        assert_eq!(at("/$defs/tag/maxLength"), Some(json!(MAX_STRING_CHARS)));
        assert_eq!(
            at("/properties/free/maxProperties"),
            Some(json!(MAX_FREE_PROPERTIES))
        );
        assert_eq!(
            at("/properties/any/maxLength"),
            Some(json!(MAX_STRING_CHARS))
        );
        assert_eq!(at("/additionalProperties"), Some(json!(false)));
    }

    #[test]
    fn a_property_may_be_called_like_a_keyword() {
        let schema = json!({ "type": "object", "properties": { "items": { "type": "string" } } });
        let bounded = bounded(&schema).unwrap();
        assert_eq!(
            bounded.pointer("/properties/items/maxLength"),
            Some(&json!(MAX_STRING_CHARS))
        );
        assert_eq!(bounded.get("maxItems"), None);
    }

    #[test]
    fn references_follow_a_moved_schema() {
        let schema = json!({
            "type": "object",
            "properties": { "x": { "$ref": "#/$defs/y" }, "self": { "$ref": "#" } },
            "$defs": { "y": { "type": "integer" } },
        });
        let mut definitions = Map::new();
        let reference = define("t", &schema, &mut definitions);
        assert_eq!(reference, json!({ "$ref": "#/$defs/t" }));
        let root = json!({ "$defs": definitions });
        assert_eq!(
            root.pointer("/$defs/t/properties/x/$ref"),
            Some(&json!("#/$defs/t/$defs/y"))
        );
        assert_eq!(
            root.pointer("/$defs/t/properties/self/$ref"),
            Some(&json!("#/$defs/t"))
        );
    }

    #[test]
    fn limits_hold_at_their_edge() {
        let mut deep = json!({ "type": "string" });
        for _ in 0..MAX_DEPTH {
            deep = json!({ "type": "array", "items": deep });
        }
        assert!(bounded(&deep).is_ok());
        assert_eq!(
            bounded(&json!({ "type": "array", "items": deep })),
            Err(Error::TooDeep)
        );
        let large = json!({ "description": "x".repeat(MAX_SCHEMA_BYTES) });
        assert!(matches!(bounded(&large), Err(Error::TooLarge { .. })));
        assert_eq!(bounded(&json!("string")), Err(Error::NotAnObject));
    }
}
