//! Protected places that are made of harmless ones: by a new name for a folder, by a link that a
//! repository ships, by taking a move back. What the user made is never lost over it.

use attacks::script::{Call, OPEN, do_it, play, recast, replies, results, scene, sit, statuses};
use domain::limits::UNDO_BYTES;
use scenarios::{Outcome, Scene};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use testkit::flags::CHANGES;
use testkit::{House, Server};

const MINE: &str = "[build]\njobs = 1\n";
const PLANTED: &str = "planted";

fn shell(script: &str) -> Call<'static> {
    ("run_command", json!({"argv": ["sh", "-c", script]}))
}

fn write(path: &str) -> Call<'static> {
    let arguments = json!({"path": path, "content": PLANTED, "mode": "overwrite"});
    ("write_file", arguments)
}

/// What is in the files of a folder of the work, whatever they are called.
fn contents(house: &House, folder: &str) -> String {
    let entries = fs::read_dir(house.work().join(folder)).unwrap().flatten();
    let texts = entries.filter_map(|entry| fs::read_to_string(entry.path()).ok());
    texts.collect()
}

fn again(house: House, call: Call<'_>) -> (House, Outcome, String) {
    let scene = recast(house, &[call]);
    let outcome = do_it(&scene, &OPEN);
    let told = results(&scene, &outcome).concat();
    (scene.house, outcome, told)
}

#[test]
fn a_command_loses_no_file_of_the_users() {
    let house = House::new();
    house.write(".cargo/config.toml", MINE);
    house.write("conf/config.toml", MINE);
    house.write("old/file", MINE);
    // A folder above a protected place keeps its name, as the place does.
    let (house, _outcome, told) = again(house, shell("mv .cargo c; mv plain other; true"));
    assert_eq!(house.read(".cargo/config.toml"), MINE, "{told}");
    // What becomes a protected place by its new name is set aside, and so is what the command made.
    let script = "mv conf sub; mkdir new; mv sub new/.cargo; mv old .vscode; \
                  mkdir -p made/.git; echo x > made/.git/config";
    let (house, _outcome, told) = again(house, shell(script));
    assert!(!house.has("new/.cargo/config.toml") && !house.has(".vscode"));
    assert_eq!(contents(&house, "new/.cargo"), MINE, "{told}");
    let aside = house.set_aside("new/.cargo", "config_toml");
    let name = aside.rsplit('/').next().unwrap();
    assert!(told.contains(&format!("is now named {name}")), "{told}");
    let folder = house.set_aside("", "vscode");
    assert_eq!(house.read(&format!("{folder}/file")), MINE, "{told}");
    let made = house.set_aside("made", "git");
    assert!(
        !house.has("made/.git") && house.has(&format!("{made}/config")),
        "{told}"
    );
}

#[test]
fn undo_makes_no_protected_place() {
    let moved = [
        ("make_dir", json!({"path": ".cargo"})),
        ("move_file", json!({"from": ".cargo", "to": "c"})),
    ];
    let undo = [("undo", json!({}))];
    // What the command did stands in no history, since git ignores it.
    let filled = [shell("echo planted > c/config.toml")];
    let house = House::new();
    house.write(".gitignore", "c/\n");
    let scene = recast(house, &[&moved[..], &filled, &undo].concat());
    let attended = ["--agent", "sysadmin", "--allow-write", ".", "do it"];
    let sitting = sit(&scene, &attended, |_, _| "y".to_owned());
    let told = sitting.of_kind("tool_result").into_iter();
    let told: String = told.map(|event| event["text"].to_string()).collect();
    assert_eq!(&sitting.statuses()[..3], ["ok"; 3], "{told}");
    assert_eq!(sitting.statuses()[3], "denied", "{told}");
    assert!(told.contains("path is not available"), "{told}");
    assert!(scene.house.has("c/config.toml") && !scene.house.has(".cargo"));
    // Where it stands there, it is taken back first.
    let recorded = [shell("echo planted > c/config.toml")];
    let undos = [&undo[..], &undo].concat();
    let scene = recast(House::new(), &[&moved[..], &recorded, &undos].concat());
    let sitting = sit(&scene, &attended, |_, _| "y".to_owned());
    assert_eq!(sitting.statuses(), ["ok"; 5]);
    assert!(scene.house.has(".cargo") && !scene.house.has(".cargo/config.toml"));
    // Without the command in between the move is taken back.
    let (scene, outcome) = play(|_| {}, &[&moved[..], &undo].concat());
    assert_eq!(statuses(&outcome), ["ok"; 3], "{:#}", outcome.summary);
    assert!(scene.house.has(".cargo") && !scene.house.has("c"));
}

