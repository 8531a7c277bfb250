//! Adaptive mode, which is the default: who works on a request where the user left it open.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test is allowed to fail loudly"
)]

use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::{House, Reply};

const BY_RULES: &str = "by rules, no model";

/// A scripted model, with more said in `[chat]` or about its provider.
fn scene(chat: &str, provider: &str, replies: impl IntoIterator<Item = Reply>) -> Scene {
    let scene = Scene::new(replies);
    let config = scene.server.config("openai");
    let table = "[models.providers.scripted]\n";
    assert!(config.contains(table), "{config}");
    let config = config.replace(table, &format!("{table}{provider}\n"));
    scene
        .house
        .configure(&format!("{config}\n[chat]\n{chat}\n"));
    scene
}

fn tell<'a>(house: &House, args: impl IntoIterator<Item = &'a str>) -> testkit::Finished {
    house.ask(["run"]).args(args).run()
}

#[test]
fn the_model_that_comes_along_is_asked_only_for_what_the_rules_do_not_understand() {
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return;
    }
    house.write("old.txt", "x\n");
    let open = ["--allow-write", ".", "--yes", "destructive"];
    let done = tell(&house, open.into_iter().chain(["delete old.txt"])).expect(0);
    assert!(done.stderr.contains(BY_RULES), "{}", done.stderr);
    assert!(!house.has("old.txt"));
    house.write("server.txt", "name = x\nport = 8090\n");
    let asked = tell(&house, ["--json", "which port does server.txt set?"]).expect(0);
    let summary = asked.json();
    assert_eq!(summary["mode"], "plan");
    assert!(summary["answer"].as_str().unwrap().contains("8090"));
    // A plan is asked for where no rule knows the order and no question leaves nothing to choose.
    let planned = tell(&house, ["--json", "polish old.txt"]).json();
    assert_eq!(planned["mode"], "plan");
    assert!(planned["model"].as_str().is_some(), "{planned:#}");
}

/// Orders of one session, one after the other, each with all yeses.
fn in_a_row(house: &House, orders: &[&str]) -> Vec<testkit::Finished> {
    let mut id = String::new();
    let mut done = Vec::new();
    for order in orders {
        let mut args = vec!["--json", "--allow-write", ".", "--yes", "write,destructive"];
        if !id.is_empty() {
            args.extend(["--session-id", &id]);
        }
        args.push(order);
        let finished = tell(house, args);
        finished.json()["session_id"]
            .as_str()
            .unwrap()
            .clone_into(&mut id);
        done.push(finished);
    }
    done
}

#[test]
fn it_and_there_are_what_the_request_before_names() {
    let scene = scene("rules_first = true", "", []);
    let house = &scene.house;
    house.write("notes.md", "State: draft\n");
    house.write("soup.txt", "leeks\n");
    let first = ["create note.txt with the text hi", "delete it again"];
    let done = in_a_row(house, &first);
    assert_eq!(done[1].code, Some(0), "{:?}", done[1]);
    assert!(!house.has("note.txt"));

    // What the file says plays no part: the words before name it.
    let asked = ["show notes.md", "replace draft with final in it"];
    let done = in_a_row(house, &asked);
    assert_eq!(done[1].code, Some(0), "{:?}", done[1]);
    assert_eq!(house.read("notes.md"), "State: final\n");

    let row = [
        "show notes.md",
        "append \"- new\" to it",
        "replace \"- new\" with \"- old\" in it",
        "and how many words does it have?",
    ];
    let done = in_a_row(house, &row);
    assert!(done.iter().all(|one| one.code == Some(0)), "{done:?}");
    assert_eq!(house.read("notes.md"), "State: final\n- old\n");
    let counted = done[3].json()["answer"].to_string();
    assert!(counted.contains("notes.md"), "{counted}");

    let row = [
        "make a folder called recipes and move soup.txt into it",
        "now add a file bread.txt there with the line: flour, water, salt",
    ];
    let done = in_a_row(house, &row);
    assert_eq!(done[1].code, Some(0), "{:?}", done[1]);
    assert_eq!(house.read("recipes/bread.txt"), "flour, water, salt\n");
    assert!(!house.has("bread.txt"));

    // Of two files neither is guessed, and what was refused names nothing.
    for before in ["copy notes.md to b.md", "delete missing.md"] {
        let id = in_a_row(house, &[before])[0].json()["session_id"].clone();
        let args = [
            "--mode",
            "deterministic",
            "--session-id",
            id.as_str().unwrap(),
        ];
        let open = ["--allow-write", ".", "--yes", "destructive", "delete it"];
        let refused = tell(house, args.into_iter().chain(open)).expect(4);
        assert!(refused.stderr.contains("`it` means"), "{refused:?}");
    }
    assert!(house.has("notes.md") && house.has("b.md"));
    assert_eq!(scene.server.chats().len(), 0, "no model was asked");
}

