//! The schema of a plan: the full one, made from the type, and a narrow one for a workspace.
//!
//! Both describe the same type; the narrow one only leaves things out, so that whatever fits it
//! fits the full one. It keeps a weak model in reach: every string has an end, a path that must
//! exist is chosen from those that do. A small model is also given few steps.

pub(crate) mod cues;
mod narrow;
mod paths;
mod small;

pub use narrow::{
    KNOWN_PATHS, NARROW_CONTENT_CHARS, NARROW_EDIT_CHARS, NARROW_INTENT_CHARS, NARROW_LINES,
    NARROW_PATH_CHARS, NARROW_QUERY_CHARS, NARROW_QUESTION_CHARS, actions, content_cut,
    fills_its_content,
};
pub use paths::{likely_first, listed};
pub(crate) use small::kinds_for;
pub use small::{for_small_model, is_answered_by, settled, with_all_named};

use domain::limits::PLAN_ACTIONS;
use domain::model::Reach;
use domain::plan::Plan;
use narrow::{Known, plan_of};
use serde_json::Value;

/// The schema of a plan as the type states it.
#[must_use]
pub fn full() -> Value {
    schemars::schema_for!(Plan).to_value()
}

/// The schema for a workspace whose known paths are `listing`: files as `notes/a.md`, folders with
/// a `/` at the end. The first [`KNOWN_PATHS`] are offered, so the likely ones should come first.
#[must_use]
pub fn for_workspace(listing: &[String]) -> Value {
    plan_of(&Known::of(listing), None, PLAN_ACTIONS)
}

/// Most steps that a plan under this schema has.
#[must_use]
pub fn most_actions(schema: &Value) -> u64 {
    let most = schema.pointer("/properties/actions/maxItems");
    most.and_then(Value::as_u64).unwrap_or(PLAN_ACTIONS as u64)
}

/// The texts that a request gives word for word and may want replaced.
#[must_use]
pub fn texts_to_replace(request: &str) -> Vec<String> {
    let texts = cues::texts(request);
    texts.old.into_iter().chain(texts.only).collect()
}

