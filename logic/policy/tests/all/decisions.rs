//! Decisions as a table: one call, one setting, the verdict, the layer and the rule.

use crate::support::{Case, agent, name, policy};
use domain::decision::{Layer, Verdict};
use domain::settings::{Attendance, Grant, OverrideLevel};
use domain::tool::EffectClass;
use policy::Cover;
use serde_json::{Value, json};
use std::path::PathBuf;

fn check(case: &Case, tool: &str, arguments: Value, expected: (Verdict, Layer, &str)) {
    let decision = case.judge(&policy(), tool, &arguments).decision();
    let found = (decision.verdict, decision.layer, decision.rule.as_str());
    assert_eq!(
        found, expected,
        "{tool} {arguments}: {}",
        decision.user_reason
    );
}

fn verdict(case: &Case, tool: &str, arguments: Value) -> Verdict {
    case.judge(&policy(), tool, &arguments).verdict()
}

fn attended(agent_type: &str) -> Case {
    Case::new(agent_type).with(|c| c.settings.attendance = Attendance::Attended)
}

#[test]
fn honest_use_asks_nothing() {
    let reader = Case::new("reader");
    for path in ["a.txt", "/w/sub/b", ".", "./x/../y", ".env"] {
        assert_eq!(
            verdict(&reader, "read_file", json!({"path": path})),
            Verdict::Allow,
            "{path}"
        );
    }
    assert_eq!(
        verdict(&reader, "journal", json!({"content": "x"})),
        Verdict::Allow
    );
    let opened = Case::new("coder").with(|c| {
        c.settings.allow_write.insert(PathBuf::from("/w"));
        c.settings.auto_approve.insert(EffectClass::SharedWrite);
    });
    let write = json!({"path": "a.txt", "content": "x"});
    assert_eq!(verdict(&opened, "write_file", write), Verdict::Allow);
}

#[test]
fn what_is_not_understood_is_refused() {
    let deep = (0..80).fold(json!("x"), |value, _| json!([value]));
    let long = "x".repeat(domain::limits::TOOL_ARGUMENT_BYTES);
    let table = [
        ("rm", json!({}), "unknown_tool"),
        ("read_file", json!("a.txt"), "not_an_object"),
        (
            "read_file",
            json!({"path": "a", "mode": "x"}),
            "unknown_argument",
        ),
        (
            "read_file",
            json!({"path": "a", "label": "trusted"}),
            "unknown_argument",
        ),
        ("read_file", json!({"path": 3}), "schema_violation"),
        ("read_file", json!({}), "schema_violation"),
        ("read_file", json!({"path": deep}), "arguments_too_deep"),
        (
            "read_file",
            json!({"path": "a", "query": long}),
            "arguments_too_large",
        ),
    ];
    for (tool, arguments, rule) in table {
        let open = Case::new("coder").with(|c| c.settings.override_level = OverrideLevel::All);
        for case in [Case::new("coder"), open] {
            check(
                &case,
                tool,
                arguments.clone(),
                (Verdict::Deny, Layer::Schema, rule),
            );
        }
    }
}

#[test]
fn paths_outside_are_refused_without_telling_what_is_there() {
    let case = attended("coder");
    let refused = [
        ("read_file", "/etc/hostname", "outside_roots"),
        ("read_file", "/etc/shadow", "credentials"),
        ("write_file", "/etc/sudoers.d/x", "credentials"),
        ("read_file", "~/.config/other/x", "closed_name"),
        ("write_file", "~/.other", "closed_name"),
        ("read_file", "../../x", "outside_roots"),
        ("read_file", "/w-evil/x", "outside_roots"),
        ("read_file", "/home/u/projects-evil/x", "outside_roots"),
        ("read_file", "~/.config/housecarl/agents.yaml", "own_folder"),
        ("read_file", "a\0b", "bad_path"),
        ("read_file", "", "bad_path"),
        ("write_file", "/etc/passwd", "outside_roots"),
        (
            "write_file",
            "~/projects/.git/hooks/pre-commit",
            "protected",
        ),
        ("write_file", ".git/config", "protected"),
        ("write_file", ".env", "protected"),
        ("write_file", "~/.config", "own_folder"),
        ("delete_file", "~/projects/.vscode/tasks.json", "protected"),
    ];
    for (tool, path, rule) in refused {
        check(
            &case,
            tool,
            json!({"path": path}),
            (Verdict::Deny, Layer::Path, rule),
        );
    }
    let reason = |path: &str| {
        let judged = case.judge(&policy(), "read_file", &json!({"path": path}));
        judged.decision().model_reason
    };
    assert_eq!(reason("/etc/shadow"), reason("/no/such/file"));
    assert_eq!(
        reason("/etc/shadow"),
        reason("~/.config/housecarl/agents.yaml")
    );
    for secret in ["/etc", "projects", "housecarl", "allowed"] {
        assert!(!reason("/etc/shadow").contains(secret));
    }
}

