//! What is found in a page.

use domain::Timestamp;

/// Fewest words of a page that says something.
pub(super) const FEWEST_WORDS: usize = 5;

/// The same for every kind of page.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) title: String,
    pub(super) text: String,
    /// The language that the page says it is in.
    pub(super) language: Option<String>,
    pub(super) date: Option<Timestamp>,
}
