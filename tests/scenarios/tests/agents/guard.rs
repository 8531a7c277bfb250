//! What the user opens and closes: overrides, disabled tools, grants, confirmations.

use scenarios::{Scene, of_kind};
use serde_json::json;
use std::collections::BTreeSet;
use testkit::flags::CHANGES;
use testkit::{House, Reply};

fn writes() -> Scene {
    let call = Reply::call("write_file", json!({"path": "made.txt", "content": "x"}));
    Scene::new([call, Reply::text("Done.")])
}

#[test]
fn writing_needs_an_open_folder_and_a_confirmation() {
    for (flags, layer) in [
        (&["--yes", "write"][..], "path"),
        (&["--allow-write", "."], "safety_gate"),
    ] {
        let scene = writes();
        let outcome = scene.run(&[flags, &["write it"]].concat());
        assert!(!scene.house.has("made.txt"), "{flags:?} sufficed");
        assert_eq!(
            outcome.calls()[0]["status"],
            "denied",
            "{:#}",
            outcome.summary
        );
        assert_eq!(outcome.calls()[0]["layer"], layer, "{:#}", outcome.summary);
    }
    let scene = writes();
    scene
        .run(&["--allow-write", ".", "--yes", "write", "write it"])
        .assert_ends(0, "success");
    assert_eq!(scene.house.read("made.txt"), "x");
}

#[test]
fn without_a_person_silence_is_a_no_and_the_log_says_so() {
    let scene = writes();
    let outcome = scene.run(&["--allow-write", ".", "write it"]);
    let log = scene.log(&outcome);
    let answered = of_kind(&log, "confirmation_answered");
    assert!(
        answered.iter().all(|event| event["by"] == "unattended"),
        "{answered:?}"
    );
    assert!(!scene.house.has("made.txt"));
}

#[test]
fn a_disabled_tool_is_off_at_every_override_level() {
    for level in ["none", "relax", "all"] {
        let scene = writes();
        let flags = [
            "--allow-write",
            ".",
            "--yes",
            "write",
            "--disable-tool",
            "write_file",
        ];
        let outcome = scene.run(&[&flags[..], &["--override", level, "write it"]].concat());
        assert_eq!(outcome.calls()[0]["layer"], "session_override", "{level}");
        assert!(!scene.house.has("made.txt"), "{level}");
    }
}

#[test]
fn an_open_gate_is_on_record_for_every_call() {
    let scene = Scene::new([
        Reply::call("read_file", json!({"path": "a.txt"})),
        Reply::text("ok"),
    ]);
    scene.house.write("a.txt", "x");
    let outcome = scene.run(&["--override", "all", "read it"]);
    outcome.assert_ends(0, "success");
    let audit = scene.audit(&outcome);
    assert!(
        audit
            .iter()
            .any(|record| record.to_string().contains("override=all")),
        "{audit:#?}"
    );
    for action in ["decide", "intent", "outcome"] {
        assert!(
            audit.iter().any(|record| record["action"] == action),
            "{action}: {audit:#?}"
        );
    }
}

