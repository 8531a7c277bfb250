//! `carl serve --http`: what is told beside the events of sessions, to whom, and what goes along with a
//! message.

use scenarios::serving::{Serving, session};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use testkit::http::Client;
use testkit::{Gate, Reply, Server};

fn at(session: &str, rest: &str) -> String {
    format!("/api/v1/sessions/{session}{rest}")
}

#[test]
fn agents_and_models_are_told_with_why_one_cannot_be_used() {
    let scene = Scene::new([]);
    let gone = "[models.providers.gone]\ntype = \"openai\"\nendpoint = \"http://127.0.0.1:9/v1\"\n";
    let config = scene.server.config("openai") + gone;
    scene.house.configure(&config);
    let serving = Serving::begin(&scene);
    let reader = serving.client(&scene, "read");
    let agents = reader.get("/api/v1/agents").expect(200).json();
    let agents = agents["agents"].as_array().unwrap();
    let coder = agents.iter().find(|one| one["agent"] == "coder").unwrap();
    assert_eq!(coder["model_role"], "code");
    let models = reader.get("/api/v1/models").expect(200).json();
    let provider = |name: &str| {
        let mut all = models["providers"].as_array().unwrap().iter();
        all.find(|one| one["provider"] == name).unwrap().clone()
    };
    assert_eq!(provider("scripted")["ready"], true);
    let gone = provider("gone");
    assert_eq!(gone["ready"], false);
    assert!(
        gone["fault"]["code"]
            .as_str()
            .unwrap()
            .starts_with("models.")
    );
    assert_eq!(models["models"][0]["model"], "scripted/scripted-model");
}

#[test]
fn a_name_that_no_log_could_be_read_with_is_no_model() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    for nameless in ["", "scripted/"] {
        let chosen = json!({"model": nameless});
        chat.post(&at(&id, "/configure"), &chosen).expect(422);
        chat.post("/api/v1/sessions", &chosen).expect(422);
    }
    chat.get(&at(&id, "")).expect(200);
}

#[test]
fn a_provider_that_does_not_answer_is_told_where_there_is_no_other() {
    let scene = Scene::new([]);
    let config = scene.server.config("openai");
    let address = scene.server.url();
    scene
        .house
        .configure(&config.replace(&address, "http://127.0.0.1:9"));
    let serving = Serving::begin(&scene);
    let reader = serving.client(&scene, "read");
    let models = reader.get("/api/v1/models").expect(200).json();
    assert_eq!(models["models"], json!([]));
    assert_eq!(models["providers"][0]["ready"], false);
    assert_eq!(
        models["providers"][0]["fault"]["code"],
        "models.unreachable"
    );
}

#[test]
fn memory_and_the_audit_log_are_told_to_the_user_alone() {
    let scene = Scene::new([Reply::text("Four cups.")]);
    let added = ["memory", "add", "the blue pot holds four cups"];
    scene.house.ask(added).run().expect(0);
    let serving = Serving::begin(&scene);
    let (approver, admin) = (
        serving.client(&scene, "approve"),
        serving.client(&scene, "admin"),
    );
    let wanted = json!({"query": "what does the blue pot hold?"});
    let refused = approver.post("/api/v1/memory/search", &wanted).expect(403);
    assert_eq!(refused.code(), "http.scope");
    let found = admin.post("/api/v1/memory/search", &wanted).expect(200);
    let found = found.json();
    let first = &found["results"][0];
    assert_eq!(first["segment"], "the blue pot holds four cups");
    assert!(first["relevance"].as_f64().unwrap() > 0.0);
    assert_eq!(found["stages"][0]["name"], "lexical");
    let empty = admin.post("/api/v1/memory/search", &json!({"query": " "}));
    assert_eq!(empty.expect(400).code(), "memory.invalid");

    let id = session(&admin, false);
    let asked = json!({"text": "how much is in it?", "mode": "loop"});
    admin.post(&at(&id, "/messages"), &asked).expect(200);
    approver.get(&at(&id, "/audit")).expect(403);
    let told = admin.get(&at(&id, "/audit")).expect(200).json();
    assert_eq!(told["fault"], Value::Null);
    let records = told["records"].as_array().unwrap();
    let own = |one: &Value| one["session_id"] == id.as_str();
    assert!(records.iter().all(own), "{told:#}");
    assert!(records.iter().any(|one| one["action"] == "model_call"));
}

/// What the first event of a name in a session says, once there is one.
fn until_told(client: &Client, id: &str, name: &str) -> Value {
    let mut events = client.events(&at(id, "/events"), Some(0));
    events.until(name).last().unwrap().json()
}