const SETTINGS: &str = "[package]\nname = \"x\"\n\n[dependencies]\n";

/// Tells the model that comes along, in its own mode, and agrees to every change.
fn order(house: &House, says: &str) -> testkit::Finished {
    tell(house, ["--allow-write", ".", "--yes", "write", says])
}

#[test]
fn what_the_model_that_comes_along_does_not_understand_changes_nothing_and_prints_no_file() {
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return;
    }
    let files = [
        ("novel.md", "The harbour stood still.\n"),
        ("Cargo.toml", SETTINGS),
        ("s.toml", "version = \"1\"\n"),
        ("s.json", "{\n  \"a\": 1\n}\n"),
    ];
    for (path, text) in files {
        house.write(path, text);
    }
    order(&house, "create todo.txt with \"call Ann\"").expect(0);
    for says in [
        "add serde to the dependencies in Cargo.toml",
        "add version = \"2\" to s.toml",
        "add \"b\" to s.json",
        "insert 'Sunday: church' before harbour in novel.md",
        "append a summary to novel.md",
        "create outline.md with an outline of the novel",
        "keep a backup of everything",
        "delete the last word of novel.md",
        "translate novel.md to English",
        "replace stood with sat in novel.md and polish it",
        "run the tests",
        "run cargo build",
        "git status",
        "show the git log",
    ] {
        let done = order(&house, says);
        assert_ne!(done.code, Some(0), "{says}: {done:#?}");
        assert!(!done.stdout.contains("harbour"), "{says}: {done:#?}");
        assert!(
            done.stderr.contains("Nothing was done"),
            "{says}: {done:#?}"
        );
        for (path, text) in files {
            assert_eq!(house.read(path), text, "{says}");
        }
        assert!(house.has("todo.txt") && !house.has("outline.md"), "{says}");
    }
    let told = order(&house, "run cargo build").stderr;
    assert!(told.contains("larger model runs programs"), "{told}");
}

#[test]
fn the_model_that_comes_along_takes_nothing_back_unless_it_is_asked_to() {
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return;
    }
    order(&house, "create novel.md with \"Once\"").expect(0);
    order(&house, "make a backup of novel.md").expect(0);
    assert_eq!(house.read("novel.md.bak"), "Once\n");
    let planned = ["--mode", "plan"].into_iter();
    let open = [
        "--allow-write",
        ".",
        "--yes",
        "write",
        "back up all my work",
    ];
    let done = tell(&house, planned.chain(open));
    assert_ne!(done.code, Some(0), "{done:#?}");
    assert!(house.has("novel.md") && house.has("novel.md.bak"));
}

#[test]
fn rules_first_spares_any_model_what_the_rules_understand_and_says_so_each_time() {
    let scene = scene("rules_first = true", "", [Reply::text("It says hi.")]);
    scene.house.write("notes.txt", "a\nb\nc\n");
    for _ in 0..2 {
        let done = tell(&scene.house, ["show notes.txt"]).expect(0);
        assert!(done.stderr.contains(BY_RULES), "{}", done.stderr);
        assert!(done.stdout.contains("a\nb\nc"), "{}", done.stdout);
    }
    assert!(scene.server.chats().is_empty());
    let summary = tell(&scene.house, ["--json", "show notes.txt"])
        .expect(0)
        .json();
    assert_eq!(summary["mode"], "deterministic");
    // What the rules showed is part of the conversation that a model goes on with.
    let session = summary["session_id"].as_str().unwrap();
    let asked = ["--json", "--session-id", session, "what do you make of it"];
    let asked = tell(&scene.house, asked).expect(0).json();
    assert_eq!(asked["mode"], "loop");
    let chats = scene.server.chats();
    assert!(chats[0].body["messages"].to_string().contains("a\\nb\\nc"));
}

