//! Undo in a world that has moved on: links that came since, other files under the old names.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use attacks::script::{Call, recast, sit, statuses};
use serde_json::json;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use testkit::House;

const HANDS: [&str; 7] = [
    "--allow-write",
    ".",
    "--yes",
    "write",
    "--yes",
    "destructive",
    "do it",
];
const UNDO: [&str; 5] = ["undo", "--yes", "write", "--yes", "destructive"];

fn write(path: &str, content: &str) -> Call<'static> {
    let arguments = json!({"path": path, "content": content, "mode": "overwrite"});
    ("write_file", arguments)
}

/// A house in which a session made these changes.
fn changed(furnish: impl FnOnce(&House), calls: &[Call<'_>]) -> House {
    let house = House::new();
    furnish(&house);
    let scene = recast(house, calls);
    let outcome = scene.run(&HANDS);
    assert!(
        statuses(&outcome).iter().all(|status| *status == "ok"),
        "{:#}",
        outcome.summary
    );
    scene.house
}

fn put_aside(work: &Path, name: &str, goal: &str) {
    fs::rename(work.join(name), work.join(format!("{name}.old"))).unwrap();
    symlink(goal, work.join(name)).unwrap();
}

#[test]
fn undo_follows_no_link_that_came_since() {
    let deleted = |path: &str| ("delete_file", json!({"path": path}));
    // The change, what became a link, and what that leads to now.
    let cases: [(Call<'_>, &str, &str, &str); 4] = [
        (write("f.txt", "new\n"), "f.txt", "o.txt", "o.txt"),
        (write("d/x.txt", "new\n"), "d", "e", "e/x.txt"),
        (write("d/fresh.txt", "new\n"), "d", "e", "e/fresh.txt"),
        (deleted("d/x.txt"), "d", "g", "g/x.txt"),
    ];
    for (call, name, goal, other) in cases {
        let furnish = |house: &House| {
            house.write("f.txt", "old\n");
            house.write("d/x.txt", "old\n");
            house.write("o.txt", "new\n");
            house.write("e/x.txt", "new\n");
            house.write("e/fresh.txt", "new\n");
            fs::create_dir(house.work().join("g")).unwrap();
        };
        let house = changed(furnish, std::slice::from_ref(&call));
        let before = fs::read_to_string(house.work().join(other)).ok();
        put_aside(&house.work(), name, goal);
        let refused = house.ask(UNDO).run().expect(4);
        let after = fs::read_to_string(house.work().join(other)).ok();
        assert_eq!(after, before, "{call:?}");
        assert!(refused.stderr.contains("through a link"), "{refused:#?}");
        let changed = call.1["path"].as_str().unwrap();
        let skip = format!("carl undo --skip {}", house.work().join(changed).display());
        assert!(refused.stderr.contains(&skip), "{refused:#?}");
        // With the link gone the same undo does its work.
        fs::remove_file(house.work().join(name)).unwrap();
        let old = house.work().join(format!("{name}.old"));
        fs::rename(old, house.work().join(name)).unwrap();
        let _undone = house.ask(UNDO).run().expect(0);
        assert_eq!(house.has(changed), changed != "d/fresh.txt", "{call:?}");
    }
}

#[test]
fn a_change_through_a_link_is_undone_where_it_was_made() {
    let furnish = |house: &House| {
        house.write("Makefile", "all:\n");
        house.write("real/x.txt", "old\n");
        symlink("Makefile", house.work().join("notes.txt")).unwrap();
        symlink("real", house.work().join("name")).unwrap();
    };
    let calls = [
        write("notes.txt", "new\n"),
        write("name/x.txt", "new\n"),
        ("make_dir", json!({"path": "name/a/b"})),
        (
            "move_file",
            json!({"from": "name/x.txt", "to": "name/y.txt"}),
        ),
    ];
    let house = changed(furnish, &calls);
    // Where the links lead by then is of no account.
    for link in ["notes.txt", "name"] {
        fs::remove_file(house.work().join(link)).unwrap();
    }
    symlink("elsewhere", house.work().join("name")).unwrap();
    for _ in &calls {
        let _undone = house.ask(UNDO).run().expect(0);
    }
    assert_eq!(house.read("Makefile"), "all:\n");
    assert_eq!(house.read("real/x.txt"), "old\n");
    assert!(!house.has("real/a") && !house.has("real/y.txt"));
}

#[test]
fn an_agents_undo_asks_about_no_file_behind_a_link() {
    let link = json!({"argv": ["ln", "-sfn", "Makefile", "notes.txt"]});
    let calls = [
        write("notes.txt", "EVIL\n"),
        write("notes.txt", "all:\n"),
        ("run_shell", link),
        ("undo", json!({})),
    ];
    let house = House::new();
    house.write("notes.txt", "old\n");
    house.write("Makefile", "all:\n");
    let scene = recast(house, &calls);
    let args = ["--agent", "sysadmin", "--allow-write", ".", "do it"];
    let sitting = sit(&scene, &args, |_, _| "y".to_owned());
    assert_eq!(sitting.seen.questions.len(), 3, "{:#?}", sitting.seen);
    assert_eq!(sitting.statuses(), ["ok", "ok", "ok", "failed"]);
    assert_eq!(scene.house.read("Makefile"), "all:\n");
}

#[test]
fn a_yes_to_one_undo_covers_no_later_one() {
    let calls = [
        write("thesis.txt", "the user's wish\n"),
        write("a.txt", "x\n"),
        ("undo", json!({})),
        ("undo", json!({})),
    ];
    let house = House::new();
    house.write("thesis.txt", "older\n");
    let scene = recast(house, &calls);
    let answers = ["y", "y", "s", "y", "n"];
    let sitting = sit(&scene, &["--allow-write", ".", "do it"], |_, number| {
        answers[number].to_owned()
    });
    let asked = &sitting.seen.questions;
    // A yes for the session is no answer to it, so that the same is asked once more.
    assert_eq!(asked.len(), 5, "{:#?}", sitting.seen);
    assert_eq!(sitting.statuses(), ["ok", "ok", "ok", "denied"]);
    assert!(!asked[2].contains("A yes for the session"), "{}", asked[2]);
    assert_eq!(scene.house.read("thesis.txt"), "the user's wish\n");
    // The last line names what is changed.
    for (question, file) in [(&asked[2], "a.txt"), (&asked[4], "thesis.txt")] {
        let path = scene.house.work().join(file);
        let line = format!(
            "In short: undo (effect: write): undo write_file of {}",
            path.display()
        );
        assert!(on_one_line(question).contains(&line), "{question}");
    }
    // A yes for the session to a call that names its file goes on as it did.
    let calls = [write("b.txt", "1"), write("b.txt", "2")];
    let scene = recast(scene.house, &calls);
    let sitting = sit(&scene, &["--allow-write", ".", "do it"], |_, _| {
        "s".to_owned()
    });
    assert_eq!(sitting.seen.questions.len(), 1, "{:#?}", sitting.seen);
    assert_eq!(sitting.statuses(), ["ok", "ok"]);
}

/// A question with what a terminal of its width broke put together again.
fn on_one_line(question: &str) -> String {
    question.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_plan_of_undos_names_each_file_at_its_end() {
    let house = changed(|_| {}, &[write("a.txt", "1\n"), write("b.txt", "2\n")]);
    let last = "last";
    let args = [
        "--session-id",
        last,
        "--mode",
        "deterministic",
        "undo; undo",
    ];
    let scene = recast(house, &[]);
    let sitting = sit(&scene, &args, |_, _| "n".to_owned());
    let [question] = sitting.seen.questions.as_slice() else {
        panic!("{:#?}", sitting.seen);
    };
    let question = on_one_line(question);
    let (_, short) = question.rsplit_once("In short: ").unwrap();
    for (number, file) in [(1, "b.txt"), (2, "a.txt")] {
        let path = scene.house.work().join(file);
        let line = format!(
            "{number}. undo (effect: write): undo write_file of {}",
            path.display()
        );
        assert!(short.contains(&line), "{short}");
    }
}
