//! A tool's definition by somebody else, whose schema would keep the guard busy for ever.

use attacks::guarded::{Conversation, Program};
use serde_json::{Map, Value, json};

const PROGRAM: Program = Program {
    table: "version: 1\ntools:\n  theirs: {effect: read, other_arguments: knob}\n  \
            mine: {effect: read}\n",
    tools: &[],
};

/// A conversation in which one tool has these arguments, and one that has none.
fn begun(parameters: &Value) -> Conversation {
    let nothing = json!({"type": "object"});
    let tools = json!([
        {"name": "theirs", "description": "d", "parameters": parameters},
        {"name": "mine", "description": "d", "parameters": nothing},
    ]);
    let begin = json!({"op": "begin", "prompt": "Do it.", "tools": tools});
    let conversation = PROGRAM.asked("Do it.", &Value::Null);
    conversation.line(&begin.to_string())
}

/// What the guard says to these arguments, and to a call of the other tool after that.
fn answers(parameters: &Value, arguments: &Value) -> Vec<String> {
    let asked = begun(parameters)
        .check("theirs", arguments.clone())
        .check("mine", json!({}));
    let answers = asked.played();
    (0..answers.0.len()).map(|at| answers.at(at)).collect()
}

/// Parts that refer to the next one so many times each.
fn multiplied(parts: usize, times: usize) -> Value {
    let mut definitions = Map::new();
    for at in 0..parts {
        let next = json!({"$ref": format!("#/$defs/d{}", at + 1)});
        definitions.insert(format!("d{at}"), json!({"anyOf": vec![next; times]}));
    }
    definitions.insert(format!("d{parts}"), json!({"type": "number"}));
    let first = json!({"a": {"$ref": "#/$defs/d0"}});
    json!({"type": "object", "properties": first, "$defs": definitions})
}

/// An argument that is a tree: a leaf, or a node of one of so many kinds.
fn tree(kinds: usize) -> Value {
    let kind = |at: usize| {
        let properties = json!({
            "kind": {"type": "string"},
            "inner": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
        });
        let names = ["kind".to_owned(), format!("only{at}")];
        json!({"type": "object", "properties": properties, "required": names[..1 + at.min(1)]})
    };
    let kinds: Vec<Value> = [json!({"type": "string"})]
        .into_iter()
        .chain((0..kinds).map(kind))
        .collect();
    json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/tree"}},
        "$defs": {"tree": {"anyOf": kinds}},
    })
}

fn nested(levels: usize, leaf: Value) -> Value {
    let outer = |inner: Value, _| json!({"kind": "and", "inner": [inner]});
    json!({"a": (0..levels).fold(leaf, outer)})
}

#[test]
fn a_schema_without_end_is_refused_at_the_beginning() {
    let endless = [
        ("multiplied", multiplied(30, 10)),
        ("a long chain", multiplied(3_000, 1)),
        (
            "a circle",
            json!({"properties": {"a": {"$ref": "#/$defs/b"}},
                   "$defs": {"b": {"allOf": [{"$ref": "#/$defs/b"}]}}}),
        ),
    ];
    for (what, schema) in endless {
        let told = answers(&schema, &json!({"a": "x"}));
        assert!(told[0].starts_with("error"), "{what}: {told:#?}");
        let names = ["`theirs`", "at `/"];
        assert!(names.iter().all(|name| told[0].contains(name)), "{told:#?}");
        let refused = ["deny not_judged"; 2];
        assert_eq!(told[1..], refused, "{what}");
    }
    let asked = begun(&multiplied(30, 10)).line(r#"{"op": "end"}"#);
    let tools = json!([{"name": "mine", "description": "d", "parameters": {"type": "object"}}]);
    let begin = json!({"op": "begin", "prompt": "Do it.", "tools": tools});
    let asked = asked.line(&begin.to_string()).check("mine", json!({}));
    assert_eq!(asked.last(), "allow fits");
}

/// A part that looks at what the part in it evaluated, and so on: each one doubles the work.
fn looked_through(levels: usize) -> Value {
    let outer = |inner: Value, _| json!({"allOf": [inner], "unevaluatedProperties": false});
    let inner = (0..levels).fold(json!({"properties": {"p": {}}}), outer);
    json!({"type": "object", "properties": {"a": inner}})
}

#[test]
fn a_schema_that_looks_again_at_what_it_evaluated_is_counted_as_often() {
    let told = answers(&looked_through(26), &json!({"a": {"p": 1}}));
    assert!(told[0].starts_with("error"), "{told:#?}");
    let told = answers(&looked_through(2), &json!({"a": {"p": 1}}));
    assert_eq!(told, ["allow fits"; 2]);
    let told = answers(&looked_through(2), &json!({"a": {"q": 1}}));
    assert_eq!(told, ["deny schema_violation", "allow fits"]);
}

#[test]
fn arguments_that_a_schema_multiplies_are_refused() {
    let told = answers(&tree(3), &nested(28, json!(1)));
    assert_eq!(told, ["deny schema_too_costly", "allow fits"]);
}

#[test]
fn an_honest_recursive_schema_is_checked() {
    for (kinds, levels) in [(1, 28), (3, 4)] {
        let told = answers(&tree(kinds), &nested(levels, json!("leaf")));
        assert_eq!(told, ["allow fits"; 2], "{kinds} {levels}");
        let told = answers(&tree(kinds), &json!({"a": {"kind": "and", "inner": 1}}));
        assert_eq!(told, ["deny schema_violation", "allow fits"], "{kinds}");
    }
    let told = answers(&multiplied(3, 10), &json!({"a": 1}));
    assert_eq!(told, ["allow fits"; 2]);
}
