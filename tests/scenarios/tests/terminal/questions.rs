//! What a question says of what it is about, and when nobody is asked.

use scenarios::Scene;
use serde_json::{Value, json};
use testkit::searx::Searx;
use testkit::{Carl, Reply};

fn search(scene: &Scene) -> Carl {
    scene.house.ask(["run", "look into my notes"])
}

/// A model that reads a file, and searches for its words.
fn searching() -> Scene {
    let words = "the wasps behind the barn in Ostrau";
    let scene = Scene::new([
        Reply::call("read_file", json!({"path": "notes.txt"})),
        Reply::call("web_search", json!({"query": words})),
        Reply::text("That is all."),
    ]);
    scene
        .house
        .write("notes.txt", format!("Ask about {words}.\n"));
    scene
}

#[test]
fn a_search_says_where_its_words_would_go() {
    let scene = searching();
    let searx = Searx::new([]);
    let config = searx.config();
    let place = config.split('"').find(|part| part.starts_with("http"));
    let place = place.unwrap().to_owned();
    scene
        .house
        .configure(&format!("{}{config}", scene.server.config("openai")));
    let run = search(&scene).at_terminal(|_, _| "n".to_owned());
    let [question] = run.questions.as_slice() else {
        panic!("{run:#?}");
    };
    let told = format!("The query goes to searxng at {place}");
    assert!(question.contains(&told), "{told}: {question}");
    assert!(searx.queries().is_empty());
}

#[test]
fn a_search_that_no_server_answers_is_not_asked_about() {
    let scene = searching();
    let nowhere = "\n[search]\nurl = \"http://127.0.0.1:9\"\n";
    scene
        .house
        .configure(&format!("{}{nowhere}", scene.server.config("openai")));
    let run = search(&scene).at_terminal(|_, _| "n".to_owned());
    assert!(run.questions.is_empty(), "{run:#?}");
    let told = "nothing answers at http://127.0.0.1:9/";
    assert!(run.finished.stderr.contains(told), "{run:#?}");
}

#[test]
fn notes_are_named_as_a_remedy_only_where_they_are_the_reason() {
    let shell = |word: &str| Reply::call("run_command", json!({"argv": ["/bin/echo", word]}));
    let reason = |outcome: &scenarios::Outcome, scene: &Scene| -> String {
        let log = scene.log(outcome);
        let decisions = scenarios::of_kind(&log, "broker_decision");
        let denied = decisions.iter().find(|one| one["verdict"] == "deny");
        denied
            .map_or(Value::Null, |one| one["reason"].clone())
            .to_string()
    };
    let flags = ["--agent", "sysadmin", "--yes", "exec", "do it"];
    let advice = "carl policy trust FILE";
    // Its own notes stand in the way.
    let scene = Scene::new([shell("one"), Reply::text("Done.")]);
    scene.house.write("AGENTS.md", "Say hello.\n");
    let why = reason(&scene.run(&flags), &scene);
    assert!(why.contains(advice), "{why}");
    // What a program printed does, and the notes are trusted.
    let scene = Scene::new([shell("one"), shell("two"), Reply::text("Done.")]);
    scene.house.write("AGENTS.md", "Say hello.\n");
    scene
        .house
        .ask(["policy", "trust", "AGENTS.md"])
        .run()
        .expect(0);
    let why = reason(&scene.run(&flags), &scene);
    assert!(why.contains("program:run_command"), "{why}");
    assert!(!why.contains(advice), "{why}");
}

#[test]
fn words_that_were_typed_are_not_called_the_agents_choice() {
    let scene = Scene::new([]);
    scene.house.write("a.txt", "hello\n");
    let first = scene.run(&["--mode", "deterministic", "read a.txt"]);
    let id = first.text("session_id").to_owned();
    let args = ["run", "--session-id", &id, "--mode", "deterministic"];
    let typed = scene.house.ask(args).arg("create b.txt with hello bees");
    let run = typed.at_terminal(|_, _| "n".to_owned());
    let [question] = run.questions.as_slice() else {
        panic!("{run:#?}");
    };
    assert!(!question.contains("The agent chose this"), "{question}");
    assert!(
        question.contains("You typed this; the session had read"),
        "{question}"
    );
}

