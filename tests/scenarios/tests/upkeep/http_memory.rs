//! `carl serve --http`: memory kept in order, calls explained by the policy, and where a drive stands.

use scenarios::serving::{Serving, session};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::Reply;
use testkit::http::Client;

const MEMORY: &str = "/api/v1/memory";

fn add(client: &Client, text: &str) -> Value {
    client
        .post(MEMORY, &json!({"text": text, "tags": ["kitchen"]}))
        .expect(200)
        .json()
}

/// What memory has on a question, by its texts.
fn found(client: &Client, question: &str) -> Vec<String> {
    let wanted = json!({"query": question});
    let found = client.post("/api/v1/memory/search", &wanted).expect(200);
    let results = found.json()["results"].as_array().unwrap().clone();
    let texts = results.iter();
    texts
        .map(|one| one["segment"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn entries_are_added_shown_corrected_and_forgotten_over_http() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let admin = serving.client(&scene, "admin");
    let added = add(&admin, "the blue pot holds four cups");
    assert_eq!(added["is_new"], true);
    let first = added["id"].as_str().unwrap();
    let again = add(&admin, "the blue pot holds four cups");
    assert_eq!(again, json!({"id": first, "is_new": false}));
    let entry = |id: &str| admin.get(&format!("{MEMORY}/{id}"));
    let shown = entry(first).expect(200).json();
    assert_eq!(shown["text"], "the blue pot holds four cups");
    assert_eq!(shown["name"], "the blue pot holds four cups");
    assert_eq!(shown["tags"], json!(["kitchen"]));
    assert_eq!(shown["source"], "user");

    let corrected = admin.post(
        &format!("{MEMORY}/{first}/correct"),
        &json!({"text": "the blue pot holds six cups"}),
    );
    let corrected = corrected.expect(200).json();
    let second = corrected["id"].as_str().unwrap();
    assert_ne!(second, first);
    assert_eq!(entry(first).expect(200).json()["superseded_by"], second);
    let question = "what does the blue pot hold?";
    assert_eq!(found(&admin, question), ["the blue pot holds six cups"]);

    let forgotten = admin.delete(&format!("{MEMORY}/{second}")).expect(200);
    let forgotten = forgotten.json();
    assert_eq!(forgotten["entries"], 2);
    assert_eq!(forgotten["held_by"], json!({"entries": 0, "named": []}));
    for gone in [first, second] {
        assert_eq!(entry(gone).expect(404).code(), "memory.not_found");
    }
    assert!(found(&admin, question).is_empty());
    let listed = scene.house.ask(["memory", "list", "--json"]).run();
    assert_eq!(listed.expect(0).stdout, "");
}

#[test]
fn what_memory_does_not_keep_is_refused_over_http() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let admin = serving.client(&scene, "admin");
    let secret = json!({"text": "the key is ghp_0123456789abcdefghijklmnopqrstuvwxyz01"});
    let refused = admin.post(MEMORY, &secret).expect(422);
    assert_eq!(refused.code(), "http.not_kept");
    assert!(!refused.body.contains("ghp_"), "{}", refused.body);
    let empty = admin.post(MEMORY, &json!({"text": " ... "})).expect(422);
    assert_eq!(empty.code(), "carl.usage");
    let elsewhere = json!({"text": "a pot", "namespace": ""});
    admin.post(MEMORY, &elsewhere).expect(422);
    let nobody = format!("{MEMORY}/00000000-0000-7000-8000-000000000001");
    let correction = json!({"text": "a pot"});
    let missing = admin.post(&format!("{nobody}/correct"), &correction);
    assert_eq!(missing.expect(404).code(), "memory.not_found");
    assert_eq!(admin.delete(&nobody).expect(404).code(), "memory.not_found");
    let none = admin.get(&format!("{MEMORY}/pot")).expect(404);
    assert_eq!(none.code(), "http.not_found");
    let moved = json!({"text": "a pot", "namespace": "user"});
    let moved = admin.post(&format!("{nobody}/correct"), &moved).expect(400);
    assert_eq!(moved.code(), "http.invalid_request");
}

#[test]
fn memory_and_the_policy_are_the_users_alone() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let (approver, admin) = (
        serving.client(&scene, "approve"),
        serving.client(&scene, "admin"),
    );
    let added = add(&admin, "the blue pot holds four cups");
    let one = format!("{MEMORY}/{}", added["id"].as_str().unwrap());
    let text = json!({"text": "the blue pot holds nothing"});
    let call = json!({"tool": "read_file", "arguments": {"path": "a.txt"}});
    for refused in [
        approver.get(&one),
        approver.post(MEMORY, &text),
        approver.post(&format!("{one}/correct"), &text),
        approver.delete(&one),
        approver.post("/api/v1/policy/explain", &call),
    ] {
        assert_eq!(refused.expect(403).code(), "http.scope");
    }
    let shown = admin.get(&one).expect(200).json();
    assert_eq!(shown["text"], "the blue pot holds four cups");
}

