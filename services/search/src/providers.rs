//! Search servers: how each is asked, and what its answer says. The server is the one that the user
//! configured; what it sends is as foreign as a page.

use crate::config::{Config, Provider, SecretRef, is_loopback};
use crate::error::Error;
use crate::fetch;
use crate::ledger::Ledger;
use api::search;
use api::secrets::Secrets;
use domain::Timestamp;
use domain::event::CallStatus;
use domain::id::SessionId;
use domain::limits::{PAGE_CONNECT, SEARCH_SERVER_BYTES, SEARCH_SERVER_TIME};
use listeners::Owner;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;
use url::Url;
use zeroize::Zeroizing;

/// Most hits taken from one answer.
pub(crate) const HITS: usize = 20;
/// Longest title or snippet that is looked at, characters.
const SNIPPET_CHARS: usize = 1_000;

/// One thing that a search server found.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Hit {
    pub(crate) url: Url,
    pub(crate) title: String,
    pub(crate) snippet: String,
    pub(crate) date: Option<Timestamp>,
}

/// The configured search server.
pub(crate) struct Server {
    kind: Provider,
    endpoint: Url,
    key: Option<SecretRef>,
    secrets: Arc<dyn Secrets>,
    ledger: Arc<Ledger>,
    client: Client,
    air_gap: bool,
    /// Whether the configuration says where it is.
    is_configured: bool,
}

impl Server {
    /// # Errors
    /// [`Error`] when the configuration makes no sense, or TLS cannot be set up.
    pub(crate) fn new(
        config: &Config,
        secrets: Arc<dyn Secrets>,
        ledger: Arc<Ledger>,
    ) -> Result<Self, Error> {
        let builder = fetch::builder()
            .connect_timeout(PAGE_CONNECT)
            .timeout(SEARCH_SERVER_TIME)
            // The name `localhost` means this machine, whatever a resolver says.
            .resolve_to_addrs(
                "localhost",
                &[
                    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 0),
                    SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), 0),
                ],
            );
        Ok(Self {
            kind: config.provider,
            endpoint: config.endpoint()?,
            key: config.api_key.clone(),
            secrets,
            ledger,
            client: builder.build().map_err(Error::Client)?,
            air_gap: config.air_gap,
            is_configured: config.url.is_some(),
        })
    }

    /// What the server finds, in its order.
    pub(crate) async fn ask(
        &self,
        query: &str,
        session_id: Option<SessionId>,
    ) -> Result<Vec<Hit>, search::Error> {
        self.check_reach()?;
        let url = place(self.kind, &self.endpoint, query);
        let key = self.key().await?;
        let request = self.request(&url, query, key.as_ref())?;
        let recorded = self.ledger.asking(session_id, &url).await;
        let open = recorded.map_err(|error| {
            unavailable(format!("nothing is asked that cannot be recorded: {error}"))
        })?;
        let answer = self.send(request).await;
        let status = match &answer {
            Ok(_) => CallStatus::Ok,
            Err(_) => CallStatus::Failed,
        };
        self.ledger.answered(open, status).await;
        Ok(hits(self.kind, &answer?))
    }

    /// Whether it may be asked, wherever it is.
    fn check_reach(&self) -> Result<(), search::Error> {
        if self.air_gap && !is_loopback(&self.endpoint) {
            let detail = "it is not on this machine, and the air gap is closed".to_owned();
            return Err(search::Error::Blocked { detail });
        }
        if !self.is_configured
            && let Some(stranger) = stranger_at(&self.endpoint)
        {
            return Err(unavailable(stranger));
        }
        Ok(())
    }

    /// What is asked and where, if it could be now. One of this machine has to be there.
    pub(crate) async fn destination(&self) -> Result<String, search::Error> {
        self.check_reach()?;
        if self.key.is_none() && self.kind != Provider::Searxng {
            return Err(search::Error::NotConfigured);
        }
        let there = &self.endpoint;
        if is_loopback(there) && !listens(there).await {
            return Err(unavailable(format!("nothing answers at {there}")));
        }
        Ok(format!("{} at {there}", self.kind.as_str()))
    }

    fn request(
        &self,
        url: &Url,
        query: &str,
        key: Option<&Zeroizing<String>>,
    ) -> Result<RequestBuilder, search::Error> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        if let Some(key) = key {
            let (name, value) = match self.kind {
                Provider::Brave => (HeaderName::from_static("x-subscription-token"), key.clone()),
                Provider::Searxng | Provider::Tavily => (
                    AUTHORIZATION,
                    Zeroizing::new(format!("Bearer {}", key.as_str())),
                ),
            };
            let Ok(mut value) = HeaderValue::from_str(&value) else {
                let detail = "its key has characters that a header cannot carry".to_owned();
                return Err(unavailable(detail));
            };
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        let request = match self.kind {
            Provider::Searxng | Provider::Brave => self.client.get(url.clone()),
            Provider::Tavily => self.client.post(url.clone()).json(&json!({
                "query": query,
                "max_results": HITS,
                "include_answer": false,
                "include_raw_content": false,
            })),
        };
        Ok(request.headers(headers))
    }

    /// The key. It is asked for with each search and not kept.
    async fn key(&self) -> Result<Option<Zeroizing<String>>, search::Error> {
        let Some(name) = &self.key else {
            return match self.kind {
                Provider::Searxng => Ok(None),
                Provider::Brave | Provider::Tavily => Err(search::Error::NotConfigured),
            };
        };
        let value = self.secrets.get_secret(&name.secret).await;
        let value =
            value.map_err(|error| unavailable(format!("its key cannot be read: {error}")))?;
        let text = std::str::from_utf8(value.expose())
            .map_err(|error| unavailable(format!("its key is no text: {error}")))?;
        Ok(Some(Zeroizing::new(text.trim().to_owned())))
    }

    async fn send(&self, request: RequestBuilder) -> Result<Value, search::Error> {
        let answer = request.send().await.map_err(|error| {
            let error = error.without_url();
            tracing::debug!(%error, "the search server is not there");
            unavailable(match (error.is_timeout(), error.is_connect()) {
                (true, _) => "it did not answer in time".to_owned(),
                (_, true) => format!("nothing answers at {}", self.endpoint),
                _ => "its answer broke off".to_owned(),
            })
        })?;
        let status = answer.status();
        if status != StatusCode::OK {
            return Err(unavailable(refusal(self.kind, status)));
        }
        let bytes = crate::body::read_within(answer, SEARCH_SERVER_BYTES, SEARCH_SERVER_BYTES);
        let bytes = bytes.await.map_err(|fault| unavailable(fault.detail))?;
        let body: Value =
            serde_json::from_slice(&bytes).map_err(|error| unavailable(no_json(&error)))?;
        Ok(body)
    }
}