#[test]
fn an_answer_is_graded_rated_and_compared_by_programs() {
    let said = |what: Value| Reply::text(what.to_string());
    let better = |which: &str| json!({"feedback": "By the evidence.", "better": which});
    let scene = Scene::new([
        Reply::text("Lisbon."),
        said(json!({"feedback": "Right.", "score": 5})),
        Reply::text("Lisbon, I think."),
        said(better("first")),
        said(better("second")),
    ]);
    let serving = Serving::begin(&scene);
    let (reader, chat) = (
        serving.client(&scene, "read"),
        serving.client(&scene, "chat"),
    );
    let nothing = reader.get("/api/v1/quality").expect(200).json();
    assert_eq!(nothing["by_model"], json!([]));
    let asked = json!({"query": "What is the capital of Portugal?"});
    let answered = chat.post("/query", &asked).expect(200).json();
    let id = answered["session_id"].as_str().unwrap().to_owned();
    let query = json!({"query_id": answered["query_id"]});
    // Whoever only reads has nothing graded, and nobody has what is not there graded.
    reader.post(&at(&id, "/grade"), &query).expect(403);
    let absent = json!({"query_id": "00000000-0000-7000-8000-000000000000"});
    chat.post(&at(&id, "/grade"), &absent).expect(400);
    let unknown = absent["query_id"].as_str().unwrap();
    let said = chat.post(&at(unknown, "/grade"), &query).expect(404).body;
    assert!(said.contains("There is no session"), "{said}");
    let state = scene.house.state();
    assert!(!said.contains(&*state.to_string_lossy()), "{said}");
    chat.post(&at(&id, "/second/rating"), &rating(&query, "B"))
        .expect(400);
    let hot = json!({"query_id": answered["query_id"], "temperature": 9});
    chat.post(&at(&id, "/second"), &hot).expect(400);
    chat.post(&at(&id, "/grade"), &query).expect(204);
    assert_eq!(until_told(&reader, &id, "critique.result")["score"], 5);
    chat.post(&at(&id, "/second"), &query).expect(204);
    assert_eq!(until_told(&reader, &id, "pairwise.result")["winner"], "A");
    chat.post(&at(&id, "/second/rating"), &rating(&query, "tie"))
        .expect(204);
    assert_eq!(until_told(&reader, &id, "second.rated")["winner"], "tie");
    reader.post(&at(&id, "/second/take"), &query).expect(403);
    chat.post(&at(&id, "/second/take"), &absent).expect(400);
    chat.post(&at(&id, "/second/take"), &query).expect(204);
    let taken = until_told(&reader, &id, "second.taken");
    assert_eq!(taken["answer"], "Lisbon, I think.");
    // A grade is counted before the next thing is asked about the answer.
    let known = reader.get("/api/v1/quality").expect(200).json();
    assert_eq!(known["by_model"][0]["name"], "scripted/scripted-model");
    assert_eq!(known["by_model"][0]["grades"], json!([0, 0, 0, 0, 1]));
    assert_eq!(known["by_model"][0]["mean"]["value"], 5.0);
    let measured =
        json!({"time": "2026-12-01T10:00:00Z", "judge": "p/judge", "moves": [2, 0], "unread": 1});
    let list = state.join("quality/attacks.jsonl");
    std::fs::write(list, format!("{measured}\n")).unwrap();
    let known = reader.get("/api/v1/quality").expect(200).json();
    let attacks = &known["attacks"][0];
    assert_eq!(attacks["judge"], "p/judge", "{known}");
    assert_eq!(attacks["texts"], 3);
    assert_eq!(attacks["raised"]["value"], 0.5);
    assert_eq!(attacks["moved"]["value"], 1.0);
}

#[test]
fn a_request_that_runs_is_not_rated_and_one_second_answer_is_waited_for() {
    let (first, second) = (Gate::new(), Gate::new());
    let scene = Scene::new([
        Reply::text("It is ").and_wait(&first).and_text("Lisbon."),
        Reply::default().and_wait(&second).and_text("Porto."),
    ]);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    let asked = json!({"text": "What is the capital of Portugal?", "mode": "loop"});
    let mut events = client.post_for_events(&at(&id, "/messages"), &asked);
    let chosen = events.until("model.chosen").last().unwrap().json();
    let query = json!({"query_id": chosen["query_id"]});
    let opinion = json!({"session_id": id, "query_id": chosen["query_id"], "score": 100});
    client.post("/feedback", &opinion).expect(400);
    first.open();
    events.until("query.finished");
    client.post("/feedback", &opinion).expect(204);
    // Whoever may chat learns of a session that is not there, and nothing of this machine's folders.
    let mut unknown = opinion.clone();
    unknown["session_id"] = unknown["query_id"].clone();
    let said = client.post("/feedback", &unknown).expect(404).body;
    assert!(said.contains("There is no session"), "{said}");
    assert!(
        !said.contains(&*scene.house.state().to_string_lossy()),
        "{said}"
    );
    // A body of 7 MiB is read, and one of more than 8 is not.
    let mut long = opinion.clone();
    long["note"] = json!("x".repeat(7 << 20));
    let said = client.post("/feedback", &long).expect(400).json();
    assert_eq!(said["detail"], "A note has at most 1048576 bytes.");
    long["note"] = json!("x".repeat(8 << 20));
    let said = client.post("/feedback", &long).expect(413).json();
    assert_eq!(said["code"], "http.too_large", "{said}");
    client.post(&at(&id, "/second"), &query).expect(204);
    client.post(&at(&id, "/second"), &query).expect(400);
    second.open();
}