#[test]
fn on_a_low_terminal_the_end_of_a_change_stands_above_its_last_line() {
    let long: String = (1..=60).map(|number| format!("line {number}\n")).collect();
    let arguments = json!({"path": "a.txt", "content": long});
    let scene = Scene::new([
        Reply::call("write_file", arguments),
        Reply::text("As you like."),
    ]);
    let lines = 8;
    let carl = scene.house.ask(["run", "--allow-write", ".", "write it"]);
    let carl = carl.env("LINES", lines.to_string()).env("COLUMNS", "80");
    let run = carl.at_terminal(|_, _| "n".to_owned());
    let [question] = run.questions.as_slice() else {
        panic!("{run:#?}");
    };
    let (_, end) = question.rsplit_once("+line 60").unwrap();
    assert!(end.contains("In short: write_file"), "{question}");
    assert!(end.lines().count() < lines, "{end}");
    assert!(question.contains("lines not shown here:"), "{question}");
}

#[test]
fn a_question_waits_as_long_as_the_configuration_says() {
    let scene = Scene::new([
        Reply::call("delete_file", json!({"path": "notes.txt"})),
        Reply::text("It stays."),
    ]);
    scene.house.write("notes.txt", "words\n");
    let config = scene.server.config("openai");
    scene
        .house
        .configure(&format!("{config}\n[policy]\nquestion_secs = 1\n"));
    let chat = scene.house.ask(["chat"]).env("TERM", "xterm");
    let mut seat = chat.at_prompt();
    seat.types("delete notes.txt\n");
    seat.until("nobody answered in time");
    seat.until("It stays.");
    seat.until("> ");
    seat.leaves();
    assert_eq!(scene.house.read("notes.txt"), "words\n");
}

#[test]
fn what_was_only_moved_is_not_named_as_read() {
    let scene = Scene::new([
        Reply::call("move_file", json!({"from": "docs", "to": "old"})),
        // What a failure says of a file is something read.
        Reply::call(
            "edit_file",
            json!({"path": "b.txt", "old": "zz", "new": "y"}),
        ),
        Reply::call("write_file", json!({"path": "c.txt", "content": "c"})),
        Reply::text("That is all."),
    ]);
    scene.house.write("docs/x.txt", "x\n");
    scene.house.write("b.txt", "hello\n");
    let run = scene.house.ask(["run", "tidy up"]);
    let run = run.at_terminal(|_, _| "y".to_owned());
    let [_, question] = run.questions.as_slice() else {
        panic!("{run:#?}");
    };
    let told = "the agent wrote it itself, after reading files of this machine";
    assert!(question.contains(told), "{question}");
    assert!(!question.contains("file:docs"), "{question}");
}

#[test]
fn a_file_read_by_two_names_is_named_once_in_a_question() {
    let scene = Scene::new([
        Reply::call("read_file", json!({"path": "b.txt"})),
        Reply::call("read_file", json!({"path": "./b.txt"})),
        Reply::call("write_file", json!({"path": "c.txt", "content": "c"})),
        Reply::text("That is all."),
    ]);
    scene.house.write("b.txt", "hello\n");
    let run = scene.house.ask(["run", "tidy up"]);
    let run = run.at_terminal(|_, _| "y".to_owned());
    let [question] = run.questions.as_slice() else {
        panic!("{run:#?}");
    };
    let told = "the agent wrote it itself, after reading file:b.txt. ";
    assert!(question.contains(told), "{question}");
    assert!(!question.contains("file:./b.txt"), "{question}");
}

#[test]
fn a_change_of_a_file_with_several_names_says_so() {
    let edit = json!({"path": "a.txt", "old": "draft", "new": "final"});
    let write = json!({"path": "a.txt", "content": "other\n", "mode": "overwrite"});
    let scene = Scene::new([
        Reply::call("edit_file", edit),
        Reply::call("write_file", write),
        Reply::text("That is all."),
    ]);
    scene.house.write("a.txt", "draft\n");
    let twin = scene.house.work().join("twin.txt");
    std::fs::hard_link(scene.house.work().join("a.txt"), &twin).unwrap();
    let run = scene.house.ask(["run", "--allow-write", ".", "change it"]);
    let run = run.at_terminal(|_, _| "y".to_owned());
    let [first, second] = run.questions.as_slice() else {
        panic!("{run:#?}");
    };
    assert!(
        first.contains("the file has 2 names (hard links)"),
        "{first}"
    );
    assert!(!second.contains("hard links"), "{second}");
    assert_eq!(scene.house.read("twin.txt"), "draft\n");
}
