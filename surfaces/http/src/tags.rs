//! What a state is known by, and whether whoever asks has it already.

use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, HeaderValue};

/// Whether whoever asks has what is known by this tag.
pub(crate) fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let known = headers.get_all(IF_NONE_MATCH).iter();
    let tag = tag.to_str().unwrap_or_default();
    known
        .filter_map(|known| known.to_str().ok())
        .flat_map(|known| known.split(','))
        .map(|known| known.trim().trim_start_matches("W/"))
        .any(|known| known == tag || known == "*")
}
