//! `kill -9` in the middle of a turn: nothing that was shown is lost, and the session goes on.

use scenarios::Scene;
use serde_json::{Value, json};
use std::hint::spin_loop;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};
use testkit::flags::{CHANGES, WRITES};
use testkit::{Gate, House, Reply, Server, limit_files};

const ROUNDS: u64 = 50;

/// A small generator of numbers, so that a failing round can be run again.
fn scatter(seed: u64) -> u64 {
    let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A model that writes a file, reads another, talks, and so on for some steps.
fn busy_model() -> Server {
    Server::speak(|_, count| match count % 4 {
        0 => Reply::thinking("hm").and_text("Writing. ").and_call(
            "write_file",
            json!({"path": format!("made-{count}.txt"), "content": "x".repeat(2_000)}),
        ),
        1 => Reply::call("read_file", json!({"path": "notes.md"}))
            .and_call("list_files", json!({"path": "."})),
        2 => Reply::text("A thought. ").and_call("glob", json!({"pattern": format!("*{count}*")})),
        _ => Reply::text("Done."),
    })
    .in_pieces_of(37)
    .openai()
}

/// Runs until the wanted number of events was shown, waits a moment, and kills. Returns the events
/// that were shown.
fn killed_run(scene: &Scene, lines: u64, moment: Duration) -> Vec<Value> {
    let args = [
        "run",
        "--events",
        "--allow-write",
        ".",
        "--yes",
        "write",
        "work",
    ];
    let mut running = scene.house.ask(args).spawn();
    for _ in 0..lines {
        if running.line().is_none() {
            break;
        }
    }
    let until = Instant::now() + moment;
    while Instant::now() < until {
        spin_loop();
    }
    let finished = running.kill();
    // A line without its end was not delivered.
    let complete = finished
        .stdout
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'));
    complete
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn session_events(scene: &Scene, id: &str) -> Vec<Value> {
    scene
        .house
        .ask(["session", "show", id, "--events"])
        .run()
        .expect(0)
        .json_lines()
}

#[test]
fn fifty_kills_lose_nothing_that_was_shown() {
    let mut killed_midway = 0;
    for round in 0..ROUNDS {
        let scene = Scene::with(busy_model(), "openai");
        scene.house.write("notes.md", "hello");
        let draw = scatter(round);
        let moment = Duration::from_micros(scatter(draw) % 3_000);
        let shown = killed_run(&scene, 1 + draw % 40, moment);
        let Some(first) = shown.first() else {
            continue;
        };
        let id = first["session_id"].as_str().unwrap().to_owned();
        if shown.last().unwrap()["type"] != "query_finished" {
            killed_midway += 1;
        }
        let kept = session_events(&scene, &id);
        for event in &shown {
            let seq = usize::try_from(event["seq"].as_u64().unwrap()).unwrap();
            assert_eq!(
                kept.get(seq - 1),
                Some(event),
                "round {round}: event {seq} is lost"
            );
        }
        let args = ["run", "--json", "--session-id", &id];
        let open = ["--allow-write", ".", "--yes", "write", "go on"];
        let resumed = scene.house.ask(args).args(open).run();
        assert!(
            resumed.code.is_some_and(|code| [0, 3].contains(&code)),
            "round {round}: {resumed:#?}"
        );
        let after = session_events(&scene, &id);
        assert_eq!(
            after[..kept.len()],
            kept[..],
            "round {round}: the past changed"
        );
        for (index, event) in after.iter().enumerate() {
            assert_eq!(event["seq"], json!(index + 1), "round {round}: a gap");
        }
        assert!(after.len() > kept.len());
    }
    assert!(killed_midway > 0, "no kill met a turn at work");
}

#[test]
fn a_killed_request_is_shown_without_an_end() {
    let scene = Scene::with(busy_model(), "openai");
    scene.house.write("notes.md", "hello");
    killed_run(&scene, 3, Duration::ZERO);
    // Without a name it is the newest session of the folder.
    let shown = scene.house.ask(["session", "show"]).run().expect(0);
    assert!(shown.stdout.contains("no end on record"), "{shown:?}");
}

#[test]
fn a_file_is_whole_or_absent_after_a_kill() {
    for round in 0..20 {
        let scene = Scene::with(busy_model(), "openai");
        let draw = scatter(1_000 + round);
        killed_run(&scene, 3 + draw % 12, Duration::from_micros(draw % 4_000));
        if scene.house.has("made-0.txt") {
            assert_eq!(scene.house.read("made-0.txt").len(), 2_000, "round {round}");
        }
        let names = std::fs::read_dir(scene.house.work()).unwrap();
        for name in names {
            let name = name.unwrap().file_name().into_string().unwrap();
            // A temporary file may be left by the kill, but never under a name of its own making.
            assert!(
                name.starts_with("made-") || name.starts_with('.'),
                "round {round}: {name}"
            );
        }
    }
}

/// As on a full disk: a command that waited for the end of its own request would wait for ever.
#[test]
fn a_run_whose_end_cannot_be_put_on_record_ends() {
    // In the middle of it, and at its end.
    for blocks in [6, 8] {
        let house = House::new();
        let run = house.ask(["run", "--mode", "deterministic", "list files"]);
        let told = run.file_limit(blocks).run().expect(4).stderr;
        assert!(told.contains("[sessions.unwritable]"), "{told}");
        assert_eq!(told.matches("cannot be written").count(), 1, "{told}");
        assert!(!told.contains("auto mode"), "{told}");
        assert!(!told.contains("waited for here"), "{told}");
    }
}

/// Nobody is told the end of the request, which lists its files.
#[test]
fn a_full_disk_names_what_was_changed_all_the_same() {
    let gate = Gate::new();
    let write = json!({"path": "a.txt", "content": "x\n"});
    let done = Reply::text("Well. ").and_wait(&gate).and_text("Done.");
    let replies = [Reply::call("write_file", write), done];
    let scene = Scene::forgetful(Server::openai(replies));
    let run = scene.house.ask(["run"]).args(WRITES).arg("do it");
    let running = run.spawn();
    scene.server.wait_for_chats(2);
    let log = &scene.house.session_logs()[0];
    limit_files(running.pid(), Some(std::fs::metadata(log).unwrap().len()));
    gate.open();
    let told = running.finish().expect(4).stderr;
    let file = scene.house.work().join("a.txt");
    let named = format!("Changed before that: {}", file.display());
    assert!(told.contains("[sessions.unwritable]"), "{told}");
    assert!(told.contains(&named), "{told}");
    let (_, way) = told.split_once("`carl undo ").unwrap();
    let (id, _) = way.split_once('`').unwrap();
    let undo = ["undo", "--yes", "write", id];
    scene.house.ask(undo).run().expect(0);
    assert!(!scene.house.has("a.txt"));
}

/// Without room for its last event the log counts a request as open, which must hold up no later one.
#[test]
fn a_request_whose_end_was_not_logged_holds_up_no_other() {
    let (begun, full) = (Gate::new(), Gate::new());
    let mut long = Reply::text("Begun it. ").and_wait(&begun);
    for piece in ["one. ", "two. ", "three. ", "four. "] {
        long = long.and_text(piece);
    }
    let replies = [
        long.and_wait(&full),
        Reply::text("Yes."),
        Reply::text("No."),
    ];
    let scene = Scene::forgetful(Server::openai(replies));
    let chat = scene.house.ask(["chat"]).env("TERM", "xterm");
    let mut seat = chat.env("CARL_LOG", "agents=warn").seated();
    seat.until("> ");
    seat.types("count for me\n");
    seat.until("Begun ");
    let logged = std::fs::metadata(&scene.house.session_logs()[0]).unwrap();
    limit_files(seat.pid(), Some(logged.len()));
    begun.open();
    seat.until("the last event of a request could not be logged");
    limit_files(seat.pid(), None);
    for (line, answer) in [("is it done?", "Yes."), ("and now?", "No.")] {
        seat.types(&format!("{line}\n"));
        seat.until(answer);
        let asked = scene.server.chats().pop().unwrap().body;
        let newest = asked["messages"].as_array().unwrap().last().unwrap();
        assert_eq!(newest["role"], "user", "{newest}");
        assert!(newest["content"].to_string().contains(line), "{newest}");
    }
    seat.leaves();
}

/// In a program that loads it, no file whose path holds `$SYNC_FAILS_IN` can be made durable.
const FAILING_SYNC: &str = r#"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int fdatasync(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    const char *part = getenv("SYNC_FAILS_IN");
    if (length > 0 && part) {
        path[length] = 0;
        if (strstr(path, part)) {
            errno = EIO;
            return -1;
        }
    }
    return fsync(fd);
}
"#;

fn failing_sync(house: &House) -> PathBuf {
    let source = house.home().join("sync.c");
    let library = house.home().join("sync.so");
    std::fs::write(&source, FAILING_SYNC).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]);
    let made = compiler.arg(&library).arg(&source).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    library
}