#[test]
fn the_policy_explains_a_call_over_http_as_on_the_command_line() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let admin = serving.client(&scene, "admin");
    let explain = |call: &Value| admin.post("/api/v1/policy/explain", call);
    let arguments = json!({"path": "a.txt", "content": "x"});
    let call = json!({"agent": "coder", "tool": "write_file", "arguments": arguments});
    let told = explain(&call).expect(200).json();
    assert_eq!(told["verdict"], "deny");
    let typed = scene
        .house
        .ask(["policy", "explain", "coder", "write_file"]);
    let typed = typed.args([&arguments.to_string(), "--json"]).run();
    let typed: Value = serde_json::from_str(&typed.expect(5).stdout).unwrap();
    assert_eq!(told, typed);
    let mut attended = call;
    attended["attended"] = json!(true);
    let told = explain(&attended).expect(200).json();
    assert_eq!(told["verdict"], "confirm");
    let tools = admin.get("/api/v1/tools").expect(200).json();
    let typed: Value = scene.house.ask(["tools", "--json"]).run().expect(0).json();
    assert_eq!(tools["tools"], typed);
    let unknown = json!({"agent": "coder", "tool": "fly"});
    assert_eq!(explain(&unknown).expect(422).code(), "carl.usage");
    explain(&json!({"agent": "nobody", "tool": "write_file"})).expect(422);
}

#[test]
fn where_a_drive_stands_is_told_with_its_session() {
    let scene = Scene::new([
        Reply::call("set_timer", json!({"minutes": 30, "note": "look again"})),
        Reply::call("yield_to_user", json!({"reason": "done"})),
        Reply::text("Waiting."),
    ]);
    let more = "\n[memory]\nrecall = false\ncapture = false\n[drive]\nnotify = false\n";
    scene
        .house
        .configure(&(scene.server.config("openai") + more));
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    let one = format!("/api/v1/sessions/{id}");
    assert_eq!(chat.get(&one).expect(200).json()["drive"], Value::Null);
    let auto = json!({"mode": "auto"});
    chat.post(&format!("{one}/configure"), &auto).expect(204);
    let asked = json!({"text": "look again in half an hour"});
    chat.post(&format!("{one}/messages"), &asked).expect(200);
    let told = chat.get(&one).expect(200).json();
    let drive = &told["drive"];
    assert_eq!(drive["timers"][0]["note"], "look again", "{told:#}");
    assert_eq!(drive["jobs"], json!([]));
    let log = scene.house.session_log(&id);
    let states: Vec<&Value> = of_kind(&log, "drive_state")
        .iter()
        .map(|one| &one["state"])
        .collect();
    assert!(states.contains(&&drive["state"]), "{told:#} {states:?}");
    assert!(!drive["reason"].as_str().unwrap().is_empty());
}
