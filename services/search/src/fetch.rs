//! Fetches pages. What is connected to was checked at the moment of connecting; everything that
//! comes back is bounded; every request is on record before it is made.

use crate::address::{self, Exceptions};
use crate::body::{self, Kind};
use crate::cache::{Cache, Stored};
use crate::config::Clock;
use crate::error::{Error, Fault};
use crate::ledger::Ledger;
use crate::polite::Polite;
use crate::resolve::{CheckedNames, Refused};
use crate::robots::Rules;
use api::search::PageFault;
use domain::event::CallStatus;
use domain::id::SessionId;
use domain::limits::{PAGE_CONNECT, PAGE_HEADERS, PAGE_REDIRECTS, PAGE_TIME, ROBOTS_BYTES};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, ETAG, HeaderMap, HeaderName, HeaderValue,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, LOCATION,
};
use reqwest::{Client, Response, StatusCode};
use std::error::Error as _;
use std::net::IpAddr;
use std::sync::{Arc, Once};
use std::time::{Duration, Instant};
use url::{Host, Url};

/// The name that sites see. It says what we are and nothing of the user or the version.
pub(crate) const USER_AGENT: &str = "Mozilla/5.0 (compatible; housecarl)";
/// What we can read, best first.
const ACCEPTED: &str =
    "text/html,application/xhtml+xml,text/plain;q=0.9,application/pdf;q=0.8,*/*;q=0.1";

/// A page as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Raw {
    /// Where it was read from in the end.
    pub(crate) url: Url,
    pub(crate) kind: Kind,
    pub(crate) content_type: Option<String>,
    pub(crate) bytes: Vec<u8>,
}

/// What a fetcher is made of.
pub(crate) struct Parts {
    pub(crate) names: CheckedNames,
    pub(crate) exceptions: Exceptions,
    pub(crate) polite: Polite,
    pub(crate) cache: Option<Cache>,
    pub(crate) cache_ttl: Duration,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) clock: Clock,
    pub(crate) air_gap: bool,
}

/// Fetches pages.
pub(crate) struct Fetcher {
    parts: Parts,
    client: Client,
}

/// What one request came to.
enum Hop {
    Answer(Response),
    Onward(Url),
}

impl Fetcher {
    /// # Errors
    /// [`Error::Client`] when TLS cannot be set up.
    pub(crate) fn new(parts: Parts) -> Result<Self, Error> {
        let client = builder()
            .dns_resolver(Arc::new(parts.names.clone()))
            .connect_timeout(PAGE_CONNECT)
            .build()
            .map_err(Error::Client)?;
        Ok(Self { parts, client })
    }

    /// The page at an address, from the cache or the network.
    pub(crate) async fn page(
        &self,
        address: &str,
        session_id: Option<SessionId>,
    ) -> Result<Raw, Fault> {
        let url = address::parse(address, &self.parts.exceptions)?;
        if self.parts.air_gap {
            return Err(Fault::blocked(
                "the air gap is closed, and no page is fetched",
            ));
        }
        match tokio::time::timeout(PAGE_TIME, self.walk(url, session_id)).await {
            Ok(page) => page,
            Err(_elapsed) => Err(Fault::timeout("it was given up")),
        }
    }

    /// From redirect to redirect, each checked like the first address.
    async fn walk(&self, start: Url, session_id: Option<SessionId>) -> Result<Raw, Fault> {
        let mut url = start;
        for redirects in 0..=PAGE_REDIRECTS {
            address::check(&url, &self.parts.exceptions)?;
            let stored = self.stored(&url).await;
            if let Some(page) = &stored
                && self.is_fresh(page)
            {
                return raw(url, page.clone());
            }
            self.check_literal(&url)?;
            let rules = self.rules(&url, session_id).await?;
            if !rules.allow(path_of(&url)) {
                let detail = "the site's robots rules forbid it";
                return Err(Fault::new(PageFault::Robots, detail));
            }
            if redirects == 0 {
                let turn = self
                    .parts
                    .polite
                    .turn(&origin(&url), rules.delay, Instant::now());
                tokio::time::sleep_until(turn.into()).await;
            }
            let headers = conditions(stored.as_ref());
            match self.ask(&url, headers, session_id).await? {
                Hop::Onward(next) => url = next,
                Hop::Answer(answer) => return self.take(url, answer, stored).await,
            }
        }
        let detail = format!("more than {PAGE_REDIRECTS} redirects");
        Err(Fault::new(PageFault::Redirects, detail))
    }

