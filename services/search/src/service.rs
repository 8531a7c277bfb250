//! Searching and reading: the way from a question to claims with sources.

use crate::address::Exceptions;
use crate::cache::Cache;
use crate::config::{Clock, Config};
use crate::error::Error;
use crate::fetch::{Fetcher, Parts};
use crate::ledger::Ledger;
use crate::page::{self, Page};
use crate::polite::Polite;
use crate::providers::Server;
use crate::quarantine::{self, CLAIM_CHARS, Digested, SUMMARY_CHARS, TITLE_CHARS, clean};
use crate::relevance::{Candidate, relevant};
#[cfg(feature = "test-support")]
use crate::resolve::Names;
use crate::resolve::{CheckedNames, SystemNames};
use api::CallContext;
use api::audit::Audit;
use api::documents::Documents;
use api::models::Models;
use api::search::{
    Claim, PageFailure, PageSummary, QUERY_BYTES, RESULTS, ReadAnswer, ReadRequest, Search,
    SearchAnswer, SearchRequest,
};
use api::secrets::Secrets;
use async_trait::async_trait;
use domain::Timestamp;
use domain::label::{Integrity, Label, Readers};
use domain::limits::EXTRACTED_BYTES;
use domain::rights::WebContent;
use futures::StreamExt;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The most that a claim from a search server's snippet is believed, 0 to 1.
const BY_SNIPPET: f32 = 0.2;
/// Says that a page was not read.
const SNIPPET_MARK: &str = "(the search server's words; the page was not read)";

/// The search service.
pub struct Service {
    config: Config,
    server: Server,
    fetcher: Fetcher,
    models: Arc<dyn Models>,
    ledger: Arc<Ledger>,
    documents: Option<Arc<dyn Documents>>,
    clock: Clock,
}

/// A page that was read, and what it says.
struct Reading {
    page: Page,
    digested: Digested,
    extracted: Option<String>,
}

impl Service {
    /// A service whose cache of pages is `folder`, which it makes if it is not there. Without
    /// [`Service::with_documents`] a PDF is a page of the wrong content type.
    ///
    /// # Errors
    /// [`Error`] when a setting makes no sense, the folder cannot be made, or TLS cannot be set up.
    pub fn new(
        config: Config,
        models: Arc<dyn Models>,
        secrets: Arc<dyn Secrets>,
        audit: Arc<dyn Audit>,
        folder: &Path,
        clock: Clock,
    ) -> Result<Self, Error> {
        let names = CheckedNames::new(Arc::new(SystemNames), Exceptions::default());
        let outside = (models, secrets, audit);
        Self::build(
            config,
            outside,
            (folder, clock),
            (names, Exceptions::default()),
        )
    }

    /// As [`Service::new`], with names of its own, and with exactly these sockets let through
    /// although they are on this machine. For tests against a site of their own; no configuration
    /// leads here.
    ///
    /// # Errors
    /// As [`Service::new`].
    #[cfg(feature = "test-support")]
    pub fn for_tests(
        config: Config,
        outside: (Arc<dyn Models>, Arc<dyn Secrets>, Arc<dyn Audit>),
        own: (&Path, Clock),
        names: Arc<dyn Names>,
        allowed: Vec<std::net::SocketAddr>,
    ) -> Result<Self, Error> {
        let exceptions = Exceptions::allow(allowed);
        let names = CheckedNames::new(names, exceptions.clone());
        Self::build(config, outside, own, (names, exceptions))
    }

