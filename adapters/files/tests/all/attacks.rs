//! Attacks on the paths: each must fail, and the same thing done honestly must work.

#![allow(clippy::unwrap_used, clippy::panic)] // Lint exceptions for tests stop at #[test] functions.

use crate::support::{Bench, SECRET, link};
use api::executor::{Executor, FailureKind};
use domain::tool::TargetKind;
use rustix::fs::{CWD, FileType, Mode};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Every tool on one path, with arguments that would do harm if the path led outside.
fn every_tool(path: &str) -> Vec<(&'static str, Value)> {
    vec![
        ("read_file", json!({"path": path})),
        ("read_document", json!({"path": path})),
        ("grep", json!({"path": path, "pattern": "."})),
        ("list_files", json!({"path": path})),
        ("glob", json!({"path": path, "pattern": "*"})),
        (
            "write_file",
            json!({"path": path, "content": "x", "mode": "overwrite"}),
        ),
        (
            "write_file",
            json!({"path": path, "content": "x", "mode": "append"}),
        ),
        (
            "edit_file",
            json!({"path": path, "old": "SECRET", "new": "x"}),
        ),
        (
            "apply_patch",
            json!({
                "patch": format!("*** Update File: {path}\n-SECRET outside\n+x\n"),
                "files": [path],
            }),
        ),
        (
            "apply_patch",
            json!({"patch": format!("*** Add File: {path}\n+x\n"), "files": [path]}),
        ),
        ("make_dir", json!({"path": path})),
    ]
}

async fn assert_refused(bench: &Bench, path: &str, rules: &[&str]) {
    for (tool, arguments) in every_tool(path) {
        let failure = match bench.call(tool, arguments).await {
            Ok(output) => panic!("{tool} {path}: {output:?}"),
            Err(failure) => failure,
        };
        assert!(
            rules.contains(&failure.rule.as_ref()),
            "{tool} {path}: {failure:?}"
        );
        assert_eq!(failure.kind, FailureKind::Refused, "{tool} {path}");
        assert!(!failure.message.contains("SECRET"), "{failure:?}");
    }
    bench.assert_outside_untouched();
    bench.assert_no_leftovers();
}

#[tokio::test]
async fn links_that_lead_out_are_refused_at_every_position() {
    let bench = Bench::new();
    link(&bench, "last", bench.outside("secret.txt"));
    link(&bench, "relative", "../outside/secret.txt");
    link(&bench, "folder", bench.outside(""));
    link(&bench, "chain1", "chain2");
    link(&bench, "chain2", "sub/chain3");
    link(&bench, "sub/chain3", "../../outside/secret.txt");
    link(&bench, "dangling", "../outside/created.txt");
    link(&bench, "root", "/");
    for path in [
        "last",
        "relative",
        "folder",
        "folder/secret.txt",
        "folder/new.txt",
        "chain1",
        "chain2",
        "dangling",
        "root",
        "root/etc/passwd",
    ] {
        assert_refused(&bench, path, &["symlink_escape"]).await;
    }
    let moved = bench
        .rule("move_file", json!({"from": "folder/secret.txt", "to": "s"}))
        .await;
    assert_eq!(moved, "symlink_escape");
    bench.write("f", "f");
    let moved = bench
        .rule("move_file", json!({"from": "f", "to": "folder/f"}))
        .await;
    assert_eq!(moved, "symlink_escape");
    let deleted = bench
        .rule("delete_file", json!({"path": "folder/secret.txt"}))
        .await;
    assert_eq!(deleted, "symlink_escape");
    bench.assert_outside_untouched();
}

#[tokio::test]
async fn links_that_stay_inside_work() {
    let bench = Bench::new();
    bench.write("sub/real.txt", "inside\n");
    link(&bench, "a", "sub/real.txt");
    link(&bench, "b", "sub/../a");
    link(&bench, "sub/up", "../sub");
    link(&bench, "new", "sub/created.txt");
    for path in ["a", "b", "sub/up/real.txt"] {
        let data = bench.ok("read_file", json!({"path": path})).await;
        assert_eq!(data["content"], "inside\n");
    }
    bench
        .ok(
            "edit_file",
            json!({"path": "b", "old": "inside", "new": "edited"}),
        )
        .await;
    assert_eq!(bench.read("sub/real.txt"), "edited\n");
    bench
        .ok("write_file", json!({"path": "new", "content": "made"}))
        .await;
    assert_eq!(bench.read("sub/created.txt"), "made");
    assert!(bench.work("a").is_symlink() && bench.work("new").is_symlink());
    bench.ok("undo", json!({})).await;
    bench.ok("undo", json!({})).await;
    assert_eq!(bench.read("sub/real.txt"), "inside\n");
    assert!(!bench.work("sub/created.txt").exists());
    link(&bench, "loop", "loop");
    assert_refused(&bench, "loop", &["magic_link"]).await;
}

