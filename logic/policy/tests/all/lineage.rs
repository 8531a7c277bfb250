//! Over random manifests and spawn trees, nobody exceeds any ancestor.

use crate::support;
use crate::support::{agent, rule, table};
use domain::lineage::AgentType;
use domain::settings::Grant;
use policy::manifest::{AgentRule, Manifest, StatedPaths};
use policy::paths::PathSet;
use policy::standing::Standing;
use policy::table::{ToolSet, ToolTable};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

const TYPES: [&str; 4] = ["a", "b", "c", "d"];
const PICKS: [&str; 7] = [
    "self",
    "fs_read",
    "fs_write",
    "run_command",
    "web_search",
    "read_file",
    "delete_file",
];

fn picks() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::sample::subsequence(PICKS.to_vec(), 0..=PICKS.len())
}

fn path_set() -> impl Strategy<Value = Option<PathSet>> {
    let path = proptest::collection::vec("[xy]", 0..3)
        .prop_map(|parts| PathBuf::from(format!("/{}", parts.join("/"))));
    proptest::option::of(proptest::collection::vec(path, 0..3).prop_map(PathSet::of))
}

fn agent_rule() -> impl Strategy<Value = AgentRule> {
    (
        picks(),
        proptest::option::of(picks()),
        path_set(),
        path_set(),
    )
        .prop_map(|(allowed, delegates, read, write)| {
            rule(&allowed, delegates.as_deref(), StatedPaths { read, write })
        })
}

fn manifest() -> impl Strategy<Value = Manifest> {
    proptest::collection::vec(agent_rule(), TYPES.len()).prop_map(|rules| Manifest {
        agents: TYPES
            .iter()
            .map(|t| agent(t))
            .zip(rules)
            .collect::<BTreeMap<_, _>>(),
    })
}

fn lineage() -> impl Strategy<Value = Vec<AgentType>> {
    proptest::collection::vec(proptest::sample::select(TYPES.to_vec()), 1..5)
        .prop_map(|types| types.into_iter().map(agent).collect())
}

fn grants() -> impl Strategy<Value = BTreeSet<Grant>> {
    let grant =
        (proptest::sample::select(TYPES.to_vec()), 0..table().len()).prop_map(|(t, n)| Grant {
            agent_type: agent(t),
            tool: table()[n].definition.name.clone(),
        });
    proptest::collection::btree_set(grant, 0..3)
}

/// What one type by itself may hand down: stated by hand, not by the code under test.
fn hands_down(rule: &AgentRule, table: &ToolTable, granted: &BTreeSet<String>) -> ToolSet {
    let stated = rule.delegates.as_ref().unwrap_or(&rule.allowed_tools);
    let mut set = table.select(stated);
    for tool in granted {
        if let Some((index, _)) = table.find(tool) {
            set.insert(index);
        }
    }
    set
}

fn granted_to(agent_type: &AgentType, grants: &BTreeSet<Grant>) -> BTreeSet<String> {
    let own = grants.iter().filter(|g| g.agent_type == *agent_type);
    own.map(|g| g.tool.as_str().to_owned()).collect()
}

fn probes() -> Vec<PathBuf> {
    let names = ["", "x", "y", "x/x", "x/y", "y/x", "x/x/y", "z"];
    names
        .iter()
        .map(|n| PathBuf::from(format!("/{n}")))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn nobody_exceeds_any_ancestor(
        manifest in manifest(), lineage in lineage(), grants in grants()
    ) {
        let table = ToolTable::new(table()).unwrap();
        let standing = Standing::of(&manifest, &table, &grants, &lineage).unwrap();
        let effective = standing.effective();
        let (acting, ancestors) = lineage.split_last().unwrap();
        let own_rule = &manifest.agents[acting];
        let mut own = table.select(&own_rule.allowed_tools);
        for tool in granted_to(acting, &grants) {
            own.insert(table.find(&tool).unwrap().0);
        }
        prop_assert!(effective.is_within(&own));
        for ancestor in ancestors {
            let rule = &manifest.agents[ancestor];
            let handed = hands_down(rule, &table, &granted_to(ancestor, &grants));
            prop_assert!(effective.is_within(&handed));
            prop_assert!(standing.delegable().unwrap().is_within(&handed));
            for probe in probes() {
                let stated = &rule.allowed_paths;
                if let Some(read) = &stated.read {
                    prop_assert!(!standing.paths().read.contains(&probe) || read.contains(&probe));
                }
                if let Some(write) = &stated.write {
                    prop_assert!(!standing.paths().write.contains(&probe) || write.contains(&probe));
                }
            }
        }
        // And it is not empty for no reason: what everyone allows is usable.
        for (index, _) in table.tools().iter().enumerate() {
            let everyone = ancestors.iter().all(|a| {
                hands_down(&manifest.agents[a], &table, &granted_to(a, &grants)).contains(index)
            });
            prop_assert_eq!(standing.may_use(index), own.contains(index) && everyone);
            prop_assert_eq!(standing.withheld_by(index).is_none(), everyone);
        }
    }

    #[test]
    fn a_longer_chain_never_gets_more(manifest in manifest(), lineage in lineage()) {
        let table = ToolTable::new(table()).unwrap();
        let none = BTreeSet::new();
        let whole = Standing::of(&manifest, &table, &none, &lineage).unwrap();
        for start in 1..lineage.len() {
            let shorter = Standing::of(&manifest, &table, &none, &lineage[start..]).unwrap();
            prop_assert!(whole.effective().is_within(&shorter.effective()));
            for probe in probes() {
                let reads = |s: &Standing| s.paths().read.contains(&probe);
                prop_assert!(!reads(&whole) || reads(&shorter));
            }
        }
    }
}

#[test]
fn a_coordinator_hands_down_what_it_may_not_use() {
    let manifest = support::manifest();
    let table = ToolTable::new(table()).unwrap();
    let none = BTreeSet::new();
    let write = table.find("write_file").unwrap().0;
    let chief = Standing::of(&manifest, &table, &none, &[agent("chief")]).unwrap();
    assert!(!chief.may_use(write));
    let child = Standing::of(&manifest, &table, &none, &[agent("chief"), agent("coder")]).unwrap();
    assert!(child.may_use(write));
}
