//! The shipped JSON Schema and `carl tools check` say yes and no to the same tables, so that an
//! editor tells what the program would.

use crate::mistakes::{HEAD, MISTAKES};
use serde_json::Value;
use tooltable::Table;

/// What of a mistake only the text shows: a schema is asked about what was read from it.
const SEEN_IN_THE_TEXT_ALONE: [&str; 2] = ["twice", "one document"];

/// Bodies of an entry that are right.
const GOOD: &[&str] = &[
    "",
    "    approved: false\n    wait: true\n    rate: 1\n    version: \"2\"\n    capability: mail\n",
    "    audience: targets\n    other_arguments: knob\n",
    "    audience: [team, bob]\n",
    "    arguments:\n      a: target\n      b: payload\n      c: knob\n",
    "    arguments:\n      a: {role: target, names: read_path}\n",
    "    arguments:\n      a: {role: secret, secret: bank-token}\n",
    "    arguments:\n      a: {role: knob}\n",
    "    result: {readers: [team], persistent: false}\n",
    "    result: {integrity: endorsed, format: number}\n",
    "    result: {integrity: untrusted}\n",
    "    result: {format: [open, closed]}\n",
    "    result:\n      fields:\n        /a/*/b: {integrity: endorsed, format: identifier}\n",
    "    result:\n      fields:\n        '': {readers: public}\n        /**: {readers: nobody}\n",
    "    result:\n      fields:\n        /a/**: {format: date}\n        /a//b: {}\n",
];

/// More that is wrong, beside the mistakes that are told apart.
const BAD: &[&str] = &[
    "    result: {integrity: endorsed, format: null}\n",
    "    result: {format: ['']}\n",
    "    result: {readers: []}\n",
    "    result: {readers: [' ']}\n",
    "    audience: ['']\n",
    "    capability: ' '\n",
    "    rate: 4294967296\n",
    "    arguments:\n      a: {role: secret}\n",
    "    arguments:\n      a: {role: secret, secret: ' '}\n",
    "    arguments:\n      a: {role: secret, secret: x, names: url}\n",
    "    result:\n      fields:\n        /a/***: {}\n",
];

#[test]
fn the_schema_and_the_check_agree() {
    let schema = tooltable::config::schema();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let entry = |body: &&str| format!("{HEAD}{body}");
    let good = GOOD.iter().map(entry).map(|text| (text, true));
    let told = MISTAKES
        .iter()
        .filter(|(.., words)| !words.iter().any(|w| SEEN_IN_THE_TEXT_ALONE.contains(w)))
        .map(|(text, ..)| text.replace('@', HEAD));
    let bad = told.chain(BAD.iter().map(entry)).map(|text| (text, false));
    let mut wrong = Vec::new();
    for (text, is_good) in good.chain(bad) {
        let is_checked = Table::parse(&text, "t.yaml").is_ok();
        let read = serde_saphyr::from_str::<Value>(&text);
        let is_described = read.is_ok_and(|table| schema.is_valid(&table));
        if (is_checked, is_described) != (is_good, is_good) {
            wrong.push(format!(
                "check {is_checked}, schema {is_described}:\n{text}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
