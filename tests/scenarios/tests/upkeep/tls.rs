//! `carl serve --http` with a certificate: reached from other machines, by its own names alone.

use rcgen::{CertificateParams, KeyPair};
use scenarios::Scene;
use scenarios::serving::{Page, Serving, token};
use std::process::{Command, Output};
use testkit::http::Client;
use testkit::{CURL, is_absent};

/// A certificate for these names that vouches for itself, and its key, as files of the house.
fn certified(scene: &Scene, names: &[&str]) -> (String, String) {
    let key = KeyPair::generate().unwrap();
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let certificate = CertificateParams::new(names).unwrap();
    let certificate = certificate.self_signed(&key).unwrap();
    let file = |name: &str, text: String| {
        let path = scene.house.write(name, text);
        path.to_str().unwrap().to_owned()
    };
    (
        file("own.pem", certificate.pem()),
        file("own.key", key.serialize_pem()),
    )
}

/// Asks the server by a name that leads to this machine.
#[derive(Clone)]
struct Asker<'a> {
    certificate: &'a str,
    port: &'a str,
    token: String,
}

impl Asker<'_> {
    fn ask(&self, name: &str, more: &[&str]) -> Output {
        let mut curl = Command::new("curl");
        curl.args(["-s", "--noproxy", "*", "--cacert", self.certificate]);
        curl.args(["--resolve", &format!("{name}:{}:127.0.0.1", self.port)]);
        let shown = format!("Authorization: Bearer {}", self.token);
        curl.args(["-H", &shown, "-i"]).args(more);
        curl.output().unwrap()
    }

    /// What a path is answered with.
    fn get(&self, name: &str, path: &str, more: &[&str]) -> String {
        let url = format!("https://{name}:{}{path}", self.port);
        let output = self.ask(name, &[more, &[&url]].concat());
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn a_server_with_a_certificate_is_reached_by_the_names_of_that_alone() {
    if is_absent(CURL) {
        return;
    }
    let scene = Scene::new([]);
    let (certificate, key) = certified(&scene, &["carl.test", "127.0.0.1"]);
    let at = ["serve", "--http", "0.0.0.0:0", "--tls-cert", &certificate];
    let serving = Serving::with(&scene, at.into_iter().chain(["--tls-key", &key]));
    assert!(
        serving.url.starts_with("https://0.0.0.0:"),
        "{}",
        serving.url
    );
    let asker = Asker {
        certificate: &certificate,
        port: serving.url.rsplit(':').next().unwrap(),
        token: token(&scene, "elsewhere", "read"),
    };
    for name in ["carl.test", "127.0.0.1"] {
        let told = asker.get(name, "/api/v1/agents", &[]);
        assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    }
    let stranger = Asker {
        token: String::new(),
        ..asker.clone()
    };
    let nobody = stranger.get("carl.test", "/api/v1/agents", &[]);
    assert!(nobody.starts_with("HTTP/1.1 401"), "{nobody}");
    // A name that was made to lead here is not one of the certificate's, whatever the client believes.
    let led = format!("Host: evil.test:{}", asker.port);
    let led = asker.get("carl.test", "/api/v1/agents", &["-H", &led]);
    assert!(led.starts_with("HTTP/1.1 403"), "{led}");
    assert!(led.contains("http.unknown_host"), "{led}");
    let own = |scheme: &str| format!("Origin: {scheme}://carl.test:{}", asker.port);
    let by_page = asker.get("carl.test", "/api/v1/agents", &["-H", &own("https")]);
    assert!(by_page.starts_with("HTTP/1.1 200"), "{by_page}");
    let by_other = asker.get("carl.test", "/api/v1/agents", &["-H", &own("http")]);
    assert!(by_other.starts_with("HTTP/1.1 403"), "{by_other}");
    // Without TLS nothing is answered.
    let plain = Client::new(&format!("127.0.0.1:{}", asker.port), Some(&asker.token));
    assert_eq!(plain.get("/health").status, 0);
}

#[test]
fn a_browser_logs_in_over_tls_and_its_cookie_goes_no_other_way() {
    if is_absent(CURL) {
        return;
    }
    let scene = Scene::new([]);
    let (certificate, key) = certified(&scene, &["localhost"]);
    let at = ["serve", "--http", "127.0.0.1:0", "--tls-cert", &certificate];
    let serving = Serving::with(&scene, at.into_iter().chain(["--tls-key", &key]));
    let printed = scene.house.ask(["web", "--no-open"]).run().expect(0).stdout;
    let (place, code) = printed.trim().split_once("/#login=").unwrap();
    // By the name that the certificate is for.
    let named = serving.url.replace("127.0.0.1", "localhost");
    assert!(place.ends_with(&named), "{printed}");
    let port = serving.url.rsplit(':').next().unwrap();
    let asker = Asker {
        certificate: &certificate,
        port,
        token: String::new(),
    };
    let body = format!("{{\"code\": \"{code}\"}}");
    let origin = format!("Origin: https://localhost:{port}");
    let logged = asker.get(
        "localhost",
        "/login",
        &[
            "-H",
            &origin,
            "-H",
            "Sec-Fetch-Site: same-origin",
            "--json",
            &body,
        ],
    );
    assert!(logged.starts_with("HTTP/1.1 200"), "{logged}");
    let mut lines = logged.lines();
    let cookie = lines.find(|line| line.to_lowercase().starts_with("set-cookie:"));
    assert!(cookie.unwrap().ends_with("; Secure"), "{logged}");
}

#[test]
fn the_page_is_served_over_tls_by_a_name_of_its_certificate() {
    if is_absent(CURL) {
        return;
    }
    let scene = Scene::new([]);
    let (certificate, key) = certified(&scene, &["carl.test"]);
    let words = [
        "web",
        "--no-open",
        "0.0.0.0:0",
        "--tls-cert",
        &certificate,
        "--tls-key",
        &key,
    ];
    let page = Page::with(&scene, words);
    let (place, port) = page.url.rsplit_once(':').unwrap();
    assert_eq!(place, "https://carl.test");
    let asker = Asker {
        certificate: &certificate,
        port,
        token: String::new(),
    };
    let told = asker.get("carl.test", "/", &[]);
    assert!(told.starts_with("HTTP/1.1 200"), "{told}");
    // Another link is of the same server.
    let again = scene.house.ask(["web", "--no-open"]).run().expect(0).stdout;
    assert!(again.contains(&format!("{}/#login=", page.url)), "{again}");
    let scene = Scene::new([]);
    let web = |more: &[&str]| {
        scene
            .house
            .ask(["web", "--no-open"])
            .args(more.iter().copied())
            .run()
    };
    let open = web(&["0.0.0.0:0"]).expect(4).stderr;
    assert!(open.contains("http.not_loopback"), "{open}");
    web(&["--tls-cert", &certificate]).expect(2);
    let none = ["serve", "--tls-cert", &certificate, "--tls-key", &key];
    let none = scene.house.ask(none).run().expect(2).stderr;
    assert!(none.contains("--http"), "{none}");
}

#[test]
fn an_open_address_needs_a_certificate_that_can_be_used() {
    let scene = Scene::new([]);
    let (certificate, key) = certified(&scene, &["carl.test"]);
    let serve = |more: &[&str]| {
        let asked = scene
            .house
            .ask(["serve", "--http", "0.0.0.0:0"])
            .args(more.iter().copied());
        asked.run()
    };
    let open = serve(&[]).expect(4).stderr;
    assert!(open.contains("http.not_loopback"), "{open}");
    assert!(open.contains("--tls-cert"), "{open}");
    let with = |certificate: &str, key: &str| {
        let told = serve(&["--tls-cert", certificate, "--tls-key", key]);
        told.expect(4).stderr
    };
    let other = scene
        .house
        .write("other.key", KeyPair::generate().unwrap().serialize_pem());
    for (certificate, key) in [
        ("gone.pem", key.as_str()),
        (key.as_str(), key.as_str()),
        (certificate.as_str(), certificate.as_str()),
        (certificate.as_str(), other.to_str().unwrap()),
    ] {
        let told = with(certificate, key);
        assert!(told.contains("http.certificate"), "{told}");
    }
    let large = scene.house.write("large.pem", "x".repeat((256 << 10) + 1));
    let told = with(large.to_str().unwrap(), &key);
    assert!(told.contains("larger than 262144 bytes"), "{told}");
    let lone = serve(&["--tls-cert", &certificate]).expect(2).stderr;
    assert!(lone.contains("--tls-key"), "{lone}");
    let gap = serve(&["--tls-cert", &certificate, "--tls-key", &key, "--air-gap"]);
    let gap = gap.expect(2).stderr;
    assert!(gap.contains("air gap"), "{gap}");
}