    fn build(
        config: Config,
        (models, secrets, audit): (Arc<dyn Models>, Arc<dyn Secrets>, Arc<dyn Audit>),
        (folder, clock): (&Path, Clock),
        (names, exceptions): (CheckedNames, Exceptions),
    ) -> Result<Self, Error> {
        config.check()?;
        let ledger = Arc::new(Ledger::new(audit, Arc::clone(&clock)));
        let cache = match config.cache_bytes {
            0 => None,
            bytes => Some(Cache::open(folder, bytes)?),
        };
        let fetcher = Fetcher::new(Parts {
            names,
            exceptions,
            polite: Polite::new(Duration::from_millis(config.host_pause_ms)),
            cache,
            cache_ttl: Duration::from_secs(config.cache_ttl_secs),
            ledger: Arc::clone(&ledger),
            clock: Arc::clone(&clock),
            air_gap: config.air_gap,
        })?;
        Ok(Self {
            server: Server::new(&config, secrets, Arc::clone(&ledger))?,
            ledger,
            config,
            fetcher,
            models,
            documents: None,
            clock,
        })
    }

    /// Reads PDFs as well, by this reader.
    #[must_use]
    pub fn with_documents(mut self, documents: Arc<dyn Documents>) -> Self {
        self.documents = Some(documents);
        self
    }

    /// Fetches a page and finds out what it says about a question.
    async fn reading(
        &self,
        context: Option<&CallContext>,
        url: &str,
        question: &str,
        content: WebContent,
    ) -> Result<Reading, PageFailure> {
        let today = (self.clock)();
        let session_id = context.map(|context| context.session_id);
        let about = |fault: crate::error::Fault| fault.about(url);
        let raw = self.fetcher.page(url, session_id).await.map_err(about)?;
        let documents = self.documents.as_deref();
        let page = page::read(raw, today, documents).await.map_err(about)?;
        let reader = quarantine::Reader {
            models: &*self.models,
            ledger: &self.ledger,
            context,
            today,
        };
        let asked = quarantine::ask(&reader, &page, question).await;
        let digested = asked.unwrap_or_else(|| quarantine::extract(&page, question));
        let extracted = match content {
            WebContent::Summary => None,
            WebContent::Extracted => Some(quarantine::clean_whole(&page.text, EXTRACTED_BYTES)),
        };
        Ok(Reading {
            page,
            digested,
            extracted,
        })
    }

    /// Reads the best pages, several at one time, until enough are read.
    async fn readings(
        &self,
        request: &SearchRequest,
        candidates: &[Candidate],
    ) -> (Vec<(f32, Reading)>, Vec<(Candidate, PageFailure)>) {
        let enough = self.config.pages.min(request.max_results as usize).max(1);
        let tried = candidates.iter().take(self.config.pages * 2);
        let mut reading = futures::stream::iter(tried.cloned().map(|candidate| async move {
            let url = candidate.hit.url.as_str();
            let context = request.context.as_ref();
            let read = self
                .reading(context, url, &request.query, request.content)
                .await;
            (candidate, read)
        }))
        .buffered(enough);
        let (mut readings, mut failures) = (Vec::new(), Vec::new());
        while readings.len() < enough {
            match reading.next().await {
                Some((candidate, Ok(mut read))) => {
                    // Of a page without a date the search server may know it.
                    read.page.date = read.page.date.or(candidate.hit.date);
                    readings.push((candidate.fit, read));
                }
                Some((candidate, Err(failure))) => failures.push((candidate, failure)),
                None => break,
            }
        }
        (readings, failures)
    }
}

/// The label of what these hosts sent.
fn label<'a>(hosts: impl Iterator<Item = &'a str>) -> Label {
    Label {
        integrity: Integrity::Untrusted,
        readers: Readers::Public,
        origins: hosts
            .map(|host| format!("web:{host}"))
            .collect::<BTreeSet<_>>(),
        trusted_origins: BTreeSet::new(),
        persistent: true,
    }
}

