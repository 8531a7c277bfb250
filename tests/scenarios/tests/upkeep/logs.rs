//! Session logs as files: a long one is read once, and of a damaged one nothing is lost but the damage.

use scenarios::Scene;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use testkit::{Gate, House, Reply};

/// How a piece of an answer is named in a log.
const PIECE: &str = "\"type\":\"text_delta\"";
/// A long log here, bytes.
const LONG: usize = 8 << 20;

/// Makes the log of the only session long: its answer came in as many pieces as it takes. The
/// session's id is returned.
fn lengthen(scene: &Scene) -> String {
    let [log] = &scene.house.session_logs()[..] else {
        panic!("not one session");
    };
    let text = fs::read_to_string(log).unwrap();
    let piece = text.lines().find(|line| line.contains(PIECE)).unwrap();
    let (before, after) = text.split_at(text.find(piece).unwrap());
    let pieces = std::iter::repeat_n(piece, LONG / piece.len());
    let mut long = String::with_capacity(LONG + text.len());
    for (line, seq) in before.lines().chain(pieces).chain(after.lines()).zip(1..) {
        let (_, rest) = line.split_once(',').unwrap();
        writeln!(long, "{{\"seq\":{seq},{rest}").unwrap();
    }
    fs::write(log, long).unwrap();
    log.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// How much a process has read by now, bytes.
fn read_by(pid: u32) -> usize {
    let io = fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.unwrap().parse().unwrap()
}

#[test]
fn a_long_session_goes_on_after_one_reading_of_its_log() {
    let gate = Gate::new();
    let replies = [
        Reply::text("Hello, all of you."),
        Reply::text("Still ").and_wait(&gate).and_text("here."),
        Reply::text("And again."),
    ];
    let scene = Scene::new(replies);
    let house = &scene.house;
    // A session that goes on at the provider of its own is begun by other flags than were typed.
    let first = house.ask(["run", "--provider", "scripted", "hello"]);
    first.run().expect(0);
    let id = lengthen(&scene);
    let run = house.ask(["run", "--session-id", &id, "go on"]).spawn();
    scene.server.wait_for_chats(2);
    let read = read_by(run.pid());
    assert!(read < LONG * 5 / 4, "{read} bytes were read by the run");
    gate.open();
    run.finish().expect(0);
    let resumed = house.ask(["session", "resume", &id]);
    let mut seat = resumed.env("TERM", "dumb").at_prompt();
    let opened = read_by(seat.pid());
    assert!(
        opened < LONG * 5 / 4,
        "{opened} bytes were read by the chat"
    );
    seat.types("/help\nonce more\n");
    seat.until("And again.");
    seat.types("/quit\n");
    let before_its_end = read_by(seat.pid());
    let lines = before_its_end - opened;
    assert!(lines < LONG / 8, "{lines} bytes were read for two lines");
    assert_eq!(seat.finish().code, Some(0));
}

/// A session with one request, its log and the log's lines.
fn short(scene: &Scene) -> (String, PathBuf, Vec<String>) {
    scene.house.ask(["run", "count the rooms"]).run().expect(0);
    let log = scene.house.session_logs().remove(0);
    let id = log.file_stem().unwrap().to_str().unwrap().to_owned();
    let text = fs::read_to_string(&log).unwrap();
    (id, log, text.lines().map(str::to_owned).collect())
}

/// Writes a log whose line of that number, from 1 on, broke off; where it begins, bytes.
fn damage(log: &PathBuf, lines: &[String], number: usize) -> usize {
    let mut lines = lines.to_vec();
    let half = lines[number - 1].len() / 2;
    lines[number - 1].truncate(half);
    fs::write(log, lines.join("\n") + "\n").unwrap();
    lines[..number - 1].iter().map(|line| line.len() + 1).sum()
}

#[test]
fn a_damaged_log_shows_what_stands_before_the_damage() {
    let scene = Scene::new([Reply::text("There are seven.")]);
    let house = &scene.house;
    let (id, log, lines) = short(&scene);
    let answer = lines.iter().position(|line| line.contains(PIECE)).unwrap();
    let number = answer + 2;
    let begin = damage(&log, &lines, number);
    let before = fs::read(&log).unwrap();
    let listed = house.ask(["session", "list"]).run().expect(0).stdout;
    assert!(listed.contains(&id) && listed.contains("rooms"), "{listed}");
    let place = format!("Line {number} of the session log {}", log.display());
    let fork = format!("carl session fork {id} --at {}", number - 1);
    let out = house.work().join("out.json");
    let out = out.to_str().unwrap();
    let format = ["--format", "json", "--out", out];
    for asked in [
        house.ask(["session", "show", &id]),
        house.ask(["session", "show", "--events", &id]),
        house.ask(["session", "export", &id]),
        house.ask(["session", "export", &id]).args(format),
        house.ask(["run", "--session-id", &id, "and the doors"]),
    ] {
        let told = asked.run().expect(4);
        for part in [&place, &format!("from byte {begin} on"), &fork] {
            assert!(told.stderr.contains(part), "{part}: {told:#?}");
        }
        let is_shown = told.stdout.contains("count the rooms");
        let says_so = told
            .stderr
            .contains("this is what stands before the damage");
        assert!(is_shown || told.stdout.is_empty(), "{told:#?}");
        assert!(says_so || told.stdout.is_empty(), "{told:#?}");
    }
    let shown = house.ask(["session", "show", &id]).run().expect(4).stdout;
    assert!(shown.contains("count the rooms"), "{shown}");
    let exported = fs::read_to_string(out).unwrap();
    let exported: Vec<serde_json::Value> = serde_json::from_str(&exported).unwrap();
    assert_eq!(exported.len(), number - 1);
    let copy = house.ask(fork.split(' ').skip(1));
    let copy = copy.run().expect(0).stdout;
    house.ask(["session", "show", copy.trim()]).run().expect(0);
    assert_eq!(fs::read(&log).unwrap(), before, "it is left as it is");
}

#[test]
fn a_damaged_last_line_is_kept_beside_the_log() {
    let scene = Scene::new([Reply::text("There are seven."), Reply::text("And two.")]);
    let house = &scene.house;
    let (id, log, lines) = short(&scene);
    let begin = damage(&log, &lines, lines.len());
    let cut = fs::read(&log).unwrap().split_off(begin);
    let goes_on = house.ask(["run", "--session-id", &id, "and the doors"]);
    let told = goes_on.run().expect(0).stderr;
    let kept = log.with_extension("cut");
    assert!(told.contains(&format!("({} bytes)", cut.len())), "{told}");
    assert!(told.contains(&kept.display().to_string()), "{told}");
    assert_eq!(fs::read(&kept).unwrap(), cut);
    house
        .ask(["session", "delete", "--yes", &id])
        .run()
        .expect(0);
    assert!(!kept.exists() && !log.exists());
}

#[test]
fn a_log_damaged_at_its_beginning_is_listed_as_such() {
    let scene = Scene::new([Reply::text("There are seven.")]);
    let house = &scene.house;
    let (id, log, lines) = short(&scene);
    damage(&log, &lines, 1);
    let before = fs::read(&log).unwrap();
    let listed = house.ask(["session", "list"]).run().expect(0).stdout;
    let row = listed.lines().find(|line| line.contains(&id)).unwrap();
    assert!(row.contains("damaged at its beginning"), "{listed}");
    let place = format!("Line 1 of the session log {}", log.display());
    for asked in [
        house.ask(["session", "show", &id]),
        house.ask(["session", "export", &id]),
        house.ask(["run", "--session-id", &id, "and the doors"]),
    ] {
        let told = asked.run().expect(4);
        assert!(told.stderr.contains(&place), "{told:#?}");
        assert_eq!(told.stdout, "");
    }
    assert_eq!(fs::read(&log).unwrap(), before, "it is left as it is");
}

/// The same words and exit, be the session held or not, long, empty or damaged.
#[test]
fn a_fork_at_no_message_is_one_mistake_in_every_session() {
    let scene = Scene::new([Reply::text("There are seven.")]);
    let house = &scene.house;
    let refused = |id: &str, what: &str| {
        for at in ["1", "4", "999999"] {
            let told = house.ask(["session", "fork", id, "--at", at]).run();
            let why = format!("#{at} is no number of a message of this session that still counts");
            assert!(told.stderr.contains(&why), "{what}: {told:#?}");
            assert_eq!(told.code, Some(2), "{what}: {told:#?}");
        }
    };
    let (id, log, lines) = short(&scene);
    refused(&id, "short");
    for resumed in [&["session", "resume", &id][..], &["chat"]] {
        let chat = house.ask(resumed.iter().copied());
        let mut seat = chat.env("TERM", "dumb").seated();
        seat.until("> ");
        let logs = house.session_logs();
        let newest = logs.iter().max().unwrap().file_stem().unwrap();
        refused(newest.to_str().unwrap(), "held");
        seat.leaves();
        refused(newest.to_str().unwrap(), "left");
    }
    // All of it, where nothing was said.
    house.ask(["session", "fork", "--at", "0"]).run().expect(0);
    // Of a damaged one any event may be the last, if something was said before it.
    let answer = lines.iter().position(|line| line.contains(PIECE)).unwrap();
    damage(&log, &lines, answer + 2);
    for at in ["1", "999999"] {
        let told = house.ask(["session", "fork", &id, "--at", at]).run();
        assert!(told.expect(2).stderr.contains("that still counts"), "{at}");
    }
}

#[test]
fn a_listing_that_takes_long_says_so_once() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let _session = scene.run(&["hello"]);
    lengthen(&scene);
    let log = &scene.house.session_logs()[0];
    for number in 0..400 {
        let name = format!("01a21650-8b3f-7000-8000-{number:012x}.jsonl");
        fs::hard_link(log, log.with_file_name(name)).unwrap();
    }
    let list = || {
        scene
            .house
            .ask(["session", "list", "--json"])
            .run()
            .expect(0)
    };
    let slow = list();
    assert_eq!(
        slow.stderr.matches("looked through").count(),
        1,
        "{}",
        slow.stderr
    );
    assert_eq!(slow.json().as_array().unwrap().len(), 20);
    // Now there is an index.
    assert_eq!(list().stderr, "");
    let show = ["session", "show", "01a21650"];
    let told = scene.house.ask(show).run().expect(2).stderr;
    assert!(told.contains("several sessions' ids"), "{told}");
    assert!(!told.contains("looked through"), "{told}");
}

