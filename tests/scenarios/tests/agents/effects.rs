//! Every effect is on record: what happened, seen from outside, and the audit log match one to one.
//! A record too few and a record too many both fail here.

use api::CallContext;
use api::broker::{Broker, CallRequest, Control};
use domain::hash::Digest;
use domain::id::{CallId, SessionId, TraceId};
use domain::lineage::AgentType;
use domain::settings::SessionSettings;
use futures::StreamExt;
use scenarios::{Outcome, Scene};
use serde_json::{Value, json};
use testkit::{House, Reply, Searx};
use uuid::Uuid;

/// The smallest picture: one grey pixel, PNG.
const PICTURE: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d, b'I', b'H', b'D', b'R', 0, 0, 0,
    1, 0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3a, 0x7e, 0x9b, 0x55, 0, 0, 0, 0x0a, b'I', b'D', b'A', b'T',
    0x78, 0x9c, 0x63, 0x68, 0, 0, 0, 0x82, 0, 0x81, 0x77, 0xcd, 0x72, 0xb6, 0, 0, 0, 0, b'I', b'E',
    b'N', b'D', 0xae, 0x42, 0x60, 0x82,
];

/// A page that the user named.
const PAGE: &str = "https://page.example/";

const OPEN: [&str; 5] = [
    "--air-gap",
    "--allow-write",
    ".",
    "--yes",
    "write,destructive,exec,config",
];

/// One honest call of a tool, and what is seen of it in the working folder: a file that is there
/// afterwards, or `!` and one that is not.
struct Use {
    tool: &'static str,
    agent: &'static str,
    arguments: Value,
    sign: &'static str,
}

const fn one(tool: &'static str, agent: &'static str, arguments: Value, sign: &'static str) -> Use {
    Use {
        tool,
        agent,
        arguments,
        sign,
    }
}

/// Those that look at files.
fn uses_of_looks() -> Vec<Use> {
    vec![
        one("list_files", "coder", json!({}), ""),
        one("read_file", "coder", json!({"path": "a.txt"}), ""),
        one("glob", "coder", json!({"pattern": "*.txt"}), ""),
        one("grep", "coder", json!({"pattern": "alpha"}), ""),
        one("outline", "coder", json!({}), ""),
        one("read_document", "coder", json!({"path": "a.txt"}), ""),
        one("view_image", "coder", json!({"path": "a.png"}), ""),
    ]
}

/// Those over memory and the web.
fn uses_of_services() -> Vec<Use> {
    vec![
        one("search_memory", "coder", json!({"query": "bees"}), ""),
        one(
            "get_correlated",
            "coder",
            json!({"ids": ["0190a3c2-7b1e-7000-8000-000000000000"]}),
            "",
        ),
        one(
            "save_memory",
            "coder",
            json!({"name": "bees", "content": "Ada keeps bees."}),
            "",
        ),
        one("web_search", "coder", json!({"query": "it"}), ""),
        one("web_fetch", "coder", json!({"url": PAGE}), ""),
    ]
}

/// Those over jobs in the background.
fn uses_of_jobs() -> Vec<Use> {
    let hello = json!({"name": "hello", "argv": ["/bin/echo", "hi"]});
    vec![
        one("start_job", "sysadmin", hello, ""),
        one("list_jobs", "sysadmin", json!({}), ""),
    ]
}

/// Tools that one call in one turn does not show: undoing (below), agents with calls of their own
/// (tests/delegation), what is offered in auto mode alone (`drive`), and jobs that run already
/// (`jobs`).
const ELSEWHERE: [&str; 10] = [
    "undo",
    "spawn_agent",
    "spawn_agents",
    "delegate_tasks",
    "yield_to_user",
    "set_timer",
    "cancel_timer",
    "watch_path",
    "job_output",
    "stop_job",
];