/// The schema for a request: [`for_workspace`] or [`for_small_model`].
#[must_use]
pub fn for_request(listing: &[String], request: &str, reach: Reach) -> Value {
    match reach {
        Reach::Any => for_workspace(&likely_first(listing, request)),
        Reach::Small => for_small_model(listing, request),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::plan::Action;
    use serde_json::json;

    fn listing() -> Vec<String> {
        ["notes.txt", "docs/", "docs/plan.md"]
            .map(str::to_owned)
            .to_vec()
    }

    /// Every string in a schema with its place.
    fn strings(schema: &Value, place: &str, found: &mut Vec<(String, Value)>) {
        match schema {
            Value::Object(object) => {
                if object.get("type") == Some(&json!("string")) {
                    found.push((place.to_owned(), schema.clone()));
                }
                for (key, inner) in object {
                    strings(inner, &format!("{place}/{key}"), found);
                }
            }
            Value::Array(items) => {
                for (index, inner) in items.iter().enumerate() {
                    strings(inner, &format!("{place}/{index}"), found);
                }
            }
            _ => {}
        }
    }

    #[test]
    fn every_string_has_an_end_and_every_list_and_number_a_bound() {
        let many: Vec<String> = (0..=KNOWN_PATHS)
            .map(|index| format!("f{index}.txt"))
            .collect();
        for listing in [listing(), many, Vec::new()] {
            let schema = for_workspace(&listing);
            let mut found = Vec::new();
            strings(&schema, "", &mut found);
            strings(
                &for_small_model(&listing, "change \"a\" to b in f1.txt"),
                "",
                &mut found,
            );
            assert!(!found.is_empty());
            for (place, string) in found {
                let bounded = string
                    .get("maxLength")
                    .is_some_and(|most| most.as_u64() <= Some(NARROW_CONTENT_CHARS));
                let chosen = string.get("enum").is_some() || string.get("const").is_some();
                assert!(bounded || chosen, "{place}: {string}");
            }
            assert_eq!(
                schema["properties"]["actions"]["maxItems"],
                json!(PLAN_ACTIONS)
            );
            for name in ["depth", "lines"] {
                for variant in schema["properties"]["actions"]["items"]["anyOf"]
                    .as_array()
                    .unwrap()
                {
                    if let Some(number) = variant["properties"].get(name) {
                        assert!(number["maximum"].is_u64() && number["minimum"].is_u64());
                    }
                }
            }
        }
    }

    #[test]
    fn every_action_can_be_planned_where_there_are_files_and_none_on_files_where_there_are_not() {
        let kinds = |listing: &[String]| -> Vec<String> {
            let schema = for_workspace(listing);
            let variants = schema["properties"]["actions"]["items"]["anyOf"]
                .as_array()
                .unwrap()
                .clone();
            variants
                .iter()
                .map(|variant| {
                    variant["properties"]["kind"]["const"]
                        .as_str()
                        .unwrap()
                        .to_owned()
                })
                .collect()
        };
        let all: Vec<String> = actions().into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds(&listing()), all);
        let empty = kinds(&[]);
        assert!(
            empty.contains(&"create_file".to_owned()) && !empty.contains(&"read_file".to_owned())
        );
    }

    #[test]
    fn what_fits_the_narrow_schema_fits_the_full_one() {
        let narrow = jsonschema::validator_for(&for_workspace(&listing())).unwrap();
        let full = jsonschema::validator_for(&full()).unwrap();
        let plan = json!({ "intent": "look", "actions": [
            { "kind": "read_file", "path": "docs/plan.md" },
            { "kind": "list_files", "path": "." },
            { "kind": "create_file", "path": "new.txt", "content": "" },
        ]});
        assert!(narrow.is_valid(&plan) && full.is_valid(&plan));
        let invented =
            json!({ "intent": "look", "actions": [{ "kind": "read_file", "path": "no.txt" }] });
        assert!(!narrow.is_valid(&invented) && full.is_valid(&invented));
        let command = json!({ "intent": "x", "actions": [{ "kind": "run_command", "path": "a" }] });
        assert!(!narrow.is_valid(&command) && !full.is_valid(&command));
    }

    #[test]
    fn the_kind_comes_first_so_that_a_model_chooses_it_before_the_fields() {
        let schema = for_workspace(&listing());
        for variant in schema["properties"]["actions"]["items"]["anyOf"]
            .as_array()
            .unwrap()
        {
            let first = variant["properties"]
                .as_object()
                .unwrap()
                .keys()
                .next()
                .unwrap();
            assert_eq!(first, "kind");
        }
    }

    #[test]
    fn a_small_model_chooses_only_among_what_the_request_speaks_of() {
        let narrow =
            |request: &str| for_small_model(&listing(), request)["properties"]["actions"].clone();
        let replace = narrow("Replace Tuesday with Thursday in notes.txt");
        assert_eq!(replace["maxItems"], json!(1));
        let variants = replace["items"]["anyOf"].as_array().unwrap();
        assert_eq!(variants.len(), 1);
        let fields = &variants[0]["properties"];
        assert_eq!(fields["kind"]["const"], json!("replace_text"));
        assert_eq!(fields["path"]["enum"], json!(["notes.txt"]));
        assert_eq!(fields["old"]["enum"], json!(["Tuesday", "Replace Tuesday"]));
        assert_eq!(fields["new"]["enum"][0], json!("Thursday"));
        let compare = narrow("compare plan.md and notes.txt");
        let fields = &compare["items"]["anyOf"][0]["properties"];
        assert_eq!(
            (&fields["left"]["enum"], &fields["right"]["enum"]),
            (&json!(["docs/plan.md"]), &json!(["notes.txt"]))
        );
        let moved = narrow("move notes.txt to docs/notes.txt");
        assert_eq!(
            moved["items"]["anyOf"][0]["properties"]["from"]["enum"],
            json!(["notes.txt"])
        );
        assert_eq!(
            narrow("show notes.txt and then delete notes.txt")["maxItems"],
            json!(2)
        );
        // Words that say nothing narrow nothing.
        assert_eq!(
            narrow("grüße")["items"]["anyOf"].as_array().unwrap().len(),
            actions().len()
        );
    }

    #[test]
    fn a_question_that_leaves_nothing_to_choose_is_planned_without_a_model() {
        let planned = |request: &str| settled(&listing(), request).map(|plan| plan.actions);
        let searched = |request: &str| -> Vec<String> {
            let actions = planned(request).unwrap_or_default().into_iter();
            actions
                .map(|action| match action {
                    Action::SearchText { query, path } if path == "." => query,
                    other => panic!("{request}: {other:?}"),
                })
                .collect()
        };
        let asked = "What is the phone number of Bob?";
        assert_eq!(searched(asked), ["number", "phone", "Bob"]);
        let asked = "where did i write something about renewing the passport?";
        assert_eq!(searched(asked)[..2], ["renewing", "passport"]);
        let read = |path: &str| {
            let path = path.to_owned();
            Some(vec![Action::ReadFile { path }])
        };
        let asked = "below what temperature does the heater come on? see notes.txt";
        assert_eq!(planned(asked), read("notes.txt"));
        assert_eq!(
            planned("How many people said yes in plan.md?"),
            read("docs/plan.md")
        );
        let counted = Action::CountLines {
            path: "notes.txt".to_owned(),
        };
        let asked = "how many lines does notes.txt have?";
        assert_eq!(planned(asked), Some(vec![counted]));
        for other in ["what is in docs?", "delete notes.txt", "write a poem"] {
            assert_eq!(planned(other), None, "{other}");
        }
    }

    #[test]
    fn named_paths_come_first_and_unlisted_ones_are_added() {
        let request =
            "compare plan.md with ~/old/plan.txt, then see https://example.org/x.html and 2.5";
        assert_eq!(
            likely_first(&listing(), request),
            ["docs/plan.md", "~/old/plan.txt", "notes.txt", "docs/"]
        );
    }
}