#[test]
fn what_the_user_saved_outlives_a_full_undo_history() {
    let edit = |old: &str, new: &str| {
        let arguments = json!({"path": "notes.md", "old": old, "new": new});
        ("edit_file", arguments)
    };
    let after = |saved: Option<&'static str>, second: Call<'_>, wanted: &[&str]| {
        // There is room for it where two changes become one.
        let delete = ("delete_file", json!({"path": "big"}));
        let mut calls = vec![edit("v0", "v1"), second, delete];
        calls.resize(wanted.len(), ("undo", json!({})));
        let house = House::new();
        let notes = house.write("notes.md", "v0\n");
        let big = fs::File::create(house.work().join("big")).unwrap();
        big.set_len(UNDO_BYTES - 3).unwrap();
        let replies = replies(&calls);
        let server = Server::speak(move |_, number| {
            if let (1, Some(text)) = (number, saved) {
                fs::write(&notes, text).unwrap();
            }
            replies[number.min(replies.len() - 1)].clone()
        });
        let server = server.openai();
        house.configure(&server.config("openai"));
        let scene = Scene { house, server };
        let sitting = sit(&scene, &[&OPEN[..], &["do it"]].concat(), |_, _| {
            "y".to_owned()
        });
        assert_eq!(sitting.statuses(), wanted);
        scene.house.read("notes.md")
    };
    let saved = "what the user wrote\n";
    let second = edit("what the user wrote", "v2");
    let refused = after(Some(saved), second, &["ok", "ok", "failed", "ok"]);
    assert_eq!(refused, saved);
    // The agent's own two changes are one by then.
    assert_eq!(after(None, edit("v1", "v2"), &["ok"; 5]), "v0\n");
}

#[test]
fn what_a_shipped_link_leads_to_is_the_protected_place() {
    let furnish = |house: &House| {
        house.write("conf/config.toml", MINE);
        house.write("notes.md", MINE);
        house.write("sub/deep/rc", MINE);
        house.write("evil/config.toml", PLANTED);
        house.write("plain.md", MINE);
        for (to, link) in [
            ("conf", ".cargo"),
            ("notes.md", "CLAUDE.md"),
            ("missing/rc", ".envrc"),
            ("../../sub/deep/rc", "sub/other/.envrc"),
            ("plain.md", "README.md"),
        ] {
            let link = house.work().join(link);
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            symlink(to, link).unwrap();
        }
    };
    let edit = json!({"path": "conf/config.toml", "old": "jobs = 1", "new": PLANTED});
    let calls = [
        write("conf/config.toml"),
        ("edit_file", edit),
        write("notes.md"),
        write("sub/deep/rc"),
        write("conf/other.toml"),
        ("make_dir", json!({"path": "missing"})),
        write("missing/rc"),
        ("move_file", json!({"from": "conf", "to": "conf2"})),
        ("move_file", json!({"from": "evil", "to": "conf"})),
        write("plain.md"),
    ];
    let (scene, outcome) = play(furnish, &calls);
    let wanted = [
        "denied", "denied", "denied", "denied", "ok", "ok", "denied", "ok", "denied", "ok",
    ];
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), wanted, "{told:#?}");
    assert_eq!(scene.house.read("conf2/config.toml"), MINE);
    assert_eq!(scene.house.read("plain.md"), PLANTED);
}

