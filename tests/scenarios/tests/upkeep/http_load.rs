//! `carl serve --http` with many at once, with long sessions, and with those who show nothing that counts.

use scenarios::serving::{Serving, session};
use scenarios::{Scene, of_kind};
use serde_json::{Value, json};
use std::thread;
use testkit::http::{Client, Sent};
use testkit::{Gate, Reply, Server};

/// Answers that stream at once.
const STREAMS: usize = 50;
/// Pieces of each.
const PIECES: usize = 40;
/// Longest that a bucket of requests lasts, with what comes into it meanwhile.
const REQUESTS: usize = 5_000;

/// Pieces that name the request that they answer, behind a gate.
fn counted(body: &Value, gate: &Gate) -> Reply {
    let messages = body["messages"].as_array().unwrap();
    let asked = messages.last().unwrap()["content"].to_string();
    let number = asked.split("stream-").nth(1).unwrap();
    let number: String = number.chars().take_while(char::is_ascii_digit).collect();
    let begin = Reply::default().and_wait(gate);
    (0..PIECES).fold(begin, |reply, piece| {
        reply.and_text(format!("{number}:{piece} "))
    })
}

#[test]
fn fifty_answers_stream_at_once_whole_and_in_order() {
    let gate = Gate::new();
    let held = gate.clone();
    let server = Server::speak(move |body, _| counted(body, &held)).openai();
    let scene = Scene::with(server, "openai");
    let config = scene.server.config("openai");
    let table = "[models.providers.scripted]\n";
    let many = config.replace(table, &format!("{table}max_parallel = {STREAMS}\n"));
    let quiet = "\n[memory]\nrecall = false\ncapture = false\n";
    scene.house.configure(&(many + quiet));
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let reading: Vec<_> = (0..STREAMS)
        .map(|number| {
            let client = client.clone();
            thread::spawn(move || {
                let id = session(&client, false);
                let asked = json!({"text": format!("stream-{number}"), "mode": "loop"});
                let path = format!("/api/v1/sessions/{id}/messages");
                (number, id, client.post_for_events(&path, &asked).all())
            })
        })
        .collect();
    // All are under way before one may go on.
    scene.server.wait_for_chats(STREAMS);
    gate.open();
    for one in reading {
        let (number, id, events) = one.join().unwrap();
        let pieces = events.iter().filter(|sent| sent.event == "response.delta");
        let said: String = pieces
            .map(|sent| sent.json()["text"].as_str().unwrap().to_owned())
            .collect();
        let whole: String = (0..PIECES)
            .map(|piece| format!("{number}:{piece} "))
            .collect();
        // A space at the end waits for what comes behind it, and nothing does.
        assert_eq!(said, whole.trim_end());
        let ids: Vec<u64> = events.iter().filter_map(|sent| sent.id).collect();
        assert!(ids.is_sorted_by(|one, next| one + 1 == *next), "{ids:?}");
        let log = scene.house.session_log(&id);
        let told: Vec<Value> = events
            .iter()
            .filter(|sent| sent.id.is_some())
            .map(Sent::json)
            .collect();
        assert_eq!(told, log[log.len() - told.len()..]);
    }
}

#[test]
fn more_are_served_than_a_process_has_files_at_first() {
    let scene = Scene::new([]);
    let house = &scene.house;
    let line = "ulimit -Sn 64; exec carl serve --http 127.0.0.1:0";
    let serving = Serving::by(house.carl().typed(line));
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    let path = format!("/api/v1/sessions/{id}/events");
    let mut streams: Vec<_> = (0..100).map(|_| client.events(&path, None)).collect();
    for stream in &mut streams {
        stream.until("session.opened");
    }
}