#[test]
fn loop_mode_and_a_larger_model_ask_the_model_for_everything() {
    for (chat, flags) in [
        ("rules_first = true", &["--mode", "loop"][..]),
        ("default_mode = \"loop\"\nrules_first = true", &[]),
        ("", &[]),
    ] {
        let scene = scene(chat, "", [Reply::text("It has three lines.")]);
        scene.house.write("notes.txt", "a\nb\nc\n");
        let args = flags.iter().copied().chain(["--json", "show notes.txt"]);
        let summary = tell(&scene.house, args).expect(0).json();
        assert_eq!(summary["answer"], "It has three lines.", "{chat}");
        assert_eq!(summary["mode"], "loop");
        assert_eq!(scene.server.chats().len(), 1);
    }
}

#[test]
fn data_is_never_left_to_the_rules() {
    let scene = scene("rules_first = true", "", [Reply::text("Seen.")]);
    scene.house.write("notes.txt", "a\n");
    let data = scene.house.write("data.txt", "one\n");
    let data = data.to_str().unwrap();
    let summary = tell(&scene.house, ["--json", "--input", data, "show notes.txt"]);
    assert_eq!(summary.expect(0).json()["answer"], "Seen.");
}

#[test]
fn a_tiny_model_plans_and_that_is_said_once_in_a_session() {
    let plan = "{\"intent\":\"have a glance at notes.txt\",\"actions\":[{\"kind\":\"read_file\",\"path\":\"notes.txt\"}]}";
    let scene = scene(
        "",
        "class = \"tiny\"",
        [Reply::text(plan), Reply::text(plan)],
    );
    scene.house.write("notes.txt", "a\n");
    let told = tell(&scene.house, ["have a glance at notes.txt"])
        .expect(0)
        .stderr;
    assert!(
        told.contains("plan mode, since the model is tiny"),
        "{told}"
    );
    let chats = scene.server.chats();
    assert!(chats[0].body["response_format"]["json_schema"].is_object());
    let summary = tell(&scene.house, ["--json", "have a glance at notes.txt"])
        .expect(0)
        .json();
    assert_eq!(summary["mode"], "plan");
    let log = scene
        .house
        .session_log(summary["session_id"].as_str().unwrap());
    assert_eq!(of_kind(&log, "mode_chosen").len(), 1);
    let models = scene.house.ask(["models", "--json"]).run().expect(0).json();
    assert_eq!(models["models"][0]["class"], "tiny", "{models:#}");
}

#[test]
fn a_tiny_model_is_not_asked_what_the_rules_do_and_not_how_to_look_for_an_answer() {
    let answer = || Reply::text("It is 8090.");
    let scene = scene("", "class = \"tiny\"", [answer()]);
    scene
        .house
        .write("settings.toml", "[server]\nport = 8090\n");
    let shown = tell(&scene.house, ["show settings.toml"]).expect(0);
    assert!(shown.stderr.contains(BY_RULES), "{}", shown.stderr);
    assert!(scene.server.chats().is_empty());
    // What a file of settings that is named sets is told from its line. Without a name the words of a
    // question are looked for, and the lines that have them are the answer.
    for says in [
        "which port does settings.toml set?",
        "what port does the server use?",
    ] {
        let told = tell(&scene.house, [says]).expect(0);
        assert!(told.stdout.contains("port = 8090"), "{}", told.stdout);
        assert!(scene.server.chats().is_empty(), "{says}");
    }
}

