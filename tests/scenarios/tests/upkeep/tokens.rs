//! `carl token`, and where programs are served at all.

use scenarios::Scene;
use scenarios::serving::{Serving, token};
use testkit::House;
use testkit::http::Client;

#[test]
fn a_token_is_shown_once_listed_by_name_and_taken_back() {
    let scene = Scene::new([]);
    let house = &scene.house;
    let made = token(&scene, "phone", "approve");
    assert!(made.starts_with("carl_") && made.len() == 69, "{made}");
    let kept = house.everything_kept();
    assert!(!kept.contains(&made) && !kept.contains(&made[5..]));
    let month = ["token", "new", "ci", "--scope", "chat", "--expires", "30d"];
    house.ask(month).run().expect(0);
    let listed = house.ask(["token", "list"]).run().expect(0).stdout;
    assert!(listed.contains("phone  approve  until revoked"), "{listed}");
    assert!(listed.contains("ci     chat     until 2"), "{listed}");
    let rows = house
        .ask(["token", "list", "--json"])
        .run()
        .expect(0)
        .json();
    assert_eq!(
        (&rows[0]["name"], &rows[0]["scope"]),
        (&"phone".into(), &"approve".into())
    );
    house.ask(["token", "revoke", "ci"]).run().expect(0);
    let listed = house.ask(["token", "list"]).run().expect(0).stdout;
    assert!(!listed.contains("ci "), "{listed}");
}

#[test]
fn a_token_that_cannot_be_is_refused_with_what_to_write() {
    let house = House::new();
    let new = |name: &str, more: &[&str]| {
        let made = house.ask(["token", "new", name, "--scope", "chat"]);
        made.args(more.iter().copied()).run()
    };
    new("a", &[]).expect(0);
    let twice = new("a", &[]);
    assert_eq!(twice.code, Some(4), "{}", twice.stderr);
    assert!(
        twice.stderr.contains("carl token revoke a"),
        "{}",
        twice.stderr
    );
    let odd = new("a b", &[]).expect(2).stderr;
    assert!(odd.contains("cannot name a token"), "{odd}");
    let past = new("b", &["--expires", "2001-01-31"]);
    assert!(past.stderr.contains("tokens.expired"), "{}", past.stderr);
    let never = new("b", &["--expires", "soon"]).expect(2).stderr;
    assert!(never.contains("no length of time and no day"), "{never}");
    let gone = house.ask(["token", "revoke", "b"]).run().expect(2);
    assert!(gone.stderr.contains("tokens.not_found"), "{}", gone.stderr);
    house
        .ask(["token", "new", "c", "--scope", "all"])
        .run()
        .expect(2);
}

#[test]
fn http_is_served_on_this_machine_alone_and_with_all_that_sessions_need() {
    let house = House::new();
    let open = house.ask(["serve", "--http", "0.0.0.0:0"]).run();
    assert!(open.stderr.contains("http.not_loopback"), "{}", open.stderr);
    assert!(open.stderr.contains("--tls-cert FILE"), "{}", open.stderr);
    let part = ["serve", "--role", "models", "--http", "127.0.0.1:0"];
    let part = house.ask(part).run().expect(2).stderr;
    assert!(part.contains("Leave --role out."), "{part}");
    let scene = Scene::new([]);
    let serving = Serving::begin(&scene);
    let taken = serving.url.trim_start_matches("http://");
    let taken = house.ask(["serve", "--http", taken]).run();
    assert!(taken.stderr.contains("http.address"), "{}", taken.stderr);
    let health = Client::new(&serving.url, None).get("/health").expect(200);
    assert_eq!(health.body, "alive\n");
}
