//! A place between two records of the newest segment.

use crate::segment::Times;
use crate::tree::Frontier;
use domain::hash::Digest;

/// Where it is, and what came before it.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) offset: u64,
    pub(crate) chain: Digest,
    pub(crate) times: Times,
    pub(crate) frontier: Frontier,
}
