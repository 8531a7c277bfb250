//! The commands of the README and the first steps of docs/usage.md, typed as they stand there, with
//! the model that comes along.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test is allowed to fail loudly"
)]

use std::path::Path;
use testkit::{Finished, House};

const README: &str = include_str!("../../../README.md");
const USAGE: &str = include_str!("../../../docs/usage.md");

/// How a line is typed, and how it may end: success, or what the page says of a small model and of
/// a refusal.
enum Way {
    /// Without a terminal.
    Plain(&'static [i32]),
    /// At a terminal where every question is answered with `y`.
    Yes,
    /// At a terminal where a chat is left at once.
    Chat,
}

fn way(line: &str) -> Way {
    match line {
        "carl" => Way::Chat,
        _ if line.starts_with("carl run --mode plan") || line == "carl undo" => Way::Yes,
        // A question in loop mode may be beyond the model; it must not be a mistake of usage.
        _ if line.starts_with("carl run \"which port") => Way::Plain(&[0, 3]),
        _ if line.starts_with("carl policy explain") => Way::Plain(&[5]),
        _ => Way::Plain(&[0]),
    }
}

/// The lines of the block under a heading of a page, without their comments.
fn examples(page: &str, heading: &str) -> Vec<String> {
    let (_, rest) = page.split_once(heading).unwrap();
    let block = rest.split("```").nth(1).unwrap();
    let lines = block.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| line.split(" # ").next().unwrap().trim().to_owned())
        .collect()
}

fn typed(house: &House, line: &str) -> Finished {
    let carl = || house.carl().env("TERM", "xterm").typed(line);
    match way(line) {
        Way::Plain(codes) => {
            let finished = carl().run();
            let is_expected = finished.code.is_some_and(|code| codes.contains(&code));
            assert!(is_expected, "{line}: {finished:#?}");
            finished
        }
        Way::Yes => {
            let attended = carl().on_screen(|_, _| "y".to_owned());
            assert_eq!(attended.finished.code, Some(0), "{line}: {attended:#?}");
            assert_eq!(attended.questions.len(), 1, "{line}: {attended:#?}");
            attended.finished
        }
        Way::Chat => {
            let mut seat = carl().seated();
            seat.until("/help");
            seat.until("> ");
            seat.types("/quit\n");
            let finished = seat.finish();
            assert_eq!(finished.code, Some(0), "{line}: {finished:#?}");
            finished
        }
    }
}

#[test]
fn the_first_steps_work_as_they_are_written() {
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return;
    }
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample");
    for name in ["notes.md", "settings.toml"] {
        house.write(name, std::fs::read(sample.join(name)).unwrap());
    }
    let tools = include_str!("../../../logic/discovery/tests/data/tools.json");
    house.write("tools.json", tools);
    let table = include_str!("../../agentdojo/tables/banking.yaml");
    house.write("table.yaml", table);
    let draft = house.read("notes.md");
    let lines = examples(USAGE, "## First steps");
    assert!(lines.len() >= 14, "{lines:#?}");
    // What the README shows is among them, so that it is typed as well.
    let shown = examples(README, "## Five commands");
    assert_eq!(shown.len(), 5, "{shown:#?}");
    assert!(shown.iter().all(|line| lines.contains(line)), "{shown:#?}");
    for line in &lines {
        let finished = typed(&house, line);
        let notes = house.read("notes.md");
        match line.as_str() {
            "carl undo" => assert_eq!(notes, draft),
            _ if line.starts_with("carl run --mode plan") => {
                assert_eq!(notes, draft.replace("draft", "final"));
            }
            _ if line.starts_with("carl memory search") => {
                assert!(finished.stdout.contains("MIT licence"), "{finished:#?}");
            }
            _ if line.starts_with("carl run --mode deterministic") => {
                assert!(finished.stdout.contains("notes.md"), "{finished:#?}");
            }
            _ => {}
        }
    }
}