fn uses() -> Vec<Use> {
    let in_the_sandbox = "import sys; sys.stdout.write('hi')";
    vec![
        one("find_tools", "coder", json!({"task": "count lines"}), ""),
        one("recall_event", "coder", json!({"id": 2}), ""),
        one(
            "journal",
            "coder",
            json!({"text": "Bees\nAda keeps bees."}),
            "",
        ),
        one(
            "write_file",
            "coder",
            json!({"path": "b.txt", "content": "b"}),
            "b.txt",
        ),
        one(
            "edit_file",
            "coder",
            json!({"path": "a.txt", "old": "alpha", "new": "beta"}),
            "",
        ),
        one(
            "apply_patch",
            "coder",
            json!({"patch": "--- /dev/null\n+++ b/p.txt\n@@\n+new\n"}),
            "p.txt",
        ),
        one("make_dir", "coder", json!({"path": "made"}), "made"),
        one(
            "move_file",
            "coder",
            json!({"from": "a.txt", "to": "c.txt"}),
            "c.txt",
        ),
        one("delete_file", "coder", json!({"path": "a.txt"}), "!a.txt"),
        one(
            "run_code",
            "coder",
            json!({"language": "python", "code": in_the_sandbox}),
            "",
        ),
        one(
            "run_command",
            "sysadmin",
            json!({"argv": ["/bin/echo", "hi"]}),
            "",
        ),
        one(
            "run_command",
            "sysadmin",
            json!({"command": "echo hi > d.txt"}),
            "d.txt",
        ),
        one(
            "package_install",
            "sysadmin",
            json!({"manager": "apt", "names": ["bash"]}),
            "",
        ),
    ]
}

fn scene(replies: impl IntoIterator<Item = Reply>) -> Scene {
    let scene = Scene::new(replies);
    scene.house.write("a.txt", "alpha\n");
    scene.house.write("a.png", PICTURE);
    scene
}

/// What must be on record of a session, a line each, from what was seen of it: the events that its
/// surface showed, and the requests that reached the model.
fn expected(scene: &Scene, outcome: &Outcome) -> Vec<String> {
    let log = scene.log(outcome);
    let asked = scene.server.chats().len();
    let mut lines = vec!["model_call".to_owned(); asked];
    lines.extend(log.iter().flat_map(|event| {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let call = text("call_id");
        match text("type").as_str() {
            // Before a model works on a request, memory is asked, by a call that no event names.
            "query_received" if ["adaptive", "loop", "plan"].contains(&text("mode").as_str()) => [
                "decide ? allow",
                "intent ? search_memory",
                "outcome ? search_memory ok",
                "memory_read",
            ]
            .map(str::to_owned)
            .to_vec(),
            "session_opened" => vec![
                "configure override=none".to_owned(),
                "register_agent".to_owned(),
                "configure closed".to_owned(),
            ],
            "broker_decision" => vec![format!(
                "decide {call} {} {}",
                text("verdict"),
                text("rule")
            )],
            "tool_result" if text("status") != "denied" => {
                let beyond: &[&str] = match text("tool").as_str() {
                    "search_memory" | "get_correlated" => &["memory_read"],
                    "save_memory" => &["memory_write"],
                    // Asked, and answered. Behind the air gap no page is asked for.
                    "web_search" => &["fetch", "fetch"],
                    _ => &[],
                };
                let call = [
                    format!("intent {call} {}", text("tool")),
                    format!("outcome {call} {} {}", text("tool"), text("status")),
                ];
                let beyond = beyond.iter().map(|act| (*act).to_owned());
                call.into_iter().chain(beyond).collect()
            }
            "confirmation_answered" => vec!["confirmation".to_owned()],
            "plan_approved" => vec![format!("plan_approval {}", text("hash"))],
            _ => Vec::new(),
        }
    }));
    lines.sort();
    lines
}

/// What is on record, in the same words. Calls that no event names are `?`.
fn recorded(records: &[Value], log: &[Value]) -> Vec<String> {
    let in_words_of_the_log = |record: &Value| {
        let call = &record["call_id"];
        let is_named = call.is_null() || log.iter().any(|event| event["call_id"] == *call);
        if is_named {
            return in_words(record);
        }
        let mut unnamed = record.clone();
        unnamed["call_id"] = json!("?");
        if unnamed["action"] == "decide" {
            unnamed["detail"] = json!("");
        }
        in_words(&unnamed).trim_end().to_owned()
    };
    let mut lines: Vec<String> = records.iter().map(in_words_of_the_log).collect();
    lines.sort();
    lines
}

