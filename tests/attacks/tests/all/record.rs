//! The record of what was decided and done: nothing secret stands in it, and nothing is done without
//! it.

use attacks::script::{Call, OPEN, do_it, play, recast, scene, statuses};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use testkit::House;

fn write(path: &str, text: &str) -> Call<'static> {
    let arguments = json!({"path": path, "content": text, "mode": "overwrite"});
    ("write_file", arguments)
}

/// A house with a record of two writes, and the file it stands in.
fn recorded() -> (House, PathBuf) {
    let (scene, outcome) = play(|_| {}, &[write("a.txt", "1"), write("b.txt", "2")]);
    assert_eq!(statuses(&outcome), ["ok", "ok"]);
    let file = file_of(&scene.house);
    (scene.house, file)
}

fn file_of(house: &House) -> PathBuf {
    let mut waiting = vec![house.state().join("audit")];
    while let Some(folder) = waiting.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|e| e == "seg") {
                return path;
            }
        }
    }
    panic!("there is no record")
}

/// Whether `carl` still writes after this record: it does when it holds together.
fn goes_on(house: House) -> (bool, String) {
    let scene = recast(house, &[write("later.txt", "x")]);
    let outcome = do_it(&scene, &OPEN);
    (
        scene.house.has("later.txt"),
        format!("{:#}", outcome.summary),
    )
}

#[test]
fn a_torn_last_record_is_cut_off_and_the_record_goes_on() {
    let (house, file) = recorded();
    let before = house.audit().len();
    let mut log = fs::OpenOptions::new().append(true).open(&file).unwrap();
    log.write_all(b"\x40\x00\x00\x00 half a record").unwrap();
    drop(log);
    let scene = recast(house, &[write("later.txt", "x")]);
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(statuses(&outcome), ["ok"], "{:#}", outcome.summary);
    let after = scene.house.audit();
    assert_eq!(after[before]["action"], "recovery", "{:#}", after[before]);
    assert!(after.len() > before + 1);
}

#[test]
fn without_a_record_nothing_is_done() {
    let (house, file) = recorded();
    let (went_on, said) = goes_on(house);
    assert!(went_on, "the control fails: {said}");
    let (house, other) = recorded();
    assert_ne!(file, other);
    let file = other;
    fs::remove_file(&file).unwrap();
    // A folder stands where the record should be, so that none can be written.
    fs::create_dir(&file).unwrap();
    let (went_on, said) = goes_on(house);
    assert!(!went_on, "{said}");
}

#[test]
fn the_record_holds_no_arguments_and_draws_on_no_terminal() {
    let secret = "the-silver-is-under-the-stairs";
    let evil = format!("{secret}\u{1b}]0;PWN\u{7}");
    let calls = [
        write("a.txt", &evil),
        ("read_file", json!({"path": evil})),
        ("no_such\u{1b}[2J_tool", json!({"x": evil})),
    ];
    let (scene, _) = play(|_| {}, &calls);
    assert!(scene.house.read("a.txt").contains(secret));
    let kept = fs::read(file_of(&scene.house)).unwrap();
    let kept = String::from_utf8_lossy(&kept);
    assert!(kept.contains("write_file"), "{kept}");
    assert!(!kept.contains(secret), "{kept}");
    // Frames are binary, so a lone escape byte may stand there; never the sequences.
    assert!(
        !kept.contains("\u{1b}]0") && !kept.contains("\u{1b}[2J"),
        "{kept}"
    );
    let shown = scene.house.ask(["audit", "tail"]).run().expect(0);
    assert!(shown.stdout.contains("write_file"), "{}", shown.stdout);
    assert!(!shown.stdout.contains('\u{1b}') && !shown.stdout.contains(secret));
}

#[test]
fn every_effect_has_an_intent_before_it_and_an_outcome_after_it() {
    let calls = [
        write("a.txt", "1"),
        ("delete_file", json!({"path": "a.txt"})),
        write("b.txt", "2"),
    ];
    let scene = scene(&calls);
    let outcome = do_it(&scene, &OPEN);
    assert_eq!(
        statuses(&outcome),
        ["ok", "denied", "ok"],
        "{:#}",
        outcome.summary
    );
    let actions: Vec<String> = scene
        .audit(&outcome)
        .iter()
        // Memory is asked before every request; that has its own tests.
        .filter(|r| r["tool"] != "search_memory")
        .filter_map(|r| r["action"].as_str().map(str::to_owned))
        .filter(|action| ["intent", "outcome"].contains(&action.as_str()))
        .collect();
    assert_eq!(actions, ["intent", "outcome", "intent", "outcome"]);
}
