//! An orchestrating agent through the shipped program: `kill -9` in the middle, and the rest is done
//! when the session is opened again.

use scenarios::Scene;
use scenarios::crew::{Wanted, task, two_readers, wanted};
use serde_json::{Value, json};
use testkit::flags::WRITES;
use testkit::{Gate, House, Reply, Server};

fn configure(house: &House, server: &Server) {
    let config = server.config("openai");
    house.configure(&format!(
        "{config}\n[chat]\ndefault_agent = \"orchestrator\"\n"
    ));
}

fn of_type<'e>(events: &'e [Value], wanted: &str) -> Vec<&'e Value> {
    events
        .iter()
        .filter(|event| event["type"] == wanted)
        .collect()
}

#[test]
fn a_killed_orchestration_does_the_rest_when_it_is_opened_again() {
    let gate = Gate::new();
    let held = gate.clone();
    let scene = Scene::with(
        Server::speak(move |body, _| two_readers(body, Some(&held))).openai(),
        "openai",
    );
    configure(&scene.house, &scene.server);
    scene.house.write("a.txt", "MARKER-A");
    scene.house.write("b.txt", "MARKER-B");
    scene.house.write("AGENTS.md", "MARKER-N");
    let mut running = scene
        .house
        .ask(["run", "--events", "Are a.txt and b.txt short?"])
        .spawn();
    let first: Value = serde_json::from_str(&running.line().unwrap()).unwrap();
    let id = first["session_id"].as_str().unwrap().to_owned();
    running.until("agent_finished");
    running.kill();
    gate.open();

    let again = Server::speak(|body, _| two_readers(body, None)).openai();
    configure(&scene.house, &again);
    let args = ["run", "--json", "--session-id", &id, "What is two and two?"];
    let resumed = scene.house.ask(args).run();
    assert_eq!(resumed.code, Some(0), "{resumed:#?}");
    let events = scene.house.session_log(&id);
    let mut begun: Vec<&str> = of_type(&events, "agent_spawned")
        .into_iter()
        .filter_map(|event| event["task_id"].as_str())
        .collect();
    // The first two begin at the same time.
    begun[..2].sort_unstable();
    assert_eq!(begun, ["left", "right", "right", "join"]);
    let of_workers: Vec<String> = again
        .chats()
        .iter()
        .map(|chat| chat.body["messages"].to_string())
        .filter(|text| text.contains("You are the agent `researcher`"))
        .collect();
    assert!(
        !of_workers.iter().any(|text| text.contains("Read LEFT")),
        "done work is repeated"
    );
    assert!(of_workers.iter().any(|text| text.contains("cut short")));
    let ended: Vec<&Value> = of_type(&events, "query_finished")
        .into_iter()
        .map(|event| &event["status"])
        .collect();
    assert_eq!(ended, ["success", "success"]);
    let done = of_type(&events, "task_moved")
        .into_iter()
        .filter(|event| event["status"] == "done");
    assert_eq!(done.count(), 3);
    // Nothing that the files hold was put before the orchestrating agent, before or after.
    for server in [&scene.server, &again] {
        for chat in server.chats() {
            let text = chat.body["messages"].to_string();
            if text.contains("You are the agent `orchestrator`") {
                assert!(!text.contains("MARKER"), "{text}");
            }
        }
    }
}

/// One task: its first agent writes the file and waits at `gate`, if there is one; its second looks
/// and says that the file is there.
fn writes(body: &Value, gate: Option<&Gate>) -> Reply {
    let said = body["messages"].to_string();
    let is_second = said.contains("It was tried once and failed");
    let has_result = said.contains("\"role\":\"tool\"");
    match wanted(body) {
        Wanted::Tasks if said.contains("two and two") => {
            Reply::text(json!({"tasks": []}).to_string())
        }
        Wanted::Tasks => {
            let mut one = task("only", "Write hello into out.txt", &[]);
            one["agent_type"] = json!("coder");
            one["expected_artifacts"] = json!(["out.txt"]);
            Reply::text(json!({ "tasks": [one] }).to_string())
        }
        Wanted::Report => {
            let report = json!({
                "status": "success", "summary": "It is there.", "artifacts": ["out.txt"],
                "result_quality": "verified", "source": "tool_output", "new_memory_candidates": [],
            });
            Reply::text(report.to_string())
        }
        Wanted::Answer => Reply::text("Written."),
        _ if is_second && !has_result => Reply::call("read_file", json!({"path": "out.txt"})),
        _ if !has_result => {
            Reply::call("write_file", json!({"path": "out.txt", "content": "hello"}))
        }
        _ => match gate {
            Some(gate) => Reply::text("Done.").and_wait(gate),
            None => Reply::text("Seen."),
        },
    }
}

