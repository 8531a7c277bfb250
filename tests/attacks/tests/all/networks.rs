//! Names of hosts that look like others, and servers that send elsewhere: under an air gap, nothing
//! but loopback is reached.

use scenarios::Scene;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;
use testkit::{House, Reply};

fn asked(endpoint: &str) -> (Option<i32>, String) {
    let house = House::new();
    house.configure(&format!(
        "[models.providers.far]\ntype = \"openai\"\nendpoint = {endpoint:?}\ndefault_model = \"m\"\n"
    ));
    let args = ["run", "--json", "--air-gap", "--provider", "far", "hello"];
    let finished = house.ask(args).run();
    let code = finished.json()["error"]["code"]
        .as_str()
        .unwrap_or("")
        .to_owned();
    (finished.code, code)
}

#[test]
fn a_name_that_looks_like_loopback_is_not() {
    // Nothing is looked up for these: the name itself decides.
    for host in [
        "192.0.2.1",
        "127.0.0.1.example.org",
        "localhost.example.org",
        "127.0.0.1@192.0.2.1",
        "localhost:80@192.0.2.1",
        "[2001:db8::1]",
        "[::ffff:192.0.2.1]",
        "3221225985",
        "0xc0000201",
        "0300.0.2.1",
        "\u{ff11}92.0.2.1",
        "xn--lcalhost-54a",
        "169.254.169.254",
        "0.0.0.0",
    ] {
        let (exit, code) = asked(&format!("http://{host}:9/v1"));
        assert_ne!(exit, Some(0), "{host}");
        assert!(
            !["", "models.unreachable"].contains(&code.as_str()),
            "{host}: {code}"
        );
    }
    // The control: the same words with loopback itself reach a model.
    let scene = Scene::new([Reply::text("hello")]);
    scene.run(&["--air-gap", "hello"]).assert_ends(0, "success");
}

#[test]
fn a_server_that_sends_elsewhere_is_not_followed() {
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    let first = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = first.local_addr().unwrap().port();
    let target = elsewhere.local_addr().unwrap();
    let (sender, met) = mpsc::channel();
    let and_then = sender.clone();
    std::thread::spawn(move || {
        for stream in first.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = [0; 65_536];
            let _read = stream.read(&mut bytes).unwrap();
            let head = format!(
                "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://{target}/v1/chat/completions\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
            );
            let _sent = stream.write_all(head.as_bytes());
            sender.send("first").unwrap();
        }
    });
    std::thread::spawn(move || {
        for stream in elsewhere.incoming() {
            drop(stream);
            and_then.send("elsewhere").unwrap();
        }
    });
    let house = House::new();
    house.configure(&format!(
        "[models.providers.far]\ntype = \"openai\"\nendpoint = \"http://127.0.0.1:{port}/v1\"\ndefault_model = \"m\"\n"
    ));
    let finished = house
        .ask(["run", "--json", "--provider", "far", "hello"])
        .run();
    assert_ne!(finished.code, Some(0));
    let seen: Vec<&str> = met.try_iter().collect();
    assert!(seen.contains(&"first"), "the control fails: {seen:?}");
    assert!(!seen.contains(&"elsewhere"), "{seen:?}");
}
