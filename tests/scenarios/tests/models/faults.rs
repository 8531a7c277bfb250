//! A model server that fails: the turn ends with a clear message, and the session goes on.

use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::{Gate, Reply, Server};

fn fails(name: &str, reply: &Reply) {
    // A fault before the first byte is tried again, so it is there each time; then all is well.
    let faulty = reply.clone();
    let server = Server::speak(move |request, _| {
        let again = request["messages"].to_string().contains("second request");
        if again {
            Reply::text("All is well.")
        } else {
            faulty.clone()
        }
    });
    let scene = Scene::with(server.openai(), "openai");
    let outcome = scene.run(&["first request"]);
    assert_eq!(
        outcome.finished.code,
        Some(4),
        "{name}: {:#}",
        outcome.summary
    );
    assert!(
        outcome.code().starts_with("models."),
        "{name}: {:#}",
        outcome.summary
    );
    let said = match name {
        "broken off" | "an error in mid-stream" => "half",
        _ => "",
    };
    assert_eq!(outcome.text("answer"), said, "{name}");
    if said == "half" {
        assert_eq!(outcome.text("model"), "scripted/scripted-model", "{name}");
    }
    let message = outcome.summary["error"]["message"].as_str().unwrap();
    assert!(
        message.len() > 20 && message.len() < 4_000,
        "{name}: {message}"
    );
    assert_eq!(
        scene.log(&outcome).last().unwrap()["type"],
        "query_finished",
        "{name}"
    );
    let again = scene.run(&["--session-id", outcome.text("session_id"), "second request"]);
    assert_eq!(
        again.text("answer"),
        "All is well.",
        "{name}: {:#}",
        again.summary
    );
}

#[test]
fn every_fault_ends_in_a_clear_message() {
    let long_line = format!("data: {}\n\n", "x".repeat(10 << 20));
    let cases = [
        ("broken off", Reply::text("half").and_cut()),
        (
            "garbage",
            Reply::default().and_raw("data: {\"choices\": [}\n\n"),
        ),
        (
            "half a character",
            Reply::default().and_raw(b"data: {\"choices\":\xe2\x82\n\n".to_vec()),
        ),
        (
            "a line of ten megabytes",
            Reply::default().and_raw(long_line),
        ),
        (
            "an error in mid-stream",
            Reply::text("half").and_error("out of memory"),
        ),
        (
            "refused",
            Reply::refuse(400, "{\"error\":{\"message\":\"bad request\"}}"),
        ),
        (
            "unauthorised",
            Reply::refuse(401, "{\"error\":{\"message\":\"no key\"}}"),
        ),
        ("not JSON", Reply::refuse(400, "<html>nonsense</html>")),
    ];
    for (name, reply) in &cases {
        fails(name, reply);
    }
}

/// Proxies and small servers send what was asked for under another name, or with a mark before it.
#[test]
fn an_answer_is_told_by_how_it_begins() {
    let mark = || Reply::default().and_raw("\u{feff}");
    let streamed = |reply: Reply| reply.and_text("Half ").and_text("and half.");
    let whole = |reply: Reply| reply.and_text("Half and half.").in_one();
    let cases = [
        ("a mark", streamed(mark())),
        (
            "events as JSON",
            streamed(Reply::default()).sent_as("application/json"),
        ),
        (
            "both",
            streamed(mark()).sent_as("application/json; charset=utf-8"),
        ),
        (
            "a document as text",
            whole(Reply::default()).sent_as("text/plain"),
        ),
        (
            "a document as events",
            whole(Reply::default()).sent_as("text/event-stream"),
        ),
        (
            "a document with a mark",
            whole(mark()).sent_as("text/plain"),
        ),
        ("a document as itself", whole(mark())),
    ];
    for (name, reply) in cases {
        let outcome = Scene::new([reply]).run(&["hello"]);
        assert_eq!(
            outcome.text("answer"),
            "Half and half.",
            "{name}: {outcome:#?}"
        );
        outcome.assert_ends(0, "success");
    }
}

/// As a login page of a proxy answers, with 200.
#[test]
fn a_web_page_in_place_of_an_answer_is_named_as_one() {
    let page = Reply::default().and_raw("\n<!DOCTYPE html><html><body>Log in</body></html>");
    let scene = Scene::new([page]);
    let outcome = scene.run(&["hello"]);
    assert_eq!(outcome.finished.code, Some(4), "{:#}", outcome.summary);
    let error = &outcome.summary["error"];
    assert_eq!(error["code"], "models.protocol", "{error:#}");
    let (message, hint) = (error["message"].to_string(), error["hint"].to_string());
    assert!(message.contains("a web page"), "{message}");
    assert!(
        hint.contains("endpoint") && hint.contains("proxy"),
        "{hint}"
    );
}

