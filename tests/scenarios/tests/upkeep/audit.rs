//! The audit log through the shipped program: a disk that is full stops the tools and says why, a
//! restart recovers, and `carl audit` answers what users ask of it.

use scenarios::Scene;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use testkit::flags::WRITES;
use testkit::{House, Reply};

/// A model that writes so many files, one a reply.
fn writer(files: usize) -> Scene {
    let calls = (0..files).map(|n| {
        let name = format!("f{n}.txt");
        Reply::call(
            "write_file",
            json!({"path": name, "content": "x", "mode": "create"}),
        )
    });
    Scene::new(calls.chain([Reply::text("Done.")]))
}

fn segments(house: &House) -> Vec<PathBuf> {
    let entries = fs::read_dir(house.state().join("audit")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let mut found: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "seg"))
        .collect();
    found.sort();
    found
}

fn verified(house: &House, args: &[&str], exit: i32) -> Value {
    let told = house
        .ask(["audit", "verify", "--json"])
        .args(args.iter().copied())
        .run();
    told.expect(exit).json()
}

#[test]
fn when_the_log_cannot_be_written_tools_stop_the_message_says_why_and_a_restart_recovers() {
    let scene = writer(12);
    // A history that is larger than any other file of the run, so that the limit meets it alone.
    for _ in 0..6 {
        scene
            .house
            .ask(["run", "--mode", "deterministic", "list files"])
            .run()
            .expect(0);
    }
    let kept = scene.house.audit().len();
    let size = fs::metadata(segments(&scene.house).pop().unwrap())
        .unwrap()
        .len();
    let run = scene
        .house
        .ask(["run", "--json"])
        .args(WRITES)
        .args(["do it"]);
    let finished = run.file_limit((size + 8_000) / 512).run();
    let said = format!("{}{}", finished.stdout, finished.stderr);
    assert_ne!(finished.code, Some(0), "{said}");
    assert!(said.contains("audit log"), "{said}");
    assert!(
        !said.contains(" ERROR "),
        "a line of the process log: {said}"
    );
    assert!(
        said.contains("File too large"),
        "the cause is not named: {said}"
    );
    let done = (0..12)
        .filter(|n| scene.house.has(&format!("f{n}.txt")))
        .count();
    assert!(done < 12, "every tool ran: {said}");

    // What is on record is whole, and every file that was written has its intent there.
    let records = scene.house.audit();
    assert!(records.len() > kept);
    let intents = records
        .iter()
        .filter(|r| r["action"] == "intent" && r["tool"] == "write_file");
    assert!(intents.count() >= done);

    let after = scene
        .house
        .ask(["run", "--mode", "deterministic", "list files"])
        .run();
    after.expect(0);
    let report = verified(&scene.house, &[], 0);
    assert_eq!(report["integrity"], true, "{report:#}");
    assert!(scene.house.audit().len() > records.len());
}

