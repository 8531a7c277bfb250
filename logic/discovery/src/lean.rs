//! A tool's schema as a model is shown it: what it needs to write the arguments, and nothing that only a
//! validator needs. The broker holds a call to the whole schema.

use serde_json::{Map, Value};

/// Keywords that a validator needs and a model does not. That an object is closed stays: servers make
/// grammars of schemas.
const BOUNDS: [&str; 16] = [
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "default",
    "title",
    "$schema",
    "$comment",
];
/// Keywords whose members are names with a schema each.
const NAMED: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];
/// Keywords whose values are data and no schemas.
const DATA: [&str; 3] = ["enum", "const", "examples"];

/// The schema without bounds, defaults and titles.
#[must_use]
pub fn lean(schema: &Value) -> Value {
    match schema {
        Value::Object(members) => Value::Object(members.iter().filter_map(member).collect()),
        Value::Array(items) => items.iter().map(lean).collect(),
        scalar => scalar.clone(),
    }
}

fn member((key, value): (&String, &Value)) -> Option<(String, Value)> {
    let is_empty = key == "required" && value.as_array().is_some_and(Vec::is_empty);
    if is_empty || BOUNDS.contains(&key.as_str()) {
        return None;
    }
    let kept = match value {
        Value::Object(named) if NAMED.contains(&key.as_str()) => {
            let schemas = named.iter().map(|(name, one)| (name.clone(), lean(one)));
            Value::Object(schemas.collect::<Map<String, Value>>())
        }
        data if DATA.contains(&key.as_str()) => data.clone(),
        other => lean(other),
    };
    Some((key.clone(), kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn bounds_go_and_names_types_and_values_stay() {
        let schema = json!({
            "title": "x", "type": "object", "additionalProperties": false, "required": [],
            "properties": {
                "title": {"type": "string", "minLength": 1, "maxLength": 9, "description": "Its title."},
                "maximum": {"type": "array", "maxItems": 3, "items": {"type": "integer", "minimum": 1}},
                "sort": {"enum": ["default", {"title": 1}], "default": "name"},
            },
        });
        assert_eq!(
            lean(&schema),
            json!({
                "type": "object", "additionalProperties": false,
                "properties": {
                    "title": {"type": "string", "description": "Its title."},
                    "maximum": {"type": "array", "items": {"type": "integer"}},
                    "sort": {"enum": ["default", {"title": 1}]},
                },
            })
        );
        let required = json!({"required": ["path"]});
        assert_eq!(lean(&required), required);
    }
}
