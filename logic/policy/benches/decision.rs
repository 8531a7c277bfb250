//! How long one decision takes: 100 tools, a lineage of four, no stored values.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails loudly"
)]

#[path = "../tests/support/mod.rs"]
mod support;

use divan::{Bencher, black_box};
use domain::Timestamp;
use domain::tool::{ArgumentRole, EffectClass, TargetKind};
use policy::history::TaskHistory;
use policy::table::ToolTable;
use policy::{Cover, Parts, Policy, Question};
use serde_json::json;
use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;
use support::{Case, agent, manifest, table, tool};

fn main() {
    divan::main();
}

fn hundred_tools() -> Policy {
    let mut tools = table();
    let path = ("path", ArgumentRole::Target, Some(TargetKind::ReadPath));
    for n in tools.len()..100 {
        tools.push(tool(
            &format!("tool_{n}"),
            "fs_read",
            EffectClass::Read,
            &[path],
        ));
    }
    Policy::new(Parts {
        manifest: manifest(),
        table: ToolTable::new(tools).expect("the table is sound"),
        home: PathBuf::from("/home/u"),
        own_folders: vec![PathBuf::from("/home/u/.config/housecarl")],
        egress_hosts: BTreeSet::new(),
    })
}

#[divan::bench(args = ["allow", "deny", "busy"])]
fn decision(bencher: Bencher<'_, '_>, case: &str) {
    let policy = hundred_tools();
    let mut setting = Case::new("coder");
    setting.lineage = ["chief", "chief", "chief", "coder"].map(agent).to_vec();
    let arguments = match case {
        "deny" => json!({"path": "/etc/shadow"}),
        _ => json!({"path": "src/main.rs"}),
    };
    if case == "busy" {
        for n in 0..40 {
            let _ = setting.call(&policy, "read_file", &json!({"path": format!("f{n}")}));
        }
    }
    let standing = policy
        .standing(&setting.lineage, &setting.settings.grants)
        .expect("the types are known");
    let (opened, approvals) = (BTreeSet::new(), HashSet::new());
    let history: TaskHistory = setting.history.clone();
    bencher.bench_local(|| {
        let judgement = policy.judge(black_box(&Question {
            tool: "read_file",
            arguments: &arguments,
            standing: &standing,
            settings: &setting.settings,
            opened: &opened,
            approvals: &approvals,
            cover: Cover::Nothing,
            history: &history,
            now: Timestamp::UNIX_EPOCH,
        }));
        judgement.decision()
    });
}