#[test]
fn an_anchor_kept_elsewhere_shows_a_cut_tail_and_a_deleted_log() {
    let house = House::new();
    for _ in 0..2 {
        house
            .ask(["run", "--mode", "deterministic", "list files"])
            .run()
            .expect(0);
    }
    let anchor = house.ask(["audit", "anchor"]).run().expect(0).stdout;
    let key = house
        .ask(["audit", "anchor", "--key"])
        .run()
        .expect(0)
        .stdout;
    // Kept as `>>` leaves them: the newest counts, and an older one beside it does no harm.
    let later = house.ask(["audit", "anchor"]).run().expect(0).stdout;
    let file = house.write("anchor.txt", format!("{anchor}{later}"));
    let against = ["--anchor", file.to_str().unwrap(), "--key", key.trim()];
    let whole = verified(&house, &against, 0);
    assert_eq!(
        (&whole["integrity"], &whole["completeness"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(whole["records_after_anchor"], 0);
    assert_eq!(whole["anchored_records"], whole["records"]);

    let segment = segments(&house).pop().unwrap();
    let last = house.audit().pop().unwrap();
    let shown = house
        .ask(["audit", "show", &last["sequence"].to_string()])
        .run()
        .expect(0);
    let offset: u64 = shown
        .stdout
        .rsplit_once("at byte ")
        .unwrap()
        .1
        .trim()
        .parse()
        .unwrap();
    fs::OpenOptions::new()
        .write(true)
        .open(&segment)
        .unwrap()
        .set_len(offset)
        .unwrap();
    fs::remove_file(house.state().join("audit/checkpoints")).unwrap();
    let blind = verified(&house, &[], 0);
    assert_eq!(
        (&blind["integrity"], &blind["completeness"]),
        (&json!(true), &Value::Null)
    );
    let words = house.ask(["audit", "verify"]).run().expect(0).stdout;
    assert!(
        words.contains("Without an anchor this cannot be seen"),
        "{words}"
    );
    let cut = verified(&house, &against, 3);
    assert_eq!(cut["anchor"]["says"], "missing", "{cut:#}");

    fs::remove_dir_all(house.state().join("audit")).unwrap();
    assert_eq!(verified(&house, &against, 3)["completeness"], false);
}

#[test]
fn a_changed_record_is_named_and_stops_the_next_start_until_the_log_is_set_aside() {
    let house = House::new();
    let run = || {
        house
            .ask(["run", "--mode", "deterministic", "list files"])
            .run()
    };
    run().expect(0);
    // As a crash leaves it: without the mark the next start reads the whole segment.
    fs::remove_file(house.state().join("audit/mark")).unwrap();
    let segment = segments(&house).pop().unwrap();
    let text = fs::read(&segment).unwrap();
    let word = b"list_files";
    let at = text
        .windows(word.len())
        .position(|window| window == word)
        .unwrap();
    let mut forged = text.clone();
    forged[at..at + word.len()].copy_from_slice(b"lost_files");
    fs::write(&segment, forged).unwrap();
    let report = verified(&house, &[], 4);
    assert_eq!(report["integrity"], false);
    let record = report["problem"]["record"].as_u64().unwrap();
    let refused = run();
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert_ne!(refused.code, Some(0));
    assert!(said.contains(&format!("record {record} at byte")), "{said}");
    assert!(said.contains("carl audit archive"), "{said}");
    // What stands before the damage is shown all the same.
    let newest = house.ask(["audit", "tail", "--json"]).run().expect(4);
    let shown = newest.stdout.lines().count();
    assert_eq!(shown as u64, (record - 1).min(20), "{newest:?}");
    assert!(newest.stderr.contains("audit.damaged"), "{newest:?}");
    let told = house
        .ask(["audit", "archive", "--yes"])
        .run()
        .expect(0)
        .stdout;
    let aside = told
        .split("--folder ")
        .nth(1)
        .unwrap()
        .split('`')
        .next()
        .unwrap();
    run().expect(0);
    assert_eq!(verified(&house, &[], 0)["integrity"], true);
    assert_eq!(
        verified(&house, &["--folder", aside], 4)["problem"]["record"],
        record
    );
    // The log in use is whole: nobody is told to set it aside for what a copy lacks.
    for command in ["tail", "query", "export"] {
        let copy = house.ask(["audit", command, "--folder", aside]).run();
        let said = copy.expect(4).stderr;
        let verify = format!("`carl audit verify --folder {aside}`");
        assert!(said.contains(&verify), "{said}");
        assert!(!said.contains("archive`"), "{said}");
    }
}

#[test]
fn a_log_whose_segments_were_deleted_is_missed_and_stops_the_next_start_until_it_is_set_aside() {
    let house = House::new();
    let run = || {
        house
            .ask(["run", "--mode", "deterministic", "list files"])
            .run()
    };
    assert_eq!(verified(&house, &[], 0)["integrity"], Value::Null);
    run().expect(0);
    let records = house.audit().len();
    for segment in segments(&house) {
        fs::remove_file(segment).unwrap();
    }
    let gone = verified(&house, &[], 3);
    assert_eq!(
        (&gone["completeness"], &gone["integrity"]),
        (&json!(false), &Value::Null),
        "{gone:#}"
    );
    let words = house.ask(["audit", "verify"]).run().expect(3).stdout;
    let missing = format!("MISSING: its own checkpoints cover {records} records, none is there");
    assert!(words.contains(&missing), "{words}");

    let refused = run();
    let said = format!("{}{}", refused.stdout, refused.stderr);
    assert_ne!(refused.code, Some(0));
    assert!(said.contains("every segment"), "{said}");
    assert!(said.contains("carl audit archive"), "{said}");
    assert!(
        segments(&house).is_empty(),
        "a log began in the old one's folder"
    );
    for command in ["tail", "anchor"] {
        house.ask(["audit", command]).run().expect(4);
    }

    let told = house
        .ask(["audit", "archive", "--yes"])
        .run()
        .expect(0)
        .stdout;
    let (_, aside) = told.split_once("--folder ").unwrap();
    let (aside, _) = aside.split_once('`').unwrap();
    verified(&house, &["--folder", aside], 3);
    run().expect(0);
    assert_eq!(verified(&house, &[], 0)["integrity"], true);
}

#[test]
fn queries_find_by_session_tool_action_decision_and_time() {
    let house = House::new();
    for _ in 0..2 {
        house
            .ask(["run", "--mode", "deterministic", "list files"])
            .run()
            .expect(0);
    }
    let all = house.audit();
    let session = all
        .iter()
        .find_map(|record| record["session_id"].as_str())
        .unwrap();
    let count = |args: &[&str]| {
        let told = house
            .ask(["audit", "query", "--json"])
            .args(args.iter().copied())
            .run();
        told.expect(0).json_lines().len()
    };
    let of = |field: &str, value: &str| all.iter().filter(|record| record[field] == value).count();
    assert_eq!(count(&["--session", session]), of("session_id", session));
    assert_eq!(
        count(&["--session", &session[..13]]),
        of("session_id", session)
    );
    assert_eq!(count(&["--tool", "list_files"]), of("tool", "list_files"));
    assert_eq!(count(&["--action", "intent"]), of("action", "intent"));
    assert_eq!(count(&["--decision", "allow"]), of("verdict", "allow"));
    assert_eq!(
        count(&["--agent", "assistant"]),
        of("agent_type", "assistant")
    );
    assert_eq!(count(&["--since", "1h"]), all.len());
    assert_eq!(count(&["--until", "1h"]), 0);
    let csv = house
        .ask(["audit", "export", "--form", "csv"])
        .run()
        .expect(0)
        .stdout;
    assert_eq!(csv.lines().count(), all.len() + 1);
    let heading = csv.lines().next().unwrap();
    for column in ["lineage", "label", "model", "prompt_tokens", "previous"] {
        assert!(heading.split(',').any(|name| name == column), "{heading}");
    }
    let none = house
        .ask(["audit", "query", "--tool", "move_path"])
        .run()
        .expect(0);
    assert_eq!(none.stdout, "");
    assert!(none.stderr.contains("No record fits"), "{}", none.stderr);
    house
        .ask(["audit", "query", "--since", "1h", "--until", "2h"])
        .run()
        .expect(2);
    house
        .ask(["audit", "query", "--since", "yesterday"])
        .run()
        .expect(2);
    house
        .ask(["audit", "query", "--action", "nonsense"])
        .run()
        .expect(2);
}

#[test]
fn a_plan_that_nobody_could_approve_is_found_among_the_nos() {
    let house = House::new();
    house.write("a.txt", "x\n");
    let denied = || {
        let query = ["audit", "query", "--decision", "deny", "--json"];
        house.ask(query).run().expect(0).stdout.lines().count()
    };
    let run = ["run", "--mode", "deterministic", "--allow-write", "."];
    // What would fail is forbidden by nobody.
    house.ask(run).arg("delete b.txt").run().expect(4);
    assert_eq!(denied(), 0);
    house.ask(run).arg("delete a.txt").run().expect(5);
    assert_eq!(denied(), 1);
}

#[test]
fn a_folder_that_is_none_is_a_mistake_and_not_a_log_without_records() {
    let house = House::new();
    for command in ["verify", "tail", "query", "export"] {
        house
            .ask(["audit", command, "--folder", "/nonexistent"])
            .run()
            .expect(2);
        let empty = house.work().display().to_string();
        let said = house.ask(["audit", command, "--folder", &empty]).run();
        assert!(said.expect(2).stderr.contains("no log"), "{command}");
    }
}

/// As every command that takes a session does.
#[test]
fn a_session_of_the_record_is_named_by_last_or_an_end_of_its_id() {
    let house = House::new();
    let task = ["run", "--json", "--mode", "deterministic", "list files"];
    let run = || {
        let summary = house.ask(task).run().expect(0).json();
        summary["session_id"].as_str().unwrap().to_owned()
    };
    let (first, newest) = (run(), run());
    let sessions = |command: &[&str], part: &str| {
        let told = house.ask(command.iter().copied()).args(["--session", part]);
        let mut found: Vec<String> = told
            .run()
            .expect(0)
            .json_lines()
            .iter()
            .filter_map(|record| record["session_id"].as_str().map(str::to_owned))
            .collect();
        found.dedup();
        found
    };
    let end = &first[first.len() - 8..];
    for command in [
        &["audit", "query", "--json"][..],
        &["audit", "tail", "--json"],
        &["audit", "export"],
    ] {
        for (part, meant) in [("last", &newest), (end, &first), (first.as_str(), &first)] {
            let found = sessions(command, part);
            assert_eq!(found, std::slice::from_ref(meant), "{command:?} {part}");
        }
    }
    // The log of a session may be gone; its records are not.
    let log = house.state().join(format!("sessions/{first}.jsonl"));
    fs::remove_file(log).unwrap();
    let found = sessions(&["audit", "query", "--json"], end);
    assert_eq!(found, std::slice::from_ref(&first));
    let empty = house.ask(["audit", "query", "--session", ""]).run();
    assert!(empty.expect(2).stderr.contains("the session's id is empty"));
}

#[test]
fn a_log_is_set_aside_only_after_a_yes() {
    let house = House::new();
    let listed = ["run", "--mode", "deterministic", "list files"];
    house.ask(listed).run().expect(0);
    let archive = || house.ask(["audit", "archive"]);
    let unasked = archive().run().expect(2).stderr;
    assert!(unasked.contains("Add --yes"), "{unasked}");
    let kept = archive().typing(&["[y/N] "], |_, _| "n".to_owned());
    assert_eq!(kept.finished.code, Some(5), "{kept:#?}");
    let asked = &kept.questions[0];
    for told in ["What is lost: its private key", "What stays: its records"] {
        assert!(asked.contains(told), "{asked}");
    }
    assert!(!segments(&house).is_empty());
    // The key is still there: a checkpoint can be signed.
    house.ask(["audit", "anchor"]).run().expect(0);
    let gone = archive().typing(&["[y/N] "], |_, _| "y".to_owned());
    assert_eq!(gone.finished.code, Some(0), "{gone:#?}");
    assert!(!house.state().join("audit").exists());
}

#[test]
fn a_log_that_was_removed_under_its_writer_stops_the_tools() {
    type Harm = fn(&Path);
    let harms: [(Harm, &str); 3] = [
        (
            |log| fs::remove_dir_all(log).unwrap(),
            "was moved or removed",
        ),
        (
            |log| fs::rename(log, log.with_file_name("elsewhere")).unwrap(),
            "was moved or removed",
        ),
        (
            |log| {
                let segment = log.join(first_segment(log));
                let file = fs::OpenOptions::new().write(true).open(segment).unwrap();
                file.set_len(file.metadata().unwrap().len() - 1).unwrap();
            },
            "has another length than was written",
        ),
    ];
    for (harm, told) in harms {
        let scene = writer(2);
        let mut server = scene.house.ask(["serve"]).spawn();
        server.until("serving at");
        let run = |task: &str| scene.house.ask(["run", task]).args(WRITES).run();
        harm(&scene.house.state().join("audit"));
        let refused = run("write a file");
        assert!(!scene.house.has("f0.txt"), "{told}: {refused:#?}");
        assert!(refused.stderr.contains(told), "{refused:#?}");
        server.kill();
    }
}

fn first_segment(log: &Path) -> PathBuf {
    let names = fs::read_dir(log)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut segments = names.filter(|name| name.extension().is_some_and(|e| e == "seg"));
    segments.next().unwrap()
}