fn rating(query: &Value, winner: &str) -> Value {
    json!({"query_id": query["query_id"], "winner": winner})
}

#[test]
fn a_session_goes_back_to_the_model_of_its_agent_type() {
    let scene = Scene::new([Reply::text("One.")]);
    let other = Server::openai([Reply::text("Two.")]);
    let more = format!(
        "[models.providers.other]\ntype = \"openai\"\nendpoint = \"{}/v1\"\n",
        other.url()
    );
    let config = scene.server.config("openai") + &more;
    scene.house.configure(&config);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    let ask = |text: &str| {
        let asked = json!({"text": text, "mode": "loop"});
        chat.post(&at(&id, "/messages"), &asked).expect(200);
    };
    let configure = |model: &str| {
        let chosen = chat.post(&at(&id, "/configure"), &json!({"model": model}));
        chosen.expect(204);
    };
    configure("other/scripted-model");
    ask("and you?");
    configure("default");
    ask("and you?");
    assert_eq!((scene.server.chats().len(), other.chats().len()), (1, 1));
    let log = scene.house.session_log(&id);
    let configured = of_kind(&log, "session_configured");
    let models: Vec<&Value> = configured
        .iter()
        .map(|one| &one["profile"]["model"])
        .collect();
    assert_eq!(
        models,
        [&json!({"exact": "other/scripted-model"}), &Value::Null]
    );
}

#[test]
fn programs_are_told_and_only_one_at_a_time_is_stopped() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let (reader, chat) = (
        serving.client(&scene, "read"),
        serving.client(&scene, "chat"),
    );
    let id = session(&chat, false);
    let programs = reader.get(&at(&id, "/programs")).expect(200).json();
    assert_eq!(programs["programs"], json!([]));
    let call = "00000000-0000-0000-0000-000000000001";
    let both = format!("/programs?job=a&call_id={call}");
    assert_eq!(
        reader.get(&at(&id, &both)).expect(400).code(),
        "http.invalid_request"
    );
    let stop = at(&id, "/programs/stop");
    reader.post(&stop, &json!({"job": "a"})).expect(403);
    for wrong in [json!({}), json!({"job": "a", "call_id": call})] {
        assert_eq!(
            chat.post(&stop, &wrong).expect(400).code(),
            "http.invalid_request"
        );
    }
    for gone in [json!({"job": "a"}), json!({"call_id": call})] {
        let stopped = chat.post(&stop, &gone).expect(200).json();
        assert_eq!(stopped["stopped"], 0);
    }
}

#[test]
fn a_picture_goes_along_with_a_message_and_what_is_none_is_refused() {
    const GIF: &str = "R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=";
    let scene = Scene::new([Reply::text("A dot.")]);
    let config = scene.server.config("openai") + "vision = true\n";
    scene.house.configure(&config);
    let serving = Serving::begin(&scene);
    let chat = serving.client(&scene, "chat");
    let id = session(&chat, false);
    let with = |pictures: Value| {
        let asked = json!({"text": "what is it?", "mode": "loop", "pictures": pictures});
        chat.post(&at(&id, "/messages"), &asked)
    };
    let picture = |data: &str| json!({"name": "dot.gif", "data": data});
    let broken = with(json!([picture("no base64")])).expect(400);
    assert_eq!(broken.code(), "http.invalid_request");
    let none = with(json!([picture("bm8gcGljdHVyZQ==")])).expect(400);
    assert_eq!(none.code(), "sessions.invalid_request");
    let many = vec![picture(GIF); 9];
    assert_eq!(
        with(json!(many)).expect(400).code(),
        "sessions.invalid_request"
    );
    let said = with(json!([picture(GIF)])).expect(200).json();
    assert_eq!(said["answer"], "A dot.");
    let chats = scene.server.chats();
    assert_eq!(chats.len(), 1);
    assert!(chats[0].body["messages"].to_string().contains(GIF));
}