/// The address that is asked.
fn place(kind: Provider, endpoint: &Url, query: &str) -> Url {
    let mut url = endpoint.clone();
    let path = match kind {
        Provider::Searxng | Provider::Tavily => "search",
        Provider::Brave => "res/v1/web/search",
    };
    let base = url.path().trim_end_matches('/').to_owned();
    url.set_path(&format!("{base}/{path}"));
    match kind {
        Provider::Searxng => {
            url.query_pairs_mut()
                .append_pair("q", query)
                .append_pair("format", "json");
        }
        Provider::Brave => {
            url.query_pairs_mut()
                .append_pair("q", query)
                .append_pair("count", &HITS.to_string())
                .append_pair("text_decorations", "false");
        }
        Provider::Tavily => {}
    }
    url
}

/// What a status means, in our words: a server's own may repeat the key or say anything.
fn refusal(kind: Provider, status: StatusCode) -> String {
    match (status.as_u16(), kind) {
        (403, Provider::Searxng) => "it refuses JSON (403): add `json` to `search.formats` in its \
            settings.yml, or let this machine past its limiter"
            .to_owned(),
        (401 | 403, _) => format!("it refused the key ({})", status.as_u16()),
        (429, _) => "it was asked too often (429)".to_owned(),
        (301..=308, _) => "it redirects elsewhere; redirects are not followed".to_owned(),
        (code, _) => format!("it answered with status {code}"),
    }
}

/// Where an answer is no JSON. What stands there is not repeated: a failed search shows nothing of it.
fn no_json(error: &serde_json::Error) -> String {
    format!(
        "its answer is no JSON (line {}, column {})",
        error.line(),
        error.column()
    )
}

fn unavailable(detail: String) -> search::Error {
    search::Error::Unavailable { detail }
}

/// The hits in an answer. What is no hit is left out: an answer without hits found nothing.
fn hits(kind: Provider, body: &Value) -> Vec<Hit> {
    let list = match kind {
        Provider::Searxng | Provider::Tavily => &body["results"],
        Provider::Brave => &body["web"]["results"],
    };
    let (snippet, dates): (&str, &[&str]) = match kind {
        Provider::Searxng => ("content", &["publishedDate", "pubdate"]),
        Provider::Brave => ("description", &["page_age"]),
        Provider::Tavily => ("content", &["published_date"]),
    };
    let Some(list) = list.as_array() else {
        return Vec::new();
    };
    let text = |item: &Value, key: &str| {
        let text = item[key].as_str().unwrap_or_default();
        text.chars().take(SNIPPET_CHARS).collect::<String>()
    };
    let hit = |item: &Value| {
        let Ok(url) = Url::parse(item["url"].as_str()?) else {
            return None;
        };
        let is_page = matches!(url.scheme(), "http" | "https") && url.host().is_some();
        let date = dates
            .iter()
            .find_map(|key| crate::page::date_in(item[*key].as_str()?));
        is_page.then(|| Hit {
            title: text(item, "title"),
            snippet: text(item, snippet),
            date,
            url,
        })
    };
    list.iter().filter_map(hit).take(HITS).collect()
}

/// The account that SearXNG's installer makes, and that its server runs as.
const SERVICE_ACCOUNT: &str = "searxng";

