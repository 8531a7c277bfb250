//! What an agent does, as the UI shows it: refusals, agents below it, the model that comes along.

use crate::seat;
use scenarios::crew::{Wanted, task, two_readers, wanted};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::{Gate, House, Reply, Server, TMUX, is_absent};

#[test]
fn a_denial_names_the_layer_that_decided() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([
        Reply::call("read_file", json!({"path": "~/.ssh/id_ed25519"})),
        Reply::text("I may not."),
    ]));
    let mut window = seat(&scene, &["--mode", "loop"], (100, 30));
    window.enters("read my key");
    window.until("I may not.");
    let screen = window.until("idle");
    let logs = scene.house.session_logs();
    let log = testkit::house::json_lines(&logs[0]);
    let decisions = of_kind(&log, "broker_decision");
    let mut denials = decisions.iter().filter(|one| one["verdict"] == "deny");
    let layer = denials.next().unwrap()["layer"].as_str().unwrap();
    assert!(screen.contains(&format!("denied by {layer}: ")), "{screen}");
}

#[test]
fn agents_at_work_at_the_same_time_stand_in_a_tree() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let held = gate.clone();
    let server = Server::speak(move |body, _| two_readers(body, Some(&held))).openai();
    let scene = Scene::with(server, "openai");
    let config = scene.server.config("openai");
    let config = format!("{config}\n[chat]\ndefault_agent = \"orchestrator\"\n");
    scene.house.configure(&config);
    scene.house.write("a.txt", "MARKER-A");
    scene.house.write("b.txt", "MARKER-B");
    let mut window = seat(&scene, &[], (120, 40));
    window.enters("Are a.txt and b.txt short?");
    // One has reported, and the other waits at the gate.
    window.until("1 agent below");
    window.until_screen("a report", |screen| screen.contains("It is short."));
    window.enters("/inspect agents");
    window.until("time line from ");
    let page = window.until("Read RIGHT in b.txt");
    for part in [
        "Read LEFT in a.txt",
        "success",
        "It is short.",
        "at work",
        " of 400,000 tokens",
        "time line from ",
    ] {
        assert!(page.contains(part), "`{part}`:\n{page}");
    }
    // The page goes on by itself.
    gate.open();
    let is_over = |screen: &str| screen.contains("JOIN both") && !screen.contains("at work");
    let page = window.until_screen("all of them done", is_over);
    let lanes = page
        .lines()
        .filter(|row| row.contains('#') && row.contains('…'));
    assert_eq!(lanes.count(), 3, "{page}");
    window.presses(&["Escape"]);
    window.until("Both are short.");
}

#[test]
fn a_page_goes_on_with_what_happens() {
    if is_absent(TMUX) {
        return;
    }
    let gate = Gate::new();
    let scene = Scene::forgetful(Server::openai([
        Reply::call("list_files", json!({"path": "."})),
        Reply::text("")
            .and_wait(&gate)
            .and_call("read_file", json!({"path": "a.txt"})),
        Reply::text("Done."),
    ]));
    let content: String = (0..40).map(|n| format!("row {n}\n")).collect();
    scene.house.write("a.txt", &content);
    let mut window = seat(&scene, &["--mode", "loop"], (80, 24));
    window.enters("look around");
    window.until("list_files");
    window.presses(&["C-t"]);
    let first = window.until("result: done in");
    assert!(!first.contains("read_file"), "{first}");
    gate.open();
    // Where its end is read, it goes on there; elsewhere nothing moves.
    window.until("| row 39");
    window.types("g");
    window.until("list_files");
    window.types("/row 20");
    window.presses(&["Enter"]);
    window.until("| row 20");
    window.presses(&["Escape"]);
    window.until("Done.");
    window.until("idle");
}

#[test]
fn a_page_says_what_memory_recalled_and_why() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::new([Reply::text("I will remember that."), Reply::text("Blue.")]);
    let told = "my favourite colour is blue";
    scene.house.ask(["run", told]).run().expect(0);
    let mut window = seat(&scene, &[], (120, 40));
    window.enters("what is my favourite colour?");
    window.until("Blue.");
    window.until("idle");
    window.enters("/inspect memory");
    let page = window.until("relevance ");
    for part in [
        "recalled for: what is my favourite colour?",
        told,
        " old · ",
        "score",
        "lexical",
    ] {
        assert!(page.contains(part), "`{part}`:\n{page}");
    }
}

#[test]
fn the_model_that_comes_along_answers_in_the_ui() {
    if is_absent(TMUX) {
        return;
    }
    let house = House::new();
    if !house.use_engine() {
        eprintln!("left out: run `cargo xtask setup`, or the whole with `cargo xtask test`");
        return;
    }
    house.write("settings.toml", "[server]\nport = 8090\n");
    house.write("old.txt", "draft\n");
    let mut window = house.ask(["--allow-write", "."]).in_window((100, 30));
    window.starts();
    window.enters("which port does settings.toml set?");
    window.until("8090");
    window.until("idle");
    window.enters("replace \"draft\" with \"final\" in old.txt");
    window.until(crate::ANSWER);
    window.types("y");
    window.until(&format!("{} y", crate::ANSWER));
    window.presses(&["Enter"]);
    window.until("by rules, no model");
    window.until("idle");
    assert_eq!(house.read("old.txt"), "final\n");
}

