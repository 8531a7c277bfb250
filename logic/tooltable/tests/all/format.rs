//! The format as docs/tool-tables.md promises it: every key, default, precedence and mistake.

use crate::mistakes::{HEAD, MISTAKES};
use domain::label::{Integrity, Readers};
use domain::tool::{
    ArgumentRole, Audience, EffectClass, Format, TargetKind, ToolDefinition, ToolName,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tooltable::{Error, Table, pin_of};

const FULL: &str = r#"
version: 1
tools:
  send_money:
    effect: money
    capability: bank
    audience: targets
    arguments:
      recipient: target
      invoice: {role: target, names: read_path}
      subject: payload
      amount: knob
      api_key: {role: secret, secret: bank-token}
    result:
      readers: [bank, user]
      persistent: false
      fields:
        /*/amount: {integrity: endorsed, format: number, readers: public}
        /*/state: {integrity: endorsed, format: [open, closed]}
        /**: {readers: nobody}
    rate: 30
    wait: true
    version: "2"
"#;

fn definition(name: &str, properties: Value) -> ToolDefinition {
    let required: Vec<&String> = properties.as_object().unwrap().keys().collect();
    ToolDefinition {
        name: ToolName::new(name).unwrap(),
        description: "What it says of itself.".to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
    }
}

fn send_money() -> ToolDefinition {
    let text = json!({"type": "string"});
    let properties = json!({
        "recipient": text, "invoice": text, "subject": text,
        "amount": {"type": "number"}, "api_key": text,
    });
    definition("send_money", properties)
}

fn parsed(text: &str) -> Table {
    Table::parse(text, "mine.yaml").unwrap()
}

fn names(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(ToString::to_string).collect()
}

#[test]
fn every_key_reaches_the_spec() {
    let spec = parsed(FULL).spec(&send_money()).unwrap();
    assert_eq!(spec.effect, EffectClass::Money);
    assert_eq!(spec.capability, "bank");
    assert_eq!(spec.audience, Audience::Targets);
    assert_eq!(spec.calls_per_minute, Some(30));
    assert!(spec.is_wait);
    assert!(spec.version.starts_with("2+"));
    let role = |name: &str| (spec.arguments[name].role, spec.arguments[name].target);
    let target = ArgumentRole::Target;
    assert_eq!(role("recipient"), (target, Some(TargetKind::Other)));
    assert_eq!(role("invoice"), (target, Some(TargetKind::ReadPath)));
    assert_eq!(role("subject"), (ArgumentRole::Payload, None));
    assert_eq!(role("amount"), (ArgumentRole::Knob, None));
    assert_eq!(role("api_key"), (ArgumentRole::Secret, None));
    assert_eq!(spec.secrets["api_key"], "bank-token");
    let readers = Readers::Only(names(&["bank", "user"]));
    assert_eq!(spec.result_label.integrity, Integrity::Untrusted);
    assert_eq!(spec.result_label.readers, readers);
    assert_eq!(spec.result_label.origins, names(&["tool:send_money"]));
    assert!(!spec.result_label.persistent);
    let fields: Vec<(&str, Integrity, &Readers, Option<Format>)> = spec
        .result_fields
        .iter()
        .map(|f| {
            let label = &f.label;
            (
                f.path.as_str(),
                label.integrity,
                &label.readers,
                f.format.clone(),
            )
        })
        .collect();
    let words = Format::Enum(names(&["open", "closed"]));
    assert_eq!(
        fields,
        [
            (
                "/*/amount",
                Integrity::Endorsed,
                &Readers::Public,
                Some(Format::Number)
            ),
            ("/*/state", Integrity::Endorsed, &readers, Some(words)),
            ("/**", Integrity::Untrusted, &Readers::Nobody, None),
        ],
        "the order of the file is kept, and what a field does not say it takes from the whole"
    );
    assert!(spec.result_fields.iter().all(|f| !f.label.persistent));
}

