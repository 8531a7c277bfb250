//! A tool's schema as a small model's reply is held to it: values that can be enumerated are alternatives.
//! No prompt shows it, and the broker holds a call to the whole schema.

use crate::known::{KnownFiles, Paths};
use domain::tool::{EDIT_FILE, LIST_FILES, READ_FILE, ToolDefinition, ToolName};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Tools of which `path` is a file that is there, a folder, or either. `write_file` makes files as well. To
/// delete or move, a name that is nobody's does nothing, and the nearest one that is somebody's does harm.
const OF_A_FILE: [&str; 4] = [READ_FILE, EDIT_FILE, "read_document", "view_image"];
const OF_A_FOLDER: [&str; 2] = [LIST_FILES, "glob"];
const OF_EITHER: [&str; 2] = ["grep", "outline"];
/// The arguments.
const PATH: &str = "path";
const OLD: &str = "old";

/// Whether anything of a tool can be enumerated.
#[must_use]
pub fn can_be_narrowed(tool: &ToolDefinition) -> bool {
    let mut tools = OF_A_FILE.iter().chain(&OF_A_FOLDER).chain(&OF_EITHER);
    let is_known = tools.any(|known| *known == tool.name.as_str());
    is_known && property(&tool.parameters, PATH).is_some()
}

/// The parameters of those tools that are narrowed by what is known.
#[must_use]
pub fn narrowed(tools: &[ToolDefinition], known: &KnownFiles) -> BTreeMap<ToolName, Value> {
    let Some(paths) = &known.paths else {
        return BTreeMap::new();
    };
    let Paths { files, folders } = paths;
    let either: Vec<String> = files.iter().chain(folders).cloned().collect();
    let tools = tools.iter().filter(|tool| can_be_narrowed(tool));
    let narrowed = tools.filter_map(|tool| {
        let name = tool.name.as_str();
        let values = match name {
            _ if OF_A_FOLDER.contains(&name) => folders,
            _ if OF_EITHER.contains(&name) => &either,
            _ => files,
        };
        let parameters = match name {
            _ if values.is_empty() => return None,
            EDIT_FILE => edits(&tool.parameters, values, &known.texts),
            _ => with_enum(&tool.parameters, PATH, values),
        };
        Some((tool.name.clone(), parameters))
    });
    narrowed.collect()
}

/// One alternative for each file whose texts are known, and one for all others.
fn edits(parameters: &Value, files: &[String], texts: &BTreeMap<String, Vec<String>>) -> Value {
    let texts_of = |file: &String| texts.get(file).filter(|texts| !texts.is_empty());
    let of_known = files.iter().filter_map(|file| {
        let of_file = with_enum(parameters, PATH, std::slice::from_ref(file));
        Some(with_enum(&of_file, OLD, texts_of(file)?))
    });
    let mut alternatives: Vec<Value> = of_known.collect();
    let others = files.iter().filter(|file| texts_of(file).is_none());
    let others: Vec<String> = others.cloned().collect();
    if !others.is_empty() {
        alternatives.push(with_enum(parameters, PATH, &others));
    }
    match alternatives.len() {
        1 => alternatives.remove(0),
        _ => json!({ "anyOf": alternatives }),
    }
}

fn property<'a>(parameters: &'a Value, name: &str) -> Option<&'a Value> {
    let property = parameters.get("properties")?.get(name)?;
    (property.get("type") == Some(&json!("string"))).then_some(property)
}

