//! What an agent that hands work out is shown, through the shipped program, a process a request: a
//! rolling summary, where its tasks stand, the last reports, the request, and nothing raw. And what
//! the agent is shown that it hands work to.

use scenarios::{Outcome, Scene, of_kind};
use serde_json::{Value, json};
use testkit::{Reply, Server};

const MARKER: &str = "MARKER-4711";
/// Most tokens of what stands for earlier requests.
const ROLLING_TOKENS: u64 = 200;

/// Two files read by two agents for the requests that name files; the others are answered at once.
fn answers(body: &Value) -> Reply {
    let said = body["messages"].to_string();
    let last = body["messages"].as_array().unwrap().last().unwrap().clone();
    let schema = body["response_format"].to_string();
    let part = |id: &str, file: &str| {
        json!({
            "id": id, "agent_type": "researcher", "goal": format!("Read {file}"), "inputs": [],
            "depends_on": [], "expected_artifacts": [],
        })
    };
    if schema.contains("depends_on") {
        let is_about_files = said
            .rsplit("The user's request:")
            .next()
            .unwrap()
            .contains(".txt");
        let tasks = if is_about_files {
            json!([part("left", "a.txt"), part("right", "b.txt")])
        } else {
            json!([])
        };
        return Reply::text(json!({ "tasks": tasks }).to_string());
    }
    if schema.contains("result_quality") {
        let report = json!({
            "status": "success", "summary": "The file is short.", "artifacts": [],
            "result_quality": "verified", "source": "tool_output", "new_memory_candidates": [],
        });
        return Reply::text(report.to_string());
    }
    if body["response_format"].is_object() {
        return Reply::text(json!({"keep": [], "lines": []}).to_string());
    }
    match (
        said.contains("You are the agent `orchestrator`"),
        last["role"] == "tool",
    ) {
        (true, _) => Reply::text(format!("So it is. {}", "And that is all. ".repeat(90))),
        (false, true) => Reply::text("I have read it."),
        (false, false) => Reply::call("read_file", json!({"path": "a.txt"})),
    }
}

fn asks(scene: &Scene, session: Option<&str>, text: &str) -> Outcome {
    let mut args = vec!["--agent", "orchestrator"];
    if let Some(id) = session {
        args.extend(["--session-id", id]);
    }
    args.push(text);
    let outcome = scene.run(&args);
    outcome.assert_ends(0, "success");
    outcome
}

/// The parts of a session's context: names with tokens and text.
fn parts(scene: &Scene, id: &str) -> Vec<(String, u64, String)> {
    let shown = scene.house.ask(["session", "context", id, "--json"]).run();
    let view = shown.json();
    let parts = view["parts"]
        .as_array()
        .unwrap_or_else(|| panic!("{view:#}"));
    let part = |part: &Value| {
        (
            part["name"].as_str().unwrap().to_owned(),
            part["tokens"].as_u64().unwrap(),
            part["text"].as_str().unwrap().to_owned(),
        )
    };
    parts.iter().map(part).collect()
}

/// How many calls ended with this question, behind the request.
fn questions(sent: &[&Value], question: &str) -> usize {
    let is_asked = |messages: &&&Value| {
        let last = messages.as_array().unwrap().last().unwrap();
        last["content"].as_str().unwrap().ends_with(question)
    };
    sent.iter().filter(is_asked).count()
}

