//! Whoever reads what `carl run` prints: slowly, no longer, or to learn what was done before an end.

use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};
use testkit::house::json_lines;
use testkit::{Gate, Reply};

/// How long something is waited for that comes soon on a quiet machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits for something that nothing tells.
fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "{what}");
        std::thread::yield_now();
    }
}

fn is_finished(log: &Path) -> bool {
    let lines = std::fs::read_to_string(log).unwrap_or_default();
    lines.contains("\"type\":\"query_finished\"")
}

#[test]
fn a_slow_reader_is_given_every_event() {
    let many = (0..3_000).fold(Reply::text("0 "), |reply, number| {
        reply.and_text(format!("{number} "))
    });
    let scene = Scene::new([many]);
    let house = &scene.house;
    let reader = "read -r first; until [ -e go-on ]; do :; done; cat";
    let running = house.ask(["run", "--events", "count"]).read_by(reader);
    let running = running.spawn();
    wait_for("the answer is whole", || {
        house
            .session_logs()
            .first()
            .is_some_and(|log| is_finished(log))
    });
    std::fs::write(house.work().join("go-on"), "").unwrap();
    let finished = running.finish();
    assert!(finished.stderr.ends_with("exit 0\n"), "{}", finished.stderr);
    let log = json_lines(&house.session_logs()[0]);
    let asked = of_kind(&log, "query_received")[0]["query_id"].clone();
    let mut expected = log;
    expected.retain(|event| event["query_id"] == asked);
    // The reader kept the first line to itself.
    assert!(expected.len() > 3_000);
    assert_eq!(finished.json_lines(), expected[1..]);
}

#[test]
fn a_run_whose_reader_is_gone_is_stopped() {
    let (first, never) = (Gate::new(), Gate::new());
    let reply = Reply::text("Begun. ").and_wait(&first);
    let scene = Scene::new([reply.and_text("More. ").and_wait(&never)]);
    let house = &scene.house;
    let reader = "head -n 1; exec <&-; echo gone";
    let mut running = house.ask(["run", "--events", "go"]).read_by(reader).spawn();
    running.until("gone");
    first.open();
    let finished = running.finish();
    assert!(
        finished.stderr.ends_with("exit 130\n"),
        "{}",
        finished.stderr
    );
    let log = json_lines(&house.session_logs()[0]);
    assert_eq!(of_kind(&log, "query_finished")[0]["status"], "interrupted");
    never.open();
}

#[test]
fn an_output_that_cannot_be_written_is_named() {
    let scene = Scene::new([Reply::text("Hello.")]);
    for line in ["carl agents", "carl run --json hello"] {
        let full = scene.house.carl().typed(&format!("exec {line} >/dev/full"));
        let told = full.run().expect(4).stderr;
        let said = "error: standard output cannot be written: No space left on device";
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn a_summary_tells_what_was_done_before_a_server_ended() {
    let gate = Gate::new();
    let scene = Scene::new([
        Reply::call("list_files", json!({"path": "."})),
        Reply::text("Hm. ").and_wait(&gate),
    ]);
    let house = &scene.house;
    let mut server = house.ask(["serve"]).spawn();
    server.until("serving at");
    let line = "exec carl run --json 'look around' 2>&1 >summary.json";
    let mut running = house.carl().typed(line).spawn();
    // What is said of the second answer has come behind the result of the call.
    running.until("models.quiet");
    server.kill();
    let finished = running.finish();
    assert_eq!(finished.code, Some(4), "{finished:#?}");
    let summary = std::fs::read_to_string(house.work().join("summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    let log = json_lines(&house.session_logs()[0]);
    assert_eq!(summary["session_id"], log[0]["session_id"], "{summary:#}");
    let asked = &of_kind(&log, "query_received")[0]["query_id"];
    assert_eq!(summary["query_id"], *asked, "{summary:#}");
    assert_eq!(
        summary["tool_calls"][0]["tool"], "list_files",
        "{summary:#}"
    );
    assert_eq!(summary["tool_calls"][0]["status"], "ok", "{summary:#}");
    // What had come of the answer, what it cost until then, and whose it was.
    assert_eq!(summary["answer"], "Hm.", "{summary:#}");
    assert_eq!(summary["model"], "scripted/scripted-model", "{summary:#}");
    for figure in ["/usage/prompt_tokens", "/duration_ms"] {
        let figure = summary.pointer(figure).unwrap();
        assert!(figure.as_u64() > Some(0), "{summary:#}");
    }
    let error = &summary["error"];
    assert_eq!(error["code"], "sessions.unreachable");
    // How to go on is said with the session.
    let id = log[0]["session_id"].as_str().unwrap();
    assert!(
        error["hint"]
            .to_string()
            .contains(&format!("--session-id {id}")),
        "{error:#}"
    );
    gate.open();
}

#[test]
fn notes_that_find_no_room_do_not_cost_the_answer() {
    let scene = Scene::new([Reply::text("The heron stands.")]);
    let run = scene.house.ask(["run"]).typed("carl run hello 2>/dev/full");
    let finished = run.run().expect(0);
    assert_eq!(finished.stdout.trim(), "The heron stands.", "{finished:#?}");
    let list = scene
        .house
        .ask(["session"])
        .typed("carl session list >/dev/full");
    let told = list.run().expect(4).stderr;
    assert!(
        told.contains("standard output cannot be written: "),
        "{told}"
    );
}