#[test]
fn writing_needs_an_open_folder() {
    let write = json!({"path": "a.txt", "content": "x"});
    let unattended = Case::new("coder");
    check(
        &unattended,
        "write_file",
        write.clone(),
        (Verdict::Deny, Layer::Path, "outside_roots"),
    );
    let told = unattended
        .judge(&policy(), "write_file", &write)
        .decision()
        .user_reason;
    assert!(
        told.contains("`--allow-write /w`") && told.contains("`--yes write`"),
        "{told}"
    );

    let case = attended("coder");
    let judged = case.judge(&policy(), "write_file", &write);
    assert_eq!(judged.write_root, Some(PathBuf::from("/w")));
    assert_eq!(judged.verdict(), Verdict::Confirm);
    let opened = attended("coder").with(|c| {
        c.opened.insert(PathBuf::from("/w"));
    });
    check(
        &opened,
        "write_file",
        write,
        (Verdict::Confirm, Layer::SafetyGate, "needs_confirmation"),
    );
    let project = json!({"path": "~/projects/a", "content": "x"});
    check(
        &case,
        "write_file",
        project,
        (Verdict::Confirm, Layer::SafetyGate, "needs_confirmation"),
    );
}

#[test]
fn effects_that_need_the_user_name_their_flag() {
    let table = [
        (
            "delete_file",
            json!({"path": "~/projects/a"}),
            EffectClass::Destructive,
        ),
        ("run_script", json!({"query": "x"}), EffectClass::Exec),
        ("configure", json!({"query": "x"}), EffectClass::Config),
        (
            "web_fetch",
            json!({"url": "https://docs.example/a"}),
            EffectClass::Egress,
        ),
    ];
    for (tool, arguments, effect) in table {
        let deny = (Verdict::Deny, Layer::SafetyGate, "nobody_to_ask");
        check(&Case::new("coder"), tool, arguments.clone(), deny);
        let told = Case::new("coder")
            .judge(&policy(), tool, &arguments)
            .decision()
            .user_reason;
        assert!(
            told.contains(&format!("--yes {}", effect.as_str())),
            "{told}"
        );
        let ask = (Verdict::Confirm, Layer::SafetyGate, "needs_confirmation");
        check(&attended("coder"), tool, arguments.clone(), ask);
        let yes = Case::new("coder").with(|c| {
            c.settings.auto_approve.insert(effect);
        });
        assert_eq!(verdict(&yes, tool, arguments.clone()), Verdict::Allow);
        let relaxed = Case::new("coder").with(|c| c.settings.override_level = OverrideLevel::Relax);
        assert_eq!(verdict(&relaxed, tool, arguments.clone()), Verdict::Allow);
        for cover in [Cover::ThisCall, Cover::PlanStep] {
            let covered = Case::new("coder").with(|c| c.cover = cover);
            assert_eq!(verdict(&covered, tool, arguments.clone()), Verdict::Allow);
        }
        let draft = Case::new("coder").with(|c| c.cover = Cover::PlanDraft);
        assert_eq!(verdict(&draft, tool, arguments), Verdict::Confirm);
    }
    let paid = Case::new("coder").with(|c| {
        c.settings.auto_approve.insert(EffectClass::Money);
    });
    assert_eq!(verdict(&paid, "pay", json!({"query": "x"})), Verdict::Deny);
}

