//! The page and its login: other ports, other users, other pages.

use scenarios::Scene;
use scenarios::serving::{Page, Serving};
use serde_json::{Value, json};
use testkit::http::{Answer, Client};

/// What a browser shows that is logged in.
struct Login {
    client: Client,
    cookie: String,
    key: String,
}

fn log_in(page: &Page, code: &str) -> Answer {
    from(page, &page.url, code)
}

/// Shows a code as a page of this origin does.
fn from(page: &Page, origin: &str, code: &str) -> Answer {
    let body = json!({"code": code}).to_string();
    let origin = [("Origin", origin)];
    page.stranger().ask("POST", "/login", &origin, Some(&body))
}

impl Login {
    fn of(page: &Page) -> Self {
        let answer = log_in(page, page.code()).expect(200);
        let cookie = answer.header("set-cookie").unwrap();
        for part in ["HttpOnly", "SameSite=Strict", "Path=/"] {
            assert!(cookie.contains(part), "{cookie}");
        }
        Self {
            client: page.stranger(),
            cookie: cookie.split(';').next().unwrap().to_owned(),
            key: answer.json()["key"].as_str().unwrap().to_owned(),
        }
    }

    /// Asks with the cookie, and with these headers.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let headers = [&[("Cookie", self.cookie.as_str())], headers].concat();
        let body = (method != "GET").then_some("{}");
        self.client.ask(method, path, &headers, body)
    }
}

fn opened() -> (Scene, Page) {
    let scene = Scene::new([]);
    let page = Page::begin(&scene);
    (scene, page)
}

const SESSIONS: &str = "/api/v1/sessions";

#[test]
fn a_login_code_counts_once_and_for_minutes() {
    let (scene, page) = opened();
    let wrong = log_in(&page, &"0".repeat(64)).expect(401);
    assert_eq!(wrong.code(), "http.login_code");
    log_in(&page, page.code()).expect(200);
    let again = log_in(&page, page.code()).expect(401);
    assert_eq!(again.code(), "http.login_code");
    // Another link of the same server; its code is past, since the file says so.
    let link = || {
        let printed = scene.house.ask(["web", "--no-open"]).run().expect(0).stdout;
        let link = printed.trim_end().rsplit('=').next().unwrap();
        link.to_owned()
    };
    let code = link();
    let file = scene.house.state().join("login-codes.json");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(!kept.contains(&code), "a code stands on disk");
    let mut aged: Value = serde_json::from_str(&kept).unwrap();
    aged["codes"][0]["expires"] = json!("2020-01-01T00:00:00Z");
    std::fs::write(&file, aged.to_string()).unwrap();
    let old = log_in(&page, &code).expect(401);
    assert_eq!(old.code(), "http.login_code");
    // The digest that stands in the file is no code.
    let code = link();
    let kept = std::fs::read_to_string(&file).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    let digest = kept["codes"][0]["digest"].as_str().unwrap();
    log_in(&page, digest).expect(401);
    log_in(&page, &code).expect(200);
}

#[test]
fn a_code_is_taken_from_no_page_but_the_servers_own() {
    let (_scene, page) = opened();
    let body = json!({"code": page.code()}).to_string();
    let stranger = page.stranger();
    let asked = |headers: &[(&str, &str)]| stranger.ask("POST", "/login", headers, Some(&body));
    let ours = ("Origin", page.url.as_str());
    assert_eq!(asked(&[]).expect(403).code(), "http.foreign_origin");
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1"] {
        let refused = from(&page, origin, page.code()).expect(403);
        assert_eq!(refused.code(), "http.foreign_origin", "{origin}");
    }
    let other_port = [ours, ("Sec-Fetch-Site", "same-site")];
    assert_eq!(asked(&other_port).expect(403).code(), "http.foreign_origin");
    // What a form sends is no JSON.
    let form = [ours, ("Content-Type", "text/plain")];
    assert_eq!(asked(&form).expect(415).code(), "http.not_json");
    let long = json!({"code": "0".repeat(2_000)}).to_string();
    let refused = stranger.ask("POST", "/login", &[ours], Some(&long));
    assert_eq!(refused.expect(413).code(), "http.too_large");
    asked(&[ours, ("Sec-Fetch-Site", "same-origin")]).expect(200);
}