fn in_words(record: &Value) -> String {
    let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let (action, call, tool) = (text("action"), text("call_id"), text("tool"));
    match action.as_str() {
        "decide" | "validate" => format!("{action} {call} {} {}", text("verdict"), text("detail")),
        "intent" => format!("intent {call} {tool}"),
        "outcome" => format!("outcome {call} {tool} {}", text("status")),
        "plan_approval" => format!("plan_approval {}", text("params_hash")),
        "configure" => {
            let detail = text("detail");
            let first = detail.split(' ').next().unwrap_or_default();
            format!("configure {first}")
        }
        _ => action,
    }
}

fn matches_one_to_one(scene: &Scene, outcome: &Outcome) {
    let seen = expected(scene, outcome);
    let records = scene.audit(outcome);
    let log = scene.log(outcome);
    assert_eq!(recorded(&records, &log), seen, "{:#}", outcome.summary);
    // Beside the session's own: that the process, and in it the broker, began, that an answer was
    // remembered, and that it ended.
    let all = scene.house.audit();
    let of_no_session: Vec<String> = all
        .iter()
        .filter(|record| record["session_id"].is_null())
        .map(in_words)
        .collect();
    let is_answer = |event: &&Value| {
        event["type"] == "generation_finished" && event["answer"].as_str() != Some("")
    };
    let remembered = log.iter().filter(is_answer).map(|_| "memory_write");
    let mut ended = vec!["start", "start"];
    ended.extend(remembered);
    ended.push("stop");
    assert_eq!(of_no_session, ended);
}

#[test]
fn every_tool_call_is_on_record_once_with_its_decision_intent_and_outcome() {
    let mut uses = uses();
    uses.extend(uses_of_looks());
    uses.extend(uses_of_services());
    uses.extend(uses_of_jobs());
    let listed = House::new().ask(["tools", "--json"]).run().expect(0).json();
    for tool in listed.as_array().unwrap() {
        let name = tool["name"].as_str().unwrap();
        let is_used = ELSEWHERE.contains(&name) || uses.iter().any(|one| one.tool == name);
        assert!(is_used, "no effect of {name} is matched with its record");
    }
    for one in uses {
        if one.tool == "package_install" && !std::path::Path::new("/usr/bin/apt-get").exists() {
            continue;
        }
        let scene = scene([
            Reply::call(one.tool, one.arguments.clone()),
            Reply::text("Done."),
        ]);
        let searx = Searx::new([]);
        let config = format!("{}{}", scene.server.config("openai"), searx.config());
        scene.house.configure(&config);
        let asked = format!("do it, perhaps with {PAGE}");
        let flags = [&["--agent", one.agent][..], &OPEN, &[asked.as_str()]].concat();
        let outcome = scene.run(&flags);
        let calls = outcome.calls();
        assert_eq!(calls.len(), 1, "{:#}", outcome.summary);
        assert_eq!(calls[0]["tool"], one.tool);
        // There is no such page, and a page that was not read is no success.
        let ends = if one.tool == "web_fetch" {
            "failed"
        } else {
            "ok"
        };
        assert_eq!(calls[0]["status"], ends, "{:#}", outcome.summary);
        match one.sign.strip_prefix('!') {
            Some(gone) => assert!(!scene.house.has(gone), "{}", one.tool),
            None if one.sign.is_empty() => {}
            None => assert!(scene.house.has(one.sign), "{}", one.tool),
        }
        matches_one_to_one(&scene, &outcome);
    }
}

#[test]
fn a_change_and_its_undoing_are_two_effects() {
    let scene = scene([
        Reply::call("write_file", json!({"path": "b.txt", "content": "b"})),
        Reply::call("undo", json!({})),
        Reply::text("Done."),
    ]);
    let outcome = scene.run(&[&OPEN[..], &["write and undo"]].concat());
    assert!(!scene.house.has("b.txt"));
    assert_eq!(outcome.calls().len(), 2);
    matches_one_to_one(&scene, &outcome);
}

#[test]
fn a_refused_a_failed_and_a_malformed_call_are_on_record_as_what_they_were() {
    let scene = scene([
        Reply::call("read_file", json!({"path": "/etc/shadow"})),
        Reply::call("read_file", json!({"path": "missing.txt"})),
        Reply::call("read_file", json!({"wrong": 1})),
        Reply::call("no_such_tool", json!({})),
        Reply::text("Done."),
    ]);
    let outcome = scene.run(&["try"]);
    assert_eq!(outcome.calls().len(), 4, "{:#}", outcome.summary);
    let ran = |call: &&Value| call["status"] == "ok";
    assert_eq!(outcome.calls().iter().filter(ran).count(), 0);
    matches_one_to_one(&scene, &outcome);
}