#[test]
fn a_yes_for_one_class_or_target_covers_no_other() {
    let case = Case::new("coder").with(|c| {
        c.settings.auto_approve.insert(EffectClass::SharedWrite);
    });
    assert_eq!(
        verdict(&case, "delete_file", json!({"path": "~/projects/a"})),
        Verdict::Deny
    );
    check(
        &case,
        "write_file",
        json!({"path": "/etc/x", "content": ""}),
        (Verdict::Deny, Layer::Path, "outside_roots"),
    );

    let delete = |path: &str| json!({"path": path});
    let judged = attended("coder").judge(&policy(), "delete_file", &delete("~/projects/a"));
    let granted = attended("coder").with(|c| {
        c.allowed.calls.insert(judged.bound.unwrap().approval_key);
    });
    assert_eq!(
        verdict(&granted, "delete_file", delete("~/projects/./a")),
        Verdict::Allow
    );
    assert_eq!(
        verdict(&granted, "delete_file", delete("~/projects/b")),
        Verdict::Confirm
    );
    let write = json!({"path": "~/projects/a", "content": "x"});
    assert_eq!(verdict(&granted, "write_file", write), Verdict::Confirm);
}

#[test]
fn a_yes_to_the_changes_in_a_folder_covers_no_deletion_and_no_other_folder() {
    let allowed = attended("coder").with(|c| {
        c.settings.allow_write.insert(PathBuf::from("/w"));
        c.allowed.folders.insert(PathBuf::from("/w/sub"));
    });
    let write = |path: &str| json!({"path": path, "content": "x"});
    for (path, expected) in [
        ("/w/sub/a", Verdict::Allow),
        ("/w/sub/deeper/a", Verdict::Allow),
        ("/w/subway", Verdict::Confirm),
        ("/w/sub/../a", Verdict::Confirm),
    ] {
        assert_eq!(
            verdict(&allowed, "write_file", write(path)),
            expected,
            "{path}"
        );
    }
    let delete = json!({"path": "/w/sub/a"});
    assert_eq!(verdict(&allowed, "delete_file", delete), Verdict::Confirm);
}

#[test]
fn manifest_lineage_grants_and_switched_off_tools() {
    let write = || json!({"path": "/w/a", "content": "x"});
    let opened = |agent_type: &str| {
        Case::new(agent_type).with(|c| {
            c.settings.allow_write.insert(PathBuf::from("/w"));
            c.settings.auto_approve.insert(EffectClass::SharedWrite);
        })
    };
    check(
        &opened("reader"),
        "write_file",
        write(),
        (Verdict::Deny, Layer::Manifest, "not_allowed"),
    );
    let grant = |agent_type: &str| Grant {
        agent_type: agent(agent_type),
        tool: name("write_file"),
    };
    let granted = opened("reader").with(|c| {
        c.settings.grants.insert(grant("reader"));
    });
    assert_eq!(verdict(&granted, "write_file", write()), Verdict::Allow);

    let child = |parent: &str| opened("coder").with(|c| c.lineage.insert(0, agent(parent)));
    assert_eq!(
        verdict(&child("chief"), "write_file", write()),
        Verdict::Allow
    );
    let withheld = (Verdict::Deny, Layer::Lineage, "not_handed_down");
    check(&child("miser"), "write_file", write(), withheld);
    let relaxed = child("miser").with(|c| c.settings.override_level = OverrideLevel::Relax);
    check(&relaxed, "write_file", write(), withheld);
    let handed = child("miser").with(|c| {
        c.settings.grants.insert(grant("miser"));
    });
    assert_eq!(verdict(&handed, "write_file", write()), Verdict::Allow);

    for level in [OverrideLevel::None, OverrideLevel::All] {
        let off = opened("coder").with(|c| {
            c.settings.disabled_tools.insert(name("write_file"));
            c.settings.override_level = level;
        });
        check(
            &off,
            "write_file",
            write(),
            (Verdict::Deny, Layer::SessionOverride, "disabled_tool"),
        );
    }
}

#[test]
fn override_all_opens_all_but_our_own_folders() {
    let open = |agent_type: &str| {
        Case::new(agent_type).with(|c| c.settings.override_level = OverrideLevel::All)
    };
    let write = |path: &str| json!({"path": path, "content": "x"});
    for path in ["/etc/x", ".git/hooks/x", "/w/a"] {
        assert_eq!(
            verdict(&open("reader"), "write_file", write(path)),
            Verdict::Allow,
            "{path}"
        );
    }
    let judged = open("reader").judge(&policy(), "write_file", &write("/etc/x"));
    let passed = judged
        .findings
        .iter()
        .filter(|f| f.rule == "override_all")
        .count();
    assert_eq!(
        passed, 3,
        "manifest, path and safety gate say what they would have done"
    );
    let own = (Verdict::Deny, Layer::Path, "own_folder");
    check(
        &open("coder"),
        "write_file",
        write("~/.config/housecarl/x"),
        own,
    );
}