#[test]
fn a_tiny_model_changes_nothing_that_the_request_does_not_name() {
    let plan = |request: &str| {
        let step =
            "{\"kind\":\"create_file\",\"path\":\"verse.txt\",\"content\":\"roses are red\"}";
        Reply::text(format!("{{\"intent\":\"{request}\",\"actions\":[{step}]}}"))
    };
    for (request, code, is_made) in [
        ("write a poem into a new file", 5, false),
        // What it would write is made up.
        ("write a poem into a new file verse.txt", 5, false),
        ("a verse.txt that says roses are red would be fine", 0, true),
    ] {
        let scene = scene("", "class = \"tiny\"", [plan(request)]);
        let open = ["--json", "--allow-write", ".", "--yes", "write", request];
        let summary = tell(&scene.house, open).expect(code).json();
        assert_eq!(scene.house.has("verse.txt"), is_made, "{summary:#}");
        let refused = summary["error"]["code"] == "plan.not_requested";
        assert_eq!(refused, !is_made, "{summary:#}");
    }
}

#[test]
fn a_tiny_model_does_no_half_of_two_orders_and_names_nothing_by_a_mere_word() {
    let moved = |to: &str| {
        format!(
            "{{\"intent\":\"x\",\"actions\":[{{\"kind\":\"move_file\",\"from\":\"a.txt\",\"to\":\"{to}\"}}]}}"
        )
    };
    let added = "{\"intent\":\"x\",\"actions\":[{\"kind\":\"append_text\",\"path\":\"a.log\",\"content\":\"a todo\"}]}";
    for (says, plan) in [
        (
            "move a.txt into docs and enable ssl in s.toml",
            moved("docs/s.toml"),
        ),
        ("move a.txt to docs and m.py to src", moved("docs/m.py")),
        ("rename a.txt to its title", moved("title")),
        ("add a todo", added.to_owned()),
    ] {
        let scene = scene(
            "",
            "class = \"tiny\"",
            [Reply::text(&plan), Reply::text(&plan)],
        );
        for file in ["a.txt", "a.log", "s.toml", "m.py", "docs/x"] {
            scene.house.write(file, "x\n");
        }
        let open = ["--allow-write", ".", "--yes", "write,destructive", says];
        let told = tell(&scene.house, open);
        assert_ne!(told.code, Some(0), "{says}: {told:#?}");
        assert!(scene.house.has("a.txt"), "{says}");
        assert_eq!(scene.house.read("a.log"), "x\n", "{says}");
    }
}

#[test]
fn what_is_asked_of_data_is_answered_from_it_by_a_tiny_model() {
    let scene = scene("", "class = \"tiny\"", [Reply::text("There are two.")]);
    scene.house.write("crontab.txt", "errors: nine\n");
    scene.house.write("data.log", "start\nerrors: two\n");
    let asked = [
        "--input",
        "data.log",
        "--json",
        "how many errors are there?",
    ];
    let summary = tell(&scene.house, asked).expect(0).json();
    let answer = summary["answer"].as_str().unwrap_or_default();
    assert!(answer.contains("two"), "{summary:#}");
    let all = summary.to_string();
    assert!(!all.contains("nine"), "{summary:#}");
}