#[tokio::test]
async fn paths_beside_the_root_are_outside() {
    let bench = Bench::new();
    let twin = bench.work("").with_file_name("work-evil");
    fs::create_dir(&twin).unwrap();
    fs::write(twin.join("x"), SECRET).unwrap();
    let targets = [
        twin.join("x"),
        bench.outside("secret.txt"),
        PathBuf::from("/etc/passwd"),
        bench.work("../outside/secret.txt"),
        PathBuf::from("relative.txt"),
        bench.work("a\0b"),
    ];
    for target in targets {
        for (tool, arguments) in every_tool("x") {
            let mut call = bench.judged(tool, arguments);
            for named in call.targets.values_mut() {
                named.clone_from(&target);
            }
            let failure = bench.run(call).await.unwrap_err();
            assert_eq!(failure.rule, "outside_roots", "{tool} {}", target.display());
        }
    }
    assert_eq!(fs::read_to_string(twin.join("x")).unwrap(), SECRET);
    // Text that only looks special is an ordinary name.
    for name in ["%2e%2e", "..\u{ff0f}outside", "a ", "..."] {
        bench
            .ok("write_file", json!({"path": name, "content": "x"}))
            .await;
        assert_eq!(bench.read(name), "x");
    }
    bench.assert_outside_untouched();
}

#[tokio::test]
async fn a_hard_link_to_an_outside_file_is_broken_not_written_through() {
    let bench = Bench::new();
    for name in ["h1", "h2", "h3"] {
        fs::hard_link(bench.outside("secret.txt"), bench.work(name)).unwrap();
    }
    bench
        .ok(
            "edit_file",
            json!({"path": "h1", "old": "SECRET", "new": "changed"}),
        )
        .await;
    bench
        .ok(
            "write_file",
            json!({"path": "h2", "content": "x", "mode": "append"}),
        )
        .await;
    bench
        .ok(
            "write_file",
            json!({"path": "h3", "content": "x", "mode": "overwrite"}),
        )
        .await;
    assert_eq!(bench.read("h1"), "changed outside\n");
    bench.assert_outside_untouched();
    for _ in 0..3 {
        bench.ok("undo", json!({})).await;
    }
    assert_eq!(bench.read("h1"), SECRET);
    bench.assert_outside_untouched();
}

#[tokio::test]
async fn pipes_sockets_and_devices_are_refused_at_once() {
    let bench = Bench::new();
    rustix::fs::mknodat(
        CWD,
        bench.work("fifo"),
        FileType::Fifo,
        Mode::from_raw_mode(0o666),
        0,
    )
    .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(bench.work("socket")).unwrap();
    for path in ["fifo", "socket"] {
        for (tool, arguments) in every_tool(path) {
            let rule = bench.rule(tool, arguments).await;
            assert!(
                ["not_a_file", "not_a_folder", "exists"].contains(&rule),
                "{tool} {path}: {rule}"
            );
        }
        assert_eq!(
            bench.rule("delete_file", json!({"path": path})).await,
            "not_a_file"
        );
    }
    bench.write("f", "x");
    let data = bench.ok("grep", json!({"pattern": "x"})).await;
    assert_eq!(data["matches"].as_array().unwrap().len(), 1);
    let mut call = bench.judged("read_file", json!({"path": "null"}));
    call.targets
        .insert("path".to_owned(), PathBuf::from("/dev/null"));
    call.read_roots = vec![PathBuf::from("/dev")];
    assert_eq!(bench.run(call).await.unwrap_err().rule, "not_a_file");
}

