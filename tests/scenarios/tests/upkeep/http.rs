//! `carl serve --http`: sessions for programs.

use scenarios::serving::{Serving, session, token};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::http::{Client, Sent};
use testkit::{Gate, Reply};

/// The path of a session.
fn at(session: &str, rest: &str) -> String {
    format!("/api/v1/sessions/{session}{rest}")
}

fn ids(events: &[Sent]) -> Vec<u64> {
    events.iter().filter_map(|sent| sent.id).collect()
}

fn write_a() -> Reply {
    let arguments = json!({"path": "a.txt", "content": "from a program\n"});
    Reply::call("write_file", arguments)
}

#[test]
fn a_program_talks_to_an_agent_over_http() {
    let scene = Scene::new([Reply::text("Four."), Reply::text("Five.")]);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let ready = client.get("/ready").expect(200);
    assert_eq!(ready.body, "ready\n");
    let id = session(&client, false);
    let asked = json!({"text": "what is two and two?", "mode": "loop"});
    let said = client
        .post(&at(&id, "/messages"), &asked)
        .expect(200)
        .json();
    assert_eq!(said["answer"], "Four.");
    assert_eq!(said["status"], "success");
    assert_eq!(said["session_id"], id.as_str());
    let asked = json!({"text": "and one more?", "mode": "loop"});
    let events = client.post_for_events(&at(&id, "/messages"), &asked).all();
    let last = events.last().unwrap();
    assert_eq!(last.event, "query.finished");
    assert_eq!(last.json()["type"], "query_finished");
    let log = scene.house.session_log(&id);
    let logged: Vec<u64> = of_kind(&log, "query_received")[1]["seq"]
        .as_u64()
        .into_iter()
        .collect();
    assert_eq!(ids(&events)[0], logged[0]);
    // The model knew what was said before.
    let chats = scene.server.chats();
    assert!(chats[1].body["messages"].to_string().contains("Four."));
}

#[test]
fn sessions_are_made_listed_renamed_copied_exported_and_deleted() {
    let scene = Scene::new([Reply::text("A pot holds four cups.")]);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let first = session(&client, false);
    let second = session(&client, false);
    let asked = json!({"text": "how much is in a pot?", "mode": "loop"});
    let sent = client.post(&at(&first, "/messages"), &asked);
    sent.expect(200);
    let page = client.get("/api/v1/sessions?limit=1").expect(200).json();
    assert_eq!(page["sessions"][0]["session_id"], first.as_str());
    let next = format!(
        "/api/v1/sessions?limit=1&cursor={}",
        page["next"].as_str().unwrap()
    );
    let page = client.get(&next).expect(200).json();
    assert_eq!(page["sessions"][0]["session_id"], second.as_str());
    assert_eq!(page["next"], Value::Null);

    let shown = client.get(&at(&first, "")).expect(200);
    assert_eq!(shown.json()["agent"], "coder");
    let tag = shown.header("etag").unwrap().to_owned();
    let known = || client.ask("GET", &at(&first, ""), &[("If-None-Match", &tag)], None);
    assert_eq!(known().expect(304).body, "");
    let renamed = client.post(&at(&first, "/rename"), &json!({"name": "tea"}));
    renamed.expect(204);
    assert_eq!(known().expect(200).json()["title"], "tea");

    let copy = client.post(&at(&first, "/fork"), &json!({})).expect(201);
    let place = copy.header("location").unwrap().to_owned();
    let document = client.get(&format!("{place}/export")).expect(200).body;
    assert!(document.contains("A pot holds four cups."), "{document}");
    let events = client
        .get(&at(&first, "/export?format=json"))
        .expect(200)
        .json();
    assert_eq!(events, json!(scene.house.session_log(&first)));

    let refused = client.delete(&at(&second, "")).expect(403);
    assert_eq!(refused.code(), "http.scope");
    let admin = serving.client(&scene, "admin");
    admin.delete(&at(&second, "")).expect(204);
    let gone = client.get(&at(&second, "")).expect(404);
    assert_eq!(gone.code(), "sessions.not_found");
    assert_eq!(
        client.get("/api/v1/sessions?limit=0").expect(400).code(),
        "http.invalid_request"
    );
}

