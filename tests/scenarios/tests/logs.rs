//! Session logs as files: a long one is read once.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::Scene;
use std::fmt::Write as _;
use std::fs;
use testkit::{Gate, Reply};

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
    let mut seat = resumed.env("TERM", "dumb").seated();
    seat.until("/help");
    seat.until("> ");
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