#[test]
fn each_request_begins_with_a_summary_the_tasks_and_the_reports_whatever_came_before() {
    let scene = Scene::with(Server::speak(|body, _| answers(body)).openai(), "openai");
    scene.house.write("a.txt", MARKER);
    scene.house.write("b.txt", MARKER);
    let first = asks(&scene, None, "Are a.txt and b.txt short? Never print them.");
    let id = first.text("session_id").to_owned();
    for number in 2..6 {
        asks(
            &scene,
            Some(&id),
            &format!("Tell me again, number {number}."),
        );
    }
    let parts = parts(&scene, &id);
    let names: Vec<&str> = parts.iter().map(|(name, ..)| name.as_str()).collect();
    let wanted = [
        "system",
        "tools",
        "identity",
        "agent_card",
        "summary",
        "tasks",
        "reports",
        "turn",
        "taking_apart",
    ];
    assert_eq!(names, wanted);
    let of = |wanted: &str| parts.iter().find(|(name, ..)| name == wanted).unwrap();
    let (_, tokens, text) = of("summary");
    // Its heading and the user's rules stand besides.
    assert!(*tokens <= ROLLING_TOKENS + 120, "{tokens}: {text}");
    assert!(text.contains("Never print them."), "{text}");
    let (_, _, tasks) = of("tasks");
    let json = &tasks[tasks.find('{').unwrap()..=tasks.rfind('}').unwrap()];
    let state: Value = serde_json::from_str(json).unwrap();
    assert_eq!(state["tasks"][1]["id"], "right");
    assert_eq!(state["tasks"][1]["status"], "done");
    let (_, _, reports) = of("reports");
    assert!(
        reports.contains("left: success, verified. The file is short."),
        "{reports}"
    );
    let (_, _, turn) = of("turn");
    assert!(
        turn.contains("number 5") && !turn.contains("number 4"),
        "{turn}"
    );

    // What was sent is what a fresh process shows, up to the answer.
    let chats = scene.server.chats();
    let of_the_agent = chats.iter().filter(|chat| {
        let said = chat.body["messages"].to_string();
        said.contains("You are the agent `orchestrator`")
    });
    let sent: Vec<&Value> = of_the_agent.map(|chat| &chat.body["messages"]).collect();
    let words = sent.last().unwrap()[1]["content"].as_str().unwrap();
    for name in ["identity", "summary", "tasks", "reports"] {
        let text = of(name).2.replace("[user]\n", "");
        assert!(words.contains(text.trim()), "{name}: {words}");
    }
    assert_eq!(questions(&sent, &of("taking_apart").2), 5);
    assert!(
        sent.iter()
            .all(|messages| !messages.to_string().contains(MARKER))
    );
    let log = scene.house.session_log(&id);
    assert!(!of_kind(&log, "context_compacted").is_empty());
}

/// Files that one agent reads one after the other.
const FILES: usize = 10;

#[test]
fn the_agent_at_work_sees_its_last_steps_whole_and_those_before_in_a_line() {
    let read = |body: &Value| {
        let messages = body["messages"].as_array().unwrap();
        let results = messages.iter().filter(|one| one["role"] == "tool").count();
        let is_worker = body["messages"]
            .to_string()
            .contains("You are the agent `researcher`");
        if is_worker && body["response_format"].is_null() && results < FILES {
            return Reply::call("read_file", json!({"path": format!("{results}.txt")}));
        }
        answers(body)
    };
    let scene = Scene::with(Server::speak(move |body, _| read(body)).openai(), "openai");
    for number in 0..FILES {
        scene.house.write(
            &format!("{number}.txt"),
            format!("{MARKER} {number}\n").repeat(200),
        );
    }
    let outcome = asks(&scene, None, "Is a.txt short?");
    let chats = scene.server.chats();
    let of_workers = chats.iter().filter(|chat| {
        let said = chat.body["messages"].to_string();
        said.contains("You are the agent `researcher`") && said.contains("Read a.txt")
    });
    let mut last: Vec<usize> = Vec::new();
    for chat in of_workers {
        let messages = chat.body["messages"].as_array().unwrap();
        let results = messages.iter().filter(|one| one["role"] == "tool");
        let text = |one: &Value| one["content"].as_str().unwrap().chars().count();
        let sizes: Vec<usize> = results.map(text).collect();
        let whole = sizes.iter().filter(|size| **size > 1_000).count();
        assert!(whole >= sizes.len().min(3) && whole <= 6, "{sizes:?}");
        last = sizes;
    }
    assert_eq!(last.len(), FILES, "{last:?}");
    let log = scene.log(&outcome);
    let shortened = of_kind(&log, "context_compacted")
        .into_iter()
        .filter(|event| {
            assert_eq!(event["cause"], "trimmed", "{event:#}");
            event["shortened_through"].is_u64()
        });
    // Two agents, each once.
    assert_eq!(shortened.count(), 2);
}