#[test]
fn a_tiny_model_does_nothing_that_is_forbidden() {
    let step = |kind: &str| match kind {
        "replace" => {
            "{\"kind\":\"replace_text\",\"path\":\"a.txt\",\"old\":\"Tom\",\"new\":\"Tim\"}"
        }
        "read" => "{\"kind\":\"read_file\",\"path\":\"a.txt\"}",
        "rename" => "{\"kind\":\"move_file\",\"from\":\"a.txt\",\"to\":\"b.txt\"}",
        _ => "{\"kind\":\"delete_file\",\"path\":\"a.txt\"}",
    };
    for (says, kind) in [
        ("don't replace Tom with Tim in a.txt", "replace"),
        (
            "I did not want you to replace Tom with Tim in a.txt",
            "replace",
        ),
        ("You must not rename a.txt to b.txt", "rename"),
        ("avoid renaming a.txt to b.txt", "rename"),
        ("stop! do not delete a.txt", "delete"),
        ("pretend to delete a.txt", "delete"),
        ("show a.txt but do not delete a.txt", "delete"),
        ("don't read a.txt", "read"),
    ] {
        let plan = format!("{{\"intent\":\"{says}\",\"actions\":[{}]}}", step(kind));
        let scene = scene(
            "",
            "class = \"tiny\"",
            [Reply::text(&plan), Reply::text(&plan)],
        );
        scene.house.write("a.txt", "Tom\n");
        let open = ["--allow-write", ".", "--yes", "write,destructive", says];
        let told = tell(&scene.house, open);
        assert_ne!(told.code, Some(0), "{says}: {told:#?}");
        assert!(scene.house.has("a.txt"), "{says}");
        assert_eq!(scene.house.read("a.txt"), "Tom\n", "{says}");
        let why = [
            "what not to do",
            "not understood",
            "not requested",
            "not among",
        ];
        assert!(
            why.iter().any(|why| told.stderr.contains(why)),
            "{says}: {told:#?}"
        );
    }
    // What is only spoken of is no order against it.
    let scene = scene("", "class = \"tiny\"", []);
    scene.house.write("a.txt", "Tom\n");
    let says = "append \"do not delete\" to a.txt";
    tell(&scene.house, ["--allow-write", ".", "--yes", "write", says]).expect(0);
    assert_eq!(scene.house.read("a.txt"), "Tom\ndo not delete\n");
}

#[test]
fn a_tiny_model_changes_nothing_in_a_way_that_nobody_spoke_of() {
    let moved = "{\"kind\":\"move_file\",\"from\":\"a.txt\",\"to\":\"TO\"}";
    let request = "move a.txt over to where the archive is";
    for (to, code, is_moved) in [("archive-b.txt", 5, false), ("archive/a.txt", 0, true)] {
        let step = moved.replace("TO", to);
        let plan = format!("{{\"intent\":\"{request}\",\"actions\":[{step}]}}");
        let scene = scene("", "class = \"tiny\"", [Reply::text(plan)]);
        scene.house.write("a.txt", "x\n");
        scene.house.write("archive/old.txt", "y\n");
        let open = ["--json", "--allow-write", ".", "--yes", "write", request];
        let summary = tell(&scene.house, open).expect(code).json();
        assert_eq!(scene.house.has("archive/a.txt"), is_moved, "{summary:#}");
        assert_eq!(scene.house.has("a.txt"), !is_moved, "{summary:#}");
    }
}

#[test]
fn a_refusal_shows_the_texts_of_a_plan_on_one_line() {
    let request = "make the ending of a.txt better";
    let step = "{\"kind\":\"replace_text\",\"path\":\"a.txt\",\"old\":\"x\\ny\",\"new\":\"z\"}";
    let plan = format!("{{\"intent\":\"{request}\",\"actions\":[{step}]}}");
    let scene = scene("", "class = \"tiny\"", [Reply::text(plan)]);
    scene.house.write("a.txt", "x\ny\n");
    let told = order(&scene.house, request).expect(5).stderr;
    assert!(told.contains("`x\\u{a}y`"), "{told}");
    assert_eq!(scene.house.read("a.txt"), "x\ny\n");
    // Which file is meant is asked back, and no model guesses it.
    let told = order(&scene.house, "remove the line about the dentist");
    assert!(
        told.stderr.contains("from a file that is named"),
        "{told:#?}"
    );
    assert_eq!(scene.server.chats().len(), 1);
}

/// Neither by the rules, which know what they cannot write, nor by a tiny model, which repeats its order.
#[test]
fn an_order_is_never_written_into_the_file() {
    for order in [
        "add a docstring to mean in calc.py",
        "add a line on the mean to calc.py",
    ] {
        let plan = json!({"intent": "add it", "actions": [
            {"kind": "append_text", "path": "calc.py", "content": order},
        ]});
        let scene = Scene::of_class("tiny", [Reply::text(plan.to_string())]);
        let code = "def mean(xs):\n    return sum(xs) / len(xs)\n";
        scene.house.write("calc.py", code);
        let outcome = scene.run(&["--allow-write", ".", "--yes", "write", order]);
        assert_ne!(outcome.finished.code, Some(0), "{order}");
        assert_eq!(scene.house.read("calc.py"), code, "{order}");
    }
}