/// A disk that takes what is written and says that it could not keep it.
#[test]
fn a_sync_that_fails_stops_the_work_and_is_told_plainly() {
    for (folder, code) in [
        ("/sessions/", "[sessions.unwritable]"),
        ("/audit/", "[audit.poisoned]"),
    ] {
        // What cannot be taken back waits for the disk; what can may be done before it is known to fail.
        let delete = json!({"path": "a.txt"});
        let scene = Scene::new([Reply::call("delete_file", delete), Reply::text("Done.")]);
        scene.house.write("a.txt", "kept\n");
        let run = || scene.house.ask(["run"]).args(CHANGES).args(["do it"]);
        let library = failing_sync(&scene.house);
        let failing = run().env("LD_PRELOAD", library.to_string_lossy().as_ref());
        let finished = failing.env("SYNC_FAILS_IN", folder).run();
        let told = &finished.stderr;
        assert_ne!(finished.code, Some(0), "{finished:#?}");
        assert!(told.contains(code), "{told}");
        assert!(told.contains("Input/output error"), "{told}");
        assert!(scene.house.has("a.txt"), "{folder}: {told}");
        // No line of the process log stands among what is meant for the user.
        assert!(!told.contains(" ERROR "), "{told}");
        // The request's error, and the one of the log's own end.
        let errors = told.lines().filter(|it| it.starts_with("error:")).count();
        assert!((1..=2).contains(&errors), "{told}");
        // With a disk that keeps what it takes the next one works, and both logs are whole.
        let list = ["run", "--mode", "deterministic", "list files"];
        scene.house.ask(list).run().expect(0);
        scene.house.ask(["audit", "verify"]).run().expect(0);
        scene.house.ask(["session", "show", "last"]).run().expect(0);
    }
}
