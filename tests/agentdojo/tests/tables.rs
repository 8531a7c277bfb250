//! The tables can be used, and say what a careful user would.
#![allow(clippy::unwrap_used, reason = "a test says what it needs")]

use domain::tool::{ArgumentRole, Audience, EffectClass};

#[test]
fn every_table_can_be_used() {
    let sizes: Vec<(&str, usize)> = agentdojo::tables()
        .unwrap()
        .iter()
        .map(|(suite, table)| (*suite, table.entries().len()))
        .collect();
    assert_eq!(
        sizes,
        [
            ("banking", 11),
            ("slack", 11),
            ("travel", 28),
            ("workspace", 24)
        ]
    );
}

#[test]
fn what_leaves_the_house_says_where_it_goes() {
    for (suite, table) in agentdojo::tables().unwrap() {
        for (tool, entry) in table.entries() {
            let leaves = [EffectClass::Egress, EffectClass::Money].contains(&entry.effect);
            let has_target = entry
                .arguments
                .values()
                .any(|argument| argument.role == ArgumentRole::Target);
            assert!(!leaves || has_target, "{suite}: {tool}");
            assert!(
                !leaves || entry.audience != Audience::User,
                "{suite}: {tool}"
            );
        }
    }
}