#[test]
fn a_log_of_which_nothing_is_left_is_listed_and_told_truly() {
    for left in ["", "{\"seq\":1,\"time\":\"20"] {
        let house = House::new();
        house.write("a.txt", "draft\n");
        let run = ["run", "--mode", "deterministic"];
        let run = house.ask(run).args(testkit::flags::WRITES);
        run.arg("replace draft with final in a.txt").run().expect(0);
        let log = house.session_logs().remove(0);
        let id = log.file_stem().unwrap().to_str().unwrap().to_owned();
        fs::write(&log, left).unwrap();
        let listed = house.ask(["session", "list"]).run().expect(0).stdout;
        let row = listed.lines().find(|line| line.contains(&id));
        assert!(
            row.is_some_and(|row| row.contains("nothing of it can be read")),
            "{listed}"
        );
        let undo = format!("carl undo {id} --print");
        for asked in [
            house.ask(["session", "show", &id]),
            house.ask(["session", "export", &id]),
            house.ask(["session", "fork", &id]),
            house.ask(["run", "--session-id", &id, "and the doors"]),
            house.ask(["undo", &id, "--yes", "write"]),
            house.ask(["undo", "--yes", "write"]),
        ] {
            let told = asked.run();
            assert!(matches!(told.code, Some(2 | 4)), "{told:#?}");
            assert!(told.stderr.contains(&undo), "{told:#?}");
        }
        let printed = house.ask(["undo", &id, "--print"]).run().expect(0);
        assert_eq!(printed.stdout, "draft\n");
        assert_eq!(
            fs::read_to_string(&log).unwrap(),
            left,
            "it is left as it is"
        );
        house
            .ask(["session", "delete", &id, "--yes"])
            .run()
            .expect(0);
        assert!(!log.exists());
    }
}