/// The same object with one of its texts among these.
fn with_enum(parameters: &Value, name: &str, values: &[String]) -> Value {
    let mut parameters = parameters.clone();
    let is_text = property(&parameters, name).is_some();
    if is_text && let Some(property) = parameters.pointer_mut(&format!("/properties/{name}")) {
        *property = json!({ "type": "string", "enum": values });
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: Value) -> ToolDefinition {
        ToolDefinition {
            name: ToolName::new(name).unwrap(),
            description: String::new(),
            parameters: json!({
                "type": "object", "properties": properties, "required": [PATH],
                "additionalProperties": false,
            }),
        }
    }

    fn tools() -> Vec<ToolDefinition> {
        let path = json!({"type": "string", "description": "The file."});
        let text = json!({"type": "string"});
        vec![
            tool(
                "read_file",
                json!({"path": path, "line_count": {"type": "integer"}}),
            ),
            tool("edit_file", json!({"path": path, "old": text, "new": text})),
            tool("write_file", json!({"path": path, "content": text})),
            tool("delete_file", json!({"path": path})),
            tool("list_files", json!({"path": path})),
            tool("grep", json!({"pattern": text, "path": path})),
        ]
    }

    fn known(texts: &[(&str, &str)]) -> KnownFiles {
        let texts = texts.iter();
        KnownFiles {
            paths: Some(Paths {
                files: vec!["a.md".to_owned(), "b.md".to_owned()],
                folders: vec![".".to_owned(), "docs".to_owned()],
            }),
            texts: texts
                .map(|(path, text)| ((*path).to_owned(), vec![(*text).to_owned()]))
                .collect(),
        }
    }

    fn of(name: &str, known: &KnownFiles) -> Value {
        narrowed(&tools(), known)[&ToolName::new(name).unwrap()].clone()
    }

    #[test]
    fn a_path_is_one_of_the_files_where_a_file_is_needed() {
        let narrowed = narrowed(&tools(), &known(&[]));
        let names: Vec<&str> = narrowed.keys().map(ToolName::as_str).collect();
        assert_eq!(names, ["edit_file", "grep", "list_files", "read_file"]);
        let path = |name: &str| of(name, &known(&[]))["properties"]["path"]["enum"].clone();
        assert_eq!(path("list_files"), json!([".", "docs"]));
        assert_eq!(path("grep"), json!(["a.md", "b.md", ".", "docs"]));
        let read = of("read_file", &known(&[]));
        let path = &read["properties"]["path"];
        assert_eq!(path, &json!({"type": "string", "enum": ["a.md", "b.md"]}));
        // All else stays as it is, in its order.
        let order: Vec<&String> = read["properties"].as_object().unwrap().keys().collect();
        assert_eq!(order, ["path", "line_count"]);
        assert_eq!(read["required"], json!(["path"]));
        assert_eq!(read["additionalProperties"], false);
        assert_eq!(
            of("edit_file", &known(&[]))["properties"]["old"]["enum"],
            Value::Null
        );
    }

    #[test]
    fn what_is_replaced_stands_in_the_file_that_is_known() {
        let edit = of("edit_file", &known(&[("b.md", "port = 80")]));
        let [of_b, of_others] = edit["anyOf"].as_array().unwrap().as_slice() else {
            panic!("{edit:#}");
        };
        assert_eq!(of_b["properties"]["path"]["enum"], json!(["b.md"]));
        assert_eq!(of_b["properties"]["old"]["enum"], json!(["port = 80"]));
        assert_eq!(of_others["properties"]["path"]["enum"], json!(["a.md"]));
        assert_eq!(of_others["properties"]["old"], json!({"type": "string"}));
        let both = of("edit_file", &known(&[("a.md", "x"), ("b.md", "y")]));
        assert_eq!(both["anyOf"].as_array().unwrap().len(), 2);
        // The texts of a file that may not be meant say nothing.
        let other = of("edit_file", &known(&[("c.md", "x")]));
        assert_eq!(other["properties"]["path"]["enum"], json!(["a.md", "b.md"]));
    }

    #[test]
    fn nothing_known_narrows_nothing() {
        assert!(narrowed(&tools(), &KnownFiles::default()).is_empty());
        let none = KnownFiles {
            paths: Some(Paths::default()),
            ..KnownFiles::default()
        };
        assert!(narrowed(&tools(), &none).is_empty());
        let foreign = tool("read_file", json!({"path": {"type": "array"}}));
        assert!(narrowed(&[foreign], &known(&[])).is_empty());
    }
}