#[test]
fn a_command_fills_no_shipped_link_that_led_nowhere() {
    let furnish = |house: &House| {
        fs::create_dir(house.work().join("sub")).unwrap();
        symlink("missing/rc", house.work().join("sub/.envrc")).unwrap();
    };
    let script = "mkdir sub/missing; echo planted > sub/missing/rc; echo mine > sub/missing/other";
    let (scene, outcome) = play(furnish, &[shell(script)]);
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), ["ok"], "{told:?}");
    assert!(!scene.house.has("sub/missing/rc"), "{told:?}");
    assert!(scene.house.has("sub/missing/other"), "{told:?}");
}

/// A pipe in the working folder, by which a command says that it is at work or is told to go on.
fn pipe(work: &Path, name: &str) -> PathBuf {
    let path = work.join(name);
    assert!(
        Command::new("mkfifo")
            .arg(&path)
            .status()
            .unwrap()
            .success()
    );
    path
}

#[test]
fn a_save_of_the_users_stops_a_command_that_would_see_it() {
    let script = "echo up > ready; while :; do cat .netrc; echo evil >> .envrc; sleep 0.1; done";
    let scene = scene(&[("run_command", json!({"argv": ["sh", "-c", script]}))]);
    let work = scene.house.work();
    for name in [".netrc", ".envrc"] {
        fs::write(work.join(name), "old").unwrap();
    }
    let ready = pipe(&work, "ready");
    let running = scene.house.ask(["run"]).args(OPEN).arg("do it").spawn();
    assert_eq!(fs::read_to_string(ready).unwrap(), "up\n");
    for name in [".netrc", ".envrc"] {
        fs::write(work.join("new"), "NEWCANARY").unwrap();
        fs::rename(work.join("new"), work.join(name)).unwrap();
    }
    // It would go on for ever.
    let finished = running.finish();
    let shown = scene.server.chats().last().unwrap().body.to_string();
    assert!(shown.contains("replaced a protected file"), "{finished:?}");
    assert!(!shown.contains("NEWCANARY"), "{shown}");
    // A key keeps the name by which it is closed.
    let aside = scene.house.set_aside("", "envrc");
    for name in [".netrc", &aside] {
        assert!(scene.house.read(name).contains("NEWCANARY"), "{name}");
    }
    assert!(shown.contains(&aside), "{shown}");
}

#[test]
fn a_clone_of_the_users_during_a_command_is_kept() {
    let script = "echo up > ready; read word < go; mkdir -p own/.git";
    let scene = scene(&[("run_command", json!({"argv": ["sh", "-c", script]}))]);
    let work = scene.house.work();
    let (ready, go) = (pipe(&work, "ready"), pipe(&work, "go"));
    let running = scene.house.ask(["run"]).args(OPEN).arg("do it").spawn();
    assert_eq!(fs::read_to_string(ready).unwrap(), "up\n");
    fs::create_dir_all(work.join("clone/.git")).unwrap();
    fs::write(work.join("clone/.git/commit"), "unpushed").unwrap();
    fs::write(go, "go\n").unwrap();
    let finished = running.finish();
    let clone = scene.house.set_aside("clone", "git");
    assert_eq!(scene.house.read(&format!("{clone}/commit")), "unpushed");
    let own = scene.house.set_aside("own", "git");
    assert!(!scene.house.has("own/.git"));
    // The model is told, and so is the user, who may have made it.
    let shown = scene.server.chats().last().unwrap().body.to_string();
    let told = &finished.stderr;
    for aside in [&clone, &own] {
        let name = aside.rsplit('/').next().unwrap();
        assert!(shown.contains(&format!("is now named {name}")), "{shown}");
        assert!(told.contains(&format!("It is now named {name}")), "{told}");
    }
    assert!(
        told.contains("If you made it yourself, give it its name back"),
        "{told}"
    );
}

