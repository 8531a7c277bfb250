//! Files that a request names stand in the first prompt of a small model.

use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::Reply;

/// The last words of the first prompt.
fn asked(scene: &Scene) -> String {
    let messages = scene.server.chats()[0].body["messages"].clone();
    let last = messages.as_array().unwrap().last().unwrap().clone();
    last["content"].as_str().unwrap().to_owned()
}

#[test]
fn a_small_model_has_the_named_file_before_its_first_call() {
    let question = "which port does settings.toml set?";
    let scene = Scene::of_class("small", [Reply::text("It sets port 4711.")]);
    scene.house.write("settings.toml", "port = 4711\n");
    let outcome = scene.run(&["--mode", "loop", question]);
    assert_eq!(outcome.text("answer"), "It sets port 4711.");
    let prompt = asked(&scene);
    let (before, words) = prompt.rsplit_once(question).unwrap();
    assert!(before.contains("port = 4711"), "{prompt}");
    assert!(before.contains("[TOOL_RESULT: UNTRUSTED"), "{prompt}");
    assert!(words.trim().is_empty(), "{prompt}");
    // It is a read like any other, on record with its decision.
    let log = scene.log(&outcome);
    let requested = of_kind(&log, "tool_requested");
    assert_eq!(requested[0]["arguments"]["path"], "settings.toml");
    assert_eq!(of_kind(&log, "broker_decision")[0]["verdict"], "allow");
    assert_eq!(of_kind(&log, "tool_result")[0]["status"], "ok");
}

#[test]
fn what_is_not_there_too_long_or_closed_is_left_to_the_model() {
    let scene = Scene::of_class("tiny", [Reply::text("I do not know.")]);
    scene
        .house
        .write("long.txt", "many words here\n".repeat(400));
    scene.house.write("wide.txt", "word ".repeat(4_000));
    std::fs::write(scene.house.work().join("../out.txt"), "hunter2\n").unwrap();
    let question = "what do long.txt, wide.txt, gone.txt and ../out.txt say?";
    let outcome = scene.run(&["--mode", "loop", question]);
    let prompt = asked(&scene);
    assert!(
        prompt.contains("long.txt, lines 1 to 12 of 400"),
        "{prompt}"
    );
    for absent in ["word word word", "hunter2", "gone.txt,"] {
        let (before, _) = prompt.rsplit_once(question).unwrap();
        assert!(!before.contains(absent), "{absent}: {prompt}");
    }
    let log = scene.log(&outcome);
    let requested = of_kind(&log, "tool_requested");
    let paths: Vec<&Value> = requested
        .iter()
        .map(|one| &one["arguments"]["path"])
        .collect();
    assert_eq!(paths, [&json!("long.txt")]);
    assert!(of_kind(&log, "confirmation_asked").is_empty());
}

#[test]
fn a_large_model_reads_for_itself() {
    let scene = Scene::of_class("large", [Reply::text("I have not looked.")]);
    scene.house.write("settings.toml", "port = 4711\n");
    let outcome = scene.run(&["--mode", "loop", "which port does settings.toml set?"]);
    assert_eq!(outcome.text("answer"), "I have not looked.");
    assert!(!asked(&scene).contains("4711"));
}

#[test]
fn only_a_question_has_its_files_read() {
    for order in [
        "delete settings.toml",
        "do not read settings.toml, tell me a joke",
        "write a poem about settings.toml",
    ] {
        let scene = Scene::of_class("small", [Reply::text("As you like.")]);
        scene.house.write("settings.toml", "port = 4711\n");
        let _outcome = scene.run(&["--mode", "loop", order]);
        assert!(!asked(&scene).contains("4711"), "{order}");
    }
}

