//! Answers under a schema, from a real model: always valid, always closed.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

mod support;

use calls::bounds::{MAX_STRING_CHARS, bounded};
use domain::tool::{ToolDefinition, ToolName};
use engine::constraint::Grammar;
use engine::generate::{Finish, Sampling};
use engine::tools::{CallForm, Offer, Reply};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use support::{answer, task};

const SUBJECTS: [&str; 20] = [
    "a cat",
    "the sea",
    "Paris",
    "an invoice",
    "a bicycle",
    "the moon",
    "bread",
    "a bug report",
    "a dentist",
    "rain",
    "chess",
    "a train",
    "the number seven",
    "a garden",
    "a violin",
    "snow",
    "a lighthouse",
    "coffee",
    "a forest fire",
    "nothing at all",
];

fn plan_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "title": { "type": "string", "maxLength": 40 },
            "kind": { "type": "string", "enum": ["animal", "thing", "place", "event"] },
            "size": { "type": "integer", "minimum": 0, "maximum": 100 },
            "sure": { "type": "boolean" },
            "tags": { "type": "array", "items": { "type": "string", "maxLength": 12 }, "maxItems": 3 },
            "note": { "anyOf": [{ "type": "null" }, { "$ref": "#/$defs/note" }] },
        },
        "required": ["title", "kind", "size", "sure", "tags", "note"],
        "$defs": { "note": { "type": "string", "maxLength": 30 } },
    })
}

fn ask(subject: &str, schema: &Value, sampling: Sampling) -> (String, Finish) {
    let mut task = task(&format!("Describe {subject} as JSON."), 400);
    task.grammar = Some(Grammar::Schema(bounded(schema).unwrap()));
    task.sampling = sampling;
    let (text, outcome) = answer(task);
    (text, outcome.finish)
}

fn check(text: &str, finish: Finish, schema: &Value) -> Value {
    assert_eq!(finish, Finish::Complete, "{text}");
    let value: Value = serde_json::from_str(text).unwrap();
    assert!(jsonschema::is_valid(schema, &value), "{text}");
    value
}

#[test]
fn every_answer_fits_its_schema() {
    let schema = plan_schema();
    for subject in SUBJECTS {
        let (text, finish) = ask(subject, &schema, Sampling::Greedy);
        check(&text, finish, &schema);
    }
}

#[test]
fn every_seed_fits_the_schema() {
    let schema = plan_schema();
    for seed in 0..10 {
        let sampling = Sampling::Random {
            temperature: 1.2,
            seed,
        };
        let (text, finish) = ask("a cat", &schema, sampling);
        check(&text, finish, &schema);
    }
}

#[test]
fn a_string_without_a_bound_is_closed_all_the_same() {
    let schema = json!({
        "type": "object",
        "properties": { "story": { "type": "string" } },
        "required": ["story"],
    });
    let mut longest = 0;
    for subject in ["the sea", "an endless road"] {
        let (text, finish) = ask(subject, &schema, Sampling::Greedy);
        let value = check(&text, finish, &schema);
        longest = longest.max(value["story"].as_str().unwrap().chars().count());
    }
    assert!(longest as u64 <= MAX_STRING_CHARS, "{longest}");
}

#[test]
fn characters_of_many_bytes_survive_token_by_token() {
    for text in ["naïve 漢字 👩‍🚀", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 ✅", "עברית العربية"]
    {
        let schema = json!({ "type": "object", "properties": { "t": { "const": text } }, "required": ["t"] });
        let (answer, finish) = ask("this", &schema, Sampling::Greedy);
        assert_eq!(check(&answer, finish, &schema)["t"], json!(text));
    }
}

#[test]
fn a_schema_that_allows_nothing_is_refused_with_a_reason() {
    let mut task = task("x", 8);
    task.grammar = Some(Grammar::Schema(
        json!({ "type": "string", "minLength": 5, "maxLength": 2 }),
    ));
    let mut generation = support::engine().start(task).unwrap();
    let end = format!("{:?}", generation.next_blocking());
    assert!(end.contains("Grammar"), "{end}");
}

fn offer(reply: Reply) -> Offer {
    narrowed(reply, &BTreeMap::new())
}

fn narrowed(reply: Reply, narrowed: &BTreeMap<ToolName, Value>) -> Offer {
    let tool = |name: &str, description: &str, argument: &str| ToolDefinition {
        name: ToolName::new(name).unwrap(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { argument: { "$ref": "#/$defs/text" } },
            "required": [argument],
            "$defs": { "text": { "type": "string", "maxLength": 60 } },
        }),
    };
    let tools = vec![
        tool("read_file", "Reads a text file.", "path"),
        tool("web_search", "Searches the web.", "query"),
    ];
    Offer::new(tools, narrowed, reply, None).unwrap()
}

#[test]
fn a_call_is_held_to_narrowed_parameters_that_no_prompt_shows() {
    let parameters = json!({
        "type": "object", "required": ["path"], "additionalProperties": false,
        "properties": {"path": {"type": "string", "enum": ["docs/zebra.md"]}},
    });
    let read_file = ToolName::new("read_file").unwrap();
    let offer = narrowed(Reply::Call, &BTreeMap::from([(read_file, parameters)]));
    assert!(!offer.description().contains("zebra"));
    assert!(!offer.wire_tools().to_string().contains("zebra"));
    for form in [CallForm::Json, CallForm::Tagged] {
        let mut task = task("Read the file notes.md with read_file.", 200);
        task.grammar = Some(offer.grammar(form).unwrap());
        let (text, _) = answer(task);
        let is_held = text.contains("docs/zebra.md") || text.contains("web_search");
        assert!(is_held && !text.contains("notes.md\"}"), "{text}");
    }
}

#[test]
fn a_model_whose_calls_are_off_answers() {
    let offer = offer(Reply::CallOrAnswer).without_calls();
    assert!(offer.description().contains("read_file") && !offer.may_call());
    let mut task = task("Read the file notes.md with read_file.", 200);
    task.grammar = Some(offer.grammar(CallForm::Json).unwrap());
    let (text, _) = answer(task);
    assert!(text.starts_with("{\"answer\": "), "{text}");
}

#[test]
fn a_required_call_names_an_offered_tool_and_fits_its_schema_in_both_forms() {
    for form in [CallForm::Json, CallForm::Tagged] {
        let mut task = task("Read the file notes.md with a tool.", 200);
        task.grammar = Some(offer(Reply::Call).grammar(form).unwrap());
        let (text, outcome) = answer(task);
        assert_eq!(outcome.finish, Finish::Complete, "{text}");
        let inner = text
            .trim_start_matches("<tool_call>")
            .trim_end_matches("</tool_call>");
        let call: Value = serde_json::from_str(inner.trim()).unwrap();
        let name = call.get("tool").or_else(|| call.get("name")).unwrap();
        assert!(name == "read_file" || name == "web_search", "{text}");
        assert_eq!(call["arguments"].as_object().unwrap().len(), 1, "{text}");
    }
}

#[test]
fn a_call_or_an_answer_is_one_of_the_two() {
    for says in [
        "What is 2+2?",
        "Read notes.md and tell me what it says.",
        "Hello!",
    ] {
        let mut task = task(says, 1500);
        task.grammar = Some(offer(Reply::CallOrAnswer).grammar(CallForm::Json).unwrap());
        let (text, outcome) = answer(task);
        assert_eq!(outcome.finish, Finish::Complete, "{text}");
        let reply: Value = serde_json::from_str(&text).unwrap();
        assert!(
            reply.get("answer").is_some() ^ reply.get("tool").is_some(),
            "{text}"
        );
    }
}