#[test]
fn a_model_is_never_offered_a_secret_nor_an_open_schema() {
    let spec = parsed(FULL).spec(&send_money()).unwrap();
    let schema = &spec.definition.parameters;
    assert!(schema["properties"].get("api_key").is_none());
    assert!(
        !schema["required"]
            .as_array()
            .unwrap()
            .contains(&json!("api_key"))
    );
    assert!(
        schema["required"]
            .as_array()
            .unwrap()
            .contains(&json!("amount"))
    );
    assert_eq!(schema["additionalProperties"], json!(false));
}

#[test]
fn defaults_are_the_careful_ones() {
    for (effect, audience) in [
        ("read", Audience::User),
        ("self_write", Audience::User),
        ("write", Audience::Public),
        ("destructive", Audience::Public),
        ("exec", Audience::Public),
        ("config", Audience::Public),
        ("egress", Audience::Public),
        ("money", Audience::Public),
    ] {
        let table = parsed(&format!("version: 1\ntools:\n  t: {{effect: {effect}}}\n"));
        let spec = table
            .spec(&definition("t", json!({"a": {"type": "string"}})))
            .unwrap();
        assert_eq!(spec.effect.as_str(), effect);
        assert_eq!(spec.audience, audience, "{effect}");
        assert_eq!(spec.result_label.integrity, Integrity::Untrusted);
        assert_eq!(spec.result_label.readers, Readers::Nobody);
        assert!(spec.result_label.persistent);
        assert!(spec.arguments.is_empty(), "what is not listed is refused");
        assert!(!spec.is_wait && spec.calls_per_minute.is_none());
    }
}

#[test]
fn what_nobody_classified_may_do_anything_and_is_believed_in_nothing() {
    let spec = Table::unclassified(&send_money());
    assert_eq!(spec.effect, EffectClass::Exec);
    assert_eq!(spec.audience, Audience::Public);
    assert_eq!(spec.result_label.readers, Readers::Nobody);
    assert_eq!(spec.result_label.integrity, Integrity::Untrusted);
    assert_eq!(spec.arguments.len(), 5);
    assert!(
        spec.arguments
            .values()
            .all(|a| a.role == ArgumentRole::Target)
    );
}

#[test]
fn listed_arguments_come_before_the_rest() {
    let table = parsed(
        "version: 1\ntools:\n  t: {effect: write, arguments: {a: payload}, other_arguments: target}\n",
    );
    let spec = table
        .spec(&definition("t", json!({"a": {}, "b": {}})))
        .unwrap();
    assert_eq!(spec.arguments["a"].role, ArgumentRole::Payload);
    assert_eq!(spec.arguments["b"].role, ArgumentRole::Target);
    assert_eq!(spec.arguments["b"].target, Some(TargetKind::Other));
}

#[test]
fn a_later_table_replaces_whole_entries() {
    let mut table = parsed("version: 1\ntools:\n  a: {effect: exec}\n  b: {effect: exec}\n");
    table.overlay(parsed("version: 1\ntools:\n  b: {effect: read}\n"));
    let effect = |name: &str| table.spec(&definition(name, json!({}))).unwrap().effect;
    assert_eq!(effect("a"), EffectClass::Exec);
    assert_eq!(effect("b"), EffectClass::Read);
    assert_eq!(table.spec(&definition("c", json!({}))), None);
}

#[test]
fn an_entry_that_is_not_approved_or_fits_another_definition_does_not_count() {
    let seen = definition("t", json!({"a": {}}));
    let other = definition("t", json!({"a": {}, "b": {}}));
    let pinned = parsed(&format!(
        "version: 1\ntools:\n  t: {{effect: read, other_arguments: knob, pin: {}}}\n",
        pin_of(&seen)
    ));
    assert!(pinned.spec(&seen).is_some());
    assert_eq!(pinned.spec(&other), None);
    assert_eq!(
        pinned.specs(std::slice::from_ref(&other))[0].effect,
        EffectClass::Exec
    );
    let draft = parsed("version: 1\ntools:\n  t: {effect: read, approved: false}\n");
    assert_eq!(draft.spec(&seen), None);
}

#[test]
fn the_version_follows_the_definition() {
    let table = parsed(FULL);
    let first = table.spec(&send_money()).unwrap().version;
    assert_eq!(first, table.spec(&send_money()).unwrap().version);
    let mut other = send_money();
    other.description.push_str(" Also.");
    assert_ne!(first, table.spec(&other).unwrap().version);
}

