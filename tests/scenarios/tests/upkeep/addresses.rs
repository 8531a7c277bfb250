//! What the program as it ships connects to when it fetches pages. In a network namespace of its
//! own, where a prefix of the public range leads to this machine by a route: so a page can be
//! fetched that no configuration of the program lets through by name.

use api::search::{PageFault, ReadAnswer, ReadRequest, Search};
use domain::rights::WebContent;
use scenarios::site::{self, OWN, PUBLIC, Response};
use std::net::IpAddr;
use testkit::House;

#[test]
fn the_program_fetches_from_public_addresses_and_from_no_others() {
    site::run_inside("inside_the_namespace");
}

fn respond(path: &str) -> Response {
    let text = "<p>A page of the public internet. It has words enough to be taken for one.</p>";
    match path {
        "/page" => Response::page(text),
        "/inside" => Response::redirect("http://127.0.0.1/page"),
        "/own" => Response::redirect(&format!("http://{OWN}/page")),
        _ => Response::missing(),
    }
}

/// Not a test by itself: what the one above does once it is inside.
#[tokio::test(flavor = "multi_thread")]
async fn inside_the_namespace() {
    if !site::is_inside() {
        return;
    }
    let reached = site::serve(respond);
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
    let endpoint: grpc::Endpoint = listen.parse().unwrap();
    let search = grpc::search::Client::connect(&endpoint);

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
async fn read(search: &grpc::search::Client, url: &str) -> Result<String, PageFault> {
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