/// Why a server at the usual place on this machine is not asked unless the configuration names it:
/// it is another user's (docs/decisions/0059). `None` where it may be, and for every other address.
#[must_use]
pub fn stranger_at(url: &Url) -> Option<String> {
    let port = url.port_or_known_default().filter(|_| is_loopback(url))?;
    let what = match listeners::owner(port, SERVICE_ACCOUNT) {
        Ok(Owner::Nobody | Owner::Ours) => return None,
        Ok(Owner::Stranger(who)) => format!("what listens on port {port} belongs to {who}"),
        Err(error) => format!("whose port {port} is cannot be read: {error}"),
    };
    Some(format!(
        "{what}; if you trust the server there, write `url = \"{url}\"` under [search]"
    ))
}

/// Longest a listener on this machine is waited for.
const LISTENER_WAIT: Duration = Duration::from_millis(500);

/// Whether something takes a connection at a search server's address. Nothing is asked of it. For
/// addresses of this machine alone, where it tells nobody anything: `false` for every other.
pub async fn listens(url: &Url) -> bool {
    let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
        return false;
    };
    if !is_loopback(url) {
        return false;
    }
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let attempt = TcpStream::connect((host, port));
    matches!(timeout(LISTENER_WAIT, attempt).await, Ok(Ok(_)))
}

/// Longest the trial of a server may take.
const TRIAL_WAIT: Duration = Duration::from_secs(2);

/// Asks a SearXNG server of this machine for nothing, which it answers without asking anybody: as
/// `carl doctor` finds out whether it could be searched. Every other server is not asked.
///
/// # Errors
/// Why it cannot be searched.
pub async fn try_out(config: &Config, url: &Url) -> Result<(), String> {
    if config.provider != Provider::Searxng || !is_loopback(url) {
        return Ok(());
    }
    let client = fetch::builder().timeout(TRIAL_WAIT).build();
    let client = client.map_err(|error| first_cause(&error))?;
    let asked = client.get(place(config.provider, url, "")).send().await;
    let answer = asked.map_err(|error| match error.is_timeout() {
        true => "it did not answer in time".to_owned(),
        false => first_cause(&error.without_url()),
    })?;
    // SearXNG calls a request for nothing a bad one, in the form that was asked for.
    let status = answer.status();
    if status != StatusCode::OK && status != StatusCode::BAD_REQUEST {
        return Err(refusal(config.provider, status));
    }
    let bytes = crate::body::read_within(answer, SEARCH_SERVER_BYTES, SEARCH_SERVER_BYTES);
    let bytes = bytes.await.map_err(|fault| fault.detail)?;
    match serde_json::from_slice::<Value>(&bytes) {
        Ok(body) if body.get("results").or(body.get("error")).is_some() => Ok(()),
        Ok(_) | Err(_) => Err("what answers there is no SearXNG".to_owned()),
    }
}

/// What began a chain of errors.
fn first_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_each_kind_is_read() {
        let searxng = json!({"query": "bees", "results": [
            {"url": "https://a.example/1", "title": "Bees", "content": "They dance.",
             "publishedDate": "2024-05-01T00:00:00", "engine": "x", "score": 1.0},
            {"url": "javascript:alert(1)", "title": "no"},
            {"title": "no address"}, 7, null
        ]});
        let brave = json!({"type": "search", "web": {"results": [
            {"url": "https://a.example/1", "title": "Bees", "description": "They dance.",
             "page_age": "2024-05-01T00:00:00", "age": "May 1, 2024"}
        ]}});
        let tavily = json!({"results": [
            {"url": "https://a.example/1", "title": "Bees", "content": "They dance.",
             "score": 0.9, "published_date": "Wed, 01 May 2024 00:00:00 GMT"}
        ]});
        let expected = Hit {
            url: Url::parse("https://a.example/1").unwrap(),
            title: "Bees".to_owned(),
            snippet: "They dance.".to_owned(),
            date: Some("2024-05-01T00:00:00Z".parse().unwrap()),
        };
        for (kind, body) in [
            (Provider::Searxng, searxng),
            (Provider::Brave, brave),
            (Provider::Tavily, tavily),
        ] {
            assert_eq!(
                hits(kind, &body),
                std::slice::from_ref(&expected),
                "{kind:?}"
            );
        }
    }

    #[test]
    fn hits_are_bounded_and_nonsense_is_none() {
        let many: Vec<Value> = (0..HITS + 5)
            .map(|number| json!({"url": format!("https://a.example/{number}"), "content": "x".repeat(9_999)}))
            .collect();
        let found = hits(Provider::Searxng, &json!({"results": many}));
        assert_eq!(found.len(), HITS);
        assert_eq!(found[0].snippet.len(), SNIPPET_CHARS);
        for nonsense in [json!([]), json!("x"), json!({"results": {}}), json!(null)] {
            assert_eq!(hits(Provider::Searxng, &nonsense), []);
            assert_eq!(hits(Provider::Brave, &nonsense), []);
        }
    }
}
