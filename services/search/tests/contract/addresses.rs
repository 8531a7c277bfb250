//! What is connected to, whatever a name, a redirect or a name server says.

use crate::site::{Answer, FakeNames, HOST, House, Reader, Site, article, config};
use api::search::PageFault;
use std::net::SocketAddr;

/// A service inside the house, at the site's own port, that nothing may reach.
async fn inner(site: &Site) -> Site {
    let address = SocketAddr::new("127.0.0.2".parse().unwrap(), site.address.port());
    let inner = Site::listen(address).await;
    inner.answer("/", article("The secret of the house."));
    inner
}

fn house(site: &Site, names: &[(&str, &[&[&str]])]) -> House {
    House::new(config(None), Reader::honest(), FakeNames::new(names), site)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_leads_inside_is_refused() {
    let site = Site::start().await;
    let inner = inner(&site).await;
    let port = site.address.port();
    let house = house(
        &site,
        &[
            ("inside.example", &[&["127.0.0.2"]]),
            ("metadata.example", &[&["169.254.169.254"]]),
            ("mixed.example", &[&["127.0.0.1", "127.0.0.2"]]),
            ("six.example", &[&["::ffff:127.0.0.2"]]),
            ("gap.example", &[&["10.0.0.1"]]),
        ],
    );
    for name in ["inside", "metadata", "mixed", "six", "gap"] {
        let url = format!("http://{name}.example:{port}/");
        assert_eq!(house.fault(&url).await, PageFault::Blocked, "{name}");
    }
    assert_eq!(
        house
            .fault(&format!("http://unknown.example:{port}/"))
            .await,
        PageFault::Unreachable
    );
    assert_eq!(inner.seen().len(), 0);
    let ended: Vec<_> = house
        .records()
        .into_iter()
        .filter_map(|record| record.status)
        .collect();
    assert!(
        ended.contains(&domain::event::CallStatus::Denied),
        "refusals are on record"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_that_leads_inside_is_refused() {
    let site = Site::start().await;
    let inner = inner(&site).await;
    let port = site.address.port();
    let house = house(
        &site,
        &[
            (HOST, &[&["127.0.0.1"]]),
            ("inside.example", &[&["127.0.0.2"]]),
        ],
    );
    for (number, to) in [
        format!("http://127.0.0.2:{port}/"),
        format!("http://2130706434:{port}/"),
        format!("http://[::ffff:127.0.0.2]:{port}/"),
        format!("http://inside.example:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://localhost/".to_owned(),
        "http://[::1]/".to_owned(),
        format!("//127.0.0.2:{port}/"),
    ]
    .iter()
    .enumerate()
    {
        let path = format!("/r{number}");
        site.answer(&path, Answer::redirect(to));
        assert_eq!(
            house.fault(&site.url(&path)).await,
            PageFault::Blocked,
            "{to}"
        );
    }
    for (number, to) in [
        "file:///etc/passwd",
        "ftp://x.example/",
        "gopher://127.0.0.2/_x",
    ]
    .iter()
    .enumerate()
    {
        let path = format!("/s{number}");
        site.answer(&path, Answer::redirect(to));
        assert_eq!(
            house.fault(&site.url(&path)).await,
            PageFault::InvalidUrl,
            "{to}"
        );
    }
    assert_eq!(inner.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_changes_its_meaning_is_refused_when_it_does() {
    let site = Site::start().await;
    let inner = inner(&site).await;
    site.answer("/", article("The site itself."));
    site.answer("/again", article("The site again."));
    let port = site.address.port();
    // Rules and page are one lookup each; then the name turns.
    let house = house(
        &site,
        &[(
            "turns.example",
            &[&["127.0.0.1"], &["127.0.0.1"], &["127.0.0.2"]],
        )],
    );
    let page = house.page(&format!("http://turns.example:{port}/")).await;
    assert!(page.extracted.unwrap().contains("The site itself."));
    let fault = house
        .fault(&format!("http://turns.example:{port}/again"))
        .await;
    assert_eq!(fault, PageFault::Blocked);
    assert_eq!(inner.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_rules_are_fetched_from_nowhere_else_either() {
    let site = Site::start().await;
    let inner = inner(&site).await;
    site.robots(200, "User-agent: *\nAllow: /");
    let house = house(
        &site,
        &[("turns.example", &[&["127.0.0.2"], &["127.0.0.1"]])],
    );
    let port = site.address.port();
    let fault = house.fault(&format!("http://turns.example:{port}/")).await;
    assert_eq!(fault, PageFault::Blocked);
    assert_eq!(inner.seen().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_in_the_environment_is_not_asked() {
    // Another process, since the environment belongs to all tests of one.
    let site = Site::start().await;
    let proxy = Site::start().await;
    site.answer("/", article("The site itself."));
    let me = std::env::current_exe().unwrap();
    let mut child = tokio::process::Command::new(me);
    child
        .args(["--exact", "addresses::reads_what_it_is_told", "--nocapture"])
        .env("READ_THIS", site.address.to_string());
    for name in ["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"] {
        child.env(name, format!("http://{}", proxy.address));
    }
    let output = child.output().await.unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(proxy.seen().len(), 0);
    assert_eq!(site.count("/"), 1);
}

/// Reads the site that the environment names; without one there is nothing to do.
#[tokio::test]
async fn reads_what_it_is_told() {
    let Ok(address) = std::env::var("READ_THIS") else {
        return;
    };
    let site = Site::start().await;
    let told: SocketAddr = address.parse().unwrap();
    let names = FakeNames::site();
    let told = Site::at(told, &site);
    let house = House::new(config(None), Reader::honest(), names, &told);
    house.page(&told.url("/")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_the_user_goes_along() {
    let site = Site::start().await;
    let mut first = article("A page that sets a cookie.");
    first
        .headers
        .push(("set-cookie".to_owned(), "id=1; Path=/".to_owned()));
    site.answer("/one", Answer::redirect("/two"));
    site.answer("/two", first);
    site.answer("/three", article("Another page."));
    let house = House::of(&site);
    house.page(&site.url("/one")).await;
    house.page(&site.url("/three#part")).await;
    for seen in site.seen() {
        let sent: Vec<&str> = seen.headers.keys().map(String::as_str).collect();
        let known = ["host", "user-agent", "accept", "accept-encoding"];
        assert!(sent.iter().all(|name| known.contains(name)), "{sent:?}");
        assert_eq!(
            seen.headers["user-agent"],
            "Mozilla/5.0 (compatible; housecarl)"
        );
        assert!(seen.headers["host"].starts_with(HOST));
        assert!(!seen.path.contains('#'));
    }
}