/// The claims of a page. One without any still has its summary to offer.
fn claims_of(fit: f32, reading: Reading) -> Vec<(f32, Claim)> {
    let Reading {
        page,
        digested,
        extracted,
    } = reading;
    let mut stated = digested.claims;
    if stated.is_empty() {
        stated.push(quarantine::Stated {
            claim: clean(quarantine::first_sentence(&digested.summary), CLAIM_CHARS),
            confidence: 0.1,
        });
    }
    // A page's text is long, so it is told once.
    let mut extracted = extracted;
    stated
        .into_iter()
        .map(|one| {
            let claim = Claim {
                claim: one.claim,
                source_url: page.url.clone(),
                confidence: one.confidence,
                date: page.date,
                summary: digested.summary.clone(),
                extracted: extracted.take(),
            };
            (one.confidence * (0.5 + 0.5 * fit), claim)
        })
        .collect()
}

/// What the search server said about a page that was not read.
fn claim_of_snippet(candidate: &Candidate, today: Timestamp) -> Option<(f32, Claim)> {
    let hit = &candidate.hit;
    let said = clean(&format!("{}: {}", hit.title, hit.snippet), SUMMARY_CHARS);
    if hit.snippet.trim().is_empty() || said.is_empty() {
        return None;
    }
    let confidence = BY_SNIPPET * candidate.fit;
    let claim = Claim {
        claim: clean(&hit.snippet, CLAIM_CHARS),
        source_url: hit.url.to_string(),
        confidence,
        date: hit.date.or_else(|| page::date_in_url(&hit.url, today)),
        summary: format!("{SNIPPET_MARK} {said}"),
        extracted: None,
    };
    // Behind every page that was read.
    Some((confidence - 1.0, claim))
}

#[async_trait]
impl Search for Service {
    async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, api::search::Error> {
        request.check()?;
        let most = request.max_results.min(RESULTS) as usize;
        let session_id = request.context.as_ref().map(|context| context.session_id);
        let hits = self.server.ask(request.query.trim(), session_id).await?;
        let candidates = relevant(&request.query, hits);
        let (readings, failed) = self.readings(&request, &candidates).await;
        let mut claims: Vec<(f32, Claim)> = readings
            .into_iter()
            .flat_map(|(fit, reading)| claims_of(fit, reading))
            .collect();
        let today = (self.clock)();
        let snippets = failed
            .iter()
            .filter_map(|(candidate, _)| claim_of_snippet(candidate, today));
        claims.extend(snippets);
        claims.sort_by(|a, b| b.0.total_cmp(&a.0));
        claims.truncate(most);
        let claims: Vec<Claim> = claims.into_iter().map(|(_, claim)| claim).collect();
        let hosts = claims.iter().filter_map(|claim| host_of(&claim.source_url));
        Ok(SearchAnswer {
            today,
            label: label(hosts),
            claims,
            failures: failed.into_iter().map(|(_, failure)| failure).collect(),
        })
    }

    async fn destination(&self) -> Result<Option<String>, api::search::Error> {
        self.server.destination().await.map(Some)
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadAnswer, api::search::Error> {
        if request.question.len() > QUERY_BYTES {
            let detail = format!("the question is longer than {QUERY_BYTES} bytes");
            return Err(api::search::Error::Invalid { detail });
        }
        let context = request.context.as_ref();
        let read = self.reading(context, &request.url, &request.question, request.content);
        Ok(match read.await {
            Err(failure) => ReadAnswer::Failed(failure),
            Ok(Reading {
                page,
                digested,
                extracted,
            }) => ReadAnswer::Page(PageSummary {
                title: clean(&page.title, TITLE_CHARS),
                summary: digested.summary,
                extracted,
                language: page.language,
                date: page.date,
                label: label(std::iter::once(page.host.as_str())),
                url: page.url,
            }),
        })
    }
}

/// The host in an address of ours.
fn host_of(url: &str) -> Option<&str> {
    let after = url.split_once("://")?.1;
    let end = after.find(['/', '?', '#']).unwrap_or(after.len());
    let host = &after[..end];
    // A port follows the last colon outside the brackets of an IPv6 address.
    match (host.rfind(':'), host.rfind(']')) {
        (Some(colon), Some(bracket)) if colon < bracket => Some(host),
        (Some(colon), _) => Some(&host[..colon]),
        (None, _) => Some(host),
    }
}