#[test]
fn a_stream_of_events_goes_on_without_a_gap_and_without_a_double() {
    let (first, second) = (Gate::new(), Gate::new());
    let reply = Reply::text("One. ").and_wait(&first).and_text("Two. ");
    let scene = Scene::new([reply.and_wait(&second).and_text("Three.")]);
    let serving = Serving::begin(&scene);
    let (reader, client) = (
        serving.client(&scene, "read"),
        serving.client(&scene, "chat"),
    );
    let id = session(&client, false);
    let mut stream = reader.events(&at(&id, "/events"), None);
    let begun = stream.until("session.opened");
    assert_eq!(ids(&begun), [1]);
    let asked = json!({"text": "count", "mode": "loop"});
    let sent = client.post_for_events(&at(&id, "/messages"), &asked);
    let mut seen = begun;
    seen.extend(stream.until("response.delta"));
    stream.hang_up();
    first.open();
    let last = seen.iter().filter_map(|one| one.id).next_back();
    let mut stream = reader.events(&at(&id, "/events"), last);
    seen.extend(stream.until("response.delta"));
    // The connection is cut in the middle of the answer, and once more after it.
    stream.hang_up();
    second.open();
    sent.all();
    let last = seen.iter().filter_map(|one| one.id).next_back();
    let ended = format!("{}?follow=false", at(&id, "/events"));
    seen.extend(reader.events(&ended, last).all());
    let log = scene.house.session_log(&id);
    let all: Vec<u64> = log
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(ids(&seen), all);
    let told: Vec<Value> = seen
        .iter()
        .filter(|one| one.id.is_some())
        .map(Sent::json)
        .collect();
    assert_eq!(told, log);
    let wrong = [("Last-Event-ID", "x"), ("Accept", "text/event-stream")];
    let refused = reader.ask("GET", &at(&id, "/events"), &wrong, None);
    assert_eq!(refused.expect(400).code(), "http.invalid_request");
}

#[test]
fn an_idle_stream_says_that_it_lives_and_ends_with_its_token() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let id = session(&serving.client(&scene, "chat"), false);
    let reader = Client::new(&serving.url, Some(&token(&scene, "reader", "read")));
    let mut stream = reader.events(&at(&id, "/events"), None);
    stream.until("session.opened");
    let beat = stream.next_sent().unwrap();
    assert!(beat.is_comment, "{beat:?}");
    scene
        .house
        .ask(["token", "revoke", "reader"])
        .run()
        .expect(0);
    assert_eq!(stream.next_sent(), None);
    assert_eq!(
        reader.get("/ready").expect(401).code(),
        "http.unauthenticated"
    );
}

#[test]
fn a_question_waits_for_a_token_that_may_answer_and_the_record_names_it() {
    let scene = Scene::new([write_a(), Reply::text("Written.")]);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let phone = Client::new(&serving.url, Some(&token(&scene, "phone", "approve")));
    let id = session(&chat, true);
    let asked = json!({"text": "write a.txt", "mode": "loop"});
    let mut stream = chat.post_for_events(&at(&id, "/messages"), &asked);
    let asked = stream.until("confirmation.asked").pop().unwrap().json();
    let question = asked["confirmation_id"].as_str().unwrap();
    let path = at(&id, &format!("/confirmations/{question}"));
    let yes = json!({"binding": asked["binding"], "answer": "once"});
    let refused = chat.post(&path, &yes).expect(403);
    assert_eq!(refused.code(), "http.scope");
    let waits = chat.get(&at(&id, "")).expect(200).json();
    assert_eq!(waits["questions"][0]["confirmation_id"], question);
    assert!(!scene.house.has("a.txt"));
    let other = json!({"binding": "0".repeat(64), "answer": "once"});
    let refused = phone.post(&path, &other).expect(409);
    assert_eq!(refused.code(), "sessions.invalid_answer");
    phone.post(&path, &yes).expect(204);
    let rest = stream.all();
    assert_eq!(rest.last().unwrap().json()["status"], "success");
    assert_eq!(scene.house.read("a.txt"), "from a program\n");
    let late = phone.post(&path, &yes).expect(409);
    assert_eq!(late.code(), "sessions.invalid_answer");

    let log = scene.house.session_log(&id);
    let answered = of_kind(&log, "confirmation_answered");
    assert_eq!(
        (&answered[0]["by"], &answered[0]["token"]),
        (&json!("user"), &json!("phone"))
    );
    serving.process.kill();
    let records = scene.house.audit();
    let mut details = records
        .iter()
        .filter_map(|record| record["detail"].as_str());
    assert!(details.any(|detail| detail == "once by user, token phone"));
    let mut details = records
        .iter()
        .filter_map(|record| record["detail"].as_str());
    assert!(details.any(|detail| detail == "token made: phone (approve)"));
}