#[test]
fn the_status_line_says_what_is_known_as_far_as_it_fits() {
    if is_absent(TMUX) {
        return;
    }
    let scene = Scene::forgetful(Server::openai([Reply::text("Done.")]));
    let prices = "\n[drive.prices.scripted]\nprompt = 3.0\ncompletion = 15.0\n";
    let config = scene.server.config("openai");
    let kind = "type = \"openai\"";
    assert!(config.contains(kind), "{config}");
    let config = config.replace(kind, &format!("{kind}\ncontext_tokens = 32768"));
    scene.house.configure(&(config + prices));
    let mut window = seat(&scene, &["--air-gap"], (160, 24));
    window.enters("go");
    window.until("Done.");
    let is_over = |screen: &str| screen.contains("cost 0.0") && screen.contains(" idle ");
    let screen = window.until_screen("cost when all is over", is_over);
    let status = screen.lines().rfind(|line| line.contains("idle")).unwrap();
    let facts: Vec<&str> = status.split(" · ").collect();
    assert_eq!(
        facts[..4],
        ["coder", "adaptive", "idle", "air gap"],
        "{status}"
    );
    assert_eq!(facts[4], "scripted/scripted-model", "{status}");
    assert!(facts[5].contains(" tokens ("), "{status}");
    let last = facts.last().unwrap();
    assert_eq!(*last, "the chosen provider; its default_model", "{status}");
    // The last ones are left out where it is narrow.
    window.resizes((60, 24));
    let is_short = |screen: &str| {
        screen.contains("coder · adaptive · idle · air gap") && !screen.contains("cost")
    };
    window.until_screen("a shorter line", is_short);
}

/// A task that reads a file and one that writes another.
fn reader_and_writer(body: &Value) -> Reply {
    let said = body["messages"].to_string();
    let has_result = said.contains("\"role\":\"tool\"");
    let is_writer = said.contains("WRITE hello");
    match wanted(body) {
        Wanted::Tasks => {
            let mut write = task("write", "WRITE hello into out.txt", &[]);
            write["agent_type"] = json!("coder");
            write["expected_artifacts"] = json!(["out.txt"]);
            let tasks = [task("read", "READ a.txt", &[]), write];
            Reply::text(json!({ "tasks": tasks }).to_string())
        }
        Wanted::Report => {
            let artifacts = if is_writer {
                json!(["out.txt"])
            } else {
                json!([])
            };
            let report = json!({
                "status": "success", "summary": "It is done.", "artifacts": artifacts,
                "result_quality": "verified", "source": "tool_output", "new_memory_candidates": [],
            });
            Reply::text(report.to_string())
        }
        Wanted::Other | Wanted::Digest => Reply::text(json!({"keep": []}).to_string()),
        Wanted::Answer => Reply::text("Both are done."),
        Wanted::Step if has_result => Reply::text("Done."),
        Wanted::Step if is_writer => {
            Reply::call("write_file", json!({"path": "out.txt", "content": "hello"}))
        }
        Wanted::Step => Reply::call("read_file", json!({"path": "a.txt"})),
    }
}

#[test]
fn calls_and_files_of_agents_below_say_whose_they_are() {
    if is_absent(TMUX) {
        return;
    }
    let server = Server::speak(|body, _| reader_and_writer(body)).openai();
    let scene = Scene::with(server, "openai");
    let config = scene.server.config("openai");
    let config = format!("{config}\n[chat]\ndefault_agent = \"orchestrator\"\n");
    scene.house.configure(&config);
    scene.house.write("a.txt", "MARKER-A");
    let args = ["--allow-write", ".", "--yes", "write"];
    let mut window = seat(&scene, &args, (120, 60));
    window.enters("Read a.txt and write out.txt");
    window.until("Both are done.");
    window.until("idle");
    let all = window.everything();
    for part in [
        "→ read_file (researcher …",
        "→ write_file (coder …",
        "✓ researcher …",
        "✓ coder …",
    ] {
        assert!(all.contains(part), "`{part}`:\n{all}");
    }
    let mut lines = all.lines();
    let told = lines.find(|line| line.contains("created ") && line.contains("/out.txt"));
    assert!(
        told.is_some_and(|line| line.contains("(by coder …")),
        "{all}"
    );
    // The session goes on with what was done.
    window.presses(&["C-d"]);
    window.until_shell();
    drop(window);
    let window = seat(&scene, &["--resume", "last"], (120, 60));
    let screen = window.screen();
    assert!(screen.contains("→ write_file (coder …"), "{screen}");
}
