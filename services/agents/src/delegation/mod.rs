//! One agent hands tasks to others: starting a child, taking a request apart, reports and what
//! comes of them.

pub(crate) mod child;
mod handout;
pub(crate) mod orchestrated;
mod planned;
mod report;