#[test]
fn where_nobody_answers_a_question_is_a_no() {
    let scene = Scene::new([write_a(), Reply::text("It was refused.")]);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    let asked = json!({"text": "write a.txt", "mode": "loop"});
    let said = chat.post(&at(&id, "/messages"), &asked).expect(200).json();
    assert_eq!(said["tool_calls"][0]["status"], "denied");
    assert!(!scene.house.has("a.txt"));
    // Somebody is there from now on.
    let attended = chat.post(&at(&id, "/configure"), &json!({"attended": true}));
    attended.expect(204);
    assert_eq!(chat.get(&at(&id, "")).expect(200).json()["attended"], true);
}

#[test]
fn a_request_is_stopped_and_what_it_changed_is_taken_back() {
    let gate = Gate::new();
    let waits = Reply::text("Well, ").and_wait(&gate);
    let scene = Scene::new([write_a(), Reply::text("Written."), waits]);
    let serving = Serving::begin(&scene);
    let admin = serving.client(&scene, "admin");
    let folder = scene.house.work();
    let opened = json!({"attended": true, "allow_write": [folder]});
    let made = admin.post("/api/v1/sessions", &opened).expect(201).json();
    let id = made["session_id"].as_str().unwrap();
    let yes_to_all = |text: &str, path: &str, body: &Value| {
        let mut stream = admin.post_for_events(path, body);
        let mut seen = Vec::new();
        while let Some(sent) = stream.next_sent() {
            if sent.event == "confirmation.asked" {
                let asked = sent.json();
                let question = asked["confirmation_id"].as_str().unwrap();
                let yes = json!({"binding": asked["binding"], "answer": "once"});
                let path = at(id, &format!("/confirmations/{question}"));
                admin.post(&path, &yes).expect(204);
            }
            seen.push(sent);
        }
        let end = seen.last().unwrap().json();
        assert_eq!(end["status"], "success", "{text}: {seen:?}");
    };
    let write = json!({"text": "write a.txt", "mode": "loop"});
    yes_to_all("write", &at(id, "/messages"), &write);
    assert!(scene.house.has("a.txt"));
    yes_to_all("undo", &at(id, "/undo"), &json!({}));
    assert!(!scene.house.has("a.txt"));

    let ask = json!({"text": "think about it", "mode": "loop"});
    let mut stream = admin.post_for_events(&at(id, "/messages"), &ask);
    stream.until("response.delta");
    admin.post(&at(id, "/interrupt"), &json!({})).expect(204);
    let end = stream.all().pop().unwrap().json();
    assert_eq!(end["status"], "interrupted");
    gate.open();
}

#[test]
fn what_only_the_user_opens_needs_an_admin() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let (chat, admin) = (
        serving.client(&scene, "chat"),
        serving.client(&scene, "admin"),
    );
    let other = scene.house.home();
    for opened in [
        json!({"workspace": other}),
        json!({"allow_write": [other]}),
        json!({"allow_read": [other]}),
    ] {
        let refused = chat.post("/api/v1/sessions", &opened).expect(403);
        assert_eq!(refused.code(), "http.scope", "{opened}");
        admin.post("/api/v1/sessions", &opened).expect(201);
    }
    let id = session(&chat, false);
    let opened = json!({"allow_write": [other]});
    let refused = chat.post(&at(&id, "/configure"), &opened).expect(403);
    assert_eq!(refused.code(), "http.scope");
    admin.post(&at(&id, "/configure"), &opened).expect(204);
    let relative = json!({"allow_write": ["here"]});
    admin.post("/api/v1/sessions", &relative).expect(422);
    let unknown = json!({"overrides": "all"});
    let refused = admin.post("/api/v1/sessions", &unknown).expect(400);
    assert_eq!(refused.code(), "http.invalid_request");
}

#[test]
fn a_question_is_asked_in_one_call_and_judged_in_another() {
    let replies = [
        Reply::thinking("Two twos. ").and_text("Four."),
        Reply::text("Five."),
    ];
    let scene = Scene::new(replies);
    let config = scene.server.config("openai") + "\n[chat]\ndefault_mode = \"loop\"\n";
    scene.house.configure(&config);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let said = chat
        .post("/query", &json!({"query": "two and two?"}))
        .expect(200)
        .json();
    assert_eq!(
        (&said["answer"], &said["thinking"]),
        (&json!("Four."), &json!("Two twos. "))
    );
    assert_eq!(said["tool_calls"], json!([]));
    let (names, log) = (&said["events"], said["event_log"].as_array().unwrap());
    assert_eq!(names[0], "query.received");
    assert_eq!(names.as_array().unwrap().len(), log.len());
    assert_eq!(log.last().unwrap()["type"], "query_finished");
    let (id, query) = (&said["session_id"], &said["query_id"]);
    let more = json!({"session_id": id, "query": "and one?"});
    let more = chat.post("/query", &more).expect(200).json();
    assert_eq!(
        (&more["answer"], &more["session_id"]),
        (&json!("Five."), id)
    );
    let opinion = json!({"session_id": id, "query_id": query, "score": 80, "note": "right"});
    chat.post("/feedback", &opinion).expect(204);
    let log = scene.house.session_log(id.as_str().unwrap());
    assert_eq!(of_kind(&log, "feedback")[0]["score"], 80);
}