#[test]
fn a_server_that_is_busy_at_first_is_asked_again() {
    let scene = Scene::new([
        Reply::refuse(429, "{\"error\":{\"message\":\"slow down\"}}"),
        Reply::refuse(503, "{\"error\":{\"message\":\"loading\"}}"),
        Reply::text("Here I am."),
    ]);
    let outcome = scene.run(&["hello"]);
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer"), "Here I am.");
    assert_eq!(scene.server.chats().len(), 3);
}

#[test]
fn a_call_that_leaked_as_text_is_recovered_and_judged_like_any_other() {
    let leaked = |arguments: serde_json::Value| {
        let call = json!({"name": "read_file", "arguments": arguments});
        Reply::text(format!("<tool_call>\n{call}\n</tool_call>"))
    };
    let scene = Scene::new([
        leaked(json!({"path": "notes.md"})),
        leaked(json!({"path": "/etc/shadow"})),
        Reply::text("The notes say hello."),
    ]);
    scene.house.write("notes.md", "hello");
    let outcome = scene.run(&["read the notes"]);
    assert_eq!(outcome.calls().len(), 2, "{:#}", outcome.summary);
    assert_eq!(outcome.calls()[0]["status"], "ok");
    outcome.assert_denied(1, "path");
    assert!(!outcome.text("answer").contains("tool_call"));
    let log = scene.log(&outcome);
    assert!(
        of_kind(&log, "tool_requested")
            .iter()
            .all(|event| event["recovered"] == true)
    );
}

#[test]
fn a_call_that_lacks_a_bracket_or_is_spelled_otherwise_is_run() {
    let calls = [
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes.md\"}\n</tool_call>",
        "```json\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes.md\"}\n```",
    ];
    let native = Reply::call("readFile", json!({"path": "notes.md"}));
    for call in calls.map(Reply::text).into_iter().chain([native]) {
        let scene = Scene::new([call, Reply::text("The notes say hello.")]);
        scene.house.write("notes.md", "hello");
        let outcome = scene.run(&["read the notes"]);
        outcome.assert_ends(0, "success");
        assert_eq!(outcome.text("answer"), "The notes say hello.");
        assert_eq!(outcome.calls()[0]["tool"], "read_file");
        assert_eq!(outcome.calls()[0]["status"], "ok", "{:#}", outcome.summary);
    }
}

#[test]
fn a_raw_call_is_no_answer_when_tools_are_off() {
    let look = || Reply::call("list_files", json!({"path": "file_list"}));
    let raw = r#"{"tool": "list_files", "arguments": {"path": "file_list"}}"#;
    let scene = Scene::new([look(), look(), look(), look(), look(), Reply::text(raw)]);
    let outcome = scene.run(&["list the files here"]);
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.text("answer"), "", "{:#}", outcome.summary);
    assert_eq!(outcome.code(), "agents.went_in_circles");
    let told = scene.told();
    assert!(told.contains("or none at all to list this one"), "{told}");
}

#[test]
fn a_model_that_asks_for_tools_nobody_has_is_stopped() {
    let frob = |with: &str| Reply::call("frobnicate", json!({ "with": with }));
    let scene = Scene::new([
        frob("a"),
        frob("b"),
        frob("c"),
        Reply::text("I could not do it."),
    ]);
    let outcome = scene.run(&["do it"]);
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.code(), "agents.went_in_circles");
    assert_eq!(outcome.text("answer"), "I could not do it.");
    // It was told which tools there are.
    assert!(scene.told().contains("frobnicate"), "{}", scene.told());
}