/// Nothing but the flag says that the session orchestrates: what was written before `kill -9` is the
/// task's own when the session is opened again without it.
#[test]
fn what_was_written_before_a_kill_is_the_tasks_own_after_it() {
    let gate = Gate::new();
    let held = gate.clone();
    let scene = Scene::with(
        Server::speak(move |body, _| writes(body, Some(&held))).openai(),
        "openai",
    );
    let free = ["--allow-write", ".", "--yes", "write"];
    let begun = ["run", "--events", "--agent", "orchestrator"];
    let asking = scene.house.ask(begun).args(free);
    let mut running = asking.arg("Write hello into out.txt.").spawn();
    let first: Value = serde_json::from_str(&running.line().unwrap()).unwrap();
    let id = first["session_id"].as_str().unwrap().to_owned();
    running.until("\"type\":\"tool_result\",\"tool\":\"write_file\"");
    running.kill();
    gate.open();

    let again = Server::speak(|body, _| writes(body, None)).openai();
    scene.house.configure(&again.config("openai"));
    let resumed = ["run", "--json", "--session-id", &id];
    let resumed = scene.house.ask(resumed).args(free);
    resumed.arg("What is two and two?").run().expect(0);
    let events = scene.house.session_log(&id);
    assert_eq!(of_type(&events, "agent_spawned").len(), 2);
    let ended = of_type(&events, "agent_finished");
    let report = &ended.last().unwrap()["report"];
    let artifact = scene.house.work().join("out.txt").display().to_string();
    assert_eq!(report["artifacts"], json!([artifact]), "{report:#}");
    assert_eq!(report["result_quality"], "verified");
    assert_eq!(ended.last().unwrap()["corrections"], Value::Null);
    let statuses: Vec<&Value> = of_type(&events, "query_finished")
        .into_iter()
        .map(|event| &event["status"])
        .collect();
    assert_eq!(statuses, ["success", "success"]);
}

/// What goes on when a chat is opened again is seen there, and asks there.
#[test]
fn what_goes_on_after_a_kill_is_shown_in_the_chat_and_asks_there() {
    let speak = |body: &Value, _| {
        let has_result = body["messages"].to_string().contains("\"role\":\"tool\"");
        match wanted(body) {
            Wanted::Step if !has_result => {
                Reply::call("write_file", json!({"path": "out.txt", "content": "hello"}))
            }
            _ => writes(body, None),
        }
    };
    let scene = Scene::with(Server::speak(speak).openai(), "openai");
    let free = ["--allow-write", "."];
    let seated = |args: &[&str]| {
        let carl = scene.house.ask(args.iter().copied()).args(free);
        let mut seat = carl.env("TERM", "xterm").seated();
        seat.until("/help");
        seat
    };
    let mut first = seated(&["chat", "--agent", "orchestrator"]);
    first.until("> ");
    first.types("Write hello into out.txt.\n");
    first.until("message to the agent: ");
    first.kill();

    let mut second = seated(&["session", "resume"]);
    second.until("going on with: Write hello into out.txt.");
    second.until("write_file");
    second.until("message to the agent: ");
    second.types("y\n");
    second.until("Written.");
    second.until("> ");
    second.leaves();
    assert_eq!(scene.house.read("out.txt"), "hello");
}