#[test]
fn every_path_is_described_needs_its_token_and_is_counted() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let reader = serving.client(&scene, "read");
    let described = reader.get("/api/v1/openapi.json").expect(200).json();
    assert_eq!(described["openapi"], "3.1.0");
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() > 15, "{paths:?}");
    let stranger = Client::new(&serving.url, None);
    for (path, methods) in paths {
        let place = path
            .replace("{session}", "00000000-0000-0000-0000-000000000000")
            .replace("{confirmation}", "00000000-0000-0000-0000-000000000000")
            .replace("{model}", "carl/coder");
        for (method, about) in methods.as_object().unwrap() {
            let method = method.to_uppercase();
            let refused = stranger.ask(&method, &place, &[], None).status;
            let asked = reader.ask(&method, &place, &[], Some("{}")).status;
            match about["summary"].as_str().unwrap() {
                // What lives says so to everybody.
                open if open.ends_with("Needs no token.") => {
                    assert_eq!((refused, asked), (200, 200))
                }
                // Only a page of the server's own shows one.
                open if open.ends_with("Needs a login code.") => {
                    assert_eq!((refused, asked), (403, 403));
                }
                open if open.ends_with("`read`.") => {
                    assert_eq!(refused, 401, "{path}");
                    assert!(![401, 403, 405].contains(&asked), "{path}: {asked}");
                }
                _ => assert_eq!((refused, asked), (401, 403), "{method} {path}"),
            }
            let names =
                about["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str();
            let known = names.is_none_or(|name| {
                let name = name.rsplit('/').next().unwrap();
                described["components"]["schemas"][name].is_object()
            });
            assert!(known, "{path}: {names:?}");
        }
    }
    let other = reader.ask("PUT", "/ready", &[], None).expect(405);
    assert_eq!(other.code(), "http.method_not_allowed");
    assert_eq!(reader.get("/nowhere").expect(404).code(), "http.not_found");
    let counted = reader.get("/metrics").expect(200);
    assert!(
        counted
            .header("content-type")
            .unwrap()
            .starts_with("text/plain; version=0.0.4")
    );
    let denied = "carl_http_requests_total{method=\"POST\",path=\"/query\",status=\"401\"} 1\n";
    assert!(counted.body.contains(denied), "{}", counted.body);
}

#[test]
fn a_session_goes_on_after_the_server_was_killed() {
    let scene = Scene::new([Reply::text("Four."), Reply::text("Five.")]);
    let serving = Serving::begin(&scene);
    let made = token(&scene, "one", "chat");
    let client = Client::new(&serving.url, Some(&made));
    let id = session(&client, false);
    let asked = json!({"text": "two and two?", "mode": "loop"});
    client.post(&at(&id, "/messages"), &asked).expect(200);
    let seen = client
        .events(&format!("{}?follow=false", at(&id, "/events")), None)
        .all();
    serving.process.kill();
    let serving = Serving::begin(&scene);
    let client = Client::new(&serving.url, Some(&made));
    let last = seen.iter().filter_map(|one| one.id).next_back();
    // A stream of a session that nobody has open waits until somebody has.
    let mut stream = client.events(&at(&id, "/events"), last);
    let asked = json!({"text": "and one?", "mode": "loop"});
    let said = client
        .post(&at(&id, "/messages"), &asked)
        .expect(200)
        .json();
    assert_eq!(said["answer"], "Five.");
    let rest = stream.until("query.finished");
    let all: Vec<u64> = ids(&seen).into_iter().chain(ids(&rest)).collect();
    let log = scene.house.session_log(&id);
    let logged: Vec<u64> = log
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(all, logged);
}

#[test]
fn why_nothing_came_of_a_query_stands_in_its_answer() {
    let scene = Scene::new([]);
    let config = scene.server.config("openai") + "\n[chat]\ndefault_mode = \"deterministic\"\n";
    scene.house.configure(&config);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let asked = json!({"query": "change the port in missing.toml to 80"});
    let said = chat.post("/query", &asked).expect(200).json();
    let answer = said["answer"].as_str().unwrap();
    assert!(answer.contains("missing.toml"), "{said}");
}
