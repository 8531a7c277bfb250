//! The schemas under which a model answers, made from the types that its answers are read into.

use crate::check::Roster;
use domain::limits::{REPORT_SUMMARY_CHARS, TASK_GOAL_CHARS, TASKS_PER_REQUEST};
use domain::lineage::AgentType;
use domain::report::Report;
use domain::task::Decomposition;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

/// The name of a task that is the whole request.
const WHOLE: &str = "whole";

/// What a sub-agent answers in.
#[must_use]
pub fn report_schema() -> Value {
    of::<Report>()
}

/// The same for one that said it has failed and not why: its next answer cannot leave that out. A
/// small model that is told of it in words alone leaves it out again.
#[must_use]
pub fn explained_report_schema() -> Value {
    let mut schema = report_schema();
    let reason = json!({ "type": "string", "minLength": 1, "maxLength": REPORT_SUMMARY_CHARS });
    schema["properties"]["failure_reason"] = reason;
    if let Some(required) = schema["required"].as_array_mut() {
        required.push(json!("failure_reason"));
    }
    schema
}

/// Longest goal that a model may write when it takes a request apart, characters. Tighter than what
/// is accepted: a small model fills what room it has.
const WRITTEN_GOAL_CHARS: u32 = 600;
/// Longest input or path that it may write, and most of each.
const WRITTEN_LINE_CHARS: u32 = 120;
const WRITTEN_LINES: u32 = 4;

/// What an orchestrating agent takes a request apart in, into `most` tasks: only types that it may
/// start can be said. One task alone needs no other.
#[must_use]
pub fn decomposition_schema(roster: &Roster, most: usize) -> Value {
    let mut schema = of::<Decomposition>();
    let types: Vec<&str> = roster.types.iter().map(AgentType::as_str).collect();
    let most = most.clamp(1, TASKS_PER_REQUEST);
    schema["properties"]["tasks"]["maxItems"] = json!(most);
    let task = &mut schema["properties"]["tasks"]["items"]["properties"];
    task["agent_type"] = json!({ "type": "string", "enum": types });
    task["depends_on"]["maxItems"] = json!(most - 1);
    task["goal"]["maxLength"] = json!(WRITTEN_GOAL_CHARS);
    for lines in ["inputs", "expected_artifacts"] {
        task[lines]["maxItems"] = json!(WRITTEN_LINES);
        task[lines]["items"]["maxLength"] = json!(WRITTEN_LINE_CHARS);
    }
    schema
}

/// What a model answers in that may only say who does the whole, or that nobody has to: one task, in
/// the words of the request. A model that is too small to take a request apart fills whatever it may
/// write with words of no meaning, and still chooses a type well.
#[must_use]
pub fn whole_schema(roster: &Roster, request: &str) -> Value {
    let mut schema = decomposition_schema(roster, 1);
    let task = &mut schema["properties"]["tasks"]["items"]["properties"];
    task["id"] = json!({ "type": "string", "enum": [WHOLE] });
    for lines in ["inputs", "expected_artifacts"] {
        task[lines]["maxItems"] = json!(0);
    }
    // A longer one is no goal that would be taken.
    if request.chars().count() <= TASK_GOAL_CHARS {
        task["goal"] = json!({ "type": "string", "enum": [request] });
    }
    schema
}

/// A decomposition as a tool takes it, from whichever agent.
#[must_use]
pub fn tasks_schema() -> Value {
    of::<Decomposition>()
}

/// Which of `count` facts are worth keeping, by their numbers from 0.
#[must_use]
pub fn keep_schema(count: usize) -> Value {
    json!({
        "type": "object",
        "properties": {"keep": {
            "type": "array",
            "maxItems": count,
            "items": {"type": "integer", "minimum": 0, "maximum": count.saturating_sub(1)},
        }},
        "required": ["keep"],
        "additionalProperties": false,
    })
}

fn of<T: schemars::JsonSchema>() -> Value {
    // References would have to be followed by every model server; everything stands in its place.
    let settings = SchemaSettings::draft2020_12().with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    settings.into_generator().into_root_schema_for::<T>().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_stand_alone_and_close_what_they_leave_open() {
        let roster = Roster {
            types: ["coder", "researcher"]
                .map(|t| AgentType::new(t).unwrap())
                .into(),
            depth: 1,
        };
        for schema in [
            report_schema(),
            decomposition_schema(&roster, TASKS_PER_REQUEST),
            keep_schema(3),
        ] {
            let text = schema.to_string();
            assert!(!text.contains("$ref"), "{text}");
            assert_eq!(schema["additionalProperties"], false);
        }
        let explained = explained_report_schema();
        assert_eq!(explained["additionalProperties"], false);
        for (schema, is_needed) in [(report_schema(), false), (explained, true)] {
            let required = schema["required"].as_array().unwrap();
            assert_eq!(required.contains(&json!("failure_reason")), is_needed);
            let reason = &schema["properties"]["failure_reason"];
            assert_eq!(reason["type"] == "string", is_needed, "{reason}");
        }
        for (asked, most) in [(0, 1), (1, 1), (3, 3), (99, TASKS_PER_REQUEST)] {
            let schema = decomposition_schema(&roster, asked);
            let tasks = &schema["properties"]["tasks"];
            assert_eq!(tasks["maxItems"], most);
            let task = &tasks["items"]["properties"];
            assert_eq!(task["agent_type"]["enum"], json!(["coder", "researcher"]));
            assert_eq!(task["depends_on"]["maxItems"], most - 1);
        }
        for (request, is_goal) in [
            ("Count them.".to_owned(), true),
            ("x".repeat(TASK_GOAL_CHARS), true),
            ("x".repeat(TASK_GOAL_CHARS + 1), false),
        ] {
            let schema = whole_schema(&roster, &request);
            let tasks = &schema["properties"]["tasks"];
            let task = &tasks["items"]["properties"];
            assert_eq!(tasks["maxItems"], 1);
            assert_eq!(task["goal"]["enum"] == json!([request]), is_goal);
            for none in ["inputs", "depends_on", "expected_artifacts"] {
                assert_eq!(task[none]["maxItems"], 0, "{none}");
            }
        }
        assert_eq!(
            report_schema()["required"].as_array().map(Vec::len),
            Some(6)
        );
    }
}
