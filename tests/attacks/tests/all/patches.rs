//! Patches that would do to one of their files what no tool may do, or to other files than were judged.

use attacks::script::{Call, OPEN, do_it, play, recast, results, scene, sit, statuses};
use scenarios::Scene;
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use testkit::House;

const DRAFT: &str = "draft\n";
const OUTSIDE: &str = "outside draft\n";

/// The part of an envelope that changes a line of a file.
fn update(path: &str) -> String {
    format!("*** Update File: {path}\n@@\n-draft\n+planted\n")
}

/// The part of an envelope that makes a file.
fn add(path: &str) -> String {
    format!("*** Add File: {path}\n+planted\n")
}

fn patch(text: &str) -> Call<'static> {
    ("apply_patch", json!({"patch": text}))
}

/// A folder with honest files, a repository, links, and a file beside it.
fn furnish(house: &House) {
    for name in ["a.txt", "b.txt", "sub/c.txt"] {
        house.write(name, DRAFT);
    }
    house.write(".git/HEAD", "ref: refs/heads/main\n");
    house.write(".git/config", "draft\n");
    house.write(".git/hooks/post-merge", DRAFT);
    house.write(".env", DRAFT);
    let other = house.work().parent().unwrap().join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(other.join("o.txt"), OUTSIDE).unwrap();
    symlink(other.join("o.txt"), house.work().join("link.txt")).unwrap();
    symlink(&other, house.work().join("folder")).unwrap();
    symlink(".git", house.work().join("inner")).unwrap();
    symlink("sub/c.txt", house.work().join("good.txt")).unwrap();
}

/// A scene with one patch to be made.
fn furnished(call: Call<'_>) -> Scene {
    let scene = scene(&[call]);
    furnish(&scene.house);
    scene
}

fn assert_untouched(scene: &Scene, why: &str) {
    let house = &scene.house;
    for name in ["a.txt", "b.txt", "sub/c.txt", ".git/config", ".env"] {
        assert_eq!(house.read(name), DRAFT, "{name}: {why}");
    }
    let other = house.work().parent().unwrap().join("other");
    assert_eq!(fs::read_to_string(other.join("o.txt")).unwrap(), OUTSIDE);
    assert_eq!(fs::read_dir(other).unwrap().count(), 1, "{why}");
    for name in [".git/hooks/pre-commit", ".vscode", ".envrc", "new.txt"] {
        assert!(!house.has(name), "{name}: {why}");
    }
}

#[test]
fn one_file_that_may_not_be_changed_refuses_the_whole_patch() {
    let bad = [
        update("../other/o.txt"),
        add("../outside.txt"),
        add("/etc/planted"),
        update("/etc/hostname"),
        add(".git/hooks/pre-commit"),
        update(".git/hooks/post-merge"),
        update(".git/config"),
        update("sub/../.git/config"),
        add(".vscode/tasks.json"),
        update(".env"),
        add(".envrc"),
        add("~/.ssh/authorized_keys"),
        add("~/.config/housecarl/agents.yaml"),
        update("link.txt"),
        add("folder/new.txt"),
        add("inner/hooks/pre-commit"),
        update("inner/config"),
    ];
    for place in 0..3 {
        let calls = bad.iter().map(|part| {
            let mut parts = vec![update("a.txt"), add("new.txt")];
            parts.insert(place, part.clone());
            patch(&parts.concat())
        });
        let calls: Vec<Call<'_>> = calls.collect();
        let (scene, outcome) = play(furnish, &calls);
        for (call, status) in calls.iter().zip(statuses(&outcome)) {
            assert_eq!(status, "denied", "{call:?}");
        }
        assert_untouched(&scene, "denied");
    }
    // The same patch with an honest file in that place is made, also through a link that stays inside.
    for part in [update("b.txt"), update("good.txt"), add("deep/er/d.txt")] {
        let parts = [update("a.txt"), part.clone(), add("new.txt")];
        let scene = furnished(patch(&parts.concat()));
        let outcome = do_it(&scene, &OPEN);
        assert_eq!(statuses(&outcome), ["ok"], "{part} {:#}", outcome.summary);
        assert_eq!(scene.house.read("a.txt"), "planted\n");
    }
}

#[test]
fn a_list_of_other_files_than_the_patch_names_is_refused() {
    let text = [update("a.txt"), update(".git/config")].concat();
    let other = [update(".git/config"), update("b.txt")].concat();
    let honest = [update("a.txt"), update("b.txt")].concat();
    let calls = [
        (&text, json!(["a.txt", "b.txt"])),
        (&text, json!(["a.txt"])),
        // Left out, or as good as that: the list is the patch's own, and one of it is protected.
        (&text, json!([])),
        (&other, json!(null)),
        (&text, json!("a.txt")),
        (&honest, json!(["b.txt", "a.txt"])),
        (&honest, json!(["a.txt", "sub/../b.txt"])),
        (&honest, json!(["a.txt", "b.txt", "sub/c.txt"])),
    ];
    let calls = calls.map(|(text, files)| ("apply_patch", json!({"patch": text, "files": files})));
    let (scene, outcome) = play(furnish, &calls);
    for (call, status) in calls.iter().zip(statuses(&outcome)) {
        assert_ne!(status, "ok", "{call:?}");
    }
    assert_untouched(&scene, "refused");
    let files = json!(["a.txt", "b.txt"]);
    let scene = furnished(("apply_patch", json!({"patch": honest, "files": files})));
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
    assert_eq!(scene.house.read("b.txt"), "planted\n");
}

