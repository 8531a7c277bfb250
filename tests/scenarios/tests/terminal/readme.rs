//! Every block of the README and the first steps of docs/usage.md, typed as they stand there, with
//! the model that comes along, and held against what the pages promise.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test is allowed to fail loudly"
)]

use std::path::Path;
use testkit::{Finished, House};

const README: &str = include_str!("../../../../README.md");
const USAGE: &str = include_str!("../../../../docs/usage.md");

/// What the README shows and nothing here types, with the reason.
const NOT_TYPED: [(&str, &str); 2] = [
    (
        "cargo xtask try",
        "it builds the program, and holds the answer and the edit against the sample folder itself",
    ),
    ("cargo xtask test", "it runs this very test"),
];

/// A command of a page.
struct Step {
    /// As it is typed.
    line: String,
    /// What the page shows of its screen, shortened; empty where it shows nothing.
    shown: Vec<String>,
}

/// The commands of a block: each line without its comment, or, where a block shows a screen, each
/// line behind `$` with what stands below it.
fn steps(block: &str) -> Vec<Step> {
    let is_screen = block.lines().any(|line| line.starts_with("$ "));
    let mut steps: Vec<Step> = Vec::new();
    for line in block.lines().filter(|line| !line.trim().is_empty()) {
        let typed = match is_screen {
            true => line.strip_prefix("$ "),
            false => line.split(" # ").next(),
        };
        match typed {
            Some(typed) => steps.push(Step {
                line: typed.trim().to_owned(),
                shown: Vec::new(),
            }),
            None => steps.last_mut().unwrap().shown.push(line.to_owned()),
        }
    }
    steps
}

/// The blocks of a page.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    page.split("```").skip(1).step_by(2)
}

/// Types a line as its page says: at a terminal where every question is answered with `y`, and a
/// chat left, or without one. It ends as the page says.
fn typed(house: &House, line: &str) -> Finished {
    let carl = || {
        house
            .carl()
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .typed(line)
    };
    let is_asked = line.contains("replace draft with final") || line == "carl undo";
    if line == "carl" {
        let mut seat = carl().seated();
        seat.until("idle");
        // Ctrl+D.
        seat.types("\u{4}");
        return seat.finish().expect(0);
    }
    if is_asked {
        let attended = carl().on_screen(|_, _| "y".to_owned());
        assert_eq!(attended.questions.len(), 1, "{line}: {attended:#?}");
        return attended.finished.expect(0);
    }
    let is_refused = line.starts_with("carl policy explain");
    carl().run().expect(if is_refused { 5 } else { 0 })
}

/// What a page promises of a line beside its end.
fn assert_kept(house: &House, line: &str, finished: &Finished, draft: &str) {
    let told = &finished.stdout;
    let notes = house.read("notes.md");
    let says = |text: &str| assert!(told.contains(text), "{line}: {text}: {finished:#?}");
    match line {
        "carl undo" => assert_eq!(notes, draft),
        "carl session list" => says("replace draft with final in notes.md"),
        "carl doctor" => says("ok   model server   embedded"),
        _ if line.contains("replace draft with final") => {
            assert_eq!(notes, draft.replace("draft", "final"));
            assert_ne!(notes, draft);
        }
        _ if line.contains("which port does settings.toml set?") => says("8472"),
        _ if line.starts_with("carl memory search") => says("MIT licence"),
        _ if line.starts_with("carl run --mode deterministic") => says("notes.md"),
        _ => {}
    }
}

/// A screen without what differs from one machine and one moment to the next: the folder, digests,
/// numbers, and how words are set apart.
fn plain(text: &str, folder: &str) -> String {
    let text = text.replace(folder, "/home/you/demo");
    let words = text.split_whitespace().map(|word| {
        let is_digest = word.len() >= 12 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_digest {
            return "DIGEST".to_owned();
        }
        let mut marked = String::new();
        for c in word.chars() {
            match c.is_ascii_digit() {
                true if marked.ends_with('#') => {}
                true => marked.push('#'),
                false => marked.push(c),
            }
        }
        marked
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The lines that a page shows stand on the screen, in their order.
fn assert_shown(house: &House, step: &Step, finished: &Finished) {
    let folder = house.work().display().to_string();
    let screen = plain(&format!("{}{}", finished.stdout, finished.stderr), &folder);
    let mut rest = screen.as_str();
    for line in &step.shown {
        // The answer is the reader's: the screen here does not show what is typed.
        let line = plain(line.strip_suffix(" y").unwrap_or(line), &folder);
        let found = rest.find(&line);
        assert!(found.is_some(), "not shown: {line}\n{screen}");
        rest = &rest[found.unwrap() + line.len()..];
    }
}

/// The sample folder and the model that comes along, where that is set up.
fn prepared() -> Option<House> {
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return None;
    }
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sample");
    for name in ["notes.md", "settings.toml"] {
        house.write(name, std::fs::read(sample.join(name)).unwrap());
    }
    Some(house)
}

#[test]
fn every_block_of_the_readme_does_what_it_shows() {
    let Some(house) = prepared() else { return };
    let draft = house.read("notes.md");
    let steps: Vec<Step> = blocks(README).flat_map(steps).collect();
    assert!(steps.len() >= 9, "{}", steps.len());
    for step in &steps {
        if NOT_TYPED.iter().any(|(line, _reason)| *line == step.line) {
            continue;
        }
        let finished = typed(&house, &step.line);
        assert_kept(&house, &step.line, &finished, &draft);
        assert_shown(&house, step, &finished);
    }
    assert_eq!(house.read("notes.md"), draft, "the last command is an undo");
    let screens = steps.iter().filter(|step| !step.shown.is_empty());
    assert_eq!(screens.count(), 2);
}

#[test]
fn the_first_steps_work_as_they_are_written() {
    let Some(house) = prepared() else { return };
    let tools = include_str!("../../../../logic/discovery/tests/data/tools.json");
    house.write("tools.json", tools);
    let table = include_str!("../../../agentdojo/tables/banking.yaml");
    house.write("table.yaml", table);
    let draft = house.read("notes.md");
    let (_, first) = USAGE.split_once("## First steps").unwrap();
    let steps = steps(blocks(first).next().unwrap());
    assert!(steps.len() >= 14, "{}", steps.len());
    for step in &steps {
        let finished = typed(&house, &step.line);
        assert_kept(&house, &step.line, &finished, &draft);
    }
}
