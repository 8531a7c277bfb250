//! What stands beside a session, what is chosen for the next message, and what goes along with it.

use crate::{set_port, told};
use scenarios::crew::{Wanted, task, two_readers, wanted};
use scenarios::serving::Page;
use scenarios::site::{Response, serve_here};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::process::Command;
use testkit::house::json_lines;
use testkit::{BROWSER, Gate, Reply, Server, Story, is_absent};

const FILE: &str = "panels.mjs";

/// Nothing is recalled or captured.
const FORGETS: &str = "[memory]\nrecall = false\ncapture = false\n";

/// A story in a scene with more configuration behind that of the model's server.
fn begun(scene: &Scene, more: &str, name: &str) -> Option<(Page, Story)> {
    let config = scene.server.config("openai");
    scene.house.configure(&format!("{config}{more}"));
    let page = Page::begin(scene);
    let story = Story::begin(FILE, name, &page.link)?;
    Some((page, story))
}

#[test]
fn agents_at_work_stand_in_a_tree_that_goes_on() {
    if is_absent(BROWSER) {
        return;
    }
    let gate = Gate::new();
    let held = gate.clone();
    let server = Server::speak(move |body, _| two_readers(body, Some(&held)));
    let scene = Scene::with(server.openai(), "openai");
    scene.house.write("a.txt", "A");
    scene.house.write("b.txt", "B");
    let more = format!("\n[chat]\ndefault_agent = \"orchestrator\"\n{FORGETS}");
    let Some((_page, mut story)) = begun(&scene, &more, "agents") else {
        return;
    };
    story.until("one at work");
    gate.open();
    story.go_on("");
    story.end();
}

#[test]
fn a_call_is_shown_with_who_answered_and_what_is_on_record() {
    let replies = [
        set_port("8000", "9000"),
        Reply::text("The port is 9000."),
        Reply::text("As before."),
    ];
    let Some((_scene, _page, story)) = told((FILE, "calls"), replies) else {
        return;
    };
    story.end();
}

/// Says a word, and another once the file is written that it waits for.
const WATCHES: &str = "echo first word; read go < gate; echo second word; sleep 1000";

fn job(name: &str, script: &str) -> Reply {
    let arguments = json!({"name": name, "argv": ["/bin/sh", "-c", script]});
    Reply::call("start_job", arguments)
}

#[test]
fn a_job_is_read_while_it_runs_and_stopped() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::new([job("watcher", WATCHES), Reply::text("It runs.")]);
    let gate = scene.house.work().join("gate");
    let made = Command::new("mkfifo").arg(&gate).status();
    assert!(made.unwrap().success());
    let more =
        format!("\n[chat]\ndefault_agent = \"sysadmin\"\ndefault_mode = \"loop\"\n{FORGETS}");
    let Some((_page, mut story)) = begun(&scene, &more, "jobs") else {
        return;
    };
    story.until("it runs");
    std::fs::write(gate, "go\n").unwrap();
    story.go_on("");
    story.end();
}

#[test]
fn what_memory_recalled_is_shown_with_why() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::new([Reply::text("I will remember that."), Reply::text("Blue.")]);
    let told = "my favourite colour is blue";
    scene.house.ask(["run", told]).run().expect(0);
    let Some((_page, story)) = begun(&scene, "", "memory") else {
        return;
    };
    story.end();
}

#[test]
fn an_entry_of_memory_is_corrected_and_forgotten_in_its_panel() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::new([]);
    let added = ["memory", "add", "the blue pot holds four cups"];
    scene.house.ask(added).run().expect(0);
    let Some((_page, story)) = begun(&scene, "", "curating") else {
        return;
    };
    story.end();
    let listed = scene.house.ask(["memory", "list", "--json"]).run();
    assert_eq!(listed.expect(0).stdout, "");
}

#[test]
fn a_call_that_is_only_thought_of_is_explained_in_its_panel() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::new([]);
    let Some((_page, story)) = begun(&scene, "", "policy") else {
        return;
    };
    story.end();
    assert!(!scene.house.has("a.txt"));
}

fn told_as_json(said: &Value) -> Reply {
    Reply::text(said.to_string())
}

#[test]
fn an_answer_is_rated_graded_and_compared_in_its_panel() {
    if is_absent(BROWSER) {
        return;
    }
    let better = |which: &str| json!({"feedback": "By the evidence.", "better": which});
    let scene = Scene::new([
        Reply::text("Lisbon."),
        told_as_json(&json!({"feedback": "Right, and short.", "score": 4})),
        Reply::text("Lisbon, since 1255."),
        told_as_json(&better("second")),
        told_as_json(&better("first")),
    ]);
    let remembers = "[memory]\nrecall = false\n";
    let Some((_page, story)) = begun(&scene, remembers, "quality") else {
        return;
    };
    story.end();
    let log = json_lines(&scene.house.session_logs()[0]);
    assert_eq!(of_kind(&log, "feedback")[0]["score"], 100);
    assert_eq!(of_kind(&log, "critique")[0]["score"], 4);
    assert_eq!(of_kind(&log, "second_rated")[0]["winner"], "A");
}

#[test]
fn why_an_answer_is_not_graded_is_told_in_its_panel() {
    if is_absent(BROWSER) {
        return;
    }
    let mut replies = vec![Reply::text("Lisbon.")];
    // The gateway asks again where an answer fits no schema.
    replies.extend((0..3).map(|_| Reply::text("I would say five.")));
    let scene = Scene::new(replies);
    let Some((_page, story)) = begun(&scene, FORGETS, "ungraded") else {
        return;
    };
    story.end();
}

