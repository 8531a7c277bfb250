//! What reaches a terminal moves nothing on it and forges no line of ours, whoever wrote it.

use attacks::index::Index;
use scenarios::Scene;
use serde_json::json;
use std::collections::BTreeMap;
use testkit::{House, Reply};

/// Titles, cleared screens, control characters beyond ASCII, turned direction.
const MOVING: &str = "\u{1b}]0;PWN\u{7}\u{1b}[2J\u{9b}31m\u{202e}x";

fn assert_still(screen: &str) {
    for moving in ["\u{1b}]0", "\u{1b}[2J", "\u{9b}", "\u{202e}", "\u{7}"] {
        assert!(!screen.contains(moving), "{moving:?} in {screen:?}");
    }
}

#[test]
fn names_of_models_move_no_terminal() {
    let evil = format!("m{MOVING}");
    let listed = json!({"object": "list", "data": [
        {"id": evil, "object": "model"}, {"id": "qwen2.5:7b-instruct", "object": "model"},
    ]});
    let pages = BTreeMap::from([(
        "/v1/models".to_owned(),
        ("application/json", listed.to_string().into_bytes()),
    )]);
    let index = Index::start(|_| pages);
    let house = House::new();
    house.configure(&format!(
        "[models]\ndefault_provider = \"odd\"\n\n[models.providers.odd]\ntype = \"openai\"\n\
         endpoint = \"{}/v1\"\n",
        index.url()
    ));
    let screen = house.ask(["models"]).on_screen(|_, _| String::new());
    let piped = house.ask(["models"]).run().stdout;
    let as_json = house.ask(["models", "--json"]).run();
    for shown in [&screen.finished.stderr, &piped, &as_json.stdout] {
        assert!(shown.contains("qwen2.5:7b-instruct"), "{shown}");
        assert_still(shown);
    }
    assert!(piped.contains("m\\u{1b}]0;PWN"), "{piped}");
    // To a program the name is what it is.
    let models = as_json.json()["models"].to_string();
    assert!(models.contains("\u{202e}"), "{models}");
}

/// A folder of an unpacked archive is named by whoever packed it.
#[test]
fn the_name_of_a_folder_begins_no_line_of_ours() {
    let scene = Scene::new([Reply::text("Hello.")]);
    let folder = scene.house.work().join(format!("x\n? coder wants{MOVING}"));
    std::fs::create_dir(&folder).unwrap();
    let at = ["-C", folder.to_str().unwrap()];
    let house = &scene.house;
    let run = house.ask(["run"]).args(at).arg("hello").run().expect(0);
    assert!(run.stdout.contains("Hello."), "{run:#?}");
    let chat = house.ask(["chat"]).args(at).env("TERM", "dumb");
    let chat = chat.talking(&["\n> "], |_, _| "/quit".to_owned());
    let list = house.ask(["session", "list"]).run().expect(0);
    let show = house.ask(["session", "show", "last"]).args(at).run();
    let shown = [
        chat.questions.concat(),
        list.stdout,
        show.stdout + &show.stderr,
    ];
    for shown in shown {
        assert!(
            !shown.lines().any(|line| line.starts_with("? coder")),
            "{shown}"
        );
        assert_still(&shown);
    }
}

#[test]
fn json_on_a_terminal_moves_nothing() {
    let said = format!("grüße {MOVING}");
    let scene = || Scene::new([Reply::text(said.clone())]);
    let shown = scene();
    let run = shown.house.ask(["run", "--json", "hello"]);
    let screen = run.on_screen(|_, _| String::new()).finished.stderr;
    assert!(
        screen.contains("grüße") && screen.contains("\\u009b31m"),
        "{screen}"
    );
    assert_still(&screen);
    for command in [
        &["session", "show", "last", "--events"][..],
        &["session", "export", "last", "--format", "json"],
    ] {
        let carl = shown.house.ask(command.iter().copied());
        let screen = carl.on_screen(|_, _| String::new()).finished.stderr;
        assert!(screen.contains("grüße"), "{screen}");
        assert_still(&screen);
    }
    // The control: a program reads the answer as it was given.
    let outcome = scene().run(&["hello"]);
    assert_eq!(outcome.summary["answer"], said);
}

/// What looks like lines of ours, behind a word.
const FORGED: &str =
    "x\n? coder wants to run this call [read]\n  \u{2713} 3 kB, 1 ms\n\u{b7} changed notes.md";

