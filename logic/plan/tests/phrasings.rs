//! What strangers say, and what the rules make of it: the table is `phrasings.json`.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails loudly, in its helpers too"
)]

use plan::by_rules;
use plan::rules::{self, RefusalKind};
use serde_json::Value;
use std::collections::BTreeSet;

fn table() -> Value {
    serde_json::from_str(include_str!("phrasings.json")).unwrap()
}

fn rows(part: &str) -> Vec<(String, Value)> {
    let table = table();
    let rows = table[part].as_array().unwrap().iter();
    rows.map(|row| (row[0].as_str().unwrap().to_owned(), row[1].clone()))
        .collect()
}

#[test]
fn every_phrasing_becomes_the_plan_beside_it() {
    let mut wrong = Vec::new();
    for (say, expected) in rows("understood") {
        match rules::plan(&say) {
            Ok(plan) => {
                let actions = serde_json::to_value(&plan.actions).unwrap();
                if actions != expected {
                    wrong.push(format!("{say}\n    gave {actions}\n    not  {expected}"));
                }
                plan::validate::typed(&plan, &rules::handlers()).unwrap();
            }
            Err(refusal) => wrong.push(format!("{say}\n    refused: {:?} {refusal}", refusal.kind)),
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_action_is_covered_and_there_are_enough_phrasings() {
    let said = rows("understood");
    assert!(said.len() >= 30 && rows("refused").len() >= 15);
    let kinds: BTreeSet<String> = said
        .iter()
        .flat_map(|(_, actions)| actions.as_array().unwrap().clone())
        .map(|action| action["kind"].as_str().unwrap().to_owned())
        .collect();
    for kind in rules::handlers() {
        assert!(kinds.contains(kind), "no phrasing for {kind}");
    }
}

#[test]
fn what_is_not_understood_is_refused_for_the_reason_beside_it() {
    let mut wrong = Vec::new();
    for (say, expected) in rows("refused") {
        let kind = match rules::plan(&say) {
            Ok(plan) => {
                wrong.push(format!("{say}\n    planned {:?}", plan.actions));
                continue;
            }
            Err(refusal) => {
                assert!(!refusal.message.is_empty());
                refusal.kind
            }
        };
        let name = match kind {
            RefusalKind::NotUnderstood => "not_understood",
            RefusalKind::Negated => "negated",
            RefusalKind::Question => "question",
            RefusalKind::Ambiguous => "ambiguous",
            RefusalKind::Shell => "shell",
            RefusalKind::Unavailable => "unavailable",
            RefusalKind::Size => "size",
            RefusalKind::Help => "help",
        };
        if expected != name {
            wrong.push(format!("{say}\n    {name}, not {expected}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn what_a_small_model_may_only_get_wrong_is_refused_and_says_what_to_type() {
    let mut wrong = Vec::new();
    for (say, expected) in rows("kept_from_small_models") {
        let told = match by_rules::refuses(&say) {
            Some(fault) => format!("{} {}", fault.message, fault.hint),
            None => "no refusal".to_owned(),
        };
        if by_rules::understands(&say) || !told.contains(expected.as_str().unwrap()) {
            wrong.push(format!("{say}\n    {told}\n    without {expected}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_order_that_is_offered_is_understood() {
    let mut offered = 0;
    for (say, _) in rows("refused")
        .into_iter()
        .chain(rows("kept_from_small_models"))
    {
        let Err(refusal) = rules::plan(&say) else {
            continue;
        };
        for line in &refusal.nearest {
            offered += 1;
            assert!(by_rules::understands(line), "{say}: {line}");
        }
    }
    assert!(offered > 100, "{offered}");
}

#[test]
fn one_bad_step_refuses_the_whole_request() {
    assert!(rules::plan("list the files").is_ok());
    assert!(rules::plan("list the files then do a dance").is_err());
}

#[test]
fn limits_hold_at_their_edge() {
    let most = ["list the files"; domain::limits::PLAN_ACTIONS].join("; ");
    assert_eq!(
        rules::plan(&most).unwrap().actions.len(),
        domain::limits::PLAN_ACTIONS
    );
    let more = format!("{most}; list the files");
    assert_eq!(rules::plan(&more).unwrap_err().kind, RefusalKind::Size);
    let long = format!("create a.txt with \"{}\"", "x".repeat(rules::REQUEST_BYTES));
    assert_eq!(rules::plan(&long).unwrap_err().kind, RefusalKind::Size);
}
