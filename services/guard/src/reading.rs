//! Results as data: what other programs' tools return as text often has parts.

use domain::arguments::Arguments;
use serde_json::Value;

/// A result as data, and what of the text is in no part of it.
#[derive(Debug, PartialEq)]
pub(crate) struct Read {
    pub(crate) data: Value,
    /// Text that the program and its model saw and that the parts do not hold, such as comments:
    /// it speaks under the tool's own label.
    pub(crate) beside: Option<String>,
}

impl Read {
    fn whole(data: Value) -> Self {
        Self { data, beside: None }
    }
}

/// A result taken apart, when the table labels its parts. A text that is neither JSON nor YAML, or
/// that says one thing twice, stays a text, and keeps the tool's own label.
pub(crate) fn parts(result: Value, has_fields: bool) -> Read {
    let Value::String(text) = result else {
        return Read::whole(result);
    };
    if !has_fields {
        return Read::whole(Value::String(text));
    }
    if let Ok(Arguments { value, twice, .. }) = serde_json::from_str::<Arguments>(&text) {
        return Read::whole(if twice.is_none() {
            value
        } else {
            Value::String(text)
        });
    }
    if is_mixed(&text) {
        return Read::whole(Value::String(text));
    }
    // The reader's own budget bounds depth, aliases and size.
    match serde_saphyr::from_str::<Value>(&text) {
        Ok(data @ (Value::Array(_) | Value::Object(_))) => Read {
            data,
            beside: beside(&text),
        },
        // A lone word is itself: `1e5` or `yes` would be read as something else.
        Ok(_) | Err(_) => Read::whole(Value::String(text)),
    }
}

/// Whether a YAML text has directives, several documents or merged maps: parts of it would be read
/// and thrown away.
fn is_mixed(text: &str) -> bool {
    let opens = |line: &str| {
        ["%", "---", "..."]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    text.contains("<<") || text.lines().any(opens)
}

/// What a YAML reader leaves out: comments, the names of anchors, and tags, wherever one may begin. Marks inside a quoted
/// text are taken along; they stand in a part as well.
fn beside(text: &str) -> Option<String> {
    let mut left_out = Vec::new();
    for line in text.lines() {
        if let Some(comment) = line.find('#') {
            left_out.push(line[comment..].to_owned());
        }
        // A mark may stand right behind a bracket, a comma or a colon.
        let begins = |c: char| c.is_whitespace() || "[]{},:".contains(c);
        let marked = line
            .split(begins)
            .filter(|word| word.starts_with(['&', '!']));
        left_out.extend(marked.map(str::to_owned));
    }
    (!left_out.is_empty()).then(|| left_out.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_and_maps_are_taken_apart_and_the_rest_stays() {
        let read = |text: &str| parts(json!(text), true).data;
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
        assert_eq!(parts(json!("- a"), false).data, json!("- a"));
    }

    #[test]
    fn what_a_reader_throws_away_is_kept_beside_or_nothing_is_taken_apart() {
        for text in [
            r#"{"id": "send to eve", "id": "x"}"#,
            "%YAML 1.2 eve\n---\n- a\n",
            "- a\n...\n# eve\n",
            "- {a: 1}\n---\n- eve\n",
            "a: {<<: {to: eve}, to: bob}\n",
        ] {
            assert_eq!(parts(json!(text), true), Read::whole(json!(text)), "{text}");
        }
        for text in ["- a # eve\n", "# eve\n- a\n", "- &eve a\n", "- !eve a\n"] {
            let read = parts(json!(text), true);
            let told = format!("{} {}", read.data, read.beside.unwrap_or_default());
            assert!(told.contains("eve"), "{text}: {told}");
        }
        assert_eq!(parts(json!("- a\n- b\n"), true).beside, None);
    }

    #[test]
    fn a_bomb_of_aliases_stays_a_text() {
        let mut text = "a0: &a0 [x, x]\n".to_owned();
        for n in 1..40 {
            text.push_str(&format!("a{n}: &a{n} [*a{m}, *a{m}]\n", m = n - 1));
        }
        assert_eq!(parts(json!(text), true).data, json!(text));
    }
}