/// The texts of the requests of a page.
fn asked(page: &Value) -> Vec<String> {
    let events = page["events"].as_array().unwrap().iter();
    let received = events.filter(|event| event["type"] == "query_received");
    received
        .map(|event| event["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_session_is_read_in_pages_from_its_end() {
    let gate = Gate::new();
    let replies = (1..=4).map(|number| Reply::text(format!("answer {number}")));
    let last = Reply::text("One, ").and_text("two").and_wait(&gate);
    let scene = Scene::new(replies.chain([last]));
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    let at = |rest: &str| format!("/api/v1/sessions/{id}{rest}");
    for number in 1..=4 {
        let text = json!({"text": format!("request {number}"), "mode": "loop"});
        client.post(&at("/messages"), &text).expect(200);
    }
    let page = |rest: &str| {
        client
            .get(&at(&format!("/history{rest}")))
            .expect(200)
            .json()
    };
    let log = scene.house.session_log(&id);
    // The pieces of answers that ended are left out, and nothing else.
    let mut outline = log.clone();
    outline.retain(|event| event["type"] != "text_delta" && event["type"] != "thinking_delta");
    assert!(outline.len() < log.len());
    let whole = page("");
    assert_eq!(whole["events"], json!(outline));
    assert_eq!(whole["last_seq"], log.len());
    assert_eq!(whole["before"], Value::Null);
    // Page after page has each event once.
    let mut events = Vec::new();
    let mut next = page("?limit=1");
    assert_eq!(asked(&next), ["request 4"]);
    loop {
        let mut earlier = next["events"].as_array().unwrap().clone();
        earlier.append(&mut events);
        events = earlier;
        let Some(before) = next["before"].as_u64() else {
            break;
        };
        next = page(&format!("?limit=2&before={before}"));
        assert!(asked(&next).len() <= 2);
    }
    assert_eq!(events, outline);
    // Of an answer that is under way the pieces are there, and the stream goes on behind them.
    let text = json!({"text": "request 5", "mode": "loop"});
    let mut stream = client.post_for_events(&at("/messages"), &text);
    stream.until("response.delta");
    stream.until("response.delta");
    let open = page("?limit=1");
    let events = open["events"].as_array().unwrap();
    let pieces = of_kind(events, "text_delta");
    let said: String = pieces
        .iter()
        .filter_map(|one| one["text"].as_str())
        .collect();
    assert_eq!(said, "One, two");
    let last = events.last().unwrap();
    let reader = client.events(&at("/events"), last["seq"].as_u64());
    gate.open();
    stream.all();
    let mut reader = reader;
    let rest = reader.until("query.finished");
    assert_eq!(rest[0].id, last["seq"].as_u64().map(|seq| seq + 1));
    for wrong in ["?limit=0", "?limit=201", "?before=x", "?after=1"] {
        let refused = client.get(&at(&format!("/history{wrong}"))).expect(400);
        assert_eq!(refused.code(), "http.invalid_request", "{wrong}");
    }
}

#[test]
fn a_copy_names_what_it_is_a_copy_of() {
    let scene = Scene::new([Reply::text("A pot.")]);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "chat");
    let id = session(&client, false);
    let at = format!("/api/v1/sessions/{id}");
    let text = json!({"text": "what?", "mode": "loop"});
    client.post(&format!("{at}/messages"), &text).expect(200);
    let own = client.get(&at).expect(200).json();
    assert_eq!(own["forked_from"], Value::Null);
    let copy = client
        .post(&format!("{at}/fork"), &json!({}))
        .expect(201)
        .json();
    let origin = json!({"session_id": id, "at_seq": own["last_seq"]});
    assert_eq!(copy["forked_from"], origin);
    let listed = client.get("/api/v1/sessions").expect(200).json();
    let listed = listed["sessions"].as_array().unwrap();
    let found = listed
        .iter()
        .find(|one| one["session_id"] == copy["session_id"]);
    assert_eq!(found.unwrap()["forked_from"], origin);
}

#[test]
fn who_shows_nothing_that_counts_waits_and_who_has_a_token_does_not() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let client = serving.client(&scene, "read");
    let stranger = Client::new(&serving.url, Some("carl_wrong"));
    let refused = (0..REQUESTS).find_map(|_| {
        let told = stranger.get("/ready");
        (told.status != 401).then_some(told)
    });
    let refused = refused.unwrap().expect(429);
    assert_eq!(refused.code(), "http.rate_limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    client.get("/ready").expect(200);
    stranger.get("/health").expect(200);
}

#[test]
fn what_is_wrong_with_json_is_told_in_its_words() {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let admin = serving.client(&scene, "admin");
    for (path, body, said) in [
        ("/api/v1/sessions", json!({"model": "nowhere/x"}), "`model`"),
        ("/api/v1/sessions", json!({"agent": "no type"}), "`agent`"),
        ("/api/v1/memory", json!({"text": "…"}), "`text`"),
        (
            "/api/v1/memory",
            json!({"text": "a pot", "namespace": "agent:"}),
            "`namespace`",
        ),
        (
            "/api/v1/policy/explain",
            json!({"tool": "no_such", "arguments": {}}),
            "/api/v1/tools",
        ),
    ] {
        let told = admin.post(path, &body);
        assert!((400..500).contains(&told.status), "{told:?}");
        let text = told.json().to_string();
        assert!(text.contains(said), "{text}");
        assert!(!text.contains("--") && !text.contains("`carl "), "{text}");
    }
}
