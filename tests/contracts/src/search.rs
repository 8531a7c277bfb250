//! A web of a few pages, without a network.

use api::search::{
    Claim, Error, PageFailure, PageFault, PageSummary, QUERY_BYTES, RESULTS, ReadAnswer,
    ReadRequest, Search, SearchAnswer, SearchRequest,
};
use async_trait::async_trait;
use domain::Timestamp;
use domain::label::{Integrity, Label, Readers};
use domain::rights::WebContent;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// One page of the fake's web.
#[derive(Debug, Clone)]
pub struct FakePage {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its main text. Its first sentence is its claim and its summary.
    pub text: String,
    /// When it was published.
    pub date: Option<Timestamp>,
}

impl FakePage {
    /// A page without a date.
    #[must_use]
    pub fn new(url: &str, title: &str, text: &str) -> Self {
        Self {
            url: url.to_owned(),
            title: title.to_owned(),
            text: text.to_owned(),
            date: None,
        }
    }

    fn first_sentence(&self) -> String {
        let end = self.text.find(". ").map_or(self.text.len(), |at| at + 1);
        self.text[..end].to_owned()
    }
}

/// A search service over scripted pages, whose requests are kept. A query finds every page whose
/// title or text has one of its words.
#[derive(Debug, Default)]
pub struct FakeSearch {
    pages: Mutex<Vec<FakePage>>,
    failures: Mutex<Vec<PageFailure>>,
    broken: Mutex<Option<String>>,
    searches: Mutex<Vec<SearchRequest>>,
    reads: Mutex<Vec<ReadRequest>>,
}

impl FakeSearch {
    /// A web of these pages. Every other address answers 404.
    #[must_use]
    pub fn new(pages: impl IntoIterator<Item = FakePage>) -> Self {
        Self {
            pages: Mutex::new(pages.into_iter().collect()),
            ..Self::default()
        }
    }

    /// A page that cannot be read, and is among the failures of every search.
    pub fn fails(&self, url: &str, fault: PageFault, detail: &str) {
        self.failures.lock().unwrap().push(PageFailure {
            url: url.to_owned(),
            fault,
            detail: detail.to_owned(),
        });
    }

    /// From now on the search server does not answer.
    pub fn breaks(&self, detail: &str) {
        *self.broken.lock().unwrap() = Some(detail.to_owned());
    }

    /// Every search so far, oldest first.
    #[must_use]
    pub fn searches(&self) -> Vec<SearchRequest> {
        self.searches.lock().unwrap().clone()
    }

    /// Every page asked for so far, oldest first.
    #[must_use]
    pub fn reads(&self) -> Vec<ReadRequest> {
        self.reads.lock().unwrap().clone()
    }

    fn failure(&self, url: &str) -> Option<PageFailure> {
        let failures = self.failures.lock().unwrap();
        failures.iter().find(|failure| failure.url == url).cloned()
    }
}

/// The label of what came from these hosts.
fn label<'a>(urls: impl Iterator<Item = &'a str>) -> Label {
    let host = |url: &str| url.split('/').nth(2).unwrap_or_default().to_owned();
    Label {
        integrity: Integrity::Untrusted,
        readers: Readers::Public,
        origins: urls
            .map(|url| format!("web:{}", host(url)))
            .collect::<BTreeSet<_>>(),
        trusted_origins: BTreeSet::new(),
        persistent: true,
    }
}

fn failed(url: &str, fault: PageFault, detail: &str) -> ReadAnswer {
    ReadAnswer::Failed(PageFailure {
        url: url.to_owned(),
        fault,
        detail: detail.to_owned(),
    })
}

fn extracted(page: &FakePage, content: WebContent) -> Option<String> {
    (content == WebContent::Extracted).then(|| page.text.clone())
}

#[async_trait]
impl Search for FakeSearch {
    async fn destination(&self) -> Result<Option<String>, Error> {
        match self.broken.lock().unwrap().clone() {
            Some(detail) => Err(Error::Unavailable { detail }),
            None => Ok(Some("a shelf at http://shelf.example".to_owned())),
        }
    }

    async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, Error> {
        self.searches.lock().unwrap().push(request.clone());
        if let Some(detail) = self.broken.lock().unwrap().clone() {
            return Err(Error::Unavailable { detail });
        }
        request.check()?;
        let words: Vec<String> = request
            .query
            .split_whitespace()
            .map(str::to_lowercase)
            .collect();
        let pages = self.pages.lock().unwrap();
        let claims: Vec<Claim> = pages
            .iter()
            .filter(|page| {
                let text = format!("{} {}", page.title, page.text).to_lowercase();
                words.iter().any(|word| text.contains(word))
            })
            .take(request.max_results.min(RESULTS) as usize)
            .map(|page| Claim {
                claim: page.first_sentence(),
                source_url: page.url.clone(),
                confidence: 0.5,
                date: page.date,
                summary: page.first_sentence(),
                extracted: extracted(page, request.content),
            })
            .collect();
        Ok(SearchAnswer {
            today: Timestamp::UNIX_EPOCH,
            label: label(claims.iter().map(|claim| claim.source_url.as_str())),
            claims,
            failures: self.failures.lock().unwrap().clone(),
        })
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadAnswer, Error> {
        self.reads.lock().unwrap().push(request.clone());
        let url = request.url.as_str();
        if request.question.len() > QUERY_BYTES {
            return Err(Error::Invalid {
                detail: format!("the question is longer than {QUERY_BYTES} bytes"),
            });
        }
        if !url.starts_with("http://") && !url.starts_with("https://") {
            return Ok(failed(url, PageFault::InvalidUrl, "not an http address"));
        }
        if ["://127.", "://localhost", "://[::1]"]
            .iter()
            .any(|own| url.contains(own))
        {
            return Ok(failed(url, PageFault::Blocked, "blocked address"));
        }
        if let Some(failure) = self.failure(url) {
            return Ok(ReadAnswer::Failed(failure));
        }
        let pages = self.pages.lock().unwrap();
        let Some(page) = pages.iter().find(|page| page.url == url) else {
            return Ok(failed(url, PageFault::Status(404), "fetch failed: 404"));
        };
        Ok(ReadAnswer::Page(PageSummary {
            url: page.url.clone(),
            title: page.title.clone(),
            summary: page.first_sentence(),
            extracted: extracted(page, request.content),
            language: None,
            date: page.date,
            label: label(std::iter::once(url)),
        }))
    }
}