    /// Makes one request, and follows nothing.
    async fn ask(
        &self,
        url: &Url,
        headers: HeaderMap,
        session_id: Option<SessionId>,
    ) -> Result<Hop, Fault> {
        let recorded = self.parts.ledger.asking(session_id, url).await;
        let open = recorded.map_err(|error| {
            let detail = format!("not fetched, since it cannot be recorded: {error}");
            Fault::new(PageFault::Unreachable, detail)
        })?;
        let sent = self.client.get(url.clone()).headers(headers).send().await;
        let hop = sent
            .map_err(unreachable)
            .and_then(|answer| onward(url, answer));
        let status = match &hop {
            Ok(Hop::Answer(answer)) if answer.status().is_client_error() => CallStatus::Failed,
            Ok(Hop::Answer(answer)) if answer.status().is_server_error() => CallStatus::Failed,
            Ok(_) => CallStatus::Ok,
            Err(fault) if fault.kind == PageFault::Blocked => CallStatus::Denied,
            Err(_) => CallStatus::Failed,
        };
        self.parts.ledger.answered(open, status).await;
        hop
    }

    /// Reads the answer that no redirect follows.
    async fn take(&self, url: Url, answer: Response, stored: Option<Stored>) -> Result<Raw, Fault> {
        let now = (self.parts.clock)().as_second();
        if answer.status() == StatusCode::NOT_MODIFIED
            && let Some(mut page) = stored
        {
            page.checked = now;
            self.store(&url, page.clone()).await;
            return raw(url, page);
        }
        let status = answer.status();
        if status != StatusCode::OK {
            let detail = format!("fetch failed: {}", status.as_u16());
            return Err(Fault::new(PageFault::Status(status.as_u16()), detail));
        }
        let content_type = body::content_type(&answer);
        // Before its body, so that a film is not loaded to find out what it is.
        if content_type.is_some() {
            body::kind_of(content_type.as_deref(), &[])?;
        }
        let text = |name: HeaderName| {
            let value = answer.headers().get(name);
            value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let keeps_out = text(CACHE_CONTROL).is_some_and(|value| {
            let value = value.to_ascii_lowercase();
            value.contains("no-store") || value.contains("private")
        });
        let (etag, last_modified) = (text(ETAG), text(LAST_MODIFIED));
        let page = Stored {
            content_type,
            etag,
            last_modified,
            checked: now,
            body: body::read(answer).await?,
        };
        if keeps_out {
            self.forget(&url).await;
        } else {
            self.store(&url, page.clone()).await;
        }
        raw(url, page)
    }

    /// The robots rules of an address's site, read at most once a day.
    async fn rules(&self, url: &Url, session_id: Option<SessionId>) -> Result<Arc<Rules>, Fault> {
        let origin = origin(url);
        if let Some(rules) = self.parts.polite.rules(&origin, Instant::now()) {
            return Ok(rules);
        }
        let rules = Arc::new(self.read_rules(url, session_id).await?);
        self.parts
            .polite
            .learn(&origin, Arc::clone(&rules), Instant::now());
        Ok(rules)
    }

    /// Asks a site for its rules: none there means none, and a site that fails forbids everything
    /// for now (RFC 9309, section 2.3.1).
    async fn read_rules(&self, page: &Url, session_id: Option<SessionId>) -> Result<Rules, Fault> {
        let mut url = page.clone();
        url.set_path("/robots.txt");
        url.set_query(None);
        for _ in 0..=PAGE_REDIRECTS {
            address::check(&url, &self.parts.exceptions)?;
            self.check_literal(&url)?;
            let answer = match self.ask(&url, HeaderMap::new(), session_id).await? {
                Hop::Onward(next) => {
                    url = next;
                    continue;
                }
                Hop::Answer(answer) => answer,
            };
            return Ok(match answer.status() {
                StatusCode::OK => {
                    let read = body::read_within(answer, ROBOTS_BYTES, ROBOTS_BYTES).await;
                    match read {
                        Ok(bytes) => Rules::parse(&String::from_utf8_lossy(&bytes)),
                        Err(fault) if fault.kind == PageFault::TooLarge => Rules::closed(),
                        Err(fault) => return Err(fault),
                    }
                }
                status if status.is_server_error() => {
                    let detail = "the site's robots rules cannot be read";
                    return Err(Fault::new(PageFault::Robots, detail));
                }
                _ => Rules::default(),
            });
        }
        Ok(Rules::default())
    }

    /// An address that stands in the URL itself is never looked up, so it is checked here.
    fn check_literal(&self, url: &Url) -> Result<(), Fault> {
        match url.host() {
            Some(Host::Ipv4(ip)) => self.parts.names.check_literal(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => self.parts.names.check_literal(IpAddr::V6(ip)),
            _ => Ok(()),
        }
    }

    fn is_fresh(&self, page: &Stored) -> bool {
        let age = (self.parts.clock)().as_second() - page.checked;
        u64::try_from(age).is_ok_and(|age| age < self.parts.cache_ttl.as_secs())
    }

    async fn stored(&self, url: &Url) -> Option<Stored> {
        let (cache, url) = (self.parts.cache.clone()?, url.to_string());
        let got = tokio::task::spawn_blocking(move || cache.get(&url)).await;
        got.unwrap_or_default()
    }

    async fn store(&self, url: &Url, page: Stored) {
        if let Some(cache) = self.parts.cache.clone() {
            let url = url.to_string();
            let put = tokio::task::spawn_blocking(move || cache.put(&url, &page)).await;
            if let Err(error) = put {
                tracing::debug!(%error, "a page is not cached");
            }
        }
    }

    async fn forget(&self, url: &Url) {
        if let Some(cache) = self.parts.cache.clone() {
            let url = url.to_string();
            let removed = tokio::task::spawn_blocking(move || cache.remove(&url)).await;
            if let Err(error) = removed {
                tracing::debug!(%error, "a cached page is not removed");
            }
        }
    }
}

/// A client that sends nothing but what is asked of it: no cookies, no referrer, no proxy from the
/// environment, no redirects by itself.
pub(crate) fn builder() -> reqwest::ClientBuilder {
    install_crypto();
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(USER_AGENT)
        .default_headers(headers)
        // Unpacking is ours, so that both sizes are limited.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .http1_max_headers(PAGE_HEADERS)
        // A connection is used for what was checked a moment ago, and not kept for later.
        .pool_max_idle_per_host(0)
        .retry(reqwest::retry::never())
}

/// Chooses ring for TLS, once a process. Another part of the program may have done so already,
/// with the same provider, which is as good.
fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if rustls::crypto::ring::default_provider()
            .install_default()
            .is_err()
        {
            tracing::debug!("a TLS crypto provider was installed before");
        }
    });
}