/// A house whose protected folders hold links to ordinary files, and a repository that names more.
fn linked_within() -> House {
    let house = House::new();
    for (link, goal) in WITHIN {
        let depth = link.split('/').count() - 1;
        let link = house.work().join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(format!("{}{goal}", "../".repeat(depth)), link).unwrap();
        house.write(goal, MINE);
    }
    house.write("sub/.git", "gitdir: ../meta/g\n");
    house.write("meta/g/config", "[core]\n\thooksPath = ../tools/hooks\n");
    house.write("tools/hooks/post-checkout", MINE);
    house.write("scripts/other.sh", MINE);
    // A submodule leads into the repository above it, and a link into a folder of links.
    house.write("module/.git", "gitdir: ../.git/modules/deep/module\n");
    house.write(INNER[0], MINE);
    house.write(INNER[1], MINE);
    symlink("../folder", house.work().join(".husky/folder")).unwrap();
    symlink("deep/file", house.work().join("folder/link")).unwrap();
    house
}

/// What lies in protected places, or in what they lead to, and is led to once more.
const INNER: [&str; 2] = [".git/modules/deep/module/config", "folder/deep/file"];

const WITHIN: [(&str, &str); 6] = [
    (".git/hooks/pre-commit", "scripts/pre-commit.sh"),
    (".git/config", "conf.g"),
    (".vscode/tasks.json", "x/tasks.json"),
    (".husky/pre-commit", "x/husky.sh"),
    (".claude/settings.json", "x/claude.json"),
    (".cursor/rules/r.mdc", "x/rules.md"),
];

#[test]
fn what_links_in_protected_folders_lead_to_is_protected() {
    let named = ["meta/g/config", "tools/hooks/post-checkout"];
    let goals = WITHIN.map(|(_, goal)| goal).into_iter().chain(named);
    let goals = goals.chain(INNER);
    let goals: Vec<&str> = goals.collect();
    // By file tools, with an honest file in the same folder.
    let mut calls: Vec<Call<'_>> = goals.iter().map(|goal| write(goal)).collect();
    calls.push(write("scripts/other.sh"));
    let scene = recast(linked_within(), &calls);
    let outcome = do_it(&scene, &OPEN);
    let kept = |house: &House, told: &str| {
        for goal in &goals {
            assert!(!house.read(goal).contains(PLANTED), "{goal}: {told}");
        }
        assert!(house.read("scripts/other.sh").contains(PLANTED), "{told}");
    };
    kept(&scene.house, &format!("{:#}", outcome.summary));
    // By a command, also by another file under the same name.
    let each = goals.join(" ");
    let script = format!(
        "for f in {each} scripts/other.sh; do echo {PLANTED} > $f; done; mv scripts s2; mv x x2; \
         mkdir x scripts; for f in {each}; do echo {PLANTED} > $f; done; true"
    );
    let (house, _outcome, told) = again(linked_within(), shell(&script));
    kept(&house, &told);
}

#[test]
fn a_look_for_links_goes_through_large_folders() {
    let house = House::new();
    for folder in 0..11 {
        let folder = house.work().join(format!("many/{folder}"));
        fs::create_dir_all(&folder).unwrap();
        for number in 0..10_000 {
            fs::File::create(folder.join(number.to_string())).unwrap();
        }
    }
    house.write("zz/p/q/proj/conf/config.toml", MINE);
    symlink("conf", house.work().join("zz/p/q/proj/.cargo")).unwrap();
    let calls = [
        write("zz/p/q/proj/conf/config.toml"),
        write("zz/p/q/proj/a.txt"),
    ];
    let scene = recast(house, &calls);
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(
        statuses(&outcome),
        ["denied", "ok"],
        "{:#}",
        outcome.summary
    );
    assert_eq!(scene.house.read("zz/p/q/proj/conf/config.toml"), MINE);
}