#[tokio::test]
async fn the_process_file_system_is_closed_even_when_the_root_is_everything() {
    let bench = Bench::new();
    let pid = std::process::id();
    let paths = [
        "/proc/self/environ".to_owned(),
        "/proc/self/root/etc/passwd".to_owned(),
        "/proc/self/exe".to_owned(),
        "/proc/self/fd".to_owned(),
        "/dev/fd/0".to_owned(),
        format!("/proc/{pid}/environ"),
        format!("/proc/{pid}/cwd"),
        format!("/proc/{pid}/mem"),
        "/proc".to_owned(),
    ];
    for root in ["/", "/proc", "/proc/self", "/proc/self/root"] {
        for path in &paths {
            for tool in ["read_file", "list_files", "write_file"] {
                let arguments = match tool {
                    "write_file" => json!({"path": path, "content": "", "mode": "overwrite"}),
                    _ => json!({"path": path}),
                };
                let mut call = bench.judged(tool, arguments);
                call.targets.insert("path".to_owned(), PathBuf::from(path));
                call.read_roots = vec![PathBuf::from(root)];
                call.write_roots = vec![PathBuf::from(root)];
                let failure = bench.run(call).await.unwrap_err();
                let rules = [
                    "magic_link",
                    "symlink_escape",
                    "outside_roots",
                    "not_found",
                    "is_a_folder",
                ];
                assert!(
                    rules.contains(&failure.rule.as_ref()),
                    "{tool} {path} under {root}: {failure:?}"
                );
            }
        }
    }
    link(&bench, "p", "/proc/self/root");
    assert_refused(&bench, "p/etc/passwd", &["symlink_escape", "magic_link"]).await;
    // The control: an ordinary file beneath the same root can be read.
    bench.write("ok", "ok");
    let mut call = bench.judged("read_file", json!({"path": "ok"}));
    call.read_roots = vec![PathBuf::from("/")];
    assert_eq!(bench.run(call).await.unwrap().data["content"], "ok");
}

/// A workspace with protected places, and links to them.
fn guarded() -> Bench {
    let bench = Bench::new();
    bench.write(".git/hooks/old", "hook");
    bench.write(".git/config", "config");
    bench.write("own/state", "state");
    bench.write("f", "x");
    bench.write("sub/tasks.json", "{}");
    link(&bench, "g", ".git");
    link(&bench, "deep/h", "../g/hooks");
    link(&bench, "conf", ".git/config");
    link(&bench, "o", "own");
    bench
}

#[tokio::test]
async fn protected_places_are_not_written_however_they_are_reached() {
    let bench = guarded();
    let write = |path: &str| json!({"path": path, "content": "x", "mode": "overwrite"});
    let paths = ".git/hooks/new .git/config g/hooks/new deep/h/old conf .env .env.local \
                 sub/.bashrc .mcp.json o/state own/state";
    for path in paths.split_whitespace() {
        assert_eq!(
            bench.rule("write_file", write(path)).await,
            "protected",
            "{path}"
        );
    }
    for path in [
        "sub/.git",
        "sub/.GIT",
        "g/hooks/sub",
        ".vscode",
        "o/x",
        ".git/a/b",
    ] {
        let rule = bench.rule("make_dir", json!({"path": path})).await;
        assert_eq!(rule, "protected", "{path}");
    }
    for (tool, path) in [
        ("delete_file", ".git/config"),
        ("delete_file", "g/hooks/old"),
        ("delete_file", "own/state"),
        ("read_file", "own/state"),
        ("read_file", "o/state"),
    ] {
        let rule = bench.rule(tool, json!({"path": path})).await;
        assert_eq!(rule, "protected", "{tool} {path}");
    }
    let data = bench.ok("grep", json!({"pattern": "state"})).await;
    assert_eq!(data["matches"], json!([]));
    assert_eq!(
        (bench.read(".git/config"), bench.read("own/state")),
        ("config".into(), "state".into())
    );
    assert_eq!(fs::read_dir(bench.work(".git/hooks")).unwrap().count(), 1);
    bench.ok("write_file", write("sub/ordinary")).await;
}

#[tokio::test]
async fn nothing_is_moved_into_or_out_of_a_protected_place() {
    let bench = guarded();
    // Its content would be protected under the new name.
    bench.write("c/fish/config.fish", "x");
    for (from, to) in [
        ("f", ".git/hooks/pre-commit"),
        ("f", "deep/h/pre-commit"),
        ("f", ".env"),
        ("sub", ".vscode"),
        (".git", "git"),
        ("g/config", "x"),
        ("own", "mine"),
        ("c", ".config"),
    ] {
        let rule = bench
            .rule("move_file", json!({"from": from, "to": to}))
            .await;
        assert_eq!(rule, "protected", "{from} {to}");
    }
    bench.ok("move_file", json!({"from": "c", "to": "d"})).await;
    bench
        .ok("move_file", json!({"from": "f", "to": "sub/pre-commit"}))
        .await;
}