/// Files below the sessions are not opened for appending, as where a disk is mounted for reading.
const READ_ONLY: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    if ((flags & O_APPEND) && strstr(path, "/sessions/")) {
        errno = EROFS;
        return -1;
    }
    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
"#;

#[test]
fn a_session_on_a_disk_for_reading_cannot_be_deleted_and_is_not_corrupt() {
    let house = House::new();
    let run = ["run", "--mode", "deterministic", "list files"];
    house.ask(run).run().expect(0);
    let source = house.home().join("open.c");
    let library = house.home().join("open.so");
    fs::write(&source, READ_ONLY).unwrap();
    let mut compiler = Command::new("cc");
    compiler.args(["-shared", "-fPIC", "-o"]);
    let made = compiler.arg(&library).arg(&source).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let delete = ["session", "delete", "last", "--yes"];
    let told = house
        .ask(delete)
        .env("LD_PRELOAD", &library)
        .run()
        .expect(4)
        .stderr;
    assert!(
        told.contains("cannot be deleted: Read-only file system"),
        "{told}"
    );
    assert!(!told.contains("sessions.corrupt"), "{told}");
    assert!(told.contains("for writing"), "{told}");
}

#[test]
fn a_session_is_found_by_what_was_said_in_it() {
    let scene = Scene::forgetful(testkit::Server::openai([
        Reply::text("The cookie has another domain."),
        Reply::text("Ants walk."),
    ]));
    let ask = |words: &str| scene.house.ask(["run", words]).run().expect(0);
    ask("why does the login fail?");
    ask("what do ants do? They have no domain.");
    let search = |words: &[&str]| {
        let told = scene
            .house
            .ask(["session", "search"])
            .args(words.iter().copied())
            .run();
        told.expect(0).stdout
    };
    let found = search(&["COOKIE", "domain"]);
    assert!(found.contains("why does the login fail?"), "{found}");
    assert!(!found.contains("ants"), "{found}");
    // Both, the newest first; and as data.
    let found = search(&["domain"]);
    let place = |title: &str| found.find(title).expect(title);
    assert!(
        place("what do ants do?") < place("why does the login"),
        "{found}"
    );
    let found: Vec<serde_json::Value> =
        serde_json::from_str(&search(&["ants walk", "--json"])).unwrap();
    assert_eq!(found.len(), 1);
    // Words of different messages, and names of the log's own, find nothing.
    for words in ["login cookie", "query_received", "scripted-model"] {
        let told = search(&[words]);
        assert!(
            told.contains("No message of a session has all of this"),
            "{told}"
        );
    }
}
