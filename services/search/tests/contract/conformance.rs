//! The promises of the contract, kept by the whole way from the search server to the claims.

use crate::site::{Answer, FakeNames, House, Reader, Site, article, config};
use api::audit::Action;
use api::search::{Search, SearchRequest};
use contracts::search_suite::{self, Web};
use domain::event::CallStatus;
use domain::rights::WebContent;
use serde_json::json;

/// A search server at the site itself: `bees` finds pages of it, everything else nothing.
pub fn searx(site: &Site, found: &[(&str, &str, &str)]) {
    let results: Vec<_> = found
        .iter()
        .map(|(url, title, content)| json!({"url": url, "title": title, "content": content}))
        .collect();
    let answer = |body: serde_json::Value| {
        Answer::of(
            200,
            &[("content-type", "application/json")],
            body.to_string(),
        )
    };
    site.answer(
        "/search?q=bees&format=json",
        answer(json!({"results": results})),
    );
    let nothing = "/search?q=zqxjkvbnw+qqqzzzxxx&format=json";
    site.answer(nothing, answer(json!({"results": []})));
}

fn request(max_results: u32, content: WebContent) -> SearchRequest {
    SearchRequest {
        context: None,
        query: "bees".to_owned(),
        max_results,
        content,
    }
}

fn house(site: &Site) -> House {
    let url = format!("http://{}", site.address);
    House::new(config(Some(url)), Reader::honest(), FakeNames::site(), site)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_service_keeps_its_promises() {
    let site = Site::start().await;
    let (one, two) = (site.page("bees"), site.page("tea"));
    searx(
        &site,
        &[(&one, "Bees", "Bees dance"), (&two, "Bees and tea", "bees")],
    );
    let gone = site.page("gone");
    let web = Web {
        query: "bees",
        page: &one,
        gone: &gone,
    };
    search_suite::conformance(&house(&site).service, web).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_pages_are_told_and_others_are_read_in_their_place() {
    let site = Site::start().await;
    let pages = ["gone", "paywall", "script", "bees"].map(|name| site.page(name));
    let inside = "http://127.0.0.2:80/admin".to_owned();
    let hits: Vec<(&str, &str, &str)> = [&inside, &pages[0], &pages[1], &pages[2], &pages[3]]
        .iter()
        .map(|url| {
            (
                url.as_str(),
                "Bees",
                "All that is known about bees in one place.",
            )
        })
        .collect();
    searx(&site, &hits);
    let mut config = config(Some(format!("http://{}", site.address)));
    config.pages = 1;
    let house = House::new(config, Reader::honest(), FakeNames::site(), &site);
    let answer = house
        .service
        .search(request(5, WebContent::Summary))
        .await
        .unwrap();
    // Two hits of one host are the most that are tried, beside the one that leads inside.
    let faults: Vec<String> = answer
        .failures
        .iter()
        .map(|one| one.fault.as_str().to_owned())
        .collect();
    assert!(faults.contains(&"blocked_address".to_owned()), "{answer:?}");
    assert!(faults.contains(&"status".to_owned()), "{answer:?}");
    let snippet = answer
        .claims
        .iter()
        .find(|claim| claim.source_url == pages[0])
        .unwrap();
    assert!(snippet.summary.contains("was not read"), "{snippet:?}");
    assert!(snippet.confidence <= 0.2);
    let (fetches, others): (Vec<_>, Vec<_>) = house
        .records()
        .into_iter()
        .partition(|record| record.action == Action::Fetch);
    assert!(!fetches.is_empty());
    for record in fetches {
        let host = &record.detail;
        assert!(!host.contains('/'), "a host and no address: {host}");
        assert!(record.params_hash.is_some());
    }
    assert_eq!(others, [], "no page was read, so no model was asked");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_reads_a_page_is_on_record_and_not_heard_without() {
    let site = Site::start().await;
    let house = House::of(&site);
    house.page(&site.page("tea")).await;
    let calls: Vec<_> = house
        .records()
        .into_iter()
        .filter(|record| record.action == Action::ModelCall)
        .collect();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].status, Some(CallStatus::Ok));
    let call = calls[0].model_call.as_ref().unwrap();
    assert_eq!(
        (call.model.model.as_str(), call.prompt_tokens),
        ("reader", 7)
    );
    // Rules and page are two requests of two records each; the fifth is the model's.
    let other = House::of(&site);
    other.audit.fail_after(4);
    let page = other.page(&site.page("tea")).await;
    assert!(page.summary.starts_with("(extract"), "{}", page.summary);
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_come_best_first_with_their_pages_and_dates() {
    let site = Site::start().await;
    let (one, two) = (site.page("bees"), site.page("lighthouse"));
    searx(
        &site,
        &[
            (&two, "The lighthouse", "nothing on bees"),
            (&one, "Bees dance", "bees"),
        ],
    );
    let answer = house(&site)
        .service
        .search(request(5, WebContent::Summary))
        .await
        .unwrap();
    assert_eq!(answer.today, crate::site::today());
    assert_eq!(answer.failures, []);
    assert!(
        answer.label.origins.contains("web:site.example"),
        "{:?}",
        answer.label
    );
    let bees = answer
        .claims
        .iter()
        .find(|claim| claim.source_url == one)
        .unwrap();
    assert_eq!(bees.date.unwrap().to_string(), "2023-04-11T09:30:00Z");
    assert!(bees.claim.starts_with("A honeybee"), "{bees:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_there_is_an_extract_that_says_so() {
    let site = Site::start().await;
    let url = site.page("lighthouse");
    let house = House::new(config(None), Reader::absent(), FakeNames::site(), &site);
    let page = house.page(&url).await;
    assert!(
        page.summary.starts_with("(extract, no model wrote this)"),
        "{}",
        page.summary
    );
    assert_eq!(page.title, "The lighthouse of Skerry Point");
    assert_eq!(page.language.as_deref(), Some("en"));
    assert_eq!(page.date.unwrap().to_string(), "2024-05-01T06:00:00Z");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_air_gap_leaves_the_server_on_this_machine_and_no_page() {
    let site = Site::start().await;
    let one = site.page("bees");
    searx(&site, &[(&one, "Bees", "Bees dance to tell the way.")]);
    let mut closed = config(Some(format!("http://{}", site.address)));
    closed.air_gap = true;
    let house = House::new(closed.clone(), Reader::honest(), FakeNames::site(), &site);
    let answer = house
        .service
        .search(request(5, WebContent::Extracted))
        .await
        .unwrap();
    assert_eq!(answer.failures[0].fault.as_str(), "blocked_address");
    assert!(answer.claims[0].summary.contains("was not read"));
    assert_eq!(site.count("/page/bees"), 0);
    closed.url = Some("http://search.example/".to_owned());
    let far = House::new(closed, Reader::honest(), FakeNames::site(), &site);
    let error = far
        .service
        .search(request(5, WebContent::Summary))
        .await
        .unwrap_err();
    assert_eq!(domain::fault::Coded::code(&error), "search.blocked");
    assert_eq!(far.records(), [], "nothing was even begun");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_recorded_is_not_fetched() {
    let site = Site::start().await;
    site.answer("/x", article("Bees."));
    let house = House::of(&site);
    house.audit.fail();
    assert_eq!(house.fault(&site.url("/x")).await.as_str(), "unreachable");
    assert_eq!(site.seen().len(), 0);
}
