//! The server for programs: web pages, other users of the machine, and clients that mean harm.

use scenarios::Scene;
use scenarios::serving::{Serving, session, token};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};
use testkit::http::Client;

/// How long something is waited for that comes soon on a quiet machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn serving() -> (Scene, Serving) {
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    (scene, serving)
}

/// Everything that the server says to these bytes, until it closes the connection.
fn said_to(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // A server that refuses need not read to the end.
    let _refused = stream.write_all(bytes);
    let mut said = Vec::new();
    let _reset = stream.read_to_end(&mut said);
    String::from_utf8_lossy(&said).into_owned()
}

#[test]
fn a_name_that_was_made_to_lead_here_is_refused() {
    let (scene, serving) = serving();
    let client = serving.client(&scene, "admin");
    let port = client.address.rsplit(':').next().unwrap();
    let asked = |host: &str| client.ask("GET", "/api/v1/sessions", &[("Host", host)], None);
    for host in [
        "evil.example",
        "127.0.0.1",
        "127.0.0.1.evil.example",
        "localhost:1",
        "",
    ] {
        let refused = asked(host).expect(403);
        assert_eq!(refused.code(), "http.unknown_host", "{host}");
    }
    asked(&format!("evil.example:{port}")).expect(403);
    for ours in ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"] {
        asked(&format!("{ours}:{port}")).expect(200);
    }
    let key = client.token.clone().unwrap();
    let shown = format!("Authorization: Bearer {key}\r\nConnection: close\r\n\r\n");
    let address = &client.address;
    for head in [
        "GET /ready HTTP/1.1\r\n".to_owned(),
        format!("GET /ready HTTP/1.1\r\nHost: {address}\r\nHost: evil.example\r\n"),
        format!("GET http://evil.example/ready HTTP/1.1\r\nHost: {address}\r\n"),
    ] {
        let said = said_to(address, format!("{head}{shown}").as_bytes());
        assert!(said.starts_with("HTTP/1.1 403"), "{head}: {said}");
    }
    let whole = format!("GET http://{address}/ready HTTP/1.1\r\nHost: {address}\r\n{shown}");
    assert!(said_to(address, whole.as_bytes()).starts_with("HTTP/1.1 200"));
}

#[test]
fn a_web_page_of_another_origin_reaches_nothing() {
    let (scene, serving) = serving();
    let client = serving.client(&scene, "admin");
    let from = |origin: &str| client.ask("GET", "/ready", &[("Origin", origin)], None);
    for origin in [
        "http://evil.example",
        "null",
        "https://127.0.0.1",
        "http://127.0.0.1",
    ] {
        let refused = from(origin).expect(403);
        assert_eq!(refused.code(), "http.foreign_origin", "{origin}");
    }
    from(&format!("http://{}", client.address)).expect(200);
    // What a page may send without asking first is no JSON, and asking first is answered with nothing.
    let body = json!({"query": "hello"}).to_string();
    let form = [("Content-Type", "text/plain")];
    let refused = client.ask("POST", "/query", &form, Some(&body)).expect(415);
    assert_eq!(refused.code(), "http.not_json");
    let asks = [
        ("Origin", "http://evil.example"),
        ("Access-Control-Request-Method", "POST"),
    ];
    let stranger = Client::new(&serving.url, None);
    let asked = stranger.ask("OPTIONS", "/query", &asks, None);
    assert_eq!(asked.status, 403);
    assert!(
        asked
            .headers
            .iter()
            .all(|(name, _)| !name.starts_with("access-control"))
    );
    assert!(scene.house.session_logs().is_empty());
}

#[test]
fn whoever_shows_no_token_that_counts_is_let_in_nowhere() {
    let (scene, serving) = serving();
    let stranger = Client::new(&serving.url, None);
    let made = token(&scene, "one", "admin");
    let known = stranger.with(&made);
    known.get("/ready").expect(200);
    let id = session(&known, false);
    let paths = [
        "/ready",
        "/api/v1/sessions",
        "/v1/models",
        "/nowhere",
        "/query",
    ];
    let mut all: Vec<String> = paths.map(str::to_owned).to_vec();
    all.push(format!("/api/v1/sessions/{id}"));
    all.push(format!("/api/v1/sessions/{id}/events"));
    all.push(format!("/ready?access_token={made}"));
    for path in &all {
        assert_eq!(stranger.get(path).status, 401, "{path}");
        assert_eq!(stranger.post(path, &json!({})).status, 401, "{path}");
        assert_eq!(stranger.with(&made[..68]).get(path).status, 401, "{path}");
    }
    for shown in ["Basic b25lOg==", &made, "Bearer", "Bearer "] {
        let asked = stranger.ask("GET", "/ready", &[("Authorization", shown)], None);
        assert_eq!(asked.expect(401).code(), "http.unauthenticated", "{shown}");
    }
    // Another user of the machine reads no file of ours; and what is in it is no token.
    let file = scene.house.state().join("access-tokens.json");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0);
    let kept = std::fs::read_to_string(file).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&kept).unwrap();
    let digest = kept["tokens"][0]["digest"].as_str().unwrap();
    for shown in [digest.to_owned(), format!("carl_{digest}")] {
        assert_eq!(stranger.with(&shown).get("/ready").status, 401);
    }
}