#[test]
fn a_model_call_is_on_record_with_the_digest_of_what_was_said() {
    let scene = scene([Reply::text("Forty-two.")]);
    let outcome = scene.run(&["what is the answer?"]);
    let records = scene.audit(&outcome);
    let call = records.iter().find(|one| one["action"] == "model_call");
    let call = &call.unwrap()["model_call"];
    assert_eq!(call["model"], "scripted/scripted-model");
    let said = Digest::of(b"Forty-two.").to_string();
    assert_eq!(call["answer_hash"], said.as_str());
    assert!(!scene.house.everything_kept().is_empty());
    let kept = records.iter().map(Value::to_string).collect::<String>();
    assert!(
        !kept.contains("Forty"),
        "the answer itself is not on record"
    );
}

#[test]
fn a_model_that_breaks_off_is_on_record_too() {
    let scene = scene([Reply::text("Half an ans").and_cut()]);
    let outcome = scene.run(&["speak"]);
    let asked = scene.server.chats().len();
    let records = scene.audit(&outcome);
    let calls = records.iter().filter(|one| one["action"] == "model_call");
    let statuses: Vec<&Value> = calls.map(|one| &one["status"]).collect();
    assert_eq!(statuses, vec!["failed"; asked], "{records:#?}");
}

#[test]
fn an_approved_plan_and_its_steps_are_on_record() {
    let plan = json!({
        "intent": "Replace a word.",
        "actions": [{"kind": "replace_text", "path": "a.txt", "old": "alpha", "new": "beta"}],
    });
    let scene = scene([Reply::text(plan.to_string())]);
    let flags = ["--mode", "plan", "--allow-write", ".", "--yes", "write"];
    let outcome = scene.run(&[&flags[..], &["replace alpha in a.txt"]].concat());
    outcome.assert_ends(0, "success");
    assert_eq!(scene.house.read("a.txt"), "beta\n");
    let seen = expected(&scene, &outcome);
    assert!(seen.iter().any(|line| line.starts_with("plan_approval")));
    matches_one_to_one(&scene, &outcome);
}

#[test]
fn a_persons_answers_and_what_they_open_for_good_are_on_record() {
    let write = Reply::call("write_file", json!({"path": "b.txt", "content": "x"}));
    let delete = Reply::call("delete_file", json!({"path": "a.txt"}));
    let scene = scene([write, delete, Reply::text("Done.")]);
    let run = scene
        .house
        .ask(["run", "write b.txt and delete a.txt"])
        .at_terminal(|question, _| {
            let is_folder = question.contains("in a folder that is not open");
            (if is_folder { "r" } else { "n" }).to_owned()
        });
    assert_eq!(run.questions.len(), 2, "{run:#?}");
    assert!(scene.house.has("b.txt") && scene.house.has("a.txt"));
    let records = scene.house.audit();
    let of = |action: &str| -> Vec<&str> {
        let of_kind = records.iter().filter(|one| one["action"] == action);
        of_kind.filter_map(|one| one["detail"].as_str()).collect()
    };
    assert_eq!(of("confirmation"), ["session by user", "deny by user"]);
    let answers = records.iter().filter(|one| one["action"] == "confirmation");
    for answer in answers {
        assert_eq!(answer["lineage"].as_array().unwrap().len(), 1, "{answer:#}");
        let is_no = answer["detail"] == "deny by user";
        let tool = if is_no { "delete_file" } else { "write_file" };
        assert_eq!(answer["tool"], tool, "{answer:#}");
        let verdict = if is_no { "deny" } else { "allow" };
        assert_eq!(answer["verdict"], verdict, "{answer:#}");
    }
    // Each call had one judgement, and what memory was asked before them another.
    let words: Vec<String> = records.iter().map(in_words).collect();
    let decided = words.iter().filter(|line| line.starts_with("decide "));
    assert_eq!(decided.count(), 3, "{words:#?}");
    let denied = [
        "audit",
        "query",
        "--tool",
        "delete_file",
        "--decision",
        "deny",
    ];
    let found = scene.house.ask(denied).run().expect(0);
    assert!(found.stdout.contains("delete_file"), "{found:#?}");
    let kept = "a folder is open for good";
    assert_eq!(
        of("configure").iter().filter(|one| **one == kept).count(),
        1
    );
    scene.house.ask(["policy", "forget", "."]).run().expect(0);
    let records = scene.house.audit();
    let taken_back = "a folder is no longer open for good";
    assert!(records.iter().any(|one| one["detail"] == taken_back));
}

