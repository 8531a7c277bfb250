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
