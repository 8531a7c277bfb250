//! Screens of several sizes, and what becomes of one that changes its size.

use crate::{ANSWER, count, seat};
use scenarios::Scene;
use serde_json::json;
use testkit::{Gate, Reply, Server, TMUX, is_absent};

fn writes_much() -> Scene {
    let content: String = (0..60).map(|n| format!("line {n}\n")).collect();
    let arguments =
        json!({"path": "deep/er/long-name-of-a-note.txt", "content": content, "mode": "create"});
    Scene::forgetful(Server::openai([
        Reply::call("write_file", arguments),
        Reply::text("Written."),
    ]))
}

#[test]
fn a_long_question_scrolls_with_its_target_in_sight() {
    if is_absent(TMUX) {
        return;
    }
    for size in [(40, 15), (80, 24), (200, 60)] {
        let scene = writes_much();
        let mut window = seat(&scene, &["--allow-write", "."], size);
        window.enters("write it");
        let screen = window.until(ANSWER);
        assert!(screen.contains("┃ ? coder wants"), "{size:?}:\n{screen}");
        assert!(screen.contains("[n]o"), "{size:?}:\n{screen}");
        // On the smallest a page is two rows.
        for _ in 0..10 {
            window.presses(&["PageDown"; 10]);
        }
        let screen = window.until("change");
        assert!(screen.contains("┃ ? coder wants"), "{size:?}:\n{screen}");
        let target = screen.replace(['\n', '┃', '…', ' '], "");
        assert!(
            target.contains("long-name-of-a-note.txt"),
            "{size:?}:\n{screen}"
        );
        assert!(target.contains("write_file"), "{size:?}:\n{screen}");
        window.types("y");
        window.until(&format!("{ANSWER} y"));
        window.presses(&["Enter"]);
        window.until("Written.");
    }
}

#[test]
fn a_resize_while_it_streams_draws_nothing_twice() {
    if is_absent(TMUX) {
        return;
    }
    let (one, two) = (Gate::new(), Gate::new());
    let scene = Scene::forgetful(Server::openai([Reply::text("First block.\n\nSecond bl")
        .and_wait(&one)
        .and_text("ock.\n\nThird bl")
        .and_wait(&two)
        .and_text("ock.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("a request that is wrapped on a narrow screen, twice");
    window.until("Second bl");
    window.types("the next message");
    window.until("> the next message");
    window.resizes((40, 15));
    window.until("adaptive · working");
    one.open();
    window.until("Third bl");
    window.resizes((120, 40));
    window.until("scripted-model");
    window.resizes((60, 20));
    two.open();
    window.until("Third block.");
    window.until("idle");
    let all = window.everything();
    for part in [
        "First block.",
        "Second block.",
        "Third block.",
        "the next message",
        "idle",
    ] {
        assert_eq!(count(&all, part), 1, "`{part}`:\n{all}");
    }
    assert!(!all.contains("working"), "{all}");
}

#[test]
fn without_colours_nothing_is_coloured() {
    if is_absent(TMUX) {
        return;
    }
    let answer = "# Head\n\nSome `code` and **more**.\n\n```rust\nlet a = \"b\";\n```\n";
    let screens = ["1", ""].map(|no_colour| {
        let scene = Scene::forgetful(Server::openai([
            Reply::text(answer).and_call("read_file", json!({"path": "absent.txt"})),
            Reply::text("Done."),
        ]));
        let carl = scene.house.ask(["tui"]).env("NO_COLOR", no_colour);
        let mut window = carl.in_window((80, 24));
        window.starts();
        window.enters("go");
        window.until("Done.");
        window.until("idle");
        window.coloured()
    });
    let is_coloured = |screen: &str| (31..=36).any(|code| screen.contains(&format!("{code}m")));
    assert!(!is_coloured(&screens[0]), "{}", screens[0]);
    assert!(is_coloured(&screens[1]), "{}", screens[1]);
}

#[test]
fn two_hundred_columns_show_all_of_the_status() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Hello.")]));
    let mut window = seat(&scene, &["--override", "relax"], (200, 60));
    window.enters("hello");
    window.until("Hello.");
    let screen = window.until("idle");
    let status = screen.lines().find(|line| line.contains("idle")).unwrap();
    for part in [
        "coder",
        "adaptive",
        "! override relax",
        "scripted/scripted-model",
        "tokens",
    ] {
        assert!(status.contains(part), "`{part}`: {status}");
    }
}

/// Words that stand once each in a paragraph, so many from a number on.
fn words(from: usize, count: usize) -> String {
    (from..from + count)
        .map(|number| format!("word{number} "))
        .collect()
}

#[test]
fn a_paragraph_that_streams_leaves_no_copies_at_a_resize() {
    if is_absent(TMUX) {
        return;
    }
    let gates: Vec<Gate> = (0..4).map(|_| Gate::new()).collect();
    let mut reply = Reply::text(words(100, 100));
    for (number, gate) in (2..).zip(&gates) {
        reply = reply.and_wait(gate).and_text(words(number * 100, 100));
    }
    let scene = Scene::forgetful(Server::openai([reply.and_text("\n\nThe end.")]));
    let mut window = seat(&scene, &[], (80, 24));
    window.enters("a paragraph");
    window.until("word199");
    for (gate, (size, last)) in gates.iter().zip([
        ((40, 15), "word299"),
        ((120, 40), "word399"),
        ((60, 20), "word499"),
        ((80, 24), "word599"),
    ]) {
        window.resizes(size);
        window.until("adaptive · working");
        gate.open();
        window.until(last);
    }
    window.until("The end.");
    window.until("idle");
    let all = window.everything();
    for number in 100..600 {
        let word = format!("word{number} ");
        let found = count(&all.replace('\n', " "), &word);
        assert_eq!(found, 1, "`{word}`:\n{all}");
    }
    assert_eq!(count(&all, "working"), 0, "{all}");
}

#[test]
fn a_draft_of_several_rows_leaves_no_copies_at_a_resize() {
    if is_absent(TMUX) {
        return;
    }
    let joined = |screen: &str| screen.split_whitespace().collect::<String>();
    // One resize to a window: of a second one soon after, tmux tells late.
    for size in [(40, 24), (60, 20), (120, 40)] {
        let said = words(500, 100).replace(' ', "\n\n");
        let scene = Scene::forgetful(Server::openai([Reply::text(said + "Hello.")]));
        let mut window = seat(&scene, &[], (80, 24));
        window.enters("hello");
        window.until("Hello.");
        window.until("idle");
        window.types(words(100, 30).trim_end());
        window.until_screen("the draft", |screen| joined(screen).contains("word129"));
        window.resizes(size);
        // Something that is drawn after the resize alone.
        window.types("!");
        window.until("!");
        window.presses(&["BSpace"]);
        window.until_screen("the draft again", |screen| {
            joined(screen).contains("word129") && !screen.contains('!')
        });
        let shown = window.everything();
        let all = joined(&shown);
        for number in 100..130 {
            let word = format!("word{number}");
            assert_eq!(count(&all, &word), 1, "`{word}` at {size:?}:\n{shown}");
        }
        assert_eq!(count(&all, "idle"), 1, "{shown}");
        assert_eq!(count(&all, "Hello."), 1, "{shown}");
    }
}