#[test]
fn a_model_that_is_asked_outside_a_session_is_on_record() {
    let tools = json!([{"name": "get_items", "description": "Get the items.",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}]);
    for args in [
        &["models", "--test", "scripted/scripted-model"][..],
        &["doctor", "--model"],
        &["tools", "classify", "tools.json", "--model"],
    ] {
        let scene = scene([Reply::text(r#"{"effect": "read", "targets": []}"#)]);
        scene.house.write("tools.json", tools.to_string());
        let _ended = scene.house.ask(args.iter().copied()).run();
        let lines: Vec<String> = scene.house.audit().iter().map(in_words).collect();
        assert_eq!(scene.server.chats().len(), 1, "{args:?}");
        assert_eq!(lines, ["start", "model_call", "stop"], "{args:?}");
    }
}

/// What surfaces and agents in other processes ask of a served house.
#[tokio::test(flavor = "multi_thread")]
async fn spawning_releasing_configuring_and_dry_runs_are_on_record() {
    let house = House::new();
    house.write("a.txt", "alpha\n");
    let socket = house.run_dir().join("served.sock");
    let listen = format!("unix:{}", socket.display());
    let mut served = house.ask(["serve", "--listen", &listen]).spawn();
    served.until("serving at");
    let endpoint: grpc::Endpoint = listen.parse().unwrap();
    let broker = grpc::broker::Client::connect(&endpoint);
    let control = grpc::control::Client::connect(&endpoint);
    let session_id = SessionId::from_uuid(Uuid::now_v7());
    let settings = SessionSettings::closed(house.work());
    let of_type = |name: &str| AgentType::new(name).unwrap();
    let opened = control.open_session(session_id, of_type("orchestrator"), settings.clone());
    let root = opened.await.unwrap();
    let context = |token: domain::id::AgentToken| CallContext {
        session_id,
        agent_token: token,
        trace_id: TraceId::from_uuid(Uuid::now_v7()),
    };
    let child = broker.register_agent(context(root.token.clone()), of_type("researcher"));
    let child = child.await.unwrap();
    let call_id = CallId::from_uuid(Uuid::now_v7());
    let request = CallRequest {
        context: context(child.token.clone()),
        call_id,
        tool: "read_file".to_owned(),
        arguments: json!({"path": "a.txt"}),
        plan_id: None,
        batch: None,
        recovered: false,
    };
    broker.validate(request.clone()).await.unwrap();
    let events = broker.execute(request).await.unwrap();
    events
        .for_each(|event| async { drop(event.unwrap()) })
        .await;
    control.configure(session_id, settings).await.unwrap();
    broker.release(context(child.token)).await.unwrap();
    control.close_session(session_id).await.unwrap();
    served.kill();
    let records = house.audit();
    let of_session = records.iter().filter(|one| !one["session_id"].is_null());
    let lines: Vec<String> = of_session.map(in_words).collect();
    let expected = [
        "configure override=none".to_owned(),
        "register_agent".to_owned(),
        "register_agent".to_owned(),
        format!("validate {call_id} allow fits"),
        format!("decide {call_id} allow fits"),
        format!("intent {call_id} read_file"),
        format!("outcome {call_id} read_file ok"),
        "configure override=none".to_owned(),
        "release_agent".to_owned(),
        "configure closed".to_owned(),
    ];
    assert_eq!(lines, expected);
    let spawned = records
        .iter()
        .filter(|one| one["action"] == "register_agent");
    let depths: Vec<usize> = spawned
        .map(|one| one["lineage"].as_array().unwrap().len())
        .collect();
    assert_eq!(depths, [1, 2], "a child stands below its parent");
}