/// In plan mode the tasks wait for a word: nobody there is a no, the hash is a yes.
#[test]
fn planned_tasks_are_begun_when_they_are_approved_and_not_before() {
    let scene = Scene::with(
        Server::speak(|body, _| two_readers(body, None)).openai(),
        "openai",
    );
    scene.house.write("a.txt", "a");
    scene.house.write("b.txt", "b");
    let asking = ["--agent", "orchestrator", "--mode", "plan"];
    let text = "Are a.txt and b.txt short?";
    let refused = scene.run(&[&asking[..], &[text]].concat());
    refused.assert_ends(5, "denied");
    let log = scene.log(&refused);
    assert!(of_type(&log, "agent_spawned").is_empty());
    let proposed = of_type(&log, "tasks_proposed");
    assert_eq!(proposed[0]["tasks"].as_array().unwrap().len(), 3);
    let hash = proposed[0]["hash"].as_str().unwrap();
    let why = refused.summary["error"]["message"].as_str().unwrap();
    assert!(why.contains(&format!("--approve {hash}")), "{why}");

    let shown = scene.house.ask(["run"]).args(asking).arg(text).run();
    assert_eq!(shown.code, Some(5));
    // One line to be copied.
    let again = format!("  carl run --approve {hash} --agent orchestrator --mode plan '{text}'");
    assert!(shown.stderr.lines().any(|line| line == again), "{shown:#?}");
    assert!(
        shown
            .stderr
            .contains("join (researcher, after left, right): JOIN both"),
        "{}",
        shown.stderr
    );
    let done = scene.run(&[&asking[..], &["--approve", hash, text]].concat());
    done.assert_ends(0, "success");
    assert_eq!(of_type(&scene.log(&done), "agent_spawned").len(), 3);
    assert_eq!(done.text("answer"), "Both are short.");
    let seen = scene.house.ask(["run"]).args(asking);
    let seen = seen.args(["--approve", hash, text]).run().expect(0).stderr;
    // What nobody counted is no line; what all of them used is.
    assert!(!seen.contains("0 + 0 tokens"), "{seen}");
    let whole = seen
        .lines()
        .find_map(|line| line.strip_prefix("· all agents: "));
    let of = |line: &str| line.split(' ').next().unwrap().parse::<u64>().unwrap();
    let parts = seen
        .lines()
        .filter_map(|line| line.strip_prefix("·   ").or(line.strip_prefix("· ")));
    let parts = parts.filter(|line| line.contains(" tokens") && !line.starts_with("all agents"));
    assert_eq!(of(whole.unwrap()), parts.map(of).sum::<u64>(), "{seen}");
}

#[test]
fn the_short_form_of_planned_tasks_names_each_and_the_strictest_effect() {
    let speak = |body: &Value, _: usize| writes(body, None);
    let scene = Scene::with(Server::speak(speak).openai(), "openai");
    let flags = ["run", "--agent", "orchestrator", "--mode", "plan"];
    let run = scene.house.ask(flags).arg("Write hello into out.txt");
    let run = run.at_terminal(|_, _| "n".to_owned());
    let question = &run.questions[0];
    let started = "The plan starts agents that could have these effects: ";
    let (_, effects) = question.split_once(started).unwrap();
    let (effects, _) = effects.split_once('.').unwrap();
    let strictest = effects.rsplit(',').next().unwrap();
    let (_, short) = question.rsplit_once("In short: ").unwrap();
    let head = format!("a plan of 1 call (strictest effect: {strictest}):");
    assert!(short.starts_with(&head), "{question}");
    assert!(
        short.contains("tasks: 1. id \"only\", agent_type \"coder\""),
        "{short}"
    );
    assert!(!short.contains('{'), "{short}");
}

/// The orchestrating agent calls a tool that is not its own before it answers.
#[test]
fn a_failed_task_is_named_though_the_last_call_was_refused() {
    let speak = |body: &Value, _: usize| {
        let said = body["messages"].to_string();
        match wanted(body) {
            Wanted::Tasks => {
                let left = task("left", "Read LEFT in a.txt", &[]);
                let right = task("right", "Read RIGHT in b.txt", &[]);
                Reply::text(json!({"tasks": [left, right]}).to_string())
            }
            Wanted::Report if said.contains("RIGHT") => {
                let report = json!({
                    "status": "failed", "summary": "It is not there.", "artifacts": [],
                    "result_quality": "verified", "source": "tool_output",
                    "new_memory_candidates": [], "failure_reason": "there is no such file",
                });
                Reply::text(report.to_string())
            }
            Wanted::Answer if !said.contains("c.txt") => {
                Reply::call("read_file", json!({"path": "c.txt"}))
            }
            _ => two_readers(body, None),
        }
    };
    let scene = Scene::with(Server::speak(speak).openai(), "openai");
    configure(&scene.house, &scene.server);
    scene.house.write("a.txt", "a");
    let outcome = scene.run(&["Are a.txt and b.txt short?"]);
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.code(), "agents.tasks_short");
    let message = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(message.contains("`right`"), "{message}");
}