#[test]
fn what_was_set_aside_stays_as_it_is() {
    let made = "mkdir -p .git/hooks; echo made > .git/hooks/pre-commit";
    let (house, _outcome, told) = again(House::new(), shell(made));
    let aside = house.set_aside("", "git");
    let hook = &format!("{aside}/hooks/pre-commit");
    assert_eq!(house.read(hook), "made\n", "{told}");
    // Neither a tool nor a command changes or renames it; an honest name beside it is free.
    let calls = [
        write(hook),
        ("move_file", json!({"from": aside, "to": "x"})),
        write("set-aside-notes.md"),
    ];
    let scene = recast(house, &calls);
    let outcome = do_it(&scene, &OPEN);
    let ends = statuses(&outcome);
    assert_eq!(ends, ["denied", "denied", "ok"], "{:#}", outcome.summary);
    let script = format!("echo {PLANTED} > {hook}; mv {aside} x; true");
    let (house, _outcome, told) = again(scene.house, shell(&script));
    assert_eq!(house.read(hook), "made\n", "{told}");
    // No link leads there under a name of its own, by way of another one either.
    let script = "ln -s set-aside-*-git tools; ln -s tools more; ln -s sub plain; mkdir sub";
    let (house, _outcome, told) = again(house, shell(script));
    assert!(
        !house.has("tools") && !house.has("more") && house.has("plain"),
        "{told}"
    );
    // The user gives it its name back.
    let work = house.work();
    fs::rename(work.join(&aside), work.join(".git")).unwrap();
    assert_eq!(house.read(".git/hooks/pre-commit"), "made\n");
}

#[test]
fn a_program_keeps_nothing_by_names_that_it_takes_beforehand() {
    let script = "for i in $(seq 30); do mkdir set-aside-$(printf %012d $i)-git; done; mkdir -p .git/hooks; \
                  mkdir -p set-aside-000000000001-x/.vscode; mkdir plain; true";
    let (house, _outcome, told) = again(House::new(), shell(script));
    assert!(!house.has(".git") && house.has("plain"), "{told}");
    // It gave this name itself: nobody set it aside.
    assert!(!house.has("set-aside-000000000001-x"), "{told}");
    assert_eq!(told.matches("is now named").count(), 32, "{told}");
}

#[test]
fn a_key_of_the_users_that_is_new_during_a_command_stays_closed() {
    let script = "echo up > ready; read word < go";
    let scene = scene(&[
        ("run_command", json!({"argv": ["sh", "-c", script]})),
        ("read_file", json!({"path": ".netrc"})),
        ("read_file", json!({"path": "set-aside-1-netrc"})),
    ]);
    let work = scene.house.work();
    let (ready, go) = (pipe(&work, "ready"), pipe(&work, "go"));
    let running = scene.house.ask(["run"]).args(OPEN).arg("do it").spawn();
    assert_eq!(fs::read_to_string(ready).unwrap(), "up\n");
    fs::write(work.join(".netrc"), "NEWCANARY").unwrap();
    fs::write(go, "on\n").unwrap();
    let finished = running.finish();
    assert_eq!(scene.house.read(".netrc"), "NEWCANARY");
    let shown = scene.server.chats().last().unwrap().body.to_string();
    assert!(!shown.contains("NEWCANARY"), "{finished:?}");
}