#[test]
fn a_cookie_alone_is_good_for_nothing() {
    let (scene, page) = opened();
    let login = Login::of(&page);
    let (key, origin) = (("X-Carl-Key", login.key.as_str()), page.url.as_str());
    let ours = ("Origin", origin);
    // Whoever serves at another port of this machine is sent the cookie, and has no key.
    let refused = login.ask("GET", SESSIONS, &[]).expect(401);
    assert_eq!(refused.code(), "http.logged_out");
    login
        .ask("GET", SESSIONS, &[("X-Carl-Key", "")])
        .expect(401);
    login.ask("POST", SESSIONS, &[ours]).expect(401);
    // A page of another origin has the browser send it, and says which it is or that it is another.
    for headers in [
        vec![key, ("Origin", "http://evil.example")],
        vec![key, ("Origin", "null")],
        vec![key],
        vec![key, ours, ("Sec-Fetch-Site", "same-site")],
        vec![key, ours, ("Sec-Fetch-Site", "cross-site")],
    ] {
        let refused = login.ask("POST", SESSIONS, &headers).expect(403);
        assert_eq!(refused.code(), "http.foreign_origin", "{headers:?}");
    }
    // Events are read from no other place either.
    let made = login.ask("POST", SESSIONS, &[key, ours]).expect(201).json();
    let events = format!("{SESSIONS}/{}/events", made["session_id"].as_str().unwrap());
    for headers in [
        vec![key, ("Origin", "http://evil.example")],
        vec![key, ("Sec-Fetch-Site", "cross-site")],
        vec![key, ("Sec-Fetch-Site", "same-site")],
    ] {
        let refused = login.ask("GET", &events, &headers).expect(403);
        assert_eq!(refused.code(), "http.foreign_origin", "{headers:?}");
    }
    login.ask("GET", &events, &[]).expect(401);
    let read = format!("{events}?follow=false");
    let seen = login.ask("GET", &read, &[key]).expect(200);
    assert!(seen.body.contains("session.opened"), "{seen:?}");
    // The key alone is none either, nor is either a token.
    page.stranger()
        .ask("GET", SESSIONS, &[key], None)
        .expect(401);
    page.stranger().with(&login.key).get(SESSIONS).expect(401);
    let value = login.cookie.split('=').nth(1).unwrap();
    page.stranger().with(value).get(SESSIONS).expect(401);
    // Neither stands on disk.
    for secret in [value, &login.key] {
        let found = std::process::Command::new("grep")
            .args(["-rqs", secret])
            .arg(scene.house.home())
            .status();
        assert_eq!(
            found.unwrap().code(),
            Some(1),
            "a half of a login is on disk"
        );
    }
}

#[test]
fn a_cookie_that_another_port_set_locks_nobody_out() {
    let (_scene, page) = opened();
    let login = Login::of(&page);
    let (name, _) = login.cookie.split_once('=').unwrap();
    let key = ("X-Carl-Key", login.key.as_str());
    let site = ("Sec-Fetch-Site", "same-origin");
    for cookies in [
        format!("{name}=junk; {}", login.cookie),
        format!("{}; {name}=junk", login.cookie),
    ] {
        let asked = [("Cookie", cookies.as_str()), key, site];
        login.client.ask("GET", SESSIONS, &asked, None).expect(200);
    }
    let junk = format!("{name}=junk; {name}=");
    let asked = [("Cookie", junk.as_str()), key, site];
    login.client.ask("GET", SESSIONS, &asked, None).expect(401);
}

#[test]
fn a_login_ends_with_logging_out_and_with_its_server() {
    let (scene, page) = opened();
    let login = Login::of(&page);
    let headers = [
        ("X-Carl-Key", login.key.as_str()),
        ("Origin", page.url.as_str()),
    ];
    login.ask("GET", SESSIONS, &headers).expect(200);
    let out = login.ask("POST", "/logout", &headers).expect(204);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
    let refused = login.ask("GET", SESSIONS, &headers).expect(401);
    assert_eq!(refused.code(), "http.logged_out");
    let address = page.url.trim_start_matches("http://").to_owned();
    page.process.kill();
    let page = Page::at(&scene, &address);
    let login = Login::of(&page);
    let headers = [("X-Carl-Key", login.key.as_str())];
    login.ask("GET", SESSIONS, &headers).expect(200);
    page.process.kill();
    // The same port, and no login of the server before it.
    let _page = Page::at(&scene, &address);
    let refused = login.ask("GET", SESSIONS, &headers).expect(401);
    assert_eq!(refused.code(), "http.logged_out");
}

#[test]
fn the_page_runs_and_loads_nothing_but_its_own() {
    let (scene, page) = opened();
    let stranger = page.stranger();
    for path in ["/", "/app.js", "/app.css", "/icon.svg"] {
        let file = stranger.get(path).expect(200);
        let policy = file.header("content-security-policy").unwrap();
        for rule in [
            "default-src 'none'",
            "script-src 'self';",
            "style-src 'self';",
            "frame-ancestors 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        ] {
            assert!(policy.contains(rule), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(file.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(file.header("x-frame-options"), Some("DENY"));
        // What is there already is not sent again.
        let tag = file.header("etag").unwrap();
        let known = stranger.ask("GET", path, &[("If-None-Match", tag)], None);
        assert_eq!((known.status, known.body.as_str()), (304, ""), "{path}");
    }
    let told = stranger.get("/").body;
    assert!(!told.contains("<style") && !told.contains("javascript:"));
    assert!(
        !told.contains("://"),
        "the page names another place: {told}"
    );
    // An answer of the interface is no page, whatever stands in it.
    let client = Serving {
        process: page.process,
        url: page.url,
    };
    let answer = client.client(&scene, "read").get(SESSIONS).expect(200);
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"));
}

#[test]
fn no_token_takes_the_name_of_the_page() {
    let (scene, _page) = opened();
    let made = ["token", "new", "web", "--scope", "approve"];
    let refused = scene.house.ask(made).run().expect(4);
    assert!(refused.stderr.contains("a token cannot be called web"));
    let other = ["token", "new", "web-2", "--scope", "approve"];
    scene.house.ask(other).run().expect(0);
}
