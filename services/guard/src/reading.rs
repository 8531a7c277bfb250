//! Results as data: what other programs' tools return as text often has parts.

use serde_json::Value;

/// A result taken apart, when the table labels its parts. A text that is neither JSON nor YAML
/// stays a text, and keeps the tool's own label.
pub(crate) fn parts(result: Value, has_fields: bool) -> Value {
    let Value::String(text) = result else {
        return result;
    };
    if !has_fields {
        return Value::String(text);
    }
    if let Ok(value) = serde_json::from_str(&text) {
        return value;
    }
    // The reader's own budget bounds depth, aliases and size.
    match serde_saphyr::from_str::<Value>(&text) {
        Ok(value @ (Value::Array(_) | Value::Object(_))) => value,
        // A lone word is itself: `1e5` or `yes` would be read as something else.
        Ok(_) | Err(_) => Value::String(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_and_maps_are_taken_apart_and_the_rest_stays() {
        let read = |text: &str| parts(json!(text), true);
        assert_eq!(read("[1, {\"a\": \"b\"}]"), json!([1, {"a": "b"}]));
        assert_eq!(
            read("- a: 1\n  b: x y\n- a: 2\n"),
            json!([{"a": 1, "b": "x y"}, {"a": 2}])
        );
        assert_eq!(
            read("DE89370400440532013000"),
            json!("DE89370400440532013000")
        );
        assert_eq!(read("no: [broken"), json!("no: [broken"));
        assert_eq!(parts(json!("- a"), false), json!("- a"));
    }

    #[test]
    fn a_bomb_of_aliases_stays_a_text() {
        let mut text = "a0: &a0 [x, x]\n".to_owned();
        for n in 1..40 {
            text.push_str(&format!("a{n}: &a{n} [*a{m}, *a{m}]\n", m = n - 1));
        }
        assert_eq!(parts(json!(text), true), json!(text));
    }
}
