//! How long one decision takes: 100 tools, a lineage of four, with and without stored values.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails loudly"
)]

#[path = "../tests/all/support/mod.rs"]
mod support;

use divan::{Bencher, black_box};
use domain::id::ValueId;
use domain::tool::{ArgumentRole, EffectClass, TargetKind};
use policy::table::ToolTable;
use policy::{Parts, Policy};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::PathBuf;
use support::{Case, agent, manifest, table, tool};
use uuid::Uuid;

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

/// Text of about 100 kB in a thousand parts, none of which is asked for.
fn stored(setting: &mut Case) {
    let lines: Vec<String> = (0..1_000)
        .map(|n| format!("{n}: {}", format!("word{n} and another word, ").repeat(4)))
        .collect();
    let spec = table().remove(0);
    let id = ValueId::from_uuid(Uuid::nil());
    setting.context = setting
        .provenance
        .show(id, &spec, "file:x", json!({"lines": lines}));
}

#[divan::bench(args = ["allow", "deny", "busy", "stored", "stored_write"])]
fn decision(bencher: Bencher<'_, '_>, case: &str) {
    let policy = hundred_tools();
    let mut setting = Case::new("coder");
    setting.lineage = ["chief", "chief", "chief", "coder"].map(agent).to_vec();
    let (tool, arguments) = match case {
        "deny" => ("read_file", json!({"path": "/etc/shadow"})),
        "stored_write" => {
            let content = "a line of word7 and another word, of what was read\n".repeat(40);
            (
                "write_file",
                json!({"path": "src/main.rs", "content": content}),
            )
        }
        _ => ("read_file", json!({"path": "src/main.rs"})),
    };
    if case == "busy" {
        for n in 0..40 {
            let _ = setting.call(&policy, "read_file", &json!({"path": format!("f{n}")}));
        }
    }
    if case.starts_with("stored") {
        stored(&mut setting);
    }
    let known = setting.known(&policy);
    bencher.bench_local(|| {
        let (tool, arguments) = (black_box(tool), black_box(&arguments));
        let judgement = setting.judge_as(&policy, &known, tool, arguments);
        judgement.decision()
    });
}

/// What is worked out once, when the user has spoken.
#[divan::bench]
fn known(bencher: Bencher<'_, '_>) {
    let policy = hundred_tools();
    let mut setting = Case::new("coder");
    setting.request =
        "Read the file src/main.rs, mend what is wrong in it, and tell me what it was. \
                       Do not touch the tests."
            .to_owned();
    bencher.bench_local(|| black_box(&setting).known(&policy));
}

/// One argument traced through ten megabytes of what was shown.
#[divan::bench(args = ["found", "nowhere"])]
fn trace(bencher: Bencher<'_, '_>, case: &str) {
    let mut setting = Case::new("coder");
    let spec = table().remove(0);
    for page in 0..100u128 {
        let text: String = (0..2_000)
            .map(|n| {
                format!(
                    "page {page} line {n}: the quick brown fox number {} jumps\n",
                    n * 7
                )
            })
            .collect();
        let id = ValueId::from_uuid(Uuid::from_u128(page));
        setting.provenance.show(id, &spec, "web", json!(text));
    }
    let wanted = match case {
        "found" => json!("page 50 line 1000"),
        _ => json!("the quick brown fox, who never was"),
    };
    bencher.bench_local(|| {
        setting
            .provenance
            .trace(black_box(&wanted), &setting.context)
    });
}