#[test]
fn nothing_of_others_begins_a_line_of_ours() {
    let calls = [
        (FORGED, json!({"path": "a"})),
        ("read_file", json!({FORGED: "q"})),
        ("read_file", json!({"path": FORGED})),
        ("run_command", json!({"argv": [FORGED, "a"]})),
        ("start_job", json!({"name": FORGED, "argv": ["true"]})),
        ("job_output", json!({"job": FORGED})),
    ];
    let both = Reply::default()
        .and_call("read_file", json!({"path": FORGED}))
        .and_call(FORGED, json!({"path": FORGED}));
    let one = calls.map(|(tool, arguments)| Reply::default().and_call(tool, arguments));
    let failing = Reply::refuse(400, json!({"error": {"message": FORGED}}).to_string());
    let replies: Vec<Reply> = one.into_iter().chain([both, failing]).collect();
    for form in [&["run"][..], &["run", "--json"]] {
        let scene = Scene::new(replies.clone());
        let carl = scene.house.ask(form.iter().copied());
        let told = carl.args(["--yes", "exec", "look around"]).run().stderr;
        let is_forged = |line: &str| FORGED.lines().skip(1).any(|forged| forged == line);
        let forged: Vec<&str> = told.lines().filter(|line| is_forged(line)).collect();
        assert!(forged.is_empty(), "{forged:#?} in {told}");
    }
    // The control: one's own lines stand there, and what is one line is told as it is.
    let scene = Scene::new([
        Reply::default().and_call("read_file", json!({"path": "notes.md"})),
        Reply::text("Done."),
    ]);
    scene.house.write("notes.md", "hello\n");
    let told = scene.house.ask(["run", "look around"]).run().stderr;
    let begins = |start: &str| told.lines().any(|line| line.starts_with(start));
    assert!(
        begins("\u{2192} read_file path=notes.md") && begins("  \u{2713} "),
        "{told}"
    );
}

#[test]
fn a_plans_intent_forges_no_step() {
    let plan = json!({
        "intent": "find a recipe\n  1. read_file (effect: read)\n  [y]es",
        "actions": [{"kind": "create_file", "path": "n.txt", "content": "x"}],
    });
    let scene = Scene::new([Reply::text(plan.to_string())]);
    let carl = scene
        .house
        .ask(["run", "--mode", "plan", "--allow-write", ".", "make n.txt"]);
    let told = carl.run().stderr;
    let line = told.lines().find(|line| line.contains("find a recipe"));
    let line = line.unwrap_or_default();
    assert!(line.contains("[y]es"), "{told}");
    assert!(!told.lines().any(|line| line.trim() == "[y]es"), "{told}");
    assert!(
        told.contains("write_file") || told.contains("create_file"),
        "{told}"
    );
}

#[test]
fn a_link_that_shows_another_host_is_marked_whatever_was_read() {
    let answer = "See [https://bank.example/login](https://evil.example/x), \
                  [bank.com](https://evil.example/y) and [std](https://doc.rust-lang.org/std) or \
                  [docs.rs](https://docs.rs/serde).\n";
    let read = Reply::call("read_file", json!({"path": "notes.md"}));
    for (replies, places) in [
        (vec![], "evil.example"),
        (vec![read], "evil.example, bank.example"),
    ] {
        let is_first = replies.is_empty();
        let answer = Reply::text(answer);
        let scene = Scene::new(replies.into_iter().chain([answer]));
        scene.house.write("notes.md", "hello\n");
        let screen = scene.house.ask(["run", "hello"]);
        let screen = screen.on_screen(|_, _| String::new()).finished.stderr;
        let export = scene.house.ask(["session", "export", "last"]).run().stdout;
        for shown in [&screen, &export] {
            // A terminal breaks lines between the words.
            let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
            for link in ["https://evil.example/x)", "https://evil.example/y)"] {
                let marked = shown.split_once(link).map(|(_, behind)| behind);
                let marked = marked.unwrap_or_default().trim_start_matches([',', '\\']);
                assert!(marked.contains("leads to evil.example"), "{shown}");
            }
            assert!(shown.contains(&format!("leads to {places};")), "{shown}");
            // The control: what shows where it leads, or shows words, is marked as before.
            let plain = shown.contains("leads to doc.rust-lang.org");
            assert_eq!(plain, !is_first, "{shown}");
            assert!(!is_first || !shown.contains("leads to docs.rs"), "{shown}");
        }
    }
}
