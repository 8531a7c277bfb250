//! `[observers] respondent_b`: which requests are answered a second time by themselves, by whom, and what that
//! model is shown.

use scenarios::Scene;
use scenarios::serving::{Serving, session};
use serde_json::{Value, json};
use testkit::http::Client;
use testkit::{Reply, Server};

/// Another model's server, in the configuration under a name.
fn provider(name: &str, server: &Server) -> String {
    let url = server.url();
    format!("[models.providers.{name}]\ntype = \"openai\"\nendpoint = \"{url}/v1\"\n")
}

/// A judge that finds the second answer better, in both orders.
fn judge() -> Server {
    let better = |which: &str| {
        let said = json!({"feedback": "By the evidence.", "better": which});
        Reply::text(said.to_string())
    };
    Server::openai([better("second"), better("first")])
}

/// A served house in which other models answer again and judge.
fn serving(scene: &Scene, (second, judge): (&Server, &Server), observers: &str) -> Serving {
    let config = format!(
        "{}\n[memory]\nrecall = false\ncapture = false\n[observers]\n{observers}\n{}{}\
         [models.roles]\njudge = \"judge/scripted-model\"\n",
        scene.server.config("openai"),
        provider("second", second),
        provider("judge", judge),
    );
    scene.house.configure(&config);
    Serving::begin(scene)
}

/// Asks, and waits until the request is over.
fn ask(client: &Client, id: &str, text: &str) {
    let asked = json!({"text": text, "mode": "loop"});
    let path = format!("/api/v1/sessions/{id}/messages");
    client.post(&path, &asked).expect(200);
}

/// What the first event of a name says, once there is one.
fn until_told(client: &Client, id: &str, name: &str) -> Value {
    let path = format!("/api/v1/sessions/{id}/events");
    let mut events = client.events(&path, Some(0));
    events.until(name).last().unwrap().json()
}

#[test]
fn every_answer_is_answered_again_by_the_configured_model_and_compared() {
    let scene = Scene::new([
        Reply::call("list_files", json!({"path": "."})),
        Reply::text("There is one file."),
    ]);
    scene.house.write("teapot.txt", "blue\n");
    let (second, judge) = (Server::openai([Reply::text("It is teapot.txt.")]), judge());
    let every =
        "respondent_b = \"every\"\nmodel_b = \"second/scripted-model\"\ntemperature_b = 0.3";
    let serving = serving(&scene, (&second, &judge), every);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    ask(&chat, &id, "what is in this folder?");
    let given = until_told(&chat, &id, "second.generation");
    assert_eq!(given["model"], "second/scripted-model");
    assert_eq!(given["answer"], "It is teapot.txt.");
    assert_eq!(until_told(&chat, &id, "pairwise.result")["winner"], "B");
    let asked = &second.chats()[0].body;
    assert_eq!(asked["temperature"], 0.3);
    assert!(asked.get("tools").is_none(), "{asked}");
    // It has no tools, and is shown what those of the first answer returned.
    let shown = asked["messages"].to_string();
    assert!(
        shown.contains("tools_returned") && shown.contains("teapot.txt"),
        "{shown}"
    );
    // Of the judge's two questions each has one of both answers first, and neither says whose it is.
    let judged = judge.chats();
    assert_eq!(judged.len(), 2);
    assert!(!judged[0].body["messages"].to_string().contains("second/"));
    assert_ne!(judged[0].body["messages"], judged[1].body["messages"]);
}

#[test]
fn a_second_answer_of_the_same_model_that_is_taken_over_is_rated_beside_the_first() {
    let scene = Scene::new([Reply::text("Porto."), Reply::text("Lisbon.")]);
    let (second, judge) = (Server::openai([]), judge());
    let serving = serving(&scene, (&second, &judge), "critic = \"on_demand\"");
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    ask(&chat, &id, "What is the capital of Portugal?");
    let query = until_told(&chat, &id, "query.finished")["query_id"].clone();
    let post = |path: &str| {
        let path = format!("/api/v1/sessions/{id}/{path}");
        chat.post(&path, &json!({"query_id": query})).expect(204);
    };
    let rate = |score: i8| {
        let opinion = json!({"session_id": id, "query_id": query, "score": score});
        chat.post("/feedback", &opinion).expect(204);
    };
    rate(50);
    post("second");
    let given = until_told(&chat, &id, "second.generation");
    assert_eq!(given["model"], "scripted/scripted-model");
    until_told(&chat, &id, "pairwise.result");
    post("second/take");
    rate(-50);
    let mut events = chat.events(&format!("/api/v1/sessions/{id}/events"), Some(0));
    for _ in 0..2 {
        events.until("reward.event");
    }
    drop(serving);
    let told = scene
        .house
        .ask(["quality", "--json"])
        .run()
        .expect(0)
        .stdout;
    let rows = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rated = rows.filter(|one| one["by"] == "user");
    let rated: Vec<(Value, Value)> = rated
        .map(|one| (one["score"].clone(), one["is_second"].clone()))
        .collect();
    assert_eq!(
        rated,
        [(json!(50), json!(false)), (json!(-50), json!(true))]
    );
    let told = scene.house.ask(["quality"]).run().expect(0).stdout;
    assert!(told.contains("+1 -1"), "{told}");
}

