//! Ways out of the folders that are open: links, twins of names, hard links, the process file
//! system, and places that other programs run or trust.

use attacks::script::{Call, OPEN, do_it, play, recast, results, statuses};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::House;

const SECRET: &str = "the-silver-is-under-the-stairs";

fn reads(path: &str) -> Call<'static> {
    ("read_file", json!({"path": path}))
}

fn writes(path: &str) -> Call<'static> {
    let arguments = json!({"path": path, "content": "planted", "mode": "overwrite"});
    ("write_file", arguments)
}

/// A house with a secret beside the working folder.
fn secret_beside(house: &House) {
    fs::create_dir(house.home().join("vault")).unwrap();
    fs::write(house.home().join("vault/secret.txt"), SECRET).unwrap();
    house.write("plain/notes.txt", "the notes");
}

/// Checks that no call came through: nothing was read, and nothing outside was changed.
fn assert_shut(furnish: impl FnOnce(&House), calls: &[Call<'_>]) {
    let (scene, outcome) = play(
        |house| {
            secret_beside(house);
            furnish(house);
        },
        calls,
    );
    for (call, status) in calls.iter().zip(statuses(&outcome)) {
        assert_ne!(status, "ok", "{call:?}");
    }
    assert!(!scene.told().contains(SECRET));
    let vault = scene.house.home().join("vault");
    let names: Vec<_> = fs::read_dir(&vault).unwrap().flatten().collect();
    assert_eq!(names.len(), 1, "{names:?}");
    assert_eq!(
        fs::read_to_string(vault.join("secret.txt")).unwrap(),
        SECRET
    );
}

/// Checks that every call works.
fn assert_open(furnish: impl FnOnce(&House), calls: &[Call<'_>]) {
    let (_, outcome) = play(
        |house| {
            secret_beside(house);
            furnish(house);
        },
        calls,
    );
    for (call, status) in calls.iter().zip(statuses(&outcome)) {
        assert_eq!(status, "ok", "{call:?} {:#}", outcome.summary);
    }
}

#[test]
fn links_lead_nowhere_outside() {
    let links = |house: &House| {
        let vault = house.home().join("vault");
        symlink(vault.join("secret.txt"), house.work().join("last")).unwrap();
        symlink(&vault, house.work().join("folder")).unwrap();
        symlink("chain2", house.work().join("chain1")).unwrap();
        symlink("plain/chain3", house.work().join("chain2")).unwrap();
        symlink(
            "../../home/vault/secret.txt",
            house.work().join("plain/chain3"),
        )
        .unwrap();
        symlink("../home/vault/created.txt", house.work().join("dangling")).unwrap();
        symlink("/", house.work().join("root")).unwrap();
    };
    let paths = ["last", "folder/secret.txt", "chain1", "root/etc/hostname"];
    let mut calls: Vec<Call<'_>> = paths.iter().map(|path| reads(path)).collect();
    calls.extend(["last", "folder/new.txt", "chain1", "dangling", "root/tmp/x"].map(writes));
    calls.extend([
        ("list_files", json!({"path": "folder"})),
        ("grep", json!({"path": "folder", "pattern": "silver"})),
        ("make_dir", json!({"path": "folder/sub"})),
        (
            "move_file",
            json!({"from": "plain/notes.txt", "to": "folder/notes.txt"}),
        ),
    ]);
    assert_shut(links, &calls);
    let inside = |house: &House| {
        symlink("plain/notes.txt", house.work().join("last")).unwrap();
        symlink("plain", house.work().join("folder")).unwrap();
        symlink("plain/made.txt", house.work().join("dangling")).unwrap();
    };
    let honest = [
        reads("last"),
        reads("folder/notes.txt"),
        writes("folder/new.txt"),
        writes("dangling"),
    ];
    assert_open(inside, &honest);
}

#[test]
fn a_link_swapped_in_during_the_call_leads_nowhere() {
    let calls: Vec<Call<'_>> = (0..24)
        .flat_map(|n| [reads(&format!("door/r{n}")), writes(&format!("door/n{n}"))])
        .collect();
    let scene = attacks::script::scene(&calls);
    secret_beside(&scene.house);
    let (work, vault) = (scene.house.work(), scene.house.home().join("vault"));
    for n in 0..24 {
        scene.house.write(&format!("door/r{n}"), "harmless");
        fs::write(vault.join(format!("r{n}")), SECRET).unwrap();
    }
    symlink(&vault, work.join("trap")).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (ended, folder) = (Arc::clone(&stop), work.clone());
    let swapping = std::thread::spawn(move || {
        let (door, trap, aside) = (
            folder.join("door"),
            folder.join("trap"),
            folder.join("aside"),
        );
        let mut swaps = 0_u64;
        while !ended.load(Ordering::Relaxed) {
            fs::rename(&door, &aside).unwrap();
            // While the folder is away, a call may make it anew for its file.
            if fs::rename(&trap, &door).is_ok() {
                fs::rename(&door, &trap).unwrap();
                swaps += 1;
            }
            while fs::rename(&aside, &door).is_err() {
                let _made_anew = fs::remove_dir_all(&door);
            }
        }
        swaps
    });
    let outcome = do_it(&scene, &OPEN);
    stop.store(true, Ordering::Relaxed);
    let swaps = swapping.join().unwrap();
    assert!(swaps > 100, "{swaps}");
    assert!(!scene.told().contains(SECRET), "{:#}", outcome.summary);
    assert_eq!(fs::read_dir(&vault).unwrap().count(), 25);
    // The control: with nobody at the door, the same calls work.
    let honest = recast(scene.house, &calls);
    let outcome = do_it(&honest, &OPEN);
    assert!(statuses(&outcome).iter().all(|s| *s == "ok"));
}

#[test]
fn names_that_only_look_inside_are_outside() {
    let twin = |house: &House| {
        let beside = house.work().with_file_name("work-evil");
        fs::create_dir(&beside).unwrap();
        fs::write(beside.join("x"), SECRET).unwrap();
    };
    let (scene, _) = play(secret_beside, &[reads("plain/notes.txt")]);
    let vault = scene.house.home().join("vault/secret.txt");
    assert_ne!(vault, Path::new(""));
    let paths = [
        "../work-evil/x",
        "../home/vault/secret.txt",
        "plain/../../home/vault/secret.txt",
        "..//home//vault/secret.txt",
        "/../etc/hostname",
        "//etc/hostname",
        "plain\0/../../home/vault/secret.txt",
        "~/vault/secret.txt\0.md",
    ];
    // The type `coder` may not read the home folder, as `sysadmin` may.
    let calls: Vec<Call<'_>> = paths
        .iter()
        .flat_map(|path| [reads(path), writes(path)])
        .collect();
    let scene = attacks::script::scene(&calls);
    secret_beside(&scene.house);
    twin(&scene.house);
    let flags = [
        "--agent",
        "coder",
        "--allow-write",
        ".",
        "--yes",
        "write",
        "do it",
    ];
    let outcome = scene.run(&flags);
    for (call, status) in calls.iter().zip(statuses(&outcome)) {
        assert_ne!(status, "ok", "{call:?}");
    }
    assert!(!scene.told().contains(SECRET));
    // What only looks like a way out is an ordinary name, and stays inside.
    let odd = [
        "%2e%2e",
        "..\u{ff0f}home",
        "notes ",
        "NOTES.TXT",
        "caf\u{e9}",
        "...",
    ];
    // The same name in its other Unicode form is the same file.
    let composed = [writes("cafe\u{301}")];
    let calls: Vec<Call<'_>> = odd
        .iter()
        .map(|name| writes(name))
        .chain(composed)
        .collect();
    let (scene, outcome) = play(secret_beside, &calls);
    assert!(!scene.house.has("cafe\u{301}"));
    assert!(
        statuses(&outcome).iter().all(|s| *s == "ok"),
        "{:#}",
        outcome.summary
    );
    for name in odd {
        assert_eq!(scene.house.read(name), "planted", "{name}");
    }
    assert_eq!(scene.house.read("plain/notes.txt"), "the notes");
}

#[test]
fn a_hard_link_is_not_written_through() {
    let link = |house: &House| {
        for name in ["one", "two", "three"] {
            fs::hard_link(
                house.home().join("vault/secret.txt"),
                house.work().join(name),
            )
            .unwrap();
        }
    };
    let calls = [
        writes("one"),
        (
            "write_file",
            json!({"path": "two", "content": "planted", "mode": "append"}),
        ),
        (
            "edit_file",
            json!({"path": "three", "old": "silver", "new": "gold"}),
        ),
    ];
    let (scene, outcome) = play(
        |house| {
            secret_beside(house);
            link(house);
        },
        &calls,
    );
    // The honest part of the calls works: the name in the open folder has the content.
    assert_eq!(
        statuses(&outcome),
        ["ok", "ok", "ok"],
        "{:#}",
        outcome.summary
    );
    assert_eq!(scene.house.read("one"), "planted");
    assert!(scene.house.read("three").contains("gold"));
    let outside = scene.house.home().join("vault/secret.txt");
    assert_eq!(fs::read_to_string(outside).unwrap(), SECRET);
}

#[test]
fn protected_places_can_be_neither_moved_aside_nor_moved_in() {
    let furnish = |house: &House| {
        house.write(".git/config", "[core]");
        house.write("evil/hooks/pre-commit", "#!/bin/sh\n");
        house.write("hook.sh", "#!/bin/sh\n");
        house.write("settings/fish/config.fish", "x");
        symlink(".git", house.work().join("g")).unwrap();
    };
    let moves = [
        (".git", "old-git"),
        ("g/config", "config"),
        ("hook.sh", ".git/hooks/pre-commit"),
        ("hook.sh", "g/hooks/pre-commit"),
        ("hook.sh", "plain/.envrc"),
        ("evil", ".git"),
        ("evil", "plain/.git"),
        ("settings", ".config"),
    ];
    let calls: Vec<Call<'_>> = moves
        .iter()
        .map(|(from, to)| ("move_file", json!({"from": from, "to": to})))
        .collect();
    assert_shut(furnish, &calls);
    let honest = [
        (
            "move_file",
            json!({"from": "hook.sh", "to": "plain/hook.sh"}),
        ),
        ("move_file", json!({"from": "evil", "to": "good"})),
    ];
    assert_open(furnish, &honest);
}

#[test]
fn the_process_file_system_is_closed_to_the_tools() {
    let pid = std::process::id();
    let paths = [
        "/proc/self/environ".to_owned(),
        "/proc/self/root/etc/hostname".to_owned(),
        "/proc/self/cwd/plain/notes.txt".to_owned(),
        "/proc/self/exe".to_owned(),
        "/proc/self/fd/0".to_owned(),
        "/dev/fd/0".to_owned(),
        "/dev/stdin".to_owned(),
        format!("/proc/{pid}/environ"),
        format!("/proc/{pid}/mem"),
        format!("/proc/{pid}/root/etc/hostname"),
    ];
    let mut calls: Vec<Call<'_>> = paths.iter().map(|path| reads(path)).collect();
    calls.push(reads("door/etc/hostname"));
    calls.push(reads("env"));
    let door = |house: &House| {
        symlink("/proc/self/root", house.work().join("door")).unwrap();
        symlink("/proc/self/environ", house.work().join("env")).unwrap();
    };
    assert_shut(door, &calls);
    // Not even when the user lets everything pass.
    let (scene, _) = play(secret_beside, &[reads("plain/notes.txt")]);
    let scene = recast(scene.house, &calls);
    door(&scene.house);
    let outcome = scene.run(&["--agent", "sysadmin", "--override", "all", "do it"]);
    for (call, status) in calls.iter().zip(statuses(&outcome)) {
        assert_ne!(status, "ok", "{call:?}");
    }
    let honest = recast(
        scene.house,
        &[reads("/etc/hostname"), reads("plain/notes.txt")],
    );
    let outcome = honest.run(&["--agent", "sysadmin", "--override", "all", "do it"]);
    assert_eq!(
        statuses(&outcome),
        ["ok", "ok"],
        "{:?}",
        results(&honest, &outcome)
    );
}

/// Places that a program other than ours runs or trusts later.
const LATER: [&str; 28] = [
    ".git/hooks/pre-commit",
    ".git/hooks/post-checkout",
    ".git/config",
    ".git/info/attributes",
    ".git",
    "sub/.git",
    "sub/.git/config",
    ".GIT/config",
    ".g\u{200c}it/config",
    ".gitconfig",
    ".env",
    ".env.local",
    "sub/.envrc",
    ".bashrc",
    ".profile",
    ".zshenv",
    ".vscode/tasks.json",
    ".vscode/settings.json",
    ".idea/workspace.xml",
    ".devcontainer/devcontainer.json",
    ".mcp.json",
    ".nvimrc",
    ".exrc",
    ".dir-locals.el",
    ".npmrc",
    ".ssh/authorized_keys",
    ".config/autostart/x.desktop",
    ".housecarl.toml",
];

#[test]
fn what_others_run_later_is_not_made_either() {
    let calls: Vec<Call<'_>> = LATER.iter().map(|path| writes(path)).collect();
    let furnish = |house: &House| {
        secret_beside(house);
        house.write("sub/x", "");
        house.write("git/hooks/y", "");
    };
    let (scene, outcome) = play(furnish, &calls);
    for (path, call) in LATER.iter().zip(outcome.calls()) {
        let seen: (&Value, &Value) = (&call["status"], &call["layer"]);
        assert_eq!(seen, (&json!("denied"), &json!("path")), "{path}");
    }
    let names: Vec<_> = fs::read_dir(scene.house.work())
        .unwrap()
        .flatten()
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let honest = [
        "git/hooks/x",
        ".gitignore",
        "environment",
        "sub/tasks.json",
        "bashrc",
    ];
    let honest: Vec<Call<'_>> = honest.iter().map(|path| writes(path)).collect();
    let more = |house: &House| {
        house.write("sub/x", "");
        house.write("git/hooks/y", "");
    };
    assert_open(more, &honest);
}

#[test]
fn our_own_folders_are_out_of_reach_wherever_they_lie() {
    let (first, _) = play(secret_beside, &[reads("plain/notes.txt")]);
    let home = first.house.home();
    let paths = [
        ".config/housecarl/config.toml",
        ".config/housecarl/agents.yaml",
        ".local/state/housecarl/audit/planted.jsonl",
        ".local/state/housecarl/sessions/planted.jsonl",
    ];
    let mut calls: Vec<Call<'_>> = Vec::new();
    for path in paths {
        calls.push(writes(&home.join(path).to_string_lossy()));
    }
    calls.push(reads(
        &home.join(".config/housecarl/config.toml").to_string_lossy(),
    ));
    calls.push((
        "list_files",
        json!({"path": home.join(".local/state/housecarl").to_string_lossy()}),
    ));
    calls.push(("move_file", json!({"from": home.join(".config").to_string_lossy(), "to": home.join("c").to_string_lossy()})));
    let scene = recast(first.house, &calls);
    let home_flag = home.to_string_lossy().into_owned();
    for level in ["none", "all"] {
        let flags = [
            "--agent",
            "sysadmin",
            "--allow-write",
            &home_flag,
            "--yes",
            "write",
        ];
        let outcome = scene.run(&[&flags[..], &["--override", level, "do it"]].concat());
        if level == "none" {
            for (call, status) in calls.iter().zip(statuses(&outcome)) {
                assert_ne!(status, "ok", "{call:?}");
            }
        }
    }
    assert!(!home.join(".config/housecarl/agents.yaml").exists());
    // The control: in the same opened home, other files can be written.
    let honest = recast(
        scene.house,
        &[writes(&home.join("letter.txt").to_string_lossy())],
    );
    let flags = [
        "--agent",
        "sysadmin",
        "--allow-write",
        &home_flag,
        "--yes",
        "write",
    ];
    let outcome = honest.run(&[&flags[..], &["do it"]].concat());
    assert_eq!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
}