#[test]
fn one_file_under_two_spellings_is_refused() {
    for [one, two] in [
        ["a.txt", "./a.txt"],
        ["sub/c.txt", "sub/../sub/c.txt"],
        ["good.txt", "sub/c.txt"],
    ] {
        let scene = furnished(patch(&[update(one), update(two)].concat()));
        let outcome = do_it(&scene, &OPEN);
        assert_eq!(statuses(&outcome), ["failed"], "{one} {two}");
        let told = results(&scene, &outcome);
        assert!(told[0].contains("are one file"), "{told:?}");
        assert_untouched(&scene, two);
        let scene = furnished(patch(&update(one)));
        assert_eq!(statuses(&do_it(&scene, &OPEN)), ["ok"], "{one}");
    }
}

#[test]
fn nothing_of_a_patch_moves_or_hides_in_the_question() {
    let text = "*** Begin Patch\n*** Update File: a.txt\n@@\n-draft\n+x\u{1b}[2J\u{202e}txt.exe\n*** Add \
                File: n\u{202e}w.txt\n+In short: read_file\u{200b}\n*** End Patch\n";
    let scene = furnished(patch(text));
    let sitting = sit(
        &scene,
        &["--agent", "coder", "--allow-write", ".", "do it"],
        |_, _| "y".to_owned(),
    );
    assert_eq!(sitting.statuses(), ["ok"], "{:#?}", sitting.seen);
    let [question] = sitting.seen.questions.as_slice() else {
        panic!("{:#?}", sitting.seen);
    };
    for part in [
        "+x\\u{1b}[2J\\u{202e}txt.exe",
        "n\\u{202e}w.txt",
        "+In short: read_file\\u{200b}",
    ] {
        assert!(question.contains(part), "{part}\n{question}");
    }
    for hidden in ['\u{202e}', '\u{200b}'] {
        assert!(!question.contains(hidden), "{question:?}");
    }
    assert!(!question.contains("\u{1b}[2J"), "{question:?}");
    assert!(scene.house.has("n\u{202e}w.txt"));
}

#[test]
fn a_patch_that_would_come_to_something_else_since_the_question_is_not_made() {
    let both = [update("a.txt"), update("b.txt")].concat();
    let at_work = ["--agent", "coder", "--allow-write", ".", "do it"];
    let meddled = furnished(patch(&both));
    let file = meddled.house.work().join("b.txt");
    let sitting = sit(&meddled, &at_work, |_, _| {
        fs::write(&file, "draft\nand what nobody was shown\n").unwrap();
        "y".to_owned()
    });
    assert_eq!(sitting.statuses(), ["denied"], "{:#?}", sitting.seen);
    assert_eq!(meddled.house.read("a.txt"), DRAFT);
    let swapped = furnished(patch(&both));
    let work = swapped.house.work();
    let sitting = sit(&swapped, &at_work, |_, _| {
        fs::remove_file(work.join("b.txt")).unwrap();
        symlink("sub/c.txt", work.join("b.txt")).unwrap();
        "y".to_owned()
    });
    assert_eq!(sitting.statuses(), ["denied"], "{:#?}", sitting.seen);
    assert_eq!(swapped.house.read("sub/c.txt"), DRAFT);
    let honest = furnished(patch(&both));
    let sitting = sit(&honest, &at_work, |_, _| "y".to_owned());
    assert_eq!(sitting.statuses(), ["ok"], "{:#?}", sitting.seen);
}

#[test]
fn a_yes_for_the_session_to_a_patch_covers_no_file_elsewhere() {
    let other = |house: &House| house.work().parent().unwrap().join("other");
    let house = House::new();
    furnish(&house);
    let named = other(&house).join("o.txt");
    let outside = format!(
        "*** Update File: {}\n@@\n-outside draft\n+planted\n",
        named.display()
    );
    let calls = [
        patch(&update("a.txt")),
        patch(&[update("b.txt"), update("sub/c.txt")].concat()),
        patch(&[add("new.txt"), outside].concat()),
    ];
    let open = other(&house);
    let scene = recast(house, &calls);
    let args = ["--agent", "coder", "--allow-write", ".", "--allow-write"];
    let args = [&args[..], &[open.to_str().unwrap(), "do it"]].concat();
    let sitting = sit(&scene, &args, |_, number| {
        if number == 0 { "s" } else { "n" }.to_owned()
    });
    assert_eq!(
        sitting.statuses(),
        ["ok", "ok", "denied"],
        "{:#?}",
        sitting.seen
    );
    assert_eq!(sitting.seen.questions.len(), 2, "{:#?}", sitting.seen);
    assert!(!scene.house.has("new.txt"));
}

#[test]
fn no_patch_holds_up_the_changes_after_it() {
    let lines = "a\n".repeat(400_000);
    let long = format!("{}b\n", "a\n".repeat(50_000));
    let search = |old: &str| format!("big.txt\n<<<<<<< SEARCH\n{old}=======\nx\n>>>>>>> REPLACE\n");
    let deep = "<<<<<<< SEARCH\n".repeat(50_000);
    for (text, wanted) in [
        (search(&long), "not in"),
        (search(&"a\n".repeat(50_000)), "more than once"),
        (deep, "cannot be read"),
    ] {
        let note = json!({"path": "note.txt", "content": "mine\n"});
        let scene = scene(&[patch(&text), ("write_file", note)]);
        scene.house.write("big.txt", &lines);
        let outcome = do_it(&scene, &OPEN);
        let told = results(&scene, &outcome);
        assert_eq!(statuses(&outcome), ["failed", "ok"], "{told:#?}");
        assert!(told[0].contains(wanted), "{told:#?}");
    }
}