#[test]
fn of_no_share_nothing_is_answered_again_by_itself() {
    let scene = Scene::new([Reply::text("Lisbon."), Reply::text("Some 550,000.")]);
    let (second, judge) = (Server::openai([Reply::text("Porto.")]), judge());
    let none =
        "respondent_b = \"every\"\nrespondent_b_share = 0.0\nmodel_b = \"second/scripted-model\"";
    let serving = serving(&scene, (&second, &judge), none);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    ask(&chat, &id, "What is the capital of Portugal?");
    ask(&chat, &id, "And how many people live there?");
    // The one that is asked for is all there is.
    let last = until_told(&chat, &id, "query.finished");
    let query = json!({"query_id": last["query_id"]});
    let path = format!("/api/v1/sessions/{id}/second");
    chat.post(&path, &query).expect(204);
    let given = until_told(&chat, &id, "second.generation");
    assert_eq!(given["query_id"], last["query_id"]);
    assert_eq!(second.chats().len(), 1);
}

#[test]
fn a_request_that_changed_files_is_not_answered_again() {
    let scene = Scene::new([
        Reply::call(
            "write_file",
            json!({"path": "note.txt", "content": "blue\n"}),
        ),
        Reply::text("It is written."),
    ]);
    let (second, judge) = (Server::openai([Reply::text("Porto.")]), judge());
    let model = "model_b = \"second/scripted-model\"";
    let serving = serving(&scene, (&second, &judge), model);
    let user = serving.client(&scene, "approve");
    let id = session(&user, true);
    let at = |rest: &str| format!("/api/v1/sessions/{id}{rest}");
    let wanted = json!({"text": "write blue into note.txt", "mode": "loop"});
    let mut stream = user.post_for_events(&at("/messages"), &wanted);
    let asked = stream.until("confirmation.asked").pop().unwrap().json();
    let question = asked["confirmation_id"].as_str().unwrap();
    let yes = json!({"binding": asked["binding"], "answer": "once"});
    user.post(&at(&format!("/confirmations/{question}")), &yes)
        .expect(204);
    let over = stream.until("query.finished").pop().unwrap().json();
    assert!(scene.house.has("note.txt"));
    user.post(&at("/second"), &json!({"query_id": over["query_id"]}))
        .expect(204);
    let missed = until_told(&user, &id, "second.missed");
    assert_eq!(missed["code"], "quality.no_second", "{missed}");
    assert!(second.chats().is_empty());
}

#[test]
fn a_second_answer_is_shown_the_last_six_exchanges() {
    let answers = (1..=8).map(|number| Reply::text(format!("answer {number}.")));
    let scene = Scene::new(answers);
    let (second, judge) = (Server::openai([Reply::text("another.")]), judge());
    let model = "model_b = \"second/scripted-model\"";
    let serving = serving(&scene, (&second, &judge), model);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    for number in 1..=8 {
        ask(&chat, &id, &format!("question {number}?"));
    }
    let path = format!("/api/v1/sessions/{id}/events?follow=false");
    let mut events = chat.events(&path, Some(0));
    let mut over = Value::Null;
    while let Some(sent) = events.next_sent() {
        if sent.event == "query.finished" {
            over = sent.json();
        }
    }
    let path = format!("/api/v1/sessions/{id}/second");
    let wanted = json!({"query_id": over["query_id"], "temperature": 0.0});
    chat.post(&path, &wanted).expect(204);
    until_told(&chat, &id, "second.generation");
    let asked = &second.chats()[0].body;
    assert_eq!(asked["temperature"], 0.0);
    let shown = asked["messages"].to_string();
    for number in 2..=7 {
        assert!(shown.contains(&format!("question {number}?")), "{shown}");
        assert!(shown.contains(&format!("answer {number}.")), "{shown}");
    }
    assert!(shown.contains("question 8?"), "{shown}");
    assert!(!shown.contains("question 1?") && !shown.contains("answer 8."));
}