#[test]
fn urls_must_name_a_listed_host_and_nothing_cleverer() {
    let case = Case::new("coder").with(|c| {
        c.settings.auto_approve.insert(EffectClass::Egress);
    });
    let good = ["https://docs.example/a?b", "https://docs.example"];
    for url in good {
        assert_eq!(
            verdict(&case, "web_fetch", json!({"url": url})),
            Verdict::Allow,
            "{url}"
        );
    }
    let bad = [
        "https://evil.example/",
        "http://docs.example/",
        "https://docs.example@evil.example/",
        "https://docs.example.evil/",
        "https://docs.example:8443/",
        "https://DOCS.example/",
        "https://docs.example%2eevil/",
        "https://docs.example\\@evil/",
        "file:///etc/passwd",
        "",
    ];
    for url in bad {
        let expected = (Verdict::Deny, Layer::Egress, "host_not_listed");
        check(&case, "web_fetch", json!({"url": url}), expected);
    }
}

#[test]
fn loops_counts_and_rates_end_in_a_denial_that_says_what_to_do() {
    let policy = policy();
    let mut case = Case::new("reader");
    let spellings = ["a.txt", "./a.txt", "/w/x/../a.txt"];
    for path in spellings {
        let decision = case.call(&policy, "read_file", &json!({"path": path}));
        assert_eq!(decision.verdict, Verdict::Allow);
    }
    for _ in 0..1_000 {
        let decision = case.call(&policy, "read_file", &json!({"path": "a.txt"}));
        assert_eq!(
            (decision.verdict, decision.layer),
            (Verdict::Deny, Layer::Limits)
        );
        assert!(
            decision.model_reason.contains("`partial`"),
            "{}",
            decision.model_reason
        );
    }

    let mut case = Case::new("reader");
    let calls = ["a", "b", "a", "b"].map(|path| json!({"path": path}));
    for call in &calls {
        assert_eq!(
            case.call(&policy, "read_file", call).verdict,
            Verdict::Allow
        );
    }
    assert_eq!(case.call(&policy, "read_file", &calls[0]).rule, "cycle");

    let mut case = Case::new("reader");
    let asked = |n: usize| json!({"path": format!("f{n}")});
    for n in 0..domain::limits::CALLS_PER_TASK as usize {
        assert_eq!(
            case.call(&policy, "read_file", &asked(n)).verdict,
            Verdict::Allow,
            "{n}"
        );
    }
    assert_eq!(
        case.call(&policy, "read_file", &asked(1_000)).rule,
        "calls_per_task"
    );

    let mut case = Case::new("reader");
    for n in 0..2 {
        assert_eq!(
            case.call(&policy, "rated", &json!({"query": n.to_string()}))
                .verdict,
            Verdict::Allow
        );
    }
    assert_eq!(
        case.call(&policy, "rated", &json!({"query": "z"})).rule,
        "rate"
    );

    let mut case = Case::new("reader");
    for _ in 0..30 {
        let waited = case.call(&policy, "wait_for", &json!({"query": "done?"}));
        assert_eq!(waited.verdict, Verdict::Allow);
    }
}

#[test]
fn a_chain_of_agents_has_an_end() {
    let deep = Case::new("coder").with(|c| {
        c.lineage = ["chief", "chief", "chief", "chief", "coder"]
            .map(agent)
            .to_vec();
    });
    check(
        &deep,
        "read_file",
        json!({"path": "a"}),
        (Verdict::Deny, Layer::Limits, "spawn_depth"),
    );
}

#[test]
fn every_layer_has_its_say() {
    let judged = Case::new("coder").judge(&policy(), "read_file", &json!({"path": "a"}));
    let layers: Vec<Layer> = judged.findings.iter().map(|f| f.layer).collect();
    assert_eq!(layers, Layer::ALL);
}