#[test]
fn people_see_who_works_and_what_they_reported_and_the_answer_alone_on_standard_output() {
    let scene = Scene::with(
        Server::speak(|body, _| two_readers(body, None)).openai(),
        "openai",
    );
    configure(&scene.house, &scene.server);
    scene.house.write("a.txt", "a");
    scene.house.write("b.txt", "b");
    let finished = scene
        .house
        .ask(["run", "Are a.txt and b.txt short?"])
        .run()
        .expect(0);
    assert_eq!(finished.stdout.trim(), "Both are short.");
    for line in [
        "▸ researcher [left] Read LEFT in a.txt",
        "  → read_file",
        "◂ researcher success, verified: It is short.",
    ] {
        assert!(
            finished.stderr.contains(line),
            "{line}:\n{}",
            finished.stderr
        );
    }
}

/// With the embedded engine, where `HOUSE_ENGINE` and `HOUSE_MODELS` say where it is: whatever a
/// very small model makes of it, everything that was begun ends in its form.
#[test]
fn with_the_embedded_model_everything_ends_well_formed() {
    let house = House::new();
    if !house.use_engine() {
        return;
    }
    let orchestrator = ("CARL_CHAT__DEFAULT_AGENT", "orchestrator");
    house.write("a.txt", "one line");
    house.write("b.txt", "two\nlines");
    let text = "How many lines does a.txt have, and how many b.txt? Have each counted by one agent, \
                then have a third add both numbers.";
    let finished = house
        .ask(["run", "--json", text])
        .env(orchestrator.0, orchestrator.1)
        // Enough for every agent to begin, and an end for a model that would go on and on.
        .env("CARL_AGENTS__SESSION_TOKENS", "20000")
        .run();
    let summary = finished.json();
    let id = summary["session_id"].as_str().unwrap();
    let events = house.session_log(id);
    let last = events.last().unwrap();
    assert_eq!(last["type"], "query_finished", "{finished:#?}");
    let (begun, ended) = (
        of_type(&events, "agent_spawned"),
        of_type(&events, "agent_finished"),
    );
    assert_eq!(begun.len(), ended.len(), "an agent without an end");
    // It cannot take a request apart; who does the whole of it, it can say.
    assert!(!begun.is_empty(), "no agent was begun: {finished:#?}");
    let task = begun[0]["task"].as_str().unwrap();
    assert!(task.starts_with(text), "{task}");
    let (status, error) = (&last["status"], &summary["error"]["message"]);
    println!("{} agents; status {status}; {error}", begun.len());
    for event in ended {
        let status = event["report"]["status"].as_str().unwrap();
        assert!(["success", "partial", "failed"].contains(&status));
    }
    if let Some(planned) = of_type(&events, "tasks_planned").last() {
        for task in planned["tasks"].as_array().unwrap() {
            let moves = of_type(&events, "task_moved");
            let own = moves.iter().filter(|event| event["task_id"] == task["id"]);
            let ends = own.filter(|event| event["status"] != "running");
            assert_eq!(ends.count(), 1, "{task}");
        }
    }
}

/// What memory holds of questions.
fn engrams(house: &House) -> Vec<Value> {
    let list = ["memory", "list", "--kind", "engram", "--json"];
    house.ask(list).run().expect(0).json_lines()
}