#[test]
fn more_rights_leave_every_tool_of_the_type_on_offer() {
    let offered = |flags: &[&str]| -> BTreeSet<String> {
        let scene = Scene::new([Reply::text("ok")]);
        let config = scene.server.config("openai") + "context_tokens = 32768\n";
        scene.house.configure(&config);
        let task = ["please make the tests pass"];
        scene
            .run(&[flags, &task].concat())
            .assert_ends(0, "success");
        let body = &scene.server.chats()[0].body;
        let tools = body["tools"].as_array().unwrap().iter();
        tools
            .map(|tool| tool["function"]["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let grants = ["--grant", "coder:run_command", "--grant", "coder:start_job"];
    for agent in ["coder", "sysadmin"] {
        let own = offered(&["--agent", agent]);
        assert!(own.contains("edit_file"), "{own:?}");
        for more in [&["--override", "all"][..], &grants] {
            let wide = offered(&[&["--agent", agent], more].concat());
            assert!(own.is_subset(&wide), "{agent} {more:?}: {wide:?}");
        }
    }
    let granted = offered(&grants);
    assert!(granted.contains("run_command"), "{granted:?}");
}

#[test]
fn a_refusal_without_a_question_says_how_to_ask_for_it() {
    let delete = || Reply::call("delete_file", json!({"path": "zettel.txt"}));
    let scene = Scene::new([
        Reply::call("read_file", json!({"path": "notes.md"})),
        delete(),
        Reply::text("Not done."),
        delete(),
        Reply::text("Done."),
    ]);
    scene.house.write("zettel.txt", "buy milk\n");
    scene.house.write("notes.md", "See zettel.txt.\n");
    let deletes = |task: &str| {
        let carl = scene.house.ask(["run", task]);
        carl.at_terminal(|_, _| "y".to_owned())
    };
    let refused = deletes("tidy up here");
    assert!(refused.questions.is_empty(), "{refused:#?}");
    let told = refused.finished.stderr.replace("\n", " ");
    let told: Vec<&str> = told.split_whitespace().collect();
    assert!(
        told.join(" ").contains("name it there if you want this"),
        "{refused:#?}"
    );
    assert!(scene.house.has("zettel.txt"));
    let named = deletes("delete zettel.txt");
    assert_eq!(named.questions.len(), 1, "{named:#?}");
    assert!(!scene.house.has("zettel.txt"));
}

#[test]
fn an_edit_that_fits_nowhere_changes_nothing_and_says_so() {
    let edit = json!({"path": "a.txt", "old": "three", "new": "3"});
    let scene = Scene::new([
        Reply::call("edit_file", edit),
        Reply::text("It is not there."),
    ]);
    scene.house.write("a.txt", "one\ntwo\n");
    let outcome = scene.run(&["--allow-write", ".", "--yes", "write", "edit it"]);
    assert_ne!(outcome.calls()[0]["status"], "ok", "{:#}", outcome.summary);
    assert_eq!(scene.house.read("a.txt"), "one\ntwo\n");
}

#[test]
fn protected_places_stay_closed_inside_an_open_folder() {
    for place in [".git/hooks/pre-commit", ".env", ".bashrc", ".git/config"] {
        let scene = Scene::new([
            Reply::call("write_file", json!({"path": place, "content": "x"})),
            Reply::text("No."),
        ]);
        scene.house.write(".git/HEAD", "ref: refs/heads/main\n");
        let outcome = scene.run(&["--allow-write", ".", "--yes", "write", "write it"]);
        assert_eq!(
            outcome.calls()[0]["status"],
            "denied",
            "{place}: {:#}",
            outcome.summary
        );
        assert!(!scene.house.has(place), "{place}");
    }
}

#[test]
fn explain_gives_every_layers_verdict_and_has_no_effect() {
    let house = House::new();
    house.write("a.txt", "x");
    let args = [
        "policy",
        "explain",
        "coder",
        "delete_file",
        "{\"path\": \"a.txt\"}",
        "--json",
    ];
    let explained = house.ask(args).run().expect(5).json();
    assert!(
        explained["findings"].as_array().unwrap().len() >= 5,
        "{explained:#}"
    );
    assert_ne!(explained["verdict"], "allow");
    // With someone there, what would be refused for want of an answer is asked.
    let told = |args: Vec<&str>| house.ask(args).run().json()["findings"].clone();
    let gate = |findings: &serde_json::Value| {
        let findings = findings.as_array().unwrap().iter();
        let mut gates = findings.filter(|f| f["layer"] == "safety_gate");
        gates.next().unwrap()["verdict"].clone()
    };
    assert_eq!(gate(&told(args.to_vec())), "deny");
    let attended = [&args[..], &["--attended"]].concat();
    assert_eq!(gate(&told(attended)), "confirm");
    assert!(house.has("a.txt"));
}

#[test]
fn explaining_for_an_agent_type_that_does_not_exist_is_a_mistake_of_usage() {
    let house = House::new();
    let args = ["policy", "explain", "nosuchtype", "read_file", "{}"];
    let said = house.ask(args).run().expect(2).stderr;
    for part in ["broker.unknown_agent_type", "carl agents"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn an_air_gap_refuses_every_address_but_loopback() {
    let house = House::new();
    house.configure(
        "[models.providers.far]\ntype = \"openai\"\nendpoint = \"http://192.0.2.1:9/v1\"\n\
         default_model = \"m\"\n",
    );
    let finished = house
        .ask(["run", "--json", "--air-gap", "--provider", "far", "hello"])
        .run();
    assert_eq!(finished.code, Some(4), "{finished:#?}");
    assert_eq!(finished.json()["error"]["code"], "models.blocked");
}

#[test]
fn who_is_refused_by_the_air_gap_is_told_what_set_it() {
    let house = House::new();
    let far = "[models.providers.far]\ntype = \"openai\"\nendpoint = \"http://192.0.2.1:9/v1\"\n\
               default_model = \"m\"\n";
    let hint = |carl: testkit::Carl, expected: &str| {
        let finished = carl.args(["run", "--json", "hello"]).run().expect(4);
        let told = finished.json()["error"]["hint"].to_string();
        assert!(told.contains(expected), "{expected}: {told}");
        assert_eq!(
            told.contains("--air-gap"),
            expected == "--air-gap",
            "{told}"
        );
    };
    house.configure(far);
    hint(
        house.carl().env("CARL_MODELS__AIR_GAP", "true"),
        "CARL_MODELS__AIR_GAP sets",
    );
    let project = house.write(".housecarl.toml", "air_gap = true\n");
    hint(house.carl(), ".housecarl.toml sets");
    std::fs::remove_file(project).unwrap();
    house.configure(&format!("[models]\nair_gap = true\n{far}"));
    hint(house.carl(), "config.toml sets");
}

#[test]
fn an_air_gap_of_models_is_shown_for_search() {
    let house = House::new();
    let shown = |key: &str| {
        let shown = house.ask(["config", "show", "--origin"]).run().expect(0);
        let line = shown.stdout.lines().find(|line| line.starts_with(key));
        line.unwrap().to_owned()
    };
    assert_eq!(shown("search.air_gap"), "search.air_gap = false  # default");
    house.write(".housecarl.toml", "air_gap = true\n");
    let told = shown("search.air_gap");
    assert_eq!(told, "search.air_gap = true  # by models.air_gap");
    assert!(shown("models.air_gap").contains("narrowed by"));
}

#[test]
fn a_replay_knows_the_tools_that_are_taken_away_today() {
    let arguments = json!({"path": "notes.md"});
    let scene = Scene::new([Reply::call("read_file", arguments), Reply::text("Read.")]);
    scene.house.write("notes.md", "words\n");
    scene.run(&["read the notes"]).assert_ends(0, "success");
    let replay = || scene.house.ask(["policy", "replay"]).run().expect(0).stdout;
    assert!(replay().contains("none would be"), "{}", replay());
    let project = "disabled_tools = [\"read_file\"]\n";
    scene.house.write(".housecarl.toml", project);
    let replay = replay();
    assert!(
        replay.contains("1 call; 1 would be decided differently"),
        "{replay}"
    );
    assert!(replay.contains("disabled_tool"), "{replay}");
}

#[test]
fn the_example_of_an_agent_type_opens_a_closed_name() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/agents.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, behind) = page.split_once("```yaml\n").unwrap();
    let (example, _) = behind.split_once("```").unwrap();
    let calls = |path: &str| {
        [
            Reply::call("read_file", json!({ "path": path })),
            Reply::text("Done."),
        ]
    };
    for (path, status) in [("~/.notes/a.md", "ok"), ("~/.other/a.md", "denied")] {
        let scene = Scene::new(calls(path));
        let home = scene.house.home();
        for folder in [".notes", ".other"] {
            std::fs::create_dir_all(home.join(folder)).unwrap();
            std::fs::write(home.join(folder).join("a.md"), "buy milk").unwrap();
        }
        scene.house.write_config("agents.yaml", example);
        let outcome = scene.run(&["--agent", "notetaker", "read my notes"]);
        assert_eq!(
            outcome.calls()[0]["status"],
            status,
            "{:#}",
            outcome.summary
        );
    }
}

#[test]
fn the_shipped_agent_types_can_be_printed_when_the_own_file_is_wrong() {
    let house = House::new();
    house.write_config("agents.yaml", "agents:\n  coder: {colour: red}\n");
    // As every other mistake in what configures it.
    let refused = house.ask(["agents"]).run().expect(2);
    assert!(
        refused.stderr.contains("carl agents --shipped"),
        "{}",
        refused.stderr
    );
    let shipped = house.ask(["agents", "--shipped"]).run().expect(0).stdout;
    // What is printed is a file that can be used.
    house.write_config("agents.yaml", &shipped);
    let listed = house.ask(["agents", "--json"]).run().expect(0).stdout;
    assert!(listed.contains("sysadmin"), "{listed}");
}

#[test]
fn agents_are_listed_with_what_they_are_for() {
    let house = House::new();
    let listed = house.ask(["agents"]).run().expect(0).stdout;
    let agents = house.ask(["agents", "--json"]).run().expect(0).json();
    let agents = agents.as_array().unwrap();
    assert!(agents.len() >= 5, "{agents:#?}");
    for agent in agents {
        let (name, what) = (&agent["type"], &agent["description"]);
        let head = format!("{}\n  {}\n", name.as_str().unwrap(), what.as_str().unwrap());
        assert!(listed.contains(&head), "{head}{listed}");
    }
}

/// A call that is wrong by itself tells nothing of a file.
#[test]
fn an_edit_that_would_change_nothing_is_no_reading() {
    let edit = |old: &str| json!({"path": "a.txt", "old": old, "new": "same"});
    for (old, status) in [("same", "ok"), ("other", "denied")] {
        let scene = Scene::new([
            Reply::call("edit_file", edit(old)),
            Reply::call("delete_file", json!({"path": "b.txt"})),
            Reply::text("b.txt is deleted."),
        ]);
        scene.house.write("a.txt", "something\n");
        scene.house.write("b.txt", "b\n");
        let outcome = scene.run(&[&CHANGES[..], &["tidy up"]].concat());
        assert_eq!(outcome.calls()[0]["status"], "failed");
        assert_eq!(
            outcome.calls()[1]["status"],
            status,
            "{:#}",
            outcome.summary
        );
    }
}
