//! A target argument that lists paths: each of them is judged.

use crate::support::{Case, manifest, table, tool};
use domain::decision::{Layer, Verdict};
use domain::settings::Attendance;
use domain::tool::{ArgumentRole, EffectClass, TargetKind};
use policy::table::ToolTable;
use policy::{Parts, Policy};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The usual tools, and one that changes the files of a list.
fn policy() -> Policy {
    let arguments = [
        ("files", ArgumentRole::Target, Some(TargetKind::WritePath)),
        ("patch", ArgumentRole::Payload, None),
    ];
    let mut patch = tool(
        "patch_files",
        "fs_write",
        EffectClass::SharedWrite,
        &arguments,
    );
    patch.definition.parameters["properties"]["files"] = json!({});
    let mut tools = table();
    tools.push(patch);
    Policy::new(Parts {
        manifest: manifest(),
        table: ToolTable::new(tools).unwrap(),
        home: PathBuf::from("/home/u"),
        own_folders: vec![PathBuf::from("/home/u/.config/housecarl")],
        egress_hosts: BTreeSet::new(),
    })
}

fn open() -> Case {
    Case::new("coder").with(|c| {
        c.settings.allow_write.insert(PathBuf::from("/w"));
        c.settings.auto_approve.insert(EffectClass::SharedWrite);
    })
}

fn rule(case: &Case, files: Value) -> (Verdict, Layer, String) {
    let arguments = json!({"files": files, "patch": "x"});
    let decision = case.judge(&policy(), "patch_files", &arguments).decision();
    (decision.verdict, decision.layer, decision.rule)
}

#[test]
fn a_list_of_paths_passes_only_if_each_of_them_does() {
    let honest = json!(["a.txt", "sub/b.txt", "/w/c.txt"]);
    assert_eq!(rule(&open(), honest).0, Verdict::Allow);
    for (path, wanted) in [
        (json!("../outside"), "outside_roots"),
        (json!("/etc/passwd"), "outside_roots"),
        (json!(".git/hooks/pre-commit"), "protected"),
        (json!(".git/config"), "protected"),
        (json!(".env"), "protected"),
        (json!("~/.ssh/id_ed25519"), "credentials"),
        (json!("~/.config/housecarl/agents.yaml"), "own_folder"),
        (json!("a\0b"), "bad_path"),
        (json!(""), "bad_path"),
        (json!(7), "bad_path"),
        (json!(["a.txt"]), "bad_path"),
        (json!({"path": "a.txt"}), "bad_path"),
        (json!(null), "bad_path"),
    ] {
        for place in 0..3 {
            let mut files = vec![json!("a.txt"), json!("b.txt")];
            files.insert(place, path.clone());
            let found = rule(&open(), Value::from(files));
            let wanted = (Verdict::Deny, Layer::Path, wanted.to_owned());
            assert_eq!(found, wanted, "{path} at {place}");
        }
    }
    for none in [json!([]), json!({}), json!(null), json!(true)] {
        let wanted = (Verdict::Deny, Layer::Path, "bad_path".to_owned());
        assert_eq!(rule(&open(), none.clone()), wanted, "{none}");
    }
}

#[test]
fn each_path_of_a_list_is_a_target_of_the_call() {
    let arguments = json!({"files": ["a.txt", "./sub/../b.txt"], "patch": "x"});
    let judged = open().judge(&policy(), "patch_files", &arguments);
    let bound = judged.bound.unwrap();
    let targets: Vec<(&str, &Path)> = bound
        .targets
        .iter()
        .map(|(key, (_, path))| (key.as_str(), path.as_path()))
        .collect();
    assert_eq!(
        targets,
        [
            ("files/0", Path::new("/w/a.txt")),
            ("files/1", Path::new("/w/b.txt"))
        ]
    );
    assert!(bound.changes_within(["/w"]));
    assert!(!bound.changes_within(["/w/sub"]));
}

#[test]
fn a_closed_folder_is_asked_for_once_for_all_paths_of_a_list() {
    let closed = Case::new("coder").with(|c| c.settings.attendance = Attendance::Attended);
    let arguments = json!({"files": ["a.txt", "b.txt"], "patch": "x"});
    let judged = closed.judge(&policy(), "patch_files", &arguments);
    assert_eq!(judged.verdict(), Verdict::Confirm);
    assert_eq!(judged.write_root, Some(PathBuf::from("/w")));
    let one_outside = json!({"files": ["a.txt", "/etc/b.txt"], "patch": "x"});
    let judged = closed.judge(&policy(), "patch_files", &one_outside);
    assert_eq!(judged.verdict(), Verdict::Deny);
    assert_eq!(judged.write_root, None);
}

#[test]
fn a_yes_covers_the_same_files_and_no_others() {
    let key = |files: Value| {
        let arguments = json!({"files": files, "patch": "x"});
        let judged = open().judge(&policy(), "patch_files", &arguments);
        judged.bound.unwrap().approval_key
    };
    let known = key(json!(["a.txt", "b.txt"]));
    assert_eq!(key(json!(["./a.txt", "/w/b.txt"])), known);
    for other in [
        json!(["a.txt"]),
        json!(["a.txt", "c.txt"]),
        json!(["a.txt", "b.txt", "c.txt"]),
        json!(["a.txtb.txt"]),
        json!("a.txt"),
    ] {
        assert_ne!(key(other.clone()), known, "{other}");
    }
}
