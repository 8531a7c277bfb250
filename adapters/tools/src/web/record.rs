//! The structured results of the tools over the web. These shapes are promises: the guard reads the
//! addresses in them, and programs the rest.

use serde::Serialize;

/// Result of `web_search`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Found {
    /// Today's date, UTC.
    pub(crate) today: String,
    /// Claims, best first.
    pub(crate) results: Vec<Claimed>,
    /// Pages that could not be read.
    pub(crate) failures: Vec<Unread>,
}

/// One claim.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Claimed {
    /// What is claimed.
    pub(crate) claim: String,
    /// Where. Such a page may be fetched.
    pub(crate) source_url: String,
    /// 0 to 1.
    pub(crate) confidence: f32,
    /// The day it was published, if known.
    pub(crate) date: Option<String>,
    /// A few sentences about it.
    pub(crate) summary: String,
    /// The page's main text, for agents that are shown it.
    pub(crate) text: Option<String>,
}

/// Result of `web_fetch` for a page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Page {
    /// The address it was finally read from.
    pub(crate) url: String,
    /// Its title.
    pub(crate) title: String,
    /// What it says about the question.
    pub(crate) summary: String,
    /// Its main text, for agents that are shown it.
    pub(crate) text: Option<String>,
    /// Its language, BCP 47.
    pub(crate) language: Option<String>,
    /// The day it was published, if known.
    pub(crate) date: Option<String>,
}

/// A page that was not read; also the result of `web_fetch` for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Unread {
    /// The address asked for.
    pub(crate) url: String,
    /// What kind of failure, one word.
    pub(crate) fault: String,
    /// What happened.
    pub(crate) detail: String,
}