#[test]
fn what_a_drive_waits_for_is_shown_with_the_jobs() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::new([
        Reply::call("set_timer", json!({"minutes": 30, "note": "look again"})),
        Reply::call("yield_to_user", json!({"reason": "done"})),
        Reply::text("Waiting."),
    ]);
    let more = format!("\n[chat]\ndefault_mode = \"auto\"\n[drive]\nnotify = false\n{FORGETS}");
    let Some((_page, story)) = begun(&scene, &more, "drive") else {
        return;
    };
    story.end();
}

#[test]
fn the_next_message_is_worked_on_as_was_chosen() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::new([Reply::text("An assistant.")]);
    let other = Server::openai([Reply::text("The same.")]);
    let more = format!(
        "[models.providers.other]\ntype = \"openai\"\nendpoint = \"{}/v1\"\n\
         [models.providers.gone]\ntype = \"openai\"\nendpoint = \"http://127.0.0.1:9/v1\"\n{FORGETS}",
        other.url()
    );
    scene.house.write("notes.cfg", "* __init__ _x_\n");
    let Some((_page, story)) = begun(&scene, &more, "choices") else {
        return;
    };
    story.end();
    let logs = scene.house.session_logs();
    let logs: Vec<_> = logs.iter().map(|file| json_lines(file)).collect();
    let asked = |log: &[Value]| -> Vec<String> {
        let asked = of_kind(log, "query_received");
        asked.iter().map(|one| one["mode"].to_string()).collect()
    };
    let is_first = |log: &&Vec<Value>| asked(log) == ["\"loop\"", "\"adaptive\""];
    let first = logs.iter().find(is_first).unwrap();
    assert_eq!(first[0]["profile"]["agent_type"], "assistant");
    assert_eq!((scene.server.chats().len(), other.chats().len()), (1, 1));
}

#[test]
fn files_go_along_with_a_message_and_limits_are_said() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::new([Reply::text("A pot, and a dot.")]);
    let more = format!("vision = true\n[chat]\ndefault_mode = \"loop\"\n{FORGETS}");
    let Some((_page, story)) = begun(&scene, &more, "given") else {
        return;
    };
    story.end();
    let chats = scene.server.chats();
    assert_eq!(chats.len(), 1);
    let shown = chats[0].body["messages"].to_string();
    assert!(shown.contains("The pot holds four cups."), "{shown}");
    assert!(shown.contains("R0lGODlhAQABAIAAAAAAAP"), "{shown}");
    assert!(!shown.contains("not this"), "{shown}");
}

/// Text that would be more than text.
fn hostile(number: u8) -> String {
    let long = "wide".repeat(400);
    format!("<img src=x onerror=alert({number})>\u{202e}\u{1b}[2J\u{7} <b>bold</b> {long}")
}

/// A task and a report of an agent that is turned.
fn turned(body: &Value) -> Reply {
    let short = |number: u8| hostile(number).chars().take(300).collect::<String>();
    match wanted(body) {
        Wanted::Tasks => {
            let tasks = json!({"tasks": [task("one", &short(5), &[])]});
            Reply::text(tasks.to_string())
        }
        Wanted::Report => {
            let report = json!({
                "status": "failed", "summary": short(6), "artifacts": [], "failure_reason": short(7),
                "result_quality": "uncertain", "source": "tool_output", "new_memory_candidates": [],
            });
            Reply::text(report.to_string())
        }
        Wanted::Other | Wanted::Digest => Reply::text(json!({"keep": []}).to_string()),
        Wanted::Answer | Wanted::Step => Reply::text("It cannot be done."),
    }
}

#[test]
fn a_hostile_task_and_report_are_text() {
    if is_absent(BROWSER) {
        return;
    }
    let scene = Scene::with(Server::speak(|body, _| turned(body)).openai(), "openai");
    let more = format!("\n[chat]\ndefault_agent = \"orchestrator\"\n{FORGETS}");
    let Some((_page, story)) = begun(&scene, &more, "turned") else {
        return;
    };
    story.end();
}

#[test]
fn hostile_text_in_every_panel_is_text() {
    if is_absent(BROWSER) {
        return;
    }
    let path = format!("{}.md", &hostile(2)[..120]);
    let says = format!(
        "printf '%s' '{}'; echo; echo job said; sleep 1000",
        hostile(3)
    );
    let scene = Scene::new([
        Reply::call("read_file", json!({"path": path})),
        job("watcher", &says),
        Reply::text("done"),
    ]);
    let name = "hostile <b>name</b> \u{202e}x";
    let added = ["memory", "add", "--name", name, &hostile(4)];
    scene.house.ask(added).run().expect(0);
    let listed = json!({"object": "list", "data": [{"id": hostile(8), "object": "model"}]});
    let port = serve_here(move |_| Response::json("200 OK", &listed.to_string()));
    let more = format!(
        "[models.providers.evil]\ntype = \"openai\"\nendpoint = \"http://127.0.0.1:{port}/v1\"\n\
         [chat]\ndefault_agent = \"sysadmin\"\ndefault_mode = \"loop\"\n[memory]\ncapture = false\n"
    );
    let Some((_page, story)) = begun(&scene, &more, "looks") else {
        return;
    };
    story.end();
}