#[tokio::test]
async fn locating_refuses_what_the_tools_would_refuse() {
    let bench = Bench::new();
    bench.write(".git/config", "x");
    link(&bench, "out", "../outside");
    link(&bench, "g", ".git");
    bench.write("plain.txt", "x");
    bench.write("real/a.txt", "x");
    link(&bench, "l", "real");
    let roots = [bench.work("").components().collect::<PathBuf>()];
    let locate = |path: &str, kind| {
        let path = bench.work(path);
        let (bench, roots) = (&bench, &roots);
        async move {
            bench
                .tools
                .locate(&path, kind, roots)
                .await
                .map(|real| real.map(|real| real.strip_prefix(&roots[0]).unwrap().to_owned()))
                .map_err(|refusal| refusal.rule)
        }
    };
    for kind in [TargetKind::ReadPath, TargetKind::WritePath] {
        for outside in ["out/secret.txt", "out/new/deep.txt"] {
            let refused = locate(outside, kind).await.unwrap_err();
            assert_eq!(refused, "symlink_escape");
        }
        for missing in ["missing/deep/file", "new.txt"] {
            let lands = kind == TargetKind::WritePath;
            let real = lands.then(|| PathBuf::from(missing));
            assert_eq!(locate(missing, kind).await, Ok(real));
        }
        // Where a link leads is where the path lies.
        for (path, real) in [("plain.txt", "plain.txt"), ("l/a.txt", "real/a.txt")] {
            assert_eq!(locate(path, kind).await, Ok(Some(PathBuf::from(real))));
        }
    }
    for protected in ["g/config", "g/new/deep"] {
        let refused = locate(protected, TargetKind::WritePath).await.unwrap_err();
        assert_eq!(refused, "protected");
    }
    let read = locate("g/config", TargetKind::ReadPath).await;
    assert_eq!(read, Ok(Some(PathBuf::from(".git/config"))));
    let refused = bench
        .tools
        .locate(Path::new("/etc/passwd"), TargetKind::ReadPath, &roots)
        .await;
    assert_eq!(refused.unwrap_err().rule, "outside_roots");
    let file_root = [bench.work("only.txt")];
    let tools = &bench.tools;
    assert!(
        tools
            .locate(&bench.work("only.txt"), TargetKind::WritePath, &file_root)
            .await
            .is_ok()
    );
    assert!(
        tools
            .locate(&bench.work("other.txt"), TargetKind::WritePath, &file_root)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_single_file_as_root_opens_nothing_beside_it() {
    let bench = Bench::new();
    let with_root = |path: &str, root: &str| {
        let mut call = bench.judged(
            "write_file",
            json!({"path": path, "content": "x", "mode": "overwrite"}),
        );
        call.write_roots = vec![bench.work(root)];
        call
    };
    bench.run(with_root("only.txt", "only.txt")).await.unwrap();
    bench.run(with_root("only.txt", "only.txt")).await.unwrap();
    assert_eq!(
        bench
            .run(with_root("b.txt", "only.txt"))
            .await
            .unwrap_err()
            .rule,
        "outside_roots"
    );
    link(&bench, "l", "only.txt");
    assert_eq!(
        bench.run(with_root("l", "l")).await.unwrap_err().kind,
        FailureKind::Refused
    );
}

#[tokio::test]
async fn a_call_that_is_stale_or_does_not_fit_does_not_run() {
    let bench = Bench::new();
    let mut call = bench.judged("write_file", json!({"path": "a", "content": "x"}));
    call.tool_version = "0".to_owned();
    assert_eq!(bench.run(call).await.unwrap_err().rule, "version_changed");
    let mut call = bench.judged("write_file", json!({"path": "a", "content": "x"}));
    call.targets.clear();
    assert_eq!(bench.run(call).await.unwrap_err().rule, "missing_path");
    let mut call = bench.judged("write_file", json!({"path": "a", "content": "x"}));
    call.arguments = json!({"path": "a", "content": "x", "label": "trusted"});
    assert_eq!(bench.run(call).await.unwrap_err().rule, "invalid_arguments");
    let call = bench.judged("write_file", json!({"path": "a", "content": "x"}));
    let long_ago = domain::Timestamp::UNIX_EPOCH;
    let stale = api::authority::Authority::establish().authorise(call, long_ago);
    let (progress, _) = tokio::sync::mpsc::channel(1);
    assert_eq!(
        bench.tools.run(stale, progress).await.unwrap_err().rule,
        "expired"
    );
    assert!(!bench.work("a").exists());
}