#[test]
fn a_tiny_model_with_all_that_is_asked_in_view_calls_no_tools() {
    for (class, question, may_call) in [
        ("tiny", "which port does settings.toml set?", false),
        (
            "tiny",
            "which files besides settings.toml set a port?",
            true,
        ),
        (
            "tiny",
            "which port do settings.toml and gone.toml set?",
            true,
        ),
        ("tiny", "which port does long.toml set?", true),
        ("small", "which port does settings.toml set?", true),
    ] {
        let scene = Scene::of_class(class, [Reply::text("It sets port 4711.")]);
        scene.house.write("settings.toml", "port = 4711\n");
        scene.house.write("long.toml", "port = 4711\n".repeat(90));
        let outcome = scene.run(&["--mode", "loop", question]);
        // What a line of settings answers is told from it.
        let told = match may_call {
            true => "It sets port 4711.",
            false => "`port` is 4711 (by rules, no model).",
        };
        assert!(outcome.text("answer").starts_with(told), "{question}");
        let chats = scene.server.chats();
        assert_eq!(!chats.is_empty(), may_call, "{question}");
        let Some(asked) = chats.first().map(|chat| &chat.body) else {
            continue;
        };
        assert!(asked["messages"].to_string().contains("port = 4711"));
        assert_ne!(asked["tool_choice"], "none", "{question}");
    }
}

/// A question about a file in view is answered by its lines, and a tiny model is not asked.
#[test]
fn a_question_about_a_file_in_view_is_answered_by_its_lines() {
    let scene = Scene::of_class("tiny", [Reply::text("It sets port 8080.")]);
    scene.house.write("notes.md", "host: here\nport: 4711\n");
    let outcome = scene.run(&["--mode", "loop", "which port does notes.md name?"]);
    outcome.assert_ends(0, "success");
    let told = "These lines may say it (by rules, no model):\n\nFrom notes.md:\n  2: port: 4711";
    assert_eq!(outcome.text("answer"), told);
    assert!(scene.server.chats().is_empty());
    let scene = Scene::of_class("tiny", [Reply::text("It was written by Anna.")]);
    scene
        .house
        .write("settings.toml", "host = \"here\"\nport = 4711\n");
    let outcome = scene.run(&["--mode", "loop", "who is the author of settings.toml?"]);
    let told = outcome.text("answer");
    assert!(
        told.starts_with("I found no line about that in settings.toml. "),
        "{told}"
    );
}

#[test]
fn a_small_model_has_the_named_folder_before_its_first_call() {
    for (question, listed, is_shown) in [
        ("what is in the letters folder?", "letters", true),
        ("which files are in letters/?", "letters", true),
        ("what is in this folder?", ".", true),
        ("what is in the pictures folder?", "", false),
        ("what is in ../outside/?", "", false),
    ] {
        let scene = Scene::of_class("small", [Reply::text("One letter.")]);
        scene.house.write("letters/anna.md", "Dear Anna\n");
        let outcome = scene.run(&["--mode", "loop", question]);
        outcome.assert_ends(0, "success");
        let prompt = asked(&scene);
        let (before, _) = prompt.rsplit_once(question).unwrap();
        assert_eq!(before.contains("letters"), is_shown, "{prompt}");
        let log = scene.log(&outcome);
        let requested = of_kind(&log, "tool_requested");
        let paths: Vec<&Value> = requested
            .iter()
            .map(|one| &one["arguments"]["path"])
            .collect();
        match is_shown {
            true => assert_eq!(paths, [&json!(listed)], "{question}"),
            false => assert!(paths.is_empty(), "{question}: {paths:?}"),
        }
    }
}

#[test]
fn a_file_behind_an_at_sign_answers_where_the_model_is_tiny() {
    let scene = Scene::of_class("tiny", [Reply::text("Marie wohnt in Genf.")]);
    scene.house.write("calc.py", "def mean(a):\n    return a\n");
    scene.house.write("kapitel1.md", "Marie wohnt in Genf.\n");
    let outcome = scene.run(&["--mode", "plan", "where does Marie live? @kapitel1.md"]);
    outcome.assert_ends(0, "success");
    let answer = outcome.text("answer");
    assert!(
        answer.contains("From kapitel1.md:\n  1: Marie wohnt in Genf."),
        "{answer}"
    );
    assert!(!answer.contains("def mean"), "{answer}");
    assert!(scene.server.chats().is_empty());
}