#[test]
fn a_call_beside_a_sentence_is_said_and_not_remembered() {
    let call = r#"{"name": "write_file", "arguments": {"path": "hello.txt", "content": "hi"}}"#;
    let answers = [
        format!("Sure, I do that:\n{call}"),
        format!("Sure, I do that: {call}"),
        format!("Sure, I do that:\n```json\n{call}\n```"),
    ];
    let replies = answers.iter().map(Reply::text);
    let scene = Scene::new(replies.chain([Reply::text("The port is 8080.")]));
    for _ in &answers {
        let outcome = scene.run(&["create hello.txt with hi"]);
        let log = scene.log(&outcome);
        let notices = of_kind(&log, "notice");
        let codes: Vec<&str> = notices
            .iter()
            .filter_map(|one| one["code"].as_str())
            .collect();
        assert_eq!(codes, ["models.call_in_text"]);
    }
    scene.run(&["which port is it?"]).assert_ends(0, "success");
    let kept = scene.house.ask(["memory", "export"]).run().expect(0).stdout;
    assert!(kept.contains("8080"), "{kept}");
    assert!(!kept.contains("hello.txt"), "{kept}");
}

/// Calls that stay in the text since nothing can run them: of no tool that there is, cut off, and with
/// something behind them.
const NO_SUCH_TOOL: [&str; 3] = [
    r#"{"tool":"nosuch","arguments":{"path":"a"}}"#,
    "<tool_call>\n{\"name\": \"nosuch\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
    r#"{"tool":"nosuch","arguments":{"path":"a"#,
];
/// Where tools stay in the server's own form, whatever comes of it.
const NATIVE: &str = "tool_calls = \"native\"";
const CUT_OFF: [&str; 5] = [
    r#"{"tool":"read_file","arguments":{"path":"a"#,
    "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"pa",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>nosuch<｜tool▁sep｜>{\"arguments",
    "<|channel|>commentary to=functions.nosuch<|message|>{\"arguments",
    r#"{"name":"read_file","arguments":{"path":"a"}},"#,
];

/// With these replies in small pieces, from a model that is told of its tools natively or in text.
fn piecemeal(replies: impl IntoIterator<Item = Reply>, option: &str) -> Scene {
    let server = Server::script(replies).in_pieces_of(5).openai();
    let scene = Scene::with(server, "openai");
    let config = format!("{}{option}\n", scene.server.config("openai"));
    scene.house.configure(&config);
    scene
}

#[test]
fn what_looks_like_a_call_and_may_have_been_the_answer_is_quoted() {
    let data = r#"{"name":"Alice","parameters":{"age":3}}"#;
    let scene = piecemeal([Reply::text(data), Reply::text(data)], NATIVE);
    let outcome = scene.run(&["give me a record as JSON"]);
    outcome.assert_ends(4, "failed");
    let hint = outcome.summary["notices"][0]["hint"].as_str().unwrap();
    assert_eq!(hint, format!("It wrote: {data}"));
    // What defines a tool calls none.
    let definition =
        r#"{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}"#;
    let scene = piecemeal([Reply::text(definition)], "");
    let outcome = scene.run(&["write a tool definition"]);
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer"), definition);
}

#[test]
fn a_call_with_a_bracket_too_many_is_taken_as_it_stands() {
    for option in ["", "tool_calls = \"json\""] {
        for raw in [
            r#"{"tool":"read_file","arguments":{"path":"notes.md"}}}"#,
            "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"notes.md\"}}}\n</tool_call>",
        ] {
            let scene = piecemeal([Reply::text(raw), Reply::text("They say hello.")], option);
            scene.house.write("notes.md", "hello");
            let outcome = scene.run(&["what do my notes say?"]);
            outcome.assert_ends(0, "success");
            assert_eq!(outcome.text("answer"), "They say hello.", "{option} {raw}");
            assert_eq!(
                outcome.calls().len(),
                1,
                "{option} {raw}: {:#}",
                outcome.summary
            );
            assert_eq!(outcome.calls()[0]["status"], "ok");
        }
    }
    // With words beside it, it may be quoted from anywhere.
    let quoted =
        "{\"tool\":\"read_file\",\"arguments\":{\"path\":\"notes.md\"}}}\nis what it says.";
    let scene = piecemeal([Reply::text(quoted)], "");
    let outcome = scene.run(&["what does the mail say?"]);
    assert_eq!(outcome.text("answer"), quoted);
    assert_eq!(outcome.calls().len(), 0, "{:#}", outcome.summary);
}