#[test]
fn what_does_not_fit_is_told() {
    let table = parsed(
        "version: 1\ntools:\n  t: {effect: write, arguments: {gone: target}}\n  absent: {effect: read}\n  draft: {effect: read, approved: false}\n",
    );
    let tools = [
        definition("t", json!({"fresh": {}})),
        definition("u", json!({})),
        definition("draft", json!({})),
    ];
    let told = table.warnings(&tools);
    let says = |words: &[&str]| {
        told.iter()
            .any(|line| words.iter().all(|w| line.contains(w)))
    };
    assert!(says(&["`t`", "`gone`"]), "{told:?}");
    assert!(says(&["`t`", "`fresh`", "denied"]), "{told:?}");
    assert!(says(&["`u`", "not in the table"]), "{told:?}");
    assert!(says(&["`draft`", "not approved"]), "{told:?}");
    assert!(says(&["`absent`", "no tool"]), "{told:?}");
    assert_eq!(told.len(), 5);
}

#[test]
fn a_result_that_is_one_narrow_value_can_be_endorsed_as_a_whole() {
    let table = parsed(
        "version: 1\ntools:\n  t: {effect: read, result: {integrity: endorsed, format: number}}\n",
    );
    let spec = table.spec(&definition("t", json!({}))).unwrap();
    assert_eq!(spec.result_label.integrity, Integrity::Untrusted);
    let paths: Vec<&str> = spec.result_fields.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(paths, ["", "/**"]);
    assert!(
        spec.result_fields
            .iter()
            .all(|f| f.format == Some(Format::Number) && f.label.integrity == Integrity::Endorsed)
    );
}

#[test]
fn every_mistake_names_file_line_key_and_what_is_allowed() {
    let mut wrong: Vec<String> = Vec::new();
    for (text, line, key, words) in MISTAKES {
        let text = text.replace('@', HEAD);
        let error = Table::parse(&text, "mine.yaml").unwrap_err();
        let Error::Invalid {
            file,
            line: found_line,
            key: found_key,
            problem,
        } = &error
        else {
            panic!("{text}: {error}");
        };
        assert_eq!(file, "mine.yaml");
        if (*found_line, found_key.as_str()) != (*line, *key) {
            wrong.push(format!("{text}{error} (line {line}, {key})"));
        }
        let missing = words.iter().filter(|word| !problem.contains(**word));
        wrong.extend(missing.map(|word| format!("{text}{problem:?} lacks {word:?}")));
        for foreign in ["Options", "Policy", "from_str"] {
            if problem.contains(foreign) {
                wrong.push(format!("not for the reader of a table: {error}"));
            }
        }
        if problem.contains(" line ") {
            wrong.push(format!("the place is told twice: {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_table_has_a_largest_size() {
    let largest = tooltable::TABLE_BYTES;
    let text = |bytes: usize| format!("version: 1\n#{}", "x".repeat(bytes - 12));
    assert_eq!(text(largest).len(), largest);
    assert!(Table::parse(&text(largest), "f").is_ok());
    assert_eq!(
        Table::parse(&text(largest + 1), "f"),
        Err(Error::TooLarge {
            file: "f".into(),
            limit: largest
        })
    );
}

/// The schema as shipped; `cargo xtask bless` writes it anew.
#[test]
fn snapshot_of_the_shipped_schema() {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../config/tool-table.schema.json"
    );
    let schema = serde_json::to_string_pretty(&tooltable::config::schema()).unwrap() + "\n";
    if std::env::var_os("CARL_BLESS").is_some() {
        std::fs::write(file, &schema).unwrap();
    }
    let shipped = std::fs::read_to_string(file).unwrap_or_default();
    assert_eq!(shipped, schema);
}

#[test]
fn the_documented_example_can_be_used_and_is_complete() {
    let page = include_str!("../../../../docs/tool-tables.md");
    let (_, rest) = page.split_once("```yaml\n").unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let table = parsed(example);
    assert_eq!(table.entries().len(), 5);
    let entry = &tooltable::config::schema()["$defs"]["EntryForm"];
    for key in entry["properties"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("| `{key}` |")), "{key}");
    }
}