/// Scheme, host and port.
fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// What robots rules are about: path and query.
fn path_of(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}

/// The conditions under which a site need not send a page again.
fn conditions(stored: Option<&Stored>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let Some(page) = stored else {
        return headers;
    };
    for (name, value) in [
        (IF_NONE_MATCH, &page.etag),
        (IF_MODIFIED_SINCE, &page.last_modified),
    ] {
        let value = value.as_deref().map(HeaderValue::from_str);
        if let Some(Ok(value)) = value {
            headers.insert(name, value);
        }
    }
    headers
}

/// Whether an answer is a redirect, and where to.
fn onward(url: &Url, answer: Response) -> Result<Hop, Fault> {
    let leads_on = matches!(answer.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    if !leads_on {
        return Ok(Hop::Answer(answer));
    }
    let place = answer.headers().get(LOCATION);
    let place = place.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    next(url, place.as_deref()).map(Hop::Onward)
}

/// Where a redirect leads.
fn next(from: &Url, place: Option<&str>) -> Result<Url, Fault> {
    let refused = |why: &str| Fault::new(PageFault::Redirects, format!("fetch failed: {why}"));
    let place = place.ok_or_else(|| refused("a redirect to nowhere"))?;
    let mut to = from
        .join(place)
        .map_err(|error| refused(&format!("a redirect to no address: {error}")))?;
    to.set_fragment(None);
    if from.scheme() == "https" && to.scheme() == "http" {
        return Err(refused("a redirect from https to http"));
    }
    Ok(to)
}

/// Why nothing came back.
fn unreachable(error: reqwest::Error) -> Fault {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(Refused(fault)) = inner.downcast_ref::<Refused>() {
            return fault.clone();
        }
        cause = inner.source();
    }
    if error.is_timeout() {
        return Fault::timeout("nothing answered in time");
    }
    let detail = match error.is_connect() {
        true => "fetch failed: the host has no address, or nothing answers there",
        false => "fetch failed: the answer cannot be understood",
    };
    tracing::debug!(error = %error.without_url(), "a page is not there");
    Fault::new(PageFault::Unreachable, detail)
}

fn raw(url: Url, page: Stored) -> Result<Raw, Fault> {
    Ok(Raw {
        url,
        kind: body::kind_of(page.content_type.as_deref(), &page.body)?,
        content_type: page.content_type,
        bytes: page.body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redirect_leads_somewhere_and_never_from_https_to_http() {
        let url = |text: &str| Url::parse(text).unwrap();
        let from = url("https://a.example/x/y");
        assert_eq!(
            next(&from, Some("../z")).unwrap(),
            url("https://a.example/z")
        );
        assert_eq!(
            next(&from, Some("//b.example/#f")).unwrap(),
            url("https://b.example/")
        );
        for bad in [
            None,
            Some("http://a.example/"),
            Some("https://"),
            Some("http://[::1"),
        ] {
            let fault = next(&from, bad).unwrap_err();
            assert_eq!(fault.kind, PageFault::Redirects, "{bad:?}");
        }
        let open = url("http://a.example/");
        assert!(next(&open, Some("https://a.example/")).is_ok());
        // Where it leads is checked like any address, scheme and all, before it is asked.
        let file = next(&open, Some("file:///etc/passwd")).unwrap();
        assert!(address::check(&file, &Exceptions::default()).is_err());
    }

    #[test]
    fn robots_rules_see_path_and_query() {
        let url = Url::parse("https://a.example:8443/a/b?c=d#e").unwrap();
        assert_eq!(path_of(&url), "/a/b?c=d");
        assert_eq!(origin(&url), "https://a.example:8443");
    }
}
