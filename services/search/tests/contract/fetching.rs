//! How pages are fetched: limits, robots rules, redirects, the cache.

use crate::site::{Answer, FakeNames, House, Reader, Site, article, config};
use api::search::PageFault;
use domain::Timestamp;
use domain::limits::{PAGE_BYTES, PAGE_HEADERS, PAGE_REDIRECTS};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_followed_up_to_the_limit() {
    let site = Site::start().await;
    for number in 0..10 {
        let path = format!("/hop{number}");
        site.answer(&path, Answer::redirect(&format!("/hop{}", number + 1)));
    }
    site.answer("/hop10", article("The end of the way."));
    site.answer("/loop", Answer::redirect("/loop"));
    site.answer("/nowhere", Answer::of(302, &[], ""));
    let house = House::of(&site);
    let page = house
        .page(&site.url(&format!("/hop{}", 10 - PAGE_REDIRECTS)))
        .await;
    assert_eq!(
        page.url,
        site.url("/hop10"),
        "the address it was finally read from"
    );
    let one_more = site.url(&format!("/hop{}", 9 - PAGE_REDIRECTS));
    for url in [one_more, site.url("/loop"), site.url("/nowhere")] {
        assert_eq!(house.fault(&url).await, PageFault::Redirects, "{url}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn too_much_is_given_up_at_the_limit() {
    let site = Site::start().await;
    let html = [("content-type", "text/html")];
    let whole = |bytes: usize| {
        let text = "<p>A page of words that goes on and on. </p>";
        let mut body = text.repeat(bytes / text.len() + 1).into_bytes();
        body.truncate(bytes);
        Answer::of(200, &html, body)
    };
    site.answer("/fits", whole(PAGE_BYTES));
    site.answer("/over", whole(PAGE_BYTES + 1));
    let mut endless = whole(4_096);
    endless.endless = true;
    site.answer("/endless", endless);
    let bomb = packed(&vec![b' '; 64 << 20]);
    assert!(bomb.len() < PAGE_BYTES);
    let gzip = [("content-type", "text/html"), ("content-encoding", "gzip")];
    site.answer("/bomb", Answer::of(200, &gzip, bomb));
    site.answer(
        "/packed",
        Answer::of(200, &gzip, packed(&article("A packed page.").body)),
    );
    site.answer(
        "/brotli",
        Answer::of(200, &[html[0], ("content-encoding", "br")], "x"),
    );
    let mut flood = article("A page with many headers.");
    for number in 0..=PAGE_HEADERS {
        flood.headers.push((format!("x-{number}"), "y".to_owned()));
    }
    site.answer("/flood", flood);
    let house = House::of(&site);
    house.page(&site.url("/fits")).await;
    for path in ["/over", "/endless", "/bomb"] {
        assert_eq!(
            house.fault(&site.url(path)).await,
            PageFault::TooLarge,
            "{path}"
        );
    }
    let page = house.page(&site.url("/packed")).await;
    assert!(page.extracted.unwrap().contains("A packed page."));
    assert_eq!(
        house.fault(&site.url("/brotli")).await,
        PageFault::ContentType
    );
    assert_eq!(
        house.fault(&site.url("/flood")).await,
        PageFault::Unreachable
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_says_nothing_is_given_up() {
    let site = Site::start().await;
    let mut silent = article("Never.");
    silent.silent = true;
    site.answer("/silent", silent);
    let house = House::of(&site);
    assert_eq!(house.fault(&site.url("/silent")).await, PageFault::Timeout);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_failure_has_its_name() {
    let site = Site::start().await;
    for status in [400_u16, 401, 403, 404, 410, 429, 500, 503, 204, 206] {
        site.answer(&format!("/s{status}"), Answer::of(status, &[], ""));
    }
    site.answer(
        "/film",
        Answer::of(200, &[("content-type", "video/mp4")], "x"),
    );
    site.answer("/what", Answer::of(200, &[], "\u{7f}ELF"));
    site.answer("/none", Answer::page(""));
    let house = House::of(&site);
    for status in [400_u16, 401, 403, 404, 410, 429, 500, 503, 204, 206] {
        let fault = house.fault(&site.url(&format!("/s{status}"))).await;
        assert_eq!(fault, PageFault::Status(status));
    }
    assert_eq!(
        house.fault(&site.url("/film")).await,
        PageFault::ContentType
    );
    assert_eq!(
        house.fault(&site.url("/what")).await,
        PageFault::ContentType
    );
    for name in ["paywall", "script", "empty", "frames"] {
        assert_eq!(
            house.fault(&site.page(name)).await,
            PageFault::NoText,
            "{name}"
        );
    }
    assert_eq!(house.fault(&site.url("/none")).await, PageFault::NoText);
    let nobody = Site::start().await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let gone = Site::at(closed, &nobody);
    let house = House::of(&gone);
    assert_eq!(house.fault(&gone.url("/")).await, PageFault::Unreachable);
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_rules_are_kept_and_asked_for_once() {
    let site = Site::start().await;
    site.robots(
        200,
        "User-agent: *\nDisallow: /private\nAllow: /private/open\n",
    );
    for path in ["/a", "/b", "/private/x", "/private/open"] {
        site.answer(path, article("Words on a page."));
    }
    site.answer("/way", Answer::redirect("/private/x"));
    let house = House::of(&site);
    house.page(&site.url("/a")).await;
    house.page(&site.url("/b")).await;
    house.page(&site.url("/private/open")).await;
    for path in ["/private/x", "/way"] {
        assert_eq!(
            house.fault(&site.url(path)).await,
            PageFault::Robots,
            "{path}"
        );
    }
    assert_eq!(
        (site.count("/robots.txt"), site.count("/private/x")),
        (1, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_whose_rules_cannot_be_read_is_left_alone() {
    let site = Site::start().await;
    site.answer("/a", article("Words on a page."));
    site.robots(503, "");
    let house = House::of(&site);
    assert_eq!(house.fault(&site.url("/a")).await, PageFault::Robots);
    site.robots(404, "Disallow: /");
    house.page(&site.url("/a")).await;
    assert_eq!(site.count("/a"), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_fetched_once_while_it_is_fresh_and_asked_after_when_it_is_not() {
    let site = Site::start().await;
    let mut page = article("The first version of the page.");
    page.headers.push(("etag".to_owned(), "\"v1\"".to_owned()));
    site.answer("/page", page);
    let mut private = article("A page for one reader.");
    private
        .headers
        .push(("cache-control".to_owned(), "private, no-store".to_owned()));
    site.answer("/private", private);
    let house = House::of(&site);
    let url = site.url("/page");
    for _ in 0..3 {
        house.page(&url).await;
    }
    assert_eq!(site.count("/page"), 1, "it is fresh");
    let later = |secs: i64| {
        let now: Timestamp = crate::site::today();
        *house.now.lock().unwrap() = Timestamp::from_second(now.as_second() + secs).unwrap();
    };
    later(3_600);
    let known = house.page(&url).await;
    assert!(known.extracted.unwrap().contains("first version"));
    let seen = site.seen();
    let asked = seen.iter().rfind(|seen| seen.path == "/page").unwrap();
    assert_eq!(asked.headers["if-none-match"], "\"v1\"");
    assert_eq!(site.count("/page"), 2);
    house.page(&url).await;
    assert_eq!(site.count("/page"), 2, "it is fresh again");
    let mut changed = article("The second version of the page.");
    changed
        .headers
        .push(("etag".to_owned(), "\"v2\"".to_owned()));
    site.answer("/page", changed);
    later(10_000);
    assert!(
        house
            .page(&url)
            .await
            .extracted
            .unwrap()
            .contains("second version")
    );
    for _ in 0..2 {
        house.page(&site.url("/private")).await;
    }
    assert_eq!(site.count("/private"), 2, "it is not kept");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_cache_costs_a_request_and_nothing_else() {
    let site = Site::start().await;
    site.answer("/page", article("The page as it is."));
    let house = House::of(&site);
    house.page(&site.url("/page")).await;
    for file in std::fs::read_dir(house.folder.path()).unwrap() {
        std::fs::write(file.unwrap().path(), b"{}\nThe page as somebody wants it.").unwrap();
    }
    let page = house.page(&site.url("/page")).await;
    assert!(page.extracted.unwrap().contains("as it is"));
    assert_eq!(site.count("/page"), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_one_site_are_fetched_with_a_pause() {
    let site = Site::start().await;
    site.robots(200, "User-agent: *\nCrawl-delay: 1\n");
    site.answer("/a", article("One page."));
    site.answer("/b", article("Another page."));
    let house = House::new(config(None), Reader::honest(), FakeNames::site(), &site);
    let began = std::time::Instant::now();
    let (a, b) = (site.url("/a"), site.url("/b"));
    tokio::join!(house.page(&a), house.page(&b));
    assert!(
        began.elapsed().as_millis() >= 1_000,
        "{:?}",
        began.elapsed()
    );
}
