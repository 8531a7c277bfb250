//! Agents in OpenAI's dialect, asked by the official Python client.

use scenarios::serving::{Serving, token};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::process::Command;
use testkit::house::json_lines;
use testkit::http::Client;
use testkit::ollama::OllamaState;
use testkit::{Gate, OPENAI_CLIENT, Reply, Server, is_absent, openai_client};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/data/openai_client.py");

/// A scene whose agents work in loop mode, with a server; `None` where the client is known to be absent.
fn serving(replies: impl IntoIterator<Item = Reply>) -> Option<(Scene, Serving)> {
    if is_absent(OPENAI_CLIENT) {
        return None;
    }
    let scene = Scene::new(replies);
    let more = "\n[chat]\ndefault_mode = \"loop\"\n[memory]\nrecall = false\ncapture = false\n";
    scene
        .house
        .configure(&(scene.server.config("openai") + more));
    let serving = Serving::begin(&scene);
    Some((scene, serving))
}

/// Runs a part of the program.
fn ask(scene: &Scene, serving: &Serving, part: &str) {
    let mut python = Command::new("python3");
    python.args([PROGRAM, part]).env("URL", &serving.url);
    python.env("TOKEN", token(scene, "client", "chat"));
    python.env("READER", token(scene, "reader", "read"));
    let output = python.env("PYTHONPATH", openai_client()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{part}: {said}\n{errors}");
    assert_eq!(said, "as it has to be\n");
}

/// The words of each request, session by session, the oldest session first.
fn requests(scene: &Scene) -> Vec<Vec<String>> {
    let mut logs = scene.house.session_logs();
    logs.sort();
    let logs = logs.iter().map(|log| json_lines(log));
    let words = |log: Vec<Value>| {
        let asked = of_kind(&log, "query_received").into_iter();
        asked
            .map(|one| one["text"].as_str().unwrap().to_owned())
            .collect()
    };
    logs.map(words).collect()
}

#[test]
fn the_official_client_is_answered_whole_and_in_pieces() {
    let counted = || Reply::text("One ").and_text("two ").and_text("three.");
    let replies = [
        Reply::thinking("Two twos. ").and_text("Four."),
        counted(),
        counted(),
        Reply::text("On and on").finishing("length"),
    ];
    let Some((scene, serving)) = serving(replies) else {
        return;
    };
    ask(&scene, &serving, "answers");
}

#[test]
fn a_conversation_goes_on_branches_and_is_taken_over() {
    let said = ["Four cups.", "Six cups.", "Eight cups.", "On the shelf."];
    let Some((scene, serving)) = serving(said.map(Reply::text)) else {
        return;
    };
    ask(&scene, &serving, "conversations");
    assert_eq!(
        requests(&scene),
        [
            vec!["Be brief.\n\na pot?", "a large one?"],
            vec!["Be brief.\n\na pot?", "a large one?"],
            vec!["and where?"],
        ]
    );
    // The copy knows nothing of the answer that was given on the other way.
    let chats = scene.server.chats();
    let told = |number: usize| chats[number].body["messages"].to_string();
    assert!(told(1).contains("Four cups.") && told(2).contains("Four cups."));
    assert!(!told(2).contains("Six cups."));
    // What no session saw is data, and none of the user's words.
    assert!(told(3).contains("The blue one."));
    let mut logs = scene.house.session_logs();
    logs.sort();
    let given = of_kind(&json_lines(&logs[2]), "input_given")[0].clone();
    assert_eq!(given["name"], "earlier-conversation");
}

#[test]
fn responses_are_answered_and_gone_on_with() {
    let counted = Reply::text("One ").and_text("two ").and_text("three.");
    let said = ["Four cups.", "Six cups."].map(Reply::text);
    let cut = Reply::text("On and on").finishing("length");
    let Some((scene, serving)) = serving(said.into_iter().chain([counted, cut])) else {
        return;
    };
    ask(&scene, &serving, "responses");
    let asked = requests(&scene);
    assert_eq!(asked[0], ["Be brief.\n\na pot?", "a large one?"]);
    assert_eq!(asked[1], ["count"]);
}

#[test]
fn what_nobody_can_answer_is_refused_and_said() {
    let write = || Reply::call("write_file", json!({"path": "a.txt", "content": "x"}));
    let said = || Reply::text("I could not write it.");
    let Some((scene, serving)) = serving([write(), said(), write(), said()]) else {
        return;
    };
    ask(&scene, &serving, "refusals");
    assert!(!scene.house.has("a.txt"));
}

#[test]
fn errors_have_the_form_that_the_client_knows() {
    let refuse = || Reply::refuse(400, "{\"error\": {\"message\": \"no such thing\"}}");
    let Some((scene, serving)) = serving((0..8).map(|_| refuse())) else {
        return;
    };
    ask(&scene, &serving, "errors");
}

/// What a model says to a client with tools: a call, an answer, both in one, an answer.
fn with_tools() -> [Reply; 4] {
    let city = || json!({"city": "Bern"});
    let umbrella = || Reply::text("Take an umbrella.");
    let looks = Reply::text("Let me look.").and_call("weather", city());
    [
        Reply::call("weather", city()),
        umbrella(),
        looks,
        umbrella(),
    ]
}

/// That the model had the client's tools and words and none of ours, that what a tool said stood behind a
/// fence, and that each asking is on record.
fn answered_without_an_agent(scene: &Scene) {
    let chats = scene.server.chats();
    assert_eq!(chats.len(), 4);
    let first = &chats[0].body;
    let tools = first["tools"].as_array().unwrap().iter();
    let names: Vec<&str> = tools
        .map(|tool| tool["function"]["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["weather"]);
    let roles = first["messages"].as_array().unwrap().iter();
    let roles: Vec<&str> = roles.map(|one| one["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user"]);
    // What a tool said is somebody's words, behind a fence that they do not close.
    let told = chats[1].body["messages"].as_array().unwrap().clone();
    let told = told.last().unwrap()["content"].as_str().unwrap().to_owned();
    assert!(
        told.starts_with("[TOOL_RESULT: UNTRUSTED weather "),
        "{told}"
    );
    assert!(told.contains("[NOTE "), "{told}");
    assert!(!told.contains("[END 1]"), "{told}");
    // No agent has worked, and each asking is on record with the token that asked.
    assert!(scene.house.session_logs().is_empty());
    assert_eq!(
        asked_for_clients(scene, "tools of a client's own, token client"),
        4
    );
}

#[test]
fn tools_of_the_client_are_handed_back_and_what_they_say_is_fenced() {
    let Some((scene, serving)) = serving(with_tools()) else {
        return;
    };
    ask(&scene, &serving, "tools");
    answered_without_an_agent(&scene);
}

#[test]
fn responses_hand_tools_of_the_client_back_as_well() {
    let Some((scene, serving)) = serving(with_tools()) else {
        return;
    };
    ask(&scene, &serving, "response_tools");
    answered_without_an_agent(&scene);
}

/// How many askings of models are on record with these words.
fn asked_for_clients(scene: &Scene, words: &str) -> usize {
    let records = scene.house.audit();
    let asked = records.iter().filter(|one| one["action"] == "model_call");
    asked.filter(|one| one["detail"] == words).count()
}

#[test]
fn a_client_with_tools_that_leaves_stops_the_model() {
    let gate = Gate::new();
    let tale = Reply::text("Once upon a time ").and_wait(&gate);
    let Some((scene, serving)) = serving([tale]) else {
        return;
    };
    let client = Client::new(&serving.url, Some(&token(&scene, "client", "chat")));
    let asked = json!({
        "model": "carl/assistant", "stream": true,
        "messages": [{"role": "user", "content": "a tale"}],
        "tools": [{"type": "function", "function": {"name": "weather"}}],
    });
    let stream = client.post_for_events("/v1/chat/completions", &asked);
    scene.server.wait_for_chats(1);
    drop(stream);
    scene.server.wait_for_hang_ups(1);
    gate.open();
}

#[test]
fn vectors_are_made_by_the_model_that_memory_uses() {
    if is_absent(OPENAI_CLIENT) {
        return;
    }
    let server = Server::script([]).ollama(OllamaState::default());
    let scene = Scene::with(server, "ollama");
    let roles = "\n[models.roles]\nembed = \"scripted/scripted-model\"\n";
    scene
        .house
        .configure(&(scene.server.config("ollama") + roles));
    let serving = Serving::begin(&scene);
    ask(&scene, &serving, "vectors");
    assert_eq!(
        asked_for_clients(&scene, "vectors for a client, token client"),
        2
    );
}

#[test]
fn a_client_that_leaves_stops_its_request() {
    let gate = Gate::new();
    let tale = || Reply::text("Once upon a time ").and_wait(&gate);
    let Some((scene, serving)) = serving([tale(), tale()]) else {
        return;
    };
    ask(&scene, &serving, "leaves");
    scene.server.wait_for_hang_ups(1);
    // The same where the answer was to come as a whole.
    let client = Client::new(&serving.url, Some(&token(&scene, "other", "chat")));
    let asked =
        json!({"model": "carl/assistant", "messages": [{"role": "user", "content": "a tale"}]});
    let waiting = std::thread::spawn({
        let address = client.address.clone();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{asked}",
            client.token.clone().unwrap(),
            asked.to_string().len()
        );
        move || {
            use std::io::Write as _;
            let mut stream = std::net::TcpStream::connect(address).unwrap();
            stream.write_all(head.as_bytes()).unwrap();
            stream
        }
    });
    let stream = waiting.join().unwrap();
    scene.server.wait_for_chats(2);
    drop(stream);
    scene.server.wait_for_hang_ups(2);
    let ends: Vec<String> = scene
        .house
        .session_logs()
        .iter()
        .flat_map(|log| json_lines(log))
        .filter(|event| event["type"] == "query_finished")
        .map(|event| event["status"].to_string())
        .collect();
    assert!(ends.iter().all(|end| end == "\"interrupted\""), "{ends:?}");
    gate.open();
}
