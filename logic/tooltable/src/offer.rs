//! Tool definitions as a server or a program offers them, in any of the forms they come in.

use crate::classify::Hints;
use crate::error::Error;
use domain::tool::{ToolDefinition, ToolName};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A tool as it was offered.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Its definition.
    pub definition: ToolDefinition,
    /// What the server says of it besides.
    pub hints: Hints,
}

/// Reads tool definitions from JSON: the answer to MCP's `tools/list`, whole or its result, or an
/// array of tools. A tool's schema stands in `inputSchema`, `input_schema` or `parameters`, or in a
/// `function` within. `file` is the name in errors.
///
/// # Errors
/// [`Error::Definitions`] when it is none of these, a tool has no usable name, or two share one.
pub fn offers(text: &str, file: &str) -> Result<Vec<Offer>, Error> {
    let wrong = |problem: String| Error::Definitions {
        file: file.to_owned(),
        problem,
    };
    let value: Value =
        serde_json::from_str(text).map_err(|error| wrong(format!("not JSON: {error}")))?;
    let listed = [
        Some(&value),
        value.get("tools"),
        value.pointer("/result/tools"),
    ];
    let tools = listed.into_iter().flatten().find_map(Value::as_array);
    let tools = tools.ok_or_else(|| {
        wrong("no tools in it: expected an array, or an object with the array `tools`".to_owned())
    })?;
    let mut names = BTreeSet::new();
    let mut all = Vec::with_capacity(tools.len());
    for (index, tool) in tools.iter().enumerate() {
        let offer =
            offer(tool).map_err(|problem| wrong(format!("tool {}: {problem}", index + 1)))?;
        if !names.insert(offer.definition.name.clone()) {
            return Err(wrong(format!(
                "two tools are named `{}`",
                offer.definition.name
            )));
        }
        all.push(offer);
    }
    Ok(all)
}

fn offer(tool: &Value) -> Result<Offer, String> {
    let inner = tool.get("function").unwrap_or(tool);
    let name = inner.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| "it has no `name`".to_owned())?;
    let name = ToolName::new(name).map_err(|error| error.to_string())?;
    let description = inner.get("description").and_then(Value::as_str);
    let parameters = ["inputSchema", "input_schema", "parameters"]
        .into_iter()
        .find_map(|key| inner.get(key));
    let says = |hint: &str, answer: bool| {
        let annotations = tool.get("annotations");
        annotations.and_then(|map| map.get(hint)) == Some(&Value::Bool(answer))
    };
    Ok(Offer {
        definition: ToolDefinition {
            name,
            description: description.unwrap_or_default().to_owned(),
            parameters: parameters
                .cloned()
                .unwrap_or_else(|| json!({"type": "object", "properties": {}})),
        },
        hints: Hints {
            writes: says("readOnlyHint", false),
            destroys: says("destructiveHint", true),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read() {
        let schema = json!({"type": "object", "properties": {"id": {"type": "string"}}});
        let mcp = json!({"name": "t", "description": "d", "inputSchema": schema});
        for value in [
            json!([mcp]),
            json!({"tools": [mcp]}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": [mcp]}}),
            json!([{"name": "t", "description": "d", "parameters": schema}]),
            json!([{"name": "t", "description": "d", "input_schema": schema}]),
            json!([{"type": "function",
                    "function": {"name": "t", "description": "d", "parameters": schema}}]),
        ] {
            let found = offers(&value.to_string(), "f").unwrap();
            assert_eq!(found.len(), 1, "{value}");
            assert_eq!(found[0].definition.parameters, schema, "{value}");
            assert_eq!(found[0].definition.description, "d");
            assert_eq!(found[0].hints, Hints::default());
        }
        let hinted = json!([{"name": "t", "annotations":
            {"readOnlyHint": false, "destructiveHint": true}}]);
        let found = offers(&hinted.to_string(), "f").unwrap();
        assert!(found[0].hints.writes && found[0].hints.destroys);
        let soothing = json!([{"name": "t", "annotations":
            {"readOnlyHint": true, "destructiveHint": false}}]);
        let found = offers(&soothing.to_string(), "f").unwrap();
        assert_eq!(found[0].hints, Hints::default());
    }

    #[test]
    fn what_is_no_list_of_tools_is_refused_with_the_place() {
        for (text, word) in [
            ("", "not JSON"),
            ("{}", "expected an array"),
            ("3", "expected an array"),
            (r#"[{"name": "a"}, {}]"#, "tool 2: it has no `name`"),
            (r#"[{"name": "a b"}]"#, "tool 1: `a b`"),
            (
                r#"[{"name": "a"}, {"name": "a"}]"#,
                "two tools are named `a`",
            ),
        ] {
            let told = offers(text, "tools.json").unwrap_err().to_string();
            assert!(
                told.starts_with("tools.json: ") && told.contains(word),
                "{told}"
            );
        }
    }
}