#[test]
fn a_token_counts_no_more_once_its_time_is_up_or_it_is_revoked() {
    let (scene, serving) = serving();
    let short = [
        "token",
        "new",
        "short",
        "--scope",
        "read",
        "--expires",
        "10s",
    ];
    let short = scene.house.ask(short).run().expect(0).stdout;
    let client = Client::new(&serving.url, Some(short.trim_end()));
    client.get("/ready").expect(200);
    let began = Instant::now();
    // Asked too often is no answer to that.
    while client.get("/ready").status != 401 {
        assert!(began.elapsed() < PATIENCE);
    }
    assert_eq!(
        client.get("/ready").expect(401).code(),
        "http.unauthenticated"
    );
    let client = serving.client(&scene, "read");
    client.get("/ready").expect(200);
    scene.house.ask(["token", "revoke", "read"]).run().expect(0);
    assert_eq!(
        client.get("/ready").expect(401).code(),
        "http.unauthenticated"
    );
}

#[test]
fn a_client_that_is_slow_or_sends_too_much_holds_up_nobody() {
    let (scene, serving) = serving();
    let client = serving.client(&scene, "admin");
    let (address, key) = (client.address.clone(), client.token.clone().unwrap());
    let head = format!(
        "POST /query HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\n"
    );
    let ends = |bytes: String| {
        let address = address.clone();
        std::thread::spawn(move || said_to(&address, bytes.as_bytes()))
    };
    let slow_heads: Vec<_> = (0..50)
        .map(|_| ends("GET /ready HTTP/1.1\r\nX: ".to_owned()))
        .collect();
    let slow_body = ends(format!("{head}Content-Length: 100\r\n\r\n{{"));
    client.get("/ready").expect(200);
    let large = format!("{head}Content-Length: {}\r\n\r\n", 9 << 20);
    assert!(said_to(&address, large.as_bytes()).starts_with("HTTP/1.1 413"));
    let pieces = format!("100000\r\n{}\r\n", "x".repeat(1 << 20)).repeat(9);
    let endless = format!("{head}Transfer-Encoding: chunked\r\n\r\n{pieces}");
    let said = said_to(&address, endless.as_bytes());
    assert!(
        said.is_empty() || said.starts_with("HTTP/1.1 413"),
        "{said}"
    );
    let many = format!("GET /ready HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(1 << 20));
    let said = said_to(&address, many.as_bytes());
    assert!(
        said.is_empty() || said.starts_with("HTTP/1.1 431"),
        "{said}"
    );
    let fits = json!({"query": "x".repeat(1 << 20), "wrong": 1});
    assert_eq!(
        client.post("/query", &fits).expect(400).code(),
        "http.invalid_request"
    );
    client.get("/ready").expect(200);
    // Each of the slow ones is ended by the server.
    for slow in slow_heads {
        let said = slow.join().unwrap();
        assert!(
            said.is_empty() || said.starts_with("HTTP/1.1 408"),
            "{said}"
        );
    }
    assert!(slow_body.join().unwrap().starts_with("HTTP/1.1 408"));
    client.get("/ready").expect(200);
}

#[test]
fn no_request_hides_in_the_body_of_another() {
    let (scene, serving) = serving();
    let client = serving.client(&scene, "read");
    let (address, key) = (&client.address, client.token.clone().unwrap());
    let head =
        format!("POST /ready HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n");
    let hidden = format!("GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    let length = hidden.len();
    let answers = |bytes: String| {
        let said = said_to(address, bytes.as_bytes());
        said.matches("HTTP/1.1 ").count()
    };
    for framing in [
        format!(
            "Content-Length: {}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            length + 5
        ),
        format!(
            "Transfer-Encoding: chunked\r\nContent-Length: {}\r\n\r\n0\r\n\r\n",
            length + 5
        ),
        format!("Content-Length: 0\r\nContent-Length: {length}\r\n\r\n"),
        format!("Content-Length: {length}\r\nContent-Length: 0\r\n\r\n"),
        "Content-Length: +0\r\n\r\n".to_owned(),
        "Content-Length: 0x0\r\n\r\n".to_owned(),
        "Content-Length : 0\r\n\r\n".to_owned(),
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n".to_owned(),
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n".to_owned(),
        "Transfer-Encoding: chunked\r\n\r\n-0\r\n\r\n".to_owned(),
        "X: y\r\n Content-Length: 0\r\n\r\n".to_owned(),
    ] {
        let count = answers(format!("{head}{framing}{hidden}"));
        assert!(count <= 1, "{framing}: {count} answers");
    }
    // Two requests in a row are two.
    assert_eq!(
        answers(format!("{head}Content-Length: 0\r\n\r\n{hidden}")),
        2
    );
}