#[test]
fn what_was_forgotten_does_not_come_back_with_an_orchestration_after_a_crash() {
    let gate = Gate::new();
    let held = gate.clone();
    let answer = move |body: &Value, gate: Option<&Gate>| {
        let said = body["messages"].to_string();
        match wanted(body) {
            Wanted::Tasks if !said.contains("short?") => {
                Reply::text(json!({"tasks": []}).to_string())
            }
            _ => two_readers(body, gate),
        }
    };
    let server = Server::speak(move |body, _| answer(body, Some(&held))).openai();
    let scene = Scene::with(server, "openai");
    configure(&scene.house, &scene.server);
    scene.house.write("a.txt", "A");
    scene.house.write("b.txt", "B");
    let told = scene.run(&["My cat is called Zebulon"]);
    let id = told.text("session_id").to_owned();
    let kept = engrams(&scene.house);
    let zebulon = |entries: &[Value]| {
        let mut all = entries.iter();
        all.any(|entry| entry.to_string().contains("Zebulon"))
    };
    assert!(zebulon(&kept), "{kept:#?}");
    for entry in &kept {
        let forget = ["memory", "forget", entry["id"].as_str().unwrap(), "--yes"];
        scene.house.ask(forget).run().expect(0);
    }
    let args = [
        "run",
        "--events",
        "--session-id",
        &id,
        "Are a.txt and b.txt short?",
    ];
    let mut running = scene.house.ask(args).spawn();
    running.until("agent_finished");
    running.kill();
    gate.open();
    let again = Server::speak(move |body, _| answer(body, None)).openai();
    configure(&scene.house, &again);
    let args = ["run", "--session-id", &id, "What is two and two?"];
    scene.house.ask(args).run().expect(0);
    let kept = engrams(&scene.house);
    assert!(kept.len() >= 2, "{kept:#?}");
    assert!(!zebulon(&kept), "{kept:#?}");
}

#[test]
fn compacting_and_forking_leave_a_killed_orchestration_to_go_on() {
    let gate = Gate::new();
    let held = gate.clone();
    let server = Server::speak(move |body, _| two_readers(body, Some(&held))).openai();
    let scene = Scene::with(server, "openai");
    configure(&scene.house, &scene.server);
    scene.house.write("a.txt", "A");
    scene.house.write("b.txt", "B");
    let args = ["run", "--events", "Are a.txt and b.txt short?"];
    let mut running = scene.house.ask(args).spawn();
    running.until("agent_finished");
    running.kill();
    gate.open();
    let again = Server::speak(move |body, _| two_readers(body, None)).openai();
    configure(&scene.house, &again);
    let log = scene.house.session_logs().remove(0);
    let before = std::fs::read_to_string(&log).unwrap();
    let id = log.file_stem().unwrap().to_str().unwrap();
    let refused = scene.house.ask(["session", "compact", id]).run().expect(4);
    for part in [
        "was cut off, and goes on",
        "session resume",
        "sessions.busy",
    ] {
        assert!(refused.stderr.contains(part), "{part}: {refused:#?}");
    }
    scene.house.ask(["session", "fork", id]).run().expect(0);
    assert_eq!(std::fs::read_to_string(&log).unwrap(), before);
    assert_eq!(again.chats().len(), 0, "no agent was begun");
    let args = ["run", "--session-id", id, "And what is two and two?"];
    scene.house.ask(args).run().expect(0);
    let events = testkit::house::json_lines(&log);
    let ends = of_type(&events, "query_finished");
    assert_eq!(ends.len(), 2, "{ends:#?}");
    assert!(
        ends.iter().all(|end| end["status"] == "success"),
        "{ends:#?}"
    );
}

/// The orchestrating type changes no file by itself, and takes back what its agents changed.
#[test]
fn what_an_agent_below_changed_is_taken_back() {
    let scene = Scene::with(
        Server::speak(|body, _| writes(body, None)).openai(),
        "openai",
    );
    configure(&scene.house, &scene.server);
    let begun = scene.house.ask(["run"]).args(WRITES);
    begun.arg("Write hello into out.txt.").run().expect(0);
    assert_eq!(scene.house.read("out.txt"), "hello");
    let undo = scene.house.ask(["undo", "--yes", "write"]);
    undo.args(["--yes", "destructive"]).run().expect(0);
    assert!(!scene.house.work().join("out.txt").exists());
}

#[test]
fn a_question_of_an_agent_below_says_that_a_yes_for_the_session_is_for_that_one_alone() {
    let scene = Scene::with(
        Server::speak(|body, _| writes(body, None)).openai(),
        "openai",
    );
    configure(&scene.house, &scene.server);
    let begun = scene.house.ask(["run", "--allow-write", "."]);
    let run = begun
        .arg("Write hello into out.txt.")
        .at_terminal(|_, _| "y".to_owned());
    let all = run.questions.join("\n");
    let told = "A yes for the session is for this agent alone: it covers every change of files in ";
    let all = all.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(all.contains(told), "{all}");
    assert_eq!(scene.house.read("out.txt"), "hello");
}