#[test]
fn a_call_in_text_as_in_a_script_or_in_two_lines_is_run() {
    let arguments = r#"{"path": "notes.md"}"#;
    for raw in [
        format!("functions.read_file({arguments})"),
        r#"read_file(path="notes.md")"#.to_owned(),
        format!("read_file {arguments}"),
        format!(r#"{{"read_file": {arguments}}}"#),
        r#"{"tool": "read_file", "path": "notes.md"}"#.to_owned(),
        format!("Action: read_file\nAction Input: {arguments}"),
    ] {
        let scene = piecemeal([Reply::text(&raw), Reply::text("They say hello.")], "");
        scene.house.write("notes.md", "hello");
        let outcome = scene.run(&["what do my notes say?"]);
        outcome.assert_ends(0, "success");
        assert_eq!(outcome.text("answer"), "They say hello.", "{raw}");
        assert_eq!(outcome.calls()[0]["status"], "ok", "{raw}");
    }
}

#[test]
fn a_call_in_text_that_cannot_be_run_is_told_to_the_model() {
    for option in ["", "tool_calls = \"json\""] {
        for raw in NO_SUCH_TOOL.iter().chain(&CUT_OFF) {
            let answer = "The notes say hello.";
            let scene = piecemeal([Reply::text(*raw), Reply::text(answer)], option);
            let outcome = scene.run(&["read the notes"]);
            outcome.assert_ends(0, "success");
            assert_eq!(outcome.text("answer"), answer, "{option} {raw}");
            assert_eq!(scene.server.chats().len(), 2, "{option} {raw}");
            let told = scene.told();
            let is_whole = raw.ends_with(['}', '>']);
            let why = match is_whole {
                // In the form agreed on it is a call like any other, and the guard refuses it.
                true if !option.is_empty() && raw.starts_with('{') => "nosuch",
                true => "there is none of that name",
                false => "broke off before it was complete",
            };
            assert!(told.contains(why), "{option} {raw}: {told}");
        }
    }
}

#[test]
fn a_model_that_goes_on_with_such_calls_ends_without_an_answer() {
    for raw in NO_SUCH_TOOL.iter().chain(&CUT_OFF) {
        let scene = piecemeal([Reply::text(*raw), Reply::text(*raw)], NATIVE);
        let outcome = scene.run(&["read the notes"]);
        outcome.assert_ends(4, "failed");
        assert_eq!(outcome.code(), "agents.broken_calls");
        assert_eq!(outcome.text("answer"), "", "{raw}");

        let scene = piecemeal([Reply::text(*raw), Reply::text(*raw)], NATIVE);
        let run = scene.house.ask(["run", "read the notes"]);
        let shown = run.env("TERM", "xterm").seated().finish();
        assert_eq!(shown.code, Some(4), "{shown:#?}");
        // It stands in the note alone.
        let mut quoted = shown
            .stderr
            .lines()
            .filter(|line| line.contains("arguments"));
        let is_note = quoted.all(|line| line.starts_with("  It wrote: "));
        assert!(is_note, "{raw}: {shown:#?}");
    }
    // One that calls in the form agreed on is refused until it has no calls left.
    let json = "tool_calls = \"json\"\n[agents]\ntool_iterations = 2";
    let scene = piecemeal([NO_SUCH_TOOL[0]; 3].map(Reply::text), json);
    let outcome = scene.run(&["read the notes"]);
    outcome.assert_ends(3, "partial");
    assert_eq!(outcome.code(), "agents.calls_used");
    assert_eq!(outcome.text("answer"), "");
}

#[test]
fn a_model_whose_own_calls_do_not_work_is_offered_tools_as_json_from_then_on() {
    let broken = NO_SUCH_TOOL[0];
    let scene = piecemeal(
        [
            Reply::text(broken),
            Reply::text(broken),
            Reply::text(r#"{"tool":"read_file","arguments":{"path":"notes.md"}}"#),
            Reply::text(r#"{"answer":"They say hello."}"#),
            Reply::text(r#"{"answer":"They still do."}"#),
        ],
        "",
    );
    scene.house.write("notes.md", "hello");
    let outcome = scene.run(&["what do my notes say?"]);
    outcome.assert_ends(0, "success");
    assert_eq!(outcome.text("answer"), "They say hello.", "{outcome:#?}");
    let notices = outcome.summary["notices"].as_array().unwrap();
    let told = notices
        .iter()
        .filter(|one| one["code"] == "models.calls_as_json");
    assert_eq!(told.count(), 1, "{notices:#?}");
    // The next process knows, and says nothing more of it.
    let outcome = scene.run(&["do they still say that?"]);
    assert_eq!(outcome.text("answer"), "They still do.", "{outcome:#?}");
    assert!(!outcome.summary.to_string().contains("models.calls_as_json"));
    let chats = scene.server.chats();
    let is_json = |at: usize| !chats[at].body["response_format"].is_null();
    let forms: Vec<bool> = (0..chats.len()).map(is_json).collect();
    assert_eq!(forms, [false, false, true, true, true]);
}

#[test]
fn what_a_model_was_shown_neither_changes_its_form_nor_runs_in_it() {
    let call = r#"{"tool":"write_file","arguments":{"path":"taken.txt","content":"x"}}"#;
    let cut = &call[..call.len() - 4];
    let input = |file| {
        [
            "--allow-write",
            ".",
            "--yes",
            "write",
            "--input",
            file,
            "repeat it",
        ]
    };
    // Its beginning alone, as it was shown, says nothing of the model's own form.
    let scene = piecemeal([cut, cut, "Done."].map(Reply::text), "");
    scene.house.write("cut.txt", cut);
    scene.run(&input("cut.txt")).assert_ends(4, "failed");
    scene.run(&["hello"]).assert_ends(0, "success");
    let chats = scene.server.chats();
    assert!(
        chats
            .iter()
            .all(|chat| chat.body["response_format"].is_null())
    );
    // Without its last brackets it is a quotation as well.
    let unclosed = &call[..call.len() - 2];
    let scene = piecemeal([unclosed].map(Reply::text), "");
    scene.house.write("unclosed.txt", unclosed);
    let told = scene.run(&input("unclosed.txt"));
    assert!(!scene.house.has("taken.txt"), "{:#}", told.summary);
    assert!(told.summary.to_string().contains("models.call_in_text"));
    // Where JSON is its form, a quotation is one all the same, and a call of its own is run.
    let broken = NO_SUCH_TOOL[0];
    let own = r#"{"tool":"write_file","arguments":{"path":"own.txt","content":"y"}}"#;
    let answer = r#"{"answer":"Done."}"#;
    let replies = [broken, broken, answer, call, own, answer];
    let scene = piecemeal(replies.map(Reply::text), "");
    scene.house.write("q.txt", call);
    scene.run(&["read the notes"]).assert_ends(0, "success");
    let told = scene.run(&input("q.txt"));
    assert!(!scene.house.has("taken.txt"), "{:#}", told.summary);
    assert!(told.summary.to_string().contains("models.call_in_text"));
    let own = [
        "--allow-write",
        ".",
        "--yes",
        "write",
        "write y into own.txt",
    ];
    scene.run(&own).assert_ends(0, "success");
    assert_eq!(scene.house.read("own.txt"), "y");
}

#[test]
fn a_call_that_works_between_two_broken_ones_keeps_the_servers_own_form() {
    let broken = NO_SUCH_TOOL[0];
    let read = || Reply::call("read_file", serde_json::json!({"path": "notes.md"}));
    let scene = piecemeal(
        [
            Reply::text(broken),
            read(),
            Reply::text("They say hello."),
            Reply::text(broken),
            Reply::text("They do."),
        ],
        "",
    );
    scene.house.write("notes.md", "hello");
    scene
        .run(&["what do my notes say?"])
        .assert_ends(0, "success");
    scene.run(&["and now?"]).assert_ends(0, "success");
    let chats = scene.server.chats();
    assert!(
        chats
            .iter()
            .all(|chat| chat.body["response_format"].is_null())
    );
    assert_eq!(chats.len(), 5);
}

#[test]
fn json_that_was_asked_for_is_an_answer() {
    let call = NO_SUCH_TOOL[0];
    let answers = [
        r#"{"name": "web", "port": 8080, "parameters": {"cpu": 2}}"#.to_owned(),
        format!("Send {call} to the other program."),
        format!("Send this to the other program:\n\n```json\n{call}\n```"),
        format!("```json\n{call}\n```"),
    ];
    for answer in answers {
        let scene = piecemeal([Reply::text(&answer)], "");
        let outcome = scene.run(&["give me the JSON for it"]);
        outcome.assert_ends(0, "success");
        assert_eq!(outcome.text("answer"), answer);
        assert_eq!(scene.server.chats().len(), 1, "{answer}");
    }
}

#[test]
fn a_malformed_call_is_answered_with_what_is_wrong() {
    let scene = Scene::new([
        Reply::call("read_file", json!("{\"path\": \"notes.md\"")),
        Reply::call("read_file", json!({"file": "notes.md"})),
        Reply::call("read_file", json!({"path": 7})),
        Reply::call("read_file", json!({"path": "notes.md"})),
        Reply::text("hello"),
    ]);
    scene.house.write("notes.md", "hello");
    let outcome = scene.run(&["read the notes"]);
    outcome.assert_ends(0, "success");
    let calls = outcome.calls();
    assert_eq!(calls.len(), 4, "{:#}", outcome.summary);
    for call in &calls[..3] {
        assert_eq!(call["layer"], "schema", "{call}");
        assert_ne!(call["status"], "ok", "{call}");
    }
    assert_eq!(calls[3]["status"], "ok");
}

#[test]
fn an_interrupt_ends_the_turn_with_its_own_exit_code() {
    let gate = Gate::new();
    let scene = Scene::new([Reply::text("Wait. ").and_wait(&gate), Reply::text("never")]);
    let mut running = scene
        .house
        .ask(["run", "--events", "take your time"])
        .spawn();
    running.until("text_delta");
    signal(&running, "-INT");
    let finished = running.finish();
    assert_eq!(finished.code, Some(130), "{finished:#?}");
    let events = finished.json_lines();
    assert_eq!(events.last().unwrap()["type"], "query_finished");
    assert_eq!(events.last().unwrap()["status"], "interrupted");
}

#[test]
fn an_interrupt_gives_the_models_answer_up_and_the_chat_stays() {
    let gate = Gate::new();
    let scene = Scene::new([
        Reply::text("Begun it. ").and_wait(&gate).and_text("never"),
        Reply::text("Heard."),
    ]);
    let mut seat = scene.house.ask(["chat"]).env("TERM", "xterm").at_prompt();
    seat.types("take your time\n");
    seat.until("Begun ");
    seat.interrupts();
    // While this process goes on: the connection is closed because nobody wants the rest.
    scene.server.wait_for_hang_ups(1);
    seat.until("interrupted");
    seat.until("> ");
    seat.types("and now?\n");
    seat.until("Heard.");
    seat.until("> ");
    seat.types("/quit\n");
    let finished = seat.finish();
    assert_eq!(finished.code, Some(0));
    assert!(!finished.stderr.contains("never"), "{finished:#?}");
    let log = testkit::house::json_lines(&scene.house.session_logs()[0]);
    let kinds: Vec<&str> = log
        .iter()
        .filter_map(|event| event["type"].as_str())
        .collect();
    let end = kinds
        .iter()
        .position(|kind| *kind == "query_finished")
        .unwrap();
    assert_eq!(log[end]["status"], "interrupted");
    // Nothing of the request comes after its end.
    let query = &log[end]["query_id"];
    assert!(
        log[end + 1..]
            .iter()
            .all(|event| &event["query_id"] != query),
        "{kinds:?}"
    );
}

/// Sends a signal to a `carl` at work.
fn signal(running: &testkit::Running, signal: &str) {
    let kill = std::process::Command::new("kill")
        .args([signal, &running.pid().to_string()])
        .status();
    assert!(kill.unwrap().success());
}

#[test]
fn a_request_to_end_stops_the_task_and_the_object_says_so() {
    for name in ["-TERM", "-HUP"] {
        let gate = Gate::new();
        let scene = Scene::new([Reply::text("Wait. ").and_wait(&gate), Reply::text("never")]);
        let running = scene.house.ask(["run", "--json", "take your time"]).spawn();
        scene.server.wait_for_chats(1);
        signal(&running, name);
        let finished = running.finish();
        assert_eq!(finished.code, Some(130), "{name}: {finished:#?}");
        assert_eq!(finished.json()["status"], "interrupted", "{name}");
    }
}

#[test]
fn a_model_that_writes_slowly_is_waited_for_and_said_to_be_quiet() {
    let gate = Gate::new();
    let scene = Scene::new([Reply::text("Half ").and_wait(&gate).and_text("and whole.")]);
    let mut running = scene
        .house
        .ask(["run", "--events", "say it slowly"])
        .spawn();
    let said = running.until("models.quiet");
    assert!(said.contains("sent nothing for 10 s"), "{said}");
    // Words have come: the model is loaded, and the prompt was read.
    assert!(
        said.contains("held up") && !said.contains("loading"),
        "{said}"
    );
    assert!(said.contains("timeout_secs"), "{said}");
    gate.open();
    let finished = running.finish();
    assert_eq!(finished.code, Some(0), "{finished:#?}");
    assert!(finished.stdout.contains("and whole."), "{finished:#?}");
}
