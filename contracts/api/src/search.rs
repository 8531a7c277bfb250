//! Search: the web as claims with sources, never as raw pages.

use crate::CallContext;
use async_trait::async_trait;
use domain::Timestamp;
use domain::fault::Coded;
use domain::label::Label;

/// A web search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchRequest {
    /// Who asks.
    pub context: CallContext,
    /// The query, as it leaves the house.
    pub query: String,
    /// Most results wanted.
    pub max_results: u32,
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
}

/// What a search found. No result is an empty list, not an error.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchAnswer {
    /// Today's date, UTC.
    pub today: Timestamp,
    /// Claims, best first.
    pub claims: Vec<Claim>,
    /// What went wrong with single pages: `fetch failed: 404`.
    pub failures: Vec<String>,
    /// How far all of it may be trusted.
    pub label: Label,
}

/// A page to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadRequest {
    /// Who asks.
    pub context: CallContext,
    /// Which page.
    pub url: String,
    /// What the reader wants to know.
    pub question: String,
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
    /// Its main text, cut and defused, where the agent type may see it.
    pub extracted: Option<String>,
    /// Its language, BCP 47.
    pub language: Option<String>,
    /// When it was published, if known.
    pub date: Option<Timestamp>,
    /// How far it may be trusted.
    pub label: Label,
}

/// Why search did not answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The page may not be fetched.
    #[error("the address is not allowed: {detail}")]
    Blocked {
        /// Which rule.
        detail: String,
    },
    /// The search server or the page did not answer.
    #[error("search is unavailable: {detail}")]
    Unavailable {
        /// What happened.
        detail: String,
    },
}

impl Coded for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::Blocked { .. } => "search.blocked",
            Self::Unavailable { .. } => "search.unavailable",
        }
    }

    fn message(&self) -> String {
        self.to_string()
    }

    fn hint(&self) -> String {
        String::new()
    }
}

/// The search service.
#[async_trait]
pub trait Search: Send + Sync {
    /// Searches and reads the best pages.
    async fn search(&self, request: SearchRequest) -> Result<SearchAnswer, Error>;
    /// Reads one page that a search named or the user gave.
    async fn read(&self, request: ReadRequest) -> Result<PageSummary, Error>;
}
