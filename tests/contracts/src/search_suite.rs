//! What every search service promises, whatever stands between it and its caller.

use api::search::{
    Error, PageFault, QUERY_BYTES, ReadAnswer, ReadRequest, Search, SearchAnswer, SearchRequest,
};
use domain::fault::Coded;
use domain::label::{Integrity, Label, Readers};
use domain::rights::WebContent;

/// What the suite needs to find.
#[derive(Debug, Clone, Copy)]
pub struct Web<'a> {
    /// A query that finds at least two pages.
    pub query: &'a str,
    /// A page that can be read.
    pub page: &'a str,
    /// A page whose server answers 404.
    pub gone: &'a str,
}

fn request(query: &str) -> SearchRequest {
    SearchRequest {
        context: None,
        query: query.to_owned(),
        max_results: 5,
        content: WebContent::Summary,
    }
}

fn reading(url: &str) -> ReadRequest {
    ReadRequest {
        context: None,
        url: url.to_owned(),
        question: "what does it say?".to_owned(),
        content: WebContent::Summary,
    }
}

async fn found(search: &dyn Search, request: SearchRequest) -> SearchAnswer {
    search.search(request).await.expect("the search is made")
}

async fn fault(search: &dyn Search, url: &str) -> PageFault {
    match search.read(reading(url)).await.expect("an answer") {
        ReadAnswer::Page(page) => panic!("{url} was read: {page:?}"),
        ReadAnswer::Failed(failure) => {
            assert_eq!(failure.url, url, "the address as it was asked for");
            assert!(!failure.detail.is_empty());
            failure.fault
        }
    }
}

fn is_from_the_web(label: &Label) {
    assert_eq!(label.integrity, Integrity::Untrusted);
    assert_eq!(label.readers, Readers::Public);
    assert!(label.persistent);
    assert!(
        label
            .origins
            .iter()
            .all(|origin| origin.starts_with("web:"))
    );
}

/// Claims, pages, refusals.
///
/// # Panics
/// At the first promise that is broken.
pub async fn conformance(search: &dyn Search, web: Web<'_>) {
    claims_are_sourced_labelled_and_no_more_than_asked_for(search, web).await;
    a_page_is_shown_as_far_as_asked_for(search, web).await;
    what_cannot_be_read_is_an_answer(search, web).await;
    what_cannot_be_asked_is_refused(search).await;
}

async fn claims_are_sourced_labelled_and_no_more_than_asked_for(search: &dyn Search, web: Web<'_>) {
    let answer = found(search, request(web.query)).await;
    assert!(answer.claims.len() >= 2, "{answer:?}");
    is_from_the_web(&answer.label);
    assert!(!answer.label.origins.is_empty());
    for claim in &answer.claims {
        assert!((0.0..=1.0).contains(&claim.confidence), "{claim:?}");
        assert!(claim.source_url.starts_with("http"), "{claim:?}");
        assert!(
            !claim.claim.is_empty() && !claim.summary.is_empty(),
            "{claim:?}"
        );
        assert_eq!(claim.extracted, None, "only a summary was asked for");
    }
    let mut one = request(web.query);
    one.max_results = 1;
    one.content = WebContent::Extracted;
    let answer = found(search, one).await;
    assert_eq!(answer.claims.len(), 1);
    assert!(
        answer.claims[0].extracted.is_some(),
        "the text was asked for"
    );
    let nothing = found(search, request("zqxjkvbnw qqqzzzxxx")).await;
    assert_eq!(nothing.claims, [], "nothing found is no error");
}

async fn a_page_is_shown_as_far_as_asked_for(search: &dyn Search, web: Web<'_>) {
    for content in [WebContent::Summary, WebContent::Extracted] {
        let mut request = reading(web.page);
        request.content = content;
        let ReadAnswer::Page(page) = search.read(request).await.expect("an answer") else {
            panic!("{} was not read", web.page);
        };
        is_from_the_web(&page.label);
        assert_eq!(page.label.origins.len(), 1);
        assert!(!page.summary.is_empty());
        assert_eq!(page.extracted.is_some(), content == WebContent::Extracted);
    }
}

async fn what_cannot_be_read_is_an_answer(search: &dyn Search, web: Web<'_>) {
    assert_eq!(fault(search, web.gone).await, PageFault::Status(404));
    for bad in [
        "",
        "no address",
        "ftp://example.org/x",
        "file:///etc/passwd",
        "data:text/html,x",
    ] {
        assert_eq!(fault(search, bad).await, PageFault::InvalidUrl, "{bad}");
    }
    // Port 9: whoever is let through finds nobody there.
    for own in [
        "http://127.0.0.1:9/",
        "http://localhost:9/",
        "http://[::1]:9/",
    ] {
        assert_eq!(fault(search, own).await, PageFault::Blocked, "{own}");
    }
}

async fn what_cannot_be_asked_is_refused(search: &dyn Search) {
    let mut none = request("x");
    none.max_results = 0;
    let too_long = "w ".repeat(QUERY_BYTES / 2) + "w";
    for bad in [request(""), request(" \n"), request(&too_long), none] {
        let error: Error = search.search(bad).await.expect_err("it is refused");
        assert_eq!(error.code(), "search.invalid");
    }
    let mut long = reading("https://example.org/");
    long.question = too_long;
    let error = search.read(long).await.expect_err("it is refused");
    assert_eq!(error.code(), "search.invalid");
}
