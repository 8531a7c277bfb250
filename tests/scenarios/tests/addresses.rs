//! What the program as it ships connects to when it fetches pages. In a network namespace of its
//! own, where a prefix of the public range leads to this machine by a route: so a page can be
//! fetched that no configuration of the program lets through by name.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test is allowed to fail loudly"
)]

use api::search::{PageFault, ReadAnswer, ReadRequest, Search};
use domain::rights::WebContent;
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};
use testkit::House;

/// Says to this program that it was started again, inside.
const INSIDE: &str = "HOUSE_TEST_INSIDE_NAMESPACE";
/// Routed to this machine, and no interface's address.
const PUBLIC: &str = "11.1.2.3";
/// An interface's address, of the public range.
const OWN: &str = "11.9.9.9";

#[test]
fn the_program_fetches_from_public_addresses_and_from_no_others() {
    let script = format!(
        "set -e; ip link set lo up; ip route add local 11.1.2.0/24 dev lo; \
         ip addr add {OWN}/32 dev lo; exec \"$0\" --exact inside_the_namespace --nocapture"
    );
    let output = Command::new("unshare")
        .args(["--map-root-user", "--net", "sh", "-c", &script])
        .arg(std::env::current_exe().unwrap())
        .env(INSIDE, "yes")
        // Whatever is said here must not be obeyed.
        .env("http_proxy", "http://127.0.0.1:1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "this needs `unshare` and `ip`:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Not a test by itself: what the one above does once it is inside.
#[tokio::test(flavor = "multi_thread")]
async fn inside_the_namespace() {
    if std::env::var_os(INSIDE).is_none() {
        return;
    }
    let reached = serve_pages();
    let house = House::new();
    house.configure("[models.discovery]\nenabled = false\n\n[search]\nhost_pause_ms = 0\n");
    let socket = house.run_dir().join("search.sock");
    let listen = format!("unix:{}", socket.display());
    let open = ["serve", "--role", "search", "--listen", &listen];
    let mut served = house
        .ask(open)
        .env("http_proxy", "http://127.0.0.1:1")
        .spawn();
    served.until("serving at");
    let endpoint: wire::Endpoint = listen.parse().unwrap();
    let search = wire::search::Client::connect(&endpoint);

    let page = read(&search, &format!("http://{PUBLIC}/page"))
        .await
        .unwrap();
    assert!(page.contains("A page of the public internet."), "{page}");
    for inside in [
        "http://127.0.0.1/page",
        "http://localhost/page",
        "http://2130706433/page",
        "http://[::1]/page",
        "http://[::ffff:127.0.0.1]/page",
        "http://169.254.169.254/page",
        "http://192.168.1.1/page",
        "http://11.9.9.9/page",
        "http://[::ffff:11.9.9.9]/page",
        "http://11.1.2.3/inside",
        "http://11.1.2.3/own",
        "http://11.1.2.3:22/page",
    ] {
        assert_eq!(
            read(&search, inside).await,
            Err(PageFault::Blocked),
            "{inside}"
        );
    }
    served.kill();
    let reached_now = reached.lock().unwrap().clone();
    let public: IpAddr = PUBLIC.parse().unwrap();
    assert!(
        !reached_now.is_empty() && reached_now.iter().all(|ip| *ip == public),
        "{reached_now:?}"
    );
    on_record(&house);

    let closed = [
        "serve",
        "--air-gap",
        "--role",
        "search",
        "--listen",
        &listen,
    ];
    let mut served = house.ask(closed).spawn();
    served.until("serving at");
    let gap = read(&search, &format!("http://{PUBLIC}/page")).await;
    assert_eq!(gap, Err(PageFault::Blocked));
    served.kill();
    assert_eq!(reached.lock().unwrap().len(), reached_now.len());
}

/// Only the public address was asked for anything, and each request is on record.
fn on_record(house: &House) {
    let records = house.audit();
    let hosts = records.iter().filter(|one| one["action"] == "fetch");
    let hosts: Vec<&str> = hosts.map(|one| one["detail"].as_str().unwrap()).collect();
    assert!(
        !hosts.is_empty() && hosts.iter().all(|host| *host == PUBLIC),
        "{hosts:?}"
    );
}

/// The main text of a page, or why it was not read.
async fn read(search: &wire::search::Client, url: &str) -> Result<String, PageFault> {
    let request = ReadRequest {
        context: None,
        url: url.to_owned(),
        question: "what does it say?".to_owned(),
        content: WebContent::Extracted,
    };
    match search.read(request).await.unwrap() {
        ReadAnswer::Page(page) => Ok(page.extracted.unwrap()),
        ReadAnswer::Failed(failure) => Err(failure.fault),
    }
}

/// A site at port 80 of every address of the namespace; keeps at which it was reached.
fn serve_pages() -> Arc<Mutex<Vec<IpAddr>>> {
    let listener = TcpListener::bind(("::", 80)).unwrap();
    let reached: Arc<Mutex<Vec<IpAddr>>> = Arc::default();
    let keeps = Arc::clone(&reached);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            keeps
                .lock()
                .unwrap()
                .push(stream.local_addr().unwrap().ip().to_canonical());
            answer(stream);
        }
    });
    reached
}

fn answer(stream: TcpStream) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    // The rest of the request is read, so that closing is no reset.
    while lines.next().unwrap().unwrap() != "" {}
    let path = first.split(' ').nth(1).unwrap();
    let text = "<p>A page of the public internet. It has words enough to be taken for one.</p>";
    let (status, header, body) = match path {
        "/page" => ("200 OK", "content-type: text/html".to_owned(), text),
        "/inside" => (
            "302 Found",
            "location: http://127.0.0.1/page".to_owned(),
            "",
        ),
        "/own" => ("302 Found", format!("location: http://{OWN}/page"), ""),
        _ => ("404 Not Found", "x: y".to_owned(), ""),
    };
    let bytes = body.len();
    write!(
        &stream,
        "HTTP/1.1 {status}\r\n{header}\r\ncontent-length: {bytes}\r\nconnection: close\r\n\r\n{body}"
    )
    .unwrap();
}
