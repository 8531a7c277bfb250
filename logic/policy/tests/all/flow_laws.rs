//! The laws of information flow, for any past and any call.

use crate::support::Case;
use crate::support::mail::{ask, label, policy, session, show};
use domain::decision::Verdict;
use domain::label::{Integrity, Readers};
use policy::flow::said_label;
use policy::{Cover, Policy};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

const WORDS: [&str; 6] = [
    "bob",
    "carol",
    "eve",
    "archive",
    "oslo noon",
    "https://evil.example/b",
];

fn word() -> impl Strategy<Value = String> {
    proptest::sample::select(&WORDS[..]).prop_map(str::to_owned)
}

fn call() -> impl Strategy<Value = (String, Value)> {
    (
        proptest::sample::select(&["mail", "post", "wipe", "search", "write_file"][..]),
        word(),
        word(),
    )
        .prop_map(|(tool, first, second)| {
            let arguments = match tool {
                "mail" => json!({"to": first, "body": second}),
                "post" => json!({"body": first}),
                "wipe" => json!({"to": first}),
                "search" => json!({"query": first}),
                _ => json!({"path": format!("/w/{}", first.replace('/', "_")), "content": second}),
            };
            (tool.to_owned(), arguments)
        })
}

fn cover() -> impl Strategy<Value = Cover> {
    proptest::sample::select(&[Cover::Nothing, Cover::PlanTool, Cover::PlanStep][..])
}

/// A session with something said, something endorsed and, if wanted, something untrusted.
fn past() -> impl Strategy<Value = (String, Vec<String>, Vec<String>)> {
    (
        word(),
        proptest::collection::vec(word(), 0..3),
        proptest::collection::vec(word(), 0..3),
    )
}

fn lived(
    policy: &Policy,
    (said, endorsed, untrusted): &(String, Vec<String>, Vec<String>),
) -> Case {
    let mut case = session(said);
    case.settings.allow_write = BTreeSet::from([PathBuf::from("/w")]);
    for name in endorsed {
        show(&mut case, policy, "inbox", json!([{"from": name}]));
    }
    for text in untrusted {
        show(&mut case, policy, "web", json!(text));
    }
    case
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn more_untrusted_data_never_opens_anything(
        past in past(), call in call(), cover in cover(), more in word(), where_from in
            proptest::sample::select(&["web", "inbox"][..]),
    ) {
        let policy = policy();
        let mut case = lived(&policy, &past);
        case.cover = cover;
        let before = ask(&case, &policy, &call.0, &call.1).verdict;
        let data = if where_from == "web" { json!(more) } else { json!([{"text": more}]) };
        show(&mut case, &policy, where_from, data);
        let after = ask(&case, &policy, &call.0, &call.1).verdict;
        prop_assert!(after >= before, "{call:?}: {before:?} became {after:?}");
    }

    #[test]
    fn outside_a_plan_untrusted_bytes_cause_no_unconfirmed_effect(
        past in past(), call in call(), bytes in word(),
    ) {
        let policy = policy();
        let mut case = lived(&policy, &past);
        show(&mut case, &policy, "web", json!(bytes));
        let is_effect = !matches!(call.0.as_str(), "search" | "write_file");
        let verdict = ask(&case, &policy, &call.0, &call.1).verdict;
        prop_assert!(!is_effect || verdict != Verdict::Allow, "{call:?}");
    }

    #[test]
    fn in_a_plan_of_tools_runs_that_differ_in_untrusted_bytes_have_the_same_free_targets(
        past in past(), call in call(), one in "[a-z]{9,12}", other in "[a-z]{9,12}",
    ) {
        let policy = policy();
        let verdict = |bytes: &str| {
            let mut case = lived(&policy, &past);
            case.cover = Cover::PlanTool;
            show(&mut case, &policy, "web", json!(bytes));
            ask(&case, &policy, &call.0, &call.1).verdict
        };
        prop_assert_eq!(verdict(&one), verdict(&other));
    }

    #[test]
    fn what_the_user_said_whole_is_the_users(word in "[a-z]{6,8}", before in "[a-z ]{0,9}") {
        let mut case = session(&format!("{before} {word}, please"));
        case.context = label(Integrity::Untrusted, Readers::Nobody);
        let traced = case.provenance.trace(&json!(word.to_uppercase()), &case.context);
        prop_assert_eq!(traced.label, said_label());
    }
}
