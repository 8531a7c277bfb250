//! One thing that people say when they order something of a text.

use super::asked::Asked;
use crate::rules::building::Match;
use crate::rules::refusal::Refusal;

/// An order with its file, or `None` where its places do not fit.
pub(super) type Built = Result<Option<(String, Asked)>, Refusal>;
/// What makes an order of a match.
pub(super) type Build = fn(&Match<'_>) -> Built;
/// A pattern over one whole step, and what is made of it.
pub(super) type Saying = (&'static str, Build);

/// A new value, which may be a list with quotes in it.
pub(super) fn new_value(found: &Match<'_>) -> Result<String, Refusal> {
    let whole = found.request.whole(found.written("to"));
    match !found.is_quoted("to") && is_list(&whole) {
        true => Ok(whole),
        false => bare(found, "to"),
    }
}

/// Whether a text is a list or a table in brackets.
pub(super) fn is_list(text: &str) -> bool {
    let ends = [('[', ']'), ('{', '}')];
    ends.iter()
        .any(|(open, close)| text.starts_with(*open) && text.ends_with(*close))
}

/// A text without the end of the sentence, where it is not quoted.
pub(super) fn bare(found: &Match<'_>, name: &str) -> Result<String, Refusal> {
    let text = found.text(name)?;
    Ok(match found.is_quoted(name) {
        true => text,
        false => text.trim_end_matches(['.', '!']).to_owned(),
    })
}
