//! What `[search]` in the configuration says, and the default of each key.

use crate::error::Error;
use api::secrets::KEEP_THE_KEY;
pub use api::secrets::SecretRef;
use domain::Timestamp;
use domain::limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use url::{Host, Url};

/// What time it is.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The `[search]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What kind of search server is asked.
    pub provider: Provider,
    /// Where it is. `None`: the kind's usual place; for SearXNG `http://127.0.0.1:8888`.
    pub url: Option<String>,
    /// The key, by the name of a stored secret. Brave and Tavily need one.
    pub api_key: Option<SecretRef>,
    /// Ask a search server on this machine only, and fetch no page at all.
    pub air_gap: bool,
    /// Most pages that one search reads, 1 to 8.
    pub pages: usize,
    /// Shortest pause between two pages of one site, milliseconds; its robots rules may ask for a
    /// longer one.
    pub host_pause_ms: u64,
    /// How long a page is taken from the cache without asking its site, seconds; 0 asks every time.
    pub cache_ttl_secs: u64,
    /// Most that the cache of pages takes on disk, bytes; 0 keeps none.
    pub cache_bytes: u64,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            provider: Provider::Searxng,
            url: None,
            api_key: None,
            air_gap: false,
            pages: 4,
            host_pause_ms: 1_000,
            cache_ttl_secs: 3_600,
            cache_bytes: 64 << 20,
        }
    }
}

impl Config {
    /// Where the search server is.
    ///
    /// # Errors
    /// [`Error::Configuration`] when the address is none, holds what may be a key, or would carry a
    /// key over an open connection.
    pub fn endpoint(&self) -> Result<Url, Error> {
        let text = self.url.as_deref().unwrap_or(self.provider.usual_place());
        let refused = |detail: String| Error::Configuration { detail };
        // An address that cannot be read may hold a key all the same, so none is repeated.
        let lower = text.trim_start().to_ascii_lowercase();
        if !["http://", "https://"]
            .iter()
            .any(|begin| lower.starts_with(begin))
        {
            return Err(refused(
                "search.url must begin with http:// or https://".to_owned(),
            ));
        }
        let url = Url::parse(text)
            .map_err(|source| refused(format!("search.url is not an address: {source}")))?;
        let has_user = !url.username().is_empty() || url.password().is_some();
        if has_user || url.query().is_some() || url.fragment().is_some() {
            return Err(refused(format!(
                "search.url must hold no user name, password, `?` or `#`; if it holds a key, \
                 {KEEP_THE_KEY}"
            )));
        }
        if self.api_key.is_some() && url.scheme() == "http" && !is_loopback(&url) {
            return Err(refused(
                "search.url must begin with https://, or the key could be read on its way"
                    .to_owned(),
            ));
        }
        Ok(url)
    }

    /// Where the search server is, if it could be asked now: without this a search fails when an
    /// agent wants it, and not before.
    ///
    /// # Errors
    /// [`Error::Configuration`] where [`Self::check`] refuses, for a provider without its key, and
    /// for a server elsewhere while the air gap is closed.
    pub fn ready(&self) -> Result<Url, Error> {
        self.check()?;
        let url = self.endpoint()?;
        let provider = self.provider.as_str();
        if self.provider != Provider::Searxng && self.api_key.is_none() {
            let detail = format!("{provider} needs search.api_key; {KEEP_THE_KEY}");
            return Err(Error::Configuration { detail });
        }
        if self.air_gap && !is_loopback(&url) {
            let detail = format!(
                "{provider} at {url} is not on this machine, and the air gap is closed: nothing is \
                 searched"
            );
            return Err(Error::Configuration { detail });
        }
        Ok(url)
    }

    /// Refuses numbers that make no sense, and an unusable address.
    ///
    /// # Errors
    /// [`Error::Configuration`], naming the setting.
    pub fn check(&self) -> Result<(), Error> {
        if !(1..=limits::SEARCH_PAGES).contains(&self.pages) {
            let detail = format!("search.pages must be 1 to {}", limits::SEARCH_PAGES);
            return Err(Error::Configuration { detail });
        }
        self.endpoint().map(|_| ())
    }
}

/// Whether a URL names this machine by loopback address or as `localhost`.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// A kind of search server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// SearXNG or searx, with its JSON format switched on.
    #[default]
    Searxng,
    /// Brave's search API.
    Brave,
    /// Tavily's search API.
    Tavily,
}

impl Provider {
    /// The name in configuration.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Searxng => "searxng",
            Self::Brave => "brave",
            Self::Tavily => "tavily",
        }
    }

    const fn usual_place(self) -> &'static str {
        match self {
            Self::Searxng => "http://127.0.0.1:8888",
            Self::Brave => "https://api.search.brave.com",
            Self::Tavily => "https://api.tavily.com",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(json: serde_json::Value) -> Result<Config, String> {
        serde_json::from_value(json).map_err(|error| error.to_string())
    }

    #[test]
    fn nothing_at_all_is_a_search_server_on_this_machine() {
        let config = parse(json!({})).unwrap();
        assert_eq!(config, Config::default());
        assert_eq!(
            config.endpoint().unwrap().as_str(),
            "http://127.0.0.1:8888/"
        );
        assert!(config.check().is_ok());
    }

    #[test]
    fn a_literal_key_is_refused_without_repeating_it() {
        for key in [
            json!("tvly-very-secret"),
            json!(98_765),
            json!({"secret": "sk-very-secret"}),
        ] {
            let error = parse(json!({"provider": "tavily", "api_key": key})).unwrap_err();
            assert!(error.contains("carl secret set"), "{error}");
            assert!(!error.contains("very") && !error.contains("765"), "{error}");
        }
        let named = parse(json!({"provider": "brave", "api_key": {"secret": "brave"}})).unwrap();
        assert_eq!(
            named.endpoint().unwrap().host_str(),
            Some("api.search.brave.com")
        );
    }

    #[test]
    fn an_address_with_a_key_or_without_sense_is_refused_unrepeated() {
        for url in [
            "http://me:hunter2@127.0.0.1:8888",
            "http://127.0.0.1:8888/?key=hunter2",
            "http://127.0.0.1:8888/#hunter2",
            "ftp://hunter2.example",
            "hunter2",
        ] {
            let error = parse(json!({"url": url})).unwrap().check().unwrap_err();
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
        let open = json!({
            "provider": "brave", "url": "http://api.example", "api_key": {"secret": "brave"}
        });
        assert!(parse(open).unwrap().check().is_err());
    }

    #[test]
    fn a_server_that_could_not_be_asked_is_not_ready() {
        let said = |json| {
            parse(json)
                .unwrap()
                .ready()
                .map_err(|error| error.to_string())
        };
        let without = said(json!({"provider": "brave"})).unwrap_err();
        assert!(without.contains("search.api_key"), "{without}");
        let shut = said(json!({"url": "https://search.example", "air_gap": true})).unwrap_err();
        assert!(shut.contains("air gap"), "{shut}");
        assert!(said(json!({"air_gap": true})).is_ok());
        assert!(said(json!({"provider": "brave", "api_key": {"secret": "brave"}})).is_ok());
    }

    #[test]
    fn numbers_are_kept_at_their_limits() {
        for (pages, fits) in [(0, false), (1, true), (8, true), (9, false)] {
            let config = parse(json!({"pages": pages})).unwrap();
            assert_eq!(config.check().is_ok(), fits, "{pages}");
        }
        assert!(parse(json!({"pagse": 1})).is_err());
    }
}