#[test]
fn a_folder_that_others_trust_by_its_name_is_not_replaced() {
    let moved = |from: &str, to: &str| ("move_file", json!({"from": from, "to": to}));
    let house = House::new();
    house.write("app/main.py", "x\n");
    house.write("evil/.vscode/tasks.json", "EVIL\n");
    house.write("old/gone.txt", "x\n");
    house.write("plain/a.txt", "x\n");
    let calls = [
        moved("app", "app.old"),
        moved("evil", "app"),
        ("delete_file", json!({"path": "old/gone.txt"})),
        ("delete_file", json!({"path": "old"})),
        moved("evil", "old"),
        // To a name of its own, and back to the one that it had; one that holds nothing of the kind.
        moved("evil", "good"),
        moved("good", "evil"),
        moved("plain", "app"),
        moved("app", "plain"),
        moved("app.old", "app"),
    ];
    let scene = recast(house, &calls);
    let outcome = do_it(&scene, &CHANGES);
    let [o, d] = ["ok", "denied"];
    let ends = statuses(&outcome);
    assert_eq!(
        ends,
        [o, d, o, o, d, o, o, o, o, o],
        "{:#}",
        outcome.summary
    );
    assert!(scene.house.has("app/main.py") && scene.house.has("evil/.vscode/tasks.json"));
}

#[test]
fn a_link_takes_no_name_that_others_trust() {
    let house = House::new();
    let work = house.work();
    house.write("conf/config.toml", PLANTED);
    house.write("conf/gitconfig", PLANTED);
    house.write("shared/gitconfig", "[user]\n\tname = me\n");
    for (name, tasks) in [("mine", MINE), ("theirs", PLANTED)] {
        house.write(&format!("{name}/.vscode/tasks.json"), tasks);
    }
    symlink("conf", work.join("latest")).unwrap();
    symlink("theirs", work.join("current")).unwrap();
    house.write("bundle/file", MINE);
    symlink("../conf", work.join("bundle/cargo")).unwrap();
    let git = |args: &[&str]| {
        let git = Command::new("git").arg("-C").arg(&work).args(args).status();
        assert!(git.unwrap().success());
    };
    git(&["init", "-q"]);
    git(&["config", "include.path", "../shared/gitconfig"]);
    let go = |from: &str, to: &str| ("move_file", json!({"from": from, "to": to}));
    let moves = [
        // A name on the way to a place that is run later.
        (go("latest", ".cargo"), "denied"),
        (go("bundle/cargo", "bundle/.github"), "denied"),
        // The name of a folder in which git's configuration names a file.
        (go("shared", "old"), "ok"),
        (go("latest", "shared"), "denied"),
        // The name of a project that an editor trusts.
        (go("mine", "before"), "ok"),
        (go("current", "mine"), "denied"),
        // Plain names are free, by themselves and with their folder.
        (go("latest", "newest"), "ok"),
        (go("bundle", "parcel"), "ok"),
    ];
    let (calls, wanted): (Vec<_>, Vec<_>) = moves.into_iter().unzip();
    let scene = recast(house, &calls);
    let outcome = do_it(&scene, &OPEN);
    let told = results(&scene, &outcome);
    assert_eq!(statuses(&outcome), wanted, "{told:#?}");
    assert!(!scene.house.has(".cargo") && !scene.house.has("shared"));
    assert!(scene.house.has("newest") && scene.house.has("parcel/cargo"));
}

#[test]
fn a_folder_named_like_a_key_hides_no_repository() {
    let script = "mkdir -p id_rsa/src/.git/hooks; echo planted > id_rsa/src/.git/hooks/pre-commit; \
                  ln -s id_rsa/src src; echo mine > id_ed25519";
    let (house, _outcome, told) = again(House::new(), shell(script));
    assert!(!house.has("id_rsa"), "{told}");
    let aside = house.set_aside("", "keys");
    // By a name that nobody knows as a key's, keys are not shown either. A key keeps its name.
    let hook = format!("{aside}/src/.git/hooks/pre-commit");
    assert_eq!(house.read(&hook), "planted\n");
    assert!(house.has("id_ed25519"), "{told}");
    let scene = recast(house, &[("read_file", json!({"path": hook}))]);
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(statuses(&outcome), ["denied"], "{:#}", outcome.summary);
}
