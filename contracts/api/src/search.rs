//! Search: the web as claims with sources, never as raw pages.

use crate::CallContext;
use async_trait::async_trait;
use domain::Timestamp;
use domain::fault::Coded;
use domain::label::Label;
use domain::rights::WebContent;

/// Longest query and longest question about a page, bytes.
pub const QUERY_BYTES: usize = 1_024;
/// Most results of one search; whoever asks for more gets these.
pub const RESULTS: u32 = 20;

/// A web search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// Who asks; `None` for the user's own command.
    pub context: Option<CallContext>,
    /// The query, as it leaves the house.
    pub query: String,
    /// Most results wanted.
    pub max_results: u32,
    /// How much of each page is wanted.
    pub content: WebContent,
}

impl SearchRequest {
    /// Whether it can be asked at all.
    ///
    /// # Errors
    /// [`Error::Invalid`] when there is no query, it is longer than [`QUERY_BYTES`], or no result is
    /// wanted.
    pub fn check(&self) -> Result<(), Error> {
        let problem = if self.query.trim().is_empty() {
            "the query is empty".to_owned()
        } else if self.query.len() > QUERY_BYTES {
            format!("the query is longer than {QUERY_BYTES} bytes")
        } else if self.max_results == 0 {
            "no result is wanted".to_owned()
        } else {
            return Ok(());
        };
        Err(Error::Invalid { detail: problem })
    }
}

/// One claim found on the web.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// What is claimed.
    pub claim: String,
    /// Where.
    pub source_url: String,
    /// 0 to 1.
    pub confidence: f32,
    /// When it was published, if known.
    pub date: Option<Timestamp>,
    /// A few sentences about it.
    pub summary: String,
    /// The page's main text, cut and defused; only where [`WebContent::Extracted`] was asked for.
    pub extracted: Option<String>,
}

/// What a search found. No result is an empty list, not an error.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// Today's date, UTC.
    pub today: Timestamp,
    /// Claims, best first.
    pub claims: Vec<Claim>,
    /// Pages that could not be read.
    pub failures: Vec<PageFailure>,
    /// How far all of it may be trusted.
    pub label: Label,
}

/// A page to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// Who asks; `None` for the user's own command.
    pub context: Option<CallContext>,
    /// Which page.
    pub url: String,
    /// What the reader wants to know.
    pub question: String,
    /// How much of the page is wanted.
    pub content: WebContent,
}

/// A page, read.
#[derive(Debug, Clone, PartialEq)]
pub struct PageSummary {
    /// The address it was finally read from.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What it says about the question.
    pub summary: String,
    /// Its main text, cut and defused; only where [`WebContent::Extracted`] was asked for.
    pub extracted: Option<String>,
    /// Its language, BCP 47.
    pub language: Option<String>,
    /// When it was published, if known.
    pub date: Option<Timestamp>,
    /// How far it may be trusted.
    pub label: Label,
}

/// Why a page was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PageFault {
    /// The address is none, or of a scheme that is not fetched.
    InvalidUrl,
    /// The address leads into a private network or this machine, or the air gap is closed.
    Blocked,
    /// The site's robots rules forbid it.
    Robots,
    /// The host has no address, or nothing answers there.
    Unreachable,
    /// It did not come in time.
    Timeout,
    /// The server answered with this HTTP status.
    Status(u16),
    /// More redirects than are followed.
    Redirects,
    /// Larger than is read, packed or unpacked.
    TooLarge,
    /// No text, HTML or PDF.
    ContentType,
    /// There is no readable text in it: it is empty, needs scripts or is behind a wall.
    NoText,
}

impl PageFault {
    /// The stable word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidUrl => "invalid_url",
            Self::Blocked => "blocked_address",
            Self::Robots => "robots",
            Self::Unreachable => "unreachable",
            Self::Timeout => "timeout",
            Self::Status(_) => "status",
            Self::Redirects => "redirects",
            Self::TooLarge => "too_large",
            Self::ContentType => "content_type",
            Self::NoText => "no_text",
        }
    }
}

/// A page that was not read, and why. Not an error: the reader tries another.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{url}: {detail}")]
pub struct PageFailure {
    /// The address asked for.
    pub url: String,
    /// What kind of failure.
    pub fault: PageFault,
    /// What happened, for a model to read: `fetch failed: 404`.
    pub detail: String,
}

/// What became of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum ReadAnswer {
    /// It was read.
    Page(PageSummary),
    /// It was not.
    Failed(PageFailure),
}

/// Why search did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The configured provider needs a key, and none is named.
    #[error("the search provider has no key: search.api_key is missing")]
    NotConfigured,
    /// The request itself cannot be used.
    #[error("the search request cannot be used: {detail}")]
    Invalid {
        /// What is wrong with it.
        detail: String,
    },
    /// The search server is not allowed to be reached.
    #[error("the search server may not be reached: {detail}")]
    Blocked {
        /// Which rule.
        detail: String,
    },
    /// The search server did not answer.
    #[error("search is unavailable: {detail}")]
    Unavailable {
        /// What happened.
        detail: String,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotConfigured => "search.not_configured",
            Self::Invalid { .. } => "search.invalid",
            Self::Blocked { .. } => "search.blocked",
            Self::Unavailable { .. } => "search.unavailable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        match self {
            Self::NotConfigured => {
                "Store the key with `carl secret set NAME` and write api_key = { secret = \"NAME\" } \
                 under [search]; or use SearXNG, which needs none."
            }
            Self::Invalid { .. } => "",
            Self::Blocked { .. } => "Leave --air-gap out, or use a server on this machine.",
            Self::Unavailable { .. } => "Check `[search]` in the configuration and try again.",
        }
        .to_owned()
    }
}

/// The search service.
#[async_trait]
pub trait Search: Send + Sync {
    /// Searches, reads the best pages and tells what they claim.
    ///
    /// # Errors
    /// [`Error`] when the search itself cannot be made; a page that cannot be read is in the
    /// answer.
    async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, Error>;
    /// Reads one page. Whether it may be read at all is the broker's to decide; which addresses
    /// are never connected to is this service's.
    ///
    /// # Errors
    /// [`Error`] when the service cannot work at all.
    async fn read(&self, request: ReadRequest) -> Result<ReadAnswer, Error>;
    /// Where queries go, for people, if a search could be made now; `None` where that is not known.
    /// Asks for nothing, and nothing leaves this machine for it.
    ///
    /// # Errors
    /// [`Error`] when a search could not be made.
    async fn destination(&self) -> Result<Option<String>, Error> {
        Ok(None)
    }
}
